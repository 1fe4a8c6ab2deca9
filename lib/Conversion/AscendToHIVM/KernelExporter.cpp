// Writes one kernel in the vendor's dialect: signature, memory at its planned addresses, loops and
// branches.
#include "KernelExporter.h"
#include "attn/Machine/Groups.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace attn;
using namespace attn::hivm;

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

LogicalResult KernelExporter::checkForm() {
  if (kernel.isExternal() || !kernel.getBody().hasOneBlock())
    return kernel.emitError() << "kernel '" << kernel.getName()
                              << "' must have a body of one block to be printed as HIVM";
  // The text ends as the IR does: the barrier that waits for everything is part of the sync.
  auto last =
      dyn_cast_or_null<ascend::BarrierOp>(kernel.getBody().front().getTerminator()->getPrevNode());
  if (!last || last.getPipe() != ascend::Pipe::ALL)
    return kernel.emitError() << "kernel '" << kernel.getName()
                              << "' does not end with 'ascend.barrier all': ascend-insert-sync "
                                 "must run first";
  return success();
}

LogicalResult KernelExporter::checkBuffers() {
  WalkResult result = kernel.walk([&](ascend::AllocOp alloc) -> WalkResult {
    if (!alloc.getAddress())
      return alloc.emitOpError("has no address: ascend-plan-memory must run first");
    // L0A, L0B and the bias table belong to the products, which name no place in them.
    if (alloc.getMemory() == LocalMemory::FP)
      return alloc.emitOpError() << "lies in " << getFacts(alloc.getMemory()).name
                                 << ", which no op of HIVM names";
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult KernelExporter::run() {
  if (failed(checkForm()) || failed(checkBuffers()))
    return failure();
  launch::NameTable names;
  FailureOr<launch::Signature> made = launch::getSignature(whole, names);
  if (failed(made))
    return failure();
  signature = std::move(*made);
  if (kernel == whole && failed(makeTaskTypeFunction()))
    return failure();
  makeFunction();
  mapArguments();
  if (failed(exportBlock(kernel.getBody().front())))
    return failure();
  func::ReturnOp::create(builder, kernel.getBody().front().getTerminator()->getLoc());
  // Equal numbers and views once; what nothing needs, not at all.
  IRRewriter rewriter(builder.getContext());
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
  (void)runRegionDCE(rewriter, function->getRegions());
  return success();
}

/// A function of the host that tells the vendor's launcher what kind of task the kernel is.
LogicalResult KernelExporter::makeTaskTypeFunction() {
  // What --hivm-insert-infer-task-type-func of bishengir-opt 1.2.0 gives for kernels of vector
  // cores, whether or not their blocks meet, of cube cores, and of groups of one and two.
  constexpr int64_t vectorTask = 10, cubeTask = 20, mixedTask = 32;
  int64_t task = isMixed ? mixedTask : isForCubes ? cubeTask : vectorTask;
  MLIRContext *context = builder.getContext();
  OpBuilder::InsertionGuard guard(builder);
  Location loc = kernel.getLoc();
  Type byte = builder.getI8Type();
  std::string name = (kernel.getName() + "_infer_task_type_function").str();
  if (Operation *other = kernel->getParentOfType<ModuleOp>().lookupSymbol(name))
    return other->emitError() << "has the name of a function that belongs to kernel '"
                              << kernel.getName() << "' in HIVM";
  auto function = func::FuncOp::create(builder, loc, name, builder.getFunctionType({}, byte));
  function->setAttr("hacc.function_kind",
                    hacc::FunctionKindAttr::get(context, hacc::FunctionKind::HOST));
  function->setAttr("hacc.host_func_type", hacc::HostFuncTypeAttr::get(
                                               context, hacc::HostFuncType::InferTaskTypeFunction));
  builder.setInsertionPointToStart(function.addEntryBlock());
  Value type = arith::ConstantOp::create(builder, loc, builder.getI8IntegerAttr(task));
  func::ReturnOp::create(builder, loc, type);
  return success();
}

/// The launcher's own argument first, then those of the signature.
void KernelExporter::makeFunction() {
  MLIRContext *context = builder.getContext();
  auto space = AddressSpaceAttr::get(context, AddressSpace::GM);
  bool hasFlags = launch::doCoresSignal(kernel);
  SmallVector<Type> types;
  SmallVector<Location> locations;
  SmallVector<bool> arePointers;
  auto add = [&](Type type, StringRef name, Location location) {
    types.push_back(type);
    locations.push_back(NameLoc::get(builder.getStringAttr(name), location));
    arePointers.push_back(isa<MemRefType>(type));
  };
  if (hasFlags)
    add(builder.getI64Type(), "ffts", kernel.getLoc());
  for (const launch::Parameter &parameter : signature.parameters) {
    Value argument = kernel.getArgument(parameter.argument);
    Type type = builder.getI64Type();
    if (parameter.kind == launch::Parameter::Kind::Pointer) {
      auto memory = dyn_cast<MemRefType>(argument.getType());
      Type element = memory ? memory.getElementType() : builder.getI64Type(); // or a table
      if (element.isUnsignedInteger()) // loads say how they read it
        element = builder.getIntegerType(element.getIntOrFloatBitWidth());
      type = MemRefType::get({ShapedType::kDynamic}, element, MemRefLayoutAttrInterface(), space);
    } else if (parameter.kind == launch::Parameter::Kind::Scalar && !argument.getType().isIndex()) {
      type = argument.getType();
    }
    add(type, parameter.name, argument.getLoc());
  }
  // The vendor's names for the halves of a kernel.
  StringRef suffix = !isMixed ? "" : isForCubes ? "_mix_aic" : "_mix_aiv";
  function = func::FuncOp::create(builder, kernel.getLoc(), (whole.getName() + suffix).str(),
                                  builder.getFunctionType(types, {}));
  if (isMixed)
    function->setAttr("hivm.part_of_mix", builder.getUnitAttr());
  function->setAttr("hacc.entry", builder.getUnitAttr());
  function->setAttr("hacc.function_kind",
                    hacc::FunctionKindAttr::get(context, hacc::FunctionKind::DEVICE));
  function->setAttr(
      "hivm.func_core_type",
      FuncCoreTypeAttr::get(context, isForCubes ? FuncCoreType::AIC : FuncCoreType::AIV));
  // Sizes are not known: pointers arrive as such, not as descriptors.
  auto bits = VectorType::get(static_cast<int64_t>(types.size()), builder.getI1Type());
  if (!types.empty())
    function->setAttr("func_dyn_memref_args", DenseElementsAttr::get(bits, arePointers));
  if (hasFlags)
    function.setArgAttr(0, "hacc.arg_type",
                        hacc::ArgTypeAttr::get(context, hacc::ArgType::FftsBaseAddress));
  builder.createBlock(&function.getBody(), {}, types, locations);
  if (hasFlags) {
    flagBase = function.getArgument(0);
    SetFftsBaseAddrOp::create(builder, kernel.getLoc(), flagBase);
  }
  SetMaskNormOp::create(builder, kernel.getLoc());
}

void KernelExporter::mapArguments() {
  for (auto [parameter, value] : llvm::zip_equal(
           signature.parameters, function.getArguments().drop_front(flagBase ? 1 : 0))) {
    BlockArgument argument = kernel.getArgument(parameter.argument);
    if (parameter.kind == launch::Parameter::Kind::Pointer) {
      places[argument] = {value, index(0)};
      arrays[argument] = parameter.argument;
    } else {
      Value number = value.getType().isF32() || argument.getType() == value.getType()
                         ? Value(value)
                         : toIndex(value);
      parameters[parameter.name] = number;
      if (parameter.kind == launch::Parameter::Kind::Scalar)
        scalars.map(argument, number);
    }
  }
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Value KernelExporter::index(int64_t number) {
  return arith::ConstantIndexOp::create(builder, kernel.getLoc(), number);
}

Value KernelExporter::word(int64_t number) {
  return arith::ConstantIntOp::create(builder, kernel.getLoc(), number, 64);
}

Value KernelExporter::add(Value lhs, Value rhs) {
  return builder.createOrFold<arith::AddIOp>(kernel.getLoc(), lhs, rhs);
}

Value KernelExporter::multiply(Value lhs, Value rhs) {
  return builder.createOrFold<arith::MulIOp>(kernel.getLoc(), lhs, rhs);
}

Value KernelExporter::toIndex(Value word) {
  return builder.createOrFold<arith::IndexCastOp>(word.getLoc(), builder.getIndexType(), word);
}

Value KernelExporter::toWord(Value index) {
  return builder.createOrFold<arith::IndexCastOp>(index.getLoc(), builder.getI64Type(), index);
}

Value KernelExporter::getNumber(StringRef text) {
  int64_t number;
  if (!text.getAsInteger(10, number))
    return index(number);
  if (text == launch::blockCountText)
    return toIndex(GetBlockNumOp::create(builder, kernel.getLoc(), builder.getI64Type()));
  return parameters.lookup(text);
}

KernelExporter::Amount KernelExporter::getAmount(Value index) {
  return {getConstantIntValue(index), scalars.lookup(index)};
}

//===----------------------------------------------------------------------===//
// Body
//===----------------------------------------------------------------------===//

LogicalResult KernelExporter::exportBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(exportOp(op)))
      return failure();
  return success();
}

LogicalResult KernelExporter::exportOp(Operation &op) {
  if (auto alloc = dyn_cast<ascend::AllocOp>(op)) {
    auto type = cast<MemRefType>(alloc.getResult().getType());
    places[alloc.getResult()] = {{}, word(*alloc.getAddress()), type.getShape().back()};
    return success();
  }
  if (auto dim = dyn_cast<ascend::DimOp>(op))
    return exportArrayQuery(op, dim.getDimension());
  if (auto stride = dyn_cast<ascend::StrideOp>(op))
    return exportArrayQuery(op, stride.getDimension());
  if (auto address = dyn_cast<ascend::AddressOp>(op))
    return exportAddress(address), success();
  if (auto slot = dyn_cast<ascend::SlotOp>(op))
    return exportSlot(slot), success();
  if (auto slice = dyn_cast<ascend::SliceOp>(op))
    return exportSlice(slice), success();
  if (auto lookup = dyn_cast<ascend::LookupOp>(op))
    return exportLookup(lookup);
  if (auto load = dyn_cast<ascend::LoadIndexOp>(op))
    return exportLoadIndex(load);
  if (isa<ascend::ExpectIndexOp, ascend::ExpectCountOp, ascend::ExpectDistinctOp>(op))
    return success();
  if (isa<ascend::BlockIdOp, ascend::CoreIdOp, ascend::SubBlockIdOp>(op))
    return exportId(op), success();
  if (isa<ascend::BlockCountOp>(op)) {
    scalars.map(op.getResult(0), getNumber(launch::blockCountText));
    return success();
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return exportFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return exportIf(branch);
  if (isa_and_nonnull<arith::ArithDialect>(op.getDialect()))
    return exportScalar(op);
  if (op.getName().getDialectNamespace() == "tile")
    return op.emitOpError("must be lowered first by convert-tile-to-ascend");
  return exportInstruction(op);
}

/// The block index is that of the group on all of its cores; elsewhere a block is one core.
void KernelExporter::exportId(Operation &op) {
  bool isOneOfTwo = isMixed && !isForCubes;
  auto getHalf = [&] {
    return toIndex(GetSubBlockIdxOp::create(builder, op.getLoc(), builder.getI64Type()));
  };
  if (isa<ascend::SubBlockIdOp>(op))
    return scalars.map(op.getResult(0), isOneOfTwo ? getHalf() : index(0));
  Value id = toIndex(GetBlockIdxOp::create(builder, op.getLoc(), builder.getI64Type()));
  if (isOneOfTwo && isa<ascend::CoreIdOp>(op))
    id = add(multiply(id, index(vectorCoresPerGroup)), getHalf());
  scalars.map(op.getResult(0), id);
}

LogicalResult KernelExporter::exportScalar(Operation &op) {
  for (TypeRange types : {TypeRange(op.getOperandTypes()), TypeRange(op.getResultTypes())})
    for (Type type : types)
      if (!type.isIntOrIndexOrFloat())
        return op.emitOpError() << "cannot be printed as HIVM: no scalar type for " << type;
  builder.clone(op, scalars);
  return success();
}

LogicalResult KernelExporter::exportArrayQuery(Operation &op, int64_t dimension) {
  Value array = op.getOperand(0);
  auto known = arrays.find(array);
  if (known == arrays.end())
    return op.emitOpError(
        "asks for an array that is neither an argument of the kernel nor a table's entry");
  const launch::ArrayArgument &argument = signature.arrays[known->second];
  // An entry lacks the table's first dimension.
  if (argument.isTable && !isa<BlockArgument>(array))
    ++dimension;
  scalars.map(op.getResult(0), getNumber(isa<ascend::DimOp>(op) ? argument.sizes[dimension]
                                                                : argument.strides[dimension]));
  return success();
}

KernelExporter::Place KernelExporter::getElementPlace(Value array, OperandRange indices) {
  Place place = places.lookup(array);
  auto known = arrays.find(array);
  for (auto [dimension, position] : llvm::enumerate(indices)) {
    Value distance = scalars.lookup(position);
    if (known != arrays.end()) { // a view made by another address is contiguous
      const launch::ArrayArgument &argument = signature.arrays[known->second];
      distance =
          multiply(distance, getNumber(argument.strides[dimension + (argument.isTable ? 1 : 0)]));
    }
    place.offset = add(place.offset, distance);
  }
  return place;
}

void KernelExporter::exportAddress(ascend::AddressOp op) {
  places[op.getResult()] = getElementPlace(op.getArray(), op.getIndices());
}

LogicalResult KernelExporter::exportLoadIndex(ascend::LoadIndexOp op) {
  if (op.getWritten())
    return op.emitOpError(
        "cannot be printed as HIVM: it reads what the kernel has written, and no op "
        "drops old lines of the scalar unit's cache");
  Place place = getElementPlace(op.getArray(), op.getIndices());
  Value value = memref::LoadOp::create(builder, op.getLoc(), place.array, place.offset);
  Type index = builder.getIndexType();
  bool isUnsigned = op.getArray().getType().getElementType().isUnsignedInteger();
  Value number = isUnsigned
                     ? Value(arith::IndexCastUIOp::create(builder, op.getLoc(), index, value))
                     : Value(arith::IndexCastOp::create(builder, op.getLoc(), index, value));
  scalars.map(op.getResult(), number);
  return success();
}

LogicalResult KernelExporter::exportLookup(ascend::LookupOp op) {
  auto known = arrays.find(op.getTable());
  if (known == arrays.end() || !isa<BlockArgument>(op.getTable()))
    return op.emitOpError("looks into a table that is not an argument of the kernel");
  unsigned argument = known->second;
  const launch::ArrayArgument &table = signature.arrays[argument];
  Value address = memref::LoadOp::create(builder, op.getLoc(), places.lookup(op.getTable()).array,
                                         scalars.lookup(op.getIndex()));
  // The place of the entry's last element, then one more.
  Value extent = index(1);
  for (size_t dimension = 1; dimension < table.sizes.size(); ++dimension)
    extent = add(extent, multiply(add(getNumber(table.sizes[dimension]), index(-1)),
                                  getNumber(table.strides[dimension])));
  auto space = AddressSpaceAttr::get(builder.getContext(), AddressSpace::GM);
  auto type = MemRefType::get({ShapedType::kDynamic},
                              cast<MemRefType>(op.getResult().getType()).getElementType(),
                              MemRefLayoutAttrInterface(), space);
  Value array = PointerCastOp::create(builder, op.getLoc(), type, address, ValueRange{extent});
  places[op.getResult()] = {array, index(0)};
  arrays[op.getResult()] = argument;
  return success();
}

void KernelExporter::exportSlot(ascend::SlotOp op) {
  Place place = places.lookup(op.getBuffer());
  auto alloc = op.getBuffer().getDefiningOp<ascend::AllocOp>();
  Value distance = multiply(toWord(scalars.lookup(op.getIndex())), word(alloc.getSlotPitchBytes()));
  place.offset = add(place.offset, distance);
  places[op.getResult()] = place;
}

void KernelExporter::exportSlice(ascend::SliceOp op) {
  Place place = places.lookup(op.getBuffer());
  int64_t bytes = cast<MemRefType>(op.getBuffer().getType()).getElementTypeBitWidth() / 8;
  Value distance = multiply(toWord(scalars.lookup(op.getOffset())), word(bytes));
  place.offset = add(place.offset, distance);
  place.elements -= getConstantIntValue(op.getOffset()).value_or(0);
  places[op.getResult()] = place;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

static LogicalResult verifyCarried(Operation *op, TypeRange types) {
  for (Type type : types)
    if (!type.isIntOrIndexOrFloat())
      return op->emitOpError() << "hands on " << type << ", which HIVM text cannot say";
  return success();
}

static SmallVector<Value> lookUp(IRMapping &mapping, ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) { return mapping.lookup(value); });
}

LogicalResult KernelExporter::exportFor(scf::ForOp op) {
  if (op.getUnsignedCmp())
    return op.emitOpError("cannot be printed as HIVM: not a loop over signed numbers");
  if (failed(verifyCarried(op, op.getResultTypes())))
    return failure();
  auto loop = scf::ForOp::create(builder, op.getLoc(), scalars.lookup(op.getLowerBound()),
                                 scalars.lookup(op.getUpperBound()), scalars.lookup(op.getStep()),
                                 lookUp(scalars, op.getInitArgs()));
  for (auto [old, argument] :
       llvm::zip_equal(op.getBody()->getArguments(), loop.getBody()->getArguments())) {
    argument.setLoc(old.getLoc());
    scalars.map(old, argument);
  }
  scalars.map(op.getResults(), loop.getResults());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  if (failed(exportBlock(*op.getBody())))
    return failure();
  if (op.getNumResults() != 0)
    scf::YieldOp::create(builder, op.getLoc(),
                         lookUp(scalars, op.getBody()->getTerminator()->getOperands()));
  return success();
}

LogicalResult KernelExporter::exportIf(scf::IfOp op) {
  if (failed(verifyCarried(op, op.getResultTypes())))
    return failure();
  auto branch = scf::IfOp::create(builder, op.getLoc(), op.getResultTypes(),
                                  scalars.lookup(op.getCondition()), op.elseBlock() != nullptr);
  scalars.map(op.getResults(), branch.getResults());
  OpBuilder::InsertionGuard guard(builder);
  for (auto [from, to] : {std::make_pair(op.thenBlock(), branch.thenBlock()),
                          std::make_pair(op.elseBlock(), branch.elseBlock())}) {
    if (!from)
      continue;
    builder.setInsertionPointToStart(to);
    if (failed(exportBlock(*from)))
      return failure();
    if (op.getNumResults() != 0)
      scf::YieldOp::create(builder, op.getLoc(),
                           lookUp(scalars, from->getTerminator()->getOperands()));
  }
  return success();
}
