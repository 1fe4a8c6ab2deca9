// How far cube and vector cores run apart, chosen by an estimate of what loops take.

// RUN: attn-opt %s --soc=Ascend910B2 --split-input-file --tile-choose=print-alternatives 2>&1 >/dev/null | FileCheck %s
// RUN: attn-opt %s --soc=Ascend910B2 --split-input-file --tile-choose="preload=2 lag=0" | FileCheck %s --check-prefix=GIVEN
// RUN: attn-opt %S/Inputs/attention.mlir --soc=Ascend910B2 --tile-choose=sizes=BM=128,BN=128 | FileCheck %s --check-prefix=NARROW
// RUN: attn-opt %S/Inputs/attention.mlir --soc=Ascend910B2 --tile-choose=sizes=BM=128,BN=512 | FileCheck %s --check-prefix=WIDE
// RUN: attn-opt %S/Inputs/attention.mlir --soc=Ascend910B2 --tile-choose=sizes=BM=128,BN=1024 | FileCheck %s --check-prefix=WIDER
// RUN: attn-opt %S/Inputs/attention.mlir --soc=Ascend910B2 --tile-choose="sizes=BM=128,BN=512 preload=1" | FileCheck %s --check-prefix=PRELOAD
// RUN: attn-opt %S/Inputs/attention.mlir --soc=Ascend910B2 --tile-choose="sizes=BM=128,BN=512 lag=1" | FileCheck %s --check-prefix=LAG
// RUN: attn-opt %S/Inputs/attention.mlir --soc=Ascend910B2 --tile-choose="sizes=BM=128,BN=512 lag=6" | FileCheck %s --check-prefix=LONG

// What a narrow tile takes is short against what it takes to hand it over, so that more of them are under way. Of 4,096 keys, wide
// tiles are few, and to fill and to drain counts.
// NARROW: group = <preload = 4, lag = 4,
// WIDE: group = <preload = 3, lag = 3,
// WIDER: group = <preload = 2, lag = 2,

// One distance is given, and the other goes with it: a lag is at most the preload.
// PRELOAD: group = <preload = 1, lag = 1,
// LAG: group = <preload = 2, lag = 1,
// LONG: group = <preload = 6, lag = 6,

// Of two iterations one can be ahead. No loop is left then, and what is loaded has slots of the loop around: tiles of 128 rows have no room.
// CHECK: remark: alternatives
// CHECK: -> 96 128 2 2 whole rows 1 1 16 128 {{.*}} taken
// GIVEN-LABEL: func.func @few
// GIVEN-SAME: group = <preload = 2, lag = 0,
func.func @few(%q: !tile.array<?x128xf16>, %k: !tile.array<?x128xf16>, %o: !tile.array<?x128xf32>) attributes {tile.kernel, tile.symbols = {BM = #tile.auto<16, 128>, BN = #tile.auto<128, 128>}} {
  %Sq = tile.dim %q, 0 : <?x128xf16>
  %Skv = tile.dim %k, 0 : <?x128xf16>
  %c256 = arith.constant 256 : index
  %c0 = arith.constant 0 : index
  %low = arith.constant -3.0e38 : f32
  %zero = arith.constant 0.0 : f32
  tile.grid (%i) in (%Sq by BM) {
    %m0 = tile.splat %low : f32 -> <BM x 1 x f32>
    %a0 = tile.splat %zero : f32 -> <BM x 128 x f32>
    %end:2 = tile.range %j = %c0 to %c256 by BN iter(%m = %m0 : !tile.tile<BM x 1 x f32>, %a = %a0 : !tile.tile<BM x 128 x f32>) stages 2 {
      %qt = tile.load %q [%i span, :] : (!tile.array<?x128xf16>, !tile.span<BM>) -> !tile.tile<BM x 128 x f16>
      %kt = tile.load %k [%j span, :] : (!tile.array<?x128xf16>, !tile.span<BN>) -> !tile.tile<BN x 128 x f16>
      %s = tile.dot %qt, %kt transpose_b : <BM x 128 x f16>, <BN x 128 x f16> -> <BM x BN x f32>
      %r = tile.reduce max %s axis 1 : <BM x BN x f32> -> <BM x 1 x f32>
      %n = tile.maximum %m, %r : <BM x 1 x f32>, <BM x 1 x f32> -> <BM x 1 x f32>
      %d = tile.sub %m, %n : <BM x 1 x f32>, <BM x 1 x f32> -> <BM x 1 x f32>
      %e = tile.exp %d : <BM x 1 x f32>
      %x = tile.sub %s, %n : <BM x BN x f32>, <BM x 1 x f32> -> <BM x BN x f32>
      %p = tile.exp %x : <BM x BN x f32>
      %ph = tile.cast %p : <BM x BN x f32> -> <BM x BN x f16>
      %v = tile.mul %a, %e : <BM x 128 x f32>, <BM x 1 x f32> -> <BM x 128 x f32>
      %w = tile.dot %ph, %kt : <BM x BN x f16>, <BN x 128 x f16> -> <BM x 128 x f32>
      %an = tile.add %v, %w : <BM x 128 x f32>, <BM x 128 x f32> -> <BM x 128 x f32>
      tile.yield %n, %an : !tile.tile<BM x 1 x f32>, !tile.tile<BM x 128 x f32>
    }
    tile.store %end#1, %o [%i span, :] : (!tile.tile<BM x 128 x f32>, !tile.array<?x128xf32>, !tile.span<BM>) -> ()
  }
  return
}

// -----

// Weights wait in a stack for their products, 32 KiB for each iteration of the lag. With four there is no room, not even in the
// shortest strips; with two there is, and that it takes longer counts against these sizes.
// CHECK: remark: alternatives
// CHECK: 128 2 2 whole rows 4 4 8 128 {{.*}} 346235720 {{.*}} UB has 196352 bytes
// CHECK-NEXT: 128 2 2 whole rows 3 2 64 128 {{.*}} UB has 196352 bytes
// CHECK-NEXT: 128 2 2 whole rows 3 2 32 128 {{.*}} UB has 196352 bytes
// CHECK-NEXT: -> 128 2 2 whole rows 3 2 16 128 {{.*}} 375{{[0-9]+}} {{.*}} taken
// GIVEN-LABEL: func.func @kept
// GIVEN-SAME: group = <preload = 2, lag = 0,
func.func @kept(%q: !tile.array<?x128xf16>, %k: !tile.array<?x128xf16>, %o: !tile.array<?x128xf32>) attributes {tile.kernel, tile.symbols = {BM = #tile.auto<128, 128>}} {
  %Sq = tile.dim %q, 0 : <?x128xf16>
  %Skv = tile.dim %k, 0 : <?x128xf16>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  tile.grid (%i) in (%Sq by BM) {
    %a0 = tile.splat %zero : f32 -> <BM x 128 x f32>
    %end = tile.range %j = %c0 to %Skv by 128 iter(%a = %a0 : !tile.tile<BM x 128 x f32>) stages 2 {
      %qt = tile.load %q [%i span, :] : (!tile.array<?x128xf16>, !tile.span<BM>) -> !tile.tile<BM x 128 x f16>
      %kt = tile.load %k [%j span, :] : (!tile.array<?x128xf16>, !tile.span<128>) -> !tile.tile<128 x 128 x f16>
      %s = tile.dot %qt, %kt transpose_b : <BM x 128 x f16>, <128 x 128 x f16> -> <BM x 128 x f32>
      %p = tile.exp %s : <BM x 128 x f32>
      %ph = tile.cast %p : <BM x 128 x f32> -> <BM x 128 x f16>
      %w = tile.dot %ph, %kt : <BM x 128 x f16>, <128 x 128 x f16> -> <BM x 128 x f32>
      %x = tile.mul %w, %p : <BM x 128 x f32>, <BM x 128 x f32> -> <BM x 128 x f32>
      %an = tile.add %a, %x : <BM x 128 x f32>, <BM x 128 x f32> -> <BM x 128 x f32>
      tile.yield %an : !tile.tile<BM x 128 x f32>
    }
    tile.store %end, %o [%i span, :] : (!tile.tile<BM x 128 x f32>, !tile.array<?x128xf32>, !tile.span<BM>) -> ()
  }
  return
}

// -----

// Nothing comes back to the cube core, so that there is nothing to run ahead of: distances make no difference.
// CHECK: remark: alternatives
// CHECK: -> 128 2 2 whole rows 0 0 64 128 {{.*}} taken
// GIVEN-LABEL: func.func @epilogue
// GIVEN-SAME: group = <preload = 2, lag = 0,
func.func @epilogue(%q: !tile.array<?x128xf16>, %k: !tile.array<?x128xf16>, %o: !tile.array<?x?xf32>) attributes {tile.kernel, tile.symbols = {BM = #tile.auto<128, 128>}} {
  %Sq = tile.dim %q, 0 : <?x128xf16>
  %Skv = tile.dim %k, 0 : <?x128xf16>
  %c0 = arith.constant 0 : index
  tile.grid (%i) in (%Sq by BM) {
    %qt = tile.load %q [%i span, :] : (!tile.array<?x128xf16>, !tile.span<BM>) -> !tile.tile<BM x 128 x f16>
    tile.range %j = %c0 to %Skv by 128 stages 2 {
      %kt = tile.load %k [%j span, :] : (!tile.array<?x128xf16>, !tile.span<128>) -> !tile.tile<128 x 128 x f16>
      %s = tile.dot %qt, %kt transpose_b : <BM x 128 x f16>, <128 x 128 x f16> -> <BM x 128 x f32>
      %p = tile.exp %s : <BM x 128 x f32>
      tile.store %p, %o [%i span, %j span] : (!tile.tile<BM x 128 x f32>, !tile.array<?x?xf32>, !tile.span<BM>, !tile.span<128>) -> ()
      tile.yield
    }
  }
  return
}
