// RUN: attn-opt %s --soc=Ascend910B4 --convert-tile-to-ascend --cse --split-input-file | FileCheck %s

// Along rows: only valid rows and real columns take part. Scratch of a row: a value per block of 8 elements,
// in whole repeats of 64, and then one per block of those.
// CHECK-LABEL: func.func @along_rows(
// CHECK-DAG:     %[[A:.*]] = ascend.alloc "a" counted {{[0-9]+}} : memref<256xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[S:.*]] = ascend.alloc "s" counted {{[0-9]+}} : memref<8xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[SCRATCH:.*]] = ascend.alloc "s_reduce" counted {{[0-9]+}} : memref<48xf32, #ascend.space<ub>>
// CHECK:         %[[VALID:.*]] = arith.maxsi
// CHECK:         ascend.row_reduce {{ *}}sum %[[S]], %[[A]], %[[SCRATCH]] rows(%[[VALID]]) cols 123 pitch 128
// CHECK:         ascend.row_reduce {{ *}}max %{{.*}}, %[[A]], %{{.*}} rows(%[[VALID]]) cols 123 pitch 128
// CHECK:         ascend.row_reduce {{ *}}min %{{.*}}, %[[A]], %{{.*}} rows(%[[VALID]]) cols 123 pitch 128
func.func @along_rows(%x: !tile.array<?x123xf32>, %base: index) attributes {tile.kernel} {
  %T = tile.dim %x, 0 : !tile.array<?x123xf32>
  %t = tile.make_span %base to %T : !tile.span<2>
  %a = tile.load %x[%t span, :] : (!tile.array<?x123xf32>, !tile.span<2>) -> !tile.tile<2 x 123 x f32> loc("a")
  %s = tile.reduce sum %a axis 1 : !tile.tile<2 x 123 x f32> -> !tile.tile<2 x 1 x f32> loc("s")
  %m = tile.reduce max %a axis 1 : !tile.tile<2 x 123 x f32> -> !tile.tile<2 x 1 x f32> loc("m")
  %n = tile.reduce min %a axis 1 : !tile.tile<2 x 123 x f32> -> !tile.tile<2 x 1 x f32> loc("n")
  return
}

// -----

// The scratch of long rows: 1 * (64 * 8 + 64), 3 * (17 * 8 + 24), 64 * (1 * 8 + 8) elements.
// CHECK-LABEL: func.func @scratch(
// CHECK-DAG:     ascend.alloc "a_reduce" counted {{[0-9]+}} : memref<576xf32, #ascend.space<ub>>
// CHECK-DAG:     ascend.alloc "b_reduce" counted {{[0-9]+}} : memref<480xf32, #ascend.space<ub>>
// CHECK-DAG:     ascend.alloc "c_reduce" counted {{[0-9]+}} : memref<1024xf32, #ascend.space<ub>>
func.func @scratch(%x: !tile.array<1x4096xf32>, %y: !tile.array<3x1025xf32>, %z: !tile.array<64x10xf32>)
    attributes {tile.kernel} {
  %0 = tile.load %x[:, :] : (!tile.array<1x4096xf32>) -> !tile.tile<1 x 4096 x f32>
  %1 = tile.load %y[:, :] : (!tile.array<3x1025xf32>) -> !tile.tile<3 x 1025 x f32>
  %2 = tile.load %z[:, :] : (!tile.array<64x10xf32>) -> !tile.tile<64 x 10 x f32>
  %a = tile.reduce sum %0 axis 1 : !tile.tile<1 x 4096 x f32> -> !tile.tile<1 x 1 x f32> loc("a")
  %b = tile.reduce sum %1 axis 1 : !tile.tile<3 x 1025 x f32> -> !tile.tile<3 x 1 x f32> loc("b")
  %c = tile.reduce sum %2 axis 1 : !tile.tile<64 x 10 x f32> -> !tile.tile<64 x 1 x f32> loc("c")
  return
}

// -----

// Down the columns: row after row onto the first; without any, onto what changes nothing.
// CHECK-LABEL: func.func @down_columns(
// CHECK-DAG:     %[[A:.*]] = ascend.alloc "a" counted {{[0-9]+}} : memref<384xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[S:.*]] = ascend.alloc "s" counted {{[0-9]+}} : memref<128xf32, #ascend.space<ub>>
// CHECK:         %[[VALID:.*]] = arith.maxsi
// CHECK:         ascend.duplicate %[[S]], %{{.*}} count(%c128)
// CHECK:         %[[LEAST:.*]] = arith.minsi %[[VALID]], %c1
// CHECK:         %[[ANY:.*]] = arith.maxsi %[[LEAST]], %c0
// CHECK:         %[[TAKEN:.*]] = arith.muli %[[ANY]], %c128
// CHECK:         ascend.copy %[[S]], %[[A]] count(%[[TAKEN]])
// CHECK:         scf.for %[[I:.*]] = %c1 to %[[VALID]] step %c1 {
// CHECK:           %[[OFFSET:.*]] = arith.muli %[[I]], %c128
// CHECK:           %[[ROW:.*]] = ascend.slice %[[A]][%[[OFFSET]]]
// CHECK:           ascend.binary {{ *}}add %[[S]], %[[S]], %[[ROW]] count(%c128)
// CHECK:         ascend.binary {{ *}}max
// CHECK:         ascend.binary {{ *}}min
func.func @down_columns(%x: !tile.array<?x123xf32>, %base: index) attributes {tile.kernel} {
  %T = tile.dim %x, 0 : !tile.array<?x123xf32>
  %t = tile.make_span %base to %T : !tile.span<3>
  %a = tile.load %x[%t span, :] : (!tile.array<?x123xf32>, !tile.span<3>) -> !tile.tile<3 x 123 x f32> loc("a")
  %s = tile.reduce sum %a axis 0 : !tile.tile<3 x 123 x f32> -> !tile.tile<1 x 123 x f32> loc("s")
  %m = tile.reduce max %a axis 0 : !tile.tile<3 x 123 x f32> -> !tile.tile<1 x 123 x f32> loc("m")
  %n = tile.reduce min %a axis 0 : !tile.tile<3 x 123 x f32> -> !tile.tile<1 x 123 x f32> loc("n")
  return
}

// -----

// Of many short rows, an instruction combines 64 columns of all.
// CHECK-LABEL: func.func @down_short_rows(
// CHECK-DAG:     %[[A:.*]] = ascend.alloc "a" counted {{[0-9]+}} : memref<1024xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[S:.*]] = ascend.alloc "s" counted {{[0-9]+}} : memref<128xf32, #ascend.space<ub>>
// CHECK:         %[[VALID:.*]] = arith.maxsi
// CHECK:         ascend.duplicate %[[S]], %{{.*}} count(%c128)
// CHECK:         %[[LEAST:.*]] = arith.minsi %[[VALID]], %c1
// CHECK:         %[[ANY:.*]] = arith.maxsi %[[LEAST]], %c0
// CHECK:         %[[TAKEN:.*]] = arith.muli %[[ANY]], %c128
// CHECK:         ascend.copy %[[S]], %[[A]] count(%[[TAKEN]])
// CHECK:         %[[LESS:.*]] = arith.subi %[[VALID]], %c1
// CHECK:         %[[MOST:.*]] = arith.minsi %[[LESS]], %c7
// CHECK:         %[[REST:.*]] = arith.maxsi %[[MOST]], %c0
// CHECK:         %[[SECOND:.*]] = ascend.slice %[[A]][%c128]
// CHECK:         ascend.binary {{ *}}max %[[S]], %[[SECOND]], %[[S]] mask 64 repeat(%[[REST]]) strides [1, 1, 1, 0, 16, 0]
// CHECK:         %[[TO:.*]] = ascend.slice %[[S]][%c64]
// CHECK:         %[[FROM:.*]] = ascend.slice %[[A]][%c192]
// CHECK:         ascend.binary {{ *}}max %[[TO]], %[[FROM]], %[[TO]] mask 64 repeat(%[[REST]]) strides [1, 1, 1, 0, 16, 0]
func.func @down_short_rows(%x: !tile.array<?x123xf32>, %base: index) attributes {tile.kernel} {
  %T = tile.dim %x, 0 : !tile.array<?x123xf32>
  %t = tile.make_span %base to %T : !tile.span<8>
  %a = tile.load %x[%t span, :] : (!tile.array<?x123xf32>, !tile.span<8>) -> !tile.tile<8 x 123 x f32> loc("a")
  %s = tile.reduce max %a axis 0 : !tile.tile<8 x 123 x f32> -> !tile.tile<1 x 123 x f32> loc("s")
  return
}

// -----

// Down one column: its valid values and neutral elements are one row.
// CHECK-LABEL: func.func @down_one_column(
// CHECK-DAG:     %[[C:.*]] = ascend.alloc "c" counted {{[0-9]+}} : memref<16xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[S:.*]] = ascend.alloc "s" counted {{[0-9]+}} : memref<8xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[ROW:.*]] = ascend.alloc "s_neutral" counted {{[0-9]+}} : memref<16xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[SCRATCH:.*]] = ascend.alloc "s_reduce" counted {{[0-9]+}} : memref<16xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:         %[[VALID:.*]] = arith.maxsi
// CHECK:         ascend.duplicate %[[ROW]], %[[LOWEST]] count(%c16)
// CHECK:         ascend.scalar {{ *}}muls %[[ROW]], %[[C]], %[[ONE]] count(%[[VALID]])
// CHECK:         ascend.row_reduce {{ *}}max %[[S]], %[[ROW]], %[[SCRATCH]] rows(%c1) cols 12 pitch 16
func.func @down_one_column(%x: !tile.array<?xf32>, %base: index) attributes {tile.kernel} {
  %T = tile.dim %x, 0 : !tile.array<?xf32>
  %t = tile.make_span %base to %T : !tile.span<12>
  %c = tile.load %x[%t span] : (!tile.array<?xf32>, !tile.span<12>) -> !tile.tile<12 x 1 x f32> loc("c")
  %s = tile.reduce max %c axis 0 : !tile.tile<12 x 1 x f32> -> !tile.tile<1 x 1 x f32> loc("s")
  return
}

// -----

// Nothing to reduce.
// CHECK-LABEL: func.func @nothing_to_reduce(
// CHECK-DAG:     %[[A:.*]] = ascend.alloc "a" counted {{[0-9]+}} : memref<64xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[B:.*]] = ascend.alloc "b" counted {{[0-9]+}} : memref<64xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[C:.*]] = ascend.alloc "c" counted {{[0-9]+}} : memref<8xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[D:.*]] = ascend.alloc "d" counted {{[0-9]+}} : memref<8xf32, #ascend.space<ub>>
// CHECK:         ascend.copy %[[B]], %[[A]] count(%c64)
// CHECK:         ascend.scalar {{ *}}muls %[[D]], %[[C]], %{{.*}} count(%c1)
func.func @nothing_to_reduce(%x: !tile.array<64xf32>, %k: index) attributes {tile.kernel} {
  %a = tile.load %x[:] : (!tile.array<64xf32>) -> !tile.tile<1 x 64 x f32> loc("a")
  %b = tile.reduce sum %a axis 0 : !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 64 x f32> loc("b")
  %c = tile.load %x[%k] : (!tile.array<64xf32>, index) -> !tile.tile<1 x 1 x f32> loc("c")
  %d = tile.reduce sum %c axis 1 : !tile.tile<1 x 1 x f32> -> !tile.tile<1 x 1 x f32> loc("d")
  return
}

// -----

// The sum along the rows of a product: 64 columns at a time are multiplied and added up, the product is not written.
// CHECK-LABEL: func.func @dot(
// CHECK-DAG:     %[[A:.*]] = ascend.alloc "a" counted {{[0-9]+}} : memref<2304xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[B:.*]] = ascend.alloc "b" counted {{[0-9]+}} : memref<2304xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[S:.*]] = ascend.alloc "s" counted {{[0-9]+}} : memref<16xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[PRODUCTS:.*]] = ascend.alloc "s_products" counted {{[0-9]+}} : memref<1024xf32, #ascend.space<ub>>
// CHECK-NOT:     ascend.alloc "p"
// CHECK:         ascend.binary {{ *}}mul %[[PRODUCTS]], %[[A]], %[[B]] mask 64 repeat(%c16) strides [1, 1, 1, 8, 18, 18]
// CHECK:         %[[LEFT:.*]] = ascend.slice %[[A]][%c64]
// CHECK:         %[[RIGHT:.*]] = ascend.slice %[[B]][%c64]
// CHECK:         ascend.mul_add %[[PRODUCTS]], %[[LEFT]], %[[RIGHT]] mask 64 repeat(%c16) strides [1, 1, 1, 8, 18, 18]
// CHECK:         ascend.mul_add %[[PRODUCTS]], %{{.*}}, %{{.*}} mask 2 repeat(%c16) strides [1, 1, 1, 8, 18, 18]
// CHECK:         ascend.row_reduce {{ *}}sum %[[S]], %[[PRODUCTS]], %{{.*}} rows(%c16) cols 64 pitch 64
func.func @dot(%x: !tile.array<16x130xf32>, %y: !tile.array<?xf32>, %n: index) attributes {tile.kernel} {
  %t = tile.make_span %n to %n : !tile.span<16>
  %a = tile.load %x[:, :] : (!tile.array<16x130xf32>) -> !tile.tile<16 x 130 x f32> loc("a")
  %b = tile.load %x[:, :] : (!tile.array<16x130xf32>) -> !tile.tile<16 x 130 x f32> loc("b")
  %p = tile.mul %a, %b : !tile.tile<16 x 130 x f32>, !tile.tile<16 x 130 x f32> -> !tile.tile<16 x 130 x f32> loc("p")
  %s = tile.reduce sum %p axis 1 : !tile.tile<16 x 130 x f32> -> !tile.tile<16 x 1 x f32> loc("s")
  tile.store %s, %y[%t span] : (!tile.tile<16 x 1 x f32>, !tile.array<?xf32>, !tile.span<16>) -> ()
  return
}

// -----

// A product that something else needs is written; so is one of few rows.
// CHECK-LABEL: func.func @written_products(
// CHECK-COUNT-2: ascend.row_reduce {{ *}}sum %{{.*}} cols 128 pitch 128
func.func @written_products(%x: !tile.array<16x128xf32>, %y: !tile.array<4x128xf32>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<16x128xf32>) -> !tile.tile<16 x 128 x f32>
  %p = tile.mul %a, %a : !tile.tile<16 x 128 x f32>, !tile.tile<16 x 128 x f32> -> !tile.tile<16 x 128 x f32>
  %s = tile.reduce sum %p axis 1 : !tile.tile<16 x 128 x f32> -> !tile.tile<16 x 1 x f32>
  tile.store %p, %x[:, :] : (!tile.tile<16 x 128 x f32>, !tile.array<16x128xf32>) -> ()
  %b = tile.load %y[:, :] : (!tile.array<4x128xf32>) -> !tile.tile<4 x 128 x f32>
  %q = tile.mul %b, %b : !tile.tile<4 x 128 x f32>, !tile.tile<4 x 128 x f32> -> !tile.tile<4 x 128 x f32>
  %t = tile.reduce sum %q axis 1 : !tile.tile<4 x 128 x f32> -> !tile.tile<4 x 1 x f32>
  return
}
