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
  // expected-error@below {{lies in fp, which no op of HIVM names}}
  %x = ascend.alloc "x" at 0 : memref<64xf32, #ascend.space<fp>>
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

!h = memref<1024xf16, #ascend.space<ub>>
func.func @squares() attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : !h
  %y = ascend.alloc "y" at 2048 : !h
  %c2 = arith.constant 2 : index
  // expected-error@below {{turns squares over that are not one matrix, which HIVM cannot say}}
  ascend.transpose %y, %x repeat(%c2) strides [1, 1, 16, 16] : !h, !h
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

// expected-error@below {{is a mixed kernel without a cube half: no kernel has 'ascend.half_of = @mixed'}}
func.func @mixed() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  ascend.barrier all
  return
}

// -----

!bt = memref<64xf32, #ascend.space<bt>>
!row = memref<64xf32, #ascend.space<l1>>
func.func @load_of_a_bias(%n: index) attributes {ascend.kernel, ascend.keep_composites, ascend.kind = #ascend.kernel_kind<cube>} {
  %t = ascend.alloc "t" at 0 : !bt
  %l = ascend.alloc "l" at 0 : !row
  // expected-error@below {{has no equivalent in HIVM: tile-keep-composites must run first}}
  ascend.load_bias %t, %l count(%n) : !bt, !row
  ascend.barrier all
  return
}

// -----

!a = memref<4096xf16, #ascend.space<l1>>
!l0a = memref<32768xf16, #ascend.space<l0a>>
!l0b = memref<32768xf16, #ascend.space<l0b>>
!c = memref<4096xf32, #ascend.space<l0c>>
!bias = memref<64xf32, #ascend.space<bt>>
func.func @bias_table() attributes {ascend.kernel, ascend.keep_composites, ascend.kind = #ascend.kernel_kind<cube>} {
  %true = arith.constant true
  %n = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !a
  %l = ascend.alloc "l" at 0 : !l0a
  %r = ascend.alloc "r" at 0 : !l0b
  %c = ascend.alloc "c" at 0 : !c
  %t = ascend.alloc "t" at 0 : !bias
  // expected-error@below {{has its bias in the bias table, but mmadL1 takes it from L1}}
  ascend.matmul %c, %a, %a, %l, %r bias(%t : !bias) m(%n) n(%n) k(%n) init(%true) rows [64, 64] : !c, !a, !a, !l0a, !l0b
  ascend.barrier all
  return
}

// -----

!a = memref<4096xf16, #ascend.space<l1>>
!l0a = memref<32768xf16, #ascend.space<l0a>>
!l0b = memref<32768xf16, #ascend.space<l0b>>
!c = memref<4096xf32, #ascend.space<l0c>>
!bias = memref<128xf32, #ascend.space<l1>>
func.func @turned_bias() attributes {ascend.kernel, ascend.keep_composites, ascend.kind = #ascend.kernel_kind<cube>} {
  %true = arith.constant true
  %n = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !a
  %l = ascend.alloc "l" at 0 : !l0a
  %r = ascend.alloc "r" at 0 : !l0b
  %c = ascend.alloc "c" at 0 : !c
  %t = ascend.alloc "t" at 8192 : !bias
  // expected-error@below {{has a bias and a transposed operand, for which HIVM has no template}}
  ascend.matmul %c, %a, %a, %l, %r bias(%t : !bias) m(%n) n(%n) k(%n) init(%true) rows [64, 64] transpose_b : !c, !a, !a, !l0a, !l0b
  ascend.barrier all
  return
}

// -----

!a = memref<4096xf16, #ascend.space<l1>>
!l0a = memref<32768xf16, #ascend.space<l0a>>
!l0b = memref<32768xf16, #ascend.space<l0b>>
!c = memref<4096xf32, #ascend.space<l0c>>
!bias = memref<32xf32, #ascend.space<l1>>
func.func @short_bias() attributes {ascend.kernel, ascend.keep_composites, ascend.kind = #ascend.kernel_kind<cube>} {
  %true = arith.constant true
  %n = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !a
  %l = ascend.alloc "l" at 0 : !l0a
  %r = ascend.alloc "r" at 0 : !l0b
  %c = ascend.alloc "c" at 0 : !c
  %t = ascend.alloc "t" at 8192 : !bias
  // expected-error@below {{has a bias of 64 columns, but its row has room for 32}}
  ascend.matmul %c, %a, %a, %l, %r bias(%t : !bias) m(%n) n(%n) k(%n) init(%true) rows [64, 64] : !c, !a, !a, !l0a, !l0b
  ascend.barrier all
  return
}

// -----

!a = memref<73984xf16, #ascend.space<l1>>
!l0a = memref<32768xf16, #ascend.space<l0a>>
!l0b = memref<32768xf16, #ascend.space<l0b>>
!c = memref<73984xf32, #ascend.space<l0c>>
!bias = memref<512xf32, #ascend.space<l1>>
func.func @long_bias() attributes {ascend.kernel, ascend.keep_composites, ascend.kind = #ascend.kernel_kind<cube>} {
  %true = arith.constant true
  %n = arith.constant 272 : index
  %a = ascend.alloc "a" at 0 : !a
  %l = ascend.alloc "l" at 0 : !l0a
  %r = ascend.alloc "r" at 0 : !l0b
  %c = ascend.alloc "c" at 0 : !c
  %t = ascend.alloc "t" at 147968 : !bias
  // expected-error@below {{has a bias of 272 columns, but the bias table has room for 256}}
  ascend.matmul %c, %a, %a, %l, %r bias(%t : !bias) m(%n) n(%n) k(%n) init(%true) rows [272, 272] : !c, !a, !a, !l0a, !l0b
  ascend.barrier all
  return
}

// -----

!a = memref<4096xf32, #ascend.space<l1>>
func.func @wide_fill(%n: index) attributes {ascend.kernel, ascend.keep_composites, ascend.kind = #ascend.kernel_kind<cube>} {
  %a = ascend.alloc "a" at 0 : !a
  %one = arith.constant 1.0 : f32
  // expected-error@below {{fills 'f32' with something other than zero, which the template of HIVM writes in 16 bits}}
  ascend.fill %a, %one repeat(%n) blocks(%n) pitch 16 : !a, f32
  ascend.barrier all
  return
}

// -----

!a = memref<256xf32, #ascend.space<l1>>
!b = memref<32768xf32, #ascend.space<l1>>
!l0a = memref<16384xf32, #ascend.space<l0a>>
!l0b = memref<16384xf32, #ascend.space<l0b>>
!c = memref<32768xf32, #ascend.space<l0c>>
func.func @no_part() attributes {ascend.kernel, ascend.keep_composites, ascend.kind = #ascend.kernel_kind<cube>} {
  %a = ascend.alloc "a" at 0 : !a
  %b = ascend.alloc "b" at 4096 : !b
  %l0a = ascend.alloc "l0a" at 0 : !l0a
  %l0b = ascend.alloc "l0b" at 0 : !l0b
  %c = ascend.alloc "c" at 0 : !c
  %c16 = arith.constant 16 : index
  %c2048 = arith.constant 2048 : index
  %init = arith.constant true
  // expected-error@below {{multiplies matrices of up to 16 rows and 2048 columns, of which mmadL1 can hold no part in L0A and L0B}}
  ascend.matmul %c, %a, %b, %l0a, %l0b m(%c16) n(%c2048) k(%c16) init(%init) rows [16, 16] : !c, !a, !b, !l0a, !l0b
  ascend.barrier all
  return
}

// -----

!l = memref<4096xf16, #ascend.space<l1>>
!c = memref<4096xf32, #ascend.space<l0c>>
func.func @to_l1(%n: index) attributes {ascend.kernel, ascend.keep_composites, ascend.kind = #ascend.kernel_kind<cube>} {
  %l = ascend.alloc "l" at 0 : !l
  %c = ascend.alloc "c" at 0 : !c
  // expected-error@below {{goes to L1, for which fixpipe of HIVM has no template}}
  ascend.fix_out %l, %c rows(%n) cols(%n) dst_pitch(%n) src_rows 64 nz : !l, !c
  ascend.barrier all
  return
}

// -----

!c = memref<4096xf32, #ascend.space<l0c>>
func.func @fractals(%x: memref<?xf16, strided<[1]>, #ascend.space<gm>>, %n: index) attributes {ascend.kernel, ascend.keep_composites, ascend.kind = #ascend.kernel_kind<cube>} {
  %c = ascend.alloc "c" at 0 : !c
  %c0 = arith.constant 0 : index
  %p = ascend.address %x[%c0] : memref<?xf16, strided<[1]>, #ascend.space<gm>> -> memref<?xf16, #ascend.space<gm>>
  // expected-error@below {{leaves fractals in GM, for which fixpipe of HIVM has no template}}
  ascend.fix_out %p, %c rows(%n) cols(%n) dst_pitch(%n) src_rows 64 nz : memref<?xf16, #ascend.space<gm>>, !c
  ascend.barrier all
  return
}

// -----

!c = memref<4096xi32, #ascend.space<l0c>>
func.func @scaled(%x: memref<?xi8, strided<[1]>, #ascend.space<gm>>, %n: index) attributes {ascend.kernel, ascend.keep_composites, ascend.kind = #ascend.kernel_kind<cube>} {
  %c = ascend.alloc "c" at 0 : !c
  %c0 = arith.constant 0 : index
  %p = ascend.address %x[%c0] : memref<?xi8, strided<[1]>, #ascend.space<gm>> -> memref<?xi8, #ascend.space<gm>>
  // expected-error@below {{has a scale, which no template of fixpipe takes}}
  ascend.fix_out %p, %c rows(%n) cols(%n) dst_pitch(%n) src_rows 64 scale 2.500000e-01 : memref<?xi8, #ascend.space<gm>>, !c
  ascend.barrier all
  return
}

// -----

func.func @forward() attributes {ascend.kernel, ascend.keep_composites, ascend.kind = #ascend.kernel_kind<cube>} {
  // expected-error@below {{uses an event that mmadL1 keeps for its own flags}}
  ascend.set_flag mte1 to m event 3
  ascend.barrier all
  return
}

// -----

func.func @backward() attributes {ascend.kernel, ascend.keep_composites, ascend.kind = #ascend.kernel_kind<cube>} {
  // Others than the first two are free.
  ascend.set_flag m to mte1 event 2
  ascend.wait_flag m to mte1 event 2
  // expected-error@below {{uses an event that mmadL1 keeps for its own flags}}
  ascend.set_flag m to mte1 event 1
  ascend.barrier all
  return
}

// -----

!a = memref<4096xf16, #ascend.space<l1>>
!l0a = memref<4096xf16, #ascend.space<l0a>>
func.func @fractals_to_l0(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %a = ascend.alloc "a" at 0 : !a
  %d = ascend.alloc "d" at 0 : !l0a
  // expected-error@below {{has no equivalent in HIVM: tile-keep-composites must run first}}
  ascend.load_fractals %d, %a repeat(%n) strides [1, 8] : !l0a, !a
  ascend.barrier all
  return
}

// -----

!a = memref<4096xf16, #ascend.space<l1>>
!l0a = memref<4096xf16, #ascend.space<l0a>>
func.func @tile_to_l0(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %a = ascend.alloc "a" at 0 : !a
  %d = ascend.alloc "d" at 0 : !l0a
  // expected-error@below {{has no equivalent in HIVM: tile-keep-composites must run first}}
  ascend.load_tile %d, %a rows(%n) cols(%n) src_rows 64 : !l0a, !a
  ascend.barrier all
  return
}

// -----

!a = memref<4096xf16, #ascend.space<l1>>
!l0a = memref<4096xf16, #ascend.space<l0a>>
func.func @squares_to_l0(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %a = ascend.alloc "a" at 0 : !a
  %d = ascend.alloc "d" at 0 : !l0a
  // expected-error@below {{has no equivalent in HIVM: tile-keep-composites must run first}}
  ascend.load_squares %d, %a repeat(%n) strides [2, 4, 1] : !l0a, !a
  ascend.barrier all
  return
}

// -----

!l0a = memref<4096xf16, #ascend.space<l0a>>
!l0b = memref<4096xf16, #ascend.space<l0b>>
!c = memref<4096xf32, #ascend.space<l0c>>
func.func @part(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %true = arith.constant true
  %a = ascend.alloc "a" at 0 : !l0a
  %b = ascend.alloc "b" at 0 : !l0b
  %c = ascend.alloc "c" at 0 : !c
  // expected-error@below {{has no equivalent in HIVM: tile-keep-composites must run first}}
  ascend.mmad %c, %a, %b m(%n) n(%n) k(%n) init(%true) : !c, !l0a, !l0b
  ascend.barrier all
  return
}
