// RUN: attn-sim %s --check-effects --arg=iota:8xf32 --arg=undef:64xf32 --print=1 | FileCheck %s

// One 32-byte block per source element: rows two blocks apart get two values each.
!gm = memref<?xf32, #ascend.space<gm>>
module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK: values of argument 1:
// CHECK-NEXT: {{^}}  0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1 2 2 2 2 2 2 2 2 3 {{.*}} 6 7 7 7 7 7 7 7 7{{$}}
func.func @kernel(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : memref<8xf32, #ascend.space<ub>>
  %d = ascend.alloc "d" at 32 : memref<64xf32, #ascend.space<ub>>
  ascend.copy_in %a, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : memref<8xf32, #ascend.space<ub>>, !gm
  ascend.barrier all
  ascend.brcb %d, %a repeat(%c1) strides [1, 8] : memref<64xf32, #ascend.space<ub>>, memref<8xf32, #ascend.space<ub>>
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, memref<64xf32, #ascend.space<ub>>
  ascend.barrier all
  return
}
}
