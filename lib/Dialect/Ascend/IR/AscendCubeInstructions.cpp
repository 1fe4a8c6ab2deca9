// The rules of the instructions of cube cores.
#include "InstructionRules.h"
#include "attn/Dialect/Ascend/IR/Ascend.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

namespace {

/// Checks the rows that a column block of a matrix in fractals has room for.
LogicalResult verifyRoom(Operation *op, StringRef what, int64_t rows) {
  if (rows < 1 || rows > architecture::maxNzRows || rows % architecture::fractalRows != 0)
    return op->emitOpError() << "has " << what << " " << rows << "; it must be a multiple of "
                             << architecture::fractalRows << " up to " << architecture::maxNzRows;
  return success();
}

/// Checks that `memory` is in L0A or L0B.
LogicalResult verifyOperandBuffer(Operation *op, Value memory) {
  bool isLeft = getSpace(memory.getType()) == Space::L0A;
  return verifyBuffer(op, "its destination", memory, isLeft ? Space::L0A : Space::L0B);
}

/// Checks the strides of a load, in fractals or squares: the destination's are positive.
LogicalResult verifyLoadStrides(Operation *op, ArrayRef<int64_t> strides, size_t count) {
  if (strides.size() != count)
    return op->emitOpError() << "has " << strides.size() << " strides instead of " << count;
  for (int64_t stride : strides)
    if (stride < 1 || stride > architecture::maxWideStride)
      return op->emitOpError() << "has stride " << stride << "; 1 to "
                               << architecture::maxWideStride << " are possible";
  return success();
}

/// Checks a load from L1 to L0A or L0B.
LogicalResult verifyLoad(Operation *op, Value dst, Value src) {
  return failure(failed(verifyOperandBuffer(op, dst)) ||
                 failed(verifyBuffer(op, "its source", src, Space::L1)) ||
                 failed(verifySameType(op, {dst, src})));
}

/// The element type that products of `type` are summed in; null where there are none.
Type getSumType(Type type) {
  if (type.isF32() || type.isF16() || type.isBF16())
    return Float32Type::get(type.getContext());
  if (type.isInteger(8))
    return IntegerType::get(type.getContext(), 32);
  return {};
}

/// Checks destination, operands and bias of a product whose operands lie in `left` and `right`.
template <typename Op>
LogicalResult verifyProduct(Op op, Space left, Space right, Space bias = Space::BT) {
  if (failed(verifyBuffer(op, "its destination", op.getDst(), Space::L0C)) ||
      failed(verifyBuffer(op, "its left operand", op.getA(), left)) ||
      failed(verifyBuffer(op, "its right operand", op.getB(), right)) ||
      failed(verifySameType(op, {op.getA(), op.getB()})))
    return failure();
  Type sum = getSumType(getElementType(op.getA()));
  if (!sum || getElementType(op.getDst()) != sum)
    return op.emitOpError() << "has no product of " << getElementType(op.getA()) << " in "
                            << getElementType(op.getDst());
  if (op.getBias() && (failed(verifyBuffer(op, "its bias", op.getBias(), bias)) ||
                       failed(verifySameType(op, {op.getDst(), op.getBias()}))))
    return failure();
  return success();
}

} // namespace

//===----------------------------------------------------------------------===//
// Into L1
//===----------------------------------------------------------------------===//

LogicalResult NdToNzOp::verify() {
  if (failed(verifyBuffer(*this, "its destination", getDst(), Space::L1)) ||
      failed(verifyBuffer(*this, "its place in an array", getSrc(), Space::GM)) ||
      failed(verifySameType(*this, {getDst(), getSrc()})) ||
      failed(verifyExtent(*this, "rows", getRows(), architecture::maxNdRows)) ||
      failed(verifyExtent(*this, "columns", getCols(), architecture::maxNdCols)))
    return failure();
  // A single row may stay a row.
  return getDstRows() == 1 ? success() : verifyRoom(*this, "dst_rows", getDstRows());
}

LogicalResult FillOp::verify() {
  if (failed(verifyBuffer(*this, "its destination", getDst(), Space::L1)) ||
      failed(verifyExtent(*this, "times", getRepeat(), architecture::maxFillExtent)) ||
      failed(verifyExtent(*this, "blocks", getBlocks(), architecture::maxFillExtent)))
    return failure();
  if (getScalar().getType() != getElementType(getDst()))
    return emitOpError() << "mixes " << getElementType(getDst()) << " and a scalar of type "
                         << getScalar().getType();
  // The chip fills with elements of 16 and 32 bits; zeros are the same in all of them.
  if (getElementBytes(getDst()) == 1 && !isConstantIntValue(getScalar(), 0))
    return emitOpError("fills elements of 8 bits with zeros only");
  if (getPitch() < 1 || getPitch() > architecture::maxFillExtent)
    return emitOpError() << "has a pitch of " << getPitch() << " blocks; 1 to "
                         << architecture::maxFillExtent << " are possible";
  return success();
}

//===----------------------------------------------------------------------===//
// Into L0 and the bias table
//===----------------------------------------------------------------------===//

LogicalResult LoadFractalsOp::verify() {
  if (failed(verifyLoad(*this, getDst(), getSrc())) ||
      failed(verifyLoadStrides(*this, getStrides(), 2)))
    return failure();
  if (getTranspose() && getElementBytes(getDst()) != 2)
    return emitOpError("turns fractals over, which only those of 16-bit elements can be");
  return verifyRepeats(*this, getRepeat());
}

LogicalResult LoadTileOp::verify() {
  if (failed(verifyLoad(*this, getDst(), getSrc())) ||
      failed(verifyRoom(*this, "src_rows", getSrcRows())) ||
      failed(verifyExtent(*this, "rows", getRows())) ||
      failed(verifyExtent(*this, "columns", getCols())))
    return failure();
  bool isRight = getSpace(getDst().getType()) == Space::L0B;
  bool turns = isRight || getTranspose();
  if (isRight && getTranspose())
    return emitOpError("to L0B always turns the matrix over and takes no 'transpose'");
  if (turns && getElementBytes(getDst()) == 1)
    return emitOpError("turns a matrix of 8-bit elements over; ascend.load_squares does");
  std::optional<int64_t> rows = getConstantIntValue(getRows());
  std::optional<int64_t> cols = getConstantIntValue(getCols());
  // What is turned over comes in squares. (Of 32 bits the chip also takes half a square at the end,
  // and leaves gaps.)
  int64_t colUnit = turns ? architecture::fractalRows
                          : architecture::getElementsPerBlock(getElementBytes(getDst()));
  if ((rows && *rows % architecture::fractalRows != 0) || (cols && *cols % colUnit != 0))
    return emitOpError() << "takes rows in multiples of " << architecture::fractalRows
                         << " and columns in multiples of " << colUnit;
  return success();
}

LogicalResult LoadSquaresOp::verify() {
  return failure(failed(verifyLoad(*this, getDst(), getSrc())) ||
                 failed(verifyLoadStrides(*this, getStrides(), 3)) ||
                 failed(verifyRepeats(*this, getRepeat())));
}

LogicalResult LoadBiasOp::verify() {
  if (failed(verifyBuffer(*this, "its destination", getDst(), Space::BT)) ||
      failed(verifyBuffer(*this, "its source", getSrc(), Space::L1)) ||
      failed(verifySameType(*this, {getDst(), getSrc()})) ||
      failed(verifyExtent(*this, "elements", getAmount())))
    return failure();
  Type type = getElementType(getDst());
  if (!type.isF32() && !type.isInteger(32))
    return emitOpError() << "takes f32 or i32, not " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

LogicalResult MmadOp::verify() {
  if (failed(verifyProduct(*this, Space::L0A, Space::L0B)))
    return failure();
  for (auto [name, extent] : {std::pair<StringRef, Value>("rows", getM()),
                              {"columns", getN()},
                              {"elements in a sum", getK()}})
    if (failed(verifyExtent(*this, name, extent, architecture::maxMmadExtent)))
      return failure();
  if (getConstantIntValue(getM()) == 1)
    return emitOpError("has one row, for which the chip takes another layout; pad m");
  return success();
}

LogicalResult FixOutOp::verify() {
  bool isToL1 = getSpace(getDst().getType()) == Space::L1;
  if (failed(verifyBuffer(*this, "its destination", getDst(), isToL1 ? Space::L1 : Space::GM)) ||
      failed(verifyBuffer(*this, "its source", getSrc(), Space::L0C)) ||
      failed(verifyRoom(*this, "src_rows", getSrcRows())) ||
      failed(verifyExtent(*this, "rows", getRows(),
                          getNz() ? architecture::maxFixRowsNZ : architecture::maxFixRows)) ||
      failed(verifyExtent(*this, "columns", getCols(), architecture::maxFixCols)))
    return failure();
  if (std::optional<int64_t> computed =
          getComputed() ? getConstantIntValue(getComputed()) : std::nullopt) {
    if (failed(verifyRoom(*this, "computed rows", *computed)))
      return failure();
    if (*computed > getSrcRows())
      return emitOpError() << "has " << *computed << " computed rows, and room for "
                           << getSrcRows();
  }
  Type from = getElementType(getSrc()), to = getElementType(getDst());
  bool isPlain = !getScale() && ((from.isF32() && (to.isF32() || to.isF16() || to.isBF16())) ||
                                 (from.isInteger(32) && to.isInteger(32)));
  bool isScaled = getScale() && ((from.isF32() && to.isInteger(8)) ||
                                 (from.isInteger(32) && (to.isF16() || to.isInteger(8))));
  if (!isPlain && !isScaled)
    return emitOpError() << "cannot turn " << from << " into " << to
                         << (getScale() ? " with a scale" : " without a scale");
  if (isToL1 && (!getNz() || getElementBytes(getDst()) == 4))
    return emitOpError("to l1 makes fractals of narrow elements only");
  if (getNz() && getElementBytes(getDst()) != 2)
    return emitOpError("makes fractals of 16-bit elements only");
  return success();
}

LogicalResult MatmulOp::verify() {
  bool hasRow = getBias() && getSpace(getBias().getType()) == Space::L1;
  if (failed(verifyProduct(*this, Space::L1, Space::L1, hasRow ? Space::L1 : Space::BT)) ||
      failed(verifyBuffer(*this, "its left scratch", getScratchA(), Space::L0A)) ||
      failed(verifyBuffer(*this, "its right scratch", getScratchB(), Space::L0B)) ||
      failed(verifySameType(*this, {getA(), getScratchA(), getScratchB()})))
    return failure();
  if (getRowsAttr().size() != 2)
    return emitOpError("needs the rows that column blocks of both operands have room for");
  for (int64_t rows : getRows())
    if (failed(verifyRoom(*this, "rows", rows)))
      return failure();
  for (auto [name, extent] : {std::pair<StringRef, Value>("rows", getM()), {"columns", getN()}})
    if (failed(verifyExtent(*this, name, extent, architecture::maxMmadExtent)))
      return failure();
  return verifyExtent(*this, "elements in a sum", getK());
}
