// RUN: attn-opt %s -jit-reuse-destinations | FileCheck %s

#all = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @carried
func.func @carried(%v: tensor<1x64xf32>, %init: tensor<1x64xf32>, %N: index) -> tensor<1x64xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %e = tensor.empty() : tensor<1x64xf32>
  // CHECK: scf.for {{.*}} iter_args(%[[A:.*]] =
  %acc = scf.for %n = %zero to %N step %one iter_args(%a = %init) -> tensor<1x64xf32> {
    // CHECK: %[[NEXT:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<1x64xf32>) outs(%[[A]] : tensor<1x64xf32>)
    // CHECK: ^bb0(%[[IN:.*]]: f32, %[[OUT:.*]]: f32):
    // CHECK:   arith.subf %[[OUT]], %[[IN]]
    %next = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%a, %v : tensor<1x64xf32>, tensor<1x64xf32>) outs(%e : tensor<1x64xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %s = arith.subf %x, %y : f32
      linalg.yield %s : f32
    } -> tensor<1x64xf32>
    // CHECK: scf.yield %[[NEXT]]
    scf.yield %next : tensor<1x64xf32>
  }
  return %acc : tensor<1x64xf32>
}

// The old value is still needed: the new one is written back at the end.
// CHECK-LABEL: func.func @needed
func.func @needed(%v: tensor<1x64xf32>, %init: tensor<1x64xf32>, %to: memref<1x64xf32>, %N: index) -> tensor<1x64xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK: scf.for {{.*}} iter_args(%[[A:.*]] =
  %acc = scf.for %n = %zero to %N step %one iter_args(%a = %init) -> tensor<1x64xf32> {
    %e = tensor.empty() : tensor<1x64xf32>
    // CHECK: %[[NEXT:.*]] = linalg.generic
    %next = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%a, %v : tensor<1x64xf32>, tensor<1x64xf32>) outs(%e : tensor<1x64xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %s = arith.maximumf %x, %y : f32
      linalg.yield %s : f32
    } -> tensor<1x64xf32>
    bufferization.materialize_in_destination %a in restrict writable %to : (tensor<1x64xf32>, memref<1x64xf32>) -> ()
    // CHECK: %[[BACK:.*]] = bufferization.materialize_in_destination %[[NEXT]] in %[[A]]
    // CHECK: scf.yield %[[BACK]]
    scf.yield %next : tensor<1x64xf32>
  }
  return %acc : tensor<1x64xf32>
}

// What is computed only to be stored is computed where it is stored.
// CHECK-LABEL: func.func @stored
// CHECK-SAME:    %[[V:.*]]: tensor<1x64xf32>, %[[TO:.*]]: memref<1x64xbf16>
func.func @stored(%v: tensor<1x64xf32>, %to: memref<1x64xbf16>) {
  %e = tensor.empty() : tensor<1x64xbf16>
  // CHECK: %[[PLACE:.*]] = bufferization.to_tensor %[[TO]] restrict writable
  // CHECK: linalg.generic {{.*}} ins(%[[V]] : tensor<1x64xf32>) outs(%[[PLACE]] : tensor<1x64xbf16>)
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<1x64xf32>) outs(%e : tensor<1x64xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %s = arith.truncf %x : f32 to bf16
    linalg.yield %s : bf16
  } -> tensor<1x64xbf16>
  bufferization.materialize_in_destination %r in restrict writable %to : (tensor<1x64xbf16>, memref<1x64xbf16>) -> ()
  return
}

// Two users of one filled tensor get one each.
// CHECK-LABEL: func.func @separate
func.func @separate(%x: f32, %N: index) -> (tensor<1x64xf32>, tensor<1x64xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %e = tensor.empty() : tensor<1x64xf32>
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<1x64xf32>) -> tensor<1x64xf32>
  // CHECK: %[[F0:.*]] = linalg.fill
  // CHECK: %[[F1:.*]] = linalg.fill
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[F1]], %{{.*}} = %[[F0]])
  %r:2 = scf.for %n = %zero to %N step %one iter_args(%a = %f, %b = %f) -> (tensor<1x64xf32>, tensor<1x64xf32>) {
    scf.yield %a, %b : tensor<1x64xf32>, tensor<1x64xf32>
  }
  return %r#0, %r#1 : tensor<1x64xf32>, tensor<1x64xf32>
}

// The new sum is written into the sum's own buffer, not into the maximum's, which it also reads.
// CHECK-LABEL: func.func @own_buffer
func.func @own_buffer(%s: tensor<1x64xf32>, %m0: tensor<1x64xf32>, %l0: tensor<1x64xf32>, %N: index)
    -> (tensor<1x64xf32>, tensor<1x64xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %e = tensor.empty() : tensor<1x64xf32>
  // CHECK: scf.for {{.*}} iter_args(%[[M:.*]] = %{{.*}}, %[[L:.*]] = %{{.*}})
  %r:2 = scf.for %n = %zero to %N step %one iter_args(%m = %m0, %l = %l0) -> (tensor<1x64xf32>, tensor<1x64xf32>) {
    // CHECK: %[[M1:.*]] = linalg.generic {{.*}} outs(%{{[0-9]+}} :
    %m1 = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%m, %s : tensor<1x64xf32>, tensor<1x64xf32>) outs(%e : tensor<1x64xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %z = arith.maximumf %x, %y : f32
      linalg.yield %z : f32
    } -> tensor<1x64xf32>
    // CHECK: %[[L1:.*]] = linalg.generic {{.*}} outs(%[[L]] :
    %l1 = linalg.generic {indexing_maps = [#all, #all, #all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%l, %m, %m1 : tensor<1x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>) outs(%e : tensor<1x64xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32, %o: f32):
      %d = arith.subf %y, %z : f32
      %p = arith.mulf %x, %d : f32
      linalg.yield %p : f32
    } -> tensor<1x64xf32>
    // CHECK: %[[BACK:.*]] = bufferization.materialize_in_destination %[[M1]] in %[[M]]
    // CHECK: scf.yield %[[BACK]], %[[L1]]
    scf.yield %m1, %l1 : tensor<1x64xf32>, tensor<1x64xf32>
  }
  return %r#0, %r#1 : tensor<1x64xf32>, tensor<1x64xf32>
}

// Values that change places are copied before either is overwritten.
// CHECK-LABEL: func.func @swapped
func.func @swapped(%a0: tensor<1x64xf32>, %b0: tensor<1x64xf32>, %N: index) -> (tensor<1x64xf32>, tensor<1x64xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
  %r:2 = scf.for %n = %zero to %N step %one iter_args(%a = %a0, %b = %b0) -> (tensor<1x64xf32>, tensor<1x64xf32>) {
    // CHECK: %[[C:.*]] = linalg.copy ins(%[[B]]
    // CHECK: %[[D:.*]] = linalg.copy ins(%[[A]]
    // CHECK: bufferization.materialize_in_destination %[[C]] in %[[A]]
    // CHECK: bufferization.materialize_in_destination %[[D]] in %[[B]]
    scf.yield %b, %a : tensor<1x64xf32>, tensor<1x64xf32>
  }
  return %r#0, %r#1 : tensor<1x64xf32>, tensor<1x64xf32>
}

// A part of a tile is no destination, since the tile is needed; unless the part is replaced by the result.
// CHECK-LABEL: func.func @parts
// CHECK-SAME:    %[[TILE:.*]]: tensor<4x64xf32>, %[[V:.*]]: tensor<2x64xf32>
func.func @parts(%tile: tensor<4x64xf32>, %v: tensor<2x64xf32>) -> (tensor<4x64xf32>, tensor<2x64xf32>) {
  // CHECK: %[[PART:.*]] = tensor.extract_slice %[[TILE]][1, 0]
  // CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<2x64xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[PART]], %[[V]] : {{.*}}) outs(%[[EMPTY]] : tensor<2x64xf32>)
  %part = tensor.extract_slice %tile[1, 0] [2, 64] [1, 1] : tensor<4x64xf32> to tensor<2x64xf32>
  %e0 = tensor.empty() : tensor<2x64xf32>
  %sum = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%part, %v : tensor<2x64xf32>, tensor<2x64xf32>) outs(%e0 : tensor<2x64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<2x64xf32>
  // CHECK: %[[OTHER:.*]] = tensor.extract_slice %[[TILE]][2, 0]
  // CHECK: linalg.generic {{.*}} ins(%[[V]] : tensor<2x64xf32>) outs(%[[OTHER]] : tensor<2x64xf32>)
  %other = tensor.extract_slice %tile[2, 0] [2, 64] [1, 1] : tensor<4x64xf32> to tensor<2x64xf32>
  %e1 = tensor.empty() : tensor<2x64xf32>
  %product = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%other, %v : tensor<2x64xf32>, tensor<2x64xf32>) outs(%e1 : tensor<2x64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.mulf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<2x64xf32>
  %whole = tensor.insert_slice %product into %tile[2, 0] [2, 64] [1, 1] : tensor<2x64xf32> into tensor<4x64xf32>
  return %whole, %sum : tensor<4x64xf32>, tensor<2x64xf32>
}

// A tile of which only some rows may exist: in the array where all do, otherwise in a buffer of which they are copied.
// CHECK-LABEL: func.func @stored_rows
// CHECK-SAME:    %[[V:.*]]: tensor<4x64xf32>, %[[Y:.*]]: memref<?x64xf32, strided<[?, 1]>>, %[[T:.*]]: index, %[[ROWS:.*]]: index
func.func @stored_rows(%v: tensor<4x64xf32>, %y: memref<?x64xf32, strided<[?, 1]>>, %t: index, %rows: index) {
  // CHECK: %[[PART:.*]] = memref.subview %[[Y]][%[[T]], 0] [%[[ROWS]], 64] [1, 1]
  // CHECK: %[[BUFFER:.*]] = memref.alloc() : memref<4x64xf32>
  // CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[ROWS]], %c4
  // CHECK: %[[VIEW:.*]] = memref.subview %[[Y]][%[[T]], 0] [4, 64] [1, 1]
  // CHECK: %[[PLACE:.*]] = arith.select %[[WHOLE]]
  // CHECK: %[[INTO:.*]] = bufferization.to_tensor %[[PLACE]] restrict writable
  // CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[V]] : {{.*}}) outs(%[[INTO]] : tensor<4x64xf32>)
  // CHECK: bufferization.materialize_in_destination %[[R]] in restrict writable %[[PLACE]]
  // CHECK: %[[LACKS:.*]] = arith.xori %[[WHOLE]]
  // CHECK: scf.if %[[LACKS]] {
  // CHECK:   %[[EXISTING:.*]] = memref.subview %[[BUFFER]][0, 0] [%[[ROWS]], 64] [1, 1]
  // CHECK:   memref.copy %[[EXISTING]], %[[PART]]
  // CHECK: }
  %e = tensor.empty() : tensor<4x64xf32>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<4x64xf32>) outs(%e : tensor<4x64xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.negf %x : f32
    linalg.yield %s : f32
  } -> tensor<4x64xf32>
  %to = memref.subview %y[%t, 0] [%rows, 64] [1, 1] : memref<?x64xf32, strided<[?, 1]>> to memref<?x64xf32, strided<[?, 1], offset: ?>>
  %part = tensor.extract_slice %r[0, 0] [%rows, 64] [1, 1] : tensor<4x64xf32> to tensor<?x64xf32>
  bufferization.materialize_in_destination %part in restrict writable %to : (tensor<?x64xf32>, memref<?x64xf32, strided<[?, 1], offset: ?>>) -> ()
  return
}
