// RUN: attn-opt %s --tile-decompose-softmax=form=online | FileCheck %s

// Two pushes, one of them in an inner loop, and another carried value: online takes any path.
// CHECK-LABEL: func.func @nested
// CHECK: tile.range {{.*}} iter(%{{.*}} : !tile.tile<4 x 1 x f32>, %{{.*}} : !tile.tile<4 x 1 x f32>, %{{.*}} : !tile.tile<4 x 1 x f32>, %{{.*}} : !tile.tile<4 x 64 x f32>) {
// CHECK: tile.range {{.*}} iter(%{{.*}} : !tile.tile<4 x 1 x f32>, %{{.*}} : !tile.tile<4 x 1 x f32>, %{{.*}} : !tile.tile<4 x 64 x f32>) {
// CHECK-NOT: softmax
module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @nested(%h: !tile.array<4x64xf32> {launch.dims = [4, 64], launch.output}, %s: f32) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %three = arith.constant 3 : index
  %x = tile.splat %s : f32 -> !tile.tile<4 x 1 x f32>
  %v = tile.splat %s : f32 -> !tile.tile<4 x 64 x f32>
  %st0 = tile.softmax_init : !tile.softmax_state<4 x 64>
  %r:2 = tile.range %i = %zero to %three iter(%y = %x : !tile.tile<4 x 1 x f32>, %a = %st0 : !tile.softmax_state<4 x 64>) {
    %b = tile.softmax_push per_row %a, %y, %v : !tile.softmax_state<4 x 64>, !tile.tile<4 x 1 x f32>, !tile.tile<4 x 64 x f32>
    %c = tile.range %j = %zero to %three iter(%d = %b : !tile.softmax_state<4 x 64>) {
      %e = tile.softmax_push per_row %d, %y, %v : !tile.softmax_state<4 x 64>, !tile.tile<4 x 1 x f32>, !tile.tile<4 x 64 x f32>
      tile.yield %e : !tile.softmax_state<4 x 64>
    }
    %y1 = tile.add %y, %y : !tile.tile<4 x 1 x f32>, !tile.tile<4 x 1 x f32> -> !tile.tile<4 x 1 x f32>
    tile.yield %y1, %c : !tile.tile<4 x 1 x f32>, !tile.softmax_state<4 x 64>
  }
  %o, %l = tile.softmax_finish %r#1 : !tile.softmax_state<4 x 64> -> !tile.tile<4 x 64 x f32>, !tile.tile<4 x 1 x f32>
  tile.store %o, %h[:, :] : (!tile.tile<4 x 64 x f32>, !tile.array<4x64xf32>) -> ()
  return
}
}
