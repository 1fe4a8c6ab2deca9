// RUN: attn-opt %s -split-input-file -verify-diagnostics | attn-opt | FileCheck %s

// CHECK-LABEL: func.func @checks
func.func @checks(%x: memref<?x?xf32, strided<[?, 1]>>, %i: index, %n: index) {
  // CHECK: cpu.check_access "load" %{{.*}}[%{{.*}}, %{{.*}}] [%{{.*}}, %{{.*}}] [%{{.*}}, %{{.*}}] named "X" : memref<?x?xf32, strided<[?, 1]>>
  %a = cpu.check_access "load" %x[%i, %i] [%n, %n] [%n, %n] named "X" : memref<?x?xf32, strided<[?, 1]>>
  // CHECK: cpu.check_divisor "divsi" %{{.*}} by %{{.*}} : index
  %b = cpu.check_divisor "divsi" %i by %n : index
  // CHECK: cpu.check_count "list" %{{.*}} at most %{{.*}}[%{{.*}}] named "idx"
  %c = cpu.check_count "list" %i at most %n[%i] named "idx"
  return
}

// -----

func.func @rank(%x: memref<?x?xf32>, %i: index) {
  // expected-error@+1 {{has 1 offsets for an array of rank 2}}
  %a = cpu.check_access "load" %x[%i] [%i] [%i] named "X" : memref<?x?xf32>
  return
}
