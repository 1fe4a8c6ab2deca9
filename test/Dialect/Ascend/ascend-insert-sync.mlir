// RUN: attn-opt %s --ascend-insert-sync -split-input-file -verify-diagnostics | FileCheck %s

!gm = memref<?xf32, #ascend.space<gm>>
!array = memref<?x64xf32, strided<[?, 1]>, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>
!two = memref<2x64xf32, #ascend.space<ub>>
!tile = memref<1024xf32, #ascend.space<ub>>
!any = memref<?xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// Two instructions on one load share its flag; the barrier precedes the first that needs it.
// CHECK-LABEL: func.func @straight
// CHECK: ascend.copy_in
// CHECK-NEXT: ascend.set_flag mte2 to v virtual event 0
// CHECK-NEXT: ascend.wait_flag mte2 to v virtual event 0
// CHECK-NEXT: ascend.unary exp
// CHECK-NEXT: ascend.unary abs
// CHECK-NEXT: ascend.barrier v
// CHECK-NEXT: ascend.binary add
// CHECK-NEXT: ascend.set_flag v to mte3 virtual event 0
// CHECK-NEXT: ascend.wait_flag v to mte3 virtual event 0
// CHECK-NEXT: ascend.copy_out
// CHECK-NEXT: ascend.barrier all
// CHECK-NEXT: return
func.func @straight(%x: !gm, %y: !gm) attributes {ascend.kernel} {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !ub
  %b = ascend.alloc "b" at 256 : !ub
  %c = ascend.alloc "c" at 512 : !ub
  ascend.copy_in %a, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.unary exp %b, %a count(%c64) : !ub, !ub
  ascend.unary abs %c, %a count(%c64) : !ub, !ub
  ascend.binary add %c, %b, %c count(%c64) : !ub, !ub, !ub
  ascend.copy_out %y, %c rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  return
}

// What is reused is read by late trips only: they count, although the first ones do not touch it.
// CHECK-LABEL: func.func @late_trips
// CHECK: scf.for
// CHECK: ascend.binary
// CHECK: }
// CHECK-NEXT: ascend.barrier v
// CHECK-NEXT: ascend.duplicate
func.func @late_trips(%x: f32) attributes {ascend.kernel} {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !tile
  %sum = ascend.alloc "sum" at 4096 : !ub
  %late = ascend.alloc "late" at 1536 : !ub
  scf.for %i = %c1 to %c8 step %c1 {
    %offset = arith.muli %i, %c64 : index
    %row = ascend.slice %a[%offset] : !tile -> !any
    ascend.binary add %sum, %sum, %row count(%c64) : !ub, !ub, !any
  }
  ascend.duplicate %late, %x count(%c64) : !ub, f32
  return
}

// One flag per slot, raised before the loop and drained after it.
// CHECK-LABEL: func.func @slots
// CHECK: ascend.set_flag v to mte2 virtual event 0 slot(%{{.*}}) of 2
// CHECK: ascend.set_flag v to mte2 virtual event 0 slot(%{{.*}}) of 2
// CHECK-NEXT: %{{.*}} = scf.for {{.*}} iter_args(%[[SLOT:.*]] = %c0)
// CHECK-NEXT:   %{{.*}} = ascend.slot
// CHECK-NEXT:   ascend.wait_flag v to mte2 virtual event 0 slot(%[[SLOT]]) of 2
// CHECK-NEXT:   ascend.copy_in
// CHECK-NEXT:   ascend.set_flag mte2 to v virtual event 0 slot(%[[SLOT]]) of 2
// CHECK-NEXT:   ascend.wait_flag mte2 to v virtual event 0 slot(%[[SLOT]]) of 2
// CHECK-NEXT:   ascend.barrier v
// CHECK-NEXT:   ascend.unary exp
// CHECK-NEXT:   ascend.set_flag v to mte2 virtual event 0 slot(%[[SLOT]]) of 2
// CHECK: }
// CHECK: ascend.wait_flag v to mte2 virtual event 0 slot(%{{.*}}) of 2
// CHECK: ascend.wait_flag v to mte2 virtual event 0 slot(%{{.*}}) of 2
// CHECK-NEXT: ascend.barrier all
func.func @slots(%x: !gm, %n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %v = ascend.alloc "v" at 0 : !two
  %w = ascend.alloc "w" at 512 : !ub
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%slot = %c0) -> (index) {
    %now = ascend.slot %v[%slot] : !two -> !ub
    ascend.copy_in %now, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    ascend.unary exp %w, %now count(%c64) : !ub, !ub
    %more = arith.addi %slot, %c1 : index
    %next = arith.remui %more, %c2 : index
    scf.yield %next : index
  }
  return
}

// Slots that start again with every visit of the loop do not take turns: the flag has none.
// CHECK-LABEL: func.func @restarting_slots
// CHECK: ascend.set_flag v to mte2 virtual event 0{{$}}
// CHECK-NEXT: scf.for
// CHECK-NEXT:   scf.for
// CHECK:          ascend.wait_flag v to mte2 virtual event 0{{$}}
// CHECK-NEXT:     ascend.copy_in
// CHECK-NEXT:     ascend.set_flag mte2 to v virtual event 0{{$}}
// CHECK-NEXT:     ascend.wait_flag mte2 to v virtual event 0{{$}}
// CHECK-NEXT:     ascend.unary exp
// CHECK-NEXT:     ascend.set_flag v to mte2 virtual event 0{{$}}
// CHECK: ascend.wait_flag v to mte2 virtual event 0{{$}}
// CHECK-NEXT: ascend.barrier all
func.func @restarting_slots(%x: !gm, %n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %v = ascend.alloc "v" at 0 : !two
  %w = ascend.alloc "w" at 512 : !ub
  scf.for %j = %c0 to %n step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      %slot = arith.remui %i, %c2 : index
      %now = ascend.slot %v[%slot] : !two -> !ub
      ascend.copy_in %now, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
      ascend.unary exp %w, %now count(%c64) : !ub, !ub
    }
  }
  return
}

// Flags around the ring of three pipes; the ring orders each pipe with itself, too.
// CHECK-LABEL: func.func @one_slot
// CHECK: ascend.set_flag mte3 to mte2 virtual event 0
// CHECK-NEXT: scf.for
// CHECK-NEXT:   ascend.wait_flag mte3 to mte2 virtual event 0
// CHECK-NEXT:   ascend.copy_in
// CHECK-NEXT:   ascend.set_flag mte2 to v virtual event 0
// CHECK-NEXT:   ascend.wait_flag mte2 to v virtual event 0
// CHECK-NEXT:   ascend.unary exp
// CHECK-NEXT:   ascend.set_flag v to mte3 virtual event 0
// CHECK:        ascend.wait_flag v to mte3 virtual event 0
// CHECK-NEXT:   ascend.copy_out
// CHECK-NEXT:   ascend.set_flag mte3 to mte2 virtual event 0
// CHECK-NEXT: }
// CHECK-NEXT: ascend.wait_flag mte3 to mte2 virtual event 0
// CHECK-NEXT: ascend.barrier all
func.func @one_slot(%x: !gm, %y: !array, %n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !ub
  scf.for %i = %c0 to %n step %c1 {
    ascend.copy_in %a, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    ascend.unary exp %a, %a count(%c64) : !ub, !ub
    %at = ascend.address %y[%i, %c0] : !array -> !gm
    ascend.copy_out %at, %a rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  }
  return
}

// What comes from outside of a loop is awaited before it; iterations on different rows do not wait for each other.
// CHECK-LABEL: func.func @hoisted
// CHECK: ascend.copy_in
// CHECK-NEXT: ascend.set_flag mte2 to v virtual event 0
// CHECK-NEXT: ascend.duplicate
// CHECK-NEXT: ascend.barrier v
// CHECK-NEXT: ascend.wait_flag mte2 to v virtual event 0
// CHECK-NEXT: scf.for
// CHECK-NOT:  ascend.barrier
// CHECK:      ascend.binary mul
// CHECK-NEXT: }
// CHECK-NEXT: ascend.barrier v
// CHECK-NEXT: ascend.unary exp
// CHECK-NEXT: ascend.barrier all
func.func @hoisted(%x: !gm, %n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %f = arith.constant 1.0 : f32
  %a = ascend.alloc "a" at 0 : !tile
  %b = ascend.alloc "b" at 4096 : !tile
  %c = ascend.alloc "c" at 8192 : !ub
  ascend.copy_in %c, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.duplicate %a, %f count(%c64) : !tile, f32
  scf.for %i = %c0 to %n step %c1 {
    %offset = arith.muli %i, %c64 : index
    %from = ascend.slice %a[%offset] : !tile -> !any
    %to = ascend.slice %b[%offset] : !tile -> !any
    ascend.binary mul %to, %from, %c count(%c64) : !any, !any, !ub
  }
  ascend.unary exp %b, %b count(%c64) : !tile, !tile
  return
}

// Buffers that share bytes are ordered; the flag back from the vector pipe also tells that the first load is over.
// CHECK-LABEL: func.func @reused_bytes
// CHECK: ascend.copy_in
// CHECK: ascend.unary exp
// CHECK-NEXT: ascend.set_flag v to mte2 virtual event 0
// CHECK-NEXT: ascend.wait_flag v to mte2 virtual event 0
// CHECK-NEXT: ascend.copy_in
// CHECK-NEXT: ascend.barrier all
func.func @reused_bytes(%x: !gm, %y: !gm) attributes {ascend.kernel} {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !ub
  %b = ascend.alloc "b" at 256 : !ub
  %c = ascend.alloc "c" at 128 : !ub
  ascend.copy_in %a, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.unary exp %b, %a count(%c64) : !ub, !ub
  ascend.copy_in %c, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  return
}

// Rows that lie between each other do not meet.
// CHECK-LABEL: func.func @interleaved
// CHECK: ascend.unary exp
// CHECK-NEXT: ascend.unary exp
// CHECK-NEXT: ascend.barrier v
// CHECK-NEXT: ascend.unary abs
// CHECK-NEXT: ascend.barrier all
func.func @interleaved(%rows: index) attributes {ascend.kernel} {
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !tile
  %right = ascend.slice %a[%c64] : !tile -> !any
  ascend.unary exp %a, %a mask 64 repeat(%c8) strides [1, 1, 16, 16] : !tile, !tile
  ascend.unary exp %right, %right mask 64 repeat(%c8) strides [1, 1, 16, 16] : !any, !any
  ascend.unary abs %right, %right mask 64 repeat(%c8) strides [1, 1, 16, 16] : !any, !any
  return
}

// Through the same place of an array: stores after each other, a load after a store.
// CHECK-LABEL: func.func @scratch
// CHECK: ascend.copy_out
// CHECK-NEXT: ascend.barrier mte3
// CHECK-NEXT: ascend.copy_out
// CHECK-NEXT: ascend.set_flag mte3 to mte2 virtual event 0
// CHECK-NEXT: ascend.wait_flag mte3 to mte2 virtual event 0
// CHECK-NEXT: ascend.copy_in
// CHECK-NEXT: ascend.barrier all
func.func @scratch(%s: !array {launch.workspace, launch.dims = ["@blocks", 64]}, %n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !ub
  %b = ascend.alloc "b" at 256 : !ub
  %id = ascend.block_id
  %at = ascend.address %s[%id, %c0] : !array -> !gm
  ascend.copy_out %at, %a rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.copy_out %at, %b rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.copy_in %a, %at rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  return
}

// Iterations of a parallel loop never store to the same place; those of another may.
// CHECK-LABEL: func.func @parallel
// CHECK: scf.for
// CHECK-NOT:  ascend.barrier
// CHECK:      ascend.copy_out
// CHECK-NEXT: } {ascend.parallel}
// CHECK-NEXT: scf.for
// CHECK:      ascend.barrier mte3
// CHECK-NEXT: ascend.copy_out
func.func @parallel(%y: !array, %t: index, %n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !ub
  scf.for %i = %c0 to %n step %c1 {
    %r = arith.remui %i, %t : index
    %at = ascend.address %y[%r, %c0] : !array -> !gm
    ascend.copy_out %at, %a rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  } {ascend.parallel}
  scf.for %i = %c0 to %n step %c1 {
    %r = arith.remui %i, %t : index
    %at = ascend.address %y[%r, %c0] : !array -> !gm
    ascend.copy_out %at, %a rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  }
  return
}

// Flags are outside of a condition that only one end is in.
// CHECK-LABEL: func.func @condition
// CHECK: ascend.set_flag mte3 to mte2 virtual event 0
// CHECK-NEXT: scf.for
// CHECK-NEXT:   ascend.wait_flag mte3 to mte2 virtual event 0
// CHECK-NEXT:   ascend.copy_in
// CHECK-NEXT:   ascend.set_flag mte2 to v virtual event 0
// CHECK-NEXT:   ascend.wait_flag mte2 to v virtual event 0
// CHECK-NEXT:   scf.if
// CHECK-NEXT:     ascend.unary exp
// CHECK-NEXT:     ascend.barrier v
// CHECK-NEXT:     ascend.unary abs
// CHECK-NEXT:   }
// CHECK-NEXT:   ascend.set_flag v to mte3 virtual event 0
// CHECK-NEXT:   ascend.wait_flag v to mte3 virtual event 0
// CHECK-NEXT:   ascend.copy_out
// CHECK-NEXT:   ascend.set_flag mte3 to mte2 virtual event 0
func.func @condition(%x: !gm, %y: !gm, %is: i1, %n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !ub
  scf.for %i = %c0 to %n step %c1 {
    ascend.copy_in %a, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    scf.if %is {
      ascend.unary exp %a, %a count(%c64) : !ub, !ub
      ascend.unary abs %a, %a count(%c64) : !ub, !ub
    }
    ascend.copy_out %y, %a rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  }
  return
}

// A vector pipe that runs ahead would raise its flag again before it was awaited: a flag back holds it.
// CHECK-LABEL: func.func @runs_ahead
// CHECK: ascend.set_flag mte3 to v virtual event 0
// CHECK-NEXT: scf.for
// CHECK:        ascend.wait_flag mte3 to v virtual event 0
// CHECK-NEXT:   ascend.duplicate
// CHECK-NEXT:   ascend.set_flag v to mte3 virtual event 0
// CHECK:        ascend.wait_flag v to mte3 virtual event 0
// CHECK-NEXT:   ascend.copy_out
// CHECK-NEXT:   ascend.set_flag mte3 to v virtual event 0
// CHECK-NEXT: }
// CHECK-NEXT: ascend.wait_flag mte3 to v virtual event 0
func.func @runs_ahead(%y: !array, %f: f32) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !tile
  scf.for %i = %c0 to %c16 step %c1 {
    %offset = arith.muli %i, %c64 : index
    %now = ascend.slice %a[%offset] : !tile -> !any
    ascend.duplicate %now, %f count(%c64) : !any, f32
    %at = ascend.address %y[%i, %c0] : !array -> !gm
    ascend.copy_out %at, %now rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !any
  }
  return
}
}

// -----

!ub = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @no_address(%f: f32) attributes {ascend.kernel} {
  %c64 = arith.constant 64 : index
  // expected-error @+1 {{has no address: ascend-plan-memory must run first}}
  %a = ascend.alloc "a" : !ub
  ascend.duplicate %a, %f count(%c64) : !ub, f32
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @already() attributes {ascend.kernel} {
  // expected-error @+1 {{is in a kernel that is not synchronised yet}}
  ascend.barrier v
  return
}
}

// -----

!ub = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @foreign(%a: !ub, %f: f32) attributes {ascend.kernel} {
  %c64 = arith.constant 64 : index
  // expected-error @+1 {{uses a buffer that no ascend.alloc of the kernel made}}
  ascend.duplicate %a, %f count(%c64) : !ub, f32
  return
}
}

// -----

!ub = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @carried(%n: index, %f: f32) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !ub
  // expected-error @+1 {{carries a buffer, which synchronisation cannot follow}}
  %b = scf.for %i = %c0 to %n step %c1 iter_args(%c = %a) -> (!ub) {
    ascend.duplicate %c, %f count(%c64) : !ub, f32
    scf.yield %c : !ub
  }
  return
}
}

// -----

!ub = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @chosen(%is: i1) attributes {ascend.kernel} {
  %a = ascend.alloc "a" at 0 : !ub
  // expected-error @+1 {{chooses a buffer, which synchronisation cannot follow}}
  %b = scf.if %is -> (!ub) {
    scf.yield %a : !ub
  } else {
    scf.yield %a : !ub
  }
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @while(%is: i1) attributes {ascend.kernel} {
  // expected-error @+1 {{is control flow that synchronisation cannot follow}}
  scf.while : () -> () {
    scf.condition(%is)
  } do {
    scf.yield
  }
  return
}
}

// -----

// Where all blocks meet, all pipes of each are done: nothing before needs a flag to what follows.
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK-LABEL: func.func @meeting
func.func @meeting(%x: !gm, %o: !gm) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<meeting_vector>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  // CHECK: ascend.copy_in
  // CHECK-NEXT: ascend.set_flag mte2 to mte3
  // CHECK-NEXT: ascend.wait_flag mte2 to mte3
  // CHECK-NEXT: ascend.copy_out
  // CHECK-NEXT: ascend.sync_all
  // CHECK-NEXT: ascend.copy_in
  // CHECK-NEXT: ascend.set_flag mte2 to mte3
  // CHECK-NEXT: ascend.wait_flag mte2 to mte3
  // CHECK-NEXT: ascend.copy_out
  // CHECK-NEXT: ascend.barrier all
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.copy_out %op, %a rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.sync_all
  ascend.copy_in %a, %op rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.copy_out %op, %a rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  return
}
}

// -----

!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>

// Too few ids: the later set and the earlier wait serve both events.
module attributes {machine.target = #machine.target<"Ascend910B4", {event_ids = 1 : i64}>} {
// CHECK-LABEL: func.func @merged
// CHECK:      ascend.copy_in
// CHECK-NEXT: ascend.copy_in
// CHECK-NEXT: ascend.set_flag mte2 to v virtual event 0
// CHECK-NEXT: ascend.wait_flag mte2 to v virtual event 0
// CHECK-NEXT: ascend.unary exp
// CHECK-NEXT: ascend.unary exp
// CHECK-NEXT: ascend.barrier all
func.func @merged(%x: !gm) attributes {ascend.kernel} {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !ub
  %b = ascend.alloc "b" at 256 : !ub
  ascend.copy_in %a, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.copy_in %b, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  // expected-remark @+1 {{two events from mte2 to v become one here: the chip has no more ids}}
  ascend.unary exp %a, %a count(%c64) : !ub, !ub
  ascend.unary exp %b, %b count(%c64) : !ub, !ub
  return
}

// No order allows it: the last resort.
// CHECK-LABEL: func.func @full_barrier
// CHECK:      ascend.copy_in
// CHECK-NEXT: ascend.barrier all
// CHECK-NEXT: ascend.unary exp
// CHECK-NEXT: ascend.copy_in
// CHECK-NEXT: ascend.set_flag mte2 to v virtual event 0
// CHECK-NEXT: ascend.wait_flag mte2 to v virtual event 0
// CHECK-NEXT: ascend.unary exp
// CHECK-NEXT: ascend.barrier all
func.func @full_barrier(%x: !gm) attributes {ascend.kernel} {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !ub
  %b = ascend.alloc "b" at 256 : !ub
  ascend.copy_in %a, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  // expected-remark @+1 {{all pipes wait for each other here: the chip has no more ids from mte2 to v}}
  ascend.unary exp %a, %a count(%c64) : !ub, !ub
  ascend.copy_in %b, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.unary exp %b, %b count(%c64) : !ub, !ub
  return
}

// In a loop the events of both directions become one each.
// CHECK-LABEL: func.func @merged_in_loop
// CHECK:      ascend.set_flag v to mte2 virtual event 0
// CHECK-NEXT: scf.for
// CHECK-NEXT:   ascend.wait_flag v to mte2 virtual event 0
// CHECK-NEXT:   ascend.copy_in
// CHECK-NEXT:   ascend.copy_in
// CHECK-NEXT:   ascend.set_flag mte2 to v virtual event 0
// CHECK-NEXT:   ascend.wait_flag mte2 to v virtual event 0
// CHECK-NEXT:   ascend.unary exp
// CHECK-NEXT:   ascend.unary exp
// CHECK-NEXT:   ascend.set_flag v to mte2 virtual event 0
// CHECK-NEXT: }
// CHECK-NEXT: ascend.wait_flag v to mte2 virtual event 0
// CHECK-NEXT: ascend.barrier all
func.func @merged_in_loop(%x: !gm, %n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !ub
  %b = ascend.alloc "b" at 256 : !ub
  scf.for %i = %c0 to %n step %c1 {
    // expected-remark @+1 {{two events from v to mte2 become one here}}
    ascend.copy_in %a, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    ascend.copy_in %b, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    // expected-remark @+1 {{two events from mte2 to v become one here}}
    ascend.unary exp %a, %a count(%c64) : !ub, !ub
    ascend.unary exp %b, %b count(%c64) : !ub, !ub
  }
  return
}
}

// -----

!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>
!two = memref<2x64xf32, #ascend.space<ub>>

// Loads side by side wait once for their slots; what they bring is awaited one by one.
module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK-LABEL: func.func @side_by_side
// CHECK:      scf.for
// CHECK:        ascend.wait_flag v to mte2 virtual event 0 slot(%[[S:.*]]) of 2
// CHECK-NEXT:   ascend.copy_in
// CHECK-NEXT:   ascend.set_flag mte2 to v virtual event 0 slot(%[[S]]) of 2
// CHECK-NEXT:   ascend.copy_in
// CHECK-NEXT:   ascend.set_flag mte2 to v virtual event 2 slot(%[[S]]) of 2
// CHECK-NEXT:   ascend.wait_flag mte2 to v virtual event 0 slot(%[[S]]) of 2
// CHECK-NEXT:   ascend.unary exp
// CHECK-NEXT:   ascend.wait_flag mte2 to v virtual event 2 slot(%[[S]]) of 2
// CHECK-NEXT:   ascend.unary exp
// CHECK-NEXT:   ascend.set_flag v to mte2 virtual event 0 slot(%[[S]]) of 2
func.func @side_by_side(%x: !gm, %n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !two
  %b = ascend.alloc "b" at 512 : !two
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%slot = %c0) -> (index) {
    %an = ascend.slot %a[%slot] : !two -> !ub
    %bn = ascend.slot %b[%slot] : !two -> !ub
    ascend.copy_in %an, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    ascend.copy_in %bn, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    ascend.unary exp %an, %an count(%c64) : !ub, !ub
    ascend.unary exp %bn, %bn count(%c64) : !ub, !ub
    %more = arith.addi %slot, %c1 : index
    %next = arith.remui %more, %c2 : index
    scf.yield %next : index
  }
  return
}
}

// -----

!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>
!two = memref<2x64xf32, #ascend.space<ub>>

// Two places use the slots of one buffer in turn: one event tells at both which slot is free, and neither waits for all of
// the other. Loops may not run at all.
module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK-LABEL: func.func @turns
// CHECK:      ascend.set_flag v to mte2 virtual event 0 slot(%c0{{.*}}) of 2
// CHECK:      ascend.set_flag v to mte2 virtual event 0 slot(%c1{{.*}}) of 2
// CHECK:      scf.for
// CHECK:        %[[AFTER:.*]] = scf.for {{.*}} iter_args(%[[S:.*]] = %{{.*}}) -> (index) {
// CHECK:          ascend.wait_flag v to mte2 virtual event 0 slot(%[[S]]) of 2
// CHECK-NEXT:     ascend.copy_in
// CHECK:          ascend.unary exp
// CHECK-NEXT:     ascend.set_flag v to mte2 virtual event 0 slot(%[[S]]) of 2
// CHECK:        ascend.wait_flag v to mte2 virtual event 0 slot(%[[AFTER]]) of 2
// CHECK-NEXT:   ascend.copy_in
// CHECK:        ascend.unary sqrt
// CHECK-NEXT:   ascend.set_flag v to mte2 virtual event 0 slot(%[[AFTER]]) of 2
// CHECK:      ascend.wait_flag v to mte2 virtual event 0 slot(%c0{{.*}}) of 2
// CHECK:      ascend.wait_flag v to mte2 virtual event 0 slot(%c1{{.*}}) of 2
func.func @turns(%x: !gm, %n: index, %m: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !two
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %c0) -> (index) {
    %after = scf.for %j = %c0 to %m step %c1 iter_args(%slot = %outer) -> (index) {
      %now = ascend.slot %a[%slot] : !two -> !ub
      ascend.copy_in %now, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
      ascend.unary exp %now, %now count(%c64) : !ub, !ub
      %more = arith.addi %slot, %c1 : index
      %next = arith.remui %more, %c2 : index
      scf.yield %next : index
    }
    %other = ascend.slot %a[%after] : !two -> !ub
    ascend.copy_in %other, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    ascend.unary sqrt %other, %other count(%c64) : !ub, !ub
    %more = arith.addi %after, %c1 : index
    %next = arith.remui %more, %c2 : index
    scf.yield %next : index
  }
  return
}
}
