// The ops of HIVM text for cube cores as instructions of the modelled chip: what the vendor's
// templates do with them.
#include "Program.h"
#include "attn/Machine/Architecture.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::hivm;
using namespace attn::simulator;

using architecture::blockBytes;
using architecture::fractalRows;

/// The rows that a column block of fractals has room for: templates take it from the strides.
static int64_t getRoom(const View &fractals) {
  return fractals.strides[2] == 0 ? 0 : fractals.strides[0] / fractals.strides[2];
}

View Program::getWhole(Memory memory, Element element, Location location) {
  View view;
  view.memory = memory;
  view.element = element;
  view.end = kernel.chip.getUsableBytes(*ascend::getLocalMemory(memory));
  view.buffer =
      getBuffer(memory, 0, view.end,
                NameLoc::get(StringAttr::get(location.getContext(), nameOf(memory)), location));
  return view;
}

bool Program::forRows(Operation *op, const View &global,
                      function_ref<bool(const Rows &)> moveRows) {
  Rows rows;
  if (!getRows(op, global, rows))
    return false;
  if (rows.rows == 0 || rows.cols == 0)
    return true;
  return checkGlobal(op, global, rows) && moveRows(rows);
}

//===----------------------------------------------------------------------===//
// Into L1
//===----------------------------------------------------------------------===//

/// Rows that lie far apart are copied one by one.
bool Program::move(Nd2NzOp op) {
  View global = views[op.getSrc()], local = views[op.getDst()];
  Instruction made;
  made.opcode = Opcode::NdToNz;
  made.pipe = ascend::Pipe::MTE2;
  made.elements.assign({local.element, global.element});
  made.pitch = getRoom(local);
  const Instruction *instruction = getInstruction(op, made, {made.pitch});
  return forRows(op, global, [&](const Rows &rows) {
    if (rows.pitch < architecture::maxNdPitch)
      return issue(op, instruction, {local, global}, {rows.rows, rows.cols, rows.pitch});
    for (int64_t row = 0; row < rows.rows; ++row) {
      if (!issue(op, instruction, {local, global}, {1, rows.cols, 0}))
        return false;
      local.address += blockBytes;
      global.address += rows.pitch * getBytes(global.element);
    }
    return true;
  });
}

bool Program::fillRun(VBrcOp op) {
  const View &run = views[op.getDst()];
  Scalar scalar = scalars.lookup(op.getSrc());
  // Wider and narrower elements are written as 16 bits, which are the same only for zero.
  bool isZero = scalar.integer == 0 && scalar.real == 0;
  if (getBytes(run.element) != 2 && !isZero)
    return fail(op, HazardKind::Usage,
                "fills cbuf with something other than zero in elements that are not of 16 bits");
  Instruction made;
  made.opcode = Opcode::Fill;
  made.pipe = ascend::Pipe::MTE2;
  made.elements.assign({run.element});
  int64_t blocks =
      llvm::divideCeil(std::max<int64_t>(0, run.sizes[0]) * getBytes(run.element), blockBytes);
  made.pitch = blocks;
  return issue(op, getInstruction(op, made, {blocks}), run, {1, blocks, 0}, scalar);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Whether the template can take the operands for `rows` rows of sums.
bool Program::checkProduct(MmadL1Op op, const View &a, const View &b, int64_t rows) {
  int64_t k = get(op.getK()), n = get(op.getN());
  auto getExtents = [](const View &view) {
    return std::pair(view.sizes[1] * view.sizes[2], view.sizes[0] * view.sizes[3]);
  };
  auto [aRows, aCols] = getExtents(a);
  auto [bRows, bCols] = getExtents(b);
  bool isLeftTurned = op.getATranspose(), isRightTurned = op.getBTranspose();
  int64_t left = isLeftTurned ? aCols : aRows, right = isRightTurned ? bRows : bCols;
  int64_t inner = std::min(isLeftTurned ? aRows : aCols, isRightTurned ? bCols : bRows);
  if (rows > left || n > right || k > inner)
    return fail(op, HazardKind::OutOfBounds,
                llvm::formatv("multiplies {0} by {1} by {2} (m, k, n) of matrices that have {3} by "
                              "{4} by {5}",
                              rows, k, n, left, inner, right)
                    .str());
  // Operands go through halves of L0A and L0B, or through all of them, in parts along k.
  int64_t bytes = getBytes(a.element);
  int64_t granule = std::max(fractalRows, blockBytes / bytes);
  int64_t width = llvm::alignTo(std::max(left, right), granule);
  int64_t all = kernel.chip.getUsableBytes(LocalMemory::L0A) / bytes / width;
  int64_t part = all / 2 / granule * granule;
  part = part == 0 ? all / granule * granule : part;
  if (part == 0)
    return fail(op, HazardKind::OutOfBounds, "has operands of which no part fits l0a and l0b");
  bool isFull = static_cast<int64_t>(llvm::alignTo(n, fractalRows)) >= bRows;
  if (isRightTurned && !isFull && k > part)
    return fail(
        op, HazardKind::OutOfBounds,
        "takes several parts of a transposed operand that is not full of rows: its template "
        "loads all of k with each, beyond its half of l0b");
  return true;
}

/// Whether the bias table has room for what the template loads of a row: as much as the right
/// operand is wide.
bool Program::checkBias(MmadL1Op op, const View &b) {
  int64_t cols = b.sizes[0] * b.sizes[3], room = views[op.getBias()].sizes[3];
  int64_t most =
      kernel.chip.getUsableBytes(LocalMemory::BT) / getBytes(views[op.getBias()].element);
  if (cols <= std::min(most, room))
    return true;
  return fail(op, HazardKind::OutOfBounds,
              llvm::formatv("loads a bias of {0} columns, of which its row has {1}, and the bias "
                            "table takes {2}",
                            cols, room, most)
                  .str());
}

bool Program::computeProduct(MmadL1Op op) {
  const View &a = views[op.getA()], &b = views[op.getB()], &c = views[op.getC()];
  int64_t m = get(op.getM()), k = get(op.getK()), n = get(op.getN());
  if (m == 0 || k == 0 || n == 0)
    return true;
  if (m < 0 || k < 0 || n < 0)
    return fail(op, HazardKind::Usage,
                llvm::formatv("has the sizes {0}, {1} and {2}", m, k, n).str());
  // All rows that the sums have room for are computed, whatever m is, and whole blocks of i8.
  int64_t rows = c.sizes[1] * c.sizes[2];
  if (!checkProduct(op, a, b, rows) || (op.getBias() && !checkBias(op, b)))
    return false;
  bool isByte = a.element == Element::Int8;
  bool isWideTurned = getBytes(a.element) == 4 && op.getATranspose();
  int64_t unit = isByte && !op.getBTranspose() ? blockBytes : fractalRows;
  int64_t cols = isByte || isWideTurned ? llvm::alignTo(n, unit) : n;
  Instruction made;
  made.opcode = Opcode::Matmul;
  made.pipe = ascend::Pipe::M;
  made.elements.assign({c.element, a.element, b.element, a.element, b.element});
  made.strides.assign({getRoom(a), getRoom(b)});
  made.transposesLeft = op.getATranspose();
  made.transposesRight = op.getBTranspose();
  View left = getWhole(Memory::L0A, a.element, op.getLoc());
  View right = getWhole(Memory::L0B, b.element, op.getLoc());
  SmallVector<View, 6> operands = {c, a, b, left, right};
  if (op.getBias()) {
    made.elements.push_back(c.element);
    operands.push_back(views[op.getBias()]);
  }
  const Instruction *instruction = getInstruction(op, made, {getRoom(a), getRoom(b)});
  return issue(op, instruction, operands, {rows, cols, k}, scalars.lookup(op.getInit()));
}

bool Program::move(FixpipeOp op) {
  const View &global = views[op.getDst()], &local = views[op.getSrc()];
  Instruction made;
  made.opcode = Opcode::FixOut;
  made.pipe = ascend::Pipe::FIX;
  made.elements.assign({global.element, local.element});
  made.pitch = getRoom(local);
  made.isRelu = op.getPreRelu().has_value();
  const Instruction *instruction = getInstruction(op, made, {made.pitch});
  return forRows(op, global, [&](const Rows &rows) {
    return issue(op, instruction, {global, local}, {rows.rows, rows.cols, rows.pitch});
  });
}
