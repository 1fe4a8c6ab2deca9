// How every op of the tile dialect lies on the chip: the interface, and the words it is spoken in.
#ifndef ATTN_TILEONCHIP_ONCHIPOPINTERFACE_H
#define ATTN_TILEONCHIP_ONCHIPOPINTERFACE_H

#include "attn/TileOnChip/ChipModel.h"
#include "attn/TileOnChip/CostModel.h"
#include "mlir/IR/DialectRegistry.h"

namespace attn::onchip {

class Lowering;
class Placement;

/// What an op needs a buffer for besides its tiles. Accounting and lowering name it by this.
enum class Scratch {
  Aside,      // a carried tile whose place is written before it is read
  Bias,       // the row that sums start from, in the bias table
  Bits,       // the answers of a comparison
  Blocks,     // one data block per element of a column
  Broadcast,  // one data block per row, full of the row's value
  Column,     // what kept composites need to spread or gather a column
  Left,       // parts of the left operand of a product, in L0A
  LeftTail,   // the last elements of what is compared, as a whole repeat
  Neutral,    // a column with neutral elements in the rows it lacks
  One,        // ones, to be divided or chosen
  OtherBits,  // all bits of the elements that a mask does not take
  Part,       // a splat that is inserted into a narrow column
  PartBlocks, // the blocks of the part that is inserted
  Positive,   // the positive part of a tile, where the chip's own leaky ReLU is not used
  Products,   // the products of a sum, one repeat of columns wide
  Reduce,     // the partial results of a reduction along rows
  Right,      // parts of the right operand of a product, in L0B
  RightTail,  // the last elements of what it is compared with, as a whole repeat
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
  /// Copies of it that take turns while the op runs.
  int64_t slots = 1;
};

/// The pipes that touch a tile.
enum PipeSet : unsigned {
  NoPipe = 0,
  LoadPipe = 1 << 0,
  VectorPipe = 1 << 1,
  StorePipe = 1 << 2,
  FeedPipe = 1 << 3, // from L1 to where products take their operands
  ProductPipe = 1 << 4
};

/// Attaches the models of all families to the ops of the tile dialect.
void registerOnChipModels(mlir::DialectRegistry &registry);

} // namespace attn::onchip

#include "attn/TileOnChip/OnChipOpInterface.h.inc"

#endif // ATTN_TILEONCHIP_ONCHIPOPINTERFACE_H
