// How tiles lie in a core's local memory (tile on the chip).
#include "attn/TileOnChip/ChipModel.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using tile::TileType;

ChipModel::ChipModel(const Chip &chip, func::FuncOp kernel)
    : chip(chip), keepsKernelComposites(kernel->hasAttr("ascend.keep_composites")) {}

int64_t ChipModel::getMaxGatherRows() const {
  return llvm::alignDown(chip.maxRepeats, getRowUnit());
}

int64_t ChipModel::getMaxSpreadRows() const {
  return llvm::alignDown(chip.maxRepeats * getRepeatBlocks(), getRowUnit());
}

int64_t ChipModel::getPitch(TileType type) const {
  return isColumn(type) ? 1 : llvm::alignTo(type.getColCount(), getRowUnit());
}

int64_t ChipModel::getBufferElements(TileType type) const {
  return llvm::alignTo(type.getRowCount() * getPitch(type),
                       getBlockElements(type.getElementType()));
}

int64_t ChipModel::getRepeats(TileType type) const {
  return llvm::divideCeil(type.getRowCount() * getPitch(type), getLanes());
}

/// One value per data block of the row, then one per block of those.
static int64_t getTreeScratch(const ChipModel &model, int64_t rows, int64_t cols) {
  int64_t repeats = llvm::divideCeil(cols, model.getLanes());
  return rows * (repeats * model.getRepeatBlocks() + llvm::alignTo(repeats, model.getBlockLanes()));
}

int64_t ChipModel::getReduceScratch(int64_t rows, int64_t cols) const {
  int64_t tree = getTreeScratch(*this, rows, cols);
  if (!keepsComposites() || cols <= getLanes())
    return tree;
  // A template of the vendor folds long rows by halves (bishengir.md §6, `vreduce`).
  int64_t halves = std::max<int64_t>(getLanes(), llvm::alignTo(cols, getBlockLanes()) / 2);
  return std::max(tree, rows * halves);
}

int64_t ChipModel::getBroadcastScratch(int64_t rows) const {
  return llvm::alignTo(rows, getRepeatBlocks()) * getBlockLanes();
}
