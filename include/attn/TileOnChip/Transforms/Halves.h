// Makes the two halves of a kernel whose exchange is written, and shapes each for its cores; used
// by tile-split-cores and by the search.
#ifndef ATTN_TILEONCHIP_TRANSFORMS_HALVES_H
#define ATTN_TILEONCHIP_TRANSFORMS_HALVES_H

#include "attn/TileOnChip/ChipModel.h"
#include "attn/TileOnChip/ExchangePlan.h"
#include "mlir/IR/OwningOpRef.h"

namespace attn::onchip {

/// Leaves of a kernel what one kind of core does.
void keepCore(mlir::func::FuncOp half, CoreKind core);

/// Gives each vector core of a group its share of the rows of every tile. Where something works on
/// all rows together, the first core takes them all. Either way each core signals and waits.
void distributeRows(mlir::func::FuncOp vectorHalf);

/// Starts sums that a loop carries by a product of zeros before it, where the loop exchanges tiles:
/// other loops run once with nothing to sum over, which would be one signal too many here.
void startSums(mlir::func::FuncOp cubeHalf);

/// Lets the first level of a loop run ahead of the others by as many iterations as the exchange was
/// planned for: a loop that fills, a loop of the steady state, and a loop that drains. With
/// `runsOn`, cube cores fill for the next tile of rows before they have drained, and neither half
/// counts slots of exchanged tiles from 0 again.
void skewLoops(mlir::func::FuncOp half, CoreKind core, bool runsOn);
/// Whether the cube half has one loop of which that can be said, whose vector cores come late, too.
bool canRunOn(mlir::func::FuncOp cubeHalf);

/// Computes the indices that are known, as the canonical form has them: what the search tries has
/// not been brought to it.
void foldIndices(mlir::func::FuncOp function);

/// Takes loops that are known to run once or never out of the way, as later stages do: buffers are
/// counted for the loops that are left.
void inlineLoops(mlir::func::FuncOp half, CoreKind core);

/// Puts what an iteration of the steady state of vector cores awaits and loads before its work, and
/// what it stores and signals after it: then its levels are one run of ops, which strips cut.
void joinLevels(mlir::Block &body);

/// Computes tiles of more rows than `rows`, a divisor of theirs, in strips of so many.
void stripRows(mlir::func::FuncOp vectorHalf, int64_t rows);
/// Whether there is something that these strips cut; 0 stands for all rows at once.
bool cutsRows(mlir::func::FuncOp vectorHalf, int64_t rows);

/// Cuts products of operands that are loaded for them into parts of `size` columns, where each part
/// is stored by itself, or else of `size` of the k that are summed over; of many rows into parts
/// for which the right operand stays in L1.
void cutProducts(mlir::func::FuncOp cubeHalf, const ChipModel &model, int64_t size);

/// Makes `kernel`, bound and with its grids clamped, the half of the vector cores as it is before
/// its rows are cut into strips, and returns the half of the cube cores, finished. The search makes
/// them once for all rows of strips.
mlir::FailureOr<mlir::OwningOpRef<mlir::func::FuncOp>>
makeHalves(mlir::func::FuncOp kernel, const ChipModel &model, const tile::GroupChoice &choice);
void finishVectorHalf(mlir::func::FuncOp vectorHalf, const tile::GroupChoice &choice);

/// Both.
mlir::FailureOr<mlir::OwningOpRef<mlir::func::FuncOp>>
splitCores(mlir::func::FuncOp kernel, const ChipModel &model, const tile::GroupChoice &choice);

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_TRANSFORMS_HALVES_H
