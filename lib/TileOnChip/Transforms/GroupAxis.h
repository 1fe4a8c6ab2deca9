// The axes of the search for kernels that cube and vector cores share.
#ifndef ATTN_LIB_TILEONCHIP_TRANSFORMS_GROUPAXIS_H
#define ATTN_LIB_TILEONCHIP_TRANSFORMS_GROUPAXIS_H

#include "attn/TileOnChip/Transforms/ChoiceAxis.h"

namespace attn::onchip {

/// Adds how far cores run apart, and the rows of strips of vector cores: a kernel is split once for
/// all strips.
void addGroupAxes(SearchSpace &space, llvm::SmallVectorImpl<std::unique_ptr<ChoiceAxis>> &axes);

} // namespace attn::onchip

#endif // ATTN_LIB_TILEONCHIP_TRANSFORMS_GROUPAXIS_H
