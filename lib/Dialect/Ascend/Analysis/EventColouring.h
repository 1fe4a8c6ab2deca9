// Gives events ids such that those in conflict have different ones.
#ifndef ATTN_DIALECT_ASCEND_ANALYSIS_EVENTCOLOURING_H
#define ATTN_DIALECT_ASCEND_ANALYSIS_EVENTCOLOURING_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace attn::ascend {

/// The first id of each event, all of whose slots take neighbouring ids below `limit`; none where
/// that many ids are not enough. Those with many slots choose first.
std::optional<llvm::SmallVector<int64_t>>
colourEvents(llvm::ArrayRef<int64_t> slots, llvm::function_ref<bool(size_t, size_t)> haveConflict,
             int64_t limit);

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_ANALYSIS_EVENTCOLOURING_H
