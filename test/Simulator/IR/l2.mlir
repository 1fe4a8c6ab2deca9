// RUN: attn-sim %s --kernel=again --arg=iota:8192xf32 --arg=undef:8192xf32 | FileCheck %s --check-prefix=AGAIN
// RUN: attn-sim %s --kernel=again --arg=iota:8192xf32 --arg=undef:8192xf32 --timing-only | FileCheck %s --check-prefix=AGAIN
// RUN: attn-sim %s --kernel=again --arg=iota:8192xf32 --arg=undef:8192xf32 --timing-only --warm-ups=1 | FileCheck %s --check-prefix=WARM
// RUN: attn-sim %s --kernel=again --arg=iota:8192xf32 --arg=undef:8192xf32 --soc=Ascend910B4:l2_bytes=16384 | FileCheck %s --check-prefix=SMALL
// RUN: attn-sim %s --kernel=past --arg=iota:8192xf32 --arg=undef:8192xf32 | FileCheck %s --check-prefix=PAST
// RUN: attn-sim %s --kernel=rows --arg=iota:8192xf32 | FileCheck %s --check-prefix=ROWS

// L2 keeps what was read and written; what bypasses it goes to HBM every time.
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<8192xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// AGAIN: gm: read 65536, written 32768 bytes
// AGAIN-NEXT: hbm: read 32768, written 0 bytes
// WARM: gm: read 65536, written 32768 bytes
// WARM-NEXT: hbm: read 0, written 0 bytes
// A cache of half of the array has nothing of it when it is read again, and gives up half of what is written.
// SMALL: hbm: read 65536, written 16384 bytes
func.func @again(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8192 = arith.constant 8192 : index
  %a = ascend.alloc "a" at 0 : !ub
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  ascend.copy_in %a, %xp rows(%c1) length(%c8192) src_pitch(%c8192) dst_pitch 8192 right_pad 0 : !ub, !gm
  ascend.barrier mte2
  ascend.copy_in %a, %xp rows(%c1) length(%c8192) src_pitch(%c8192) dst_pitch 8192 right_pad 0 : !ub, !gm
  ascend.barrier all
  ascend.copy_out %op, %a rows(%c1) length(%c8192) dst_pitch(%c8192) src_pitch 8192 : !gm, !ub
  ascend.barrier all
  return
}

// PAST: hbm: read 65536, written 32768 bytes
func.func @past(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8192 = arith.constant 8192 : index
  %a = ascend.alloc "a" at 0 : !ub
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  ascend.copy_in %a, %xp rows(%c1) length(%c8192) src_pitch(%c8192) dst_pitch 8192 right_pad 0 bypass_l2 : !ub, !gm
  ascend.barrier mte2
  ascend.copy_in %a, %xp rows(%c1) length(%c8192) src_pitch(%c8192) dst_pitch 8192 right_pad 0 bypass_l2 : !ub, !gm
  ascend.barrier all
  ascend.copy_out %op, %a rows(%c1) length(%c8192) dst_pitch(%c8192) src_pitch 8192 bypass_l2 : !gm, !ub
  ascend.barrier all
  return
}

// Rows of 32 bytes take a line each.
// ROWS: gm: read 512, written 0 bytes
// ROWS-NEXT: hbm: read 8192, written 0 bytes
func.func @rows(%x: !gm) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c512 = arith.constant 512 : index
  %a = ascend.alloc "a" at 0 : !ub
  %xp = ascend.address %x[%c0] : !gm -> !gm
  ascend.copy_in %a, %xp rows(%c16) length(%c8) src_pitch(%c512) dst_pitch 8 right_pad 0 : !ub, !gm
  ascend.barrier all
  return
}

}
