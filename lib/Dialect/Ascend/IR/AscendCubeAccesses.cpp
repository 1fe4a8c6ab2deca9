// What each instruction of cube cores touches: the memory it reads and writes, through the
// instruction interface.
#include "AccessBuilding.h"
#include "attn/Dialect/Ascend/IR/SumExtents.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

using architecture::fractalBytes;
using architecture::fractalRows;
using architecture::sumFractalElements;

namespace {

/// Blocks of `unit` that hold at most `amount`.
std::optional<int64_t> getMostBlocks(Value amount, int64_t unit, const IndexRanges &ranges) {
  std::optional<int64_t> most = getMostOf(amount, ranges);
  return most ? std::optional<int64_t>(llvm::divideCeil(*most, unit)) : std::nullopt;
}

std::optional<int64_t> multiply(std::optional<int64_t> lhs, std::optional<int64_t> rhs) {
  return lhs && rhs ? std::optional<int64_t>(*lhs * *rhs) : std::nullopt;
}

int64_t getElementsPerBlock(Value memory) {
  return architecture::getElementsPerBlock(getElementBytes(memory));
}

/// The first `rows` rows of each of `blocks` column blocks, which have room for `room` rows.
void addColumnBlocks(Accesses &accesses, Value memory, bool isWrite, std::optional<int64_t> rows,
                     std::optional<int64_t> blocks, int64_t room, int64_t rowBytes = blockBytes) {
  if (!rows)
    return addToEnd(accesses, memory, isWrite);
  addRows(accesses, memory, isWrite, blocks, *rows * rowBytes, room * rowBytes);
}

/// `count` fractals, one after the other.
void addFractals(Accesses &accesses, Value memory, bool isWrite, std::optional<int64_t> count) {
  addRows(accesses, memory, isWrite, count, fractalBytes, fractalBytes);
}

/// The sums of a product: all fractals of m × n. Where they are at least so many, the pipe keeps
/// products in order that add to them.
template <typename Op>
void addSums(Op op, Accesses &accesses, const IndexRanges &ranges, bool isWrite) {
  std::optional<int64_t> fractals = multiply(getMostBlocks(op.getM(), fractalRows, ranges),
                                             getMostBlocks(op.getN(), fractalRows, ranges));
  addCount(accesses, op.getDst(), isWrite, multiply(fractals, sumFractalElements));
  int64_t least =
      llvm::divideCeil(std::max<int64_t>(0, ranges.getLowerBound(op.getM()).value_or(0)),
                       fractalRows) *
      llvm::divideCeil(std::max<int64_t>(0, ranges.getLowerBound(op.getN()).value_or(0)),
                       fractalRows);
  accesses.back().isOrdered = least >= architecture::orderedMmadFractals;
}

/// What a product adds to, and the row of the bias table that it may start from.
template <typename Op> void addSumsAndBias(Op op, Accesses &accesses, const IndexRanges &ranges) {
  addSums(op, accesses, ranges, /*isWrite=*/true);
  addSums(op, accesses, ranges, /*isWrite=*/false);
  accesses.back().unless = op.getInit();
  if (op.getBias() && getSpace(op.getBias().getType()) == Space::BT)
    addCount(accesses, op.getBias(), /*isWrite=*/false,
             multiply(getMostBlocks(op.getN(), fractalRows, ranges), fractalRows));
}

} // namespace

//===----------------------------------------------------------------------===//
// Into L1
//===----------------------------------------------------------------------===//

void NdToNzOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  addGlobalRows(accesses, getSrc(), /*isWrite=*/false, getRows(), getCols(), getSrcPitch());
  addColumnBlocks(accesses, getDst(), /*isWrite=*/true, getMostOf(getRows(), ranges),
                  getMostBlocks(getCols(), getElementsPerBlock(getDst()), ranges), getDstRows());
}

void FillOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  addColumnBlocks(accesses, getDst(), /*isWrite=*/true, getMostOf(getBlocks(), ranges),
                  getMostOf(getRepeat(), ranges), getPitch());
}

//===----------------------------------------------------------------------===//
// Into L0 and the bias table
//===----------------------------------------------------------------------===//

void LoadFractalsOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  std::optional<int64_t> repeats = getMostOf(getRepeat(), ranges);
  addRows(accesses, getDst(), /*isWrite=*/true, repeats, fractalBytes,
          getStrides()[0] * fractalBytes);
  addRows(accesses, getSrc(), /*isWrite=*/false, repeats, fractalBytes,
          getStrides()[1] * fractalBytes);
}

void LoadTileOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  std::optional<int64_t> rows = getMostOf(getRows(), ranges);
  std::optional<int64_t> blocks = getMostBlocks(getCols(), getElementsPerBlock(getDst()), ranges);
  addCount(accesses, getDst(), /*isWrite=*/true,
           multiply(rows, multiply(blocks, getElementsPerBlock(getDst()))));
  addColumnBlocks(accesses, getSrc(), /*isWrite=*/false, rows, blocks, getSrcRows());
}

void LoadSquaresOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  std::optional<int64_t> repeats = getMostOf(getRepeat(), ranges);
  // Squares of 16-bit elements are one fractal, others two.
  int64_t fractals = getElementBytes(getDst()) == 2 ? 1 : 2;
  addRows(accesses, getSrc(), /*isWrite=*/false, repeats, fractals * fractalBytes,
          getStrides()[1] * fractals * fractalBytes);
  if (!repeats)
    return addToEnd(accesses, getDst(), /*isWrite=*/true);
  accesses.push_back(
      {getDst(),
       /*isWrite=*/true,
       /*toEnd=*/false,
       fractalBytes,
       {{fractals, getStrides()[2] * fractalBytes}, {*repeats, getStrides()[0] * fractalBytes}}});
}

void LoadBiasOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  std::optional<int64_t> count = getMostOf(getAmount(), ranges);
  addCount(accesses, getDst(), /*isWrite=*/true, count);
  addCount(accesses, getSrc(), /*isWrite=*/false, count);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

std::optional<SumExtents> ascend::getSumExtents(Operation *op) {
  if (auto product = dyn_cast<MmadOp>(op))
    return SumExtents{product.getM(), product.getN()};
  if (auto product = dyn_cast<MatmulOp>(op))
    return SumExtents{product.getM(), product.getN()};
  return std::nullopt;
}

void MmadOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  std::optional<int64_t> inner = getMostBlocks(getK(), getElementsPerBlock(getA()), ranges);
  addFractals(accesses, getA(), /*isWrite=*/false,
              multiply(getMostBlocks(getM(), fractalRows, ranges), inner));
  addFractals(accesses, getB(), /*isWrite=*/false,
              multiply(getMostBlocks(getN(), fractalRows, ranges), inner));
  addSumsAndBias(*this, accesses, ranges);
}

void FixOutOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  std::optional<int64_t> rows = getMostOf(getRows(), ranges);
  std::optional<int64_t> blocks = getMostBlocks(getCols(), fractalRows, ranges);
  std::optional<int64_t> pitch = getComputed() ? getConstantIntValue(getComputed()) : getSrcRows();
  if (pitch)
    addColumnBlocks(accesses, getSrc(), /*isWrite=*/false, rows, blocks, *pitch,
                    fractalRows * getElementBytes(getSrc()));
  else
    addCount(accesses, getSrc(), /*isWrite=*/false, multiply(blocks, getSrcRows() * fractalRows));
  if (getSpace(getDst().getType()) == Space::L1 || getNz())
    return addToEnd(accesses, getDst(), /*isWrite=*/true);
  addGlobalRows(accesses, getDst(), /*isWrite=*/true, getRows(), getCols(), getDstPitch());
}

void MatmulOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  addToEnd(accesses, getA(), /*isWrite=*/false);
  addToEnd(accesses, getB(), /*isWrite=*/false);
  if (getBias() && getSpace(getBias().getType()) == Space::L1)
    addToEnd(accesses, getBias(), /*isWrite=*/false);
  addToEnd(accesses, getScratchA(), /*isWrite=*/true);
  addToEnd(accesses, getScratchB(), /*isWrite=*/true);
  size_t loads = accesses.size();
  addToEnd(accesses, getScratchA(), /*isWrite=*/false);
  addToEnd(accesses, getScratchB(), /*isWrite=*/false);
  addSumsAndBias(*this, accesses, ranges);
  for (Access &access : llvm::drop_begin(accesses, loads))
    access.pipeNumber = 1;
}
