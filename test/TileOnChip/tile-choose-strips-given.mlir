// RUN: attn-opt %s --tile-choose=strips=256 --tile-fit-tiles --split-input-file --verify-diagnostics | FileCheck %s
// RUN: not attn-opt %s --tile-choose=strips=100 --tile-fit-tiles --split-input-file 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: not attn-opt %s --tile-choose=strips=-64 --tile-fit-tiles --split-input-file 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// ODD: error: strips of 100 columns were asked for; they have a multiple of 64
// NEGATIVE: error: strips of -64 columns were asked for; they have a multiple of 64

// Strips that were asked for, though whole rows would fit.
module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK-LABEL: func.func @asked
// expected-remark @+1 {{rows are computed with BT = 4, strips of 256 columns}}
func.func @asked(%x: !tile.array<?x1000xf32> {launch.dims = ["T", 1000]},
                 %y: !tile.array<?x1000xf32> {launch.dims = ["T", 1000], launch.output})
    attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 4>}} {
  %T = tile.dim %x, 0 : !tile.array<?x1000xf32>
  // CHECK: tile.store %{{.*}} [%{{.*}} span, %{{.*}}:256]
  // CHECK: tile.store %{{.*}} [%{{.*}} span, %{{.*}}:232]
  tile.grid (%t) in (%T by BT) {
    %v = tile.load %x[%t span, :] : (!tile.array<?x1000xf32>, !tile.span<BT>) -> !tile.tile<BT x 1000 x f32>
    %e = tile.exp %v : !tile.tile<BT x 1000 x f32>
    tile.store %e, %y[%t span, :] : (!tile.tile<BT x 1000 x f32>, !tile.array<?x1000xf32>, !tile.span<BT>) -> ()
  }
  return
}
}

// -----

// A ramp in strips begins where its strip does; one for all strips is made before them.
module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK-LABEL: func.func @ramp
// CHECK:         %[[RAMP:.*]] = tile.ramp : <1 x 256 x f32>
// CHECK:         tile.grid
// CHECK:           tile.range %[[K:.*]] =
// CHECK:             %[[WORD:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK:             %[[START:.*]] = arith.sitofp %[[WORD]] : i64 to f32
// CHECK:             %[[FIRST:.*]] = tile.splat %[[START]] : f32 -> <1 x 1 x f32>
// CHECK:             %[[STRIP:.*]] = tile.add %[[RAMP]], %[[FIRST]] : <1 x 256 x f32>, <1 x 1 x f32> -> <1 x 256 x f32>
// CHECK:             tile.select %{{.*}}, %{{.*}}, %[[STRIP]]
// expected-remark @+1 {{strips of 256 columns}}
func.func @ramp(%x: !tile.array<?x1024xf32> {launch.dims = ["T", 1024]},
                %y: !tile.array<?x1024xf32> {launch.dims = ["T", 1024], launch.output})
    attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 4>}} {
  %T = tile.dim %x, 0 : !tile.array<?x1024xf32>
  %j = tile.ramp : !tile.tile<1 x 1024 x f32>
  tile.grid (%t) in (%T by BT) {
    %v = tile.load %x[%t span, :] : (!tile.array<?x1024xf32>, !tile.span<BT>) -> !tile.tile<BT x 1024 x f32>
    %m = tile.compare lt %v, %j : !tile.tile<BT x 1024 x f32>, !tile.tile<1 x 1024 x f32> -> !tile.tile<BT x 1024 x f32>
    %e = tile.select %m, %v, %j : !tile.tile<BT x 1024 x f32>, !tile.tile<BT x 1024 x f32>, !tile.tile<1 x 1024 x f32> -> !tile.tile<BT x 1024 x f32>
    tile.store %e, %y[%t span, :] : (!tile.tile<BT x 1024 x f32>, !tile.array<?x1024xf32>, !tile.span<BT>) -> ()
  }
  return
}
}

// -----

// Rows that are not longer are computed whole.
module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK-LABEL: func.func @short
func.func @short(%x: !tile.array<?x256xf32> {launch.dims = ["T", 256]},
                 %y: !tile.array<?x256xf32> {launch.dims = ["T", 256], launch.output}) attributes {tile.kernel} {
  %T = tile.dim %x, 0 : !tile.array<?x256xf32>
  // CHECK: tile.store %{{.*}} [%{{.*}} span, :]
  tile.grid (%t) in (%T by 2) {
    %v = tile.load %x[%t span, :] : (!tile.array<?x256xf32>, !tile.span<2>) -> !tile.tile<2 x 256 x f32>
    tile.store %v, %y[%t span, :] : (!tile.tile<2 x 256 x f32>, !tile.array<?x256xf32>, !tile.span<2>) -> ()
  }
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// expected-error @+1 {{strips of 256 columns were asked for, but tile.extract cannot be computed in strips}}
func.func @impossible(%x: !tile.array<1024xf32> {launch.dims = [1024]},
                      %y: !tile.array<64xf32> {launch.dims = [64], launch.output}) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %v = tile.load %x[:] : (!tile.array<1024xf32>) -> !tile.tile<1 x 1024 x f32>
  %p = tile.extract %v[%zero, %zero] : !tile.tile<1 x 1024 x f32> -> !tile.tile<1 x 64 x f32>
  tile.store %p, %y[:] : (!tile.tile<1 x 64 x f32>, !tile.array<64xf32>) -> ()
  return
}
}

// -----

// Strips that were asked for do not fit: the error names the option that would help.
module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 768 : i64}>} {
// expected-error @+2 {{kernel 'too_wide' does not fit: with strips of 256 columns it needs 2048 bytes}}
// expected-note @+1 {{largest that fits: strips of 64 columns; strips=0 lets the compiler choose}}
func.func @too_wide(%x: !tile.array<?x1000xf32> {launch.dims = ["T", 1000]},
                    %y: !tile.array<?x1000xf32> {launch.dims = ["T", 1000], launch.output}) attributes {tile.kernel} {
  %T = tile.dim %x, 0 : !tile.array<?x1000xf32>
  tile.grid (%t) in (%T) {
    %v = tile.load %x[%t, :] : (!tile.array<?x1000xf32>, index) -> !tile.tile<1 x 1000 x f32>
    // expected-note @+1 {{'exp' takes 2048 bytes (2 x 256 'f32')}}
    %e = tile.exp %v : !tile.tile<1 x 1000 x f32>
    tile.store %e, %y[%t, :] : (!tile.tile<1 x 1000 x f32>, !tile.array<?x1000xf32>, index) -> ()
  }
  return
}
}
