// RUN: attn-opt %s --linalg-join-phases | FileCheck %s

// Three launches become one kernel: the same arguments, each phase after a meeting. Counters of later launches go
// with them; the first stays.
// CHECK-LABEL: func.func @sum
// CHECK-SAME: (%[[X:.*]]: memref<?xf32> {launch.dims = ["T"]}, %[[I:.*]]: index, %[[N:.*]]: index) attributes {launch.limit = 40 : i64}
// CHECK: memref.store %{{.*}}, %[[X]][%[[I]]]
// CHECK-NEXT: hivm.hir.sync_block[<ALL_VECTOR>, 9 : i16] tvector_pipe = <PIPE_ALL>
// CHECK-NEXT: %[[V:.*]] = memref.load %[[X]][%[[N]]]
// CHECK-NEXT: memref.store %[[V]], %[[X]][%[[I]]]
// CHECK-NEXT: hivm.hir.sync_block[<ALL_VECTOR>, 9 : i16] tvector_pipe = <PIPE_ALL>
// CHECK-NEXT: memref.load %[[X]][%[[I]]]
// CHECK-NEXT: return
// CHECK: func.func @sum_grid
// CHECK-LABEL: func.func @other
// CHECK-NOT: func.func
func.func @sum(%x: memref<?xf32> {launch.dims = ["T"]}, %i: index, %n: index) attributes {launch.limit = 40 : i64} {
  %one = arith.constant 1.0 : f32
  memref.store %one, %x[%i] : memref<?xf32>
  return
}
func.func @sum_grid(%x: memref<?xf32> {launch.dims = ["T"]}) -> index attributes {launch.grid_of = @sum} {
  %t = arith.constant 1 : index
  return %t : index
}
func.func @other(%i: index, %n: index) {
  return
}
func.func @sum_phase2(%x: memref<?xf32> {launch.dims = ["T"]}, %i: index, %n: index) attributes {launch.after = @sum_phase1} {
  %v = memref.load %x[%i] : memref<?xf32>
  return
}
func.func @sum_phase1(%x: memref<?xf32> {launch.dims = ["T"]}, %i: index, %n: index) attributes {launch.after = @sum} {
  %v = memref.load %x[%n] : memref<?xf32>
  memref.store %v, %x[%i] : memref<?xf32>
  return
}
func.func @sum_phase1_grid(%x: memref<?xf32> {launch.dims = ["T"]}) -> index attributes {launch.grid_of = @sum_phase1} {
  %t = arith.constant 1 : index
  return %t : index
}
