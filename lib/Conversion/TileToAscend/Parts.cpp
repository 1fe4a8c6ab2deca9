// The lowering of splats, parts of tiles and copies between buffers.
#include "Lowering.h"
#include "attn/Dialect/Tile/Analysis/Layout.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

/// f32 elements of a 32-byte block.
static constexpr int64_t elementsPerBlock = 8;

LogicalResult Lowering::lowerSplat(SplatOp op) {
  if (Value memory = getMemory(op.getResult()))
    copyTile(memory, op.getResult());
  return success();
}

void Lowering::copyTile(Value dst, Value source, Value memory, Value rows) {
  TileType type = getType(source);
  if (source.getDefiningOp<UndefinedOp>())
    return;
  if (auto splat = source.getDefiningOp<SplatOp>())
    return emitDuplicate(dst, scalars.lookup(splat.getValue()),
                         constant(type.getRowCount() * getPitch(type)));
  Value src = memory ? memory : getMemory(source);
  // Copies within UB move whole blocks, but the elements behind a column's valid ones are nobody's:
  // they are left out by arithmetic that changes nothing, where the chip has arithmetic.
  if (isColumn(type) && type.getElementType().isF32())
    return emitScalar(ascend::ScalarKind::Muls, dst, src, constant(1.0f),
                      rows ? rows : getCount(source));
  Value count = isColumn(type) ? constant(getBufferElements(type)) : getCount(source);
  ascend::CopyOp::create(builder, loc, dst, src, count);
}

Value Lowering::getPartOffset(TileType whole, Value row, Value col) {
  return add(scale(row, getPitch(whole)), col);
}

/// Copies the rows of `part` between two buffers with pitches of their own.
void Lowering::copyPart(Value dst, int64_t dstPitch, Value src, int64_t srcPitch, Value part) {
  TileType type = getType(part);
  forEachChunk(getRows(part), type.getRowCount(), 1, [&](Value row, Value) {
    ascend::CopyOp::create(builder, loc, slice(dst, scale(row, dstPitch)),
                           slice(src, scale(row, srcPitch)), constant(getPitch(type)));
  });
}

/// Says why a part cannot be reached.
static LogicalResult emitUnreachable(Operation *op, TileType part, TileType whole) {
  return op->emitOpError()
         << "cannot reach " << part << " inside " << whole
         << ": on the chip a part must start at a multiple of 32 bytes, be known to, and have "
            "whole 32-byte blocks or reach the end";
}

/// The elements of a part that lies in one run.
static int64_t getRunElements(TileType part) { return part.getRowCount() * part.getColCount(); }

LogicalResult Lowering::lowerExtract(ExtractOp op) {
  TileType part = op.getResult().getType(), whole = op.getInput().getType();
  PartForm form = getPartForm(op);
  if (form == PartForm::Unsupported)
    return emitUnreachable(op, op.getPartType(), whole);
  limitRows(op.getResult());
  BufferAssignment::Place place = assignment.getPlace(op.getResult());
  if (place.kind == BufferAssignment::Place::Part)
    return success();
  Value memory = getMemory(op.getInput());
  if (!memory)
    return success(); // a part of nothing that nobody reads
  Value row = scalars.lookup(op.getRow()), dst = getMemory(op.getResult());
  if (form == PartForm::Blocks) {
    extractThroughBlocks(op, dst);
    return success();
  }
  Value src = slice(memory, getPartOffset(whole, row, scalars.lookup(op.getCol())));
  if (place.kind == BufferAssignment::Place::View)
    views[op.getResult()] = src;
  else if (form == PartForm::Elements)
    emitScalar(ascend::ScalarKind::Muls, dst, src, constant(1.0f), constant(getRunElements(part)));
  else
    copyPart(dst, getPitch(part), src, getPitch(whole), op.getResult());
  return success();
}

LogicalResult Lowering::lowerInsert(InsertOp op) {
  if (getPartForm(op) == PartForm::Unsupported)
    return emitUnreachable(op, op.getPartType(), op.getWhole().getType());
  limitRows(op.getResult());
  Value dst = getMemory(op.getResult());
  if (assignment.getPlace(op.getWhole()) != assignment.getPlace(op.getResult()))
    copyTile(dst, op.getWhole());
  BufferAssignment::Place place = assignment.getPlace(op.getPart());
  if (place.kind == BufferAssignment::Place::Part && assignment.getInsertion(place.index) == op)
    return success();
  insertPart(op, dst);
  return success();
}

/// Writes the part of an insertion into `dst`, where its whole lies.
void Lowering::insertPart(InsertOp op, Value dst) {
  TileType part = op.getPart().getType(), whole = op.getWhole().getType();
  PartForm form = getPartForm(op);
  if (form == PartForm::Blocks)
    return insertThroughBlocks(op, dst);
  Value to =
      slice(dst, getPartOffset(whole, scalars.lookup(op.getRow()), scalars.lookup(op.getCol())));
  Value count = constant(getRunElements(part));
  auto splat = op.getPart().getDefiningOp<SplatOp>();
  if (form == PartForm::InPlace)
    copyTile(to, op.getPart());
  else if (form == PartForm::Elements && splat)
    emitDuplicate(to, scalars.lookup(splat.getValue()), count);
  else if (form == PartForm::Elements)
    emitScalar(ascend::ScalarKind::Muls, to, getMemory(op.getPart()), constant(1.0f), count);
  else if (splat)
    forEachChunk(getRows(op.getPart()), part.getRowCount(), 1, [&](Value row, Value) {
      emitDuplicate(slice(to, scale(row, getPitch(whole))), scalars.lookup(splat.getValue()),
                    constant(getPitch(part)));
    });
  else
    copyPart(to, getPitch(whole), getMemory(op.getPart()), getPitch(part), op.getPart());
}

//===----------------------------------------------------------------------===//
// Parts of a column that start anywhere
//===----------------------------------------------------------------------===//

/// A column as f32, in `wide` where it is narrower.
Value Lowering::widen(Value column, Value wide, int64_t elements) {
  if (cast<MemRefType>(column.getType()).getElementType().isF32())
    return column;
  ascend::CastOp::create(builder, loc, ascend::RoundMode::None, wide, column, constant(elements),
                         IntegerAttr(), DenseI64ArrayAttr());
  return wide;
}

/// Gathers a column of f32 that was widened before, through `wide` where `dst` is narrower.
void Lowering::gatherNarrow(Operation *op, Value dst, Value wide, Value blocks, int64_t elements) {
  bool isNarrow = !cast<MemRefType>(dst.getType()).getElementType().isF32();
  gatherColumn(op, isNarrow ? wide : dst, blocks, constant(elements), elements, elementsPerBlock);
  if (isNarrow)
    ascend::CastOp::create(builder, loc, ascend::RoundMode::Rint, dst, wide, constant(elements),
                           IntegerAttr(), DenseI64ArrayAttr());
}

/// The whole is spread to one block per element, and the blocks of the part are gathered.
void Lowering::extractThroughBlocks(ExtractOp op, Value dst) {
  TileType whole = op.getInput().getType();
  bool isNarrow = !whole.getElementType().isF32();
  Value blocks = getScratch(op, 0), wide = isNarrow ? getScratch(op, 1) : Value();
  Value column = widen(getMemory(op.getInput()), wide, whole.getRowCount());
  spreadColumn(op, blocks, column, constant(whole.getRowCount()), whole.getRowCount());
  gatherNarrow(op, dst, wide, slice(blocks, scale(scalars.lookup(op.getRow()), elementsPerBlock)),
               getRunElements(op.getResult().getType()));
}

/// Whole and part are spread, the blocks of the part are copied over those of the whole, and all
/// are gathered again.
void Lowering::insertThroughBlocks(InsertOp op, Value dst) {
  TileType whole = op.getWhole().getType();
  bool isNarrow = !whole.getElementType().isF32();
  int64_t wholeElements = whole.getRowCount(), elements = getRunElements(op.getPart().getType());
  Value blocks = getScratch(op, 0), partBlocks = getScratch(op, 1);
  Value wide = isNarrow ? getScratch(op, 2) : Value(),
        widePart = isNarrow ? getScratch(op, 3) : Value();
  spreadColumn(op, blocks, widen(dst, wide, wholeElements), constant(wholeElements), wholeElements);
  Value part = getMemory(op.getPart());
  if (auto splat = op.getPart().getDefiningOp<SplatOp>()) {
    // A splat has no memory: it fills that of a column first.
    part = isNarrow ? getScratch(op, 4) : partBlocks;
    emitDuplicate(part, scalars.lookup(splat.getValue()),
                  constant(isNarrow ? elements : elements * elementsPerBlock));
  }
  if (part != partBlocks)
    spreadColumn(op, partBlocks, widen(part, widePart, elements), constant(elements), elements);
  ascend::CopyOp::create(builder, loc,
                         slice(blocks, scale(scalars.lookup(op.getRow()), elementsPerBlock)),
                         partBlocks, constant(elements * elementsPerBlock));
  gatherNarrow(op, dst, wide, blocks, wholeElements);
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// Slots by rows: row r has slot t where row r + t of the window exists. Of each slot's rows, the
/// first up to the end of the window exist, but for those before its start.
LogicalResult Lowering::lowerBandMask(BandMaskOp op) {
  if (!op.getTransposed())
    return op.emitOpError("is left: run tile-lower-band-gather before");
  TileType type = op.getResult().getType();
  int64_t slots = type.getRowCount(), rows = type.getColCount(), pitch = getPitch(type);
  const Span &window = spans[op.getWindow()];
  Value mask = getMemory(op.getResult());
  emitDuplicate(mask, constant(0.0f), constant(slots * pitch));
  // All ends before all starts: slots do not wait for each other.
  for (auto [bound, number] : {std::make_pair(window.end, 1.0f), {window.missing, 0.0f}})
    for (int64_t slot = 0; slot < slots; ++slot)
      emitDuplicate(slice(mask, constant(slot * pitch)), constant(number),
                    clamp(subtract(bound, constant(slot)), rows));
  return success();
}
