// tile-choose: searches forms, sizes, stages and strips with which kernels fit local memory and are
// fast (tile on the chip).
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/Dialect/Tile/Analysis/Selection.h"
#include "attn/Dialect/Tile/Analysis/StripPlan.h"
#include "attn/Dialect/Tile/Transforms/Phases.h"
#include "attn/TileOnChip/Families/Transfers.h"
#include "attn/TileOnChip/Transforms/KernelSearch.h"
#include "attn/TileOnChip/Transforms/Passes.h"

namespace attn {
#define GEN_PASS_DEF_CHOOSEPASS
#include "attn/TileOnChip/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

/// Says what was given up so that the kernel fits.
static void remarkOnLosses(func::FuncOp kernel, SearchSpace &space, const SizeChoice &choice) {
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
              << (space.isOnCube
                      ? "sums of one tile of the grid leave L0C before those of the next begin: "
                        "two do not fit"
                      : "tiles of the grid are loaded one after the other: two do not fit");
      });
  if (!choice.stripColumns)
    return;
  emitRemark(kernel.getLoc()) << "rows "
                              << (space.mustHaveStrips() ? "are"
                                                         : "do not fit as a whole: they are")
                              << " computed with " << describe(choice);
  for (auto [row, isKept] : llvm::zip_equal(*space.findKeepableRows(), choice.keep)) {
    StringRef fate = isKept                    ? "is kept whole in local memory"
                     : isa<BlockArgument>(row) ? "is spilled to a workspace in global memory"
                                               : "is computed again for every sweep";
    emitRemark(row.getLoc()) << "'" << getSourceName(row) << "' " << fate;
  }
}

/// Says which transfers of a bound kernel go row by row.
static void remarkOnSingleRows(func::FuncOp kernel) {
  auto remark = [](auto op, TileType type) {
    ArrayRef<int64_t> kinds = op.getKinds();
    Value span = getRowSpan(kinds, op.getIndices());
    bool isOverTable = op.getArray().getType().getTable() && kinds.front() == SpanIndex;
    auto list = span ? span.getDefiningOp<ListRowsOp>() : ListRowsOp();
    bool isListed = list && list.getRun() == 1;
    bool isStrided = getTransferForm(op) == TransferForm::StridedColumn;
    if (type.getRowCount() > 1 && (isOverTable || isListed || isStrided))
      emitRemark(op->getLoc()) << "its " << type.getRowCount()
                               << " rows are transferred one by one: "
                               << (isOverTable ? "each lies in a tensor of its own"
                                   : isListed  ? "each lies where a list in memory says"
                                               : "they are single elements apart in memory");
  };
  kernel.walk([&](Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op))
      remark(load, load.getResult().getType());
    if (auto store = dyn_cast<StoreOp>(op))
      remark(store, store.getValue().getType());
  });
}

/// The buffers of a memory alive at the position where they take the most bytes together.
static SmallVector<const TileBuffer *> getPeak(const BufferAssignment &assignment,
                                               LocalMemory memory) {
  SmallVector<const TileBuffer *> peak;
  int64_t most = -1;
  for (const TileBuffer &at : assignment.getBuffers()) {
    SmallVector<const TileBuffer *> alive;
    int64_t bytes = 0;
    for (const TileBuffer &buffer : assignment.getBuffers())
      if (buffer.memory == memory && buffer.begin <= at.begin && at.begin <= buffer.end) {
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

/// Which option would help where nothing fits: what would fit were sizes and strips free, or why
/// strips are not possible.
static LogicalResult noteWhatHelps(func::FuncOp kernel, const Chip &chip,
                                   const SearchOptions &options, InFlightDiagnostic &diagnostic) {
  std::string reason;
  if (options.sizes.empty() && !options.strips) {
    if (!hasProducts(kernel) && !StripPlan::findCandidates(kernel, getRowWidth(kernel), reason))
      diagnostic.attachNote() << "shorter strips of its rows (strips=) are not possible: "
                              << reason;
    return success();
  }
  SizeSearch search(kernel, chip);
  search.getSpace().launchesPhases = options.launchesPhases;
  FailureOr<std::optional<Fitting>> free = search.findLargest();
  if (failed(free))
    return failure();
  if (*free)
    diagnostic.attachNote() << "largest that fits: " << describe((*free)->choice)
                            << (options.strips ? "; strips=0 lets the compiler choose" : "");
  return success();
}

/// Nothing fits: says what the smallest choice needs, and what would help.
static LogicalResult emitOverflow(func::FuncOp kernel, const Chip &chip, SizeSearch &search,
                                  const SearchOptions &options) {
  FailureOr<std::optional<Fitting>> smallest = search.findSmallest();
  if (failed(smallest))
    return failure();
  SmallVector<MemoryUse> uses = (*smallest)->getMemoryUse();
  const auto *use = llvm::find_if(
      uses, [&](const MemoryUse &of) { return of.bytes > chip.getUsableBytes(of.memory); });
  // Each of its memories would do: a rule of the search refuses it, not a memory.
  if (use == uses.end())
    return emitError(kernel.getLoc())
           << "kernel '" << kernel.getName() << "' has no sizes that the search takes, not even "
           << describe((*smallest)->choice);
  // Not at the op: its body would be printed before the notes.
  InFlightDiagnostic diagnostic = emitError(kernel.getLoc())
                                  << "kernel '" << kernel.getName() << "' does not fit: with "
                                  << describe((*smallest)->choice) << " it needs " << use->bytes
                                  << " bytes of local memory ("
                                  << getFacts(use->memory).name.upper() << "), and " << chip.name
                                  << " has " << chip.getUsableBytes(use->memory);
  if (failed(noteWhatHelps(kernel, chip, options, diagnostic)))
    return failure();
  for (const auto &assigned : (*smallest)->functions) {
    // Each memory belongs to one kind of core; another phase may need less of it.
    if (assigned->buffers.getBytes(use->memory) < use->bytes)
      continue;
    for (const TileBuffer *buffer : getPeak(assigned->buffers, use->memory))
      diagnostic.attachNote(buffer->loc)
          << "'" << buffer->name << "' takes " << buffer->getBytes() << " bytes ("
          << (buffer->slots > 1 ? std::to_string(buffer->slots) + " x " : "") << buffer->elements
          << " " << buffer->elementType << ")";
  }
  return diagnostic;
}

namespace {
struct Choose : attn::impl::ChoosePassBase<Choose> {
  using ChoosePassBase::ChoosePassBase;

  void runOnOperation() override {
    FailureOr<Chip> chip = getTargetChip(getOperation());
    FailureOr<SmallVector<func::FuncOp>> kernels = getKernels(getOperation());
    FailureOr<SmallVector<BoundSize>> fixed = parseSizes();
    FailureOr<bool> launchesPhases = readPhases(getOperation(), phases);
    if (failed(chip) || failed(kernels) || failed(fixed) || failed(launchesPhases) ||
        failed(checkSizes(*kernels, *fixed)))
      return signalPassFailure();
    SearchOptions options;
    options.forms["band"] = band.getValue();
    options.forms["softmax"] = softmax.getValue();
    options.sizes = std::move(*fixed);
    options.strips = chip->isHost ? 0 : strips;
    auto given = [](int64_t number) { return number < 0 ? std::nullopt : std::optional(number); };
    options.order = given(order);
    options.launchesPhases = *launchesPhases;
    options.isRecorded = printAlternatives || recordAlternatives;
    options.group = {given(preload),   given(lag),  given(slots),
                     given(stripRows), given(part), given(runOn)};
    for (func::FuncOp kernel : *kernels)
      if (failed(choose(kernel, *chip, options)))
        return signalPassFailure();
    // Kernels get attributes only; the search works on copies.
    markAllAnalysesPreserved();
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

  LogicalResult choose(func::FuncOp kernel, const Chip &chip, const SearchOptions &options) {
    KernelSearch search(kernel, chip, options);
    if (failed(search.run()))
      return failure();
    alternativesTried += search.countTried();
    report(kernel, search);
    if (!search.getBest())
      return emitOverflow(search.getKernel(), chip, search.getSizes(), options);
    const SizeChoice &sizes = search.getBest()->choice;
    if (!chip.isHost) {
      remarkOnLosses(search.getKernel(), search.getSizes().getSpace(), sizes);
      remarkOnSingleRows(search.getBest()->getKernel());
    }
    kernel->setAttr("tile.choice", getChoice(&getContext(), search.getForm("band"),
                                             search.getForm("softmax"), sizes));
    return success();
  }

  void report(func::FuncOp kernel, KernelSearch &search) {
    if (recordAlternatives)
      kernel->setAttr("tile.alternatives", search.getRecord().getAttribute(&getContext()));
    if (!printAlternatives)
      return;
    std::string table;
    llvm::raw_string_ostream stream(table);
    search.getRecord().print(stream, describeShape(search.getKernel()));
    emitRemark(kernel.getLoc()) << table;
  }
};
} // namespace
