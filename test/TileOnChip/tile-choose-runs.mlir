// RUN: attn-opt %s --tile-clamp-grid --tile-choose --tile-fit-tiles --split-input-file 2>/dev/null | FileCheck %s

// RUN is the block of a grid alone: an iteration walks RUN + 6 rows by BM. Longer runs repeat fewer rows, until they are a
// core's whole share; the bounds of the walk tell how long it is.
module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK-LABEL: func.func @runs
// CHECK-SAME: launch.sizes = {BM = 64 : i64, RUN = 256 : i64}
func.func @runs(%x: !tile.array<?x64xf32> {launch.dims = ["T", 64]},
                %y: !tile.array<?x64xf32> {launch.dims = ["T", 64], launch.output})
    attributes {tile.kernel, tile.symbols = {BM = #tile.auto<8, 64>, RUN = #tile.auto<16, 4096>}} {
  %three = arith.constant 3 : index
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  tile.grid (%run) in (%T by RUN) {
    %base = tile.span_base %run : !tile.span<RUN>
    %size = tile.size RUN
    %first = arith.subi %base, %three : index
    %end = arith.addi %base, %size : index
    %clipped = arith.minsi %end, %T : index
    %last = arith.addi %clipped, %three : index
    tile.range %t = %first to %last by BM stages 2 {
      %v = tile.load %x[%t span, :] : (!tile.array<?x64xf32>, !tile.span<BM>) -> !tile.tile<BM x 64 x f32>
      %e = tile.exp %v : !tile.tile<BM x 64 x f32>
      tile.store %e, %y[%t span, :] : (!tile.tile<BM x 64 x f32>, !tile.array<?x64xf32>, !tile.span<BM>) -> ()
    }
  }
  return
}
}

// -----

// On the host a run is as long as it may be, and rows are counted by BM alone.
module attributes {machine.target = #machine.target<"host">} {
// CHECK-LABEL: func.func @host
// CHECK-SAME: launch.sizes = {BM = 32 : i64, RUN = 4096 : i64}
func.func @host(%x: !tile.array<?x64xf32> {launch.dims = ["T", 64]},
                %y: !tile.array<?x64xf32> {launch.dims = ["T", 64], launch.output})
    attributes {tile.kernel, tile.symbols = {BM = #tile.auto<8, 64>, RUN = #tile.auto<16, 4096>}} {
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  tile.grid (%run) in (%T by RUN) {
    %base = tile.span_base %run : !tile.span<RUN>
    %size = tile.size RUN
    %end = arith.addi %base, %size : index
    tile.range %t = %base to %end by BM {
      %v = tile.load %x[%t span, :] : (!tile.array<?x64xf32>, !tile.span<BM>) -> !tile.tile<BM x 64 x f32>
      tile.store %v, %y[%t span, :] : (!tile.tile<BM x 64 x f32>, !tile.array<?x64xf32>, !tile.span<BM>) -> ()
    }
  }
  return
}
}
