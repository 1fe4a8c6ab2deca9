// The interface by which every op of the tile dialect says how it lies on the chip.
#ifndef ATTN_TILEONCHIP_ONCHIPOPINTERFACE
#define ATTN_TILEONCHIP_ONCHIPOPINTERFACE

include "mlir/IR/Interfaces.td"

def OnChipOpInterface : OpInterface<"OnChipOpInterface"> {
  let description = [{
    How an op of the tile dialect lies on the chip: the memory that it needs besides its tiles, what it costs, and the
    instructions that it becomes. The dialect knows nothing of this; the families of `lib/TileOnChip/Families` attach it
    as external models.
  }];
  let cppNamespace = "::attn::onchip";
  let methods = [
    InterfaceMethod<[{
      Names the scratch that the op needs while it runs. `product` is the multiplication that it absorbs, or null.
    }], "void", "addScratch",
      (ins "const ::attn::onchip::ChipModel &":$model, "::attn::tile::MulOp":$product,
           "::llvm::SmallVectorImpl<::attn::onchip::ScratchNeed> &":$needs), "", "return;">,
    InterfaceMethod<"Whether the op may write its result over the operand of this use while it reads it.",
      "bool", "mayWriteOver", (ins "::mlir::OpOperand &":$use), "", "return false;">,
    InterfaceMethod<"The pipes that write the op's result.",
      "unsigned", "getWritingPipes", (ins "const ::attn::onchip::ChipModel &":$model), "",
      "return ::attn::onchip::VectorPipe;">,
    InterfaceMethod<"The pipes that read the op's tiles.",
      "unsigned", "getReadingPipes", (ins), "", "return ::attn::onchip::VectorPipe;">,
    InterfaceMethod<"What one run of the op costs. Loops cost nothing themselves.",
      "::attn::onchip::OpCost", "getCost",
      (ins "const ::attn::onchip::ChipModel &":$model, "const ::attn::onchip::CostModel &":$costs), "", "return {};">,
    InterfaceMethod<"Writes the instructions of the op. What has none is an error at the op.",
      "::mlir::LogicalResult", "lower", (ins "::attn::onchip::Lowering &":$lowering)>,
  ];
}

def OnCubeOpInterface : OpInterface<"OnCubeOpInterface"> {
  let description = [{
    How an op lies on a cube core, where its placement puts it there (`Placement`). Ops that both kinds of cores run, such
    as loads and stores, have both interfaces.
  }];
  let cppNamespace = "::attn::onchip";
  let methods = [
    InterfaceMethod<"Names the scratch that the op needs while it runs.",
      "void", "addCubeScratch",
      (ins "const ::attn::onchip::ChipModel &":$model, "const ::attn::onchip::Placement &":$placement,
           "::llvm::SmallVectorImpl<::attn::onchip::ScratchNeed> &":$needs), "", "return;">,
    InterfaceMethod<"The pipes that write the op's result.",
      "unsigned", "getCubeWritingPipes", (ins), "", "return ::attn::onchip::NoPipe;">,
    InterfaceMethod<"The pipes that read a tile of the op.",
      "unsigned", "getCubeReadingPipes", (ins "::mlir::Value":$tile), "", "return ::attn::onchip::NoPipe;">,
    InterfaceMethod<"What one run of the op costs.",
      "::attn::onchip::OpCost", "getCubeCost",
      (ins "const ::attn::onchip::ChipModel &":$model, "const ::attn::onchip::Placement &":$placement,
           "const ::attn::onchip::CostModel &":$costs), "", "return {};">,
    InterfaceMethod<"Writes the instructions of the op.",
      "::mlir::LogicalResult", "lowerOnCube", (ins "::attn::onchip::Lowering &":$lowering), "",
      "return ::mlir::success();">,
  ];
}

#endif // ATTN_TILEONCHIP_ONCHIPOPINTERFACE
