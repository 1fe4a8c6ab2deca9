// convert-tile-to-ascend: from tiles to buffers and instructions (between the tile and the ascend
// stage).
#include "attn/Conversion/TileToAscend/Passes.h"
#include "attn/Dialect/Ascend/IR/KernelKind.h"
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/TileOnChip/Lowering.h"
#include "llvm/ADT/StringSwitch.h"

namespace attn {
#define GEN_PASS_DEF_CONVERTTILETOASCENDPASS
#include "attn/Conversion/TileToAscend/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;

/// An array is a memref in gm whose strides are known when the kernel runs; only its last dimension
/// is contiguous for certain.
static MemRefType getArrayMemRef(ArrayRef<int64_t> shape, Type elementType) {
  MLIRContext *context = elementType.getContext();
  SmallVector<int64_t> strides(shape.size(), ShapedType::kDynamic);
  strides.back() = 1;
  return MemRefType::get(shape, elementType, StridedLayoutAttr::get(context, 0, strides),
                         ascend::SpaceAttr::get(context, ascend::Space::GM));
}

/// The type of a kernel's argument on the chip.
static Type convertArgumentType(Type type) {
  auto array = dyn_cast<tile::ArrayType>(type);
  if (!array)
    return type;
  if (!array.getTable())
    return getArrayMemRef(array.getShape(), array.getElementType());
  return ascend::TableType::get(
      type.getContext(), getArrayMemRef(array.getShape().drop_front(), array.getElementType()));
}

/// Products run on cube cores, all other tile ops on vector cores; the blocks of a kernel with
/// phases meet between them.
static ascend::KernelKind chooseKind(func::FuncOp kernel) {
  if (kernel->hasAttr(tile::mixedName))
    return ascend::KernelKind::Mixed;
  if (tile::hasProducts(kernel))
    return ascend::KernelKind::Cube;
  bool hasPhases = !kernel.getBody().getOps<tile::PhaseOp>().empty();
  return hasPhases ? ascend::KernelKind::MeetingVector : ascend::KernelKind::Vector;
}

/// Blocks of vector cores can meet.
static LogicalResult verifyPhases(func::FuncOp kernel) {
  auto phases = kernel.getBody().getOps<tile::PhaseOp>();
  if (phases.empty() || !tile::hasProducts(kernel))
    return success();
  return (*phases.begin())
      .emitOpError("lets the blocks of a kernel with products meet, which only vector cores can; "
                   "with phases=launches each phase is a kernel of its own");
}

/// The attributes of a function, with those of the tile stage replaced.
static SmallVector<NamedAttribute> convertAttributes(func::FuncOp function) {
  SmallVector<NamedAttribute> attributes;
  for (NamedAttribute attribute : function->getDiscardableAttrs()) {
    if (attribute.getName() == tile::mixedName)
      continue;
    StringRef name = llvm::StringSwitch<StringRef>(attribute.getName())
                         .Case("tile.kernel", "ascend.kernel")
                         .Case(tile::halfOfName, ascend::halfOfName)
                         .Default(attribute.getName());
    attributes.emplace_back(StringAttr::get(function.getContext(), name), attribute.getValue());
  }
  if (function->hasAttr("tile.kernel"))
    attributes.emplace_back(
        StringAttr::get(function.getContext(), ascend::kindName),
        ascend::KernelKindAttr::get(function.getContext(), chooseKind(function)));
  return attributes;
}

static bool isTileType(Type type) { return isa<tile::TileDialect>(type.getDialect()); }

/// Replaces `function` by what it is lowered to. Returns how many buffers that has.
static FailureOr<int64_t> convert(func::FuncOp function, const Chip &chip) {
  if (function->hasAttr("tile.symbols"))
    return function.emitError("has unbound block sizes: tile-fit-tiles must run first");
  if (llvm::any_of(function.getArgumentTypes(),
                   [](Type type) { return isTileType(convertArgumentType(type)); }) ||
      llvm::any_of(function.getResultTypes(), isTileType))
    return function.emitError("takes or returns tiles; only arrays and scalars cross its border");
  if (failed(verifyPhases(function)))
    return failure();
  onchip::ChipModel model(chip, function);
  FailureOr<onchip::BufferAssignment> assignment =
      onchip::BufferAssignment::create(function, model);
  if (failed(assignment))
    return failure();
  if (!function->hasAttr("tile.kernel") && !assignment->getBuffers().empty())
    return function.emitError("counts tiles on the host and cannot compute with them");
  OpBuilder builder(function);
  SmallVector<Type> types = llvm::map_to_vector(function.getArgumentTypes(), convertArgumentType);
  auto lowered = func::FuncOp::create(builder, function.getLoc(), function.getName(),
                                      builder.getFunctionType(types, function.getResultTypes()),
                                      convertAttributes(function));
  lowered.setVisibility(function.getVisibility());
  if (ArrayAttr attributes = function.getAllArgAttrs())
    lowered.setAllArgAttrs(attributes);
  SmallVector<Location> locations = llvm::map_to_vector(
      function.getArguments(), [](BlockArgument argument) { return argument.getLoc(); });
  Block *body = builder.createBlock(&lowered.getBody(), {}, types, locations);
  tile::RowLimits limits(function);
  if (failed(onchip::Lowering(model, *assignment, limits, body, function).lower())) {
    lowered.erase();
    return failure();
  }
  function.erase();
  return assignment->getBuffers().size();
}

/// Whether any type of the function belongs to the tile stage.
static bool usesTiles(func::FuncOp function) {
  return llvm::any_of(function.getArgumentTypes(), isTileType) ||
         function
             .walk([](Operation *op) {
               return isa_and_present<tile::TileDialect>(op->getDialect()) ? WalkResult::interrupt()
                                                                           : WalkResult::advance();
             })
             .wasInterrupted();
}

namespace {
struct ConvertTileToAscend : attn::impl::ConvertTileToAscendPassBase<ConvertTileToAscend> {
  void runOnOperation() override {
    FailureOr<Chip> chip = getTargetChip(getOperation());
    if (failed(chip))
      return signalPassFailure();
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      bool isKernel = function->hasAttr("tile.kernel");
      if (!isKernel && !usesTiles(function))
        continue;
      if (!isKernel && !function->hasAttr(launch::gridOfName)) {
        function.emitError("uses tiles, but is neither a kernel nor counts the tiles of one");
        return signalPassFailure();
      }
      FailureOr<int64_t> made = convert(function, *chip);
      if (failed(made))
        return signalPassFailure();
      buffers += *made;
    }
  }
};
} // namespace
