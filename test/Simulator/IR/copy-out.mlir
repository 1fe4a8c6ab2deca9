// RUN: attn-sim %s --check-effects --arg=iota:16xbf16 --arg=fill:-1:2x5xbf16@7,1 --arg=fill:-1:2x7xbf16 --print=1 --print=2 | FileCheck %s

// UB to GM: exactly the rows, without what lies between them on either side.
!gm2 = memref<?x?xbf16, strided<[?, 1]>, #ascend.space<gm>>
!gm = memref<?xbf16, #ascend.space<gm>>
!ub = memref<32xbf16, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK: values of argument 1:
// CHECK-NEXT: {{^}}  0 1 2 3 4{{$}}
// CHECK-NEXT: {{^}}  8 9 10 11 12{{$}}
// CHECK: values of argument 2:
// CHECK-NEXT: {{^}}  0 1 2 3 4 -1 -1{{$}}
// CHECK-NEXT: {{^}}  8 9 10 11 12 -1 -1{{$}}
func.func @kernel(%x: !gm, %o: !gm2, %p: !gm2) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0, %c0] : !gm2 -> !gm
  %pp = ascend.address %p[%c0, %c0] : !gm2 -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  ascend.copy_in %a, %xp rows(%c2) length(%c8) src_pitch(%c8) dst_pitch 16 right_pad 0 : !ub, !gm
  ascend.barrier all
  ascend.copy_out %op, %a rows(%c2) length(%c5) dst_pitch(%c7) src_pitch 16 : !gm, !ub
  ascend.copy_out %pp, %a rows(%c2) length(%c5) dst_pitch(%c7) src_pitch 16 : !gm, !ub
  ascend.barrier all
  return
}
}
