// A product of matrices of any size on the chip: everything waits by flags, each pipe runs two slots ahead of the next.
// RUN: attn-opt %s --attn-all=sizes=BM=128,BN=256,BK=256 | FileCheck %s

// CHECK-LABEL: func.func @gemm
// CHECK-SAME: ascend.kind = #ascend.kernel_kind<cube>, launch.limit = 24
// CHECK-DAG: ascend.alloc {{.*}} : memref<32768xf32, #ascend.space<l0c>>
// CHECK-DAG: ascend.alloc {{.*}} : memref<2x32768xf16, #ascend.space<l1>>
// CHECK-DAG: ascend.alloc {{.*}} : memref<2x65536xf16, #ascend.space<l1>>
// CHECK-DAG: ascend.alloc {{.*}} : memref<2x8192xf16, #ascend.space<l0a>>
// CHECK-DAG: ascend.alloc {{.*}} : memref<2x16384xf16, #ascend.space<l0b>>
// CHECK-NOT: ascend.barrier
// CHECK: ascend.wait_flag mte1 to mte2 event 0 slot({{.*}}) of 2
// CHECK-NOT: ascend.barrier
// CHECK: ascend.set_flag mte2 to mte1 event 0 slot({{.*}}) of 2
// CHECK-NOT: ascend.barrier
// CHECK: ascend.wait_flag m to mte1 event 0 slot({{.*}}) of 2
// CHECK: ascend.load_tile
// CHECK: ascend.load_tile
// CHECK: ascend.set_flag mte1 to m event 0 slot({{.*}}) of 2
// CHECK: ascend.mmad
// CHECK-NOT: ascend.barrier
// CHECK: ascend.wait_flag m to fix event 0
// CHECK: ascend.fix_out
// CHECK-NOT: ascend.barrier
// CHECK: ascend.barrier all
// CHECK-NEXT: return
module attributes {machine.target = #machine.target<"Ascend910B2">} {
  func.func @gemm(%A: !tile.array<?x?xf16> {launch.dims = ["M", "K"]}, %B: !tile.array<?x?xf16> {launch.dims = ["K", "N"]}, %C: !tile.array<?x?xf32> {launch.dims = ["M", "N"], launch.output}) attributes {tile.kernel, tile.symbols = {BK = #tile.auto<16, 256>, BM = #tile.auto<16, 256>, BN = #tile.auto<16, 256>}} {
    %M = tile.dim %A, 0 : <?x?xf16>
    %N = tile.dim %B, 1 : <?x?xf16>
    %cst = arith.constant 0.000000e+00 : f32
    %K = tile.dim %A, 1 : <?x?xf16>
    %c0 = arith.constant 0 : index
    tile.grid (%m, %n) in (%M by BM, %N by BN) {
      %acc = tile.splat %cst : f32 -> <BM x BN x f32>
      %0 = tile.range %k = %c0 to %K by BK iter(%acc_0 = %acc : !tile.tile<BM x BN x f32>) stages 2 {
        %1 = tile.load %A [%m span, %k span] : (!tile.array<?x?xf16>, !tile.span<BM>, !tile.span<BK>) -> !tile.tile<BM x BK x f16>
        %2 = tile.load %B [%k span, %n span] : (!tile.array<?x?xf16>, !tile.span<BK>, !tile.span<BN>) -> !tile.tile<BK x BN x f16>
        %acc_1 = tile.dot %1, %2 acc(%acc_0) : <BM x BK x f16>, <BK x BN x f16> -> <BM x BN x f32>
        tile.yield %acc_1 : !tile.tile<BM x BN x f32>
      }
      tile.store %0, %C [%m span, %n span] : (!tile.tile<BM x BN x f32>, !tile.array<?x?xf32>, !tile.span<BM>, !tile.span<BN>) -> ()
    }
    return
  }
}
