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
