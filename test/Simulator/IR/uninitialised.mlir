// RUN: not attn-sim %s --kernel=never_written --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=NEVER-WRITTEN
// RUN: not attn-sim %s --kernel=handed_on --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=HANDED-ON
// RUN: not attn-sim %s --kernel=reduced --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=REDUCED
// RUN: not attn-sim %s --kernel=from_output --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=FROM-OUTPUT
// RUN: attn-sim %s --kernel=not_stored --arg=iota:64xf32 --arg=undef:64xf32 | FileCheck %s --check-prefix=CLEAN
// RUN: attn-sim %s --kernel=broadcast --arg=iota:64xf32 --arg=undef:64xf32 | FileCheck %s --check-prefix=CLEAN

// CLEAN: hazards: 0

// Undefined values that become visible. Reading them in UB is not a mistake: lanes that are never stored may be
// undefined, as those that a broadcast of eight values reads beyond the rows there are.
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// NEVER-WRITTEN: error: read of uninitialised memory: copy_out stores bytes of buffer "d" that hold no value (byte 0) [block 0, pipe mte3]
func.func @never_written(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.copy_out %op, %d rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}

// HANDED-ON: error: read of uninitialised memory: copy_out stores bytes of buffer "d" that hold no value (byte 224)
// HANDED-ON: note: unary exp was the first to read it, from buffer "a"
// Row of 60: four elements more than the block it ends in.
func.func @handed_on(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  %c60 = arith.constant 52 : index
  ascend.copy_in %a, %xp rows(%c1) length(%c60) src_pitch(%c60) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.barrier all
  ascend.unary exp %d, %a count(%c64) : !ub, !ub
  ascend.barrier v
  ascend.unary sqrt %d, %d count(%c64) : !ub, !ub
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}

// REDUCED: error: read of uninitialised memory: copy_out stores
// REDUCED: note: whole_reduce sum was the first to read it, from buffer "a"
func.func @reduced(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.whole_reduce sum %d, %a mask 64 repeat(%c1) strides [1, 1, 8] : !ub, !ub
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c1) dst_pitch(%c1) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}

// FROM-OUTPUT: error: read of uninitialised memory: copy_out stores
// FROM-OUTPUT: note: copy_in was the first to read it, from array "argument 1"
// Outputs hold no values before they are written.
func.func @from_output(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.copy_in %d, %op rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}

func.func @not_stored(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c1) src_pitch(%c1) dst_pitch 8 right_pad 0 : !ub, !gm
  ascend.barrier all
  ascend.unary exp %d, %a count(%c64) : !ub, !ub
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c1) dst_pitch(%c1) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}

func.func @broadcast(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  %t = ascend.alloc "t" at 512 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c1) src_pitch(%c1) dst_pitch 8 right_pad 0 : !ub, !gm
  ascend.barrier all
  ascend.brcb %t, %a repeat(%c1) strides [1, 8] : !ub, !ub
  ascend.barrier all
  ascend.copy_out %op, %t rows(%c1) length(%c1) dst_pitch(%c1) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}
}
