// RUN: attn-opt %s --soc=Ascend910B2 --tile-choose=sizes=BM=256 | FileCheck %s --check-prefix=MEET
// RUN: attn-opt %s --soc=Ascend910B2 --tile-choose="phases=launches sizes=BM=256" | FileCheck %s --check-prefix=APART
// RUN: attn-opt %s --soc=Ascend910B2 --tile-choose=sizes=BM=512 | FileCheck %s --check-prefix=MEET
// RUN: not attn-opt %s --soc=Ascend910B2 --tile-choose="phases=launches sizes=BM=512" 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not attn-opt %s --soc=Ascend910B2 --tile-choose=phases=both 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: unknown value 'both' of the option phases; known: barrier, launches
// A kernel for both kinds of cores, of whose phases one needs vector cores only.

// Where blocks meet between phases, the vector cores of a group share the rows of both.
// MEET: sizes = {BM = {{256|512}} : i64}, grid_stages = 2
// A kernel of its own is not split: each vector core has all rows of a tile.
// APART: sizes = {BM = 256 : i64}, grid_stages = 1
// LARGE: error: kernel 'scaled_product' does not fit: with BM = 512 it needs 262144 bytes of local memory (UB), and Ascend910B2 has 196352
// LARGE: note: largest that fits: BM = 256
// LARGE: note: 'exp' takes 262144 bytes (65536 'f32')
func.func @scaled_product(%q: !tile.array<?x128xf16>, %k: !tile.array<128x128xf16>, %z: !tile.array<?x128xf32>) attributes {tile.kernel, tile.symbols = {BM = #tile.auto<16, 512>}} {
  %T = tile.dim %q, 0 : <?x128xf16>
  tile.grid (%i) in (%T by 16) {
    %qt = tile.load %q [%i span, :] : (!tile.array<?x128xf16>, !tile.span<16>) -> !tile.tile<16 x 128 x f16>
    %kt = tile.load %k [:, :] : (!tile.array<128x128xf16>) -> !tile.tile<128 x 128 x f16>
    %s = tile.dot %qt, %kt transpose_b : <16 x 128 x f16>, <128 x 128 x f16> -> <16 x 128 x f32>
    %e = tile.exp %s : <16 x 128 x f32>
    tile.store %e, %z [%i span, :] : (!tile.tile<16 x 128 x f32>, !tile.array<?x128xf32>, !tile.span<16>) -> ()
  }
  tile.phase
  tile.grid (%i) in (%T by BM) {
    %row = tile.load %z [%i span, :] : (!tile.array<?x128xf32>, !tile.span<BM>) -> !tile.tile<BM x 128 x f32>
    %y = tile.exp %row : <BM x 128 x f32>
    tile.store %y, %z [%i span, :] : (!tile.tile<BM x 128 x f32>, !tile.array<?x128xf32>, !tile.span<BM>) -> ()
  }
  return
}
