// RUN: attn-opt %s | attn-opt | FileCheck %s
// RUN: attn-opt %s -canonicalize | FileCheck %s --check-prefix=FOLDED
// Products, the rows that their sums start from, and transfers by a span of rows and one of columns.

// CHECK-LABEL: func.func @products
func.func @products(%a: !tile.tile<BM x BK x bf16>, %b: !tile.tile<BK x BN x bf16>, %at: !tile.tile<BK x BM x i8>,
                    %bt: !tile.tile<BN x BK x i8>, %row: !tile.tile<1 x BN x f32>) {
  // CHECK: %[[ACC:.*]] = tile.broadcast %{{.*}} : <1 x BN x f32> -> <BM x BN x f32>
  %acc = tile.broadcast %row : !tile.tile<1 x BN x f32> -> !tile.tile<BM x BN x f32>
  // CHECK: tile.dot %{{.*}}, %{{.*}} : <BM x BK x bf16>, <BK x BN x bf16> -> <BM x BN x f32>
  %p = tile.dot %a, %b : !tile.tile<BM x BK x bf16>, !tile.tile<BK x BN x bf16> -> !tile.tile<BM x BN x f32>
  // CHECK: tile.dot %{{.*}}, %{{.*}} acc(%[[ACC]]) : <BM x BK x bf16>, <BK x BN x bf16> -> <BM x BN x f32>
  %q = tile.dot %a, %b acc(%acc) : !tile.tile<BM x BK x bf16>, !tile.tile<BK x BN x bf16> -> !tile.tile<BM x BN x f32>
  // CHECK: tile.dot %{{.*}}, %{{.*}} transpose_a transpose_b : <BK x BM x i8>, <BN x BK x i8> -> <BM x BN x i32>
  %r = tile.dot %at, %bt transpose_a transpose_b : !tile.tile<BK x BM x i8>, !tile.tile<BN x BK x i8> -> !tile.tile<BM x BN x i32>
  return
}

// CHECK-LABEL: func.func @transfers
func.func @transfers(%A: !tile.array<?x?xf16>, %bias: !tile.array<1x?xi32>, %m: !tile.span<BM>, %n: !tile.span<BN>) {
  // CHECK: tile.load %{{.*}}[%{{.*}} span, %{{.*}} span] : (!tile.array<?x?xf16>, !tile.span<BM>, !tile.span<BN>) -> !tile.tile<BM x BN x f16>
  %a = tile.load %A[%m span, %n span] : (!tile.array<?x?xf16>, !tile.span<BM>, !tile.span<BN>) -> !tile.tile<BM x BN x f16>
  // CHECK: tile.load %{{.*}}[:, %{{.*}} span] : (!tile.array<1x?xi32>, !tile.span<BN>) -> !tile.tile<1 x BN x i32>
  %row = tile.load %bias[:, %n span] : (!tile.array<1x?xi32>, !tile.span<BN>) -> !tile.tile<1 x BN x i32>
  // CHECK: tile.store %{{.*}}, %{{.*}}[%{{.*}} span, %{{.*}} span]
  tile.store %a, %A[%m span, %n span] : (!tile.tile<BM x BN x f16>, !tile.array<?x?xf16>, !tile.span<BM>, !tile.span<BN>) -> ()
  return
}

// One row is a tile of one row; an accumulator of zeros stays, as the chip wants to see it.
// FOLDED-LABEL: func.func @folded(
// FOLDED-SAME: %[[A:.*]]: !tile.tile<1 x 8 x f32>, %[[B:.*]]: !tile.tile<8 x 4 x f32>, %[[ROW:.*]]: !tile.tile<1 x 4 x f32>)
func.func @folded(%a: !tile.tile<1 x 8 x f32>, %b: !tile.tile<8 x 4 x f32>, %row: !tile.tile<1 x 4 x f32>)
    -> (!tile.tile<1 x 4 x f32>, !tile.tile<1 x 4 x f32>) {
  %zero = arith.constant 0.0 : f32
  // FOLDED: %[[ZEROS:.*]] = tile.splat
  %zeros = tile.splat %zero : f32 -> !tile.tile<1 x 4 x f32>
  %start = tile.broadcast %row : !tile.tile<1 x 4 x f32> -> !tile.tile<1 x 4 x f32>
  // FOLDED: tile.dot %[[A]], %[[B]] acc(%[[ROW]])
  %p = tile.dot %a, %b acc(%start) : !tile.tile<1 x 8 x f32>, !tile.tile<8 x 4 x f32> -> !tile.tile<1 x 4 x f32>
  // FOLDED: tile.dot %[[A]], %[[B]] acc(%[[ZEROS]])
  %q = tile.dot %a, %b acc(%zeros) : !tile.tile<1 x 8 x f32>, !tile.tile<8 x 4 x f32> -> !tile.tile<1 x 4 x f32>
  return %p, %q : !tile.tile<1 x 4 x f32>, !tile.tile<1 x 4 x f32>
}
