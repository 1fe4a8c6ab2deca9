// RUN: attn-opt %s --ascend-expand-composites --canonicalize --cse -split-input-file -verify-diagnostics | FileCheck %s

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// Two contiguous rows: every step takes all rows in one instruction.
// CHECK-LABEL: func.func @reduce_long
// CHECK: ascend.block_reduce sum %[[T:.*]], %{{.*}} mask 64 repeat(%c128) strides [1, 1, 8]
// CHECK: %[[SECOND:.*]] = ascend.slice %[[T]][%c1024]
// CHECK: ascend.block_reduce sum %[[SECOND]], %[[T]] mask 64 repeat(%c16) strides [1, 1, 8]
// CHECK: ascend.whole_reduce sum %{{.*}}, %[[SECOND]] mask 64 repeat(%c2) strides [1, 1, 8]
func.func @reduce_long(%d: memref<8xf32, #ascend.space<ub>>, %s: memref<8192xf32, #ascend.space<ub>>,
                       %t: memref<1152xf32, #ascend.space<ub>>) attributes {ascend.kernel} {
  %c2 = arith.constant 2 : index
  ascend.row_reduce sum %d, %s, %t rows(%c2) cols 4096 pitch 4096 : memref<8xf32, #ascend.space<ub>>, memref<8192xf32, #ascend.space<ub>>, memref<1152xf32, #ascend.space<ub>>
  return
}

// More repeats than an instruction takes: three rows at a time.
// CHECK-LABEL: func.func @reduce_many_repeats
// CHECK: scf.for %[[I:.*]] = %c0 to %{{.*}} step %c3
// CHECK:   %[[COUNT:.*]] = arith.minsi
// CHECK:   %[[REPEATS:.*]] = arith.muli %[[COUNT]], %c64
// CHECK:   ascend.block_reduce max {{.*}} mask 64 repeat(%[[REPEATS]]) strides [1, 1, 8]
// CHECK: scf.for
// CHECK:   ascend.block_reduce
// CHECK: ascend.block_reduce max {{.*}} mask 64 repeat(%arg3) strides [1, 1, 8]
// CHECK: %[[EIGHTS:.*]] = arith.ceildivsi %arg3, %c8
// CHECK: ascend.block_reduce max %arg0, %arg2 mask 64 repeat(%[[EIGHTS]]) strides [1, 1, 8]
func.func @reduce_many_repeats(%d: memref<40xf32, #ascend.space<ub>>, %s: memref<163840xf32, #ascend.space<ub>>,
                       %t: memref<23040xf32, #ascend.space<ub>>, %rows: index) attributes {ascend.kernel} {
  ascend.row_reduce max %d, %s, %t rows(%rows) cols 4096 pitch 4096 : memref<40xf32, #ascend.space<ub>>, memref<163840xf32, #ascend.space<ub>>, memref<23040xf32, #ascend.space<ub>>
  return
}

// Short rows with padding: one instruction per 64 columns over all rows; only real elements take part.
// CHECK-LABEL: func.func @reduce_short
// CHECK: ascend.block_reduce max %{{.*}}, %{{.*}} mask 64 repeat(%[[R:.*]]) strides [2, 1, 16]
// CHECK: ascend.block_reduce max %{{.*}}, %{{.*}} mask 59 repeat(%[[R]]) strides [2, 1, 16]
// CHECK: ascend.whole_reduce max %{{.*}}, %{{.*}} mask 16 repeat(%[[R]]) strides [1, 1, 2]
func.func @reduce_short(%d: memref<8xf32, #ascend.space<ub>>, %s: memref<1024xf32, #ascend.space<ub>>,
                        %t: memref<192xf32, #ascend.space<ub>>, %rows: index) attributes {ascend.kernel} {
  ascend.row_reduce max %d, %s, %t rows(%rows) cols 123 pitch 128 : memref<8xf32, #ascend.space<ub>>, memref<1024xf32, #ascend.space<ub>>, memref<192xf32, #ascend.space<ub>>
  return
}

// At most 17 rows of two repeats, in buffers of 32: both areas of the scratch have 24, since blocks are folded eight rows at a time.
// CHECK-LABEL: func.func @reduce_part_of_eights
// CHECK: %[[SECOND:.*]] = ascend.slice %[[T:.*]][%c384]
// CHECK: ascend.binary max %[[SECOND]], %[[T]], %{{.*}} mask 64 repeat(%[[EIGHTS:.*]]) strides [1, 2, 2, 8, 16, 16]
// CHECK: ascend.block_reduce max %{{.*}}, %[[SECOND]] mask 64 repeat(%[[EIGHTS]])
func.func @reduce_part_of_eights(%d: memref<32xf32, #ascend.space<ub>>, %s: memref<4096xf32, #ascend.space<ub>>,
                                 %t: memref<768xf32, #ascend.space<ub>>, %n: index) attributes {ascend.kernel} {
  %c17 = arith.constant 17 : index
  %rows = arith.minsi %n, %c17 : index
  ascend.row_reduce max %d, %s, %t rows(%rows) cols 128 pitch 128 : memref<32xf32, #ascend.space<ub>>, memref<4096xf32, #ascend.space<ub>>, memref<768xf32, #ascend.space<ub>>
  return
}

// Many rows of one repeat: eight values per row, then one, for eight rows at a time. Where there is no room for the
// eights, and for few rows, a whole reduction.
// CHECK-LABEL: func.func @reduce_eights
// CHECK: ascend.block_reduce sum %[[T:.*]], %{{.*}} mask 64 repeat(%[[ROWS:.*]]) strides [1, 1, 8]
// CHECK: %[[EIGHTS:.*]] = arith.ceildivsi %[[ROWS]], %c8
// CHECK: ascend.block_reduce sum %[[D:.*]], %[[T]] mask 64 repeat(%[[EIGHTS]]) strides [1, 1, 8]
// CHECK: ascend.block_reduce max %[[T]], %{{.*}} mask 64 repeat(%[[ROWS]]) strides [1, 1, 10]
// CHECK: ascend.block_reduce max %[[D]], %[[T]]
// CHECK: ascend.whole_reduce sum
// CHECK: ascend.whole_reduce sum
func.func @reduce_eights(%d: memref<24xf32, #ascend.space<ub>>, %s: memref<1600xf32, #ascend.space<ub>>,
                         %t: memref<320xf32, #ascend.space<ub>>, %u: memref<8xf32, #ascend.space<ub>>, %n: index) attributes {ascend.kernel} {
  %c4 = arith.constant 4 : index
  %c20 = arith.constant 20 : index
  %rows = arith.minsi %n, %c20 : index
  ascend.row_reduce sum %d, %s, %t rows(%rows) cols 64 pitch 64 : memref<24xf32, #ascend.space<ub>>, memref<1600xf32, #ascend.space<ub>>, memref<320xf32, #ascend.space<ub>>
  ascend.row_reduce max %d, %s, %t rows(%rows) cols 64 pitch 80 : memref<24xf32, #ascend.space<ub>>, memref<1600xf32, #ascend.space<ub>>, memref<320xf32, #ascend.space<ub>>
  ascend.row_reduce sum %d, %s, %u rows(%rows) cols 64 pitch 64 : memref<24xf32, #ascend.space<ub>>, memref<1600xf32, #ascend.space<ub>>, memref<8xf32, #ascend.space<ub>>
  ascend.row_reduce sum %d, %s, %t rows(%c4) cols 64 pitch 64 : memref<24xf32, #ascend.space<ub>>, memref<1600xf32, #ascend.space<ub>>, memref<320xf32, #ascend.space<ub>>
  return
}

// Many rows of some repeats: what is left of each row, three data blocks, are combined for eight rows at a time.
// CHECK-LABEL: func.func @reduce_blocks
// CHECK: ascend.block_reduce sum %[[T:.*]], %{{.*}} mask 64 repeat(%{{.*}}) strides [1, 1, 8]
// CHECK: %[[E:.*]] = ascend.slice %[[T]][%c576]
// CHECK: %[[REPEATS:.*]] = arith.ceildivsi
// CHECK: %[[ONE:.*]] = ascend.slice %[[T]][%c8]
// CHECK: ascend.binary add %[[E]], %[[T]], %[[ONE]] mask 64 repeat(%[[REPEATS]]) strides [1, 3, 3, 8, 24, 24]
// CHECK: %[[TWO:.*]] = ascend.slice %[[T]][%c16]
// CHECK: ascend.binary add %[[E]], %[[E]], %[[TWO]] mask 64 repeat(%[[REPEATS]]) strides [1, 1, 3, 8, 8, 24]
// CHECK: ascend.block_reduce sum %{{.*}}, %[[E]] mask 64 repeat(%[[REPEATS]]) strides [1, 1, 8]
// CHECK-NOT: whole_reduce
func.func @reduce_blocks(%d: memref<24xf32, #ascend.space<ub>>, %s: memref<4608xf32, #ascend.space<ub>>,
                         %t: memref<768xf32, #ascend.space<ub>>, %n: index) attributes {ascend.kernel} {
  %c24 = arith.constant 24 : index
  %rows = arith.minsi %n, %c24 : index
  ascend.row_reduce sum %d, %s, %t rows(%rows) cols 192 pitch 192 : memref<24xf32, #ascend.space<ub>>, memref<4608xf32, #ascend.space<ub>>, memref<768xf32, #ascend.space<ub>>
  return
}

// CHECK-LABEL: func.func @reduce_one_repeat
// CHECK-NEXT: ascend.whole_reduce min %arg0, %arg1 mask 20 repeat(%arg3) strides [1, 1, 4]
// CHECK-NEXT: return
func.func @reduce_one_repeat(%d: memref<8xf32, #ascend.space<ub>>, %s: memref<256xf32, #ascend.space<ub>>,
                             %t: memref<8xf32, #ascend.space<ub>>, %rows: index) attributes {ascend.kernel} {
  ascend.row_reduce min %d, %s, %t rows(%rows) cols 20 pitch 32 : memref<8xf32, #ascend.space<ub>>, memref<256xf32, #ascend.space<ub>>, memref<8xf32, #ascend.space<ub>>
  return
}

// A row of its own, not a multiple of 512 columns.
// CHECK-LABEL: func.func @reduce_one_row
// CHECK-NOT: scf.for
// CHECK: ascend.block_reduce sum %{{.*}}, %{{.*}} mask 64 repeat(%c15) strides [1, 1, 8]
// CHECK: ascend.block_reduce sum %{{.*}}, %{{.*}} mask 40 repeat(%c1) strides [1, 1, 8]
// CHECK: ascend.block_reduce sum %{{.*}}, %{{.*}} mask 64 repeat(%c1) strides [1, 1, 8]
// CHECK: ascend.block_reduce sum %{{.*}}, %{{.*}} mask 61 repeat(%c1) strides [1, 1, 8]
// CHECK: ascend.whole_reduce sum %{{.*}}, %{{.*}} mask 16 repeat(%c1) strides [1, 1, 2]
func.func @reduce_one_row(%d: memref<8xf32, #ascend.space<ub>>, %s: memref<1008xf32, #ascend.space<ub>>,
                          %t: memref<144xf32, #ascend.space<ub>>) attributes {ascend.kernel} {
  %c1 = arith.constant 1 : index
  ascend.row_reduce sum %d, %s, %t rows(%c1) cols 1000 pitch 1008 : memref<8xf32, #ascend.space<ub>>, memref<1008xf32, #ascend.space<ub>>, memref<144xf32, #ascend.space<ub>>
  return
}

// CHECK-LABEL: func.func @column_long
// CHECK: %[[EIGHTS:.*]] = arith.ceildivsi %[[ROWS:.*]], %c8
// CHECK: ascend.brcb %[[T:.*]], %{{.*}} repeat(%[[EIGHTS]]) strides [1, 8]
// CHECK: scf.for %[[ROW:.*]] = %c0 to %[[ROWS]] step %c1
// CHECK:   %[[OFFSET:.*]] = arith.muli %[[ROW]], %c4112
// CHECK:   %[[AT:.*]] = arith.muli %[[ROW]], %c8
// CHECK:   %[[BLOCK:.*]] = ascend.slice %[[T]][%[[AT]]]
// CHECK:   ascend.binary sub %{{.*}}, %{{.*}}, %[[BLOCK]] mask 64 repeat(%c64) strides [1, 1, 0, 8, 8, 0]
// CHECK:   %[[TAIL:.*]] = arith.addi %[[OFFSET]], %c4096
// CHECK:   ascend.binary sub %{{.*}}, %{{.*}}, %[[BLOCK]] mask 16 repeat(%c1) strides [1, 1, 0, 8, 8, 0]
func.func @column_long(%d: memref<8224xf32, #ascend.space<ub>>, %c: memref<8xf32, #ascend.space<ub>>,
                       %t: memref<64xf32, #ascend.space<ub>>, %rows: index) attributes {ascend.kernel} {
  ascend.row_binary sub %d, %d, %c, %t rows(%rows) cols 4100 pitch 4112 : memref<8224xf32, #ascend.space<ub>>, memref<8224xf32, #ascend.space<ub>>, memref<8xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
  return
}

// CHECK-LABEL: func.func @column_short
// CHECK: ascend.brcb %[[T:.*]], %{{.*}} repeat(%{{.*}}) strides [1, 8]
// CHECK: ascend.mul_add %{{.*}}, %{{.*}}, %[[T]] mask 64 repeat(%[[ROWS:.*]]) strides [1, 1, 0, 16, 16, 1]
// CHECK: ascend.mul_add %{{.*}}, %{{.*}}, %[[T]] mask 64 repeat(%[[ROWS]]) strides [1, 1, 0, 16, 16, 1]
// CHECK-NEXT: return
func.func @column_short(%d: memref<2048xf32, #ascend.space<ub>>, %s: memref<2048xf32, #ascend.space<ub>>, %c: memref<16xf32, #ascend.space<ub>>,
                        %t: memref<128xf32, #ascend.space<ub>>, %rows: index) attributes {ascend.kernel} {
  ascend.row_mul_add %d, %s, %c, %t rows(%rows) cols 123 pitch 128 : memref<2048xf32, #ascend.space<ub>>, memref<2048xf32, #ascend.space<ub>>, memref<16xf32, #ascend.space<ub>>, memref<128xf32, #ascend.space<ub>>
  return
}

// Up to eight slices of rows are written out.
// CHECK-LABEL: func.func @column_slices
// CHECK: ascend.brcb %[[T:.*]], %{{.*}} repeat(%{{.*}}) strides [1, 8]
// CHECK-NOT: scf.for
// CHECK-COUNT-8: ascend.binary sub %{{.*}}, %{{.*}}, %[[T]] mask 64 repeat(%{{.*}}) strides [1, 1, 0, 64, 64, 1]
// CHECK-NEXT: return
func.func @column_slices(%d: memref<8192xf32, #ascend.space<ub>>, %c: memref<16xf32, #ascend.space<ub>>,
                         %t: memref<128xf32, #ascend.space<ub>>, %rows: index) attributes {ascend.kernel} {
  ascend.row_binary sub %d, %d, %c, %t rows(%rows) cols 512 pitch 512 : memref<8192xf32, #ascend.space<ub>>, memref<8192xf32, #ascend.space<ub>>, memref<16xf32, #ascend.space<ub>>, memref<128xf32, #ascend.space<ub>>
  return
}

// CHECK-LABEL: func.func @row_once
// CHECK: ascend.binary mul %arg0, %arg0, %arg1 count(%c4096)
// CHECK-NEXT: return
func.func @row_once(%d: memref<4096xf32, #ascend.space<ub>>, %r: memref<4096xf32, #ascend.space<ub>>) attributes {ascend.kernel} {
  %c1 = arith.constant 1 : index
  ascend.col_binary mul %d, %d, %r rows(%c1) cols 4096 pitch 4096 : memref<4096xf32, #ascend.space<ub>>, memref<4096xf32, #ascend.space<ub>>, memref<4096xf32, #ascend.space<ub>>
  return
}

// CHECK-LABEL: func.func @row_short
// CHECK: ascend.binary add %arg0, %arg0, %arg1 mask 64 repeat(%arg2) strides [1, 1, 1, 10, 10, 0]
// CHECK: ascend.binary add %{{.*}} mask 16 repeat(%arg2) strides [1, 1, 1, 10, 10, 0]
// CHECK-NEXT: return
func.func @row_short(%d: memref<640xf32, #ascend.space<ub>>, %r: memref<80xf32, #ascend.space<ub>>, %rows: index) attributes {ascend.kernel} {
  ascend.col_binary add %d, %d, %r rows(%rows) cols 72 pitch 80 : memref<640xf32, #ascend.space<ub>>, memref<640xf32, #ascend.space<ub>>, memref<80xf32, #ascend.space<ub>>
  return
}

}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @too_small(%d: memref<8xf32, #ascend.space<ub>>, %s: memref<8192xf32, #ascend.space<ub>>,
                     %t: memref<8xf32, #ascend.space<ub>>) attributes {ascend.kernel} {
  %c2 = arith.constant 2 : index
  // expected-error @+1 {{has a buffer that does not hold 2 rows}}
  ascend.row_reduce sum %d, %s, %t rows(%c2) cols 4096 pitch 4096 : memref<8xf32, #ascend.space<ub>>, memref<8192xf32, #ascend.space<ub>>, memref<8xf32, #ascend.space<ub>>
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @unbounded(%d: memref<?xf32, #ascend.space<ub>>, %r: memref<64xf32, #ascend.space<ub>>, %rows: index) attributes {ascend.kernel} {
  // expected-error @+1 {{has neither a bound on its rows nor a buffer of known size}}
  ascend.col_binary mul %d, %d, %r rows(%rows) cols 64 pitch 64 : memref<?xf32, #ascend.space<ub>>, memref<?xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
  return
}
}

// -----

module attributes {machine.target = #machine.target<"host">} {
// expected-error @+1 {{is for a chip with pipes, but the module's target is 'host'}}
func.func @host(%d: memref<64xf32, #ascend.space<ub>>, %r: memref<64xf32, #ascend.space<ub>>, %rows: index) attributes {ascend.kernel} {
  ascend.col_binary mul %d, %d, %r rows(%rows) cols 64 pitch 64 : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
  return
}
}
