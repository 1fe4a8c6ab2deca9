// RUN: attn-opt %s --ascend-insert-sync -split-input-file | FileCheck %s

!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// The wait says that the other core has taken what was stored in the trip before: the buffers are free, and only the way on
// needs flags.
// CHECK-LABEL: func.func @heard(
// CHECK-NOT:   to
// CHECK:       scf.for
// CHECK-NEXT:    ascend.cross_wait flag 0 heard [1, 1]
// CHECK-NEXT:    ascend.copy_in
// CHECK-NEXT:    ascend.set_flag mte2 to v
// CHECK-NEXT:    ascend.wait_flag mte2 to v
// CHECK-NEXT:    ascend.unary
// CHECK-NEXT:    ascend.set_flag v to mte3
// CHECK-NEXT:    ascend.wait_flag v to mte3
// CHECK-NEXT:    ascend.copy_out
// CHECK-NEXT:    ascend.cross_set mte3 flag 1
// CHECK-NEXT:  }
// CHECK-NEXT:  ascend.barrier all
func.func @heard(%x: !gm {launch.workspace}, %y: !gm {launch.workspace}, %n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !ub
  %b = ascend.alloc "b" at 256 : !ub
  scf.for %i = %c0 to %n step %c1 {
    ascend.cross_wait flag 0 heard [1, 1]
    ascend.copy_in %a, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    ascend.unary exp %b, %a count(%c64) : !ub, !ub
    ascend.copy_out %y, %b rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
    ascend.cross_set mte3 flag 1
  }
  return
}

// Of two trips before, it says nothing of the last one.
// CHECK-LABEL: func.func @too_long_ago(
// CHECK:       ascend.set_flag v to mte2
// CHECK:       ascend.set_flag mte3 to v
// CHECK:       scf.for
func.func @too_long_ago(%x: !gm {launch.workspace}, %y: !gm {launch.workspace}, %n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !ub
  %b = ascend.alloc "b" at 256 : !ub
  scf.for %i = %c0 to %n step %c1 {
    ascend.cross_wait flag 0 heard [1, 2]
    ascend.copy_in %a, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    ascend.unary exp %b, %a count(%c64) : !ub, !ub
    ascend.copy_out %y, %b rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
    ascend.cross_set mte3 flag 1
  }
  return
}

// The set is on another pipe than the store, and knows only what that pipe has waited for.
// CHECK-LABEL: func.func @other_pipe(
// CHECK:       ascend.set_flag mte3 to v
// CHECK-NOT:   ascend.set_flag v to mte2
// CHECK:       scf.for
func.func @other_pipe(%x: !gm {launch.workspace}, %y: !gm {launch.workspace}, %n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !ub
  %b = ascend.alloc "b" at 256 : !ub
  scf.for %i = %c0 to %n step %c1 {
    ascend.cross_wait flag 0 heard [1, 1]
    ascend.copy_in %a, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    ascend.unary exp %b, %a count(%c64) : !ub, !ub
    ascend.copy_out %y, %b rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
    ascend.cross_set v flag 1
  }
  return
}

// Of what was before a loop, each of its waits tells.
// CHECK-LABEL: func.func @before(
// CHECK:       ascend.copy_out
// CHECK-NOT:   mte3 to v
// CHECK:       scf.for
// CHECK-NEXT:    ascend.cross_wait flag 0 heard [1, -1]
// CHECK-NEXT:    ascend.barrier v
// CHECK-NEXT:    ascend.unary
// CHECK-NEXT:  }
func.func @before(%y: !gm {launch.workspace}, %n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %b = ascend.alloc "b" at 256 : !ub
  ascend.unary exp %b, %b count(%c64) : !ub, !ub
  ascend.copy_out %y, %b rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.cross_set mte3 flag 1
  scf.for %i = %c0 to %n step %c1 {
    ascend.cross_wait flag 0 heard [1, -1]
    ascend.unary exp %b, %b count(%c64) : !ub, !ub
  }
  return
}
}
