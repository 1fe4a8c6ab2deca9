// RUN: attn-opt %s --split-input-file --verify-diagnostics

func.func @floats(%x: memref<?xf32, strided<[1]>, #ascend.space<gm>>, %b: index) {
  // expected-error @+1 {{reads ui16, i32 or i64, not 'f32'}}
  %n = ascend.load_index %x[%b] : memref<?xf32, strided<[1]>, #ascend.space<gm>>
  return
}

// -----

func.func @rank(%x: memref<?xi32, strided<[1]>, #ascend.space<gm>>, %b: index) {
  // expected-error @+1 {{has 2 indices for}}
  %n = ascend.load_index %x[%b, %b] : memref<?xi32, strided<[1]>, #ascend.space<gm>>
  return
}

// -----

func.func @local(%x: memref<8xi32, #ascend.space<ub>>, %b: index) {
  // expected-error @+1 {{reads an array in gm, not}}
  %n = ascend.load_index %x[%b] : memref<8xi32, #ascend.space<ub>>
  return
}

// -----

func.func @dimension(%x: memref<?xi32, strided<[1]>, #ascend.space<gm>>, %b: index) {
  // expected-error @+1 {{asks for dimension 1 of}}
  ascend.expect_index %b is %b in %x, 1 : memref<?xi32, strided<[1]>, #ascend.space<gm>>
  return
}

// -----

func.func @distinctDimension(%x: memref<?xi32, strided<[1]>, #ascend.space<gm>>, %a: memref<?xi32, #ascend.space<gm>>, %b: index) {
  // expected-error @+1 {{asks for dimension 1 of}}
  ascend.expect_distinct %b at %a in %x, 1 : memref<?xi32, #ascend.space<gm>>, memref<?xi32, strided<[1]>, #ascend.space<gm>>
  return
}

// -----

func.func @distinctInLocalMemory(%x: memref<?xi32, strided<[1]>, #ascend.space<gm>>, %a: memref<8xi32, #ascend.space<ub>>, %b: index) {
  // expected-error @+1 {{is about addresses in gm, not}}
  ascend.expect_distinct %b at %a in %x, 0 : memref<8xi32, #ascend.space<ub>>, memref<?xi32, strided<[1]>, #ascend.space<gm>>
  return
}
