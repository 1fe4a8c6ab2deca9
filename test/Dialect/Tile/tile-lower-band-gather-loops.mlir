// RUN: attn-opt %s --soc=Ascend910B4 --tile-lower-band-gather="form=halo" --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,HALO
// RUN: attn-opt %s --soc=Ascend910B4 --tile-lower-band-gather="form=gathered" --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,GATHERED
// RUN: attn-opt %s --soc=Ascend910B4 --tile-lower-band-gather="form=halo" --convert-tile-to-ascend --cse | FileCheck %s --check-prefix=CHIP
// RUN: attn-opt %s --soc=host --tile-lower-band-gather="form=halo" --canonicalize --cse | FileCheck %s --check-prefix=HOST

// More than 32 taps are a loop, an even number of them as well. Those that do not need each other are one.
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
// CHECK:         tile.range %[[T:.*]] = %c0 to %c40 iter(%[[SUM:.*]] = %{{.*}} : !tile.tile<8 x 64 x f32>,
// CHECK-SAME:        %[[INTO:.*]] = %{{.*}} : !tile.tile<47 x 64 x f32>) stages 2 {
// CHECK:           %[[W:.*]] = tile.extract %[[P]][%[[T]], %c0] transposed : <40 x 8 x f32> -> <8 x 1 x f32>
// CHECK:           %[[WEIGHTED:.*]] = tile.mul %{{.*}}, %[[W]]
// CHECK:           tile.add %[[SUM]], %[[WEIGHTED]]
// CHECK:           %[[PART:.*]] = tile.extract %[[INTO]][%[[T]], %c0] : <47 x 64 x f32> -> <8 x 64 x f32>
// CHECK:           tile.insert %{{.*}}, %[[INTO]][%[[T]], %c0] : <8 x 64 x f32> into <47 x 64 x f32>

// On the host, a trip takes a group of taps; what no group takes is a loop of its own.
// HOST-LABEL: func.func @forty(
// HOST:         %[[EMPTY:.*]] = tile.undefined : <40 x 8 x f32>
// HOST:         %[[S:.*]] = tile.range %[[G:.*]] = %c0 to %c10 iter(%[[SO_FAR:.*]] = %[[EMPTY]] : !tile.tile<40 x 8 x f32>) stages 2 {
// HOST:           %[[T:.*]] = arith.muli %[[G]], %c4
// HOST:            %[[K:.*]] = tile.extract %{{.*}}[%[[T]], %c0] : <47 x 64 x f32> -> <8 x 64 x f32>
// HOST:           %[[PRODUCTS:.*]] = tile.mul %{{.*}}, %[[K]]
// HOST:           %[[SUMS:.*]] = tile.reduce sum %[[PRODUCTS]] axis 1
// HOST:           %[[NEXT:.*]] = tile.insert %[[SUMS]], %[[SO_FAR]][%[[T]], %c0] transposed
// HOST:           %[[T1:.*]] = arith.addi %[[T]], %c1
// HOST:           tile.insert %{{.*}}, %[[NEXT]][%[[T1]], %c0] transposed
// HOST:           %[[T2:.*]] = arith.addi %[[T]], %c2
// HOST:           %[[T3:.*]] = arith.addi %[[T]], %c3
// HOST:           %[[LAST:.*]] = tile.insert %{{.*}}, %{{.*}}[%[[T3]], %c0] transposed
// HOST:           tile.yield %[[LAST]]
// HOST:         %[[P:.*]] = tile.mul %[[S]], %{{.*}}
// HOST:         %[[FIRST:.*]] = tile.mul
// HOST:         %[[MOST:.*]] = tile.range %[[G:.*]] = %c0 to %c9 iter(%[[SUM:.*]] = %[[FIRST]] : !tile.tile<8 x 64 x f32>) stages 2 {
// HOST:           %[[BEFORE:.*]] = arith.muli %[[G]], %c4
// HOST:           %[[T:.*]] = arith.addi %[[BEFORE]], %c1
// HOST:           %[[W:.*]] = tile.extract %[[P]][%[[T]], %c0] transposed : <40 x 8 x f32> -> <8 x 1 x f32>
// HOST:           %[[WEIGHTED:.*]] = tile.mul %{{.*}}, %[[W]]
// HOST:           tile.add %[[SUM]], %[[WEIGHTED]]
// HOST:         tile.range %[[T:.*]] = %c37 to %c40 iter(%[[SUM:.*]] = %[[MOST]] : !tile.tile<8 x 64 x f32>) stages 2 {
// HOST:           tile.extract %[[P]][%[[T]], %c0] transposed
// HOST:         tile.range %[[G:.*]] = %c0 to %c10 iter(%[[INTO:.*]] = %{{.*}} : !tile.tile<47 x 64 x f32>) stages 2 {
// HOST:           %[[T:.*]] = arith.muli %[[G]], %c4
// HOST:           %[[PART:.*]] = tile.extract %[[INTO]][%[[T]], %c0] : <47 x 64 x f32> -> <8 x 64 x f32>
// HOST:           tile.insert %{{.*}}, %[[INTO]][%[[T]], %c0] : <8 x 64 x f32> into <47 x 64 x f32>

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

// What all bands of a kernel take as straight code counts: three times 30 taps are few enough, but not where 30 of them load
// their rows as well.
// CHECK-LABEL: func.func @thirty(
// HALO-NOT:      tile.range
// GATHERED:      tile.range %{{.*}} = %c0 to %c30 iter
// GATHERED:        tile.load
// GATHERED:      tile.range %{{.*}} = %c0 to %c30 iter
// GATHERED-NOT:  tile.range
// CHECK:         return
func.func @thirty(%O: !tile.array<8x64xf32> {launch.dims = [8, 64], launch.output},
                  %W: !tile.array<37x64xf32> {launch.dims = [37, 64], launch.output},
                  %Q: !tile.array<8x64xf32> {launch.dims = [8, 64]}, %K: !tile.array<?x64xf32> {launch.dims = ["S", 64]}, %base: index)
    attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %S = tile.dim %K, 0 : !tile.array<?x64xf32>
  %k = tile.make_span %base to %S from %zero : !tile.span<37, filled>
  %q = tile.load %Q[:, :] : (!tile.array<8x64xf32>) -> !tile.tile<8 x 64 x f32>
  %w = tile.load %K[%k span, :] : (!tile.array<?x64xf32>, !tile.span<37, filled>) -> !tile.tile<37 x 64 x f32>
  %v = tile.exp %w : !tile.tile<37 x 64 x f32>
  %p = tile.band_dot %q, %w : !tile.tile<8 x 64 x f32>, !tile.tile<37 x 64 x f32> -> !tile.tile<8 x 30 x f32>
  %o = tile.band_mix %p, %v : !tile.tile<8 x 30 x f32>, !tile.tile<37 x 64 x f32> -> !tile.tile<8 x 64 x f32>
  %u = tile.band_spread %p, %q into %v : !tile.tile<8 x 30 x f32>, !tile.tile<8 x 64 x f32> into !tile.tile<37 x 64 x f32>
  tile.store %o, %O[:, :] : (!tile.tile<8 x 64 x f32>, !tile.array<8x64xf32>) -> ()
  tile.store %u, %W[:, :] : (!tile.tile<37 x 64 x f32>, !tile.array<37x64xf32>) -> ()
  return
}

// Products with two windows are one loop: the rows and the window of the second are loaded before it, unless something is
// stored to their array in between.
// CHECK-LABEL: func.func @two(
// GATHERED:      tile.load %{{.*}}[:, :]
// GATHERED:      tile.load %{{.*}}[:, :]
// GATHERED:      %[[BOTH:.*]]:2 = tile.range %{{.*}} = %c0 to %c40
// GATHERED:        %[[FROM:.*]] = tile.make_span
// GATHERED:        tile.load %{{.*}}[%[[FROM]] span, :]
// GATHERED-NOT:    tile.make_span
// GATHERED:        tile.load %{{.*}}[%[[FROM]] span, :]
// GATHERED:        tile.yield
// GATHERED:      tile.store
// GATHERED:      tile.range %{{.*}} = %c0 to %c40
// GATHERED-NOT:  tile.range
// CHECK:         return
func.func @two(%A: !tile.array<8x64xf32> {launch.dims = [8, 64]},
               %B: !tile.array<8x64xf32> {launch.dims = [8, 64], launch.output}, %K: !tile.array<?x64xf32> {launch.dims = ["S", 64]},
               %L: !tile.array<?x64xf32> {launch.dims = ["S", 64]}, %base: index)
    attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %S = tile.dim %K, 0 : !tile.array<?x64xf32>
  %span = tile.make_span %base to %S from %zero : !tile.span<47, filled>
  %a = tile.load %A[:, :] : (!tile.array<8x64xf32>) -> !tile.tile<8 x 64 x f32>
  %k = tile.load %K[%span span, :] : (!tile.array<?x64xf32>, !tile.span<47, filled>) -> !tile.tile<47 x 64 x f32>
  %s = tile.band_dot %a, %k : !tile.tile<8 x 64 x f32>, !tile.tile<47 x 64 x f32> -> !tile.tile<8 x 40 x f32>
  %p = tile.exp %s : !tile.tile<8 x 40 x f32>
  %b = tile.load %B[:, :] : (!tile.array<8x64xf32>) -> !tile.tile<8 x 64 x f32>
  %l = tile.load %L[%span span, :] : (!tile.array<?x64xf32>, !tile.span<47, filled>) -> !tile.tile<47 x 64 x f32>
  %t = tile.band_dot %b, %l : !tile.tile<8 x 64 x f32>, !tile.tile<47 x 64 x f32> -> !tile.tile<8 x 40 x f32>
  %u = tile.mul %p, %t : !tile.tile<8 x 40 x f32>, !tile.tile<8 x 40 x f32> -> !tile.tile<8 x 40 x f32>
  %sum = tile.reduce sum %u axis 1 : !tile.tile<8 x 40 x f32> -> !tile.tile<8 x 1 x f32>
  %c = tile.mul %a, %sum : !tile.tile<8 x 64 x f32>, !tile.tile<8 x 1 x f32> -> !tile.tile<8 x 64 x f32>
  tile.store %c, %B[:, :] : (!tile.tile<8 x 64 x f32>, !tile.array<8x64xf32>) -> ()
  %again = tile.load %B[:, :] : (!tile.array<8x64xf32>) -> !tile.tile<8 x 64 x f32>
  %v = tile.band_dot %again, %l : !tile.tile<8 x 64 x f32>, !tile.tile<47 x 64 x f32> -> !tile.tile<8 x 40 x f32>
  %total = tile.reduce sum %v axis 1 : !tile.tile<8 x 40 x f32> -> !tile.tile<8 x 1 x f32>
  %d = tile.mul %a, %total : !tile.tile<8 x 64 x f32>, !tile.tile<8 x 1 x f32> -> !tile.tile<8 x 64 x f32>
  tile.store %d, %B[:, :] : (!tile.tile<8 x 64 x f32>, !tile.array<8x64xf32>) -> ()
  return
}

// A loop stays where it is if what its taps load is stored before it.
// CHECK-LABEL: func.func @stored(
// GATHERED:      tile.range %{{.*}} = %c0 to %c40
// GATHERED:      tile.store
// GATHERED:      tile.range %{{.*}} = %c0 to %c40
// GATHERED-NOT:  tile.range
// CHECK:         return
func.func @stored(%A: !tile.array<8x64xf32> {launch.dims = [8, 64]}, %K: !tile.array<?x64xf32> {launch.dims = ["S", 64]},
                  %L: !tile.array<?x64xf32> {launch.dims = ["S", 64], launch.output},
                  %base: index)
    attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %S = tile.dim %K, 0 : !tile.array<?x64xf32>
  %span = tile.make_span %base to %S from %zero : !tile.span<47, filled>
  %rows = tile.make_span %base to %S : !tile.span<8>
  %a = tile.load %A[:, :] : (!tile.array<8x64xf32>) -> !tile.tile<8 x 64 x f32>
  %k = tile.load %K[%span span, :] : (!tile.array<?x64xf32>, !tile.span<47, filled>) -> !tile.tile<47 x 64 x f32>
  %s = tile.band_dot %a, %k : !tile.tile<8 x 64 x f32>, !tile.tile<47 x 64 x f32> -> !tile.tile<8 x 40 x f32>
  tile.store %a, %L[%rows span, :] : (!tile.tile<8 x 64 x f32>, !tile.array<?x64xf32>, !tile.span<8>) -> ()
  %l = tile.load %L[%span span, :] : (!tile.array<?x64xf32>, !tile.span<47, filled>) -> !tile.tile<47 x 64 x f32>
  %t = tile.band_dot %a, %l : !tile.tile<8 x 64 x f32>, !tile.tile<47 x 64 x f32> -> !tile.tile<8 x 40 x f32>
  %u = tile.mul %s, %t : !tile.tile<8 x 40 x f32>, !tile.tile<8 x 40 x f32> -> !tile.tile<8 x 40 x f32>
  %sum = tile.reduce sum %u axis 1 : !tile.tile<8 x 40 x f32> -> !tile.tile<8 x 1 x f32>
  %c = tile.mul %a, %sum : !tile.tile<8 x 64 x f32>, !tile.tile<8 x 1 x f32> -> !tile.tile<8 x 64 x f32>
  tile.store %c, %L[%rows span, :] : (!tile.tile<8 x 64 x f32>, !tile.array<?x64xf32>, !tile.span<8>) -> ()
  return
}
