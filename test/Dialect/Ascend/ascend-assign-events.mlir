// RUN: attn-opt %s --ascend-assign-events -split-input-file -verify-diagnostics | FileCheck %s

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// An event whose flag is known to be down lends it to the next; one that may still be up does not.
// CHECK-LABEL: func.func @sharing
// CHECK:      ascend.set_flag mte2 to v event 0
// CHECK-NEXT: ascend.wait_flag mte2 to v event 0
// CHECK-NEXT: ascend.set_flag mte2 to v event 1
// CHECK-NEXT: ascend.wait_flag mte2 to v event 1
// CHECK-NEXT: ascend.set_flag v to mte2 event 0
// CHECK-NEXT: ascend.wait_flag v to mte2 event 0
// CHECK-NEXT: ascend.set_flag mte2 to v event 0
// CHECK-NEXT: ascend.wait_flag mte2 to v event 0
func.func @sharing() attributes {ascend.kernel} {
  ascend.set_flag mte2 to v virtual event 0
  ascend.wait_flag mte2 to v virtual event 0
  ascend.set_flag mte2 to v virtual event 1
  ascend.wait_flag mte2 to v virtual event 1
  ascend.set_flag v to mte2 virtual event 0
  ascend.wait_flag v to mte2 virtual event 0
  ascend.set_flag mte2 to v virtual event 2
  ascend.wait_flag mte2 to v virtual event 2
  return
}

// Slots take neighbouring ids.
// CHECK-LABEL: func.func @slots
// CHECK:   ascend.set_flag v to mte3 event 2
// CHECK:   ascend.set_flag mte3 to v event 0 slot(%{{.*}}) of 2
// CHECK:   ascend.wait_flag mte3 to v event 0 slot(%{{.*}}) of 2
// CHECK:   ascend.set_flag v to mte3 event 0 slot(%{{.*}}) of 2
// CHECK:   ascend.wait_flag v to mte3 event 2
func.func @slots(%n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %v = ascend.alloc "v" at 0 : memref<2x64xf32, #ascend.space<ub>>
  ascend.set_flag v to mte3 virtual event 0
  ascend.set_flag mte3 to v virtual event 7 slot(%c0) of 2
  ascend.set_flag mte3 to v virtual event 7 slot(%c1) of 2
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%slot = %c0) -> (index) {
    ascend.wait_flag mte3 to v virtual event 7 slot(%slot) of 2
    ascend.set_flag v to mte3 virtual event 1 slot(%slot) of 2
    ascend.wait_flag v to mte3 virtual event 1 slot(%slot) of 2
    ascend.set_flag mte3 to v virtual event 7 slot(%slot) of 2
    %more = arith.addi %slot, %c1 : index
    %next = arith.remui %more, %c2 : index
    scf.yield %next : index
  }
  ascend.wait_flag mte3 to v virtual event 7 slot(%c0) of 2
  ascend.wait_flag mte3 to v virtual event 7 slot(%c1) of 2
  ascend.wait_flag v to mte3 virtual event 0
  return
}

// A vector core without rows runs none of the loops over them, in whatever blocks they are: nothing then says that the first flag is
// down.
// CHECK-LABEL: func.func @without_rows
// CHECK:   ascend.set_flag v to mte2 event 0
// CHECK:   ascend.wait_flag v to mte2 event 0
// CHECK:   ascend.set_flag v to mte2 event 1
// CHECK:   ascend.wait_flag v to mte2 event 1
func.func @without_rows(%n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %core = ascend.sub_block_id
  %rows = arith.subi %n, %core : index
  ascend.set_flag v to mte2 virtual event 0
  ascend.wait_flag v to mte2 virtual event 0
  scf.for %i = %c0 to %rows step %c1 {
    ascend.set_flag mte2 to v virtual event 0
    ascend.wait_flag mte2 to v virtual event 0
    ascend.set_flag v to mte3 virtual event 0
    ascend.wait_flag v to mte3 virtual event 0
    ascend.set_flag mte3 to mte2 virtual event 0
    ascend.wait_flag mte3 to mte2 virtual event 0
  }
  scf.for %j = %c0 to %c2 step %c1 {
    scf.for %i = %c0 to %rows step %c1 {
      ascend.set_flag mte2 to v virtual event 1
      ascend.wait_flag mte2 to v virtual event 1
      ascend.set_flag v to mte3 virtual event 1
      ascend.wait_flag v to mte3 virtual event 1
      ascend.set_flag mte3 to mte2 virtual event 1
      ascend.wait_flag mte3 to mte2 virtual event 1
    }
  }
  ascend.set_flag v to mte2 virtual event 1
  ascend.wait_flag v to mte2 virtual event 1
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4", {event_ids = 1 : i64}>} {
func.func @too_many() attributes {ascend.kernel} {
  // expected-error @+1 {{is one of more events from v to mte3 than the 1 ids of the chip allow}}
  ascend.set_flag v to mte3 virtual event 0
  ascend.set_flag v to mte3 virtual event 1
  ascend.wait_flag v to mte3 virtual event 0
  ascend.wait_flag v to mte3 virtual event 1
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @never_raised() attributes {ascend.kernel} {
  // expected-error @+1 {{waits for an event that nothing has raised}}
  ascend.wait_flag v to mte3 virtual event 0
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @never_awaited() attributes {ascend.kernel} {
  // expected-error @+1 {{raises an event that nothing awaits}}
  ascend.set_flag v to mte3 virtual event 0
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @runs_ahead(%n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+1 {{may raise an event before its last one was awaited}}
    ascend.set_flag v to mte3 virtual event 0
    ascend.wait_flag v to mte3 virtual event 0
  }
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @unknown_slot(%n: index) attributes {ascend.kernel} {
  // expected-error @+1 {{has a slot that is not known when events get their ids}}
  ascend.set_flag v to mte3 virtual event 0 slot(%n) of 2
  ascend.wait_flag v to mte3 virtual event 0 slot(%n) of 2
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @other_slots(%n: index) attributes {ascend.kernel} {
  ascend.set_flag v to mte3 virtual event 0 slot(%n) of 2
  // expected-error @+1 {{has 3 slots where its event has 2}}
  ascend.wait_flag v to mte3 virtual event 0 slot(%n) of 3
  return
}
}
