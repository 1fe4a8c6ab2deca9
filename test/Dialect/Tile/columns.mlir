// RUN: attn-opt %s | attn-opt | FileCheck %s
// Columns that a span lacks, and rows as columns.

// CHECK-LABEL: func.func @columns
func.func @columns(%x: !tile.tile<BT x BC x f32>, %c: !tile.span<BC>, %r: !tile.tile<BC x 1 x f16>) {
  // CHECK: tile.fill_columns %{{.*}}, %{{.*}}, 0xFF800000 : <BT x BC x f32>, <BC>
  %y = tile.fill_columns %x, %c, 0xFF800000 : !tile.tile<BT x BC x f32>, !tile.span<BC>
  // CHECK: tile.transpose %{{.*}} : <BC x 1 x f16> -> <1 x BC x f16>
  %t = tile.transpose %r : !tile.tile<BC x 1 x f16> -> !tile.tile<1 x BC x f16>
  return
}
