// RUN: attn-opt %s --tile-lower-band-gather="form=halo" --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,HALO
// RUN: attn-opt %s --tile-lower-band-gather="form=gathered" --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,GATHERED
// RUN: attn-opt %s --tile-choose --tile-lower-band-gather --canonicalize --cse -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --check-prefixes=CHECK,HALO < %t
// RUN: not attn-opt %s --soc=Ascend910B4:ub_bytes=6656 --tile-choose -o /dev/null 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: attn-opt %s --soc=host --tile-choose --tile-lower-band-gather -o /dev/null 2>&1 | count 0

// REMARK: remark: bands take the form halo: each window is read once
// SMALL: remark: bands take the form gathered (estimates for one core; halo: does not fit; gathered: {{[0-9]+}} bytes, {{[0-9]+}} cycles)

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// Scores, mask, softmax and mixture. Taps are rows; a tap's products are summed straight into its row.
// CHECK-LABEL: func.func @forward(
// CHECK:         tile.grid (%[[T:.*]]) in (%{{.*}} by BM)
// CHECK:           %[[START:.*]] = arith.subi %{{.*}}, %c1
// CHECK:           %[[K:.*]] = tile.make_span %[[START]] to %{{.*}} from %c0 map(%[[C:.*]], %[[D:.*]]) : <BM + 2, filled, mapped>
// CHECK:           %[[QT:.*]] = tile.load %{{.*}} -> !tile.tile<BM x 64 x f32>
// HALO:            %[[K16:.*]] = tile.load %{{.*}} [%[[K]] span, :] {{.*}} -> !tile.tile<BM + 2 x 64 x bf16>
// HALO:            %[[KT:.*]] = tile.cast %[[K16]]
// CHECK:           %[[EMPTY:.*]] = tile.undefined : <3 x BM x f32>
// HALO:            %[[K0:.*]] = tile.extract %[[KT]][%c0, %c0] : <BM + 2 x 64 x f32> -> <BM x 64 x f32>
// GATHERED:        %[[SPAN:.*]] = tile.make_span %[[START]] to %{{.*}} from %c0 map(%[[C]], %[[D]]) : <BM, filled, mapped>
// GATHERED:        %[[LOADED:.*]] = tile.load %{{.*}} [%[[SPAN]] span, :] {{.*}} -> !tile.tile<BM x 64 x bf16>
// GATHERED:        %[[K0:.*]] = tile.cast %[[LOADED]] : <BM x 64 x bf16> -> <BM x 64 x f32>
// CHECK:           %[[P0:.*]] = tile.mul %[[QT]], %[[K0]]
// CHECK:           %[[S0:.*]] = tile.reduce sum %[[P0]] axis 1 : <BM x 64 x f32> -> <BM x 1 x f32>
// CHECK:           %[[B0:.*]] = tile.insert %[[S0]], %[[EMPTY]][%c0, %c0] transposed : <BM x 1 x f32> into <3 x BM x f32>
// HALO:            %[[K1:.*]] = tile.extract %[[KT]][%c1, %c0]
// GATHERED:        tile.make_span %{{.*}} from %c0 map(%[[C]], %[[D]]) : <BM, filled, mapped>
// CHECK:           %[[B1:.*]] = tile.insert %{{.*}}, %[[B0]][%c1, %c0] transposed
// CHECK:           %[[B2:.*]] = tile.insert %{{.*}}, %[[B1]][%c2, %c0] transposed
// CHECK:           %[[SCALED:.*]] = tile.mul %[[B2]], %{{.*}} : <3 x BM x f32>, <1 x 1 x f32> -> <3 x BM x f32>
// CHECK:           %[[MASK:.*]] = tile.band_mask %[[K]] transposed : <BM + 2, filled, mapped> -> <3 x BM x f32>
// CHECK:           %[[MASKED:.*]] = tile.mul %[[SCALED]], %[[MASK]]
// CHECK:           %[[FULL:.*]] = tile.splat %{{.*}} : f32 -> <3 x BM x f32>
// CHECK:           %[[X:.*]] = tile.add %[[MASKED]], %[[FULL]]
// A reduction over taps is a row; where bands go on with it, it stays one.
// CHECK:           %[[MAX:.*]] = tile.reduce max %[[X]] axis 0 : <3 x BM x f32> -> <1 x BM x f32>
// CHECK:           %[[LSE:.*]] = tile.extract %[[MAX]][%c0, %c0] transposed : <1 x BM x f32> -> <BM x 1 x f32>
// CHECK:           %[[Y:.*]] = tile.sub %[[X]], %[[MAX]] : <3 x BM x f32>, <1 x BM x f32> -> <3 x BM x f32>
// A column of the source is turned into a row.
// CHECK:           %[[COLUMN:.*]] = tile.load {{.*}} -> !tile.tile<BM x 1 x f32>
// CHECK:           %[[ROW:.*]] = tile.extract %[[COLUMN]][%c0, %c0] transposed : <BM x 1 x f32> -> <1 x BM x f32>
// CHECK:           %[[Z:.*]] = tile.add %[[Y]], %[[ROW]]
// CHECK:           %[[BENT:.*]] = tile.leaky_relu %[[Z]], %{{.*}} : <3 x BM x f32>
// CHECK:           %[[P:.*]] = tile.exp %[[BENT]] : <3 x BM x f32>
// HALO:            %[[V0:.*]] = tile.extract %{{.*}}[%c0, %c0] : <BM + 2 x 64 x f32> -> <BM x 64 x f32>
// GATHERED:        %[[V0:.*]] = tile.load %{{.*}} -> !tile.tile<BM x 64 x f32>
// CHECK:           %[[W0:.*]] = tile.extract %[[P]][%c0, %c0] transposed : <3 x BM x f32> -> <BM x 1 x f32>
// CHECK:           %[[O0:.*]] = tile.mul %[[V0]], %[[W0]]
// CHECK:           %[[W1:.*]] = tile.extract %[[P]][%c1, %c0] transposed
// CHECK:           %[[T1:.*]] = tile.mul %{{.*}}, %[[W1]]
// CHECK:           %[[O1:.*]] = tile.add %[[O0]], %[[T1]]
// CHECK:           %[[O2:.*]] = tile.add %[[O1]], %{{.*}}
// CHECK:           tile.store %[[O2]]
// CHECK:           tile.store %[[LSE]]
// CHECK-NOT:     tile.band_dot
func.func @forward(%Q: !tile.array<?x64xf32> {launch.dims = ["S", 64]}, %K: !tile.array<?x64xbf16> {launch.dims = ["S", 64]},
                   %V: !tile.array<?x64xf32> {launch.dims = ["S", 64]}, %L: !tile.array<?xf32> {launch.dims = ["S"]},
                   %O: !tile.array<?x64xf32> {launch.dims = ["S", 64], launch.output},
                   %M: !tile.array<?xf32> {launch.dims = ["S"], launch.output}, %c: index, %d: index, %scale: f32)
    attributes {tile.kernel, tile.symbols = {BM = #tile.auto<8, 64>}} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %S = tile.dim %Q, 0 : !tile.array<?x64xf32>
  tile.grid (%t) in (%S by BM) {
    %base = tile.span_base %t : !tile.span<BM>
    %start = arith.subi %base, %one : index
    %q = tile.make_span %base to %S map(%c, %d) : !tile.span<BM, mapped>
    %k = tile.make_span %start to %S from %zero map(%c, %d) : !tile.span<BM + 2, filled, mapped>
    %qt = tile.load %Q[%q span, :] : (!tile.array<?x64xf32>, !tile.span<BM, mapped>) -> !tile.tile<BM x 64 x f32>
    %k16 = tile.load %K[%k span, :] : (!tile.array<?x64xbf16>, !tile.span<BM + 2, filled, mapped>) -> !tile.tile<BM + 2 x 64 x bf16>
    %kt = tile.cast %k16 : !tile.tile<BM + 2 x 64 x bf16> -> !tile.tile<BM + 2 x 64 x f32>
    %s = tile.band_dot %qt, %kt : !tile.tile<BM x 64 x f32>, !tile.tile<BM + 2 x 64 x f32> -> !tile.tile<BM x 3 x f32>
    %factor = tile.splat %scale : f32 -> !tile.tile<1 x 1 x f32>
    %scaled = tile.mul %s, %factor : !tile.tile<BM x 3 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<BM x 3 x f32>
    %m = tile.band_mask %k : !tile.span<BM + 2, filled, mapped> -> !tile.tile<BM x 3 x f32>
    %masked = tile.mul %scaled, %m : !tile.tile<BM x 3 x f32>, !tile.tile<BM x 3 x f32> -> !tile.tile<BM x 3 x f32>
    %full = tile.splat %scale : f32 -> !tile.tile<BM x 3 x f32>
    %x = tile.add %masked, %full : !tile.tile<BM x 3 x f32>, !tile.tile<BM x 3 x f32> -> !tile.tile<BM x 3 x f32>
    %max = tile.reduce max %x axis 1 : !tile.tile<BM x 3 x f32> -> !tile.tile<BM x 1 x f32>
    %y = tile.sub %x, %max : !tile.tile<BM x 3 x f32>, !tile.tile<BM x 1 x f32> -> !tile.tile<BM x 3 x f32>
    %lt = tile.load %L[%q span] : (!tile.array<?xf32>, !tile.span<BM, mapped>) -> !tile.tile<BM x 1 x f32>
    %z = tile.add %y, %lt : !tile.tile<BM x 3 x f32>, !tile.tile<BM x 1 x f32> -> !tile.tile<BM x 3 x f32>
    %bent = tile.leaky_relu %z, %scale : !tile.tile<BM x 3 x f32>
    %p = tile.exp %bent : !tile.tile<BM x 3 x f32>
    %vt = tile.load %V[%k span, :] : (!tile.array<?x64xf32>, !tile.span<BM + 2, filled, mapped>) -> !tile.tile<BM + 2 x 64 x f32>
    %o = tile.band_mix %p, %vt : !tile.tile<BM x 3 x f32>, !tile.tile<BM + 2 x 64 x f32> -> !tile.tile<BM x 64 x f32>
    tile.store %o, %O[%q span, :] : (!tile.tile<BM x 64 x f32>, !tile.array<?x64xf32>, !tile.span<BM, mapped>) -> ()
    tile.store %max, %M[%q span] : (!tile.tile<BM x 1 x f32>, !tile.array<?xf32>, !tile.span<BM, mapped>) -> ()
  }
  return
}

// Rows are added to the rows of their windows where these are; a window that is not loaded is never gathered.
// CHECK-LABEL: func.func @spread(
// CHECK:         %[[Q:.*]] = tile.load
// CHECK:         %[[W:.*]] = tile.exp
// CHECK:         %[[R0:.*]] = tile.extract %[[W]][%c0, %c0] : <10 x 64 x f32> -> <8 x 64 x f32>
// CHECK:         %[[P:.*]] = tile.mul %{{.*}} : <3 x 8 x f32>, <3 x 8 x f32> -> <3 x 8 x f32>
// CHECK:         %[[C0:.*]] = tile.extract %[[P]][%c0, %c0] transposed : <3 x 8 x f32> -> <8 x 1 x f32>
// CHECK:         %[[T0:.*]] = tile.mul %[[Q]], %[[C0]]
// CHECK:         %[[U0:.*]] = tile.add %[[R0]], %[[T0]]
// CHECK:         %[[W0:.*]] = tile.insert %[[U0]], %[[W]][%c0, %c0] : <8 x 64 x f32> into <10 x 64 x f32>
// CHECK:         tile.extract %[[W0]][%c1, %c0]
// CHECK:         %[[W1:.*]] = tile.insert %{{.*}}, %[[W0]][%c1, %c0]
// CHECK:         %[[W2:.*]] = tile.insert %{{.*}}, %[[W1]][%c2, %c0]
// CHECK:         tile.store %[[W2]]
func.func @spread(%O: !tile.array<10x64xf32> {launch.dims = [10, 64], launch.output},
                  %Q: !tile.array<8x64xf32> {launch.dims = [8, 64]}, %K: !tile.array<?x64xf32> {launch.dims = ["S", 64]}, %base: index)
    attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %S = tile.dim %K, 0 : !tile.array<?x64xf32>
  %k = tile.make_span %base to %S from %zero : !tile.span<10, filled>
  %q = tile.load %Q[:, :] : (!tile.array<8x64xf32>) -> !tile.tile<8 x 64 x f32>
  %w = tile.load %K[%k span, :] : (!tile.array<?x64xf32>, !tile.span<10, filled>) -> !tile.tile<10 x 64 x f32>
  %v = tile.exp %w : !tile.tile<10 x 64 x f32>
  %p = tile.band_dot %q, %v : !tile.tile<8 x 64 x f32>, !tile.tile<10 x 64 x f32> -> !tile.tile<8 x 3 x f32>
  %a = tile.band_dot %q, %w : !tile.tile<8 x 64 x f32>, !tile.tile<10 x 64 x f32> -> !tile.tile<8 x 3 x f32>
  %e = tile.mul %p, %a : !tile.tile<8 x 3 x f32>, !tile.tile<8 x 3 x f32> -> !tile.tile<8 x 3 x f32>
  %u = tile.band_spread %e, %q into %v : !tile.tile<8 x 3 x f32>, !tile.tile<8 x 64 x f32> into !tile.tile<10 x 64 x f32>
  tile.store %u, %O[:, :] : (!tile.tile<10 x 64 x f32>, !tile.array<10x64xf32>) -> ()
  return
}

// A band of one tap is a column, and its window the rows themselves.
// CHECK-LABEL: func.func @one_tap(
// CHECK:         %[[Q:.*]] = tile.load
// CHECK:         %[[V:.*]] = tile.load
// CHECK:         %[[PRODUCTS:.*]] = tile.mul %[[Q]], %[[V]]
// CHECK:         %[[S:.*]] = tile.reduce sum %[[PRODUCTS]] axis 1
// CHECK:         %[[MASK:.*]] = tile.band_mask %{{.*}} transposed : <8, filled> -> <1 x 8 x f32>
// CHECK:         %[[COLUMN:.*]] = tile.extract %[[MASK]][%c0, %c0] transposed : <1 x 8 x f32> -> <8 x 1 x f32>
// CHECK:         %[[P:.*]] = tile.mul %[[S]], %[[COLUMN]] : <8 x 1 x f32>, <8 x 1 x f32> -> <8 x 1 x f32>
// CHECK:         %[[O:.*]] = tile.mul %[[V]], %[[P]]
// CHECK:         %[[W:.*]] = tile.mul %[[Q]], %[[P]]
// CHECK:         %[[U:.*]] = tile.add %[[O]], %[[W]]
// CHECK:         tile.store %[[U]]
func.func @one_tap(%O: !tile.array<8x64xf32> {launch.dims = [8, 64], launch.output},
                    %Q: !tile.array<8x64xf32> {launch.dims = [8, 64]}, %V: !tile.array<?x64xf32> {launch.dims = ["S", 64]}, %base: index)
    attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %S = tile.dim %V, 0 : !tile.array<?x64xf32>
  %k = tile.make_span %base to %S from %zero : !tile.span<8, filled>
  %q = tile.load %Q[:, :] : (!tile.array<8x64xf32>) -> !tile.tile<8 x 64 x f32>
  %v = tile.load %V[%k span, :] : (!tile.array<?x64xf32>, !tile.span<8, filled>) -> !tile.tile<8 x 64 x f32>
  %s = tile.band_dot %q, %v : !tile.tile<8 x 64 x f32>, !tile.tile<8 x 64 x f32> -> !tile.tile<8 x 1 x f32>
  %m = tile.band_mask %k : !tile.span<8, filled> -> !tile.tile<8 x 1 x f32>
  %p = tile.mul %s, %m : !tile.tile<8 x 1 x f32>, !tile.tile<8 x 1 x f32> -> !tile.tile<8 x 1 x f32>
  %o = tile.band_mix %p, %v : !tile.tile<8 x 1 x f32>, !tile.tile<8 x 64 x f32> -> !tile.tile<8 x 64 x f32>
  %u = tile.band_spread %p, %q into %o : !tile.tile<8 x 1 x f32>, !tile.tile<8 x 64 x f32> into !tile.tile<8 x 64 x f32>
  tile.store %u, %O[:, :] : (!tile.tile<8 x 64 x f32>, !tile.array<8x64xf32>) -> ()
  return
}
}
