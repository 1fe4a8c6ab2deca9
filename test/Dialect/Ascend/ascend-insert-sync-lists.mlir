// RUN: attn-opt %s --ascend-insert-sync -split-input-file -verify-diagnostics | FileCheck %s

!gm = memref<?xf32, #ascend.space<gm>>
!array = memref<?x64xf32, strided<[?, 1]>, #ascend.space<gm>>
!list = memref<?xi32, strided<[1]>, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>
!two = memref<2x64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// Each trip reads how often the loops in it run. In the next trip that may be never, and then loads inside do not order what is
// loaded outside after what was read: their flags are raised and awaited in each trip.
// CHECK-LABEL: func.func @counts_from_memory
// CHECK: scf.for
// CHECK: ascend.copy_in
// CHECK-NEXT: ascend.set_flag mte2 to v virtual event [[ARRIVED:[0-9]+]]
// CHECK: ascend.wait_flag mte2 to v virtual event [[ARRIVED]]
// CHECK: ascend.set_flag v to mte2 virtual event [[FREE:[0-9]+]] slot(%c0{{.*}}) of 2
// CHECK: ascend.set_flag v to mte2 virtual event [[FREE]] slot(%c1{{.*}}) of 2
// CHECK-NEXT: scf.for
// CHECK: scf.for
// CHECK: ascend.mul_add
// CHECK: ascend.wait_flag v to mte2 virtual event [[FREE]] slot(%c0{{.*}}) of 2
// CHECK: ascend.wait_flag v to mte2 virtual event [[FREE]] slot(%c1{{.*}}) of 2
// CHECK: ascend.copy_out
func.func @counts_from_memory(%x: !gm, %k: !gm, %y: !array, %lens: !list, %b: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %q = ascend.alloc "q" at 0 : !two
  %key = ascend.alloc "key" at 512 : !two
  %out = ascend.alloc "out" at 1024 : !two
  %end:2 = scf.for %i = %c0 to %b step %c1 iter_args(%turn = %c0, %at = %c0) -> (index, index) {
    %q_now = ascend.slot %q[%turn] : !two -> !ub
    %out_now = ascend.slot %out[%turn] : !two -> !ub
    ascend.copy_in %q_now, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    %n = ascend.load_index %lens[%i] : !list
    ascend.duplicate %out_now, %zero count(%c64) : !ub, f32
    %run = scf.for %p = %c0 to %n step %c1 iter_args(%on = %at) -> (index) {
      %m = ascend.load_index %lens[%p] : !list
      %last = scf.for %j = %c0 to %m step %c1 iter_args(%slot = %on) -> (index) {
        %key_now = ascend.slot %key[%slot] : !two -> !ub
        ascend.copy_in %key_now, %k rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
        ascend.mul_add %out_now, %q_now, %key_now count(%c64) : !ub, !ub, !ub
        %next = arith.addi %slot, %c1 : index
        %other = arith.remui %next, %c2 : index
        scf.yield %other : index
      }
      scf.yield %last : index
    }
    %place = ascend.address %y[%i, %c0] : !array -> !gm
    ascend.copy_out %place, %out_now rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
    %next = arith.addi %turn, %c1 : index
    %other = arith.remui %next, %c2 : index
    scf.yield %other, %run : index, index
  } {ascend.parallel}
  return
}

// Rows that a list names are different from each other: nothing orders the copies to them.
// CHECK-LABEL: func.func @distinct_rows
// CHECK: scf.for
// CHECK-NOT: ascend.barrier
// CHECK: ascend.copy_out
// CHECK: return
func.func @distinct_rows(%y: !array, %rows: !list, %n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %a = ascend.alloc "a" at 0 : !ub
  ascend.duplicate %a, %zero count(%c64) : !ub, f32
  scf.for %i = %c0 to %n step %c1 {
    %j = ascend.load_index %rows[%i] : !list
    %to = ascend.address %y[%j, %c0] : !array -> !gm
    ascend.expect_distinct %j at %to in %y, 0 : !gm, !array
    ascend.copy_out %to, %a rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  }
  return
}

// Without that they may be the same.
// CHECK-LABEL: func.func @rows_that_may_meet
// CHECK: scf.for
// CHECK: ascend.barrier mte3
// CHECK-NEXT: ascend.copy_out
func.func @rows_that_may_meet(%y: !array, %rows: !list, %n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %a = ascend.alloc "a" at 0 : !ub
  ascend.duplicate %a, %zero count(%c64) : !ub, f32
  scf.for %i = %c0 to %n step %c1 {
    %j = ascend.load_index %rows[%i] : !list
    %to = ascend.address %y[%j, %c0] : !array -> !gm
    ascend.copy_out %to, %a rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  }
  return
}
}
