// RUN: attn-opt %s -split-input-file -jit-gather-updates -canonicalize | FileCheck %s

#all = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d0, 0)>

// Two slots: 4 rows are added to rows 0 to 3, and with other weights to rows 1 to 4.
// CHECK-LABEL: func.func @spread
// CHECK-SAME:    %[[ROWS:.*]]: tensor<4x64xbf16>, %[[W:.*]]: tensor<2x4xf32>, %[[ACC:.*]]: tensor<5x64xf32>
func.func @spread(%rows: tensor<4x64xbf16>, %w: tensor<2x4xf32>, %acc: tensor<5x64xf32>) -> tensor<5x64xf32> {
  // The rows as f32, zeros before and behind them.
  // CHECK:     tensor.empty() : tensor<6x64xf32>
  // CHECK:     %[[WIDE:.*]] = linalg.generic {{.*}} ins(%[[ROWS]] : tensor<4x64xbf16>)
  // CHECK:       arith.extf
  // CHECK:     tensor.insert_slice %[[WIDE]] into %{{.*}}[1, 0] [4, 64]
  // CHECK:     linalg.fill {{.*}} -> tensor<1x64xf32>
  // CHECK:     tensor.insert_slice %{{.*}}[0, 0] [1, 64]
  // CHECK:     linalg.fill {{.*}} -> tensor<1x64xf32>
  // CHECK:     %[[PADDED:.*]] = tensor.insert_slice %{{.*}}[5, 0] [1, 64]
  // CHECK:     %[[WEIGHTS:.*]] = tensor.insert_slice %[[W]] into %{{.*}}[0, 1] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<2x6xf32>
  // The first slot is shifted by nothing, so it lacks the row before its first.
  // CHECK:     %[[R0:.*]] = tensor.extract_slice %[[PADDED]][1, 0] [5, 64]
  // CHECK:     %[[S0:.*]] = tensor.extract_slice %[[WEIGHTS]][0, 1] [1, 5] [1, 1] : tensor<2x6xf32> to tensor<5xf32>
  // CHECK:     %[[W0:.*]] = tensor.expand_shape %[[S0]]
  // CHECK:     %[[R1:.*]] = tensor.extract_slice %[[PADDED]][0, 0] [5, 64]
  // CHECK:     tensor.extract_slice %[[WEIGHTS]][1, 0] [1, 5]
  // CHECK:     %[[W1:.*]] = tensor.expand_shape
  // CHECK:     %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[ACC]], %[[R0]], %[[W0]], %[[R1]], %[[W1]] : {{.*}})
  // CHECK:     ^bb0(%[[START:.*]]: f32, %[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32, %[[D:.*]]: f32, %{{.*}}: f32):
  // CHECK:       %[[AB:.*]] = arith.mulf %[[A]], %[[B]]
  // CHECK:       %[[FIRST:.*]] = arith.addf %[[START]], %[[AB]]
  // CHECK:       %[[CD:.*]] = arith.mulf %[[C]], %[[D]]
  // CHECK:       arith.addf %[[FIRST]], %[[CD]]
  // CHECK-NOT: linalg.generic
  // CHECK:     return %[[SUM]]
  %e = tensor.empty() : tensor<4x64xf32>
  %s0 = tensor.extract_slice %w[0, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
  %w0 = tensor.expand_shape %s0 [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
  %p0 = tensor.extract_slice %acc[0, 0] [4, 64] [1, 1] : tensor<5x64xf32> to tensor<4x64xf32>
  %a0 = linalg.generic {indexing_maps = [#all, #column, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%rows, %w0, %p0 : tensor<4x64xbf16>, tensor<4x1xf32>, tensor<4x64xf32>) outs(%e : tensor<4x64xf32>) {
  ^bb0(%r: bf16, %x: f32, %p: f32, %o: f32):
    %r32 = arith.extf %r : bf16 to f32
    %m = arith.mulf %r32, %x : f32
    %a = arith.addf %p, %m : f32
    linalg.yield %a : f32
  } -> tensor<4x64xf32>
  %acc0 = tensor.insert_slice %a0 into %acc[0, 0] [4, 64] [1, 1] : tensor<4x64xf32> into tensor<5x64xf32>
  %s1 = tensor.extract_slice %w[1, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
  %w1 = tensor.expand_shape %s1 [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
  %p1 = tensor.extract_slice %acc0[1, 0] [4, 64] [1, 1] : tensor<5x64xf32> to tensor<4x64xf32>
  %a1 = linalg.generic {indexing_maps = [#all, #column, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%rows, %w1, %p1 : tensor<4x64xbf16>, tensor<4x1xf32>, tensor<4x64xf32>) outs(%e : tensor<4x64xf32>) {
  ^bb0(%r: bf16, %x: f32, %p: f32, %o: f32):
    %r32 = arith.extf %r : bf16 to f32
    %m = arith.mulf %x, %r32 : f32
    %a = arith.addf %m, %p : f32
    linalg.yield %a : f32
  } -> tensor<4x64xf32>
  %acc1 = tensor.insert_slice %a1 into %acc0[1, 0] [4, 64] [1, 1] : tensor<4x64xf32> into tensor<5x64xf32>
  return %acc1 : tensor<5x64xf32>
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d0, 0)>

// A single addition stays as it is.
// CHECK-LABEL: func.func @single
// CHECK-COUNT-1: linalg.generic
// CHECK:         tensor.insert_slice %{{.*}}[1, 0]
func.func @single(%rows: tensor<4x64xf32>, %w: tensor<2x4xf32>, %acc: tensor<5x64xf32>) -> tensor<5x64xf32> {
  %e = tensor.empty() : tensor<4x64xf32>
  %s1 = tensor.extract_slice %w[1, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
  %w1 = tensor.expand_shape %s1 [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
  %p1 = tensor.extract_slice %acc[1, 0] [4, 64] [1, 1] : tensor<5x64xf32> to tensor<4x64xf32>
  %a1 = linalg.generic {indexing_maps = [#all, #column, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%rows, %w1, %p1 : tensor<4x64xf32>, tensor<4x1xf32>, tensor<4x64xf32>) outs(%e : tensor<4x64xf32>) {
  ^bb0(%r: f32, %x: f32, %p: f32, %o: f32):
    %m = arith.mulf %x, %r : f32
    %a = arith.addf %p, %m : f32
    linalg.yield %a : f32
  } -> tensor<4x64xf32>
  %acc1 = tensor.insert_slice %a1 into %acc[1, 0] [4, 64] [1, 1] : tensor<4x64xf32> into tensor<5x64xf32>
  return %acc1 : tensor<5x64xf32>
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d0, 0)>

// Rows that are read apart are computed apart: here the first three, and the last two.
// CHECK-LABEL: func.func @parts
// CHECK-SAME:    %[[ROWS:.*]]: tensor<4x64xf32>, %[[W:.*]]: tensor<2x4xf32>, %[[ACC:.*]]: tensor<5x64xf32>
// CHECK:         %[[TOP:.*]] = tensor.extract_slice %[[ACC]][0, 0] [3, 64]
// CHECK:         tensor.extract_slice %{{.*}}[1, 0] [3, 64]
// CHECK:         tensor.extract_slice %{{.*}}[0, 1] [1, 3]
// CHECK:         tensor.extract_slice %{{.*}}[0, 0] [3, 64]
// CHECK:         tensor.extract_slice %{{.*}}[1, 0] [1, 3]
// CHECK:         %[[FIRST:.*]] = linalg.generic {{.*}} ins(%[[TOP]],
// CHECK:         %[[BOTTOM:.*]] = tensor.extract_slice %[[ACC]][3, 0] [2, 64]
// CHECK:         tensor.extract_slice %{{.*}}[4, 0] [2, 64]
// CHECK:         tensor.extract_slice %{{.*}}[0, 4] [1, 2]
// CHECK:         tensor.extract_slice %{{.*}}[3, 0] [2, 64]
// CHECK:         tensor.extract_slice %{{.*}}[1, 3] [1, 2]
// CHECK:         %[[LAST:.*]] = linalg.generic {{.*}} ins(%[[BOTTOM]],
// CHECK:         return %[[FIRST]], %[[LAST]]
func.func @parts(%rows: tensor<4x64xf32>, %w: tensor<2x4xf32>, %acc: tensor<5x64xf32>) -> (tensor<3x64xf32>, tensor<2x64xf32>) {
  %e = tensor.empty() : tensor<4x64xf32>
  %s0 = tensor.extract_slice %w[0, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
  %w0 = tensor.expand_shape %s0 [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
  %p0 = tensor.extract_slice %acc[0, 0] [4, 64] [1, 1] : tensor<5x64xf32> to tensor<4x64xf32>
  %a0 = linalg.generic {indexing_maps = [#all, #column, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%rows, %w0, %p0 : tensor<4x64xf32>, tensor<4x1xf32>, tensor<4x64xf32>) outs(%e : tensor<4x64xf32>) {
  ^bb0(%r: f32, %x: f32, %p: f32, %o: f32):
    %m = arith.mulf %r, %x : f32
    %a = arith.addf %p, %m : f32
    linalg.yield %a : f32
  } -> tensor<4x64xf32>
  %acc0 = tensor.insert_slice %a0 into %acc[0, 0] [4, 64] [1, 1] : tensor<4x64xf32> into tensor<5x64xf32>
  %s1 = tensor.extract_slice %w[1, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
  %w1 = tensor.expand_shape %s1 [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
  %p1 = tensor.extract_slice %acc0[1, 0] [4, 64] [1, 1] : tensor<5x64xf32> to tensor<4x64xf32>
  %a1 = linalg.generic {indexing_maps = [#all, #column, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%rows, %w1, %p1 : tensor<4x64xf32>, tensor<4x1xf32>, tensor<4x64xf32>) outs(%e : tensor<4x64xf32>) {
  ^bb0(%r: f32, %x: f32, %p: f32, %o: f32):
    %m = arith.mulf %r, %x : f32
    %a = arith.addf %p, %m : f32
    linalg.yield %a : f32
  } -> tensor<4x64xf32>
  %acc1 = tensor.insert_slice %a1 into %acc0[1, 0] [4, 64] [1, 1] : tensor<4x64xf32> into tensor<5x64xf32>
  %top = tensor.extract_slice %acc1[0, 0] [3, 64] [1, 1] : tensor<5x64xf32> to tensor<3x64xf32>
  %bottom = tensor.extract_slice %acc1[3, 0] [2, 64] [1, 1] : tensor<5x64xf32> to tensor<2x64xf32>
  return %top, %bottom : tensor<3x64xf32>, tensor<2x64xf32>
}
