// RUN: not attn-sim %s --kernel=ahead --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=AHEAD
// RUN: attn-sim %s --kernel=following --arg=iota:64xf32 --arg=undef:64xf32 | FileCheck %s --check-prefix=CLEAN
// RUN: attn-sim %s --kernel=fold --arg=iota:64xf32 --arg=undef:64xf32 | FileCheck %s --check-prefix=CLEAN
// RUN: not attn-sim %s --kernel=spread --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=SPREAD

// CLEAN: hazards: 0

// An instruction that reads in a later repeat what an earlier one of its own wrote.
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// AHEAD: error: overlap: unary exp reads in a later repeat what an earlier one of its own wrote, in buffer "a"
func.func @ahead(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : memref<256xf32, #ascend.space<ub>>
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %s = ascend.slice %a[%c8] : memref<256xf32, #ascend.space<ub>> -> memref<?xf32, #ascend.space<ub>>
  ascend.unary exp %s, %a count(%c128) : memref<?xf32, #ascend.space<ub>>, memref<256xf32, #ascend.space<ub>>
  ascend.barrier all
  return
}

func.func @following(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : memref<256xf32, #ascend.space<ub>>
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %s = ascend.slice %a[%c8] : memref<256xf32, #ascend.space<ub>> -> memref<?xf32, #ascend.space<ub>>
  ascend.unary exp %a, %s count(%c128) : memref<256xf32, #ascend.space<ub>>, memref<?xf32, #ascend.space<ub>>
  ascend.barrier all
  return
}

// Folding the second half of each row onto the first: no byte is written before it is read.
func.func @fold(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : memref<256xf32, #ascend.space<ub>>
  %c2 = arith.constant 2 : index
  %s = ascend.slice %a[%c64] : memref<256xf32, #ascend.space<ub>> -> memref<?xf32, #ascend.space<ub>>
  ascend.binary add %a, %a, %s mask 64 repeat(%c2) strides [1, 1, 1, 16, 16, 16] : memref<256xf32, #ascend.space<ub>>, memref<256xf32, #ascend.space<ub>>, memref<?xf32, #ascend.space<ub>>
  ascend.barrier all
  return
}

// SPREAD: error: overlap: brcb fills the place it reads from
func.func @spread(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.brcb %a, %a repeat(%c1) strides [1, 8] : !ub, !ub
  ascend.barrier all
  return
}
}
