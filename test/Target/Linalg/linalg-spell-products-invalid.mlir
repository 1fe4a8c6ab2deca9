// RUN: attn-opt %s --linalg-spell-products --split-input-file --verify-diagnostics

func.func @later(%a: tensor<16x64xf32>, %b: tensor<32x64xf32>, %acc: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %0 = tensor.extract_slice %a[0, 32] [16, 32] [1, 1] : tensor<16x64xf32> to tensor<16x32xf32>
  // expected-error @+1 {{takes a part of a tile that does not begin where the tile does, for which the vendor's compiler has no form}}
  %1 = linalg.matmul ins(%0, %b : tensor<16x32xf32>, tensor<32x64xf32>) outs(%acc : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %1 : tensor<16x64xf32>
}

// -----

// The first 32 columns are not what exists of a tile, but a tile of their own.
func.func @first(%a: tensor<16x64xf32>, %b: tensor<32x64xf32>, %acc: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %0 = tensor.extract_slice %a[0, 0] [16, 32] [1, 1] : tensor<16x64xf32> to tensor<16x32xf32>
  // expected-error @+1 {{is of parts whose tiles do not fit each other, for which the vendor's compiler has no form}}
  %1 = linalg.matmul ins(%0, %b : tensor<16x32xf32>, tensor<32x64xf32>) outs(%acc : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %1 : tensor<16x64xf32>
}

// -----

func.func @sums(%a: tensor<16x32xf32>, %b: tensor<32x64xf32>, %acc: tensor<?x64xf32>, %m: index) -> tensor<?x64xf32> {
  %0 = tensor.extract_slice %a[0, 0] [%m, 32] [1, 1] : tensor<16x32xf32> to tensor<?x32xf32>
  // expected-error @+1 {{is of parts whose tiles do not fit each other, for which the vendor's compiler has no form}}
  %1 = linalg.matmul ins(%0, %b : tensor<?x32xf32>, tensor<32x64xf32>) outs(%acc : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %1 : tensor<?x64xf32>
}
