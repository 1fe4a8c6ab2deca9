// Finds the loops that belong together.
#include "SkewedLoops.h"

using namespace mlir;
using namespace attn::ascend;

LoopsBeside attn::ascend::findLoopsBeside(scf::ForOp loop) {
  LoopsBeside found;
  SmallVector<scf::ForOp> loops;
  auto close = [&] {
    llvm::append_range(llvm::is_contained(loops, loop) ? found.together : found.apart, loops);
    loops.clear();
  };
  for (auto beside : loop->getBlock()->getOps<scf::ForOp>()) {
    if (beside->hasAttr("ascend.settled"))
      close();
    loops.push_back(beside);
  }
  close();
  return found;
}

std::optional<SkewedLoops> attn::ascend::findSkewed(scf::ForOp loop, ArrayRef<scf::ForOp> beside) {
  for (scf::ForOp steady : beside) {
    auto rest = steady.getUpperBound().getDefiningOp<arith::SubIOp>();
    if (!rest)
      continue;
    SkewedLoops skewed{{}, steady, {}};
    for (scf::ForOp other : beside) {
      if (other.getUpperBound() == rest.getRhs())
        skewed.fill = other;
      if (other.getLowerBound() == rest.getResult() && other.getUpperBound() == rest.getLhs())
        skewed.drain = other;
    }
    if (skewed.fill && skewed.drain &&
        llvm::is_contained({skewed.fill, skewed.steady, skewed.drain}, loop))
      return skewed;
  }
  return std::nullopt;
}
