// RUN: attn-opt %s --tile-clamp-grid --tile-choose --tile-fit-tiles --split-input-file --verify-diagnostics | FileCheck %s

// A row that a grid accumulates is carried by each block's share of it. In strips it is kept whole where that fits.
module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 32768 : i64}>} {
// CHECK-LABEL: func.func @kept
// CHECK-SAME: %[[X:.*]]: !tile.array<?x4096xf32> {{{.*}}}, %[[G:.*]]: !tile.array<?x4096xf32> {{{.*}}}, %[[Y:.*]]: !tile.array<4096xf32> {{{.*}}})
// expected-remark @+1 {{rows do not fit as a whole: they are computed with BT = 2, strips of 512 columns}}
func.func @kept(%x: !tile.array<?x4096xf32> {launch.dims = ["T", 4096]},
                // expected-remark @+1 {{'carried' is kept whole in local memory}}
                %G: !tile.array<?x4096xf32> {launch.dims = ["@blocks", 4096], launch.workspace},
                %y: !tile.array<4096xf32> {launch.dims = [4096], launch.output})
    attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 2>}} {
  %T = tile.dim %x, 0 : !tile.array<?x4096xf32>
  // CHECK: %[[ZERO:.*]] = tile.splat {{.*}} : f32 -> <1 x 4096 x f32>
  // CHECK: %[[SUM:.*]] = tile.range {{.*}} iter(%[[CARRIED:.*]] = %[[ZERO]] : !tile.tile<1 x 4096 x f32>) parallel {
  // CHECK: tile.range
  // CHECK: tile.load %[[X]]
  // CHECK: tile.reduce sum {{.*}} axis 1
  // CHECK: tile.range %{{.*}} = {{.*}} iter(%[[WHOLE:.*]] = %[[CARRIED]] : !tile.tile<1 x 4096 x f32>)
  // CHECK: tile.extract %[[WHOLE]]
  // CHECK: tile.add
  // CHECK: tile.insert
  // CHECK: tile.range
  // CHECK: %[[PART:.*]] = tile.extract %[[SUM]]
  // CHECK: tile.store %[[PART]], %[[G]] [%{{.*}}, %{{.*}}:512]
  // CHECK: tile.phase
  tile.grid (%t) in (%T by BT) {
    // expected-remark @+1 {{'tile.load' is computed again for every sweep}}
    %v = tile.load %x[%t span, :] : (!tile.array<?x4096xf32>, !tile.span<BT>) -> !tile.tile<BT x 4096 x f32>
    %s = tile.reduce sum %v axis 1 : !tile.tile<BT x 4096 x f32> -> !tile.tile<BT x 1 x f32>
    %n = tile.mul %v, %s : !tile.tile<BT x 4096 x f32>, !tile.tile<BT x 1 x f32> -> !tile.tile<BT x 4096 x f32>
    %g = tile.reduce sum %n axis 0 : !tile.tile<BT x 4096 x f32> -> !tile.tile<1 x 4096 x f32>
    tile.accumulate %g, %G : !tile.tile<1 x 4096 x f32>, !tile.array<?x4096xf32>
  }
  tile.phase
  // After the phase nothing writes the sums, so they may be read in strips.
  // CHECK: tile.range
  // CHECK: tile.range {{.*}} iter(
  // CHECK: tile.load %[[G]] [%{{.*}}, %{{.*}}:512]
  // CHECK: tile.store %{{.*}}, %[[Y]]
  %zero = arith.constant 0 : index
  %none = arith.constant 0.0 : f32
  %blocks = tile.dim %G, 0 : !tile.array<?x4096xf32>
  %start = tile.splat %none : f32 -> !tile.tile<1 x 4096 x f32>
  %total = tile.range %b = %zero to %blocks iter(%sum = %start : !tile.tile<1 x 4096 x f32>) {
    %part = tile.load %G[%b, :] : (!tile.array<?x4096xf32>, index) -> !tile.tile<1 x 4096 x f32>
    %more = tile.add %sum, %part : !tile.tile<1 x 4096 x f32>, !tile.tile<1 x 4096 x f32> -> !tile.tile<1 x 4096 x f32>
    tile.yield %more : !tile.tile<1 x 4096 x f32>
  }
  tile.store %total, %y[:] : (!tile.tile<1 x 4096 x f32>, !tile.array<4096xf32>) -> ()
  return
}
}

// -----

// Where it does not fit, it is spilled to a workspace of its block, which the function that counts tiles takes as well.
module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 4096 : i64}>} {
// CHECK-LABEL: func.func @spilled
// CHECK-SAME: %[[WORKSPACE:[a-z0-9]+]]: !tile.array<?x4096xf32> {launch.dims = ["@blocks", 4096], launch.workspace})
// expected-remark @+1 {{rows do not fit as a whole}}
func.func @spilled(%x: !tile.array<?x4096xf32> {launch.dims = ["T", 4096]},
                   // expected-remark @+1 {{'carried' is spilled to a workspace in global memory}}
                   %G: !tile.array<?x4096xf32> {launch.dims = ["@blocks", 4096], launch.workspace})
    attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 1>}} {
  %T = tile.dim %x, 0 : !tile.array<?x4096xf32>
  // CHECK: tile.range
  // CHECK: tile.store %{{.*}}, %[[WORKSPACE]]
  // CHECK: tile.range {{.*}} parallel {
  // CHECK: tile.reduce sum {{.*}} axis 1
  // CHECK: tile.load %[[WORKSPACE]]
  // CHECK: tile.add
  // CHECK: tile.store %{{.*}}, %[[WORKSPACE]]
  // CHECK: %[[PART:.*]] = tile.load %[[WORKSPACE]]
  // CHECK: tile.store %[[PART]],
  tile.grid (%t) in (%T by BT) {
    // expected-remark @+1 {{'tile.load' is computed again for every sweep}}
    %v = tile.load %x[%t span, :] : (!tile.array<?x4096xf32>, !tile.span<BT>) -> !tile.tile<BT x 4096 x f32>
    %s = tile.reduce sum %v axis 1 : !tile.tile<BT x 4096 x f32> -> !tile.tile<BT x 1 x f32>
    %n = tile.mul %v, %s : !tile.tile<BT x 4096 x f32>, !tile.tile<BT x 1 x f32> -> !tile.tile<BT x 4096 x f32>
    %g = tile.reduce sum %n axis 0 : !tile.tile<BT x 4096 x f32> -> !tile.tile<1 x 4096 x f32>
    tile.accumulate %g, %G : !tile.tile<1 x 4096 x f32>, !tile.array<?x4096xf32>
  }
  return
}
// CHECK-LABEL: func.func @spilled_grid
// CHECK-SAME: !tile.array<?x4096xf32> {launch.dims = ["@blocks", 4096], launch.workspace}, %{{.*}}: !tile.array<?x4096xf32> {launch.dims = ["@blocks", 4096], launch.workspace}) -> index
}
