// RUN: attn-opt %s --convert-tile-to-linalg --split-input-file | FileCheck %s
// Columns that a span lacks, and rows as columns.

// CHECK-LABEL: func.func @fill(
// CHECK:         linalg.generic
// CHECK:           linalg.index 1
// CHECK:           %[[EXISTS:.*]] = arith.cmpi slt
// CHECK:           arith.select %[[EXISTS]]
func.func @fill(%x: !tile.array<4x?xf32>, %y: !tile.array<4x8xf32>, %n: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %c = tile.make_span %zero to %n : !tile.span<8>
  %a = tile.load %x[:, %c span] : (!tile.array<4x?xf32>, !tile.span<8>) -> !tile.tile<4 x 8 x f32>
  %b = tile.fill_columns %a, %c, 1.0 : !tile.tile<4 x 8 x f32>, !tile.span<8>
  tile.store %b, %y[:, :] : (!tile.tile<4 x 8 x f32>, !tile.array<4x8xf32>) -> ()
  return
}

// -----

// A row and a column are the same elements.
// CHECK-LABEL: func.func @line(
// CHECK:         tensor.collapse_shape
// CHECK:         tensor.expand_shape
// CHECK-NOT:     linalg.transpose
func.func @line(%x: !tile.array<1x8xf32>, %y: !tile.array<8x1xf32>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<1x8xf32>) -> !tile.tile<1 x 8 x f32>
  %b = tile.transpose %a : !tile.tile<1 x 8 x f32> -> !tile.tile<8 x 1 x f32>
  tile.store %b, %y[:, :] : (!tile.tile<8 x 1 x f32>, !tile.array<8x1xf32>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @tile(
// CHECK:         linalg.transpose {{.*}} permutation = [1, 0]
func.func @tile(%x: !tile.array<4x8xf16>, %y: !tile.array<8x4xf16>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<4x8xf16>) -> !tile.tile<4 x 8 x f16>
  %b = tile.transpose %a : !tile.tile<4 x 8 x f16> -> !tile.tile<8 x 4 x f16>
  tile.store %b, %y[:, :] : (!tile.tile<8 x 4 x f16>, !tile.array<8x4xf16>) -> ()
  return
}

// -----

// A span whose limit lies a size after its base is known to have all of its rows.
// CHECK-LABEL: func.func @whole(
// CHECK-NOT:     affine.min
// CHECK:         memref.subview %{{.*}}[%{{.*}}, 0] [4, 8] [1, 1]
// CHECK:         affine.min
func.func @whole(%x: !tile.array<?x8xf32>, %y: !tile.array<?x8xf32>, %i: index) attributes {tile.kernel} {
  %four = arith.constant 4 : index
  %three = arith.constant 3 : index
  %end = arith.addi %i, %four : index
  %t = tile.make_span %i to %end : !tile.span<4>
  %a = tile.load %x[%t span, :] : (!tile.array<?x8xf32>, !tile.span<4>) -> !tile.tile<4 x 8 x f32>
  %early = arith.addi %i, %three : index
  %s = tile.make_span %i to %early : !tile.span<4>
  tile.store %a, %y[%s span, :] : (!tile.tile<4 x 8 x f32>, !tile.array<?x8xf32>, !tile.span<4>) -> ()
  return
}
