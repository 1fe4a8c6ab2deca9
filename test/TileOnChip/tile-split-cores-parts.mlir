// Products of cube cores in parts, and operands that are parts of a tile.
// RUN: attn-opt %s --tile-split-cores --split-input-file | FileCheck %s

!q = !tile.array<?x64xf16>
!s = !tile.array<?x?xf32>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// 80 columns in parts of 32: the last part is cut off where the tile ends, in the array that goes on and in the ring.
// CHECK-LABEL: func.func @ends_with_the_tile_cube(
// CHECK: tile.range %[[J:.*]] = %{{.*}} to %[[N:.*]] by 80 {
// CHECK: %[[BASE:.*]] = tile.span_base %[[J]]
// CHECK: %[[LEFT:.*]] = arith.subi %[[N]], %[[BASE]]
// CHECK: tile.range %{{.*}} to %{{.*}} stages 2 {
// CHECK:   %[[END:.*]] = arith.addi %[[BASE]], %c80
// CHECK:   %[[KEYS:.*]] = arith.minsi %[[N]], %[[END]]
// CHECK:   %[[ROWS:.*]] = tile.make_span %{{.*}} to %[[KEYS]] : <32>
// CHECK:   tile.load %{{.*}} [%[[ROWS]] span, :]
// CHECK:   %[[RING:.*]] = arith.addi %c0, %c80
// CHECK:   %[[SCORES:.*]] = arith.minsi %[[LEFT]], %[[RING]]
// CHECK:   %[[COLS:.*]] = tile.make_span %{{.*}} to %[[SCORES]] : <32>
// CHECK:   tile.store %{{.*}} [%{{.*}}, %{{.*}}, %{{.*}} span, %[[COLS]] span]
func.func @ends_with_the_tile(%Q: !q, %K: !q, %S: !s {launch.output})
    attributes {tile.kernel, tile.group = #tile.group<preload = 0, lag = 0, slots = 0, strip_rows = 0, part = 32>} {
  %c0 = arith.constant 0 : index
  %M = tile.dim %Q, 0 : !q
  %N = tile.dim %K, 0 : !q
  tile.range %m = %c0 to %M by 32 {
    %x = tile.load %Q[%m span, :] : (!q, !tile.span<32>) -> !tile.tile<32 x 64 x f16>
    tile.range %j = %c0 to %N by 80 {
      %y = tile.load %K[%j span, :] : (!q, !tile.span<80>) -> !tile.tile<80 x 64 x f16>
      %s = tile.dot %x, %y transpose_b : !tile.tile<32 x 64 x f16>, !tile.tile<80 x 64 x f16> -> !tile.tile<32 x 80 x f32>
      %e = tile.exp %s : !tile.tile<32 x 80 x f32>
      tile.store %e, %S[%m span, %j span] : (!tile.tile<32 x 80 x f32>, !s, !tile.span<32>, !tile.span<80>) -> ()
    }
  }
  return
}
}

// -----

!v = !tile.array<?x256xf16>
!o = !tile.array<?x256xf32>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// Columns of values are not cut where that makes rows shorter than a line of L2 and the sums are one row block; k is.
// Three parts fit half of L1: the next two are loaded while one is multiplied.
// CHECK-LABEL: func.func @short_rows_cube(
// CHECK: tile.range %{{.*}} to %c2 iter({{.*}}) stages 3 {
// CHECK:   tile.load {{.*}} -> !tile.tile<8 x 128 x f16>
// CHECK:   tile.load {{.*}} -> !tile.tile<128 x 256 x f16>
// CHECK:   tile.dot
// CHECK: tile.store %{{.*}} -> ()
// CHECK: return
func.func @short_rows(%P: !v, %V: !tile.array<256x256xf16>, %O: !o {launch.output})
    attributes {tile.kernel, tile.group = #tile.group<preload = 0, lag = 0, slots = 0, strip_rows = 0, part = 128>} {
  %c0 = arith.constant 0 : index
  %M = tile.dim %P, 0 : !v
  tile.range %m = %c0 to %M by 8 {
    %x = tile.load %P[%m span, :] : (!v, !tile.span<8>) -> !tile.tile<8 x 256 x f16>
    %y = tile.load %V[:, :] : (!tile.array<256x256xf16>) -> !tile.tile<256 x 256 x f16>
    %s = tile.dot %x, %y : !tile.tile<8 x 256 x f16>, !tile.tile<256 x 256 x f16> -> !tile.tile<8 x 256 x f32>
    %e = tile.exp %s : !tile.tile<8 x 256 x f32>
    tile.store %e, %O[%m span, :] : (!tile.tile<8 x 256 x f32>, !o, !tile.span<8>) -> ()
  }
  return
}

// Columns of a loaded tile that are only multiplied are a matter of the cube core.
// CHECK-LABEL: func.func @columns(
// CHECK-NOT: tile.extract
// CHECK-LABEL: func.func @columns_cube(
// CHECK: %[[ALL:.*]] = tile.load {{.*}} -> !tile.tile<64 x 256 x f16>
// CHECK: %[[PART:.*]] = tile.extract %[[ALL]][%c0, %c128] : <64 x 256 x f16> -> <64 x 128 x f16>
// CHECK: tile.dot %{{.*}}, %[[PART]] transpose_b
func.func @columns(%Q: !tile.array<?x128xf16>, %K: !tile.array<64x256xf16>, %S: !tile.array<?x64xf32> {launch.output})
    attributes {tile.kernel, tile.group = #tile.group<preload = 0, lag = 0, slots = 0, strip_rows = 0, part = 128>} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %M = tile.dim %Q, 0 : !tile.array<?x128xf16>
  tile.range %m = %c0 to %M by 16 {
    %x = tile.load %Q[%m span, :] : (!tile.array<?x128xf16>, !tile.span<16>) -> !tile.tile<16 x 128 x f16>
    %y = tile.load %K[:, :] : (!tile.array<64x256xf16>) -> !tile.tile<64 x 256 x f16>
    %k = tile.extract %y[%c0, %c128] : !tile.tile<64 x 256 x f16> -> !tile.tile<64 x 128 x f16>
    %s = tile.dot %x, %k transpose_b : !tile.tile<16 x 128 x f16>, !tile.tile<64 x 128 x f16> -> !tile.tile<16 x 64 x f32>
    %e = tile.exp %s : !tile.tile<16 x 64 x f32>
    tile.store %e, %S[%m span, :] : (!tile.tile<16 x 64 x f32>, !tile.array<?x64xf32>, !tile.span<16>) -> ()
  }
  return
}
}

// -----

!p = !tile.array<?x512xf16>
!w = !tile.array<512x128xf16>
!r = !tile.array<?x128xf32>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// Of more than 128 rows so many are multiplied at a time. Values stay in L1 for all of them, and have a single slot; of
// the parts of k it is the left operand that says how many exist.
// CHECK-LABEL: func.func @many_rows_cube(
// CHECK: tile.range %[[M:.*]] = %{{.*}} to %{{.*}} by 256 {
// CHECK:   %[[V:.*]] = tile.load {{.*}} -> !tile.tile<512 x 128 x f16>
// CHECK:   tile.range %[[R:.*]] = %c0{{.*}} to %{{.*}} stages 2 {
// CHECK:     %[[SUMS:.*]] = tile.range %[[J:.*]] = {{.*}} iter({{.*}}) stages 2 {
// CHECK:       %[[FIRST:.*]] = arith.muli %[[J]], %c128
// CHECK:       %[[LEFT:.*]] = tile.load {{.*}} -> !tile.tile<128 x 128 x f16>
// CHECK:       %[[RIGHT:.*]] = tile.extract %[[V]][%[[FIRST]], %{{.*}}] : <512 x 128 x f16> -> <128 x 128 x f16>
// CHECK:       tile.dot %[[LEFT]], %[[RIGHT]]
// CHECK:     tile.store %[[SUMS]]
func.func @many_rows(%P: !p, %V: !w, %O: !r {launch.output})
    attributes {tile.kernel, tile.group = #tile.group<preload = 0, lag = 0, slots = 0, strip_rows = 0, part = 128>} {
  %c0 = arith.constant 0 : index
  %M = tile.dim %P, 0 : !p
  tile.range %m = %c0 to %M by 256 stages 2 {
    %x = tile.load %P[%m span, :] : (!p, !tile.span<256>) -> !tile.tile<256 x 512 x f16>
    %y = tile.load %V[:, :] : (!w) -> !tile.tile<512 x 128 x f16>
    %s = tile.dot %x, %y : !tile.tile<256 x 512 x f16>, !tile.tile<512 x 128 x f16> -> !tile.tile<256 x 128 x f32>
    %e = tile.exp %s : !tile.tile<256 x 128 x f32>
    tile.store %e, %O[%m span, :] : (!tile.tile<256 x 128 x f32>, !r, !tile.span<256>) -> ()
  }
  return
}

// A tile that is loaded once for many products is taken by rows where it lies.
// CHECK-LABEL: func.func @rows_of_queries_cube(
// CHECK: %[[Q:.*]] = tile.load {{.*}} -> !tile.tile<256 x 128 x f16>
// CHECK: tile.range {{.*}} by 256 {
// CHECK:   tile.range {{.*}} stages 2 {
// CHECK:     %[[K:.*]] = tile.load {{.*}} -> !tile.tile<128 x 128 x f16>
// CHECK:     tile.range %[[R:.*]] = {{.*}} stages 2 {
// CHECK:       %[[FIRST:.*]] = arith.muli %[[R]], %c128
// CHECK:       %[[ROWS:.*]] = tile.extract %[[Q]][%[[FIRST]], %{{.*}}] : <256 x 128 x f16> -> <128 x 128 x f16>
// CHECK:       %[[S:.*]] = tile.dot %[[ROWS]], %[[K]] transpose_b
// CHECK:       tile.store %[[S]]
func.func @rows_of_queries(%Q: !tile.array<?x128xf16>, %K: !tile.array<?x128xf16>, %S: !tile.array<?x?xf32> {launch.output})
    attributes {tile.kernel, tile.group = #tile.group<preload = 0, lag = 0, slots = 0, strip_rows = 0, part = 128>} {
  %c0 = arith.constant 0 : index
  %M = tile.dim %Q, 0 : !tile.array<?x128xf16>
  %N = tile.dim %K, 0 : !tile.array<?x128xf16>
  tile.range %m = %c0 to %M by 256 {
    %x = tile.load %Q[%m span, :] : (!tile.array<?x128xf16>, !tile.span<256>) -> !tile.tile<256 x 128 x f16>
    tile.range %j = %c0 to %N by 256 {
      %y = tile.load %K[%j span, :] : (!tile.array<?x128xf16>, !tile.span<256>) -> !tile.tile<256 x 128 x f16>
      %s = tile.dot %x, %y transpose_b : !tile.tile<256 x 128 x f16>, !tile.tile<256 x 128 x f16> -> !tile.tile<256 x 256 x f32>
      %e = tile.exp %s : !tile.tile<256 x 256 x f32>
      tile.store %e, %S[%m span, %j span] : (!tile.tile<256 x 256 x f32>, !tile.array<?x?xf32>, !tile.span<256>, !tile.span<256>) -> ()
    }
  }
  return
}

// A product that is kept takes its operands as they were loaded, and two slots.
// CHECK-LABEL: func.func @kept_cube(
// CHECK-NOT: tile.extract
// CHECK: iter({{.*}}) stages 2 {
// CHECK-NOT: tile.extract
// CHECK: return
func.func @kept(%P: !p, %V: !w, %O: !r {launch.output})
    attributes {tile.kernel, ascend.keep_composites, tile.group = #tile.group<preload = 0, lag = 0, slots = 0, strip_rows = 0, part = 128>} {
  %c0 = arith.constant 0 : index
  %M = tile.dim %P, 0 : !p
  tile.range %m = %c0 to %M by 256 {
    %x = tile.load %P[%m span, :] : (!p, !tile.span<256>) -> !tile.tile<256 x 512 x f16>
    %y = tile.load %V[:, :] : (!w) -> !tile.tile<512 x 128 x f16>
    %s = tile.dot %x, %y : !tile.tile<256 x 512 x f16>, !tile.tile<512 x 128 x f16> -> !tile.tile<256 x 128 x f32>
    %e = tile.exp %s : !tile.tile<256 x 128 x f32>
    tile.store %e, %O[%m span, :] : (!tile.tile<256 x 128 x f32>, !r, !tile.span<256>) -> ()
  }
  return
}
}
