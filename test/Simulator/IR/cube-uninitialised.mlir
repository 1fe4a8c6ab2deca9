// RUN: attn-sim %s --check-effects --kernel=outer --arg=ones:20x20xf16 --arg=undef:32x32xf32 --arg=i64:20 --arg=i64:20 --arg=i64:20 --arg=i64:20 --arg=i64:1 --print=1 | FileCheck %s --check-prefix=RAGGED
// RUN: attn-sim %s --kernel=outer --arg=ones:20x20xf16 --arg=undef:32x32xf32 --arg=i64:32 --arg=i64:32 --arg=i64:20 --arg=i64:20 --arg=i64:1 | FileCheck %s --check-prefix=CLEAN
// RUN: not attn-sim %s --kernel=outer --arg=ones:20x20xf16 --arg=undef:32x32xf32 --arg=i64:32 --arg=i64:32 --arg=i64:21 --arg=i64:20 --arg=i64:1 2>&1 | FileCheck %s --check-prefix=ROW
// RUN: not attn-sim %s --kernel=outer --arg=ones:20x20xf16 --arg=undef:32x32xf32 --arg=i64:32 --arg=i64:32 --arg=i64:20 --arg=i64:21 --arg=i64:1 2>&1 | FileCheck %s --check-prefix=COLUMN
// RUN: not attn-sim %s --kernel=outer --arg=ones:20x20xf16 --arg=undef:32x32xf32 --arg=i64:20 --arg=i64:20 --arg=i64:21 --arg=i64:20 --arg=i64:1 2>&1 | FileCheck %s --check-prefix=BEYOND-ROWS
// RUN: not attn-sim %s --kernel=outer --arg=ones:20x20xf16 --arg=undef:32x32xf32 --arg=i64:20 --arg=i64:20 --arg=i64:20 --arg=i64:21 --arg=i64:1 2>&1 | FileCheck %s --check-prefix=BEYOND-COLS
// RUN: not attn-sim %s --kernel=outer --arg=ones:20x20xf16 --arg=undef:32x32xf32 --arg=i64:20 --arg=i64:20 --arg=i64:20 --arg=i64:20 --arg=i64:0 2>&1 | FileCheck %s --check-prefix=SUMS
// RUN: attn-sim %s --kernel=inner --arg=ones:20x32xf16 --arg=undef:16x32xf32 --arg=i64:20 | FileCheck %s --check-prefix=CLEAN
// RUN: not attn-sim %s --kernel=inner --arg=ones:20x32xf16 --arg=undef:16x32xf32 --arg=i64:21 2>&1 | FileCheck %s --check-prefix=INNER
// RUN: not attn-sim %s --kernel=twice --arg=ones:20x20xf16 --arg=undef:32x16xf32 --arg=i64:21 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: attn-sim %s --kernel=twice --arg=ones:20x20xf16 --arg=undef:32x16xf32 --arg=i64:20 | FileCheck %s --check-prefix=CLEAN
// RUN: not attn-sim %s --kernel=bias --arg=undef:16x16xf32 --arg=i64:1 2>&1 | FileCheck %s --check-prefix=BIAS
// RUN: attn-sim %s --kernel=bias --arg=undef:16x16xf32 --arg=i64:0 | FileCheck %s --check-prefix=CLEAN
// RUN: not attn-sim %s --kernel=scratch --arg=undef:16x16xf32 2>&1 | FileCheck %s --check-prefix=SCRATCH
// RUN: attn-sim %s --check-effects --kernel=filled --arg=fill:2:20x16xf16 --arg=undef:32x16xf32 --print=1 | FileCheck %s --check-prefix=FILLED

// Undefined values among the operands of products: those that take part spoil a row, a column or everything; those beyond
// m, n and k do not.
!rows = memref<?x?xf16, strided<[?, 1]>, #ascend.space<gm>>
!gm = memref<?xf16, #ascend.space<gm>>
!result = memref<?x?xf32, strided<[?, 1]>, #ascend.space<gm>>
!gm_f32 = memref<?xf32, #ascend.space<gm>>
!l1 = memref<1024xf16, #ascend.space<l1>>
!l1_any = memref<?xf16, #ascend.space<l1>>
!l1_f32 = memref<1024xf32, #ascend.space<l1>>
!l0a = memref<1024xf16, #ascend.space<l0a>>
!l0b = memref<1024xf16, #ascend.space<l0b>>
!l0c = memref<1024xf32, #ascend.space<l0c>>
!bt = memref<256xf32, #ascend.space<bt>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// CLEAN: hazards: 0

// 20 rows in fractals that have room for 32 are both operands; the columns beyond 20 are zero.
// RAGGED: hazards: 0
// RAGGED: values of argument 1:
// RAGGED-COUNT-20: {{^}}  20 20 20 20 20 20 20 20 20 20 20 20 20 20 20 20 20 20 20 20 nan
// ROW: error: read of uninitialised memory: fix_out stores bytes of buffer "c" in l0c that hold no value (byte 1280) [block 0, pipe fix]
// ROW: note: load_tile was the first to read it, from buffer "x" in l1
// COLUMN: error: read of uninitialised memory: fix_out stores bytes of buffer "c" in l0c that hold no value (byte 2064)
// COLUMN: note: load_fractals was the first to read it, from buffer "x" in l1
// BEYOND-ROWS: error: read of uninitialised memory: fix_out stores bytes of buffer "c" in l0c that hold no value (byte 1280)
// BEYOND-ROWS-NOT: note
// BEYOND-COLS: error: read of uninitialised memory: fix_out stores bytes of buffer "c" in l0c that hold no value (byte 2064)
// BEYOND-COLS-NOT: note
// SUMS: error: read of uninitialised memory: fix_out stores bytes of buffer "c" in l0c that hold no value (byte 0)
// SUMS: note: mmad was the first to read it, from buffer "c" in l0c
func.func @outer(%x: !rows, %o: !result {launch.output}, %m: index, %n: index, %r: index, %q: index, %starts: index)
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c20 = arith.constant 20 : index
  %c32 = arith.constant 32 : index
  %init = arith.cmpi ne, %starts, %c0 : index
  %xp = ascend.address %x[%c0, %c0] : !rows -> !gm
  %op = ascend.address %o[%c0, %c0] : !result -> !gm_f32
  %l = ascend.alloc "x" at 0 : !l1
  %a = ascend.alloc "a" at 0 : !l0a
  %b = ascend.alloc "b" at 0 : !l0b
  %c = ascend.alloc "c" at 0 : !l0c
  ascend.nd_to_nz %l, %xp rows(%c20) cols(%c20) src_pitch(%c20) dst_rows 32 : !l1, !gm
  ascend.barrier all
  ascend.load_tile %a, %l rows(%c32) cols(%c32) src_rows 32 : !l0a, !l1
  ascend.load_fractals %b, %l repeat(%c4) strides [1, 1] : !l0b, !l1
  ascend.barrier all
  ascend.mmad %c, %a, %b m(%m) n(%n) k(%c20) init(%init) : !l0c, !l0a, !l0b
  ascend.barrier all
  ascend.fix_out %op, %c rows(%r) cols(%q) dst_pitch(%c32) src_rows 32 : !gm_f32, !l0c
  ascend.barrier all
  return
}

// The right operand lacks rows along k; the left one, its own transpose, columns.
// INNER: error: read of uninitialised memory: fix_out stores bytes of buffer "c" in l0c that hold no value (byte 0)
// INNER: note: load_tile was the first to read it, from buffer "x" in l1
func.func @inner(%x: !rows, %o: !result {launch.output}, %k: index)
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c20 = arith.constant 20 : index
  %c32 = arith.constant 32 : index
  %init = arith.constant true
  %xp = ascend.address %x[%c0, %c0] : !rows -> !gm
  %op = ascend.address %o[%c0, %c0] : !result -> !gm_f32
  %l = ascend.alloc "x" at 0 : !l1
  %a = ascend.alloc "a" at 0 : !l0a
  %b = ascend.alloc "b" at 0 : !l0b
  %c = ascend.alloc "c" at 0 : !l0c
  ascend.nd_to_nz %l, %xp rows(%c20) cols(%c32) src_pitch(%c32) dst_rows 32 : !l1, !gm
  ascend.barrier all
  ascend.load_tile %a, %l rows(%c32) cols(%c32) src_rows 32 transpose : !l0a, !l1
  ascend.load_tile %b, %l rows(%c32) cols(%c32) src_rows 32 : !l0b, !l1
  ascend.barrier all
  ascend.mmad %c, %a, %b m(%c16) n(%c32) k(%k) init(%init) : !l0c, !l0a, !l0b
  ascend.barrier all
  ascend.fix_out %op, %c rows(%c16) cols(%c32) dst_pitch(%c32) src_rows 16 : !gm_f32, !l0c
  ascend.barrier all
  return
}

// Undefined sums go on through L1 into the next product.
// TWICE: error: read of uninitialised memory: fix_out stores bytes of buffer "e" in l0c that hold no value (byte 1280)
// TWICE: note: load_tile was the first to read it, from buffer "x" in l1
func.func @twice(%x: !rows, %o: !result {launch.output}, %r: index)
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c20 = arith.constant 20 : index
  %c32 = arith.constant 32 : index
  %init = arith.constant true
  %xp = ascend.address %x[%c0, %c0] : !rows -> !gm
  %op = ascend.address %o[%c0, %c0] : !result -> !gm_f32
  %l = ascend.alloc "x" at 0 : !l1
  %p = ascend.alloc "p" at 2048 : !l1
  %a = ascend.alloc "a" at 0 : !l0a
  %b = ascend.alloc "b" at 0 : !l0b
  %c = ascend.alloc "c" at 0 : !l0c
  %e = ascend.alloc "e" at 4096 : !l0c
  ascend.nd_to_nz %l, %xp rows(%c20) cols(%c20) src_pitch(%c20) dst_rows 32 : !l1, !gm
  ascend.barrier all
  ascend.load_tile %a, %l rows(%c32) cols(%c16) src_rows 32 : !l0a, !l1
  ascend.load_fractals %b, %l repeat(%c2) strides [1, 1] : !l0b, !l1
  ascend.barrier all
  ascend.mmad %c, %a, %b m(%c32) n(%c16) k(%c16) init(%init) : !l0c, !l0a, !l0b
  ascend.barrier all
  ascend.fix_out %p, %c rows(%c32) cols(%c16) dst_pitch(%c32) src_rows 32 nz : !l1, !l0c
  ascend.barrier all
  ascend.load_tile %a, %p rows(%c32) cols(%c16) src_rows 32 : !l0a, !l1
  ascend.barrier all
  ascend.mmad %e, %a, %b m(%c32) n(%c16) k(%c16) init(%init) : !l0c, !l0a, !l0b
  ascend.barrier all
  ascend.fix_out %op, %e rows(%r) cols(%c16) dst_pitch(%c16) src_rows 32 : !gm_f32, !l0c
  ascend.barrier all
  return
}

// BIAS: error: read of uninitialised memory: fix_out stores bytes of buffer "c" in l0c that hold no value (byte 0)
// BIAS: note: mmad was the first to read it, from buffer "t" in bt
func.func @bias(%o: !result {launch.output}, %starts: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f16
  %yes = arith.constant true
  %init = arith.cmpi ne, %starts, %c0 : index
  %op = ascend.address %o[%c0, %c0] : !result -> !gm_f32
  %l = ascend.alloc "x" at 0 : !l1
  %a = ascend.alloc "a" at 0 : !l0a
  %b = ascend.alloc "b" at 0 : !l0b
  %c = ascend.alloc "c" at 0 : !l0c
  %t = ascend.alloc "t" at 0 : !bt
  ascend.fill %l, %zero repeat(%c1) blocks(%c16) pitch 16 : !l1, f16
  ascend.barrier all
  ascend.load_fractals %a, %l repeat(%c1) strides [1, 1] : !l0a, !l1
  ascend.load_fractals %b, %l repeat(%c1) strides [1, 1] : !l0b, !l1
  ascend.barrier all
  ascend.mmad %c, %a, %b m(%c16) n(%c16) k(%c16) init(%yes) : !l0c, !l0a, !l0b
  ascend.barrier all
  ascend.mmad %c, %a, %b bias(%t : !bt) m(%c16) n(%c16) k(%c16) init(%init) : !l0c, !l0a, !l0b
  ascend.barrier all
  ascend.fix_out %op, %c rows(%c16) cols(%c16) dst_pitch(%c16) src_rows 16 : !gm_f32, !l0c
  ascend.barrier all
  return
}

// A composite leaves nothing in its scratch that could be relied on.
// SCRATCH: error: read of uninitialised memory: fix_out stores bytes of buffer "c" in l0c that hold no value (byte 0)
// SCRATCH: note: mmad was the first to read it, from buffer "a" in l0a
func.func @scratch(%o: !result {launch.output}) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f16
  %init = arith.constant true
  %op = ascend.address %o[%c0, %c0] : !result -> !gm_f32
  %l = ascend.alloc "x" at 0 : !l1
  %a = ascend.alloc "a" at 0 : !l0a
  %b = ascend.alloc "b" at 0 : !l0b
  %c = ascend.alloc "c" at 0 : !l0c
  ascend.fill %l, %zero repeat(%c1) blocks(%c16) pitch 16 : !l1, f16
  ascend.barrier all
  ascend.load_fractals %a, %l repeat(%c1) strides [1, 1] : !l0a, !l1
  ascend.load_fractals %b, %l repeat(%c1) strides [1, 1] : !l0b, !l1
  ascend.barrier all
  ascend.matmul %c, %l, %l, %a, %b m(%c16) n(%c16) k(%c16) init(%init) rows [16, 16] : !l0c, !l1, !l1, !l0a, !l0b
  ascend.barrier all
  ascend.mmad %c, %a, %b m(%c16) n(%c16) k(%c16) init(%init) : !l0c, !l0a, !l0b
  ascend.barrier all
  ascend.fix_out %op, %c rows(%c16) cols(%c16) dst_pitch(%c16) src_rows 16 : !gm_f32, !l0c
  ascend.barrier all
  return
}

// The rows that a matrix lacks are filled, and take part.
// FILLED: hazards: 0
// FILLED: values of argument 1:
// FILLED-COUNT-20: {{^}}  64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64{{$}}
// FILLED-COUNT-12: {{^}}  96 96 96 96 96 96 96 96 96 96 96 96 96 96 96 96{{$}}
func.func @filled(%x: !rows, %o: !result {launch.output}) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %c16 = arith.constant 16 : index
  %c20 = arith.constant 20 : index
  %c32 = arith.constant 32 : index
  %c320 = arith.constant 320 : index
  %three = arith.constant 3.0 : f16
  %init = arith.constant true
  %xp = ascend.address %x[%c0, %c0] : !rows -> !gm
  %op = ascend.address %o[%c0, %c0] : !result -> !gm_f32
  %l = ascend.alloc "x" at 0 : !l1
  %a = ascend.alloc "a" at 0 : !l0a
  %b = ascend.alloc "b" at 0 : !l0b
  %c = ascend.alloc "c" at 0 : !l0c
  %rest = ascend.slice %l[%c320] : !l1 -> !l1_any
  ascend.nd_to_nz %l, %xp rows(%c20) cols(%c16) src_pitch(%c16) dst_rows 32 : !l1, !gm
  ascend.fill %rest, %three repeat(%c1) blocks(%c12) pitch 32 : !l1_any, f16
  ascend.barrier all
  ascend.load_tile %a, %l rows(%c32) cols(%c16) src_rows 32 : !l0a, !l1
  ascend.load_fractals %b, %l repeat(%c1) strides [1, 1] : !l0b, !l1
  ascend.barrier all
  ascend.mmad %c, %a, %b m(%c32) n(%c16) k(%c16) init(%init) : !l0c, !l0a, !l0b
  ascend.barrier all
  ascend.fix_out %op, %c rows(%c32) cols(%c16) dst_pitch(%c16) src_rows 32 : !gm_f32, !l0c
  ascend.barrier all
  return
}
}
