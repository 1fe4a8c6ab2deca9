// RUN: attn-opt %s --soc=Ascend910B4 --tile-lower-band-gather="form=halo" --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,HALO
// RUN: attn-opt %s --soc=Ascend910B4 --tile-lower-band-gather="form=gathered" --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,GATHERED
// RUN: attn-opt %s --soc=Ascend910B4 --tile-lower-band-gather="form=halo" --convert-tile-to-ascend --cse | FileCheck %s --check-prefix=CHIP

// More than 32 taps are a loop, an even number of them as well. The first of a weighted sum is its start.
// CHECK-LABEL: func.func @forty(
// CHECK:         %[[EMPTY:.*]] = tile.undefined : <40 x 8 x f32>
// CHECK:         %[[S:.*]] = tile.range %[[T:.*]] = %c0 to %c40 iter(%[[SO_FAR:.*]] = %[[EMPTY]] : !tile.tile<40 x 8 x f32>) stages 2 {
// HALO:            %[[K:.*]] = tile.extract %{{.*}}[%[[T]], %c0] : <47 x 64 x f32> -> <8 x 64 x f32>
// GATHERED:        %[[FROM:.*]] = arith.addi %{{.*}}, %[[T]]
// GATHERED:        %[[SPAN:.*]] = tile.make_span %[[FROM]] to
// GATHERED:        %[[K:.*]] = tile.load %{{.*}} [%[[SPAN]] span, :]
// CHECK:           %[[PRODUCTS:.*]] = tile.mul %{{.*}}, %[[K]]
// CHECK:           %[[SUMS:.*]] = tile.reduce sum %[[PRODUCTS]] axis 1
// CHECK:           %[[NEXT:.*]] = tile.insert %[[SUMS]], %[[SO_FAR]][%[[T]], %c0] transposed
// CHECK:           tile.yield %[[NEXT]]
// CHECK:         %[[P:.*]] = tile.mul %[[S]], %{{.*}}
// CHECK:         %[[FIRST:.*]] = tile.mul
// CHECK:         tile.range %[[T:.*]] = %c1 to %c40 iter(%[[SUM:.*]] = %[[FIRST]] : !tile.tile<8 x 64 x f32>) stages 2 {
// CHECK:           %[[W:.*]] = tile.extract %[[P]][%[[T]], %c0] transposed : <40 x 8 x f32> -> <8 x 1 x f32>
// CHECK:           %[[WEIGHTED:.*]] = tile.mul %{{.*}}, %[[W]]
// CHECK:           tile.add %[[SUM]], %[[WEIGHTED]]
// CHECK:         tile.range %[[T:.*]] = %c0 to %c40 iter(%[[INTO:.*]] = %{{.*}} : !tile.tile<47 x 64 x f32>) stages 2 {
// CHECK:           %[[PART:.*]] = tile.extract %[[INTO]][%[[T]], %c0] : <47 x 64 x f32> -> <8 x 64 x f32>
// CHECK:           tile.insert %{{.*}}, %[[INTO]][%[[T]], %c0] : <8 x 64 x f32> into <47 x 64 x f32>

// The ends of all taps, then their starts: a loop each.
// CHIP:          scf.for %[[TAP:.*]] = %c0 to %c40 step %c1 {
// CHIP:            %[[LEFT:.*]] = arith.subi %{{.*}}, %[[TAP]]
// CHIP:            ascend.duplicate
// CHIP:          scf.for %{{.*}} = %c0 to %c40 step %c1 {
// CHIP:            ascend.duplicate
func.func @forty(%O: !tile.array<8x64xf32> {launch.dims = [8, 64], launch.output},
                 %W: !tile.array<47x64xf32> {launch.dims = [47, 64], launch.output},
                 %Q: !tile.array<8x64xf32> {launch.dims = [8, 64]}, %K: !tile.array<?x64xf32> {launch.dims = ["S", 64]}, %base: index)
    attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %S = tile.dim %K, 0 : !tile.array<?x64xf32>
  %k = tile.make_span %base to %S from %zero : !tile.span<47, filled>
  %q = tile.load %Q[:, :] : (!tile.array<8x64xf32>) -> !tile.tile<8 x 64 x f32>
  %w = tile.load %K[%k span, :] : (!tile.array<?x64xf32>, !tile.span<47, filled>) -> !tile.tile<47 x 64 x f32>
  %v = tile.exp %w : !tile.tile<47 x 64 x f32>
  %s = tile.band_dot %q, %w : !tile.tile<8 x 64 x f32>, !tile.tile<47 x 64 x f32> -> !tile.tile<8 x 40 x f32>
  %m = tile.band_mask %k : !tile.span<47, filled> -> !tile.tile<8 x 40 x f32>
  %p = tile.mul %s, %m : !tile.tile<8 x 40 x f32>, !tile.tile<8 x 40 x f32> -> !tile.tile<8 x 40 x f32>
  %o = tile.band_mix %p, %v : !tile.tile<8 x 40 x f32>, !tile.tile<47 x 64 x f32> -> !tile.tile<8 x 64 x f32>
  %u = tile.band_spread %p, %q into %v : !tile.tile<8 x 40 x f32>, !tile.tile<8 x 64 x f32> into !tile.tile<47 x 64 x f32>
  tile.store %o, %O[:, :] : (!tile.tile<8 x 64 x f32>, !tile.array<8x64xf32>) -> ()
  tile.store %u, %W[:, :] : (!tile.tile<47 x 64 x f32>, !tile.array<47x64xf32>) -> ()
  return
}
