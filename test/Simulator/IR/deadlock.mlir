// RUN: not attn-sim %s --kernel=no_set --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=NO-SET
// RUN: not attn-sim %s --kernel=crossed --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=CROSSED
// RUN: not attn-sim %s --kernel=scalar --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=SCALAR
// RUN: attn-sim %s --kernel=straight --arg=iota:64xf32 --arg=undef:64xf32 | FileCheck %s --check-prefix=CLEAN

// CLEAN: hazards: 0

// Nothing can go on: every pipe is told with what it waits for.
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// NO-SET: error: deadlock: nothing can go on: v waits for event 0 from mte2 to v; s waits for all pipes [block 0]
// NO-SET: note: s waits for all pipes
func.func @no_set(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.wait_flag mte2 to v event 0
  ascend.unary exp %d, %a count(%c64) : !ub, !ub
  ascend.barrier all
  return
}

// CROSSED: error: deadlock: nothing can go on: v waits for event 0 from mte2 to v; mte2 waits for event 0 from v to mte2; s waits for all pipes
func.func @crossed(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.wait_flag mte2 to v event 0
  ascend.wait_flag v to mte2 event 0
  ascend.set_flag mte2 to v event 0
  ascend.set_flag v to mte2 event 0
  ascend.barrier all
  return
}

// SCALAR: error: deadlock: nothing can go on: s waits for event 0 from mte2 to s
func.func @scalar(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.wait_flag mte2 to s event 0
  ascend.set_flag mte2 to s event 0
  ascend.barrier all
  return
}

func.func @straight(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
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
  ascend.unary exp %d, %a count(%c64) : !ub, !ub
  ascend.barrier all
  return
}
}
