// RUN: attn-opt %s --split-input-file --verify-diagnostics

func.func @type(%x: !tile.tile<4 x 8 x f16>, %c: !tile.span<8>) {
  // expected-error @+1 {{fills tiles of f32, not of 'f16'}}
  %y = tile.fill_columns %x, %c, 0.0 : !tile.tile<4 x 8 x f16>, !tile.span<8>
  return
}

// -----

func.func @both_ends(%x: !tile.tile<4 x 8 x f32>, %c: !tile.span<8, filled>) {
  // expected-error @+1 {{takes a span of which only the last columns may be missing, not '!tile.span<8, filled>'}}
  %y = tile.fill_columns %x, %c, 0.0 : !tile.tile<4 x 8 x f32>, !tile.span<8, filled>
  return
}

// -----

func.func @size(%x: !tile.tile<4 x 8 x f32>, %c: !tile.span<4>) {
  // expected-error @+1 {{takes a span of as many columns as '!tile.tile<4 x 8 x f32>' has, not '!tile.span<4>'}}
  %y = tile.fill_columns %x, %c, 0.0 : !tile.tile<4 x 8 x f32>, !tile.span<4>
  return
}

// -----

func.func @turned(%x: !tile.tile<4 x 8 x f32>) {
  // expected-error @+1 {{gives '!tile.tile<8 x 4 x f32>', not '!tile.tile<4 x 8 x f32>'}}
  %y = tile.transpose %x : !tile.tile<4 x 8 x f32> -> !tile.tile<4 x 8 x f32>
  return
}
