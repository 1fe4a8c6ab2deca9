// RUN: attn-opt %s --emit=hivm --no-line-directives | FileCheck %s
// RUN: attn-opt %s --emit=hivm | attn-opt -o /dev/null

// Flags and barriers; an event with slots is a sum, and a slot an address.
// CHECK:       // meeting
// CHECK-NEXT:  //   unified buffer: 0 bytes
// CHECK-NEXT:  //   blocks: at most 40; all must run at once, since they meet
// CHECK-NEXT:  //   arguments:
// CHECK-NEXT:  //     ffts: int64_t, where flags between cores lie, given by the launcher
!slots = memref<2x64xf32, #ascend.space<ub>>
!slot = memref<64xf32, #ascend.space<ub>>

// CHECK-LABEL: func.func @sync(%parity: i64)
func.func @sync(%parity: index loc("parity")) attributes {ascend.kernel} {
  %zero = arith.constant 0.0 : f32
  %c64 = arith.constant 64 : index
  %v = ascend.alloc "v" at 4096 : !slots
  // CHECK:      hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
  ascend.set_flag mte2 to v event 0
  // CHECK-NEXT: hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
  ascend.wait_flag mte2 to v event 0
  // CHECK:      %[[WORD:.*]] = arith.index_cast %{{.*}} : index to i64
  // CHECK:      %[[EVENT:.*]] = arith.addi %{{.*}}, %{{.*}} : i64
  // CHECK-NEXT: hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE3>, %[[EVENT]]]
  ascend.set_flag v to mte3 event 1 slot(%parity) of 2
  // CHECK-NEXT: hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE3>, %[[EVENT]]]
  ascend.wait_flag v to mte3 event 1 slot(%parity) of 2
  // CHECK-NEXT: hivm.hir.set_flag[<PIPE_MTE3>, <PIPE_S>, <EVENT_ID5>]
  ascend.set_flag mte3 to s event 5
  // CHECK-NEXT: hivm.hir.wait_flag[<PIPE_MTE3>, <PIPE_S>, <EVENT_ID5>]
  ascend.wait_flag mte3 to s event 5
  // CHECK-NEXT: hivm.hir.pipe_barrier[<PIPE_V>]
  ascend.barrier v
  %now = ascend.slot %v[%parity] : !slots -> !slot
  // CHECK:      %[[PLACE:.*]] = arith.muli %[[WORD]], %c256_i64
  // CHECK:      %[[BYTE:.*]] = arith.addi {{.*}}%[[PLACE]]
  // CHECK:      hivm.hir.pointer_cast(%[[BYTE]]) : memref<64xf32, #ub>
  ascend.duplicate %now, %zero count(%c64) : !slot, f32
  ascend.barrier all
  return
}

// Blocks that meet: all work is done, a flag goes to all cores, all wait. The launcher says where such flags lie.
// CHECK-LABEL: func.func @meeting(%ffts: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>})
// CHECK-NEXT:  hivm.hir.set_ffts_base_addr %ffts
// CHECK-NEXT:  hivm.hir.set_mask_norm
// CHECK-NEXT:  hivm.hir.pipe_barrier[<PIPE_ALL>]
// CHECK-NEXT:  hivm.hir.sync_block_set[<VECTOR>, <PIPE_MTE3>, <PIPE_S>] flag = 9 ffts_base_addr = %ffts sync_instr_mode = <INTER_BLOCK_SYNCHRONIZATION>
// CHECK-NEXT:  hivm.hir.sync_block_wait[<VECTOR>, <PIPE_MTE3>, <PIPE_S>] flag = 9
// CHECK-NEXT:  hivm.hir.pipe_barrier[<PIPE_ALL>]
func.func @meeting() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<meeting_vector>, launch.limit = 40 : i64} {
  ascend.sync_all
  ascend.barrier all
  return
}
