// RUN: not attn-sim %s --arg=undef:8xi32 2>&1 | FileCheck %s

// What the launch writes is read past old lines of the scalar unit's cache, or the run says so.
!words = memref<?xi32, strided<[1]>, #ascend.space<gm>>
!gm = memref<?xi32, #ascend.space<gm>>
!ub = memref<8xi32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK-NOT: error
// CHECK: old-lines.mlir:[[@LINE+15]]:{{.*}}: error: race: load_index reads array "words", which the launch writes, by way of a line of the cache that may be old
func.func @kernel(%words: !words {launch.output, launch.dims = ["N"]} loc("words"))
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<meeting_vector>, launch.limit = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %seven = arith.constant 7 : i32
  %v = ascend.alloc "v" at 0 : !ub
  ascend.duplicate %v, %seven count(%c8) : !ub, i32
  ascend.barrier all
  %place = ascend.address %words[%c0] : !words -> !gm
  ascend.copy_out %place, %v rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 8 : !gm, !ub
  ascend.barrier all
  ascend.sync_all
  %new = ascend.load_index %words[%c1] written : !words
  %old = ascend.load_index %words[%new] : !words
  ascend.expect_index %old is %c0 in %words, 0 : !words
  return
}
}
