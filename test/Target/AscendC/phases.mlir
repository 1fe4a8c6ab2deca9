// RUN: attn-opt %s --emit=ascendc --no-line-directives | FileCheck %s
// RUN: attn-opt %s --emit=ascendc | %clang_ascendc -

// Blocks that meet need a mixed kernel without cube cores, and must all run at once.
// CHECK:      // meeting
// CHECK-NEXT: //   unified buffer:
// CHECK-NEXT: //   blocks: at most 40; all must run at once, since they meet
// CHECK:      extern "C" __global__ __mix__(0, 1) void meeting() {
// CHECK:      AscendC::SyncAll();
// CHECK-NEXT: AscendC::PipeBarrier<PIPE_ALL>();
func.func @meeting() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<meeting_vector>, launch.limit = 40 : i64} {
  ascend.sync_all
  ascend.barrier all
  return
}

// A phase that is launched by itself says after which kernel.
// CHECK:      // meeting_phase1
// CHECK:      //   blocks: at most 40
// CHECK-NEXT: //   launched after meeting, with its arguments, workspaces and number of blocks
// CHECK:      extern "C" __global__ __vector__ void meeting_phase1() {
func.func @meeting_phase1() attributes {ascend.kernel, launch.limit = 40 : i64, launch.after = @meeting} {
  ascend.barrier all
  return
}

// The launcher passes what the kernel does not read; compilers do not warn of it.
// CHECK:      void unread(__gm__ uint8_t* x, int64_t n) {
// CHECK-NEXT: AscendC::InitSocState();
// CHECK-NEXT: (void)x;
// CHECK-NEXT: (void)n;
// CHECK-NEXT: AscendC::PipeBarrier<PIPE_ALL>();
func.func @unread(%x: memref<64xf32, #ascend.space<gm>> loc("x"), %n: index loc("n")) attributes {ascend.kernel} {
  ascend.barrier all
  return
}
