// RUN: attn-opt %s -split-input-file -verify-diagnostics -jit-check-launch | FileCheck %s

// The first and the last iteration of the loop are checked before the launch.
// CHECK-LABEL: func.func @take(
// CHECK-LABEL: func.func @take.check(
// CHECK-SAME:    %[[X:.*]]: memref<?xf32>, %[[N:.*]]: index) -> index attributes {cpu.check_of = @take}
// CHECK:         %[[STEPS:.*]] = arith.divui
// CHECK:         %[[LAST:.*]] = arith.muli %[[STEPS]], %{{.*}} : index
// CHECK:         %[[ANY:.*]] = arith.cmpi {{.*}}%[[N]]
// CHECK:         %[[VISITS:.*]] = arith.select %[[ANY]]
// CHECK:         scf.for %[[VISIT:.*]] = %{{.*}} to %[[VISITS]]
// CHECK:           %[[OFFSET:.*]] = arith.muli %[[VISIT]], %[[LAST]]
// CHECK:           %[[I:.*]] = arith.addi {{.*}}%[[OFFSET]]
// CHECK:           cpu.check_access "load" %[[X]][%[[I]]]
// CHECK-NOT:       memref.load
// CHECK:         return
func.func @take(%x: memref<?xf32>, %n: index, %block: index, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %buffer = memref.alloc() : memref<1xf32>
  scf.for %i = %c0 to %n step %c1 {
    %inside = cpu.check_access "load" %x[%i] [%c1] [%c1] named "X" : memref<?xf32>
    %v = memref.load %inside[%i] : memref<?xf32>
    memref.store %v, %buffer[%c0] : memref<1xf32>
  }
  return
}

// -----

// One block does all tiles of the grid.
// CHECK-LABEL: func.func @share.check(
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 1 : index
// CHECK:         arith.muli %{{.*}}, %[[ZERO]]
// CHECK:         cpu.check_divisor "divui" %{{.*}} by %[[ONE]]
func.func @share(%n: index, %block: index, %count: index) {
  %first = arith.muli %n, %block : index
  %d = cpu.check_divisor "divui" %first by %count : index
  %e = arith.divui %first, %d : index
  return
}

// -----

// What depends on a value that a loop carries, or on a condition, is left to the kernel.
// CHECK-LABEL: func.func @carried(
// CHECK-NOT:   func.func @carried.check
func.func @carried(%x: memref<?xf32>, %n: index, %condition: i1, %block: index, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%at = %c0) -> index {
    %inside = cpu.check_access "load" %x[%at] [%c1] [%c1] named "X" : memref<?xf32>
    %next = arith.addi %at, %i : index
    scf.yield %next : index
  }
  scf.if %condition {
    %inside = cpu.check_access "load" %x[%n] [%c1] [%c1] named "X" : memref<?xf32>
  }
  return
}

// -----

// Numbers alone decide this one, in the last iteration.
func.func @columns(%x: memref<?x100xf32, strided<[?, 1]>>, %rows: index, %block: index, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  scf.for %c = %c0 to %c2 step %c1 {
    %column = arith.muli %c, %c64 : index
    // expected-error@+1 {{out of bounds: load takes index 127 of dimension 1 of array "X", which has 100}}
    %inside = cpu.check_access "load" %x[%c0, %column] [%rows, %c64] [%c1, %c1] named "X" : memref<?x100xf32, strided<[?, 1]>>
  }
  return
}

// -----

// A loop that never runs, and a part without rows, do no harm.
// CHECK-LABEL: func.func @never.check(
func.func @never(%x: memref<4xf32>, %block: index, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c1 to %c1 step %c1 {
    %inside = cpu.check_access "load" %x[%c9] [%c1] [%c1] named "X" : memref<4xf32>
  }
  %empty = cpu.check_access "load" %x[%c9] [%c0] [%c1] named "X" : memref<4xf32>
  return
}

// -----

// Not a kernel: it does not take its block and their count last.
// CHECK-LABEL: func.func @not_a_kernel(
// CHECK-NOT: func.func @not_a_kernel.check
func.func @not_a_kernel(%x: memref<4xf32>, %y: memref<4xf32>) {
  %c1 = arith.constant 1 : index
  %inside = cpu.check_access "load" %y[%c1] [%c1] [%c1] named "Y" : memref<4xf32>
  return
}
