// RUN: attn-opt %s --jit-lower-products --verify-diagnostics
// RUN: not attn-opt %s --jit-lower-products=lanes=12 2>&1 | FileCheck %s

// CHECK: error: lanes must be a power of two, and at least 2
func.func @tensors(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{cannot be lowered before bufferization}}
  %r = linalg.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

#row = affine_map<(d0, d1, d2) -> (d2)>
#right = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>

func.func @broadcast(%a: memref<8xf32>, %b: memref<8x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @+1 {{broadcasts an operand, which kernels never do}}
  linalg.matmul indexing_maps = [#row, #right, #result] ins(%a, %b : memref<8xf32>, memref<8x4xf32>) outs(%c : memref<4x4xf32>)
  return
}
