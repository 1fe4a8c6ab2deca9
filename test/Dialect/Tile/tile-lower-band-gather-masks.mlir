// RUN: attn-opt %s --tile-lower-band-gather="form=halo" --canonicalize --cse | FileCheck %s

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// Beside a band, what is computed from positions is computed taps by rows; what is made of sums over taps stays a row.
// CHECK-LABEL: func.func @masked(
// CHECK-DAG:     %[[TAPS:.*]] = tile.ramp : <3 x 1 x f32>
// CHECK-DAG:     %[[ROWS:.*]] = tile.ramp : <1 x 8 x f32>
// CHECK-NOT:     tile.ramp
// CHECK:         %[[PLACES:.*]] = tile.add %[[ROWS]], %[[TAPS]] : <1 x 8 x f32>, <3 x 1 x f32> -> <3 x 8 x f32>
// CHECK:         %[[MASK:.*]] = tile.compare {{ *}}le %[[PLACES]], %{{.*}} : <3 x 8 x f32>, <1 x 1 x f32> -> <3 x 8 x f32>
// CHECK:         %[[MASKED:.*]] = tile.select %[[MASK]], %{{.*}}, %{{.*}} : <3 x 8 x f32>, <3 x 8 x f32>, <1 x 1 x f32> -> <3 x 8 x f32>
// CHECK:         %[[MAX:.*]] = tile.reduce max %[[MASKED]] axis 0 : <3 x 8 x f32> -> <1 x 8 x f32>
// CHECK:         %[[LEAST:.*]] = tile.maximum %[[MAX]], %{{.*}} : <1 x 8 x f32>, <1 x 1 x f32> -> <1 x 8 x f32>
// CHECK-NOT:     tile.extract %[[LEAST]]
// CHECK:         tile.sub %[[MASKED]], %[[LEAST]] : <3 x 8 x f32>, <1 x 8 x f32> -> <3 x 8 x f32>
func.func @masked(%Q: !tile.array<8x64xf32>, %K: !tile.array<10x64xf32>, %O: !tile.array<8x64xf32>) attributes {tile.kernel} {
  %f5 = arith.constant 5.0 : f32
  %limit = tile.splat %f5 : f32 -> !tile.tile<1 x 1 x f32>
  %i = tile.ramp : !tile.tile<8 x 1 x f32>
  %j = tile.ramp : !tile.tile<1 x 3 x f32>
  %places = tile.add %i, %j : !tile.tile<8 x 1 x f32>, !tile.tile<1 x 3 x f32> -> !tile.tile<8 x 3 x f32>
  %m = tile.compare le %places, %limit : !tile.tile<8 x 3 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<8 x 3 x f32>
  %q = tile.load %Q[:, :] : (!tile.array<8x64xf32>) -> !tile.tile<8 x 64 x f32>
  %k = tile.load %K[:, :] : (!tile.array<10x64xf32>) -> !tile.tile<10 x 64 x f32>
  %s = tile.band_dot %q, %k : !tile.tile<8 x 64 x f32>, !tile.tile<10 x 64 x f32> -> !tile.tile<8 x 3 x f32>
  %t = tile.select %m, %s, %limit : !tile.tile<8 x 3 x f32>, !tile.tile<8 x 3 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<8 x 3 x f32>
  %max = tile.reduce max %t axis 1 : !tile.tile<8 x 3 x f32> -> !tile.tile<8 x 1 x f32>
  %least = tile.maximum %max, %limit : !tile.tile<8 x 1 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<8 x 1 x f32>
  %d = tile.sub %t, %least : !tile.tile<8 x 3 x f32>, !tile.tile<8 x 1 x f32> -> !tile.tile<8 x 3 x f32>
  %o = tile.band_mix %d, %k : !tile.tile<8 x 3 x f32>, !tile.tile<10 x 64 x f32> -> !tile.tile<8 x 64 x f32>
  tile.store %o, %O[:, :] : (!tile.tile<8 x 64 x f32>, !tile.array<8x64xf32>) -> ()
  return
}
}
