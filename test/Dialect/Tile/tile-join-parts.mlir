// RUN: attn-opt %s -tile-join-parts | FileCheck %s
// RUN: attn-opt %s -tile-join-parts -tile-verify -o /dev/null

!k = !tile.array<?x?x16xf32>
!max = !tile.tile<8 x 1 x f32>
!acc = !tile.tile<8 x 16 x f32>

// Scores of all heads, their softmax, and the products by the weights, which are added to what is
// carried.
// CHECK-LABEL: func.func @softmax
// CHECK-SAME:    %[[K:[^ ]*]]: !tile.array<?x?x16xf32>, %[[V:[^ ]*]]: !tile.array<?x?x16xf32>
// CHECK-SAME:    %[[MAX:[^ ]*]]: !tile.tile<8 x 1 x f32>, %[[ACC:[^ ]*]]: !tile.tile<8 x 16 x f32>
// CHECK:       %[[SPAN:.*]] = tile.make_span
// CHECK:       %[[NONE:.*]] = tile.undefined : <8 x 32 x f32>
// CHECK:       %[[SCORES:.*]] = tile.range %[[G:.*]] = %{{.*}} to %{{.*}} iter(%[[ALL:.*]] = %[[NONE]] :
// CHECK:         %[[KEYS:.*]] = tile.load %[[K]] [%[[SPAN]] span, %[[G]], :]
// CHECK:         %[[DOT:.*]] = tile.dot %{{.*}}, %[[KEYS]] transpose_b : <4 x 16 x f32>, <32 x 16 x f32> -> <4 x 32 x f32>
// CHECK:         %[[IN:.*]] = tile.insert %[[DOT]], %[[ALL]]
// CHECK:         tile.yield %[[IN]]
// CHECK:       %[[SCALED:.*]] = tile.mul %{{.*}}, %[[SCORES]] : <1 x 1 x f32>, <8 x 32 x f32>
// CHECK:       %[[MOST:.*]] = tile.reduce max %[[SCALED]] axis 1 : <8 x 32 x f32> -> <8 x 1 x f32>
// CHECK:       %[[NEXT:.*]] = tile.maximum %[[MAX]], %[[MOST]]
// CHECK:       %[[OLD:.*]] = tile.sub %[[MAX]], %[[NEXT]]
// CHECK:       %[[FACTOR:.*]] = tile.exp %[[OLD]] : <8 x 1 x f32>
// CHECK:       %[[P:.*]] = tile.exp %{{.*}} : <8 x 32 x f32>
// CHECK:       %[[START:.*]] = tile.mul %[[ACC]], %[[FACTOR]]
// CHECK:       %[[SUM:.*]] = tile.range %[[H:.*]] = %{{.*}} to %{{.*}} iter(%[[TO:.*]] = %[[START]] :
// CHECK:         %[[ROW:.*]] = arith.muli %[[H]]
// CHECK:         %[[BEFORE:.*]] = tile.extract %[[TO]][%[[ROW]]
// CHECK:         %[[WEIGHTS:.*]] = tile.extract %[[P]][%[[ROW]]
// CHECK:         %[[VALUES:.*]] = tile.load %[[V]] [%[[SPAN]] span, %[[H]], :]
// CHECK:         %[[PRODUCT:.*]] = tile.dot %[[WEIGHTS]], %[[VALUES]]
// CHECK:         %[[AFTER:.*]] = tile.add %[[BEFORE]], %[[PRODUCT]]
// CHECK:         tile.insert %[[AFTER]], %[[TO]]
// CHECK-NOT:   tile.range
// CHECK:       return %[[NEXT]], %[[SUM]]
func.func @softmax(%k: !k, %v: !k, %max: !max, %acc: !acc, %q: !tile.tile<4 x 16 x f32>, %scale: f32, %n: index) -> (!max, !acc) {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  %factor = tile.splat %scale : f32 -> <1 x 1 x f32>
  %r:2 = tile.range %g = %zero to %two iter(%m0 = %max : !max, %a0 = %acc : !acc) {
    %row = arith.muli %g, %four : index
    %t = tile.make_span %zero to %n : <32>
    %keys = tile.load %k[%t span, %g, :] : (!k, !tile.span<32>, index) -> !tile.tile<32 x 16 x f32>
    %s = tile.dot %q, %keys transpose_b : <4 x 16 x f32>, <32 x 16 x f32> -> <4 x 32 x f32>
    %scaled = tile.mul %factor, %s : <1 x 1 x f32>, <4 x 32 x f32> -> <4 x 32 x f32>
    %m = tile.extract %m0[%row, %zero] : <8 x 1 x f32> -> <4 x 1 x f32>
    %most = tile.reduce max %scaled axis 1 : <4 x 32 x f32> -> <4 x 1 x f32>
    %next = tile.maximum %m, %most : <4 x 1 x f32>, <4 x 1 x f32> -> <4 x 1 x f32>
    %old = tile.sub %m, %next : <4 x 1 x f32>, <4 x 1 x f32> -> <4 x 1 x f32>
    %alpha = tile.exp %old : <4 x 1 x f32>
    %d = tile.sub %scaled, %next : <4 x 32 x f32>, <4 x 1 x f32> -> <4 x 32 x f32>
    %p = tile.exp %d : <4 x 32 x f32>
    %values = tile.load %v[%t span, %g, :] : (!k, !tile.span<32>, index) -> !tile.tile<32 x 16 x f32>
    %a = tile.extract %a0[%row, %zero] : <8 x 16 x f32> -> <4 x 16 x f32>
    %start = tile.mul %a, %alpha : <4 x 16 x f32>, <4 x 1 x f32> -> <4 x 16 x f32>
    %o = tile.dot %p, %values : <4 x 32 x f32>, <32 x 16 x f32> -> <4 x 16 x f32>
    %sum = tile.add %start, %o : <4 x 16 x f32>, <4 x 16 x f32> -> <4 x 16 x f32>
    %m1 = tile.insert %next, %m0[%row, %zero] : <4 x 1 x f32> into <8 x 1 x f32>
    %a1 = tile.insert %sum, %a0[%row, %zero] : <4 x 16 x f32> into <8 x 16 x f32>
    tile.yield %m1, %a1 : !max, !acc
  }
  return %r#0, %r#1 : !max, !acc
}

// What a mask takes stays with its product: it is not the same for all rows of the whole.
// CHECK-LABEL: func.func @masked
// CHECK:       %[[ALL:.*]] = tile.range
// CHECK:         %[[DOT:.*]] = tile.dot
// CHECK:         %[[TWICE:.*]] = tile.add %[[DOT]], %[[DOT]]
// CHECK:         %[[CUT:.*]] = tile.select %{{.*}}, %[[TWICE]]
// CHECK:         tile.insert %[[CUT]]
// CHECK:       %[[E:.*]] = tile.exp %[[ALL]] : <8 x 32 x f32>
// CHECK:       tile.reduce sum %[[E]] axis 1
func.func @masked(%k: !k, %sum: !max, %q: !tile.tile<4 x 16 x f32>, %mask: !tile.tile<4 x 32 x f32>, %none: !tile.tile<1 x 1 x f32>) -> !max {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  %n = arith.constant 32 : index
  %r = tile.range %g = %zero to %two iter(%s0 = %sum : !max) {
    %row = arith.muli %g, %four : index
    %t = tile.make_span %zero to %n : <32>
    %keys = tile.load %k[%t span, %g, :] : (!k, !tile.span<32>, index) -> !tile.tile<32 x 16 x f32>
    %s = tile.dot %q, %keys transpose_b : <4 x 16 x f32>, <32 x 16 x f32> -> <4 x 32 x f32>
    %twice = tile.add %s, %s : <4 x 32 x f32>, <4 x 32 x f32> -> <4 x 32 x f32>
    %cut = tile.select %mask, %twice, %none : <4 x 32 x f32>, <4 x 32 x f32>, <1 x 1 x f32> -> <4 x 32 x f32>
    %e = tile.exp %cut : <4 x 32 x f32>
    %more = tile.reduce sum %e axis 1 : <4 x 32 x f32> -> <4 x 1 x f32>
    %part = tile.extract %s0[%row, %zero] : <8 x 1 x f32> -> <4 x 1 x f32>
    %next = tile.add %part, %more : <4 x 1 x f32>, <4 x 1 x f32> -> <4 x 1 x f32>
    %s1 = tile.insert %next, %s0[%row, %zero] : <4 x 1 x f32> into <8 x 1 x f32>
    tile.yield %s1 : !max
  }
  return %r : !max
}

// Not all rows of a part may exist, another part than its own is read, and keys differ by how many
// there are: none of these is split.
// CHECK-LABEL: func.func @short
// CHECK-COUNT-1: tile.range
// CHECK-NOT:     tile.undefined
func.func @short(%k: !k, %acc: !acc, %q: !tile.array<?x16xf32>, %n: index) -> !acc {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  %all = arith.constant 16 : index
  %r = tile.range %g = %zero to %two iter(%a0 = %acc : !acc) {
    %row = arith.muli %g, %four : index
    %own = tile.make_span %row to %n : <4>
    %rows = tile.load %q[%own span, :] : (!tile.array<?x16xf32>, !tile.span<4>) -> !tile.tile<4 x 16 x f32>
    %t = tile.make_span %zero to %all : <16>
    %keys = tile.load %k[%t span, %g, :] : (!k, !tile.span<16>, index) -> !tile.tile<16 x 16 x f32>
    %s = tile.dot %rows, %keys transpose_b : <4 x 16 x f32>, <16 x 16 x f32> -> <4 x 16 x f32>
    %e = tile.exp %s : <4 x 16 x f32>
    %a1 = tile.insert %e, %a0[%row, %zero] : <4 x 16 x f32> into <8 x 16 x f32>
    tile.yield %a1 : !acc
  }
  return %r : !acc
}

// CHECK-LABEL: func.func @other_part
// CHECK-COUNT-1: tile.range
// CHECK-NOT:     tile.undefined
func.func @other_part(%k: !k, %acc: !acc, %q: !tile.tile<4 x 16 x f32>) -> !acc {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  %all = arith.constant 16 : index
  %r = tile.range %g = %zero to %two iter(%a0 = %acc : !acc) {
    %row = arith.muli %g, %four : index
    %t = tile.make_span %zero to %all : <16>
    %keys = tile.load %k[%t span, %g, :] : (!k, !tile.span<16>, index) -> !tile.tile<16 x 16 x f32>
    %s = tile.dot %q, %keys transpose_b : <4 x 16 x f32>, <16 x 16 x f32> -> <4 x 16 x f32>
    %first = tile.extract %a0[%zero, %zero] : <8 x 16 x f32> -> <4 x 16 x f32>
    %e = tile.mul %s, %first : <4 x 16 x f32>, <4 x 16 x f32> -> <4 x 16 x f32>
    %a1 = tile.insert %e, %a0[%row, %zero] : <4 x 16 x f32> into <8 x 16 x f32>
    tile.yield %a1 : !acc
  }
  return %r : !acc
}

// CHECK-LABEL: func.func @ragged
// CHECK-COUNT-1: tile.range
// CHECK-NOT:     tile.undefined
func.func @ragged(%k: !k, %sum: !max, %q: !tile.tile<4 x 16 x f32>, %lens: !tile.array<?xi32>) -> !max {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  %r = tile.range %g = %zero to %two iter(%s0 = %sum : !max) {
    %row = arith.muli %g, %four : index
    %n = tile.load_index %lens[%g] : !tile.array<?xi32>
    %t = tile.make_span %zero to %n : <32>
    %keys = tile.load %k[%t span, %g, :] : (!k, !tile.span<32>, index) -> !tile.tile<32 x 16 x f32>
    %s = tile.dot %q, %keys transpose_b : <4 x 16 x f32>, <32 x 16 x f32> -> <4 x 32 x f32>
    %e = tile.exp %s : <4 x 32 x f32>
    %more = tile.reduce sum %e axis 1 : <4 x 32 x f32> -> <4 x 1 x f32>
    %part = tile.extract %s0[%row, %zero] : <8 x 1 x f32> -> <4 x 1 x f32>
    %next = tile.add %part, %more : <4 x 1 x f32>, <4 x 1 x f32> -> <4 x 1 x f32>
    %s1 = tile.insert %next, %s0[%row, %zero] : <4 x 1 x f32> into <8 x 1 x f32>
    tile.yield %s1 : !max
  }
  return %r : !max
}
