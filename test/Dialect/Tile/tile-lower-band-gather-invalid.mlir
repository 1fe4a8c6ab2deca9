// RUN: attn-opt %s --tile-lower-band-gather --verify-diagnostics --split-input-file
// RUN: not attn-opt %s --tile-lower-band-gather="form=diagonal" --split-input-file 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not attn-opt %s --tile-lower-band-gather="form=cube" --split-input-file 2>&1 | FileCheck %s --check-prefix=CUBE
// RUN: not attn-opt %s --tile-lower-band-gather="form=gathered" --split-input-file 2>&1 | FileCheck %s --check-prefix=GATHERED

// UNKNOWN: error: unknown band form 'diagonal'; known: auto, halo, gathered, cube
// CUBE: error: 'tile.band_dot' op cannot take the form cube: bands are computed by vector units; take halo or gathered
// GATHERED: error: 'tile.band_dot' op cannot take the form gathered: no window of the kernel is loaded through a span with missing rows

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @store(%Q: !tile.array<8x64xf32>, %K: !tile.array<10x64xf32>, %O: !tile.array<8x3xf32>) attributes {tile.kernel} {
  %q = tile.load %Q[:, :] : (!tile.array<8x64xf32>) -> !tile.tile<8 x 64 x f32>
  %k = tile.load %K[:, :] : (!tile.array<10x64xf32>) -> !tile.tile<10 x 64 x f32>
  %s = tile.band_dot %q, %k : !tile.tile<8 x 64 x f32>, !tile.tile<10 x 64 x f32> -> !tile.tile<8 x 3 x f32>
  // expected-error @+1 {{cannot be done with a band: it is reduced over its taps, computed with element by element, mixed or spread}}
  tile.store %s, %O[:, :] : (!tile.tile<8 x 3 x f32>, !tile.array<8x3xf32>) -> ()
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @carry(%Q: !tile.array<8x64xf32>, %K: !tile.array<10x64xf32>, %n: index) attributes {tile.kernel} {
  %q = tile.load %Q[:, :] : (!tile.array<8x64xf32>) -> !tile.tile<8 x 64 x f32>
  %k = tile.load %K[:, :] : (!tile.array<10x64xf32>) -> !tile.tile<10 x 64 x f32>
  %s = tile.band_dot %q, %k : !tile.tile<8 x 64 x f32>, !tile.tile<10 x 64 x f32> -> !tile.tile<8 x 3 x f32>
  // expected-error @+1 {{cannot be done with a band}}
  %r = tile.range %i = %n to %n iter(%a = %s : !tile.tile<8 x 3 x f32>) {
    tile.yield %a : !tile.tile<8 x 3 x f32>
  }
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @over_rows(%Q: !tile.array<8x64xf32>, %K: !tile.array<10x64xf32>) attributes {tile.kernel} {
  %q = tile.load %Q[:, :] : (!tile.array<8x64xf32>) -> !tile.tile<8 x 64 x f32>
  %k = tile.load %K[:, :] : (!tile.array<10x64xf32>) -> !tile.tile<10 x 64 x f32>
  %s = tile.band_dot %q, %k : !tile.tile<8 x 64 x f32>, !tile.tile<10 x 64 x f32> -> !tile.tile<8 x 3 x f32>
  // expected-error @+1 {{reduces a band over its rows; only its taps can be reduced}}
  %r = tile.reduce sum %s axis 0 : !tile.tile<8 x 3 x f32> -> !tile.tile<1 x 3 x f32>
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @beside(%Q: !tile.array<8x64xf32>, %K: !tile.array<10x64xf32>, %B: !tile.array<8x3xf32>) attributes {tile.kernel} {
  %q = tile.load %Q[:, :] : (!tile.array<8x64xf32>) -> !tile.tile<8 x 64 x f32>
  %k = tile.load %K[:, :] : (!tile.array<10x64xf32>) -> !tile.tile<10 x 64 x f32>
  %b = tile.load %B[:, :] : (!tile.array<8x3xf32>) -> !tile.tile<8 x 3 x f32>
  %s = tile.band_dot %q, %k : !tile.tile<8 x 64 x f32>, !tile.tile<10 x 64 x f32> -> !tile.tile<8 x 3 x f32>
  // expected-error @+1 {{computes with a band and '!tile.tile<8 x 3 x f32>', which is not a band itself}}
  %r = tile.add %s, %b : !tile.tile<8 x 3 x f32>, !tile.tile<8 x 3 x f32> -> !tile.tile<8 x 3 x f32>
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @weights(%P: !tile.array<8x3xf32>, %K: !tile.array<10x64xf32>) attributes {tile.kernel} {
  %p = tile.load %P[:, :] : (!tile.array<8x3xf32>) -> !tile.tile<8 x 3 x f32>
  %k = tile.load %K[:, :] : (!tile.array<10x64xf32>) -> !tile.tile<10 x 64 x f32>
  // expected-error @+1 {{takes weights that are not a band: they must come from products, masks and arithmetic on them}}
  %o = tile.band_mix %p, %k : !tile.tile<8 x 3 x f32>, !tile.tile<10 x 64 x f32> -> !tile.tile<8 x 64 x f32>
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @single_row(%Q: !tile.array<1x64xf32>, %K: !tile.array<3x64xf32>) attributes {tile.kernel} {
  %q = tile.load %Q[:, :] : (!tile.array<1x64xf32>) -> !tile.tile<1 x 64 x f32>
  %k = tile.load %K[:, :] : (!tile.array<3x64xf32>) -> !tile.tile<3 x 64 x f32>
  // expected-error @+1 {{has a single row; a band takes at least two rows of a tile}}
  %s = tile.band_dot %q, %k : !tile.tile<1 x 64 x f32>, !tile.tile<3 x 64 x f32> -> !tile.tile<1 x 3 x f32>
  return
}
}
