// The AscendC call of each instruction of cube cores. Parameters follow the vendor's constructors,
// whose orders differ from call to call.
#include "KernelEmitter.h"
#include "attn/Machine/Architecture.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascendc;

static std::string spell(bool value) { return value ? "true" : "false"; }

//===----------------------------------------------------------------------===//
// Into L1
//===----------------------------------------------------------------------===//

/// Matrices, rows, columns, stride of matrices and rows in GM, then of column blocks, rows and
/// matrices in L1.
std::string KernelEmitter::getCall(ascend::NdToNzOp op) {
  // The pitch of one row says nothing, and may be more than the field holds.
  bool isRow = ranges.getUpperBound(op.getRows()).value_or(2) <= 1;
  const Expression &pitch = get(isRow ? op.getCols() : op.getSrcPitch());
  return makeCall("DataCopy",
                  {getPlace(op.getDst()), getPlace(op.getSrc(), op.getBypassL2()),
                   makeParameters("Nd2NzParams", {"1", convertTo("uint16_t", get(op.getRows())),
                                                  convertTo("uint16_t", get(op.getCols())), "0",
                                                  convertTo("uint16_t", pitch),
                                                  std::to_string(op.getDstRows()), "1", "0"})});
}

/// Times, blocks, blocks between the end of one time and the next, and the value: of 16 bits, a
/// constant that is written by its bits, of 8 bits zeros, which are the same in 16.
std::string KernelEmitter::getCall(ascend::FillOp op) {
  const Expression &blocks = get(op.getBlocks()), &scalar = get(op.getScalar());
  bool isOnce = ranges.getUpperBound(op.getRepeat()).value_or(2) <= 1;
  Expression gap = isOnce ? Expression::integer(0) : Expression::integer(op.getPitch()) - blocks;
  bool isNarrow = op.getScalar().getType().getIntOrFloatBitWidth() <= 16;
  std::string type = isNarrow ? "int16_t" : getElementType(op.getDst());
  return makeCall("InitConstValue",
                  {getPlace(op.getDst()) + (isNarrow ? ".ReinterpretCast<int16_t>()" : ""),
                   makeParameters("InitConstValueParams<" + type + ">",
                                  {convertTo("uint16_t", get(op.getRepeat())),
                                   convertTo("uint16_t", blocks), convertTo("uint16_t", gap),
                                   isNarrow ? castTo("int16_t", scalar).text : scalar.text})});
}

//===----------------------------------------------------------------------===//
// Into L0 and the bias table
//===----------------------------------------------------------------------===//

/// First fractal, repeats, stride of the source, an id, gap of the destination, transposition, and
/// the direction of addresses.
std::string KernelEmitter::getCall(ascend::LoadFractalsOp op) {
  ArrayRef<int64_t> strides = op.getStrides();
  return makeCall(
      "LoadData",
      {getPlace(op.getDst()), getPlace(op.getSrc()),
       makeParameters("LoadData2DParams",
                      {"0", convertTo("uint8_t", get(op.getRepeat())), std::to_string(strides[1]),
                       "0", std::to_string(strides[0] - 1), spell(op.getTranspose()), "0"})});
}

/// The vendor's parameters describe an image; `MakeTile` of the text fills them in for a matrix.
std::string KernelEmitter::getCall(ascend::LoadTileOp op) {
  return makeCall("LoadData",
                  {getPlace(op.getDst()), getPlace(op.getSrc()),
                   "attn_text::MakeTile<" + getElementType(op.getDst()) + ">(" +
                       convertTo("uint16_t", get(op.getRows())) + ", " +
                       convertTo("uint16_t", get(op.getCols())) + ", " +
                       std::to_string(op.getSrcRows()) + ", " + spell(op.getTranspose()) + ")"});
}

/// First square, repeats, stride of the source, and the gaps of the destination between squares and
/// in them.
std::string KernelEmitter::getCall(ascend::LoadSquaresOp op) {
  ArrayRef<int64_t> strides = op.getStrides();
  return makeCall(
      "LoadDataWithTranspose",
      {getPlace(op.getDst()), getPlace(op.getSrc()),
       makeParameters("LoadData2dTransposeParams",
                      {"0", convertTo("uint8_t", get(op.getRepeat())), std::to_string(strides[1]),
                       std::to_string(strides[0] - 1), std::to_string(strides[2] - 1)})});
}

std::string KernelEmitter::getCall(ascend::LoadBiasOp op) {
  return makeCall("DataCopy", {getPlace(op.getDst()), getPlace(op.getSrc()),
                               convertTo("uint32_t", get(op.getAmount()))});
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// m, n, k, unit flag, whether sums start from a bias, and whether from zero.
std::string KernelEmitter::getProduct(ascend::MmadOp op, bool takesBias, StringRef startsFromZero) {
  SmallVector<std::string> arguments{getPlace(op.getDst()), getPlace(op.getA()),
                                     getPlace(op.getB())};
  if (takesBias)
    arguments.push_back(getPlace(op.getBias()));
  arguments.push_back(makeParameters("MmadParams", {convertTo("uint16_t", get(op.getM())),
                                                    convertTo("uint16_t", get(op.getN())),
                                                    convertTo("uint16_t", get(op.getK())), "0",
                                                    spell(takesBias), startsFromZero.str()}));
  return makeCall("Mmad", arguments);
}

std::string KernelEmitter::getCall(ascend::MmadOp op) {
  if (!op.getBias())
    return getProduct(op, /*takesBias=*/false, get(op.getInit()).text);
  bool starts = matchPattern(op.getInit(), m_One());
  return getProduct(op, /*takesBias=*/starts, "false");
}

void KernelEmitter::emitProductOrBias(ascend::MmadOp op) {
  writer.writeStatement(op.getLoc(), "if (" + get(op.getInit()).text + ") {");
  writer.indent();
  writer.writeStatement(op.getLoc(), getProduct(op, /*takesBias=*/true, "false") + ";");
  writer.outdent();
  writer.writeLine("} else {");
  writer.indent();
  writer.writeStatement(op.getLoc(), getProduct(op, /*takesBias=*/false, "false") + ";");
  writer.outdent();
  writer.writeLine("}");
}

//===----------------------------------------------------------------------===//
// The way out
//===----------------------------------------------------------------------===//

/// How Fixpipe converts, by its types.
static StringRef getConversion(Type from, Type to) {
  if (from == to)
    return "NoQuant";
  if (from.isF32())
    return to.isF16() ? "F322F16" : to.isBF16() ? "F322BF16" : "QF322B8_PRE";
  return to.isF16() ? "DEQF16" : "REQ8";
}

/// The bits of the number that is multiplied with; results of 8 bits have a sign.
static std::string getScaleBits(ascend::FixOutOp op) {
  if (!op.getScale())
    return "0";
  uint64_t bits = op.getScale()->bitcastToAPInt().getZExtValue();
  if (cast<MemRefType>(op.getDst().getType()).getElementTypeBitWidth() == 8)
    bits |= uint64_t(1) << 46;
  return "0x" + llvm::utohexstr(bits, /*LowerCase=*/true);
}

/// Columns, rows, strides of the source and the destination, relu, conversion and what is
/// multiplied with, then one matrix, its strides, and the unit flag.
std::string KernelEmitter::getCall(ascend::FixOutOp op) {
  Type from = cast<MemRefType>(op.getSrc().getType()).getElementType();
  Type to = cast<MemRefType>(op.getDst().getType()).getElementType();
  // Fractals of 16-bit elements have rows of one data block, which their stride counts.
  std::string parameters = makeParameters(
      "FixpipeParamsV220",
      {convertTo("uint16_t", get(op.getCols())), convertTo("uint16_t", get(op.getRows())),
       op.getComputed() ? convertTo("uint16_t", get(op.getComputed()))
                        : std::to_string(op.getSrcRows()),
       convertTo("uint32_t", get(op.getDstPitch())), spell(op.getRelu()),
       "QuantMode_t::" + getConversion(from, to).str(), getScaleBits(op), "1", "0", "0", "0"});
  return makeCall("Fixpipe<" + getElementType(op.getDst()) + ", " + getElementType(op.getSrc()) +
                      ", AscendC::" + (op.getNz() ? "CFG_NZ" : "CFG_ROW_MAJOR") + ">",
                  {getPlace(op.getDst()), getPlace(op.getSrc()), parameters});
}
