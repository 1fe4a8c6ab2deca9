// RUN: attn-opt %s --tile-choose --tile-fit-tiles --split-input-file --verify-diagnostics | FileCheck %s

// A row is normalised: one walk for the sum of squares, one that needs it. The row is kept between the walks, in its own
// type; 4100 columns are strips and a narrower last one.
module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 16384 : i64}>} {
// CHECK-LABEL: func.func @kept
// expected-remark @+1 {{rows do not fit as a whole: they are computed with BT = 1, strips of 512 columns}}
func.func @kept(%x: !tile.array<?x4100xbf16> {launch.dims = ["T", 4100]},
                %y: !tile.array<?x4100xbf16> {launch.dims = ["T", 4100], launch.output})
    attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>}} {
  %T = tile.dim %x, 0 : !tile.array<?x4100xbf16>
  // CHECK: tile.grid (%[[T:.*]]) in (%{{.*}} by 1)
  tile.grid (%t) in (%T by BT) {
    // CHECK: %[[ROW:.*]] = tile.load %{{.*}} [%[[T]] span, :] : {{.*}} -> !tile.tile<1 x 4100 x bf16>
    // CHECK: %[[NONE:.*]] = tile.splat %{{.*}} : f32 -> <1 x 1 x f32>
    // CHECK: %[[PART:.*]] = tile.range %[[K:.*]] = %{{.*}} to %c8{{.*}} iter(%[[SUM:.*]] = %[[NONE]] : !tile.tile<1 x 1 x f32>) stages 2 {
    // CHECK: %[[OFF:.*]] = arith.muli %[[K]], %c512
    // CHECK: %[[STRIP:.*]] = tile.extract %[[ROW]][%{{.*}}, %[[OFF]]] : <1 x 4100 x bf16> -> <1 x 512 x bf16>
    // CHECK: %[[WIDE:.*]] = tile.cast %[[STRIP]]
    // CHECK: %[[SQUARE:.*]] = tile.mul %[[WIDE]], %[[WIDE]]
    // CHECK: %[[MORE:.*]] = tile.reduce sum %[[SQUARE]] axis 1 : <1 x 512 x f32> -> <1 x 1 x f32>
    // CHECK: %[[NEXT:.*]] = tile.add %[[SUM]], %[[MORE]]
    // CHECK: tile.yield %[[NEXT]]
    // CHECK: tile.extract %[[ROW]][%{{.*}}, %c4096{{.*}}] : <1 x 4100 x bf16> -> <1 x 4 x bf16>
    // CHECK: %[[REST:.*]] = tile.reduce sum %{{.*}} axis 1 : <1 x 4 x f32> -> <1 x 1 x f32>
    // CHECK: %[[ALL:.*]] = tile.add %[[PART]], %[[REST]]
    // CHECK: %[[SCALE:.*]] = tile.rsqrt %[[ALL]]
    // CHECK: tile.range {{.*}} stages 2 {
    // CHECK: tile.extract %[[ROW]]
    // CHECK: tile.mul %{{.*}}, %[[SCALE]]
    // CHECK: tile.store %{{.*}} [%[[T]] span, %{{.*}}:512]
    // CHECK: tile.store %{{.*}} [%[[T]] span, %c4096{{.*}}:4]
    // expected-remark @+1 {{'tile.load' is kept whole in local memory}}
    %v16 = tile.load %x[%t span, :] : (!tile.array<?x4100xbf16>, !tile.span<BT>) -> !tile.tile<BT x 4100 x bf16>
    %v = tile.cast %v16 : !tile.tile<BT x 4100 x bf16> -> !tile.tile<BT x 4100 x f32>
    %vv = tile.mul %v, %v : !tile.tile<BT x 4100 x f32>, !tile.tile<BT x 4100 x f32> -> !tile.tile<BT x 4100 x f32>
    %s = tile.reduce sum %vv axis 1 : !tile.tile<BT x 4100 x f32> -> !tile.tile<BT x 1 x f32>
    %r = tile.rsqrt %s : !tile.tile<BT x 1 x f32>
    %n = tile.mul %v, %r : !tile.tile<BT x 4100 x f32>, !tile.tile<BT x 1 x f32> -> !tile.tile<BT x 4100 x f32>
    %n16 = tile.cast %n : !tile.tile<BT x 4100 x f32> -> !tile.tile<BT x 4100 x bf16>
    tile.store %n16, %y[%t span, :] : (!tile.tile<BT x 4100 x bf16>, !tile.array<?x4100xbf16>, !tile.span<BT>) -> ()
  }
  return
}
}

// -----

// With less memory the row is loaded again, and more rows share a tile.
module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 4096 : i64}>} {
// CHECK-LABEL: func.func @again
// expected-remark @+1 {{rows do not fit as a whole}}
func.func @again(%x: !tile.array<?x4097xf32> {launch.dims = ["T", 4097]},
                 %y: !tile.array<?x4097xf32> {launch.dims = ["T", 4097], launch.output})
    attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>}} {
  %T = tile.dim %x, 0 : !tile.array<?x4097xf32>
  tile.grid (%t) in (%T by BT) {
    // A single column is not a strip: the last one takes it along.
    // CHECK: tile.range
    // CHECK: tile.load %{{.*}} [%[[T:.*]] span, %{{.*}}:[[COLUMNS:[0-9]+]]]
    // CHECK: tile.reduce max
    // CHECK: tile.maximum
    // CHECK: tile.load %{{.*}} [%[[T]] span, %{{.*}}:{{65|129|257}}]
    // CHECK: tile.range
    // CHECK: tile.load %{{.*}} [%[[T]] span, %{{.*}}:[[COLUMNS]]]
    // CHECK: tile.store
    // expected-remark @+1 {{'tile.load' is computed again for every sweep}}
    %v = tile.load %x[%t span, :] : (!tile.array<?x4097xf32>, !tile.span<BT>) -> !tile.tile<BT x 4097 x f32>
    %m = tile.reduce max %v axis 1 : !tile.tile<BT x 4097 x f32> -> !tile.tile<BT x 1 x f32>
    %n = tile.sub %v, %m : !tile.tile<BT x 4097 x f32>, !tile.tile<BT x 1 x f32> -> !tile.tile<BT x 4097 x f32>
    tile.store %n, %y[%t span, :] : (!tile.tile<BT x 4097 x f32>, !tile.array<?x4097xf32>, !tile.span<BT>) -> ()
  }
  return
}
}

// -----

// A loop that only adds rows up moves inside the strips; its weights are loaded once per strip.
module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 4096 : i64}>} {
// CHECK-LABEL: func.func @interchanged
// expected-remark @+1 {{rows do not fit as a whole}}
func.func @interchanged(%x: !tile.array<?x?x4096xf32> {launch.dims = ["N", "T", 4096]},
                        %w: !tile.array<?x?xf32> {launch.dims = ["N", "T"]},
                        %y: !tile.array<?x4096xf32> {launch.dims = ["T", 4096], launch.output})
    attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>}} {
  %zero = arith.constant 0 : index
  %none = arith.constant 0.0 : f32
  %N = tile.dim %x, 0 : !tile.array<?x?x4096xf32>
  %T = tile.dim %x, 1 : !tile.array<?x?x4096xf32>
  tile.grid (%t) in (%T by BT) {
    // CHECK: tile.range %[[K:.*]] = {{.*}} stages 2 {
    // CHECK: %[[OFF:.*]] = arith.muli %[[K]]
    // CHECK: %[[INIT:.*]] = tile.splat
    // CHECK: %[[SUM:.*]] = tile.range %[[N:.*]] = {{.*}} iter(%[[ACC:.*]] = %[[INIT]] :
    // CHECK: %[[WEIGHT:.*]] = tile.load %{{.*}} [%[[N]], %{{.*}} span]
    // CHECK: %[[STRIP:.*]] = tile.load %{{.*}} [%[[N]], %{{.*}} span, %[[OFF]]:
    // CHECK: %[[PRODUCT:.*]] = tile.mul %[[STRIP]], %[[WEIGHT]]
    // CHECK: %[[NEXT:.*]] = tile.add %[[ACC]], %[[PRODUCT]]
    // CHECK: tile.yield %[[NEXT]]
    // CHECK: tile.store %[[SUM]], %{{.*}} [%{{.*}} span, %[[OFF]]:
    %empty = tile.splat %none : f32 -> !tile.tile<BT x 4096 x f32>
    %sum = tile.range %n = %zero to %N iter(%acc = %empty : !tile.tile<BT x 4096 x f32>) {
      %s = tile.load %w[%n, %t span] : (!tile.array<?x?xf32>, index, !tile.span<BT>) -> !tile.tile<BT x 1 x f32>
      %v = tile.load %x[%n, %t span, :] : (!tile.array<?x?x4096xf32>, index, !tile.span<BT>) -> !tile.tile<BT x 4096 x f32>
      %p = tile.mul %v, %s : !tile.tile<BT x 4096 x f32>, !tile.tile<BT x 1 x f32> -> !tile.tile<BT x 4096 x f32>
      %next = tile.add %acc, %p : !tile.tile<BT x 4096 x f32>, !tile.tile<BT x 4096 x f32> -> !tile.tile<BT x 4096 x f32>
      tile.yield %next : !tile.tile<BT x 4096 x f32>
    }
    tile.store %sum, %y[%t span, :] : (!tile.tile<BT x 4096 x f32>, !tile.array<?x4096xf32>, !tile.span<BT>) -> ()
  }
  return
}
}

// -----

// A carried row that fits nowhere is spilled to a workspace, one per core.
module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 4096 : i64}>} {
// CHECK-LABEL: func.func @spilled
// CHECK-SAME: %[[WORKSPACE:[a-z0-9]+]]: !tile.array<?x4096xf32> {launch.dims = ["@blocks", 4096], launch.workspace})
// expected-remark @+1 {{rows do not fit as a whole}}
func.func @spilled(%x: !tile.array<?x?x4096xf32> {launch.dims = ["N", "T", 4096]},
                   %y: !tile.array<?x4096xf32> {launch.dims = ["T", 4096], launch.output})
    attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>}} {
  %zero = arith.constant 0 : index
  %none = arith.constant 0.0 : f32
  %N = tile.dim %x, 0 : !tile.array<?x?x4096xf32>
  %T = tile.dim %x, 1 : !tile.array<?x?x4096xf32>
  // CHECK: %[[BLOCK:.*]] = tile.block_id
  tile.grid (%t) in (%T by BT) {
    // CHECK: tile.range
    // CHECK: %[[EMPTY:.*]] = tile.splat
    // CHECK: tile.store %[[EMPTY]], %[[WORKSPACE]] [%[[BLOCK]], %{{.*}}:[[COLUMNS:[0-9]+]]]
    // CHECK: tile.range %{{.*}} = %{{.*}} to %{{[a-z0-9]+}} {
    // CHECK: tile.reduce sum
    // CHECK: tile.range
    // CHECK: tile.load %[[WORKSPACE]] [%[[BLOCK]], %{{.*}}:[[COLUMNS]]]
    // CHECK: tile.add
    // CHECK: tile.store %{{.*}}, %[[WORKSPACE]] [%[[BLOCK]], %{{.*}}:[[COLUMNS]]]
    // CHECK: tile.load %[[WORKSPACE]]
    // CHECK: tile.store %{{.*}} [%{{.*}} span,
    %empty = tile.splat %none : f32 -> !tile.tile<BT x 4096 x f32>
    // expected-remark @+1 {{'carried' is spilled to a workspace in global memory}}
    %sum = tile.range %n = %zero to %N iter(%acc = %empty : !tile.tile<BT x 4096 x f32>) {
      // expected-remark @+1 {{'tile.load' is computed again for every sweep}}
      %v = tile.load %x[%n, %t span, :] : (!tile.array<?x?x4096xf32>, index, !tile.span<BT>) -> !tile.tile<BT x 4096 x f32>
      %s = tile.reduce sum %v axis 1 : !tile.tile<BT x 4096 x f32> -> !tile.tile<BT x 1 x f32>
      %p = tile.mul %v, %s : !tile.tile<BT x 4096 x f32>, !tile.tile<BT x 1 x f32> -> !tile.tile<BT x 4096 x f32>
      %next = tile.add %acc, %p : !tile.tile<BT x 4096 x f32>, !tile.tile<BT x 4096 x f32> -> !tile.tile<BT x 4096 x f32>
      tile.yield %next : !tile.tile<BT x 4096 x f32>
    }
    tile.store %sum, %y[%t span, :] : (!tile.tile<BT x 4096 x f32>, !tile.array<?x4096xf32>, !tile.span<BT>) -> ()
  }
  return
}
}
