// How the instructions of cube cores are spelled in HIVM.
#include "KernelExporter.h"
#include "attn/Machine/Architecture.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace attn;
using namespace attn::hivm;

using architecture::blockBytes;
using architecture::fractalRows;

static MemRefType getType(Value memory) { return cast<MemRefType>(memory.getType()); }

static bool isSums(Value memory) {
  return ascend::getSpace(memory.getType()) == ascend::Space::L0C;
}

/// The columns of a fractal.
static int64_t getBlockCols(Value memory) {
  return isSums(memory) ? fractalRows : architecture::getElementsPerBlock(getElementBytes(memory));
}

//===----------------------------------------------------------------------===//
// Matrices in fractals
//===----------------------------------------------------------------------===//

KernelExporter::Amount KernelExporter::divideUp(const Amount &amount, int64_t divisor) {
  if (amount.number)
    return getAmount(llvm::divideCeil(*amount.number, divisor));
  return {std::nullopt,
          builder.createOrFold<arith::CeilDivSIOp>(kernel.getLoc(), amount.value, index(divisor))};
}

int64_t KernelExporter::getMostCols(const Matrix &matrix) {
  int64_t perBlock = getBlockCols(matrix.memory);
  int64_t blocks = places.lookup(matrix.memory).elements / (*matrix.rows.number * perBlock);
  int64_t all = std::max<int64_t>(blocks, 1) * perBlock;
  return matrix.cols.number ? llvm::alignTo(*matrix.cols.number, perBlock) : all;
}

Value KernelExporter::getFractals(const Matrix &matrix, Value offset) {
  Place place = places.lookup(matrix.memory);
  int64_t perBlock = getBlockCols(matrix.memory);
  // Sums lie as densely as their rows; operands have room for a number of rows that is known.
  Amount rowBlocks = divideUp(matrix.rows, fractalRows);
  Amount colBlocks = rowBlocks.number ? getAmount(getMostCols(matrix) / perBlock)
                                      : divideUp(matrix.cols, perBlock);
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes;
  for (const Amount &blocks : {colBlocks, rowBlocks}) {
    shape.push_back(blocks.number.value_or(ShapedType::kDynamic));
    if (!blocks.number)
      sizes.push_back(blocks.value);
  }
  shape.append({fractalRows, perBlock});
  auto space = AddressSpaceAttr::get(builder.getContext(),
                                     isSums(matrix.memory) ? AddressSpace::L0C : AddressSpace::L1);
  auto type = MemRefType::get(shape, getType(matrix.memory).getElementType(),
                              MemRefLayoutAttrInterface(), space);
  Value address = place.offset;
  if (offset)
    address = add(address, toWord(multiply(offset, index(getElementBytes(matrix.memory)))));
  return PointerCastOp::create(builder, matrix.memory.getLoc(), type, address, sizes);
}

/// All of a row that stays a row. By the strides of this shape the template leaves no gaps between
/// its blocks.
Value KernelExporter::getRow(Value memory) {
  Place place = places.lookup(memory);
  auto type = MemRefType::get({1, 1, 1, place.elements}, getType(memory).getElementType(),
                              MemRefLayoutAttrInterface(),
                              AddressSpaceAttr::get(builder.getContext(), AddressSpace::L1));
  return PointerCastOp::create(builder, memory.getLoc(), type, place.offset, ValueRange());
}

//===----------------------------------------------------------------------===//
// Into L1
//===----------------------------------------------------------------------===//

LogicalResult KernelExporter::write(ascend::NdToNzOp op) {
  Amount rows = getAmount(op.getRows()), cols = getAmount(op.getCols());
  Value src = getArrayRows(op.getSrc(), rows, cols, getAmount(op.getSrcPitch()));
  bool isRow = op.getDstRows() == 1;
  Value dst =
      isRow ? getRow(op.getDst()) : getFractals({op.getDst(), cols, getAmount(op.getDstRows())});
  Nd2NzOp::create(builder, op.getLoc(), src, dst, /*dst_continuous=*/true,
                  /*init_out_buffer=*/false);
  return success();
}

/// The template fills one run of blocks: a loop does so for every column block.
LogicalResult KernelExporter::write(ascend::FillOp op) {
  int64_t bytes = getElementBytes(op.getDst());
  bool isZero =
      matchPattern(op.getScalar(), m_AnyZeroFloat()) || matchPattern(op.getScalar(), m_Zero());
  if (bytes != 2 && !isZero)
    return op.emitOpError() << "fills " << getType(op.getDst()).getElementType()
                            << " with something other than zero, which the template of HIVM "
                               "writes in 16 bits";
  Location loc = op.getLoc();
  Type element = getType(op.getDst()).getElementType();
  Value scalar = scalars.lookup(op.getScalar());
  // There is no template for i32, and zeros are the same in f32.
  if (element.isInteger(32)) {
    element = builder.getF32Type();
    scalar = arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0));
  }
  auto loop =
      scf::ForOp::create(builder, loc, index(0), getValue(getAmount(op.getRepeat())), index(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value distance = multiply(toWord(loop.getInductionVar()), word(op.getPitch() * blockBytes));
  Value address = add(places.lookup(op.getDst()).offset, distance);
  Amount blocks = getAmount(op.getBlocks());
  int64_t perBlock = blockBytes / bytes;
  int64_t known = blocks.number ? *blocks.number * perBlock : ShapedType::kDynamic;
  SmallVector<Value, 1> sizes;
  if (!blocks.number)
    sizes.push_back(multiply(blocks.value, index(perBlock)));
  auto type = MemRefType::get({known}, element, MemRefLayoutAttrInterface(),
                              AddressSpaceAttr::get(builder.getContext(), AddressSpace::L1));
  Value run = PointerCastOp::create(builder, op.getDst().getLoc(), type, address, sizes);
  VBrcOp::create(builder, loc, scalar, run);
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// How many elements of each sum the template of mmadL1 takes at once: two parts of both operands
/// fit L0A and L0B, or else one.
FailureOr<int64_t> KernelExporter::getPartOfSums(ascend::MatmulOp op, const Matrix &a,
                                                 const Matrix &b) {
  int64_t perBlock = getBlockCols(op.getA());
  int64_t granule = std::max(perBlock, fractalRows);
  int64_t left = op.getTransposeA() ? getMostCols(a) : *a.rows.number;
  int64_t right = op.getTransposeB() ? *b.rows.number : getMostCols(b);
  int64_t width = llvm::alignTo(std::max(left, right), granule);
  int64_t elements = getFacts(LocalMemory::L0A).bytes / getElementBytes(op.getA());
  for (int64_t halves : {2, 1})
    if (int64_t part = llvm::alignDown(elements / halves / width, granule))
      return part;
  return op.emitOpError() << "multiplies matrices of up to " << left << " rows and " << right
                          << " columns, of which mmadL1 can hold no part in L0A and L0B";
}

void KernelExporter::writeProduct(ascend::MatmulOp op, const Matrix &a, const Matrix &b,
                                  const Matrix &c, Value first, const Amount &k) {
  Value init = scalars.lookup(op.getInit());
  Value left, right;
  if (first) {
    Value isFirst =
        arith::CmpIOp::create(builder, op.getLoc(), arith::CmpIPredicate::eq, first, index(0));
    init = arith::AndIOp::create(builder, op.getLoc(), init, isFirst);
    // A column of a matrix is as long as the rows that it has room for, a row as a block is wide.
    auto getDistance = [&](const Matrix &matrix, bool isAlongRows) {
      return multiply(first,
                      index(isAlongRows ? getBlockCols(matrix.memory) : *matrix.rows.number));
    };
    left = getDistance(a, op.getTransposeA());
    right = getDistance(b, !op.getTransposeB());
  }
  Value leftView = getFractals(a, left), rightView = getFractals(b, right);
  MmadL1Op::create(builder, op.getLoc(), leftView, rightView, init, scalars.lookup(op.getM()),
                   getValue(k), scalars.lookup(op.getN()),
                   op.getBias() ? getRow(op.getBias()) : Value(), getFractals(c),
                   op.getTransposeA(), op.getTransposeB());
}

/// One product per part, so that the template has no part to go on to.
void KernelExporter::writeParts(ascend::MatmulOp op, const Matrix &a, const Matrix &b,
                                const Matrix &c, int64_t part) {
  Location loc = op.getLoc();
  Value all = scalars.lookup(op.getK());
  auto loop = scf::ForOp::create(builder, loc, index(0), all, index(part));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value first = loop.getInductionVar();
  Value rest = arith::SubIOp::create(builder, loc, all, first);
  Amount k{std::nullopt, arith::MinSIOp::create(builder, loc, rest, index(part))};
  Matrix left = a, right = b;
  if (!op.getTransposeA())
    left.cols = getAmount(part);
  right.cols = getAmount(part);
  writeProduct(op, left, right, c, first, k);
}

/// The template takes the row that sums start from out of L1, and fills the bias table with as much
/// as the right operand has room for.
LogicalResult KernelExporter::checkBias(ascend::MatmulOp op, const Matrix &b) {
  if (!op.getBias())
    return success();
  if (ascend::getSpace(op.getBias().getType()) != ascend::Space::L1)
    return op.emitOpError("has its bias in the bias table, but mmadL1 takes it from L1");
  if (op.getTransposeA() || op.getTransposeB())
    return op.emitOpError("has a bias and a transposed operand, for which HIVM has no template");
  int64_t cols = getMostCols(b);
  int64_t most = getFacts(LocalMemory::BT).bytes / getElementBytes(op.getBias());
  int64_t room = places.lookup(op.getBias()).elements;
  if (cols > std::min(most, room))
    return op.emitOpError() << "has a bias of " << cols << " columns, but "
                            << (cols > most ? "the bias table" : "its row") << " has room for "
                            << std::min(most, room);
  return success();
}

LogicalResult KernelExporter::write(ascend::MatmulOp op) {
  Amount m = getAmount(op.getM()), n = getAmount(op.getN()), k = getAmount(op.getK());
  Matrix a{op.getA(), op.getTransposeA() ? m : k, getAmount(op.getRows()[0])};
  Matrix b{op.getB(), op.getTransposeB() ? k : n, getAmount(op.getRows()[1])};
  Matrix c{op.getDst(), n, m};
  FailureOr<int64_t> part = getPartOfSums(op, a, b);
  if (failed(part) || failed(checkBias(op, b)))
    return failure();
  // Of a transposed right operand that is not full of rows, the template loads all of k with every
  // part: it must not have several.
  int64_t rows = llvm::alignTo(n.number.value_or(*b.rows.number), fractalRows);
  bool isFull = rows == *b.rows.number, hasParts = op.getTransposeB() && getMostCols(b) > *part;
  if (!hasParts || (isFull && n.number)) {
    writeProduct(op, a, b, c, {}, k);
    return success();
  }
  if (!isFull) {
    writeParts(op, a, b, c, *part);
    return success();
  }
  Value holds = arith::CmpIOp::create(builder, op.getLoc(), arith::CmpIPredicate::eq, n.value,
                                      index(*b.rows.number));
  auto branch = scf::IfOp::create(builder, op.getLoc(), holds, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  writeProduct(op, a, b, c, {}, k);
  builder.setInsertionPointToStart(branch.elseBlock());
  writeParts(op, a, b, c, *part);
  return success();
}

LogicalResult KernelExporter::write(ascend::FixOutOp op) {
  if (ascend::getSpace(op.getDst().getType()) == ascend::Space::L1)
    return op.emitOpError("goes to L1, for which fixpipe of HIVM has no template");
  if (op.getNz())
    return op.emitOpError("leaves fractals in GM, for which fixpipe of HIVM has no template");
  if (op.getScale())
    return op.emitOpError("has a scale, which no template of fixpipe takes");
  Amount rows = getAmount(op.getRows()), cols = getAmount(op.getCols());
  Amount room = op.getComputed() ? getAmount(op.getComputed()) : getAmount(op.getSrcRows());
  Value src = getFractals({op.getSrc(), cols, room});
  Value dst = getArrayRows(op.getDst(), rows, cols, getAmount(op.getDstPitch()));
  MLIRContext *context = builder.getContext();
  FixpipeQuantAttr conversion;
  Type to = getType(op.getDst()).getElementType();
  if (to.isF16() || to.isBF16())
    conversion =
        FixpipeQuantAttr::get(context, to.isF16() ? FixpipeQuant::F322F16 : FixpipeQuant::F322BF16);
  FixpipeReluAttr relu;
  if (op.getRelu())
    relu = FixpipeReluAttr::get(context, FixpipeRelu::NORMAL_RELU);
  FixpipeOp::create(builder, op.getLoc(), src, dst, FixpipeMode::NZ2ND, conversion, relu);
  return success();
}
