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

// expected-error @+1 {{takes an argument of type 'memref<8xf32, strided<[1], offset: 4>>', which programs cannot have}}
func.func @offset(%x: memref<8xf32, strided<[1], offset: 4>>, %block: index, %count: index) {
  return
}

// -----

// expected-error @+1 {{takes an argument of type 'memref<8xf32, affine_map<(d0) -> (d0 floordiv 2)>>', which programs cannot have}}
func.func @layout(%x: memref<8xf32, affine_map<(d0) -> (d0 floordiv 2)>>, %block: index, %count: index) {
  return
}

// -----

func.func @first(%x: memref<?xf32>, %block: index, %count: index) {
  return
}
// expected-error @+1 {{is a second launch: linalg-join-phases must run first}}
func.func @second(%x: memref<?xf32>, %block: index, %count: index) attributes {launch.after = @first} {
  return
}

// -----

// expected-error @+1 {{takes addresses of tensors, but not what these look like}}
func.func @addresses(%table: memref<?xi64>, %block: index, %count: index) {
  return
}

// -----

// An entry is at its address, not at some number of elements.
func.func @element(%table: memref<?xi64>, %shape: memref<?x64xf32, strided<[?, 1]>>, %block: index, %count: index) {
  // expected-error @+1 {{uses a list of tensors, but not by the address of an entry}}
  %0 = memref.reinterpret_cast %shape to offset: [%block], sizes: [%count, 64], strides: [64, 1]
      : memref<?x64xf32, strided<[?, 1]>> to memref<?x64xf32, strided<[64, 1], offset: ?>>
  memref.copy %0, %0 : memref<?x64xf32, strided<[64, 1], offset: ?>> to memref<?x64xf32, strided<[64, 1], offset: ?>>
  return
}

// -----

// The bytes of another type.
func.func @bytes(%table: memref<?xi64>, %shape: memref<?x64xf32, strided<[?, 1]>>, %block: index, %count: index) {
  %two = arith.constant 2 : index
  %word = memref.load %table[%block] : memref<?xi64>
  %address = arith.index_cast %word : i64 to index
  %offset = arith.divui %address, %two : index
  // expected-error @+1 {{uses a list of tensors, but not by the address of an entry}}
  %0 = memref.reinterpret_cast %shape to offset: [%offset], sizes: [%count, 64], strides: [64, 1]
      : memref<?x64xf32, strided<[?, 1]>> to memref<?x64xf32, strided<[64, 1], offset: ?>>
  memref.copy %0, %0 : memref<?x64xf32, strided<[64, 1], offset: ?>> to memref<?x64xf32, strided<[64, 1], offset: ?>>
  return
}

// -----

func.func @whole(%table: memref<?xi64>, %shape: memref<?x64xf32, strided<[?, 1]>>, %block: index, %count: index) {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{uses a list of tensors, but not by the address of an entry}}
  memref.store %zero, %shape[%block, %block] : memref<?x64xf32, strided<[?, 1]>>
  return
}
