// RUN: attn-sim %s --kernel=half --arg=values:1,-2,3,0,2:30x40xf16 --arg=values:2,1,-1,4,0,-3,1:40x20xf16 --arg=undef:30x20xf32 --blocks=2 --print=2 --record=%t | FileCheck %s --check-prefix=HALF
// RUN: FileCheck %s --check-prefix=RECORD < %t
// RUN: attn-sim %s --check-effects --kernel=brain --arg=values:1,-2,3,0,2:30x40xbf16 --arg=values:2,1,-1,4,0,-3,1:20x40xbf16 --arg=undef:30x20xbf16 --print=2 | FileCheck %s --check-prefix=BRAIN
// RUN: attn-sim %s --check-effects --kernel=single --arg=values:1,-2,3,0,2:40x30xf32 --arg=values:2,1,-1,4,0,-3,1:40x20xf32 --arg=undef:16x20xf32 --print=2 | FileCheck %s --check-prefix=SINGLE
// RUN: attn-sim %s --check-effects --kernel=byte --arg=values:1,-2,3,0,2:30x40xi8 --arg=values:2,1,-1,4,0,-3,1:20x40xi8 --arg=undef:30x20xi32 --arg=undef:30x20xi8 --print=2 --print=3 | FileCheck %s --check-prefix=BYTE
// RUN: attn-sim %s --check-effects --kernel=composite --arg=values:1,-2,3,0,2:30x40xf16 --arg=values:2,1,-1,4,0,-3,1:20x40xf16 --arg=values:100,200:1x32xf32 --arg=undef:30x20xf32 --print=3 --record=%t | FileCheck %s --check-prefix=COMPOSITE
// RUN: FileCheck %s --check-prefix=COMPOSITE-RECORD < %t

// A product of whole matrices per element type, each with other ways into L0.
!half = memref<?x?xf16, strided<[?, 1]>, #ascend.space<gm>>
!brain = memref<?x?xbf16, strided<[?, 1]>, #ascend.space<gm>>
!single = memref<?x?xf32, strided<[?, 1]>, #ascend.space<gm>>
!byte = memref<?x?xi8, strided<[?, 1]>, #ascend.space<gm>>
!word = memref<?x?xi32, strided<[?, 1]>, #ascend.space<gm>>
!gm_half = memref<?xf16, #ascend.space<gm>>
!gm_brain = memref<?xbf16, #ascend.space<gm>>
!gm_single = memref<?xf32, #ascend.space<gm>>
!gm_byte = memref<?xi8, #ascend.space<gm>>
!gm_word = memref<?xi32, #ascend.space<gm>>
!l1_half = memref<2048xf16, #ascend.space<l1>>
!l1_half_any = memref<?xf16, #ascend.space<l1>>
!l1_brain = memref<2048xbf16, #ascend.space<l1>>
!l1_single = memref<2048xf32, #ascend.space<l1>>
!l1_byte = memref<2048xi8, #ascend.space<l1>>
!l0a_half = memref<2048xf16, #ascend.space<l0a>>
!l0a_brain = memref<2048xbf16, #ascend.space<l0a>>
!l0a_single = memref<2048xf32, #ascend.space<l0a>>
!l0a_byte = memref<2048xi8, #ascend.space<l0a>>
!l0b_half = memref<2048xf16, #ascend.space<l0b>>
!l0b_brain = memref<2048xbf16, #ascend.space<l0b>>
!l0b_single = memref<2048xf32, #ascend.space<l0b>>
!l0b_byte = memref<2048xi8, #ascend.space<l0b>>
!l0c = memref<2048xf32, #ascend.space<l0c>>
!l0c_word = memref<2048xi32, #ascend.space<l0c>>
!bt = memref<32xf32, #ascend.space<bt>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// Sixteen rows per block, the second has fourteen; k in steps of 16, the last one of 8.
// HALF: blocks: 2 on 2 cores
// HALF: hazards: 0
// HALF: values of argument 2:
// HALF-NEXT: {{^}}  15 16 13 27 9 27 21 15 16 13 27 9 27 21 15 16 13 27 9 27{{$}}
// HALF-NEXT: {{^}}  15 16 13 27 9 27 21 15 16 13 27 9 27 21 15 16 13 27 9 27{{$}}
// HALF-NEXT: {{^}}  15 16 13 27 9 27 21 15 16 13 27 9 27 21 15 16 13 27 9 27{{$}}
// HALF: {{^}}  15 16 13 27 9 27 21 15 16 13 27 9 27 21 15 16 13 27 9 27{{$}}
// RECORD: kernel 0, block 0, pipe m
// RECORD: wait_flag mte1 to m event(0)
// RECORD-NEXT: mmad f32 f16 f16 product(16, 20, 16) starts reads l0a[0, 512) reads l0b[0, 1024) writes l0c[0, 2048)
// RECORD: mmad f32 f16 f16 product(16, 20, 16) adds reads l0a[0, 512) reads l0b[0, 1024) writes l0c[0, 2048) reads l0c[0, 2048)
// RECORD: mmad f32 f16 f16 product(16, 20, 8) adds
// RECORD: kernel 0, block 0, pipe mte1
// RECORD: load_fractals f16 f16 count(1) strides(1, 1) writes l0a[0, 512) reads l1[0, 512)
// RECORD: load_tile f16 f16 rows(16, 32) room(48) reads l1[4096, 4608) reads l1[5632, 6144) writes l0b[0, 1024)
// RECORD: kernel 0, block 0, pipe mte2
// RECORD-NEXT: nd_to_nz f16 f16 rows(16, 40) pitch(40) room(16) reads argument 0[0, 1280) writes l1[0, 1536)
// RECORD: kernel 0, block 0, pipe fix
// RECORD: fix_out f32 f32 rows(16, 20) pitch(20) room(16) reads l0c[0, 2048) writes argument 2[0, 1280)
// RECORD: kernel 0, block 1, pipe
func.func @half(%x: !half, %y: !half, %o: !single {launch.output}) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c20 = arith.constant 20 : index
  %c30 = arith.constant 30 : index
  %c32 = arith.constant 32 : index
  %c40 = arith.constant 40 : index
  %block = ascend.block_id
  %first = arith.muli %block, %c16 : index
  %left = arith.subi %c30, %first : index
  %m = arith.minsi %left, %c16 : index
  %xp = ascend.address %x[%first, %c0] : !half -> !gm_half
  %yp = ascend.address %y[%c0, %c0] : !half -> !gm_half
  %op = ascend.address %o[%first, %c0] : !single -> !gm_single
  %l = ascend.alloc "l" at 0 : !l1_half
  %r = ascend.alloc "r" at 4096 : !l1_half
  %a = ascend.alloc "a" at 0 : !l0a_half
  %b = ascend.alloc "b" at 0 : !l0b_half
  %c = ascend.alloc "c" at 0 : !l0c
  ascend.nd_to_nz %l, %xp rows(%m) cols(%c40) src_pitch(%c40) dst_rows 16 : !l1_half, !gm_half
  ascend.nd_to_nz %r, %yp rows(%c40) cols(%c20) src_pitch(%c20) dst_rows 48 : !l1_half, !gm_half
  ascend.set_flag mte2 to mte1 event 0
  ascend.wait_flag mte2 to mte1 event 0
  ascend.set_flag m to mte1 event 0
  scf.for %k = %c0 to %c40 step %c16 {
    %init = arith.cmpi eq, %k, %c0 : index
    %rest = arith.subi %c40, %k : index
    %part = arith.minsi %rest, %c16 : index
    %fractal = arith.muli %k, %c16 : index
    %lp = ascend.slice %l[%fractal] : !l1_half -> !l1_half_any
    %rp = ascend.slice %r[%fractal] : !l1_half -> !l1_half_any
    ascend.wait_flag m to mte1 event 0
    ascend.load_fractals %a, %lp repeat(%c1) strides [1, 1] : !l0a_half, !l1_half_any
    ascend.load_tile %b, %rp rows(%c16) cols(%c32) src_rows 48 : !l0b_half, !l1_half_any
    ascend.set_flag mte1 to m event 0
    ascend.wait_flag mte1 to m event 0
    ascend.mmad %c, %a, %b m(%m) n(%c20) k(%part) init(%init) : !l0c, !l0a_half, !l0b_half
    ascend.barrier m
    ascend.set_flag m to mte1 event 0
  }
  ascend.wait_flag m to mte1 event 0
  ascend.set_flag m to fix event 0
  ascend.wait_flag m to fix event 0
  ascend.fix_out %op, %c rows(%m) cols(%c20) dst_pitch(%c20) src_rows 16 : !gm_single, !l0c
  ascend.barrier all
  return
}

// The right operand is stored by rows of n: its fractals need no turning.
// BRAIN: hazards: 0
// BRAIN: values of argument 2:
// BRAIN-NEXT: {{^}}  13 15 15 25 24 27 9 13 15 15 25 24 27 9 13 15 15 25 24 27{{$}}
// BRAIN-NEXT: {{^}}  13 15 15 25 24 27 9 13 15 15 25 24 27 9 13 15 15 25 24 27{{$}}
// BRAIN-NEXT: {{^}}  13 15 15 25 24 27 9 13 15 15 25 24 27 9 13 15 15 25 24 27{{$}}
func.func @brain(%x: !brain, %y: !brain, %o: !brain {launch.output}) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %c20 = arith.constant 20 : index
  %c30 = arith.constant 30 : index
  %c32 = arith.constant 32 : index
  %c40 = arith.constant 40 : index
  %c48 = arith.constant 48 : index
  %init = arith.constant true
  %xp = ascend.address %x[%c0, %c0] : !brain -> !gm_brain
  %yp = ascend.address %y[%c0, %c0] : !brain -> !gm_brain
  %op = ascend.address %o[%c0, %c0] : !brain -> !gm_brain
  %l = ascend.alloc "l" at 0 : !l1_brain
  %r = ascend.alloc "r" at 4096 : !l1_brain
  %a = ascend.alloc "a" at 0 : !l0a_brain
  %b = ascend.alloc "b" at 0 : !l0b_brain
  %c = ascend.alloc "c" at 0 : !l0c
  ascend.nd_to_nz %l, %xp rows(%c30) cols(%c40) src_pitch(%c40) dst_rows 32 : !l1_brain, !gm_brain
  ascend.nd_to_nz %r, %yp rows(%c20) cols(%c40) src_pitch(%c40) dst_rows 32 : !l1_brain, !gm_brain
  ascend.barrier all
  ascend.load_tile %a, %l rows(%c32) cols(%c48) src_rows 32 : !l0a_brain, !l1_brain
  ascend.load_fractals %b, %r repeat(%c6) strides [1, 1] : !l0b_brain, !l1_brain
  ascend.barrier all
  ascend.mmad %c, %a, %b m(%c30) n(%c20) k(%c40) init(%init) : !l0c, !l0a_brain, !l0b_brain
  ascend.barrier all
  ascend.fix_out %op, %c rows(%c30) cols(%c20) dst_pitch(%c20) src_rows 32 : !gm_brain, !l0c
  ascend.barrier all
  return
}

// Both operands are stored by rows of k. Of the left one, the first 16 columns are rows of the product.
// SINGLE: hazards: 0
// SINGLE: values of argument 2:
// SINGLE-NEXT: {{^}}  24 21 20 27 26 21 21 24 21 20 27 26 21 21 24 21 20 27 26 21{{$}}
// SINGLE-NEXT: {{^}}  -48 -42 -40 -54 -52 -42 -42 -48 -42 -40 -54 -52 -42 -42 -48 -42 -40 -54 -52 -42{{$}}
// SINGLE-NEXT: {{^}}  72 63 60 81 78 63 63 72 63 60 81 78 63 63 72 63 60 81 78 63{{$}}
func.func @single(%x: !single, %y: !single, %o: !single {launch.output}) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c20 = arith.constant 20 : index
  %c30 = arith.constant 30 : index
  %c32 = arith.constant 32 : index
  %c40 = arith.constant 40 : index
  %c48 = arith.constant 48 : index
  %init = arith.constant true
  %xp = ascend.address %x[%c0, %c0] : !single -> !gm_single
  %yp = ascend.address %y[%c0, %c0] : !single -> !gm_single
  %op = ascend.address %o[%c0, %c0] : !single -> !gm_single
  %l = ascend.alloc "l" at 0 : !l1_single
  %r = ascend.alloc "r" at 8192 : !l1_single
  %a = ascend.alloc "a" at 0 : !l0a_single
  %b = ascend.alloc "b" at 0 : !l0b_single
  %c = ascend.alloc "c" at 0 : !l0c
  ascend.nd_to_nz %l, %xp rows(%c40) cols(%c16) src_pitch(%c30) dst_rows 48 : !l1_single, !gm_single
  ascend.nd_to_nz %r, %yp rows(%c40) cols(%c20) src_pitch(%c20) dst_rows 48 : !l1_single, !gm_single
  ascend.barrier all
  ascend.load_tile %a, %l rows(%c48) cols(%c16) src_rows 48 transpose : !l0a_single, !l1_single
  ascend.load_tile %b, %r rows(%c48) cols(%c32) src_rows 48 : !l0b_single, !l1_single
  ascend.barrier all
  ascend.mmad %c, %a, %b m(%c16) n(%c20) k(%c40) init(%init) : !l0c, !l0a_single, !l0b_single
  ascend.barrier all
  ascend.fix_out %op, %c rows(%c16) cols(%c20) dst_pitch(%c20) src_rows 16 : !gm_single, !l0c
  ascend.barrier all
  return
}

// Sums of bytes are words; on the way out they become bytes again, negative ones zero.
// BYTE: hazards: 0
// BYTE: values of argument 2:
// BYTE-NEXT: {{^}}  13 15 15 25 24 27 9 13 15 15 25 24 27 9 13 15 15 25 24 27{{$}}
// BYTE-NEXT: {{^}}  13 15 15 25 24 27 9 13 15 15 25 24 27 9 13 15 15 25 24 27{{$}}
// BYTE-NEXT: {{^}}  13 15 15 25 24 27 9 13 15 15 25 24 27 9 13 15 15 25 24 27{{$}}
// BYTE: values of argument 3:
// BYTE-NEXT: {{^}}  13 15 15 25 24 27 9 13 15 15 25 24 27 9 13 15 15 25 24 27{{$}}
// BYTE-NEXT: {{^}}  13 15 15 25 24 27 9 13 15 15 25 24 27 9 13 15 15 25 24 27{{$}}
// BYTE-NEXT: {{^}}  13 15 15 25 24 27 9 13 15 15 25 24 27 9 13 15 15 25 24 27{{$}}
func.func @byte(%x: !byte, %y: !byte, %o: !word {launch.output}, %p: !byte {launch.output})
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c20 = arith.constant 20 : index
  %c30 = arith.constant 30 : index
  %c32 = arith.constant 32 : index
  %c40 = arith.constant 40 : index
  %c64 = arith.constant 64 : index
  %init = arith.constant true
  %xp = ascend.address %x[%c0, %c0] : !byte -> !gm_byte
  %yp = ascend.address %y[%c0, %c0] : !byte -> !gm_byte
  %op = ascend.address %o[%c0, %c0] : !word -> !gm_word
  %pp = ascend.address %p[%c0, %c0] : !byte -> !gm_byte
  %l = ascend.alloc "l" at 0 : !l1_byte
  %r = ascend.alloc "r" at 2048 : !l1_byte
  %a = ascend.alloc "a" at 0 : !l0a_byte
  %b = ascend.alloc "b" at 0 : !l0b_byte
  %c = ascend.alloc "c" at 0 : !l0c_word
  ascend.nd_to_nz %l, %xp rows(%c30) cols(%c40) src_pitch(%c40) dst_rows 32 : !l1_byte, !gm_byte
  ascend.nd_to_nz %r, %yp rows(%c20) cols(%c40) src_pitch(%c40) dst_rows 32 : !l1_byte, !gm_byte
  ascend.barrier all
  ascend.load_tile %a, %l rows(%c32) cols(%c64) src_rows 32 : !l0a_byte, !l1_byte
  ascend.load_fractals %b, %r repeat(%c4) strides [1, 1] : !l0b_byte, !l1_byte
  ascend.barrier all
  ascend.mmad %c, %a, %b m(%c30) n(%c20) k(%c40) init(%init) : !l0c_word, !l0a_byte, !l0b_byte
  ascend.barrier all
  ascend.fix_out %op, %c rows(%c30) cols(%c20) dst_pitch(%c20) src_rows 32 : !gm_word, !l0c_word
  ascend.fix_out %pp, %c rows(%c30) cols(%c20) dst_pitch(%c20) src_rows 32 relu scale 1.000000e+00 : !gm_byte, !l0c_word
  ascend.barrier all
  return
}

// Matrices of L1 at once, on top of a row of the bias table.
// COMPOSITE: hazards: 0
// COMPOSITE: values of argument 3:
// COMPOSITE-NEXT: {{^}}  113 215 115 225 124 227 109 213 115 215 125 224 127 209 113 215 115 225 124 227{{$}}
// COMPOSITE-NEXT: {{^}}  113 215 115 225 124 227 109 213 115 215 125 224 127 209 113 215 115 225 124 227{{$}}
// COMPOSITE-NEXT: {{^}}  113 215 115 225 124 227 109 213 115 215 125 224 127 209 113 215 115 225 124 227{{$}}
// COMPOSITE-RECORD: pipe m
// COMPOSITE-RECORD-NEXT: matmul f32 f16 f16 f16 f16 f32 product(30, 20, 40) starts strides(32, 32) right turned reads l1[0, 3072) reads l1[4096, 7168) writes l0a[0, 4096) writes l0b[0, 4096) writes l0c[0, 4096) reads bt[0, 128)
// COMPOSITE-RECORD: pipe mte1
// COMPOSITE-RECORD-NEXT: load_bias f32 f32 count(32) writes bt[0, 128) reads l1[8192, 8320)
func.func @composite(%x: !half, %y: !half, %z: !single, %o: !single {launch.output})
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c30 = arith.constant 30 : index
  %c32 = arith.constant 32 : index
  %c40 = arith.constant 40 : index
  %init = arith.constant true
  %xp = ascend.address %x[%c0, %c0] : !half -> !gm_half
  %yp = ascend.address %y[%c0, %c0] : !half -> !gm_half
  %zp = ascend.address %z[%c0, %c0] : !single -> !gm_single
  %op = ascend.address %o[%c0, %c0] : !single -> !gm_single
  %l = ascend.alloc "l" at 0 : !l1_half
  %r = ascend.alloc "r" at 4096 : !l1_half
  %s = ascend.alloc "s" at 8192 : !l1_single
  %a = ascend.alloc "a" at 0 : !l0a_half
  %b = ascend.alloc "b" at 0 : !l0b_half
  %c = ascend.alloc "c" at 0 : !l0c
  %t = ascend.alloc "t" at 0 : !bt
  ascend.nd_to_nz %l, %xp rows(%c30) cols(%c40) src_pitch(%c40) dst_rows 32 : !l1_half, !gm_half
  ascend.nd_to_nz %r, %yp rows(%c20) cols(%c40) src_pitch(%c40) dst_rows 32 : !l1_half, !gm_half
  ascend.nd_to_nz %s, %zp rows(%c1) cols(%c32) src_pitch(%c32) dst_rows 1 : !l1_single, !gm_single
  ascend.barrier all
  ascend.load_bias %t, %s count(%c32) : !bt, !l1_single
  ascend.barrier all
  ascend.matmul %c, %l, %r, %a, %b bias(%t : !bt) m(%c30) n(%c20) k(%c40) init(%init) rows [32, 32] transpose_b : !l0c, !l1_half, !l1_half, !l0a_half, !l0b_half
  ascend.barrier all
  ascend.fix_out %op, %c rows(%c30) cols(%c20) dst_pitch(%c20) src_rows 32 : !gm_single, !l0c
  ascend.barrier all
  return
}
}
