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
  Value dst = getMemory(op.getResult()), src = getMemory(op.getInput()); // none where absorbed
  limitRows(op.getResult());
  int64_t reduced = op.getAxis() == 1 ? type.getColCount() : type.getRowCount();
  if (reduced == 1) {
    copyTile(dst, op.getInput());
    fillWhereEmpty(op);
  } else if (MulOp product = assignment.getFusedProduct(op)) {
    reduceProduct(op, product);
  } else if (op.getAxis() == 1) {
    ascend::RowReduceOp::create(builder, loc, getReduceKind(op.getKind()), dst, src,
                                getScratch(op, 0), getRows(op.getInput()), type.getColCount(),
                                getPitch(type));
  } else if (isColumn(type)) {
    reduceColumn(op);
  } else {
    reduceRows(op);
  }
  return success();
}

/// What is left of rows, where there are none: the neutral element.
void Lowering::fillWhereEmpty(ReduceOp op) {
  Value rows = getValidRows(op.getInput());
  if (op.getAxis() == 1 || ascend::getConstant(rows))
    return;
  Value isEmpty = subtract(constant(int64_t(1)), clamp(rows, 1));
  int64_t elements = getBufferElements(op.getResult().getType());
  emitDuplicate(getMemory(op.getResult()), constant(getNeutral(op.getKind())),
                scale(isEmpty, elements));
}

/// Along the rows of a product that is not written: 64 columns at a time are multiplied and added
/// up, then what is left of each row is reduced.
void Lowering::reduceProduct(ReduceOp op, MulOp product) {
  TileType type = op.getInput().getType();
  int64_t pitch = getPitch(type), blocks = pitch / 8;
  Value lhs = getMemory(product.getLhs()), rhs = getMemory(product.getRhs());
  Value rows = getRows(op.getInput()), products = getScratch(op, 0);
  constexpr int64_t maxRepeats = 255, blocksPerRow = productColumns / 8;
  for (int64_t col = 0; col < type.getColCount(); col += productColumns) {
    auto lanes = builder.getI64IntegerAttr(std::min(productColumns, type.getColCount() - col));
    auto strides = builder.getDenseI64ArrayAttr({1, 1, 1, blocksPerRow, blocks, blocks});
    forEachChunk(rows, type.getRowCount(), maxRepeats, [&](Value first, Value amount) {
      Value dst = slice(products, scale(first, productColumns));
      Value offset = add(scale(first, pitch), constant(col));
      Value left = slice(lhs, offset), right = slice(rhs, offset);
      if (col == 0)
        ascend::BinaryOp::create(builder, loc, BinaryKind::Mul, dst, left, right, amount, lanes,
                                 strides);
      else
        ascend::MulAddOp::create(builder, loc, dst, left, right, amount, lanes, strides);
    });
  }
  ascend::RowReduceOp::create(builder, loc, getReduceKind(op.getKind()), getMemory(op.getResult()),
                              products, getScratch(op, 1), rows, productColumns, productColumns);
}

/// Down a column: its values, with neutral elements behind the valid ones, are one row.
void Lowering::reduceColumn(ReduceOp op) {
  TileType type = op.getInput().getType();
  Value row = getScratch(op, 0);
  emitDuplicate(row, constant(getNeutral(op.getKind())), constant(getBufferElements(type)));
  copyTile(row, op.getInput(), /*memory=*/{}, getValidRows(op.getInput()));
  ascend::RowReduceOp::create(builder, loc, getReduceKind(op.getKind()), getMemory(op.getResult()),
                              row, getScratch(op, 1), constant(int64_t(1)), type.getRowCount(),
                              getBufferElements(type));
}

/// Down several columns: row after row is combined with the first. Of many short rows, one
/// instruction combines 64 columns: its repeats go from row to row, and all write the same place
/// (which no template does).
void Lowering::reduceRows(ReduceOp op) {
  TileType type = op.getInput().getType();
  BinaryKind kind = getCombiningKind(op.getKind());
  constexpr int64_t lanes = 64, maxRepeats = 255, maxStride = 255;
  int64_t pitch = getPitch(type), blocks = pitch / 8, most = type.getRowCount() - 1;
  Value dst = getMemory(op.getResult()), src = getMemory(op.getInput());
  Value one = constant(int64_t(1)), rows = getValidRows(op.getInput());
  ascend::CopyOp::create(builder, loc, dst, src, constant(pitch));
  fillWhereEmpty(op);
  if (!keepsComposites && llvm::divideCeil(pitch, lanes) < static_cast<uint64_t>(most) &&
      most <= maxRepeats && blocks <= maxStride) {
    Value repeats =
        ascend::getConstant(rows) ? subtract(rows, one) : clamp(subtract(rows, one), most);
    for (int64_t col = 0; col < pitch; col += lanes) {
      Value part = slice(dst, constant(col));
      ascend::BinaryOp::create(builder, loc, kind, part, slice(src, constant(pitch + col)), part,
                               repeats, builder.getI64IntegerAttr(std::min(lanes, pitch - col)),
                               builder.getDenseI64ArrayAttr({1, 1, 1, 0, blocks, 0}));
    }
    return;
  }
  auto loop = scf::ForOp::create(builder, loc, one, rows, one);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  Value row = slice(src, scale(loop.getInductionVar(), pitch));
  emitBinary(kind, dst, dst, row, constant(pitch));
}
