// RUN: attn-opt %s --linalg-copy-carried-parts | FileCheck %s

// Of what the loop carries, the part of a tile is copied; the tile itself and a part of something outside are not.
// CHECK-LABEL: func.func @carry
// CHECK: scf.for
// CHECK: %[[TILE:.*]] = arith.addf
// CHECK: %[[LAST:.*]] = tensor.extract_slice %[[TILE]][2, 0] [6, 32] [1, 1]
// CHECK: %[[PLACE:.*]] = tensor.empty() : tensor<6x32xf32>
// CHECK: %[[COPY:.*]] = linalg.copy ins(%[[LAST]] : tensor<6x32xf32>) outs(%[[PLACE]] : tensor<6x32xf32>)
// CHECK: scf.yield %[[TILE]], %[[COPY]], %{{.*}} : tensor<8x32xf32>, tensor<6x32xf32>, tensor<4x32xf32>
// CHECK-NOT: linalg.copy
func.func @carry(%tile: tensor<8x32xf32>, %n: index) -> (tensor<8x32xf32>, tensor<6x32xf32>, tensor<4x32xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %empty = tensor.empty() : tensor<6x32xf32>
  %outside = tensor.extract_slice %tile[0, 0] [4, 32] [1, 1] : tensor<8x32xf32> to tensor<4x32xf32>
  %result:3 = scf.for %i = %zero to %n step %one iter_args(%a = %tile, %b = %empty, %c = %outside)
      -> (tensor<8x32xf32>, tensor<6x32xf32>, tensor<4x32xf32>) {
    %sum = arith.addf %a, %tile : tensor<8x32xf32>
    %last = tensor.extract_slice %sum[2, 0] [6, 32] [1, 1] : tensor<8x32xf32> to tensor<6x32xf32>
    scf.yield %sum, %last, %outside : tensor<8x32xf32>, tensor<6x32xf32>, tensor<4x32xf32>
  }
  return %result#0, %result#1, %result#2 : tensor<8x32xf32>, tensor<6x32xf32>, tensor<4x32xf32>
}
