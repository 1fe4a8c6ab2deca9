// RUN: attn-opt %s --linalg-spell-products --split-input-file --verify-diagnostics

func.func @computed(%a: tensor<16x32xf32>, %b: tensor<32x64xf32>, %acc: tensor<?x64xf32>, %m: index) -> tensor<?x64xf32> {
  %0 = tensor.extract_slice %a[0, 0] [%m, 32] [1, 1] : tensor<16x32xf32> to tensor<?x32xf32>
  // expected-error @+1 {{takes a part of a tile that was not loaded, for which the vendor's compiler has no form}}
  %1 = linalg.matmul ins(%0, %b : tensor<?x32xf32>, tensor<32x64xf32>) outs(%acc : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %1 : tensor<?x64xf32>
}

// -----

func.func @taken(%a: tensor<16x32xf32>, %b: tensor<32x64xf32>, %acc: tensor<16x64xf32>, %n: index) -> tensor<16x?xf32> {
  %0 = tensor.extract_slice %acc[0, 0] [16, %n] [1, 1] : tensor<16x64xf32> to tensor<16x?xf32>
  %1 = tensor.cast %b : tensor<32x64xf32> to tensor<32x?xf32>
  // expected-error @+1 {{has a part of its sums taken on their own, for which the vendor's compiler has no form}}
  %2 = linalg.matmul ins(%a, %1 : tensor<16x32xf32>, tensor<32x?xf32>) outs(%0 : tensor<16x?xf32>) -> tensor<16x?xf32>
  return %2 : tensor<16x?xf32>
}
