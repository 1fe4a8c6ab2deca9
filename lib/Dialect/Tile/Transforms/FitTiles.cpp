// tile-fit-tiles: binds block sizes so that a kernel fits local memory (tile stage).
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/Dialect/Tile/Analysis/OpForms.h"
#include "attn/Dialect/Tile/Transforms/Passes.h"
#include "attn/Dialect/Tile/Transforms/TileFitting.h"
#include "attn/Launch/IR/LaunchOrder.h"

namespace attn {
#define GEN_PASS_DEF_FITTILESPASS
#include "attn/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::tile;

/// Moves what a fitting made of a copy into the kernel itself, and binds the function that counts
/// its tiles. That one takes the same arguments, so workspaces that were added are added to it.
static void replaceBy(func::FuncOp kernel, Fitting &fitting) {
  func::FuncOp fitted = *fitting.kernel;
  kernel.getBody().takeBody(fitted.getBody());
  kernel->setAttrs(fitted->getAttrDictionary());
  func::FuncOp counter = launch::getCounter(kernel);
  if (!counter)
    return;
  bindSizes(counter, fitting.choice.sizes);
  for (unsigned number = counter.getNumArguments(); number < kernel.getNumArguments(); ++number)
    (void)counter.insertArgument(number, kernel.getArgument(number).getType(),
                                 kernel.getArgAttrDict(number),
                                 kernel.getArgument(number).getLoc());
}

/// Says what was given up so that the kernel fits.
static void remarkOnLosses(func::FuncOp kernel, const TileFitter &fitter, const FitChoice &choice) {
  kernel.walk(
      [&](Operation *op) {
        auto range = dyn_cast<RangeOp>(op);
        if (range && !range.getParallel() && range.getStages() > choice.maxRangeStages)
          emitRemark(op->getLoc())
              << "loads run " << choice.maxRangeStages << " and not " << range.getStages()
              << " iterations ahead, since more does not fit";
        bool isGrid = isa<GridOp>(op) || (range && range.getParallel());
        if (isGrid && choice.gridStages == 1 && !choice.stripColumns)
          emitRemark(op->getLoc())
              << "tiles of the grid are loaded one after the other: two do not fit";
      });
  if (!choice.stripColumns)
    return;
  emitRemark(kernel.getLoc()) << "rows "
                              << (fitter.mustHaveStrips() ? "are"
                                                          : "do not fit as a whole: they are")
                              << " computed with " << describe(choice);
  for (auto [row, isKept] : llvm::zip_equal(fitter.getCandidates(), choice.keep)) {
    StringRef fate = isKept                    ? "is kept whole in local memory"
                     : isa<BlockArgument>(row) ? "is spilled to a workspace in global memory"
                                               : "is computed again for every walk over the strips";
    emitRemark(row.getLoc()) << "'" << getSourceName(row) << "' " << fate;
  }
}

/// Says which transfers of a bound kernel go row by row.
static void remarkOnSingleRows(func::FuncOp kernel) {
  auto remark = [](Operation *op, TileType type, ArrayType array, ArrayRef<int64_t> kinds,
                   TransferForm form) {
    bool isOverTable = array.getTable() && kinds.front() == SpanIndex;
    if (type.getRowCount() > 1 && (isOverTable || form == TransferForm::StridedColumn))
      emitRemark(op->getLoc()) << "its " << type.getRowCount()
                               << " rows are transferred one by one: "
                               << (isOverTable ? "each lies in a tensor of its own"
                                               : "they are single elements apart in memory");
  };
  kernel.walk([&](Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op))
      remark(op, load.getResult().getType(), load.getArray().getType(), load.getKinds(),
             getSelection(load).form);
    if (auto store = dyn_cast<StoreOp>(op))
      remark(op, store.getValue().getType(), store.getArray().getType(), store.getKinds(),
             getSelection(store).form);
  });
}

/// The buffers alive at the position where they take the most bytes together.
static SmallVector<const TileBuffer *> getPeak(const BufferAssignment &assignment) {
  SmallVector<const TileBuffer *> peak;
  int64_t most = -1;
  for (const TileBuffer &at : assignment.getBuffers()) {
    SmallVector<const TileBuffer *> alive;
    int64_t bytes = 0;
    for (const TileBuffer &buffer : assignment.getBuffers())
      if (buffer.begin <= at.begin && at.begin <= buffer.end) {
        alive.push_back(&buffer);
        bytes += buffer.getBytes();
      }
    if (bytes > most) {
      most = bytes;
      peak = std::move(alive);
    }
  }
  return peak;
}

/// Nothing fits: says what the smallest choice needs, and which sizes would fit were they free.
static LogicalResult emitOverflow(func::FuncOp kernel, const Chip &chip, TileFitter &fitter,
                                  bool hasGivenSizes) {
  FailureOr<std::optional<Fitting>> smallest = fitter.findSmallest();
  if (failed(smallest))
    return failure();
  // Not at the op: its body would be printed before the notes.
  InFlightDiagnostic diagnostic = emitError(kernel.getLoc())
                                  << "kernel '" << kernel.getName() << "' does not fit: with "
                                  << describe((*smallest)->choice) << " it needs "
                                  << (*smallest)->bytes << " bytes of local memory (UB), and "
                                  << chip.name << " has " << chip.getUsableBytes(LocalMemory::UB);
  if (hasGivenSizes) {
    FailureOr<std::optional<Fitting>> free = TileFitter(kernel, chip).findLargest();
    if (failed(free))
      return failure();
    if (*free)
      diagnostic.attachNote() << "largest that fits: " << describe((*free)->choice);
  }
  for (const TileBuffer *buffer : getPeak((*smallest)->buffers))
    diagnostic.attachNote(buffer->loc)
        << "'" << buffer->name << "' takes " << buffer->getBytes() << " bytes ("
        << (buffer->slots > 1 ? std::to_string(buffer->slots) + " x " : "") << buffer->elements
        << " " << buffer->elementType << ")";
  return diagnostic;
}

namespace {
struct FitTiles : attn::impl::FitTilesPassBase<FitTiles> {
  using FitTilesPassBase::FitTilesPassBase;

  void runOnOperation() override {
    FailureOr<Chip> chip = getTargetChip(getOperation());
    FailureOr<SmallVector<func::FuncOp>> kernels = getKernels(getOperation());
    FailureOr<SmallVector<BoundSize>> given = parseSizes();
    if (failed(chip) || failed(kernels) || failed(given))
      return signalPassFailure();
    if (failed(checkSizes(*kernels, *given)))
      return signalPassFailure();
    for (func::FuncOp kernel : *kernels)
      if (failed(fitKernel(kernel, *chip, *given)))
        return signalPassFailure();
  }

private:
  FailureOr<SmallVector<BoundSize>> parseSizes() {
    SmallVector<BoundSize> given;
    for (StringRef text : sizes) {
      auto [symbol, number] = text.split('=');
      int64_t size;
      if (symbol.empty() || number.getAsInteger(10, size) || size < 1)
        return getOperation().emitError() << "size '" << text << "' is not of the form BT=2";
      given.push_back({StringAttr::get(&getContext(), symbol), size});
    }
    return given;
  }

  LogicalResult checkSizes(ArrayRef<func::FuncOp> kernels, ArrayRef<BoundSize> given) {
    for (const BoundSize &bound : given) {
      auto declares = [&](func::FuncOp kernel) {
        auto symbols = kernel->getAttrOfType<DictionaryAttr>("tile.symbols");
        return symbols && symbols.contains(bound.symbol);
      };
      if (llvm::none_of(kernels, declares))
        return getOperation().emitError() << "a size is given for '" << bound.symbol.getValue()
                                          << "', which no kernel leaves open";
    }
    return success();
  }

  LogicalResult fitKernel(func::FuncOp kernel, const Chip &chip, ArrayRef<BoundSize> given) {
    TileFitter fitter(kernel, chip, given, chip.isHost ? 0 : strips);
    if (failed(fitter.verify()))
      return failure();
    if (chip.isHost) {
      FailureOr<std::optional<Fitting>> fitting = fitter.apply(fitter.chooseForHost());
      if (failed(fitting))
        return failure();
      replaceBy(kernel, **fitting);
      return success();
    }
    if (printAlternatives)
      fitter.onAlternative = [&](const Fitting &fitting) {
        emitRemark(kernel.getLoc())
            << "alternative: " << describe(fitting.choice) << ", stages "
            << fitting.choice.gridStages << " and " << fitting.choice.maxRangeStages << ": "
            << fitting.bytes << " bytes, " << static_cast<int64_t>(fitting.cost.cycles)
            << " cycles, " << static_cast<int64_t>(fitting.cost.gmBytes) << " bytes moved";
      };
    FailureOr<std::optional<Fitting>> best = fitter.findBest();
    if (failed(best))
      return failure();
    if (!*best)
      return emitOverflow(kernel, chip, fitter, !given.empty());
    remarkOnLosses(kernel, fitter, (*best)->choice);
    remarkOnSingleRows(*(*best)->kernel);
    replaceBy(kernel, **best);
    return success();
  }
};
} // namespace
