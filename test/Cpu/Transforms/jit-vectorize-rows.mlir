// RUN: attn-opt %s -split-input-file -jit-vectorize-rows | FileCheck %s
// RUN: attn-opt %s -split-input-file -jit-vectorize-rows="lanes=16 unroll=1" | FileCheck %s --check-prefix=WIDE

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (0, d1)>
#column = affine_map<(d0, d1) -> (d0, 0)>

// CHECK-LABEL: func.func @elementwise
// CHECK-SAME:    %[[V:.*]]: memref<4x72xf32>, %[[P:.*]]: memref<4x1xf32>, %[[A:.*]]: memref<4x72xf32>
// WIDE-LABEL:  func.func @elementwise
func.func @elementwise(%v: memref<4x72xf32>, %p: memref<4x1xf32>, %acc: memref<4x72xf32>) {
  // CHECK: scf.for %[[R:.*]] =
  // CHECK:   %[[SCALAR:.*]] = memref.load %[[P]][%[[R]], %{{.*}}]
  // CHECK:   scf.for %[[C:.*]] = %{{.*}} to %c64{{.*}} step %c32
  // CHECK:     %[[X:.*]] = vector.load %[[V]][%[[R]], %[[C]]] : memref<4x72xf32>, vector<8xf32>
  // CHECK:     %[[O:.*]] = vector.load %[[A]][%[[R]], %[[C]]] : memref<4x72xf32>, vector<8xf32>
  // CHECK:     %[[S:.*]] = vector.broadcast %[[SCALAR]] : f32 to vector<8xf32>
  // CHECK:     %[[M:.*]] = arith.mulf %[[X]], %[[S]] : vector<8xf32>
  // CHECK:     %[[N:.*]] = arith.addf %[[O]], %[[M]] : vector<8xf32>
  // CHECK:     vector.store %[[N]], %[[A]][%[[R]], %[[C]]]
  // CHECK-COUNT-3: vector.store
  // CHECK:   }
  // CHECK:   vector.load %[[V]][%[[R]], %c64{{.*}}] : memref<4x72xf32>, vector<8xf32>
  // CHECK:   vector.store
  // CHECK-NOT: vector.store
  // Few vectors of a row are written out.
  // WIDE:          scf.for
  // WIDE-NOT:      scf.for
  // WIDE-COUNT-4:  vector.store %{{.*}} vector<16xf32>
  // WIDE-NOT:      vector<16xf32>
  // WIDE:          vector.load %{{.*}} : memref<4x72xf32>, vector<8xf32>
  linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%v, %p : memref<4x72xf32>, memref<4x1xf32>) outs(%acc : memref<4x72xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (0, d1)>
#column = affine_map<(d0, d1) -> (d0, 0)>

// Two sums and a tail of 3 columns: partial results are added in a fixed order, the tail last, and the start before all.
// CHECK-LABEL: func.func @sums
func.func @sums(%v: memref<4x75xf32>, %u: memref<1x75xf32>, %ss: memref<4x1xf32>, %c: memref<4x1xf32>) {
  // CHECK: scf.for %[[R:.*]] =
  // CHECK:   %[[SS:.*]] = memref.load
  // CHECK:   %[[C:.*]] = memref.load
  // CHECK:   %[[SUMS:.*]]:8 = scf.for {{.*}} -> (vector<8xf32>,
  // CHECK:     vector.fma
  // CHECK-COUNT-7: vector.fma
  // CHECK:     scf.yield
  // CHECK:   vector.load {{.*}} vector<8xf32>
  // CHECK:   vector.fma
  // CHECK:   vector.fma
  // The halves of both sums share vectors.
  // CHECK:   vector.shuffle %{{.*}} [0, 1, 2, 3, 8, 9, 10, 11]
  // CHECK:   vector.shuffle %{{.*}} [4, 5, 6, 7, 12, 13, 14, 15]
  // CHECK:   arith.addf %{{.*}} : vector<8xf32>
  // CHECK:   vector.shuffle %{{.*}} [0, 1, 4, 5]
  // CHECK:   vector.shuffle %{{.*}} [2, 3, 6, 7]
  // CHECK:   arith.addf %{{.*}} : vector<4xf32>
  // CHECK:   vector.shuffle %{{.*}} [0, 2]
  // CHECK:   vector.shuffle %{{.*}} [1, 3]
  // CHECK:   %[[BOTH:.*]] = arith.addf %{{.*}} : vector<2xf32>
  // CHECK:   vector.extract %[[BOTH]][0]
  // CHECK:   vector.extract %[[BOTH]][1]
  // CHECK:   vector.load {{.*}} vector<2xf32>
  // CHECK:   memref.load
  // CHECK:   %[[TOTAL:.*]] = arith.addf %[[SS]], %{{.*}} : f32
  // CHECK:   memref.store %[[TOTAL]]
  linalg.generic {indexing_maps = [#all, #row, #column, #column], iterator_types = ["parallel", "reduction"]}
      ins(%v, %u : memref<4x75xf32>, memref<1x75xf32>) outs(%ss, %c : memref<4x1xf32>, memref<4x1xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32, %t: f32):
    %aa = arith.mulf %a, %a : f32
    %s1 = arith.addf %s, %aa : f32
    %ab = arith.mulf %a, %b : f32
    %t1 = arith.addf %t, %ab : f32
    linalg.yield %s1, %t1 : f32, f32
  }
  return
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (0, d1)>

// Over rows, one after the other.
// CHECK-LABEL: func.func @over_rows
func.func @over_rows(%v: memref<?x8xf32>, %s: memref<1x8xf32>) {
  // CHECK: %[[ROWS:.*]] = memref.dim
  // CHECK: scf.for %[[R:.*]] = %{{.*}} to %[[ROWS]]
  // CHECK:   %[[X:.*]] = vector.load %{{.*}}[%[[R]], %{{.*}}]
  // CHECK:   %[[O:.*]] = vector.load %[[S:.*]][
  // CHECK:   arith.maximumf %[[O]], %[[X]] : vector<8xf32>
  // CHECK:   vector.store %{{.*}}, %[[S]]
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["reduction", "parallel"]}
      ins(%v : memref<?x8xf32>) outs(%s : memref<1x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %o, %a : f32
    linalg.yield %m : f32
  }
  return
}

// -----

// A column is swept along its rows; a strided one element by element. Copies and fills are swept as well.
// CHECK-LABEL: func.func @columns
func.func @columns(%a: memref<8x1xf32>, %b: memref<8x1xf32, strided<[?, ?]>>, %x: f32) {
  // CHECK: %[[X:.*]] = vector.broadcast %{{.*}} : f32 to vector<8xf32>
  // CHECK: vector.store %[[X]], %{{.*}} : memref<8x1xf32>, vector<8xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<8x1xf32>)
  // CHECK: scf.for
  // CHECK:   memref.load
  // CHECK:   memref.store
  memref.copy %a, %b : memref<8x1xf32> to memref<8x1xf32, strided<[?, ?]>>
  return
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>

// Indices: that of a row is the same in all lanes, those of columns follow each other.
// CHECK-LABEL: func.func @indices
// CHECK-SAME:    %[[E:.*]]: memref<4x9xi32>
// CHECK:         scf.for %[[R:.*]] =
// CHECK:           %[[ROW:.*]] = vector.broadcast %[[R]] : index to vector<8xindex>
// CHECK:           %[[ROWS:.*]] = arith.index_cast %[[ROW]] : vector<8xindex> to vector<8xi32>
// CHECK:           %[[STEP:.*]] = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xindex>
// CHECK:           %[[BASE:.*]] = vector.broadcast %c0{{.*}} : index to vector<8xindex>
// CHECK:           %[[COL:.*]] = arith.addi %[[BASE]], %[[STEP]] : vector<8xindex>
// CHECK:           %[[COLS:.*]] = arith.index_cast %[[COL]]
// CHECK:           %[[SUM:.*]] = arith.addi %[[ROWS]], %[[COLS]] : vector<8xi32>
// CHECK:           vector.store %[[SUM]], %[[E]][%[[R]], %c0{{.*}}]
// CHECK:           arith.index_cast %[[R]] : index to i32
// CHECK:           arith.index_cast %c8{{.*}} : index to i32
// CHECK:           memref.store
func.func @indices(%e: memref<4x9xi32>) {
  linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%e : memref<4x9xi32>) {
  ^bb0(%o: i32):
    %r = linalg.index 0 : index
    %r32 = arith.index_cast %r : index to i32
    %c = linalg.index 1 : index
    %c32 = arith.index_cast %c : index to i32
    %s = arith.addi %r32, %c32 : i32
    linalg.yield %s : i32
  }
  return
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>

// An array that is only written, in whole vectors: past the caches where it is large and its rows start at cache lines.
// CHECK-LABEL: func.func @streamed
// CHECK-SAME:    %[[V:.*]]: memref<4x64xf32>, %[[Y:.*]]: memref<?x64xf32, strided<[?, 1]>>
func.func @streamed(%v: memref<4x64xf32>, %y: memref<?x64xf32, strided<[?, 1]>>, %t: index) {
  // CHECK-DAG: %[[ROWS:.*]] = memref.dim %[[Y]]
  // CHECK-DAG: %[[LARGE:.*]] = arith.cmpi uge, %{{.*}}, %c8388608
  // CHECK:     memref.extract_strided_metadata
  // CHECK:     memref.extract_aligned_pointer_as_index
  // CHECK:     arith.andi %{{.*}}, %c63
  // CHECK:     %[[STREAM:.*]] = arith.andi %[[LARGE]], %{{.*}} : i1
  // CHECK:     scf.if %[[STREAM]] {
  // CHECK:       vector.store {{.*}} {alignment = 32 : i64, nontemporal = true} : memref<4x64xf32
  // CHECK:     } else {
  // CHECK-NOT:   nontemporal
  // CHECK:       vector.store
  // CHECK:     }
  // CHECK:     llvm.fence seq_cst
  // CHECK:     return
  %to = memref.subview %y[%t, 0] [4, 64] [1, 1] : memref<?x64xf32, strided<[?, 1]>> to memref<4x64xf32, strided<[?, 1], offset: ?>>
  memref.copy %v, %to : memref<4x64xf32> to memref<4x64xf32, strided<[?, 1], offset: ?>>
  return
}

// A row that does not end with a whole vector, and a buffer of the function's own.
// CHECK-LABEL: func.func @not_streamed
// CHECK-NOT:     nontemporal
// CHECK-NOT:     llvm.fence
func.func @not_streamed(%v: memref<4x63xf32>, %y: memref<4x63xf32>, %w: memref<4x64xf32>) {
  memref.copy %v, %y : memref<4x63xf32> to memref<4x63xf32>
  %buffer = memref.alloc() : memref<4x64xf32>
  memref.copy %w, %buffer : memref<4x64xf32> to memref<4x64xf32>
  return
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d0, 0)>

// Three maxima that start at nothing: what sets them to it goes away, and the odd one is folded with its neighbour.
// CHECK-LABEL: func.func @from_nothing
func.func @from_nothing(%v: memref<4x8xf32>, %c: memref<4x1xf32>) {
  // CHECK-NOT: vector.store
  // CHECK:     scf.for %[[R:.*]] =
  // CHECK-NOT:   memref.load
  // CHECK:       vector.shuffle %[[X:.*]], %[[Y:.*]] [0, 1, 2, 3, 8, 9, 10, 11]
  // CHECK:       vector.shuffle %[[Z:.*]], %[[Y]] [0, 1, 2, 3, 8, 9, 10, 11]
  // CHECK:       %[[FIRST:.*]] = vector.extract %[[ALL:.*]][0] : f32 from vector<4xf32>
  // CHECK:       %[[SECOND:.*]] = vector.extract %[[ALL]][1]
  // CHECK:       %[[THIRD:.*]] = vector.extract %[[ALL]][2]
  // CHECK:       memref.store %[[FIRST]]
  // CHECK:       memref.store %[[SECOND]]
  // CHECK:       memref.store %[[THIRD]]
  %least = arith.constant 0xFF800000 : f32
  %a = memref.alloca() : memref<4x1xf32>
  %b = memref.alloca() : memref<4x1xf32>
  %d = memref.alloca() : memref<4x1xf32>
  linalg.fill ins(%least : f32) outs(%a : memref<4x1xf32>)
  linalg.fill ins(%least : f32) outs(%b : memref<4x1xf32>)
  linalg.fill ins(%least : f32) outs(%d : memref<4x1xf32>)
  linalg.generic {indexing_maps = [#all, #column, #column, #column], iterator_types = ["parallel", "reduction"]}
      ins(%v : memref<4x8xf32>) outs(%a, %b, %d : memref<4x1xf32>, memref<4x1xf32>, memref<4x1xf32>) {
  ^bb0(%x: f32, %p: f32, %q: f32, %r: f32):
    %0 = arith.maximumf %p, %x : f32
    %minus = arith.negf %x : f32
    %1 = arith.maximumf %q, %minus : f32
    %twice = arith.addf %x, %x : f32
    %2 = arith.maximumf %r, %twice : f32
    linalg.yield %0, %1, %2 : f32, f32, f32
  }
  return
}

// A sum that starts at something else, or at what was written in between, keeps it.
// CHECK-LABEL: func.func @from_something
func.func @from_something(%v: memref<4x8xf32>) {
  // CHECK: vector.store
  // CHECK: %[[START:.*]] = memref.load
  // CHECK: arith.addf %[[START]], %{{.*}} : f32
  %one = arith.constant 1.0 : f32
  %a = memref.alloca() : memref<4x1xf32>
  linalg.fill ins(%one : f32) outs(%a : memref<4x1xf32>)
  linalg.generic {indexing_maps = [#all, #column], iterator_types = ["parallel", "reduction"]}
      ins(%v : memref<4x8xf32>) outs(%a : memref<4x1xf32>) {
  ^bb0(%x: f32, %p: f32):
    %0 = arith.addf %p, %x : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// The first sweep over a tile of an array asks for the rows after it.
// CHECK-LABEL: func.func @ahead
// CHECK-SAME:    %[[X:.*]]: memref<?x64xf32, strided<[?, 1]>>
func.func @ahead(%x: memref<?x64xf32, strided<[?, 1]>>, %t: index) {
  %from = memref.subview %x[%t, 0] [4, 64] [1, 1] : memref<?x64xf32, strided<[?, 1]>> to memref<4x64xf32, strided<[?, 1], offset: ?>>
  %a = memref.alloca() : memref<4x64xf32>
  %b = memref.alloca() : memref<4x64xf32>
  // CHECK: %[[FROM:.*]] = memref.subview
  // CHECK: scf.for %[[R:.*]] =
  // CHECK:   %[[NEXT:.*]] = arith.addi %[[R]], %c4
  // CHECK:   memref.prefetch %[[FROM]][%[[NEXT]], %{{.*}}], read, locality<2>, data
  // CHECK:   vector.load %[[FROM]]
  // CHECK: scf.for
  // CHECK-NOT: memref.prefetch
  memref.copy %from, %a : memref<4x64xf32, strided<[?, 1], offset: ?>> to memref<4x64xf32>
  memref.copy %from, %b : memref<4x64xf32, strided<[?, 1], offset: ?>> to memref<4x64xf32>
  return
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>

// Of two tiles that the first sweep reads, a later one that has as much to do asks for the rows after the second.
// CHECK-LABEL: func.func @ahead_of_both
// CHECK-SAME:    %[[X:.*]]: memref<4x64xf32>, %[[Y:.*]]: memref<4x64xf32>, %{{.*}}: memref<4x64xf32>
// CHECK:         memref.prefetch %[[X]]
// CHECK-NOT:     memref.prefetch %[[Y]]
// CHECK:         arith.mulf
// CHECK:         memref.prefetch %[[Y]]
// CHECK-NOT:     memref.prefetch %[[X]]
// CHECK:         arith.addf
// CHECK-NOT:     memref.prefetch %[[X]]
// CHECK:         return
func.func @ahead_of_both(%x: memref<4x64xf32>, %y: memref<4x64xf32>, %to: memref<4x64xf32>) {
  %a = memref.alloca() : memref<4x64xf32>
  linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : memref<4x64xf32>, memref<4x64xf32>) outs(%a : memref<4x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.mulf %p, %q : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%a, %y : memref<4x64xf32>, memref<4x64xf32>) outs(%to : memref<4x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.addf %p, %q : f32
    linalg.yield %r : f32
  }
  return
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d0, 0)>

// Rows whose length only the run tells: whole vectors, then element by element; of a reduction, first as many vectors at a
// time as it keeps partial results.
// CHECK-LABEL: func.func @dynamic
func.func @dynamic(%x: memref<4x?xf32>, %y: memref<4x?xf32>, %s: memref<4x1xf32>) {
  // CHECK: scf.for
  // CHECK:   %[[REST:.*]] = arith.remui %[[SIZE:.*]], %c8
  // CHECK:   %[[MAIN:.*]] = arith.subi %[[SIZE]], %[[REST]]
  // CHECK:   scf.for %{{.*}} = %{{.*}} to %[[MAIN]] step %c8
  // CHECK:     vector.load %{{.*}} : memref<4x?xf32>, vector<8xf32>
  // CHECK:     vector.store
  // CHECK:   scf.for %{{.*}} = %[[MAIN]] to %[[SIZE]] step %c1
  // CHECK:     memref.load
  // CHECK:     memref.store
  memref.copy %x, %y : memref<4x?xf32> to memref<4x?xf32>
  // CHECK:   arith.remui %{{.*}}, %c32
  // CHECK:   %[[STEPS:.*]] = arith.subi
  // CHECK:   %[[GROUPS:.*]]:4 = scf.for %{{.*}} = %{{.*}} to %[[STEPS]] step %c32{{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
  // CHECK:   %[[FIRST:.*]] = scf.for %{{.*}} = %[[STEPS]] to %{{.*}} step %c8{{.*}} iter_args(%{{.*}} = %[[GROUPS]]#0) -> (vector<8xf32>)
  // CHECK:   arith.addf %[[FIRST]], %[[GROUPS]]#2
  // CHECK:   scf.for {{.*}} -> (f32)
  // CHECK:   memref.store
  linalg.generic {indexing_maps = [#all, #column], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<4x?xf32>) outs(%s : memref<4x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %out, %in : f32
    linalg.yield %sum : f32
  }
  return
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d0, 0)>

// Elements after a limit are left out: whole steps before it are not compared, and the loop after them ends at it.
// CHECK-LABEL: func.func @limited
func.func @limited(%x: memref<4x128xf32>, %s: memref<4x1xf32>, %n: i32) {
  %zero = arith.constant 0.0 : f32
  // CHECK: %[[LIMIT:.*]] = arith.maxsi
  // CHECK: %[[REST:.*]] = arith.remui %[[LIMIT]], %c32
  // CHECK: %[[WHOLE:.*]] = arith.subi %[[LIMIT]], %[[REST]]
  // CHECK: scf.for %{{.*}} = %{{.*}} to %[[WHOLE]] step %c32
  // CHECK-NOT: arith.select
  // CHECK: scf.for %{{.*}} = %[[WHOLE]] to %[[LIMIT]] step %c8
  // CHECK:   arith.select
  linalg.generic {indexing_maps = [#all, #column], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<4x128xf32>) outs(%s : memref<4x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %isInside = arith.cmpi slt, %j, %n : i32
    %kept = arith.select %isInside, %in, %zero : f32
    %sum = arith.addf %out, %kept : f32
    linalg.yield %sum : f32
  }
  return
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d0, 0)>

// A sweep that folds rows and writes them as well: what is left out of the sum is still written.
// CHECK-LABEL: func.func @folds_and_writes
func.func @folds_and_writes(%x: memref<4x128xf32>, %y: memref<4x128xf32>, %s: memref<4x1xf32>, %n: i32) {
  %zero = arith.constant 0.0 : f32
  // CHECK: scf.for %{{.*}} = %{{.*}} to %[[WHOLE:.*]] step %c32
  // CHECK-COUNT-4: vector.store
  // CHECK: scf.for %{{.*}} = %[[WHOLE]] to %c128 step %c8
  // CHECK:   vector.store
  // CHECK: memref.store
  linalg.generic {indexing_maps = [#all, #all, #column], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<4x128xf32>) outs(%y, %s : memref<4x128xf32>, memref<4x1xf32>) {
  ^bb0(%in: f32, %o: f32, %out: f32):
    %e = arith.mulf %in, %in : f32
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %isInside = arith.cmpi slt, %j, %n : i32
    %kept = arith.select %isInside, %e, %zero : f32
    %sum = arith.addf %out, %kept : f32
    linalg.yield %e, %sum : f32, f32
  }
  return
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d0, 0)>

// Rows of whole vectors are reduced by fours, whose lanes are folded together.
// WIDE-LABEL: func.func @four_rows
// WIDE: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c4
// WIDE-COUNT-4: vector.load {{.*}} vector<16xf32>
// WIDE: vector.shuffle
// WIDE: %[[ALL:.*]] = arith.addf %{{.*}} : vector<4xf32>
// WIDE: vector.extract %[[ALL]][3]
// WIDE-COUNT-4: memref.store
func.func @four_rows(%x: memref<8x16xf32>, %s: memref<8x1xf32>) {
  linalg.generic {indexing_maps = [#all, #column], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x16xf32>) outs(%s : memref<8x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = arith.addf %o, %a : f32
    linalg.yield %y : f32
  }
  return
}
