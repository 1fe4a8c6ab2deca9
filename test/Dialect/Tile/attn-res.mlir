// RUN: attn-opt %s | attn-opt | FileCheck %s

// Attention residual forward, as the Python frontend writes it.
// CHECK-LABEL: func.func @attn_res_fwd
module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @attn_res_fwd(
    %V: !tile.array<?x?x4096xbf16> {launch.dims = ["N", "T", 4096]},
    %wq: !tile.array<4096xbf16> {launch.dims = [4096]},
    %wn: !tile.array<4096xbf16> {launch.dims = [4096]},
    %eps: f32,
    %h: !tile.array<?x4096xbf16> {launch.dims = ["T", 4096], launch.output},
    %lse: !tile.array<?xf32> {launch.dims = ["T"], launch.output},
    %sc: !tile.array<?x?xf32> {launch.dims = ["T", "N"], launch.output},
    %rs: !tile.array<?x?xf32> {launch.dims = ["T", "N"], launch.output})
    attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>}} {
  %zero = arith.constant 0 : index
  %inv = arith.constant 2.44140625e-4 : f32
  %N = tile.dim %V, 0 : !tile.array<?x?x4096xbf16>
  %T = tile.dim %V, 1 : !tile.array<?x?x4096xbf16>
  %wq16 = tile.load %wq[:] : (!tile.array<4096xbf16>) -> !tile.tile<1 x 4096 x bf16>
  %wq32 = tile.cast %wq16 : !tile.tile<1 x 4096 x bf16> -> !tile.tile<1 x 4096 x f32>
  %wn16 = tile.load %wn[:] : (!tile.array<4096xbf16>) -> !tile.tile<1 x 4096 x bf16>
  %wn32 = tile.cast %wn16 : !tile.tile<1 x 4096 x bf16> -> !tile.tile<1 x 4096 x f32>
  %u = tile.mul %wq32, %wn32 : !tile.tile<1 x 4096 x f32>, !tile.tile<1 x 4096 x f32> -> !tile.tile<1 x 4096 x f32>
  %invD = tile.splat %inv : f32 -> !tile.tile<1 x 1 x f32>
  %epsT = tile.splat %eps : f32 -> !tile.tile<1 x 1 x f32>
  // CHECK: tile.grid (%{{.*}}) in (%{{.*}} by BT)
  tile.grid (%t) in (%T by BT) {
    %st0 = tile.softmax_init : !tile.softmax_state<BT x 4096>
    // CHECK: tile.range {{.*}} iter({{.*}} : !tile.softmax_state<BT x 4096>) stages 2
    %st = tile.range %n = %zero to %N iter(%s0 = %st0 : !tile.softmax_state<BT x 4096>) stages 2 {
      %v16 = tile.load %V[%n, %t span, :] : (!tile.array<?x?x4096xbf16>, index, !tile.span<BT>) -> !tile.tile<BT x 4096 x bf16>
      %v = tile.cast %v16 : !tile.tile<BT x 4096 x bf16> -> !tile.tile<BT x 4096 x f32>
      %vv = tile.mul %v, %v : !tile.tile<BT x 4096 x f32>, !tile.tile<BT x 4096 x f32> -> !tile.tile<BT x 4096 x f32>
      %ss = tile.reduce sum %vv axis 1 : !tile.tile<BT x 4096 x f32> -> !tile.tile<BT x 1 x f32>
      %mean = tile.mul %ss, %invD : !tile.tile<BT x 1 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<BT x 1 x f32>
      %me = tile.add %mean, %epsT : !tile.tile<BT x 1 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<BT x 1 x f32>
      %r = tile.rsqrt %me : !tile.tile<BT x 1 x f32>
      %vu = tile.mul %v, %u : !tile.tile<BT x 4096 x f32>, !tile.tile<1 x 4096 x f32> -> !tile.tile<BT x 4096 x f32>
      %c = tile.reduce sum %vu axis 1 : !tile.tile<BT x 4096 x f32> -> !tile.tile<BT x 1 x f32>
      %s = tile.mul %r, %c : !tile.tile<BT x 1 x f32>, !tile.tile<BT x 1 x f32> -> !tile.tile<BT x 1 x f32>
      %s1 = tile.softmax_push per_row %s0, %s, %v : !tile.softmax_state<BT x 4096>, !tile.tile<BT x 1 x f32>, !tile.tile<BT x 4096 x f32>
      tile.store %s, %sc[%t span, %n] : (!tile.tile<BT x 1 x f32>, !tile.array<?x?xf32>, !tile.span<BT>, index) -> ()
      tile.store %r, %rs[%t span, %n] : (!tile.tile<BT x 1 x f32>, !tile.array<?x?xf32>, !tile.span<BT>, index) -> ()
      tile.yield %s1 : !tile.softmax_state<BT x 4096>
    }
    %o, %l = tile.softmax_finish %st : !tile.softmax_state<BT x 4096> -> !tile.tile<BT x 4096 x f32>, !tile.tile<BT x 1 x f32>
    %o16 = tile.cast %o : !tile.tile<BT x 4096 x f32> -> !tile.tile<BT x 4096 x bf16>
    tile.store %o16, %h[%t span, :] : (!tile.tile<BT x 4096 x bf16>, !tile.array<?x4096xbf16>, !tile.span<BT>) -> ()
    tile.store %l, %lse[%t span] : (!tile.tile<BT x 1 x f32>, !tile.array<?xf32>, !tile.span<BT>) -> ()
  }
  return
}
}
