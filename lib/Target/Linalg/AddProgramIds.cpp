// The pass `linalg-add-program-ids`: kernels with the arguments of triton-ascend's programs.
#include "attn/Machine/LaunchDialect.h"
#include "attn/Machine/MachineDialect.h"
#include "attn/Target/Linalg/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace attn {
#define GEN_PASS_DEF_ADDPROGRAMIDSPASS
#include "attn/Target/Linalg/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace {

/// What a view selects of a flat array.
struct Selection {
  Value offset;
  SmallVector<OpFoldResult> sizes, strides;
};

/// Writes views of an array, and views of these, as casts of the flat array.
class FlatViews {
public:
  explicit FlatViews(Value base) : base(base), builder(base.getContext()) {}

  /// Replaces each user of `view` that selects a part or adds dimensions of size 1.
  void replaceUsers(Value view, const Selection &selection) {
    for (Operation *user : llvm::make_early_inc_range(view.getUsers())) {
      builder.setInsertionPoint(user);
      if (auto subview = dyn_cast<memref::SubViewOp>(user))
        replace(subview, select(selection, subview));
      else if (auto expand = dyn_cast<memref::ExpandShapeOp>(user))
        replace(expand, addUnits(selection, expand));
    }
  }

private:
  void replace(Operation *op, const Selection &selection) {
    Value old = op->getResult(0);
    replaceUsers(old, selection);
    if (!old.use_empty()) {
      builder.setInsertionPoint(op);
      // What copies take any layout: the types need not be the same.
      old.replaceAllUsesWith(createView(selection, op->getLoc()));
    }
    op->erase();
  }

  Value createView(const Selection &selection, Location loc) {
    SmallVector<int64_t> sizes, strides;
    SmallVector<Value> dynamic;
    dispatchIndexOpFoldResults(selection.sizes, dynamic, sizes);
    dispatchIndexOpFoldResults(selection.strides, dynamic, strides);
    auto layout = StridedLayoutAttr::get(base.getContext(), ShapedType::kDynamic, strides);
    auto type = MemRefType::get(sizes, cast<MemRefType>(base.getType()).getElementType(), layout);
    return memref::ReinterpretCastOp::create(builder, loc, type, base,
                                             OpFoldResult(selection.offset), selection.sizes,
                                             selection.strides);
  }

  Value getValue(OpFoldResult number, Location loc) {
    return getValueOrCreateConstantIndexOp(builder, loc, number);
  }

  OpFoldResult multiply(OpFoldResult lhs, OpFoldResult rhs, Location loc) {
    if (isOneInteger(lhs))
      return rhs;
    if (isOneInteger(rhs))
      return lhs;
    return arith::MulIOp::create(builder, loc, getValue(lhs, loc), getValue(rhs, loc)).getResult();
  }

  Selection select(const Selection &from, memref::SubViewOp view) {
    Location loc = view.getLoc();
    Selection result{from.offset, {}, {}};
    llvm::SmallBitVector dropped = view.getDroppedDims();
    for (unsigned dimension = 0; dimension < from.sizes.size(); ++dimension) {
      OpFoldResult stride = from.strides[dimension];
      OpFoldResult distance = multiply(view.getMixedOffsets()[dimension], stride, loc);
      if (!isZeroInteger(distance))
        result.offset = arith::AddIOp::create(builder, loc, result.offset, getValue(distance, loc));
      if (dropped.test(dimension))
        continue;
      result.sizes.push_back(view.getMixedSizes()[dimension]);
      result.strides.push_back(multiply(view.getMixedStrides()[dimension], stride, loc));
    }
    return result;
  }

  /// In a group of dimensions only one has another size than 1, so it has the group's stride; what
  /// the others have does not matter.
  Selection addUnits(const Selection &from, memref::ExpandShapeOp expand) {
    OpFoldResult one = builder.getIndexAttr(1);
    Selection result{from.offset, expand.getMixedOutputShape(), {}};
    result.strides.assign(result.sizes.size(), one);
    for (auto [group, stride] : llvm::zip(expand.getReassociationIndices(), from.strides))
      for (int64_t dimension : group)
        if (!isOneInteger(result.sizes[dimension]))
          result.strides[dimension] = stride;
    return result;
  }

  Value base;
  OpBuilder builder;
};

/// Puts new arguments before the old ones of a kernel, and takes the old ones away.
class ProgramEntry {
public:
  explicit ProgramEntry(func::FuncOp kernel)
      : kernel(kernel), body(kernel.getBody().front()), builder(OpBuilder::atBlockBegin(&body)),
        loc(kernel.getLoc()) {}

  LogicalResult add() {
    unsigned count = body.getNumArguments();
    auto isPlace = [&](unsigned number) { return body.getArgument(number).getType().isIndex(); };
    if (kernel.getNumResults() > 0 || count < 2 || !isPlace(count - 1) || !isPlace(count - 2))
      return kernel.emitOpError("does not take its block and their count last");
    SmallVector<BlockArgument> old(body.getArguments());
    for (BlockArgument argument : ArrayRef(old).drop_back(2))
      if (failed(replace(argument)))
        return failure();
    addPlaces(old[count - 2], old[count - 1]);
    body.eraseArguments(0, count);
    kernel.setArgAttrsAttr({});
    kernel.setFunctionType(builder.getFunctionType(body.getArgumentTypes(), {}));
    setAttributes();
    return success();
  }

private:
  LogicalResult replace(BlockArgument argument) {
    Type type = argument.getType();
    if (auto memref = dyn_cast<MemRefType>(type)) {
      // A list of tensors: its entries are casts of one array by their addresses.
      if (llvm::any_of(argument.getUsers(), llvm::IsaPred<memref::ReinterpretCastOp>))
        return emitError(argument.getLoc(),
                         "a list of tensors has no form for the vendor's compiler yet");
      replaceArray(argument, memref);
      return success();
    }
    if (type.isIndex()) {
      argument.replaceAllUsesWith(addIndex(argument.getLoc()));
      return success();
    }
    if (!type.isIntOrFloat())
      return kernel.emitOpError() << "takes an argument of type " << type
                                  << ", which programs cannot have";
    argument.replaceAllUsesWith(body.addArgument(type, argument.getLoc()));
    return success();
  }

  /// A 64-bit argument as an index.
  Value addIndex(Location at) {
    Value word = body.addArgument(builder.getI64Type(), at);
    return arith::IndexCastOp::create(builder, at, builder.getIndexType(), word);
  }

  void replaceArray(BlockArgument argument, MemRefType type) {
    Location at = argument.getLoc();
    Value base =
        body.addArgument(MemRefType::get({ShapedType::kDynamic}, type.getElementType()), at);
    auto getNumbers = [&](ArrayRef<int64_t> numbers) {
      SmallVector<OpFoldResult> result;
      for (int64_t number : numbers)
        result.push_back(ShapedType::isDynamic(number) ? OpFoldResult(addIndex(at))
                                                       : builder.getIndexAttr(number));
      return result;
    };
    Selection whole;
    whole.offset = arith::ConstantIndexOp::create(builder, at, 0);
    whole.sizes = getNumbers(type.getShape());
    whole.strides = getNumbers(type.getStridesAndOffset().first);
    FlatViews(base).replaceUsers(argument, whole);
    if (argument.use_empty())
      return;
    Value view = memref::ReinterpretCastOp::create(builder, at, type, base, builder.getIndexAttr(0),
                                                   whole.sizes, whole.strides);
    argument.replaceAllUsesWith(view);
  }

  /// Programs have three directions; blocks have one.
  void addPlaces(BlockArgument block, BlockArgument count) {
    for (BlockArgument first : {count, block}) {
      Value word = body.addArgument(builder.getI32Type(), loc);
      first.replaceAllUsesWith(
          arith::IndexCastOp::create(builder, loc, builder.getIndexType(), word).getResult());
      body.addArgument(builder.getI32Type(), loc);
      body.addArgument(builder.getI32Type(), loc);
    }
  }

  /// What triton-ascend writes; what only our own tools read goes away.
  void setAttributes() {
    SmallVector<StringAttr> names;
    for (NamedAttribute attribute : kernel->getDiscardableAttrs())
      names.push_back(attribute.getName());
    for (StringAttr name : names)
      kernel->removeAttr(name);
    kernel->setAttr("global_kernel", builder.getStringAttr("local"));
    kernel->setAttr("mix_mode", builder.getStringAttr("aiv"));
  }

  func::FuncOp kernel;
  Block &body;
  OpBuilder builder;
  Location loc;
};

struct AddProgramIds : attn::impl::AddProgramIdsPassBase<AddProgramIds> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (func::FuncOp function : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      if (function->hasAttr(attn::launch::afterName)) {
        function.emitOpError("is a second launch; the vendor's compiler takes one kernel per text");
        return signalPassFailure();
      }
      if (function->hasAttr(attn::launch::gridOfName))
        function.erase();
      else if (!function.isExternal() && failed(ProgramEntry(function).add()))
        return signalPassFailure();
    }
    module->removeAttr(attn::machine::targetName);
  }
};

} // namespace
