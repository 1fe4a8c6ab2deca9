// RUN: attn-opt %s --emit=ascendc --split-input-file --verify-diagnostics
// What a text of cube cores cannot say: fields that would wrap around, memories, pipes, layouts.

func.func @memory() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  // expected-error@below {{lies in ub, where texts of cube cores have no tensors}}
  %u = ascend.alloc "u" at 0 : memref<8xf32, #ascend.space<ub>>
  ascend.barrier all
  return
}

// -----

func.func @fixpipe_buffer() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  // expected-error@below {{lies in fp, where texts of cube cores have no tensors}}
  %u = ascend.alloc "u" at 0 : memref<32xf32, #ascend.space<fp>>
  ascend.barrier all
  return
}

// -----

func.func @unplanned() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  // expected-error@below {{has no address: ascend-plan-memory must run first}}
  %l = ascend.alloc "l" : memref<16384xf16, #ascend.space<l1>>
  ascend.barrier all
  return
}

// -----

func.func @vector_flag() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  // expected-error@below {{needs the pipe v, which cube cores do not have}}
  ascend.set_flag v to mte2 event 0
  ascend.barrier all
  return
}

// -----

func.func @vector_barrier() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  // expected-error@below {{needs the pipe v, which cube cores do not have}}
  ascend.barrier v
  ascend.barrier all
  return
}

// -----

func.func @no_flags() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  // expected-error@below {{is between two pipes that have no flags on cube cores}}
  ascend.set_flag s to mte2 event 0
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

func.func @rows_unknown(%x: memref<?x?xf16, strided<[?, 1]>, #ascend.space<gm>>, %n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %l = ascend.alloc "l" at 0 : memref<16384xf16, #ascend.space<l1>>
  %p = ascend.address %x[%c0, %c0] : memref<?x?xf16, strided<[?, 1]>, #ascend.space<gm>> -> memref<?xf16, #ascend.space<gm>>
  // expected-error@below {{has a number of rows without a known bound; at most 16384 are possible}}
  ascend.nd_to_nz %l, %p rows(%n) cols(%c64) src_pitch(%c64) dst_rows 128 : memref<16384xf16, #ascend.space<l1>>, memref<?xf16, #ascend.space<gm>>
  ascend.barrier all
  return
}

// -----

func.func @columns_unknown(%x: memref<?x?xf16, strided<[?, 1]>, #ascend.space<gm>>, %n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %l = ascend.alloc "l" at 0 : memref<16384xf16, #ascend.space<l1>>
  %p = ascend.address %x[%c0, %c0] : memref<?x?xf16, strided<[?, 1]>, #ascend.space<gm>> -> memref<?xf16, #ascend.space<gm>>
  // expected-error@below {{has a number of columns without a known bound; at most 65535 are possible}}
  ascend.nd_to_nz %l, %p rows(%c64) cols(%n) src_pitch(%c64) dst_rows 128 : memref<16384xf16, #ascend.space<l1>>, memref<?xf16, #ascend.space<gm>>
  ascend.barrier all
  return
}

// -----

func.func @pitch_unknown(%x: memref<?x?xf16, strided<[?, 1]>, #ascend.space<gm>>) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %l = ascend.alloc "l" at 0 : memref<16384xf16, #ascend.space<l1>>
  %p = ascend.address %x[%c0, %c0] : memref<?x?xf16, strided<[?, 1]>, #ascend.space<gm>> -> memref<?xf16, #ascend.space<gm>>
  %s = ascend.stride %x, 0 : memref<?x?xf16, strided<[?, 1]>, #ascend.space<gm>>
  // expected-error@below {{has a number of elements from row to row without a known bound; at most 65535 are possible}}
  ascend.nd_to_nz %l, %p rows(%c64) cols(%c64) src_pitch(%s) dst_rows 128 : memref<16384xf16, #ascend.space<l1>>, memref<?xf16, #ascend.space<gm>>
  ascend.barrier all
  return
}

// -----

func.func @pitch_large(%x: memref<?x?xf16, strided<[?, 1]>, #ascend.space<gm>>) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c65536 = arith.constant 65536 : index
  %l = ascend.alloc "l" at 0 : memref<16384xf16, #ascend.space<l1>>
  %p = ascend.address %x[%c0, %c0] : memref<?x?xf16, strided<[?, 1]>, #ascend.space<gm>> -> memref<?xf16, #ascend.space<gm>>
  // expected-error@below {{may have 65536 elements from row to row; at most 65535 are possible}}
  ascend.nd_to_nz %l, %p rows(%c64) cols(%c64) src_pitch(%c65536) dst_rows 128 : memref<16384xf16, #ascend.space<l1>>, memref<?xf16, #ascend.space<gm>>
  ascend.barrier all
  return
}

// -----

func.func @fill_times(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f16
  %l = ascend.alloc "l" at 0 : memref<16384xf16, #ascend.space<l1>>
  // expected-error@below {{has a number of times without a known bound; at most 32767 are possible}}
  ascend.fill %l, %z repeat(%n) blocks(%c4) pitch 16 : memref<16384xf16, #ascend.space<l1>>, f16
  ascend.barrier all
  return
}

// -----

func.func @fill_gap() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c2 = arith.constant 2 : index
  %c20 = arith.constant 20 : index
  %z = arith.constant 0.0 : f16
  %l = ascend.alloc "l" at 0 : memref<16384xf16, #ascend.space<l1>>
  // expected-error@below {{may have 20 blocks; at most 16 are possible}}
  ascend.fill %l, %z repeat(%c2) blocks(%c20) pitch 16 : memref<16384xf16, #ascend.space<l1>>, f16
  ascend.barrier all
  return
}

// -----

func.func @fill_number(%f: f32) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %l = ascend.alloc "l" at 0 : memref<16384xf16, #ascend.space<l1>>
  %z = arith.truncf %f : f32 to f16
  // expected-error@below {{cannot be printed as AscendC for 'f16'}}
  ascend.fill %l, %z repeat(%c1) blocks(%c4) pitch 16 : memref<16384xf16, #ascend.space<l1>>, f16
  ascend.barrier all
  return
}

// -----

func.func @fractals(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %l = ascend.alloc "l" at 0 : memref<16384xf16, #ascend.space<l1>>
  %a = ascend.alloc "a" at 0 : memref<8192xf16, #ascend.space<l0a>>
  // expected-error@below {{has a number of repeats without a known bound; at most 255 are possible}}
  ascend.load_fractals %a, %l repeat(%n) strides [1, 1] : memref<8192xf16, #ascend.space<l0a>>, memref<16384xf16, #ascend.space<l1>>
  ascend.barrier all
  return
}

// -----

func.func @squares(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %l = ascend.alloc "l" at 0 : memref<16384xf16, #ascend.space<l1>>
  %a = ascend.alloc "a" at 0 : memref<8192xf16, #ascend.space<l0a>>
  // expected-error@below {{has a number of repeats without a known bound; at most 255 are possible}}
  ascend.load_squares %a, %l repeat(%n) strides [1, 1, 1] : memref<8192xf16, #ascend.space<l0a>>, memref<16384xf16, #ascend.space<l1>>
  ascend.barrier all
  return
}

// -----

func.func @tile_rows() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %l = ascend.alloc "l" at 0 : memref<16384xf16, #ascend.space<l1>>
  %a = ascend.alloc "a" at 0 : memref<8192xf16, #ascend.space<l0a>>
  // expected-error@below {{may have 128 rows; at most 64 are possible}}
  ascend.load_tile %a, %l rows(%c128) cols(%c64) src_rows 64 : memref<8192xf16, #ascend.space<l0a>>, memref<16384xf16, #ascend.space<l1>>
  ascend.barrier all
  return
}

// -----

func.func @tile_columns(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c64 = arith.constant 64 : index
  %l = ascend.alloc "l" at 0 : memref<16384xf16, #ascend.space<l1>>
  %a = ascend.alloc "a" at 0 : memref<8192xf16, #ascend.space<l0a>>
  // expected-error@below {{has a number of columns without a known bound; at most 65535 are possible}}
  ascend.load_tile %a, %l rows(%c64) cols(%n) src_rows 64 : memref<8192xf16, #ascend.space<l0a>>, memref<16384xf16, #ascend.space<l1>>
  ascend.barrier all
  return
}

// -----

func.func @bias() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c100 = arith.constant 100 : index
  %l = ascend.alloc "l" at 0 : memref<128xf32, #ascend.space<l1>>
  %t = ascend.alloc "t" at 0 : memref<128xf32, #ascend.space<bt>>
  // expected-error@below {{copies 400 bytes, of which DataCopy leaves out all beyond whole 64-byte blocks}}
  ascend.load_bias %t, %l count(%c100) : memref<128xf32, #ascend.space<bt>>, memref<128xf32, #ascend.space<l1>>
  ascend.barrier all
  return
}

// -----

func.func @product_rows(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c64 = arith.constant 64 : index
  %t = arith.constant true
  %a = ascend.alloc "a" at 0 : memref<8192xf16, #ascend.space<l0a>>
  %b = ascend.alloc "b" at 0 : memref<8192xf16, #ascend.space<l0b>>
  %c = ascend.alloc "c" at 0 : memref<16384xf32, #ascend.space<l0c>>
  // expected-error@below {{has a number of rows without a known bound; at most 4095 are possible}}
  ascend.mmad %c, %a, %b m(%n) n(%c64) k(%c64) init(%t) : memref<16384xf32, #ascend.space<l0c>>, memref<8192xf16, #ascend.space<l0a>>, memref<8192xf16, #ascend.space<l0b>>
  ascend.barrier all
  return
}

// -----

func.func @product_columns(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c64 = arith.constant 64 : index
  %t = arith.constant true
  %a = ascend.alloc "a" at 0 : memref<8192xf16, #ascend.space<l0a>>
  %b = ascend.alloc "b" at 0 : memref<8192xf16, #ascend.space<l0b>>
  %c = ascend.alloc "c" at 0 : memref<16384xf32, #ascend.space<l0c>>
  // expected-error@below {{has a number of columns without a known bound; at most 4095 are possible}}
  ascend.mmad %c, %a, %b m(%c64) n(%n) k(%c64) init(%t) : memref<16384xf32, #ascend.space<l0c>>, memref<8192xf16, #ascend.space<l0a>>, memref<8192xf16, #ascend.space<l0b>>
  ascend.barrier all
  return
}

// -----

func.func @product_sum(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c64 = arith.constant 64 : index
  %t = arith.constant true
  %a = ascend.alloc "a" at 0 : memref<8192xf16, #ascend.space<l0a>>
  %b = ascend.alloc "b" at 0 : memref<8192xf16, #ascend.space<l0b>>
  %c = ascend.alloc "c" at 0 : memref<16384xf32, #ascend.space<l0c>>
  // expected-error@below {{has a number of elements in a sum without a known bound; at most 4095 are possible}}
  ascend.mmad %c, %a, %b m(%c64) n(%c64) k(%n) init(%t) : memref<16384xf32, #ascend.space<l0c>>, memref<8192xf16, #ascend.space<l0a>>, memref<8192xf16, #ascend.space<l0b>>
  ascend.barrier all
  return
}

// -----

func.func @one_row(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %t = arith.constant true
  %a = ascend.alloc "a" at 0 : memref<8192xf16, #ascend.space<l0a>>
  %b = ascend.alloc "b" at 0 : memref<8192xf16, #ascend.space<l0b>>
  %c = ascend.alloc "c" at 0 : memref<16384xf32, #ascend.space<l0c>>
  %least = arith.maxsi %n, %c0 : index
  %m = arith.minsi %least, %c64 : index
  // expected-error@below {{may have one row, for which the chip takes another layout; pad m to an even number or to 2}}
  ascend.mmad %c, %a, %b m(%m) n(%c64) k(%c64) init(%t) : memref<16384xf32, #ascend.space<l0c>>, memref<8192xf16, #ascend.space<l0a>>, memref<8192xf16, #ascend.space<l0b>>
  ascend.barrier all
  return
}

// -----

func.func @result_rows(%x: memref<128x128xf16, #ascend.space<gm>>, %n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c = ascend.alloc "c" at 0 : memref<16384xf32, #ascend.space<l0c>>
  %p = ascend.address %x[%c0, %c0] : memref<128x128xf16, #ascend.space<gm>> -> memref<?xf16, #ascend.space<gm>>
  // expected-error@below {{has a number of rows without a known bound; at most 8192 are possible}}
  ascend.fix_out %p, %c rows(%n) cols(%c64) dst_pitch(%c64) src_rows 64 : memref<?xf16, #ascend.space<gm>>, memref<16384xf32, #ascend.space<l0c>>
  ascend.barrier all
  return
}

// -----

func.func @result_columns(%x: memref<128x128xf16, #ascend.space<gm>>, %n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c = ascend.alloc "c" at 0 : memref<16384xf32, #ascend.space<l0c>>
  %p = ascend.address %x[%c0, %c0] : memref<128x128xf16, #ascend.space<gm>> -> memref<?xf16, #ascend.space<gm>>
  // expected-error@below {{has a number of columns without a known bound; at most 4095 are possible}}
  ascend.fix_out %p, %c rows(%c64) cols(%n) dst_pitch(%c64) src_rows 64 : memref<?xf16, #ascend.space<gm>>, memref<16384xf32, #ascend.space<l0c>>
  ascend.barrier all
  return
}

// -----

func.func @result_pitch(%x: memref<128x128xf16, #ascend.space<gm>>) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c4294967296 = arith.constant 4294967296 : index
  %c = ascend.alloc "c" at 0 : memref<16384xf32, #ascend.space<l0c>>
  %p = ascend.address %x[%c0, %c0] : memref<128x128xf16, #ascend.space<gm>> -> memref<?xf16, #ascend.space<gm>>
  // expected-error@below {{may have 4294967296 elements from row to row; at most 4294967295 are possible}}
  ascend.fix_out %p, %c rows(%c64) cols(%c64) dst_pitch(%c4294967296) src_rows 64 : memref<?xf16, #ascend.space<gm>>, memref<16384xf32, #ascend.space<l0c>>
  ascend.barrier all
  return
}

// -----

func.func @fractals_of_columns(%x: memref<128x128xf16, #ascend.space<gm>>) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c50 = arith.constant 50 : index
  %c = ascend.alloc "c" at 0 : memref<16384xf32, #ascend.space<l0c>>
  %p = ascend.address %x[%c0, %c0] : memref<128x128xf16, #ascend.space<gm>> -> memref<?xf16, #ascend.space<gm>>
  // expected-error@below {{makes fractals of columns that are not known to be a multiple of 16}}
  ascend.fix_out %p, %c rows(%c64) cols(%c50) dst_pitch(%c64) src_rows 64 nz : memref<?xf16, #ascend.space<gm>>, memref<16384xf32, #ascend.space<l0c>>
  ascend.barrier all
  return
}

// -----

func.func @scale(%x: memref<128x128xi8, #ascend.space<gm>>) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c = ascend.alloc "c" at 0 : memref<16384xf32, #ascend.space<l0c>>
  %p = ascend.address %x[%c0, %c0] : memref<128x128xi8, #ascend.space<gm>> -> memref<?xi8, #ascend.space<gm>>
  // expected-error@below {{has a scale that is not a normal number}}
  ascend.fix_out %p, %c rows(%c64) cols(%c64) dst_pitch(%c64) src_rows 64 scale 0.0 : memref<?xi8, #ascend.space<gm>>, memref<16384xf32, #ascend.space<l0c>>
  ascend.barrier all
  return
}

// -----

func.func @composite() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c64 = arith.constant 64 : index
  %t = arith.constant true
  %l = ascend.alloc "l" at 0 : memref<16384xf16, #ascend.space<l1>>
  %a = ascend.alloc "a" at 0 : memref<8192xf16, #ascend.space<l0a>>
  %b = ascend.alloc "b" at 0 : memref<8192xf16, #ascend.space<l0b>>
  %c = ascend.alloc "c" at 0 : memref<16384xf32, #ascend.space<l0c>>
  // expected-error@below {{is a composite, which must be lowered first by ascend-expand-composites}}
  ascend.matmul %c, %l, %l, %a, %b m(%c64) n(%c64) k(%c64) init(%t) rows [64, 64] : memref<16384xf32, #ascend.space<l0c>>, memref<16384xf16, #ascend.space<l1>>, memref<16384xf16, #ascend.space<l1>>, memref<8192xf16, #ascend.space<l0a>>, memref<8192xf16, #ascend.space<l0b>>
  ascend.barrier all
  return
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @capacity() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  // expected-error@below {{ends at byte 66048 of 65536}}
  %a = ascend.alloc "a" at 512 : memref<32768xf16, #ascend.space<l0a>>
  ascend.barrier all
  return
}
}

// -----

func.func @product_on_vector_cores() attributes {ascend.kernel} {
  // expected-error@below {{lies in l0c, where texts of vector cores have no tensors}}
  %c = ascend.alloc "c" at 0 : memref<16384xf32, #ascend.space<l0c>>
  ascend.barrier all
  return
}
