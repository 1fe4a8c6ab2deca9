// RUN: attn-opt %s --tile-fit-tiles --split-input-file --verify-diagnostics

// expected-error @+1 {{has no tile.choice: tile-choose must run first}}
func.func @open() attributes {tile.kernel} {
  return
}

// -----

// expected-error @+1 {{cannot be computed in the strips of its tile.choice}}
func.func @strips(%x: !tile.array<256x256xf32>, %y: !tile.array<256xf32>)
    attributes {tile.kernel,
                tile.choice = #tile.choice<sizes = {}, grid_stages = 1, range_stages = 1, strip_columns = 128>} {
  %zero = arith.constant 0 : index
  %v = tile.load %x[:, %zero:256] : (!tile.array<256x256xf32>, index) -> !tile.tile<256 x 256 x f32>
  %part = tile.extract %v[%zero, %zero] : !tile.tile<256 x 256 x f32> -> !tile.tile<1 x 256 x f32>
  tile.store %part, %y[:] : (!tile.tile<1 x 256 x f32>, !tile.array<256xf32>) -> ()
  return
}

// -----

// expected-error @+1 {{'tile.choice' is a #tile.choice of kernels}}
func.func @helper() attributes {tile.choice = 1 : i64} {
  return
}

// -----

// expected-error @+1 {{'tile.alternatives' is a list of what was looked at}}
func.func @kernel() attributes {tile.kernel, tile.alternatives = 1 : i64} {
  return
}
