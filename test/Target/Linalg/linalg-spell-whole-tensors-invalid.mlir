// RUN: attn-opt %s --linalg-spell-whole-tensors --split-input-file --verify-diagnostics

#id = affine_map<(d0, d1) -> (d0, d1)>
#swapped = affine_map<(d0, d1) -> (d1, d0)>

func.func @transposed(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  // expected-error @+1 {{permutes dimensions of an operand; the vendor's compiler has no form for that}}
  %0 = linalg.generic {indexing_maps = [#swapped, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

func.func @updates(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{reads what it writes}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%y : tensor<8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.addf %in, %out : f32
    linalg.yield %1 : f32
  } -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

func.func @counts_in_64_bits() -> tensor<8x8xi64> {
  %e = tensor.empty() : tensor<8x8xi64>
  // expected-error @+1 {{counts in another type than i32}}
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<8x8xi64>) {
  ^bb0(%out: i64):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i64
    linalg.yield %2 : i64
  } -> tensor<8x8xi64>
  return %0 : tensor<8x8xi64>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

func.func @two_ops(%x: tensor<8x8xf32>, %c: tensor<8x1xf32>) -> tensor<8x1xf32> {
  // expected-error @+1 {{folds by more than one op}}
  %0 = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x8xf32>) outs(%c : tensor<8x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.mulf %in, %in : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<8x1xf32>
  return %0 : tensor<8x1xf32>
}
