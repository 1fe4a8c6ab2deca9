// RUN: attn-opt %s --soc=Ascend910B4 --convert-tile-to-ascend --canonicalize --cse | FileCheck %s

// Attention residual forward with rows that do not end at a data block: they are padded on the way in, the padding is
// computed along but neither summed nor stored.

// CHECK-LABEL: func.func @attn_res_fwd(
// CHECK:         ascend.copy_in %{{.*}} rows(%c1) length(%c123) src_pitch(%{{.*}}) dst_pitch 128 right_pad 5
// CHECK:           %[[VALID:.*]] = arith.maxsi
// CHECK:             ascend.copy_in %{{.*}} rows(%[[VALID]]) length(%c123) src_pitch(%{{.*}}) dst_pitch 128 right_pad 5
// CHECK:             %[[COUNT:.*]] = arith.muli %[[VALID]], %c128
// CHECK:             ascend.cast {{ *}}none %{{.*}} count(%[[COUNT]])
// CHECK:             ascend.row_reduce {{ *}}sum %{{.*}} rows(%[[VALID]]) cols 123 pitch 128
// CHECK:             ascend.row_mul_add %{{.*}} rows(%[[VALID]]) cols 123 pitch 128
// CHECK:           ascend.copy_out %{{.*}} rows(%[[VALID]]) length(%c123) dst_pitch(%{{.*}}) src_pitch 128

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @attn_res_fwd(
    %V: !tile.array<?x?x123xbf16> {launch.dims = ["N", "T", 123]},
    %wq: !tile.array<123xbf16> {launch.dims = [123]},
    %wn: !tile.array<123xbf16> {launch.dims = [123]},
    %eps: f32,
    %h: !tile.array<?x123xbf16> {launch.dims = ["T", 123], launch.output},
    %lse: !tile.array<?xf32> {launch.dims = ["T"], launch.output},
    %sc: !tile.array<?x?xf32> {launch.dims = ["T", "N"], launch.output},
    %rs: !tile.array<?x?xf32> {launch.dims = ["T", "N"], launch.output})
    attributes {tile.kernel, launch.limit = 40 : i64, launch.sizes = {BT = 8 : i64}} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %block = arith.constant 8 : index
  %inv = arith.constant 0.008130081300813009 : f32
  %none = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %N = tile.dim %V, 0 : !tile.array<?x?x123xbf16>
  %T = tile.dim %V, 1 : !tile.array<?x?x123xbf16>
  %wq16 = tile.load %wq[:] : (!tile.array<123xbf16>) -> !tile.tile<1 x 123 x bf16> loc("wq"("attn_res.py":5:8))
  %wn16 = tile.load %wn[:] : (!tile.array<123xbf16>) -> !tile.tile<1 x 123 x bf16> loc("wn"("attn_res.py":5:8))
  %wq32 = tile.cast %wq16 : !tile.tile<1 x 123 x bf16> -> !tile.tile<1 x 123 x f32> loc("wq32"("attn_res.py":5:8))
  %wn32 = tile.cast %wn16 : !tile.tile<1 x 123 x bf16> -> !tile.tile<1 x 123 x f32> loc("wn32"("attn_res.py":5:8))
  %u = tile.mul %wq32, %wn32 : !tile.tile<1 x 123 x f32>, !tile.tile<1 x 123 x f32> -> !tile.tile<1 x 123 x f32> loc("u"("attn_res.py":5:8))
  %invD = tile.splat %inv : f32 -> !tile.tile<1 x 1 x f32>
  %epsT = tile.splat %eps : f32 -> !tile.tile<1 x 1 x f32>
  %m0 = tile.splat %lowest : f32 -> !tile.tile<8 x 1 x f32> loc("m"("attn_res.py":7:8))
  %l0 = tile.splat %none : f32 -> !tile.tile<8 x 1 x f32> loc("l"("attn_res.py":7:8))
  %acc0 = tile.splat %none : f32 -> !tile.tile<8 x 123 x f32> loc("acc"("attn_res.py":7:8))
  %tiles = arith.ceildivui %T, %block : index
  %id = tile.block_id
  %count = tile.block_count
  %next = arith.addi %id, %one : index
  %from = arith.muli %id, %tiles : index
  %lower = arith.divui %from, %count : index
  %to = arith.muli %next, %tiles : index
  %upper = arith.divui %to, %count : index
  tile.range %i = %lower to %upper parallel {
    %base = arith.muli %i, %block : index
    %t = tile.make_span %base to %T : !tile.span<8>
    %st:3 = tile.range %n = %zero to %N iter(%m = %m0 : !tile.tile<8 x 1 x f32>, %l = %l0 : !tile.tile<8 x 1 x f32>, %acc = %acc0 : !tile.tile<8 x 123 x f32>) stages 2 {
      %v16 = tile.load %V[%n, %t span, :] : (!tile.array<?x?x123xbf16>, index, !tile.span<8>) -> !tile.tile<8 x 123 x bf16> loc("v16"("attn_res.py":9:8))
      %v = tile.cast %v16 : !tile.tile<8 x 123 x bf16> -> !tile.tile<8 x 123 x f32> loc("v"("attn_res.py":9:8))
      %vv = tile.mul %v, %v : !tile.tile<8 x 123 x f32>, !tile.tile<8 x 123 x f32> -> !tile.tile<8 x 123 x f32> loc("vv"("attn_res.py":10:8))
      %ss = tile.reduce sum %vv axis 1 : !tile.tile<8 x 123 x f32> -> !tile.tile<8 x 1 x f32> loc("ss"("attn_res.py":10:8))
      %mean = tile.mul %ss, %invD : !tile.tile<8 x 1 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<8 x 1 x f32> loc("r"("attn_res.py":10:8))
      %me = tile.add %mean, %epsT : !tile.tile<8 x 1 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<8 x 1 x f32> loc("r"("attn_res.py":10:8))
      %r = tile.rsqrt %me : !tile.tile<8 x 1 x f32> loc("r"("attn_res.py":10:8))
      %vu = tile.mul %v, %u : !tile.tile<8 x 123 x f32>, !tile.tile<1 x 123 x f32> -> !tile.tile<8 x 123 x f32> loc("vu"("attn_res.py":11:8))
      %c = tile.reduce sum %vu axis 1 : !tile.tile<8 x 123 x f32> -> !tile.tile<8 x 1 x f32> loc("c"("attn_res.py":11:8))
      %s = tile.mul %r, %c : !tile.tile<8 x 1 x f32>, !tile.tile<8 x 1 x f32> -> !tile.tile<8 x 1 x f32> loc("s"("attn_res.py":11:8))
      %m1 = tile.maximum %m, %s : !tile.tile<8 x 1 x f32>, !tile.tile<8 x 1 x f32> -> !tile.tile<8 x 1 x f32> loc("m"("attn_res.py":12:8))
      %md = tile.sub %m, %m1 : !tile.tile<8 x 1 x f32>, !tile.tile<8 x 1 x f32> -> !tile.tile<8 x 1 x f32> loc("alpha"("attn_res.py":12:8))
      %alpha = tile.exp %md : !tile.tile<8 x 1 x f32> loc("alpha"("attn_res.py":12:8))
      %sd = tile.sub %s, %m1 : !tile.tile<8 x 1 x f32>, !tile.tile<8 x 1 x f32> -> !tile.tile<8 x 1 x f32> loc("p"("attn_res.py":12:8))
      %p = tile.exp %sd : !tile.tile<8 x 1 x f32> loc("p"("attn_res.py":12:8))
      %la = tile.mul %l, %alpha : !tile.tile<8 x 1 x f32>, !tile.tile<8 x 1 x f32> -> !tile.tile<8 x 1 x f32> loc("l"("attn_res.py":12:8))
      %l1 = tile.add %la, %p : !tile.tile<8 x 1 x f32>, !tile.tile<8 x 1 x f32> -> !tile.tile<8 x 1 x f32> loc("l"("attn_res.py":12:8))
      %aa = tile.mul %acc, %alpha : !tile.tile<8 x 123 x f32>, !tile.tile<8 x 1 x f32> -> !tile.tile<8 x 123 x f32> loc("acc"("attn_res.py":12:8))
      %pv = tile.mul %v, %p : !tile.tile<8 x 123 x f32>, !tile.tile<8 x 1 x f32> -> !tile.tile<8 x 123 x f32> loc("acc"("attn_res.py":12:8))
      %acc1 = tile.add %aa, %pv : !tile.tile<8 x 123 x f32>, !tile.tile<8 x 123 x f32> -> !tile.tile<8 x 123 x f32> loc("acc"("attn_res.py":12:8))
      tile.store %s, %sc[%t span, %n] : (!tile.tile<8 x 1 x f32>, !tile.array<?x?xf32>, !tile.span<8>, index) -> () loc("sc"("attn_res.py":13:8))
      tile.store %r, %rs[%t span, %n] : (!tile.tile<8 x 1 x f32>, !tile.array<?x?xf32>, !tile.span<8>, index) -> () loc("rs"("attn_res.py":13:8))
      tile.yield %m1, %l1, %acc1 : !tile.tile<8 x 1 x f32>, !tile.tile<8 x 1 x f32>, !tile.tile<8 x 123 x f32>
    }
    %o = tile.div %st#2, %st#1 : !tile.tile<8 x 123 x f32>, !tile.tile<8 x 1 x f32> -> !tile.tile<8 x 123 x f32> loc("o"("attn_res.py":14:8))
    %ln = tile.log %st#1 : !tile.tile<8 x 1 x f32> loc("lse"("attn_res.py":14:8))
    %ls = tile.add %st#0, %ln : !tile.tile<8 x 1 x f32>, !tile.tile<8 x 1 x f32> -> !tile.tile<8 x 1 x f32> loc("lse"("attn_res.py":14:8))
    %o16 = tile.cast %o : !tile.tile<8 x 123 x f32> -> !tile.tile<8 x 123 x bf16> loc("o16"("attn_res.py":14:8))
    tile.store %o16, %h[%t span, :] : (!tile.tile<8 x 123 x bf16>, !tile.array<?x123xbf16>, !tile.span<8>) -> () loc("h"("attn_res.py":14:8))
    tile.store %ls, %lse[%t span] : (!tile.tile<8 x 1 x f32>, !tile.array<?xf32>, !tile.span<8>) -> () loc("lse"("attn_res.py":14:8))
  }
  return
}
func.func @attn_res_fwd_grid(
    %V: !tile.array<?x?x123xbf16> {launch.dims = ["N", "T", 123]},
    %wq: !tile.array<123xbf16> {launch.dims = [123]},
    %wn: !tile.array<123xbf16> {launch.dims = [123]},
    %eps: f32,
    %h: !tile.array<?x123xbf16> {launch.dims = ["T", 123], launch.output},
    %lse: !tile.array<?xf32> {launch.dims = ["T"], launch.output},
    %sc: !tile.array<?x?xf32> {launch.dims = ["T", "N"], launch.output},
    %rs: !tile.array<?x?xf32> {launch.dims = ["T", "N"], launch.output}) -> index
    attributes {launch.grid_of = @attn_res_fwd} {
  %block = arith.constant 8 : index
  %T = tile.dim %V, 1 : !tile.array<?x?x123xbf16>
  %tiles = arith.ceildivui %T, %block : index
  return %tiles : index
}
}
