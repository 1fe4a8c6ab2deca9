// RUN: attn-opt %s -jit-write-to-arrays | FileCheck %s

#all = affine_map<(d0, d1) -> (d0, d1)>

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

// A tile that is put together of rows: each part is computed in the array or copied there.
// CHECK-LABEL: func.func @stored_parts
// CHECK-SAME:    %[[V:.*]]: tensor<4x64xf32>, %[[TOP:.*]]: tensor<1x64xf32>, %[[Y:.*]]: memref<5x64xf32>
func.func @stored_parts(%v: tensor<4x64xf32>, %top: tensor<1x64xf32>, %y: memref<5x64xf32>) {
  // CHECK: %[[ARRAY:.*]] = bufferization.to_tensor %[[Y]] restrict writable
  // CHECK: %[[WITH_TOP:.*]] = tensor.insert_slice %[[TOP]] into %[[ARRAY]][0, 0] [1, 64]
  // CHECK: %[[PLACE:.*]] = tensor.extract_slice %[[WITH_TOP]][1, 0] [4, 64]
  // CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[V]] : {{.*}}) outs(%[[PLACE]] : tensor<4x64xf32>)
  // CHECK: %[[ALL:.*]] = tensor.insert_slice %[[R]] into %[[WITH_TOP]][1, 0] [4, 64]
  // CHECK: bufferization.materialize_in_destination %[[ALL]] in restrict writable %[[Y]]
  %e = tensor.empty() : tensor<5x64xf32>
  %t0 = tensor.insert_slice %top into %e[0, 0] [1, 64] [1, 1] : tensor<1x64xf32> into tensor<5x64xf32>
  %place = tensor.extract_slice %t0[1, 0] [4, 64] [1, 1] : tensor<5x64xf32> to tensor<4x64xf32>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<4x64xf32>) outs(%place : tensor<4x64xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.negf %x : f32
    linalg.yield %s : f32
  } -> tensor<4x64xf32>
  %t1 = tensor.insert_slice %r into %t0[1, 0] [4, 64] [1, 1] : tensor<4x64xf32> into tensor<5x64xf32>
  bufferization.materialize_in_destination %t1 in restrict writable %y : (tensor<5x64xf32>, memref<5x64xf32>) -> ()
  return
}

// A tile that is read once more has a buffer of its own.
// CHECK-LABEL: func.func @stored_and_read
// CHECK-SAME:    %{{.*}}: tensor<1x64xf32>, %{{.*}}: tensor<4x64xf32>, %[[Y:.*]]: memref<5x64xf32>
// CHECK-NOT:     bufferization.to_tensor
// CHECK:         bufferization.materialize_in_destination
func.func @stored_and_read(%top: tensor<1x64xf32>, %rest: tensor<4x64xf32>, %y: memref<5x64xf32>) -> tensor<5x64xf32> {
  %e = tensor.empty() : tensor<5x64xf32>
  %t0 = tensor.insert_slice %top into %e[0, 0] [1, 64] [1, 1] : tensor<1x64xf32> into tensor<5x64xf32>
  %t1 = tensor.insert_slice %rest into %t0[1, 0] [4, 64] [1, 1] : tensor<4x64xf32> into tensor<5x64xf32>
  bufferization.materialize_in_destination %t1 in restrict writable %y : (tensor<5x64xf32>, memref<5x64xf32>) -> ()
  return %t1 : tensor<5x64xf32>
}

// Rows after the first are not where the array's rows would be: the tile has a buffer of its own.
// CHECK-LABEL: func.func @stored_last_rows
// CHECK-NOT:     bufferization.to_tensor
// CHECK:         bufferization.materialize_in_destination
func.func @stored_last_rows(%v: tensor<5x64xf32>, %y: memref<?x64xf32, strided<[?, 1]>>, %n: index) {
  %e = tensor.empty() : tensor<5x64xf32>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<5x64xf32>) outs(%e : tensor<5x64xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.negf %x : f32
    linalg.yield %s : f32
  } -> tensor<5x64xf32>
  %part = tensor.extract_slice %r[1, 0] [%n, 64] [1, 1] : tensor<5x64xf32> to tensor<?x64xf32>
  %to = memref.subview %y[0, 0] [%n, 64] [1, 1] : memref<?x64xf32, strided<[?, 1]>> to memref<?x64xf32, strided<[?, 1]>>
  bufferization.materialize_in_destination %part in restrict writable %to : (tensor<?x64xf32>, memref<?x64xf32, strided<[?, 1]>>) -> ()
  return
}

// The destination need not say how many rows it has.
// CHECK-LABEL: func.func @stored_to_some_rows
// CHECK-SAME:    %[[V:.*]]: tensor<4x64xf32>, %[[Y:.*]]: memref<?x64xf32, strided<[?, 1]>>
func.func @stored_to_some_rows(%v: tensor<4x64xf32>, %y: memref<?x64xf32, strided<[?, 1]>>) {
  // CHECK: %[[FOUR:.*]] = memref.cast %[[Y]] : memref<?x64xf32, strided<[?, 1]>> to memref<4x64xf32, strided<[?, 1]>>
  // CHECK: %[[ARRAY:.*]] = bufferization.to_tensor %[[FOUR]] restrict writable
  // CHECK: linalg.generic {{.*}} outs(%[[ARRAY]] : tensor<4x64xf32>)
  %e = tensor.empty() : tensor<4x64xf32>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<4x64xf32>) outs(%e : tensor<4x64xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.negf %x : f32
    linalg.yield %s : f32
  } -> tensor<4x64xf32>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<4x64xf32>, memref<?x64xf32, strided<[?, 1]>>) -> ()
  return
}

// Of a tile of one row, some columns may be missing: only those that exist are computed.
// CHECK-LABEL: func.func @stored_first_columns
// CHECK-SAME:      %[[V:.*]]: tensor<1x64xf32>, %{{.*}}, %[[N:.*]]: index
// CHECK:         %[[TO:.*]] = memref.subview
// CHECK:         %[[PLACE:.*]] = bufferization.to_tensor %[[TO]] restrict writable
// CHECK:         %[[PART:.*]] = tensor.extract_slice %[[V]][0, 0] [1, %[[N]]] [1, 1]
// CHECK:         linalg.generic
// CHECK-SAME:        ins(%[[PART]] : tensor<1x?xf32>) outs(%[[PLACE]] : tensor<1x?xf32>)
// CHECK:         bufferization.materialize_in_destination
func.func @stored_first_columns(%v: tensor<1x64xf32>, %y: memref<1x?xf32, strided<[?, 1]>>, %n: index) {
  %e = tensor.empty() : tensor<1x64xf32>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<1x64xf32>) outs(%e : tensor<1x64xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.negf %x : f32
    linalg.yield %s : f32
  } -> tensor<1x64xf32>
  %part = tensor.extract_slice %r[0, 0] [1, %n] [1, 1] : tensor<1x64xf32> to tensor<1x?xf32>
  %to = memref.subview %y[0, 0] [1, %n] [1, 1] : memref<1x?xf32, strided<[?, 1]>> to memref<1x?xf32, strided<[?, 1]>>
  bufferization.materialize_in_destination %part in restrict writable %to : (tensor<1x?xf32>, memref<1x?xf32, strided<[?, 1]>>) -> ()
  return
}

// Rows and columns may be missing. What is broadcast along columns has one of them, however many are stored.
// CHECK-LABEL: func.func @stored_corner
// CHECK-SAME:      %[[V:.*]]: tensor<4x64xf32>, %[[C:.*]]: tensor<4x1xf32>, %{{.*}}, %[[M:.*]]: index, %[[N:.*]]: index
// CHECK-DAG:     %[[PART:.*]] = tensor.extract_slice %[[V]][0, 0] [%[[M]], %[[N]]] [1, 1]
// CHECK-DAG:     %[[COLUMN:.*]] = tensor.extract_slice %[[C]][0, 0] [%[[M]], 1] [1, 1]
// CHECK:         linalg.generic
// CHECK-SAME:        ins(%[[PART]], %[[COLUMN]] : tensor<?x?xf32>, tensor<?x1xf32>)
func.func @stored_corner(%v: tensor<4x64xf32>, %c: tensor<4x1xf32>, %to: memref<?x?xf32, strided<[?, 1]>>, %m: index, %n: index) {
  %e = tensor.empty() : tensor<4x64xf32>
  %r = linalg.generic {indexing_maps = [#all, affine_map<(i, j) -> (i, 0)>, #all], iterator_types = ["parallel", "parallel"]}
      ins(%v, %c : tensor<4x64xf32>, tensor<4x1xf32>) outs(%e : tensor<4x64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.mulf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<4x64xf32>
  %part = tensor.extract_slice %r[0, 0] [%m, %n] [1, 1] : tensor<4x64xf32> to tensor<?x?xf32>
  bufferization.materialize_in_destination %part in restrict writable %to : (tensor<?x?xf32>, memref<?x?xf32, strided<[?, 1]>>) -> ()
  return
}
