// RUN: attn-opt %s --soc=Ascend910B2 --tile-choose=print-alternatives 2>&1 >/dev/null | FileCheck %s
// RUN: attn-opt %s --soc=Ascend910B2 --tile-choose=sizes=BM=128,BN=1024 | FileCheck %s --check-prefix=WIDE
// RUN: not attn-opt %s --soc=Ascend910B2 --tile-choose="sizes=BM=128,BN=1024 strip-rows=0" 2>&1 | FileCheck %s --check-prefix=WHOLE
// The sizes of a kernel for both kinds of cores.

// All sizes are estimated before the kernel is split; only those are split that may be the best. Both halves count, and
// what the group moves through L2.
// CHECK: remark: alternatives, estimated for
// CHECK-NEXT: BM
// CHECK-NOT: {{^ (32|16) }}
// CHECK: -> 128 1024 2 2 whole rows 2 2 8 128 {{.*}} taken
// CHECK-NOT: {{^ (32|16) }}
// CHECK: func.func @attention

// What crosses is larger than any memory, and no core has all of it at a time.
// WIDE: tile.choice = #tile.choice<sizes = {BM = 128 : i64, BN = 1024 : i64}

// All rows at once, as it is asked for, do not fit.
// WHOLE: error: kernel 'attention' does not fit: with BM = 128, BN = 1024 it needs
func.func @attention(%q: !tile.array<?x128xf16>, %k: !tile.array<?x128xf16>, %o: !tile.array<?x128xf32>) attributes {tile.kernel, tile.symbols = {BM = #tile.auto<16, 128>, BN = #tile.auto<16, 1024>}} {
  %Sq = tile.dim %q, 0 : <?x128xf16>
  %Skv = tile.dim %k, 0 : <?x128xf16>
  %c0 = arith.constant 0 : index
  %low = arith.constant -3.0e38 : f32
  %zero = arith.constant 0.0 : f32
  tile.grid (%i) in (%Sq by BM) {
    %m0 = tile.splat %low : f32 -> <BM x 1 x f32>
    %l0 = tile.splat %zero : f32 -> <BM x 1 x f32>
    %a0 = tile.splat %zero : f32 -> <BM x 128 x f32>
    %end:3 = tile.range %j = %c0 to %Skv by BN iter(%m = %m0 : !tile.tile<BM x 1 x f32>, %l = %l0 : !tile.tile<BM x 1 x f32>, %a = %a0 : !tile.tile<BM x 128 x f32>) stages 2 {
      %qt = tile.load %q [%i span, :] : (!tile.array<?x128xf16>, !tile.span<BM>) -> !tile.tile<BM x 128 x f16>
      %kt = tile.load %k [%j span, :] : (!tile.array<?x128xf16>, !tile.span<BN>) -> !tile.tile<BN x 128 x f16>
      %s = tile.dot %qt, %kt transpose_b : <BM x 128 x f16>, <BN x 128 x f16> -> <BM x BN x f32>
      %f = tile.fill_columns %s, %j, 0xFF800000 : <BM x BN x f32>, <BN>
      %r = tile.reduce max %f axis 1 : <BM x BN x f32> -> <BM x 1 x f32>
      %n = tile.maximum %m, %r : <BM x 1 x f32>, <BM x 1 x f32> -> <BM x 1 x f32>
      %d = tile.sub %m, %n : <BM x 1 x f32>, <BM x 1 x f32> -> <BM x 1 x f32>
      %e = tile.exp %d : <BM x 1 x f32>
      %x = tile.sub %s, %n : <BM x BN x f32>, <BM x 1 x f32> -> <BM x BN x f32>
      %p = tile.exp %x : <BM x BN x f32>
      %z = tile.fill_columns %p, %j, 0.0 : <BM x BN x f32>, <BN>
      %t = tile.reduce sum %z axis 1 : <BM x BN x f32> -> <BM x 1 x f32>
      %u = tile.mul %l, %e : <BM x 1 x f32>, <BM x 1 x f32> -> <BM x 1 x f32>
      %ln = tile.add %u, %t : <BM x 1 x f32>, <BM x 1 x f32> -> <BM x 1 x f32>
      %ph = tile.cast %p : <BM x BN x f32> -> <BM x BN x f16>
      %v = tile.mul %a, %e : <BM x 128 x f32>, <BM x 1 x f32> -> <BM x 128 x f32>
      %w = tile.dot %ph, %kt : <BM x BN x f16>, <BN x 128 x f16> -> <BM x 128 x f32>
      %an = tile.add %v, %w : <BM x 128 x f32>, <BM x 128 x f32> -> <BM x 128 x f32>
      tile.yield %n, %ln, %an : !tile.tile<BM x 1 x f32>, !tile.tile<BM x 1 x f32>, !tile.tile<BM x 128 x f32>
    }
    %y = tile.div %end#2, %end#1 : <BM x 128 x f32>, <BM x 1 x f32> -> <BM x 128 x f32>
    tile.store %y, %o [%i span, :] : (!tile.tile<BM x 128 x f32>, !tile.array<?x128xf32>, !tile.span<BM>) -> ()
  }
  return
}
