// RUN: attn-opt %s --emit=ascendc --no-line-directives | FileCheck %s
// RUN: attn-opt %s --emit=ascendc | %clang_ascendc -

// Numbers without a name in the source are called after what they are for.

!V = memref<?x?x64xf32, strided<[?, ?, 1]>, #ascend.space<gm>>
!gm = memref<?xf32, #ascend.space<gm>>
!slots = memref<2x512xf32, #ascend.space<ub>>
!buf = memref<512xf32, #ascend.space<ub>>
!any = memref<?xf32, #ascend.space<ub>>

// CHECK-LABEL: void purposes(
func.func @purposes(%V: !V {launch.dims = ["N", "T", 64]} loc("V"), %a: index loc("a")) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %x = ascend.alloc "x" at 0 : !slots
  %y = ascend.alloc "y" at 4096 : !buf
  %N = ascend.dim %V, 0 : !V
  %T = ascend.dim %V, 1 : !V
  %pitch = ascend.stride %V, 1 : !V
  // CHECK: const int64_t T_tiles = T / 8 + (T % 8 > 0);
  %tiles = arith.ceildivsi %T, %c8 : index
  // CHECK-NEXT: const int64_t loop_end = T_tiles * N;
  %end = arith.muli %tiles, %N : index
  // CHECK-NEXT: int64_t slot = 0;
  // CHECK-NEXT: for (int64_t i = 0; i < loop_end; ++i) {
  %last = scf.for %i = %c0 to %end step %c1 iter_args(%slot = %c0) -> (index) {
    // CHECK-NEXT: const int64_t N_index = i / T_tiles;
    // CHECK-NEXT: const int64_t T_index = i % T_tiles * 8;
    %n = arith.divsi %i, %tiles : index
    %tile = arith.remsi %i, %tiles : index
    %t = arith.muli %tile, %c8 : index
    // A step on the way to an amount is not the amount.
    // CHECK-NEXT: const int64_t V_rest = T - T_index;
    // CHECK-NEXT: const int64_t V_rows = V_rest < 8 ? V_rest : 8;
    %left = arith.subi %T, %t : index
    %rows = arith.minsi %left, %c8 : index
    %p = ascend.address %V[%n, %t, %c0] : !V -> !gm
    %q = ascend.address %V[%n, %t, %c8] : !V -> !gm
    %one = ascend.slot %x[%slot] : !slots -> !buf
    // CHECK-NEXT: AscendC::DataCopyPad(x[slot * 512], V_gm[N_index * V_stride0 + T_index * V_stride1],
    ascend.copy_in %one, %p rows(%rows) length(%c64) src_pitch(%pitch) dst_pitch 64 right_pad 0 : !buf, !gm
    ascend.copy_in %y, %q rows(%rows) length(%c8) src_pitch(%pitch) dst_pitch 64 right_pad 0 : !buf, !gm
    // CHECK: const int64_t y_count = V_rows * 64;
    %count = arith.muli %rows, %c64 : index
    ascend.unary exp %y, %y count(%count) : !buf, !buf
    ascend.unary abs %y, %y count(%count) : !buf, !buf
    // CHECK: const int64_t y_tiles = V_rows / 2 + (V_rows % 2 > 0);
    %repeats = arith.ceildivsi %rows, %c2 : index
    %repeat = arith.minsi %repeats, %c8 : index
    ascend.unary exp %y, %y mask 64 repeat(%repeat) strides [1, 1, 8, 8] : !buf, !buf
    // CHECK: const int64_t y_offset = a * 8;
    %offset = arith.muli %a, %c8 : index
    %part = ascend.slice %y[%offset] : !buf -> !any
    ascend.unary exp %part, %part count(%c8) : !any, !any
    // CHECK: slot = (slot + 1) % 2;
    %more = arith.addi %slot, %c1 : index
    %next = arith.remsi %more, %c2 : index
    scf.yield %next : index
  }
  ascend.barrier all
  return
}

// Lowering gives the name of a span to all the numbers of its bounds: none of them is the variable itself.
// CHECK-LABEL: void spans(
func.func @spans(%V: memref<?xf32, strided<[1]>, #ascend.space<gm>> {launch.dims = ["T"]} loc("V"), %a: index loc("a")) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %y = ascend.alloc "y" at 0 : !buf
  %T = ascend.dim %V, 0 : memref<?xf32, strided<[1]>, #ascend.space<gm>>
  // CHECK: const int64_t t_rest = T - a;
  // CHECK-NEXT: const int64_t t_least = t_rest < 8 ? t_rest : 8;
  // CHECK-NEXT: const int64_t t_length = t_least > 0 ? t_least : 0;
  %rest = arith.subi %T, %a : index loc("t")
  %least = arith.minsi %rest, %c8 : index loc("t")
  %t = arith.maxsi %least, %c0 : index loc("t")
  %p = ascend.address %V[%a] : memref<?xf32, strided<[1]>, #ascend.space<gm>> -> !gm
  ascend.copy_in %y, %p rows(%c1) length(%t) src_pitch(%t) dst_pitch 8 right_pad 0 : !buf, !gm
  ascend.barrier all
  return
}

// Buffers whose names differ in a number alone are one where they are the same in all else.
// CHECK-LABEL: void buffers(
func.func @buffers() attributes {ascend.kernel} {
  %c64 = arith.constant 64 : index
  // CHECK: AscendC::LocalTensor<float> x(AscendC::TPosition::VECCALC, 0, 512);
  // CHECK-NEXT: AscendC::LocalTensor<float> other(AscendC::TPosition::VECCALC, 0, 512);
  // CHECK-NEXT: AscendC::LocalTensor<float> x_2(AscendC::TPosition::VECCALC, 2048, 512);
  // CHECK-NEXT: AscendC::Exp(x, x, 64);
  // CHECK-NEXT: AscendC::Exp(x_2, other, 64);
  %x = ascend.alloc "x" at 0 : !buf
  %x1 = ascend.alloc "x_1" at 0 : !buf
  %x2 = ascend.alloc "x_2" at 2048 : !buf
  %other = ascend.alloc "other" at 0 : !buf
  ascend.unary exp %x, %x1 count(%c64) : !buf, !buf
  ascend.unary exp %x2, %other count(%c64) : !buf, !buf
  ascend.barrier all
  return
}

// Of two casts in a row only one is written.
// CHECK-LABEL: void casts(
func.func @casts(%k: i32 loc("k")) attributes {ascend.kernel} {
  %y = ascend.alloc "y" at 0 : !buf
  // CHECK: AscendC::Exp(y, y, static_cast<int32_t>(k));
  %n = arith.index_cast %k : i32 to index
  ascend.unary exp %y, %y count(%n) : !buf, !buf
  // CHECK-NEXT: const int64_t wide = static_cast<uint32_t>(k);
  // CHECK-NEXT: AscendC::Exp(y, y, static_cast<int32_t>(wide < 64 ? wide : 64));
  %u = arith.index_castui %k : i32 to index loc("wide")
  %c64 = arith.constant 64 : index
  %some = arith.minsi %u, %c64 : index
  ascend.unary exp %y, %y count(%some) : !buf, !buf
  // CHECK-NEXT: AscendC::Exp(y, y, static_cast<int32_t>(k < 5 ? -1 : 0));
  %c5 = arith.constant 5 : i32
  %is = arith.cmpi slt, %k, %c5 : i32
  %i = arith.index_cast %is : i1 to index
  ascend.unary exp %y, %y count(%i) : !buf, !buf
  ascend.barrier all
  return
}
