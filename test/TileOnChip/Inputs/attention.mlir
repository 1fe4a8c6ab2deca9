// Attention without its sums, for tile-choose-distances.mlir.
func.func @attention(%q: !tile.array<?x128xf16>, %k: !tile.array<?x128xf16>, %o: !tile.array<?x128xf32>) attributes {tile.kernel, tile.symbols = {BM = #tile.auto<16, 128>, BN = #tile.auto<16, 1024>}} {
  %Sq = tile.dim %q, 0 : <?x128xf16>
  %Skv = tile.dim %k, 0 : <?x128xf16>
  %c0 = arith.constant 0 : index
  %low = arith.constant -3.0e38 : f32
  %zero = arith.constant 0.0 : f32
  tile.grid (%i) in (%Sq by BM) {
    %m0 = tile.splat %low : f32 -> <BM x 1 x f32>
    %a0 = tile.splat %zero : f32 -> <BM x 128 x f32>
    %end:2 = tile.range %j = %c0 to %Skv by BN iter(%m = %m0 : !tile.tile<BM x 1 x f32>, %a = %a0 : !tile.tile<BM x 128 x f32>) stages 2 {
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
