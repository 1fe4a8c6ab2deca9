// How every op of the tile dialect lies on the chip: the interface, and the words it is spoken in.
#ifndef ATTN_TILEONCHIP_ONCHIPOPINTERFACE_H
#define ATTN_TILEONCHIP_ONCHIPOPINTERFACE_H

#include "attn/TileOnChip/ChipModel.h"
#include "attn/TileOnChip/CostModel.h"
#include "mlir/IR/DialectRegistry.h"

namespace attn::onchip {

class Lowering;

/// What an op needs a buffer for besides its tiles. Accounting and lowering name it by this.
enum class Scratch {
  Aside,      // a carried tile whose place is written before it is read
  Bits,       // the answers of a comparison
  Blocks,     // one data block per element of a column
  Broadcast,  // one data block per row, full of the row's value
  Column,     // what kept composites need to spread or gather a column
  Left,       // the last elements of what is compared, as a whole repeat
  Neutral,    // a column with neutral elements in the rows it lacks
  One,        // ones, to be divided or chosen
  OtherBits,  // all bits of the elements that a mask does not take
  Part,       // a splat that is inserted into a narrow column
  PartBlocks, // the blocks of the part that is inserted
  Positive,   // the positive part of a tile, where the chip's own leaky ReLU is not used
  Products,   // the products of a sum, one repeat of columns wide
  Reduce,     // the partial results of a reduction along rows
  Right,      // the last elements of what it is compared with, as a whole repeat
  RightTile,  // what is compared with, where neither side has the size of the result
  Spread,     // a single value as a row or column
  TakenBits,  // all bits of the elements that a mask takes
  Wide,       // a narrow column as f32
  WideBlocks, // the blocks of a narrow column as f32
  WideColumn, // a narrow column as f32, on its way between memory and blocks
  WidePart,   // a narrow part as f32
  Zero,       // zeros, to be chosen
};

/// The name of a scratch, as its buffer carries it after the name of the tile.
llvm::StringRef getName(Scratch scratch);

/// The memory of the vector cores, where tiles live and are computed with.
constexpr LocalMemory tileMemory = LocalMemory::UB;

/// A buffer that one op needs while it runs.
struct ScratchNeed {
  Scratch scratch;
  mlir::Type elementType;
  int64_t elements;
  /// Whether a transfer reads or writes it, not only vector instructions.
  bool isTransferred = false;
  LocalMemory memory = tileMemory;
};

/// The pipes that touch a tile.
enum PipeSet : unsigned { NoPipe = 0, LoadPipe = 1, VectorPipe = 2, StorePipe = 4 };

/// Attaches the models of all families to the ops of the tile dialect.
void registerOnChipModels(mlir::DialectRegistry &registry);

} // namespace attn::onchip

#include "attn/TileOnChip/OnChipOpInterface.h.inc"

#endif // ATTN_TILEONCHIP_ONCHIPOPINTERFACE_H
