// RUN: attn-opt %s -split-input-file -verify-diagnostics --jit-check-bounds | FileCheck %s

// One check per transfer, which hands on the array; a part of a buffer has none.
// CHECK-LABEL: func.func @transfers
// CHECK-SAME:    %[[X:.*]]: memref<?x?xf32, strided<[?, 1]>>, %[[Y:.*]]: memref<?x8xf32, strided<[?, 1]>>, %[[T:.*]]: index, %[[ROWS:.*]]: index
func.func @transfers(%x: memref<?x?xf32, strided<[?, 1]>> loc("X"), %y: memref<?x8xf32, strided<[?, 1]>> loc("Y"),
                     %t: index, %rows: index) {
  %buffer = memref.alloc() : memref<4x8xf32>
  // CHECK:         %[[FROM:.*]] = cpu.check_access "load" %[[X]][%[[T]], %{{.*}}] [%[[ROWS]], %{{.*}}] [%{{.*}}, %{{.*}}] named "X"
  // CHECK:         %[[PART:.*]] = memref.subview %[[FROM]][%[[T]], 0] [%[[ROWS]], 8] [1, 1]
  %from = memref.subview %x[%t, 0] [%rows, 8] [1, 1] : memref<?x?xf32, strided<[?, 1]>> to memref<?x8xf32, strided<[?, 1], offset: ?>>
  // CHECK-NOT:     cpu.check_access
  // CHECK:         memref.subview %{{.*}}[0, 0] [%[[ROWS]], 8]
  %to = memref.subview %buffer[0, 0] [%rows, 8] [1, 1] : memref<4x8xf32> to memref<?x8xf32, strided<[8, 1]>>
  memref.copy %from, %to : memref<?x8xf32, strided<[?, 1], offset: ?>> to memref<?x8xf32, strided<[8, 1]>>
  %tensor = bufferization.to_tensor %buffer restrict writable : memref<4x8xf32> to tensor<4x8xf32>
  // CHECK:         %[[TO:.*]] = cpu.check_access "store" %[[Y]][%[[T]], %{{.*}}] [%{{.*}}, %{{.*}}] [%{{.*}}, %{{.*}}] named "Y"
  // CHECK:         memref.subview %[[TO]][%[[T]], 0] [4, 8] [1, 1]
  %place = memref.subview %y[%t, 0] [4, 8] [1, 1] : memref<?x8xf32, strided<[?, 1]>> to memref<4x8xf32, strided<[?, 1], offset: ?>>
  bufferization.materialize_in_destination %tensor in restrict writable %place : (tensor<4x8xf32>, memref<4x8xf32, strided<[?, 1], offset: ?>>) -> ()
  return
}

// -----

// What the numbers say is inside needs no check.
// CHECK-LABEL: func.func @inside
// CHECK-NOT:     cpu.check_access
func.func @inside(%w: memref<64xf32>) {
  %buffer = memref.alloc() : memref<8xf32>
  %from = memref.subview %w[56] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: 56>>
  memref.copy %from, %buffer : memref<8xf32, strided<[1], offset: 56>> to memref<8xf32>
  return
}

// -----

// Where the offset is a number and the size of the array is not, the array still comes by way of the check.
// CHECK-LABEL: func.func @unknown
// CHECK:         %[[INSIDE:.*]] = cpu.check_access "load" %{{.*}} named "argument 0"
// CHECK:         memref.subview %[[INSIDE]][0] [8] [1]
func.func @unknown(%w: memref<?xf32>) {
  %buffer = memref.alloc() : memref<8xf32>
  %from = memref.subview %w[0] [8] [1] : memref<?xf32> to memref<8xf32, strided<[1]>>
  memref.copy %from, %buffer : memref<8xf32, strided<[1]>> to memref<8xf32>
  return
}

// -----

// Addresses are looked up in tables that have them, and their entries have limits too.
// CHECK-LABEL: func.func @table
// CHECK-SAME:    %[[TABLE:.*]]: memref<?xi64>
func.func @table(%table: memref<?xi64> loc("V"), %shape: memref<?x8xf32, strided<[?, 1]>> loc("V"), %n: index, %t: index) {
  // CHECK:         %[[KNOWN:.*]] = cpu.check_access "lookup" %[[TABLE]][%[[N:.*]]] [%{{.*}}] [%{{.*}}] named "V" : memref<?xi64>
  // CHECK:         memref.load %[[KNOWN]][%[[N]]]
  %address = memref.load %table[%n] : memref<?xi64>
  %bytes = arith.index_cast %address : i64 to index
  %four = arith.constant 4 : index
  %offset = arith.divui %bytes, %four : index
  %c0 = arith.constant 0 : index
  %rows = memref.dim %shape, %c0 : memref<?x8xf32, strided<[?, 1]>>
  // CHECK:         %[[ENTRY:.*]] = memref.reinterpret_cast
  %entry = memref.reinterpret_cast %shape to offset: [%offset], sizes: [%rows, 8], strides: [8, 1] : memref<?x8xf32, strided<[?, 1]>> to memref<?x8xf32, strided<[8, 1], offset: ?>>
  // CHECK:         cpu.check_access "load" %[[ENTRY]][%{{.*}}, %{{.*}}] [%{{.*}}, %{{.*}}] [%{{.*}}, %{{.*}}] named "V"
  %from = memref.subview %entry[%t, 0] [1, 8] [1, 1] : memref<?x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>>
  %buffer = memref.alloc() : memref<1x8xf32>
  memref.copy %from, %buffer : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32>
  return
}

// -----

// Divisions by what is not a number; the count of blocks is never zero.
// CHECK-LABEL: func.func @divisions
// CHECK-SAME:    %[[N:.*]]: index, %[[K:.*]]: index, %{{.*}}: index, %[[COUNT:.*]]: index)
func.func @divisions(%n: index, %k: index, %block: index, %count: index) {
  // CHECK:         %[[D:.*]] = cpu.check_divisor "floordivsi" %[[N]] by %[[K]] : index
  // CHECK:         arith.floordivsi %[[N]], %[[D]]
  %a = arith.floordivsi %n, %k : index
  // CHECK:         %[[R:.*]] = cpu.check_divisor "remui" %[[N]] by %[[K]] : index
  // CHECK:         arith.remui %[[N]], %[[R]]
  %b = arith.remui %n, %k : index
  // CHECK:         arith.divui %[[N]], %[[COUNT]]
  %c = arith.divui %n, %count : index
  %two = arith.constant 2 : index
  // CHECK:         arith.ceildivsi %[[N]], %{{.*}}
  // CHECK-NOT:     cpu.check_divisor
  %d = arith.ceildivsi %n, %two : index
  // The least number has no quotient by -1.
  // CHECK:         %[[M:.*]] = cpu.check_divisor "divsi" %[[N]] by %{{.*}} : index
  // CHECK:         arith.divsi %[[N]], %[[M]]
  %minus = arith.constant -1 : index
  %e = arith.divsi %n, %minus : index
  return
}

// -----

func.func @by_zero(%n: index) -> index {
  %zero = arith.constant 0 : index
  // expected-error@+1 {{scalar unit: divsi divides by zero or overflows}}
  %a = arith.divsi %n, %zero : index
  return %a : index
}

// -----

#rows = affine_map<(d0)[s0] -> (-d0 + s0, 4)>

// What a loop counts is inside where it goes over the whole dimension, also of another array with a dimension of that name.
// CHECK-LABEL: func.func @counted
// CHECK-NOT:     cpu.check_access
// CHECK:         return
func.func @counted(%v: memref<?x?x8xf32, strided<[?, ?, 1]>> {launch.dims = ["N", "T", 8]},
                   %w: memref<?x8xf32, strided<[?, 1]>> {launch.dims = ["T", 8]}, %block: index, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %N = memref.dim %v, %c0 : memref<?x?x8xf32, strided<[?, ?, 1]>>
  %T = memref.dim %v, %c1 : memref<?x?x8xf32, strided<[?, ?, 1]>>
  %tiles = arith.ceildivui %T, %c4 : index
  %all = arith.muli %N, %tiles : index
  %next = arith.addi %block, %c1 : index
  %a = arith.muli %block, %all : index
  %b = arith.muli %next, %all : index
  %first = arith.divui %a, %count : index
  %last = arith.divui %b, %count : index
  %buffer = memref.alloc() : memref<4x8xf32>
  scf.for %i = %first to %last step %c1 {
    %t = arith.remui %i, %tiles : index
    %n = arith.divui %i, %tiles : index
    %base = arith.muli %t, %c4 : index
    %rows = affine.min #rows(%base)[%T]
    %from = memref.subview %v[%n, %base, 0] [1, %rows, 8] [1, 1, 1] : memref<?x?x8xf32, strided<[?, ?, 1]>> to memref<?x8xf32, strided<[?, 1], offset: ?>>
    %to = memref.subview %buffer[0, 0] [%rows, 8] [1, 1] : memref<4x8xf32> to memref<?x8xf32, strided<[8, 1]>>
    memref.copy %from, %to : memref<?x8xf32, strided<[?, 1], offset: ?>> to memref<?x8xf32, strided<[8, 1]>>
    %same = memref.subview %w[%base, 0] [%rows, 8] [1, 1] : memref<?x8xf32, strided<[?, 1]>> to memref<?x8xf32, strided<[?, 1], offset: ?>>
    memref.copy %same, %to : memref<?x8xf32, strided<[?, 1], offset: ?>> to memref<?x8xf32, strided<[8, 1]>>
    scf.for %row = %c0 to %T step %c1 {
      %one = memref.subview %w[%row, 0] [1, 8] [1, 1] : memref<?x8xf32, strided<[?, 1]>> to memref<1x8xf32, strided<[?, 1], offset: ?>>
      %place = memref.subview %buffer[0, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<1x8xf32, strided<[8, 1]>>
      memref.copy %one, %place : memref<1x8xf32, strided<[?, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1]>>
    }
  }
  return
}

// -----

#rows = affine_map<(d0)[s0] -> (-d0 + s0, 4)>

// Not so: a loop that begins below 0, over another dimension, or in other tiles; rows up to another end; two rows of one.
// CHECK-LABEL: func.func @not_counted
// CHECK-COUNT-5: cpu.check_access
// CHECK-NOT:     cpu.check_access
func.func @not_counted(%v: memref<?x?xf32, strided<[?, 1]>> {launch.dims = ["T", "D"]}, %end: index, %block: index, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c4 = arith.constant 4 : index
  %below = arith.constant -1 : index
  %T = memref.dim %v, %c0 : memref<?x?xf32, strided<[?, 1]>>
  %D = memref.dim %v, %c1 : memref<?x?xf32, strided<[?, 1]>>
  %buffer = memref.alloc() : memref<4x1xf32>
  scf.for %i = %below to %T step %c1 {
    %from = memref.subview %v[%i, 0] [1, 1] [1, 1] : memref<?x?xf32, strided<[?, 1]>> to memref<1x1xf32, strided<[?, 1], offset: ?>>
    %to = memref.subview %buffer[0, 0] [1, 1] [1, 1] : memref<4x1xf32> to memref<1x1xf32, strided<[1, 1]>>
    memref.copy %from, %to : memref<1x1xf32, strided<[?, 1], offset: ?>> to memref<1x1xf32, strided<[1, 1]>>
  }
  scf.for %j = %c0 to %D step %c1 {
    scf.for %i = %c0 to %D step %c1 {
      %from = memref.subview %v[%i, %j] [1, 1] [1, 1] : memref<?x?xf32, strided<[?, 1]>> to memref<1x1xf32, strided<[?, 1], offset: ?>>
      %to = memref.subview %buffer[0, 0] [1, 1] [1, 1] : memref<4x1xf32> to memref<1x1xf32, strided<[1, 1]>>
      memref.copy %from, %to : memref<1x1xf32, strided<[?, 1], offset: ?>> to memref<1x1xf32, strided<[1, 1]>>
    }
    scf.for %i = %c0 to %T step %c1 {
      %from = memref.subview %v[%i, %j] [2, 1] [1, 1] : memref<?x?xf32, strided<[?, 1]>> to memref<2x1xf32, strided<[?, 1], offset: ?>>
      %to = memref.subview %buffer[0, 0] [2, 1] [1, 1] : memref<4x1xf32> to memref<2x1xf32, strided<[1, 1]>>
      memref.copy %from, %to : memref<2x1xf32, strided<[?, 1], offset: ?>> to memref<2x1xf32, strided<[1, 1]>>
    }
    %tiles = arith.ceildivui %T, %c5 : index
    scf.for %t = %c0 to %tiles step %c1 {
      %base = arith.muli %t, %c4 : index
      %rows = affine.min #rows(%base)[%T]
      %to = memref.subview %buffer[0, 0] [%rows, 1] [1, 1] : memref<4x1xf32> to memref<?x1xf32, strided<[1, 1]>>
      %from = memref.subview %v[%base, %j] [%rows, 1] [1, 1] : memref<?x?xf32, strided<[?, 1]>> to memref<?x1xf32, strided<[?, 1], offset: ?>>
      memref.copy %from, %to : memref<?x1xf32, strided<[?, 1], offset: ?>> to memref<?x1xf32, strided<[1, 1]>>
      %in_fives = arith.muli %t, %c5 : index
      %others = affine.min #rows(%in_fives)[%end]
      %other = memref.subview %v[%in_fives, %j] [%others, 1] [1, 1] : memref<?x?xf32, strided<[?, 1]>> to memref<?x1xf32, strided<[?, 1], offset: ?>>
      %part = memref.subview %buffer[0, 0] [%others, 1] [1, 1] : memref<4x1xf32> to memref<?x1xf32, strided<[1, 1]>>
      memref.copy %other, %part : memref<?x1xf32, strided<[?, 1], offset: ?>> to memref<?x1xf32, strided<[1, 1]>>
    }
  }
  return
}

// -----

// What the end of a list was checked for, the list needs no check for.
// CHECK-LABEL: func.func @list
// CHECK-NOT:     cpu.check_access
// CHECK:         return
func.func @list(%idx: memref<?xi32> {launch.dims = ["L"]}, %out: memref<1xi32>, %n: index, %block: index, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %L = memref.dim %idx, %c0 : memref<?xi32>
  %end = cpu.check_count "list" %n at most %L[%c0] named "idx"
  scf.for %i = %c0 to %end step %c1 {
    %v = memref.load %idx[%i] : memref<?xi32>
    memref.store %v, %out[%c0] : memref<1xi32>
  }
  return
}

// -----

// Rows that are cut to what exists before both ends of the dimension, by a loop that begins before it and ends after it.
// CHECK-LABEL: func.func @clipped
// CHECK-NOT:     cpu.check_access
// CHECK:         return
func.func @clipped(%x: memref<?x64xf32, strided<[?, 1]>> {launch.dims = ["S", 64]}, %block: index, %count: index) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %S = memref.dim %x, %c0 : memref<?x64xf32, strided<[?, 1]>>
  %c256 = arith.constant 256 : index
  %tiles = arith.ceildivui %S, %c256 : index
  %tile = arith.remui %block, %tiles : index
  %run = arith.muli %tile, %c256 : index
  %before = arith.subi %run, %c3 : index
  %after = arith.addi %S, %c3 : index
  scf.for %i = %before to %after step %c32 {
    %buffer = memref.alloc() : memref<32x64xf32>
    %end = arith.minsi %S, %after : index
    %0 = arith.subi %c0, %i : index
    %1 = arith.minsi %0, %c32 : index
    %missing = arith.maxsi %1, %c0 : index
    %2 = arith.subi %end, %i : index
    %3 = arith.minsi %2, %c32 : index
    %last = arith.maxsi %3, %missing : index
    %rows = arith.subi %last, %missing : index
    %first = arith.addi %i, %missing : index
    %from = memref.subview %x[%first, 0] [%rows, 64] [1, 1] : memref<?x64xf32, strided<[?, 1]>> to memref<?x64xf32, strided<[?, 1], offset: ?>>
    %to = memref.subview %buffer[%missing, 0] [%rows, 64] [1, 1] : memref<32x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
    memref.copy %from, %to : memref<?x64xf32, strided<[?, 1], offset: ?>> to memref<?x64xf32, strided<[64, 1], offset: ?>>
  }
  return
}

// -----

// Not where the first row may lie before the dimension, nor where the base is any number and may overflow, nor where the end is
// that of another dimension.
// CHECK-LABEL: func.func @clippedElsewhere
// CHECK-COUNT-3: cpu.check_access
func.func @clippedElsewhere(%x: memref<?x64xf32, strided<[?, 1]>> {launch.dims = ["S", 64]},
                            %y: memref<?xf32> {launch.dims = ["T"]}, %by: index, %block: index, %count: index) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c-3 = arith.constant -3 : index
  %S = memref.dim %x, %c0 : memref<?x64xf32, strided<[?, 1]>>
  %T = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c-3 to %S step %c32 {
    %buffer = memref.alloc() : memref<32x64xf32>
    %0 = arith.subi %c-3, %i : index
    %1 = arith.minsi %0, %c32 : index
    %missing = arith.maxsi %1, %c0 : index
    %2 = arith.subi %S, %i : index
    %3 = arith.minsi %2, %c32 : index
    %last = arith.maxsi %3, %missing : index
    %rows = arith.subi %last, %missing : index
    %first = arith.addi %i, %missing : index
    %from = memref.subview %x[%first, 0] [%rows, 64] [1, 1] : memref<?x64xf32, strided<[?, 1]>> to memref<?x64xf32, strided<[?, 1], offset: ?>>
    %to = memref.subview %buffer[%missing, 0] [%rows, 64] [1, 1] : memref<32x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
    memref.copy %from, %to : memref<?x64xf32, strided<[?, 1], offset: ?>> to memref<?x64xf32, strided<[64, 1], offset: ?>>
    %moved = arith.addi %i, %by : index
    %4 = arith.subi %c0, %moved : index
    %5 = arith.minsi %4, %c32 : index
    %missing1 = arith.maxsi %5, %c0 : index
    %6 = arith.subi %S, %moved : index
    %7 = arith.minsi %6, %c32 : index
    %last1 = arith.maxsi %7, %missing1 : index
    %rows1 = arith.subi %last1, %missing1 : index
    %first1 = arith.addi %moved, %missing1 : index
    %from1 = memref.subview %x[%first1, 0] [%rows1, 64] [1, 1] : memref<?x64xf32, strided<[?, 1]>> to memref<?x64xf32, strided<[?, 1], offset: ?>>
    %to1 = memref.subview %buffer[%missing1, 0] [%rows1, 64] [1, 1] : memref<32x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
    memref.copy %from1, %to1 : memref<?x64xf32, strided<[?, 1], offset: ?>> to memref<?x64xf32, strided<[64, 1], offset: ?>>
    %8 = arith.subi %c0, %i : index
    %9 = arith.minsi %8, %c32 : index
    %missing2 = arith.maxsi %9, %c0 : index
    %10 = arith.subi %T, %i : index
    %11 = arith.minsi %10, %c32 : index
    %last2 = arith.maxsi %11, %missing2 : index
    %rows2 = arith.subi %last2, %missing2 : index
    %first2 = arith.addi %i, %missing2 : index
    %from2 = memref.subview %x[%first2, 0] [%rows2, 64] [1, 1] : memref<?x64xf32, strided<[?, 1]>> to memref<?x64xf32, strided<[?, 1], offset: ?>>
    %to2 = memref.subview %buffer[%missing2, 0] [%rows2, 64] [1, 1] : memref<32x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
    memref.copy %from2, %to2 : memref<?x64xf32, strided<[?, 1], offset: ?>> to memref<?x64xf32, strided<[64, 1], offset: ?>>
  }
  return
}
