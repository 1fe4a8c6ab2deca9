// Spans, bands and phases: parsing, printing and folding.
// RUN: attn-opt %s | attn-opt | FileCheck %s
// RUN: attn-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: func.func @band
// FOLD-LABEL: func.func @band
func.func @band(%Q: !tile.array<?x64xf32> {launch.dims = ["S", 64]},
                %K: !tile.array<?x64xf32> {launch.dims = ["S", 64]},
                %O: !tile.array<?x64xf32> {launch.dims = ["S", 64], launch.output}, %c: index, %d: index)
    attributes {tile.kernel, tile.symbols = {BM = #tile.auto<8, 64>}} {
  %zero = arith.constant 0 : index
  %three = arith.constant 3 : index
  %S = tile.dim %Q, 0 : !tile.array<?x64xf32>
  tile.grid (%t) in (%S by BM) {
    %base = tile.span_base %t : !tile.span<BM>
    %start = arith.subi %base, %three : index
    // CHECK: tile.make_span %{{.*}} to %{{.*}} map(%{{.*}}, %{{.*}}) : <BM, mapped>
    %q = tile.make_span %base to %S map(%c, %d) : !tile.span<BM, mapped>
    // CHECK: tile.make_span %{{.*}} to %{{.*}} from %{{.*}} map(%{{.*}}, %{{.*}}) : <BM + 6, filled, mapped>
    %k = tile.make_span %start to %S from %zero map(%c, %d) : !tile.span<BM + 6, filled, mapped>
    %qt = tile.load %Q[%q span, :] : (!tile.array<?x64xf32>, !tile.span<BM, mapped>) -> !tile.tile<BM x 64 x f32>
    // CHECK: tile.load {{.*}} -> !tile.tile<BM + 6 x 64 x f32>
    %kt = tile.load %K[%k span, :] : (!tile.array<?x64xf32>, !tile.span<BM + 6, filled, mapped>) -> !tile.tile<BM + 6 x 64 x f32>
    // CHECK: tile.band_dot %{{.*}}, %{{.*}} : <BM x 64 x f32>, <BM + 6 x 64 x f32> -> <BM x 7 x f32>
    %s = tile.band_dot %qt, %kt : !tile.tile<BM x 64 x f32>, !tile.tile<BM + 6 x 64 x f32> -> !tile.tile<BM x 7 x f32>
    // CHECK: tile.band_mask %{{.*}} : <BM + 6, filled, mapped> -> <BM x 7 x f32>
    %m = tile.band_mask %k : !tile.span<BM + 6, filled, mapped> -> !tile.tile<BM x 7 x f32>
    %p = tile.mul %s, %m : !tile.tile<BM x 7 x f32>, !tile.tile<BM x 7 x f32> -> !tile.tile<BM x 7 x f32>
    // CHECK: tile.band_spread %{{.*}}, %{{.*}} into %{{.*}} : <BM x 7 x f32>, <BM x 64 x f32> into <BM + 6 x 64 x f32>
    %w = tile.band_spread %p, %qt into %kt : !tile.tile<BM x 7 x f32>, !tile.tile<BM x 64 x f32> into !tile.tile<BM + 6 x 64 x f32>
    // CHECK: tile.band_mix %{{.*}}, %{{.*}} : <BM x 7 x f32>, <BM + 6 x 64 x f32> -> <BM x 64 x f32>
    %o = tile.band_mix %p, %w : !tile.tile<BM x 7 x f32>, !tile.tile<BM + 6 x 64 x f32> -> !tile.tile<BM x 64 x f32>
    tile.store %o, %O[%q span, :] : (!tile.tile<BM x 64 x f32>, !tile.array<?x64xf32>, !tile.span<BM, mapped>) -> ()
  }
  return
}

// CHECK-LABEL: func.func @parts
func.func @parts(%s: !tile.tile<7 x BM x f32>) -> !tile.tile<7 x BM x f32> {
  %zero = arith.constant 0 : index
  // CHECK: tile.extract %{{.*}}[%{{.*}}, %{{.*}}] transposed : <7 x BM x f32> -> <BM x 1 x f32>
  %c = tile.extract %s[%zero, %zero] transposed : !tile.tile<7 x BM x f32> -> !tile.tile<BM x 1 x f32>
  // CHECK: tile.insert %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] transposed : <BM x 1 x f32> into <7 x BM x f32>
  %r = tile.insert %c, %s[%zero, %zero] transposed : !tile.tile<BM x 1 x f32> into !tile.tile<7 x BM x f32>
  return %r : !tile.tile<7 x BM x f32>
}

// CHECK-LABEL: func.func @phases
func.func @phases(%G: !tile.array<?x64xf32> {launch.dims = ["@blocks", 64], launch.workspace}, %g: !tile.tile<1 x 64 x f32>, %n: index) {
  tile.grid (%t) in (%n) {
    // CHECK: tile.accumulate %{{.*}}, %{{.*}} : <1 x 64 x f32>, <?x64xf32>
    tile.accumulate %g, %G : !tile.tile<1 x 64 x f32>, !tile.array<?x64xf32>
  }
  // CHECK: tile.phase
  tile.phase
  return
}

// CHECK-LABEL: func.func @folds
// FOLD-LABEL: func.func @folds
// FOLD-SAME: (%[[BASE:.*]]: index, %{{.*}}: index)
func.func @folds(%base: index, %n: index) -> (index, index, index) {
  %t = tile.make_span %base to %n : !tile.span<8>
  %b = tile.span_base %t : !tile.span<8>
  // CHECK: tile.size BM + 6
  %open = tile.size BM + 6
  %known = tile.size 16
  // FOLD: %[[SIXTEEN:.*]] = arith.constant 16 : index
  // FOLD: %[[OPEN:.*]] = tile.size BM + 6
  // FOLD: return %[[BASE]], %[[OPEN]], %[[SIXTEEN]]
  return %b, %open, %known : index, index, index
}
