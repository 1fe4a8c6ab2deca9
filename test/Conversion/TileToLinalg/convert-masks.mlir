// RUN: attn-opt %s --convert-tile-to-linalg --canonicalize | FileCheck %s
// Masks are ones and zeros; a choice takes whole elements.

// CHECK-LABEL: func.func @masks
func.func @masks(%x: !tile.array<4x8xf32>, %y: !tile.array<4x8xf32>) attributes {tile.kernel} {
  // CHECK: linalg.generic
  // CHECK:   %[[ROW:.*]] = linalg.index 0 : index
  // CHECK:   %[[WORD:.*]] = arith.index_cast %[[ROW]] : index to i32
  // CHECK:   arith.sitofp %[[WORD]] : i32 to f32
  %i = tile.ramp : !tile.tile<4 x 1 x f32>
  // CHECK: linalg.generic
  // CHECK:   linalg.index 1 : index
  %j = tile.ramp : !tile.tile<1 x 8 x f32>
  // CHECK: linalg.generic
  // CHECK:   %[[HOLDS:.*]] = arith.cmpf oge, %{{.*}}, %{{.*}} : f32
  // CHECK:   arith.uitofp %[[HOLDS]] : i1 to f32
  %m = tile.compare ge %i, %j : !tile.tile<4 x 1 x f32>, !tile.tile<1 x 8 x f32> -> !tile.tile<4 x 8 x f32>
  %v = tile.load %x[:, :] : (!tile.array<4x8xf32>) -> !tile.tile<4 x 8 x f32>
  // CHECK: linalg.generic
  // CHECK:   %[[TAKEN:.*]] = arith.cmpf one, %{{.*}}, %{{.*}} : f32
  // CHECK:   arith.select %[[TAKEN]], %{{.*}}, %{{.*}} : f32
  %w = tile.select %m, %v, %j : !tile.tile<4 x 8 x f32>, !tile.tile<4 x 8 x f32>, !tile.tile<1 x 8 x f32> -> !tile.tile<4 x 8 x f32>
  tile.store %w, %y[:, :] : (!tile.tile<4 x 8 x f32>, !tile.array<4x8xf32>) -> ()
  return
}
