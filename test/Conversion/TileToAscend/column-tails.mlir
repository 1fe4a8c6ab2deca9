// RUN: attn-opt %s --soc=Ascend910B4 --convert-tile-to-ascend --cse --split-input-file | FileCheck %s
// Columns that a span lacks: zeros after a load, what a reduction does not see, and what a store leaves out.

// CHECK-LABEL: func.func @columns(
// CHECK-DAG:     %[[A:.*]] = ascend.alloc "f" counted {{[0-9]+}} : memref<768xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[KEPT:.*]] = ascend.alloc "f_taken_bits" counted {{[0-9]+}} : memref<48xi32, #ascend.space<ub>>
// CHECK-DAG:     %[[NUMBER:.*]] = ascend.alloc "f_other_bits" counted {{[0-9]+}} : memref<48xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK:         %[[MOST:.*]] = arith.minsi %{{.*}}, %c40 : index
// CHECK:         %[[COLS:.*]] = arith.maxsi %[[MOST]], %c0 : index
// CHECK:         %[[LACKS:.*]] = arith.cmpi slt, %[[COLS]], %c40 : index
// CHECK:         scf.if %[[LACKS]] {
// The transfer fills the data block that a row ends in, the vector unit those after it.
// CHECK:           ascend.copy_in %[[A]], %{{.*}} rows(%[[ROWS:.*]]) length(%[[COLS]]) src_pitch(%{{.*}}) dst_pitch 48 right_pad 1
// CHECK:         } else {
// CHECK:           ascend.copy_in %[[A]], %{{.*}} rows(%[[ROWS]]) length(%c40) src_pitch(%{{.*}}) dst_pitch 48 right_pad 8
// The blocks have a condition of their own, after the transfer: the vector unit waits for it once. A whole row is padded
// by its transfer.
// CHECK:         %[[REACHED:.*]] = arith.ceildivui %[[COLS]], %c8 : index
// CHECK:         scf.if %[[LACKS]] {
// CHECK:           scf.for %[[BLOCK:.*]] = %[[REACHED]] to %c6 step %c1 {
// CHECK:             ascend.duplicate %{{.*}}, %{{.*}} mask 8 repeat(%[[ROWS]]) strides [1, 6] {ascend.apart = [[APART:.*]]} :
// CHECK-NEXT:      } {ascend.apart = [[APART]]}
// CHECK:         scf.if %[[LACKS]] {
// CHECK:           ascend.duplicate %[[KEPT]], %{{.*}} count(%c48)
// CHECK:           ascend.duplicate %[[KEPT]], %{{.*}} count(%[[COLS]])
// CHECK:           ascend.bitwise {{ *}}and %[[A]], %[[A]], %[[KEPT]] mask 48 repeat(%[[ROWS]]) strides [1, 1, 1, 6, 6, 0]
// CHECK:           ascend.duplicate %[[NUMBER]], %[[LOWEST]] count(%c48)
// CHECK:           ascend.duplicate %[[NUMBER]], %{{.*}} count(%[[COLS]])
// CHECK:           ascend.bitwise {{ *}}or %[[A]], %[[A]], %[[NUMBER]] mask 48 repeat(%[[ROWS]]) strides [1, 1, 1, 6, 6, 0]
// CHECK:         ascend.row_reduce {{ *}}max %{{.*}}, %[[A]]
// CHECK:         ascend.copy_out %{{.*}}, %[[A]] rows(%[[ROWS]]) length(%[[COLS]])
func.func @columns(%x: !tile.array<?x?xf32>, %y: !tile.array<?x?xf32>, %m: !tile.array<?xf32>, %n: index, %w: index) attributes {tile.kernel} {
  %t = tile.make_span %n to %w : !tile.span<16>
  %c = tile.make_span %n to %w : !tile.span<40>
  %a = tile.load %x[%t span, %c span] : (!tile.array<?x?xf32>, !tile.span<16>, !tile.span<40>) -> !tile.tile<16 x 40 x f32> loc("a")
  %f = tile.fill_columns %a, %c, 0xFF800000 : !tile.tile<16 x 40 x f32>, !tile.span<40> loc("f")
  %r = tile.reduce max %f axis 1 : !tile.tile<16 x 40 x f32> -> !tile.tile<16 x 1 x f32> loc("r")
  tile.store %f, %y[%t span, %c span] : (!tile.tile<16 x 40 x f32>, !tile.array<?x?xf32>, !tile.span<16>, !tile.span<40>) -> ()
  tile.store %r, %m[%t span] : (!tile.tile<16 x 1 x f32>, !tile.array<?xf32>, !tile.span<16>) -> ()
  return
}

// -----

// Few rows are filled one by one, where whole blocks are missing; zeros need no other row. The tile is kept, so the
// filled one is a copy.
// CHECK-LABEL: func.func @few_rows(
// CHECK:         scf.if
// CHECK:           ascend.copy_in
// CHECK:           ascend.copy_in
// CHECK:         %[[REACHED:.*]] = arith.ceildivui %{{.*}}, %c16 : index
// CHECK:         %[[MISSING:.*]] = arith.cmpi slt, %[[REACHED]], %c4 : index
// CHECK:         scf.if %[[MISSING]] {
// CHECK:           ascend.duplicate %{{.*}}, %{{.*}} count(%{{.*}}) : memref<?xf16
// CHECK:         ascend.copy %[[F:.*]], %[[X:.*]] count(%c64)
// CHECK:         scf.if
// CHECK:           ascend.bitwise {{ *}}and %[[F]], %[[F]], %{{.*}} count(%c64)
// CHECK-NOT:       ascend.bitwise
// CHECK:         ascend.row_reduce {{ *}}sum
func.func @few_rows(%x: !tile.array<1x?xf16>, %y: !tile.array<1x?xf32>, %m: !tile.array<1x1xf32>, %n: index, %w: index) attributes {tile.kernel} {
  %c = tile.make_span %n to %w : !tile.span<64>
  %a = tile.load %x[:, %c span] : (!tile.array<1x?xf16>, !tile.span<64>) -> !tile.tile<1 x 64 x f16>
  %b = tile.cast %a : !tile.tile<1 x 64 x f16> -> !tile.tile<1 x 64 x f32>
  %f = tile.fill_columns %b, %c, 0.0 : !tile.tile<1 x 64 x f32>, !tile.span<64>
  %r = tile.reduce sum %f axis 1 : !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 1 x f32>
  tile.store %b, %y[:, %c span] : (!tile.tile<1 x 64 x f32>, !tile.array<1x?xf32>, !tile.span<64>) -> ()
  tile.store %r, %m[:, :] : (!tile.tile<1 x 1 x f32>, !tile.array<1x1xf32>) -> ()
  return
}

// -----

// Of a column as a row, what does not exist is zero; a row as a column has what exists.
// CHECK-LABEL: func.func @turned(
// CHECK:         ascend.copy_in %[[COLUMN:.*]], %{{.*}} rows(%c1) length(%[[ROWS:.*]]) src_pitch
// CHECK:         ascend.duplicate %[[ROW:.*]], %{{.*}} count(%c32)
// CHECK:         ascend.scalar {{ *}}muls %[[ROW]], %[[COLUMN]], %{{.*}} count(%[[ROWS]])
// CHECK:         ascend.scalar {{ *}}muls %{{.*}}, %{{.*}}, %{{.*}} count(%[[ROWS]])
func.func @turned(%x: !tile.array<?xf32>, %y: !tile.array<?xf32>, %n: index, %w: index) attributes {tile.kernel} {
  %t = tile.make_span %n to %w : !tile.span<20>
  %a = tile.load %x[%t span] : (!tile.array<?xf32>, !tile.span<20>) -> !tile.tile<20 x 1 x f32>
  %r = tile.transpose %a : !tile.tile<20 x 1 x f32> -> !tile.tile<1 x 20 x f32>
  %e = tile.exp %r : !tile.tile<1 x 20 x f32>
  %b = tile.transpose %e : !tile.tile<1 x 20 x f32> -> !tile.tile<20 x 1 x f32>
  tile.store %b, %y[%t span] : (!tile.tile<20 x 1 x f32>, !tile.array<?xf32>, !tile.span<20>) -> ()
  return
}
