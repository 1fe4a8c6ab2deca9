// RUN: attn-opt %s --tile-fit-tiles --split-input-file | FileCheck %s

// Sizes and stages are those of the choice, in the function that counts tiles as well.
// CHECK-LABEL: func.func @copy
// CHECK-NOT:   tile.choice
// CHECK-NOT:   tile.symbols
// CHECK-SAME:  launch.sizes = {BT = 8 : i64}
// CHECK:         tile.grid (%[[T:.*]]) in (%{{.*}} by 8) stages 2 {
// CHECK:         tile.range {{.*}} stages 2
// CHECK:         tile.load %{{.*}} [%{{.*}}, %[[T]] span, :] : {{.*}} -> !tile.tile<8 x 64 x f32>
// CHECK-LABEL: func.func @copy_grid
// CHECK:         tile.size 8
func.func @copy(%x: !tile.array<?x?x64xf32>, %y: !tile.array<?x64xf32>)
    attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>},
                tile.choice = #tile.choice<sizes = {BT = 8 : i64}, grid_stages = 2, range_stages = 2, strip_columns = 0>} {
  %zero = arith.constant 0 : index
  %N = tile.dim %x, 0 : !tile.array<?x?x64xf32>
  %T = tile.dim %x, 1 : !tile.array<?x?x64xf32>
  tile.grid (%t) in (%T by BT) {
    tile.range %n = %zero to %N stages 4 {
      %v = tile.load %x[%n, %t span, :] : (!tile.array<?x?x64xf32>, index, !tile.span<BT>) -> !tile.tile<BT x 64 x f32>
      tile.store %v, %y[%t span, :] : (!tile.tile<BT x 64 x f32>, !tile.array<?x64xf32>, !tile.span<BT>) -> ()
    }
  }
  return
}
func.func @copy_grid(%x: !tile.array<?x?x64xf32>, %y: !tile.array<?x64xf32>) -> index attributes {launch.grid_of = @copy} {
  %size = tile.size BT
  return %size : index
}

// -----

// Rows in strips of the choice's columns.
// CHECK-LABEL: func.func @strips
// CHECK:         tile.range %[[K:.*]] = %{{.*}} to %{{.*}} stages 2 {
// CHECK:         tile.load %{{.*}} : (!tile.array<?x256xf32>, index, index) -> !tile.tile<1 x 128 x f32>
func.func @strips(%x: !tile.array<?x256xf32>, %y: !tile.array<?x256xf32>)
    attributes {tile.kernel,
                tile.choice = #tile.choice<sizes = {}, grid_stages = 1, range_stages = 1, strip_columns = 128>} {
  %zero = arith.constant 0 : index
  %v = tile.load %x[%zero, :] : (!tile.array<?x256xf32>, index) -> !tile.tile<1 x 256 x f32>
  tile.store %v, %y[%zero, :] : (!tile.tile<1 x 256 x f32>, !tile.array<?x256xf32>, index) -> ()
  return
}
