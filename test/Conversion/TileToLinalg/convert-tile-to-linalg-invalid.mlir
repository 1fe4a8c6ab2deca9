// RUN: attn-opt %s -split-input-file -verify-diagnostics -convert-tile-to-linalg

func.func @grid(%T: index) attributes {tile.kernel} {
  // expected-error @+1 {{grid remains; run 'tile-clamp-grid' before 'convert-tile-to-linalg'}}
  tile.grid (%t) in (%T by 4) {
  }
  return
}

// -----

func.func @softmax() attributes {tile.kernel} {
  // expected-error @+1 {{softmax state remains; run 'tile-decompose-softmax' before 'convert-tile-to-linalg'}}
  %st = tile.softmax_init : !tile.softmax_state<4 x 64>
  return
}

// -----

func.func @symbol(%x: f32) attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>}} {
  // expected-error @+1 {{size 'BT' is not bound; run 'tile-fit-tiles' before 'convert-tile-to-linalg'}}
  %a = tile.splat %x : f32 -> !tile.tile<BT x 64 x f32>
  return
}

// -----

func.func @symbol_of_loop(%T: index) attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>}} {
  %zero = arith.constant 0 : index
  // expected-error @+1 {{size 'BT' is not bound; run 'tile-fit-tiles' before 'convert-tile-to-linalg'}}
  tile.range %t = %zero to %T by BT {
  }
  return
}

// -----

func.func @no_kernel() -> index {
  // expected-error @+1 {{'tile.block_id' op is outside a kernel; only kernels run as blocks}}
  %id = tile.block_id
  return %id : index
}

// -----

func.func @columns(%x: !tile.array<?x?xf32>, %n: index) attributes {tile.kernel} {
  %t = tile.make_span %n to %n : !tile.span<4>
  // expected-error @+2 {{'tile.load' op selects columns by a span; only rows can have a tail}}
  // expected-error @+1 {{failed to legalize operation 'tile.load'}}
  %v = tile.load %x[%t span, %t span] : (!tile.array<?x?xf32>, !tile.span<4>, !tile.span<4>) -> !tile.tile<4 x 4 x f32>
  return
}

// -----

func.func @size() -> index attributes {tile.symbols = {BT = #tile.auto<1, 64>}} {
  // expected-error @+1 {{size 'BT' is not bound; run 'tile-fit-tiles' before 'convert-tile-to-linalg'}}
  %n = tile.size BT + 2
  return %n : index
}

// -----

func.func @sum(%base: index) attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>}} {
  // expected-error @+1 {{size 'BT' is not bound; run 'tile-fit-tiles' before 'convert-tile-to-linalg'}}
  %t = tile.make_span %base to %base : !tile.span<BT + 2>
  return
}

// -----

func.func @phase() attributes {tile.kernel} {
  // expected-error @+1 {{phase remains; run 'tile-split-phases' before 'convert-tile-to-linalg'}}
  tile.phase
  return
}

// -----

func.func @accumulation(%g: f32, %G: !tile.array<?x64xf32>) attributes {tile.kernel} {
  %row = tile.splat %g : f32 -> !tile.tile<1 x 64 x f32>
  // expected-error @+1 {{accumulation remains; run 'tile-clamp-grid' before 'convert-tile-to-linalg'}}
  tile.accumulate %row, %G : !tile.tile<1 x 64 x f32>, !tile.array<?x64xf32>
  return
}

// -----

func.func @band(%x: f32) attributes {tile.kernel} {
  %q = tile.splat %x : f32 -> !tile.tile<4 x 64 x f32>
  %k = tile.splat %x : f32 -> !tile.tile<6 x 64 x f32>
  // expected-error @+1 {{band remains; run 'tile-lower-band-gather' before 'convert-tile-to-linalg'}}
  %s = tile.band_dot %q, %k : !tile.tile<4 x 64 x f32>, !tile.tile<6 x 64 x f32> -> !tile.tile<4 x 3 x f32>
  return
}
