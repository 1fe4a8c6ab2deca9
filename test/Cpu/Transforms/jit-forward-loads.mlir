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

// The last tile of an array may lack rows: it is copied only then.
// CHECK-LABEL: func.func @tail
// CHECK-SAME:    %[[X:.*]]: memref<?x64xf32, strided<[?, 1]>>, %[[T:.*]]: index, %[[VALID:.*]]: index
func.func @tail(%x: memref<?x64xf32, strided<[?, 1]>>, %t: index, %valid: index) -> tensor<4x64xf32> {
  %from = memref.subview %x[%t, 0] [%valid, 64] [1, 1] : memref<?x64xf32, strided<[?, 1]>> to memref<?x64xf32, strided<[?, 1], offset: ?>>
  // CHECK: %[[BUFFER:.*]] = memref.alloc()
  %buffer = memref.alloc() {alignment = 64 : i64} : memref<4x64xf32>
  // CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[VALID]], %c4
  // CHECK: %[[LACKS:.*]] = arith.xori %[[WHOLE]], %true
  // CHECK: scf.if %[[LACKS]] {
  // CHECK:   %[[ROWS:.*]] = memref.subview %[[BUFFER]][0, 0] [%[[VALID]], 64] [1, 1]
  // CHECK:   memref.copy %{{.*}}, %[[ROWS]]
  // CHECK: }
  %rows = memref.subview %buffer[0, 0] [%valid, 64] [1, 1] : memref<4x64xf32> to memref<?x64xf32, strided<[64, 1]>>
  memref.copy %from, %rows : memref<?x64xf32, strided<[?, 1], offset: ?>> to memref<?x64xf32, strided<[64, 1]>>
  // CHECK: %[[VIEW:.*]] = memref.subview %[[X]][%[[T]], 0] [4, 64] [1, 1]
  // CHECK: %[[ARRAY:.*]] = memref.cast %[[VIEW]]
  // CHECK: %[[COPY:.*]] = memref.cast %[[BUFFER]]
  // CHECK: %[[CHOICE:.*]] = arith.select %[[WHOLE]], %[[ARRAY]], %[[COPY]] : memref<4x64xf32, strided<[?, 1], offset: ?>>
  // CHECK: bufferization.to_tensor %[[CHOICE]] restrict : memref<4x64xf32, strided<[?, 1], offset: ?>>
  %v = bufferization.to_tensor %buffer restrict writable : memref<4x64xf32> to tensor<4x64xf32>
  return %v : tensor<4x64xf32>
}

// Rows that a filled span lacks are set to zero only then, too.
// CHECK-LABEL: func.func @filled
func.func @filled(%x: memref<?x64xf32, strided<[?, 1]>>, %t: index, %missing: index, %count: index, %end: index, %after: index)
    -> tensor<4x64xf32> {
  %zero = arith.constant 0.0 : f32
  %from = memref.subview %x[%t, 0] [%count, 64] [1, 1] : memref<?x64xf32, strided<[?, 1]>> to memref<?x64xf32, strided<[?, 1], offset: ?>>
  %buffer = memref.alloc() {alignment = 64 : i64} : memref<4x64xf32>
  // CHECK:      scf.if
  // CHECK-NEXT:   memref.subview
  // CHECK-NEXT:   linalg.fill
  // CHECK-NEXT:   memref.subview
  // CHECK-NEXT:   linalg.fill
  // CHECK-NEXT:   memref.subview
  // CHECK-NEXT:   memref.copy
  // CHECK-NEXT: }
  %top = memref.subview %buffer[0, 0] [%missing, 64] [1, 1] : memref<4x64xf32> to memref<?x64xf32, strided<[64, 1]>>
  linalg.fill ins(%zero : f32) outs(%top : memref<?x64xf32, strided<[64, 1]>>)
  %bottom = memref.subview %buffer[%end, 0] [%after, 64] [1, 1] : memref<4x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
  linalg.fill ins(%zero : f32) outs(%bottom : memref<?x64xf32, strided<[64, 1], offset: ?>>)
  %rows = memref.subview %buffer[%missing, 0] [%count, 64] [1, 1] : memref<4x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
  memref.copy %from, %rows : memref<?x64xf32, strided<[?, 1], offset: ?>> to memref<?x64xf32, strided<[64, 1], offset: ?>>
  %v = bufferization.to_tensor %buffer restrict writable : memref<4x64xf32> to tensor<4x64xf32>
  return %v : tensor<4x64xf32>
}

// A column is too small to matter.
// CHECK-LABEL: func.func @column
func.func @column(%x: memref<?x1xf32, strided<[?, 1]>>, %t: index, %valid: index) -> tensor<4x1xf32> {
  %from = memref.subview %x[%t, 0] [%valid, 1] [1, 1] : memref<?x1xf32, strided<[?, 1]>> to memref<?x1xf32, strided<[?, 1], offset: ?>>
  %buffer = memref.alloc() {alignment = 64 : i64} : memref<4x1xf32>
  // CHECK-NOT: scf.if
  // CHECK: memref.copy
  %rows = memref.subview %buffer[0, 0] [%valid, 1] [1, 1] : memref<4x1xf32> to memref<?x1xf32, strided<[1, 1]>>
  memref.copy %from, %rows : memref<?x1xf32, strided<[?, 1], offset: ?>> to memref<?x1xf32, strided<[1, 1]>>
  %v = bufferization.to_tensor %buffer restrict writable : memref<4x1xf32> to tensor<4x1xf32>
  return %v : tensor<4x1xf32>
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

// Where every user takes just the part that exists, as products do, that part is the array itself.
// CHECK-LABEL: func.func @used_part
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref
func.func @used_part(%x: memref<?x?xf32, strided<[?, 1]>>, %t: index, %rows: index, %cols: index) -> tensor<?x?xf32> {
  // CHECK: %[[FROM:.*]] = memref.subview %[[X]]
  %from = memref.subview %x[%t, 0] [%rows, %cols] [1, 1] : memref<?x?xf32, strided<[?, 1]>> to memref<?x?xf32, strided<[?, 1], offset: ?>>
  // CHECK-NOT: memref.alloc
  %buffer = memref.alloc() {alignment = 64 : i64} : memref<8x16xf32>
  %part = memref.subview %buffer[0, 0] [%rows, %cols] [1, 1] : memref<8x16xf32> to memref<?x?xf32, strided<[16, 1]>>
  memref.copy %from, %part : memref<?x?xf32, strided<[?, 1], offset: ?>> to memref<?x?xf32, strided<[16, 1]>>
  // CHECK: %[[V:.*]] = bufferization.to_tensor %[[FROM]] restrict : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %v = bufferization.to_tensor %buffer restrict writable : memref<8x16xf32> to tensor<8x16xf32>
  %used = tensor.extract_slice %v[0, 0] [%rows, %cols] [1, 1] : tensor<8x16xf32> to tensor<?x?xf32>
  // CHECK: return %[[V]]
  return %used : tensor<?x?xf32>
}

// A user that takes another part reads the buffer.
// CHECK-LABEL: func.func @other_part
func.func @other_part(%x: memref<?x?xf32, strided<[?, 1]>>, %t: index, %rows: index, %cols: index) -> tensor<?x?xf32> {
  %from = memref.subview %x[%t, 0] [%rows, %cols] [1, 1] : memref<?x?xf32, strided<[?, 1]>> to memref<?x?xf32, strided<[?, 1], offset: ?>>
  %buffer = memref.alloc() {alignment = 64 : i64} : memref<8x16xf32>
  %part = memref.subview %buffer[0, 0] [%rows, %cols] [1, 1] : memref<8x16xf32> to memref<?x?xf32, strided<[16, 1]>>
  // CHECK: memref.copy
  memref.copy %from, %part : memref<?x?xf32, strided<[?, 1], offset: ?>> to memref<?x?xf32, strided<[16, 1]>>
  %v = bufferization.to_tensor %buffer restrict writable : memref<8x16xf32> to tensor<8x16xf32>
  %used = tensor.extract_slice %v[0, 0] [%cols, %rows] [1, 1] : tensor<8x16xf32> to tensor<?x?xf32>
  return %used : tensor<?x?xf32>
}
