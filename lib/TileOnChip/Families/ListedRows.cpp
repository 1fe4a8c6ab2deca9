// Rows of a list in memory that follow each other in the array (tile on the chip).
#include "ListedRows.h"
#include "attn/Machine/Architecture.h"
#include "attn/Machine/Costs.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

/// The scalar unit reads the next row, brings it inside, compares, and notes where a run begins.
bool onchip::mayFormRuns(TileType type) {
  constexpr int64_t scalarOps = 10;
  Costs costs;
  int64_t bytes = type.getColCount() * getElementBytes(type);
  double apart = 2 * getCopyWork(costs, /*isLoad=*/true, /*rows=*/1, bytes);
  double together = getCopyWork(costs, /*isLoad=*/true, /*rows=*/2, 2 * bytes);
  int64_t rows = type.getRowCount();
  return rows > 1 && rows <= architecture::maxCopyRows &&
         apart - together > scalarOps * costs.scalarOp;
}

/// A run is moved at its last row. After the last row of all comes itself, which does not follow.
void onchip::copyRuns(Lowering &lowering, LoadOp op, const ArrayPlace &place, Value length,
                      int64_t rightPad) {
  TileType type = op.getResult().getType();
  int64_t rows = type.getRowCount();
  int64_t pitch = llvm::alignTo(type.getColCount(), lowering.model.getRowUnit());
  Value zero = lowering.constant(int64_t(0)), one = lowering.constant(int64_t(1));
  Value lastRow = lowering.subtract(place.rows, one);
  // Runs write different rows.
  IntegerAttr group = lowering.builder.getI64IntegerAttr(lowering.makeGroup());
  auto loop = lowering.create<scf::ForOp>(zero, place.rows, one, ValueRange{zero});
  OpBuilder::InsertionGuard guard(lowering.builder);
  lowering.builder.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar(), begin = loop.getRegionIterArg(0);
  Value listed = place.getRow(row, /*isTold=*/true);
  Value next = lowering.add(row, one);
  Value after = place.getRow(lowering.create<arith::MinSIOp>(next, lastRow), /*isTold=*/false);
  Value isEnd =
      lowering.create<arith::CmpIOp>(arith::CmpIPredicate::ne, after, lowering.add(listed, one));
  lowering.writeIf(isEnd, [&] {
    Value amount = lowering.clamp(lowering.subtract(next, begin), rows);
    Value first = lowering.subtract(listed, lowering.subtract(row, begin));
    auto copy = lowering.create<ascend::CopyInOp>(
        place.getRowMemory(lowering.getMemory(op.getResult()), pitch, begin),
        place.getAddressOf(first), amount, length, place.getArrayPitch(), pitch, rightPad);
    copy->setAttr(ascend::apartName, group);
  });
  loop->setAttr(ascend::apartName, group);
  Value nextBegin = lowering.create<arith::SelectOp>(isEnd, next, begin);
  lowering.create<scf::YieldOp>(nextBegin);
}
