// RUN: attn-opt %s -jit-forward-loads | FileCheck %s

// CHECK-LABEL: func.func @forward
func.func @forward(%x: memref<?x64xf32, strided<[?, 1]>>, %t: index) -> tensor<1x64xf32> {
  // CHECK: %[[FROM:.*]] = memref.subview
  %from = memref.subview %x[%t, 0] [1, 64] [1, 1] : memref<?x64xf32, strided<[?, 1]>> to memref<1x64xf32, strided<[?, 1], offset: ?>>
  // CHECK-NOT: memref.copy
  %buffer = memref.alloc() {alignment = 64 : i64} : memref<1x64xf32>
  memref.copy %from, %buffer : memref<1x64xf32, strided<[?, 1], offset: ?>> to memref<1x64xf32>
  // CHECK: bufferization.to_tensor %[[FROM]] restrict : memref<1x64xf32, strided<[?, 1], offset: ?>>
  %v = bufferization.to_tensor %buffer restrict writable : memref<1x64xf32> to tensor<1x64xf32>
  return %v : tensor<1x64xf32>
}

// The rest of a tail tile is not in the array.
// CHECK-LABEL: func.func @tail
func.func @tail(%x: memref<?x64xf32, strided<[?, 1]>>, %t: index, %valid: index) -> tensor<4x64xf32> {
  %from = memref.subview %x[%t, 0] [%valid, 64] [1, 1] : memref<?x64xf32, strided<[?, 1]>> to memref<?x64xf32, strided<[?, 1], offset: ?>>
  %buffer = memref.alloc() {alignment = 64 : i64} : memref<4x64xf32>
  %rows = memref.subview %buffer[0, 0] [%valid, 64] [1, 1] : memref<4x64xf32> to memref<?x64xf32, strided<[64, 1]>>
  // CHECK: memref.copy
  memref.copy %from, %rows : memref<?x64xf32, strided<[?, 1], offset: ?>> to memref<?x64xf32, strided<[64, 1]>>
  %v = bufferization.to_tensor %buffer restrict writable : memref<4x64xf32> to tensor<4x64xf32>
  return %v : tensor<4x64xf32>
}

// An array that is also written must be copied: the store may come first.
// CHECK-LABEL: func.func @written
func.func @written(%x: memref<64x64xf32>, %w: tensor<1x64xf32>, %t: index) -> tensor<1x64xf32> {
  %from = memref.subview %x[%t, 0] [1, 64] [1, 1] : memref<64x64xf32> to memref<1x64xf32, strided<[64, 1], offset: ?>>
  %buffer = memref.alloc() {alignment = 64 : i64} : memref<1x64xf32>
  // CHECK: memref.copy
  memref.copy %from, %buffer : memref<1x64xf32, strided<[64, 1], offset: ?>> to memref<1x64xf32>
  %v = bufferization.to_tensor %buffer restrict writable : memref<1x64xf32> to tensor<1x64xf32>
  bufferization.materialize_in_destination %w in restrict writable %from : (tensor<1x64xf32>, memref<1x64xf32, strided<[64, 1], offset: ?>>) -> ()
  return %v : tensor<1x64xf32>
}
