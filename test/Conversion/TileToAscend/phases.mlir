// RUN: attn-opt %s --soc=Ascend910B4 --convert-tile-to-ascend | FileCheck %s

// On the chip all blocks meet at a phase.
// CHECK-LABEL: func.func @phases(
// CHECK-SAME:    ascend.kind = #ascend.kernel_kind<meeting_vector>
// CHECK:         ascend.copy_out
// CHECK:         ascend.sync_all
// CHECK:         ascend.copy_in
module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @phases(%x: !tile.array<16xf32> {launch.dims = [16]}, %y: !tile.array<16xf32> {launch.dims = [16], launch.output})
    attributes {tile.kernel, launch.limit = 1 : i64} {
  %a = tile.load %x[:] : (!tile.array<16xf32>) -> !tile.tile<1 x 16 x f32>
  tile.store %a, %y[:] : (!tile.tile<1 x 16 x f32>, !tile.array<16xf32>) -> ()
  tile.phase
  %b = tile.load %y[:] : (!tile.array<16xf32>) -> !tile.tile<1 x 16 x f32>
  tile.store %b, %y[:] : (!tile.tile<1 x 16 x f32>, !tile.array<16xf32>) -> ()
  return
}
}
