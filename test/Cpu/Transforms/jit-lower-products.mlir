// RUN: attn-opt %s --jit-lower-products | FileCheck %s
// RUN: attn-opt %s --jit-lower-products=lanes=16 | FileCheck %s --check-prefix=WIDE
// RUN: attn-opt %s --jit-lower-products="lanes=16 pairs=1" | FileCheck %s --check-prefix=PAIRS
// Register tiles of 6 rows of two vectors, 12 where vectors are wide, over panels that are copied before.

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (n, k)>
#turned = affine_map<(m, n, k) -> (k, m)>
#sum = affine_map<(m, n, k) -> (m, n)>

// The left operand is a buffer, and is read where it lies; sums stay in registers over four steps of k at a time.
// CHECK-LABEL: func.func @whole
// CHECK-SAME: (%[[A:.*]]: memref<6x8xf32>, %[[B:.*]]: memref<8x16xf32>, %[[C:.*]]: memref<6x16xf32>)
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
func.func @whole(%a: memref<6x8xf32>, %b: memref<8x16xf32>, %c: memref<6x16xf32>) {
  linalg.matmul ins(%a, %b : memref<6x8xf32>, memref<8x16xf32>) outs(%c : memref<6x16xf32>)
  return
}

// Of any size: rows that are left over by twos and one, columns by masks, operands widened where they are copied.
// CHECK-LABEL: func.func @tails
// CHECK: memref.alloc() : memref<16x257x16xf32>
// CHECK: memref.alloc() : memref<192x256xf32>
// CHECK: arith.extf %{{.*}} : vector<8xbf16> to vector<8xf32>
// CHECK: iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK: iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
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

// An operand that is stored the other way round: squares are transposed in registers, and rows of the left are panels.
// CHECK-LABEL: func.func @transposed
// CHECK: memref.alloc() : memref<32x257x6xi32>
// CHECK: arith.extsi %{{.*}} : vector<8xi8> to vector<8xi32>
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 8, 1, 9, 2, 10, 3, 11] : vector<8xi32>, vector<8xi32>
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [4, 12, 5, 13, 6, 14, 7, 15] : vector<8xi32>, vector<8xi32>
// CHECK: vector.load %{{.*}} : memref<8x6xi8>, vector<4xi8>
// CHECK: vector.load %{{.*}} : memref<8x6xi8>, vector<2xi8>
// CHECK: arith.muli
// CHECK: arith.addi
func.func @transposed(%a: memref<8x6xi8>, %b: memref<16x8xi8>, %c: memref<6x16xi32>) {
  linalg.matmul indexing_maps = [#turned, #right, #sum] ins(%a, %b : memref<8x6xi8>, memref<16x8xi8>)
                outs(%c : memref<6x16xi32>)
  return
}

// Products of a function copy to the same buffers.
// CHECK-LABEL: func.func @two
// CHECK-COUNT-1: memref.alloc() : memref<16x257x16xf32>
// CHECK-NOT: memref.alloc()
func.func @two(%a: memref<6x8xf32>, %b: memref<8x16xf32>, %c: memref<6x16xf32>) {
  linalg.matmul ins(%a, %b : memref<6x8xf32>, memref<8x16xf32>) outs(%c : memref<6x16xf32>)
  linalg.matmul ins(%a, %b : memref<6x8xf32>, memref<8x16xf32>) outs(%c : memref<6x16xf32>)
  return
}

// Pairs of bf16 along k, where the machine multiplies them: words in panels, an odd one with a zero.
// PAIRS-LABEL: func.func @tails
// PAIRS: memref.alloc() : memref<8x129x32xi32>
// PAIRS: memref.alloc() : memref<192x128xi32>
// PAIRS: arith.shli %{{.*}}, %{{.*}} : vector<16xi32>
// PAIRS: vector.bitcast %{{.*}} : vector<32xbf16> to vector<16xi32>
// PAIRS: vector.bitcast %{{.*}} : vector<16xi32> to vector<32xbf16>
// PAIRS: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%{{.*}}) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
// PAIRS-LABEL: func.func @transposed
// PAIRS-NOT: llvm.call_intrinsic
