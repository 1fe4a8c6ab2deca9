// The ascend operations that are not instructions (arrays, buffers, flags), and the syntax shared
// by the vector instructions.
#include "ElementSizes.h"
#include "attn/Dialect/Ascend/IR/Ascend.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace attn::ascend;

//===----------------------------------------------------------------------===//
// `count(%n)` or `mask m repeat(%r) strides [...]`
//===----------------------------------------------------------------------===//

static ParseResult parseForm(OpAsmParser &parser, OpAsmParser::UnresolvedOperand &amount,
                             IntegerAttr &mask, DenseI64ArrayAttr &strides) {
  auto parseAmount = [&](StringRef keyword) -> ParseResult {
    return failure(parser.parseKeyword(keyword) || parser.parseLParen() ||
                   parser.parseOperand(amount) || parser.parseRParen());
  };
  if (failed(parser.parseOptionalKeyword("mask")))
    return parseAmount("count");
  int64_t lanes;
  if (parser.parseInteger(lanes) || parseAmount("repeat") || parser.parseKeyword("strides"))
    return failure();
  mask = parser.getBuilder().getI64IntegerAttr(lanes);
  strides = dyn_cast_or_null<DenseI64ArrayAttr>(DenseI64ArrayAttr::parse(parser, Type()));
  return success(static_cast<bool>(strides));
}

static void printForm(OpAsmPrinter &printer, Operation *, Value amount, IntegerAttr mask,
                      DenseI64ArrayAttr strides) {
  if (!mask || !strides) {
    printer << "count(" << amount << ")";
    return;
  }
  printer << "mask " << mask.getInt() << " repeat(" << amount << ") strides ";
  strides.print(printer);
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

/// The rank as the author counts it: the entries of a table first.
static int64_t getArrayRank(Type type) {
  if (auto table = dyn_cast<TableType>(type))
    return table.getElement().getRank() + 1;
  return cast<MemRefType>(type).getRank();
}

static LogicalResult verifyDimension(Operation *op, Type array, int64_t dimension, int64_t first) {
  if (auto memref = dyn_cast<MemRefType>(array); memref && getSpace(memref) != Space::GM)
    return op->emitOpError() << "asks for an array in gm, not " << array;
  if (dimension < first || dimension >= getArrayRank(array))
    return op->emitOpError() << "asks for dimension " << dimension << " of " << array;
  return success();
}

LogicalResult DimOp::verify() {
  return verifyDimension(*this, getArray().getType(), getDimension(), 0);
}

LogicalResult StrideOp::verify() {
  return verifyDimension(*this, getArray().getType(), getDimension(),
                         isa<TableType>(getArray().getType()) ? 1 : 0);
}

LogicalResult LookupOp::verify() {
  if (getResult().getType() != getTable().getType().getElement())
    return emitOpError() << "gives " << getTable().getType().getElement();
  return success();
}

/// Checks that `view` is `memref<?xT>` in the space of `base`.
static LogicalResult verifyView(Operation *op, MemRefType base, MemRefType view, bool isLocal) {
  auto expected = MemRefType::get({ShapedType::kDynamic}, base.getElementType(),
                                  MemRefLayoutAttrInterface(), base.getMemorySpace());
  std::optional<Space> space = getSpace(base);
  if (!space || (space != Space::GM) != isLocal)
    return op->emitOpError() << "takes a memref in " << (isLocal ? "local memory" : "gm")
                             << ", not " << base;
  if (view != expected)
    return op->emitOpError() << "gives " << expected << ", not " << view;
  return success();
}

LogicalResult AddressOp::verify() {
  if (static_cast<int64_t>(getIndices().size()) != getArray().getType().getRank())
    return emitOpError() << "has " << getIndices().size() << " indices for "
                         << getArray().getType();
  return verifyView(*this, getArray().getType(), getResult().getType(), /*isLocal=*/false);
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

int64_t AllocOp::getSlotCount() {
  auto type = cast<MemRefType>(getResult().getType());
  return type.getRank() == 2 ? type.getDimSize(0) : 1;
}

attn::LocalMemory AllocOp::getMemory() { return *getLocalMemory(*getSpace(getResult().getType())); }

int64_t AllocOp::getSlotPitchBytes() {
  auto type = cast<MemRefType>(getResult().getType());
  return llvm::alignTo(type.getShape().back() * getElementBytes(type),
                       getFacts(getMemory()).alignment);
}

LogicalResult AllocOp::verify() {
  auto type = cast<MemRefType>(getResult().getType());
  if (getSpace(type).value_or(Space::GM) == Space::GM)
    return emitOpError() << "makes a buffer in local memory, not " << type;
  if (!type.hasStaticShape() || type.getRank() < 1 || type.getRank() > 2 ||
      !type.getLayout().isIdentity() || !isElementType(type.getElementType()))
    return emitOpError() << "makes a buffer of one dimension, or of slots and one dimension, not "
                         << type;
  // Keeps every byte count of the passes far from overflow.
  constexpr int64_t maxElements = int64_t(1) << 40;
  int64_t elements = 1;
  for (int64_t size : type.getShape()) {
    if (size < 1 || size > maxElements / elements)
      return emitOpError() << "makes a buffer of an impossible size, " << type;
    elements *= size;
  }
  int64_t alignment = getFacts(getMemory()).alignment;
  for (std::optional<int64_t> address : {getAddress(), getCounted()})
    if (address && (*address < 0 || *address > maxElements || *address % alignment != 0))
      return emitOpError() << "has the address " << *address << ", not a multiple of " << alignment;
  return success();
}

LogicalResult SlotOp::verify() {
  auto from = cast<MemRefType>(getBuffer().getType()), to = cast<MemRefType>(getResult().getType());
  if (getSpace(from).value_or(Space::GM) == Space::GM || from.getRank() != 2)
    return emitOpError() << "takes a buffer with slots, not " << from;
  auto expected = MemRefType::get(from.getShape().drop_front(), from.getElementType(),
                                  MemRefLayoutAttrInterface(), from.getMemorySpace());
  if (to != expected)
    return emitOpError() << "gives " << expected << ", not " << to;
  return success();
}

LogicalResult SliceOp::verify() {
  auto from = cast<MemRefType>(getBuffer().getType());
  if (from.getRank() != 1)
    return emitOpError() << "takes a buffer of one dimension, not " << from;
  return verifyView(*this, from, cast<MemRefType>(getResult().getType()), /*isLocal=*/true);
}

//===----------------------------------------------------------------------===//
// Synchronisation
//===----------------------------------------------------------------------===//

template <typename FlagOp> static LogicalResult verifyFlag(FlagOp op) {
  if (op.getSource() == op.getTarget() || op.getSource() == Pipe::ALL ||
      op.getTarget() == Pipe::ALL)
    return op.emitOpError() << "needs two different pipes";
  if (op.getEvent() < 0)
    return op.emitOpError() << "has the negative event " << op.getEvent();
  if (op.getSlots() < 1 || op.getSlots() > attn::architecture::eventIds ||
      (op.getSlots() > 1) != static_cast<bool>(op.getSlot()))
    return op.emitOpError() << "has " << op.getSlots() << " slots; a slot needs 2 to "
                            << attn::architecture::eventIds << " of them";
  return success();
}

LogicalResult SetFlagOp::verify() { return verifyFlag(*this); }
LogicalResult WaitFlagOp::verify() { return verifyFlag(*this); }

LogicalResult BarrierOp::verify() {
  if (getPipe() == Pipe::S)
    return emitOpError("cannot hold the scalar pipe");
  return success();
}

/// Rejects the flags of the system.
static LogicalResult verifyCrossFlag(Operation *op, uint64_t flag) {
  if (flag < attn::architecture::crossFlags)
    return success();
  return op->emitOpError() << "uses flag " << static_cast<int64_t>(flag) << "; 0 to "
                           << attn::architecture::crossFlags - 1 << " are there for kernels";
}

LogicalResult CrossSetOp::verify() {
  if (getPipe() == Pipe::S || getPipe() == Pipe::ALL)
    return emitOpError() << "cannot be queued on pipe " << stringifyPipe(getPipe());
  return verifyCrossFlag(*this, getFlag());
}

LogicalResult CrossWaitOp::verify() {
  std::optional<ArrayRef<int64_t>> heard = getHeard();
  if (heard && heard->size() % 2 != 0)
    return emitOpError("has heard of a flag without its turns");
  for (size_t pair = 0; heard && pair < heard->size(); pair += 2) {
    if (failed(verifyCrossFlag(*this, (*heard)[pair])))
      return failure();
    if ((*heard)[pair + 1] < -1)
      return emitOpError() << "has heard of " << (*heard)[pair + 1] << " turns before";
  }
  return verifyCrossFlag(*this, getFlag());
}

#define GET_OP_CLASSES
#include "attn/Dialect/Ascend/IR/AscendOps.cpp.inc"
