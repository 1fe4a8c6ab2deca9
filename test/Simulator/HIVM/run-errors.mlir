// What only shows while the text runs is a hazard at the op.
// RUN: not attn-sim %s --kernel=types 2>&1 | FileCheck %s --check-prefix=TYPES
// TYPES: run-errors.mlir:[[#@LINE+45]]:{{.*}}error: usage: vadd computes on elements that the vector unit does not
// RUN: not attn-sim %s --kernel=shapes --arg=i64:4 2>&1 | FileCheck %s --check-prefix=SHAPES
// SHAPES: error: usage: vexp computes 1 rows of 8 from 1 rows of 4
// RUN: not attn-sim %s --kernel=shapes --arg=i64:-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: out of bounds: vexp takes 1 rows of -1 elements, more than the core holds or less than none
// RUN: not attn-sim %s --kernel=steps 2>&1 | FileCheck %s --check-prefix=STEPS
// STEPS: error: usage: vexp takes elements of a row that are 2 apart
// RUN: not attn-sim %s --kernel=column 2>&1 | FileCheck %s --check-prefix=COLUMN
// COLUMN: error: usage: vmul spreads a column without a temp_buffer
// RUN: not attn-sim %s --kernel=left --arg=f32:1 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: error: usage: vmul has a scalar on the left
// RUN: not attn-sim %s --kernel=unmasked 2>&1 | FileCheck %s --check-prefix=UNMASKED
// UNMASKED: error: usage: vbrc comes before set_mask_norm
// RUN: not attn-sim %s --kernel=place --arg=i64:196320 2>&1 | FileCheck %s --check-prefix=PLACE
// PLACE: error: out of bounds: vbrc writes bytes 0 to 255 of buffer "ub at 196320", which has 32
// RUN: not attn-sim %s --kernel=place --arg=i64:-64 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE: error: out of bounds: vbrc writes bytes -64 to 191 of buffer "ub at 0", which has 256
// RUN: not attn-sim %s --kernel=apart --arg=i64:9223372036854775807 2>&1 | FileCheck %s --check-prefix=APART
// APART: error: out of bounds: vexp takes rows that are 9223372036854775807 elements apart
// RUN: not attn-sim %s --kernel=place --arg=i64:8 2>&1 | FileCheck %s --check-prefix=MISALIGNED
// MISALIGNED: error: misaligned: vbrc uses buffer "ub at 8" at address 8
// RUN: not attn-sim %s --kernel=wild --arg=i64:4096 2>&1 | FileCheck %s --check-prefix=WILD
// WILD: error: out of bounds: load uses memory at address 0x1000, which is not an array of the launch
// RUN: not attn-sim %s --kernel=extent --arg=i64:4096 --arg=i64:15 2>&1 | FileCheck %s --check-prefix=EXTENT
// EXTENT: error: out of bounds: load reaches beyond what its pointer_cast gives
// RUN: not attn-sim %s --kernel=extent --arg=i64:4096 --arg=i64:16 2>&1 | FileCheck %s --check-prefix=WILD
// RUN: not attn-sim %s --kernel=lookup --arg=table:2:zeros:8xf32 --arg=i64:2 2>&1 | FileCheck %s --check-prefix=LOOKUP
// LOOKUP: error: out of bounds: load reads a number at {{.*}}, where no array or table is
// RUN: not attn-sim %s --kernel=event --arg=i64:9 2>&1 | FileCheck %s --check-prefix=EVENT
// EVENT: error: flag misuse: set_flag uses event 9; 0 to 5 are there
// RUN: not attn-sim %s --kernel=endless --max-steps=1000 2>&1 | FileCheck %s --check-prefix=ENDLESS
// ENDLESS: run-errors.mlir:[[#@LINE+106]]:3: error: scalar unit: for runs for more scalar steps than the simulator allows, with {{[0-9]+}} of its range to go
// RUN: not attn-sim %s --kernel=turned_words 2>&1 | FileCheck %s --check-prefix=WORDS
// WORDS: error: usage: vtranspose turns something other than numbers of 16 bits over
// RUN: not attn-sim %s --kernel=turned_part 2>&1 | FileCheck %s --check-prefix=TURNED
// TURNED: error: usage: vtranspose turns 8 rows of 32, 32 apart, over to rows 16 apart: the modelled chip has squares of 16 in whole data blocks
// RUN: not attn-sim %s --kernel=standing --arg=i64:0 2>&1 | FileCheck %s --check-prefix=STANDING
// STANDING: error: scalar unit: for has a step that is not positive
#gm = #hivm.address_space<gm>
#ub = #hivm.address_space<ub>
module {
func.func @types() attributes {hacc.entry} {
  hivm.hir.set_mask_norm
  %p0 = arith.constant 0 : i64
  %x = hivm.hir.pointer_cast(%p0) : memref<16xbf16, #ub>
  hivm.hir.vadd ins(%x, %x : memref<16xbf16, #ub>, memref<16xbf16, #ub>) outs(%x : memref<16xbf16, #ub>)
  return
}
func.func @shapes(%n: i64) attributes {hacc.entry} {
  hivm.hir.set_mask_norm
  %p0 = arith.constant 0 : i64
  %size = arith.index_cast %n : i64 to index
  %x = hivm.hir.pointer_cast(%p0) : memref<8xf32, #ub>
  %part = memref.subview %x[0] [%size] [1] : memref<8xf32, #ub> to memref<?xf32, strided<[1]>, #ub>
  hivm.hir.vexp ins(%part : memref<?xf32, strided<[1]>, #ub>) outs(%x : memref<8xf32, #ub>)
  return
}
func.func @steps() attributes {hacc.entry} {
  hivm.hir.set_mask_norm
  %p0 = arith.constant 0 : i64
  %x = hivm.hir.pointer_cast(%p0) : memref<16xf32, #ub>
  %part = memref.subview %x[0] [8] [2] : memref<16xf32, #ub> to memref<8xf32, strided<[2]>, #ub>
  hivm.hir.vexp ins(%part : memref<8xf32, strided<[2]>, #ub>) outs(%part : memref<8xf32, strided<[2]>, #ub>)
  return
}
func.func @column() attributes {hacc.entry} {
  hivm.hir.set_mask_norm
  %p0 = arith.constant 0 : i64
  %p1 = arith.constant 256 : i64
  %x = hivm.hir.pointer_cast(%p0) : memref<2x8xf32, #ub>
  %c = hivm.hir.pointer_cast(%p1) : memref<2x1xf32, #ub>
  hivm.hir.vmul ins(%x, %c : memref<2x8xf32, #ub>, memref<2x1xf32, #ub>) outs(%x : memref<2x8xf32, #ub>) broadcast = [1]
  return
}
func.func @left(%s: f32) attributes {hacc.entry} {
  hivm.hir.set_mask_norm
  %p0 = arith.constant 0 : i64
  %x = hivm.hir.pointer_cast(%p0) : memref<8xf32, #ub>
  hivm.hir.vmul ins(%s, %x : f32, memref<8xf32, #ub>) outs(%x : memref<8xf32, #ub>)
  return
}
func.func @unmasked() attributes {hacc.entry} {
  %p0 = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f32
  %x = hivm.hir.pointer_cast(%p0) : memref<8xf32, #ub>
  hivm.hir.vbrc ins(%zero : f32) outs(%x : memref<8xf32, #ub>)
  return
}
func.func @place(%p: i64) attributes {hacc.entry} {
  hivm.hir.set_mask_norm
  %zero = arith.constant 0.0 : f32
  %x = hivm.hir.pointer_cast(%p) : memref<64xf32, #ub>
  hivm.hir.vbrc ins(%zero : f32) outs(%x : memref<64xf32, #ub>)
  return
}
func.func @apart(%n: i64) attributes {hacc.entry} {
  hivm.hir.set_mask_norm
  %c0 = arith.constant 0 : index
  %p0 = arith.constant 0 : i64
  %pitch = arith.index_cast %n : i64 to index
  %x = hivm.hir.pointer_cast(%p0) : memref<64xf32, #ub>
  %rows = memref.reinterpret_cast %x to offset: [%c0], sizes: [2, 8], strides: [%pitch, 1] : memref<64xf32, #ub> to memref<2x8xf32, strided<[?, 1], offset: ?>, #ub>
  hivm.hir.vexp ins(%rows : memref<2x8xf32, strided<[?, 1], offset: ?>, #ub>) outs(%rows : memref<2x8xf32, strided<[?, 1], offset: ?>, #ub>)
  return
}
func.func @wild(%p: i64) attributes {hacc.entry} {
  hivm.hir.set_mask_norm
  %p0 = arith.constant 0 : i64
  %u = hivm.hir.pointer_cast(%p0) : memref<8xf32, #ub>
  %x = hivm.hir.pointer_cast(%p) : memref<8xf32, #gm>
  hivm.hir.load ins(%x : memref<8xf32, #gm>) outs(%u : memref<8xf32, #ub>)
  return
}
func.func @extent(%p: i64, %n: i64) attributes {hacc.entry} {
  hivm.hir.set_mask_norm
  %p0 = arith.constant 0 : i64
  %elements = arith.index_cast %n : i64 to index
  %u = hivm.hir.pointer_cast(%p0) : memref<2x8xf32, #ub>
  %x = hivm.hir.pointer_cast(%p) [%elements] : memref<?xf32, #gm>
  %rows = memref.reinterpret_cast %x to offset: [0], sizes: [2, 8], strides: [8, 1] : memref<?xf32, #gm> to memref<2x8xf32, strided<[8, 1]>, #gm>
  hivm.hir.load ins(%rows : memref<2x8xf32, strided<[8, 1]>, #gm>) outs(%u : memref<2x8xf32, #ub>)
  return
}
func.func @lookup(%t: memref<?xi64, #gm>, %n: i64) attributes {hacc.entry} {
  %entry = arith.index_cast %n : i64 to index
  %address = memref.load %t[%entry] : memref<?xi64, #gm>
  return
}
func.func @event(%n: i64) attributes {hacc.entry} {
  hivm.hir.set_mask_norm
  hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, %n]
  return
}
func.func @endless() attributes {hacc.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %many = arith.constant 1000000000 : index
  scf.for %i = %c0 to %many step %c1 {
    scf.for %j = %c0 to %c1 step %c1 {
    }
  }
  return
}
func.func @turned_words() attributes {hacc.entry} {
  hivm.hir.set_mask_norm
  %p0 = arith.constant 0 : i64
  %x = hivm.hir.pointer_cast(%p0) : memref<16x16xf32, #ub>
  %p1 = arith.constant 4096 : i64
  %y = hivm.hir.pointer_cast(%p1) : memref<16x16xf32, #ub>
  hivm.hir.vtranspose ins(%x : memref<16x16xf32, #ub>) outs(%y : memref<16x16xf32, #ub>) permutation = [1, 0]
  return
}
func.func @turned_part() attributes {hacc.entry} {
  hivm.hir.set_mask_norm
  %p0 = arith.constant 0 : i64
  %x = hivm.hir.pointer_cast(%p0) : memref<8x32xf16, #ub>
  %p1 = arith.constant 4096 : i64
  %y = hivm.hir.pointer_cast(%p1) : memref<32x8xf16, strided<[16, 1]>, #ub>
  hivm.hir.vtranspose ins(%x : memref<8x32xf16, #ub>) outs(%y : memref<32x8xf16, strided<[16, 1]>, #ub>) permutation = [1, 0]
  return
}
func.func @standing(%n: i64) attributes {hacc.entry} {
  %c0 = arith.constant 0 : index
  %step = arith.index_cast %n : i64 to index
  scf.for %i = %c0 to %c0 step %step {
  }
  return
}
}
