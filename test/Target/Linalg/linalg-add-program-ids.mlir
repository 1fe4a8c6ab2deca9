// RUN: attn-opt %s --linalg-add-program-ids --canonicalize | FileCheck %s

// The module forgets its chip, and functions for the host go away.
// CHECK: module {
module attributes {machine.target = #machine.target<"Ascend910B4">} {
  // Rows of a plane, a column, and a single element: each view is a cast of the flat array.
  // CHECK-LABEL: func.func @views
  // CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xbf16>, %[[X0:[a-z0-9]+]]: i64, %[[X1:[a-z0-9]+]]: i64, %[[S0:[a-z0-9]+]]: i64, %[[S1:[a-z0-9]+]]: i64,
  // CHECK-SAME: %[[L:[a-z0-9]+]]: memref<?xf32>, %[[EPS:[a-z0-9]+]]: f32, %[[STEP:[a-z0-9]+]]: i64,
  // CHECK-SAME: %[[NX:[a-z0-9]+]]: i32, %{{[a-z0-9]+}}: i32, %{{[a-z0-9]+}}: i32, %[[PX:[a-z0-9]+]]: i32, %{{[a-z0-9]+}}: i32, %{{[a-z0-9]+}}: i32)
  // CHECK-SAME: attributes {global_kernel = "local", mix_mode = "aiv"}
  // CHECK-DAG: %[[STRIDE0:[a-z0-9]+]] = arith.index_cast %[[S0]] : i64 to index
  // CHECK-DAG: %[[STRIDE1:[a-z0-9]+]] = arith.index_cast %[[S1]] : i64 to index
  // CHECK-DAG: %[[COUNT:[a-z0-9]+]] = arith.index_cast %[[NX]] : i32 to index
  // CHECK-DAG: %[[BLOCK:[a-z0-9]+]] = arith.index_cast %[[PX]] : i32 to index
  // CHECK-DAG: %[[ROW:[a-z0-9]+]] = arith.index_cast %[[STEP]] : i64 to index
  // CHECK-DAG: %[[P:[a-z0-9]+]] = arith.muli %[[BLOCK]], %[[STRIDE0]]
  // CHECK-DAG: %[[R:[a-z0-9]+]] = arith.muli %[[ROW]], %[[STRIDE1]]
  // CHECK: %[[OFFSET:[a-z0-9]+]] = arith.addi
  // CHECK: memref.reinterpret_cast %[[X]] to offset: [%[[OFFSET]]], sizes: [%[[COUNT]], 64], strides: [%[[STRIDE1]], 1]
  // CHECK: memref.reinterpret_cast %[[L]] to offset: [%[[BLOCK]]], sizes: [8, 1], strides: [1, 1]
  // CHECK: memref.reinterpret_cast %[[L]] to offset: [%[[BLOCK]]], sizes: [1, 1], strides: [1, 1]
  // CHECK-NOT: memref.subview
  func.func @views(%x: memref<?x?x64xbf16, strided<[?, ?, 1]>> {launch.dims = ["N", "T", 64]}, %l: memref<128xf32>,
                   %eps: f32, %row: index, %block: index, %count: index) attributes {launch.limit = 40 : i64} {
    %rows = memref.alloc(%count) : memref<?x64xbf16>
    %column = memref.alloc() : memref<8x1xf32>
    %element = memref.alloc() : memref<1x1xf32>
    %0 = memref.subview %x[%block, %row, 0] [1, %count, 64] [1, 1, 1] : memref<?x?x64xbf16, strided<[?, ?, 1]>> to memref<?x64xbf16, strided<[?, 1], offset: ?>>
    memref.copy %0, %rows : memref<?x64xbf16, strided<[?, 1], offset: ?>> to memref<?x64xbf16>
    %1 = memref.subview %l[%block] [8] [1] : memref<128xf32> to memref<8xf32, strided<[1], offset: ?>>
    %2 = memref.expand_shape %1 [[0, 1]] output_shape [8, 1] : memref<8xf32, strided<[1], offset: ?>> into memref<8x1xf32, strided<[1, 1], offset: ?>>
    memref.copy %2, %column : memref<8x1xf32, strided<[1, 1], offset: ?>> to memref<8x1xf32>
    %3 = memref.subview %l[%block] [1] [1] : memref<128xf32> to memref<f32, strided<[], offset: ?>>
    %4 = memref.expand_shape %3 [] output_shape [1, 1] : memref<f32, strided<[], offset: ?>> into memref<1x1xf32, strided<[1, 1], offset: ?>>
    memref.copy %4, %element : memref<1x1xf32, strided<[1, 1], offset: ?>> to memref<1x1xf32>
    return
  }

  // CHECK-NOT: func.func
  func.func @views_grid(%n: index) -> index attributes {launch.grid_of = @views} {
    return %n : index
  }
}
