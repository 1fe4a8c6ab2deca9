// RUN: attn-opt %s --tile-decompose-softmax --split-input-file | FileCheck %s

// Values that all rows share are a product. Weights of narrow values take their type for it, the sum takes them as they are.

module attributes {machine.target = #machine.target<"host">} {
// CHECK-LABEL: func.func @narrow
func.func @narrow(%S: !tile.array<?x?xf32> {launch.dims = ["M", "K"]},
                  %V: !tile.array<?x64xbf16> {launch.dims = ["K", 64]},
                  %O: !tile.array<?x64xf32> {launch.dims = ["M", 64], launch.output})
    attributes {tile.kernel, tile.symbols = {BM = #tile.auto<16, 64>, BN = #tile.auto<16, 64>}} {
  %zero = arith.constant 0 : index
  %M = tile.dim %S, 0 : !tile.array<?x?xf32>
  %K = tile.dim %S, 1 : !tile.array<?x?xf32>
  tile.grid (%m) in (%M by BM) {
    // CHECK: %[[LOWEST:.*]] = arith.constant -3.40282326E+38 : f32
    // CHECK: %[[M0:.*]] = tile.splat %[[LOWEST]] : f32 -> <BM x 1 x f32>
    // CHECK: %[[R:.*]]:3 = tile.range {{.*}} iter(%[[M:.*]] = %[[M0]] : {{.*}}, %[[L:.*]] = {{.*}} : {{.*}}, %[[ACC:.*]] = {{.*}} : !tile.tile<BM x 64 x f32>)
    // CHECK: %[[S:.*]] = tile.load
    // CHECK: %[[V:.*]] = tile.load
    // CHECK: %[[HIGHEST:.*]] = tile.reduce max %[[S]] axis 1
    // CHECK: %[[M1:.*]] = tile.maximum %[[M]], %[[HIGHEST]]
    // CHECK: %[[DM:.*]] = tile.sub %[[M]], %[[M1]]
    // CHECK: %[[ALPHA:.*]] = tile.exp %[[DM]]
    // CHECK: %[[DS:.*]] = tile.sub %[[S]], %[[M1]]
    // CHECK: %[[P:.*]] = tile.exp %[[DS]] : <BM x BN x f32>
    // CHECK: %[[LS:.*]] = tile.mul %[[L]], %[[ALPHA]]
    // CHECK: %[[PUSHED:.*]] = tile.reduce sum %[[P]] axis 1
    // CHECK: %[[L1:.*]] = tile.add %[[LS]], %[[PUSHED]]
    // CHECK: %[[AS:.*]] = tile.mul %[[ACC]], %[[ALPHA]]
    // CHECK: %[[P16:.*]] = tile.cast %[[P]] : {{.*}} -> <BM x BN x bf16>
    // CHECK: %[[PV:.*]] = tile.dot %[[P16]], %[[V]] :
    // CHECK: %[[ACC1:.*]] = tile.add %[[AS]], %[[PV]]
    // CHECK: tile.yield %[[M1]], %[[L1]], %[[ACC1]]
    // CHECK: tile.maximum %[[R]]#1
    // CHECK: tile.mul %[[R]]#2
    // CHECK: tile.log %[[R]]#1
    %st0 = tile.softmax_init : !tile.softmax_state<BM x 64>
    %st = tile.range %k = %zero to %K by BN iter(%s0 = %st0 : !tile.softmax_state<BM x 64>) {
      %s = tile.load %S[%m span, %k span] : (!tile.array<?x?xf32>, !tile.span<BM>, !tile.span<BN>) -> !tile.tile<BM x BN x f32>
      %v = tile.load %V[%k span, :] : (!tile.array<?x64xbf16>, !tile.span<BN>) -> !tile.tile<BN x 64 x bf16>
      %s1 = tile.softmax_push shared %s0, %s, %v : !tile.softmax_state<BM x 64>, !tile.tile<BM x BN x f32>, !tile.tile<BN x 64 x bf16>
      tile.yield %s1 : !tile.softmax_state<BM x 64>
    }
    %o, %l = tile.softmax_finish %st : !tile.softmax_state<BM x 64> -> !tile.tile<BM x 64 x f32>, !tile.tile<BM x 1 x f32>
    tile.store %o, %O[%m span, :] : (!tile.tile<BM x 64 x f32>, !tile.array<?x64xf32>, !tile.span<BM>) -> ()
  }
  return
}
}

// -----

module attributes {machine.target = #machine.target<"host">} {
// CHECK-LABEL: func.func @wide
// CHECK: %[[P:.*]] = tile.exp {{.*}} : <16 x 8 x f32>
// CHECK-NOT: tile.cast
// CHECK: tile.dot %[[P]], %{{.*}} : <16 x 8 x f32>, <8 x 64 x f32> -> <16 x 64 x f32>
func.func @wide(%s: f32, %O: !tile.array<16x64xf32> {launch.dims = [16, 64], launch.output}) attributes {tile.kernel} {
  %x = tile.splat %s : f32 -> !tile.tile<16 x 8 x f32>
  %v = tile.splat %s : f32 -> !tile.tile<8 x 64 x f32>
  %st0 = tile.softmax_init : !tile.softmax_state<16 x 64>
  %st = tile.softmax_push shared %st0, %x, %v : !tile.softmax_state<16 x 64>, !tile.tile<16 x 8 x f32>, !tile.tile<8 x 64 x f32>
  %o, %l = tile.softmax_finish %st : !tile.softmax_state<16 x 64> -> !tile.tile<16 x 64 x f32>, !tile.tile<16 x 1 x f32>
  tile.store %o, %O[:, :] : (!tile.tile<16 x 64 x f32>, !tile.array<16x64xf32>) -> ()
  return
}

// Of a few rows without other products there is no product: values are summed by each row's weights.
// CHECK-LABEL: func.func @few
// CHECK: %[[P:.*]] = tile.exp {{.*}} : <2 x 8 x f32>
// CHECK: %[[ACC:.*]] = tile.mul {{.*}} -> <2 x 64 x f32>
// CHECK: %[[ROW:.*]] = tile.extract %[[P]][%c0{{.*}}, %c0] : {{.*}} -> {{.*}}<1 x 8 x f32>
// CHECK: %[[COLUMN:.*]] = tile.transpose %[[ROW]]
// CHECK: %[[WEIGHTED:.*]] = tile.mul %{{.*}}, %[[COLUMN]]
// CHECK: %[[SUM:.*]] = tile.reduce sum %[[WEIGHTED]] axis 0
// CHECK: %[[BEFORE:.*]] = tile.extract %[[ACC]]
// CHECK: %[[AFTER:.*]] = tile.add %[[BEFORE]], %[[SUM]]
// CHECK: tile.insert %[[AFTER]], %[[ACC]]
// CHECK: tile.insert
// CHECK-NOT: tile.dot
func.func @few(%s: f32, %O: !tile.array<2x64xf32> {launch.dims = [2, 64], launch.output}) attributes {tile.kernel} {
  %x = tile.splat %s : f32 -> !tile.tile<2 x 8 x f32>
  %v = tile.splat %s : f32 -> !tile.tile<8 x 64 x f32>
  %st0 = tile.softmax_init : !tile.softmax_state<2 x 64>
  %st = tile.softmax_push shared %st0, %x, %v : !tile.softmax_state<2 x 64>, !tile.tile<2 x 8 x f32>, !tile.tile<8 x 64 x f32>
  %o, %l = tile.softmax_finish %st : !tile.softmax_state<2 x 64> -> !tile.tile<2 x 64 x f32>, !tile.tile<2 x 1 x f32>
  tile.store %o, %O[:, :] : (!tile.tile<2 x 64 x f32>, !tile.array<2x64xf32>) -> ()
  return
}
// A part of a state is rows of what it is made of.
// CHECK-LABEL: func.func @part
// CHECK-SAME: %[[H:[a-z0-9]*]]: index
// CHECK: %[[M:.*]] = tile.splat {{.*}} -> <8 x 1 x f32>
// CHECK: %[[L:.*]] = tile.splat {{.*}} -> <8 x 1 x f32>
// CHECK: %[[ACC:.*]] = tile.splat {{.*}} -> <8 x 64 x f32>
// CHECK: %[[ROW:.*]] = arith.muli %[[H]], %c2
// CHECK: %[[M0:.*]] = tile.extract %[[M]][%[[ROW]], %c0{{.*}}] : {{.*}} -> {{.*}}<2 x 1 x f32>
// CHECK: %[[L0:.*]] = tile.extract %[[L]][%[[ROW]], %c0{{.*}}] : {{.*}} -> {{.*}}<2 x 1 x f32>
// CHECK: %[[ACC0:.*]] = tile.extract %[[ACC]][%[[ROW]], %c0{{.*}}] : {{.*}} -> {{.*}}<2 x 64 x f32>
// CHECK: %[[M1:.*]] = tile.maximum %[[M0]]
// CHECK: %[[L1:.*]] = tile.add
// CHECK: tile.mul %[[ACC0]]
// CHECK: tile.insert %[[M1]], %[[M]][%[[ROW]], %c0{{.*}}] : {{.*}} into <8 x 1 x f32>
// CHECK: tile.insert %[[L1]], %[[L]][%[[ROW]], %c0{{.*}}] : {{.*}} into <8 x 1 x f32>
// CHECK: tile.insert %{{.*}}, %[[ACC]][%[[ROW]], %c0{{.*}}] : {{.*}} into <8 x 64 x f32>
func.func @part(%h: index, %s: f32, %O: !tile.array<8x64xf32> {launch.dims = [8, 64], launch.output}) attributes {tile.kernel} {
  %x = tile.splat %s : f32 -> !tile.tile<2 x 8 x f32>
  %v = tile.splat %s : f32 -> !tile.tile<8 x 64 x f32>
  %st0 = tile.softmax_init : !tile.softmax_state<8 x 64>
  %st = tile.softmax_push shared %st0 part %h, %x, %v : !tile.softmax_state<8 x 64>, !tile.tile<2 x 8 x f32>, !tile.tile<8 x 64 x f32>
  %o, %l = tile.softmax_finish %st : !tile.softmax_state<8 x 64> -> !tile.tile<8 x 64 x f32>, !tile.tile<8 x 1 x f32>
  tile.store %o, %O[:, :] : (!tile.tile<8 x 64 x f32>, !tile.array<8x64xf32>) -> ()
  return
}
}
