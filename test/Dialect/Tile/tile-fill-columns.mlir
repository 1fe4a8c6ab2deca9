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
