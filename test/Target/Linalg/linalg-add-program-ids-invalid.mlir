// RUN: attn-opt %s --linalg-add-program-ids --split-input-file --verify-diagnostics

// expected-error @+1 {{does not take its block and their count last}}
func.func @no_place(%x: memref<?xf32>) {
  return
}

// -----

// expected-error @+1 {{takes an argument of type 'tensor<8xf32>', which programs cannot have}}
func.func @tensor(%x: tensor<8xf32>, %block: index, %count: index) {
  return
}
