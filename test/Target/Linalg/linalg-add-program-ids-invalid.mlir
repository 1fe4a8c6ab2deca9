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

// -----

func.func @first(%x: memref<?xf32>, %block: index, %count: index) {
  return
}
// expected-error @+1 {{is a second launch; the vendor's compiler takes one kernel per text}}
func.func @second(%x: memref<?xf32>, %block: index, %count: index) attributes {launch.after = @first} {
  return
}

// -----

// expected-error @+1 {{a list of tensors has no form for the vendor's compiler yet}}
func.func @list(%shape: memref<?x64xf32, strided<[?, 1]>>, %address: index, %block: index, %count: index) {
  %0 = memref.reinterpret_cast %shape to offset: [%address], sizes: [%count, 64], strides: [64, 1]
      : memref<?x64xf32, strided<[?, 1]>> to memref<?x64xf32, strided<[64, 1], offset: ?>>
  return
}
