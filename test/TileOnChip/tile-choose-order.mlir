// What the search looks at, in its order: the rules of the axes.
// RUN: attn-opt %s --tile-choose=print-alternatives --split-input-file 2>&1 >/dev/null | FileCheck %s

// Whole rows. Of each size the most stages that fit: first the grid goes without, then the loop. Sizes below one that is
// double-buffered throughout are left out; of the others the fastest is taken.
module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 40960 : i64}>} {
// CHECK: remark: alternatives,
// CHECK-NEXT:     BT  grid stages  loop stages  strips
// CHECK-NEXT:     64  2            2            whole rows {{.*}} UB has 40960 bytes
// CHECK-NEXT:     64  1            2            whole rows {{.*}} UB has 40960 bytes
// CHECK-NEXT:     64  1            1            whole rows {{.*}} slower
// CHECK-NEXT:     48  2            2            whole rows {{.*}} UB has 40960 bytes
// CHECK-NEXT:     48  1            2            whole rows {{.*}} slower
// CHECK-NEXT: ->  32  2            2            whole rows {{.*}} taken
// CHECK-NEXT: func.func @whole
func.func @whole(%x: !tile.array<?x?x64xf32> {launch.dims = ["N", "T", 64]},
                 %y: !tile.array<?x64xf32> {launch.dims = ["T", 64], launch.output})
    attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>}} {
  %zero = arith.constant 0 : index
  %f = arith.constant 0.0 : f32
  %N = tile.dim %x, 0 : !tile.array<?x?x64xf32>
  %T = tile.dim %x, 1 : !tile.array<?x?x64xf32>
  tile.grid (%t) in (%T by BT) {
    %none = tile.splat %f : f32 -> !tile.tile<BT x 64 x f32>
    %sum = tile.range %n = %zero to %N iter(%acc = %none : !tile.tile<BT x 64 x f32>) stages 2 {
      %v = tile.load %x[%n, %t span, :] : (!tile.array<?x?x64xf32>, index, !tile.span<BT>) -> !tile.tile<BT x 64 x f32>
      %next = tile.add %acc, %v : !tile.tile<BT x 64 x f32>, !tile.tile<BT x 64 x f32> -> !tile.tile<BT x 64 x f32>
      tile.yield %next : !tile.tile<BT x 64 x f32>
    }
    tile.store %sum, %y[%t span, :] : (!tile.tile<BT x 64 x f32>, !tile.array<?x64xf32>, !tile.span<BT>) -> ()
  }
  return
}
}

// -----

// Strips, since no whole row fits. Sizes and kept rows are compared by the bytes that they move in the narrowest strips; those
// that move the fewest get the widest strips, found by halving, for each number of stages.
module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 16384 : i64}>} {
// CHECK: remark: alternatives,
// CHECK-NEXT:     BT  grid stages  loop stages  strips
// CHECK-NEXT:     64  1            1            64 {{.*}} UB has 16384 bytes
// CHECK-NEXT:     48  1            1            64 {{.*}} UB has 16384 bytes
// CHECK-NEXT:     32  1            1            64 {{.*}} UB has 16384 bytes
// CHECK-NEXT:     24  1            1            64 {{.*}} UB has 16384 bytes
// CHECK-NEXT:     16  1            1            64 {{.*}} 6297600 moves more bytes
// CHECK-NEXT:     8   1            1            64 {{.*}} 6297600 moves more bytes
// CHECK-NEXT:     4   1            1            64 {{.*}} 6297600
// CHECK-NEXT:     2   1            1            64 {{.*}} 6297600
// CHECK-NEXT:     1   1            1            64 {{.*}} 6297600
// CHECK-NEXT:     1   1            1            64 {{.*}} 4198400 slower
// CHECK-NEXT: ->  1   1            1            512 {{.*}} 4198400 taken
// CHECK-NEXT:     1   1            1            2048 {{.*}} UB has 16384 bytes
// CHECK-NEXT:     1   1            1            1024 {{.*}} UB has 16384 bytes
// CHECK-NEXT:     1   1            1            512 {{.*}} no better
// CHECK-NEXT:     1   1            1            2048 {{.*}} UB has 16384 bytes
// CHECK-NEXT:     1   1            1            1024 {{.*}} UB has 16384 bytes
// CHECK-NEXT: func.func @kept
func.func @kept(%x: !tile.array<?x4100xbf16> {launch.dims = ["T", 4100]},
                %y: !tile.array<?x4100xbf16> {launch.dims = ["T", 4100], launch.output})
    attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>}} {
  %T = tile.dim %x, 0 : !tile.array<?x4100xbf16>
  tile.grid (%t) in (%T by BT) {
    %v16 = tile.load %x[%t span, :] : (!tile.array<?x4100xbf16>, !tile.span<BT>) -> !tile.tile<BT x 4100 x bf16>
    %v = tile.cast %v16 : !tile.tile<BT x 4100 x bf16> -> !tile.tile<BT x 4100 x f32>
    %vv = tile.mul %v, %v : !tile.tile<BT x 4100 x f32>, !tile.tile<BT x 4100 x f32> -> !tile.tile<BT x 4100 x f32>
    %s = tile.reduce sum %vv axis 1 : !tile.tile<BT x 4100 x f32> -> !tile.tile<BT x 1 x f32>
    %r = tile.rsqrt %s : !tile.tile<BT x 1 x f32>
    %n = tile.mul %v, %r : !tile.tile<BT x 4100 x f32>, !tile.tile<BT x 1 x f32> -> !tile.tile<BT x 4100 x f32>
    %n16 = tile.cast %n : !tile.tile<BT x 4100 x f32> -> !tile.tile<BT x 4100 x bf16>
    tile.store %n16, %y[%t span, :] : (!tile.tile<BT x 4100 x bf16>, !tile.array<?x4100xbf16>, !tile.span<BT>) -> ()
  }
  return
}
}
