// RUN: attn-opt %s -split-input-file -verify-diagnostics -convert-tile-to-linalg

func.func @grid(%T: index) attributes {tile.kernel} {
  // expected-error @+1 {{a grid must be lowered first by tile-clamp-grid}}
  tile.grid (%t) in (%T by 4) {
  }
  return
}

// -----

func.func @softmax() attributes {tile.kernel} {
  // expected-error @+1 {{a softmax state must be lowered first by tile-decompose-softmax}}
  %st = tile.softmax_init : !tile.softmax_state<4 x 64>
  return
}

// -----

func.func @symbol(%x: f32) attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>}} {
  // expected-error @+1 {{unbound block size 'BT': tile-fit-tiles must run first}}
  %a = tile.splat %x : f32 -> !tile.tile<BT x 64 x f32>
  return
}

// -----

func.func @symbol_of_loop(%T: index) attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>}} {
  %zero = arith.constant 0 : index
  // expected-error @+1 {{unbound block size 'BT': tile-fit-tiles must run first}}
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

func.func @size() -> index attributes {tile.symbols = {BT = #tile.auto<1, 64>}} {
  // expected-error @+1 {{unbound block size 'BT': tile-fit-tiles must run first}}
  %n = tile.size BT + 2
  return %n : index
}

// -----

func.func @sum(%base: index) attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>}} {
  // expected-error @+1 {{unbound block size 'BT': tile-fit-tiles must run first}}
  %t = tile.make_span %base to %base : !tile.span<BT + 2>
  return
}

// -----

func.func @phase() attributes {tile.kernel} {
  // expected-error @+1 {{a phase must be lowered first by tile-split-phases}}
  tile.phase
  return
}

// -----

func.func @accumulation(%g: f32, %G: !tile.array<?x64xf32>) attributes {tile.kernel} {
  %row = tile.splat %g : f32 -> !tile.tile<1 x 64 x f32>
  // expected-error @+1 {{an accumulation must be lowered first by tile-clamp-grid}}
  tile.accumulate %row, %G : !tile.tile<1 x 64 x f32>, !tile.array<?x64xf32>
  return
}

// -----

func.func @band(%x: f32) attributes {tile.kernel} {
  %q = tile.splat %x : f32 -> !tile.tile<4 x 64 x f32>
  %k = tile.splat %x : f32 -> !tile.tile<6 x 64 x f32>
  // expected-error @+1 {{a band must be lowered first by tile-lower-band-gather}}
  %s = tile.band_dot %q, %k : !tile.tile<4 x 64 x f32>, !tile.tile<6 x 64 x f32> -> !tile.tile<4 x 3 x f32>
  return
}
