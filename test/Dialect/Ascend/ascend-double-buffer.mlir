// RUN: attn-opt %s --ascend-double-buffer --canonicalize -verify-diagnostics | FileCheck %s
// RUN: attn-opt %S/Inputs/attn-res.mlir --ascend-double-buffer | FileCheck %s --check-prefix=ATTN

!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>
!any = memref<?xf32, #ascend.space<ub>>

// The counter runs through both loops.
// CHECK-LABEL: func.func @counter
// CHECK-DAG: %[[A:.*]] = ascend.alloc "a" : memref<2x64xf32, #ascend.space<ub>>
// CHECK-DAG: %[[SUM:.*]] = ascend.alloc "sum" : memref<64xf32, #ascend.space<ub>>
// CHECK: scf.for {{.*}} iter_args(%[[OUTER:.*]] = %c0)
// CHECK:   %[[RESULT:.*]] = scf.for {{.*}} iter_args(%[[SLOT:.*]] = %[[OUTER]])
// CHECK:     %[[NOW:.*]] = ascend.slot %[[A]][%[[SLOT]]]
// CHECK:     %[[HALF:.*]] = ascend.slice %[[NOW]][%c32]
// CHECK:     ascend.copy_in %[[NOW]]
// CHECK:     ascend.binary add %[[SUM]], %[[SUM]], %[[HALF]]
// CHECK:     %[[MORE:.*]] = arith.addi %[[SLOT]], %c1
// CHECK:     %[[NEXT:.*]] = arith.remui %[[MORE]], %c2
// CHECK:     scf.yield %[[NEXT]]
// CHECK:   } {ascend.stages = 2 : i64}
// CHECK:   scf.yield %[[RESULT]]
// CHECK: } {ascend.parallel}
func.func @counter(%x: !gm, %n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %a = ascend.alloc "a" : !ub
  %sum = ascend.alloc "sum" : !ub
  %half = ascend.slice %a[%c32] : !ub -> !any
  scf.for %i = %c0 to %n step %c1 {
    ascend.duplicate %sum, %zero count(%c64) : !ub, f32
    scf.for %j = %c0 to %n step %c1 {
      ascend.copy_in %a, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
      ascend.binary add %sum, %sum, %half count(%c32) : !ub, !ub, !any
    } {ascend.stages = 2 : i64}
  } {ascend.parallel}
  return
}

// CHECK-LABEL: func.func @kept
func.func @kept(%x: !gm, %n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // expected-remark @+1 {{'carried' keeps one slot: an iteration may read what an earlier one left in it}}
  %carried = ascend.alloc "carried" : !ub
  // expected-remark @+1 {{'inner' keeps one slot: its uses lie in a loop inside the staged one}}
  %inner = ascend.alloc "inner" : !ub
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: ascend.copy_out %arg0, %[[CARRIED:.*]] rows
    ascend.copy_out %x, %carried rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
    scf.for %j = %c0 to %n step %c1 {
      ascend.copy_in %inner, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
      ascend.unary exp %carried, %inner count(%c64) : !ub, !ub
    }
  } {ascend.stages = 3 : i64}
  return
}

// Any two pipes: what is loaded and stored again without arithmetic. The counted address stays with the buffer.
// CHECK-LABEL: func.func @copied
// CHECK: ascend.alloc "a" counted 256 : memref<2x64xf32, #ascend.space<ub>>
// CHECK: ascend.alloc "b" : memref<64xf32, #ascend.space<ub>>
func.func @copied(%x: !gm, %f: f32, %n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" counted 256 : !ub
  %b = ascend.alloc "b" : !ub
  scf.for %i = %c0 to %n step %c1 {
    ascend.copy_in %a, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    ascend.copy_out %x, %a rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
    ascend.duplicate %b, %f count(%c64) : !ub, f32
    ascend.unary exp %b, %b count(%c64) : !ub, !ub
  } {ascend.stages = 2 : i64}
  return
}

// ATTN-LABEL: func.func @attn_res_fwd
// ATTN: ascend.alloc "v" : memref<2x8192xbf16
// ATTN: ascend.alloc "h" : memref<8192xbf16
// ATTN: ascend.alloc "s_blocks" : memref<2x64xf32
// ATTN: ascend.alloc "r_blocks" : memref<2x64xf32
