// The pass `linalg-add-program-ids`: kernels with the arguments of triton-ascend's programs.
#include "FlatViews.h"
#include "attn/Dialect/HIVM/IR/HIVM.h"
#include "attn/Launch/IR/LaunchDialect.h"
#include "attn/Machine/MachineDialect.h"
#include "attn/Target/Linalg/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace attn {
#define GEN_PASS_DEF_ADDPROGRAMIDSPASS
#include "attn/Target/Linalg/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;

namespace {

/// The type of an array that sizes and strides describe; null for any other.
MemRefType getArrayType(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  bool holds = memref && memref.getElementType().isIntOrFloat() && memref.isStrided() &&
               memref.getStridesAndOffset().second == 0;
  return holds ? memref : MemRefType();
}

/// Whether an argument holds the addresses of a list of tensors; arrays of 64 bits have a layout.
/// The next argument has the sizes and strides that all of them have, and address 0.
bool isTable(Type type) {
  MemRefType array = getArrayType(type);
  return array && array.getElementType().isInteger(64) &&
         !isa<StridedLayoutAttr>(array.getLayout());
}

/// The address of an entry, of which `convert-tile-to-linalg` makes a distance from address 0; null
/// where `cast` is something else.
Value getAddress(memref::ReinterpretCastOp cast) {
  auto offset = dyn_cast<Value>(cast.getMixedOffsets().front());
  auto distance = offset ? offset.getDefiningOp<arith::DivUIOp>() : arith::DivUIOp();
  auto bytes =
      distance ? distance.getLhs().getDefiningOp<arith::IndexCastOp>() : arith::IndexCastOp();
  int64_t size = cast.getType().getElementTypeBitWidth() / 8;
  bool isAddress = bytes && bytes.getIn().getType().isInteger(64) &&
                   getConstantIntValue(distance.getRhs()) == size;
  return isAddress ? bytes.getIn() : Value();
}

/// Kernels take their block and the count of blocks last.
LogicalResult verifyPlaces(func::FuncOp kernel) {
  ArrayRef<Type> types = kernel.getArgumentTypes();
  auto isPlace = [](Type type) { return type.isIndex(); };
  bool holds =
      kernel.getNumResults() == 0 && types.size() >= 2 && llvm::all_of(types.take_back(2), isPlace);
  return holds ? success() : kernel.emitOpError("does not take its block and their count last");
}

/// Puts a block with new arguments before a kernel's, in which it makes of them what stood for the
/// old ones; then both become one.
class ProgramEntry {
public:
  explicit ProgramEntry(func::FuncOp kernel)
      : kernel(kernel), builder(kernel.getContext()), body(kernel.getBody().front()),
        entry(*builder.createBlock(&kernel.getBody(), kernel.getBody().begin())),
        loc(kernel.getLoc()) {}

  LogicalResult add() {
    SmallVector<BlockArgument> old(body.getArguments());
    unsigned count = old.size();
    bool hasMeeting = !body.getOps<hivm::SyncBlockOp>().empty();
    if (hasMeeting)
      addFlagBase();
    bool multiplies = hasOp(llvm::IsaPred<linalg::MatmulOp>);
    bool isMixed = multiplies && hasOp(isForVectorCores);
    if (isMixed)
      addWorkspace();
    for (unsigned number = 0; number < count - 2; ++number) {
      bool hasEntries = isTable(old[number].getType());
      if (failed(hasEntries ? replaceTable(old[number], old[number + 1]) : replace(old[number])))
        return failure();
      number += hasEntries;
    }
    addPlaces(old[count - 2], old[count - 1]);
    entry.getOperations().splice(entry.end(), body.getOperations());
    body.erase();
    setAttributes(hasMeeting);
    // Products run on cube cores, and the vendor's compiler decides what else does.
    kernel->setAttr("mix_mode", builder.getStringAttr(multiplies ? "mix" : "aiv"));
    if (isMixed)
      kernel->setAttr("WorkspaceArgIdx", builder.getI64IntegerAttr(hasMeeting ? 1 : 0));
    return success();
  }

private:
  bool hasOp(function_ref<bool(Operation *)> condition) {
    return body
        .walk([&](Operation *op) {
          return condition(op) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Arithmetic on tiles that does not go with a product: sums are converted on their way out.
  static bool isForVectorCores(Operation *op) {
    if (isa<linalg::MatmulOp, linalg::FillOp, linalg::TransposeOp, arith::TruncFOp, arith::ExtFOp,
            arith::ConstantOp>(op))
      return false;
    bool isComputed = isa<linalg::LinalgOp>(op) ||
                      isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect());
    return isComputed && llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
  }

  /// Cube and vector cores pass tiles to each other in memory that the vendor's launcher gives, as
  /// much of it as its compiler says.
  void addWorkspace() {
    entry.addArgument(MemRefType::get({ShapedType::kDynamic}, builder.getI8Type()), loc);
  }

  LogicalResult replace(BlockArgument argument) {
    Type type = argument.getType();
    if (MemRefType array = getArrayType(type)) {
      replaceArray(argument, array);
      return success();
    }
    if (type.isIndex()) {
      argument.replaceAllUsesWith(addIndex(argument.getLoc()));
      return success();
    }
    if (!type.isIntOrFloat())
      return kernel.emitOpError() << "takes an argument of type " << type
                                  << ", which programs cannot have";
    argument.replaceAllUsesWith(entry.addArgument(type, argument.getLoc()));
    return success();
  }

  /// A 64-bit argument as an index.
  Value addIndex(Location at) {
    Value word = entry.addArgument(builder.getI64Type(), at);
    return arith::IndexCastOp::create(builder, at, builder.getIndexType(), word);
  }

  SmallVector<OpFoldResult> getNumbers(ArrayRef<int64_t> numbers, Location at) {
    SmallVector<OpFoldResult> result;
    for (int64_t number : numbers)
      result.push_back(ShapedType::isDynamic(number) ? OpFoldResult(addIndex(at))
                                                     : builder.getIndexAttr(number));
    return result;
  }

  /// All of an array, by arguments of its own where its sizes and strides are not numbers; these
  /// are what `Selection` returns.
  Selection addShape(BlockArgument argument, MemRefType type) {
    Location at = argument.getLoc();
    Selection whole;
    whole.offset = arith::ConstantIndexOp::create(builder, at, 0);
    whole.sizes = getNumbers(type.getShape(), at);
    whole.strides = getNumbers(type.getStridesAndOffset().first, at);
    SmallVector<Value> numbers = {whole.offset};
    for (OpFoldResult number : llvm::concat<OpFoldResult>(whole.sizes, whole.strides))
      numbers.push_back(getValueOrCreateConstantIndexOp(builder, at, number));
    for (Operation *user : llvm::make_early_inc_range(argument.getUsers()))
      replaceQuestion(user, numbers);
    return whole;
  }

  /// Answers an op that asks for sizes or strides: `numbers` are offset, sizes, strides.
  static void replaceQuestion(Operation *op, ArrayRef<Value> numbers) {
    if (auto dim = dyn_cast<memref::DimOp>(op)) {
      std::optional<int64_t> dimension = dim.getConstantIndex();
      if (!dimension || *dimension < 0 || *dimension >= static_cast<int64_t>(numbers.size() / 2))
        return;
      dim.replaceAllUsesWith(numbers[1 + *dimension]);
      dim.erase();
    } else if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op)) {
      for (auto [old, number] : llvm::zip(metadata.getResults().drop_front(), numbers))
        old.replaceAllUsesWith(number);
      if (metadata.use_empty())
        metadata.erase();
    }
  }

  void replaceArray(BlockArgument argument, MemRefType type) {
    Location at = argument.getLoc();
    Value base =
        entry.addArgument(MemRefType::get({ShapedType::kDynamic}, type.getElementType()), at);
    Selection whole = addShape(argument, type);
    FlatViews(base).replaceUsers(argument, whole);
    if (argument.use_empty())
      return;
    if (type != base.getType())
      base = memref::ReinterpretCastOp::create(builder, at, type, base, builder.getIndexAttr(0),
                                               whole.sizes, whole.strides);
    argument.replaceAllUsesWith(base);
  }

  /// A list of tensors: addresses, and what every entry looks like. Nothing lies at address 0, so
  /// that argument has no array.
  LogicalResult replaceTable(BlockArgument table, BlockArgument entries) {
    MemRefType type = getArrayType(entries.getType());
    if (!type)
      return kernel.emitOpError("takes addresses of tensors, but not what these look like");
    replaceArray(table, cast<MemRefType>(table.getType()));
    Selection whole = addShape(entries, type);
    Value extent = addExtent(whole, entries.getLoc());
    auto space = hivm::AddressSpaceAttr::get(builder.getContext(), hivm::AddressSpace::GM);
    auto flat = MemRefType::get({ShapedType::kDynamic}, type.getElementType(),
                                MemRefLayoutAttrInterface(), space);
    for (Operation *user : llvm::make_early_inc_range(entries.getUsers())) {
      auto tensor = dyn_cast<memref::ReinterpretCastOp>(user);
      Value address = tensor ? getAddress(tensor) : Value();
      if (!address)
        return user->emitOpError("uses a list of tensors, but not by the address of an entry");
      OpBuilder inside(tensor);
      Value base = hivm::PointerCastOp::create(inside, tensor.getLoc(), flat, address, extent);
      FlatViews(base).replace(tensor,
                              {whole.offset, tensor.getMixedSizes(), tensor.getMixedStrides()});
    }
    return success();
  }

  /// The elements from the first to the last of a selection.
  Value addExtent(const Selection &whole, Location at) {
    auto getValue = [&](OpFoldResult number) {
      return getValueOrCreateConstantIndexOp(builder, at, number);
    };
    Value one = arith::ConstantIndexOp::create(builder, at, 1), extent = one;
    for (auto [size, stride] : llvm::zip(whole.sizes, whole.strides)) {
      Value last = arith::SubIOp::create(builder, at, getValue(size), one);
      Value distance = arith::MulIOp::create(builder, at, last, getValue(stride));
      extent = arith::AddIOp::create(builder, at, extent, distance);
    }
    return extent;
  }

  /// Cores meet by flags, and these lie where the launcher says. The vendor's compiler would add
  /// this argument, but not the first statement of such a kernel.
  void addFlagBase() {
    Value base = entry.addArgument(builder.getI64Type(), loc);
    hivm::SetFftsBaseAddrOp::create(builder, loc, base);
  }

  /// Programs have three directions; blocks have one.
  void addPlaces(BlockArgument block, BlockArgument count) {
    for (BlockArgument first : {count, block}) {
      Value word = entry.addArgument(builder.getI32Type(), loc);
      first.replaceAllUsesWith(
          arith::IndexCastOp::create(builder, loc, builder.getIndexType(), word).getResult());
      entry.addArgument(builder.getI32Type(), loc);
      entry.addArgument(builder.getI32Type(), loc);
    }
  }

  /// What triton-ascend writes; what only our own tools read goes away.
  void setAttributes(bool hasMeeting) {
    kernel.setArgAttrsAttr({});
    kernel.setFunctionType(builder.getFunctionType(entry.getArgumentTypes(), {}));
    if (hasMeeting)
      kernel.setArgAttr(
          0, "hacc.arg_type",
          hacc::ArgTypeAttr::get(builder.getContext(), hacc::ArgType::FftsBaseAddress));
    SmallVector<StringAttr> names;
    for (NamedAttribute attribute : kernel->getDiscardableAttrs())
      names.push_back(attribute.getName());
    for (StringAttr name : names)
      kernel->removeAttr(name);
    kernel->setAttr("global_kernel", builder.getStringAttr("local"));
  }

  func::FuncOp kernel;
  OpBuilder builder;
  Block &body, &entry;
  Location loc;
};

struct AddProgramIds : attn::impl::AddProgramIdsPassBase<AddProgramIds> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (func::FuncOp function : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      if (function->hasAttr(launch::afterName)) {
        function.emitOpError("is a second launch: linalg-join-phases must run first");
        return signalPassFailure();
      }
      if (function->hasAttr(launch::gridOfName))
        function.erase();
      else if (!function.isExternal() &&
               (failed(verifyPlaces(function)) || failed(ProgramEntry(function).add())))
        return signalPassFailure();
    }
    module->removeAttr(machine::targetName);
  }
};

} // namespace
