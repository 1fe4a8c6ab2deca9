// RUN: attn-opt %s --soc=Ascend910B4 --convert-tile-to-ascend --canonicalize --cse | FileCheck %s
// RUN: attn-opt %s --soc=Ascend910B4 --tile-print-buffers -o /dev/null 2>&1 | FileCheck %s --check-prefix=BUFFERS

// Attention residual forward, softmax decomposed online, two tokens per tile: what one iteration over the blocks
// does on the chip.

// CHECK-LABEL: func.func @attn_res_fwd(
// CHECK-SAME:    %[[V:[^:]*]]: memref<?x?x4096xbf16, strided<[?, ?, 1]>, #ascend.space<gm>>
// CHECK-DAG:     %[[U:.*]] = ascend.alloc "u" counted {{[0-9]+}} : memref<4096xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[V16:.*]] = ascend.alloc "v16" counted {{[0-9]+}} : memref<8192xbf16, #ascend.space<ub>>
// CHECK-DAG:     %[[V32:.*]] = ascend.alloc "v" counted {{[0-9]+}} : memref<8192xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[VV:.*]] = ascend.alloc "vv" counted {{[0-9]+}} : memref<8192xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[VU:.*]] = ascend.alloc "vu" counted {{[0-9]+}} : memref<8192xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[ACC:.*]] = ascend.alloc "o" counted {{[0-9]+}} : memref<8192xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[L:.*]] = ascend.alloc "l" counted {{[0-9]+}} : memref<8xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[M:.*]] = ascend.alloc "alpha" counted {{[0-9]+}} : memref<8xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[M1:.*]] = ascend.alloc "m" counted {{[0-9]+}} : memref<8xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[P:.*]] = ascend.alloc "p" counted {{[0-9]+}} : memref<8xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[R:.*]] = ascend.alloc "r" counted {{[0-9]+}} : memref<8xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[S:.*]] = ascend.alloc "s" counted {{[0-9]+}} : memref<8xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[O16:.*]] = ascend.alloc "o16" counted {{[0-9]+}} : memref<8192xbf16, #ascend.space<ub>>

// The large buffers: two slots of V in its own type, V, product and accumulator in f32, weights and output.
// BUFFERS-DAG:   buffer 'v16' of 'bf16': 2 x 8192 elements, 32768 bytes
// BUFFERS-DAG:   buffer 'v' of 'f32': 1 x 8192 elements, 32768 bytes
// BUFFERS-DAG:   buffer 'vv' of 'f32': 1 x 8192 elements, 32768 bytes
// BUFFERS-DAG:   buffer 'o' of 'f32': 1 x 8192 elements, 32768 bytes
// BUFFERS-DAG:   buffer 'u' of 'f32': 1 x 4096 elements, 16384 bytes
// BUFFERS-DAG:   buffer 'o16' of 'bf16': 1 x 8192 elements, 16384 bytes
// BUFFERS:       24 buffers take 153216 bytes

// The weights are folded once, in place.
// CHECK:         ascend.binary {{ *}}mul %[[U]], %[[U]], %{{.*}} count(%c4096)

// CHECK:         scf.for
// CHECK:           %[[VALID:.*]] = arith.maxsi
// CHECK:           ascend.duplicate %[[ACC]], %{{.*}} count(%c8192)
// CHECK:           scf.for
// CHECK:             ascend.copy_in %[[V16]], %{{.*}} rows(%[[VALID]]) length(%c4096) src_pitch(%{{.*}}) dst_pitch 4096 right_pad 0
// CHECK:             ascend.cast {{ *}}none %[[V32]], %[[V16]]
// CHECK:             ascend.binary {{ *}}mul %[[VV]], %[[V32]], %[[V32]]
// CHECK:             ascend.row_reduce {{ *}}sum %[[R]], %[[VV]]
// CHECK:             ascend.unary {{ *}}sqrt %[[R]], %[[R]] count(%[[VALID]])
// CHECK:             ascend.binary {{ *}}div %[[R]], %{{.*}}, %[[R]] count(%[[VALID]])
// CHECK:             ascend.col_binary {{ *}}mul %[[VU]], %[[V32]], %[[U]] rows(%[[VALID]]) cols 4096 pitch 4096
// CHECK:             ascend.row_reduce {{ *}}sum %[[S]], %[[VU]]
// CHECK:             ascend.binary {{ *}}mul %[[S]], %[[R]], %[[S]] count(%[[VALID]])
// CHECK:             ascend.binary {{ *}}max %[[M1]], %[[M]], %[[S]] count(%[[VALID]])
// CHECK:             ascend.binary {{ *}}sub %[[M]], %[[M]], %[[M1]] count(%[[VALID]])
// CHECK:             ascend.unary {{ *}}exp %[[M]], %[[M]] count(%[[VALID]])
// CHECK:             ascend.unary {{ *}}exp %[[P]], %[[P]] count(%[[VALID]])

// The accumulator is changed in place, by a multiply-add.
// CHECK:             ascend.row_binary {{ *}}mul %[[ACC]], %[[ACC]], %[[M]]
// CHECK-NEXT:        ascend.row_mul_add %[[ACC]], %[[V32]], %[[P]]
// CHECK-NOT:         ascend.copy %
// CHECK:           } {ascend.stages = 2 : i64}
// CHECK:           ascend.row_binary {{ *}}div %[[ACC]], %[[ACC]], %[[L]]
// CHECK:           ascend.cast {{ *}}rint %[[O16]], %[[ACC]]
// CHECK:           ascend.copy_out %{{.*}}, %[[O16]] rows(%[[VALID]]) length(%c4096)
// CHECK:           ascend.copy_out %{{.*}}, %[[M]] rows(%c1) length(%[[VALID]])
// CHECK:         } {ascend.parallel}

// CHECK-LABEL: func.func @attn_res_fwd_grid(

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
    attributes {tile.kernel, launch.limit = 40 : i64, launch.sizes = {BT = 2 : i64}} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %block = arith.constant 2 : index
  %inv = arith.constant 0.000244140625 : f32
  %none = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %N = tile.dim %V, 0 : !tile.array<?x?x4096xbf16>
  %T = tile.dim %V, 1 : !tile.array<?x?x4096xbf16>
  %wq16 = tile.load %wq[:] : (!tile.array<4096xbf16>) -> !tile.tile<1 x 4096 x bf16> loc("wq"("attn_res.py":5:8))
  %wn16 = tile.load %wn[:] : (!tile.array<4096xbf16>) -> !tile.tile<1 x 4096 x bf16> loc("wn"("attn_res.py":5:8))
  %wq32 = tile.cast %wq16 : !tile.tile<1 x 4096 x bf16> -> !tile.tile<1 x 4096 x f32> loc("wq32"("attn_res.py":5:8))
  %wn32 = tile.cast %wn16 : !tile.tile<1 x 4096 x bf16> -> !tile.tile<1 x 4096 x f32> loc("wn32"("attn_res.py":5:8))
  %u = tile.mul %wq32, %wn32 : !tile.tile<1 x 4096 x f32>, !tile.tile<1 x 4096 x f32> -> !tile.tile<1 x 4096 x f32> loc("u"("attn_res.py":5:8))
  %invD = tile.splat %inv : f32 -> !tile.tile<1 x 1 x f32>
  %epsT = tile.splat %eps : f32 -> !tile.tile<1 x 1 x f32>
  %m0 = tile.splat %lowest : f32 -> !tile.tile<2 x 1 x f32> loc("m"("attn_res.py":7:8))
  %l0 = tile.splat %none : f32 -> !tile.tile<2 x 1 x f32> loc("l"("attn_res.py":7:8))
  %acc0 = tile.splat %none : f32 -> !tile.tile<2 x 4096 x f32> loc("acc"("attn_res.py":7:8))
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
    %t = tile.make_span %base to %T : !tile.span<2>
    %st:3 = tile.range %n = %zero to %N iter(%m = %m0 : !tile.tile<2 x 1 x f32>, %l = %l0 : !tile.tile<2 x 1 x f32>, %acc = %acc0 : !tile.tile<2 x 4096 x f32>) stages 2 {
      %v16 = tile.load %V[%n, %t span, :] : (!tile.array<?x?x4096xbf16>, index, !tile.span<2>) -> !tile.tile<2 x 4096 x bf16> loc("v16"("attn_res.py":9:8))
      %v = tile.cast %v16 : !tile.tile<2 x 4096 x bf16> -> !tile.tile<2 x 4096 x f32> loc("v"("attn_res.py":9:8))
      %vv = tile.mul %v, %v : !tile.tile<2 x 4096 x f32>, !tile.tile<2 x 4096 x f32> -> !tile.tile<2 x 4096 x f32> loc("vv"("attn_res.py":10:8))
      %ss = tile.reduce sum %vv axis 1 : !tile.tile<2 x 4096 x f32> -> !tile.tile<2 x 1 x f32> loc("ss"("attn_res.py":10:8))
      %mean = tile.mul %ss, %invD : !tile.tile<2 x 1 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<2 x 1 x f32> loc("r"("attn_res.py":10:8))
      %me = tile.add %mean, %epsT : !tile.tile<2 x 1 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<2 x 1 x f32> loc("r"("attn_res.py":10:8))
      %r = tile.rsqrt %me : !tile.tile<2 x 1 x f32> loc("r"("attn_res.py":10:8))
      %vu = tile.mul %v, %u : !tile.tile<2 x 4096 x f32>, !tile.tile<1 x 4096 x f32> -> !tile.tile<2 x 4096 x f32> loc("vu"("attn_res.py":11:8))
      %c = tile.reduce sum %vu axis 1 : !tile.tile<2 x 4096 x f32> -> !tile.tile<2 x 1 x f32> loc("c"("attn_res.py":11:8))
      %s = tile.mul %r, %c : !tile.tile<2 x 1 x f32>, !tile.tile<2 x 1 x f32> -> !tile.tile<2 x 1 x f32> loc("s"("attn_res.py":11:8))
      %m1 = tile.maximum %m, %s : !tile.tile<2 x 1 x f32>, !tile.tile<2 x 1 x f32> -> !tile.tile<2 x 1 x f32> loc("m"("attn_res.py":12:8))
      %md = tile.sub %m, %m1 : !tile.tile<2 x 1 x f32>, !tile.tile<2 x 1 x f32> -> !tile.tile<2 x 1 x f32> loc("alpha"("attn_res.py":12:8))
      %alpha = tile.exp %md : !tile.tile<2 x 1 x f32> loc("alpha"("attn_res.py":12:8))
      %sd = tile.sub %s, %m1 : !tile.tile<2 x 1 x f32>, !tile.tile<2 x 1 x f32> -> !tile.tile<2 x 1 x f32> loc("p"("attn_res.py":12:8))
      %p = tile.exp %sd : !tile.tile<2 x 1 x f32> loc("p"("attn_res.py":12:8))
      %la = tile.mul %l, %alpha : !tile.tile<2 x 1 x f32>, !tile.tile<2 x 1 x f32> -> !tile.tile<2 x 1 x f32> loc("l"("attn_res.py":12:8))
      %l1 = tile.add %la, %p : !tile.tile<2 x 1 x f32>, !tile.tile<2 x 1 x f32> -> !tile.tile<2 x 1 x f32> loc("l"("attn_res.py":12:8))
      %aa = tile.mul %acc, %alpha : !tile.tile<2 x 4096 x f32>, !tile.tile<2 x 1 x f32> -> !tile.tile<2 x 4096 x f32> loc("acc"("attn_res.py":12:8))
      %pv = tile.mul %v, %p : !tile.tile<2 x 4096 x f32>, !tile.tile<2 x 1 x f32> -> !tile.tile<2 x 4096 x f32> loc("acc"("attn_res.py":12:8))
      %acc1 = tile.add %aa, %pv : !tile.tile<2 x 4096 x f32>, !tile.tile<2 x 4096 x f32> -> !tile.tile<2 x 4096 x f32> loc("acc"("attn_res.py":12:8))
      tile.store %s, %sc[%t span, %n] : (!tile.tile<2 x 1 x f32>, !tile.array<?x?xf32>, !tile.span<2>, index) -> () loc("sc"("attn_res.py":13:8))
      tile.store %r, %rs[%t span, %n] : (!tile.tile<2 x 1 x f32>, !tile.array<?x?xf32>, !tile.span<2>, index) -> () loc("rs"("attn_res.py":13:8))
      tile.yield %m1, %l1, %acc1 : !tile.tile<2 x 1 x f32>, !tile.tile<2 x 1 x f32>, !tile.tile<2 x 4096 x f32>
    }
    %o = tile.div %st#2, %st#1 : !tile.tile<2 x 4096 x f32>, !tile.tile<2 x 1 x f32> -> !tile.tile<2 x 4096 x f32> loc("o"("attn_res.py":14:8))
    %ln = tile.log %st#1 : !tile.tile<2 x 1 x f32> loc("lse"("attn_res.py":14:8))
    %ls = tile.add %st#0, %ln : !tile.tile<2 x 1 x f32>, !tile.tile<2 x 1 x f32> -> !tile.tile<2 x 1 x f32> loc("lse"("attn_res.py":14:8))
    %o16 = tile.cast %o : !tile.tile<2 x 4096 x f32> -> !tile.tile<2 x 4096 x bf16> loc("o16"("attn_res.py":14:8))
    tile.store %o16, %h[%t span, :] : (!tile.tile<2 x 4096 x bf16>, !tile.array<?x4096xbf16>, !tile.span<2>) -> () loc("h"("attn_res.py":14:8))
    tile.store %ls, %lse[%t span] : (!tile.tile<2 x 1 x f32>, !tile.array<?xf32>, !tile.span<2>) -> () loc("lse"("attn_res.py":14:8))
  }
  return
}
func.func @attn_res_fwd_grid(
    %V: !tile.array<?x?x4096xbf16> {launch.dims = ["N", "T", 4096]},
    %wq: !tile.array<4096xbf16> {launch.dims = [4096]},
    %wn: !tile.array<4096xbf16> {launch.dims = [4096]},
    %eps: f32,
    %h: !tile.array<?x4096xbf16> {launch.dims = ["T", 4096], launch.output},
    %lse: !tile.array<?xf32> {launch.dims = ["T"], launch.output},
    %sc: !tile.array<?x?xf32> {launch.dims = ["T", "N"], launch.output},
    %rs: !tile.array<?x?xf32> {launch.dims = ["T", "N"], launch.output}) -> index
    attributes {launch.grid_of = @attn_res_fwd} {
  %block = arith.constant 2 : index
  %T = tile.dim %V, 1 : !tile.array<?x?x4096xbf16>
  %tiles = arith.ceildivui %T, %block : index
  return %tiles : index
}
}
