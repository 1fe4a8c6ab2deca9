// RUN: attn-opt %s --tile-choose=sizes=BM=3 --tile-fit-tiles --split-input-file --verify-diagnostics

// The author's size does not fit: the error names the largest that does.
module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 512 : i64}>} {
// expected-error @+2 {{kernel 'given' does not fit: with BM = 3 it needs}}
// expected-note @+1 {{largest that fits: BM = 2}}
func.func @given(%x: !tile.array<?x64xf32> {launch.dims = ["T", 64]},
                 %y: !tile.array<?x64xf32> {launch.dims = ["T", 64], launch.output})
    attributes {tile.kernel, tile.symbols = {BM = #tile.auto<1, 64>}} {
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  tile.grid (%t) in (%T by BM) {
    // expected-note @+1 {{'load' takes 768 bytes (192 'f32')}}
    %v = tile.load %x[%t span, :] : (!tile.array<?x64xf32>, !tile.span<BM>) -> !tile.tile<BM x 64 x f32>
    tile.store %v, %y[%t span, :] : (!tile.tile<BM x 64 x f32>, !tile.array<?x64xf32>, !tile.span<BM>) -> ()
  }
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// expected-error @+1 {{BM = 3 was asked for, but its range is 4 to 64}}
func.func @range() attributes {tile.kernel, tile.symbols = {BM = #tile.auto<4, 64>}} {
  return
}
}


// -----

// expected-error @+1 {{a size is given for 'BM', which no kernel leaves open}}
module attributes {machine.target = #machine.target<"Ascend910B4">} {
}
