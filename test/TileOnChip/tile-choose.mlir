// RUN: attn-opt %s --tile-choose --tile-fit-tiles --split-input-file 2>/dev/null | FileCheck %s
// RUN: attn-opt %s --tile-choose=sizes=BT=4 --tile-fit-tiles --split-input-file 2>/dev/null | FileCheck %s --check-prefix=FOUR
// RUN: attn-opt %s --tile-choose=print-alternatives --tile-fit-tiles --split-input-file 2>&1 >/dev/null | FileCheck %s --check-prefix=ALTERNATIVES

// Everything fits: the largest size, and the grid is double-buffered.
module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK-LABEL: func.func @copy
// CHECK-NOT: tile.symbols
// CHECK-SAME: launch.sizes = {BT = 64 : i64}
// FOUR-LABEL: func.func @copy
// FOUR-SAME: launch.sizes = {BT = 4 : i64}
// ALTERNATIVES: remark: alternatives, estimated for 256 rows of the grid for each core:
// ALTERNATIVES-NEXT:      BT  grid stages  loop stages  strips      bytes of UB  cycles  bytes moved  verdict
// ALTERNATIVES-NEXT: ->   64  2            1            whole rows  {{[0-9]+ +[0-9]+ +[0-9]+ +}}taken
func.func @copy(%x: !tile.array<?x64xf32> {launch.dims = ["T", 64]},
                %y: !tile.array<?x64xf32> {launch.dims = ["T", 64], launch.output})
    attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>}} {
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  // CHECK: tile.grid (%[[T:.*]]) in (%{{.*}} by 64) stages 2 {
  // CHECK: tile.load %{{.*}} [%[[T]] span, :] : (!tile.array<?x64xf32>, !tile.span<64>) -> !tile.tile<64 x 64 x f32>
  // FOUR: tile.grid (%{{.*}}) in (%{{.*}} by 4) stages 2 {
  tile.grid (%t) in (%T by BT) {
    %v = tile.load %x[%t span, :] : (!tile.array<?x64xf32>, !tile.span<BT>) -> !tile.tile<BT x 64 x f32>
    tile.store %v, %y[%t span, :] : (!tile.tile<BT x 64 x f32>, !tile.array<?x64xf32>, !tile.span<BT>) -> ()
  }
  return
}
}

// -----

// Between powers of two, half-way.
module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 28672 : i64}>} {
// CHECK-LABEL: func.func @half_way
// CHECK-SAME: launch.sizes = {BT = 48 : i64}
// FOUR-LABEL: func.func @half_way
func.func @half_way(%x: !tile.array<?x64xf32> {launch.dims = ["T", 64]},
                    %y: !tile.array<?x64xf32> {launch.dims = ["T", 64], launch.output})
    attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>}} {
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  tile.grid (%t) in (%T by BT) {
    %v = tile.load %x[%t span, :] : (!tile.array<?x64xf32>, !tile.span<BT>) -> !tile.tile<BT x 64 x f32>
    %e = tile.exp %v : !tile.tile<BT x 64 x f32>
    tile.store %e, %y[%t span, :] : (!tile.tile<BT x 64 x f32>, !tile.array<?x64xf32>, !tile.span<BT>) -> ()
  }
  return
}
}

// -----

// On the host: the smallest size with 2048 elements per tile; a loop by blocks is bound too.
module attributes {machine.target = #machine.target<"host">} {
// CHECK-LABEL: func.func @host
// CHECK-SAME: launch.sizes = {BT = 8 : i64}
func.func @host(%x: !tile.array<?x256xf32> {launch.dims = ["T", 256]},
                %y: !tile.array<?x256xf32> {launch.dims = ["T", 256], launch.output})
    attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>}} {
  %zero = arith.constant 0 : index
  %T = tile.dim %x, 0 : !tile.array<?x256xf32>
  // CHECK: tile.range %{{.*}} = %{{.*}} to %{{.*}} by 8 {
  tile.range %t = %zero to %T by BT {
    %v = tile.load %x[%t span, :] : (!tile.array<?x256xf32>, !tile.span<BT>) -> !tile.tile<BT x 256 x f32>
    tile.store %v, %y[%t span, :] : (!tile.tile<BT x 256 x f32>, !tile.array<?x256xf32>, !tile.span<BT>) -> ()
  }
  return
}
}

// -----

// A clamped kernel: the shares are double-buffered, sizes are bound as values too, and in the function that counts tiles.
module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK-LABEL: func.func @clamped
// CHECK-SAME: launch.sizes = {BT = 64 : i64}
func.func @clamped(%x: !tile.array<?x64xf32> {launch.dims = ["T", 64]},
                   %y: !tile.array<?x64xf32> {launch.dims = ["T", 64], launch.output})
    attributes {tile.kernel, launch.limit = 40 : i64, tile.symbols = {BT = #tile.auto<1, 64>}} {
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  // CHECK: %[[SIZE:.*]] = tile.size 64
  %bt = tile.size BT
  %tiles = arith.ceildivui %T, %bt : index
  %id = tile.block_id
  %blocks = tile.block_count
  %one = arith.constant 1 : index
  %next = arith.addi %id, %one : index
  %low = arith.muli %id, %tiles : index
  %lower = arith.divui %low, %blocks : index
  %high = arith.muli %next, %tiles : index
  %upper = arith.divui %high, %blocks : index
  // CHECK: tile.range {{.*}} stages 2 parallel {
  tile.range %i = %lower to %upper parallel {
    %base = arith.muli %i, %bt : index
    // CHECK: tile.make_span {{.*}} : <64>
    %t = tile.make_span %base to %T nonempty : !tile.span<BT>
    %v = tile.load %x[%t span, :] : (!tile.array<?x64xf32>, !tile.span<BT>) -> !tile.tile<BT x 64 x f32>
    tile.store %v, %y[%t span, :] : (!tile.tile<BT x 64 x f32>, !tile.array<?x64xf32>, !tile.span<BT>) -> ()
  }
  return
}
// CHECK-LABEL: func.func @clamped_grid
func.func @clamped_grid(%x: !tile.array<?x64xf32> {launch.dims = ["T", 64]},
                        %y: !tile.array<?x64xf32> {launch.dims = ["T", 64], launch.output}) -> index
    attributes {launch.grid_of = @clamped} {
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  // CHECK: tile.size 64
  %bt = tile.size BT
  %tiles = arith.ceildivui %T, %bt : index
  return %tiles : index
}
}
