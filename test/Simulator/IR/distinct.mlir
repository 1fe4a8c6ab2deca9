// RUN: attn-sim %s --arg=values:2,0,1:3xi32 --arg=undef:3x8xf32 --print=1 2>&1 | FileCheck %s
// RUN: not attn-sim %s --arg=values:2,0,2:3xi32 --arg=undef:3x8xf32 2>&1 | FileCheck %s --check-prefix=TWICE

// Each block writes the row that a list names for it: once, or the run says which is written again and goes on.
!list = memref<?xi32, strided<[1]>, #ascend.space<gm>>
!out = memref<?x8xf32, strided<[?, 1]>, #ascend.space<gm>>
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<8xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK-NOT: {{error:}}
// CHECK: values of argument 1:
// TWICE: error: {{.*}}: index 2 of dimension 0 of array "rows" is written twice: its list names it more than once
func.func @kernel(%list: !list, %o: !out {launch.output, launch.dims = ["N", 8]} loc("rows"))
    attributes {ascend.kernel, launch.limit = 3 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %b = ascend.block_id
  %j = ascend.load_index %list[%b] : !list
  %v = ascend.alloc "v" at 0 : !ub
  ascend.duplicate %v, %one count(%c8) : !ub, f32
  ascend.barrier all
  %place = ascend.address %o[%j, %c0] : !out -> !gm
  ascend.expect_distinct %j at %place in %o, 0 : !gm, !out
  ascend.copy_out %place, %v rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}
func.func @grid(%list: !list, %o: !out) -> index attributes {launch.grid_of = @kernel} {
  %n = arith.constant 3 : index
  return %n : index
}
}
