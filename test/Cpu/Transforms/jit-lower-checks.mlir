// RUN: attn-opt %s -split-input-file -verify-diagnostics -jit-lower-checks | FileCheck %s

// The block stops at a check that does not hold: it reports, frees its buffers and returns.
// CHECK:       module attributes {cpu.checks = [
// CHECK-SAME:    {access = "load", array = "X", numbers = 4 : i64, place = #loc
// CHECK-SAME:    {division = "divsi", numbers = 2 : i64, place = #loc
// CHECK-LABEL: func.func @take
// CHECK-SAME:    %[[X:.*]]: memref<?xf32>, %[[I:.*]]: index, %[[K:.*]]: index, %[[REPORT:.*]]: !llvm.ptr
// CHECK:         %[[BUFFER:.*]] = memref.alloc
// CHECK:         %[[LIMIT:.*]] = memref.dim %[[X]]
// CHECK:         %[[HOLDS:.*]] = arith.cmpi ult, %[[I]], %[[LIMIT]]
// CHECK:         cf.cond_br %[[HOLDS]] weights([1048576, 1]), ^[[GO:.*]], ^[[STOP:.*]](%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} :
// CHECK:       ^[[GO]]:
// CHECK:         memref.load %[[X]][%[[I]]]
// CHECK:         arith.cmpi ne, %[[K]], %{{.*}}
// CHECK:         cf.cond_br %{{.*}} weights([1048576, 1]), ^[[DIVIDE:.*]], ^[[STOP2:.*]](
// CHECK:       ^[[DIVIDE]]:
// CHECK:         arith.divsi %[[I]], %[[K]]
// CHECK:         cf.br ^[[EXIT:.*]]
// CHECK:       ^[[EXIT]]:
// CHECK-NEXT:    memref.dealloc %[[BUFFER]]
// CHECK-NEXT:    return
// CHECK:       ^[[STOP]](%[[NUMBER:.*]]: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64):
// CHECK:         %[[WORD:.*]] = llvm.getelementptr %[[REPORT]][0]
// CHECK-NEXT:    llvm.store %[[NUMBER]], %[[WORD]]
// CHECK-COUNT-4: llvm.store
// CHECK:         cf.br ^[[EXIT]]
// CHECK:       ^[[STOP2]](
// CHECK-COUNT-3: llvm.store
// CHECK:         cf.br ^[[EXIT]]
func.func @take(%x: memref<?xf32>, %i: index, %k: index, %report: !llvm.ptr) {
  %c1 = arith.constant 1 : index
  %buffer = memref.alloc() : memref<4096xf32>
  %inside = cpu.check_access "load" %x[%i] [%c1] [%c1] named "X" : memref<?xf32>
  %v = memref.load %inside[%i] : memref<?xf32>
  %d = cpu.check_divisor "divsi" %i by %k : index
  %q = arith.divsi %i, %d : index
  memref.store %v, %buffer[%q] : memref<4096xf32>
  memref.dealloc %buffer : memref<4096xf32>
  return
}

// -----

// A function with a result returns zero. A part without elements is inside, and steps may be negative.
// CHECK-LABEL: func.func @rows
// CHECK-SAME:    %[[X:.*]]: memref<?xf32>, %[[I:.*]]: index, %[[ROWS:.*]]: index, %[[STEP:.*]]: index
// CHECK-DAG:     arith.cmpi sle, %[[ROWS]], %{{.*}}
// CHECK-DAG:     %[[TIMES:.*]] = arith.muli %{{.*}}, %[[STEP]]
// CHECK-DAG:     %[[LAST:.*]] = arith.addi %[[I]], %[[TIMES]]
// CHECK-DAG:     arith.cmpi ult, %[[LAST]], %{{.*}}
// CHECK:         cf.cond_br
// CHECK:         cf.br ^[[EXIT:.*]](%[[ROWS]] : index)
// CHECK:       ^[[EXIT]](%[[RESULT:.*]]: index):
// CHECK-NEXT:    return %[[RESULT]]
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : index
// CHECK:         cf.br ^[[EXIT]](%[[ZERO]] : index)
func.func @rows(%x: memref<?xf32>, %i: index, %rows: index, %step: index, %report: !llvm.ptr) -> index {
  %inside = cpu.check_access "load" %x[%i] [%rows] [%step] named "X" : memref<?xf32>
  return %rows : index
}

// -----

// expected-error@+1 {{has checks and no report: jit-add-entries must run first}}
func.func @no_report(%n: index, %k: index) {
  %d = cpu.check_divisor "divsi" %n by %k : index
  return
}

// -----

// expected-error@+1 {{has checks in regions, or several returns: lower its control flow before}}
func.func @in_region(%n: index, %k: index, %condition: i1, %report: !llvm.ptr) {
  scf.if %condition {
    %d = cpu.check_divisor "divsi" %n by %k : index
  }
  return
}

// -----

// Ends of lists and loops.
// CHECK:       module attributes {cpu.checks = [
// CHECK-SAME:    {access = "list", array = "idx", numbers = 3 : i64, place = #loc
// CHECK-SAME:    {access = "loop", array = "lens", numbers = 5 : i64, place = #loc
// CHECK-LABEL: func.func @counts
// CHECK-SAME:    %[[X:.*]]: memref<?x?xf32>, %[[N:.*]]: index, %[[SIZE:.*]]: index, %{{.*}}: !llvm.ptr
// CHECK:         %[[HOLDS:.*]] = arith.cmpi sle, %[[N]], %[[SIZE]]
// CHECK:         cf.cond_br %[[HOLDS]] weights([1048576, 1])
// CHECK:         %[[FEW:.*]] = arith.cmpi sle, %[[SIZE]], %[[N]]
// CHECK:         cf.cond_br %[[FEW]] weights([1048576, 1])
// CHECK:         memref.store %{{.*}}, %[[X]][%[[N]], %[[SIZE]]]
func.func @counts(%x: memref<?x?xf32>, %n: index, %size: index, %report: !llvm.ptr) {
  %c8 = arith.constant 8 : index
  %end = cpu.check_count "list" %n at most %size[%c8] named "idx"
  %last = cpu.check_count "loop" %size at most %n[%c8, %c8, %c8] named "lens"
  %one = arith.constant 1.0 : f32
  memref.store %one, %x[%end, %last] : memref<?x?xf32>
  return
}
