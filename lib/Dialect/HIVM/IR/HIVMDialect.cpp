// The dialect `hivm`: registration and what its ops demand.
#include "attn/Dialect/HIVM/IR/HIVM.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
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

static LogicalResult verifySpace(Operation *op, Value memory, AddressSpace wanted) {
  auto space =
      dyn_cast_or_null<AddressSpaceAttr>(cast<MemRefType>(memory.getType()).getMemorySpace());
  if (!space || space.getValue() != wanted)
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
  return verifySpace(*this, getDst(), AddressSpace::UB);
}

LogicalResult VReduceOp::verify() {
  auto src = cast<MemRefType>(getSrc().getType()), dst = cast<MemRefType>(getDst().getType());
  if (src.getRank() != 2 || dst.getRank() != 2 || dst.getDimSize(1) != 1 ||
      getReduceDims() != ArrayRef<int64_t>{1})
    return emitOpError() << "reduces the rows of " << src << " to a column, not to " << dst;
  return success();
}

#define GET_OP_CLASSES
#include "attn/Dialect/HIVM/IR/HIVMOps.cpp.inc"
