// RUN: attn-opt %s -jit-fuse-band-products | FileCheck %s

#all = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d0, 0)>

// Products with weights of a band are fused; one with another column is not.
// CHECK-LABEL: func.func @mix
func.func @mix(%v: tensor<4x64xf32>, %band: tensor<2x4xf32>, %other: tensor<4x1xf32>, %to: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %s0 = tensor.extract_slice %band[0, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
  %w0 = tensor.expand_shape %s0 [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
  %s1 = tensor.extract_slice %band[1, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
  %w1 = tensor.expand_shape %s1 [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
  // CHECK:      ^bb0(%[[V:.*]]: f32, %[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32, %[[O:.*]]: f32):
  // CHECK-NEXT:   %[[FIRST:.*]] = math.fma %[[V]], %[[A]], %[[O]]
  // CHECK-NEXT:   %[[SECOND:.*]] = math.fma %[[B]], %[[V]], %[[FIRST]]
  // CHECK-NEXT:   %[[THIRD:.*]] = arith.mulf %[[V]], %[[C]]
  // CHECK-NEXT:   %[[SUM:.*]] = arith.addf %[[SECOND]], %[[THIRD]]
  // CHECK-NEXT:   linalg.yield %[[SUM]]
  %sum = linalg.generic {indexing_maps = [#all, #column, #column, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%v, %w0, %w1, %other : tensor<4x64xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>)
      outs(%to : tensor<4x64xf32>) {
  ^bb0(%x: f32, %a: f32, %b: f32, %c: f32, %o: f32):
    %xa = arith.mulf %x, %a : f32
    %0 = arith.addf %o, %xa : f32
    %xb = arith.mulf %b, %x : f32
    %1 = arith.addf %xb, %0 : f32
    %xc = arith.mulf %x, %c : f32
    %2 = arith.addf %1, %xc : f32
    linalg.yield %2 : f32
  } -> tensor<4x64xf32>
  return %sum : tensor<4x64xf32>
}

// A product that is needed otherwise stays.
// CHECK-LABEL: func.func @needed
// CHECK-NOT:     math.fma
func.func @needed(%v: tensor<4x64xf32>, %band: tensor<2x4xf32>, %to: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %s0 = tensor.extract_slice %band[0, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
  %w0 = tensor.expand_shape %s0 [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
  %sum = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%v, %w0 : tensor<4x64xf32>, tensor<4x1xf32>) outs(%to : tensor<4x64xf32>) {
  ^bb0(%x: f32, %a: f32, %o: f32):
    %xa = arith.mulf %x, %a : f32
    %0 = arith.addf %xa, %xa : f32
    linalg.yield %0 : f32
  } -> tensor<4x64xf32>
  return %sum : tensor<4x64xf32>
}
