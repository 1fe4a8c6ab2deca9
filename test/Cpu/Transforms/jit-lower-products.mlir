// RUN: attn-opt %s --jit-lower-products | FileCheck %s
// RUN: attn-opt %s --jit-lower-products=lanes=16 | FileCheck %s --check-prefix=WIDE
// RUN: attn-opt %s --jit-lower-products="lanes=16 pairs=1" | FileCheck %s --check-prefix=PAIRS
// Register tiles of 6 rows of two vectors over panels that are copied before; where vectors are wide, of four vectors, or 12 rows
// of two where four have more columns that do not exist.

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (n, k)>
#turned = affine_map<(m, n, k) -> (k, m)>
#sum = affine_map<(m, n, k) -> (m, n)>

// The left operand is a buffer, and is read where it lies; sums stay in registers over four steps of k at a time.
// CHECK-LABEL: func.func @whole
// CHECK-SAME: (%[[A:.*]]: memref<12x8xf32>, %[[B:.*]]: memref<8x16xf32>, %[[C:.*]]: memref<12x16xf32>)
// CHECK: %[[PANELS:.*]] = memref.alloc() : memref<16x257x16xf32>
// CHECK-NOT: memref.alloc
// CHECK: scf.for
// CHECK: vector.load %[[B]]
// CHECK: vector.store %{{.*}}, %[[PANELS]]
// CHECK-COUNT-12: vector.load %[[C]]
// CHECK: %[[SUMS:.*]]:12 = scf.for %[[K:[^ ]*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// CHECK: %[[FIRST:.*]] = vector.load %[[PANELS]][%{{.*}}, %[[K]], %{{.*}}] : memref<16x257x16xf32>, vector<8xf32>
// CHECK: %[[ELEMENT:.*]] = memref.load %[[A]]
// CHECK: %[[SPREAD:.*]] = vector.broadcast %[[ELEMENT]] : f32 to vector<8xf32>
// CHECK: vector.fma %[[SPREAD]], %[[FIRST]], %{{.*}} : vector<8xf32>
// CHECK-COUNT-47: vector.fma
// CHECK-NOT: vector.fma
// CHECK: vector.store %[[SUMS]]#0, %[[C]]
// CHECK-COUNT-11: vector.store
// CHECK-NOT: vector.maskedstore
// WIDE-LABEL: func.func @whole
// WIDE: memref.alloc() : memref<8x257x32xf32>
func.func @whole(%a: memref<12x8xf32>, %b: memref<8x16xf32>, %c: memref<12x16xf32>) {
  linalg.matmul ins(%a, %b : memref<12x8xf32>, memref<8x16xf32>) outs(%c : memref<12x16xf32>)
  return
}

// Of any size: rows that are left over by fours and one, of which there are no two or three after the last whole tile, columns
// by masks, operands widened where they are copied.
// CHECK-LABEL: func.func @tails
// CHECK: memref.alloc() : memref<16x257x16xf32>
// CHECK: memref.alloc() : memref<192x256xf32>
// CHECK: arith.extf %{{.*}} : vector<8xbf16> to vector<8xf32>
// CHECK: %[[BEYOND:.*]] = arith.subi %{{.*}}, %c2{{.*}} : index
// CHECK: %[[FEW:.*]] = arith.cmpi ult, %[[BEYOND]], %c2{{.*}} : index
// CHECK: %[[SOME:.*]] = arith.cmpi ne, %[[END:.*]], %c0{{.*}} : index
// CHECK: %[[PAYS:.*]] = arith.andi %[[FEW]], %[[SOME]] : i1
// CHECK: %[[LESS:.*]] = arith.subi %[[END]], %c6{{.*}} : index
// CHECK: %[[DONE:.*]] = arith.select %[[PAYS]], %[[LESS]], %[[END]] : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[DONE]] step %c6
// CHECK: iter_args({{.*}}) -> ({{(vector<8xf32>, ){11}vector<8xf32>}}) {
// CHECK: scf.for %{{.*}} = %[[DONE]] to %{{.*}} step %c4
// CHECK: iter_args({{.*}}) -> ({{(vector<8xf32>, ){7}vector<8xf32>}}) {
// CHECK: iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>) {
// CHECK: arith.cmpi slt
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
// WIDE-LABEL: func.func @tails
// WIDE: iter_args({{.*}}) -> ({{(vector<16xf32>, ){23}vector<16xf32>}})
func.func @tails(%a: memref<?x?xbf16, strided<[?, 1], offset: ?>>, %b: memref<?x?xbf16, strided<[?, 1], offset: ?>>,
                 %c: memref<96x256xf32>, %m: index, %n: index) {
  %part = memref.subview %c[0, 0] [%m, %n] [1, 1] : memref<96x256xf32> to memref<?x?xf32, strided<[256, 1]>>
  linalg.matmul ins(%a, %b : memref<?x?xbf16, strided<[?, 1], offset: ?>>, memref<?x?xbf16, strided<[?, 1], offset: ?>>)
                outs(%part : memref<?x?xf32, strided<[256, 1]>>)
  return
}

// An operand that is stored the other way round: squares are transposed in registers, first by fours of elements, then by fours
// as a whole, and rows of the left are panels.
// CHECK-LABEL: func.func @transposed
// CHECK: memref.alloc() : memref<32x257x6xi32>
// CHECK: arith.extsi %{{.*}} : vector<8xi8> to vector<8xi32>
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 8, 1, 9, 4, 12, 5, 13] : vector<8xi32>, vector<8xi32>
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [2, 10, 3, 11, 6, 14, 7, 15] : vector<8xi32>, vector<8xi32>
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 1, 2, 3, 8, 9, 10, 11] : vector<8xi32>, vector<8xi32>
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [4, 5, 6, 7, 12, 13, 14, 15] : vector<8xi32>, vector<8xi32>
// CHECK: vector.load %{{.*}} : memref<8x12xi8>, vector<4xi8>
// CHECK: vector.load %{{.*}} : memref<8x12xi8>, vector<2xi8>
// CHECK: arith.muli
// CHECK: arith.addi
func.func @transposed(%a: memref<8x12xi8>, %b: memref<16x8xi8>, %c: memref<12x16xi32>) {
  linalg.matmul indexing_maps = [#turned, #right, #sum] ins(%a, %b : memref<8x12xi8>, memref<16x8xi8>)
                outs(%c : memref<12x16xi32>)
  return
}

// Products of a function copy to the same buffers.
// CHECK-LABEL: func.func @two
// CHECK-COUNT-1: memref.alloc() : memref<16x257x16xf32>
// CHECK-NOT: memref.alloc()
func.func @two(%a: memref<12x8xf32>, %b: memref<8x16xf32>, %c: memref<12x16xf32>) {
  linalg.matmul ins(%a, %b : memref<12x8xf32>, memref<8x16xf32>) outs(%c : memref<12x16xf32>)
  linalg.matmul ins(%a, %b : memref<12x8xf32>, memref<8x16xf32>) outs(%c : memref<12x16xf32>)
  return
}

// Pairs of bf16 along k, where the machine multiplies them: words in panels, an odd one with a zero.
// PAIRS-LABEL: func.func @tails
// PAIRS: memref.alloc() : memref<4x129x64xi32>
// PAIRS: memref.alloc() : memref<192x128xi32>
// PAIRS: arith.shli %{{.*}}, %{{.*}} : vector<16xi32>
// PAIRS: vector.bitcast %{{.*}} : vector<32xbf16> to vector<16xi32>
// PAIRS: vector.bitcast %{{.*}} : vector<16xi32> to vector<32xbf16>
// PAIRS: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%{{.*}}) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
// PAIRS-LABEL: func.func @transposed
// PAIRS-NOT: llvm.call_intrinsic

// What a product would be added to is not set to zero where the product writes all of it.
// CHECK-LABEL: func.func @from_zero
// CHECK: %[[C:.*]] = memref.alloc() : memref<12x16xf32>
// CHECK-NOT: linalg.fill
// CHECK: %[[WRITTEN:.*]] = arith.cmpi eq, %{{.*}}, %c12
// CHECK: scf.if %[[WRITTEN]] {
// CHECK: } else {
// CHECK:   linalg.fill
// CHECK-NOT: vector.load %[[C]]
// CHECK: return
func.func @from_zero(%a: memref<12x8xf32>, %b: memref<8x16xf32>, %m: index, %read: memref<12x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %c = memref.alloc() : memref<12x16xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<12x16xf32>)
  %rows = memref.subview %a[0, 0] [%m, 8] [1, 1] : memref<12x8xf32> to memref<?x8xf32, strided<[8, 1]>>
  %part = memref.subview %c[0, 0] [%m, 16] [1, 1] : memref<12x16xf32> to memref<?x16xf32, strided<[16, 1]>>
  linalg.matmul ins(%rows, %b : memref<?x8xf32, strided<[8, 1]>>, memref<8x16xf32>)
                outs(%part : memref<?x16xf32, strided<[16, 1]>>)
  memref.copy %c, %read : memref<12x16xf32> to memref<12x16xf32>
  return
}

// A product that is only added to a tile is summed there, after the other addend.
// CHECK-LABEL: func.func @absorbed
// CHECK: %[[ACC:.*]] = memref.alloc() : memref<12x16xf32>
// CHECK-NOT: linalg.fill
// CHECK: linalg.generic {{.*}} outs(%[[ACC]]
// CHECK:   arith.mulf
// CHECK-NEXT: linalg.yield
// CHECK-COUNT-12: vector.load %[[ACC]]
// CHECK-NOT: linalg.generic
// CHECK: return
#tile = affine_map<(i, j) -> (i, j)>
func.func @absorbed(%a: memref<12x8xf32>, %b: memref<8x16xf32>, %x: f32) {
  %zero = arith.constant 0.0 : f32
  %acc = memref.alloc() : memref<12x16xf32>
  %c = memref.alloc() : memref<12x16xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<12x16xf32>)
  linalg.matmul ins(%a, %b : memref<12x8xf32>, memref<8x16xf32>) outs(%c : memref<12x16xf32>)
  linalg.generic {indexing_maps = [#tile, #tile], iterator_types = ["parallel", "parallel"]}
      ins(%c : memref<12x16xf32>) outs(%acc : memref<12x16xf32>) {
  ^bb0(%p: f32, %o: f32):
    %scaled = arith.mulf %o, %x : f32
    %sum = arith.addf %scaled, %p : f32
    linalg.yield %sum : f32
  }
  return
}

// The tile that it is added to is an operand too: it must not change before.
// CHECK-LABEL: func.func @operand_too
// CHECK: vector.fma
// CHECK: linalg.generic
// CHECK: arith.addf
func.func @operand_too(%b: memref<16x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %acc = memref.alloc() : memref<12x16xf32>
  %c = memref.alloc() : memref<12x16xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<12x16xf32>)
  linalg.matmul ins(%acc, %b : memref<12x16xf32>, memref<16x16xf32>) outs(%c : memref<12x16xf32>)
  linalg.generic {indexing_maps = [#tile, #tile], iterator_types = ["parallel", "parallel"]}
      ins(%c : memref<12x16xf32>) outs(%acc : memref<12x16xf32>) {
  ^bb0(%p: f32, %o: f32):
    %sum = arith.addf %o, %p : f32
    linalg.yield %sum : f32
  }
  return
}

// A narrow operand that a sweep computes for the product is written in the type of the sum, rounded as before; pairs
// stay narrow.
// CHECK-LABEL: func.func @widened
// CHECK: %[[P:.*]] = memref.alloc() : memref<12x8xf32>
// CHECK: linalg.generic {{.*}} outs(%[[P]]
// CHECK:   %[[ROUNDED:.*]] = arith.truncf
// CHECK:   %[[AGAIN:.*]] = arith.extf %[[ROUNDED]]
// CHECK:   linalg.yield %[[AGAIN]]
// CHECK: memref.load %[[P]]
// PAIRS-LABEL: func.func @widened
// PAIRS: linalg.generic {{.*}} outs(%{{.*}} : memref<12x8xbf16>)
func.func @widened(%x: memref<12x8xf32>, %b: memref<8x16xbf16>, %c: memref<12x16xf32>) {
  %p = memref.alloc() : memref<12x8xbf16>
  linalg.generic {indexing_maps = [#tile, #tile], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<12x8xf32>) outs(%p : memref<12x8xbf16>) {
  ^bb0(%in: f32, %o: bf16):
    %t = arith.truncf %in : f32 to bf16
    linalg.yield %t : bf16
  }
  linalg.matmul ins(%p, %b : memref<12x8xbf16>, memref<8x16xbf16>) outs(%c : memref<12x16xf32>)
  return
}

// What another part is taken of is read by others than this product, and stays as it is.
// CHECK-LABEL: func.func @read_by_two
// CHECK: %[[P:.*]] = memref.alloc() : memref<12x8xbf16>
// CHECK: linalg.generic {{.*}} outs(%[[P]]
// CHECK: memref.subview %[[P]]
// CHECK: memref.subview %[[P]]
func.func @read_by_two(%x: memref<12x8xf32>, %b: memref<8x16xbf16>, %c: memref<12x16xf32>, %d: memref<12x16xf32>, %n: index) {
  %p = memref.alloc() : memref<12x8xbf16>
  linalg.generic {indexing_maps = [#tile, #tile], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<12x8xf32>) outs(%p : memref<12x8xbf16>) {
  ^bb0(%in: f32, %o: bf16):
    %t = arith.truncf %in : f32 to bf16
    linalg.yield %t : bf16
  }
  %one = memref.subview %p[0, 0] [%n, 8] [1, 1] : memref<12x8xbf16> to memref<?x8xbf16, strided<[8, 1]>>
  %c1 = memref.subview %c[0, 0] [%n, 16] [1, 1] : memref<12x16xf32> to memref<?x16xf32, strided<[16, 1]>>
  linalg.matmul ins(%one, %b : memref<?x8xbf16, strided<[8, 1]>>, memref<8x16xbf16>) outs(%c1 : memref<?x16xf32, strided<[16, 1]>>)
  %two = memref.subview %p[0, 0] [%n, 8] [1, 1] : memref<12x8xbf16> to memref<?x8xbf16, strided<[8, 1]>>
  %d1 = memref.subview %d[0, 0] [%n, 16] [1, 1] : memref<12x16xf32> to memref<?x16xf32, strided<[16, 1]>>
  linalg.matmul ins(%two, %b : memref<?x8xbf16, strided<[8, 1]>>, memref<8x16xbf16>) outs(%d1 : memref<?x16xf32, strided<[16, 1]>>)
  return
}

// The left operand is an array that the loop does not change: it is copied before the loop.
// CHECK-LABEL: func.func @fixed_left
// CHECK: %[[ROWS:.*]] = memref.alloc() : memref<192x256xf32>
// CHECK: vector.store %{{.*}}, %[[ROWS]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NOT: vector.store %{{.*}}, %[[ROWS]]
// CHECK: memref.load %[[ROWS]]
func.func @fixed_left(%a: memref<12x8xf32, strided<[?, 1]>>, %b: memref<?x8x16xf32>, %c: memref<12x16xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %step = memref.subview %b[%i, 0, 0] [1, 8, 16] [1, 1, 1]
        : memref<?x8x16xf32> to memref<8x16xf32, strided<[16, 1], offset: ?>>
    linalg.matmul ins(%a, %step : memref<12x8xf32, strided<[?, 1]>>, memref<8x16xf32, strided<[16, 1], offset: ?>>)
                  outs(%c : memref<12x16xf32>)
  }
  return
}

// So is a part of it: it has no more rows than the tile that the result is a part of.
// CHECK-LABEL: func.func @fixed_part
// CHECK: %[[ROWS:.*]] = memref.alloc() : memref<192x256xf32>
// CHECK: vector.store %{{.*}}, %[[ROWS]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NOT: vector.store %{{.*}}, %[[ROWS]]
// CHECK: memref.load %[[ROWS]]
func.func @fixed_part(%a: memref<?x8xf32, strided<[?, 1]>>, %b: memref<?x8x16xf32>, %c: memref<12x16xf32>, %n: index,
                      %rows: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %part = memref.subview %c[0, 0] [%rows, 16] [1, 1] : memref<12x16xf32> to memref<?x16xf32, strided<[16, 1]>>
  scf.for %i = %zero to %n step %one {
    %step = memref.subview %b[%i, 0, 0] [1, 8, 16] [1, 1, 1]
        : memref<?x8x16xf32> to memref<8x16xf32, strided<[16, 1], offset: ?>>
    linalg.matmul ins(%a, %step : memref<?x8xf32, strided<[?, 1]>>, memref<8x16xf32, strided<[16, 1], offset: ?>>)
                  outs(%part : memref<?x16xf32, strided<[16, 1]>>)
  }
  return
}

// Few rows read each element of the right operand once, where it lies; where columns are left over, by masks.
// CHECK-LABEL: func.func @few_rows
// CHECK-SAME: (%[[A:.*]]: memref<4x8xf32>, %[[B:.*]]: memref<8x20xf32, strided<[?, 1]>>, %[[C:.*]]: memref<4x20xf32>)
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.prefetch
// CHECK: vector.load %[[B]]{{.*}} vector<8xf32>
// CHECK-COUNT-8: vector.fma
// CHECK: vector.maskedload %[[B]]
// CHECK: vector.maskedstore %[[C]]
func.func @few_rows(%a: memref<4x8xf32>, %b: memref<8x20xf32, strided<[?, 1]>>, %c: memref<4x20xf32>) {
  linalg.matmul ins(%a, %b : memref<4x8xf32>, memref<8x20xf32, strided<[?, 1]>>) outs(%c : memref<4x20xf32>)
  return
}

// Where it is widened, the rows that follow are asked for early, up to the last one.
// CHECK-LABEL: func.func @few_rows_widened
// CHECK-SAME: (%{{.*}}: memref<4x40xf32>, %[[B:.*]]: memref<40x16xbf16, strided<[?, 1]>>,
// CHECK: %[[LAST:.*]] = arith.constant 39 : index
// CHECK: %[[AHEAD:.*]] = arith.minsi %{{.*}}, %[[LAST]] : index
// CHECK: memref.prefetch %[[B]][%[[AHEAD]], %{{.*}}], read, locality<2>, data
// CHECK: vector.load %[[B]]{{.*}} vector<16xbf16>
// CHECK: arith.shli %{{.*}} : vector<8xi32>
// CHECK: arith.andi %{{.*}} : vector<8xi32>
func.func @few_rows_widened(%a: memref<4x40xf32>, %b: memref<40x16xbf16, strided<[?, 1]>>, %c: memref<4x16xf32>) {
  linalg.matmul ins(%a, %b : memref<4x40xf32>, memref<40x16xbf16, strided<[?, 1]>>) outs(%c : memref<4x16xf32>)
  return
}

// Where the right operand is stored the other way round, sums go along k: two columns of four rows at a time, whose vectors
// are summed up together, then the last column alone; columns that follow are asked for early, once for each line of the
// cache. k that is not a multiple of a line goes on by vectors, and ends with masks.
// CHECK-LABEL: func.func @dots
// CHECK-SAME: (%[[A:.*]]: memref<4x28xf32>, %[[B:.*]]: memref<5x28xf32, strided<[?, 1]>>, %[[C:.*]]: memref<4x5xf32>)
// CHECK-NOT: memref.alloc
// CHECK: scf.for
// CHECK: %[[SUMS:.*]]:8 = scf.for %[[K:[^ ]*]] = {{.*}} iter_args
// CHECK-COUNT-2: memref.prefetch %[[B]][%{{.*}}, %[[K]]], read, locality<2>, data
// CHECK-NOT: memref.prefetch
// CHECK-COUNT-4: vector.load %[[A]][%{{.*}}, %[[K]]] : memref<4x28xf32>, vector<8xf32>
// CHECK: vector.load %[[B]][%{{.*}}, %[[K]]]
// CHECK-COUNT-4: vector.fma
// CHECK: vector.load %[[B]][%{{.*}}, %[[K]]]
// CHECK-COUNT-4: vector.fma
// CHECK-COUNT-8: vector.fma
// CHECK: scf.yield
// CHECK: %[[MORE:.*]]:8 = scf.for {{.*}} iter_args
// CHECK-COUNT-8: vector.fma
// CHECK: scf.yield
// CHECK: %[[ALL:.*]]:8 = scf.for
// CHECK: vector.maskedload %[[A]]
// CHECK: vector.maskedload %[[B]]
// CHECK: %[[EVEN:.*]] = vector.shuffle %[[ALL]]#0, %[[ALL]]#1 [0, 2, 8, 10, 4, 6, 12, 14]
// CHECK: %[[ODD:.*]] = vector.shuffle %[[ALL]]#0, %[[ALL]]#1 [1, 3, 9, 11, 5, 7, 13, 15]
// CHECK: %[[SUM01:.*]] = arith.addf %[[EVEN]], %[[ODD]] : vector<8xf32>
// CHECK: vector.shuffle %[[SUM01]], %{{.*}} [0, 2, 8, 10, 4, 6, 12, 14]
// CHECK: %[[LOW:.*]] = vector.shuffle %{{.*}}, %{{.*}} [0, 1, 2, 3, 8, 9, 10, 11]
// CHECK: %[[HIGH:.*]] = vector.shuffle %{{.*}}, %{{.*}} [4, 5, 6, 7, 12, 13, 14, 15]
// CHECK: %[[TILE:.*]] = arith.addf %[[LOW]], %[[HIGH]] : vector<8xf32>
// CHECK: vector.shuffle %[[TILE]], %[[TILE]] [0, 1]
// CHECK: vector.load %[[C]]{{.*}} : memref<4x5xf32>, vector<2xf32>
// CHECK: vector.store %{{.*}}, %[[C]]{{.*}} : memref<4x5xf32>, vector<2xf32>
// CHECK: vector.shuffle %[[TILE]], %[[TILE]] [2, 3]
// CHECK: vector.store %{{.*}}, %[[C]]{{.*}} : memref<4x5xf32>, vector<1xf32>
func.func @dots(%a: memref<4x28xf32>, %b: memref<5x28xf32, strided<[?, 1]>>, %c: memref<4x5xf32>) {
  linalg.matmul indexing_maps = [#left, #right, #sum] ins(%a, %b : memref<4x28xf32>, memref<5x28xf32, strided<[?, 1]>>)
                outs(%c : memref<4x5xf32>)
  return
}

// Rows that have to be widened are, once: before a loop that does not change them, also where their access is checked.
// CHECK-LABEL: func.func @dots_widened
// CHECK-SAME: (%[[A:.*]]: memref<?x32xbf16, strided<[?, 1]>>, %{{.*}}: memref<?x8x32xbf16>
// CHECK: %[[ROWS:.*]] = memref.alloc() : memref<192x256xf32>
// CHECK: %[[INSIDE:.*]] = cpu.check_access
// CHECK: %[[PART:.*]] = memref.subview %[[INSIDE]]
// CHECK: vector.load %[[PART]]{{.*}} vector<16xbf16>
// CHECK: arith.shli %{{.*}} : vector<8xi32>
// CHECK: arith.andi %{{.*}} : vector<8xi32>
// CHECK: vector.store %{{.*}}, %[[ROWS]]
// CHECK: scf.for %[[I:.*]] =
// CHECK: memref.subview %{{.*}}[%[[I]], 0, 0]
// CHECK-NOT: vector.load %[[PART]][
// CHECK: vector.load %[[ROWS]]
// CHECK: vector.fma
func.func @dots_widened(%a: memref<?x32xbf16, strided<[?, 1]>>, %b: memref<?x8x32xbf16>, %c: memref<4x8xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %width = arith.constant 32 : index
  %inside = cpu.check_access "load" %a[%n, %zero] [%four, %width] [%one, %one] named "a" : memref<?x32xbf16, strided<[?, 1]>>
  %part = memref.subview %inside[%n, 0] [4, 32] [1, 1]
      : memref<?x32xbf16, strided<[?, 1]>> to memref<4x32xbf16, strided<[?, 1], offset: ?>>
  scf.for %i = %zero to %n step %one {
    %step = memref.subview %b[%i, 0, 0] [1, 8, 32] [1, 1, 1]
        : memref<?x8x32xbf16> to memref<8x32xbf16, strided<[32, 1], offset: ?>>
    linalg.matmul indexing_maps = [#left, #right, #sum]
        ins(%part, %step : memref<4x32xbf16, strided<[?, 1], offset: ?>>, memref<8x32xbf16, strided<[32, 1], offset: ?>>)
        outs(%c : memref<4x8xf32>)
  }
  return
}

// Of pairs, few rows too are read where they lie, the left ones as words: rows of the right operand become pairs two by two,
// by vectors of both that are shuffled. The last of an odd number of rows has zeros beside it, and so has its factor.
// PAIRS-LABEL: func.func @few_rows_in_pairs
// PAIRS-SAME: (%[[A:.*]]: memref<4x9xbf16>, %[[B:.*]]: memref<9x64xbf16, strided<[?, 1]>>,
// PAIRS-NOT: memref.alloc
// PAIRS: %[[SUMS:.*]]:16 = scf.for
// PAIRS: %[[EVEN:.*]] = vector.load %[[B]]{{.*}} vector<32xbf16>
// PAIRS: %[[ODD:.*]] = vector.load %[[B]]{{.*}} vector<32xbf16>
// PAIRS: %[[LOW:.*]] = vector.shuffle %[[EVEN]], %[[ODD]] [0, 32, 1, 33, 2, 34, 3, 35, 4, 36, 5, 37, 6, 38, 7, 39, 8, 40, 9, 41, 10, 42, 11, 43, 12, 44, 13, 45, 14, 46, 15, 47]
// PAIRS: vector.bitcast %[[LOW]] : vector<32xbf16> to vector<16xi32>
// PAIRS: vector.shuffle %[[EVEN]], %[[ODD]] [16, 48,
// PAIRS: %[[WORDS:.*]] = vector.load %[[A]]{{.*}} vector<2xbf16>
// PAIRS: vector.bitcast %[[WORDS]] : vector<2xbf16> to vector<1xi32>
// PAIRS: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// PAIRS: scf.yield
// PAIRS: %[[LAST:.*]] = vector.load %[[B]]{{.*}} vector<32xbf16>
// PAIRS: %[[NONE:.*]] = arith.constant dense<0.000000e+00> : vector<32xbf16>
// PAIRS: vector.shuffle %[[LAST]], %[[NONE]] [0, 32,
// PAIRS: %[[ALONE:.*]] = memref.load %[[A]]
// PAIRS: %[[BITS:.*]] = arith.bitcast %[[ALONE]] : bf16 to i16
// PAIRS: arith.extui %[[BITS]] : i16 to i32
func.func @few_rows_in_pairs(%a: memref<4x9xbf16>, %b: memref<9x64xbf16, strided<[?, 1]>>, %c: memref<4x64xf32>) {
  linalg.matmul ins(%a, %b : memref<4x9xbf16>, memref<9x64xbf16, strided<[?, 1]>>) outs(%c : memref<4x64xf32>)
  return
}

// Sums along k take pairs of both operands as they lie.
// PAIRS-LABEL: func.func @dots_in_pairs
// PAIRS-SAME: (%[[A:.*]]: memref<4x40xbf16>, %[[B:.*]]: memref<8x40xbf16, strided<[?, 1]>>,
// PAIRS-NOT: memref.alloc
// PAIRS: scf.for
// PAIRS: %{{.*}}:16 = scf.for
// PAIRS-COUNT-4: memref.prefetch %[[B]]
// PAIRS: vector.load %[[A]]{{.*}} vector<32xbf16>
// PAIRS: %[[KEYS:.*]] = vector.load %[[B]]{{.*}} vector<32xbf16>
// PAIRS: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%{{.*}}, %{{.*}}, %[[KEYS]])
// PAIRS: vector.maskedload %[[B]]{{.*}} vector<32xbf16>
func.func @dots_in_pairs(%a: memref<4x40xbf16>, %b: memref<8x40xbf16, strided<[?, 1]>>, %c: memref<4x8xf32>) {
  linalg.matmul indexing_maps = [#left, #right, #sum] ins(%a, %b : memref<4x40xbf16>, memref<8x40xbf16, strided<[?, 1]>>)
                outs(%c : memref<4x8xf32>)
  return
}

// What the next iteration reads is asked for early, where its place can be computed: the entry of a table that says it is
// one that exists, whatever its index, and the checks of the next iteration are made by itself.
// CHECK-LABEL: func.func @next_page
// CHECK-SAME: (%{{.*}}: memref<4x32xf32>, %[[PAGES:.*]]: memref<?x8x32xf32>, %[[TABLE:.*]]: memref<?xindex>,
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[END:.*]] step %[[ONE:.*]] {
// CHECK: %[[PART:.*]] = memref.subview
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %[[ONE]]
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[NEXT]], %[[END]]
// CHECK: %[[LATER:.*]] = arith.select %[[EXISTS]], %[[NEXT]], %[[I]]
// CHECK: %[[SIZE:.*]] = memref.dim %[[TABLE]]
// CHECK: %[[FURTHEST:.*]] = arith.subi %[[SIZE]]
// CHECK: %[[BELOW:.*]] = arith.minsi %[[LATER]], %[[FURTHEST]]
// CHECK: %[[INSIDE:.*]] = arith.maxsi %[[BELOW]]
// CHECK-NOT: cpu.check_access
// CHECK: %[[PAGE:.*]] = memref.load %[[TABLE]][%[[INSIDE]]]
// CHECK: %[[AHEAD:.*]] = memref.subview %[[PAGES]][%[[PAGE]], 0, 0]
// CHECK: scf.for %[[COLUMN:.*]] =
// CHECK: scf.for %[[K:[^ ]*]] =
// CHECK: memref.prefetch %[[AHEAD]][%[[COLUMN]], %[[K]]], read, locality<2>, data
func.func @next_page(%a: memref<4x32xf32>, %pages: memref<?x8x32xf32>, %table: memref<?xindex>, %c: memref<4x8xf32>,
                     %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %width = arith.constant 32 : index
  scf.for %i = %zero to %n step %one {
    %there = cpu.check_access "read" %table[%i] [%one] [%one] named "table" : memref<?xindex>
    %page = memref.load %there[%i] : memref<?xindex>
    %inside = cpu.check_access "load" %pages[%page, %zero, %zero] [%one, %eight, %width] [%one, %one, %one] named "pages"
        : memref<?x8x32xf32>
    %keys = memref.subview %inside[%page, 0, 0] [1, 8, 32] [1, 1, 1]
        : memref<?x8x32xf32> to memref<8x32xf32, strided<[32, 1], offset: ?>>
    linalg.matmul indexing_maps = [#left, #right, #sum]
        ins(%a, %keys : memref<4x32xf32>, memref<8x32xf32, strided<[32, 1], offset: ?>>) outs(%c : memref<4x8xf32>)
  }
  return
}

// Rows of what is copied in the next iteration are asked for with the register tiles of as many rows.
// CHECK-LABEL: func.func @next_copy
// CHECK-SAME: (%{{.*}}: memref<12x32xf32>, %[[PAGES:.*]]: memref<?x8x32xf32>,
// CHECK: memref.subview %[[PAGES]]
// CHECK: %[[AHEAD:.*]] = memref.subview %[[PAGES]][%{{.*}}, 0, 0]
// CHECK: memref.store
// CHECK: %[[ROW:.*]] = arith.minsi
// CHECK: scf.for %[[LINE:.*]] = %{{.*}} to %c32{{.*}} step
// CHECK:   memref.prefetch %[[AHEAD]][%[[ROW]], %[[LINE]]], read, locality<2>, data
// CHECK: vector.fma
func.func @next_copy(%a: memref<12x32xf32>, %pages: memref<?x8x32xf32>, %c: memref<12x8xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %keys = memref.subview %pages[%i, 0, 0] [1, 8, 32] [1, 1, 1]
        : memref<?x8x32xf32> to memref<8x32xf32, strided<[32, 1], offset: ?>>
    linalg.matmul indexing_maps = [#left, #right, #sum]
        ins(%a, %keys : memref<12x32xf32>, memref<8x32xf32, strided<[32, 1], offset: ?>>) outs(%c : memref<12x8xf32>)
  }
  return
}

// Six rows of four wide vectors take fewer operands than twelve of two, and as many sums.
// WIDE-LABEL: func.func @four_vectors
// WIDE: memref.alloc() : memref<4x257x64xf32>
// WIDE: iter_args({{.*}}) -> ({{(vector<16xf32>, ){23}vector<16xf32>}})
func.func @four_vectors(%a: memref<12x8xf32>, %b: memref<8x128xf32>, %c: memref<12x128xf32>) {
  linalg.matmul ins(%a, %b : memref<12x8xf32>, memref<8x128xf32>) outs(%c : memref<12x128xf32>)
  return
}

// A product of up to eight rows takes no copies either, and has as many rows in registers.
// CHECK-LABEL: func.func @eight_rows
// CHECK-SAME: (%[[A:.*]]: memref<8x8xf32>, %[[B:.*]]: memref<8x16xf32, strided<[?, 1]>>, %{{.*}}: memref<8x16xf32>)
// CHECK-NOT: memref.alloc
// CHECK: %{{.*}}:8 = scf.for
// CHECK: vector.load %[[B]]{{.*}} vector<8xf32>
// CHECK-COUNT-8: memref.load %[[A]]
func.func @eight_rows(%a: memref<8x8xf32>, %b: memref<8x16xf32, strided<[?, 1]>>, %c: memref<8x16xf32>) {
  linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x16xf32, strided<[?, 1]>>) outs(%c : memref<8x16xf32>)
  return
}

// Copies of a transposed operand are panels of as many rows as a register tile has, also where that is all of few rows.
// CHECK-LABEL: func.func @eight_rows_turned
// CHECK: memref.alloc() : memref<24x257x8xf32>
// CHECK: %{{.*}}:8 = scf.for
func.func @eight_rows_turned(%a: memref<8x8xf32>, %b: memref<8x16xf32, strided<[?, 1]>>, %c: memref<8x16xf32>) {
  linalg.matmul indexing_maps = [#turned, affine_map<(m, n, k) -> (k, n)>, #sum]
                ins(%a, %b : memref<8x8xf32>, memref<8x16xf32, strided<[?, 1]>>) outs(%c : memref<8x16xf32>)
  return
}

// Columns of bf16 are widened by their halves of words: sums are those of even and of odd columns, and are stored in order.
// WIDE-LABEL: func.func @few_rows_in_halves
// WIDE-SAME: (%{{.*}}: memref<4x8xf32>, %[[B:.*]]: memref<8x64xbf16, strided<[?, 1]>>, %[[C:.*]]: memref<4x64xf32>)
// WIDE: %[[LOW:.*]] = vector.load %[[C]]
// WIDE: %[[HIGH:.*]] = vector.load %[[C]]
// WIDE: vector.shuffle %[[LOW]], %[[HIGH]] [0, 2, 4,
// WIDE: vector.shuffle %[[LOW]], %[[HIGH]] [1, 3, 5,
// WIDE: %[[SUMS:.*]]:16 = scf.for
// WIDE: %[[BOTH:.*]] = vector.load %[[B]]{{.*}} vector<32xbf16>
// WIDE: %[[WORDS:.*]] = vector.bitcast %[[BOTH]] : vector<32xbf16> to vector<16xi32>
// WIDE: arith.shli %[[WORDS]]
// WIDE: arith.andi %[[WORDS]]
// WIDE: vector.shuffle %[[SUMS]]#0, %[[SUMS]]#1 [0, 16, 1, 17,
// WIDE: vector.shuffle %[[SUMS]]#0, %[[SUMS]]#1 [8, 24, 9, 25,
func.func @few_rows_in_halves(%a: memref<4x8xf32>, %b: memref<8x64xbf16, strided<[?, 1]>>, %c: memref<4x64xf32>) {
  linalg.matmul ins(%a, %b : memref<4x8xf32>, memref<8x64xbf16, strided<[?, 1]>>) outs(%c : memref<4x64xf32>)
  return
}

// Sums along k take the even elements of both operands, then the odd ones; what is left beyond whole lines follows in order.
// WIDE-LABEL: func.func @dots_in_halves
// WIDE-SAME: (%[[A:.*]]: memref<4x40xbf16, strided<[?, 1]>>, %[[B:.*]]: memref<4x40xbf16, strided<[?, 1]>>
// WIDE: %[[ROWS:.*]] = memref.alloc() : memref<192x256xf32>
// WIDE: vector.load %[[A]]{{.*}} vector<32xbf16>
// WIDE: arith.shli
// WIDE: arith.andi
// WIDE-COUNT-2: vector.store %{{.*}}, %[[ROWS]]
// WIDE: scf.for
// WIDE: %{{.*}}:16 = scf.for %[[K:[^ ]*]] =
// WIDE: vector.load %[[B]][%{{.*}}, %[[K]]] {{.*}} vector<32xbf16>
// WIDE: arith.shli
// WIDE: arith.andi
// WIDE: vector.load %[[ROWS]][%{{.*}}, %[[K]]]
// WIDE: vector.maskedload %[[B]]{{.*}} vector<16xbf16>
func.func @dots_in_halves(%a: memref<4x40xbf16, strided<[?, 1]>>, %b: memref<4x40xbf16, strided<[?, 1]>>, %c: memref<4x4xf32>) {
  linalg.matmul indexing_maps = [#left, #right, #sum]
      ins(%a, %b : memref<4x40xbf16, strided<[?, 1]>>, memref<4x40xbf16, strided<[?, 1]>>) outs(%c : memref<4x4xf32>)
  return
}

// A product that is added to a part of a tile is summed in that part.
// CHECK-LABEL: func.func @absorbed_by_a_part
// CHECK: %[[ALL:.*]] = memref.alloc() : memref<32x16xf32>
// CHECK: %[[PART:.*]] = memref.subview %[[ALL]]
// CHECK-NOT: linalg.fill
// CHECK-NOT: linalg.generic
// CHECK: vector.load %[[PART]]
// CHECK: vector.store %{{.*}}, %[[PART]]
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @absorbed_by_a_part(%a: memref<4x8xf32>, %b: memref<8x16xf32>, %row: index, %read: memref<32x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %all = memref.alloc() : memref<32x16xf32>
  memref.copy %read, %all : memref<32x16xf32> to memref<32x16xf32>
  %part = memref.subview %all[%row, 0] [4, 16] [1, 1] : memref<32x16xf32> to memref<4x16xf32, strided<[16, 1], offset: ?>>
  %some = memref.alloc() : memref<4x16xf32>
  linalg.fill ins(%zero : f32) outs(%some : memref<4x16xf32>)
  linalg.matmul ins(%a, %b : memref<4x8xf32>, memref<8x16xf32>) outs(%some : memref<4x16xf32>)
  linalg.generic {indexing_maps = [#tile, #tile], iterator_types = ["parallel", "parallel"]}
      ins(%some : memref<4x16xf32>) outs(%part : memref<4x16xf32, strided<[16, 1], offset: ?>>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %out, %in : f32
    linalg.yield %sum : f32
  }
  memref.copy %all, %read : memref<32x16xf32> to memref<32x16xf32>
  return
}

// After the last iteration of a loop of few, it is the first one of the loop around that is asked for.
// CHECK-LABEL: func.func @next_span
// CHECK-SAME: (%{{.*}}: memref<4x32xf32>, %[[KEYS:.*]]: memref<?x8x4x32xf32>,
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[N:.*]] step %[[ONE:.*]] {
// CHECK: scf.for %[[H:.*]] = %[[ZERO:.*]] to %[[FOUR:.*]] step %[[ONE]] {
// CHECK: %[[NEXT:.*]] = arith.addi %[[H]], %[[ONE]]
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %[[NEXT]], %[[FOUR]]
// CHECK: %[[HEAD:.*]] = arith.select %[[MORE]], %[[NEXT]], %[[ZERO]]
// CHECK: %[[LATER:.*]] = arith.addi %[[I]], %[[ONE]]
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[LATER]], %[[N]]
// CHECK: %[[GOES_ON:.*]] = arith.select %[[EXISTS]], %[[LATER]], %[[I]]
// CHECK: %[[SPAN:.*]] = arith.select %[[MORE]], %[[I]], %[[GOES_ON]]
// CHECK: memref.subview %[[KEYS]][%[[SPAN]], 0, %[[HEAD]], 0]
func.func @next_span(%a: memref<4x32xf32>, %keys: memref<?x8x4x32xf32>, %c: memref<4x8xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  scf.for %i = %zero to %n step %one {
    scf.for %h = %zero to %four step %one {
      %part = memref.subview %keys[%i, 0, %h, 0] [1, 8, 1, 32] [1, 1, 1, 1]
          : memref<?x8x4x32xf32> to memref<8x32xf32, strided<[128, 1], offset: ?>>
      linalg.matmul indexing_maps = [#left, #right, #sum]
          ins(%a, %part : memref<4x32xf32>, memref<8x32xf32, strided<[128, 1], offset: ?>>) outs(%c : memref<4x8xf32>)
    }
  }
  return
}

// What is read ahead is asked for in the order of memory while its lines are read: of each step of k one line for each of both
// columns. These are all that registers sum, so that nothing is left over.
// WIDE-LABEL: func.func @dots_read_ahead
// WIDE-SAME: (%{{.*}}: memref<4x128xf32>, %[[KEYS:.*]]: memref<2x128xf32, strided<[?, 1]>>, %[[LATER:.*]]: memref<2x128xf32, strided<[?, 1]>>,
// WIDE-NOT: cpu.read_ahead
// WIDE: scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// WIDE: %[[STEP:.*]] = arith.divui %[[K]]
// WIDE: %[[NUMBER:.*]] = arith.muli %[[STEP]]
// WIDE: %[[ROW:.*]] = arith.divui %[[NUMBER]]
// WIDE: memref.prefetch %[[LATER]][%[[ROW]], %{{.*}}], read, locality<0>, data
// WIDE: memref.prefetch %[[LATER]]
// WIDE: vector.load %[[KEYS]]
// WIDE-NOT: scf.for
// WIDE: vector.store {{.*}} vector<2xf32>
// WIDE: return
func.func @dots_read_ahead(%a: memref<4x128xf32>, %b: memref<2x128xf32, strided<[?, 1]>>, %later: memref<2x128xf32, strided<[?, 1]>>, %c: memref<4x2xf32>) {
  %keys = cpu.read_ahead %b for %later : memref<2x128xf32, strided<[?, 1]>>, memref<2x128xf32, strided<[?, 1]>>
  linalg.matmul indexing_maps = [#left, #right, #sum]
      ins(%a, %keys : memref<4x128xf32>, memref<2x128xf32, strided<[?, 1]>>) outs(%c : memref<4x2xf32>)
  return
}

// Sums are in memory; panels are one line wide, and for each of the lines that they read one is asked for. Weights
// are spread once for all panels.
// WIDE-LABEL: func.func @rows_read_ahead
// WIDE-SAME: (%[[P:.*]]: memref<4x2xf32>, %[[VALUES:.*]]: memref<2x64xf32, strided<[?, 1]>>, %[[LATER:.*]]: memref<2x64xf32, strided<[?, 1]>>,
// WIDE-NOT: scf.for
// WIDE-COUNT-4: vector.load %{{.*}} : memref<4x64xf32>, vector<16xf32>
// WIDE-COUNT-1: memref.prefetch %[[LATER]][%c0{{[_0-9]*}},
// WIDE-COUNT-1: vector.load %[[VALUES]]
// WIDE-COUNT-4: memref.load %[[P]]
// WIDE-COUNT-1: memref.prefetch %[[LATER]][%c0{{[_0-9]*}},
// WIDE-COUNT-1: vector.load %[[VALUES]]
// WIDE-COUNT-4: memref.load %[[P]]
// WIDE-COUNT-4: vector.store
// WIDE-COUNT-2: memref.prefetch %[[LATER]][%c0{{[_0-9]*}},
// WIDE-COUNT-4: memref.prefetch %[[LATER]][%c1{{[_0-9]*}},
// WIDE-NOT: memref.prefetch
// WIDE-NOT: memref.load
// WIDE: return
func.func @rows_read_ahead(%p: memref<4x2xf32>, %v: memref<2x64xf32, strided<[?, 1]>>, %later: memref<2x64xf32, strided<[?, 1]>>, %o: memref<4x64xf32>) {
  %values = cpu.read_ahead %v for %later : memref<2x64xf32, strided<[?, 1]>>, memref<2x64xf32, strided<[?, 1]>>
  linalg.matmul ins(%p, %values : memref<4x2xf32>, memref<2x64xf32, strided<[?, 1]>>) outs(%o : memref<4x64xf32>)
  return
}

// What is set to zero right before a product, and is all of what it writes, is not set.
// WIDE-LABEL: func.func @part_from_zero
// WIDE-NOT: linalg.fill
// WIDE-NOT: vector.load %{{.*}} : memref<4x?xf32
// WIDE: vector.store
func.func @part_from_zero(%a: memref<4x128xf32>, %b: memref<2x128xf32>, %all: memref<4x?xf32>, %col: index) {
  %zero = arith.constant 0.0 : f32
  %part = memref.subview %all[0, %col] [4, 2] [1, 1] : memref<4x?xf32> to memref<4x2xf32, strided<[?, 1], offset: ?>>
  linalg.fill ins(%zero : f32) outs(%part : memref<4x2xf32, strided<[?, 1], offset: ?>>)
  linalg.matmul indexing_maps = [#left, #right, #sum]
      ins(%a, %b : memref<4x128xf32>, memref<2x128xf32>) outs(%part : memref<4x2xf32, strided<[?, 1], offset: ?>>)
  return
}
