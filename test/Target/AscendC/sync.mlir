// RUN: attn-opt %s --emit=ascendc --no-line-directives | FileCheck %s
// RUN: attn-opt %s --emit=ascendc | %clang_ascendc -

// Flags and barriers; an event with slots is a sum.

// CHECK-LABEL: void sync(int64_t parity) {
func.func @sync(%parity: index loc("parity")) attributes {ascend.kernel} {
  %c1 = arith.constant 1 : index
  // CHECK:      AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(0);
  ascend.set_flag mte2 to v event 0
  // CHECK-NEXT: AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(0);
  ascend.wait_flag mte2 to v event 0
  // CHECK-NEXT: AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(static_cast<int32_t>(1 + parity));
  ascend.set_flag v to mte3 event 1 slot(%parity) of 2
  // CHECK-NEXT: AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(2);
  ascend.wait_flag v to mte3 event 1 slot(%c1) of 2
  // CHECK-NEXT: AscendC::SetFlag<AscendC::HardEvent::MTE3_S>(5);
  ascend.set_flag mte3 to s event 5
  // CHECK-NEXT: AscendC::WaitFlag<AscendC::HardEvent::MTE3_S>(5);
  ascend.wait_flag mte3 to s event 5
  // CHECK-NEXT: AscendC::PipeBarrier<PIPE_V>();
  ascend.barrier v
  // CHECK-NEXT: AscendC::PipeBarrier<PIPE_MTE2>();
  ascend.barrier mte2
  // CHECK-NEXT: AscendC::PipeBarrier<PIPE_ALL>();
  // CHECK-NEXT: }
  ascend.barrier all
  return
}
