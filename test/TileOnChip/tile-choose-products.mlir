// The sizes of products: fractals of every memory are counted, and all pipes of a cube core.
// RUN: attn-opt %s --soc=Ascend910B2 --tile-choose --split-input-file --verify-diagnostics | FileCheck %s
// RUN: attn-opt %s --soc=Ascend910B2 --tile-choose=order=0 --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=SHARES
// RUN: not attn-opt %s --soc=Ascend910B2 --tile-choose=print-alternatives --split-input-file 2>&1 >/dev/null | FileCheck %s --check-prefix=TABLE

// 128 x 256 sums fill L0C, and 256 of k make rows long enough for the copies to keep up with the products.
// CHECK-LABEL: func.func @gemm
// CHECK-SAME: tile.choice = #tile.choice<sizes = {BK = 256 : i64, BM = 128 : i64, BN = 256 : i64}, grid_stages = 1, range_stages = 2

// Cores go through bands of eight rows of tiles: 24 of them read 8 x 128 rows and 3 x 256 columns at a time.
// CHECK-SAME: order = 8>
// SHARES-LABEL: func.func @gemm
// SHARES-NOT: order =
// TABLE: order{{ +}}read at a time
// TABLE: ->{{.*}} bands of 8{{ +}}917504 {{.*}} taken
func.func @gemm(%A: !tile.array<?x?xf16>, %B: !tile.array<?x?xf16>, %C: !tile.array<?x?xf32>) attributes {tile.kernel, tile.symbols = {BK = #tile.auto<16, 256>, BM = #tile.auto<16, 256>, BN = #tile.auto<16, 256>}} {
  %M = tile.dim %A, 0 : <?x?xf16>
  %N = tile.dim %B, 1 : <?x?xf16>
  %zero = arith.constant 0.0 : f32
  %K = tile.dim %A, 1 : <?x?xf16>
  %c0 = arith.constant 0 : index
  // expected-remark @+1 {{sums of one tile of the grid leave L0C before those of the next begin: two do not fit}}
  tile.grid (%m, %n) in (%M by BM, %N by BN) {
    %zeros = tile.splat %zero : f32 -> <BM x BN x f32>
    %sums = tile.range %k = %c0 to %K by BK iter(%acc = %zeros : !tile.tile<BM x BN x f32>) stages 2 {
      %a = tile.load %A [%m span, %k span] : (!tile.array<?x?xf16>, !tile.span<BM>, !tile.span<BK>) -> !tile.tile<BM x BK x f16>
      %b = tile.load %B [%k span, %n span] : (!tile.array<?x?xf16>, !tile.span<BK>, !tile.span<BN>) -> !tile.tile<BK x BN x f16>
      %next = tile.dot %a, %b acc(%acc) : <BM x BK x f16>, <BK x BN x f16> -> <BM x BN x f32>
      tile.yield %next : !tile.tile<BM x BN x f32>
    }
    tile.store %sums, %C [%m span, %n span] : (!tile.tile<BM x BN x f32>, !tile.array<?x?xf32>, !tile.span<BM>, !tile.span<BN>) -> ()
  }
  return
}

// -----

// Two tiles of sums fit, so that those of the next are made while these leave.
// CHECK-LABEL: func.func @slots
// CHECK-SAME: grid_stages = 2
func.func @slots(%A: !tile.array<?x64xf16>, %C: !tile.array<?x64xf32>) attributes {tile.kernel} {
  %M = tile.dim %A, 0 : <?x64xf16>
  tile.grid (%m) in (%M by 64) {
    %a = tile.load %A [%m span, :] : (!tile.array<?x64xf16>, !tile.span<64>) -> !tile.tile<64 x 64 x f16>
    %p = tile.dot %a, %a transpose_b : <64 x 64 x f16>, <64 x 64 x f16> -> <64 x 64 x f32>
    tile.store %p, %C [%m span, :] : (!tile.tile<64 x 64 x f32>, !tile.array<?x64xf32>, !tile.span<64>) -> ()
  }
  return
}

// -----

// expected-error @+1 {{kernel 'too_many_sums' does not fit: with its fixed sizes it needs 262144 bytes of local memory (L0C), and Ascend910B2 has 131072}}
func.func @too_many_sums(%A: !tile.array<256x64xf16>, %C: !tile.array<256x256xf32>) attributes {tile.kernel} {
  %a = tile.load %A [:, :] : (!tile.array<256x64xf16>) -> !tile.tile<256 x 64 x f16>
  // expected-note @+1 {{'dot' takes 262144 bytes (65536 'f32')}}
  %p = tile.dot %a, %a transpose_b : <256 x 64 x f16>, <256 x 64 x f16> -> <256 x 256 x f32>
  tile.store %p, %C [:, :] : (!tile.tile<256 x 256 x f32>, !tile.array<256x256xf32>) -> ()
  return
}

// -----

// expected-error @+1 {{kernel 'too_long_rows' does not fit: with its fixed sizes it needs 1048576 bytes of local memory (L1), and Ascend910B2 has 524032}}
func.func @too_long_rows(%A: !tile.array<64x8192xf16>, %C: !tile.array<64x64xf32>) attributes {tile.kernel} {
  // expected-note @+1 {{'load' takes 1048576 bytes (524288 'f16')}}
  %a = tile.load %A [:, :] : (!tile.array<64x8192xf16>) -> !tile.tile<64 x 8192 x f16>
  %p = tile.dot %a, %a transpose_b : <64 x 8192 x f16>, <64 x 8192 x f16> -> <64 x 64 x f32>
  tile.store %p, %C [:, :] : (!tile.tile<64 x 64 x f32>, !tile.array<64x64xf32>) -> ()
  return
}
