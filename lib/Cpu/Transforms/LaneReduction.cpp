// Folds the lanes of vectors into scalars, in a fixed order. CPU stage, on vectors, used by
// `jit-vectorize-rows`.
#include "LaneReduction.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

Value attn::jit::combine(ImplicitLocOpBuilder &builder, Operation *combiner, Value lhs, Value rhs) {
  OperationState state(builder.getLoc(), combiner->getName(), {lhs, rhs}, {lhs.getType()},
                       combiner->getAttrs());
  return builder.create(state)->getResult(0);
}

/// The lower (0) or upper (1) halves of all segments of two vectors, those of `first` before those
/// of `second`; of `first` alone where the second is null.
static Value createHalves(ImplicitLocOpBuilder &builder, Value first, Value second, int64_t segment,
                          int64_t upper) {
  int64_t lanes = cast<VectorType>(first.getType()).getNumElements() * (second ? 2 : 1);
  SmallVector<int64_t> taken;
  for (int64_t start = upper * segment / 2; start < lanes; start += segment)
    for (int64_t lane = 0; lane < segment / 2; ++lane)
      taken.push_back(start + lane);
  return vector::ShuffleOp::create(builder, first, second ? second : first, taken);
}

/// The lanes of vectors of one type, each holding segments of which every one becomes a scalar.
static SmallVector<Value> foldSegments(ImplicitLocOpBuilder &builder, Operation *combiner,
                                       SmallVector<Value> vectors) {
  size_t count = vectors.size();
  int64_t segment = cast<VectorType>(vectors.front().getType()).getNumElements();
  for (; segment > 1; segment /= 2) {
    // Two vectors become one, with twice as many segments of half the length. The last of an odd
    // number goes with the one before it once more, so that all keep the same length.
    SmallVector<Value> next;
    for (size_t number = 0; number < vectors.size(); number += 2) {
      Value first = vectors[number], second;
      if (vectors.size() > 1)
        second = vectors[number + 1 < vectors.size() ? number + 1 : number - 1];
      next.push_back(attn::jit::combine(builder, combiner,
                                        createHalves(builder, first, second, segment, 0),
                                        createHalves(builder, first, second, segment, 1)));
    }
    vectors = std::move(next);
  }
  SmallVector<Value> scalars;
  for (Value vector : vectors)
    for (int64_t lane = 0; lane < cast<VectorType>(vector.getType()).getNumElements(); ++lane)
      if (scalars.size() < count)
        scalars.push_back(vector::ExtractOp::create(builder, vector, lane));
  return scalars;
}

SmallVector<Value> attn::jit::combineLanes(ImplicitLocOpBuilder &builder,
                                           ArrayRef<Operation *> combiners,
                                           ArrayRef<Value> values) {
  if (!isa<VectorType>(values.front().getType()))
    return SmallVector<Value>(values);
  SmallVector<Value> scalars(values.size());
  for (size_t number = 0; number < values.size(); ++number) {
    if (scalars[number])
      continue;
    SmallVector<size_t> alike;
    SmallVector<Value> vectors;
    for (size_t other = number; other < values.size(); ++other)
      if (combiners[other]->getName() == combiners[number]->getName()) {
        alike.push_back(other);
        vectors.push_back(values[other]);
      }
    for (auto [place, scalar] :
         llvm::zip_equal(alike, foldSegments(builder, combiners[number], vectors)))
      scalars[place] = scalar;
  }
  return scalars;
}
