// RUN: attn-opt %s --split-input-file --verify-diagnostics

func.func @flag() {
  // expected-error @+1 {{has the flag 11; there are 11 between cube and vector cores}}
  tile.signal 11
  return
}

// -----

func.func @negative() {
  // expected-error @+1 {{has the flag -1; there are 11 between cube and vector cores}}
  tile.await -1
  return
}

// -----

// expected-error @+1 {{'tile.group' is a #tile.group of kernels}}
func.func @no_kernel() attributes {tile.group = #tile.group<preload = 3, lag = 2, slots = 0, strip_rows = 32, part = 128>} {
  return
}

// -----

// expected-error @+1 {{'tile.half_of' belongs on a half of a kernel}}
func.func @no_symbol() attributes {tile.kernel, tile.half_of = 3} {
  return
}
