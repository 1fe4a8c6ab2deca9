// RUN: attn-opt %s --soc=Ascend910B4 --convert-tile-to-ascend --cse | FileCheck %s

// The shorter side is taken a square at a time, the longer one as repeats: along rows or down columns.
// CHECK-LABEL: func.func @wide(
// CHECK:         ascend.transpose %[[D:.*]], %[[S:.*]] repeat(%c4) strides [2, 4, 32, 1] : memref<2048xf16
// CHECK-DAG:     %[[D1:.*]] = ascend.slice %[[D]][%c16]
// CHECK-DAG:     %[[S1:.*]] = ascend.slice %[[S]][%c1024]
// CHECK:         ascend.transpose %[[D1]], %[[S1]] repeat(%c4) strides [2, 4, 32, 1]
// CHECK-NOT:     ascend.transpose
func.func @wide(%x: !tile.array<32x64xf16>, %y: !tile.array<64x32xf16>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<32x64xf16>) -> !tile.tile<32 x 64 x f16>
  %b = tile.transpose %a : !tile.tile<32 x 64 x f16> -> !tile.tile<64 x 32 x f16>
  tile.store %b, %y[:, :] : (!tile.tile<64 x 32 x f16>, !tile.array<64x32xf16>) -> ()
  return
}

// CHECK-LABEL: func.func @tall(
// CHECK:         ascend.transpose %{{.*}}, %{{.*}} repeat(%c3) strides [3, 1, 1, 16] : memref<768xbf16
// CHECK-NOT:     ascend.transpose
func.func @tall(%x: !tile.array<48x16xbf16>, %y: !tile.array<16x48xbf16>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<48x16xbf16>) -> !tile.tile<48 x 16 x bf16>
  %b = tile.transpose %a : !tile.tile<48 x 16 x bf16> -> !tile.tile<16 x 48 x bf16>
  tile.store %b, %y[:, :] : (!tile.tile<16 x 48 x bf16>, !tile.array<16x48xbf16>) -> ()
  return
}

// Rows that do not exist are zeros before they become columns.
// CHECK-LABEL: func.func @tail(
// CHECK:         ascend.copy_in %[[S:.*]], %{{.*}} rows(%[[ROWS:.*]]) length(%c16)
// CHECK:         %[[MISSING:.*]] = arith.subi %c32, %[[ROWS]]
// CHECK:         %[[REST:.*]] = ascend.slice %[[S]]
// CHECK:         ascend.duplicate %[[REST]], %{{.*}} count(%{{.*}}) : memref<?xf16
// CHECK:         ascend.transpose %{{.*}}, %[[S]] repeat(%c2) strides [2, 1, 1, 16]
// CHECK:         ascend.copy_out %{{.*}} rows(%c16) length(%[[ROWS]])
func.func @tail(%x: !tile.array<?x16xf16>, %y: !tile.array<16x?xf16>, %n: index, %w: index) attributes {tile.kernel} {
  %t = tile.make_span %n to %w : !tile.span<32>
  %a = tile.load %x[%t span, :] : (!tile.array<?x16xf16>, !tile.span<32>) -> !tile.tile<32 x 16 x f16>
  %b = tile.transpose %a : !tile.tile<32 x 16 x f16> -> !tile.tile<16 x 32 x f16>
  tile.store %b, %y[:, %t span] : (!tile.tile<16 x 32 x f16>, !tile.array<16x?xf16>, !tile.span<32>) -> ()
  return
}

// A tile filled with one number is the same either way.
// CHECK-LABEL: func.func @filled(
// CHECK:         ascend.duplicate
// CHECK-NOT:     ascend.transpose
func.func @filled(%y: !tile.array<16x32xf16>, %s: f16) attributes {tile.kernel} {
  %a = tile.splat %s : f16 -> !tile.tile<32 x 16 x f16>
  %b = tile.transpose %a : !tile.tile<32 x 16 x f16> -> !tile.tile<16 x 32 x f16>
  tile.store %b, %y[:, :] : (!tile.tile<16 x 32 x f16>, !tile.array<16x32xf16>) -> ()
  return
}
