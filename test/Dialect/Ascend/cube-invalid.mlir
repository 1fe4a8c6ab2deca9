// RUN: attn-opt %s -verify-diagnostics -split-input-file

// The rules of the instructions of cube cores, in the order of their ops.

func.func @f(%a: memref<512xf16, #ascend.space<ub>>, %b: memref<?xf16, #ascend.space<gm>>, %n: index, %i: i1) {
  // expected-error@below {{needs its destination as a one-dimensional memref in l1, not}}
  ascend.nd_to_nz %a, %b rows(%n) cols(%n) src_pitch(%n) dst_rows 16 : memref<512xf16, #ascend.space<ub>>, memref<?xf16, #ascend.space<gm>>
  return
}

// -----

func.func @f(%a: memref<2048xf16, #ascend.space<l1>>, %b: memref<2048xf16, #ascend.space<l1>>, %n: index, %i: i1) {
  // expected-error@below {{needs its place in an array as a one-dimensional memref in gm, not}}
  ascend.nd_to_nz %a, %b rows(%n) cols(%n) src_pitch(%n) dst_rows 16 : memref<2048xf16, #ascend.space<l1>>, memref<2048xf16, #ascend.space<l1>>
  return
}

// -----

func.func @f(%a: memref<2048xf32, #ascend.space<l1>>, %b: memref<?xf16, #ascend.space<gm>>, %n: index, %i: i1) {
  // expected-error@below {{mixes 'f32' and 'f16'}}
  ascend.nd_to_nz %a, %b rows(%n) cols(%n) src_pitch(%n) dst_rows 16 : memref<2048xf32, #ascend.space<l1>>, memref<?xf16, #ascend.space<gm>>
  return
}

// -----

func.func @f(%a: memref<2048xf16, #ascend.space<l1>>, %b: memref<?xf16, #ascend.space<gm>>, %n: index, %i: i1) {
  %c16385 = arith.constant 16385 : index
  // expected-error@below {{has 16385 rows; 0 to 16384 are possible}}
  ascend.nd_to_nz %a, %b rows(%c16385) cols(%n) src_pitch(%n) dst_rows 16 : memref<2048xf16, #ascend.space<l1>>, memref<?xf16, #ascend.space<gm>>
  return
}

// -----

func.func @f(%a: memref<2048xf16, #ascend.space<l1>>, %b: memref<?xf16, #ascend.space<gm>>, %n: index, %i: i1) {
  %c65536 = arith.constant 65536 : index
  // expected-error@below {{has 65536 columns; 0 to 65535 are possible}}
  ascend.nd_to_nz %a, %b rows(%n) cols(%c65536) src_pitch(%n) dst_rows 16 : memref<2048xf16, #ascend.space<l1>>, memref<?xf16, #ascend.space<gm>>
  return
}

// -----

func.func @f(%a: memref<2048xf16, #ascend.space<l1>>, %b: memref<?xf16, #ascend.space<gm>>, %n: index, %i: i1) {
  // expected-error@below {{has dst_rows 24; it must be a multiple of 16 up to 16384}}
  ascend.nd_to_nz %a, %b rows(%n) cols(%n) src_pitch(%n) dst_rows 24 : memref<2048xf16, #ascend.space<l1>>, memref<?xf16, #ascend.space<gm>>
  return
}

// -----

func.func @f(%a: memref<2048xf16, #ascend.space<l1>>, %b: memref<?xf16, #ascend.space<gm>>, %n: index, %i: i1) {
  // expected-error@below {{has dst_rows 16400; it must be a multiple of 16 up to 16384}}
  ascend.nd_to_nz %a, %b rows(%n) cols(%n) src_pitch(%n) dst_rows 16400 : memref<2048xf16, #ascend.space<l1>>, memref<?xf16, #ascend.space<gm>>
  return
}

// -----

func.func @f(%a: memref<512xf16, #ascend.space<ub>>, %s: f16, %n: index) {
  // expected-error@below {{needs its destination as a one-dimensional memref in l1, not}}
  ascend.fill %a, %s repeat(%n) blocks(%n) pitch 16 : memref<512xf16, #ascend.space<ub>>, f16
  return
}

// -----

func.func @f(%a: memref<2048xf16, #ascend.space<l1>>, %s: f16, %n: index) {
  %c32768 = arith.constant 32768 : index
  // expected-error@below {{has 32768 times; 0 to 32767 are possible}}
  ascend.fill %a, %s repeat(%c32768) blocks(%n) pitch 16 : memref<2048xf16, #ascend.space<l1>>, f16
  return
}

// -----

func.func @f(%a: memref<2048xf16, #ascend.space<l1>>, %s: f16, %n: index) {
  %c32768 = arith.constant 32768 : index
  // expected-error@below {{has 32768 blocks; 0 to 32767 are possible}}
  ascend.fill %a, %s repeat(%n) blocks(%c32768) pitch 16 : memref<2048xf16, #ascend.space<l1>>, f16
  return
}

// -----

func.func @f(%a: memref<2048xf16, #ascend.space<l1>>, %s: f32, %n: index) {
  // expected-error@below {{mixes 'f16' and a scalar of type 'f32'}}
  ascend.fill %a, %s repeat(%n) blocks(%n) pitch 16 : memref<2048xf16, #ascend.space<l1>>, f32
  return
}

// -----

func.func @f(%a: memref<2048xi8, #ascend.space<l1>>, %s: i8, %n: index) {
  // expected-error@below {{fills elements of 8 bits with zeros only}}
  ascend.fill %a, %s repeat(%n) blocks(%n) pitch 16 : memref<2048xi8, #ascend.space<l1>>, i8
  return
}

// -----

func.func @f(%a: memref<2048xf16, #ascend.space<l1>>, %s: f16, %n: index) {
  // expected-error@below {{has a pitch of 0 blocks; 1 to 32767 are possible}}
  ascend.fill %a, %s repeat(%n) blocks(%n) pitch 0 : memref<2048xf16, #ascend.space<l1>>, f16
  return
}

// -----

func.func @f(%a: memref<2048xf16, #ascend.space<l1>>, %b: memref<2048xf16, #ascend.space<l1>>, %n: index, %i: i1) {
  // expected-error@below {{needs its destination as a one-dimensional memref in l0b, not}}
  ascend.load_fractals %a, %b repeat(%n) strides [1, 1] : memref<2048xf16, #ascend.space<l1>>, memref<2048xf16, #ascend.space<l1>>
  return
}

// -----

func.func @f(%a: memref<2048xf16, #ascend.space<l0a>>, %b: memref<512xf16, #ascend.space<ub>>, %n: index, %i: i1) {
  // expected-error@below {{needs its source as a one-dimensional memref in l1, not}}
  ascend.load_fractals %a, %b repeat(%n) strides [1, 1] : memref<2048xf16, #ascend.space<l0a>>, memref<512xf16, #ascend.space<ub>>
  return
}

// -----

func.func @f(%a: memref<2048xf16, #ascend.space<l0a>>, %b: memref<2048xf32, #ascend.space<l1>>, %n: index, %i: i1) {
  // expected-error@below {{mixes 'f16' and 'f32'}}
  ascend.load_fractals %a, %b repeat(%n) strides [1, 1] : memref<2048xf16, #ascend.space<l0a>>, memref<2048xf32, #ascend.space<l1>>
  return
}

// -----

func.func @f(%a: memref<2048xf16, #ascend.space<l0a>>, %b: memref<2048xf16, #ascend.space<l1>>, %n: index, %i: i1) {
  // expected-error@below {{has 3 strides instead of 2}}
  ascend.load_fractals %a, %b repeat(%n) strides [1, 1, 1] : memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l1>>
  return
}

// -----

func.func @f(%a: memref<2048xf16, #ascend.space<l0a>>, %b: memref<2048xf16, #ascend.space<l1>>, %n: index, %i: i1) {
  // expected-error@below {{has stride 0; 1 to 65535 are possible}}
  ascend.load_fractals %a, %b repeat(%n) strides [0, 1] : memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l1>>
  return
}

// -----

func.func @f(%a: memref<2048xf16, #ascend.space<l0a>>, %b: memref<2048xf16, #ascend.space<l1>>, %n: index, %i: i1) {
  // expected-error@below {{has stride 65536; 1 to 65535 are possible}}
  ascend.load_fractals %a, %b repeat(%n) strides [1, 65536] : memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l1>>
  return
}

// -----

func.func @f(%a: memref<2048xf32, #ascend.space<l0b>>, %b: memref<2048xf32, #ascend.space<l1>>, %n: index, %i: i1) {
  // expected-error@below {{turns fractals over, which only those of 16-bit elements can be}}
  ascend.load_fractals %a, %b repeat(%n) strides [1, 1] transpose : memref<2048xf32, #ascend.space<l0b>>, memref<2048xf32, #ascend.space<l1>>
  return
}

// -----

func.func @f(%a: memref<2048xf16, #ascend.space<l0a>>, %b: memref<2048xf16, #ascend.space<l1>>, %n: index, %i: i1) {
  %c256 = arith.constant 256 : index
  // expected-error@below {{has 256 repeats; at most 255 are possible}}
  ascend.load_fractals %a, %b repeat(%c256) strides [1, 1] : memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l1>>
  return
}

// -----

func.func @f(%a: memref<2048xf16, #ascend.space<l0a>>, %b: memref<2048xf16, #ascend.space<l1>>, %n: index, %i: i1) {
  // expected-error@below {{has src_rows 8; it must be a multiple of 16 up to 16384}}
  ascend.load_tile %a, %b rows(%n) cols(%n) src_rows 8 : memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l1>>
  return
}

// -----

func.func @f(%a: memref<2048xf16, #ascend.space<l0a>>, %b: memref<2048xf16, #ascend.space<l1>>, %n: index, %i: i1) {
  %cm1 = arith.constant -1 : index
  // expected-error@below {{has -1 rows; 0 to}}
  ascend.load_tile %a, %b rows(%cm1) cols(%n) src_rows 16 : memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l1>>
  return
}

// -----

func.func @f(%a: memref<2048xf16, #ascend.space<l0a>>, %b: memref<2048xf16, #ascend.space<l1>>, %n: index, %i: i1) {
  %cm1 = arith.constant -1 : index
  // expected-error@below {{has -1 columns; 0 to}}
  ascend.load_tile %a, %b rows(%n) cols(%cm1) src_rows 16 : memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l1>>
  return
}

// -----

func.func @f(%a: memref<2048xf16, #ascend.space<l0b>>, %b: memref<2048xf16, #ascend.space<l1>>, %n: index, %i: i1) {
  // expected-error@below {{to L0B always turns the matrix over and takes no 'transpose'}}
  ascend.load_tile %a, %b rows(%n) cols(%n) src_rows 16 transpose : memref<2048xf16, #ascend.space<l0b>>, memref<2048xf16, #ascend.space<l1>>
  return
}

// -----

func.func @f(%a: memref<2048xi8, #ascend.space<l0b>>, %b: memref<2048xi8, #ascend.space<l1>>, %n: index, %i: i1) {
  // expected-error@below {{turns a matrix of 8-bit elements over; ascend.load_squares does}}
  ascend.load_tile %a, %b rows(%n) cols(%n) src_rows 16 : memref<2048xi8, #ascend.space<l0b>>, memref<2048xi8, #ascend.space<l1>>
  return
}

// -----

func.func @f(%a: memref<2048xi8, #ascend.space<l0a>>, %b: memref<2048xi8, #ascend.space<l1>>, %n: index, %i: i1) {
  %c48 = arith.constant 48 : index
  // expected-error@below {{takes rows in multiples of 16 and columns in multiples of 32}}
  ascend.load_tile %a, %b rows(%n) cols(%c48) src_rows 16 : memref<2048xi8, #ascend.space<l0a>>, memref<2048xi8, #ascend.space<l1>>
  return
}

// -----

func.func @f(%a: memref<2048xf32, #ascend.space<l0b>>, %b: memref<2048xf32, #ascend.space<l1>>, %n: index, %i: i1) {
  %c24 = arith.constant 24 : index
  // expected-error@below {{takes rows in multiples of 16 and columns in multiples of 16}}
  ascend.load_tile %a, %b rows(%n) cols(%c24) src_rows 16 : memref<2048xf32, #ascend.space<l0b>>, memref<2048xf32, #ascend.space<l1>>
  return
}

// -----

func.func @f(%a: memref<2048xf16, #ascend.space<l0a>>, %b: memref<2048xf16, #ascend.space<l1>>, %n: index, %i: i1) {
  %c24 = arith.constant 24 : index
  // expected-error@below {{takes rows in multiples of 16 and columns in multiples of 16}}
  ascend.load_tile %a, %b rows(%c24) cols(%n) src_rows 16 : memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l1>>
  return
}

// -----

func.func @f(%a: memref<2048xf16, #ascend.space<l0a>>, %b: memref<2048xf16, #ascend.space<l1>>, %n: index, %i: i1) {
  // expected-error@below {{has 2 strides instead of 3}}
  ascend.load_squares %a, %b repeat(%n) strides [1, 1] : memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l1>>
  return
}

// -----

func.func @f(%a: memref<2048xf16, #ascend.space<l0a>>, %b: memref<2048xf16, #ascend.space<l1>>, %n: index, %i: i1) {
  %c256 = arith.constant 256 : index
  // expected-error@below {{has 256 repeats; at most 255 are possible}}
  ascend.load_squares %a, %b repeat(%c256) strides [1, 1, 1] : memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l1>>
  return
}

// -----

func.func @f(%a: memref<2048xf16, #ascend.space<l0a>>, %b: memref<2048xf16, #ascend.space<l1>>, %n: index, %i: i1) {
  // expected-error@below {{needs its destination as a one-dimensional memref in bt, not}}
  ascend.load_bias %a, %b count(%n) : memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l1>>
  return
}

// -----

func.func @f(%a: memref<256xf32, #ascend.space<bt>>, %b: memref<?xf32, #ascend.space<gm>>, %n: index, %i: i1) {
  // expected-error@below {{needs its source as a one-dimensional memref in l1, not}}
  ascend.load_bias %a, %b count(%n) : memref<256xf32, #ascend.space<bt>>, memref<?xf32, #ascend.space<gm>>
  return
}

// -----

func.func @f(%a: memref<256xf32, #ascend.space<bt>>, %b: memref<2048xi32, #ascend.space<l1>>, %n: index, %i: i1) {
  // expected-error@below {{mixes 'f32' and 'i32'}}
  ascend.load_bias %a, %b count(%n) : memref<256xf32, #ascend.space<bt>>, memref<2048xi32, #ascend.space<l1>>
  return
}

// -----

func.func @f(%a: memref<256xf32, #ascend.space<bt>>, %b: memref<2048xf32, #ascend.space<l1>>, %n: index, %i: i1) {
  %cm1 = arith.constant -1 : index
  // expected-error@below {{has -1 elements; 0 to}}
  ascend.load_bias %a, %b count(%cm1) : memref<256xf32, #ascend.space<bt>>, memref<2048xf32, #ascend.space<l1>>
  return
}

// -----

func.func @f(%a: memref<256xf16, #ascend.space<bt>>, %b: memref<2048xf16, #ascend.space<l1>>, %n: index, %i: i1) {
  // expected-error@below {{takes f32 or i32, not 'f16'}}
  ascend.load_bias %a, %b count(%n) : memref<256xf16, #ascend.space<bt>>, memref<2048xf16, #ascend.space<l1>>
  return
}

// -----

func.func @f(%a: memref<512xf16, #ascend.space<ub>>, %b: memref<2048xf16, #ascend.space<l0a>>, %c: memref<2048xf16, #ascend.space<l0b>>, %n: index, %i: i1) {
  // expected-error@below {{needs its destination as a one-dimensional memref in l0c, not}}
  ascend.mmad %a, %b, %c m(%n) n(%n) k(%n) init(%i) : memref<512xf16, #ascend.space<ub>>, memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l0b>>
  return
}

// -----

func.func @f(%a: memref<1024xf32, #ascend.space<l0c>>, %b: memref<2048xf16, #ascend.space<l1>>, %c: memref<2048xf16, #ascend.space<l0b>>, %n: index, %i: i1) {
  // expected-error@below {{needs its left operand as a one-dimensional memref in l0a, not}}
  ascend.mmad %a, %b, %c m(%n) n(%n) k(%n) init(%i) : memref<1024xf32, #ascend.space<l0c>>, memref<2048xf16, #ascend.space<l1>>, memref<2048xf16, #ascend.space<l0b>>
  return
}

// -----

func.func @f(%a: memref<1024xf32, #ascend.space<l0c>>, %b: memref<2048xf16, #ascend.space<l0a>>, %c: memref<2048xf16, #ascend.space<l1>>, %n: index, %i: i1) {
  // expected-error@below {{needs its right operand as a one-dimensional memref in l0b, not}}
  ascend.mmad %a, %b, %c m(%n) n(%n) k(%n) init(%i) : memref<1024xf32, #ascend.space<l0c>>, memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l1>>
  return
}

// -----

func.func @f(%a: memref<1024xf32, #ascend.space<l0c>>, %b: memref<2048xf16, #ascend.space<l0a>>, %c: memref<2048xi8, #ascend.space<l0b>>, %n: index, %i: i1) {
  // expected-error@below {{mixes 'f16' and 'i8'}}
  ascend.mmad %a, %b, %c m(%n) n(%n) k(%n) init(%i) : memref<1024xf32, #ascend.space<l0c>>, memref<2048xf16, #ascend.space<l0a>>, memref<2048xi8, #ascend.space<l0b>>
  return
}

// -----

func.func @f(%a: memref<1024xf32, #ascend.space<l0c>>, %b: memref<2048xi8, #ascend.space<l0a>>, %c: memref<2048xi8, #ascend.space<l0b>>, %n: index, %i: i1) {
  // expected-error@below {{has no product of 'i8' in 'f32'}}
  ascend.mmad %a, %b, %c m(%n) n(%n) k(%n) init(%i) : memref<1024xf32, #ascend.space<l0c>>, memref<2048xi8, #ascend.space<l0a>>, memref<2048xi8, #ascend.space<l0b>>
  return
}

// -----

func.func @f(%a: memref<1024xi32, #ascend.space<l0c>>, %b: memref<2048xi16, #ascend.space<l0a>>, %c: memref<2048xi16, #ascend.space<l0b>>, %n: index, %i: i1) {
  // expected-error@below {{has no product of 'i16' in 'i32'}}
  ascend.mmad %a, %b, %c m(%n) n(%n) k(%n) init(%i) : memref<1024xi32, #ascend.space<l0c>>, memref<2048xi16, #ascend.space<l0a>>, memref<2048xi16, #ascend.space<l0b>>
  return
}

// -----

func.func @f(%a: memref<1024xf32, #ascend.space<l0c>>, %b: memref<2048xf16, #ascend.space<l0a>>, %c: memref<2048xf16, #ascend.space<l0b>>, %n: index, %i: i1) {
  %c4096 = arith.constant 4096 : index
  // expected-error@below {{has 4096 rows; 0 to 4095 are possible}}
  ascend.mmad %a, %b, %c m(%c4096) n(%n) k(%n) init(%i) : memref<1024xf32, #ascend.space<l0c>>, memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l0b>>
  return
}

// -----

func.func @f(%a: memref<1024xf32, #ascend.space<l0c>>, %b: memref<2048xf16, #ascend.space<l0a>>, %c: memref<2048xf16, #ascend.space<l0b>>, %n: index, %i: i1) {
  %c4096 = arith.constant 4096 : index
  // expected-error@below {{has 4096 columns; 0 to 4095 are possible}}
  ascend.mmad %a, %b, %c m(%n) n(%c4096) k(%n) init(%i) : memref<1024xf32, #ascend.space<l0c>>, memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l0b>>
  return
}

// -----

func.func @f(%a: memref<1024xf32, #ascend.space<l0c>>, %b: memref<2048xf16, #ascend.space<l0a>>, %c: memref<2048xf16, #ascend.space<l0b>>, %n: index, %i: i1) {
  %c4096 = arith.constant 4096 : index
  // expected-error@below {{has 4096 elements in a sum; 0 to 4095 are possible}}
  ascend.mmad %a, %b, %c m(%n) n(%n) k(%c4096) init(%i) : memref<1024xf32, #ascend.space<l0c>>, memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l0b>>
  return
}

// -----

func.func @f(%a: memref<1024xf32, #ascend.space<l0c>>, %b: memref<2048xf16, #ascend.space<l0a>>, %c: memref<2048xf16, #ascend.space<l0b>>, %n: index, %i: i1) {
  %c1 = arith.constant 1 : index
  // expected-error@below {{has one row, for which the chip takes another layout; pad m}}
  ascend.mmad %a, %b, %c m(%c1) n(%n) k(%n) init(%i) : memref<1024xf32, #ascend.space<l0c>>, memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l0b>>
  return
}

// -----

func.func @f(%a: memref<1024xf32, #ascend.space<l0c>>, %b: memref<2048xf16, #ascend.space<l0a>>, %c: memref<2048xf16, #ascend.space<l0b>>, %t: memref<2048xf32, #ascend.space<l1>>, %n: index, %i: i1) {
  // expected-error@below {{needs its bias as a one-dimensional memref in bt, not}}
  ascend.mmad %a, %b, %c bias(%t : memref<2048xf32, #ascend.space<l1>>) m(%n) n(%n) k(%n) init(%i) : memref<1024xf32, #ascend.space<l0c>>, memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l0b>>
  return
}

// -----

func.func @f(%a: memref<1024xf32, #ascend.space<l0c>>, %b: memref<2048xf16, #ascend.space<l0a>>, %c: memref<2048xf16, #ascend.space<l0b>>, %t: memref<256xi32, #ascend.space<bt>>, %n: index, %i: i1) {
  // expected-error@below {{mixes 'f32' and 'i32'}}
  ascend.mmad %a, %b, %c bias(%t : memref<256xi32, #ascend.space<bt>>) m(%n) n(%n) k(%n) init(%i) : memref<1024xf32, #ascend.space<l0c>>, memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l0b>>
  return
}

// -----

func.func @f(%a: memref<512xf16, #ascend.space<ub>>, %b: memref<1024xf32, #ascend.space<l0c>>, %n: index, %i: i1) {
  // expected-error@below {{needs its destination as a one-dimensional memref in gm, not}}
  ascend.fix_out %a, %b rows(%n) cols(%n) dst_pitch(%n) src_rows 16 : memref<512xf16, #ascend.space<ub>>, memref<1024xf32, #ascend.space<l0c>>
  return
}

// -----

func.func @f(%a: memref<?xf16, #ascend.space<gm>>, %b: memref<2048xf16, #ascend.space<l0a>>, %n: index, %i: i1) {
  // expected-error@below {{needs its source as a one-dimensional memref in l0c, not}}
  ascend.fix_out %a, %b rows(%n) cols(%n) dst_pitch(%n) src_rows 16 : memref<?xf16, #ascend.space<gm>>, memref<2048xf16, #ascend.space<l0a>>
  return
}

// -----

func.func @f(%a: memref<?xf16, #ascend.space<gm>>, %b: memref<1024xf32, #ascend.space<l0c>>, %n: index, %i: i1) {
  // expected-error@below {{has src_rows 20; it must be a multiple of 16 up to 16384}}
  ascend.fix_out %a, %b rows(%n) cols(%n) dst_pitch(%n) src_rows 20 : memref<?xf16, #ascend.space<gm>>, memref<1024xf32, #ascend.space<l0c>>
  return
}

// -----

func.func @f(%a: memref<?xf16, #ascend.space<gm>>, %b: memref<1024xf32, #ascend.space<l0c>>, %n: index, %i: i1) {
  %c20 = arith.constant 20 : index
  // expected-error@below {{has computed rows 20; it must be a multiple of 16 up to 16384}}
  ascend.fix_out %a, %b rows(%n) cols(%n) dst_pitch(%n) src_rows 32 computed(%c20) : memref<?xf16, #ascend.space<gm>>, memref<1024xf32, #ascend.space<l0c>>
  return
}

// -----

func.func @f(%a: memref<?xf16, #ascend.space<gm>>, %b: memref<1024xf32, #ascend.space<l0c>>, %n: index, %i: i1) {
  %c48 = arith.constant 48 : index
  // expected-error@below {{has 48 computed rows, and room for 32}}
  ascend.fix_out %a, %b rows(%n) cols(%n) dst_pitch(%n) src_rows 32 computed(%c48) : memref<?xf16, #ascend.space<gm>>, memref<1024xf32, #ascend.space<l0c>>
  return
}

// -----

func.func @f(%a: memref<?xf16, #ascend.space<gm>>, %b: memref<1024xf32, #ascend.space<l0c>>, %n: index, %i: i1) {
  %c8193 = arith.constant 8193 : index
  // expected-error@below {{has 8193 rows; 0 to 8192 are possible}}
  ascend.fix_out %a, %b rows(%c8193) cols(%n) dst_pitch(%n) src_rows 16 : memref<?xf16, #ascend.space<gm>>, memref<1024xf32, #ascend.space<l0c>>
  return
}

// -----

func.func @f(%a: memref<?xf16, #ascend.space<gm>>, %b: memref<1024xf32, #ascend.space<l0c>>, %n: index, %i: i1) {
  %c65536 = arith.constant 65536 : index
  // expected-error@below {{has 65536 rows; 0 to 65535 are possible}}
  ascend.fix_out %a, %b rows(%c65536) cols(%n) dst_pitch(%n) src_rows 16 nz : memref<?xf16, #ascend.space<gm>>, memref<1024xf32, #ascend.space<l0c>>
  return
}

// -----

func.func @f(%a: memref<?xf16, #ascend.space<gm>>, %b: memref<1024xf32, #ascend.space<l0c>>, %n: index, %i: i1) {
  %c4096 = arith.constant 4096 : index
  // expected-error@below {{has 4096 columns; 0 to 4095 are possible}}
  ascend.fix_out %a, %b rows(%n) cols(%c4096) dst_pitch(%n) src_rows 16 : memref<?xf16, #ascend.space<gm>>, memref<1024xf32, #ascend.space<l0c>>
  return
}

// -----

func.func @f(%a: memref<?xi8, #ascend.space<gm>>, %b: memref<1024xf32, #ascend.space<l0c>>, %n: index, %i: i1) {
  // expected-error@below {{cannot turn 'f32' into 'i8' without a scale}}
  ascend.fix_out %a, %b rows(%n) cols(%n) dst_pitch(%n) src_rows 16 : memref<?xi8, #ascend.space<gm>>, memref<1024xf32, #ascend.space<l0c>>
  return
}

// -----

func.func @f(%a: memref<?xf16, #ascend.space<gm>>, %b: memref<1024xf32, #ascend.space<l0c>>, %n: index, %i: i1) {
  // expected-error@below {{cannot turn 'f32' into 'f16' with a scale}}
  ascend.fix_out %a, %b rows(%n) cols(%n) dst_pitch(%n) src_rows 16 scale 2.000000e+00 : memref<?xf16, #ascend.space<gm>>, memref<1024xf32, #ascend.space<l0c>>
  return
}

// -----

func.func @f(%a: memref<?xf16, #ascend.space<gm>>, %b: memref<1024xi32, #ascend.space<l0c>>, %n: index, %i: i1) {
  // expected-error@below {{cannot turn 'i32' into 'f16' without a scale}}
  ascend.fix_out %a, %b rows(%n) cols(%n) dst_pitch(%n) src_rows 16 : memref<?xf16, #ascend.space<gm>>, memref<1024xi32, #ascend.space<l0c>>
  return
}

// -----

func.func @f(%a: memref<2048xf16, #ascend.space<l1>>, %b: memref<1024xf32, #ascend.space<l0c>>, %n: index, %i: i1) {
  // expected-error@below {{to l1 makes fractals of narrow elements only}}
  ascend.fix_out %a, %b rows(%n) cols(%n) dst_pitch(%n) src_rows 16 : memref<2048xf16, #ascend.space<l1>>, memref<1024xf32, #ascend.space<l0c>>
  return
}

// -----

func.func @f(%a: memref<2048xf32, #ascend.space<l1>>, %b: memref<1024xf32, #ascend.space<l0c>>, %n: index, %i: i1) {
  // expected-error@below {{to l1 makes fractals of narrow elements only}}
  ascend.fix_out %a, %b rows(%n) cols(%n) dst_pitch(%n) src_rows 16 nz : memref<2048xf32, #ascend.space<l1>>, memref<1024xf32, #ascend.space<l0c>>
  return
}

// -----

func.func @f(%a: memref<?xf32, #ascend.space<gm>>, %b: memref<1024xf32, #ascend.space<l0c>>, %n: index, %i: i1) {
  // expected-error@below {{makes fractals of 16-bit elements only}}
  ascend.fix_out %a, %b rows(%n) cols(%n) dst_pitch(%n) src_rows 16 nz : memref<?xf32, #ascend.space<gm>>, memref<1024xf32, #ascend.space<l0c>>
  return
}

// -----

func.func @f(%a: memref<1024xf32, #ascend.space<l0c>>, %b: memref<2048xf16, #ascend.space<l0a>>, %c: memref<2048xf16, #ascend.space<l1>>, %d: memref<2048xf16, #ascend.space<l0a>>, %e: memref<2048xf16, #ascend.space<l0b>>, %n: index, %i: i1) {
  // expected-error@below {{needs its left operand as a one-dimensional memref in l1, not}}
  ascend.matmul %a, %b, %c, %d, %e m(%n) n(%n) k(%n) init(%i) rows [16, 16] : memref<1024xf32, #ascend.space<l0c>>, memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l1>>, memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l0b>>
  return
}

// -----

func.func @f(%a: memref<1024xf32, #ascend.space<l0c>>, %b: memref<2048xf16, #ascend.space<l1>>, %c: memref<2048xf16, #ascend.space<l1>>, %d: memref<2048xf16, #ascend.space<l0b>>, %e: memref<2048xf16, #ascend.space<l0b>>, %n: index, %i: i1) {
  // expected-error@below {{needs its left scratch as a one-dimensional memref in l0a, not}}
  ascend.matmul %a, %b, %c, %d, %e m(%n) n(%n) k(%n) init(%i) rows [16, 16] : memref<1024xf32, #ascend.space<l0c>>, memref<2048xf16, #ascend.space<l1>>, memref<2048xf16, #ascend.space<l1>>, memref<2048xf16, #ascend.space<l0b>>, memref<2048xf16, #ascend.space<l0b>>
  return
}

// -----

func.func @f(%a: memref<1024xf32, #ascend.space<l0c>>, %b: memref<2048xf16, #ascend.space<l1>>, %c: memref<2048xf16, #ascend.space<l1>>, %d: memref<2048xf16, #ascend.space<l0a>>, %e: memref<2048xf16, #ascend.space<l0a>>, %n: index, %i: i1) {
  // expected-error@below {{needs its right scratch as a one-dimensional memref in l0b, not}}
  ascend.matmul %a, %b, %c, %d, %e m(%n) n(%n) k(%n) init(%i) rows [16, 16] : memref<1024xf32, #ascend.space<l0c>>, memref<2048xf16, #ascend.space<l1>>, memref<2048xf16, #ascend.space<l1>>, memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l0a>>
  return
}

// -----

func.func @f(%a: memref<1024xf32, #ascend.space<l0c>>, %b: memref<2048xf16, #ascend.space<l1>>, %c: memref<2048xf16, #ascend.space<l1>>, %d: memref<2048xi8, #ascend.space<l0a>>, %e: memref<2048xf16, #ascend.space<l0b>>, %n: index, %i: i1) {
  // expected-error@below {{mixes 'f16' and 'i8'}}
  ascend.matmul %a, %b, %c, %d, %e m(%n) n(%n) k(%n) init(%i) rows [16, 16] : memref<1024xf32, #ascend.space<l0c>>, memref<2048xf16, #ascend.space<l1>>, memref<2048xf16, #ascend.space<l1>>, memref<2048xi8, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l0b>>
  return
}

// -----

func.func @f(%a: memref<1024xf32, #ascend.space<l0c>>, %b: memref<2048xf16, #ascend.space<l1>>, %c: memref<2048xf16, #ascend.space<l1>>, %d: memref<2048xf16, #ascend.space<l0a>>, %e: memref<2048xf16, #ascend.space<l0b>>, %n: index, %i: i1) {
  // expected-error@below {{needs the rows that column blocks of both operands have room for}}
  ascend.matmul %a, %b, %c, %d, %e m(%n) n(%n) k(%n) init(%i) rows [16] : memref<1024xf32, #ascend.space<l0c>>, memref<2048xf16, #ascend.space<l1>>, memref<2048xf16, #ascend.space<l1>>, memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l0b>>
  return
}

// -----

func.func @f(%a: memref<1024xf32, #ascend.space<l0c>>, %b: memref<2048xf16, #ascend.space<l1>>, %c: memref<2048xf16, #ascend.space<l1>>, %d: memref<2048xf16, #ascend.space<l0a>>, %e: memref<2048xf16, #ascend.space<l0b>>, %n: index, %i: i1) {
  // expected-error@below {{has rows 8; it must be a multiple of 16 up to 16384}}
  ascend.matmul %a, %b, %c, %d, %e m(%n) n(%n) k(%n) init(%i) rows [16, 8] : memref<1024xf32, #ascend.space<l0c>>, memref<2048xf16, #ascend.space<l1>>, memref<2048xf16, #ascend.space<l1>>, memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l0b>>
  return
}

// -----

func.func @f(%a: memref<1024xf32, #ascend.space<l0c>>, %b: memref<2048xf16, #ascend.space<l1>>, %c: memref<2048xf16, #ascend.space<l1>>, %d: memref<2048xf16, #ascend.space<l0a>>, %e: memref<2048xf16, #ascend.space<l0b>>, %n: index, %i: i1) {
  %c4096 = arith.constant 4096 : index
  // expected-error@below {{has 4096 rows; 0 to 4095 are possible}}
  ascend.matmul %a, %b, %c, %d, %e m(%c4096) n(%n) k(%n) init(%i) rows [16, 16] : memref<1024xf32, #ascend.space<l0c>>, memref<2048xf16, #ascend.space<l1>>, memref<2048xf16, #ascend.space<l1>>, memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l0b>>
  return
}

// -----

func.func @f(%a: memref<1024xf32, #ascend.space<l0c>>, %b: memref<2048xf16, #ascend.space<l1>>, %c: memref<2048xf16, #ascend.space<l1>>, %d: memref<2048xf16, #ascend.space<l0a>>, %e: memref<2048xf16, #ascend.space<l0b>>, %n: index, %i: i1) {
  %c4096 = arith.constant 4096 : index
  // expected-error@below {{has 4096 columns; 0 to 4095 are possible}}
  ascend.matmul %a, %b, %c, %d, %e m(%n) n(%c4096) k(%n) init(%i) rows [16, 16] : memref<1024xf32, #ascend.space<l0c>>, memref<2048xf16, #ascend.space<l1>>, memref<2048xf16, #ascend.space<l1>>, memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l0b>>
  return
}

// -----

func.func @f(%a: memref<1024xf32, #ascend.space<l0c>>, %b: memref<2048xf16, #ascend.space<l1>>, %c: memref<2048xf16, #ascend.space<l1>>, %d: memref<2048xf16, #ascend.space<l0a>>, %e: memref<2048xf16, #ascend.space<l0b>>, %n: index, %i: i1) {
  %cm1 = arith.constant -1 : index
  // expected-error@below {{has -1 elements in a sum; 0 to}}
  ascend.matmul %a, %b, %c, %d, %e m(%n) n(%n) k(%cm1) init(%i) rows [16, 16] : memref<1024xf32, #ascend.space<l0c>>, memref<2048xf16, #ascend.space<l1>>, memref<2048xf16, #ascend.space<l1>>, memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l0b>>
  return
}
