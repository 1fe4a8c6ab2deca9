// RUN: attn-opt %s --tile-clamp-grid --split-input-file | FileCheck %s

// One axis by blocks: a balanced share, and a function that counts the tiles.
module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK-LABEL: func.func @copy(
// CHECK-SAME: attributes {launch.limit = 40 : i64, tile.kernel}
func.func @copy(%x: !tile.array<?x64xf32> {launch.dims = ["T", 64]},
                %y: !tile.array<?x64xf32> {launch.dims = ["T", 64], launch.output}) attributes {tile.kernel} {
  // CHECK: %[[T:.*]] = tile.dim
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  // CHECK: %[[TILES:.*]] = arith.ceildivui %[[T]], %c4
  // CHECK: %[[ID:.*]] = tile.block_id
  // CHECK: %[[COUNT:.*]] = tile.block_count
  // CHECK: %[[NEXT:.*]] = arith.addi %[[ID]], %c1
  // CHECK: %[[SCALED:.*]] = arith.muli %[[ID]], %[[TILES]] : index
  // CHECK: %[[LO:.*]] = arith.divui %[[SCALED]], %[[COUNT]] : index
  // CHECK: %[[SCALED_NEXT:.*]] = arith.muli %[[NEXT]], %[[TILES]] : index
  // CHECK: %[[HI:.*]] = arith.divui %[[SCALED_NEXT]], %[[COUNT]] : index
  // CHECK: tile.range %[[I:.*]] = %[[LO]] to %[[HI]] stages 2 parallel {
  // CHECK: %[[BASE:.*]] = arith.muli %[[I]], %c4
  // CHECK: %[[SPAN:.*]] = tile.make_span %[[BASE]] to %[[T]] nonempty : <4>
  // CHECK: tile.load %{{.*}} [%[[SPAN]] span, :]
  tile.grid (%t) in (%T by 4) stages 2 {
    %v = tile.load %x[%t span, :] : (!tile.array<?x64xf32>, !tile.span<4>) -> !tile.tile<4 x 64 x f32>
    tile.store %v, %y[%t span, :] : (!tile.tile<4 x 64 x f32>, !tile.array<?x64xf32>, !tile.span<4>) -> ()
  }
  return
}
// CHECK-LABEL: func.func @copy_grid(
// CHECK-SAME: %[[X:.*]]: !tile.array<?x64xf32> {launch.dims = ["T", 64]}
// CHECK-SAME: {launch.dims = ["T", 64], launch.output}
// CHECK-SAME: -> index attributes {launch.grid_of = @copy}
// CHECK: %[[T:.*]] = tile.dim %[[X]], 0
// CHECK: %[[TILES:.*]] = arith.ceildivui %[[T]], %c4
// CHECK: return %[[TILES]] : index
}

// -----

// Three axes, the last one fastest; the host's limit is that of the launch; extents from scalar arguments.
module attributes {machine.target = #machine.target<"host">} {
// CHECK-LABEL: func.func @axes(
// CHECK-SAME: launch.limit = 65535
func.func @axes(%y: !tile.array<?x?x?xf32> {launch.dims = ["B", "H", "T"]}, %half: i64) attributes {tile.kernel} {
  %B = tile.dim %y, 0 : !tile.array<?x?x?xf32>
  %H = arith.index_cast %half : i64 to index
  %T = tile.dim %y, 2 : !tile.array<?x?x?xf32>
  %one = arith.constant 1.0 : f32
  // CHECK: %[[TILES:.*]] = arith.ceildivui
  // CHECK: %[[BH:.*]] = arith.muli %[[B:.*]], %[[H:.*]] : index
  // CHECK: arith.muli %[[BH]], %[[TILES]] : index
  // CHECK: tile.range %[[I:.*]] = {{.*}} parallel {
  // CHECK: %[[T:.*]] = arith.remui %[[I]], %[[TILES]]
  // CHECK: %[[REST:.*]] = arith.divui %[[I]], %[[TILES]]
  // CHECK: %[[HI:.*]] = arith.remui %[[REST]], %[[H]]
  // CHECK: %[[BI:.*]] = arith.divui %[[REST]], %[[H]]
  // CHECK: %[[BASE:.*]] = arith.muli %[[T]], %c8
  // CHECK: %[[SPAN:.*]] = tile.make_span %[[BASE]]
  // CHECK: tile.store %{{.*}} [%[[BI]], %[[HI]], %[[SPAN]] span]
  tile.grid (%b, %h, %t) in (%B, %H, %T by 8) {
    %v = tile.splat %one : f32 -> !tile.tile<8 x 1 x f32>
    tile.store %v, %y[%b, %h, %t span] : (!tile.tile<8 x 1 x f32>, !tile.array<?x?x?xf32>, index, index, !tile.span<8>) -> ()
  }
  return
}
// CHECK-LABEL: func.func @axes_grid(
// CHECK: arith.index_cast
// CHECK: return %{{.*}} : index
}

// -----

// A kernel without grid runs on one core.
module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK-LABEL: func.func @single(
// CHECK-SAME: launch.limit = 1 : i64
func.func @single(%y: !tile.array<64xf32> {launch.dims = [64]}) attributes {tile.kernel} {
  return
}
// CHECK-LABEL: func.func @single_grid(
// CHECK: return %c1
}
