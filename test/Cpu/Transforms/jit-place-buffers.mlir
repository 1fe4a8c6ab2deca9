// RUN: attn-opt %s -split-input-file -verify-diagnostics -jit-place-buffers | FileCheck %s

// CHECK-LABEL: func.func @loop
func.func @loop(%N: index, %x: f32) {
  // CHECK-NEXT: %[[LARGE:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1x4096xf32>
  // CHECK-NEXT: %[[SMALL:.*]] = memref.alloca() {alignment = 64 : i64} : memref<1x1xf32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK: scf.for
  scf.for %n = %zero to %N step %one {
    %small = memref.alloc() : memref<1x1xf32>
    %large = memref.alloc() : memref<1x4096xf32>
    // CHECK-NEXT: memref.store %{{.*}}, %[[SMALL]]
    memref.store %x, %small[%zero, %zero] : memref<1x1xf32>
    // CHECK-NEXT: memref.store %{{.*}}, %[[LARGE]]
    memref.store %x, %large[%zero, %n] : memref<1x4096xf32>
    // CHECK-NOT: memref.dealloc
    memref.dealloc %small : memref<1x1xf32>
  }
  // CHECK: }
  // CHECK-NEXT: memref.dealloc %[[LARGE]]
  // CHECK-NEXT: return
  return
}

// -----

// A copy of the rows that exist, which are at most as many as the tile has: it begins at the start of a buffer for all of them.
// CHECK-LABEL: func.func @existing
// CHECK: %[[ALL:.*]] = memref.alloca() {alignment = 64 : i64} : memref<16x4xf32>
// CHECK: %[[ROWS:.*]] = affine.min
// CHECK: %[[PART:.*]] = memref.reinterpret_cast %[[ALL]] to offset: [0], sizes: [%[[ROWS]], 4], strides: [4, 1]
// CHECK: %[[COPY:.*]] = memref.cast %[[PART]] : {{.*}} to memref<?x4xf32>
// CHECK: memref.copy %{{.*}}, %[[COPY]]
func.func @existing(%x: memref<16x4xf32>, %base: index, %n: index) {
  %rows = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 16)>(%base)[%n]
  %part = memref.subview %x[0, 0] [%rows, 4] [1, 1] : memref<16x4xf32> to memref<?x4xf32, strided<[4, 1]>>
  %copy = memref.alloc(%rows) : memref<?x4xf32>
  memref.copy %part, %copy : memref<?x4xf32, strided<[4, 1]>> to memref<?x4xf32>
  return
}

// -----

// The rows of such a copy follow each other as those of the copy do, not as those of the buffer.
// CHECK-LABEL: func.func @existing_columns
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%{{.*}}, %[[COLS:.*]]], strides: [%[[COLS]], 1] : memref<16x8xf32>
func.func @existing_columns(%n: index, %m: index) {
  %zero = arith.constant 0 : index
  %eight = arith.constant 8 : index
  %least = arith.minsi %m, %eight : index
  %cols = arith.maxsi %least, %zero : index
  %rows = affine.min affine_map<()[s0] -> (s0, 16)>()[%n]
  %copy = memref.alloc(%rows, %cols) : memref<?x?xf32>
  return
}

// -----

func.func @dynamic(%N: index) {
  // expected-error @+1 {{'memref.alloc' op has a size that is not a number; only fixed sizes can be placed}}
  %a = memref.alloc(%N) : memref<?xf32>
  return
}

// -----

func.func @handed_on(%N: index, %b: memref<4xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %n = %zero to %N step %one iter_args(%a = %b) -> memref<4xf32> {
    %next = memref.alloc() : memref<4xf32>
    // expected-error @+1 {{'scf.yield' op hands on a buffer: jit-reuse-destinations must run before bufferization}}
    scf.yield %next : memref<4xf32>
  }
  return
}

// -----

// expected-error @+1 {{'func.func' op has several blocks; buffers are placed before control flow is lowered}}
func.func @blocks(%c: i1) {
  %a = memref.alloc() : memref<4xf32>
  cf.br ^next
^next:
  return
}

// -----

func.func @too_large() {
  %a = memref.alloc() : memref<16384x16384xf32>
  // expected-error @+1 {{the tiles of a block need 1073741828 bytes or more; at most 1073741824 are possible}}
  %b = memref.alloc() : memref<1xf32>
  return
}

// -----

func.func @beyond_numbers() {
  // expected-error @+1 {{the tiles of a block need 18446744073709551615 bytes or more; at most 1073741824 are possible}}
  %a = memref.alloc() : memref<2147483647x2147483647x4xf32>
  return
}
