// RUN: attn-opt %s --soc=Ascend910B4 --convert-tile-to-ascend --cse --split-input-file | FileCheck %s

// Rows at a runtime stride; the padding of a row is filled by the transfer: at most 32 bytes of it on
// demand, the rest up to the next block by itself.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x?x100xbf16, strided<[?, ?, 1]>, #ascend.space<gm>> {launch.dims = ["N", "T", 100]}
// CHECK-SAME:    %[[Y:[^:]*]]: memref<?x17xf32, strided<[?, 1]>, #ascend.space<gm>>
// CHECK-SAME:    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<vector>}
// CHECK-DAG:     %[[A:.*]] = ascend.alloc "a" counted {{[0-9]+}} : memref<224xbf16, #ascend.space<ub>>
// CHECK-DAG:     %[[B:.*]] = ascend.alloc "b" counted {{[0-9]+}} : memref<64xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[TWO:.*]] = arith.constant 2 : index
// CHECK-DAG:     %[[XPITCH:.*]] = ascend.stride %[[X]], 1
// CHECK-DAG:     %[[YPITCH:.*]] = ascend.stride %[[Y]], 0
// CHECK:         %[[T:.*]] = ascend.dim %[[X]], 1
// CHECK:         %[[LEFT:.*]] = arith.subi %[[T]], %[[BASE:.*]] : index
// CHECK:         %[[MIN:.*]] = arith.minsi %[[LEFT]], %[[TWO]]
// CHECK:         %[[VALID:.*]] = arith.maxsi %[[MIN]], %[[ZERO]]
// CHECK:         %[[FROM:.*]] = ascend.address %[[X]][%{{.*}}, %[[BASE]], %[[ZERO]]]
// CHECK:         ascend.copy_in %[[A]], %[[FROM]] rows(%[[VALID]]) length(%c100) src_pitch(%[[XPITCH]]) dst_pitch 112 right_pad 12
// CHECK:         %[[PLACE:.*]] = ascend.address %[[Y]][%[[BASE]], %[[ZERO]]]
// CHECK:         ascend.copy_in %[[B]], %[[PLACE]] rows(%[[VALID]]) length(%c17) src_pitch(%[[YPITCH]]) dst_pitch 32 right_pad 8
// CHECK:         ascend.copy_out %[[PLACE]], %[[B]] rows(%[[VALID]]) length(%c17) dst_pitch(%[[YPITCH]]) src_pitch 32
func.func @rows(%x: !tile.array<?x?x100xbf16> {launch.dims = ["N", "T", 100]},
                %y: !tile.array<?x17xf32> {launch.dims = ["T", 17]}, %n: index, %base: index)
    attributes {tile.kernel} {
  %T = tile.dim %x, 1 : !tile.array<?x?x100xbf16>
  %t = tile.make_span %base to %T : !tile.span<2>
  %a = tile.load %x[%n, %t span, :] : (!tile.array<?x?x100xbf16>, index, !tile.span<2>) -> !tile.tile<2 x 100 x bf16> loc("a")
  %b = tile.load %y[%t span, :] : (!tile.array<?x17xf32>, !tile.span<2>) -> !tile.tile<2 x 17 x f32> loc("b")
  tile.store %b, %y[%t span, :] : (!tile.tile<2 x 17 x f32>, !tile.array<?x17xf32>, !tile.span<2>) -> ()
  return
}

// -----

// One row: all of it, a slice, or one element.
// CHECK-LABEL: func.func @one_row(
// CHECK-SAME:    %[[W:[^:]*]]: memref<4096xf32, strided<[1]>, #ascend.space<gm>>
// CHECK-SAME:    %[[K:[^:]*]]: index
// CHECK-DAG:     %[[A:.*]] = ascend.alloc "a" counted {{[0-9]+}} : memref<4096xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[B:.*]] = ascend.alloc "b" counted {{[0-9]+}} : memref<64xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[C:.*]] = ascend.alloc "c" counted {{[0-9]+}} : memref<8xf32, #ascend.space<ub>>
// CHECK:         %[[FROM:.*]] = ascend.address %[[W]][%c0]
// CHECK:         ascend.copy_in %[[A]], %[[FROM]] rows(%c1) length(%c4096) src_pitch(%c4096) dst_pitch 4096 right_pad 0
// CHECK:         %[[FROM:.*]] = ascend.address %[[W]][%[[K]]]
// CHECK:         ascend.copy_in %[[B]], %[[FROM]] rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0
// CHECK:         ascend.copy_in %[[C]], %[[FROM]] rows(%c1) length(%c1) src_pitch(%c1) dst_pitch 16 right_pad 0
func.func @one_row(%w: !tile.array<4096xf32>, %k: index) attributes {tile.kernel} {
  %a = tile.load %w[:] : (!tile.array<4096xf32>) -> !tile.tile<1 x 4096 x f32> loc("a")
  %b = tile.load %w[%k:64] : (!tile.array<4096xf32>, index) -> !tile.tile<1 x 64 x f32> loc("b")
  %c = tile.load %w[%k] : (!tile.array<4096xf32>, index) -> !tile.tile<1 x 1 x f32> loc("c")
  return
}

// -----

// A column whose elements follow each other is one row in memory.
// CHECK-LABEL: func.func @contiguous_column(
// CHECK:         %[[C:.*]] = ascend.alloc "c" counted {{[0-9]+}} : memref<24xf32, #ascend.space<ub>>
// CHECK:         %[[VALID:.*]] = arith.maxsi
// CHECK:         ascend.copy_in %[[C]], %{{.*}} rows(%c1) length(%[[VALID]]) src_pitch(%[[VALID]]) dst_pitch 24 right_pad 0
// CHECK:         ascend.copy_out %{{.*}}, %[[C]] rows(%c1) length(%[[VALID]]) dst_pitch(%[[VALID]]) src_pitch 24
func.func @contiguous_column(%x: !tile.array<?xf32>, %base: index) attributes {tile.kernel} {
  %T = tile.dim %x, 0 : !tile.array<?xf32>
  %t = tile.make_span %base to %T : !tile.span<20>
  %c = tile.load %x[%t span] : (!tile.array<?xf32>, !tile.span<20>) -> !tile.tile<20 x 1 x f32> loc("c")
  tile.store %c, %x[%t span] : (!tile.tile<20 x 1 x f32>, !tile.array<?xf32>, !tile.span<20>) -> ()
  return
}

// -----

// A column at a stride comes and goes with one 32-byte block per row.
// CHECK-LABEL: func.func @strided_column(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x?xf32
// CHECK-DAG:     %[[C:.*]] = ascend.alloc "c" counted {{[0-9]+}} : memref<8xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[IN:.*]] = ascend.alloc "c_blocks" counted {{[0-9]+}} : memref<16xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[OUT:.*]] = ascend.alloc "c_blocks_1" counted {{[0-9]+}} : memref<64xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[PITCH:.*]] = ascend.stride %[[X]], 0
// CHECK:         %[[VALID:.*]] = arith.maxsi
// CHECK:         %[[PLACE:.*]] = ascend.address %[[X]]
// CHECK:         ascend.copy_in %[[IN]], %[[PLACE]] rows(%[[VALID]]) length(%c1) src_pitch(%[[PITCH]]) dst_pitch 8 right_pad 7
// CHECK:         ascend.whole_reduce sum %[[C]], %[[IN]] mask 1 repeat(%[[VALID]]) strides [1, 1, 1]
// CHECK:         %[[EIGHTS:.*]] = arith.ceildivui %[[VALID]], %c8
// CHECK:         ascend.brcb %[[OUT]], %[[C]] repeat(%[[EIGHTS]]) strides [1, 8]
// CHECK:         ascend.copy_out %[[PLACE]], %[[OUT]] rows(%[[VALID]]) length(%c1) dst_pitch(%[[PITCH]]) src_pitch 8
func.func @strided_column(%x: !tile.array<?x?xf32>, %n: index, %base: index) attributes {tile.kernel} {
  %T = tile.dim %x, 0 : !tile.array<?x?xf32>
  %t = tile.make_span %base to %T : !tile.span<2>
  %c = tile.load %x[%t span, %n] : (!tile.array<?x?xf32>, !tile.span<2>, index) -> !tile.tile<2 x 1 x f32> loc("c")
  tile.store %c, %x[%t span, %n] : (!tile.tile<2 x 1 x f32>, !tile.array<?x?xf32>, !tile.span<2>, index) -> ()
  return
}

// -----

// Adding bf16 is impossible: such a column is gathered as f32.
// CHECK-LABEL: func.func @strided_bf16_column(
// CHECK-DAG:     %[[C:.*]] = ascend.alloc "c" counted {{[0-9]+}} : memref<16xbf16, #ascend.space<ub>>
// CHECK-DAG:     %[[BLOCKS:.*]] = ascend.alloc "c_blocks" counted {{[0-9]+}} : memref<64xbf16, #ascend.space<ub>>
// CHECK-DAG:     %[[WIDE:.*]] = ascend.alloc "c_wide_blocks" counted {{[0-9]+}} : memref<64xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[COLUMN:.*]] = ascend.alloc "c_wide_column" counted {{[0-9]+}} : memref<8xf32, #ascend.space<ub>>
// CHECK:         ascend.copy_in %[[BLOCKS]], %{{.*}} rows(%c4) length(%c1) src_pitch(%{{.*}}) dst_pitch 16 right_pad 15
// CHECK:         ascend.cast none %[[WIDE]], %[[BLOCKS]] count(%c64)
// CHECK:         ascend.whole_reduce sum %[[COLUMN]], %[[WIDE]] mask 1 repeat(%c4) strides [1, 1, 2]
// CHECK:         ascend.cast rint %[[C]], %[[COLUMN]] count(%c4)
func.func @strided_bf16_column(%x: !tile.array<8x1xbf16>, %row: index) attributes {tile.kernel} {
  %c = tile.load %x[%row:4, :] : (!tile.array<8x1xbf16>, index) -> !tile.tile<4 x 1 x bf16> loc("c")
  return
}

// -----

// Of a single row, a column is one element: no blocks.
// CHECK-LABEL: func.func @single_element(
// CHECK:         %[[C:.*]] = ascend.alloc "c" counted {{[0-9]+}} : memref<8xf32, #ascend.space<ub>>
// CHECK-NOT:     ascend.alloc
// CHECK:         ascend.copy_in %[[C]], %[[PLACE:.*]] rows(%[[VALID:.*]]) length(%c1) src_pitch(%{{.*}}) dst_pitch 16 right_pad 0
// CHECK:         ascend.copy_out %[[PLACE]], %[[C]] rows(%[[VALID]]) length(%c1) dst_pitch(%{{.*}}) src_pitch 16
func.func @single_element(%x: !tile.array<?x?xf32>, %n: index, %base: index) attributes {tile.kernel} {
  %T = tile.dim %x, 0 : !tile.array<?x?xf32>
  %t = tile.make_span %base to %T : !tile.span<1>
  %c = tile.load %x[%t span, %n] : (!tile.array<?x?xf32>, !tile.span<1>, index) -> !tile.tile<1 x 1 x f32> loc("c")
  tile.store %c, %x[%t span, %n] : (!tile.tile<1 x 1 x f32>, !tile.array<?x?xf32>, !tile.span<1>, index) -> ()
  return
}

// -----

// A table of addresses.
// CHECK-LABEL: func.func @table(
// CHECK-SAME:    %[[V:[^:]*]]: !ascend.table<memref<?x64xf32, strided<[?, 1]>, #ascend.space<gm>>> {launch.dims = ["N", "T", 64]}
// CHECK-SAME:    %[[N:[^:]*]]: index
// CHECK:         %[[PITCH:.*]] = ascend.stride %[[V]], 1
// CHECK:         ascend.dim %[[V]], 1
// CHECK:         %[[ONE:.*]] = ascend.lookup %[[V]][%[[N]]]
// CHECK:         %[[FROM:.*]] = ascend.address %[[ONE]][%{{.*}}, %c0]
// CHECK:         ascend.copy_in %{{.*}}, %[[FROM]] rows(%{{.*}}) length(%c64) src_pitch(%[[PITCH]])
func.func @table(%v: !tile.array<?x?x64xf32, table> {launch.dims = ["N", "T", 64]}, %n: index, %base: index)
    attributes {tile.kernel} {
  %T = tile.dim %v, 1 : !tile.array<?x?x64xf32, table>
  %t = tile.make_span %base to %T : !tile.span<4>
  %a = tile.load %v[%n, %t span, :] : (!tile.array<?x?x64xf32, table>, index, !tile.span<4>) -> !tile.tile<4 x 64 x f32>
  return
}

// -----

// A transfer moves at most 4095 rows.
// CHECK-LABEL: func.func @many_rows(
// CHECK-SAME:    %[[X:[^:]*]]: memref<
// CHECK:         %[[A:.*]] = ascend.alloc "a"
// CHECK:         scf.for %[[FIRST:.*]] = %c0 to %c5000 step %c4095 {
// CHECK:           %[[LEFT:.*]] = arith.subi %c5000, %[[FIRST]]
// CHECK:           %[[ROWS:.*]] = arith.minsi %[[LEFT]], %c4095
// CHECK:           %[[OFFSET:.*]] = arith.muli %[[FIRST]], %c16
// CHECK:           %[[TO:.*]] = ascend.slice %[[A]][%[[OFFSET]]]
// CHECK:           %[[FROM:.*]] = ascend.address %[[X]][%[[FIRST]], %c0]
// CHECK:           ascend.copy_in %[[TO]], %[[FROM]] rows(%[[ROWS]])
func.func @many_rows(%x: !tile.array<5000x16xf32>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<5000x16xf32>) -> !tile.tile<5000 x 16 x f32> loc("a")
  return
}

// -----

// Rows that may be missing at both ends: the transfer moves those that exist, and the vector unit fills the rest.
// CHECK-LABEL: func.func @filled_rows(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x32xbf16, {{.*}}, %[[BASE:[^:]*]]: index
// CHECK:         %[[A:.*]] = ascend.alloc "a" counted {{[0-9]+}} : memref<256xbf16, #ascend.space<ub>>
// CHECK:         %[[NONE:.*]] = arith.constant 0.000000e+00 : bf16
// CHECK:         %[[BEFORE:.*]] = arith.subi %c0, %[[BASE]]
// CHECK:         %[[MOST:.*]] = arith.minsi %[[BEFORE]], %c8
// CHECK:         %[[LOW:.*]] = arith.maxsi %[[MOST]], %c0
// CHECK:         %[[HIGH:.*]] = arith.maxsi %{{.*}}, %[[LOW]]
// CHECK:         %[[FIRST:.*]] = arith.addi %[[BASE]], %[[LOW]]
// CHECK:         %[[ROWS:.*]] = arith.subi %[[HIGH]], %[[LOW]]
// CHECK:         %[[SKIPPED:.*]] = arith.muli %[[LOW]], %c32
// CHECK:         %[[TO:.*]] = ascend.slice %[[A]][%[[SKIPPED]]]
// CHECK:         %[[FROM:.*]] = ascend.address %[[X]][%[[FIRST]], %c0]
// CHECK:         ascend.copy_in %[[TO]], %[[FROM]] rows(%[[ROWS]])
// CHECK:         ascend.duplicate %[[A]], %[[NONE]] count(%[[SKIPPED]])
// CHECK:         %[[AFTER:.*]] = ascend.slice %[[A]]
// CHECK:         ascend.duplicate %[[AFTER]], %[[NONE]] count(
// CHECK:         ascend.copy_out %[[FROM]], %[[TO]] rows(%[[ROWS]])
func.func @filled_rows(%x: !tile.array<?x32xbf16>, %base: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %T = tile.dim %x, 0 : !tile.array<?x32xbf16>
  %w = tile.make_span %base to %T from %zero : !tile.span<8, filled>
  %a = tile.load %x[%w span, :] : (!tile.array<?x32xbf16>, !tile.span<8, filled>) -> !tile.tile<8 x 32 x bf16> loc("a")
  tile.store %a, %x[%w span, :] : (!tile.tile<8 x 32 x bf16>, !tile.array<?x32xbf16>, !tile.span<8, filled>) -> ()
  return
}

// -----

// Mapped rows lie a step of rows apart; a mapped column is not a run of elements.
// CHECK-LABEL: func.func @mapped_rows(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x32xf32, {{.*}}, %[[L:[^:]*]]: memref<?xf32, {{.*}}, %[[BASE:[^:]*]]: index, %[[OFFSET:[^:]*]]: index, %[[STEP:[^:]*]]: index
// CHECK:         %[[STRIDE:.*]] = ascend.stride %[[X]], 0
// CHECK:         %[[PRODUCT:.*]] = arith.muli %[[BASE]], %[[STEP]]
// CHECK:         %[[FIRST:.*]] = arith.addi %[[OFFSET]], %[[PRODUCT]]
// CHECK:         %[[PITCH:.*]] = arith.muli %[[STRIDE]], %[[STEP]]
// CHECK:         %[[FROM:.*]] = ascend.address %[[X]][%[[FIRST]], %c0]
// CHECK:         ascend.copy_in %{{.*}}, %[[FROM]] rows(%{{.*}}) length(%c32) src_pitch(%[[PITCH]])
// CHECK:         %[[PLACE:.*]] = ascend.address %[[L]][%[[FIRST]]]
// CHECK:         ascend.copy_in %{{.*}}, %[[PLACE]] rows(%{{.*}}) length(%c1) src_pitch(%[[STEP]]) dst_pitch 8
func.func @mapped_rows(%x: !tile.array<?x32xf32>, %l: !tile.array<?xf32>, %base: index, %offset: index, %step: index)
    attributes {tile.kernel} {
  %T = tile.dim %x, 0 : !tile.array<?x32xf32>
  %r = tile.make_span %base to %T map(%offset, %step) : !tile.span<8, mapped>
  %a = tile.load %x[%r span, :] : (!tile.array<?x32xf32>, !tile.span<8, mapped>) -> !tile.tile<8 x 32 x f32>
  %b = tile.load %l[%r span] : (!tile.array<?xf32>, !tile.span<8, mapped>) -> !tile.tile<8 x 1 x f32>
  return
}

// -----

// The entries of a table are looked up one by one.
// CHECK-LABEL: func.func @rows_of_a_table(
// CHECK:         scf.for %[[ROW:.*]] = %c0 to %{{.*}} step %c1 {
// CHECK:           %[[ENTRY:.*]] = ascend.lookup %{{.*}}[%[[ROW]]]
// CHECK:           %[[FROM:.*]] = ascend.address %[[ENTRY]][%{{.*}}, %c0]
// CHECK:           ascend.copy_in %{{.*}}, %[[FROM]] rows(%c1) length(%c64)
func.func @rows_of_a_table(%v: !tile.array<?x?x64xf32, table>, %t: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %N = tile.dim %v, 0 : !tile.array<?x?x64xf32, table>
  %n = tile.make_span %zero to %N : !tile.span<8>
  %a = tile.load %v[%n span, %t, :] : (!tile.array<?x?x64xf32, table>, !tile.span<8>, index) -> !tile.tile<8 x 64 x f32>
  return
}

// -----

// Where composites are kept, the last block of a row's padding is filled for all rows at once, by a repeat each ...
// CHECK-LABEL: func.func @last_blocks(
// CHECK:         ascend.copy_in %{{.*}} length(%c2017) {{.*}} dst_pitch 2032
// CHECK:         ascend.duplicate %{{.*}}, %{{.*}} mask 8 repeat(%c4) strides [1, 254]
func.func @last_blocks(%x: !tile.array<4x2017xf32>) attributes {tile.kernel, ascend.keep_composites} {
  %v = tile.load %x[:, :] : (!tile.array<4x2017xf32>) -> !tile.tile<4 x 2017 x f32>
  return
}

// -----

// ... unless the next row is further away than a repeat reaches, 255 blocks.
// CHECK-LABEL: func.func @last_blocks_far_apart(
// CHECK:         scf.for %[[ROW:.*]] = %c0 to %c4 step %c1 {
// CHECK:           %[[START:.*]] = arith.muli %[[ROW]], %c2048
// CHECK:           %[[FIRST:.*]] = arith.addi %[[START]], %c2040
// CHECK:           %[[LAST:.*]] = ascend.slice %{{.*}}[%[[FIRST]]]
// CHECK:           ascend.duplicate %[[LAST]], %{{.*}} count(%c8)
func.func @last_blocks_far_apart(%x: !tile.array<4x2033xf32>) attributes {tile.kernel, ascend.keep_composites} {
  %v = tile.load %x[:, :] : (!tile.array<4x2033xf32>) -> !tile.tile<4 x 2033 x f32>
  return
}
