// RUN: not attn-sim %s --kernel=vector --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=VECTOR
// RUN: not attn-sim %s --kernel=copy --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=COPY
// RUN: attn-sim %s --kernel=whole_reduce --arg=iota:64xf32 --arg=undef:64xf32 | FileCheck %s --check-prefix=CLEAN

// CLEAN: hazards: 0

// Addresses in UB that are not multiples of 32 bytes.
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// VECTOR: error: misaligned: unary exp uses buffer "a" at address 4 (byte 4 of it), not a multiple of 32 [block 0, pipe v]
func.func @vector(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  %c60 = arith.constant 60 : index
  %s = ascend.slice %a[%c1] : !ub -> memref<?xf32, #ascend.space<ub>>
  ascend.unary exp %d, %s count(%c1) : !ub, memref<?xf32, #ascend.space<ub>>
  ascend.barrier all
  return
}

// COPY: error: misaligned: copy_in uses buffer "d" at address 260 (byte 4 of it), not a multiple of 32 [block 0, pipe mte2]
func.func @copy(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  %s = ascend.slice %d[%c1] : !ub -> memref<?xf32, #ascend.space<ub>>
  ascend.copy_in %s, %xp rows(%c1) length(%c1) src_pitch(%c1) dst_pitch 8 right_pad 0 : memref<?xf32, #ascend.space<ub>>, !gm
  ascend.barrier all
  return
}

// The result of a whole reduction may lie at any element.
func.func @whole_reduce(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.barrier all
  %s = ascend.slice %d[%c1] : !ub -> memref<?xf32, #ascend.space<ub>>
  ascend.whole_reduce sum %s, %a mask 64 repeat(%c1) strides [1, 1, 8] : memref<?xf32, #ascend.space<ub>>, !ub
  ascend.barrier all
  return
}
}
