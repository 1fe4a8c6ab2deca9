// The halves of a kernel of cube and vector cores together are two functions.
// RUN: attn-opt %source_root/test/Simulator/IR/Inputs/mixed-composite.mlir --emit=hivm --no-line-directives | FileCheck %s
// RUN: attn-opt %source_root/test/Simulator/IR/Inputs/mixed-composite.mlir --emit=hivm | attn-opt -o /dev/null

// CHECK:      // weighted
// CHECK:      //     ffts: int64_t, where flags between cores lie, given by the launcher
// CHECK:      module attributes {hivm.module_core_type = #hivm.module_core_type<MIX>} {
// CHECK:      func.func @weighted_mix_aic(%ffts: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>}
// CHECK-SAME:   hacc.entry
// CHECK-SAME:   hivm.func_core_type = #hivm.func_core_type<AIC>, hivm.part_of_mix
// CHECK:        hivm.hir.set_ffts_base_addr %ffts
// CHECK:        hivm.hir.fixpipe
// CHECK:        hivm.hir.sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = 0 ffts_base_addr = %ffts sync_instr_mode = <INTRA_BLOCK_SYNCHRONIZATION>
// CHECK:        hivm.hir.sync_block_wait[<CUBE>, <PIPE_MTE3>, <PIPE_S>] flag = 1
// CHECK:      func.func @weighted_infer_task_type_function() -> i8
// CHECK-NEXT:   arith.constant 32 : i8
// CHECK:      func.func @weighted_mix_aiv(%ffts: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>}
// CHECK-SAME:   hivm.func_core_type = #hivm.func_core_type<AIV>, hivm.part_of_mix
// CHECK-DAG:    hivm.hir.get_block_idx -> i64
// CHECK-DAG:    hivm.hir.get_sub_block_idx -> i64
// CHECK:        hivm.hir.sync_block_wait[<VECTOR>, <PIPE_FIX>, <PIPE_S>] flag = 0
// CHECK:        hivm.hir.sync_block_set[<VECTOR>, <PIPE_MTE3>, <PIPE_S>] flag = 1 ffts_base_addr = %ffts sync_instr_mode = <INTRA_BLOCK_SYNCHRONIZATION>
