// RUN: attn-opt %s --linalg-unroll-strips --canonicalize | FileCheck %s

// CHECK-LABEL: func @strips
// CHECK-NOT: scf.for
// CHECK: %[[FIRST:.*]] = tensor.insert_slice %arg1 into %arg0[0, 0] [4, 64] [1, 1]
// CHECK: %[[SECOND:.*]] = tensor.insert_slice %arg1 into %[[FIRST]][0, 64] [4, 64] [1, 1]
// CHECK: return %[[SECOND]]
func.func @strips(%init: tensor<4x128xf32>, %strip: tensor<4x64xf32>) -> tensor<4x128xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %0 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %init) -> (tensor<4x128xf32>) {
    %offset = arith.muli %i, %c64 : index
    %1 = tensor.insert_slice %strip into %a[0, %offset] [4, 64] [1, 1] : tensor<4x64xf32> into tensor<4x128xf32>
    scf.yield %1 : tensor<4x128xf32>
  }
  return %0 : tensor<4x128xf32>
}

// Loops that carry whole tiles, or whose number of trips only the run knows, stay.
// CHECK-LABEL: func @others
// CHECK-COUNT-2: scf.for
func.func @others(%init: tensor<4x128xf32>, %strip: tensor<4x64xf32>, %n: index) -> (tensor<4x128xf32>, tensor<4x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %init) -> (tensor<4x128xf32>) {
    %1 = tensor.insert_slice %strip into %a[0, %i] [4, 64] [1, 1] : tensor<4x64xf32> into tensor<4x128xf32>
    scf.yield %1 : tensor<4x128xf32>
  }
  %2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %init) -> (tensor<4x128xf32>) {
    %3 = arith.addf %a, %init : tensor<4x128xf32>
    scf.yield %3 : tensor<4x128xf32>
  }
  return %0, %2 : tensor<4x128xf32>, tensor<4x128xf32>
}
