// RUN: attn-opt %s --ascend-insert-sync --split-input-file | FileCheck %s

!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>
!two = memref<2x64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// Two loops use the slots of a buffer in turn. One event leads from the load to the multiplication in both, one back; both
// start where the pipes have come to rest and end after the loops, so that they leave their ids to what follows.
// CHECK-LABEL: func.func @turns
// CHECK-NOT:     ascend.set_flag
// CHECK:         scf.for
// CHECK:           ascend.barrier all
// CHECK-COUNT-2:   ascend.set_flag v to mte2 virtual event 0
// CHECK:           scf.for
// CHECK:             ascend.wait_flag v to mte2 virtual event 0 slot(%[[A:.*]]) of 2
// CHECK-NEXT:        ascend.copy_in
// CHECK-NEXT:        ascend.set_flag mte2 to v virtual event 0 slot(%[[A]]) of 2
// CHECK-NEXT:        ascend.wait_flag mte2 to v virtual event 0 slot(%[[A]]) of 2
// CHECK-NEXT:        ascend.binary
// CHECK-NEXT:        ascend.set_flag v to mte2 virtual event 0 slot(%[[A]]) of 2
// CHECK:           scf.for
// CHECK:             ascend.wait_flag v to mte2 virtual event 0 slot(%[[B:.*]]) of 2
// CHECK-NEXT:        ascend.copy_in
// CHECK-NEXT:        ascend.set_flag mte2 to v virtual event 0 slot(%[[B]]) of 2
// CHECK-NEXT:        ascend.wait_flag mte2 to v virtual event 0 slot(%[[B]]) of 2
// CHECK-NEXT:        ascend.binary
// CHECK-NEXT:        ascend.set_flag v to mte2 virtual event 0 slot(%[[B]]) of 2
// CHECK:           }
// CHECK-COUNT-2:   ascend.wait_flag v to mte2 virtual event 0
// CHECK-NOT:     ascend.wait_flag
func.func @turns(%x: !gm, %n: index, %m: index, %b: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %in = ascend.alloc "in" at 0 : !two
  %end = scf.for %i = %c0 to %b step %c1 iter_args(%start = %c0) -> (index) {
    %middle = scf.for %j = %c0 to %n step %c1 iter_args(%slot = %start) -> (index) {
      %now = ascend.slot %in[%slot] : !two -> !ub
      ascend.copy_in %now, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
      ascend.binary mul %now, %now, %now count(%c64) : !ub, !ub, !ub
      %more = arith.addi %slot, %c1 : index
      %next = arith.remui %more, %c2 : index
      scf.yield %next : index
    } {ascend.settled}
    %last = scf.for %j = %c0 to %m step %c1 iter_args(%slot = %middle) -> (index) {
      %now = ascend.slot %in[%slot] : !two -> !ub
      ascend.copy_in %now, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
      ascend.binary add %now, %now, %now count(%c64) : !ub, !ub, !ub
      %more = arith.addi %slot, %c1 : index
      %next = arith.remui %more, %c2 : index
      scf.yield %next : index
    }
    scf.yield %last : index
  } {ascend.parallel}
  return
}
}

// -----

!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>
!ring = memref<?x64xf32, strided<[?, 1]>, #ascend.space<gm>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// What passes from core to core is ordered by flags between cores; in a workspace of a block, one write must wait for the other.
// CHECK-LABEL: func.func @workspaces
// CHECK-NOT:     ascend.barrier mte3
// CHECK:         ascend.copy_out %{{.*}}, %[[A:.*]] rows
// CHECK-NEXT:    ascend.copy_out %{{.*}}, %[[A]] rows
// CHECK-NEXT:    ascend.copy_out %{{.*}}, %[[A]] rows
// CHECK-NEXT:    ascend.barrier mte3
// CHECK-NEXT:    ascend.copy_out %{{.*}}, %[[A]] rows
func.func @workspaces(%group: !ring {launch.dims = ["@groups", 64], launch.workspace}, %block: !ring {launch.dims = ["@blocks", 64], launch.workspace})
    attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !ub
  %to_group = ascend.address %group[%c0, %c0] : !ring -> !gm
  %to_block = ascend.address %block[%c0, %c0] : !ring -> !gm
  ascend.copy_out %to_group, %a rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.copy_out %to_group, %a rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.copy_out %to_block, %a rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.copy_out %to_block, %a rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  return
}
}

// -----

!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>
!two = memref<2x64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// The second loop lies beside the one around the first: the event starts before the loop around and ends after the last.
// CHECK-LABEL: func.func @outermost
// CHECK-COUNT-2: ascend.set_flag v to mte2 virtual event 0
// CHECK:         scf.for
// CHECK-NOT:       ascend.set_flag
// CHECK:           scf.for
// CHECK:             ascend.wait_flag v to mte2 virtual event 0 slot(%[[A:.*]]) of 2
// CHECK:             ascend.set_flag v to mte2 virtual event 0 slot(%[[A]]) of 2
// CHECK-NOT:     ascend.set_flag v to mte2 virtual event 0 slot(%c
// CHECK:         scf.for
// CHECK:           ascend.wait_flag v to mte2 virtual event 0 slot(%[[B:.*]]) of 2
// CHECK:           ascend.set_flag v to mte2 virtual event 0 slot(%[[B]]) of 2
// CHECK:         }
// CHECK-COUNT-2: ascend.wait_flag v to mte2 virtual event 0
// CHECK-NOT:     ascend.wait_flag
func.func @outermost(%x: !gm, %n: index, %m: index, %b: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %in = ascend.alloc "in" at 0 : !two
  %end = scf.for %i = %c0 to %b step %c1 iter_args(%start = %c0) -> (index) {
    %middle = scf.for %j = %c0 to %n step %c1 iter_args(%slot = %start) -> (index) {
      %now = ascend.slot %in[%slot] : !two -> !ub
      ascend.copy_in %now, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
      ascend.binary mul %now, %now, %now count(%c64) : !ub, !ub, !ub
      %more = arith.addi %slot, %c1 : index
      %next = arith.remui %more, %c2 : index
      scf.yield %next : index
    }
    scf.yield %middle : index
  }
  %last = scf.for %j = %c0 to %m step %c1 iter_args(%slot = %end) -> (index) {
    %now = ascend.slot %in[%slot] : !two -> !ub
    ascend.copy_in %now, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    ascend.binary add %now, %now, %now count(%c64) : !ub, !ub, !ub
    %more = arith.addi %slot, %c1 : index
    %next = arith.remui %more, %c2 : index
    scf.yield %next : index
  }
  return
}
}
