// RUN: attn-opt %s --emit=ascendc -verify-diagnostics -split-input-file

// expected-error@below {{has no kernel to print as AscendC}}
module {}

// -----

// expected-error@below {{cannot be printed as AscendC: only functions with 'ascend.kernel' can}}
func.func @helper() {
  return
}

// -----

// expected-error@below {{kernel name 'a_name_that_is_far_too_long_for_the_record_of_the_profiler' must be an identifier of at most 49 characters}}
func.func @a_name_that_is_far_too_long_for_the_record_of_the_profiler() attributes {ascend.kernel} {
  ascend.barrier all
  return
}

// -----

// expected-error@below {{kernel name 'a-b' must be an identifier}}
func.func @"a-b"() attributes {ascend.kernel} {
  ascend.barrier all
  return
}

// -----

// expected-error@below {{kernel name 'for' must be an identifier}}
func.func @for() attributes {ascend.kernel} {
  ascend.barrier all
  return
}

// -----

// expected-error@below {{kernel 'empty' must have a body of one block}}
func.func private @empty() attributes {ascend.kernel}

// -----

// expected-error@below {{kernel 'unsynchronised' does not end with 'ascend.barrier all': ascend-insert-sync must run first}}
func.func @unsynchronised() attributes {ascend.kernel} {
  return
}

// -----

func.func @elsewhere() attributes {ascend.kernel} {
  // expected-error@below {{lies in l1, where texts of vector cores have no tensors}}
  %x = ascend.alloc "x" at 0 : memref<64xf32, #ascend.space<l1>>
  ascend.barrier all
  return
}

// -----

func.func @unplanned() attributes {ascend.kernel} {
  // expected-error@below {{has no address: ascend-plan-memory must run first}}
  %x = ascend.alloc "x" : memref<64xf32, #ascend.space<ub>>
  ascend.barrier all
  return
}

// -----

func.func @composite(%n: index) attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : memref<64xf32, #ascend.space<ub>>
  // expected-error@below {{is a composite, which must be lowered first by ascend-expand-composites}}
  ascend.row_reduce sum %x, %x, %x rows(%n) cols 8 pitch 8 : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
  ascend.barrier all
  return
}

// -----

func.func @virtual_event() attributes {ascend.kernel} {
  // expected-error@below {{has no event id of the chip: ascend-assign-events must run first}}
  ascend.set_flag mte2 to v virtual event 0
  ascend.barrier all
  return
}

// -----

func.func @event() attributes {ascend.kernel} {
  // expected-error@below {{has no event id of the chip: ascend-assign-events must run first}}
  ascend.wait_flag mte2 to v event 8
  ascend.barrier all
  return
}

// -----

func.func @cube_flag() attributes {ascend.kernel} {
  // expected-error@below {{needs the pipe m, which vector cores do not have}}
  ascend.set_flag m to fix event 0
  ascend.barrier all
  return
}

// -----

func.func @cube_barrier() attributes {ascend.kernel} {
  // expected-error@below {{needs the pipe m, which vector cores do not have}}
  ascend.barrier m
  ascend.barrier all
  return
}

// -----

// expected-error@below {{argument 0 of kernel 'narrow' must be an array, f32, i32, i64 or index, not 'bf16'}}
func.func @narrow(%x: bf16) attributes {ascend.kernel} {
  ascend.barrier all
  return
}

// -----

// expected-error@below {{argument 0 of kernel 'local' must be an array in gm}}
func.func @local(%x: memref<4xf32, #ascend.space<ub>>) attributes {ascend.kernel} {
  ascend.barrier all
  return
}

// -----

// expected-error@below {{argument 0 of kernel 'dims' has 1 dimensions, but 'launch.dims' lists 2}}
func.func @dims(%x: memref<4xf32, #ascend.space<gm>> {launch.dims = ["A", 4]}) attributes {ascend.kernel} {
  ascend.barrier all
  return
}

// -----

// expected-error@below {{argument 0 of kernel 'offset' must have strides and no offset}}
func.func @offset(%x: memref<4xf32, strided<[1], offset: 3>, #ascend.space<gm>>) attributes {ascend.kernel} {
  ascend.barrier all
  return
}

// -----

func.func @narrow_scalar(%n: index) attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : memref<64xf32, #ascend.space<ub>>
  %one = arith.constant 1.0 : f16
  // expected-error@below {{cannot be printed as AscendC: no scalar type for 'f16'}}
  %two = arith.addf %one, %one : f16
  %wide = arith.extf %two : f16 to f32
  ascend.duplicate %x, %wide count(%n) : memref<64xf32, #ascend.space<ub>>, f32
  ascend.barrier all
  return
}

// -----

func.func @narrow_duplicate(%n: index) attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : memref<64xf16, #ascend.space<ub>>
  %one = arith.constant 1.0 : f16
  %two = arith.addf %one, %one : f16
  // expected-error@below {{cannot be printed as AscendC for 'f16'}}
  ascend.duplicate %x, %two count(%n) : memref<64xf16, #ascend.space<ub>>, f16
  ascend.barrier all
  return
}

// -----

func.func @narrow_operand(%n: index) attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : memref<64xf16, #ascend.space<ub>>
  %one = arith.constant 1.0 : f16
  // expected-error@below {{takes a scalar of type 'f16', which AscendC text does not compute with}}
  ascend.scalar adds %x, %x, %one count(%n) : memref<64xf16, #ascend.space<ub>>, memref<64xf16, #ascend.space<ub>>, f16
  ascend.barrier all
  return
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @capacity(%n: index) attributes {ascend.kernel} {
  // expected-error@below {{ends at byte 196608 of 196352}}
  %x = ascend.alloc "x" at 196352 : memref<64xf32, #ascend.space<ub>>
  ascend.unary exp %x, %x count(%n) : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
  ascend.barrier all
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @reserved_event() attributes {ascend.kernel} {
  // expected-error@below {{has no event id of the chip: ascend-assign-events must run first}}
  ascend.set_flag v to mte3 event 6
  ascend.barrier all
  return
}
}

// -----

func.func @rounds(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<meeting_vector>, launch.limit = 40 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error@below {{is inside a loop or branch, which not all blocks may reach}}
    ascend.sync_all
  }
  ascend.barrier all
  return
}

// -----

func.func @boundless_meeting() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<meeting_vector>} {
  // expected-error@below {{needs 'launch.limit' on its kernel: blocks can only meet while all run}}
  ascend.sync_all
  ascend.barrier all
  return
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @large_meeting() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<meeting_vector>, launch.limit = 41 : i64} {
  // expected-error@below {{meets up to 41 blocks, but Ascend910B4 runs 40 at once}}
  ascend.sync_all
  ascend.barrier all
  return
}
}

// -----

func.func @repeats(%n: index) attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : memref<64xf32, #ascend.space<ub>>
  %c256 = arith.constant 256 : index
  %r = arith.minsi %n, %c256 : index
  // expected-error@below {{may have 256 repeats; at most 255 are possible}}
  ascend.unary exp %x, %x mask 64 repeat(%r) strides [1, 1, 8, 8] : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
  ascend.barrier all
  return
}

// -----

func.func @reduced_repeats(%n: index) attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : memref<64xf32, #ascend.space<ub>>
  %c256 = arith.constant 256 : index
  %r = arith.minsi %n, %c256 : index
  // expected-error@below {{may have 256 repeats; at most 255 are possible}}
  ascend.whole_reduce sum %x, %x mask 64 repeat(%r) strides [1, 1, 8] : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
  ascend.barrier all
  return
}

// -----

func.func @possible_rows(%V: memref<64xf32, #ascend.space<gm>>, %n: index) attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : memref<64xf32, #ascend.space<ub>>
  %c0 = arith.constant 0 : index
  %c5000 = arith.constant 5000 : index
  %rows = arith.minsi %n, %c5000 : index
  %p = ascend.address %V[%c0] : memref<64xf32, #ascend.space<gm>> -> memref<?xf32, #ascend.space<gm>>
  // expected-error@below {{may have 5000 rows; at most 4095 are possible}}
  ascend.copy_in %x, %p rows(%rows) length(%c0) src_pitch(%c0) dst_pitch 8 right_pad 0 : memref<64xf32, #ascend.space<ub>>, memref<?xf32, #ascend.space<gm>>
  ascend.barrier all
  return
}

// -----

func.func @left_out() attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : memref<64xf32, #ascend.space<ub>>
  %y = ascend.alloc "y" at 256 : memref<64xf32, #ascend.space<ub>>
  %c9 = arith.constant 9 : index
  // expected-error@below {{copies 36 bytes, of which DataCopy leaves out all beyond whole 32-byte blocks}}
  ascend.copy %x, %y count(%c9) : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
  ascend.barrier all
  return
}

// -----

func.func @broadcast_in_place() attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : memref<64xf32, #ascend.space<ub>>
  %c1 = arith.constant 1 : index
  // expected-error@below {{fills the place it reads from}}
  ascend.brcb %x, %x repeat(%c1) strides [1, 8] : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
  ascend.barrier all
  return
}

// -----

func.func @transpose_repeats(%n: index) attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : memref<512xf16, #ascend.space<ub>>
  %y = ascend.alloc "y" at 1024 : memref<512xf16, #ascend.space<ub>>
  // expected-error@below {{needs a number of repeats that is known}}
  ascend.transpose %x, %y repeat(%n) strides [1, 2, 16, 1] : memref<512xf16, #ascend.space<ub>>, memref<512xf16, #ascend.space<ub>>
  ascend.barrier all
  return
}

// -----

func.func @broadcast_type() attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : memref<64xi8, #ascend.space<ub>>
  %y = ascend.alloc "y" at 64 : memref<64xi8, #ascend.space<ub>>
  %c1 = arith.constant 1 : index
  // expected-error@below {{broadcasts numbers of 2 or 4 bytes, not 'i8'}}
  ascend.brcb %x, %y repeat(%c1) strides [1, 8] : memref<64xi8, #ascend.space<ub>>, memref<64xi8, #ascend.space<ub>>
  ascend.barrier all
  return
}

// -----

func.func @wide_duplicate(%one: i64) attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : memref<64xi64, #ascend.space<ub>>
  %c64 = arith.constant 64 : index
  // expected-error@below {{cannot be printed as AscendC for 'i64'}}
  ascend.duplicate %x, %one count(%c64) : memref<64xi64, #ascend.space<ub>>, i64
  ascend.barrier all
  return
}

// -----

func.func @rows(%V: memref<64xf32, #ascend.space<gm>>) attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : memref<64xf32, #ascend.space<ub>>
  %c0 = arith.constant 0 : index
  %rows = arith.constant 4096 : index
  %p = ascend.address %V[%c0] : memref<64xf32, #ascend.space<gm>> -> memref<?xf32, #ascend.space<gm>>
  // expected-error@below {{copies 4096 rows; 0 to 4095 are possible}}
  ascend.copy_in %x, %p rows(%rows) length(%c0) src_pitch(%c0) dst_pitch 8 right_pad 0 : memref<64xf32, #ascend.space<ub>>, memref<?xf32, #ascend.space<gm>>
  ascend.barrier all
  return
}

// -----

func.func @row_bytes(%V: memref<64xf32, #ascend.space<gm>>) attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : memref<64xf32, #ascend.space<ub>>
  %c0 = arith.constant 0 : index
  %length = arith.constant 1048576 : index
  %p = ascend.address %V[%c0] : memref<64xf32, #ascend.space<gm>> -> memref<?xf32, #ascend.space<gm>>
  // expected-error@below {{copies rows of 1048576 elements; 0 to 524287 are possible}}
  ascend.copy_in %x, %p rows(%c0) length(%length) src_pitch(%c0) dst_pitch 8 right_pad 0 : memref<64xf32, #ascend.space<ub>>, memref<?xf32, #ascend.space<gm>>
  ascend.barrier all
  return
}

// -----

func.func @unbounded(%V: memref<64xf32, #ascend.space<gm>>, %n: index) attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : memref<64xf32, #ascend.space<ub>>
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = ascend.address %V[%c0] : memref<64xf32, #ascend.space<gm>> -> memref<?xf32, #ascend.space<gm>>
  // expected-error@below {{has a number of rows without a known bound; at most 4095 are possible}}
  ascend.copy_out %p, %x rows(%n) length(%c16) dst_pitch(%c16) src_pitch 16 : memref<?xf32, #ascend.space<gm>>, memref<64xf32, #ascend.space<ub>>
  ascend.barrier all
  return
}

// -----

func.func @unbounded_repeats(%n: index) attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : memref<64xf32, #ascend.space<ub>>
  // expected-error@below {{has a number of repeats without a known bound; at most 255 are possible}}
  ascend.unary exp %x, %x mask 64 repeat(%n) strides [1, 1, 8, 8] : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
  ascend.barrier all
  return
}

// -----

func.func @pitch(%V: memref<64xf32, #ascend.space<gm>>, %n: index) attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : memref<64xf32, #ascend.space<ub>>
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %rows = arith.minsi %n, %c16 : index
  %p = ascend.address %V[%c0] : memref<64xf32, #ascend.space<gm>> -> memref<?xf32, #ascend.space<gm>>
  // expected-error@below {{has a pitch that does not hold its rows}}
  ascend.copy_out %p, %x rows(%rows) length(%c16) dst_pitch(%c16) src_pitch 8 : memref<?xf32, #ascend.space<gm>>, memref<64xf32, #ascend.space<ub>>
  ascend.barrier all
  return
}

// -----

func.func @carried(%n: index) attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : memref<64xf32, #ascend.space<ub>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@below {{cannot be carried in AscendC text}}
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%z = %x) -> (memref<64xf32, #ascend.space<ub>>) {
    scf.yield %z : memref<64xf32, #ascend.space<ub>>
  }
  ascend.unary exp %y, %y count(%c1) : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
  ascend.barrier all
  return
}

// -----

func.func @unsigned_loop(%n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@below {{not a loop over signed numbers}}
  scf.for unsigned %i = %c0 to %n step %c1 {
  }
  ascend.barrier all
  return
}

// -----

func.func @boolean(%n: index) attributes {ascend.kernel} {
  %is = arith.cmpi eq, %n, %n : index
  // expected-error@below {{bool does not compute like i1}}
  %sum = arith.addi %is, %is : i1
  scf.if %sum {
    ascend.barrier v
  }
  ascend.barrier all
  return
}

// -----

func.func @scalar(%x: f32, %n: index) attributes {ascend.kernel} {
  // expected-error@below {{cannot be printed as AscendC: no scalar expression for it}}
  %y = arith.maximumf %x, %x : f32
  %b = ascend.alloc "b" at 0 : memref<64xf32, #ascend.space<ub>>
  ascend.scalar adds %b, %b, %y count(%n) : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>, f32
  ascend.barrier all
  return
}

// -----

func.func @array(%n: index) attributes {ascend.kernel} {
  // expected-error@below {{cannot be printed as AscendC}}
  %x = memref.alloc() : memref<4xf32, #ascend.space<gm>>
  ascend.barrier all
  return
}

// -----

func.func @query(%V: memref<?xf32, #ascend.space<gm>>, %n: index) attributes {ascend.kernel} {
  %p = ascend.address %V[%n] : memref<?xf32, #ascend.space<gm>> -> memref<?xf32, #ascend.space<gm>>
  // expected-error@below {{asks for an array that is neither an argument of the kernel nor a table's entry}}
  %d = ascend.dim %p, 0 : memref<?xf32, #ascend.space<gm>>
  %b = ascend.alloc "b" at 0 : memref<64xf32, #ascend.space<ub>>
  ascend.unary exp %b, %b count(%d) : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
  ascend.barrier all
  return
}

// -----

func.func @undeclared_meeting() attributes {ascend.kernel, launch.limit = 40 : i64} {
  // expected-error@below {{lets blocks meet, but 'ascend.kind' of its kernel is vector}}
  ascend.sync_all
  ascend.barrier all
  return
}
