// Loops of known numbers: where some iterations run ahead, what runs once or never is taken out, as buffers are counted for what is
// lowered.

// RUN: attn-opt %s --split-input-file --tile-split-cores | FileCheck %s
// RUN: attn-opt %s --split-input-file --attn-ascend -o %t

!k = !tile.array<?x64x32xf16>
!q = !tile.array<32x32xf16>
!o = !tile.array<32x32xf32>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// Two iterations, of which one is ahead. Vector cores run none ahead and have one loop.
// CHECK-LABEL: func.func @two(
// CHECK: tile.range %{{.*}} = %c0 to %c2 stages 2
// CHECK-LABEL: func.func @two_cube(
// CHECK-NOT: tile.range
// CHECK: tile.load {{.*}} [%c0, :, :]
// CHECK: tile.signal 0
// CHECK: tile.load {{.*}} [%c1, :, :]
// CHECK: tile.signal 0
// CHECK: tile.load {{.*}} [%c0, :, :]
// CHECK: tile.await 1
// CHECK: tile.load {{.*}} [%c1, :, :]
// CHECK: tile.await 1
// CHECK-NOT: tile.range
// CHECK: return
func.func @two(%Q: !q, %K: !k {launch.dims = ["N", 64, 32]}, %O: !o {launch.output})
    attributes {tile.kernel, tile.group = #tile.group<preload = 1, lag = 0, slots = 0, strip_rows = 0, part = 0>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %x = tile.load %Q[:, :] : (!q) -> !tile.tile<32 x 32 x f16>
  %start = tile.splat %zero : f32 -> !tile.tile<32 x 32 x f32>
  %sum = tile.range %n = %c0 to %c2 iter(%acc = %start : !tile.tile<32 x 32 x f32>) stages 2 {
    %y = tile.load %K[%n, :, :] : (!k, index) -> !tile.tile<64 x 32 x f16>
    %s = tile.dot %x, %y transpose_b : !tile.tile<32 x 32 x f16>, !tile.tile<64 x 32 x f16> -> !tile.tile<32 x 64 x f32>
    %e = tile.exp %s : !tile.tile<32 x 64 x f32>
    %p = tile.cast %e : !tile.tile<32 x 64 x f32> -> !tile.tile<32 x 64 x f16>
    %next = tile.dot %p, %y acc(%acc) : !tile.tile<32 x 64 x f16>, !tile.tile<64 x 32 x f16> -> !tile.tile<32 x 32 x f32>
    tile.yield %next : !tile.tile<32 x 32 x f32>
  }
  tile.store %sum, %O[:, :] : (!tile.tile<32 x 32 x f32>, !o) -> ()
  return
}
}

// -----

!k = !tile.array<?x64x32xf16>
!q = !tile.array<32x32xf16>
!o = !tile.array<32x32xf32>

// No more than all iterations but one run ahead: one is left for the steady state, whatever the distance is.
module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK-LABEL: func.func @ahead_cube(
// CHECK: tile.range
// CHECK: tile.signal 0
// CHECK: tile.load {{.*}} [%c2, :, :]
// CHECK: tile.signal 0
// CHECK: tile.load {{.*}} [%c0, :, :]
// CHECK: tile.await 1
// CHECK: tile.range %{{.*}} = %c1{{.*}} to %c3
// CHECK: tile.await 1
// CHECK: tile.yield
// CHECK-NOT: tile.range
// CHECK: return
func.func @ahead(%Q: !q, %K: !k {launch.dims = ["N", 64, 32]}, %O: !o {launch.output})
    attributes {tile.kernel, tile.group = #tile.group<preload = 3, lag = 0, slots = 0, strip_rows = 0, part = 0>} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %x = tile.load %Q[:, :] : (!q) -> !tile.tile<32 x 32 x f16>
  %start = tile.splat %zero : f32 -> !tile.tile<32 x 32 x f32>
  %sum = tile.range %n = %c0 to %c3 iter(%acc = %start : !tile.tile<32 x 32 x f32>) stages 2 {
    %y = tile.load %K[%n, :, :] : (!k, index) -> !tile.tile<64 x 32 x f16>
    %s = tile.dot %x, %y transpose_b : !tile.tile<32 x 32 x f16>, !tile.tile<64 x 32 x f16> -> !tile.tile<32 x 64 x f32>
    %e = tile.exp %s : !tile.tile<32 x 64 x f32>
    %p = tile.cast %e : !tile.tile<32 x 64 x f32> -> !tile.tile<32 x 64 x f16>
    %next = tile.dot %p, %y acc(%acc) : !tile.tile<32 x 64 x f16>, !tile.tile<64 x 32 x f16> -> !tile.tile<32 x 32 x f32>
    tile.yield %next : !tile.tile<32 x 32 x f32>
  }
  tile.store %sum, %O[:, :] : (!tile.tile<32 x 32 x f32>, !o) -> ()
  return
}
}
