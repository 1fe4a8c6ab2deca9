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

  // A list: addresses and their count, then the size and stride of every entry. Its rows are cast from what lies at
  // an address, up to the last element: 1 + (rows - 1) * stride + 63.
  // CHECK-LABEL: func.func @list
  // CHECK-SAME: (%[[TABLE:[a-z0-9]+]]: memref<?xi64>, %[[N:[a-z0-9]+]]: i64, %[[T:[a-z0-9]+]]: i64, %[[S:[a-z0-9]+]]: i64, %{{[a-z0-9]+}}: i32,
  // CHECK-DAG: %[[ENTRIES:[a-z0-9]+]] = arith.index_cast %[[N]]
  // CHECK-DAG: %[[ROWS:[a-z0-9]+]] = arith.index_cast %[[T]]
  // CHECK-DAG: %[[STRIDE:[a-z0-9]+]] = arith.index_cast %[[S]]
  // CHECK-DAG: %[[BEFORE:[a-z0-9]+]] = arith.subi %[[ROWS]], %c1
  // CHECK-DAG: %[[DISTANCE:[a-z0-9]+]] = arith.muli %[[BEFORE]], %[[STRIDE]]
  // CHECK-DAG: %[[EXTENT:[a-z0-9]+]] = arith.addi %[[DISTANCE]], %c64
  // CHECK: scf.for %[[ENTRY:[a-z0-9]+]] = %{{.*}} to %[[ENTRIES]]
  // CHECK: %[[ADDRESS:[a-z0-9]+]] = memref.load %[[TABLE]][%[[ENTRY]]] : memref<?xi64>
  // CHECK: %[[BASE:[a-z0-9]+]] = hivm.hir.pointer_cast(%[[ADDRESS]]) [%[[EXTENT]]] : memref<?xf32, #gm>
  // CHECK: %[[OFFSET:[a-z0-9]+]] = arith.muli %{{.*}}, %[[STRIDE]]
  // CHECK: %[[ROW:[a-z0-9_]+]] = memref.reinterpret_cast %[[BASE]] to offset: [%[[OFFSET]]], sizes: [1, 64], strides: [1, 1] : memref<?xf32, #gm> to memref<1x64xf32, strided<[1, 1], offset: ?>, #gm>
  // CHECK: memref.copy %[[ROW]], %{{.*}}
  func.func @list(%table: memref<?xi64> {launch.dims = ["N", "T", 64]}, %shape: memref<?x64xf32, strided<[?, 1]>>,
                  %block: index, %count: index) {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %four = arith.constant 4 : index
    %entries = memref.dim %table, %zero : memref<?xi64>
    %rows = memref.dim %shape, %zero : memref<?x64xf32, strided<[?, 1]>>
    %last = arith.minsi %rows, %block : index
    %buffer = memref.alloc() : memref<1x64xf32>
    scf.for %entry = %zero to %entries step %one {
      %word = memref.load %table[%entry] : memref<?xi64>
      %bytes = arith.index_cast %word : i64 to index
      %offset = arith.divui %bytes, %four : index
      %base, %none, %sizes:2, %strides:2 = memref.extract_strided_metadata %shape : memref<?x64xf32, strided<[?, 1]>> -> memref<f32>, index, index, index, index, index
      %array = memref.reinterpret_cast %shape to offset: [%offset], sizes: [%sizes#0, 64], strides: [%strides#0, 1]
          : memref<?x64xf32, strided<[?, 1]>> to memref<?x64xf32, strided<[?, 1], offset: ?>>
      %row = memref.subview %array[%last, 0] [1, 64] [1, 1] : memref<?x64xf32, strided<[?, 1], offset: ?>> to memref<64xf32, strided<[1], offset: ?>>
      %wide = memref.expand_shape %row [[0, 1]] output_shape [1, 64] : memref<64xf32, strided<[1], offset: ?>> into memref<1x64xf32, strided<[64, 1], offset: ?>>
      memref.copy %wide, %buffer : memref<1x64xf32, strided<[64, 1], offset: ?>> to memref<1x64xf32>
    }
    return
  }

  // Cores that meet: where their flags lie comes first, and is said first.
  // CHECK-LABEL: func.func @meet
  // CHECK-SAME: (%[[FLAGS:[a-z0-9]+]]: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>}, %{{[a-z0-9]+}}: memref<?xf32>, %{{[a-z0-9]+}}: i32,
  // CHECK: hivm.hir.set_ffts_base_addr %[[FLAGS]]
  // CHECK: hivm.hir.sync_block
  func.func @meet(%x: memref<64xf32>, %block: index, %count: index) {
    hivm.hir.sync_block[<ALL_VECTOR>, 9 : i16] tvector_pipe = <PIPE_ALL>
    return
  }

  // CHECK-NOT: func.func
  func.func @views_grid(%n: index) -> index attributes {launch.grid_of = @views} {
    return %n : index
  }

  // What is computed with a product needs memory to pass it on; conversions go with the product.
  // CHECK-LABEL: func.func @mixed
  // CHECK-SAME: (%{{[a-z0-9]+}}: memref<?xi8>, %{{[a-z0-9]+}}: memref<?xf16>,
  // CHECK-SAME: attributes {WorkspaceArgIdx = 0 : i64, global_kernel = "local", mix_mode = "mix"}
  func.func @mixed(%x: memref<16x16xf16>, %y: memref<16x16xf32>, %block: index, %count: index) {
    %zero = arith.constant 0.0 : f32
    %a = bufferization.to_tensor %x restrict : memref<16x16xf16> to tensor<16x16xf16>
    %empty = tensor.empty() : tensor<16x16xf32>
    %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x16xf32>) -> tensor<16x16xf32>
    %sum = linalg.matmul ins(%a, %a : tensor<16x16xf16>, tensor<16x16xf16>) outs(%start : tensor<16x16xf32>) -> tensor<16x16xf32>
    %e = math.exp %sum : tensor<16x16xf32>
    bufferization.materialize_in_destination %e in restrict writable %y : (tensor<16x16xf32>, memref<16x16xf32>) -> ()
    return
  }

  // CHECK-LABEL: func.func @product
  // CHECK-SAME: (%{{[a-z0-9]+}}: memref<?xf16>, %{{[a-z0-9]+}}: memref<?xf16>,
  // CHECK-SAME: attributes {global_kernel = "local", mix_mode = "mix"}
  func.func @product(%x: memref<16x16xf16>, %y: memref<16x16xf16>, %block: index, %count: index) {
    %zero = arith.constant 0.0 : f32
    %a = bufferization.to_tensor %x restrict : memref<16x16xf16> to tensor<16x16xf16>
    %empty = tensor.empty() : tensor<16x16xf32>
    %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x16xf32>) -> tensor<16x16xf32>
    %sum = linalg.matmul ins(%a, %a : tensor<16x16xf16>, tensor<16x16xf16>) outs(%start : tensor<16x16xf32>) -> tensor<16x16xf32>
    %e = arith.truncf %sum : tensor<16x16xf32> to tensor<16x16xf16>
    bufferization.materialize_in_destination %e in restrict writable %y : (tensor<16x16xf16>, memref<16x16xf16>) -> ()
    return
  }
}
