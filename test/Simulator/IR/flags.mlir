// RUN: not attn-sim %s --kernel=twice --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not attn-sim %s --kernel=unordered --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=UNORDERED
// RUN: attn-sim %s --kernel=ordered --arg=iota:64xf32 --arg=undef:64xf32 | FileCheck %s --check-prefix=CLEAN
// RUN: not attn-sim %s --kernel=beyond --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: not attn-sim %s --kernel=beyond_slot --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=BEYOND-SLOT
// RUN: not attn-sim %s --kernel=left --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=LEFT

// CLEAN: hazards: 0

// Flags set twice, with wrong numbers, or left raised.
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// TWICE: error: flag misuse: set_flag raises event 0 from mte2 to v, which is still raised [block 0, pipe mte2]
func.func @twice(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.set_flag mte2 to v event 0
  ascend.set_flag mte2 to v event 0
  ascend.wait_flag mte2 to v event 0
  ascend.wait_flag mte2 to v event 0
  ascend.barrier all
  return
}

// UNORDERED: error: flag misuse: set_flag raises event 0 from mte2 to v
// The second set may come before the first wait: only luck in time keeps it from being lost.
func.func @unordered(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.set_flag mte2 to v event 0
  ascend.wait_flag mte2 to v event 0
  ascend.set_flag mte2 to v event 0
  ascend.wait_flag mte2 to v event 0
  ascend.unary exp %d, %a count(%c64) : !ub, !ub
  ascend.barrier all
  return
}

func.func @ordered(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.set_flag mte2 to v event 0
  ascend.wait_flag mte2 to v event 0
  ascend.set_flag v to mte2 event 0
  ascend.wait_flag v to mte2 event 0
  ascend.set_flag mte2 to v event 0
  ascend.wait_flag mte2 to v event 0
  ascend.unary exp %d, %a count(%c64) : !ub, !ub
  ascend.barrier all
  return
}

// BEYOND: error: flag misuse: set_flag uses event 6; 0 to 5 are there
func.func @beyond(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.set_flag mte2 to v event 6
  ascend.wait_flag mte2 to v event 6
  ascend.barrier all
  return
}

// BEYOND-SLOT: error: flag misuse: set_flag uses slot 64 of 2
func.func @beyond_slot(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.set_flag mte2 to v event 0 slot(%c64) of 2
  ascend.barrier all
  return
}

// LEFT: error: flag misuse: set_flag of event 0 from mte2 to v is still raised when the kernel ends [block 0, pipe mte2]
func.func @left(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.set_flag mte2 to v event 0
  ascend.barrier all
  return
}
}
