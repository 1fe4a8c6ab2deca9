// RUN: attn-opt %s --ascend-verify -split-input-file -verify-diagnostics
// RUN: attn-opt %S/Inputs/attn-res.mlir --ascend-expand-composites --canonicalize --cse --ascend-double-buffer --ascend-plan-memory --ascend-insert-sync --ascend-assign-events --ascend-verify

!ub = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @ready(%f: f32, %n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !ub
  ascend.set_flag mte3 to v event 0
  scf.for %i = %c0 to %n step %c1 {
    ascend.wait_flag mte3 to v event 0
    ascend.duplicate %a, %f count(%c64) : !ub, f32
    ascend.set_flag mte3 to v event 0
  }
  ascend.wait_flag mte3 to v event 0
  ascend.barrier all
  return
}

// Only kernels are held to it.
func.func @helper() -> index {
  %c0 = arith.constant 0 : index
  return %c0 : index
}
}

// -----

!ub = memref<64xf32, #ascend.space<ub>>
module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @unplanned() attributes {ascend.kernel} {
  // expected-error @+1 {{has no address: ascend-plan-memory must run first}}
  %a = ascend.alloc "a" : !ub
  ascend.barrier all
  return
}
}

// -----

!ub = memref<64xf32, #ascend.space<ub>>
module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 8192 : i64}>} {
func.func @outside() attributes {ascend.kernel} {
  // expected-error @+1 {{ends at byte 8256 of ub, which has 8192}}
  %a = ascend.alloc "a" at 8000 : !ub
  ascend.barrier all
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @virtual() attributes {ascend.kernel} {
  // expected-error @+1 {{has a virtual event: ascend-assign-events must run first}}
  ascend.set_flag v to mte3 virtual event 0
  ascend.wait_flag v to mte3 virtual event 0
  ascend.barrier all
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @no_such_id(%n: index) attributes {ascend.kernel} {
  // expected-error @+1 {{uses event id 6; the chip has 0 to 5}}
  ascend.set_flag v to mte3 event 5 slot(%n) of 2
  ascend.wait_flag v to mte3 event 5 slot(%n) of 2
  ascend.barrier all
  return
}
}

// -----

!ub = memref<64xf32, #ascend.space<ub>>
module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @composite(%n: index) attributes {ascend.kernel} {
  %a = ascend.alloc "a" at 0 : !ub
  // expected-error @+1 {{is a composite, which must be lowered first by ascend-expand-composites}}
  ascend.col_binary add %a, %a, %a rows(%n) cols 64 pitch 64 : !ub, !ub, !ub
  ascend.barrier all
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @foreign() attributes {ascend.kernel} {
  // expected-error @+1 {{has no place in a kernel of the chip}}
  %a = memref.alloc() : memref<64xf32>
  ascend.barrier all
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @loop_adds(%n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{is a loop or branch with unbalanced set/wait of an event}}
  scf.for %i = %c0 to %n step %c1 {
    ascend.set_flag v to mte3 event 0
  }
  ascend.wait_flag v to mte3 event 0
  ascend.barrier all
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// expected-error @+1 {{sets event 0 from v to mte3 more often than it is awaited}}
func.func @left_over() attributes {ascend.kernel} {
  ascend.set_flag v to mte3 event 0
  ascend.barrier all
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// expected-error @+1 {{does not end with a barrier of all pipes}}
func.func @open_end() attributes {ascend.kernel} {
  ascend.barrier v
  return
}
}

// -----

// Blocks that meet.
module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @meeting() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<meeting_vector>, launch.limit = 40 : i64} {
  ascend.sync_all
  ascend.barrier all
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @many() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<meeting_vector>, launch.limit = 41 : i64} {
  // expected-error @+1 {{lets blocks meet that do not run at once: 'launch.limit' must be at most 40, the vector cores of Ascend910B4}}
  ascend.sync_all
  ascend.barrier all
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @unlimited() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<meeting_vector>} {
  // expected-error @+1 {{lets blocks meet that do not run at once}}
  ascend.sync_all
  ascend.barrier all
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @sometimes(%is: i1) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<meeting_vector>, launch.limit = 40 : i64} {
  scf.if %is {
    // expected-error @+1 {{is inside a loop or condition, which not all blocks may pass alike}}
    ascend.sync_all
  }
  ascend.barrier all
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @outside_l0c() attributes {ascend.kernel} {
  // expected-error @+1 {{ends at byte 132096 of l0c, which has 131072}}
  %a = ascend.alloc "a" at 131072 : memref<8xf32, #ascend.space<l0c>>
  ascend.barrier all
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @foreign_flag() attributes {ascend.kernel} {
  // expected-error @+1 {{uses pipe m, which a vector core does not have}}
  ascend.set_flag mte2 to m event 0
  ascend.wait_flag mte2 to m event 0
  ascend.barrier all
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @foreign_barrier() attributes {ascend.kernel} {
  // expected-error @+1 {{uses pipe fix, which a vector core does not have}}
  ascend.barrier fix
  ascend.barrier all
  return
}
}

// -----

// The two halves of a mixed kernel.
!gm = memref<64xf32, #ascend.space<gm>>
!l1 = memref<64xf32, #ascend.space<l1>>
module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @mixed(%w: memref<?xf32, strided<[1]>, #ascend.space<gm>> {launch.workspace, launch.dims = ["@groups"]})
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  ascend.barrier all
  return
}
func.func @mixed_cube(%x: !gm, %n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @mixed} {
  %q = ascend.alloc "q" at 0 : !l1
  ascend.copy_in %q, %x rows(%n) length(%n) src_pitch(%n) dst_pitch 64 right_pad 0 : !l1, !gm
  ascend.set_flag mte2 to mte1 event 0
  ascend.wait_flag mte2 to mte1 event 0
  ascend.barrier all
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// expected-error @+1 {{is of the kind vector, but its blocks meet}}
func.func @undeclared() attributes {ascend.kernel, launch.limit = 40 : i64} {
  ascend.sync_all
  ascend.barrier all
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// expected-error @+1 {{is of the kind meeting_vector, but no block meets}}
func.func @unmet() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<meeting_vector>} {
  ascend.barrier all
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// expected-error @+1 {{has the dimension '@groups' in argument 0, but only mixed kernels have groups}}
func.func @groups(%w: memref<?xf32, strided<[1]>, #ascend.space<gm>> {launch.workspace, launch.dims = ["@groups"]})
    attributes {ascend.kernel} {
  ascend.barrier all
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @cube_flag() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  // expected-error @+1 {{uses a flag from s to mte2, which a cube core does not have}}
  ascend.set_flag s to mte2 event 0
  ascend.barrier all
  return
}
}

// -----

!ub = memref<64xf32, #ascend.space<ub>>
module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @vector_instruction(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %a = ascend.alloc "a" at 0 : !ub
  // expected-error @+1 {{is for vector cores, but a cube core runs it}}
  ascend.unary exp %a, %a count(%n) : !ub, !ub
  ascend.barrier all
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @full() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  // expected-error @+1 {{ends at byte 66560 of l0a, which has 65536}}
  %a = ascend.alloc "a" at 65536 : memref<256xf32, #ascend.space<l0a>>
  ascend.barrier all
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @flags_of_a_group() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  ascend.cross_wait flag 0
  ascend.cross_set mte3 flag 1
  // expected-error @+1 {{uses pipe fix, which a vector core does not have}}
  ascend.cross_set fix flag 1
  ascend.barrier all
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @no_group() attributes {ascend.kernel} {
  // expected-error @+1 {{is a flag between the cores of a group, but the kernel is of the kind vector}}
  ascend.cross_wait flag 0
  ascend.barrier all
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// expected-error @+1 {{may start 21 groups of cores; Ascend910B4 has 20}}
func.func @many_groups() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, launch.limit = 21 : i64} {
  ascend.barrier all
  return
}
}
