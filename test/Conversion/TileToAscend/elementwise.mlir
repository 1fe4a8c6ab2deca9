// RUN: attn-opt %s --soc=Ascend910B4 --convert-tile-to-ascend --cse --split-input-file | FileCheck %s

// Two whole tiles: the padding between rows is computed along. A result takes the place of an operand that is
// not used any more.
// CHECK-LABEL: func.func @elements(
// CHECK-DAG:     %[[A:.*]] = ascend.alloc "a" counted {{[0-9]+}} : memref<224xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[D:.*]] = ascend.alloc "d" counted {{[0-9]+}} : memref<224xf32, #ascend.space<ub>>
// CHECK:         ascend.copy_in %[[A]]
// CHECK:         %[[COUNT:.*]] = arith.muli %{{.*}}, %c112 : index
// CHECK:         ascend.binary {{ *}}mul %[[D]], %[[A]], %[[A]] count(%[[COUNT]])
// CHECK:         ascend.binary {{ *}}sub %[[D]], %[[D]], %[[A]] count(%[[COUNT]])
// CHECK:         ascend.binary {{ *}}div %[[D]], %[[A]], %[[D]] count(%[[COUNT]])
// CHECK:         ascend.binary {{ *}}max %[[D]], %[[D]], %[[A]] count(%[[COUNT]])
// CHECK:         ascend.binary {{ *}}min %[[A]], %[[A]], %[[D]] count(%[[COUNT]])
func.func @elements(%x: !tile.array<?x100xf32>, %base: index) attributes {tile.kernel} {
  %T = tile.dim %x, 0 : !tile.array<?x100xf32>
  %t = tile.make_span %base to %T : !tile.span<2>
  %a = tile.load %x[%t span, :] : (!tile.array<?x100xf32>, !tile.span<2>) -> !tile.tile<2 x 100 x f32> loc("a")
  %b = tile.mul %a, %a : !tile.tile<2 x 100 x f32>, !tile.tile<2 x 100 x f32> -> !tile.tile<2 x 100 x f32> loc("d")
  %c = tile.sub %b, %a : !tile.tile<2 x 100 x f32>, !tile.tile<2 x 100 x f32> -> !tile.tile<2 x 100 x f32> loc("d")
  %d = tile.div %a, %c : !tile.tile<2 x 100 x f32>, !tile.tile<2 x 100 x f32> -> !tile.tile<2 x 100 x f32> loc("d")
  %e = tile.maximum %d, %a : !tile.tile<2 x 100 x f32>, !tile.tile<2 x 100 x f32> -> !tile.tile<2 x 100 x f32> loc("d")
  %f = tile.minimum %a, %e : !tile.tile<2 x 100 x f32>, !tile.tile<2 x 100 x f32> -> !tile.tile<2 x 100 x f32> loc("a")
  tile.store %f, %x[%t span, :] : (!tile.tile<2 x 100 x f32>, !tile.array<?x100xf32>, !tile.span<2>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @unary(
// CHECK-DAG:     %[[A:.*]] = ascend.alloc "a" counted {{[0-9]+}} : memref<64xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[ONE:.*]] = ascend.alloc "a_one" counted {{[0-9]+}} : memref<64xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[NUMBER:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:         ascend.unary {{ *}}exp %[[A]], %[[A]] count(%c64)
// CHECK:         ascend.unary {{ *}}ln %[[A]], %[[A]] count(%c64)
// CHECK:         ascend.unary {{ *}}abs %[[A]], %[[A]] count(%c64)
// CHECK:         ascend.unary {{ *}}sqrt %[[A]], %[[A]] count(%c64)
// The chip's own reciprocal root is an approximation: root, then division.
// CHECK:         ascend.unary {{ *}}sqrt %[[A]], %[[A]] count(%c64)
// CHECK:         ascend.duplicate %[[ONE]], %[[NUMBER]] count(%c64)
// CHECK:         ascend.binary {{ *}}div %[[A]], %[[ONE]], %[[A]] count(%c64)
func.func @unary(%x: !tile.array<64xf32>) attributes {tile.kernel} {
  %a = tile.load %x[:] : (!tile.array<64xf32>) -> !tile.tile<1 x 64 x f32> loc("a")
  %b = tile.exp %a : !tile.tile<1 x 64 x f32> loc("a")
  %c = tile.log %b : !tile.tile<1 x 64 x f32> loc("a")
  %d = tile.abs %c : !tile.tile<1 x 64 x f32> loc("a")
  %e = tile.sqrt %d : !tile.tile<1 x 64 x f32> loc("a")
  %f = tile.rsqrt %e : !tile.tile<1 x 64 x f32> loc("a")
  tile.store %f, %x[:] : (!tile.tile<1 x 64 x f32>, !tile.array<64xf32>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @cast(
// CHECK-DAG:     %[[A:.*]] = ascend.alloc "a" counted {{[0-9]+}} : memref<16xbf16, #ascend.space<ub>>
// CHECK-DAG:     %[[B:.*]] = ascend.alloc "b" counted {{[0-9]+}} : memref<16xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[C:.*]] = ascend.alloc "c" counted {{[0-9]+}} : memref<16xf16, #ascend.space<ub>>
// CHECK:         ascend.cast {{ *}}none %[[B]], %[[A]] count(%c16)
// CHECK:         ascend.cast {{ *}}rint %[[C]], %[[B]] count(%c16)
func.func @cast(%x: !tile.array<10xbf16>, %y: !tile.array<10xf16>) attributes {tile.kernel} {
  %a = tile.load %x[:] : (!tile.array<10xbf16>) -> !tile.tile<1 x 10 x bf16> loc("a")
  %b = tile.cast %a : !tile.tile<1 x 10 x bf16> -> !tile.tile<1 x 10 x f32> loc("b")
  %c = tile.cast %b : !tile.tile<1 x 10 x f32> -> !tile.tile<1 x 10 x f16> loc("c")
  tile.store %c, %y[:] : (!tile.tile<1 x 10 x f16>, !tile.array<10xf16>) -> ()
  return
}

// -----

// HIVM has no leaky ReLU: where composites are kept, it is the sum of its two halves.
// CHECK-LABEL: func.func @leaky_relu(
// CHECK-SAME:    %[[S:[^:]*]]: f32
// CHECK:         %[[A:.*]] = ascend.alloc "a" counted 0
// CHECK-NOT:     ascend.alloc
// CHECK:         ascend.scalar {{ *}}leaky_relu %[[A]], %[[A]], %[[S]] count(%c64)
// CHECK-LABEL: func.func @leaky_relu_kept(
// CHECK-SAME:    %[[S:[^:]*]]: f32
// CHECK-DAG:     %[[A:.*]] = ascend.alloc "a" counted
// CHECK-DAG:     %[[HALF:.*]] = ascend.alloc "a_positive" counted {{[0-9]+}} : memref<64xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         ascend.scalar {{ *}}maxs %[[HALF]], %[[A]], %[[ZERO]] count(%c64)
// CHECK-NEXT:    ascend.scalar {{ *}}mins %[[A]], %[[A]], %[[ZERO]] count(%c64)
// CHECK-NEXT:    ascend.scalar {{ *}}muls %[[A]], %[[A]], %[[S]] count(%c64)
// CHECK-NEXT:    ascend.binary {{ *}}add %[[A]], %[[A]], %[[HALF]] count(%c64)
func.func @leaky_relu(%x: !tile.array<64xf32>, %s: f32) attributes {tile.kernel} {
  %a = tile.load %x[:] : (!tile.array<64xf32>) -> !tile.tile<1 x 64 x f32> loc("a")
  %b = tile.leaky_relu %a, %s : !tile.tile<1 x 64 x f32> loc("a")
  tile.store %b, %x[:] : (!tile.tile<1 x 64 x f32>, !tile.array<64xf32>) -> ()
  return
}
func.func @leaky_relu_kept(%x: !tile.array<64xf32>, %s: f32) attributes {tile.kernel, ascend.keep_composites} {
  %a = tile.load %x[:] : (!tile.array<64xf32>) -> !tile.tile<1 x 64 x f32> loc("a")
  %b = tile.leaky_relu %a, %s : !tile.tile<1 x 64 x f32> loc("a")
  tile.store %b, %x[:] : (!tile.tile<1 x 64 x f32>, !tile.array<64xf32>) -> ()
  return
}

// -----

// A splat is a scalar operand, without a buffer. Division by a power of two is a multiplication; any other
// divides by, or divides, a buffer full of the scalar.
// CHECK-LABEL: func.func @scalar(
// CHECK-SAME:    %[[S:[^:]*]]: f32
// CHECK-DAG:     %[[A:.*]] = ascend.alloc "a" counted {{[0-9]+}} : memref<64xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[B:.*]] = ascend.alloc "b" counted {{[0-9]+}} : memref<64xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[C:.*]] = ascend.alloc "c" counted {{[0-9]+}} : memref<64xf32, #ascend.space<ub>>
// CHECK-NOT:     ascend.alloc
// CHECK-DAG:     %[[THREE:.*]] = arith.constant 3.000000e+00 : f32
// CHECK-DAG:     %[[MINUS3:.*]] = arith.constant -3.000000e+00 : f32
// CHECK-DAG:     %[[MINUS1:.*]] = arith.constant -1.000000e+00 : f32
// CHECK-DAG:     %[[QUARTER:.*]] = arith.constant 2.500000e-01 : f32
// CHECK:         ascend.scalar {{ *}}adds %[[A]], %[[A]], %[[THREE]] count(%c64)
// CHECK:         ascend.scalar {{ *}}adds %[[A]], %[[A]], %[[MINUS3]] count(%c64)
// CHECK:         %[[NEGATED:.*]] = arith.negf %[[S]]
// CHECK:         ascend.scalar {{ *}}adds %[[A]], %[[A]], %[[NEGATED]] count(%c64)
// CHECK:         ascend.scalar {{ *}}muls %[[A]], %[[A]], %[[MINUS1]] count(%c64)
// CHECK:         ascend.scalar {{ *}}adds %[[A]], %[[A]], %[[S]] count(%c64)
// CHECK:         ascend.scalar {{ *}}muls %[[A]], %[[A]], %[[S]] count(%c64)
// CHECK:         ascend.scalar {{ *}}maxs %[[A]], %[[A]], %[[S]] count(%c64)
// CHECK:         ascend.scalar {{ *}}mins %[[A]], %[[A]], %[[S]] count(%c64)
// CHECK:         ascend.scalar {{ *}}muls %[[A]], %[[A]], %[[QUARTER]] count(%c64)
// CHECK:         ascend.duplicate %[[B]], %[[THREE]] count(%c64)
// CHECK:         ascend.binary {{ *}}div %[[B]], %[[A]], %[[B]] count(%c64)
// CHECK:         ascend.duplicate %[[C]], %[[S]] count(%c64)
// CHECK:         ascend.binary {{ *}}div %[[C]], %[[C]], %[[B]] count(%c64)
func.func @scalar(%x: !tile.array<64xf32>, %s: f32) attributes {tile.kernel} {
  %three = arith.constant 3.0 : f32
  %four = arith.constant 4.0 : f32
  %t3 = tile.splat %three : f32 -> !tile.tile<1 x 1 x f32>
  %t4 = tile.splat %four : f32 -> !tile.tile<1 x 1 x f32>
  %ts = tile.splat %s : f32 -> !tile.tile<1 x 1 x f32>
  %0 = tile.load %x[:] : (!tile.array<64xf32>) -> !tile.tile<1 x 64 x f32> loc("a")
  %1 = tile.add %0, %t3 : !tile.tile<1 x 64 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<1 x 64 x f32> loc("a")
  %2 = tile.sub %1, %t3 : !tile.tile<1 x 64 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<1 x 64 x f32> loc("a")
  %3 = tile.sub %2, %ts : !tile.tile<1 x 64 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<1 x 64 x f32> loc("a")
  %4 = tile.sub %ts, %3 : !tile.tile<1 x 1 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 64 x f32> loc("a")
  %5 = tile.mul %ts, %4 : !tile.tile<1 x 1 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 64 x f32> loc("a")
  %6 = tile.maximum %5, %ts : !tile.tile<1 x 64 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<1 x 64 x f32> loc("a")
  %7 = tile.minimum %ts, %6 : !tile.tile<1 x 1 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 64 x f32> loc("a")
  %8 = tile.div %7, %t4 : !tile.tile<1 x 64 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<1 x 64 x f32> loc("a")
  %9 = tile.div %8, %t3 : !tile.tile<1 x 64 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<1 x 64 x f32> loc("b")
  %10 = tile.div %ts, %9 : !tile.tile<1 x 1 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 64 x f32> loc("c")
  tile.store %10, %x[:] : (!tile.tile<1 x 64 x f32>, !tile.array<64xf32>) -> ()
  return
}

// -----

// A tile and a column: one value per row.
// CHECK-LABEL: func.func @column(
// CHECK-DAG:     %[[A:.*]] = ascend.alloc "a" counted {{[0-9]+}} : memref<448xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[C:.*]] = ascend.alloc "c" counted {{[0-9]+}} : memref<8xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[SCRATCH:.*]] = ascend.alloc "a_broadcast" counted {{[0-9]+}} : memref<64xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[D:.*]] = ascend.alloc "d" counted {{[0-9]+}} : memref<448xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[MINUS1:.*]] = arith.constant -1.000000e+00 : f32
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:         ascend.row_binary {{ *}}mul %[[A]], %[[A]], %[[C]], %[[SCRATCH]] rows(%c4) cols 100 pitch 112
// CHECK:         ascend.row_binary {{ *}}sub %[[A]], %[[A]], %[[C]], %{{.*}} rows(%c4) cols 100 pitch 112
// column - tile = -tile + column
// CHECK:         ascend.scalar {{ *}}muls %[[A]], %[[A]], %[[MINUS1]] count(%c448)
// CHECK:         ascend.row_binary {{ *}}add %[[A]], %[[A]], %[[C]], %{{.*}} rows(%c4) cols 100 pitch 112
// column / tile: the column is spread over the result first
// CHECK:         ascend.duplicate %[[D]], %[[ONE]] count(%c448)
// CHECK:         ascend.row_binary {{ *}}mul %[[D]], %[[D]], %[[C]], %{{.*}} rows(%c4) cols 100 pitch 112
// CHECK:         ascend.binary {{ *}}div %[[D]], %[[D]], %[[A]] count(%c448)
func.func @column(%x: !tile.array<4x100xf32>, %y: !tile.array<?xf32>, %base: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  tile.range %t = %zero to %four by 4 {
    %a = tile.load %x[:, :] : (!tile.array<4x100xf32>) -> !tile.tile<4 x 100 x f32> loc("a")
    %c = tile.load %y[%t span] : (!tile.array<?xf32>, !tile.span<4>) -> !tile.tile<4 x 1 x f32> loc("c")
    %1 = tile.mul %a, %c : !tile.tile<4 x 100 x f32>, !tile.tile<4 x 1 x f32> -> !tile.tile<4 x 100 x f32> loc("a")
    %2 = tile.sub %1, %c : !tile.tile<4 x 100 x f32>, !tile.tile<4 x 1 x f32> -> !tile.tile<4 x 100 x f32> loc("a")
    %3 = tile.sub %c, %2 : !tile.tile<4 x 1 x f32>, !tile.tile<4 x 100 x f32> -> !tile.tile<4 x 100 x f32> loc("a")
    %4 = tile.div %c, %3 : !tile.tile<4 x 1 x f32>, !tile.tile<4 x 100 x f32> -> !tile.tile<4 x 100 x f32> loc("d")
    tile.store %4, %x[:, :] : (!tile.tile<4 x 100 x f32>, !tile.array<4x100xf32>) -> ()
  }
  return
}

// -----

// A single row and a single value in memory are a row with its column.
// CHECK-LABEL: func.func @column_of_one_row(
// CHECK:         ascend.row_binary {{ *}}mul %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} rows(%c1) cols 64 pitch 64
func.func @column_of_one_row(%x: !tile.array<64xf32>, %k: index) attributes {tile.kernel} {
  %a = tile.load %x[:] : (!tile.array<64xf32>) -> !tile.tile<1 x 64 x f32>
  %c = tile.load %x[%k] : (!tile.array<64xf32>, index) -> !tile.tile<1 x 1 x f32>
  %1 = tile.mul %c, %a : !tile.tile<1 x 1 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 64 x f32>
  return
}

// -----

// A tile and one row.
// CHECK-LABEL: func.func @row(
// CHECK-DAG:     %[[A:.*]] = ascend.alloc "a" counted {{[0-9]+}} : memref<448xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[R:.*]] = ascend.alloc "r" counted {{[0-9]+}} : memref<112xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[MINUS1:.*]] = arith.constant -1.000000e+00 : f32
// CHECK:         ascend.col_binary {{ *}}mul %[[A]], %[[A]], %[[R]] rows(%c4) cols 100 pitch 112
// CHECK:         ascend.col_binary {{ *}}div %[[A]], %[[A]], %[[R]] rows(%c4) cols 100 pitch 112
// CHECK:         ascend.scalar {{ *}}muls %[[A]], %[[A]], %[[MINUS1]] count(%c448)
// CHECK:         ascend.col_binary {{ *}}add %[[A]], %[[A]], %[[R]] rows(%c4) cols 100 pitch 112
// CHECK:         scf.for %[[I:.*]] = %c0 to %c4 step %c1 {
// CHECK:           %[[OFFSET:.*]] = arith.muli %[[I]], %c112
// CHECK:           %[[ROW:.*]] = ascend.slice %[[A]][%[[OFFSET]]]
// CHECK:           ascend.binary {{ *}}div %[[ROW]], %[[R]], %[[ROW]] count(%c112)
func.func @row(%x: !tile.array<4x100xf32>, %y: !tile.array<100xf32>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<4x100xf32>) -> !tile.tile<4 x 100 x f32> loc("a")
  %r = tile.load %y[:] : (!tile.array<100xf32>) -> !tile.tile<1 x 100 x f32> loc("r")
  %1 = tile.mul %r, %a : !tile.tile<1 x 100 x f32>, !tile.tile<4 x 100 x f32> -> !tile.tile<4 x 100 x f32> loc("a")
  %2 = tile.div %1, %r : !tile.tile<4 x 100 x f32>, !tile.tile<1 x 100 x f32> -> !tile.tile<4 x 100 x f32> loc("a")
  %3 = tile.sub %r, %2 : !tile.tile<1 x 100 x f32>, !tile.tile<4 x 100 x f32> -> !tile.tile<4 x 100 x f32> loc("a")
  %4 = tile.div %r, %3 : !tile.tile<1 x 100 x f32>, !tile.tile<4 x 100 x f32> -> !tile.tile<4 x 100 x f32> loc("a")
  tile.store %4, %x[:, :] : (!tile.tile<4 x 100 x f32>, !tile.array<4x100xf32>) -> ()
  return
}

// -----

// A single value in memory against several rows: it is spread to a row, or to a column, first.
// CHECK-LABEL: func.func @one(
// CHECK-DAG:     %[[A:.*]] = ascend.alloc "a" counted {{[0-9]+}} : memref<64xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[C:.*]] = ascend.alloc "c" counted {{[0-9]+}} : memref<8xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[O:.*]] = ascend.alloc "o" counted {{[0-9]+}} : memref<8xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[ROW:.*]] = ascend.alloc "a_spread" counted {{[0-9]+}} : memref<16xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[COLUMN:.*]] = ascend.alloc "c_spread" counted {{[0-9]+}} : memref<8xf32, #ascend.space<ub>>
// CHECK:         ascend.duplicate %[[ROW]], %{{.*}} count(%c16)
// CHECK:         ascend.row_binary {{ *}}mul %[[ROW]], %[[ROW]], %[[O]], %{{.*}} rows(%c1) cols 16 pitch 16
// CHECK:         ascend.col_binary {{ *}}sub %[[A]], %[[A]], %[[ROW]] rows(%c4) cols 16 pitch 16
// CHECK:         ascend.duplicate %[[COLUMN]], %{{.*}} count(%c8)
// CHECK:         ascend.row_binary {{ *}}mul %[[COLUMN]], %[[COLUMN]], %[[O]], %{{.*}} rows(%c1) cols 8 pitch 8
// CHECK:         ascend.binary {{ *}}div %[[C]], %[[COLUMN]], %[[C]] count(%c4)
func.func @one(%x: !tile.array<4x16xf32>, %y: !tile.array<?xf32>, %base: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  tile.range %t = %zero to %four by 4 {
    %a = tile.load %x[:, :] : (!tile.array<4x16xf32>) -> !tile.tile<4 x 16 x f32> loc("a")
    %c = tile.load %y[%t span] : (!tile.array<?xf32>, !tile.span<4>) -> !tile.tile<4 x 1 x f32> loc("c")
    %o = tile.load %y[%base] : (!tile.array<?xf32>, index) -> !tile.tile<1 x 1 x f32> loc("o")
    %1 = tile.sub %a, %o : !tile.tile<4 x 16 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<4 x 16 x f32> loc("a")
    %2 = tile.div %o, %c : !tile.tile<1 x 1 x f32>, !tile.tile<4 x 1 x f32> -> !tile.tile<4 x 1 x f32> loc("c")
    tile.store %1, %x[:, :] : (!tile.tile<4 x 16 x f32>, !tile.array<4x16xf32>) -> ()
    tile.store %2, %y[%t span] : (!tile.tile<4 x 1 x f32>, !tile.array<?xf32>, !tile.span<4>) -> ()
  }
  return
}

// -----

// A column and a row.
// CHECK-LABEL: func.func @outer(
// CHECK-DAG:     %[[C:.*]] = ascend.alloc "c" counted {{[0-9]+}} : memref<8xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[R:.*]] = ascend.alloc "r" counted {{[0-9]+}} : memref<16xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[A:.*]] = ascend.alloc "a" counted {{[0-9]+}} : memref<64xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[B:.*]] = ascend.alloc "b" counted {{[0-9]+}} : memref<64xf32, #ascend.space<ub>>
// CHECK:         ascend.duplicate %[[A]], %{{.*}} count(%c64)
// CHECK:         ascend.row_binary {{ *}}mul %[[A]], %[[A]], %[[C]], %{{.*}} rows(%c4) cols 16 pitch 16
// CHECK:         ascend.col_binary {{ *}}sub %[[A]], %[[A]], %[[R]] rows(%c4) cols 16 pitch 16
// CHECK:         ascend.duplicate %[[B]], %{{.*}} count(%c64)
// CHECK:         ascend.col_binary {{ *}}mul %[[B]], %[[B]], %[[R]] rows(%c4) cols 16 pitch 16
// CHECK:         ascend.row_binary {{ *}}sub %[[B]], %[[B]], %[[C]], %{{.*}} rows(%c4) cols 16 pitch 16
func.func @outer(%x: !tile.array<16xf32>, %y: !tile.array<?xf32>, %z: !tile.array<4x16xf32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  tile.range %t = %zero to %four by 4 {
    %c = tile.load %y[%t span] : (!tile.array<?xf32>, !tile.span<4>) -> !tile.tile<4 x 1 x f32> loc("c")
    %r = tile.load %x[:] : (!tile.array<16xf32>) -> !tile.tile<1 x 16 x f32> loc("r")
    %a = tile.sub %c, %r : !tile.tile<4 x 1 x f32>, !tile.tile<1 x 16 x f32> -> !tile.tile<4 x 16 x f32> loc("a")
    %b = tile.sub %r, %c : !tile.tile<1 x 16 x f32>, !tile.tile<4 x 1 x f32> -> !tile.tile<4 x 16 x f32> loc("b")
    tile.store %a, %z[:, :] : (!tile.tile<4 x 16 x f32>, !tile.array<4x16xf32>) -> ()
    tile.store %b, %z[:, :] : (!tile.tile<4 x 16 x f32>, !tile.array<4x16xf32>) -> ()
  }
  return
}

// -----

// A product that is added to a tile in its place is never written.
// CHECK-LABEL: func.func @multiply_add(
// CHECK-DAG:     %[[A:.*]] = ascend.alloc "a" counted {{[0-9]+}} : memref<64xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[S:.*]] = ascend.alloc "s" counted {{[0-9]+}} : memref<64xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[O:.*]] = ascend.alloc "o" counted {{[0-9]+}} : memref<8xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[SCRATCH:.*]] = ascend.alloc "s_broadcast" counted {{[0-9]+}} : memref<64xf32, #ascend.space<ub>>
// CHECK-NOT:     ascend.alloc
// CHECK:         ascend.unary {{ *}}exp %[[S]], %[[A]] count(%c64)
// CHECK-NEXT:    ascend.mul_add %[[S]], %[[A]], %[[A]] count(%c64)
// CHECK-NEXT:    ascend.row_mul_add %[[S]], %[[A]], %[[O]], %[[SCRATCH]] rows(%c1) cols 64 pitch 64
func.func @multiply_add(%x: !tile.array<64xf32>, %k: index) attributes {tile.kernel} {
  %a = tile.load %x[:] : (!tile.array<64xf32>) -> !tile.tile<1 x 64 x f32> loc("a")
  %o = tile.load %x[%k] : (!tile.array<64xf32>, index) -> !tile.tile<1 x 1 x f32> loc("o")
  %e = tile.exp %a : !tile.tile<1 x 64 x f32> loc("s")
  %p = tile.mul %a, %a : !tile.tile<1 x 64 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 64 x f32> loc("p")
  %s = tile.add %p, %e : !tile.tile<1 x 64 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 64 x f32> loc("s")
  %q = tile.mul %a, %o : !tile.tile<1 x 64 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<1 x 64 x f32> loc("q")
  %r = tile.add %s, %q : !tile.tile<1 x 64 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 64 x f32> loc("s")
  tile.store %r, %x[:] : (!tile.tile<1 x 64 x f32>, !tile.array<64xf32>) -> ()
  return
}
