// RUN: attn-opt %s --emit=hivm -verify-diagnostics -split-input-file

// expected-error@below {{has no kernel to print as HIVM}}
module {}

// -----

// expected-error@below {{cannot be printed as HIVM: only functions with 'ascend.kernel' can}}
func.func @helper() {
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
  // expected-error@below {{lies in l1; buffers of HIVM texts lie in ub}}
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

!u = memref<64xf32, #ascend.space<ub>>
func.func @fused(%n: index) attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : !u
  // expected-error@below {{has no equivalent in HIVM: tile-keep-composites must run first}}
  ascend.mul_add %x, %x, %x count(%n) : !u, !u, !u
  ascend.barrier all
  return
}

// -----

!u = memref<64xf32, #ascend.space<ub>>
func.func @leaky(%slope: f32, %n: index) attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : !u
  // expected-error@below {{has no equivalent in HIVM}}
  ascend.scalar leaky_relu %x, %x, %slope count(%n) : !u, !u, f32
  ascend.barrier all
  return
}

// -----

!u = memref<512xf32, #ascend.space<ub>>
func.func @call(%n: index) attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : !u
  // expected-error@below {{has no equivalent in HIVM: tile-keep-composites must run first}}
  ascend.whole_reduce sum %x, %x mask 64 repeat(%n) strides [1, 1, 8] : !u, !u
  ascend.barrier all
  return
}

// -----

!u = memref<512xf32, #ascend.space<ub>>
func.func @spread_block(%n: index) attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : !u
  // expected-error@below {{takes data blocks that do not follow each other}}
  ascend.binary mul %x, %x, %x mask 64 repeat(%n) strides [1, 1, 0, 8, 8, 1] : !u, !u, !u
  ascend.barrier all
  return
}

// -----

!u = memref<512xf32, #ascend.space<ub>>
func.func @folded(%n: index) attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : !u
  // expected-error@below {{has repeats that overlap}}
  ascend.binary add %x, %x, %x mask 64 repeat(%n) strides [1, 1, 1, 0, 8, 0] : !u, !u, !u
  ascend.barrier all
  return
}

// -----

!u = memref<64xf32, #ascend.space<ub>>
!gm = memref<?xf32, #ascend.space<gm>>
func.func @padded(%p: memref<?xf32, strided<[1]>, #ascend.space<gm>>) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %x = ascend.alloc "x" at 0 : !u
  %a = ascend.address %p[%c0] : memref<?xf32, strided<[1]>, #ascend.space<gm>> -> !gm
  // expected-error@below {{pads rows by 8 elements, but HIVM only to the end of a 32-byte block}}
  ascend.copy_in %x, %a rows(%c1) length(%c6) src_pitch(%c6) dst_pitch 16 right_pad 8 : !u, !gm
  ascend.barrier all
  return
}

// -----

func.func @virtual() attributes {ascend.kernel} {
  // expected-error@below {{has no event id of the chip: ascend-assign-events must run first}}
  ascend.set_flag mte2 to v virtual event 0
  ascend.barrier all
  return
}

// -----

func.func @cube() attributes {ascend.kernel} {
  // expected-error@below {{needs a pipe that vector cores do not have}}
  ascend.barrier m
  ascend.barrier all
  return
}

// -----

func.func @named() attributes {ascend.kernel} {
  ascend.barrier all
  return
}
// expected-error@below {{has the name of a function that belongs to kernel 'named' in HIVM}}
func.func @named_infer_task_type_function() attributes {ascend.kernel} {
  ascend.barrier all
  return
}

// -----

!u = memref<512xf32, #ascend.space<ub>>
func.func @spread(%n: index) attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : !u
  %y = ascend.alloc "y" at 2048 : !u
  // expected-error@below {{has no equivalent in HIVM: tile-keep-composites must run first}}
  ascend.brcb %y, %x repeat(%n) strides [1, 8] : !u, !u
  ascend.barrier all
  return
}

// -----

!u = memref<512xf32, #ascend.space<ub>>
func.func @blocks(%n: index) attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : !u
  %y = ascend.alloc "y" at 2048 : !u
  // expected-error@below {{has no equivalent in HIVM: tile-keep-composites must run first}}
  ascend.block_reduce sum %y, %x mask 64 repeat(%n) strides [1, 1, 8] : !u, !u
  ascend.barrier all
  return
}

// -----

!u = memref<512xf32, #ascend.space<ub>>
func.func @rows(%n: index) attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : !u
  %y = ascend.alloc "y" at 2048 : !u
  // expected-error@below {{has no equivalent in HIVM: tile-keep-composites must run first}}
  ascend.row_mul_add %y, %x, %x, %y rows(%n) cols 64 pitch 64 : !u, !u, !u, !u
  ascend.barrier all
  return
}

// -----

// expected-error@below {{kernel 'mixed' is of the kind mixed; HIVM has only kernels of vector cores so far}}
func.func @mixed() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  ascend.barrier all
  return
}
