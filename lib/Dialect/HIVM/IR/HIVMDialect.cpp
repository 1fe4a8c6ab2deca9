// The dialect `hivm`: registration and what its ops demand.
#include "attn/Dialect/HIVM/IR/HIVM.h"
#include "attn/Machine/Architecture.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn;
using namespace attn::hivm;

#include "attn/Dialect/HIVM/IR/HIVMDialect.cpp.inc"
#include "attn/Dialect/HIVM/IR/HIVMEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "attn/Dialect/HIVM/IR/HIVMAttributes.cpp.inc"

namespace {
/// Types are long: memories have names of their own.
struct ShortNames : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attribute, raw_ostream &os) const override {
    auto space = dyn_cast<AddressSpaceAttr>(attribute);
    if (!space)
      return AliasResult::NoAlias;
    os << stringifyAddressSpace(space.getValue());
    return AliasResult::FinalAlias;
  }
};
} // namespace

void HIVMDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "attn/Dialect/HIVM/IR/HIVMAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "attn/Dialect/HIVM/IR/HIVMOps.cpp.inc"
      >();
  addInterfaces<ShortNames>();
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

static ParseResult parseEvent(OpAsmParser &parser, EventAttr &number,
                              std::optional<OpAsmParser::UnresolvedOperand> &dynamic) {
  if (failed(parser.parseOptionalLess()))
    return parser.parseOperand(dynamic.emplace());
  StringRef word;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseKeyword(&word) || parser.parseGreater())
    return failure();
  std::optional<Event> event = symbolizeEvent(word);
  if (!event)
    return parser.emitError(place, "unknown event '") << word << "'";
  number = EventAttr::get(parser.getContext(), *event);
  return success();
}

static void printEvent(OpAsmPrinter &printer, Operation *, EventAttr number, Value dynamic) {
  if (number)
    printer << '<' << stringifyEvent(number.getValue()) << '>';
  else
    printer << dynamic;
}

template <typename Op> static LogicalResult verifyFlag(Op op) {
  if (static_cast<bool>(op.getStaticEventId()) == static_cast<bool>(op.getDynamicEventId()))
    return op.emitOpError("needs one event, a number or a value");
  return success();
}
LogicalResult SetFlagOp::verify() { return verifyFlag(*this); }
LogicalResult WaitFlagOp::verify() { return verifyFlag(*this); }

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static bool isIn(MemRefType type, AddressSpace wanted) {
  auto space = dyn_cast_or_null<AddressSpaceAttr>(type.getMemorySpace());
  return space && space.getValue() == wanted;
}

static LogicalResult verifySpace(Operation *op, Value memory, AddressSpace wanted) {
  if (!isIn(cast<MemRefType>(memory.getType()), wanted))
    return op->emitOpError() << "needs memory in " << stringifyAddressSpace(wanted) << ", not "
                             << memory.getType();
  return success();
}

static LogicalResult verifySameShape(Operation *op, Value src, Value dst) {
  auto from = cast<MemRefType>(src.getType()), to = cast<MemRefType>(dst.getType());
  if (failed(verifyCompatibleShape(from, to)))
    return op->emitOpError() << "has different shapes: " << from << " and " << to;
  return success();
}

static LogicalResult verifyCopy(Operation *op, AddressSpace from, AddressSpace to) {
  Value src = op->getOperand(0), dst = op->getOperand(1);
  if (cast<MemRefType>(src.getType()).getElementType() !=
      cast<MemRefType>(dst.getType()).getElementType())
    return op->emitOpError() << "has different element types: " << src.getType() << " and "
                             << dst.getType();
  return failure(failed(verifySpace(op, src, from)) || failed(verifySpace(op, dst, to)) ||
                 failed(verifySameShape(op, src, dst)));
}
LogicalResult LoadOp::verify() { return verifyCopy(*this, AddressSpace::GM, AddressSpace::UB); }
LogicalResult StoreOp::verify() { return verifyCopy(*this, AddressSpace::UB, AddressSpace::GM); }
LogicalResult CopyOp::verify() { return verifyCopy(*this, AddressSpace::UB, AddressSpace::UB); }

LogicalResult PointerCastOp::verify() {
  if (getAddresses().size() != 1)
    return emitOpError() << "has " << getAddresses().size() << " addresses; one is known here";
  auto type = cast<MemRefType>(getResult().getType());
  if (type.getNumDynamicDims() != getSizes().size())
    return emitOpError() << "has " << getSizes().size() << " sizes for " << type;
  return success();
}

/// Whether a source of an elementwise op meets its destination.
static LogicalResult verifySource(Operation *op, Value src, MemRefType dst,
                                  ArrayRef<int64_t> broadcast) {
  if (src.getType() == dst.getElementType())
    return success();
  auto type = dyn_cast<MemRefType>(src.getType());
  if (!type || type.getRank() != dst.getRank() || type.getElementType() != dst.getElementType())
    return op->emitOpError() << "cannot compute " << dst << " from " << src.getType();
  for (int64_t dimension = 0; dimension < dst.getRank(); ++dimension) {
    int64_t size = type.getDimSize(dimension), wanted = dst.getDimSize(dimension);
    bool isSpread = size == 1 && llvm::is_contained(broadcast, dimension);
    if (!isSpread && size != wanted && !ShapedType::isDynamic(size) &&
        !ShapedType::isDynamic(wanted))
      return op->emitOpError() << "has " << size << " elements in dimension " << dimension
                               << ", not " << wanted;
  }
  return success();
}

template <typename Op> static LogicalResult verifyElementwise(Op op, size_t sources) {
  if (op.getSrc().size() != sources)
    return op.emitOpError() << "takes " << sources << " sources, not " << op.getSrc().size();
  ArrayRef<int64_t> broadcast = op.getBroadcast().value_or(ArrayRef<int64_t>());
  for (Value src : op.getSrc())
    if (failed(verifySource(op, src, cast<MemRefType>(op.getDst().getType()), broadcast)))
      return failure();
  return verifySpace(op, op.getDst(), AddressSpace::UB);
}
LogicalResult VAddOp::verify() { return verifyElementwise(*this, 2); }
LogicalResult VSubOp::verify() { return verifyElementwise(*this, 2); }
LogicalResult VMulOp::verify() { return verifyElementwise(*this, 2); }
LogicalResult VDivOp::verify() { return verifyElementwise(*this, 2); }
LogicalResult VMaxOp::verify() { return verifyElementwise(*this, 2); }
LogicalResult VMinOp::verify() { return verifyElementwise(*this, 2); }
LogicalResult VAndOp::verify() { return verifyElementwise(*this, 2); }
LogicalResult VOrOp::verify() { return verifyElementwise(*this, 2); }
LogicalResult VExpOp::verify() { return verifyElementwise(*this, 1); }
LogicalResult VLnOp::verify() { return verifyElementwise(*this, 1); }
LogicalResult VSqrtOp::verify() { return verifyElementwise(*this, 1); }
LogicalResult VAbsOp::verify() { return verifyElementwise(*this, 1); }
LogicalResult VReluOp::verify() { return verifyElementwise(*this, 1); }

LogicalResult VCastOp::verify() { return verifySameShape(*this, getSrc(), getDst()); }

LogicalResult VBrcOp::verify() {
  if (getSrc().getType() != cast<MemRefType>(getDst().getType()).getElementType())
    return emitOpError() << "cannot fill " << getDst().getType() << " with " << getSrc().getType();
  auto type = cast<MemRefType>(getDst().getType());
  if (!isIn(type, AddressSpace::L1))
    return verifySpace(*this, getDst(), AddressSpace::UB);
  if (type.getRank() != 1)
    return emitOpError() << "fills runs of cbuf, not " << type;
  return success();
}

LogicalResult VTransposeOp::verify() {
  auto src = cast<MemRefType>(getSrc().getType()), dst = cast<MemRefType>(getDst().getType());
  bool isTurned = src.getRank() == 2 && dst.getRank() == 2 &&
                  src.getDimSize(0) == dst.getDimSize(1) && src.getDimSize(1) == dst.getDimSize(0);
  if (!isTurned || src.getElementType() != dst.getElementType() ||
      getPermutation() != ArrayRef<int64_t>{1, 0})
    return emitOpError() << "turns the rows of " << src << " into columns, which does not give "
                         << dst;
  return verifySpace(*this, getDst(), AddressSpace::UB);
}

LogicalResult VReduceOp::verify() {
  auto src = cast<MemRefType>(getSrc().getType()), dst = cast<MemRefType>(getDst().getType());
  if (src.getRank() != 2 || dst.getRank() != 2 || dst.getDimSize(1) != 1 ||
      getReduceDims() != ArrayRef<int64_t>{1})
    return emitOpError() << "reduces the rows of " << src << " to a column, not to " << dst;
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Column blocks, row blocks, 16 rows, and the columns that a fractal of `space` has.
static LogicalResult verifyFractals(Operation *op, Value memory, AddressSpace space) {
  if (failed(verifySpace(op, memory, space)))
    return failure();
  auto type = cast<MemRefType>(memory.getType());
  int64_t cols = space == AddressSpace::L0C
                     ? architecture::fractalRows
                     : architecture::getElementsPerBlock(type.getElementTypeBitWidth() / 8);
  if (type.getRank() != 4 || type.getDimSize(2) != architecture::fractalRows ||
      type.getDimSize(3) != cols)
    return op->emitOpError() << "needs fractals of " << architecture::fractalRows << " by " << cols
                             << ", not " << type;
  return success();
}

/// A row that stays a row, with the dimensions that templates want of matrices.
static bool isRow(Value memory) {
  auto type = cast<MemRefType>(memory.getType());
  return type.getRank() == 4 && isIn(type, AddressSpace::L1) &&
         type.getShape().drop_back() == ArrayRef<int64_t>{1, 1, 1};
}

static LogicalResult verifyArrayRows(Operation *op, Value memory) {
  if (cast<MemRefType>(memory.getType()).getRank() != 2)
    return op->emitOpError() << "needs rows of an array, not " << memory.getType();
  return verifySpace(op, memory, AddressSpace::GM);
}

static Type getElementType(Value memory) {
  return cast<MemRefType>(memory.getType()).getElementType();
}

LogicalResult Nd2NzOp::verify() {
  if (failed(verifyArrayRows(*this, getSrc())) ||
      (!isRow(getDst()) && failed(verifyFractals(*this, getDst(), AddressSpace::L1))))
    return failure();
  if (getElementType(getSrc()) != getElementType(getDst()))
    return emitOpError() << "has different element types: " << getSrc().getType() << " and "
                         << getDst().getType();
  if (!getDstContinuous())
    return emitOpError("needs 'dst_continuous'");
  if (getInitOutBuffer())
    return emitOpError("fills nothing: the vendor's last pass drops 'init_out_buffer'");
  return success();
}

LogicalResult MmadL1Op::verify() {
  if (failed(verifyFractals(*this, getA(), AddressSpace::L1)) ||
      failed(verifyFractals(*this, getB(), AddressSpace::L1)) ||
      failed(verifyFractals(*this, getC(), AddressSpace::L0C)))
    return failure();
  Type type = getElementType(getA());
  bool isFloat = type.isF32() || type.isF16() || type.isBF16();
  bool hasSums = isFloat ? getElementType(getC()).isF32()
                         : type.isInteger(8) && getElementType(getC()).isInteger(32);
  if (getElementType(getB()) != type || !hasSums)
    return emitOpError() << "has no product of " << getA().getType() << " and " << getB().getType()
                         << " in " << getC().getType();
  if (!getBias())
    return success();
  if (!isRow(getBias()) || getElementType(getBias()) != getElementType(getC()))
    return emitOpError() << "starts from a row of cbuf with the type of its sums, not from "
                         << getBias().getType();
  if (getATranspose() || getBTranspose())
    return emitOpError("starts from a row only where no operand is transposed");
  return success();
}

/// The conversion that the two types of a fixpipe need.
static std::optional<FixpipeQuant> getConversion(Type to) {
  if (to.isF16())
    return FixpipeQuant::F322F16;
  if (to.isBF16())
    return FixpipeQuant::F322BF16;
  return std::nullopt;
}

LogicalResult FixpipeOp::verify() {
  if (failed(verifyFractals(*this, getSrc(), AddressSpace::L0C)) ||
      failed(verifyArrayRows(*this, getDst())))
    return failure();
  Type from = getElementType(getSrc()), to = getElementType(getDst());
  std::optional<FixpipeQuant> conversion = getConversion(to);
  if (conversion ? !from.isF32() : from != to)
    return emitOpError() << "cannot turn " << from << " into " << to;
  if (getPreQuant() != conversion)
    return emitOpError() << "has another conversion than from " << from << " to " << to;
  return success();
}

#define GET_OP_CLASSES
#include "attn/Dialect/HIVM/IR/HIVMOps.cpp.inc"
