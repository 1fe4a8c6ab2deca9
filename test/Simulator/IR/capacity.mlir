// RUN: not attn-sim %s --kernel=large --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: attn-sim %s --kernel=fits --arg=iota:64xf32 --arg=undef:64xf32 | FileCheck %s --check-prefix=CLEAN

// CLEAN: hazards: 0

// Buffers that end beyond UB.
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 1024 : i64}>} {

// LARGE: error: capacity: buffer "a" ends at byte 1152 of ub, which has 1024 [block 0]
func.func @large(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 896 : !ub
  ascend.barrier all
  return
}

func.func @fits(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 768 : !ub
  ascend.barrier all
  return
}
}
