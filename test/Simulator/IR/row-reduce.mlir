// RUN: attn-sim %s --check-effects --arg=iota:2x6xf32  --arg=undef:2x1xf32 --print=1 | FileCheck %s

// A row reduction takes only the real columns of a row.
!gm2 = memref<?x?xf32, strided<[?, 1]>, #ascend.space<gm>>
!gm = memref<?xf32, #ascend.space<gm>>
!tile = memref<16xf32, #ascend.space<ub>>
!col = memref<8xf32, #ascend.space<ub>>
!scratch = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK: values of argument 1:
// CHECK-NEXT: {{^}}  0{{$}}
// CHECK-NEXT: {{^}}  6{{$}}
func.func @kernel(%x: !gm2, %o: !gm2 {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %pitch = ascend.stride %x, 0 : !gm2
  %outPitch = ascend.stride %o, 0 : !gm2
  %xp = ascend.address %x[%c0, %c0] : !gm2 -> !gm
  %op = ascend.address %o[%c0, %c0] : !gm2 -> !gm
  %a = ascend.alloc "a" at 0 : !tile
  %d = ascend.alloc "d" at 64 : !tile
  %t = ascend.alloc "t" at 128 : !scratch
  %one = arith.constant 1.0 : f32
  ascend.duplicate %d, %one count(%c16) : !tile, f32
  ascend.copy_in %a, %xp rows(%c2) length(%c6) src_pitch(%pitch) dst_pitch 8 right_pad 2 : !tile, !gm
  ascend.barrier all
  ascend.row_reduce min %d, %a, %t rows(%c2) cols 6 pitch 8 : !tile, !tile, !scratch
  ascend.barrier all
  %s = ascend.alloc "s" at 416 : !scratch
  ascend.brcb %s, %d repeat(%c1) strides [1, 8] : !scratch, !tile
  ascend.barrier all
  ascend.copy_out %op, %s rows(%c2) length(%c1) dst_pitch(%outPitch) src_pitch 8 : !gm, !scratch
  ascend.barrier all
  return
}
}
