// RUN: attn-opt %s --soc=Ascend910B4 --tile-fill-columns --split-input-file | FileCheck %s
// RUN: attn-opt %s --soc=host --tile-fill-columns --split-input-file | FileCheck %s --check-prefix=HOST
// What a reduction along columns would see of columns that do not exist.

// HOST-NOT: tile.fill_columns

// CHECK-LABEL: func.func @reductions(
func.func @reductions(%X: !tile.array<?x?xf32>, %n: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  tile.grid (%t) in (%n by BT) {
    // CHECK: tile.range %[[C:.*]] =
    tile.range %c = %zero to %n by BC {
      // CHECK: %[[X:.*]] = tile.load
      %x = tile.load %X[%t span, %c span] : (!tile.array<?x?xf32>, !tile.span<BT>, !tile.span<BC>) -> !tile.tile<BT x BC x f32>
      // CHECK: %[[E:.*]] = tile.exp %[[X]]
      %e = tile.exp %x : !tile.tile<BT x BC x f32>
      // CHECK: %[[F:.*]] = tile.fill_columns %[[E]], %[[C]], 0.000000e+00
      // CHECK: tile.reduce {{ *}}sum %[[F]] axis 1
      %s = tile.reduce sum %e axis 1 : !tile.tile<BT x BC x f32> -> !tile.tile<BT x 1 x f32>
      // CHECK: %[[L:.*]] = tile.fill_columns %[[E]], %[[C]], 0xFF800000
      // CHECK: tile.reduce {{ *}}max %[[L]] axis 1
      %m = tile.reduce max %e axis 1 : !tile.tile<BT x BC x f32> -> !tile.tile<BT x 1 x f32>
      // CHECK: %[[U:.*]] = tile.fill_columns %[[E]], %[[C]], 0x7F800000
      // CHECK: tile.reduce {{ *}}min %[[U]] axis 1
      %i = tile.reduce min %e axis 1 : !tile.tile<BT x BC x f32> -> !tile.tile<BT x 1 x f32>
      // Rows are counted; columns stay apart from each other.
      // CHECK: tile.reduce {{ *}}sum %[[E]] axis 0
      %r = tile.reduce sum %e axis 0 : !tile.tile<BT x BC x f32> -> !tile.tile<1 x BC x f32>
    }
  }
  return
}

// -----

// Rows that become columns.
// CHECK-LABEL: func.func @turned(
// CHECK:         %[[T:.*]] = tile.transpose
// CHECK:         %[[F:.*]] = tile.fill_columns %[[T]], %{{.*}}, 0xFF800000
// CHECK:         tile.reduce {{ *}}max %[[F]] axis 1
func.func @turned(%X: !tile.array<?xf32>, %n: index) attributes {tile.kernel} {
  tile.grid (%t) in (%n by BT) {
    %x = tile.load %X[%t span] : (!tile.array<?xf32>, !tile.span<BT>) -> !tile.tile<BT x 1 x f32>
    %r = tile.transpose %x : !tile.tile<BT x 1 x f32> -> !tile.tile<1 x BT x f32>
    %m = tile.reduce max %r axis 1 : !tile.tile<1 x BT x f32> -> !tile.tile<1 x 1 x f32>
  }
  return
}

// -----

// Columns that all exist.
// CHECK-LABEL: func.func @whole(
// CHECK-NOT:     tile.fill_columns
func.func @whole(%X: !tile.array<?x64xf32>, %n: index) attributes {tile.kernel} {
  tile.grid (%t) in (%n by BT) {
    %x = tile.load %X[%t span, :] : (!tile.array<?x64xf32>, !tile.span<BT>) -> !tile.tile<BT x 64 x f32>
    %m = tile.reduce max %x axis 1 : !tile.tile<BT x 64 x f32> -> !tile.tile<BT x 1 x f32>
  }
  return
}

// -----

// The columns of a product are those of its right operand: here the rows of a span.
// CHECK-LABEL: func.func @products(
// CHECK:         tile.range %[[K:.*]] =
// CHECK:           %[[S:.*]] = tile.dot
// CHECK:           %[[F:.*]] = tile.fill_columns %[[S]], %[[K]], 0xFF800000
// CHECK:           tile.reduce {{ *}}max %[[F]] axis 1
func.func @products(%Q: !tile.array<?x64xf16>, %K: !tile.array<?x64xf16>, %n: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  tile.grid (%q) in (%n by 32) {
    %x = tile.load %Q[%q span, :] : (!tile.array<?x64xf16>, !tile.span<32>) -> !tile.tile<32 x 64 x f16>
    tile.range %k = %zero to %n by 16 {
      %y = tile.load %K[%k span, :] : (!tile.array<?x64xf16>, !tile.span<16>) -> !tile.tile<16 x 64 x f16>
      %s = tile.dot %x, %y transpose_b : !tile.tile<32 x 64 x f16>, !tile.tile<16 x 64 x f16> -> !tile.tile<32 x 16 x f32>
      %m = tile.reduce max %s axis 1 : !tile.tile<32 x 16 x f32> -> !tile.tile<32 x 1 x f32>
    }
  }
  return
}

// -----

// Scores that are filled for their maximum are what weights are computed from: those of columns that do not exist are zero, and
// the sum needs nothing filled.
// CHECK-LABEL: func.func @softmax(
// CHECK:         tile.range %[[C:.*]] =
// CHECK:           %[[X:.*]] = tile.load %{{.*}}[%{{.*}} span, %{{.*}} span]
// CHECK:           %[[F:.*]] = tile.fill_columns %[[X]], %[[C]], 0xFF800000
// CHECK:           %[[M:.*]] = tile.reduce {{ *}}max %[[F]] axis 1
// CHECK:           %[[H:.*]] = tile.maximum %{{.*}}, %[[M]]
// CHECK:           %[[D:.*]] = tile.sub %[[F]], %[[H]]
// CHECK:           %[[E:.*]] = tile.exp %[[D]]
// CHECK-NOT:       tile.fill_columns
// CHECK:           tile.reduce {{ *}}sum %[[E]] axis 1
func.func @softmax(%X: !tile.array<?x?xf32>, %O: !tile.array<?xf32>, %n: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  tile.grid (%t) in (%n by BT) {
    %old = tile.load %O[%t span] : (!tile.array<?xf32>, !tile.span<BT>) -> !tile.tile<BT x 1 x f32>
    tile.range %c = %zero to %n by BC {
      %x = tile.load %X[%t span, %c span] : (!tile.array<?x?xf32>, !tile.span<BT>, !tile.span<BC>) -> !tile.tile<BT x BC x f32>
      %m = tile.reduce max %x axis 1 : !tile.tile<BT x BC x f32> -> !tile.tile<BT x 1 x f32>
      %h = tile.maximum %old, %m : !tile.tile<BT x 1 x f32>, !tile.tile<BT x 1 x f32> -> !tile.tile<BT x 1 x f32>
      %d = tile.sub %x, %h : !tile.tile<BT x BC x f32>, !tile.tile<BT x 1 x f32> -> !tile.tile<BT x BC x f32>
      %e = tile.exp %d : !tile.tile<BT x BC x f32>
      %s = tile.reduce sum %e axis 1 : !tile.tile<BT x BC x f32> -> !tile.tile<BT x 1 x f32>
      tile.store %s, %O[%t span] : (!tile.tile<BT x 1 x f32>, !tile.array<?xf32>, !tile.span<BT>) -> ()
    }
  }
  return
}

// -----

// What is subtracted may be -inf where the scores are not, or the difference is used otherwise: then both are filled.
// CHECK-LABEL: func.func @other_bounds(
// CHECK:           %[[X:.*]] = tile.load %{{.*}}[%{{.*}} span, %{{.*}} span]
// CHECK:           tile.fill_columns %[[X]], %{{.*}}, 0xFF800000
// CHECK:           %[[D:.*]] = tile.sub %[[X]],
// CHECK:           %[[E:.*]] = tile.exp %[[D]]
// CHECK:           tile.fill_columns %[[E]], %{{.*}}, 0.000000e+00
// CHECK:           %[[G:.*]] = tile.sub %[[X]],
// CHECK:           %[[W:.*]] = tile.exp %[[G]]
// CHECK:           tile.fill_columns %[[W]], %{{.*}}, 0.000000e+00
func.func @other_bounds(%X: !tile.array<?x?xf32>, %O: !tile.array<?xf32>, %n: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  tile.grid (%t) in (%n by BT) {
    %old = tile.load %O[%t span] : (!tile.array<?xf32>, !tile.span<BT>) -> !tile.tile<BT x 1 x f32>
    tile.range %c = %zero to %n by BC {
      %x = tile.load %X[%t span, %c span] : (!tile.array<?x?xf32>, !tile.span<BT>, !tile.span<BC>) -> !tile.tile<BT x BC x f32>
      %m = tile.reduce max %x axis 1 : !tile.tile<BT x BC x f32> -> !tile.tile<BT x 1 x f32>
      %d = tile.sub %x, %old : !tile.tile<BT x BC x f32>, !tile.tile<BT x 1 x f32> -> !tile.tile<BT x BC x f32>
      %e = tile.exp %d : !tile.tile<BT x BC x f32>
      %s = tile.reduce sum %e axis 1 : !tile.tile<BT x BC x f32> -> !tile.tile<BT x 1 x f32>
      %g = tile.sub %x, %m : !tile.tile<BT x BC x f32>, !tile.tile<BT x 1 x f32> -> !tile.tile<BT x BC x f32>
      %w = tile.exp %g : !tile.tile<BT x BC x f32>
      %u = tile.reduce sum %w axis 1 : !tile.tile<BT x BC x f32> -> !tile.tile<BT x 1 x f32>
      %a = tile.abs %g : !tile.tile<BT x BC x f32>
      %v = tile.reduce sum %a axis 1 : !tile.tile<BT x BC x f32> -> !tile.tile<BT x 1 x f32>
    }
  }
  return
}
