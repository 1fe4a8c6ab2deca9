// RUN: attn-opt %s -split-input-file -verify-diagnostics -jit-vectorize-rows

func.func @tensors(%x: f32, %e: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{cannot be vectorised before bufferization}}
  %r = linalg.fill ins(%x : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

func.func @loops(%x: f32, %e: memref<2x4x8xf32>) {
  // expected-error @+1 {{cannot be vectorised: it has neither one nor two loops}}
  linalg.fill ins(%x : f32) outs(%e : memref<2x4x8xf32>)
  return
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
#swapped = affine_map<(d0, d1) -> (d0 + d1, 0)>
func.func @indices(%a: memref<12x1xf32>, %e: memref<4x8xf32>) {
  // expected-error @+1 {{cannot be vectorised: it reads at computed indices}}
  linalg.generic {indexing_maps = [#swapped, #all], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<12x1xf32>) outs(%e : memref<4x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @payload(%a: memref<f32>, %e: memref<4x8xf32>) {
  // expected-error @+1 {{cannot be vectorised: 'memref.load' does not work element by element}}
  linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%e : memref<4x8xf32>) {
  ^bb0(%o: f32):
    %x = memref.load %a[] : memref<f32>
    linalg.yield %x : f32
  }
  return
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d0, 0)>
func.func @product(%a: memref<4x8xf32>, %e: memref<4x1xf32>) {
  // expected-error @+1 {{cannot be vectorised: it reduces by something else than a sum, maximum or minimum}}
  linalg.generic {indexing_maps = [#all, #column], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<4x8xf32>) outs(%e : memref<4x1xf32>) {
  ^bb0(%x: f32, %o: f32):
    %p = arith.mulf %o, %x : f32
    linalg.yield %p : f32
  }
  return
}
