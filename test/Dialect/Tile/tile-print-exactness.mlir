// RUN: attn-opt %s --tile-print-exactness --split-input-file --verify-diagnostics

// Arithmetic, casts, maxima, roots, comparisons and choices have one right answer, and a loop changes nothing about that.
func.func @exact(%x: !tile.array<?x64xf32> {launch.dims = ["T", 64]},
                 // expected-remark @+1 {{exact: every stage gives the same bits}}
                 %y: !tile.array<64xf16> {launch.dims = [64], launch.output},
                 // expected-remark @+1 {{exact: every stage gives the same bits}}
                 %m: !tile.array<1xf32> {launch.dims = [1], launch.output}) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %f0 = arith.constant 0.0 : f32
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  %init = tile.splat %f0 : f32 -> !tile.tile<1 x 64 x f32>
  %sum = tile.range %t = %zero to %T iter(%acc = %init : !tile.tile<1 x 64 x f32>) {
    %v = tile.load %x[%t, :] : (!tile.array<?x64xf32>, index) -> !tile.tile<1 x 64 x f32>
    %next = tile.add %acc, %v : !tile.tile<1 x 64 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 64 x f32>
    tile.yield %next : !tile.tile<1 x 64 x f32>
  }
  %ramp = tile.ramp : !tile.tile<1 x 64 x f32>
  %mask = tile.compare lt %sum, %ramp : !tile.tile<1 x 64 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 64 x f32>
  %taken = tile.select %mask, %sum, %ramp : !tile.tile<1 x 64 x f32>, !tile.tile<1 x 64 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 64 x f32>
  %bent = tile.leaky_relu %taken, %f0 : !tile.tile<1 x 64 x f32>
  %r = tile.rsqrt %bent : !tile.tile<1 x 64 x f32>
  %h = tile.cast %r : !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 64 x f16>
  %most = tile.reduce max %sum axis 1 : !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 1 x f32>
  tile.store %h, %y[:] : (!tile.tile<1 x 64 x f16>, !tile.array<64xf16>) -> ()
  tile.store %most, %m[:] : (!tile.tile<1 x 1 x f32>, !tile.array<1xf32>) -> ()
  return
}

// -----

// A sum, whose order each stage chooses, and an exponential.
func.func @inexact(%x: !tile.array<64xf32> {launch.dims = [64]},
                   // expected-remark @+1 {{not exact: goes through tile.reduce sum}}
                   %s: !tile.array<1xf32> {launch.dims = [1], launch.output},
                   // expected-remark @+1 {{not exact: goes through tile.exp}}
                   %e: !tile.array<64xf32> {launch.dims = [64], launch.output}) attributes {tile.kernel} {
  %v = tile.load %x[:] : (!tile.array<64xf32>) -> !tile.tile<1 x 64 x f32>
  // expected-note @+1 {{here}}
  %sum = tile.reduce sum %v axis 1 : !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 1 x f32>
  // expected-note @+1 {{here}}
  %grown = tile.exp %v : !tile.tile<1 x 64 x f32>
  tile.store %sum, %s[:] : (!tile.tile<1 x 1 x f32>, !tile.array<1xf32>) -> ()
  tile.store %grown, %e[:] : (!tile.tile<1 x 64 x f32>, !tile.array<64xf32>) -> ()
  return
}

// -----

// A loop hands causes on to its next iteration: %late takes its cause from %summed, which is computed below it.
func.func @carried(%x: !tile.array<?x64xf32> {launch.dims = ["T", 64]},
                   // expected-remark @+1 {{not exact: goes through tile.reduce sum}}
                   %l: !tile.array<1xf32> {launch.dims = [1], launch.output}) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %f0 = arith.constant 0.0 : f32
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  %none = tile.splat %f0 : f32 -> !tile.tile<1 x 1 x f32>
  %r, %last = tile.range %t = %zero to %T iter(%summed = %none : !tile.tile<1 x 1 x f32>, %late = %none : !tile.tile<1 x 1 x f32>) {
    %later = tile.maximum %late, %summed : !tile.tile<1 x 1 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<1 x 1 x f32>
    %v = tile.load %x[%t, :] : (!tile.array<?x64xf32>, index) -> !tile.tile<1 x 64 x f32>
    // expected-note @+1 {{here}}
    %row = tile.reduce sum %v axis 1 : !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 1 x f32>
    tile.yield %row, %later : !tile.tile<1 x 1 x f32>, !tile.tile<1 x 1 x f32>
  }
  tile.store %last, %l[:] : (!tile.tile<1 x 1 x f32>, !tile.array<1xf32>) -> ()
  return
}

// -----

// What is stored to an array is in what is loaded from it, and blocks sum in an order of their own.
func.func @through_arrays(%x: !tile.array<?x64xf32> {launch.dims = ["T", 64]},
                          %w: !tile.array<?x64xf32> {launch.dims = ["@blocks", 64], launch.workspace},
                          // expected-remark @+1 {{not exact: goes through tile.accumulate}}
                          %y: !tile.array<64xf32> {launch.dims = [64], launch.output}) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  tile.grid (%t) in (%T) {
    %v = tile.load %x[%t, :] : (!tile.array<?x64xf32>, index) -> !tile.tile<1 x 64 x f32>
    // expected-note @+1 {{here}}
    tile.accumulate %v, %w : !tile.tile<1 x 64 x f32>, !tile.array<?x64xf32>
  }
  tile.phase
  %row = tile.load %w[%zero, :] : (!tile.array<?x64xf32>, index) -> !tile.tile<1 x 64 x f32>
  tile.store %row, %y[:] : (!tile.tile<1 x 64 x f32>, !tile.array<64xf32>) -> ()
  return
}

// -----

// Products of integers have one right answer, those of floats depend on the order of their sums.
func.func @products(%x: !tile.array<16x16xi8> {launch.dims = [16, 16]}, %a: !tile.array<16x16xf16> {launch.dims = [16, 16]},
                    // expected-remark @+1 {{exact: every stage gives the same bits}}
                    %y: !tile.array<16x16xi32> {launch.dims = [16, 16], launch.output},
                    // expected-remark @+1 {{not exact: goes through tile.dot}}
                    %z: !tile.array<16x16xf32> {launch.dims = [16, 16], launch.output}) attributes {tile.kernel} {
  %i = tile.load %x[:, :] : (!tile.array<16x16xi8>) -> !tile.tile<16 x 16 x i8>
  %p = tile.dot %i, %i : !tile.tile<16 x 16 x i8>, !tile.tile<16 x 16 x i8> -> !tile.tile<16 x 16 x i32>
  tile.store %p, %y[:, :] : (!tile.tile<16 x 16 x i32>, !tile.array<16x16xi32>) -> ()
  %h = tile.load %a[:, :] : (!tile.array<16x16xf16>) -> !tile.tile<16 x 16 x f16>
  // expected-note @+1 {{here}}
  %q = tile.dot %h, %h : !tile.tile<16 x 16 x f16>, !tile.tile<16 x 16 x f16> -> !tile.tile<16 x 16 x f32>
  tile.store %q, %z[:, :] : (!tile.tile<16 x 16 x f32>, !tile.array<16x16xf32>) -> ()
  return
}
