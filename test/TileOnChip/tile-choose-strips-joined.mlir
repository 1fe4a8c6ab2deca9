// Log-softmax of long rows, in strips: the last, narrower strip of z is the same in two walks, so it is joined and lives from
// one to the next. It is counted so: what the search accepts is what the memory plan places.
// RUN: attn-opt %s --soc=Ascend910B4 --tile-choose --tile-clamp-grid --cse --tile-fit-tiles --canonicalize --cse --tile-print-buffers -o /dev/null 2>&1 | FileCheck %s
// RUN: attn-opt %s --soc=Ascend910B4 --attn-all -o /dev/null

// CHECK: rows do not fit as a whole: they are computed with BT = 1, strips of 4096 columns
// CHECK: buffer '{{.*}}' of 'f32': 1 x 3328 elements
// CHECK: buffers take 174400 bytes of ub
module {
func.func @log_softmax(
    %X: !tile.array<?x32000xf32> {launch.dims = ["T", 32000]},
    %Y: !tile.array<?x32000xf32> {launch.dims = ["T", 32000], launch.output})
    attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>}} {
  %T = tile.dim %X, 0 : !tile.array<?x32000xf32>
  tile.grid (%t) in (%T by BT) {
    %x = tile.load %X[%t span, :] : (!tile.array<?x32000xf32>, !tile.span<BT>) -> !tile.tile<BT x 32000 x f32>
    %0 = tile.reduce max %x axis 1 : !tile.tile<BT x 32000 x f32> -> !tile.tile<BT x 1 x f32>
    %z = tile.sub %x, %0 : !tile.tile<BT x 32000 x f32>, !tile.tile<BT x 1 x f32> -> !tile.tile<BT x 32000 x f32>
    %1 = tile.exp %z : !tile.tile<BT x 32000 x f32>
    %2 = tile.reduce sum %1 axis 1 : !tile.tile<BT x 32000 x f32> -> !tile.tile<BT x 1 x f32>
    %3 = tile.log %2 : !tile.tile<BT x 1 x f32>
    %4 = tile.sub %z, %3 : !tile.tile<BT x 32000 x f32>, !tile.tile<BT x 1 x f32> -> !tile.tile<BT x 32000 x f32>
    tile.store %4, %Y[%t span, :] : (!tile.tile<BT x 32000 x f32>, !tile.array<?x32000xf32>, !tile.span<BT>) -> ()
  }
  return
}
}
