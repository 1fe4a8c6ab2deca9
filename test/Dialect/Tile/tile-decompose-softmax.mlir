// RUN: attn-opt %s --tile-decompose-softmax=form=online | FileCheck %s --check-prefix=ONLINE
// RUN: attn-opt %s --tile-decompose-softmax=form=two-phase-reload | FileCheck %s --check-prefix=RELOAD

// ONLINE-LABEL: func.func @mix
// RELOAD-LABEL: func.func @mix
// RELOAD-SAME: %[[SCORES:[a-z0-9]+]]: !tile.array<?x?xf32> {launch.dims = ["N", "T"], launch.workspace})
module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @mix(%V: !tile.array<?x?x64xbf16> {launch.dims = ["N", "T", 64]},
               %h: !tile.array<?x64xf32> {launch.dims = ["T", 64], launch.output},
               %lse: !tile.array<?xf32> {launch.dims = ["T"], launch.output})
    attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>}} {
  %zero = arith.constant 0 : index
  %N = tile.dim %V, 0 : !tile.array<?x?x64xbf16>
  %T = tile.dim %V, 1 : !tile.array<?x?x64xbf16>
  tile.grid (%t) in (%T by BT) {
    // ONLINE: %[[LOWEST:.*]] = arith.constant -3.40282326E+38 : f32
    // ONLINE: %[[M0:.*]] = tile.splat %[[LOWEST]] : f32 -> <BT x 1 x f32>
    // ONLINE: %[[L0:.*]] = tile.splat %{{.*}} : f32 -> <BT x 1 x f32>
    // ONLINE: %[[ACC0:.*]] = tile.splat %{{.*}} : f32 -> <BT x 64 x f32>
    // ONLINE: %[[R:.*]]:3 = tile.range {{.*}} iter(%[[M:.*]] = %[[M0]] : {{.*}}, %[[L:.*]] = %[[L0]] : {{.*}}, %[[ACC:.*]] = %[[ACC0]] : {{.*}}) stages 2 {
    // ONLINE: %[[V:.*]] = tile.cast
    // ONLINE: %[[S:.*]] = tile.reduce
    // ONLINE: %[[M1:.*]] = tile.maximum %[[M]], %[[S]]
    // ONLINE: %[[DM:.*]] = tile.sub %[[M]], %[[M1]]
    // ONLINE: %[[ALPHA:.*]] = tile.exp %[[DM]]
    // ONLINE: %[[DS:.*]] = tile.sub %[[S]], %[[M1]]
    // ONLINE: %[[P:.*]] = tile.exp %[[DS]]
    // ONLINE: %[[LS:.*]] = tile.mul %[[L]], %[[ALPHA]]
    // ONLINE: %[[L1:.*]] = tile.add %[[LS]], %[[P]]
    // ONLINE: %[[AS:.*]] = tile.mul %[[ACC]], %[[ALPHA]]
    // ONLINE: %[[PV:.*]] = tile.mul %[[V]], %[[P]]
    // ONLINE: %[[ACC1:.*]] = tile.add %[[AS]], %[[PV]]
    // ONLINE: tile.yield %[[M1]], %[[L1]], %[[ACC1]]
    // ONLINE: %[[TINY:.*]] = arith.constant 1.17549435E-38 : f32
    // ONLINE: %[[SAFE:.*]] = tile.maximum %[[R]]#1
    // ONLINE: %[[INV:.*]] = tile.div %{{.*}}, %[[SAFE]]
    // ONLINE: tile.mul %[[R]]#2, %[[INV]]
    // ONLINE: %[[LOG:.*]] = tile.log %[[R]]#1
    // ONLINE: tile.add %[[R]]#0, %[[LOG]]

    // RELOAD: %[[R:.*]]:2 = tile.range %[[N1:.*]] = {{.*}} iter(%[[M:.*]] = {{.*}}, %[[L:.*]] = {{.*}}) stages 2 {
    // RELOAD: %[[S:.*]] = tile.reduce
    // RELOAD: tile.maximum %[[M]], %[[S]]
    // RELOAD: tile.store %[[S]], %[[SCORES]] [%[[N1]], %[[T:[a-z0-9]+]] span]
    // RELOAD: tile.log %[[R]]#1
    // RELOAD: %[[SUM:.*]] = tile.range %[[N2:.*]] = {{.*}} iter(%[[ACC:.*]] = {{.*}} : !tile.tile<BT x 64 x f32>) stages 2 {
    // RELOAD: %[[KEPT:.*]] = tile.load %[[SCORES]] [%[[N2]], %[[T]] span]
    // RELOAD: %[[D:.*]] = tile.sub %[[KEPT]], %[[R]]#0
    // RELOAD: %[[P:.*]] = tile.exp %[[D]]
    // RELOAD: %[[AGAIN:.*]] = tile.load %{{.*}} [%[[N2]], %[[T]] span, :]
    // RELOAD: %[[V:.*]] = tile.cast %[[AGAIN]]
    // RELOAD: %[[PV:.*]] = tile.mul %[[V]], %[[P]]
    // RELOAD: %[[ACC1:.*]] = tile.add %[[ACC]], %[[PV]]
    // RELOAD: tile.yield %[[ACC1]]
    // RELOAD: %[[INV:.*]] = tile.div
    // RELOAD: tile.mul %[[SUM]], %[[INV]]
    %st0 = tile.softmax_init : !tile.softmax_state<BT x 64>
    %st = tile.range %n = %zero to %N iter(%s0 = %st0 : !tile.softmax_state<BT x 64>) stages 2 {
      %v16 = tile.load %V[%n, %t span, :] : (!tile.array<?x?x64xbf16>, index, !tile.span<BT>) -> !tile.tile<BT x 64 x bf16>
      %v = tile.cast %v16 : !tile.tile<BT x 64 x bf16> -> !tile.tile<BT x 64 x f32>
      %s = tile.reduce sum %v axis 1 : !tile.tile<BT x 64 x f32> -> !tile.tile<BT x 1 x f32>
      %s1 = tile.softmax_push per_row %s0, %s, %v : !tile.softmax_state<BT x 64>, !tile.tile<BT x 1 x f32>, !tile.tile<BT x 64 x f32>
      tile.yield %s1 : !tile.softmax_state<BT x 64>
    }
    %o, %l = tile.softmax_finish %st : !tile.softmax_state<BT x 64> -> !tile.tile<BT x 64 x f32>, !tile.tile<BT x 1 x f32>
    tile.store %o, %h[%t span, :] : (!tile.tile<BT x 64 x f32>, !tile.array<?x64xf32>, !tile.span<BT>) -> ()
    tile.store %l, %lse[%t span] : (!tile.tile<BT x 1 x f32>, !tile.array<?xf32>, !tile.span<BT>) -> ()
  }
  return
}
}
