// RUN: attn-opt %s --ascend-group-loads -split-input-file | FileCheck %s

!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>
!two = memref<2x64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4", {event_ids = 3 : i64}>} {
// Two slots each are more than three ids: the second load moves up, with what computes its place. What is stored in
// between is another array.
// CHECK-LABEL: func.func @moves
// CHECK:      scf.for %[[I:.*]] =
// CHECK:        ascend.copy_in
// CHECK-NEXT:   ascend.copy_in
// CHECK:        ascend.unary exp
// CHECK:        ascend.copy_out
// CHECK:        ascend.unary ln
func.func @moves(%x: !gm, %y: !gm, %o: !gm, %n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !two
  %b = ascend.alloc "b" at 512 : !two
  %c = ascend.alloc "c" at 1024 : !ub
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%slot = %c0) -> (index) {
    %an = ascend.slot %a[%slot] : !two -> !ub
    ascend.copy_in %an, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    ascend.unary exp %c, %an count(%c64) : !ub, !ub
    ascend.copy_out %o, %c rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
    %bn = ascend.slot %b[%slot] : !two -> !ub
    %place = arith.muli %i, %c64 : index
    %at = ascend.address %y[%place] : !gm -> !gm
    ascend.copy_in %bn, %at rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    ascend.unary ln %c, %bn count(%c64) : !ub, !ub
    %next = arith.subi %c1, %slot : index
    scf.yield %next : index
  }
  return
}

// It stays after what touches its bytes, and after a store to its array.
// CHECK-LABEL: func.func @stays
// CHECK:      scf.for
// CHECK:        ascend.copy_in
// CHECK-NEXT:   ascend.unary exp
// CHECK:        ascend.copy_in
// CHECK-NEXT:   ascend.copy_out
// CHECK:        ascend.copy_in
func.func @stays(%x: !gm, %y: !gm, %n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !two
  %b = ascend.alloc "b" at 512 : !two
  %c = ascend.alloc "c" at 768 : !ub
  %d = ascend.alloc "d" at 1024 : !ub
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%slot = %c0) -> (index) {
    %an = ascend.slot %a[%slot] : !two -> !ub
    ascend.copy_in %an, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    ascend.unary exp %c, %an count(%c64) : !ub, !ub
    %bn = ascend.slot %b[%slot] : !two -> !ub
    ascend.copy_in %bn, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    ascend.copy_out %y, %an rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
    ascend.copy_in %d, %y rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    %next = arith.subi %c1, %slot : index
    scf.yield %next : index
  }
  return
}

// Enough ids: nothing moves.
// CHECK-LABEL: func.func @enough
// CHECK:      scf.for
// CHECK-NEXT:   ascend.copy_in
// CHECK-NEXT:   ascend.unary exp
// CHECK-NEXT:   ascend.copy_in
func.func @enough(%x: !gm, %n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !ub
  %b = ascend.alloc "b" at 512 : !ub
  scf.for %i = %c0 to %n step %c1 {
    ascend.copy_in %a, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    ascend.unary exp %a, %a count(%c64) : !ub, !ub
    ascend.copy_in %b, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  }
  return
}
}
