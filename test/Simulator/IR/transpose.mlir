// RUN: attn-sim %s --check-effects --kernel=along --arg=iota:512xf16 --arg=undef:512xf16 --print=1 | FileCheck %s --check-prefix=ALONG
// RUN: attn-sim %s --check-effects --kernel=down --arg=iota:512xf16 --arg=undef:512xf16 --print=1 | FileCheck %s --check-prefix=DOWN
// RUN: not attn-sim %s --kernel=in_place --arg=iota:512xf16 --arg=undef:512xf16 2>&1 | FileCheck %s --check-prefix=PLACE
// RUN: not attn-sim %s --kernel=lacking --arg=iota:512xf16 --arg=undef:512xf16 2>&1 | FileCheck %s --check-prefix=LACKING
// RUN: not attn-sim %s --kernel=beyond --arg=iota:512xf16 --arg=undef:512xf16 2>&1 | FileCheck %s --check-prefix=BEYOND

// Squares of 16 rows and columns that lie beside each other in the source lie below each other in the destination, and the other
// way round.
!gm = memref<?xf16, #ascend.space<gm>>
!ub = memref<512xf16, #ascend.space<ub>>
module attributes {machine.target = #machine.target<"Ascend910B4">} {
// ALONG: values of argument 1:
// ALONG-NEXT: {{^}}  0 32 64 96 128 160 192 224 256 288 320 352 384 416 448 480 1 33 65 {{.*}} 31 63 95 127 159 191 223 255 287 319 351 383 415 447 479 511{{$}}
func.func @along(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c512 = arith.constant 512 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 1024 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c512) src_pitch(%c512) dst_pitch 512 right_pad 0 : !ub, !gm
  ascend.barrier all
  ascend.transpose %d, %a repeat(%c2) strides [1, 2, 16, 1] : !ub, !ub
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c512) dst_pitch(%c512) src_pitch 512 : !gm, !ub
  ascend.barrier all
  return
}

// DOWN: values of argument 1:
// DOWN-NEXT: {{^}}  0 16 32 48 {{.*}} 480 496 1 17 {{.*}} 15 31 47 {{.*}} 479 495 511{{$}}
func.func @down(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c512 = arith.constant 512 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 1024 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c512) src_pitch(%c512) dst_pitch 512 right_pad 0 : !ub, !gm
  ascend.barrier all
  ascend.transpose %d, %a repeat(%c2) strides [2, 1, 1, 16] : !ub, !ub
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c512) dst_pitch(%c512) src_pitch 512 : !gm, !ub
  ascend.barrier all
  return
}

// PLACE: error: overlap: transpose writes to the place it reads from
func.func @in_place(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c1 = arith.constant 1 : index
  %a = ascend.alloc "a" at 0 : !ub
  ascend.transpose %a, %a repeat(%c1) strides [1, 1, 1, 1] : !ub, !ub
  ascend.barrier all
  return
}

// Only the first row was loaded: the first column of the result is known, the second is not.
// LACKING: error: read of uninitialised memory: copy_out stores bytes of buffer "d" that hold no value (byte 2)
func.func @lacking(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 1024 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c16) src_pitch(%c16) dst_pitch 16 right_pad 0 : !ub, !gm
  ascend.barrier all
  ascend.transpose %d, %a repeat(%c1) strides [1, 1, 1, 1] : !ub, !ub
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c16) length(%c1) dst_pitch(%c16) src_pitch 16 : !gm, !ub
  ascend.copy_out %op, %d rows(%c1) length(%c2) dst_pitch(%c16) src_pitch 16 : !gm, !ub
  ascend.barrier all
  return
}

// BEYOND: error: out of bounds: transpose writes bytes 512 to 543 of buffer "d", which has 512
func.func @beyond(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c1 = arith.constant 1 : index
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 1024 : memref<256xf16, #ascend.space<ub>>
  ascend.transpose %d, %a repeat(%c1) strides [2, 1, 1, 1] : memref<256xf16, #ascend.space<ub>>, !ub
  ascend.barrier all
  return
}
}
