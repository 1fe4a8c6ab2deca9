// RUN: attn-sim %s --kernel=ordered --arg=iota:64xf32 --arg=undef:64xf32 | FileCheck %s --check-prefix=CLEAN
// RUN: not attn-sim %s --kernel=load_unordered --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=LOAD-UNORDERED
// RUN: not attn-sim %s --kernel=store_unordered --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=STORE-UNORDERED
// RUN: not attn-sim %s --kernel=vector_without_barrier --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=VECTOR-WITHOUT-BARRIER
// RUN: attn-sim %s --kernel=vector_with_barrier --arg=iota:64xf32 --arg=undef:64xf32 | FileCheck %s --check-prefix=CLEAN
// RUN: not attn-sim %s --kernel=vector_write_after_read --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=VECTOR-WRITE-AFTER-READ
// RUN: attn-sim %s --kernel=vector_apart --arg=iota:64xf32 --arg=undef:64xf32 | FileCheck %s --check-prefix=CLEAN
// RUN: not attn-sim %s --kernel=loads_overlap --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=LOADS-OVERLAP
// RUN: attn-sim %s --kernel=loads_ordered --arg=iota:64xf32 --arg=undef:64xf32 | FileCheck %s --check-prefix=CLEAN
// RUN: not attn-sim %s --kernel=stores_overlap --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=STORES-OVERLAP
// RUN: not attn-sim %s --kernel=read_back --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=READ-BACK
// RUN: attn-sim %s --kernel=read_back_ordered --arg=iota:64xf32 --arg=undef:64xf32 | FileCheck %s --check-prefix=CLEAN
// RUN: not attn-sim %s --kernel=shared_memory --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=SHARED-MEMORY
// RUN: attn-sim %s --kernel=through_third_pipe --arg=iota:64xf32 --arg=undef:64xf32 | FileCheck %s --check-prefix=CLEAN
// RUN: attn-sim %s --kernel=by_scalar_pipe --arg=iota:64xf32 --arg=undef:64xf32 | FileCheck %s --check-prefix=CLEAN
// RUN: not attn-sim %s --kernel=by_issue_order --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=BY-ISSUE-ORDER
// RUN: not attn-sim %s --kernel=between_blocks --arg=iota:64xf32 --arg=undef:64xf32 --blocks=2 2>&1 | FileCheck %s --check-prefix=BETWEEN-BLOCKS

// CLEAN: hazards: 0

// Two accesses to the same bytes, one of them a write, that nothing orders.
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

func.func @ordered(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.set_flag mte2 to v event 0
  ascend.wait_flag mte2 to v event 0
  ascend.unary exp %d, %a count(%c64) : !ub, !ub
  ascend.set_flag v to mte3 event 0
  ascend.wait_flag v to mte3 event 0
  ascend.copy_out %op, %d rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}

// LOAD-UNORDERED: {{[0-9]+}}:3: error: race: {{(copy_in writes|unary exp reads)}} buffer "a" (bytes 0 to 255) while {{.*}} it: nothing orders them [block 0, pipe {{.*}}]
// LOAD-UNORDERED: note: the other is
func.func @load_unordered(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.unary exp %d, %a count(%c64) : !ub, !ub
  ascend.set_flag v to mte3 event 0
  ascend.wait_flag v to mte3 event 0
  ascend.copy_out %op, %d rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}

// STORE-UNORDERED: error: race: {{.*}} buffer "d"
func.func @store_unordered(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.set_flag mte2 to v event 0
  ascend.wait_flag mte2 to v event 0
  ascend.unary exp %d, %a count(%c64) : !ub, !ub
  ascend.copy_out %op, %d rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}

// VECTOR-WITHOUT-BARRIER: error: race: unary sqrt {{reads|writes}} buffer "d" (bytes 0 to 255) while unary exp on v writes it: nothing orders them [block 0, pipe v]
func.func @vector_without_barrier(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.set_flag mte2 to v event 0
  ascend.wait_flag mte2 to v event 0
  ascend.unary exp %d, %a count(%c64) : !ub, !ub
  ascend.unary sqrt %d, %d count(%c64) : !ub, !ub
  ascend.set_flag v to mte3 event 0
  ascend.wait_flag v to mte3 event 0
  ascend.copy_out %op, %d rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}

func.func @vector_with_barrier(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.set_flag mte2 to v event 0
  ascend.wait_flag mte2 to v event 0
  ascend.unary exp %d, %a count(%c64) : !ub, !ub
  ascend.barrier v
  ascend.unary sqrt %d, %d count(%c64) : !ub, !ub
  ascend.set_flag v to mte3 event 0
  ascend.wait_flag v to mte3 event 0
  ascend.copy_out %op, %d rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}

// VECTOR-WRITE-AFTER-READ: error: race: duplicate writes buffer "a" (bytes 0 to 255) while unary exp on v reads it
func.func @vector_write_after_read(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.set_flag mte2 to v event 0
  ascend.wait_flag mte2 to v event 0
  ascend.unary exp %d, %a count(%c64) : !ub, !ub
  %zero = arith.constant 0.0 : f32
  ascend.duplicate %a, %zero count(%c64) : !ub, f32
  ascend.set_flag v to mte3 event 0
  ascend.wait_flag v to mte3 event 0
  ascend.copy_out %op, %d rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}

// Different bytes need no order.
func.func @vector_apart(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.set_flag mte2 to v event 0
  ascend.wait_flag mte2 to v event 0
  %c32 = arith.constant 32 : index
  %second = ascend.slice %a[%c32] : !ub -> memref<?xf32, #ascend.space<ub>>
  ascend.unary exp %d, %a count(%c32) : !ub, !ub
  %result = ascend.slice %d[%c32] : !ub -> memref<?xf32, #ascend.space<ub>>
  ascend.unary exp %result, %second count(%c32) : memref<?xf32, #ascend.space<ub>>, memref<?xf32, #ascend.space<ub>>
  ascend.set_flag v to mte3 event 0
  ascend.wait_flag v to mte3 event 0
  ascend.copy_out %op, %d rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}

// LOADS-OVERLAP: error: race: copy_in writes buffer "a" (bytes 0 to 255) while copy_in on mte2 writes it: nothing orders them [block 0, pipe mte2]
func.func @loads_overlap(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.set_flag mte2 to v event 0
  ascend.wait_flag mte2 to v event 0
  ascend.unary exp %d, %a count(%c64) : !ub, !ub
  ascend.set_flag v to mte3 event 0
  ascend.wait_flag v to mte3 event 0
  ascend.copy_out %op, %d rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}

func.func @loads_ordered(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.barrier mte2
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.set_flag mte2 to v event 0
  ascend.wait_flag mte2 to v event 0
  ascend.unary exp %d, %a count(%c64) : !ub, !ub
  ascend.set_flag v to mte3 event 0
  ascend.wait_flag v to mte3 event 0
  ascend.copy_out %op, %d rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}

// STORES-OVERLAP: error: race: copy_out writes array "argument 1" (bytes 0 to 255) while copy_out on mte3 writes it: nothing orders them [block 0, pipe mte3]
func.func @stores_overlap(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.set_flag mte2 to v event 0
  ascend.wait_flag mte2 to v event 0
  ascend.unary exp %d, %a count(%c64) : !ub, !ub
  ascend.set_flag v to mte3 event 0
  ascend.wait_flag v to mte3 event 0
  ascend.copy_out %op, %d rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.copy_out %op, %d rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}

// READ-BACK: error: race: {{.*}} array "argument 1"
func.func @read_back(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.set_flag mte2 to v event 0
  ascend.wait_flag mte2 to v event 0
  ascend.unary exp %d, %a count(%c64) : !ub, !ub
  ascend.set_flag v to mte3 event 0
  ascend.wait_flag v to mte3 event 0
  ascend.copy_out %op, %d rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.set_flag v to mte2 event 1
  ascend.wait_flag v to mte2 event 1
  ascend.copy_in %a, %op rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.barrier all
  return
}

func.func @read_back_ordered(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.set_flag mte2 to v event 0
  ascend.wait_flag mte2 to v event 0
  ascend.unary exp %d, %a count(%c64) : !ub, !ub
  ascend.set_flag v to mte3 event 0
  ascend.wait_flag v to mte3 event 0
  ascend.copy_out %op, %d rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.set_flag mte3 to mte2 event 0
  ascend.wait_flag mte3 to mte2 event 0
  ascend.copy_in %a, %op rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.barrier all
  return
}

// SHARED-MEMORY: error: race: duplicate writes buffer "e" (bytes 0 to 127) while unary exp on v reads buffer "a": nothing orders them
// Buffers may share memory; then they meet by address.
func.func @shared_memory(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  %e = ascend.alloc "e" at 128 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.set_flag mte2 to v event 0
  ascend.wait_flag mte2 to v event 0
  ascend.unary exp %d, %a count(%c64) : !ub, !ub
  %zero = arith.constant 0.0 : f32
  ascend.duplicate %e, %zero count(%c64) : !ub, f32
  ascend.set_flag v to mte3 event 0
  ascend.wait_flag v to mte3 event 0
  ascend.copy_out %op, %d rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}

// An order may go by way of another pipe.
func.func @through_third_pipe(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.set_flag mte2 to mte3 event 0
  ascend.wait_flag mte2 to mte3 event 0
  ascend.set_flag mte3 to v event 0
  ascend.wait_flag mte3 to v event 0
  ascend.unary exp %d, %a count(%c64) : !ub, !ub
  ascend.set_flag v to mte3 event 1
  ascend.wait_flag v to mte3 event 1
  ascend.copy_out %op, %d rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}

// What the scalar unit has waited for is over for all that it issues later.
func.func @by_scalar_pipe(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.set_flag mte2 to s event 0
  ascend.wait_flag mte2 to s event 0
  ascend.unary exp %d, %a count(%c64) : !ub, !ub
  ascend.set_flag v to mte3 event 0
  ascend.wait_flag v to mte3 event 0
  ascend.copy_out %op, %d rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}

// BY-ISSUE-ORDER: error: race: {{.*}} buffer "a"
// The order of issue alone is none.
func.func @by_issue_order(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.set_flag v to s event 0
  ascend.wait_flag v to s event 0
  ascend.unary exp %d, %a count(%c64) : !ub, !ub
  ascend.set_flag v to mte3 event 0
  ascend.wait_flag v to mte3 event 0
  ascend.copy_out %op, %d rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}

// BETWEEN-BLOCKS: error: race: copy_out writes array "argument 1" (bytes 0 to 255) while copy_out on mte3 of block {{[01]}} writes it: nothing orders them [block {{[01]}}, pipe mte3]
func.func @between_blocks(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.set_flag mte2 to v event 0
  ascend.wait_flag mte2 to v event 0
  ascend.unary exp %d, %a count(%c64) : !ub, !ub
  ascend.set_flag v to mte3 event 0
  ascend.wait_flag v to mte3 event 0
  ascend.copy_out %op, %d rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}
}
