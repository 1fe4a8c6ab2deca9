// Levels of the steady state that are computed together by vector cores, in the same strips.

// RUN: attn-opt %s --tile-split-cores | FileCheck %s

!k = !tile.array<?x128x32xf16>
!q = !tile.array<32x32xf16>
!o = !tile.array<32x32xf32>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// What is awaited and loaded comes before all work, what is stored and signalled after it, so that one loop over strips has both
// levels: scores become weights, and products of other weights are added up. Loops that fill and drain have one level.
// CHECK-LABEL: func.func @joined(
// CHECK: tile.range
// CHECK: tile.await 0
// CHECK: tile.signal 1
// CHECK-NOT: tile.await 2
// CHECK: tile.yield
// CHECK: tile.range
// CHECK: tile.await 0
// CHECK-NEXT: tile.await 2
// CHECK: tile.range
// CHECK: tile.load {{.*}} -> !tile.tile<8 x 128 x f32>
// CHECK-NOT: tile.range
// CHECK: tile.load {{.*}} -> !tile.tile<8 x 32 x f32>
// CHECK: tile.exp
// CHECK: tile.insert {{.*}} into <64 x 1 x f32>
// CHECK: tile.extract {{.*}} : <64 x 1 x f32>
// CHECK: tile.add
// CHECK: tile.store
// CHECK: }
// CHECK-NEXT: tile.signal 1
// CHECK-NEXT: tile.yield
// CHECK: tile.range
// CHECK-NOT: tile.signal 1
// CHECK: tile.await 2
// CHECK-LABEL: func.func @joined_cube(
func.func @joined(%Q: !q, %K: !k, %O: !o {launch.output})
    attributes {tile.kernel, tile.group = #tile.group<preload = 3, lag = 3, slots = 0, strip_rows = 8, part = 0>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %N = tile.dim %K, 0 : !k
  %x = tile.load %Q[:, :] : (!q) -> !tile.tile<32 x 32 x f16>
  %start = tile.splat %zero : f32 -> !tile.tile<32 x 32 x f32>
  %sum = tile.range %n = %c0 to %N iter(%acc = %start : !tile.tile<32 x 32 x f32>) stages 2 {
    %y = tile.load %K[%n, :, :] : (!k, index) -> !tile.tile<128 x 32 x f16>
    %s = tile.dot %x, %y transpose_b : !tile.tile<32 x 32 x f16>, !tile.tile<128 x 32 x f16> -> !tile.tile<32 x 128 x f32>
    %e = tile.exp %s : !tile.tile<32 x 128 x f32>
    %f = tile.reduce max %e axis 1 : !tile.tile<32 x 128 x f32> -> !tile.tile<32 x 1 x f32>
    %p = tile.cast %e : !tile.tile<32 x 128 x f32> -> !tile.tile<32 x 128 x f16>
    %scaled = tile.mul %acc, %f : !tile.tile<32 x 32 x f32>, !tile.tile<32 x 1 x f32> -> !tile.tile<32 x 32 x f32>
    %next = tile.dot %p, %y acc(%scaled) : !tile.tile<32 x 128 x f16>, !tile.tile<128 x 32 x f16> -> !tile.tile<32 x 32 x f32>
    tile.yield %next : !tile.tile<32 x 32 x f32>
  }
  tile.store %sum, %O[:, :] : (!tile.tile<32 x 32 x f32>, !o) -> ()
  return
}
}
