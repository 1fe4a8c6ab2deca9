// Each family of ops, with the values it gives.
// RUN: attn-sim %s --kernel=rows --arg=iota:2x12xf32 --arg=values:10,100:2xf32 --arg=undef:2x12xf32 --arg=undef:2xf32 --print=2 --print=3 | FileCheck %s --check-prefix=ROWS
// RUN: attn-sim %s --kernel=table --arg=table:3:iota:8xf32 --arg=i64:2 --arg=undef:8xf32 --print=2 | FileCheck %s --check-prefix=TABLE
// RUN: attn-sim %s --kernel=meeting --blocks=3 --arg=zeros:3x8xf32 --arg=undef:3x8xf32 --print=1 | FileCheck %s --check-prefix=MEETING
// RUN: attn-sim %s --kernel=loop --arg=undef:8xf32 --arg=i64:5 --print=0 | FileCheck %s --check-prefix=LOOP
#gm = #hivm.address_space<gm>
#ub = #hivm.address_space<ub>
!rows = memref<2x12xf32, strided<[16, 1]>, #ub>
!tile = memref<2x16xf32, #ub>
!array = memref<2x12xf32, strided<[12, 1], offset: ?>, #gm>
module attributes {hivm.module_core_type = #hivm.module_core_type<AIV>} {

// A row is filled up to its next block; a column against all columns; the first row against all rows; sums of rows.
// ROWS:      values of argument 2:
// ROWS-NEXT: {{^}}  0 11 22 33 44 55 66 77 88 99 110 121
// ROWS-NEXT: {{^}}  1200 1301 1402 1503 1604 1705 1806 1907 2008 2109 2210 2311
// ROWS:      values of argument 3:
// ROWS-NEXT: {{^}}  726 21066
func.func @rows(%x: memref<?xf32, #gm>, %c: memref<?xf32, #gm>, %o: memref<?xf32, #gm>, %s: memref<?xf32, #gm>)
    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>} {
  %c0 = arith.constant 0 : index
  %p0 = arith.constant 0 : i64
  %p1 = arith.constant 256 : i64
  %p2 = arith.constant 512 : i64
  %p3 = arith.constant 768 : i64
  %p4 = arith.constant 1024 : i64
  hivm.hir.set_mask_norm
  %gx = memref.reinterpret_cast %x to offset: [%c0], sizes: [2, 12], strides: [12, 1] : memref<?xf32, #gm> to !array
  %go = memref.reinterpret_cast %o to offset: [%c0], sizes: [2, 12], strides: [12, 1] : memref<?xf32, #gm> to !array
  %gc = memref.reinterpret_cast %c to offset: [%c0], sizes: [1, 2], strides: [2, 1] : memref<?xf32, #gm> to memref<1x2xf32, strided<[2, 1], offset: ?>, #gm>
  %gs = memref.reinterpret_cast %s to offset: [%c0], sizes: [1, 2], strides: [2, 1] : memref<?xf32, #gm> to memref<1x2xf32, strided<[2, 1], offset: ?>, #gm>
  %part = hivm.hir.pointer_cast(%p0) : !rows
  %all = hivm.hir.pointer_cast(%p0) : !tile
  %first = hivm.hir.pointer_cast(%p0) : memref<1x16xf32, #ub>
  %product = hivm.hir.pointer_cast(%p1) : !tile
  %results = hivm.hir.pointer_cast(%p1) : !rows
  %line = hivm.hir.pointer_cast(%p2) : memref<1x2xf32, #ub>
  %column = hivm.hir.pointer_cast(%p2) : memref<2x1xf32, #ub>
  %sums = hivm.hir.pointer_cast(%p3) : memref<2x1xf32, #ub>
  %sumline = hivm.hir.pointer_cast(%p3) : memref<1x2xf32, #ub>
  %scratch = hivm.hir.pointer_cast(%p4) : memref<64xf32, #ub>
  hivm.hir.load ins(%gx : !array) outs(%part : !rows)
  hivm.hir.load ins(%gc : memref<1x2xf32, strided<[2, 1], offset: ?>, #gm>) outs(%line : memref<1x2xf32, #ub>)
  hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
  hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
  hivm.hir.vmul ins(%all, %column : !tile, memref<2x1xf32, #ub>) outs(%product : !tile) temp_buffer(%scratch : memref<64xf32, #ub>) broadcast = [1]
  hivm.hir.pipe_barrier[<PIPE_V>]
  hivm.hir.vadd ins(%product, %first : !tile, memref<1x16xf32, #ub>) outs(%product : !tile) broadcast = [0]
  hivm.hir.pipe_barrier[<PIPE_V>]
  hivm.hir.vreduce <sum> ins(%results : !rows) outs(%sums : memref<2x1xf32, #ub>) temp_buffer(%scratch : memref<64xf32, #ub>) reduce_dims = [1]
  hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
  hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
  hivm.hir.store ins(%results : !rows) outs(%go : !array)
  hivm.hir.store ins(%sumline : memref<1x2xf32, #ub>) outs(%gs : memref<1x2xf32, strided<[2, 1], offset: ?>, #gm>)
  hivm.hir.pipe_barrier[<PIPE_ALL>]
  return
}

// An entry of a table of addresses.
// TABLE:      values of argument 2:
// TABLE-NEXT: {{^}}  0 1 2 3 4 5 6 7
func.func @table(%t: memref<?xi64, #gm>, %n: i64, %o: memref<?xf32, #gm>) attributes {hacc.entry} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %p0 = arith.constant 0 : i64
  %entry = arith.index_cast %n : i64 to index
  hivm.hir.set_mask_norm
  %address = memref.load %t[%entry] : memref<?xi64, #gm>
  %x = hivm.hir.pointer_cast(%address) [%c8] : memref<?xf32, #gm>
  %gx = memref.reinterpret_cast %x to offset: [%c0], sizes: [1, 8], strides: [8, 1] : memref<?xf32, #gm> to memref<1x8xf32, strided<[8, 1], offset: ?>, #gm>
  %go = memref.reinterpret_cast %o to offset: [%c0], sizes: [1, 8], strides: [8, 1] : memref<?xf32, #gm> to memref<1x8xf32, strided<[8, 1], offset: ?>, #gm>
  %u = hivm.hir.pointer_cast(%p0) : memref<1x8xf32, #ub>
  hivm.hir.load ins(%gx : memref<1x8xf32, strided<[8, 1], offset: ?>, #gm>) outs(%u : memref<1x8xf32, #ub>)
  hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>]
  hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>]
  hivm.hir.store ins(%u : memref<1x8xf32, #ub>) outs(%go : memref<1x8xf32, strided<[8, 1], offset: ?>, #gm>)
  hivm.hir.pipe_barrier[<PIPE_ALL>]
  return
}

// Each block writes its number to its row of the first array; after the meeting it reads the row of the next one.
// MEETING:      values of argument 1:
// MEETING-NEXT: {{^}}  1 1 1
// MEETING-NEXT: {{^}}  2 2 2
// MEETING-NEXT: {{^}}  0 0 0
func.func @meeting(%ffts: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>}, %x: memref<?xf32, #gm>, %o: memref<?xf32, #gm>) attributes {hacc.entry} {
  hivm.hir.set_ffts_base_addr %ffts
  hivm.hir.set_mask_norm
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %p0 = arith.constant 0 : i64
  %id = hivm.hir.get_block_idx -> i64
  %count = hivm.hir.get_block_num -> i64
  %number = arith.sitofp %id : i64 to f32
  %block = arith.index_cast %id : i64 to index
  %blocks = arith.index_cast %count : i64 to index
  %own = arith.muli %block, %c8 : index
  %after = arith.addi %block, %c1 : index
  %neighbour = arith.remui %after, %blocks : index
  %other = arith.muli %neighbour, %c8 : index
  %gw = memref.reinterpret_cast %x to offset: [%own], sizes: [1, 8], strides: [8, 1] : memref<?xf32, #gm> to memref<1x8xf32, strided<[8, 1], offset: ?>, #gm>
  %gr = memref.reinterpret_cast %x to offset: [%other], sizes: [1, 8], strides: [8, 1] : memref<?xf32, #gm> to memref<1x8xf32, strided<[8, 1], offset: ?>, #gm>
  %go = memref.reinterpret_cast %o to offset: [%own], sizes: [1, 8], strides: [8, 1] : memref<?xf32, #gm> to memref<1x8xf32, strided<[8, 1], offset: ?>, #gm>
  %u = hivm.hir.pointer_cast(%p0) : memref<1x8xf32, #ub>
  hivm.hir.vbrc ins(%number : f32) outs(%u : memref<1x8xf32, #ub>)
  hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
  hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
  hivm.hir.store ins(%u : memref<1x8xf32, #ub>) outs(%gw : memref<1x8xf32, strided<[8, 1], offset: ?>, #gm>)
  hivm.hir.pipe_barrier[<PIPE_ALL>]
  hivm.hir.sync_block_set[<VECTOR>, <PIPE_MTE3>, <PIPE_S>] flag = 9 ffts_base_addr = %ffts sync_instr_mode = <INTER_BLOCK_SYNCHRONIZATION>
  hivm.hir.sync_block_wait[<VECTOR>, <PIPE_MTE3>, <PIPE_S>] flag = 9
  hivm.hir.load ins(%gr : memref<1x8xf32, strided<[8, 1], offset: ?>, #gm>) outs(%u : memref<1x8xf32, #ub>)
  hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>]
  hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>]
  hivm.hir.store ins(%u : memref<1x8xf32, #ub>) outs(%go : memref<1x8xf32, strided<[8, 1], offset: ?>, #gm>)
  hivm.hir.pipe_barrier[<PIPE_ALL>]
  return
}

// A loop that carries two values and a condition: Fibonacci's sixth number, in eight elements through bf16.
// LOOP:      values of argument 0:
// LOOP-NEXT: {{^}}  8 8 8
func.func @loop(%o: memref<?xf32, #gm>, %n: i64) attributes {hacc.entry} {
  hivm.hir.set_mask_norm
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p0 = arith.constant 0 : i64
  %p1 = arith.constant 64 : i64
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %bound = arith.index_cast %n : i64 to index
  %last:2 = scf.for %i = %c0 to %bound step %c1 iter_args(%a = %zero, %b = %one) -> (f32, f32) {
    %sum = arith.addf %a, %b : f32
    scf.yield %b, %sum : f32, f32
  }
  %isMany = arith.cmpi sgt, %bound, %c1 : index
  %chosen = scf.if %isMany -> f32 {
    scf.yield %last#1 : f32
  } else {
    scf.yield %zero : f32
  }
  %u = hivm.hir.pointer_cast(%p0) : memref<8xf32, #ub>
  %narrow = hivm.hir.pointer_cast(%p1) : memref<8xbf16, #ub>
  hivm.hir.vbrc ins(%chosen : f32) outs(%u : memref<8xf32, #ub>)
  hivm.hir.pipe_barrier[<PIPE_V>]
  hivm.hir.vcast ins(%u : memref<8xf32, #ub>) outs(%narrow : memref<8xbf16, #ub>) round_mode = <rint>
  hivm.hir.pipe_barrier[<PIPE_V>]
  hivm.hir.vcast ins(%narrow : memref<8xbf16, #ub>) outs(%u : memref<8xf32, #ub>) round_mode = <rint>
  hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
  hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
  %row = hivm.hir.pointer_cast(%p0) : memref<1x8xf32, #ub>
  %go = memref.reinterpret_cast %o to offset: [%c0], sizes: [1, 8], strides: [8, 1] : memref<?xf32, #gm> to memref<1x8xf32, strided<[8, 1], offset: ?>, #gm>
  hivm.hir.store ins(%row : memref<1x8xf32, #ub>) outs(%go : memref<1x8xf32, strided<[8, 1], offset: ?>, #gm>)
  hivm.hir.pipe_barrier[<PIPE_ALL>]
  return
}
}
