// The steps of k that register tiles take: indices and loops, elements and pairs of operands, sums.
// CPU stage, on buffers, used by `jit-lower-products`.
#include "ProductSteps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;
using namespace attn::jit;

//===----------------------------------------------------------------------===//
// Indices and loops
//===----------------------------------------------------------------------===//

Value jit::createNumber(ImplicitLocOpBuilder &builder, int64_t number) {
  return arith::ConstantIndexOp::create(builder, number);
}

Value jit::add(ImplicitLocOpBuilder &builder, Value lhs, Value rhs) {
  return builder.createOrFold<arith::AddIOp>(lhs, rhs);
}

Value jit::add(ImplicitLocOpBuilder &builder, Value lhs, int64_t rhs) {
  return rhs == 0 ? lhs : add(builder, lhs, createNumber(builder, rhs));
}

Value jit::subtract(ImplicitLocOpBuilder &builder, Value lhs, Value rhs) {
  return builder.createOrFold<arith::SubIOp>(lhs, rhs);
}

Value jit::divide(ImplicitLocOpBuilder &builder, Value value, int64_t factor) {
  return builder.createOrFold<arith::DivUIOp>(value, createNumber(builder, factor));
}

Value jit::roundDown(ImplicitLocOpBuilder &builder, Value value, int64_t factor) {
  Value rest = builder.createOrFold<arith::RemUIOp>(value, createNumber(builder, factor));
  return subtract(builder, value, rest);
}

void jit::emitLoop(ImplicitLocOpBuilder &builder, Value begin, Value end, int64_t step,
                   function_ref<void(ImplicitLocOpBuilder &, Value)> body) {
  std::optional<int64_t> first = getConstantIntValue(begin), last = getConstantIntValue(end);
  if (first && last && *first >= *last)
    return;
  if (first && last && *last - *first <= step)
    return body(builder, begin);
  scf::ForOp::create(builder, begin, end, createNumber(builder, step), ValueRange(),
                     [&](OpBuilder &inside, Location loc, Value index, ValueRange) {
                       ImplicitLocOpBuilder bodyBuilder(loc, inside);
                       body(bodyBuilder, index);
                       scf::YieldOp::create(inside, loc);
                     });
}

Value jit::createMask(ImplicitLocOpBuilder &builder, Value count, int64_t first, int64_t lanes) {
  auto type = VectorType::get({lanes}, builder.getI32Type());
  auto numbers = llvm::to_vector(llvm::seq<int32_t>(first, first + lanes));
  Value places =
      arith::ConstantOp::create(builder, DenseElementsAttr::get(type, ArrayRef(numbers)));
  Value most = vector::BroadcastOp::create(
      builder, type, arith::IndexCastOp::create(builder, builder.getI32Type(), count));
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, places, most);
}

//===----------------------------------------------------------------------===//
// Matrices and steps of k
//===----------------------------------------------------------------------===//

Value Matrix::createSize(ImplicitLocOpBuilder &builder, int64_t dimension) const {
  return builder.createOrFold<memref::DimOp>(memref, transposed ? 1 - dimension : dimension);
}

Value Matrix::load(ImplicitLocOpBuilder &builder, Value row, Value col, int64_t count) const {
  SmallVector<Value> indices = {row, col};
  if (transposed)
    std::swap(indices[0], indices[1]);
  if (count == 1)
    return memref::LoadOp::create(builder, memref, indices);
  return vector::LoadOp::create(builder, VectorType::get({count}, getElementType()), memref,
                                indices);
}

Type jit::getCopiedType(const ProductBlocks &blocks, Type sumType) {
  return blocks.depth == 1 ? sumType : IntegerType::get(sumType.getContext(), 32);
}

Value jit::toWords(ImplicitLocOpBuilder &builder, Value value) {
  auto withElement = [&](Type element) -> Type {
    auto vector = dyn_cast<VectorType>(value.getType());
    return vector ? Type(VectorType::get(vector.getShape(), element)) : element;
  };
  Value bits = arith::BitcastOp::create(builder, withElement(builder.getI16Type()), value);
  return arith::ExtUIOp::create(builder, withElement(builder.getI32Type()), bits);
}

/// Words of two bf16, the first in the low half.
static Value createPairs(ImplicitLocOpBuilder &builder, Value first, Value second) {
  Value low = toWords(builder, first), high = toWords(builder, second);
  Value half = arith::ConstantIntOp::create(builder, builder.getI32Type(), 16);
  if (isa<VectorType>(high.getType()))
    half = vector::BroadcastOp::create(builder, high.getType(), half);
  return arith::OrIOp::create(builder, low, arith::ShLIOp::create(builder, high, half));
}

Value jit::asPairs(ImplicitLocOpBuilder &builder, Value value, int64_t count) {
  return vector::BitCastOp::create(builder, VectorType::get({count}, builder.getI32Type()), value);
}

Value jit::widen(ImplicitLocOpBuilder &builder, Value value, Type sumType) {
  Type type = value.getType();
  if (getElementTypeOrSelf(type) == sumType)
    return value;
  Type wide = sumType;
  if (auto vector = dyn_cast<VectorType>(type))
    wide = VectorType::get(vector.getShape(), sumType);
  if (isa<FloatType>(sumType))
    return arith::ExtFOp::create(builder, wide, value);
  return arith::ExtSIOp::create(builder, wide, value);
}

std::pair<Value, Value> jit::widenHalves(ImplicitLocOpBuilder &builder, Value value) {
  int64_t count = cast<VectorType>(value.getType()).getNumElements() / 2;
  Value words = asPairs(builder, value, count);
  auto spread = [&](int64_t number) -> Value {
    auto type = cast<VectorType>(words.getType());
    return arith::ConstantOp::create(builder, DenseElementsAttr::get(type, APInt(32, number)));
  };
  auto asFloats = [&](Value halves) -> Value {
    return arith::BitcastOp::create(builder, VectorType::get({count}, builder.getF32Type()),
                                    halves);
  };
  return {asFloats(arith::ShLIOp::create(builder, words, spread(16))),
          asFloats(arith::AndIOp::create(builder, words, spread(0xffff0000)))};
}

/// Every second element of two vectors, from `first` on.
static SmallVector<int64_t> takeSecond(int64_t lanes, int64_t first) {
  return llvm::map_to_vector(llvm::seq(lanes), [&](int64_t lane) { return 2 * lane + first; });
}

std::pair<Value, Value> jit::deinterleave(ImplicitLocOpBuilder &builder, Value first,
                                          Value second) {
  int64_t lanes = cast<VectorType>(first.getType()).getNumElements();
  return {vector::ShuffleOp::create(builder, first, second, takeSecond(lanes, 0)),
          vector::ShuffleOp::create(builder, first, second, takeSecond(lanes, 1))};
}

std::pair<Value, Value> jit::interleave(ImplicitLocOpBuilder &builder, Value even, Value odd) {
  int64_t lanes = cast<VectorType>(even.getType()).getNumElements();
  auto zip = [&](int64_t from) -> Value {
    auto taken = llvm::map_to_vector(
        llvm::seq(lanes), [&](int64_t lane) { return from + lane / 2 + lane % 2 * lanes; });
    return vector::ShuffleOp::create(builder, even, odd, taken);
  };
  return {zip(0), zip(lanes / 2)};
}

Value jit::createSum(ImplicitLocOpBuilder &builder, Value left, Value factor, Value sum,
                     const ProductBlocks &blocks) {
  if (blocks.depth > 1) {
    constexpr int64_t wordBits = 32;
    auto type = VectorType::get({blocks.lanes * blocks.depth}, builder.getBF16Type());
    auto name =
        builder.getStringAttr("llvm.x86.avx512bf16.dpbf16ps." + Twine(blocks.lanes * wordBits));
    SmallVector<Value> operands = {sum};
    for (Value operand : {left, factor})
      operands.push_back(operand.getType() == type
                             ? operand
                             : vector::BitCastOp::create(builder, type, operand).getResult());
    return LLVM::CallIntrinsicOp::create(builder, sum.getType(), name, operands).getResult(0);
  }
  if (isa<FloatType>(getElementTypeOrSelf(sum.getType())))
    return vector::FMAOp::create(builder, left, factor, sum);
  return arith::AddIOp::create(builder, sum, arith::MulIOp::create(builder, left, factor));
}

void jit::prefetchLine(ImplicitLocOpBuilder &builder, Value memref, ValueRange place, Cache cache) {
  memref::PrefetchOp::create(builder, memref, place, /*isWrite=*/false,
                             /*localityHint=*/cache == Cache::Once ? 0 : 2, /*isDataCache=*/true);
}

int64_t jit::countLineElements(Type elementType) {
  constexpr int64_t lineBits = 512;
  return lineBits / elementType.getIntOrFloatBitWidth();
}

Steps::Steps(ImplicitLocOpBuilder &builder, Value inner, const ProductBlocks &blocks)
    : all(divide(builder, add(builder, inner, blocks.depth - 1), blocks.depth)),
      whole(divide(builder, inner, blocks.depth)) {}

Value jit::multiply(ImplicitLocOpBuilder &builder, Value value, int64_t factor) {
  return builder.createOrFold<arith::MulIOp>(value, createNumber(builder, factor));
}

Value jit::loadStep(ImplicitLocOpBuilder &builder, const Matrix &source, Value row, Value col,
                    int64_t count, bool isRowInner, bool isWhole, const ProductBlocks &blocks,
                    Type copiedType) {
  Value first = source.load(builder, row, col, count);
  if (blocks.depth == 1)
    return widen(builder, first, copiedType);
  if (!isWhole)
    return createPairs(builder, first,
                       arith::ConstantOp::create(builder, builder.getZeroAttr(first.getType())));
  (isRowInner ? row : col) = add(builder, isRowInner ? row : col, 1);
  return createPairs(builder, first, source.load(builder, row, col, count));
}

Value jit::loadSteps(ImplicitLocOpBuilder &builder, const Matrix &source, Value row, Value col,
                     int64_t count, const ProductBlocks &blocks, Type copiedType) {
  Value value = source.load(builder, row, col, count * blocks.depth);
  return blocks.depth == 1 ? widen(builder, value, copiedType) : asPairs(builder, value, count);
}

void jit::store(ImplicitLocOpBuilder &builder, Value value, Value buffer, ValueRange indices) {
  if (isa<VectorType>(value.getType()))
    vector::StoreOp::create(builder, value, buffer, indices);
  else
    memref::StoreOp::create(builder, value, buffer, indices);
}
