// RUN: attn-opt %s | attn-opt | FileCheck %s
// Ramps, comparisons and choices; operands are broadcast.

// CHECK-LABEL: func.func @masks
func.func @masks(%a: !tile.tile<BT x 64 x f32>, %b: !tile.tile<1 x 64 x f32>) {
  // CHECK: %[[I:.*]] = tile.ramp : <BT x 1 x f32>
  %i = tile.ramp : !tile.tile<BT x 1 x f32>
  // CHECK: %[[J:.*]] = tile.ramp : <1 x 64 x f32>
  %j = tile.ramp : !tile.tile<1 x 64 x f32>
  // CHECK: %[[M:.*]] = tile.compare {{ *}}lt %[[I]], %[[J]] : <BT x 1 x f32>, <1 x 64 x f32> -> <BT x 64 x f32>
  %m = tile.compare lt %i, %j : !tile.tile<BT x 1 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<BT x 64 x f32>
  // CHECK: tile.compare {{ *}}le
  %0 = tile.compare le %a, %b : !tile.tile<BT x 64 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<BT x 64 x f32>
  // CHECK: tile.compare {{ *}}gt
  %1 = tile.compare gt %a, %b : !tile.tile<BT x 64 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<BT x 64 x f32>
  // CHECK: tile.compare {{ *}}ge
  %2 = tile.compare ge %a, %b : !tile.tile<BT x 64 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<BT x 64 x f32>
  // CHECK: tile.compare {{ *}}eq
  %3 = tile.compare eq %a, %b : !tile.tile<BT x 64 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<BT x 64 x f32>
  // CHECK: tile.select %[[M]], %{{.*}}, %{{.*}} : <BT x 64 x f32>, <BT x 64 x f32>, <1 x 64 x f32> -> <BT x 64 x f32>
  %y = tile.select %m, %a, %b : !tile.tile<BT x 64 x f32>, !tile.tile<BT x 64 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<BT x 64 x f32>
  return
}
