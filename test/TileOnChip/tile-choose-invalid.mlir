// RUN: attn-opt %s --tile-choose --split-input-file --verify-diagnostics

// Nothing fits: one error, and a note for every buffer that is alive where the most memory is needed.
module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 512 : i64}>} {
// expected-error @+1 {{kernel 'overflow' does not fit: with BT = 2, strips of 64 columns it needs 1312 bytes of local memory (UB), and Ascend910B4 has 512}}
func.func @overflow(%x: !tile.array<?x1024xf32> {launch.dims = ["T", 1024]},
                    %y: !tile.array<?x1024xf32> {launch.dims = ["T", 1024], launch.output})
    attributes {tile.kernel, tile.symbols = {BT = #tile.auto<2, 64>}} {
  %T = tile.dim %x, 0 : !tile.array<?x1024xf32>
  tile.grid (%t) in (%T by BT) {
    %v = tile.load %x[%t span, :] : (!tile.array<?x1024xf32>, !tile.span<BT>) -> !tile.tile<BT x 1024 x f32>
    // expected-note @+1 {{takes 32 bytes}}
    %s = tile.reduce sum %v axis 1 : !tile.tile<BT x 1024 x f32> -> !tile.tile<BT x 1 x f32>
    // expected-note @+2 {{'mul' takes 1024 bytes (2 x 128 'f32')}}
    // expected-note @+1 {{'mul_broadcast' takes 256 bytes (64 'f32')}}
    %n = tile.mul %v, %s : !tile.tile<BT x 1024 x f32>, !tile.tile<BT x 1 x f32> -> !tile.tile<BT x 1024 x f32>
    tile.store %n, %y[%t span, :] : (!tile.tile<BT x 1024 x f32>, !tile.array<?x1024xf32>, !tile.span<BT>) -> ()
  }
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @undeclared(%s: f32, %y: !tile.array<64xf32>) attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>}} {
  // expected-error @+1 {{has the size 'BN', which 'tile.symbols' does not declare}}
  %x = tile.splat %s : f32 -> !tile.tile<BN x 64 x f32>
  %sum = tile.reduce sum %x axis 0 : !tile.tile<BN x 64 x f32> -> !tile.tile<1 x 64 x f32>
  tile.store %sum, %y[:] : (!tile.tile<1 x 64 x f32>, !tile.array<64xf32>) -> ()
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @undeclared_size(%s: f32, %y: !tile.array<?x64xf32>) attributes {tile.kernel} {
  // expected-error @+1 {{has the size 'RUN', which 'tile.symbols' does not declare}}
  %run = tile.size RUN
  %x = tile.splat %s : f32 -> !tile.tile<1 x 64 x f32>
  tile.store %x, %y[%run, :] : (!tile.tile<1 x 64 x f32>, !tile.array<?x64xf32>, index) -> ()
  return
}
}

// -----

// Fewer loads in flight than asked for.
module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 2048 : i64}>} {
func.func @stages(%x: !tile.array<?x64xf32> {launch.dims = ["T", 64]},
                  %y: !tile.array<?x64xf32> {launch.dims = ["T", 64], launch.output}) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  // expected-remark @+1 {{loads run 2 and not 4 iterations ahead, since more does not fit}}
  tile.range %t = %zero to %T by 3 stages 4 {
    %v = tile.load %x[%t span, :] : (!tile.array<?x64xf32>, !tile.span<3>) -> !tile.tile<3 x 64 x f32>
    %e = tile.exp %v : !tile.tile<3 x 64 x f32>
    tile.store %e, %y[%t span, :] : (!tile.tile<3 x 64 x f32>, !tile.array<?x64xf32>, !tile.span<3>) -> ()
  }
  return
}
}

// -----

// Two tiles do not fit at a time; rows that lie single elements apart are transferred one by one.
module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 1024 : i64}>} {
func.func @one(%x: !tile.array<?x64xf32> {launch.dims = ["T", 64]},
               %y: !tile.array<?x64xf32> {launch.dims = ["T", 64], launch.output}) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  // expected-remark @+1 {{tiles of the grid are loaded one after the other: two do not fit}}
  tile.grid (%t) in (%T by 3) {
    %v = tile.load %x[%t span, :] : (!tile.array<?x64xf32>, !tile.span<3>) -> !tile.tile<3 x 64 x f32>
    %e = tile.exp %v : !tile.tile<3 x 64 x f32>
    tile.store %e, %y[%t span, :] : (!tile.tile<3 x 64 x f32>, !tile.array<?x64xf32>, !tile.span<3>) -> ()
    // expected-remark @+1 {{its 3 rows are transferred one by one: they are single elements apart in memory}}
    %c = tile.load %x[%t span, %zero] : (!tile.array<?x64xf32>, !tile.span<3>, index) -> !tile.tile<3 x 1 x f32>
    // expected-remark @+1 {{its 3 rows are transferred one by one: they are single elements apart in memory}}
    tile.store %c, %y[%t span, %zero] : (!tile.tile<3 x 1 x f32>, !tile.array<?x64xf32>, !tile.span<3>, index) -> ()
  }
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @tensors(%x: !tile.array<?x?x64xf32, table> {launch.dims = ["N", "T", 64]},
                   %y: !tile.array<?x64xf32> {launch.dims = ["N", 64], launch.output}) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %N = tile.dim %x, 0 : !tile.array<?x?x64xf32, table>
  tile.grid (%n) in (%N by 4) {
    // expected-remark @+1 {{its 4 rows are transferred one by one: each lies in a tensor of its own}}
    %v = tile.load %x[%n span, %zero, :] : (!tile.array<?x?x64xf32, table>, !tile.span<4>, index) -> !tile.tile<4 x 64 x f32>
    tile.store %v, %y[%n span, :] : (!tile.tile<4 x 64 x f32>, !tile.array<?x64xf32>, !tile.span<4>) -> ()
  }
  return
}
}

// -----

// Strips would help, were they possible.
module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 4096 : i64}>} {
// expected-error @+2 {{kernel 'parts' does not fit: with its fixed sizes it needs}}
// expected-note @+1 {{shorter strips of its rows (strips=) are not possible: tile.extract cannot be computed in strips}}
func.func @parts(%x: !tile.array<?x1024xf32> {launch.dims = ["T", 1024]},
                 %y: !tile.array<?x1024xf32> {launch.dims = ["T", 1024], launch.output})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %T = tile.dim %x, 0 : !tile.array<?x1024xf32>
  tile.grid (%t) in (%T by 2) {
    // expected-note @+1 {{'load' takes 8192 bytes}}
    %v = tile.load %x[%t span, :] : (!tile.array<?x1024xf32>, !tile.span<2>) -> !tile.tile<2 x 1024 x f32>
    %p = tile.extract %v[%c0, %c0] : !tile.tile<2 x 1024 x f32> -> !tile.tile<1 x 1024 x f32>
    tile.store %p, %y[%c0, :] : (!tile.tile<1 x 1024 x f32>, !tile.array<?x1024xf32>, index) -> ()
  }
  return
}
}
