// RUN: attn-opt %s --tile-split-masked-loops --split-input-file | FileCheck %s
// Loops are split where their masks take whole tiles, and end or begin where they take none.

// A causal mask: whole tiles first, then those on the diagonal; after it, nothing is added.
// CHECK-LABEL: func.func @causal(
// CHECK:         tile.grid (%[[Q:.*]]) in
// CHECK:           %[[BASE:.*]] = tile.span_base %[[Q]]
// CHECK:           %[[WHOLE:.*]] = tile.range %{{.*}} = %[[FIRST:.*]] to %[[MIDDLE:.*]] by BN iter
// CHECK-NOT:         tile.select
// CHECK-NOT:         tile.{{sub|minimum|ramp}}
// CHECK:             tile.reduce {{ *}}sum
// CHECK:             tile.yield
// CHECK:           %[[ALL:.*]] = tile.range %{{.*}} = %{{.*}} to %{{.*}} by BN iter(%{{.*}} = %[[WHOLE]]
// CHECK:             tile.select
// CHECK:             tile.yield
// CHECK-NEXT:      } {tile.cut = "BM"}
// CHECK-NOT:       tile.range
// CHECK:           tile.store %[[ALL]]
func.func @causal(%X: !tile.array<?x?xf32>, %O: !tile.array<?xf32>, %S: index) attributes {tile.kernel, tile.symbols = {BM = #tile.auto<1, 32>, BN = #tile.auto<16, 64>}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant -16777216 : index
  %high = arith.constant 16777216 : index
  %f0 = arith.constant 0.0 : f32
  %f1 = arith.constant 1.0 : f32
  %none = tile.splat %f0 : f32 -> !tile.tile<1 x 1 x f32>
  %one = tile.splat %f1 : f32 -> !tile.tile<1 x 1 x f32>
  %rows = tile.ramp : !tile.tile<BM x 1 x f32>
  %cols = tile.ramp : !tile.tile<1 x BN x f32>
  tile.grid (%q) in (%S by BM) {
    %l0 = tile.splat %f0 : f32 -> !tile.tile<BM x 1 x f32>
    %l = tile.range %k = %c0 to %S by BN iter(%a = %l0 : !tile.tile<BM x 1 x f32>) stages 2 {
      %s = tile.load %X[%q span, %k span] : (!tile.array<?x?xf32>, !tile.span<BM>, !tile.span<BN>) -> !tile.tile<BM x BN x f32>
      %qb = tile.span_base %q : !tile.span<BM>
      %kb = tile.span_base %k : !tile.span<BN>
      %d = arith.subi %qb, %kb : index
      %d1 = arith.addi %d, %c1 : index
      %d2 = arith.maxsi %d1, %low : index
      %d3 = arith.minsi %d2, %high : index
      %w = arith.index_cast %d3 : index to i64
      %f = arith.sitofp %w : i64 to f32
      %base = tile.splat %f : f32 -> !tile.tile<1 x 1 x f32>
      %r = tile.sub %rows, %cols : !tile.tile<BM x 1 x f32>, !tile.tile<1 x BN x f32> -> !tile.tile<BM x BN x f32>
      %back = tile.add %r, %base : !tile.tile<BM x BN x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<BM x BN x f32>
      %reached = tile.maximum %back, %none : !tile.tile<BM x BN x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<BM x BN x f32>
      %mask = tile.minimum %reached, %one : !tile.tile<BM x BN x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<BM x BN x f32>
      %t = tile.select %mask, %s, %none : !tile.tile<BM x BN x f32>, !tile.tile<BM x BN x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<BM x BN x f32>
      %sum = tile.reduce sum %t axis 1 : !tile.tile<BM x BN x f32> -> !tile.tile<BM x 1 x f32>
      %b = tile.add %a, %sum : !tile.tile<BM x 1 x f32>, !tile.tile<BM x 1 x f32> -> !tile.tile<BM x 1 x f32>
      tile.yield %b : !tile.tile<BM x 1 x f32>
    }
    tile.store %l, %O[%q span] : (!tile.tile<BM x 1 x f32>, !tile.array<?xf32>, !tile.span<BM>) -> ()
  }
  return
}

// -----

// From a column on: tiles in part come first, then whole ones. A maximum with something else than zero
// changes what is carried, so no tile is left out: the first loop begins where the loop did.
// CHECK-LABEL: func.func @suffix(
// CHECK:         %[[PART:.*]] = tile.range %{{.*}} = %[[FIRST:.*]] to %{{.*}} by 16 iter
// CHECK:           tile.select
// CHECK:         %[[ALL:.*]] = tile.range %{{.*}} = %{{.*}} to %{{.*}} by 16 iter(%{{.*}} = %[[PART]]
// CHECK-NOT:       tile.select
// CHECK:           tile.reduce {{ *}}max
// CHECK-NOT:     tile.range
// CHECK:         tile.store %[[ALL]]
func.func @suffix(%X: !tile.array<8x?xf32>, %O: !tile.array<8x1xf32>, %S: index, %from: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %f0 = arith.constant 0.0 : f32
  %f1 = arith.constant 1.0 : f32
  %none = tile.splat %f0 : f32 -> !tile.tile<1 x 1 x f32>
  %one = tile.splat %f1 : f32 -> !tile.tile<1 x 1 x f32>
  %cols = tile.ramp : !tile.tile<1 x 16 x f32>
  %l0 = tile.splat %f0 : f32 -> !tile.tile<8 x 1 x f32>
  %l = tile.range %k = %c0 to %S by 16 iter(%a = %l0 : !tile.tile<8 x 1 x f32>) {
    %s = tile.load %X[:, %k span] : (!tile.array<8x?xf32>, !tile.span<16>) -> !tile.tile<8 x 16 x f32>
    %kb = tile.span_base %k : !tile.span<16>
    %d = arith.subi %kb, %from : index
    %w = arith.index_cast %d : index to i64
    %f = arith.sitofp %w : i64 to f32
    %base = tile.splat %f : f32 -> !tile.tile<1 x 1 x f32>
    %back = tile.add %cols, %base : !tile.tile<1 x 16 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<1 x 16 x f32>
    %reached = tile.maximum %back, %none : !tile.tile<1 x 16 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<1 x 16 x f32>
    %mask = tile.minimum %reached, %one : !tile.tile<1 x 16 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<1 x 16 x f32>
    %t = tile.select %mask, %s, %none : !tile.tile<1 x 16 x f32>, !tile.tile<8 x 16 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<8 x 16 x f32>
    %m = tile.reduce max %t axis 1 : !tile.tile<8 x 16 x f32> -> !tile.tile<8 x 1 x f32>
    %b = tile.maximum %a, %m : !tile.tile<8 x 1 x f32>, !tile.tile<8 x 1 x f32> -> !tile.tile<8 x 1 x f32>
    tile.yield %b : !tile.tile<8 x 1 x f32>
  }
  tile.store %l, %O[:, :] : (!tile.tile<8 x 1 x f32>, !tile.array<8x1xf32>) -> ()
  return
}

// -----

// A comparison of numbers says nothing about tiles, and one of positions that stay where they are nothing about
// the loop.
// CHECK-LABEL: func.func @other(
// CHECK:         tile.range
// CHECK-NOT:     tile.range
func.func @other(%X: !tile.array<8x?xf32>, %O: !tile.array<8x1xf32>, %S: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %f0 = arith.constant 0.0 : f32
  %none = tile.splat %f0 : f32 -> !tile.tile<1 x 1 x f32>
  %l0 = tile.splat %f0 : f32 -> !tile.tile<8 x 1 x f32>
  %l = tile.range %k = %c0 to %S by 16 iter(%a = %l0 : !tile.tile<8 x 1 x f32>) {
    %s = tile.load %X[:, %k span] : (!tile.array<8x?xf32>, !tile.span<16>) -> !tile.tile<8 x 16 x f32>
    %mask = tile.compare lt %s, %none : !tile.tile<8 x 16 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<8 x 16 x f32>
    %t = tile.select %mask, %s, %none : !tile.tile<8 x 16 x f32>, !tile.tile<8 x 16 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<8 x 16 x f32>
    %m = tile.reduce sum %t axis 1 : !tile.tile<8 x 16 x f32> -> !tile.tile<8 x 1 x f32>
    %b = tile.add %a, %m : !tile.tile<8 x 1 x f32>, !tile.tile<8 x 1 x f32> -> !tile.tile<8 x 1 x f32>
    tile.yield %b : !tile.tile<8 x 1 x f32>
  }
  tile.store %l, %O[:, :] : (!tile.tile<8 x 1 x f32>, !tile.array<8x1xf32>) -> ()
  return
}

// -----

// A loop that goes one by one: page p holds positions 16 p to 16 p + 15, of which row r sees those below length + r. Up to page
// (length + 0 - 15 - 1) / 16 all rows see all of it; the edge of 96 rows lies in 6 pages.
// CHECK-LABEL: func.func @pages(
// CHECK:         %[[WHOLE:.*]] = tile.range %{{.*}} = %{{.*}} to %{{.*}} iter
// CHECK-NOT:       tile.select
// CHECK:           tile.yield
// CHECK:         %[[ALL:.*]] = tile.range %{{.*}} = %{{.*}} to %{{.*}} iter(%{{.*}} = %[[WHOLE]]
// CHECK:           tile.select
// CHECK:         } {tile.cut = 6 : i64}
// CHECK:         tile.store %[[ALL]]
func.func @pages(%Q: !tile.array<96x32xf16>, %X: !tile.array<?x16x32xf16>, %O: !tile.array<96x1xf32>, %N: index, %length: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %f0 = arith.constant 0.0 : f32
  %f1 = arith.constant 1.0 : f32
  %minus = arith.constant -1.0 : f32
  %none = tile.splat %f0 : f32 -> !tile.tile<1 x 1 x f32>
  %one = tile.splat %f1 : f32 -> !tile.tile<1 x 1 x f32>
  %turn = tile.splat %minus : f32 -> !tile.tile<1 x 1 x f32>
  %rows = tile.ramp : !tile.tile<96 x 1 x f32>
  %cols = tile.ramp : !tile.tile<1 x 16 x f32>
  %l0 = tile.splat %f0 : f32 -> !tile.tile<96 x 1 x f32>
  %q = tile.load %Q[:, :] : (!tile.array<96x32xf16>) -> !tile.tile<96 x 32 x f16>
  %l = tile.range %p = %c0 to %N iter(%a = %l0 : !tile.tile<96 x 1 x f32>) {
    %keys = tile.load %X[%p, :, :] : (!tile.array<?x16x32xf16>, index) -> !tile.tile<16 x 32 x f16>
    %s = tile.dot %q, %keys transpose_b : !tile.tile<96 x 32 x f16>, !tile.tile<16 x 32 x f16> -> !tile.tile<96 x 16 x f32>
    %before = arith.muli %p, %c16 : index
    %left = arith.subi %length, %before : index
    %w = arith.index_cast %left : index to i64
    %f = arith.sitofp %w : i64 to f32
    %room = tile.splat %f : f32 -> !tile.tile<1 x 1 x f32>
    %back = tile.mul %cols, %turn : !tile.tile<1 x 16 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<1 x 16 x f32>
    %from = tile.add %back, %rows : !tile.tile<1 x 16 x f32>, !tile.tile<96 x 1 x f32> -> !tile.tile<96 x 16 x f32>
    %distance = tile.add %from, %room : !tile.tile<96 x 16 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<96 x 16 x f32>
    %reached = tile.maximum %distance, %none : !tile.tile<96 x 16 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<96 x 16 x f32>
    %mask = tile.minimum %reached, %one : !tile.tile<96 x 16 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<96 x 16 x f32>
    %t = tile.select %mask, %s, %none : !tile.tile<96 x 16 x f32>, !tile.tile<96 x 16 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<96 x 16 x f32>
    %m = tile.reduce sum %t axis 1 : !tile.tile<96 x 16 x f32> -> !tile.tile<96 x 1 x f32>
    %b = tile.add %a, %m : !tile.tile<96 x 1 x f32>, !tile.tile<96 x 1 x f32> -> !tile.tile<96 x 1 x f32>
    tile.yield %b : !tile.tile<96 x 1 x f32>
  }
  tile.store %l, %O[:, :] : (!tile.tile<96 x 1 x f32>, !tile.array<96x1xf32>) -> ()
  return
}

// -----

// Few rows: a mask costs less than a second loop.
// CHECK-LABEL: func.func @few_rows(
// CHECK:         tile.range
// CHECK:           tile.select
// CHECK-NOT:     tile.range
func.func @few_rows(%Q: !tile.array<64x32xf16>, %X: !tile.array<?x16x32xf16>, %O: !tile.array<64x1xf32>, %N: index, %length: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %f0 = arith.constant 0.0 : f32
  %f1 = arith.constant 1.0 : f32
  %minus = arith.constant -1.0 : f32
  %none = tile.splat %f0 : f32 -> !tile.tile<1 x 1 x f32>
  %one = tile.splat %f1 : f32 -> !tile.tile<1 x 1 x f32>
  %turn = tile.splat %minus : f32 -> !tile.tile<1 x 1 x f32>
  %rows = tile.ramp : !tile.tile<64 x 1 x f32>
  %cols = tile.ramp : !tile.tile<1 x 16 x f32>
  %l0 = tile.splat %f0 : f32 -> !tile.tile<64 x 1 x f32>
  %q = tile.load %Q[:, :] : (!tile.array<64x32xf16>) -> !tile.tile<64 x 32 x f16>
  %l = tile.range %p = %c0 to %N iter(%a = %l0 : !tile.tile<64 x 1 x f32>) {
    %keys = tile.load %X[%p, :, :] : (!tile.array<?x16x32xf16>, index) -> !tile.tile<16 x 32 x f16>
    %s = tile.dot %q, %keys transpose_b : !tile.tile<64 x 32 x f16>, !tile.tile<16 x 32 x f16> -> !tile.tile<64 x 16 x f32>
    %before = arith.muli %p, %c16 : index
    %left = arith.subi %length, %before : index
    %w = arith.index_cast %left : index to i64
    %f = arith.sitofp %w : i64 to f32
    %room = tile.splat %f : f32 -> !tile.tile<1 x 1 x f32>
    %back = tile.mul %cols, %turn : !tile.tile<1 x 16 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<1 x 16 x f32>
    %from = tile.add %back, %rows : !tile.tile<1 x 16 x f32>, !tile.tile<64 x 1 x f32> -> !tile.tile<64 x 16 x f32>
    %distance = tile.add %from, %room : !tile.tile<64 x 16 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<64 x 16 x f32>
    %reached = tile.maximum %distance, %none : !tile.tile<64 x 16 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<64 x 16 x f32>
    %mask = tile.minimum %reached, %one : !tile.tile<64 x 16 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<64 x 16 x f32>
    %t = tile.select %mask, %s, %none : !tile.tile<64 x 16 x f32>, !tile.tile<64 x 16 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<64 x 16 x f32>
    %m = tile.reduce sum %t axis 1 : !tile.tile<64 x 16 x f32> -> !tile.tile<64 x 1 x f32>
    %b = tile.add %a, %m : !tile.tile<64 x 1 x f32>, !tile.tile<64 x 1 x f32> -> !tile.tile<64 x 1 x f32>
    tile.yield %b : !tile.tile<64 x 1 x f32>
  }
  tile.store %l, %O[:, :] : (!tile.tile<64 x 1 x f32>, !tile.array<64x1xf32>) -> ()
  return
}
