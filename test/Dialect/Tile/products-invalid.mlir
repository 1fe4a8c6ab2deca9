// RUN: attn-opt %s --split-input-file --verify-diagnostics

func.func @types(%a: !tile.tile<4 x 8 x f16>, %b: !tile.tile<8 x 4 x bf16>) {
  // expected-error @+1 {{multiplies '!tile.tile<4 x 8 x f16>' by '!tile.tile<8 x 4 x bf16>', but both must have one element type}}
  %p = tile.dot %a, %b : !tile.tile<4 x 8 x f16>, !tile.tile<8 x 4 x bf16> -> !tile.tile<4 x 4 x f32>
  return
}

// -----

func.func @integers(%a: !tile.tile<4 x 8 x i32>, %b: !tile.tile<8 x 4 x i32>) {
  // expected-error @+1 {{multiplies f16, bf16, f32 or i8, not 'i32'}}
  %p = tile.dot %a, %b : !tile.tile<4 x 8 x i32>, !tile.tile<8 x 4 x i32> -> !tile.tile<4 x 4 x i32>
  return
}

// -----

func.func @inner(%a: !tile.tile<BM x BK x f16>, %b: !tile.tile<BN x BK x f16>) {
  // expected-error @+1 {{multiplies '!tile.tile<BM x BK x f16>' by '!tile.tile<BN x BK x f16>': the columns of the left and the rows of the right must agree}}
  %p = tile.dot %a, %b : !tile.tile<BM x BK x f16>, !tile.tile<BN x BK x f16> -> !tile.tile<BM x BN x f32>
  return
}

// -----

func.func @transposed(%a: !tile.tile<BM x BK x f16>, %b: !tile.tile<BK x BN x f16>) {
  // expected-error @+1 {{multiplies '!tile.tile<BM x BK x f16>' by '!tile.tile<BK x BN x f16>' (transposed): the columns of the left}}
  %p = tile.dot %a, %b transpose_b : !tile.tile<BM x BK x f16>, !tile.tile<BK x BN x f16> -> !tile.tile<BM x BN x f32>
  return
}

// -----

func.func @result(%a: !tile.tile<BM x BK x i8>, %b: !tile.tile<BK x BN x i8>) {
  // expected-error @+1 {{gives '!tile.tile<BM x BN x i32>', not '!tile.tile<BM x BN x f32>'}}
  %p = tile.dot %a, %b : !tile.tile<BM x BK x i8>, !tile.tile<BK x BN x i8> -> !tile.tile<BM x BN x f32>
  return
}

// -----

func.func @acc(%a: !tile.tile<BM x BK x f16>, %b: !tile.tile<BK x BN x f16>, %c: !tile.tile<BM x BN x f16>) {
  // expected-error @+1 {{adds to '!tile.tile<BM x BN x f32>', not to '!tile.tile<BM x BN x f16>'}}
  %p = "tile.dot"(%a, %b, %c) : (!tile.tile<BM x BK x f16>, !tile.tile<BK x BN x f16>, !tile.tile<BM x BN x f16>) -> !tile.tile<BM x BN x f32>
  return
}

// -----

func.func @rows(%a: !tile.tile<2 x BN x f32>) {
  // expected-error @+1 {{repeats a single row, not '!tile.tile<2 x BN x f32>'}}
  %p = tile.broadcast %a : !tile.tile<2 x BN x f32> -> !tile.tile<BM x BN x f32>
  return
}

// -----

func.func @columns(%a: !tile.tile<1 x BK x f32>) {
  // expected-error @+1 {{cannot make '!tile.tile<BM x BN x f32>' of rows '!tile.tile<1 x BK x f32>'}}
  %p = tile.broadcast %a : !tile.tile<1 x BK x f32> -> !tile.tile<BM x BN x f32>
  return
}

// -----

func.func @filled(%x: !tile.array<?x?xf32>, %m: !tile.span<BM>, %n: !tile.span<BN, filled>) {
  // expected-error @+1 {{takes its columns by '!tile.span<BN, filled>': a span of columns is neither 'filled', 'mapped' nor 'listed'}}
  %v = tile.load %x[%m span, %n span] : (!tile.array<?x?xf32>, !tile.span<BM>, !tile.span<BN, filled>) -> !tile.tile<BM x BN x f32>
  return
}
