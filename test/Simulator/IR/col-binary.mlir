// RUN: attn-sim %s --check-effects --arg=iota:2x6xf32 --arg=values:10,11,12,13,14,15:6xf32 --arg=undef:2x6xf32 --print=2 | FileCheck %s

// Every row against one row.
!gm2 = memref<?x?xf32, strided<[?, 1]>, #ascend.space<gm>>
!gm = memref<?xf32, #ascend.space<gm>>
!tile = memref<16xf32, #ascend.space<ub>>
!col = memref<8xf32, #ascend.space<ub>>
!scratch = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK: values of argument 2:
// CHECK-NEXT: {{^}}  10 10 10 10 10 10{{$}}
// CHECK-NEXT: {{^}}  4 4 4 4 4 4{{$}}
func.func @kernel(%x: !gm2, %r: !gm, %o: !gm2 {launch.output}) attributes {ascend.kernel} {
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
  %rp = ascend.address %r[%c0] : !gm -> !gm
  %br = ascend.alloc "r" at 384 : !col
  ascend.copy_in %br, %rp rows(%c1) length(%c6) src_pitch(%c6) dst_pitch 8 right_pad 2 : !col, !gm
  ascend.barrier all
  %minus = arith.constant -1.0 : f32
  ascend.scalar muls %d, %a, %minus count(%c16) : !tile, !tile, f32
  ascend.barrier v
  ascend.col_binary add %d, %d, %br rows(%c2) cols 6 pitch 8 : !tile, !tile, !col
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c2) length(%c6) dst_pitch(%outPitch) src_pitch 8 : !gm, !tile
  ascend.barrier all
  return
}
}
