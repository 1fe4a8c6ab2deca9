// Finds which events of a pair of pipes cannot share ids, and gives them ids.
#ifndef ATTN_DIALECT_ASCEND_ANALYSIS_EVENTCOLOURING_H
#define ATTN_DIALECT_ASCEND_ANALYSIS_EVENTCOLOURING_H

#include "attn/Dialect/Ascend/IR/Ascend.h"
#include <map>

namespace attn::ascend {

using PipePair = std::pair<Pipe, Pipe>;

/// Events by number that are raised while others of their pair may be up. Of those that were raised
/// before only the ones are looked at that were not yet seen to be free: once the source knows of
/// an event that it has been awaited, that holds until it is raised again.
class EventConflicts {
public:
  explicit EventConflicts(size_t eventCount) : conflicts(eventCount) {}

  /// A trace begins: no event has been raised.
  void beginTrace() { raised.clear(); }

  /// An event is about to be raised. `isFree` says of another whether none of its flags is up, and
  /// the source knows that.
  void raise(int32_t event, PipePair pair, llvm::function_ref<bool(int32_t)> isFree);

  /// The first id of each of `events`, which are of one pair. All slots of an event take
  /// neighbouring ids below `limit`, other than those of events that it is in conflict with; none
  /// where that many ids are not enough. Events with many slots choose first.
  std::optional<llvm::SmallVector<int64_t>> colour(llvm::ArrayRef<int32_t> events,
                                                   llvm::function_ref<int64_t(int32_t)> getSlots,
                                                   int64_t limit) const;

private:
  std::vector<llvm::SmallVector<int32_t, 4>> conflicts; // by event
  llvm::DenseSet<std::pair<int32_t, int32_t>> known;    // the smaller event first
  std::map<PipePair, llvm::SmallVector<int32_t>> raised;
};

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_ANALYSIS_EVENTCOLOURING_H
