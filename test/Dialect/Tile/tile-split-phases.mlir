// RUN: attn-opt %s --tile-split-phases | FileCheck %s
// RUN: attn-opt %s --tile-split-phases=phases=barrier | FileCheck %s --check-prefix=BARRIER
// RUN: attn-opt %s --soc=host --tile-split-phases=phases=barrier | FileCheck %s
// RUN: attn-opt %s --attn-tile=phases=launches | FileCheck %s --check-prefix=PIPELINE
// RUN: attn-opt %s --attn-tile | FileCheck %s --check-prefix=BARRIER

// Three phases; the weights are loaded again where they are needed, and nothing else of the first phase is.
// On a chip the blocks can meet instead, so nothing is split.
// BARRIER-LABEL: func.func @sums(
// BARRIER-COUNT-2: tile.phase
// BARRIER-NOT: func.func @sums_phase1
// PIPELINE: func.func @sums(
// PIPELINE: func.func @sums_phase1(
// PIPELINE: func.func @sums_phase2(
module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK-LABEL: func.func @sums(
// CHECK-SAME: %[[X:.*]]: !tile.array<?x64xf32> {launch.dims = ["T", 64]}, %[[W:.*]]: !tile.array<64xf32> {launch.dims = [64]}, %[[G:.*]]: !tile.array<?x64xf32> {launch.dims = ["@blocks", 64], launch.workspace}, %[[Y:.*]]: !tile.array<64xf32> {launch.dims = [64], launch.output})
// CHECK-SAME: attributes {launch.limit = 40 : i64, tile.kernel}
func.func @sums(%x: !tile.array<?x64xf32> {launch.dims = ["T", 64]},
                %w: !tile.array<64xf32> {launch.dims = [64]},
                %G: !tile.array<?x64xf32> {launch.dims = ["@blocks", 64], launch.workspace},
                %y: !tile.array<64xf32> {launch.dims = [64], launch.output}) attributes {tile.kernel, launch.limit = 40 : i64} {
  // CHECK-NOT: tile.load %[[W]]
  %weights = tile.load %w[:] : (!tile.array<64xf32>) -> !tile.tile<1 x 64 x f32>
  %squares = tile.mul %weights, %weights : !tile.tile<1 x 64 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 64 x f32>
  %id = tile.block_id
  // CHECK: %[[ROW:.*]] = tile.load %[[X]]
  // CHECK: tile.store %[[ROW]], %[[G]]
  // CHECK-NEXT: return
  %row = tile.load %x[%id, :] : (!tile.array<?x64xf32>, index) -> !tile.tile<1 x 64 x f32>
  tile.store %row, %G[%id, :] : (!tile.tile<1 x 64 x f32>, !tile.array<?x64xf32>, index) -> ()
  tile.phase
  %sum = tile.load %G[%id, :] : (!tile.array<?x64xf32>, index) -> !tile.tile<1 x 64 x f32>
  %product = tile.mul %sum, %squares : !tile.tile<1 x 64 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 64 x f32>
  tile.store %product, %y[:] : (!tile.tile<1 x 64 x f32>, !tile.array<64xf32>) -> ()
  tile.phase
  return
}
// CHECK-LABEL: func.func @sums_grid(
// CHECK-SAME: launch.grid_of = @sums}
func.func @sums_grid(%x: !tile.array<?x64xf32> {launch.dims = ["T", 64]},
                     %w: !tile.array<64xf32> {launch.dims = [64]},
                     %G: !tile.array<?x64xf32> {launch.dims = ["@blocks", 64], launch.workspace},
                     %y: !tile.array<64xf32> {launch.dims = [64], launch.output}) -> index attributes {launch.grid_of = @sums} {
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  return %T : index
}
// CHECK-LABEL: func.func @sums_phase1(
// CHECK-SAME: %[[X:.*]]: !tile.array<?x64xf32> {launch.dims = ["T", 64]}, %[[W:.*]]: !tile.array<64xf32> {launch.dims = [64]}, %[[G:.*]]: !tile.array<?x64xf32> {launch.dims = ["@blocks", 64], launch.workspace}, %[[Y:.*]]: !tile.array<64xf32> {launch.dims = [64], launch.output})
// CHECK-SAME: attributes {launch.after = @sums, launch.limit = 40 : i64, tile.kernel}
// CHECK: %[[WEIGHTS:.*]] = tile.load %[[W]]
// CHECK: %[[SQUARES:.*]] = tile.mul %[[WEIGHTS]], %[[WEIGHTS]]
// CHECK: %[[ID:.*]] = tile.block_id
// CHECK-NOT: tile.load %[[X]]
// CHECK: %[[SUM:.*]] = tile.load %[[G]] [%[[ID]], :]
// CHECK: tile.mul %[[SUM]], %[[SQUARES]]
// CHECK: tile.store %{{.*}}, %[[Y]]
// CHECK-NEXT: return
// CHECK-LABEL: func.func @sums_phase1_grid(
// CHECK-SAME: launch.grid_of = @sums_phase1}
// CHECK: %[[T:.*]] = tile.dim
// CHECK: return %[[T]]
// CHECK-LABEL: func.func @sums_phase2(
// CHECK-SAME: launch.after = @sums_phase1
// CHECK-SAME: {
// CHECK-NEXT: return
// CHECK-LABEL: func.func @sums_phase2_grid(

// CHECK-LABEL: func.func @single(
// CHECK-SAME: attributes {launch.limit = 1 : i64, tile.kernel} {
// CHECK-NEXT: return
func.func @single() attributes {tile.kernel, launch.limit = 1 : i64} {
  return
}
// CHECK-NOT: func.func @single_phase1
func.func @single_grid() -> index attributes {launch.grid_of = @single} {
  %one = arith.constant 1 : index
  return %one : index
}
}
