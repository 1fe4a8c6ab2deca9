// RUN: attn-opt %s --tile-split-cores | FileCheck %s
// Phases are launched with the same arguments: each takes the workspaces of all of them, in one order.

!a = !tile.array<?x64xf16>
!b = !tile.array<64x32xf16>
!c = !tile.array<?x32xf32>
#group = #tile.group<preload = 0, lag = 0, slots = 0, strip_rows = 0, part = 0>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// The first phase has its own ring first, the last has it last; the one between, for vector cores, uses neither.
// CHECK: func.func @first({{.*}} {launch.output},
// CHECK-SAME: %[[OWN:.*]]: !tile.array<?x2x32x32xf32> {{{.*}}}, %{{.*}}: !tile.array<?x2x16x32xf32> {{{.*}}})
// CHECK: tile.load %[[OWN]]
// CHECK: func.func @first_cube({{.*}}, %[[OWN:.*]]: !tile.array<?x2x32x32xf32> {{{.*}}}, %{{.*}}: !tile.array<?x2x16x32xf32> {{{.*}}})
// CHECK: tile.store %{{.*}}, %[[OWN]]
func.func @first(%A: !a, %B: !b, %C: !c {launch.output}) attributes {tile.kernel, tile.group = #group} {
  %c0 = arith.constant 0 : index
  %M = tile.dim %A, 0 : !a
  tile.range %m = %c0 to %M by 32 {
    %x = tile.load %A[%m span, :] : (!a, !tile.span<32>) -> !tile.tile<32 x 64 x f16>
    %y = tile.load %B[:, :] : (!b) -> !tile.tile<64 x 32 x f16>
    %s = tile.dot %x, %y : !tile.tile<32 x 64 x f16>, !tile.tile<64 x 32 x f16> -> !tile.tile<32 x 32 x f32>
    %e = tile.exp %s : !tile.tile<32 x 32 x f32>
    tile.store %e, %C[%m span, :] : (!tile.tile<32 x 32 x f32>, !c, !tile.span<32>) -> ()
  }
  return
}

// CHECK: func.func @second({{.*}}, %{{.*}}: !tile.array<?x2x32x32xf32> {{{.*}}}, %{{.*}}: !tile.array<?x2x16x32xf32> {{{.*}}})
// CHECK-NOT: tile.mixed
func.func @second(%A: !a, %B: !b, %C: !c {launch.output})
    attributes {tile.kernel, launch.after = @first, tile.group = #group} {
  %c0 = arith.constant 0 : index
  %M = tile.dim %A, 0 : !a
  tile.range %m = %c0 to %M by 16 {
    %s = tile.load %C[%m span, :] : (!c, !tile.span<16>) -> !tile.tile<16 x 32 x f32>
    %e = tile.exp %s : !tile.tile<16 x 32 x f32>
    tile.store %e, %C[%m span, :] : (!tile.tile<16 x 32 x f32>, !c, !tile.span<16>) -> ()
  }
  return
}

// CHECK: func.func @third({{.*}}, %{{.*}}: !tile.array<?x2x32x32xf32> {{{.*}}}, %[[OWN:.*]]: !tile.array<?x2x16x32xf32> {{{.*}}})
// CHECK: tile.load %[[OWN]]
// CHECK: func.func @third_cube({{.*}}, %{{.*}}: !tile.array<?x2x32x32xf32> {{{.*}}}, %[[OWN:.*]]: !tile.array<?x2x16x32xf32> {{{.*}}})
// CHECK: tile.store %{{.*}}, %[[OWN]]
func.func @third(%A: !a, %B: !b, %C: !c {launch.output})
    attributes {tile.kernel, launch.after = @second, tile.group = #group} {
  %c0 = arith.constant 0 : index
  %M = tile.dim %A, 0 : !a
  tile.range %m = %c0 to %M by 16 {
    %x = tile.load %A[%m span, :] : (!a, !tile.span<16>) -> !tile.tile<16 x 64 x f16>
    %y = tile.load %B[:, :] : (!b) -> !tile.tile<64 x 32 x f16>
    %s = tile.dot %x, %y : !tile.tile<16 x 64 x f16>, !tile.tile<64 x 32 x f16> -> !tile.tile<16 x 32 x f32>
    %e = tile.exp %s : !tile.tile<16 x 32 x f32>
    tile.store %e, %C[%m span, :] : (!tile.tile<16 x 32 x f32>, !c, !tile.span<16>) -> ()
  }
  return
}
}
