// Which rows of a tile exist: those of its span, of all that it is computed from, of both values that a loop carries, and of
// a column that became a row.
// RUN: attn-opt %s --soc=Ascend910B4 --convert-tile-to-ascend --cse --split-input-file | FileCheck %s
// RUN: attn-opt %s --convert-tile-to-linalg --cse --split-input-file | FileCheck %s --check-prefix=CPU

// CHECK-LABEL: func.func @both_spans
// CHECK: %[[FIRST:.*]] = arith.maxsi
// CHECK: %[[SECOND:.*]] = arith.maxsi
// CHECK: %[[ROWS:.*]] = arith.minsi %[[FIRST]], %[[SECOND]]
// CHECK: arith.subi %[[ROWS]], %c1
// CPU-LABEL: func.func @both_spans
// CPU: %[[ROWS:.*]] = arith.minsi
// CPU: tensor.extract_slice %{{.*}}[0, 0] [%[[ROWS]], 16] [1, 1]
func.func @both_spans(%x: !tile.array<?x16xf32>, %y: !tile.array<?x16xf32>, %i: index) attributes {tile.kernel} {
  %T = tile.dim %x, 0 : !tile.array<?x16xf32>
  %S = tile.dim %y, 0 : !tile.array<?x16xf32>
  %t = tile.make_span %i to %T : !tile.span<4>
  %s = tile.make_span %i to %S : !tile.span<4>
  %a = tile.load %x[%t span, :] : (!tile.array<?x16xf32>, !tile.span<4>) -> !tile.tile<4 x 16 x f32>
  %b = tile.load %y[%s span, :] : (!tile.array<?x16xf32>, !tile.span<4>) -> !tile.tile<4 x 16 x f32>
  %c = tile.add %a, %b : !tile.tile<4 x 16 x f32>, !tile.tile<4 x 16 x f32> -> !tile.tile<4 x 16 x f32>
  %r = tile.reduce sum %c axis 0 : !tile.tile<4 x 16 x f32> -> !tile.tile<1 x 16 x f32>
  return
}

// -----

// The tile is full before the loop, but its next value is not: the rows count by the smaller from the first trip on.
// CHECK-LABEL: func.func @carried
// CHECK: %[[ROWS:.*]] = arith.maxsi
// CHECK: scf.for
// CHECK:   arith.subi %[[ROWS]], %c1
// CPU-LABEL: func.func @carried
// CPU: scf.for
// CPU: tensor.extract_slice %{{.*}}[0, 0] [%{{[0-9a-z_]+}}, 16] [1, 1]
func.func @carried(%x: !tile.array<?x16xf32>, %i: index, %n: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %T = tile.dim %x, 0 : !tile.array<?x16xf32>
  %t = tile.make_span %i to %T : !tile.span<4>
  %full = tile.splat %one : f32 -> !tile.tile<4 x 16 x f32>
  %sum = tile.splat %one : f32 -> !tile.tile<1 x 16 x f32>
  %r:2 = tile.range %k = %zero to %n iter(%a = %full : !tile.tile<4 x 16 x f32>, %s = %sum : !tile.tile<1 x 16 x f32>) {
    %v = tile.reduce sum %a axis 0 : !tile.tile<4 x 16 x f32> -> !tile.tile<1 x 16 x f32>
    %s1 = tile.add %s, %v : !tile.tile<1 x 16 x f32>, !tile.tile<1 x 16 x f32> -> !tile.tile<1 x 16 x f32>
    %b = tile.load %x[%t span, :] : (!tile.array<?x16xf32>, !tile.span<4>) -> !tile.tile<4 x 16 x f32>
    %a1 = tile.add %a, %b : !tile.tile<4 x 16 x f32>, !tile.tile<4 x 16 x f32> -> !tile.tile<4 x 16 x f32>
    tile.yield %a1, %s1 : !tile.tile<4 x 16 x f32>, !tile.tile<1 x 16 x f32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @transposed
// CHECK: %[[ROWS:.*]] = arith.maxsi
// CHECK: ascend.row_binary {{.*}} rows(%[[ROWS]])
func.func @transposed(%x: !tile.array<?x16xf32>, %whole: !tile.array<16x16xf32>, %i: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %T = tile.dim %x, 0 : !tile.array<?x16xf32>
  %t = tile.make_span %i to %T : !tile.span<16>
  %a = tile.load %x[%t span, :] : (!tile.array<?x16xf32>, !tile.span<16>) -> !tile.tile<16 x 16 x f32>
  %c = tile.reduce sum %a axis 1 : !tile.tile<16 x 16 x f32> -> !tile.tile<16 x 1 x f32>
  %u = tile.undefined : !tile.tile<3 x 16 x f32>
  %s = tile.insert %c, %u[%zero, %zero] transposed : !tile.tile<16 x 1 x f32> into !tile.tile<3 x 16 x f32>
  %d = tile.extract %s[%zero, %zero] transposed : !tile.tile<3 x 16 x f32> -> !tile.tile<16 x 1 x f32>
  %b = tile.load %whole[:, :] : (!tile.array<16x16xf32>) -> !tile.tile<16 x 16 x f32>
  %p = tile.mul %b, %d : !tile.tile<16 x 16 x f32>, !tile.tile<16 x 1 x f32> -> !tile.tile<16 x 16 x f32>
  return
}

// -----

// Of a clipped span not even the first row is certain: without rows, the sum is zero.
// CHECK-LABEL: func.func @no_rows
// CHECK: %[[ROWS:.*]] = arith.maxsi
// CHECK: ascend.copy
// CHECK: %[[MOST:.*]] = arith.minsi %[[ROWS]], %c1
// CHECK: %[[ANY:.*]] = arith.maxsi %[[MOST]], %c0
// CHECK: %[[NONE:.*]] = arith.subi %c1, %[[ANY]]
// CHECK: %[[COUNT:.*]] = arith.muli %[[NONE]], %c16
// CHECK: ascend.duplicate %{{.*}}, %cst count(%[[COUNT]])
// CPU-LABEL: func.func @no_rows
// CPU: tensor.extract_slice %{{.*}}[0, 0] [%{{[0-9a-z_]+}}, 16] [1, 1]
func.func @no_rows(%x: !tile.array<?x16xf32>, %i: index) attributes {tile.kernel} {
  %T = tile.dim %x, 0 : !tile.array<?x16xf32>
  %t = tile.make_span %i to %T : !tile.span<1>
  %a = tile.load %x[%t span, :] : (!tile.array<?x16xf32>, !tile.span<1>) -> !tile.tile<1 x 16 x f32>
  %r = tile.reduce sum %a axis 0 : !tile.tile<1 x 16 x f32> -> !tile.tile<1 x 16 x f32>
  return
}

// -----

// CHECK-LABEL: func.func @one_row
// CHECK-NOT: ascend.duplicate
// CPU-LABEL: func.func @one_row
// CPU-NOT: tensor.extract_slice
func.func @one_row(%x: !tile.array<?x16xf32>, %i: index) attributes {tile.kernel} {
  %T = tile.dim %x, 0 : !tile.array<?x16xf32>
  %t = tile.make_span %i to %T nonempty : !tile.span<1>
  %a = tile.load %x[%t span, :] : (!tile.array<?x16xf32>, !tile.span<1>) -> !tile.tile<1 x 16 x f32>
  %r = tile.reduce sum %a axis 0 : !tile.tile<1 x 16 x f32> -> !tile.tile<1 x 16 x f32>
  return
}

// -----

// Of several rows one is enough: nothing is filled, and no instruction on nothing is issued.
// CHECK-LABEL: func.func @some_rows
// CHECK: ascend.copy
// CHECK-NOT: ascend.duplicate
// CPU-LABEL: func.func @some_rows
func.func @some_rows(%x: !tile.array<?x16xf32>, %i: index) attributes {tile.kernel} {
  %T = tile.dim %x, 0 : !tile.array<?x16xf32>
  %t = tile.make_span %i to %T nonempty : !tile.span<4>
  %a = tile.load %x[%t span, :] : (!tile.array<?x16xf32>, !tile.span<4>) -> !tile.tile<4 x 16 x f32>
  %r = tile.reduce sum %a axis 0 : !tile.tile<4 x 16 x f32> -> !tile.tile<1 x 16 x f32>
  return
}

// -----

// CHECK-LABEL: func.func @perhaps_no_rows
// CHECK: ascend.copy
// CHECK: ascend.duplicate
// CPU-LABEL: func.func @perhaps_no_rows
func.func @perhaps_no_rows(%x: !tile.array<?x16xf32>, %i: index) attributes {tile.kernel} {
  %T = tile.dim %x, 0 : !tile.array<?x16xf32>
  %t = tile.make_span %i to %T : !tile.span<4>
  %a = tile.load %x[%t span, :] : (!tile.array<?x16xf32>, !tile.span<4>) -> !tile.tile<4 x 16 x f32>
  %r = tile.reduce sum %a axis 0 : !tile.tile<4 x 16 x f32> -> !tile.tile<1 x 16 x f32>
  return
}
