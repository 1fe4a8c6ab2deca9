// Writes one kernel as AscendC: signature, tensors at their planned addresses, loops and branches.
#include "KernelEmitter.h"
#include "VerifyEmission.h"
#include "attn/Launch/Convention/Description.h"
#include "attn/Machine/Architecture.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Iterators.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascendc;
using namespace attn::launch;

//===----------------------------------------------------------------------===//
// Before the text
//===----------------------------------------------------------------------===//

void KernelEmitter::collectBuffers() {
  kernel.walk([&](ascend::AllocOp alloc) {
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
  kernel->walk<WalkOrder::PreOrder>(
      [&](Operation *op) { programOrder.insert({op, programOrder.size()}); });
}

void KernelEmitter::findUnusedOps() {
  kernel->walk<WalkOrder::PostOrder, mlir::ReverseIterator>([&](Operation *op) {
    // What an index is expected to be is for the modelled chip alone.
    bool isRemovable = isMemoryEffectFree(op) || isa<ascend::ExpectIndexOp>(op);
    if (isRemovable && op->getNumRegions() == 0 && !op->hasTrait<OpTrait::IsTerminator>() &&
        llvm::all_of(op->getUsers(), [&](Operation *user) { return unused.contains(user); }))
      unused.insert(op);
  });
}

//===----------------------------------------------------------------------===//
// Head of the kernel
//===----------------------------------------------------------------------===//

/// Whether a statement of `body` has the word `name`.
static bool mentions(StringRef body, StringRef name) {
  auto isWord = [](char character) { return llvm::isAlnum(character) || character == '_'; };
  for (StringRef line : llvm::split(body, '\n')) {
    if (line.starts_with("#line") || line.ltrim().starts_with("//"))
      continue;
    for (size_t at = line.find(name); at != StringRef::npos; at = line.find(name, at + 1)) {
      size_t end = at + name.size();
      if ((at == 0 || !isWord(line[at - 1])) && (end == line.size() || !isWord(line[end])))
        return true;
    }
  }
  return false;
}

void KernelEmitter::writeHeader() {
  for (const std::string &line : describeKernel(kernel, signature))
    head.writeLine("// " + line);
  SmallVector<std::string> parameters;
  for (const Parameter &parameter : signature.parameters)
    parameters.push_back((parameter.getTypeName() + " " + parameter.name).str());
  bool hasMeeting = doBlocksMeet(kernel);
  // Blocks can only meet in a kernel that is declared mixed, here without cube cores.
  std::string kind = hasMeeting ? "__mix__(0, 1)" : "__vector__";
  if (form == KernelForm::TaskType)
    kind = "__aicore__";
  StringRef schedule = hasMeeting && waitsForCores ? "__schedmode__(1) " : "";
  std::string begin =
      ("extern \"C\" " + schedule + "__global__ " + kind + " void " + kernel.getName() + "(").str();
  head.writeDeclaration(kernel.getLoc(), begin + llvm::join(parameters, ", ") + ") {",
                        /*firstBreak=*/begin.size());
  head.indent();
  if (form == KernelForm::TaskType)
    head.writeLine(hasMeeting ? "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);"
                              : "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);");
  head.writeLine(form == KernelForm::TaskType ? "attn_text::InitSocState();"
                                              : "AscendC::InitSocState();");
  // The launcher passes all parameters, and compilers warn of those that nothing reads.
  for (const Parameter &parameter : signature.parameters)
    if (!mentions(body, parameter.name))
      head.writeLine("(void)" + parameter.name + ";");
}

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
  for (BlockArgument argument : kernel.getArguments()) {
    const ArrayArgument &array = signature.arrays[argument.getArgNumber()];
    if (array.pointer.empty()) {
      expressions[argument] = Expression::primary(signature.scalars[argument.getArgNumber()]);
      continue;
    }
    arrays[argument] = argument.getArgNumber();
    if (llvm::all_of(argument.getUsers(), llvm::IsaPred<ascend::DimOp, ascend::StrideOp>))
      continue;
    std::string tensor = names.add(array.pointer + (array.isTable ? "_table" : "_gm"), "gm");
    StringRef type = array.isTable ? StringRef("uint64_t") : StringRef(array.elementType);
    std::string elements = array.isTable
                               ? convertTo("uint64_t", Expression::primary(array.sizes[0]))
                               : getExtent(argument.getArgNumber());
    places[argument] = {tensor, Expression::integer(0)};
    writer.writeLine("AscendC::GlobalTensor<" + type + "> " + tensor + ";");
    writer.writeLine(tensor + ".SetGlobalBuffer((__gm__ " + type + "*)" + array.pointer + ", " +
                     elements + ");");
  }
}

/// Where the vendor expects a buffer to be declared: loads and stores have positions of their own.
static StringRef getPosition(ascend::AllocOp alloc) {
  bool isLoaded = false, isStored = false;
  SmallVector<Value> views{alloc.getResult()};
  while (!views.empty()) {
    Value view = views.pop_back_val();
    for (Operation *user : view.getUsers()) {
      if (isa<ascend::SlotOp, ascend::SliceOp>(user))
        views.push_back(user->getResult(0));
      isLoaded |= isa<ascend::CopyInOp>(user);
      isStored |= isa<ascend::CopyOutOp>(user);
    }
  }
  return isLoaded ? "VECIN" : isStored ? "VECOUT" : "VECCALC";
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
    std::string &tensor =
        tensors[head + (base.consume_back("_") ? base : alloc.getName()).str() + place];
    if (tensor.empty()) {
      tensor = names.add(alloc.getName(), "buffer");
      writer.writeDeclaration(alloc.getLoc(), head + tensor + place);
    }
    places[alloc.getResult()] = {tensor, Expression::integer(0)};
  }
}

//===----------------------------------------------------------------------===//
// Body
//===----------------------------------------------------------------------===//

LogicalResult KernelEmitter::emit() {
  if (failed(verifyEmission(kernel, ranges)))
    return failure();
  collectBuffers();
  names.add(kernel.getName(), "");
  FailureOr<Signature> made = getSignature(kernel, names);
  if (failed(made))
    return failure();
  signature = std::move(*made);
  orderOps();
  findUnusedOps();
  writer.indent();
  writeArrays();
  writeBuffers();
  if (failed(emitBlock(kernel.getBody().front())))
    return failure();
  writer.outdent();
  writer.writeLine("}");
  writeHeader();
  os << body;
  return success();
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
  // A block of a vector kernel is one core.
  if (isa<ascend::SubBlockIdOp>(op)) {
    bind(op.getResult(0), Expression::integer(0), names.add("subBlock", ""));
    return success();
  }
  if (isa<ascend::BlockIdOp, ascend::CoreIdOp, ascend::BlockCountOp>(op)) {
    bool isId = !isa<ascend::BlockCountOp>(op);
    Expression id = castTo("int64_t", Expression::primary("AscendC::GetBlockIdx()"));
    bind(op.getResult(0), isId ? id : Expression::primary(blockCountText),
         names.add(isId ? "block" : "blocks", ""));
    return success();
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return emitFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return emitIf(branch);
  if (isa_and_nonnull<arith::ArithDialect>(op.getDialect()))
    return emitScalar(op);
  if (op.getName().getDialectNamespace() == "tile")
    return op.emitOpError("must be lowered first by convert-tile-to-ascend");
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
  places[op.getResult()] = {places.find(op.getBuffer())->second.tensor, get(op.getIndex()) * pitch};
}

/// Whether `number` is known to be a multiple of `unit`.
static bool isMultipleOf(Value number, int64_t unit) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return *constant % unit == 0;
  auto isMultiple = [&](Value operand) { return isMultipleOf(operand, unit); };
  if (auto product = number.getDefiningOp<arith::MulIOp>())
    return llvm::any_of(product.getOperands(), isMultiple);
  auto sum = number.getDefiningOp<arith::AddIOp>();
  return sum && llvm::all_of(sum.getOperands(), isMultiple);
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
  std::string tensor = names.add(array.pointer + "_entry", "entry");
  writer.writeStatement(op.getLoc(),
                        "AscendC::GlobalTensor<" + array.elementType + "> " + tensor + ";");
  writer.writeStatement(op.getLoc(), tensor + ".SetGlobalBuffer((__gm__ " + array.elementType +
                                         "*)" + places.find(op.getTable())->second.tensor +
                                         ".GetValue(" + convertTo("uint64_t", get(op.getIndex())) +
                                         "), " + getExtent(argument) + ");");
  arrays[op.getResult()] = argument;
  places[op.getResult()] = {tensor, Expression::integer(0)};
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
