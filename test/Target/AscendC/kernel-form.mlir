// How a kernel says which cores it is for: by an attribute, or by its first statement, as before CANN 8.5. Text of both forms
// computes the same.
// RUN: attn-opt %s --emit=ascendc | FileCheck %s --check-prefix=ATTRIBUTE
// RUN: mkdir -p %t
// RUN: attn-opt %s --emit=ascendc --kernel-form=task-type -o %t/old.cpp
// RUN: FileCheck %s --check-prefix=TASK < %t/old.cpp
// RUN: attn-sim %t/old.cpp --kernel=alone --arg=undef:8xf32 --print=0 | FileCheck %s --check-prefix=VALUES
// RUN: attn-sim %t/old.cpp --kernel=together --blocks=2 --arg=undef:8xf32 --print=0 | FileCheck %s --check-prefix=VALUES
// RUN: sed s/KERNEL_TYPE_MIX_AIV_1_0/KERNEL_TYPE_AIV_ONLY/ %t/old.cpp > %t/kind.cpp
// RUN: not attn-sim %t/kind.cpp --kernel=together --arg=undef:8xf32 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: sed s/KERNEL_TYPE_AIV_ONLY/KERNEL_TYPE_AIC_ONLY/ %t/old.cpp > %t/cube.cpp
// RUN: not attn-sim %t/cube.cpp --kernel=alone --arg=undef:8xf32 2>&1 | FileCheck %s --check-prefix=CUBE
// RUN: sed s/KERNEL_TYPE_AIV_ONLY/KERNEL_TYPE_MIX_AIC_1_1/ %t/old.cpp > %t/mixed.cpp
// RUN: not attn-sim %t/mixed.cpp --kernel=alone --arg=undef:8xf32 2>&1 | FileCheck %s --check-prefix=MIXED
// RUN: sed s/KERNEL_TYPE_AIV_ONLY/KERNEL_TYPE_VECTOR/ %t/old.cpp > %t/word.cpp
// RUN: not attn-sim %t/word.cpp --kernel=alone --arg=undef:8xf32 2>&1 | FileCheck %s --check-prefix=WORD
!array = memref<8xf32, #ascend.space<gm>>
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<8xf32, #ascend.space<ub>>
module attributes {machine.target = #machine.target<"Ascend910B4">} {
// ATTRIBUTE:      extern "C" __global__ __vector__ void alone(__gm__ uint8_t* arg0) {
// ATTRIBUTE-NEXT:   AscendC::InitSocState();
// ATTRIBUTE:      extern "C" __global__ __mix__(0, 1) void together(
// What CANN before 8.5 lacks is defined in the text.
// ATTRIBUTE-NOT: attn_text
// TASK:      namespace attn_text {
// TASK:      void InitSocState() {
// TASK-NEXT:   AscendC::SetAtomicNone();
// TASK-NEXT:   AscendC::SetMaskNorm();
// TASK-NEXT:   AscendC::ResetMask();
// TASK:      tensor.SetAddr(place);
// TASK:      extern "C" __global__ __aicore__ void alone(__gm__ uint8_t* arg0) {
// TASK-NEXT:   KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
// TASK-NEXT:   attn_text::InitSocState();
// TASK:        AscendC::LocalTensor<float> {{.*}} = attn_text::MakeTensor<float>(AscendC::TPosition::{{[A-Z]+}}, 0, 8);
// TASK:      extern "C" __global__ __aicore__ void together(__gm__ uint8_t* arg0) {
// TASK-NEXT:   KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
// VALUES: values of argument 0:
// VALUES-NEXT: 2 2 2
// KIND: error: usage: AscendC::SyncAll() needs a kernel of the kind __mix__(0, 1), not __vector__
// CUBE: error: usage: declares a tensor in ub, which cube cores do not have
// MIXED: error: kernel 'alone' is of the kind KERNEL_TYPE_MIX_AIC_1_1; the twin runs __vector__, __cube__, __mix__(0, 1) and __mix__(1, 2)
// WORD: error: the text does not compile: use of undeclared identifier 'KERNEL_TYPE_VECTOR'
func.func @alone(%o: !array {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %two = arith.constant 2.0 : f32
  %v = ascend.alloc "v" at 0 : !ub
  %op = ascend.address %o[%c0] : !array -> !gm
  ascend.duplicate %v, %two count(%c8) : !ub, f32
  ascend.barrier all
  ascend.copy_out %op, %v rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}
func.func @together(%o: !array {launch.output}) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<meeting_vector>, launch.limit = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %two = arith.constant 2.0 : f32
  %id = ascend.block_id
  %first = arith.cmpi eq, %id, %c0 : index
  %v = ascend.alloc "v" at 0 : !ub
  %op = ascend.address %o[%c0] : !array -> !gm
  ascend.duplicate %v, %two count(%c8) : !ub, f32
  ascend.sync_all
  scf.if %first {
    ascend.copy_out %op, %v rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 8 : !gm, !ub
  }
  ascend.barrier all
  return
}
}
