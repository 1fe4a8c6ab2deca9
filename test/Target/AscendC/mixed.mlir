// A kernel of cube and vector cores together: one function with two halves, in both forms. The texts compile against the twin.
// RUN: mkdir -p %t
// RUN: attn-opt %source_root/test/Simulator/IR/Inputs/mixed.mlir --emit=ascendc --no-line-directives -o %t/k.cpp
// RUN: FileCheck %s --input-file=%t/k.cpp
// RUN: attn-opt %source_root/test/Simulator/IR/Inputs/mixed.mlir --emit=ascendc | %clang_ascendc -
// RUN: attn-sim %t/k.cpp --build-twin=%t/k.so
// RUN: attn-opt %source_root/test/Simulator/IR/Inputs/mixed.mlir --emit=ascendc --no-line-directives --kernel-form=task-type -o %t/old.cpp
// RUN: FileCheck %s --input-file=%t/old.cpp --check-prefix=TASK
// RUN: attn-sim %t/old.cpp --build-twin=%t/old.so
// RUN: attn-opt %s --emit=ascendc --no-line-directives | FileCheck %s --check-prefix=IDS

// CHECK:      // weighted
// CHECK-NEXT: //   unified buffer: 1536 of 196352 (Ascend910B4) bytes
// CHECK-NEXT: //   l1: 3072 of 524032 (Ascend910B4) bytes
// CHECK-NEXT: //   l0a: 1024 of 65536 (Ascend910B4) bytes
// CHECK-NEXT: //   l0b: 512 of 65536 (Ascend910B4) bytes
// CHECK-NEXT: //   l0c: 4096 of 131072 (Ascend910B4) bytes
// CHECK-NEXT: //   blocks: at most 20; each is a group of one cube core and two vector cores
// CHECK:      //     arg4: [blocks, 2, 32, 16] of float, workspace
// CHECK:      extern "C" __global__ __mix__(1, 2) void weighted(
// CHECK:        AscendC::InitSocState();
// CHECK-NOT:    InitSocState
// CHECK:        if ASCEND_IS_AIC {
// CHECK-NEXT:     AscendC::GlobalTensor<half> arg0_gm;
// CHECK:          arg4_gm.SetGlobalBuffer((__gm__ float*)arg4,
// CHECK-NEXT:         static_cast<uint64_t>((static_cast<int64_t>(AscendC::GetBlockNum()) - 1) * 1024 + 1024));
// CHECK:          AscendC::LocalTensor<half> rows(AscendC::TPosition::A1, 0, 512);
// CHECK:          static_cast<int64_t>(AscendC::GetBlockIdx());
// CHECK:          for (
// CHECK:            AscendC::CrossCoreSetFlag<2, PIPE_FIX>(0);
// CHECK:            for (
// CHECK:              AscendC::CrossCoreSetFlag<2, PIPE_FIX>(0);
// CHECK-NEXT:         AscendC::CrossCoreWaitFlag(1);
// CHECK:        if ASCEND_IS_AIV {
// CHECK-NEXT:     AscendC::GlobalTensor<float> arg4_gm;
// CHECK:          AscendC::LocalTensor<float> a(AscendC::TPosition::VECIN, 0, 256);
// CHECK:          static_cast<int64_t>(AscendC::GetBlockIdx()) / 2;
// CHECK:          static_cast<int64_t>(AscendC::GetSubBlockIdx());
// CHECK:          AscendC::CrossCoreWaitFlag(0);
// CHECK:          AscendC::CrossCoreSetFlag<2, PIPE_MTE3>(1);
// CHECK:          AscendC::PipeBarrier<PIPE_ALL>();
// CHECK-NEXT:   }
// CHECK-NEXT: }

// TASK: __aicore__ inline void InitSocState() {
// TASK: __aicore__ inline void InitCubeState() {
// TASK:      extern "C" __global__ __aicore__ void weighted(
// TASK:        KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
// TASK:        if ASCEND_IS_AIC {
// TASK-NEXT:     attn_text::InitCubeState();
// TASK:        if ASCEND_IS_AIV {
// TASK-NEXT:     attn_text::InitSocState();

// The numbers of cores: on a vector core, the block index counts vector cores.
!out = memref<?x8xf32, strided<[?, 1]>, #ascend.space<gm>>
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<8xf32, #ascend.space<ub>>
!l0c = memref<256xf32, #ascend.space<l0c>>
// IDS:      if ASCEND_IS_AIC {
// IDS:        const int64_t block = static_cast<int64_t>(AscendC::GetBlockIdx());
// IDS:      if ASCEND_IS_AIV {
// IDS:        const int64_t core = static_cast<int64_t>(AscendC::GetBlockIdx());
func.func @ids(%o: !out {launch.output}) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %core = ascend.core_id
  %a = ascend.alloc "a" at 0 : !ub
  %op = ascend.address %o[%core, %c0] : !out -> !gm
  ascend.duplicate %a, %zero count(%c8) : !ub, f32
  ascend.barrier all
  ascend.copy_out %op, %a rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}
func.func @ids_cube(%o: !out {launch.output}) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @ids} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %core = ascend.core_id
  %a = ascend.alloc "a" at 0 : memref<64xf32, #ascend.space<l1>>
  %op = ascend.address %o[%core, %c0] : !out -> !gm
  ascend.nd_to_nz %a, %op rows(%c1) cols(%c8) src_pitch(%c8) dst_rows 1 : memref<64xf32, #ascend.space<l1>>, !gm
  ascend.barrier all
  return
}
