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

// CHECK-LABEL: func.func @ahead
func.func @ahead(%x: memref<2x8xf32>, %y: memref<2x8xf32, strided<[?, 1], offset: ?>>) {
  // CHECK: cpu.read_ahead %{{.*}} for %{{.*}} : memref<2x8xf32>, memref<2x8xf32, strided<[?, 1], offset: ?>>
  %a = cpu.read_ahead %x for %y : memref<2x8xf32>, memref<2x8xf32, strided<[?, 1], offset: ?>>
  // CHECK: cpu.read_ahead %{{.*}} : memref<2x8xf32>
  %b = cpu.read_ahead %x : memref<2x8xf32>
  return
}

// -----

func.func @rank(%x: memref<?x?xf32>, %i: index) {
  // expected-error@+1 {{has 1 offsets for an array of rank 2}}
  %a = cpu.check_access "load" %x[%i] [%i] [%i] named "X" : memref<?x?xf32>
  return
}

// -----

func.func @row(%x: memref<8xf32>) {
  // expected-error@+1 {{reads 'memref<8xf32>', which does not have rows and columns}}
  %a = cpu.read_ahead %x : memref<8xf32>
  return
}

// -----

func.func @other(%x: memref<2x8xf32>, %y: memref<4x8xf32>) {
  // expected-error@+1 {{asks for 'memref<4x8xf32>' while it reads 'memref<2x8xf32>'}}
  %a = cpu.read_ahead %x for %y : memref<2x8xf32>, memref<4x8xf32>
  return
}
