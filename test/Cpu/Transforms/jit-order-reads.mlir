// RUN: attn-opt %s -jit-order-reads | FileCheck %s
// RUN: attn-opt %s -jit-order-reads=pairs | FileCheck %s --check-prefix=PAIRS

!pages = memref<?x64x?x32xf32, strided<[?, ?, ?, 1]>>
!part = memref<?x32xf32, strided<[?, 1], offset: ?>>
!q = memref<4x32xf32, strided<[32, 1], offset: ?>>
!s = memref<4x?xf32, strided<[64, 1], offset: ?>>
#left = affine_map<(d0, d1, d2) -> (d0, d2)>
#right = affine_map<(d0, d1, d2) -> (d1, d2)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>

// Both loops check what they read once. After the keys come the values, and after these the keys of the next page.
// CHECK-LABEL: func.func @decode
// CHECK:       scf.for %[[Y:.*]] = %{{.*}} to %[[PAGES:[^ ]*]]
// CHECK:         %[[CHECKED:.*]] = cpu.check_access "load" %[[K:[a-z0-9]+]][%[[Y]], %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}] [%{{[^,]*}}, %[[N:[a-z0-9]+]], %c8{{[^,]*}}, %c32]
// CHECK:         %[[KEYS:.*]] = memref.subview %[[CHECKED]][%[[Y]], 0, %{{.*}}, 0] [1, %[[N]], 8, 32]
// CHECK:         cpu.check_access "load" %[[V:[a-z0-9]+]][%[[Y]],
// CHECK:         %[[VALUES:.*]] = memref.subview %{{.*}}[%[[Y]], 0, %{{.*}}, 0] [1, %[[N]], 8, 32]
// What is left of the first loop sets scores to zero that no key has.
// CHECK:         scf.for
// CHECK:           linalg.fill
// CHECK:         }
// CHECK:         %[[EVEN:.*]] = arith.subi %[[N]]
// Lines are asked for 10 KiB ahead: rows of all heads take one, and two are taken together. As far as these rows go, four
// heads ask for the lines of one.
// CHECK:         %[[REST:.*]] = arith.subi %[[EVEN]], %c10
// CHECK:         %[[POSITIVE:.*]] = arith.maxsi %[[REST]]
// CHECK:         %[[OWN:.*]] = arith.subi %[[POSITIVE]]
// CHECK:         scf.for %[[ROW:.*]] = %{{.*}} to %[[OWN]] step %{{.*}} {
// CHECK:           memref.prefetch
// CHECK:           scf.for %[[HEAD:.*]] =
// CHECK-NOT:         arith.select
// CHECK:             %[[PLACE:.*]] = arith.muli %[[HEAD]]
// CHECK:             %[[OF:.*]] = arith.divui %[[PLACE]]
// CHECK:             %[[AT:.*]] = arith.addi %[[ROW]], %[[OF]]
// CHECK:             %[[FROM:.*]] = arith.addi %[[AT]], %c10
// CHECK:             %[[LATER:.*]] = memref.subview %[[KEYS]][%[[FROM]], %{{.*}}, 0] [1, 2, 32]
// CHECK:             cpu.read_ahead %{{.*}} for %[[LATER]]
// The last rows ask for those that are read next.
// CHECK:         scf.for %[[ROW:.*]] = %{{.*}} to %[[EVEN]] step %{{.*}} {
// Pages are looked up 48 KiB ahead.
// CHECK:           %[[FAR:.*]] = arith.constant 48 : index
// CHECK:           %[[MOST:.*]] = arith.minsi %[[N]], %[[FAR]]
// CHECK:           %[[AHEAD:.*]] = arith.addi %[[ROW]], %[[MOST]]
// CHECK:           %[[ENDS:.*]] = arith.cmpi sge, %[[AHEAD]], %[[N]]
// CHECK:           %[[SOURCE:.*]] = arith.select %[[ENDS]], %[[VALUES]], %[[KEYS]]
// CHECK:           %[[OVER:.*]] = arith.subi %[[AHEAD]], %[[N]]
// CHECK:           %[[FROM:.*]] = arith.select %[[ENDS]], %[[OVER]], %[[AHEAD]]
// CHECK:           memref.prefetch %[[SOURCE]][%[[FROM]], %{{.*}}, %{{.*}}], read, locality<0>
// CHECK-NOT:       memref.prefetch
// CHECK:           scf.for %[[HEAD:.*]] =
// CHECK:             %[[TWO:.*]] = memref.subview %[[KEYS]][%[[ROW]], %[[HEAD]], 0] [2, 1, 32]
// CHECK:             %[[PLACE:.*]] = arith.muli %[[HEAD]]
// CHECK:             %[[OF:.*]] = arith.divui %[[PLACE]]
// CHECK:             %[[AT:.*]] = arith.addi %[[ROW]], %[[OF]]
// CHECK:             %[[BY:.*]] = arith.constant 10 : index
// CHECK:             %[[LEAST:.*]] = arith.minsi %[[N]], %[[BY]]
// CHECK:             %[[NEXTROW:.*]] = arith.addi %[[AT]], %[[LEAST]]
// CHECK:             %[[SOURCE:.*]] = arith.select %{{.*}}, %[[VALUES]], %[[KEYS]]
// CHECK:             %[[LATER:.*]] = memref.subview %[[SOURCE]][%{{.*}}, %{{.*}}, 0] [1, 2, 32]
// CHECK:             %[[READ:.*]] = cpu.read_ahead %[[TWO]] for %[[LATER]]
// CHECK:             %[[PART:.*]] = memref.subview %{{.*}}[0, %[[ROW]]] [4, 2]
// CHECK:             linalg.fill {{.*}} outs(%[[PART]]
// CHECK:             linalg.matmul {{.*}} ins(%{{.*}}, %[[READ]] {{.*}} outs(%[[PART]]
// CHECK:         scf.for %[[LAST:.*]] = %[[EVEN]] to %[[N]]
// CHECK-NOT:       memref.prefetch
// CHECK:           scf.for
// CHECK:             memref.subview %[[KEYS]][%[[LAST]], %{{.*}}, 0] [1, 1, 32]
// CHECK:             cpu.read_ahead %{{[^ ]*}} : memref<1x32xf32
// CHECK:             linalg.matmul {{.*}} outs(%{{.*}} : memref<4x1xf32
// CHECK:         %[[NEXT:.*]] = arith.addi %[[Y]]
// CHECK:         %[[EXISTS:.*]] = arith.cmpi slt, %[[NEXT]], %[[PAGES]]
// CHECK:         %[[THEN:.*]] = arith.select %[[EXISTS]], %[[NEXT]], %[[Y]]
// CHECK:         %[[FOLLOWING:.*]] = memref.subview %[[K]][%[[THEN]], 0,
// CHECK:         scf.for %[[ROW:.*]] =
// CHECK:           arith.select %{{.*}}, %[[FOLLOWING]], %[[VALUES]]
// CHECK:           scf.for %[[HEAD:.*]] =
// CHECK:             memref.subview %[[VALUES]][%[[ROW]], %[[HEAD]], 0] [2, 1, 32]
// CHECK:             %[[WEIGHTS:.*]] = memref.subview %{{.*}}[0, %[[ROW]]] [4, 2]
// CHECK-NOT:         linalg.fill
// CHECK:             linalg.matmul ins(%[[WEIGHTS]], %{{.*}} outs(%{{.*}} : memref<4x32xf32
func.func @decode(%q: memref<32x32xf32>, %k: !pages, %v: !pages, %pages: index, %n: index, %sums: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %scores = memref.alloc() : memref<32x64xf32>
  scf.for %y = %c0 to %pages step %c1 {
    scf.for %g = %c0 to %c8 step %c1 {
      %row = arith.muli %g, %c4 : index
      %own = memref.subview %q[%row, 0] [4, 32] [1, 1] : memref<32x32xf32> to !q
      %inside = cpu.check_access "load" %k[%y, %c0, %g, %c0] [%c1, %n, %c1, %c32] [%c1, %c1, %c1, %c1] named "k" : !pages
      %keys = memref.subview %inside[%y, 0, %g, 0] [1, %n, 1, 32] [1, 1, 1, 1] : !pages to !part
      %all = memref.subview %scores[%row, 0] [4, 64] [1, 1] : memref<32x64xf32> to memref<4x64xf32, strided<[64, 1], offset: ?>>
      linalg.fill ins(%zero : f32) outs(%all : memref<4x64xf32, strided<[64, 1], offset: ?>>)
      %s = memref.subview %all[0, 0] [4, %n] [1, 1] : memref<4x64xf32, strided<[64, 1], offset: ?>> to !s
      linalg.matmul indexing_maps = [#left, #right, #result] ins(%own, %keys : !q, !part) outs(%s : !s)
    }
    scf.for %g = %c0 to %c8 step %c1 {
      %row = arith.muli %g, %c4 : index
      %p = memref.subview %scores[%row, 0] [4, %n] [1, 1] : memref<32x64xf32> to !s
      %inside = cpu.check_access "load" %v[%y, %c0, %g, %c0] [%c1, %n, %c1, %c32] [%c1, %c1, %c1, %c1] named "v" : !pages
      %values = memref.subview %inside[%y, 0, %g, 0] [1, %n, 1, 32] [1, 1, 1, 1] : !pages to !part
      %o = memref.subview %sums[%row, 0] [4, 32] [1, 1] : memref<32x32xf32> to !q
      linalg.matmul ins(%p, %values : !s, !part) outs(%o : !q)
    }
  }
  return
}

// bf16 is multiplied where it lies only where the host multiplies pairs. Products of two rows take four keys for as many sums.
// CHECK-LABEL: func.func @narrow
// CHECK-NOT:     cpu.read_ahead
// PAIRS-LABEL: func.func @narrow
// PAIRS:         memref.subview %{{.*}} [4, 1, 32]
// PAIRS:         cpu.read_ahead
func.func @narrow(%q: memref<2x32xbf16>, %k: memref<?x8x32xbf16, strided<[?, ?, 1]>>, %n: index, %scores: memref<16x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  scf.for %g = %c0 to %c8 step %c1 {
    %row = arith.muli %g, %c2 : index
    %keys = memref.subview %k[0, %g, 0] [%n, 1, 32] [1, 1, 1] : memref<?x8x32xbf16, strided<[?, ?, 1]>> to memref<?x32xbf16, strided<[?, 1], offset: ?>>
    %s = memref.subview %scores[%row, 0] [2, %n] [1, 1] : memref<16x64xf32> to memref<2x?xf32, strided<[64, 1], offset: ?>>
    linalg.matmul indexing_maps = [#left, #right, #result] ins(%q, %keys : memref<2x32xbf16>, memref<?x32xbf16, strided<[?, 1], offset: ?>>) outs(%s : memref<2x?xf32, strided<[64, 1], offset: ?>>)
  }
  return
}

// More rows would load and store more sums; heads that come before rows lie one after the other; scores that
// another op of the loop reads, or that all heads share, are in the order of the loop.
// CHECK-LABEL: func.func @many_rows
// CHECK-NOT:     cpu.read_ahead
func.func @many_rows(%q: memref<8x32xf32>, %k: memref<?x8x32xf32, strided<[?, ?, 1]>>, %n: index, %scores: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %g = %c0 to %c8 step %c1 {
    %row = arith.muli %g, %c8 : index
    %keys = memref.subview %k[0, %g, 0] [%n, 1, 32] [1, 1, 1] : memref<?x8x32xf32, strided<[?, ?, 1]>> to !part
    %s = memref.subview %scores[%row, 0] [8, %n] [1, 1] : memref<64x64xf32> to memref<8x?xf32, strided<[64, 1], offset: ?>>
    linalg.matmul indexing_maps = [#left, #right, #result] ins(%q, %keys : memref<8x32xf32>, !part) outs(%s : memref<8x?xf32, strided<[64, 1], offset: ?>>)
  }
  return
}

// CHECK-LABEL: func.func @heads_first
// CHECK-NOT:     cpu.read_ahead
func.func @heads_first(%q: memref<4x32xf32>, %k: memref<8x?x32xf32, strided<[?, ?, 1]>>, %n: index, %scores: memref<32x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %g = %c0 to %c8 step %c1 {
    %row = arith.muli %g, %c4 : index
    %keys = memref.subview %k[%g, 0, 0] [1, %n, 32] [1, 1, 1] : memref<8x?x32xf32, strided<[?, ?, 1]>> to !part
    %s = memref.subview %scores[%row, 0] [4, %n] [1, 1] : memref<32x64xf32> to !s
    linalg.matmul indexing_maps = [#left, #right, #result] ins(%q, %keys : memref<4x32xf32>, !part) outs(%s : !s)
  }
  return
}

// CHECK-LABEL: func.func @read_in_between
// CHECK-NOT:     cpu.read_ahead
func.func @read_in_between(%q: memref<4x32xf32>, %k: memref<?x8x32xf32, strided<[?, ?, 1]>>, %n: index, %scores: memref<32x64xf32>, %to: memref<32x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %g = %c0 to %c8 step %c1 {
    %row = arith.muli %g, %c4 : index
    %keys = memref.subview %k[0, %g, 0] [%n, 1, 32] [1, 1, 1] : memref<?x8x32xf32, strided<[?, ?, 1]>> to !part
    %s = memref.subview %scores[%row, 0] [4, %n] [1, 1] : memref<32x64xf32> to !s
    linalg.matmul indexing_maps = [#left, #right, #result] ins(%q, %keys : memref<4x32xf32>, !part) outs(%s : !s)
    %t = memref.subview %to[%row, 0] [4, %n] [1, 1] : memref<32x64xf32> to !s
    memref.copy %s, %t : !s to !s
  }
  return
}

// CHECK-LABEL: func.func @shared
// CHECK-NOT:     cpu.read_ahead
func.func @shared(%q: memref<4x32xf32>, %k: memref<?x8x32xf32, strided<[?, ?, 1]>>, %n: index, %scores: memref<4x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  scf.for %g = %c0 to %c8 step %c1 {
    %keys = memref.subview %k[0, %g, 0] [%n, 1, 32] [1, 1, 1] : memref<?x8x32xf32, strided<[?, ?, 1]>> to !part
    linalg.fill ins(%zero : f32) outs(%scores : memref<4x64xf32>)
    %s = memref.subview %scores[0, 0] [4, %n] [1, 1] : memref<4x64xf32> to memref<4x?xf32, strided<[64, 1]>>
    linalg.matmul indexing_maps = [#left, #right, #result] ins(%q, %keys : memref<4x32xf32>, !part) outs(%s : memref<4x?xf32, strided<[64, 1]>>)
  }
  return
}

// Products on tensors, and those of an operand that is broadcast, are left to others.
// CHECK-LABEL: func.func @left_alone
// CHECK-NOT:     cpu.read_ahead
// CHECK:         scf.for
// CHECK-NEXT:      linalg.matmul {{.*}} memref<32xf32>
// CHECK:         scf.for
// CHECK-NEXT:      linalg.matmul {{.*}} tensor<4x32xf32>
func.func @left_alone(%row: memref<32xf32>, %b: memref<32x16xf32>, %c: memref<4x16xf32>, %x: tensor<4x32xf32>, %y: tensor<32x16xf32>, %z: tensor<4x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %g = %c0 to %c8 step %c1 {
    linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, #result]
        ins(%row, %b : memref<32xf32>, memref<32x16xf32>) outs(%c : memref<4x16xf32>)
  }
  scf.for %g = %c0 to %c8 step %c1 {
    %r = linalg.matmul ins(%x, %y : tensor<4x32xf32>, tensor<32x16xf32>) outs(%z : tensor<4x16xf32>) -> tensor<4x16xf32>
  }
  return
}
