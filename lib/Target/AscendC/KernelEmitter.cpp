// Writes one kernel as AscendC: signature, tensors at their planned addresses, loops and branches.
#include "KernelEmitter.h"
#include "Multiples.h"
#include "VerifyEmission.h"
#include "attn/Machine/Architecture.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Iterators.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascendc;
using namespace attn::launch;

//===----------------------------------------------------------------------===//
// Before the text
//===----------------------------------------------------------------------===//

void KernelEmitter::collectBuffers() {
  buffers.clear();
  function.walk([&](ascend::AllocOp alloc) {
    if (!alloc.getResult().use_empty())
      buffers.push_back(alloc);
  });
  // By address, then in program order.
  SmallVector<std::pair<int64_t, size_t>> order;
  for (auto [index, buffer] : llvm::enumerate(buffers))
    order.push_back({*buffer.getAddress(), index});
  llvm::sort(order);
  SmallVector<ascend::AllocOp> unsorted = std::move(buffers);
  buffers.clear();
  for (auto [address, index] : order)
    buffers.push_back(unsorted[index]);
}

void KernelEmitter::orderOps() {
  function->walk<WalkOrder::PreOrder>(
      [&](Operation *op) { programOrder.insert({op, programOrder.size()}); });
}

void KernelEmitter::findUnusedOps() {
  function->walk<WalkOrder::PostOrder, mlir::ReverseIterator>([&](Operation *op) {
    // What an index is expected to be is for the modelled chip alone.
    bool isRemovable =
        isMemoryEffectFree(op) ||
        isa<ascend::ExpectIndexOp, ascend::ExpectCountOp, ascend::ExpectDistinctOp>(op);
    auto isNoUse = [&](OpOperand &use) {
      // The text leaves out the pitch of one row.
      auto load = dyn_cast<ascend::NdToNzOp>(use.getOwner());
      return unused.contains(use.getOwner()) || (load && &use == &load.getSrcPitchMutable() &&
                                                 ranges.getUpperBound(load.getRows()) == 1);
    };
    if (isRemovable && op->getNumRegions() == 0 && !op->hasTrait<OpTrait::IsTerminator>() &&
        llvm::all_of(op->getUses(), isNoUse))
      unused.insert(op);
  });
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// A size or stride of the signature: a number or a name.
static Expression parseExpression(StringRef text) {
  int64_t number;
  return text.getAsInteger(10, number) ? Expression::primary(text) : Expression::integer(number);
}

std::string KernelEmitter::getExtent(unsigned argument) const {
  const ArrayArgument &array = signature.arrays[argument];
  // The place of the last element, then one more; what is known is added up apart.
  Expression one = Expression::integer(1), known = one, extent = Expression::integer(0);
  for (unsigned dimension = array.isTable ? 1 : 0; dimension < array.sizes.size(); ++dimension) {
    Expression size = parseExpression(array.sizes[dimension]);
    Expression stride = parseExpression(array.strides[dimension]);
    if (!size.constant && stride.constant == 1) {
      extent = extent + size;
      known = known - one;
      continue;
    }
    Expression reach = (size - one) * stride;
    Expression &sum = reach.constant ? known : extent;
    sum = sum + reach;
  }
  extent = extent + known;
  return convertTo("uint64_t", extent);
}

void KernelEmitter::writeArrays() {
  for (BlockArgument argument : function.getArguments()) {
    const ArrayArgument &array = signature.arrays[argument.getArgNumber()];
    if (array.pointer.empty()) {
      expressions[argument] = Expression::primary(signature.scalars[argument.getArgNumber()]);
      continue;
    }
    arrays[argument] = argument.getArgNumber();
    if (llvm::all_of(argument.getUsers(), llvm::IsaPred<ascend::DimOp, ascend::StrideOp>))
      continue;
    StringRef type = array.isTable ? StringRef("uint64_t") : StringRef(array.elementType);
    std::string elements = array.isTable
                               ? convertTo("uint64_t", Expression::primary(array.sizes[0]))
                               : getExtent(argument.getArgNumber());
    addArray(argument, array.pointer + (array.isTable ? "_table" : "_gm"), "gm",
             [&](StringRef tensor) {
               writer.writeLine("AscendC::GlobalTensor<" + type + "> " + tensor + ";");
               writer.writeLine(tensor + ".SetGlobalBuffer((__gm__ " + type + "*)" + array.pointer +
                                ", " + elements + ");");
             });
  }
}

/// Whether copies through `array`, or places in it, stay out of L2.
static bool isUsed(Value array, bool bypassesL2) {
  return llvm::any_of(array.getUsers(), [&](Operation *user) {
    if (isa<ascend::AddressOp>(user))
      return isUsed(user->getResult(0), bypassesL2);
    bool isBypassing = TypeSwitch<Operation *, bool>(user)
                           .Case<ascend::CopyInOp, ascend::CopyOutOp, ascend::NdToNzOp>(
                               [](auto copy) { return copy.getBypassL2(); })
                           .Default(false);
    return isBypassing == bypassesL2 && !isa<ascend::DimOp, ascend::StrideOp>(user);
  });
}

/// The hint is part of a tensor: it holds for all that moves through it and what is made of it.
void KernelEmitter::addArray(Value array, StringRef name, StringRef fallback,
                             function_ref<void(StringRef)> declare) {
  Place place{"", Expression::integer(0), ""};
  bool bypasses = isUsed(array, /*bypassesL2=*/true);
  if (!bypasses || isUsed(array, /*bypassesL2=*/false)) {
    place.tensor = names.add(name, fallback);
    declare(place.tensor);
  }
  if (bypasses) {
    place.bypassingTensor = names.add((name + "_past_l2").str(), fallback);
    declare(place.bypassingTensor);
    writer.writeLine(place.bypassingTensor +
                     ".SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);");
    if (place.tensor.empty())
      place.tensor = place.bypassingTensor;
  }
  places[array] = std::move(place);
}

namespace {
/// What a buffer is for: of UB, loads and stores; of L1, operands of products, and what is neither,
/// results and bias.
struct Roles {
  bool isLoaded = false, isStored = false;
  bool isLeft = false, isRight = false, isSum = false;
};
} // namespace

static Roles getRoles(ascend::AllocOp alloc) {
  Roles roles;
  SmallVector<Value> views{alloc.getResult()};
  while (!views.empty()) {
    Value view = views.pop_back_val();
    for (Operation *user : view.getUsers()) {
      if (isa<ascend::SlotOp, ascend::SliceOp>(user))
        views.push_back(user->getResult(0));
      roles.isLoaded |= isa<ascend::CopyInOp>(user);
      roles.isStored |= isa<ascend::CopyOutOp>(user);
      roles.isSum |= isa<ascend::FixOutOp, ascend::LoadBiasOp>(user);
      if (isa<ascend::LoadFractalsOp, ascend::LoadTileOp, ascend::LoadSquaresOp>(user)) {
        auto type = cast<MemRefType>(user->getOperand(0).getType());
        bool isLeft = ascend::getSpace(type) == ascend::Space::L0A;
        roles.isLeft |= isLeft;
        roles.isRight |= !isLeft;
      }
    }
  }
  return roles;
}

/// Where the vendor expects a buffer to be declared.
static StringRef getPosition(ascend::AllocOp alloc) {
  Roles roles = getRoles(alloc);
  switch (alloc.getMemory()) {
  case LocalMemory::UB:
    return roles.isLoaded ? "VECIN" : roles.isStored ? "VECOUT" : "VECCALC";
  case LocalMemory::L1:
    return roles.isLeft ? "A1" : roles.isRight ? "B1" : roles.isSum ? "C1" : "A1";
  case LocalMemory::L0A:
    return "A2";
  case LocalMemory::L0B:
    return "B2";
  case LocalMemory::L0C:
    return "CO1";
  case LocalMemory::BT:
    return "C2";
  case LocalMemory::FP:
    return "C2PIPE2GM";
  }
  llvm_unreachable("all memories are listed");
}

void KernelEmitter::writeBuffers() {
  // By what the text says of a tensor; buffers whose names differ in a number alone, as those of
  // the taps of a band, are one where all of it is the same.
  std::map<std::string, std::string> tensors;
  for (ascend::AllocOp alloc : buffers) {
    auto type = cast<MemRefType>(alloc.getResult().getType());
    int64_t elements = alloc.getByteSize() / (type.getElementTypeBitWidth() / 8);
    StringRef base = alloc.getName().rtrim("0123456789");
    std::string element = getTypeName(type.getElementType())->str();
    std::string head = "AscendC::LocalTensor<" + element + "> ";
    std::string make =
        form == KernelForm::TaskType ? " = attn_text::MakeTensor<" + element + ">" : "";
    std::string place = (make + "(AscendC::TPosition::" + getPosition(alloc) + ", " +
                         Twine(*alloc.getAddress()) + ", " + Twine(elements) + ");")
                            .str();
    StringRef named = base.consume_back("_") ? base : alloc.getName();
    std::string &tensor = tensors[(Twine(head) + named + place).str()];
    if (tensor.empty()) {
      tensor = names.add(alloc.getName(), "buffer");
      writer.writeDeclaration(alloc.getLoc(), (Twine(head) + tensor + place).str());
    }
    places[alloc.getResult()] = {tensor, Expression::integer(0), ""};
  }
}

//===----------------------------------------------------------------------===//
// Body
//===----------------------------------------------------------------------===//

LogicalResult KernelEmitter::emit() {
  names.add(kernel.getName(), "");
  FailureOr<Signature> made = getSignature(kernel, names);
  if (failed(made))
    return failure();
  signature = std::move(*made);
  writer.indent();
  NameTable known = names;
  SmallVector<func::FuncOp, 2> functions = ascend::getFunctions(kernel);
  for (func::FuncOp each : functions)
    if (failed(functions.size() == 1 ? emitFunction() : emitHalf(each, known)))
      return failure();
  writer.outdent();
  writer.writeLine("}");
  writeHeader();
  os << body;
  return success();
}

LogicalResult KernelEmitter::emitFunction() {
  ranges = IndexRanges(function);
  if (failed(verifyEmission(function, ranges)))
    return failure();
  collectBuffers();
  orderOps();
  findUnusedOps();
  if (form == KernelForm::TaskType && isMixed())
    writer.writeLine(getInitialisation());
  writeArrays();
  writeBuffers();
  return emitBlock(function.getBody().front());
}

LogicalResult KernelEmitter::emitBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (!unused.contains(&op) && failed(emitOperation(op)))
      return failure();
  return success();
}

LogicalResult KernelEmitter::emitOperation(Operation &op) {
  if (isa<ascend::AllocOp>(op))
    return success();
  if (auto dim = dyn_cast<ascend::DimOp>(op))
    return emitArrayQuery(op, dim.getDimension());
  if (auto stride = dyn_cast<ascend::StrideOp>(op))
    return emitArrayQuery(op, stride.getDimension());
  if (auto address = dyn_cast<ascend::AddressOp>(op))
    return emitAddress(address), success();
  if (auto slot = dyn_cast<ascend::SlotOp>(op))
    return emitSlot(slot), success();
  if (auto slice = dyn_cast<ascend::SliceOp>(op))
    return emitSlice(slice), success();
  if (auto lookup = dyn_cast<ascend::LookupOp>(op))
    return emitLookup(lookup);
  if (auto load = dyn_cast<ascend::LoadIndexOp>(op))
    return emitLoadIndex(load), success();
  if (isa<ascend::BlockIdOp, ascend::CoreIdOp, ascend::SubBlockIdOp, ascend::BlockCountOp>(op))
    return emitId(op), success();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return emitFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return emitIf(branch);
  if (isa_and_nonnull<arith::ArithDialect>(op.getDialect()))
    return emitScalar(op);
  if (op.getName().getDialectNamespace() == "tile")
    return op.emitOpError("must be lowered first by convert-tile-to-ascend");
  if (auto product = dyn_cast<ascend::MmadOp>(op);
      product && product.getBias() && !getConstantIntValue(product.getInit()))
    return emitProductOrBias(product), success();
  FailureOr<std::string> call = getCall(op);
  if (failed(call))
    return failure();
  writer.writeStatement(op.getLoc(), *call + ";");
  return success();
}

LogicalResult KernelEmitter::emitArrayQuery(Operation &op, int64_t dimension) {
  Value array = op.getOperand(0);
  auto known = arrays.find(array);
  if (known == arrays.end())
    return op.emitOpError(
        "asks for an array that is neither an argument of the kernel nor a table's entry");
  const ArrayArgument &argument = signature.arrays[known->second];
  // An entry lacks the table's first dimension.
  if (argument.isTable && !isa<BlockArgument>(array))
    ++dimension;
  expressions[op.getResult(0)] = parseExpression(
      isa<ascend::DimOp>(op) ? argument.sizes[dimension] : argument.strides[dimension]);
  return success();
}

KernelEmitter::Place KernelEmitter::getElementPlace(Value array, OperandRange indices) {
  Place place = places.find(array)->second;
  auto known = arrays.find(array);
  for (auto [dimension, index] : llvm::enumerate(indices)) {
    Expression stride = Expression::integer(1); // of a view made by another address
    if (known != arrays.end()) {
      const ArrayArgument &argument = signature.arrays[known->second];
      stride = parseExpression(argument.strides[dimension + (argument.isTable ? 1 : 0)]);
    }
    place.offset = place.offset + get(index) * stride;
  }
  return place;
}

void KernelEmitter::emitAddress(ascend::AddressOp op) {
  Place place = getElementPlace(op.getArray(), op.getIndices());
  if (!op.getResult().hasOneUse() && place.offset.precedence != Precedence::Primary) {
    std::string name = names.add(place.tensor + "_offset", "offset");
    writer.writeStatement(op.getLoc(), "const int64_t " + name + " = " + place.offset.text + ";");
    place.offset = Expression::primary(name);
  }
  places[op.getResult()] = std::move(place);
}

void KernelEmitter::emitSlot(ascend::SlotOp op) {
  // Only allocations have two dimensions.
  auto alloc = op.getBuffer().getDefiningOp<ascend::AllocOp>();
  int64_t bytes = alloc.getResult().getType().getElementTypeBitWidth() / 8;
  Expression pitch = Expression::integer(alloc.getSlotPitchBytes() / bytes);
  places[op.getResult()] = {places.find(op.getBuffer())->second.tensor, get(op.getIndex()) * pitch,
                            ""};
}

/// The last offset that `op` may print, where its own may be as large as what it is a part of: an
/// instruction on no elements may begin at the end, but tensors have no element there, and debug
/// builds of the vendor's headers refuse to take one. Where offsets are data blocks, so is the
/// last.
std::optional<int64_t> KernelEmitter::getLastOffset(ascend::SliceOp op) const {
  auto type = cast<MemRefType>(op.getBuffer().getType());
  std::optional<int64_t> bound = ranges.getUpperBound(op.getOffset());
  if (!type.hasStaticShape() || !bound || *bound < type.getNumElements())
    return std::nullopt;
  int64_t perBlock = architecture::blockBytes * 8 / type.getElementTypeBitWidth();
  return type.getNumElements() - (isMultipleOf(op.getOffset(), perBlock) ? perBlock : 1);
}

void KernelEmitter::emitSlice(ascend::SliceOp op) {
  Place place = places.find(op.getBuffer())->second;
  Expression offset = get(op.getOffset());
  if (std::optional<int64_t> last = getLastOffset(op)) {
    std::string &name =
        clampedOffsets[{op->getBlock(), op.getOffset().getAsOpaquePointer(), *last}];
    if (name.empty()) {
      name = names.add(place.tensor + "_begin", "");
      Expression most = Expression::integer(*last);
      Expression isInside = binary(offset, "<", most, Precedence::Relational);
      writer.writeStatement(op.getLoc(), "const int64_t " + name + " = " +
                                             conditional(isInside, offset, most).text + ";");
    }
    offset = Expression::primary(name);
  }
  place.offset = place.offset + offset;
  places[op.getResult()] = std::move(place);
}

/// Named at once, so that memory is read where the kernel reads it, and once.
void KernelEmitter::emitLoadIndex(ascend::LoadIndexOp op) {
  Place place = getElementPlace(op.getArray(), op.getIndices());
  if (op.getWritten()) {
    const ArrayArgument &array = signature.arrays[arrays.lookup(op.getArray())];
    writer.writeStatement(op.getLoc(), "AscendC::DataCacheCleanAndInvalid<" + array.elementType +
                                           ", AscendC::CacheLine::SINGLE_CACHE_LINE, "
                                           "AscendC::DcciDst::CACHELINE_OUT>(" +
                                           place.tensor + "[" + place.offset.text + "]);");
  }
  Expression value =
      Expression::primary(place.tensor + ".GetValue(" + convertTo("uint64_t", place.offset) + ")");
  bind(op.getResult(), value, addLocalName(op.getResult(), "number"));
}

LogicalResult KernelEmitter::emitLookup(ascend::LookupOp op) {
  unsigned argument = arrays.lookup(op.getTable());
  const ArrayArgument &array = signature.arrays[argument];
  std::string address = places.find(op.getTable())->second.tensor + ".GetValue(" +
                        convertTo("uint64_t", get(op.getIndex())) + ")";
  addArray(op.getResult(), array.pointer + "_entry", "entry", [&](StringRef tensor) {
    writer.writeStatement(
        op.getLoc(), ("AscendC::GlobalTensor<" + array.elementType + "> " + tensor + ";").str());
    writer.writeStatement(op.getLoc(), (tensor + ".SetGlobalBuffer((__gm__ " + array.elementType +
                                        "*)" + address + ", " + getExtent(argument) + ");")
                                           .str());
  });
  arrays[op.getResult()] = argument;
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult KernelEmitter::declareVariable(Value value, Location location, Value init) {
  std::optional<StringRef> type = getTypeName(value.getType());
  if (!type || *type == "half" || *type == "bfloat16_t")
    return mlir::emitError(location)
           << "a value of type " << value.getType() << " cannot be carried in AscendC text";
  std::string name = addLocalName(value, "carried");
  writer.writeStatement(location, *type + " " + name + (init ? " = " + get(init).text : "") + ";");
  expressions[value] = Expression::primary(name);
  return success();
}

LogicalResult KernelEmitter::emitFor(scf::ForOp op) {
  if (op.getUnsignedCmp() || !getTypeName(op.getInductionVar().getType()))
    return op.emitOpError("cannot be printed as AscendC: not a loop over signed numbers");
  // The loop's name goes to what it counts with.
  Value induction = op.getInductionVar();
  std::string name = addLocalName(induction, "i");
  expressions[induction] = Expression::primary(name);
  for (auto [carried, init, result] :
       llvm::zip(op.getRegionIterArgs(), op.getInitArgs(), op.getResults())) {
    if (failed(declareVariable(carried, op.getLoc(), init)))
      return failure();
    expressions.insert({result, Expression(get(carried))});
  }
  const Expression &step = get(op.getStep());
  std::string advance = step.constant == 1 ? "++" + name : name + " += " + step.text;
  writer.writeStatement(op.getLoc(), "for (" + *getTypeName(induction.getType()) + " " + name +
                                         " = " + get(op.getLowerBound()).text + "; " + name +
                                         " < " + get(op.getUpperBound()).in(Precedence::Shift) +
                                         "; " + advance + ") {");
  writer.indent();
  if (failed(emitBlock(*op.getBody())) ||
      failed(emitYield(*op.getBody()->getTerminator(), op.getRegionIterArgs())))
    return failure();
  writer.outdent();
  writer.writeLine("}");
  return success();
}

LogicalResult KernelEmitter::emitIf(scf::IfOp op) {
  for (Value result : op.getResults())
    if (failed(declareVariable(result, op.getLoc(), /*init=*/nullptr)))
      return failure();
  writer.writeStatement(op.getLoc(), "if (" + get(op.getCondition()).text + ") {");
  writer.indent();
  if (failed(emitBlock(*op.thenBlock())) ||
      failed(emitYield(*op.thenBlock()->getTerminator(), op.getResults())))
    return failure();
  writer.outdent();
  Block *otherwise = op.elseBlock();
  if (otherwise && (op.getNumResults() != 0 || otherwise->getOperations().size() > 1)) {
    writer.writeLine("} else {");
    writer.indent();
    if (failed(emitBlock(*otherwise)) ||
        failed(emitYield(*otherwise->getTerminator(), op.getResults())))
      return failure();
    writer.outdent();
  }
  writer.writeLine("}");
  return success();
}

LogicalResult KernelEmitter::emitYield(Operation &yield, ValueRange variables) {
  // All values are taken before any variable changes.
  SmallVector<std::string> values;
  for (auto [value, variable] : llvm::zip(yield.getOperands(), variables)) {
    Expression next = get(value);
    if (variables.size() > 1 && !next.constant && next.text != get(variable).text) {
      std::string name = names.add("next_" + get(variable).text, "next");
      writer.writeStatement(yield.getLoc(), "const " + *getTypeName(value.getType()) + " " + name +
                                                " = " + next.text + ";");
      next = Expression::primary(name);
    }
    values.push_back(next.text);
  }
  for (auto [text, variable] : llvm::zip(values, variables))
    if (text != get(variable).text)
      writer.writeStatement(yield.getLoc(), get(variable).text + " = " + text + ";");
  return success();
}
