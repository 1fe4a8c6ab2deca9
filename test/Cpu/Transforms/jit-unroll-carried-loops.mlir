// RUN: attn-opt %s -jit-unroll-carried-loops=factor=2 | FileCheck %s

// CHECK-LABEL: func.func @rows
func.func @rows(%N: index, %init: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK: %[[MOST:.*]] = scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}})
  // CHECK:   %[[FIRST:.*]] = math.absf %[[A]]
  // CHECK:   %[[SECOND:.*]] = math.absf %[[FIRST]]
  // CHECK:   scf.yield %[[SECOND]]
  // CHECK: scf.for {{.*}} iter_args(%[[B:.*]] = %[[MOST]])
  // CHECK:   math.absf %[[B]]
  %acc = scf.for %n = %zero to %N step %one iter_args(%a = %init) -> tensor<1x64xf32> {
    %next = math.absf %a : tensor<1x64xf32>
    scf.yield %next : tensor<1x64xf32>
  }
  return %acc : tensor<1x64xf32>
}

// A column is not worth it, and an outer loop would repeat too much.
// CHECK-LABEL: func.func @others
func.func @others(%N: index, %column: tensor<4x1xf32>, %row: tensor<1x64xf32>) -> (tensor<4x1xf32>, tensor<1x64xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK-COUNT-3: scf.for
  // CHECK-NOT: scf.for
  %0 = scf.for %n = %zero to %N step %one iter_args(%a = %column) -> tensor<4x1xf32> {
    %next = math.absf %a : tensor<4x1xf32>
    scf.yield %next : tensor<4x1xf32>
  }
  %1 = scf.for %n = %zero to %N step %one iter_args(%a = %row) -> tensor<1x64xf32> {
    scf.for %k = %zero to %N step %one {
    }
    scf.yield %a : tensor<1x64xf32>
  }
  return %0, %1 : tensor<4x1xf32>, tensor<1x64xf32>
}

// A tile whose parts are only exchanged has no sweep to share.
// CHECK-LABEL: func.func @parts
func.func @parts(%N: index, %part: tensor<2x64xf32>, %whole: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK-COUNT-1: scf.for
  // CHECK-NOT: scf.for
  %0 = scf.for %n = %zero to %N step %one iter_args(%a = %whole) -> tensor<4x64xf32> {
    %next = tensor.insert_slice %part into %a[2, 0] [2, 64] [1, 1] : tensor<2x64xf32> into tensor<4x64xf32>
    scf.yield %next : tensor<4x64xf32>
  }
  return %0 : tensor<4x64xf32>
}

// A product keeps what it adds to in registers by itself.
// CHECK-LABEL: func.func @products
func.func @products(%N: index, %a: tensor<4x8xf32>, %b: tensor<8x64xf32>, %init: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK-COUNT-1: linalg.matmul
  // CHECK-NOT: linalg.matmul
  %0 = scf.for %n = %zero to %N step %one iter_args(%acc = %init) -> tensor<4x64xf32> {
    %next = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x64xf32>) outs(%acc : tensor<4x64xf32>) -> tensor<4x64xf32>
    scf.yield %next : tensor<4x64xf32>
  }
  return %0 : tensor<4x64xf32>
}
