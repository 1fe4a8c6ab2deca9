// RUN: attn-opt %s --convert-tile-to-linalg --canonicalize | FileCheck %s
// Products take what exists of their operands; columns that a span lacks are zeros where anything else reads them.

// CHECK-LABEL: func.func @whole
func.func @whole(%x: !tile.array<16x8xbf16>, %y: !tile.array<8x32xbf16>, %z: !tile.array<16x32xf32>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<16x8xbf16>) -> !tile.tile<16 x 8 x bf16>
  %b = tile.load %y[:, :] : (!tile.array<8x32xbf16>) -> !tile.tile<8 x 32 x bf16>
  // CHECK: %[[ZEROS:.*]] = linalg.fill
  // CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<16x8xbf16>, tensor<8x32xbf16>) outs(%[[ZEROS]] : tensor<16x32xf32>)
  %p = tile.dot %a, %b : !tile.tile<16 x 8 x bf16>, !tile.tile<8 x 32 x bf16> -> !tile.tile<16 x 32 x f32>
  tile.store %p, %z[:, :] : (!tile.tile<16 x 32 x f32>, !tile.array<16x32xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @tails
func.func @tails(%x: !tile.array<?x?xi8>, %y: !tile.array<?x?xi8>, %z: !tile.array<?x?xi32>, %bias: !tile.array<1x?xi32>,
                 %M: index, %N: index, %K: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %m = tile.make_span %zero to %M nonempty : !tile.span<16>
  %n = tile.make_span %zero to %N nonempty : !tile.span<32>
  %k = tile.make_span %zero to %K nonempty : !tile.span<8>
  // A row of the bias is read by something else than a product: it ends in zeros.
  // CHECK: linalg.fill
  %row = tile.load %bias[:, %n span] : (!tile.array<1x?xi32>, !tile.span<32>) -> !tile.tile<1 x 32 x i32>
  // CHECK-NOT: linalg.fill
  // CHECK: %[[ACC:.*]] = linalg.generic
  %acc = tile.broadcast %row : !tile.tile<1 x 32 x i32> -> !tile.tile<16 x 32 x i32>
  %a = tile.load %x[%k span, %m span] : (!tile.array<?x?xi8>, !tile.span<8>, !tile.span<16>) -> !tile.tile<8 x 16 x i8>
  %b = tile.load %y[%n span, %k span] : (!tile.array<?x?xi8>, !tile.span<32>, !tile.span<8>) -> !tile.tile<32 x 8 x i8>
  // CHECK: %[[A:.*]] = tensor.extract_slice %{{.*}}[0, 0] [%[[K:[0-9a-z_]+]], %[[M:[0-9a-z_]+]]] [1, 1] : tensor<8x16xi8> to tensor<?x?xi8>
  // CHECK: %[[B:.*]] = tensor.extract_slice %{{.*}}[0, 0] [%[[N:[0-9a-z_]+]], %[[K]]] [1, 1] : tensor<32x8xi8> to tensor<?x?xi8>
  // CHECK: %[[C:.*]] = tensor.extract_slice %[[ACC]][0, 0] [%[[M]], %[[N]]] [1, 1] : tensor<16x32xi32> to tensor<?x?xi32>
  // CHECK: %[[P:.*]] = linalg.matmul indexing_maps = {{.*}} ins(%[[A]], %[[B]] : tensor<?x?xi8>, tensor<?x?xi8>) outs(%[[C]] : tensor<?x?xi32>)
  %p = tile.dot %a, %b acc(%acc) transpose_a transpose_b : !tile.tile<8 x 16 x i8>, !tile.tile<32 x 8 x i8> -> !tile.tile<16 x 32 x i32>
  // CHECK: bufferization.materialize_in_destination %[[P]] in restrict writable
  tile.store %p, %z[%m span, %n span] : (!tile.tile<16 x 32 x i32>, !tile.array<?x?xi32>, !tile.span<16>, !tile.span<32>) -> ()
  return
}

// CHECK-LABEL: func.func @reduced_columns
func.func @reduced_columns(%x: !tile.array<4x?xf32>, %y: !tile.array<4x1xf32>, %N: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %n = tile.make_span %zero to %N nonempty : !tile.span<32>
  %v = tile.load %x[:, %n span] : (!tile.array<4x?xf32>, !tile.span<32>) -> !tile.tile<4 x 32 x f32>
  // CHECK: tensor.extract_slice %{{.*}}[0, 0] [4, %{{.*}}] [1, 1] : tensor<4x32xf32> to tensor<4x?xf32>
  %s = tile.reduce sum %v axis 1 : !tile.tile<4 x 32 x f32> -> !tile.tile<4 x 1 x f32>
  tile.store %s, %y[:, :] : (!tile.tile<4 x 1 x f32>, !tile.array<4x1xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @narrowed
func.func @narrowed(%x: !tile.array<4x8xi32>, %y: !tile.array<4x8xi8>, %z: !tile.array<4x8xf32>) attributes {tile.kernel} {
  %v = tile.load %x[:, :] : (!tile.array<4x8xi32>) -> !tile.tile<4 x 8 x i32>
  // CHECK: arith.maxsi
  // CHECK: arith.minsi
  // CHECK: arith.trunci {{.*}} : i32 to i8
  %h = tile.cast %v : !tile.tile<4 x 8 x i32> -> !tile.tile<4 x 8 x i8>
  tile.store %h, %y[:, :] : (!tile.tile<4 x 8 x i8>, !tile.array<4x8xi8>) -> ()
  // CHECK: arith.sitofp
  %f = tile.cast %v : !tile.tile<4 x 8 x i32> -> !tile.tile<4 x 8 x f32>
  tile.store %f, %z[:, :] : (!tile.tile<4 x 8 x f32>, !tile.array<4x8xf32>) -> ()
  return
}
