// The lowering of reductions along rows and down columns.
#include "Lowering.h"
#include "attn/Dialect/Tile/Analysis/Layout.h"
#include <limits>

using namespace mlir;
using namespace attn;
using namespace attn::tile;
using ascend::BinaryKind;

static ascend::ReduceKind getReduceKind(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Sum:
    return ascend::ReduceKind::Sum;
  case ReduceKind::Max:
    return ascend::ReduceKind::Max;
  case ReduceKind::Min:
    return ascend::ReduceKind::Min;
  }
  return ascend::ReduceKind::Sum;
}

static BinaryKind getCombiningKind(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Sum:
    return BinaryKind::Add;
  case ReduceKind::Max:
    return BinaryKind::Max;
  case ReduceKind::Min:
    return BinaryKind::Min;
  }
  return BinaryKind::Add;
}

/// What does not change the reduction.
static float getNeutral(ReduceKind kind) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  switch (kind) {
  case ReduceKind::Sum:
    return 0.0f;
  case ReduceKind::Max:
    return -infinity;
  case ReduceKind::Min:
    return infinity;
  }
  return 0.0f;
}

LogicalResult Lowering::lowerReduce(ReduceOp op) {
  TileType type = op.getInput().getType();
  Value dst = getMemory(op.getResult()), src = getMemory(op.getInput());
  limitRows(op.getResult());
  int64_t reduced = op.getAxis() == 1 ? type.getColCount() : type.getRowCount();
  if (reduced == 1)
    copyTile(dst, op.getInput());
  else if (op.getAxis() == 1)
    ascend::RowReduceOp::create(builder, loc, getReduceKind(op.getKind()), dst, src,
                                getScratch(op, 0), getRows(op.getInput()), type.getColCount(),
                                getPitch(type));
  else if (isColumn(type))
    reduceColumn(op);
  else
    reduceRows(op);
  return success();
}

/// Down a column: its values, with neutral elements behind the valid ones, are one row.
void Lowering::reduceColumn(ReduceOp op) {
  TileType type = op.getInput().getType();
  Value row = getScratch(op, 0);
  emitDuplicate(row, constant(getNeutral(op.getKind())), constant(getBufferElements(type)));
  copyTile(row, op.getInput());
  ascend::RowReduceOp::create(builder, loc, getReduceKind(op.getKind()), getMemory(op.getResult()),
                              row, getScratch(op, 1), constant(int64_t(1)), type.getRowCount(),
                              getBufferElements(type));
}

/// Down several columns: row after row is combined with the first.
void Lowering::reduceRows(ReduceOp op) {
  TileType type = op.getInput().getType();
  int64_t pitch = getPitch(type);
  Value dst = getMemory(op.getResult()), src = getMemory(op.getInput());
  ascend::CopyOp::create(builder, loc, dst, src, constant(pitch));
  Value one = constant(int64_t(1));
  auto loop = scf::ForOp::create(builder, loc, one, getRows(op.getInput()), one);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  Value row = slice(src, scale(loop.getInductionVar(), pitch));
  emitBinary(getCombiningKind(op.getKind()), dst, dst, row, constant(pitch));
}
