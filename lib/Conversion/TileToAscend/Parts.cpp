// The lowering of splats, parts of tiles and copies between buffers.
#include "Lowering.h"
#include "attn/Dialect/Tile/Analysis/Layout.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

LogicalResult Lowering::lowerSplat(SplatOp op) {
  if (Value memory = getMemory(op.getResult()))
    copyTile(memory, op.getResult());
  return success();
}

void Lowering::copyTile(Value dst, Value source, Value memory) {
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
    return emitScalar(ascend::ScalarKind::Muls, dst, src, constant(1.0f), getCount(source));
  Value count = isColumn(type) ? constant(getBufferElements(type)) : getCount(source);
  ascend::CopyOp::create(builder, loc, dst, src, count);
}

Value Lowering::getPartOffset(TileType whole, Value row, Value col) {
  return add(scale(row, getPitch(whole)), col);
}

/// Copies the rows of `part` between two buffers with pitches of their own.
LogicalResult Lowering::copyPart(Value dst, int64_t dstPitch, Value src, int64_t srcPitch,
                                 Value part) {
  TileType type = getType(part);
  forEachChunk(getRows(part), type.getRowCount(), 1, [&](Value row, Value) {
    ascend::CopyOp::create(builder, loc, slice(dst, scale(row, dstPitch)),
                           slice(src, scale(row, srcPitch)), constant(getPitch(type)));
  });
  return success();
}

/// Says why a part cannot be reached.
static LogicalResult emitMisaligned(Operation *op, TileType part, TileType whole) {
  return op->emitOpError()
         << "cannot reach " << part << " inside " << whole
         << ": on the chip a part must start at a multiple of 32 bytes, be known to, and have "
            "whole 32-byte blocks or reach the end";
}

LogicalResult Lowering::lowerExtract(ExtractOp op) {
  TileType part = op.getResult().getType(), whole = op.getInput().getType();
  if (!isAlignedPart(part, whole, op.getRow(), op.getCol()))
    return emitMisaligned(op, part, whole);
  combineRows(op.getResult(), op.getInput());
  BufferAssignment::Place place = assignment.getPlace(op.getResult());
  if (place.kind == BufferAssignment::Place::Part)
    return success();
  Value memory = getMemory(op.getInput());
  if (!memory)
    return success(); // a part of nothing that nobody reads
  Value src =
      slice(memory, getPartOffset(whole, scalars.lookup(op.getRow()), scalars.lookup(op.getCol())));
  if (place.kind == BufferAssignment::Place::View) {
    views[op.getResult()] = src;
    return success();
  }
  return copyPart(getMemory(op.getResult()), getPitch(part), src, getPitch(whole), op.getResult());
}

LogicalResult Lowering::lowerInsert(InsertOp op) {
  TileType part = op.getPart().getType(), whole = op.getWhole().getType();
  if (!isAlignedPart(part, whole, op.getRow(), op.getCol()))
    return emitMisaligned(op, part, whole);
  combineRows(op.getResult(), {op.getWhole(), op.getPart()});
  Value dst = getMemory(op.getResult());
  if (assignment.getPlace(op.getWhole()) != assignment.getPlace(op.getResult()))
    copyTile(dst, op.getWhole());
  BufferAssignment::Place place = assignment.getPlace(op.getPart());
  if (place.kind == BufferAssignment::Place::Part && assignment.getInsertion(place.index) == op)
    return success();
  Value to =
      slice(dst, getPartOffset(whole, scalars.lookup(op.getRow()), scalars.lookup(op.getCol())));
  if (isContiguousPart(part, whole, op.getRow(), op.getCol())) {
    copyTile(to, op.getPart());
    return success();
  }
  if (isSplat(op.getPart())) {
    Value scalar = scalars.lookup(op.getPart().getDefiningOp<SplatOp>().getValue());
    forEachChunk(getRows(op.getPart()), part.getRowCount(), 1, [&](Value row, Value) {
      emitDuplicate(slice(to, scale(row, getPitch(whole))), scalar, constant(getPitch(part)));
    });
    return success();
  }
  return copyPart(to, getPitch(whole), getMemory(op.getPart()), getPitch(part), op.getPart());
}
