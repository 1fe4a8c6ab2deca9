// ascend-expand-composites: writes composite ops out as calls of the chip (first pass of the ascend
// stage).
#include "MatmulExpansion.h"
#include "Slices.h"
#include "attn/Dialect/Ascend/Analysis/Kernel.h"
#include "attn/Dialect/Ascend/IR/Ascend.h"
#include "attn/Dialect/Ascend/Transforms/Passes.h"
#include "attn/Machine/Architecture.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace attn {
#define GEN_PASS_DEF_EXPANDCOMPOSITESPASS
#include "attn/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

namespace {

/// Composites compute on f32: elements of a data block and of a repeat.
constexpr int64_t perBlock = architecture::getElementsPerBlock(sizeof(float));
constexpr int64_t lanes = architecture::getLanes(sizeof(float));
/// A loop with a known count up to this is written out: slices of rows of 512 elements. Where they
/// begin is known then, so that no barrier keeps them apart.
constexpr int64_t unrollLimit = 8;

/// Elements from the start of a view to the end of its buffer, where that is known.
std::optional<int64_t> getElementsLeft(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.hasStaticShape())
    return type.getNumElements();
  auto slice = buffer.getDefiningOp<SliceOp>();
  if (!slice)
    return std::nullopt;
  std::optional<int64_t> whole = getElementsLeft(slice.getBuffer());
  return whole ? std::optional(*whole - getConstantIntValue(slice.getOffset()).value_or(0))
               : std::nullopt;
}

/// Rows of values in a buffer: `values` real ones per row, rows `pitch` apart.
struct Rows {
  Value buffer;
  int64_t values;
  int64_t pitch;
};

/// Writes out one composite. All rows share `rows`, a runtime number of at most `maxRows`.
class Writer {
public:
  Writer(Operation *op, const Chip &chip, const IndexRanges &ranges)
      : builder(op), location(op->getLoc()), chip(chip), ranges(ranges) {}

  LogicalResult write(RowReduceOp op);
  LogicalResult write(RowBinaryOp op) { return rowBroadcast(op); }
  LogicalResult write(RowMulAddOp op) { return rowBroadcast(op); }
  LogicalResult write(ColBinaryOp op);

private:
  /// Sets the rows of the composite; fails where the buffers (with their elements per row) hold
  /// none or no bound is known.
  LogicalResult setRows(Operation *op, Value count, ArrayRef<std::pair<Value, int64_t>> buffers);

  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, location, value); }
  Value add(Value a, Value b) { return builder.createOrFold<arith::AddIOp>(location, a, b); }
  Value scale(Value value, int64_t by) {
    return builder.createOrFold<arith::MulIOp>(location, value, constant(by));
  }
  Value slice(Value buffer, Value offset) { return createSlice(builder, location, buffer, offset); }

  /// Calls `body(first, amount)` for `count` things, at most `step` at a time.
  void forEach(Value count, int64_t most, int64_t step, function_ref<void(Value, Value)> body);
  void forEachRow(int64_t step, function_ref<void(Value, Value)> body) {
    forEach(rows, maxRows, step, body);
  }
  /// Calls `body(first, mask, repeats)` for the repeats of `values` contiguous values, `most` at a
  /// time.
  void forEachRepeat(int64_t values, int64_t most, function_ref<void(Value, int64_t, Value)> body);

  void blockReduce(ReduceKind kind, const Rows &to, const Rows &from);
  void reduceEights(ReduceKind kind, Value dst, Value eights);
  void foldBlocks(ReduceKind kind, Value eights, const Rows &from);
  bool reduceBlocks(RowReduceOp op, Value eights, const Rows &from);
  template <typename Op> LogicalResult rowBroadcast(Op op);
  void apply(RowBinaryOp op, Value dst, Value src, Value block, Value repeats, int64_t mask,
             ArrayRef<int64_t> strides) {
    BinaryOp::create(builder, location, op.getKind(), dst, src, block, repeats,
                     builder.getI64IntegerAttr(mask), builder.getDenseI64ArrayAttr(strides));
  }
  void apply(RowMulAddOp, Value dst, Value src, Value block, Value repeats, int64_t mask,
             ArrayRef<int64_t> strides) {
    MulAddOp::create(builder, location, dst, src, block, repeats, builder.getI64IntegerAttr(mask),
                     builder.getDenseI64ArrayAttr(strides));
  }
  bool fitsRepeatStride(int64_t pitch) { return pitch / perBlock <= chip.maxRepeatStride; }
  /// Instructions that apply to 64 columns of all rows, or to one row at a time.
  bool isCheaperBySlices(int64_t values, int64_t pitch, int64_t instructionsPerRow) {
    return fitsRepeatStride(pitch) &&
           llvm::divideCeil(values, lanes) * llvm::divideCeil(maxRows, chip.maxRepeats) <
               static_cast<uint64_t>(maxRows) * instructionsPerRow;
  }
  int64_t countRepeatInstructions(int64_t values) {
    return llvm::divideCeil(values / lanes, chip.maxRepeats) + (values % lanes != 0);
  }

  OpBuilder builder;
  Location location;
  const Chip &chip;
  const IndexRanges &ranges;
  Value rows;
  int64_t maxRows = 0;
};

LogicalResult Writer::setRows(Operation *op, Value count,
                              ArrayRef<std::pair<Value, int64_t>> buffers) {
  rows = count;
  std::optional<int64_t> bound = ranges.getUpperBound(count);
  for (auto [buffer, perRow] : buffers)
    if (std::optional<int64_t> elements = getElementsLeft(buffer))
      bound = bound ? std::min(*bound, *elements / perRow) : *elements / perRow;
  if (!bound)
    return op->emitOpError("has neither a bound on its rows nor a buffer of known size");
  if (std::optional<int64_t> known = getConstantIntValue(count); *bound < known.value_or(1))
    return op->emitOpError() << "has a buffer that does not hold " << known.value_or(1) << " rows";
  maxRows = *bound;
  return success();
}

void Writer::forEach(Value count, int64_t most, int64_t step,
                     function_ref<void(Value, Value)> body) {
  if (most <= step)
    return body(constant(0), count);
  std::optional<int64_t> known = getConstantIntValue(count);
  if (known && llvm::divideCeil(*known, step) <= unrollLimit) {
    for (int64_t first = 0; first < *known; first += step)
      body(constant(first), constant(std::min(step, *known - first)));
    return;
  }
  auto loop = scf::ForOp::create(builder, location, constant(0), count, constant(step));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value amount = constant(step);
  if (step != 1) {
    Value left = arith::SubIOp::create(builder, location, count, loop.getInductionVar());
    amount = arith::MinSIOp::create(builder, location, amount, left);
  }
  body(loop.getInductionVar(), amount);
}

void Writer::forEachRepeat(int64_t values, int64_t most,
                           function_ref<void(Value, int64_t, Value)> body) {
  int64_t full = values / lanes, tail = values % lanes;
  if (full != 0)
    forEach(constant(full), full, most,
            [&](Value first, Value repeats) { body(scale(first, lanes), lanes, repeats); });
  if (tail != 0)
    body(constant(full * lanes), tail, constant(1));
}

/// Folds every eight values of each row into one.
void Writer::blockReduce(ReduceKind kind, const Rows &to, const Rows &from) {
  int64_t full = from.values / lanes;
  auto emit = [&](Value toOffset, Value fromOffset, int64_t mask, Value repeats, int64_t toStride,
                  int64_t fromStride) {
    BlockReduceOp::create(builder, location, kind, slice(to.buffer, toOffset),
                          slice(from.buffer, fromOffset), mask, repeats,
                          ArrayRef<int64_t>{toStride, 1, fromStride});
  };
  bool isContiguous =
      from.values % lanes == 0 && from.pitch == from.values && full <= chip.maxRepeats;
  if (isContiguous)
    return forEachRow(chip.maxRepeats / full, [&](Value first, Value count) {
      emit(scale(first, to.pitch), scale(first, from.pitch), lanes, scale(count, full), 1,
           perBlock);
    });
  if (isCheaperBySlices(from.values, from.pitch, countRepeatInstructions(from.values)))
    return forEachRepeat(from.values, 1, [&](Value column, int64_t mask, Value) {
      Value block = builder.createOrFold<arith::DivUIOp>(location, column, constant(perBlock));
      forEachRow(chip.maxRepeats, [&](Value first, Value count) {
        emit(add(scale(first, to.pitch), block), add(scale(first, from.pitch), column), mask, count,
             to.pitch / perBlock, from.pitch / perBlock);
      });
    });
  forEachRow(1, [&](Value row, Value) {
    forEachRepeat(from.values, chip.maxRepeats, [&](Value column, int64_t mask, Value repeats) {
      Value block = builder.createOrFold<arith::DivUIOp>(location, column, constant(perBlock));
      emit(add(scale(row, to.pitch), block), add(scale(row, from.pitch), column), mask, repeats, 1,
           perBlock);
    });
  });
}

/// Reduces eight values of each of the contiguous rows, eight rows at a time.
void Writer::reduceEights(ReduceKind kind, Value dst, Value eights) {
  Value repeats = builder.createOrFold<arith::CeilDivSIOp>(location, rows, constant(perBlock));
  forEach(repeats, llvm::divideCeil(maxRows, perBlock), chip.maxRepeats,
          [&](Value first, Value count) {
            BlockReduceOp::create(builder, location, kind, slice(dst, scale(first, perBlock)),
                                  slice(eights, scale(first, lanes)), lanes, count,
                                  ArrayRef<int64_t>{1, 1, perBlock});
          });
}

static BinaryKind getCombining(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Sum:
    return BinaryKind::Add;
  case ReduceKind::Max:
    return BinaryKind::Max;
  case ReduceKind::Min:
    return BinaryKind::Min;
  }
  llvm_unreachable("all kinds are known");
}

/// Combines the data blocks of each row into one, eight rows at a time.
void Writer::foldBlocks(ReduceKind kind, Value eights, const Rows &from) {
  int64_t blocks = from.pitch / perBlock;
  Value repeats = builder.createOrFold<arith::CeilDivSIOp>(location, rows, constant(perBlock));
  auto mask = builder.getI64IntegerAttr(lanes);
  forEach(repeats, llvm::divideCeil(maxRows, perBlock), chip.maxRepeats,
          [&](Value first, Value count) {
            Value to = slice(eights, scale(first, lanes));
            Value before = slice(from.buffer, scale(first, perBlock * from.pitch));
            for (int64_t block = 1; block < blocks; ++block) {
              int64_t step = block == 1 ? blocks : 1; // of what the block is combined with
              Value offset = add(scale(first, perBlock * from.pitch), constant(block * perBlock));
              BinaryOp::create(builder, location, getCombining(kind), to, before,
                               slice(from.buffer, offset), count, mask,
                               builder.getDenseI64ArrayAttr({1, step, blocks, perBlock,
                                                             step * perBlock, blocks * perBlock}));
              before = to;
            }
          });
}

/// Reduces what is left of each row without a whole reduction, which takes seven times as long per
/// row as one of data blocks. Returns false where there are too few rows to gain by that.
bool Writer::reduceBlocks(RowReduceOp op, Value eights, const Rows &from) {
  int64_t blocks = from.pitch / perBlock, roundedRows = llvm::alignTo(maxRows, perBlock);
  bool isWhole = from.values == from.pitch && blocks > 1 && blocks <= perBlock;
  bool isAtOnce = from.values == lanes;
  if (!isWhole || maxRows < (isAtOnce ? perBlock : blocks * perBlock) ||
      getElementsLeft(op.getDst()).value_or(0) < roundedRows ||
      getElementsLeft(eights).value_or(0) < roundedRows * perBlock ||
      getElementsLeft(op.getScratch()).value_or(0) < roundedRows * from.pitch)
    return false;
  if (isAtOnce)
    blockReduce(op.getKind(), Rows{eights, perBlock, perBlock}, from);
  else
    foldBlocks(op.getKind(), eights, from);
  reduceEights(op.getKind(), op.getDst(), eights);
  return true;
}

LogicalResult Writer::write(RowReduceOp op) {
  SmallVector<std::pair<Value, int64_t>> buffers = {{op.getSrc(), op.getPitch()}, {op.getDst(), 1}};
  if (op.getCols() > lanes)
    buffers.push_back({op.getScratch(), getRowReduceScratchElements(1, op.getCols())});
  if (failed(setRows(op, op.getRows(), buffers)))
    return failure();
  Rows from{op.getSrc(), op.getCols(), op.getPitch()};
  // A whole reduction takes seven times as long per row as one of data blocks, which leaves eight
  // values.
  int64_t roundedRows = llvm::alignTo(maxRows, perBlock);
  if (op.getCols() == lanes && maxRows >= perBlock &&
      getElementsLeft(op.getDst()).value_or(0) >= roundedRows &&
      getElementsLeft(op.getScratch()).value_or(0) >= roundedRows * perBlock) {
    blockReduce(op.getKind(), Rows{op.getScratch(), perBlock, perBlock}, from);
    reduceEights(op.getKind(), op.getDst(), op.getScratch());
    return success();
  }
  // Two areas of the scratch take turns: the values of each step in one, those of the next in the
  // other. Both have whole eights of rows where there is room, since some steps take eight at a
  // time.
  int64_t left = getElementsLeft(op.getScratch()).value_or(0);
  bool hasEights = getRowReduceScratchElements(roundedRows, op.getCols()) <= left;
  int64_t secondArea =
      (hasEights ? roundedRows : maxRows) * llvm::divideCeil(op.getCols(), lanes) * perBlock;
  bool isFirst = true;
  for (; from.values > lanes; isFirst = !isFirst) {
    int64_t values = llvm::divideCeil(from.values, perBlock);
    Rows to{slice(op.getScratch(), constant(isFirst ? 0 : secondArea)), values,
            static_cast<int64_t>(llvm::alignTo(values, perBlock))};
    blockReduce(op.getKind(), to, from);
    from = to;
  }
  if (op.getCols() > lanes && hasEights &&
      reduceBlocks(op, slice(op.getScratch(), constant(isFirst ? 0 : secondArea)), from))
    return success();
  // Whole data blocks of results per instruction keep its destination aligned.
  int64_t step = fitsRepeatStride(from.pitch) && chip.maxRepeats >= perBlock
                     ? llvm::alignDown(chip.maxRepeats, perBlock)
                     : 1;
  forEachRow(step, [&](Value first, Value count) {
    int64_t stride = fitsRepeatStride(from.pitch) ? from.pitch / perBlock : perBlock;
    WholeReduceOp::create(builder, location, op.getKind(), slice(op.getDst(), first),
                          slice(from.buffer, scale(first, from.pitch)), from.values, count,
                          ArrayRef<int64_t>{1, 1, stride});
  });
  return success();
}

template <typename Op> LogicalResult Writer::rowBroadcast(Op op) {
  int64_t pitch = op.getPitch();
  Value scratch = op.getScratch();
  if (failed(setRows(op, op.getRows(), {{op.getDst(), pitch}, {scratch, perBlock}})))
    return failure();
  Value eights = builder.createOrFold<arith::CeilDivSIOp>(location, rows, constant(perBlock));
  forEach(eights, llvm::divideCeil(maxRows, perBlock), chip.maxRepeats,
          [&](Value first, Value repeats) {
            BrcbOp::create(builder, location, slice(scratch, scale(first, lanes)),
                           slice(op.getColumn(), scale(first, perBlock)), repeats,
                           ArrayRef<int64_t>{1, perBlock});
          });
  auto applyAt = [&](Value first, Value offset, int64_t mask, Value repeats,
                     ArrayRef<int64_t> strides) {
    apply(op, slice(op.getDst(), offset), slice(op.getSrc(), offset),
          slice(scratch, scale(first, perBlock)), repeats, mask, strides);
  };
  if (isCheaperBySlices(pitch, pitch, countRepeatInstructions(pitch))) {
    int64_t stride = pitch / perBlock;
    forEachRepeat(pitch, 1, [&](Value column, int64_t mask, Value) {
      forEachRow(chip.maxRepeats, [&](Value first, Value count) {
        applyAt(first, add(scale(first, pitch), column), mask, count, {1, 1, 0, stride, stride, 1});
      });
    });
    return success();
  }
  forEachRow(1, [&](Value row, Value) {
    forEachRepeat(pitch, chip.maxRepeats, [&](Value column, int64_t mask, Value repeats) {
      applyAt(row, add(scale(row, pitch), column), mask, repeats, {1, 1, 0, perBlock, perBlock, 0});
    });
  });
  return success();
}

LogicalResult Writer::write(ColBinaryOp op) {
  int64_t pitch = op.getPitch();
  if (failed(setRows(op, op.getRows(), {{op.getDst(), pitch}})))
    return failure();
  auto apply = [&](Value offset, Value row, Value amount, IntegerAttr mask,
                   DenseI64ArrayAttr strides) {
    BinaryOp::create(builder, location, op.getKind(), slice(op.getDst(), offset),
                     slice(op.getSrc(), offset), row, amount, mask, strides);
  };
  if (!isCheaperBySlices(pitch, pitch, /*instructionsPerRow=*/1)) {
    forEachRow(1, [&](Value row, Value) {
      apply(scale(row, pitch), op.getRow(), constant(pitch), {}, {});
    });
    return success();
  }
  int64_t stride = pitch / perBlock;
  forEachRepeat(pitch, 1, [&](Value column, int64_t mask, Value) {
    forEachRow(chip.maxRepeats, [&](Value first, Value count) {
      apply(add(scale(first, pitch), column), slice(op.getRow(), column), count,
            builder.getI64IntegerAttr(mask),
            builder.getDenseI64ArrayAttr({1, 1, 1, stride, stride, 0}));
    });
  });
  return success();
}

class ExpandComposites : public attn::impl::ExpandCompositesPassBase<ExpandComposites> {
  void runOnOperation() override {
    if (getOperation()->hasAttr("ascend.keep_composites"))
      return markAllAnalysesPreserved();
    SmallVector<Operation *> composites;
    getOperation().walk([&](InstructionOpInterface op) {
      if (op.isComposite())
        composites.push_back(op);
    });
    if (composites.empty())
      return markAllAnalysesPreserved();
    FailureOr<Chip> chip = getKernelChip(getOperation());
    if (failed(chip))
      return signalPassFailure();
    const auto &ranges = getAnalysis<IndexRanges>();
    int64_t nextGroup = findNextGroup();
    for (Operation *composite : composites) {
      LogicalResult written =
          llvm::TypeSwitch<Operation *, LogicalResult>(composite)
              .Case<RowReduceOp, RowBinaryOp, RowMulAddOp, ColBinaryOp>(
                  [&](auto op) { return Writer(op, *chip, ranges).write(op); })
              .Case<MatmulOp>([&](MatmulOp op) { return expandMatmul(op, ranges, nextGroup++); });
      if (failed(written))
        return signalPassFailure();
      composite->erase();
      ++expanded;
    }
  }

  /// The first number that no instructions keep apart by.
  int64_t findNextGroup() {
    int64_t next = 0;
    getOperation().walk([&](InstructionOpInterface op) {
      if (auto group = op->getAttrOfType<IntegerAttr>(apartName))
        next = std::max(next, group.getInt() + 1);
    });
    return next;
  }
};

} // namespace
