// What reductions start from (tile stage, analysis).
#include "attn/Dialect/Tile/Analysis/Reduction.h"
#include <limits>

using namespace attn;
using namespace attn::tile;

float tile::getNeutral(ReduceKind kind) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  switch (kind) {
  case ReduceKind::Sum:
    return 0.0f;
  case ReduceKind::Max:
    return -infinity;
  case ReduceKind::Min:
    return infinity;
  }
  llvm_unreachable("all kinds are known");
}
