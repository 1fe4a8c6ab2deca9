// What the loops of a kernel say about the indices that they count. CPU stage, on tensors.
#include "IndexLimits.h"
#include "ClippedParts.h"
#include "attn/Cpu/IR/Cpu.h"
#include "attn/Launch/IR/LaunchDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

/// Whether an argument has the addresses of arrays, whose shape is the next argument.
static bool isTable(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getRank() == 1 && memref.getElementType().isInteger(64) &&
         !isa<StridedLayoutAttr>(memref.getLayout());
}

/// An address is divided into elements; no other number of memory is divided without a sign.
bool jit::isTableEntry(memref::LoadOp load) {
  return load.getMemRefType().getElementType().isInteger(64) &&
         llvm::any_of(load->getUsers(), [](Operation *user) {
           return isa<arith::IndexCastOp>(user) &&
                  llvm::any_of(user->getUsers(), llvm::IsaPred<arith::DivUIOp>);
         });
}

Attribute jit::getLimit(BlockArgument array, int64_t dimension) {
  auto function = cast<func::FuncOp>(array.getOwner()->getParentOp());
  int64_t size = cast<MemRefType>(array.getType()).getDimSize(dimension);
  if (!ShapedType::isDynamic(size))
    return IntegerAttr::get(IndexType::get(array.getContext()), size);
  unsigned number = array.getArgNumber();
  auto names = function.getArgAttrOfType<ArrayAttr>(number, launch::dimsName);
  if (!names && number > 0 && isTable(function.getArgumentTypes()[number - 1])) {
    // The shape of a table's entries is described with the table.
    names = function.getArgAttrOfType<ArrayAttr>(number - 1, launch::dimsName);
    ++dimension;
  }
  bool isNamed = names && dimension < static_cast<int64_t>(names.size());
  return isNamed ? dyn_cast<StringAttr>(names[dimension]) : StringAttr();
}

Attribute jit::getLimit(Value value) {
  if (auto dim = value.getDefiningOp<memref::DimOp>()) {
    auto array = dyn_cast<BlockArgument>(dim.getSource());
    std::optional<int64_t> dimension = dim.getConstantIndex();
    bool isArray = array && dimension && isa<func::FuncOp>(array.getOwner()->getParentOp());
    return isArray ? jit::getLimit(array, *dimension) : Attribute();
  }
  // What a check lets pass is at most its limit.
  if (auto count = value.getDefiningOp<cpu::CheckCountOp>())
    return getLimit(count.getLimit());
  std::optional<int64_t> number = getConstantIntValue(value);
  return number ? IntegerAttr::get(IndexType::get(value.getContext()), *number) : IntegerAttr();
}

/// The operands of a commutative or other operation of that kind; both null where it is not one.
template <typename OpTy> static std::pair<Value, Value> matchBinary(Value value) {
  auto op = value ? value.getDefiningOp<OpTy>() : OpTy();
  return op ? std::pair<Value, Value>(op.getLhs(), op.getRhs()) : std::pair<Value, Value>();
}

Value jit::skipCheck(Value divisor) {
  auto check = divisor ? divisor.getDefiningOp<cpu::CheckDivisorOp>() : cpu::CheckDivisorOp();
  return check ? check.getDivisor() : divisor;
}

/// The argument of the kernel that is `fromLast` before its last: blocks and their count are there.
static bool isPlace(Value value, unsigned fromLast) {
  auto argument = dyn_cast_if_present<BlockArgument>(value);
  auto function =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  return function && function.getNumResults() == 0 &&
         argument.getArgNumber() + 1 + fromLast == function.getNumArguments();
}

/// The tiles of a grid where `value` is the begin or the end of a block's share of them, that is
/// `tiles * block / count` of this block or the next; otherwise null.
static Value getSharedTiles(Value value, bool isEnd) {
  auto [product, count] = matchBinary<arith::DivUIOp>(value);
  if (!product || !isPlace(count, 0))
    return {};
  auto [block, tiles] = matchBinary<arith::MulIOp>(product);
  for (int order = 0; order < 2; ++order, std::swap(block, tiles)) {
    auto [place, one] = matchBinary<arith::AddIOp>(block);
    if (isEnd ? place && isPlace(place, 1) && getConstantIntValue(one) == 1 : isPlace(block, 1))
      return tiles;
  }
  return {};
}

/// Values that `index`, without a sign, is always below.
static SmallVector<Value> getBounds(Value index) {
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument != loop.getInductionVar())
      return {};
    Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
    if (std::optional<int64_t> first = getConstantIntValue(lower))
      return *first >= 0 ? SmallVector<Value>{upper} : SmallVector<Value>();
    Value tiles = getSharedTiles(upper, /*isEnd=*/true);
    return tiles && getSharedTiles(lower, /*isEnd=*/false) == tiles ? SmallVector<Value>{tiles}
                                                                    : SmallVector<Value>();
  }
  if (auto [dividend, divisor] = matchBinary<arith::RemUIOp>(index); dividend)
    return {jit::skipCheck(divisor)};
  SmallVector<Value> bounds;
  // Below a * b, the quotient by b is below a.
  if (auto [dividend, divisor] = matchBinary<arith::DivUIOp>(index); dividend)
    for (Value bound : getBounds(dividend)) {
      auto [left, right] = matchBinary<arith::MulIOp>(bound);
      if (left && jit::skipCheck(divisor) == right)
        bounds.push_back(left);
      else if (left && jit::skipCheck(divisor) == left)
        bounds.push_back(right);
    }
  // Below the number of tiles, a tile begins below the number of rows.
  if (auto [tile, rows] = matchBinary<arith::MulIOp>(index); tile)
    for (Value bound : getBounds(tile)) {
      auto [all, size] = matchBinary<arith::CeilDivUIOp>(bound);
      if (all && getConstantIntValue(rows).value_or(0) > 0 &&
          getConstantIntValue(size) == getConstantIntValue(rows))
        bounds.push_back(all);
    }
  return bounds;
}

/// Whether `size` is the least of several numbers, one of them `limit - offset`.
static bool endsAtLimit(Value offset, Value size, Attribute limit) {
  auto least = size.getDefiningOp<affine::AffineMinOp>();
  if (!least)
    return false;
  AffineMap map = least.getMap();
  auto getExpression = [&](unsigned operand) {
    return operand < map.getNumDims()
               ? getAffineDimExpr(operand, map.getContext())
               : getAffineSymbolExpr(operand - map.getNumDims(), map.getContext());
  };
  for (auto [from, first] : llvm::enumerate(least.getOperands()))
    for (auto [to, last] : llvm::enumerate(least.getOperands()))
      if (first == offset && jit::getLimit(last) == limit)
        for (AffineExpr rows : map.getResults())
          if (simplifyAffineExpr(rows + getExpression(from) - getExpression(to), map.getNumDims(),
                                 map.getNumSymbols()) == 0)
            return true;
  return false;
}

bool jit::isAlwaysInside(OpFoldResult offset, OpFoldResult size, Attribute limit) {
  auto first = dyn_cast<Value>(offset);
  auto rows = dyn_cast<Value>(size);
  if (limit && first && rows && isClippedInside(first, rows, limit))
    return true;
  if (!limit || !first ||
      (rows ? !endsAtLimit(first, rows, limit) : getConstantIntValue(size) != 1))
    return false;
  return llvm::any_of(getBounds(first), [&](Value bound) { return getLimit(bound) == limit; });
}
