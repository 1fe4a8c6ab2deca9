// RUN: not attn-sim %s --kernel=unordered --arg=iota:4x64xf32 --arg=undef:4x64xf32 --arg=workspace 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not attn-sim %s --kernel=unordered --arg=iota:4x64xf32 --arg=undef:4x64xf32 --arg=workspace --jitter=3 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not attn-sim %s --kernel=one_core --arg=i64:0 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not attn-sim %s --kernel=in_a_ring --arg=i64:0 2>&1 | FileCheck %s --check-prefix=RING
// RUN: not attn-sim %s --kernel=never_set --arg=i64:0 2>&1 | FileCheck %s --check-prefix=NEVER
// RUN: not attn-sim %s --kernel=after_a_pipe --arg=i64:0 2>&1 | FileCheck %s --check-prefix=AFTER
// RUN: not attn-sim %s --kernel=many --arg=i64:16 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: attn-sim %s --kernel=many --arg=i64:15 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: attn-sim %s --kernel=answered --arg=i64:100 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not attn-sim %s --kernel=left --arg=i64:0 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: not attn-sim %s --kernel=two_pipes --arg=i64:0 2>&1 | FileCheck %s --check-prefix=PIPES
// RUN: not attn-sim %s --kernel=no_group --arg=i64:0 2>&1 | FileCheck %s --check-prefix=GROUP
// RUN: not attn-sim %s --kernel=no_pipe --arg=i64:0 2>&1 | FileCheck %s --check-prefix=PIPE

// What goes wrong with flags between the cores of a group.
!rows = memref<?x64xf32, strided<[?, 1]>, #ascend.space<gm>>
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>
!l1 = memref<64xf32, #ascend.space<l1>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// Both vector cores write their rows of the workspace. The set is on another pipe than the stores, and nothing orders the two.
// RACE: cross-flags-errors.mlir:[[@LINE+28]]:{{[0-9]+}}: error: race: copy_in reads array "argument 2" (bytes {{.*}}) while copy_out on mte3 of vector core {{[01]}} writes it: nothing orders them [block 0, cube core, pipe mte2]
func.func @unordered(%x: !rows, %o: !rows {launch.output}, %w: !rows {launch.workspace, launch.dims = ["@cores", 64]})
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %core = ascend.core_id
  %a = ascend.alloc "a" at 0 : !ub
  %xp = ascend.address %x[%core, %c0] : !rows -> !gm
  %wp = ascend.address %w[%core, %c0] : !rows -> !gm
  %op = ascend.address %o[%core, %c0] : !rows -> !gm
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.barrier all
  ascend.copy_out %wp, %a rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.copy_out %op, %a rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.cross_set mte2 flag 0
  ascend.barrier all
  return
}
func.func @unordered_cube(%x: !rows, %o: !rows {launch.output}, %w: !rows {launch.workspace, launch.dims = ["@cores", 64]})
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @unordered} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %q = ascend.alloc "q" at 0 : memref<128xf32, #ascend.space<l1>>
  %wp = ascend.address %w[%c0, %c0] : !rows -> !gm
  ascend.cross_wait flag 0
  ascend.copy_in %q, %wp rows(%c2) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : memref<128xf32, #ascend.space<l1>>, !gm
  ascend.barrier all
  return
}

// The cube core needs a set of both.
// ONE: cross-flags-errors.mlir:[[@LINE+13]]:{{[0-9]+}}: error: deadlock: nothing can go on: cube core: s waits for flag 2 of vector core 1; vector core 1 has ended [block 0, cube core]
func.func @one_core(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  %c0 = arith.constant 0 : index
  %half = ascend.sub_block_id
  %isFirst = arith.cmpi eq, %half, %c0 : index
  scf.if %isFirst {
    ascend.cross_set mte3 flag 2
  }
  ascend.barrier all
  return
}
func.func @one_core_cube(%n: index)
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @one_core} {
  ascend.cross_wait flag 2
  ascend.barrier all
  return
}

// Each side waits before it sets.
// RING: cross-flags-errors.mlir:[[@LINE+11]]:{{[0-9]+}}: error: deadlock: nothing can go on: cube core: s waits for flag 0 of vector core 0 and vector core 1; vector core 0: s waits for flag 1 of cube core; vector core 1: s waits for flag 1 of cube core [block 0, cube core]
// RING: cross-flags-errors.mlir:[[@LINE+3]]:{{[0-9]+}}: note: vector core 0: s waits for flag 1 of cube core
// RING: cross-flags-errors.mlir:[[@LINE+2]]:{{[0-9]+}}: note: vector core 1: s waits for flag 1 of cube core
func.func @in_a_ring(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  ascend.cross_wait flag 1
  ascend.cross_set mte3 flag 0
  ascend.barrier all
  return
}
func.func @in_a_ring_cube(%n: index)
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @in_a_ring} {
  ascend.cross_wait flag 0
  ascend.cross_set fix flag 1
  ascend.barrier all
  return
}

// NEVER: error: deadlock: nothing can go on: vector core 0: s waits for flag 3 of cube core; cube core has ended; vector core 1: s waits for flag 3 of cube core [block 0, vector core 0]
func.func @never_set(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  ascend.cross_wait flag 3
  ascend.barrier all
  return
}
func.func @never_set_cube(%n: index)
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @never_set} {
  ascend.barrier all
  return
}

// The set comes after a wait of its pipe, which nothing ends: the chain goes on there.
// AFTER: error: deadlock: nothing can go on: cube core: s waits for flag 0 of vector core 0 and vector core 1; vector core 0: mte3 waits for event 0 from v to mte3; vector core 0: s waits for all pipes; vector core 1: mte3 waits for event 0 from v to mte3; vector core 1: s waits for all pipes [block 0, cube core]
func.func @after_a_pipe(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  ascend.wait_flag v to mte3 event 0
  ascend.cross_set mte3 flag 0
  ascend.barrier all
  return
}
func.func @after_a_pipe_cube(%n: index)
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @after_a_pipe} {
  ascend.cross_wait flag 0
  ascend.barrier all
  return
}

// A counter holds 15 sets; that the other side is quick enough is luck.
// MANY: error: flag misuse: cross_set raises flag 4 of cube core, of which 15 sets may be pending: nothing orders it after the waits before [block 0, vector core {{[01]}}, pipe mte3]
// FEW: hazards: 0
func.func @many(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    ascend.cross_set mte3 flag 4
  }
  ascend.barrier all
  return
}
func.func @many_cube(%n: index)
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @many} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    ascend.cross_wait flag 4
  }
  ascend.barrier all
  return
}

// With an answer in between there may be any number.
func.func @answered(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    ascend.cross_set mte3 flag 4
    ascend.cross_wait flag 4
  }
  ascend.barrier all
  return
}
func.func @answered_cube(%n: index)
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @answered} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    ascend.cross_wait flag 4
    ascend.cross_set fix flag 4
  }
  ascend.barrier all
  return
}

// LEFT-DAG: error: flag misuse: cross_set of flag 5 is still raised on vector core 0 when the kernel ends [block 0, cube core, pipe fix]
// LEFT-DAG: error: flag misuse: cross_set of flag 6 is still raised on cube core when the kernel ends [block 0, vector core 0, pipe mte2]
func.func @left(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  ascend.cross_set mte2 flag 6
  ascend.barrier all
  return
}
func.func @left_cube(%n: index)
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @left} {
  ascend.cross_set fix flag 5
  ascend.barrier all
  return
}

// A wait could take the one set for the other.
// PIPES: error: flag misuse: cross_set raises flag 7, and nothing orders that after the set on mte2 before it [block 0, vector core {{[01]}}, pipe mte3]
// PIPES: note: the set before it
func.func @two_pipes(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  ascend.cross_set mte2 flag 7
  ascend.cross_set mte3 flag 7
  ascend.barrier all
  return
}
func.func @two_pipes_cube(%n: index)
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @two_pipes} {
  ascend.cross_wait flag 7
  ascend.cross_wait flag 7
  ascend.barrier all
  return
}

// GROUP: error: usage: cross_set is for the cores of a group, but the kernel is of the kind 'vector' [block 0, pipe mte3]
// GROUP: error: usage: cross_wait is for the cores of a group, but the kernel is of the kind 'vector' [block 0, pipe s]
func.func @no_group(%n: index) attributes {ascend.kernel} {
  ascend.cross_set mte3 flag 0
  ascend.cross_wait flag 0
  ascend.barrier all
  return
}

// PIPE: error: usage: cross_set runs on pipe fix, which a vector core does not have [block 0, vector core 0, pipe fix]
func.func @no_pipe(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  ascend.cross_set fix flag 0
  ascend.barrier all
  return
}
func.func @no_pipe_cube(%n: index)
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @no_pipe} {
  ascend.barrier all
  return
}
}
