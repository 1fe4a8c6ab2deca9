// RUN: not attn-sim %s --kernel=nd_to_nz --arg=iota:40x64xf16 --arg=i64:16385 --arg=i64:64 --arg=i64:64 2>&1 | FileCheck %s --check-prefix=ND-ROWS
// RUN: not attn-sim %s --kernel=nd_to_nz --arg=iota:40x64xf16 --arg=i64:-1 --arg=i64:64 --arg=i64:64 2>&1 | FileCheck %s --check-prefix=ND-NEGATIVE
// RUN: not attn-sim %s --kernel=nd_to_nz --arg=iota:40x64xf16 --arg=i64:2 --arg=i64:65536 --arg=i64:64 2>&1 | FileCheck %s --check-prefix=ND-COLS
// RUN: not attn-sim %s --kernel=nd_to_nz --arg=iota:2x64xf16@65536,1 --arg=i64:2 --arg=i64:64 --arg=i64:65536 2>&1 | FileCheck %s --check-prefix=ND-PITCH
// RUN: attn-sim %s --kernel=nd_to_nz --arg=iota:2x64xf16@65536,1 --arg=i64:1 --arg=i64:64 --arg=i64:65536 | FileCheck %s --check-prefix=CLEAN
// RUN: not attn-sim %s --kernel=nd_to_nz --arg=iota:40x64xf16 --arg=i64:33 --arg=i64:17 --arg=i64:64 2>&1 | FileCheck %s --check-prefix=ND-ROOM
// RUN: attn-sim %s --kernel=nd_to_nz --arg=iota:40x64xf16 --arg=i64:33 --arg=i64:16 --arg=i64:64 | FileCheck %s --check-prefix=CLEAN
// RUN: not attn-sim %s --kernel=nd_to_nz --arg=iota:40x64xf16 --arg=i64:2 --arg=i64:65 --arg=i64:64 2>&1 | FileCheck %s --check-prefix=ND-ARRAY
// RUN: not attn-sim %s --kernel=nd_to_nz --arg=iota:40x80xf16 --arg=i64:2 --arg=i64:80 --arg=i64:80 2>&1 | FileCheck %s --check-prefix=ND-BUFFER
// RUN: attn-sim %s --kernel=nd_to_nz --arg=iota:40x64xf16 --arg=i64:0 --arg=i64:64 --arg=i64:64 | FileCheck %s --check-prefix=CLEAN
// RUN: attn-sim %s --kernel=nd_to_nz --arg=iota:40x64xf16 --arg=i64:3 --arg=i64:0 --arg=i64:64 | FileCheck %s --check-prefix=CLEAN
// RUN: not attn-sim %s --kernel=fill --arg=i64:32768 --arg=i64:1 2>&1 | FileCheck %s --check-prefix=FILL-TIMES
// RUN: not attn-sim %s --kernel=fill --arg=i64:1 --arg=i64:32768 2>&1 | FileCheck %s --check-prefix=FILL-BLOCKS
// RUN: not attn-sim %s --kernel=fill --arg=i64:2 --arg=i64:5 2>&1 | FileCheck %s --check-prefix=FILL-GAP
// RUN: not attn-sim %s --kernel=fill --arg=i64:40 --arg=i64:4 2>&1 | FileCheck %s --check-prefix=FILL-BUFFER
// RUN: attn-sim %s --kernel=fill --arg=i64:0 --arg=i64:4 | FileCheck %s --check-prefix=CLEAN
// RUN: not attn-sim %s --kernel=load_fractals --arg=i64:256 2>&1 | FileCheck %s --check-prefix=FRACTALS
// RUN: not attn-sim %s --kernel=load_fractals --arg=i64:9 2>&1 | FileCheck %s --check-prefix=FRACTALS-BUFFER
// RUN: attn-sim %s --kernel=load_fractals --arg=i64:8 | FileCheck %s --check-prefix=CLEAN
// RUN: not attn-sim %s --kernel=load_tile --arg=i64:24 --arg=i64:16 2>&1 | FileCheck %s --check-prefix=TILE-ROWS
// RUN: not attn-sim %s --kernel=load_tile --arg=i64:16 --arg=i64:4 2>&1 | FileCheck %s --check-prefix=TILE-COLS
// RUN: not attn-sim %s --kernel=load_tile --arg=i64:16 --arg=i64:-8 2>&1 | FileCheck %s --check-prefix=TILE-NEGATIVE
// RUN: not attn-sim %s --kernel=load_tile --arg=i64:48 --arg=i64:16 2>&1 | FileCheck %s --check-prefix=TILE-ROOM
// RUN: not attn-sim %s --kernel=load_tile --arg=i64:32 --arg=i64:72 2>&1 | FileCheck %s --check-prefix=TILE-BUFFER
// RUN: attn-sim %s --kernel=load_tile --arg=i64:32 --arg=i64:8 | FileCheck %s --check-prefix=CLEAN
// RUN: not attn-sim %s --kernel=load_tile_right --arg=i64:32 --arg=i64:8 2>&1 | FileCheck %s --check-prefix=TILE-RIGHT
// RUN: not attn-sim %s --kernel=load_squares --arg=i64:256 2>&1 | FileCheck %s --check-prefix=SQUARES
// RUN: not attn-sim %s --kernel=load_squares --arg=i64:3 2>&1 | FileCheck %s --check-prefix=SQUARES-BUFFER
// RUN: attn-sim %s --kernel=load_squares --arg=i64:2 | FileCheck %s --check-prefix=CLEAN
// RUN: not attn-sim %s --kernel=load_bias --arg=i64:24 2>&1 | FileCheck %s --check-prefix=BIAS
// RUN: not attn-sim %s --kernel=load_bias --arg=i64:272 2>&1 | FileCheck %s --check-prefix=BIAS-BUFFER
// RUN: not attn-sim %s --kernel=mmad --arg=i64:4096 --arg=i64:16 --arg=i64:16 2>&1 | FileCheck %s --check-prefix=MMAD-M
// RUN: not attn-sim %s --kernel=mmad --arg=i64:16 --arg=i64:4096 --arg=i64:16 2>&1 | FileCheck %s --check-prefix=MMAD-N
// RUN: not attn-sim %s --kernel=mmad --arg=i64:16 --arg=i64:16 --arg=i64:4096 2>&1 | FileCheck %s --check-prefix=MMAD-K
// RUN: not attn-sim %s --kernel=mmad --arg=i64:1 --arg=i64:16 --arg=i64:16 2>&1 | FileCheck %s --check-prefix=MMAD-ONE
// RUN: not attn-sim %s --kernel=mmad --arg=i64:32 --arg=i64:16 --arg=i64:65 2>&1 | FileCheck %s --check-prefix=MMAD-LEFT
// RUN: not attn-sim %s --kernel=mmad --arg=i64:16 --arg=i64:80 --arg=i64:32 2>&1 | FileCheck %s --check-prefix=MMAD-RIGHT
// RUN: not attn-sim %s --kernel=mmad --arg=i64:33 --arg=i64:32 --arg=i64:16 2>&1 | FileCheck %s --check-prefix=MMAD-SUMS
// RUN: attn-sim %s --kernel=mmad --arg=i64:0 --arg=i64:16 --arg=i64:16 | FileCheck %s --check-prefix=CLEAN
// RUN: not attn-sim %s --kernel=matmul --arg=i64:1 --arg=i64:16 --arg=i64:16 2>&1 | FileCheck %s --check-prefix=MATMUL-ONE
// RUN: not attn-sim %s --kernel=matmul --arg=i64:33 --arg=i64:16 --arg=i64:32 2>&1 | FileCheck %s --check-prefix=MATMUL-ROOM
// RUN: not attn-sim %s --kernel=matmul --arg=i64:16 --arg=i64:16 --arg=i64:80 2>&1 | FileCheck %s --check-prefix=MATMUL-LEFT
// RUN: not attn-sim %s --kernel=matmul --arg=i64:16 --arg=i64:16 --arg=i64:600000 2>&1 | FileCheck %s --check-prefix=MATMUL-K
// RUN: attn-sim %s --kernel=matmul --arg=i64:16 --arg=i64:16 --arg=i64:0 | FileCheck %s --check-prefix=CLEAN
// RUN: not attn-sim %s --kernel=fix_out --arg=undef:32x16xf32 --arg=i64:8193 --arg=i64:16 --arg=i64:16 2>&1 | FileCheck %s --check-prefix=FIX-ROWS
// RUN: not attn-sim %s --kernel=fix_out --arg=undef:32x16xf32 --arg=i64:16 --arg=i64:4096 --arg=i64:16 2>&1 | FileCheck %s --check-prefix=FIX-COLS
// RUN: not attn-sim %s --kernel=fix_out --arg=undef:32x16xf32 --arg=i64:16 --arg=i64:16 --arg=i64:4294967296 2>&1 | FileCheck %s --check-prefix=FIX-PITCH
// RUN: not attn-sim %s --kernel=fix_out --arg=undef:32x16xf32 --arg=i64:16 --arg=i64:16 --arg=i64:15 2>&1 | FileCheck %s --check-prefix=FIX-OVERLAP
// RUN: not attn-sim %s --kernel=fix_out --arg=undef:80x32xf32 --arg=i64:33 --arg=i64:32 --arg=i64:32 2>&1 | FileCheck %s --check-prefix=FIX-ROOM
// RUN: not attn-sim %s --kernel=fix_out --arg=undef:32x16xf32 --arg=i64:16 --arg=i64:17 --arg=i64:17 2>&1 | FileCheck %s --check-prefix=FIX-ARRAY
// RUN: not attn-sim %s --kernel=fix_out --arg=undef:32x48xf32 --arg=i64:32 --arg=i64:48 --arg=i64:48 2>&1 | FileCheck %s --check-prefix=FIX-BUFFER
// RUN: not attn-sim %s --kernel=fix_out_nz --arg=i64:16 --arg=i64:24 --arg=i64:16 2>&1 | FileCheck %s --check-prefix=FIX-NZ-COLS
// RUN: not attn-sim %s --kernel=fix_out_nz --arg=i64:32 --arg=i64:32 --arg=i64:16 2>&1 | FileCheck %s --check-prefix=FIX-NZ-OVERLAP
// RUN: not attn-sim %s --kernel=fix_out_nz --arg=i64:65536 --arg=i64:32 --arg=i64:16 2>&1 | FileCheck %s --check-prefix=FIX-NZ-ROWS
// RUN: not attn-sim %s --kernel=fix_out_nz --arg=i64:32 --arg=i64:32 --arg=i64:-1 2>&1 | FileCheck %s --check-prefix=FIX-NZ-PITCH
// RUN: not attn-sim %s --kernel=fix_out_nz --arg=i64:32 --arg=i64:32 --arg=i64:64 2>&1 | FileCheck %s --check-prefix=FIX-NZ-BUFFER

// Numbers that the instructions of a cube core cannot take, and memory that they must not touch.
!rows = memref<?x?xf16, strided<[?, 1]>, #ascend.space<gm>>
!gm = memref<?xf16, #ascend.space<gm>>
!l1 = memref<2048xf16, #ascend.space<l1>>
!l1_f32 = memref<2048xf32, #ascend.space<l1>>
!l1_i8 = memref<4096xi8, #ascend.space<l1>>
!l0a = memref<2048xf16, #ascend.space<l0a>>
!l0a_f32 = memref<2048xf32, #ascend.space<l0a>>
!l0b = memref<2048xf16, #ascend.space<l0b>>
!l0b_f32 = memref<2048xf32, #ascend.space<l0b>>
!l0b_i8 = memref<2048xi8, #ascend.space<l0b>>
!l0c = memref<1024xf32, #ascend.space<l0c>>
!bt = memref<256xf32, #ascend.space<bt>>
!result = memref<?x?xf32, strided<[?, 1]>, #ascend.space<gm>>
!gm_f32 = memref<?xf32, #ascend.space<gm>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// CLEAN: hazards: 0

// ND-ROWS: error: limit: nd_to_nz has 16385 rows; 0 to 16384 are possible [block 0, pipe mte2]
// ND-NEGATIVE: error: limit: nd_to_nz has -1 rows; 0 to 16384 are possible
// ND-COLS: error: limit: nd_to_nz has 65536 columns; 0 to 65535 are possible
// ND-PITCH: error: limit: nd_to_nz has rows 65536 elements apart in gm; 1 to 65535 are possible
// ND-ROOM: error: overlap: nd_to_nz has 33 rows in column blocks that have room for 32
// ND-ARRAY: error: out of bounds: nd_to_nz moves 2 rows of 65 elements, 64 apart, at [0, 0] of array "argument 0" of shape 40x64
// ND-BUFFER: error: out of bounds: nd_to_nz writes bytes 4096 to 4159 of buffer "d" in l1, which has 4096
func.func @nd_to_nz(%x: !rows, %r: index, %c: index, %pitch: index)
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %d = ascend.alloc "d" at 0 : !l1
  %xp = ascend.address %x[%c0, %c0] : !rows -> !gm
  ascend.nd_to_nz %d, %xp rows(%r) cols(%c) src_pitch(%pitch) dst_rows 32 : !l1, !gm
  ascend.barrier all
  return
}

// FILL-TIMES: error: limit: fill has 32768 times; 0 to 32767 are possible [block 0, pipe mte2]
// FILL-BLOCKS: error: limit: fill has 32768 blocks; 0 to 32767 are possible
// FILL-GAP: error: limit: fill leaves a gap of -1 blocks from one time to the next; 0 to 32767 are possible
// FILL-BUFFER: error: out of bounds: fill writes bytes 0 to 5119 of buffer "d" in l1, which has 4096
func.func @fill(%times: index, %blocks: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %zero = arith.constant 0.0 : f16
  %d = ascend.alloc "d" at 0 : !l1
  ascend.fill %d, %zero repeat(%times) blocks(%blocks) pitch 4 : !l1, f16
  ascend.barrier all
  return
}

// FRACTALS: error: limit: load_fractals has 256 repeats; at most 255 are possible [block 0, pipe mte1]
// FRACTALS-BUFFER: error: out of bounds: load_fractals writes bytes 0 to 4607 of buffer "d" in l0a, which has 4096
func.func @load_fractals(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %s = ascend.alloc "s" at 0 : !l1
  %d = ascend.alloc "d" at 0 : !l0a
  ascend.load_fractals %d, %s repeat(%n) strides [1, 1] : !l0a, !l1
  ascend.barrier all
  return
}

// TILE-ROWS: error: limit: load_tile takes 24 rows of 16 elements; only multiples of 16 and 8 are possible [block 0, pipe mte1]
// TILE-COLS: error: limit: load_tile takes 16 rows of 4 elements; only multiples of 16 and 8 are possible
// TILE-NEGATIVE: error: limit: load_tile has a negative number of columns, -8
// TILE-ROOM: error: overlap: load_tile has 48 rows in column blocks that have room for 32
// TILE-BUFFER: error: out of bounds: load_tile reads bytes 0 to 9215 of buffer "s" in l1, which has 8192
func.func @load_tile(%r: index, %c: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %s = ascend.alloc "s" at 0 : !l1_f32
  %d = ascend.alloc "d" at 0 : !l0a_f32
  ascend.load_tile %d, %s rows(%r) cols(%c) src_rows 32 : !l0a_f32, !l1_f32
  ascend.barrier all
  return
}

// What is turned over comes in squares of 16 by 16.
// TILE-RIGHT: error: limit: load_tile takes 32 rows of 8 elements; only multiples of 16 and 16 are possible
func.func @load_tile_right(%r: index, %c: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %s = ascend.alloc "s" at 0 : !l1_f32
  %d = ascend.alloc "d" at 0 : !l0b_f32
  ascend.load_tile %d, %s rows(%r) cols(%c) src_rows 32 : !l0b_f32, !l1_f32
  ascend.barrier all
  return
}

// SQUARES: error: limit: load_squares has 256 repeats; at most 255 are possible [block 0, pipe mte1]
// SQUARES-BUFFER: error: out of bounds: load_squares writes bytes 2048 to 2559 of buffer "d" in l0b, which has 2048
func.func @load_squares(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %s = ascend.alloc "s" at 0 : !l1_i8
  %d = ascend.alloc "d" at 0 : !l0b_i8
  ascend.load_squares %d, %s repeat(%n) strides [2, 1, 1] : !l0b_i8, !l1_i8
  ascend.barrier all
  return
}

// BIAS: error: limit: load_bias moves 96 bytes; only whole blocks of 64 go to bt [block 0, pipe mte1]
// BIAS-BUFFER: error: out of bounds: load_bias writes bytes 0 to 1087 of buffer "d" in bt, which has 1024
func.func @load_bias(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %s = ascend.alloc "s" at 0 : !l1_f32
  %d = ascend.alloc "d" at 0 : !bt
  ascend.load_bias %d, %s count(%n) : !bt, !l1_f32
  ascend.barrier all
  return
}

// MMAD-M: error: limit: mmad has 4096 rows; 0 to 4095 are possible [block 0, pipe m]
// MMAD-N: error: limit: mmad has 4096 columns; 0 to 4095 are possible
// MMAD-K: error: limit: mmad has 4096 elements in a sum; 0 to 4095 are possible
// MMAD-ONE: error: limit: mmad has one row, for which the chip takes another layout of its operands
// MMAD-LEFT: error: out of bounds: mmad reads bytes 0 to 5119 of buffer "a" in l0a, which has 4096
// MMAD-RIGHT: error: out of bounds: mmad reads bytes 0 to 5119 of buffer "b" in l0b, which has 4096
// MMAD-SUMS: error: out of bounds: mmad writes bytes 0 to 6143 of buffer "c" in l0c, which has 4096
func.func @mmad(%m: index, %n: index, %k: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %init = arith.constant true
  %a = ascend.alloc "a" at 0 : !l0a
  %b = ascend.alloc "b" at 0 : !l0b
  %c = ascend.alloc "c" at 0 : !l0c
  ascend.mmad %c, %a, %b m(%m) n(%n) k(%k) init(%init) : !l0c, !l0a, !l0b
  ascend.barrier all
  return
}

// MATMUL-ONE: error: limit: matmul has one row, for which the chip takes another layout of its operands [block 0, pipe m]
// MATMUL-ROOM: error: overlap: matmul has 33 rows in column blocks that have room for 32
// MATMUL-LEFT: error: out of bounds: matmul reads bytes 4096 to 4607 of buffer "a" in l1, which has 4096
// MATMUL-K: error: limit: matmul has 600000 elements in a sum; 0 to 524032 are possible
func.func @matmul(%m: index, %n: index, %k: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %init = arith.constant true
  %a = ascend.alloc "a" at 0 : !l1
  %b = ascend.alloc "b" at 4096 : !l1
  %ta = ascend.alloc "ta" at 0 : !l0a
  %tb = ascend.alloc "tb" at 0 : !l0b
  %c = ascend.alloc "c" at 0 : !l0c
  ascend.matmul %c, %a, %b, %ta, %tb m(%m) n(%n) k(%k) init(%init) rows [32, 128] : !l0c, !l1, !l1, !l0a, !l0b
  ascend.barrier all
  return
}

// FIX-ROWS: error: limit: fix_out has 8193 rows; 0 to 8192 are possible [block 0, pipe fix]
// FIX-COLS: error: limit: fix_out has 4096 columns; 0 to 4095 are possible
// FIX-PITCH: error: limit: fix_out has 4294967296 elements of pitch; 0 to 4294967295 are possible
// FIX-OVERLAP: error: overlap: fix_out makes rows of 16 elements at a pitch of 15
// FIX-ROOM: error: overlap: fix_out has 33 rows in column blocks that have room for 32
// FIX-ARRAY: error: out of bounds: fix_out moves 16 rows of 17 elements, 17 apart, at [0, 0] of array "argument 0" of shape 32x16
// FIX-BUFFER: error: out of bounds: fix_out reads bytes 0 to 6143 of buffer "c" in l0c, which has 4096
func.func @fix_out(%o: !result {launch.output}, %m: index, %n: index, %pitch: index)
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c = ascend.alloc "c" at 0 : !l0c
  %op = ascend.address %o[%c0, %c0] : !result -> !gm_f32
  ascend.fix_out %op, %c rows(%m) cols(%n) dst_pitch(%pitch) src_rows 32 : !gm_f32, !l0c
  ascend.barrier all
  return
}

// FIX-NZ-COLS: error: limit: fix_out makes fractals of 24 columns; only multiples of 16 are possible
// FIX-NZ-OVERLAP: error: overlap: fix_out makes column blocks of 32 rows at a pitch of 16
// FIX-NZ-ROWS: error: limit: fix_out has 65536 rows; 0 to 65535 are possible
// FIX-NZ-PITCH: error: limit: fix_out has -1 rows of pitch; 0 to 4294967295 are possible
// FIX-NZ-BUFFER: error: out of bounds: fix_out writes bytes 2048 to 3071 of buffer "d" in l1, which has 2048
func.func @fix_out_nz(%m: index, %n: index, %pitch: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c = ascend.alloc "c" at 0 : !l0c
  %d = ascend.alloc "d" at 0 : memref<1024xf16, #ascend.space<l1>>
  ascend.fix_out %d, %c rows(%m) cols(%n) dst_pitch(%pitch) src_rows 32 nz : memref<1024xf16, #ascend.space<l1>>, !l0c
  ascend.barrier all
  return
}
}
