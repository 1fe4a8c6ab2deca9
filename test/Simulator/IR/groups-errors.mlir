// RUN: not attn-sim %s --kernel=cube --arg=iota:64xf32 2>&1 | FileCheck %s --check-prefix=CUBE
// RUN: not attn-sim %s --kernel=vector --arg=iota:64xf32 2>&1 | FileCheck %s --check-prefix=VECTOR
// RUN: not attn-sim %s --kernel=full --arg=iota:64xf32 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: not attn-sim %s --kernel=meeting --arg=iota:64xf32 2>&1 | FileCheck %s --check-prefix=MEETING
// RUN: not attn-sim %s --kernel=half --arg=iota:64xf32 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: not attn-sim %s --kernel=half_cube --arg=iota:64xf32 2>&1 | FileCheck %s --check-prefix=OWN
// RUN: not attn-sim %s --kernel=no_half --arg=iota:64xf32 2>&1 | FileCheck %s --check-prefix=NO-HALF
// RUN: not attn-sim %s --kernel=no_groups --arg=workspace 2>&1 | FileCheck %s --check-prefix=NO-GROUPS

// What a kind of core, or a kind of kernel, does not have.
!gm = memref<?xf32, #ascend.space<gm>>
!array = memref<?xf32, strided<[1]>, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>
!l1 = memref<64xf32, #ascend.space<l1>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// CUBE-DAG: error: usage: unary exp runs on pipe v, which a cube core does not have [block 0, pipe v]
// CUBE-DAG: error: flag misuse: set_flag uses a flag from s to mte2, which a cube core does not have [block 0, pipe s]
// CUBE-DAG: error: usage: copy_in uses ub, which a cube core does not have [block 0, pipe mte2]
// CUBE-DAG: error: race: copy_in writes buffer "q" in l1 (bytes 0 to 255) while copy_in on mte2 writes it: nothing orders them [block 0, pipe mte2]
// CUBE-DAG: error: limit: copy_in moves rows of 244 bytes and pads by 0 elements; only whole blocks of 32 bytes go to l1 [block 0, pipe mte2]
// CUBE-DAG: error: out of bounds: copy_in writes bytes 384 to 511 of buffer "q" in l1, which has 256 [block 0, pipe mte2]
func.func @cube(%x: !gm) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c61 = arith.constant 61 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !ub
  %q = ascend.alloc "q" at 0 : !l1
  %xp = ascend.address %x[%c0] : !gm -> !gm
  ascend.unary exp %a, %a count(%c64) : !ub, !ub
  ascend.set_flag s to mte2 event 0
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.copy_in %q, %xp rows(%c1) length(%c61) src_pitch(%c64) dst_pitch 64 right_pad 0 : !l1, !gm
  ascend.copy_in %q, %xp rows(%c2) length(%c32) src_pitch(%c32) dst_pitch 96 right_pad 0 : !l1, !gm
  ascend.copy_in %q, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !l1, !gm
  ascend.copy_in %q, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !l1, !gm
  ascend.barrier all
  return
}

// VECTOR-DAG: error: usage: copy_in uses l1, which a vector core does not have [block 0, pipe mte2]
// VECTOR-DAG: error: flag misuse: set_flag uses a flag from mte2 to mte1, which a vector core does not have [block 0, pipe mte2]
func.func @vector(%x: !gm) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %q = ascend.alloc "q" at 0 : !l1
  %xp = ascend.address %x[%c0] : !gm -> !gm
  ascend.copy_in %q, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !l1, !gm
  ascend.set_flag mte2 to mte1 event 0
  ascend.barrier all
  return
}

// FULL: error: capacity: buffer "q" ends at byte 524288 of l1, which has 524032 [block 0]
func.func @full(%x: !gm) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %q = ascend.alloc "q" at 524032 : !l1
  ascend.barrier all
  return
}

// MEETING: error: usage: sync_all lets the blocks of a kernel meet whose kind is 'cube', not 'meeting_vector' [block 0, pipe all]
func.func @meeting(%x: !gm) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  ascend.sync_all
  ascend.barrier all
  return
}

func.func @half(%x: !gm) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  ascend.barrier all
  return
}
// HALF: error: must take the arguments of 'half', half of which it is
// OWN: error: is half of a kernel and cannot run on its own
func.func @half_cube(%x: !array) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @half} {
  ascend.barrier all
  return
}

// NO-HALF: error: is a mixed kernel without a cube half: no kernel has 'ascend.half_of = @no_half'
func.func @no_half(%x: !gm) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  ascend.barrier all
  return
}

// NO-GROUPS: error: argument 0 (argument 0) {{.*}} is not known
func.func @no_groups(%w: !array {launch.workspace, launch.dims = ["@groups"]}) attributes {ascend.kernel} {
  ascend.barrier all
  return
}
}
