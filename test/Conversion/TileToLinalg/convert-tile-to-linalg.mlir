// RUN: attn-opt %s -split-input-file -convert-tile-to-linalg | FileCheck %s

// Arrays, spans of a loop, loads and stores with a tail, the place of a block.
// CHECK-LABEL: func.func @double
// CHECK-SAME:    %[[X:.*]]: memref<?x64xf32, strided<[?, 1]>> {launch.dims = ["T", 64]}
// CHECK-SAME:    %[[Y:.*]]: memref<?x64xf32, strided<[?, 1]>> {launch.dims = ["T", 64], launch.output}
// CHECK-SAME:    %[[ID:.*]]: index, %[[COUNT:.*]]: index)
// CHECK-NOT:     tile.kernel
func.func @double(%x: !tile.array<?x64xf32> {launch.dims = ["T", 64]},
                  %y: !tile.array<?x64xf32> {launch.dims = ["T", 64], launch.output})
    attributes {tile.kernel, launch.limit = 8 : i64} {
  // CHECK: %[[T:.*]] = memref.dim %[[X]]
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  %id = tile.block_id
  %count = tile.block_count
  // CHECK: arith.divui %[[T]], %[[COUNT]]
  %share = arith.divui %T, %count : index
  // CHECK: scf.for %[[I:.*]] = %[[ID]] to %[[T]] step %{{.*}} {
  tile.range %t = %id to %T by 4 parallel {
    // CHECK:      %[[VALID:.*]] = affine.min #{{.*}}(%[[I]], %[[T]])
    // CHECK-NEXT: %[[BUFFER:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4x64xf32>
    // CHECK-NEXT: %[[FROM:.*]] = memref.subview %[[X]][%[[I]], 0] [%[[VALID]], 64] [1, 1]
    // CHECK-NEXT: %[[ROWS:.*]] = memref.subview %[[BUFFER]][0, 0] [%[[VALID]], 64] [1, 1]
    // CHECK-NEXT: memref.copy %[[FROM]], %[[ROWS]]
    // CHECK-NEXT: %[[V:.*]] = bufferization.to_tensor %[[BUFFER]] restrict writable : memref<4x64xf32> to tensor<4x64xf32>
    %v = tile.load %x[%t span, :] : (!tile.array<?x64xf32>, !tile.span<4>) -> !tile.tile<4 x 64 x f32>
    // CHECK:      %[[W:.*]] = linalg.generic
    // CHECK-SAME:   ins(%[[V]], %[[V]] : tensor<4x64xf32>, tensor<4x64xf32>)
    // CHECK:        arith.addf
    %w = tile.add %v, %v : !tile.tile<4 x 64 x f32>, !tile.tile<4 x 64 x f32> -> !tile.tile<4 x 64 x f32>
    // CHECK:      %[[TO:.*]] = memref.subview %[[Y]][%[[I]], 0] [%[[VALID]], 64] [1, 1]
    // CHECK-NEXT: %[[PART:.*]] = tensor.extract_slice %[[W]][0, 0] [%[[VALID]], 64] [1, 1]
    // CHECK-NEXT: bufferization.materialize_in_destination %[[PART]] in restrict writable %[[TO]]
    tile.store %w, %y[%t span, :] : (!tile.tile<4 x 64 x f32>, !tile.array<?x64xf32>, !tile.span<4>) -> ()
  }
  return
}

// CHECK-LABEL: func.func @double_grid
// CHECK-SAME:    %{{.*}}: memref<?x64xf32, strided<[?, 1]>> {{.*}}) -> index attributes {launch.grid_of = @double}
func.func @double_grid(%x: !tile.array<?x64xf32> {launch.dims = ["T", 64]},
                       %y: !tile.array<?x64xf32> {launch.dims = ["T", 64], launch.output}) -> index
    attributes {launch.grid_of = @double} {
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  return %T : index
}

// -----

// Every way to index: a column, a row, one element, a slice; whole tiles need no part.
// CHECK-LABEL: func.func @indices
// CHECK-SAME:    %[[A:.*]]: memref<?x?x64xbf16, strided<[?, ?, 1]>>, %[[S:.*]]: memref<?x?xf32, strided<[?, 1]>>, %[[W:.*]]: memref<64xf32>
func.func @indices(%a: !tile.array<?x?x64xbf16>, %s: !tile.array<?x?xf32>, %w: !tile.array<64xf32>, %i: index,
                   %base: index, %limit: index) attributes {tile.kernel} {
  // CHECK: affine.min
  // CHECK: %[[VALID:.*]] = arith.maxsi
  %t = tile.make_span %base to %limit : !tile.span<4>
  // CHECK-NOT: affine.min
  %r = tile.make_span %base to %limit nonempty : !tile.span<1>
  // CHECK: memref.subview %[[A]][%{{.*}}, %{{.*}}, 0] [1, 1, 64] [1, 1, 1] : {{.*}} to memref<1x64xbf16, strided<[?, 1], offset: ?>>
  // CHECK: memref.copy %{{.*}} : memref<1x64xbf16, strided<[?, 1], offset: ?>> to memref<1x64xbf16>
  %0 = tile.load %a[%i, %r span, :] : (!tile.array<?x?x64xbf16>, index, !tile.span<1>) -> !tile.tile<1 x 64 x bf16>
  // CHECK: %[[COLUMN:.*]] = memref.subview %[[S]][%{{.*}}, %{{.*}}] [%[[VALID]], 1] [1, 1]
  // CHECK: memref.expand_shape %[[COLUMN]] {{\[\[}}0, 1]] output_shape [%[[VALID]], 1]
  %1 = tile.load %s[%t span, %i] : (!tile.array<?x?xf32>, !tile.span<4>, index) -> !tile.tile<4 x 1 x f32>
  // CHECK: memref.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [1, 64]
  %2 = tile.load %w[:] : (!tile.array<64xf32>) -> !tile.tile<1 x 64 x f32>
  // CHECK: memref.subview %[[W]][%{{.*}}] [16] [1]
  %3 = tile.load %w[%i:16] : (!tile.array<64xf32>, index) -> !tile.tile<1 x 16 x f32>
  // CHECK: memref.expand_shape %{{.*}} [] output_shape [1, 1]
  %4 = tile.load %s[%i, %i] : (!tile.array<?x?xf32>, index, index) -> !tile.tile<1 x 1 x f32>
  // CHECK-NOT: tensor.extract_slice
  // CHECK: bufferization.materialize_in_destination %{{.*}} : (tensor<1x16xf32>, memref<1x16xf32
  tile.store %3, %w[%i:16] : (!tile.tile<1 x 16 x f32>, !tile.array<64xf32>, index) -> ()
  return
}

// -----

// A list of tensors: the address of an entry becomes the offset of a memref whose base is 0.
// CHECK-LABEL: func.func @table
// CHECK-SAME:    %[[TABLE:.*]]: memref<?xi64> {launch.dims = ["N", "T", 64]}, %[[SHAPE:.*]]: memref<?x64xf16, strided<[?, 1]>>
func.func @table(%a: !tile.array<?x?x64xf16, table> {launch.dims = ["N", "T", 64]}, %n: index) attributes {tile.kernel} {
  // CHECK: memref.dim %[[TABLE]], %c0
  %N = tile.dim %a, 0 : !tile.array<?x?x64xf16, table>
  // CHECK: memref.dim %[[SHAPE]], %c0
  %T = tile.dim %a, 1 : !tile.array<?x?x64xf16, table>
  %t = tile.make_span %n to %T : !tile.span<2>
  // CHECK: %[[ADDRESS:.*]] = memref.load %[[TABLE]]
  // CHECK: %[[BYTES:.*]] = arith.index_cast %[[ADDRESS]] : i64 to index
  // CHECK: %[[OFFSET:.*]] = arith.divui %[[BYTES]], %c2
  // CHECK: memref.reinterpret_cast %[[SHAPE]] to offset: [%[[OFFSET]]], sizes: [%{{.*}}, 64], strides: [%{{.*}}, 1]
  %0 = tile.load %a[%n, %t span, :] : (!tile.array<?x?x64xf16, table>, index, !tile.span<2>) -> !tile.tile<2 x 64 x f16>
  tile.store %0, %a[%N, %t span, :] : (!tile.tile<2 x 64 x f16>, !tile.array<?x?x64xf16, table>, index, !tile.span<2>) -> ()
  return
}

// -----

// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (0, d1)>
// CHECK-LABEL: func.func @values
func.func @values(%x: f32, %c: index) attributes {tile.kernel} {
  // CHECK: linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<4x64xf32>)
  %a = tile.splat %x : f32 -> !tile.tile<4 x 64 x f32>
  %row = tile.splat %x : f32 -> !tile.tile<1 x 64 x f32>
  %column = tile.splat %x : f32 -> !tile.tile<4 x 1 x f32>
  // CHECK: linalg.generic {indexing_maps = [#[[ROW]], #[[COLUMN]], #[[ALL]]], iterator_types = ["parallel", "parallel"]}
  // CHECK:   arith.maximumf
  %0 = tile.maximum %row, %column : !tile.tile<1 x 64 x f32>, !tile.tile<4 x 1 x f32> -> !tile.tile<4 x 64 x f32>
  // CHECK:   %[[ROOT:.*]] = math.sqrt
  // CHECK:   arith.divf %{{.*}}, %[[ROOT]]
  %1 = tile.rsqrt %0 : !tile.tile<4 x 64 x f32>
  // CHECK:   %[[BELOW:.*]] = arith.cmpf olt, %[[IN:.*]], %{{.*}} : f32
  // CHECK:   %[[SCALED:.*]] = arith.mulf %[[IN]], %{{.*}} : f32
  // CHECK:   arith.select %[[BELOW]], %[[SCALED]], %[[IN]] : f32
  %bent = tile.leaky_relu %1, %x : !tile.tile<4 x 64 x f32>
  // CHECK:   math.exp
  %2 = tile.exp %bent : !tile.tile<4 x 64 x f32>
  // CHECK:   arith.truncf %{{.*}} : f32 to bf16
  %3 = tile.cast %2 : !tile.tile<4 x 64 x f32> -> !tile.tile<4 x 64 x bf16>
  // CHECK:   %[[WIDE:.*]] = arith.extf %{{.*}} : bf16 to f32
  // CHECK:   arith.truncf %[[WIDE]] : f32 to f16
  %4 = tile.cast %3 : !tile.tile<4 x 64 x bf16> -> !tile.tile<4 x 64 x f16>
  // CHECK:   %[[NEAREST:.*]] = math.roundeven
  // CHECK:   %[[MOST:.*]] = arith.maximumf %[[NEAREST]], %{{.*}} : f32
  // CHECK:   %[[FITS:.*]] = arith.minimumf %[[MOST]], %{{.*}} : f32
  // CHECK:   arith.fptosi %[[FITS]] : f32 to i32
  %5 = tile.cast %2 : !tile.tile<4 x 64 x f32> -> !tile.tile<4 x 64 x i32>
  // CHECK: %[[LEAST:.*]] = arith.constant 0xFF800000 : f32
  // CHECK: %[[START:.*]] = linalg.fill ins(%[[LEAST]] : f32)
  // CHECK: linalg.generic {indexing_maps = [#[[ALL]], #[[COLUMN]]], iterator_types = ["parallel", "reduction"]} ins(%{{.*}}) outs(%[[START]] : tensor<4x1xf32>)
  // CHECK:   arith.maximumf
  %6 = tile.reduce max %2 axis 1 : !tile.tile<4 x 64 x f32> -> !tile.tile<4 x 1 x f32>
  // CHECK: tensor.extract_slice %{{.*}}[0, %{{.*}}] [4, 16] [1, 1]
  %zero = arith.constant 0 : index
  %7 = tile.extract %2[%zero, %c] : !tile.tile<4 x 64 x f32> -> !tile.tile<4 x 16 x f32>
  // CHECK: tensor.empty() : tensor<4x64xf32>
  %8 = tile.undefined : !tile.tile<4 x 64 x f32>
  // CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, %{{.*}}] [4, 16] [1, 1]
  %9 = tile.insert %7, %8[%zero, %c] : !tile.tile<4 x 16 x f32> into !tile.tile<4 x 64 x f32>
  return
}

// -----

// Only valid rows take part in a reduction over rows; the loop carries the result.
// CHECK-LABEL: func.func @sum_rows
func.func @sum_rows(%x: !tile.array<?x64xf32>, %y: !tile.array<64xf32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %nothing = arith.constant 0.0 : f32
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  %init = tile.splat %nothing : f32 -> !tile.tile<1 x 64 x f32>
  // CHECK: %[[SUM:.*]] = scf.for %{{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (tensor<1x64xf32>)
  %sum = tile.range %t = %zero to %T by 4 iter(%acc = %init : !tile.tile<1 x 64 x f32>) {
    // CHECK: %[[VALID:.*]] = affine.min
    %v = tile.load %x[%t span, :] : (!tile.array<?x64xf32>, !tile.span<4>) -> !tile.tile<4 x 64 x f32>
    %w = tile.mul %v, %v : !tile.tile<4 x 64 x f32>, !tile.tile<4 x 64 x f32> -> !tile.tile<4 x 64 x f32>
    // CHECK: %[[PART:.*]] = tensor.extract_slice %{{.*}}[0, 0] [%[[VALID]], 64] [1, 1] : tensor<4x64xf32> to tensor<?x64xf32>
    // CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]} ins(%[[PART]] : tensor<?x64xf32>)
    %s = tile.reduce sum %w axis 0 : !tile.tile<4 x 64 x f32> -> !tile.tile<1 x 64 x f32>
    // CHECK: %[[NEXT:.*]] = linalg.generic
    %next = tile.add %acc, %s : !tile.tile<1 x 64 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 64 x f32>
    // CHECK: scf.yield %[[NEXT]] : tensor<1x64xf32>
    tile.yield %next : !tile.tile<1 x 64 x f32>
  }
  tile.store %sum, %y[:] : (!tile.tile<1 x 64 x f32>, !tile.array<64xf32>) -> ()
  return
}

// -----

// A filled span: rows that are missing at either end are zero when loaded, and not stored.
// CHECK-LABEL: func.func @filled
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x64xbf16, strided<[?, 1]>>, %[[C:[^:]*]]: memref<?xf32>, %[[BASE:[^:]*]]: index, %[[FIRST:[^:]*]]: index, %[[LIMIT:[^:]*]]: index,
func.func @filled(%x: !tile.array<?x64xbf16>, %c: !tile.array<?xf32>, %base: index, %first: index, %limit: index)
    attributes {tile.kernel} {
  // CHECK:      %[[BEFORE:.*]] = arith.subi %[[FIRST]], %[[BASE]]
  // CHECK-NEXT: %[[CUT:.*]] = arith.minsi %[[BEFORE]], %c6
  // CHECK-NEXT: %[[MISSING:.*]] = arith.maxsi %[[CUT]], %c0
  // CHECK-NEXT: %[[UNTIL:.*]] = arith.subi %[[LIMIT]], %[[BASE]]
  // CHECK-NEXT: %[[CUT:.*]] = arith.minsi %[[UNTIL]], %c6
  // CHECK-NEXT: %[[END:.*]] = arith.maxsi %[[CUT]], %[[MISSING]]
  // CHECK-NEXT: %[[COUNT:.*]] = arith.subi %[[END]], %[[MISSING]]
  %k = tile.make_span %base to %limit from %first : !tile.span<6, filled>
  // CHECK:      %[[BUFFER:.*]] = memref.alloc() {alignment = 64 : i64} : memref<6x64xbf16>
  // CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.000000e+00 : bf16
  // CHECK:      %[[STOP:.*]] = arith.addi %[[MISSING]], %[[COUNT]]
  // CHECK-NEXT: %[[AFTER:.*]] = arith.subi %{{.*}}, %[[STOP]]
  // CHECK-NEXT: %[[TOP:.*]] = memref.subview %[[BUFFER]][0, 0] [%[[MISSING]], 64] [1, 1]
  // CHECK-NEXT: linalg.fill ins(%[[ZERO]] : bf16) outs(%[[TOP]]
  // CHECK-NEXT: %[[BOTTOM:.*]] = memref.subview %[[BUFFER]][%[[STOP]], 0] [%[[AFTER]], 64] [1, 1]
  // CHECK-NEXT: linalg.fill ins(%[[ZERO]] : bf16) outs(%[[BOTTOM]]
  // CHECK-NEXT: %[[ROW:.*]] = arith.addi %[[BASE]], %[[MISSING]]
  // CHECK-NEXT: %[[FROM:.*]] = memref.subview %[[X]][%[[ROW]], 0] [%[[COUNT]], 64] [1, 1]
  // CHECK-NEXT: %[[ROWS:.*]] = memref.subview %[[BUFFER]][%[[MISSING]], 0] [%[[COUNT]], 64] [1, 1]
  // CHECK-NEXT: memref.copy %[[FROM]], %[[ROWS]]
  // CHECK-NEXT: %[[V:.*]] = bufferization.to_tensor %[[BUFFER]] restrict writable
  %v = tile.load %x[%k span, :] : (!tile.array<?x64xbf16>, !tile.span<6, filled>) -> !tile.tile<6 x 64 x bf16>
  // CHECK:      %[[ROW:.*]] = arith.addi %[[BASE]], %[[MISSING]]
  // CHECK-NEXT: %[[TO:.*]] = memref.subview %[[X]][%[[ROW]], 0] [%[[COUNT]], 64] [1, 1]
  // CHECK-NEXT: %[[PART:.*]] = tensor.extract_slice %[[V]][%[[MISSING]], 0] [%[[COUNT]], 64] [1, 1]
  // CHECK-NEXT: bufferization.materialize_in_destination %[[PART]] in restrict writable %[[TO]]
  tile.store %v, %x[%k span, :] : (!tile.tile<6 x 64 x bf16>, !tile.array<?x64xbf16>, !tile.span<6, filled>) -> ()
  // CHECK: %[[COLUMN:.*]] = memref.subview %[[C]][%{{.*}}] [%[[COUNT]]] [1]
  // CHECK: memref.expand_shape %[[COLUMN]] {{\[\[}}0, 1]] output_shape [%[[COUNT]], 1]
  %l = tile.load %c[%k span] : (!tile.array<?xf32>, !tile.span<6, filled>) -> !tile.tile<6 x 1 x f32>
  // All rows of a filled span count.
  // CHECK-NOT: tensor.extract_slice
  // CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]} ins(%{{.*}} : tensor<6x1xf32>)
  %s = tile.reduce sum %l axis 0 : !tile.tile<6 x 1 x f32> -> !tile.tile<1 x 1 x f32>
  return
}

// -----

// A mapped span: rows stand a step apart; the valid ones count.
// CHECK-LABEL: func.func @mapped
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x?x64xf32, strided<[?, ?, 1]>>, %[[L:[^:]*]]: memref<?x?xf32, strided<[?, 1]>>, %[[BASE:[^:]*]]: index, %[[LIMIT:[^:]*]]: index, %[[OFFSET:[^:]*]]: index, %[[STEP:[^:]*]]: index,
func.func @mapped(%x: !tile.array<?x?x64xf32>, %l: !tile.array<?x?xf32>, %base: index, %limit: index, %offset: index,
                  %step: index) attributes {tile.kernel} {
  // CHECK: %[[COUNT:.*]] = arith.maxsi
  %t = tile.make_span %base to %limit map(%offset, %step) : !tile.span<4, mapped>
  // CHECK:      %[[STEPS:.*]] = arith.muli %[[STEP]], %[[BASE]]
  // CHECK-NEXT: %[[ROW:.*]] = arith.addi %[[OFFSET]], %[[STEPS]]
  // CHECK-NEXT: memref.subview %[[X]][%[[BASE]], %[[ROW]], 0] [1, %[[COUNT]], 64] [1, %[[STEP]], 1]
  %v = tile.load %x[%base, %t span, :] : (!tile.array<?x?x64xf32>, index, !tile.span<4, mapped>) -> !tile.tile<4 x 64 x f32>
  // CHECK: %[[COLUMN:.*]] = memref.subview %[[L]][%[[BASE]], %{{.*}}] [1, %[[COUNT]]] [1, %[[STEP]]] : {{.*}} to memref<?xf32, strided<[?], offset: ?>>
  // CHECK: memref.expand_shape %[[COLUMN]]
  %c = tile.load %l[%base, %t span] : (!tile.array<?x?xf32>, index, !tile.span<4, mapped>) -> !tile.tile<4 x 1 x f32>
  // CHECK: tensor.extract_slice %{{.*}}[0, 0] [%[[COUNT]], 64] [1, 1] : tensor<4x64xf32> to tensor<?x64xf32>
  %s = tile.reduce sum %v axis 0 : !tile.tile<4 x 64 x f32> -> !tile.tile<1 x 64 x f32>
  return
}

// -----

// Filled and mapped: the rows that exist begin after those that are missing, mapped.
// CHECK-LABEL: func.func @filled_mapped
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x64xf32, strided<[?, 1]>>, %[[BASE:[^:]*]]: index, %[[FIRST:[^:]*]]: index, %[[LIMIT:[^:]*]]: index, %[[OFFSET:[^:]*]]: index, %[[STEP:[^:]*]]: index,
func.func @filled_mapped(%x: !tile.array<?x64xf32>, %base: index, %first: index, %limit: index, %offset: index, %step: index)
    attributes {tile.kernel} {
  // CHECK: %[[MISSING:.*]] = arith.maxsi
  // CHECK: %[[COUNT:.*]] = arith.subi %{{.*}}, %[[MISSING]]
  %k = tile.make_span %base to %limit from %first map(%offset, %step) : !tile.span<6, filled, mapped>
  // CHECK:      %[[INDEX:.*]] = arith.addi %[[BASE]], %[[MISSING]]
  // CHECK-NEXT: %[[STEPS:.*]] = arith.muli %[[STEP]], %[[INDEX]]
  // CHECK-NEXT: %[[ROW:.*]] = arith.addi %[[OFFSET]], %[[STEPS]]
  // CHECK-NEXT: memref.subview %[[X]][%[[ROW]], 0] [%[[COUNT]], 64] [%[[STEP]], 1]
  %v = tile.load %x[%k span, :] : (!tile.array<?x64xf32>, !tile.span<6, filled, mapped>) -> !tile.tile<6 x 64 x f32>
  return
}

// -----

// A span over a list of tensors: row by row, each at its own address.
// CHECK-LABEL: func.func @table_rows
// CHECK-SAME:    %[[TABLE:[^:]*]]: memref<?xi64>, %[[SHAPE:[^:]*]]: memref<?x64xf16, strided<[?, 1]>>, %[[BASE:[^:]*]]: index, %[[LIMIT:[^:]*]]: index, %[[T:[^:]*]]: index,
func.func @table_rows(%a: !tile.array<?x?x64xf16, table>, %base: index, %limit: index, %t: index) attributes {tile.kernel} {
  // CHECK: %[[COUNT:.*]] = arith.maxsi
  %n = tile.make_span %base to %limit : !tile.span<8>
  // CHECK: %[[BUFFER:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8x64xf16>
  // CHECK: %[[END:.*]] = arith.addi %[[ZERO:.*]], %[[COUNT]]
  // CHECK: scf.for %[[ROW:.*]] = %[[ZERO]] to %[[END]]
  // CHECK:   %[[ENTRY:.*]] = arith.addi %[[BASE]], %[[ROW]]
  // CHECK:   memref.load %[[TABLE]][%[[ENTRY]]]
  // CHECK:   %[[TENSOR:.*]] = memref.reinterpret_cast %[[SHAPE]]
  // CHECK:   %[[FROM:.*]] = memref.subview %[[TENSOR]][%[[T]], 0] [1, 64] [1, 1]
  // CHECK:   %[[VIEW:.*]] = memref.expand_shape %[[FROM]] {{\[\[}}0, 1]] output_shape [1, 64]
  // CHECK:   %[[TO:.*]] = memref.subview %[[BUFFER]][%[[ROW]], 0] [1, 64] [1, 1]
  // CHECK:   memref.copy %[[VIEW]], %[[TO]]
  // CHECK: %[[V:.*]] = bufferization.to_tensor %[[BUFFER]]
  %v = tile.load %a[%n span, %t, :] : (!tile.array<?x?x64xf16, table>, !tile.span<8>, index) -> !tile.tile<8 x 64 x f16>
  // CHECK: scf.for %[[ROW:.*]] =
  // CHECK:   memref.load %[[TABLE]]
  // CHECK:   %[[PART:.*]] = tensor.extract_slice %[[V]][%[[ROW]], 0] [1, 64] [1, 1]
  // CHECK:   bufferization.materialize_in_destination %[[PART]]
  tile.store %v, %a[%n span, %t, :] : (!tile.tile<8 x 64 x f16>, !tile.array<?x?x64xf16, table>, !tile.span<8>, index) -> ()
  return
}

// -----

// Rows as columns and columns as rows: both lie contiguously, so nothing moves.
// CHECK-LABEL: func.func @transposed
func.func @transposed(%x: f32, %t: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %p = tile.splat %x : f32 -> !tile.tile<7 x 4 x f32>
  // CHECK: %[[ROW:.*]] = tensor.extract_slice %{{.*}}[%{{.*}}, 0] [1, 4] [1, 1] : tensor<7x4xf32> to tensor<4xf32>
  // CHECK: %[[COLUMN:.*]] = tensor.expand_shape %[[ROW]] {{\[\[}}0, 1]] output_shape [4, 1]
  %c = tile.extract %p[%t, %zero] transposed : !tile.tile<7 x 4 x f32> -> !tile.tile<4 x 1 x f32>
  // CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[COLUMN]] {{\[\[}}0, 1]] : tensor<4x1xf32> into tensor<4xf32>
  // CHECK: tensor.insert_slice %[[FLAT]] into %{{.*}}[%{{.*}}, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<7x4xf32>
  %s = tile.insert %c, %p[%t, %zero] transposed : !tile.tile<4 x 1 x f32> into !tile.tile<7 x 4 x f32>
  // CHECK: tensor.extract_slice %{{.*}}[0, %{{.*}}] [7, 1] [1, 1] : tensor<7x4xf32> to tensor<7xf32>
  // CHECK: tensor.expand_shape %{{.*}} output_shape [1, 7]
  %r = tile.extract %s[%zero, %t] transposed : !tile.tile<7 x 4 x f32> -> !tile.tile<1 x 7 x f32>
  return
}

// -----

// The taps whose row exists: one comparison says both that it is not before the first and not after the last.
// CHECK-LABEL: func.func @mask
// CHECK-DAG:     %[[MISSING:.*]] = arith.index_cast %[[BEFORE:.*]] : index to i32
// CHECK-DAG:     %[[COUNT:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<3x4xf32>) {
// CHECK:           linalg.index 0
// CHECK:           linalg.index 1
// CHECK:           %[[ROW:.*]] = arith.addi
// CHECK:           %[[EXISTING:.*]] = arith.subi %[[ROW]], %[[MISSING]]
// CHECK:           %[[EXISTS:.*]] = arith.cmpi ult, %[[EXISTING]], %[[COUNT]] : i32
// CHECK:           arith.uitofp %[[EXISTS]] : i1 to f32
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<4x3xf32>) {
func.func @mask(%base: index, %limit: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %k = tile.make_span %base to %limit from %zero : !tile.span<6, filled>
  %m = tile.band_mask %k transposed : !tile.span<6, filled> -> !tile.tile<3 x 4 x f32>
  %n = tile.band_mask %k : !tile.span<6, filled> -> !tile.tile<4 x 3 x f32>
  return
}

// -----

// CHECK-LABEL: func.func @base
// CHECK-SAME:    %[[BASE:[^:]*]]: index
// CHECK:         return %[[BASE]] : index
func.func @base(%base: index, %limit: index) -> index {
  %zero = arith.constant 0 : index
  %k = tile.make_span %base to %limit from %zero : !tile.span<6, filled>
  %b = tile.span_base %k : !tile.span<6, filled>
  return %b : index
}

// CHECK-LABEL: func.func @size
// CHECK:         %[[SIZE:.*]] = arith.constant 64 : index
// CHECK:         return %[[SIZE]]
func.func @size() -> index {
  %n = tile.size 64
  return %n : index
}

// -----

// One row is its own sum.
// CHECK-LABEL: func.func @one_row
// CHECK:         %[[V:.*]] = bufferization.to_tensor
// CHECK-NOT:     linalg.generic
// CHECK:         bufferization.materialize_in_destination %[[V]]
func.func @one_row(%x: !tile.array<?x64xf32>, %y: !tile.array<64xf32>, %i: index) attributes {tile.kernel} {
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  %r = tile.make_span %i to %T nonempty : !tile.span<1>
  %v = tile.load %x[%r span, :] : (!tile.array<?x64xf32>, !tile.span<1>) -> !tile.tile<1 x 64 x f32>
  %s = tile.reduce sum %v axis 0 : !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 64 x f32>
  tile.store %s, %y[:] : (!tile.tile<1 x 64 x f32>, !tile.array<64xf32>) -> ()
  return
}
