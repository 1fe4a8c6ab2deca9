// RUN: attn-opt %s --soc=Ascend910B4 --convert-tile-to-ascend --split-input-file --verify-diagnostics

func.func @arithmetic(%x: !tile.array<16x16xf16>, %y: !tile.array<16x16xf32>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<16x16xf16>) -> !tile.tile<16 x 16 x f16>
  %p = tile.dot %a, %a : !tile.tile<16 x 16 x f16>, !tile.tile<16 x 16 x f16> -> !tile.tile<16 x 16 x f32>
  // expected-error @+1 {{'tile.exp' op needs vector cores: tile-split-cores must run first}}
  %e = tile.exp %p : !tile.tile<16 x 16 x f32>
  tile.store %e, %y[:, :] : (!tile.tile<16 x 16 x f32>, !tile.array<16x16xf32>) -> ()
  return
}

// -----

func.func @computed_operand(%x: !tile.array<16x16xf32>, %y: !tile.array<16x16xf32>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<16x16xf32>) -> !tile.tile<16 x 16 x f32>
  // expected-error @+1 {{'tile.exp' op is an operand of a product and needs vector cores}}
  %e = tile.exp %a : !tile.tile<16 x 16 x f32>
  %p = tile.dot %e, %a : !tile.tile<16 x 16 x f32>, !tile.tile<16 x 16 x f32> -> !tile.tile<16 x 16 x f32>
  tile.store %p, %y[:, :] : (!tile.tile<16 x 16 x f32>, !tile.array<16x16xf32>) -> ()
  return
}

// -----

func.func @loaded_for_both(%x: !tile.array<16x16xf32>, %y: !tile.array<16x16xf32>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<16x16xf32>) -> !tile.tile<16 x 16 x f32>
  %p = tile.dot %a, %a : !tile.tile<16 x 16 x f32>, !tile.tile<16 x 16 x f32> -> !tile.tile<16 x 16 x f32>
  tile.store %p, %y[:, :] : (!tile.tile<16 x 16 x f32>, !tile.array<16x16xf32>) -> ()
  // expected-error @+1 {{'tile.store' op needs vector cores}}
  tile.store %a, %y[:, :] : (!tile.tile<16 x 16 x f32>, !tile.array<16x16xf32>) -> ()
  return
}

// -----

func.func @start(%x: !tile.array<16x16xf32>, %y: !tile.array<16x16xf32>) attributes {tile.kernel} {
  %one = arith.constant 1.0 : f32
  %a = tile.load %x[:, :] : (!tile.array<16x16xf32>) -> !tile.tile<16 x 16 x f32>
  // expected-error @+1 {{'tile.splat' op is what a product adds to and needs vector cores}}
  %ones = tile.splat %one : f32 -> !tile.tile<16 x 16 x f32>
  %p = tile.dot %a, %a acc(%ones) : !tile.tile<16 x 16 x f32>, !tile.tile<16 x 16 x f32> -> !tile.tile<16 x 16 x f32>
  tile.store %p, %y[:, :] : (!tile.tile<16 x 16 x f32>, !tile.array<16x16xf32>) -> ()
  return
}

// -----

func.func @computed_row(%x: !tile.array<16x16xf32>, %b: !tile.array<1x16xf32>, %y: !tile.array<16x16xf32>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<16x16xf32>) -> !tile.tile<16 x 16 x f32>
  %row = tile.load %b[:, :] : (!tile.array<1x16xf32>) -> !tile.tile<1 x 16 x f32>
  %e = tile.exp %row : !tile.tile<1 x 16 x f32>
  // expected-error @+1 {{'tile.broadcast' op repeats a row that was not just loaded and needs vector cores}}
  %start = tile.broadcast %e : !tile.tile<1 x 16 x f32> -> !tile.tile<16 x 16 x f32>
  %p = tile.dot %a, %a acc(%start) : !tile.tile<16 x 16 x f32>, !tile.tile<16 x 16 x f32> -> !tile.tile<16 x 16 x f32>
  tile.store %p, %y[:, :] : (!tile.tile<16 x 16 x f32>, !tile.array<16x16xf32>) -> ()
  return
}

// -----

func.func @sums_as_operand(%x: !tile.array<16x16xf32>, %y: !tile.array<16x16xf32>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<16x16xf32>) -> !tile.tile<16 x 16 x f32>
  %p = tile.dot %a, %a : !tile.tile<16 x 16 x f32>, !tile.tile<16 x 16 x f32> -> !tile.tile<16 x 16 x f32>
  // expected-error @+1 {{multiplies sums of another product as 'f32', which cannot lie in L1; cast both operands to f16 or bf16, or compute something with the sums before}}
  %q = tile.dot %p, %a : !tile.tile<16 x 16 x f32>, !tile.tile<16 x 16 x f32> -> !tile.tile<16 x 16 x f32>
  tile.store %q, %y[:, :] : (!tile.tile<16 x 16 x f32>, !tile.array<16x16xf32>) -> ()
  return
}

// -----

func.func @maximum_as_operand(%x: !tile.array<16x16xf32>, %y: !tile.array<16x16xf32>) attributes {tile.kernel} {
  %zero = arith.constant 0.0 : f32
  %a = tile.load %x[:, :] : (!tile.array<16x16xf32>) -> !tile.tile<16 x 16 x f32>
  %p = tile.dot %a, %a : !tile.tile<16 x 16 x f32>, !tile.tile<16 x 16 x f32> -> !tile.tile<16 x 16 x f32>
  %zeros = tile.splat %zero : f32 -> !tile.tile<16 x 16 x f32>
  %r = tile.maximum %p, %zeros : !tile.tile<16 x 16 x f32>, !tile.tile<16 x 16 x f32> -> !tile.tile<16 x 16 x f32>
  // expected-error @+1 {{multiplies another product as 'f32', which cannot lie in L1; f16 and bf16 can}}
  %q = tile.dot %r, %a : !tile.tile<16 x 16 x f32>, !tile.tile<16 x 16 x f32> -> !tile.tile<16 x 16 x f32>
  tile.store %q, %y[:, :] : (!tile.tile<16 x 16 x f32>, !tile.array<16x16xf32>) -> ()
  return
}

// -----

func.func @maximum(%x: !tile.array<16x16xf32>, %y: !tile.array<16x16xf32>) attributes {tile.kernel} {
  %one = arith.constant 1.0 : f32
  %a = tile.load %x[:, :] : (!tile.array<16x16xf32>) -> !tile.tile<16 x 16 x f32>
  %p = tile.dot %a, %a : !tile.tile<16 x 16 x f32>, !tile.tile<16 x 16 x f32> -> !tile.tile<16 x 16 x f32>
  %ones = tile.splat %one : f32 -> !tile.tile<16 x 16 x f32>
  // expected-error @+1 {{'tile.maximum' op needs vector cores}}
  %r = tile.maximum %p, %ones : !tile.tile<16 x 16 x f32>, !tile.tile<16 x 16 x f32> -> !tile.tile<16 x 16 x f32>
  tile.store %r, %y[:, :] : (!tile.tile<16 x 16 x f32>, !tile.array<16x16xf32>) -> ()
  return
}

// -----

func.func @type_of_sums(%x: !tile.array<32x32xi8>, %y: !tile.array<32x32xf32>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<32x32xi8>) -> !tile.tile<32 x 32 x i8>
  %p = tile.dot %a, %a : !tile.tile<32 x 32 x i8>, !tile.tile<32 x 32 x i8> -> !tile.tile<32 x 32 x i32>
  // expected-error @+1 {{turns sums into what they cannot leave L0C as and needs vector cores}}
  %f = tile.cast %p : !tile.tile<32 x 32 x i32> -> !tile.tile<32 x 32 x f32>
  tile.store %f, %y[:, :] : (!tile.tile<32 x 32 x f32>, !tile.array<32x32xf32>) -> ()
  return
}

// -----

func.func @carried(%x: !tile.array<16x16xf32>, %y: !tile.array<16x16xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %zeros = tile.splat %zero : f32 -> !tile.tile<16 x 16 x f32>
  %a = tile.load %x[:, :] : (!tile.array<16x16xf32>) -> !tile.tile<16 x 16 x f32>
  %sums = tile.range %i = %c0 to %c4 iter(%acc = %zeros : !tile.tile<16 x 16 x f32>) {
    %p = tile.dot %a, %a acc(%acc) : !tile.tile<16 x 16 x f32>, !tile.tile<16 x 16 x f32> -> !tile.tile<16 x 16 x f32>
    // expected-error @+1 {{'tile.exp' op becomes what a product adds to and needs vector cores}}
    %e = tile.exp %p : !tile.tile<16 x 16 x f32>
    tile.yield %e : !tile.tile<16 x 16 x f32>
  }
  tile.store %sums, %y[:, :] : (!tile.tile<16 x 16 x f32>, !tile.array<16x16xf32>) -> ()
  return
}

// -----

func.func @handed_on(%x: !tile.array<16x16xf32>, %y: !tile.array<16x16xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %a = tile.load %x[:, :] : (!tile.array<16x16xf32>) -> !tile.tile<16 x 16 x f32>
  // expected-error @+1 {{hands on a tile that is not a sum of products and needs vector cores}}
  %last = tile.range %i = %c0 to %c4 iter(%before = %a : !tile.tile<16 x 16 x f32>) {
    %p = tile.dot %a, %a : !tile.tile<16 x 16 x f32>, !tile.tile<16 x 16 x f32> -> !tile.tile<16 x 16 x f32>
    tile.store %p, %y[:, :] : (!tile.tile<16 x 16 x f32>, !tile.array<16x16xf32>) -> ()
    tile.yield %before : !tile.tile<16 x 16 x f32>
  }
  return
}

// -----

func.func @sums_used_again(%x: !tile.array<16x16xf32>, %y: !tile.array<16x16xf32>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<16x16xf32>) -> !tile.tile<16 x 16 x f32>
  %p = tile.dot %a, %a : !tile.tile<16 x 16 x f32>, !tile.tile<16 x 16 x f32> -> !tile.tile<16 x 16 x f32>
  // expected-error @+1 {{goes on with sums that are used again afterwards, and cube cores cannot copy them}}
  %q = tile.dot %a, %a acc(%p) : !tile.tile<16 x 16 x f32>, !tile.tile<16 x 16 x f32> -> !tile.tile<16 x 16 x f32>
  tile.store %p, %y[:, :] : (!tile.tile<16 x 16 x f32>, !tile.array<16x16xf32>) -> ()
  tile.store %q, %y[:, :] : (!tile.tile<16 x 16 x f32>, !tile.array<16x16xf32>) -> ()
  return
}

// -----

func.func @columns(%x: !tile.array<16x16x2xf32>, %y: !tile.array<16x16xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{moves columns of a dimension that is not contiguous, which cube cores cannot}}
  %a = tile.load %x[:, :, %c0] : (!tile.array<16x16x2xf32>, index) -> !tile.tile<16 x 16 x f32>
  %p = tile.dot %a, %a : !tile.tile<16 x 16 x f32>, !tile.tile<16 x 16 x f32> -> !tile.tile<16 x 16 x f32>
  tile.store %p, %y[:, :] : (!tile.tile<16 x 16 x f32>, !tile.array<16x16xf32>) -> ()
  return
}

// -----

func.func @phases(%x: !tile.array<16x16xf16>, %y: !tile.array<16x16xf32>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<16x16xf16>) -> !tile.tile<16 x 16 x f16>
  %p = tile.dot %a, %a : !tile.tile<16 x 16 x f16>, !tile.tile<16 x 16 x f16> -> !tile.tile<16 x 16 x f32>
  tile.store %p, %y[:, :] : (!tile.tile<16 x 16 x f32>, !tile.array<16x16xf32>) -> ()
  // expected-error @+1 {{lets the blocks of a kernel with products meet, which only vector cores can; with phases=launches each phase is a kernel of its own}}
  tile.phase
  %b = tile.load %x[:, :] : (!tile.array<16x16xf16>) -> !tile.tile<16 x 16 x f16>
  %q = tile.dot %b, %b : !tile.tile<16 x 16 x f16>, !tile.tile<16 x 16 x f16> -> !tile.tile<16 x 16 x f32>
  tile.store %q, %y[:, :] : (!tile.tile<16 x 16 x f32>, !tile.array<16x16xf32>) -> ()
  return
}

// -----

func.func @scaled_twice(%x: !tile.array<32x32xi8>, %y: !tile.array<32x32xf16>) attributes {tile.kernel} {
  %half = arith.constant 0.5 : f32
  %a = tile.load %x[:, :] : (!tile.array<32x32xi8>) -> !tile.tile<32 x 32 x i8>
  %p = tile.dot %a, %a : !tile.tile<32 x 32 x i8>, !tile.tile<32 x 32 x i8> -> !tile.tile<32 x 32 x i32>
  %f = tile.cast %p : !tile.tile<32 x 32 x i32> -> !tile.tile<32 x 32 x f32>
  %h = tile.splat %half : f32 -> !tile.tile<1 x 1 x f32>
  %s = tile.mul %f, %h : !tile.tile<32 x 32 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<32 x 32 x f32>
  // expected-error @+1 {{'tile.mul' op needs vector cores}}
  %t = tile.mul %s, %h : !tile.tile<32 x 32 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<32 x 32 x f32>
  %n = tile.cast %t : !tile.tile<32 x 32 x f32> -> !tile.tile<32 x 32 x f16>
  tile.store %n, %y[:, :] : (!tile.tile<32 x 32 x f16>, !tile.array<32x32xf16>) -> ()
  return
}

// -----

func.func @scale_of_floats(%x: !tile.array<16x16xf16>, %y: !tile.array<16x16xf16>) attributes {tile.kernel} {
  %half = arith.constant 0.5 : f32
  %a = tile.load %x[:, :] : (!tile.array<16x16xf16>) -> !tile.tile<16 x 16 x f16>
  %p = tile.dot %a, %a : !tile.tile<16 x 16 x f16>, !tile.tile<16 x 16 x f16> -> !tile.tile<16 x 16 x f32>
  %h = tile.splat %half : f32 -> !tile.tile<1 x 1 x f32>
  %s = tile.mul %p, %h : !tile.tile<16 x 16 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<16 x 16 x f32>
  // expected-error @+1 {{'tile.cast' op turns sums into what they cannot leave L0C as and needs vector cores}}
  %n = tile.cast %s : !tile.tile<16 x 16 x f32> -> !tile.tile<16 x 16 x f16>
  tile.store %n, %y[:, :] : (!tile.tile<16 x 16 x f16>, !tile.array<16x16xf16>) -> ()
  return
}

// -----

func.func @scale_of_many_bits(%x: !tile.array<16x16xf16>, %y: !tile.array<16x16xi8>) attributes {tile.kernel} {
  %tenth = arith.constant 0.1 : f32
  %a = tile.load %x[:, :] : (!tile.array<16x16xf16>) -> !tile.tile<16 x 16 x f16>
  %p = tile.dot %a, %a : !tile.tile<16 x 16 x f16>, !tile.tile<16 x 16 x f16> -> !tile.tile<16 x 16 x f32>
  %h = tile.splat %tenth : f32 -> !tile.tile<1 x 1 x f32>
  // expected-error @+1 {{'tile.mul' op needs vector cores}}
  %s = tile.mul %p, %h : !tile.tile<16 x 16 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<16 x 16 x f32>
  %n = tile.cast %s : !tile.tile<16 x 16 x f32> -> !tile.tile<16 x 16 x i8>
  tile.store %n, %y[:, :] : (!tile.tile<16 x 16 x i8>, !tile.array<16x16xi8>) -> ()
  return
}

// -----

func.func @negative_scale(%x: !tile.array<16x16xf16>, %y: !tile.array<16x16xi8>) attributes {tile.kernel} {
  %minus = arith.constant -1.0 : f32
  %a = tile.load %x[:, :] : (!tile.array<16x16xf16>) -> !tile.tile<16 x 16 x f16>
  %p = tile.dot %a, %a : !tile.tile<16 x 16 x f16>, !tile.tile<16 x 16 x f16> -> !tile.tile<16 x 16 x f32>
  %h = tile.splat %minus : f32 -> !tile.tile<1 x 1 x f32>
  // expected-error @+1 {{'tile.mul' op needs vector cores}}
  %s = tile.mul %p, %h : !tile.tile<16 x 16 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<16 x 16 x f32>
  %n = tile.cast %s : !tile.tile<16 x 16 x f32> -> !tile.tile<16 x 16 x i8>
  tile.store %n, %y[:, :] : (!tile.tile<16 x 16 x i8>, !tile.array<16x16xi8>) -> ()
  return
}

// -----

func.func @scale_of_the_run(%x: !tile.array<16x16xf16>, %y: !tile.array<16x16xi8>, %scale: f32) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<16x16xf16>) -> !tile.tile<16 x 16 x f16>
  %p = tile.dot %a, %a : !tile.tile<16 x 16 x f16>, !tile.tile<16 x 16 x f16> -> !tile.tile<16 x 16 x f32>
  %h = tile.splat %scale : f32 -> !tile.tile<1 x 1 x f32>
  // expected-error @+1 {{'tile.mul' op needs vector cores}}
  %s = tile.mul %p, %h : !tile.tile<16 x 16 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<16 x 16 x f32>
  %n = tile.cast %s : !tile.tile<16 x 16 x f32> -> !tile.tile<16 x 16 x i8>
  tile.store %n, %y[:, :] : (!tile.tile<16 x 16 x i8>, !tile.array<16x16xi8>) -> ()
  return
}

// -----

func.func @narrowed_before(%x: !tile.array<16x16xf16>, %y: !tile.array<16x16xf32>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<16x16xf16>) -> !tile.tile<16 x 16 x f16>
  %p = tile.dot %a, %a : !tile.tile<16 x 16 x f16>, !tile.tile<16 x 16 x f16> -> !tile.tile<16 x 16 x f32>
  %n = tile.cast %p : !tile.tile<16 x 16 x f32> -> !tile.tile<16 x 16 x f16>
  // expected-error @+1 {{'tile.cast' op needs vector cores}}
  %w = tile.cast %n : !tile.tile<16 x 16 x f16> -> !tile.tile<16 x 16 x f32>
  tile.store %w, %y[:, :] : (!tile.tile<16 x 16 x f32>, !tile.array<16x16xf32>) -> ()
  return
}

// -----

func.func @shared_operand(%x: !tile.array<16x?xf16>, %w: !tile.array<?x16xf16>, %y: !tile.array<16x16xf32>, %less: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %k = tile.dim %x, 1 : !tile.array<16x?xf16>
  %all = tile.make_span %c0 to %k : <32>
  %some = tile.make_span %c0 to %less : <32>
  // expected-error @+1 {{is multiplied by an operand that has fewer k, and by others or before it is known how many; load both operands by the same span}}
  %a = tile.load %x[:, %all span] : (!tile.array<16x?xf16>, !tile.span<32>) -> !tile.tile<16 x 32 x f16>
  %b = tile.load %w[%some span, :] : (!tile.array<?x16xf16>, !tile.span<32>) -> !tile.tile<32 x 16 x f16>
  %p = tile.dot %a, %b : !tile.tile<16 x 32 x f16>, !tile.tile<32 x 16 x f16> -> !tile.tile<16 x 16 x f32>
  %q = tile.dot %a, %a transpose_b : !tile.tile<16 x 32 x f16>, !tile.tile<16 x 32 x f16> -> !tile.tile<16 x 16 x f32>
  tile.store %p, %y[:, :] : (!tile.tile<16 x 16 x f32>, !tile.array<16x16xf32>) -> ()
  tile.store %q, %y[:, :] : (!tile.tile<16 x 16 x f32>, !tile.array<16x16xf32>) -> ()
  return
}

// -----

func.func @broadcast(%x: !tile.array<1x1xf16>, %y: !tile.array<16x1xf16>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<1x1xf16>) -> !tile.tile<1 x 1 x f16>
  // expected-error @+1 {{repeats a single element of 'f16', which vector cores do in f32 only: cast it first}}
  %p = tile.broadcast %a : !tile.tile<1 x 1 x f16> -> !tile.tile<16 x 1 x f16>
  tile.store %p, %y[:, :] : (!tile.tile<16 x 1 x f16>, !tile.array<16x1xf16>) -> ()
  return
}
