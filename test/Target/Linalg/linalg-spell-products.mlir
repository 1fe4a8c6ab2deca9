// RUN: attn-opt %s --linalg-spell-products | FileCheck %s

// Parts of loaded tiles become whole tiles that begin as zeros; sums are taken and returned whole.
// CHECK-LABEL: func @parts
// CHECK-SAME:  %[[X:.*]]: memref<?x?xf16>, %[[Y:.*]]: memref<?x?xf16>, %[[ACC:.*]]: tensor<16x64xf32>
// CHECK:       %[[LEFT:.*]] = memref.alloc() : memref<16x32xf16>
// CHECK-NEXT:  %[[ZERO:.*]] = arith.constant 0.000000e+00 : f16
// CHECK-NEXT:  linalg.fill ins(%[[ZERO]] : f16) outs(%[[LEFT]] : memref<16x32xf16>)
// CHECK:       memref.copy %[[X]]
// CHECK:       %[[A:.*]] = bufferization.to_tensor %[[LEFT]]
// CHECK:       %[[B:.*]] = bufferization.to_tensor
// CHECK:       %[[EMPTY:.*]] = tensor.empty() : tensor<32x64xf16>
// CHECK-NEXT:  %[[TURNED:.*]] = linalg.transpose ins(%[[B]] : tensor<64x32xf16>) outs(%[[EMPTY]] : tensor<32x64xf16>) permutation = [1, 0]
// CHECK-NEXT:  %[[SUM:.*]] = linalg.matmul ins(%[[A]], %[[TURNED]] : tensor<16x32xf16>, tensor<32x64xf16>) outs(%[[ACC]] : tensor<16x64xf32>)
// CHECK-NOT:   tensor.insert_slice
// CHECK:       return %[[SUM]]
func.func @parts(%x: memref<?x?xf16>, %y: memref<?x?xf16>, %acc: tensor<16x64xf32>, %m: index, %n: index, %k: index) -> tensor<16x64xf32> {
  %left = memref.alloc() : memref<16x32xf16>
  %to = memref.subview %left[0, 0] [%m, %k] [1, 1] : memref<16x32xf16> to memref<?x?xf16, strided<[32, 1]>>
  memref.copy %x, %to : memref<?x?xf16> to memref<?x?xf16, strided<[32, 1]>>
  %a = bufferization.to_tensor %left restrict writable : memref<16x32xf16> to tensor<16x32xf16>
  %right = memref.alloc() : memref<64x32xf16>
  %there = memref.subview %right[0, 0] [%n, %k] [1, 1] : memref<64x32xf16> to memref<?x?xf16, strided<[32, 1]>>
  memref.copy %y, %there : memref<?x?xf16> to memref<?x?xf16, strided<[32, 1]>>
  %b = bufferization.to_tensor %right restrict writable : memref<64x32xf16> to tensor<64x32xf16>
  %0 = tensor.extract_slice %a[0, 0] [%m, %k] [1, 1] : tensor<16x32xf16> to tensor<?x?xf16>
  %1 = tensor.extract_slice %b[0, 0] [%n, %k] [1, 1] : tensor<64x32xf16> to tensor<?x?xf16>
  %2 = tensor.extract_slice %acc[0, 0] [%m, %n] [1, 1] : tensor<16x64xf32> to tensor<?x?xf32>
  %3 = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>]
      ins(%0, %1 : tensor<?x?xf16>, tensor<?x?xf16>) outs(%2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %4 = tensor.insert_slice %3 into %acc[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<16x64xf32>
  return %4 : tensor<16x64xf32>
}

// Whole tiles stay as they are; a left operand that is stored transposed is turned over.
// CHECK-LABEL: func @whole
// CHECK-SAME:  %[[A:.*]]: tensor<32x16xf32>, %[[B:.*]]: tensor<32x64xf32>, %[[ACC:.*]]: tensor<16x64xf32>
// CHECK:       %[[TURNED:.*]] = linalg.transpose ins(%[[A]] : tensor<32x16xf32>)
// CHECK-NEXT:  %[[SUM:.*]] = linalg.matmul ins(%[[TURNED]], %[[B]] : tensor<16x32xf32>, tensor<32x64xf32>) outs(%[[ACC]] : tensor<16x64xf32>)
// CHECK-NEXT:  return %[[SUM]]
func.func @whole(%a: tensor<32x16xf32>, %b: tensor<32x64xf32>, %acc: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %0 = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>]
      ins(%a, %b : tensor<32x16xf32>, tensor<32x64xf32>) outs(%acc : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %0 : tensor<16x64xf32>
}

// Of factors that were computed, nothing but zeros lies beyond what is summed over. What lies beyond their rows and columns only comes to sums that do not exist.
// CHECK-LABEL: func @computed
// CHECK-SAME:  %[[A:.*]]: tensor<16x32xf16>, %[[B:.*]]: tensor<32x64xf16>, %[[ACC:.*]]: tensor<16x64xf32>, %{{.*}}: index, %{{.*}}: index, %[[K:.*]]: index
// CHECK:       %[[LEFTLIMIT:.*]] = arith.index_cast %[[K]] : index to i32
// CHECK:       %[[LEFT:.*]] = linalg.generic {{.*}} ins(%[[A]] : tensor<16x32xf16>)
// CHECK-NEXT:  ^bb0(%[[X:.*]]: f16, %{{.*}}: f16):
// CHECK-NEXT:    %[[COL:.*]] = linalg.index 1
// CHECK-NEXT:    %[[PLACE:.*]] = arith.index_cast %[[COL]] : index to i32
// CHECK-NEXT:    %[[EXISTS:.*]] = arith.cmpi slt, %[[PLACE]], %[[LEFTLIMIT]]
// CHECK-NEXT:    %[[KEPT:.*]] = arith.select %[[EXISTS]], %[[X]], %{{.*}}
// CHECK-NEXT:    linalg.yield %[[KEPT]]
// CHECK:       %[[RIGHT:.*]] = linalg.generic {{.*}} ins(%[[B]] : tensor<32x64xf16>)
// CHECK:         linalg.index 0
// CHECK:       %[[SUM:.*]] = linalg.matmul ins(%[[LEFT]], %[[RIGHT]] : tensor<16x32xf16>, tensor<32x64xf16>) outs(%[[ACC]] : tensor<16x64xf32>)
// CHECK-NEXT:  return %[[SUM]]
func.func @computed(%a: tensor<16x32xf16>, %b: tensor<32x64xf16>, %acc: tensor<16x64xf32>, %m: index, %n: index, %k: index) -> tensor<16x64xf32> {
  %0 = tensor.extract_slice %a[0, 0] [%m, %k] [1, 1] : tensor<16x32xf16> to tensor<?x?xf16>
  %1 = tensor.extract_slice %b[0, 0] [%k, %n] [1, 1] : tensor<32x64xf16> to tensor<?x?xf16>
  %2 = tensor.extract_slice %acc[0, 0] [%m, %n] [1, 1] : tensor<16x64xf32> to tensor<?x?xf32>
  %3 = linalg.matmul ins(%0, %1 : tensor<?x?xf16>, tensor<?x?xf16>) outs(%2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %4 = tensor.insert_slice %3 into %acc[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<16x64xf32>
  return %4 : tensor<16x64xf32>
}

// Where only rows are missing, a factor stays as it is, and a factor with all of k too.
// CHECK-LABEL: func @rows
// CHECK-SAME:  %[[A:.*]]: tensor<16x32xf32>, %[[B:.*]]: tensor<32x64xf32>, %[[ACC:.*]]: tensor<16x64xf32>
// CHECK-NOT:   linalg.generic
// CHECK:       linalg.matmul ins(%[[A]], %[[B]] : tensor<16x32xf32>, tensor<32x64xf32>) outs(%[[ACC]] : tensor<16x64xf32>)
func.func @rows(%a: tensor<16x32xf32>, %b: tensor<32x64xf32>, %acc: tensor<16x64xf32>, %m: index) -> tensor<16x64xf32> {
  %0 = tensor.extract_slice %a[0, 0] [%m, 32] [1, 1] : tensor<16x32xf32> to tensor<?x32xf32>
  %1 = tensor.extract_slice %acc[0, 0] [%m, 64] [1, 1] : tensor<16x64xf32> to tensor<?x64xf32>
  %2 = linalg.matmul ins(%0, %b : tensor<?x32xf32>, tensor<32x64xf32>) outs(%1 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %3 = tensor.insert_slice %2 into %acc[0, 0] [%m, 64] [1, 1] : tensor<?x64xf32> into tensor<16x64xf32>
  return %3 : tensor<16x64xf32>
}

// What takes the part that exists of the sums takes that part of all of them.
// CHECK-LABEL: func @taken
// CHECK-SAME:  %[[A:.*]]: tensor<16x32xf32>, %[[B:.*]]: tensor<32x64xf32>, %[[ACC:.*]]: tensor<16x64xf32>, %[[N:.*]]: index
// CHECK:       %[[SUM:.*]] = linalg.matmul ins(%[[A]], %[[B]] : tensor<16x32xf32>, tensor<32x64xf32>) outs(%[[ACC]] : tensor<16x64xf32>)
// CHECK-NEXT:  %[[PART:.*]] = tensor.extract_slice %[[SUM]][0, 0] [16, %[[N]]] [1, 1]
// CHECK-NEXT:  return %[[PART]]
func.func @taken(%a: tensor<16x32xf32>, %b: tensor<32x64xf32>, %acc: tensor<16x64xf32>, %n: index) -> tensor<16x?xf32> {
  %0 = tensor.extract_slice %acc[0, 0] [16, %n] [1, 1] : tensor<16x64xf32> to tensor<16x?xf32>
  %1 = tensor.extract_slice %b[0, 0] [32, %n] [1, 1] : tensor<32x64xf32> to tensor<32x?xf32>
  %2 = linalg.matmul ins(%a, %1 : tensor<16x32xf32>, tensor<32x?xf32>) outs(%0 : tensor<16x?xf32>) -> tensor<16x?xf32>
  return %2 : tensor<16x?xf32>
}

// The first columns of what was loaded are not all of it: nothing else may come into the sums, although the whole tiles fit each other as well.
// CHECK-LABEL: func @first
// CHECK:       %[[LEFT:.*]] = linalg.generic {{.*}} : tensor<16x64xf16>)
// CHECK:         linalg.index 1
// CHECK:       %[[RIGHT:.*]] = linalg.generic {{.*}} : tensor<64x16xf16>)
// CHECK:         linalg.index 0
// CHECK:       linalg.matmul ins(%[[LEFT]], %[[RIGHT]] : tensor<16x64xf16>, tensor<64x16xf16>)
func.func @first(%x: memref<16x64xf16>, %y: memref<64x16xf16>, %acc: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %left = memref.alloc() : memref<16x64xf16>
  memref.copy %x, %left : memref<16x64xf16> to memref<16x64xf16>
  %a = bufferization.to_tensor %left restrict writable : memref<16x64xf16> to tensor<16x64xf16>
  %right = memref.alloc() : memref<64x16xf16>
  memref.copy %y, %right : memref<64x16xf16> to memref<64x16xf16>
  %b = bufferization.to_tensor %right restrict writable : memref<64x16xf16> to tensor<64x16xf16>
  %0 = tensor.extract_slice %a[0, 0] [16, 32] [1, 1] : tensor<16x64xf16> to tensor<16x32xf16>
  %1 = tensor.extract_slice %b[0, 0] [32, 16] [1, 1] : tensor<64x16xf16> to tensor<32x16xf16>
  %2 = linalg.matmul ins(%0, %1 : tensor<16x32xf16>, tensor<32x16xf16>) outs(%acc : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %2 : tensor<16x16xf32>
}
