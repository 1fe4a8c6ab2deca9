// RUN: attn-opt %s -split-input-file -jit-gather-updates -canonicalize | FileCheck %s

#all = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d0, 0)>

// Two taps: 4 rows are added to rows 0 to 3, and with other weights to rows 1 to 4.
// CHECK-LABEL: func.func @spread
// CHECK-SAME:    %[[ROWS:.*]]: tensor<4x64xbf16>, %[[W:.*]]: tensor<2x4xf32>, %[[ACC:.*]]: tensor<5x64xf32>
func.func @spread(%rows: tensor<4x64xbf16>, %w: tensor<2x4xf32>, %acc: tensor<5x64xf32>) -> tensor<5x64xf32> {
  // The rows are widened once.
  // CHECK:     %[[WIDE:.*]] = linalg.generic {{.*}} ins(%[[ROWS]] : tensor<4x64xbf16>)
  // CHECK:       arith.extf
  // CHECK:     %[[TILE:.*]] = tensor.empty() : tensor<5x64xf32>
  // Only the first tap reaches the first row.
  // CHECK:     %[[A0:.*]] = tensor.extract_slice %[[ACC]][0, 0] [1, 64]
  // CHECK:     %[[R0:.*]] = tensor.extract_slice %[[WIDE]][0, 0] [1, 64]
  // CHECK:     tensor.extract_slice %[[W]][0, 0] [1, 1]
  // CHECK:     %[[HEAD:.*]] = linalg.generic {{.*}} ins(%[[A0]], %[[R0]], %{{.*}})
  // CHECK:     %[[T0:.*]] = tensor.insert_slice %[[HEAD]] into %[[TILE]][0, 0] [1, 64]
  // Both reach the next three, computed where they belong.
  // CHECK:     %[[PLACE:.*]] = tensor.extract_slice %[[T0]][1, 0] [3, 64]
  // CHECK:     %[[A1:.*]] = tensor.extract_slice %[[ACC]][1, 0] [3, 64]
  // CHECK:     %[[R1:.*]] = tensor.extract_slice %[[WIDE]][1, 0] [3, 64]
  // CHECK:     %[[S1:.*]] = tensor.extract_slice %[[W]][0, 1] [1, 3]
  // CHECK:     %[[W1:.*]] = tensor.expand_shape %[[S1]]
  // CHECK:     %[[R2:.*]] = tensor.extract_slice %[[WIDE]][0, 0] [3, 64]
  // CHECK:     %[[S2:.*]] = tensor.extract_slice %[[W]][1, 0] [1, 3]
  // CHECK:     %[[W2:.*]] = tensor.expand_shape %[[S2]]
  // CHECK:     %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[A1]], %[[R1]], %[[W1]], %[[R2]], %[[W2]] : {{.*}}) outs(%[[PLACE]] :
  // CHECK:     ^bb0(%[[START:.*]]: f32, %[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32, %[[D:.*]]: f32, %{{.*}}: f32):
  // CHECK:       %[[AB:.*]] = arith.mulf %[[A]], %[[B]]
  // CHECK:       %[[FIRST:.*]] = arith.addf %[[START]], %[[AB]]
  // CHECK:       %[[CD:.*]] = arith.mulf %[[C]], %[[D]]
  // CHECK:       arith.addf %[[FIRST]], %[[CD]]
  // CHECK:     %[[T1:.*]] = tensor.insert_slice %[[SUM]] into %[[T0]][1, 0] [3, 64]
  // Only the second tap reaches the last row.
  // CHECK:     %[[A4:.*]] = tensor.extract_slice %[[ACC]][4, 0] [1, 64]
  // CHECK:     %[[R4:.*]] = tensor.extract_slice %[[WIDE]][3, 0] [1, 64]
  // CHECK:     tensor.extract_slice %[[W]][1, 3] [1, 1]
  // CHECK:     %[[TAIL:.*]] = linalg.generic {{.*}} ins(%[[A4]], %[[R4]], %{{.*}})
  // CHECK:     %[[T2:.*]] = tensor.insert_slice %[[TAIL]] into %[[T1]][4, 0] [1, 64]
  // CHECK:     return %[[T2]]
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

// Rows that are read apart are computed apart: here the first four, which are only stored as bf16, and the last. The
// tile starts with one carried row, and zeros after it, which need not be added to.
// CHECK-LABEL: func.func @parts
// CHECK-SAME:    %[[ROWS:.*]]: tensor<4x64xf32>, %[[W:.*]]: tensor<2x4xf32>, %[[LAST:.*]]: tensor<1x64xf32>
// CHECK:         %[[TILE:.*]] = tensor.empty() : tensor<4x64xbf16>
// CHECK:         %[[TOP:.*]] = tensor.extract_slice %[[TILE]][0, 0] [1, 64]
// CHECK:         %[[HEAD:.*]] = linalg.generic {{.*}} ins(%[[LAST]], {{.*}}) outs(%[[TOP]] : tensor<1x64xbf16>)
// CHECK:           arith.truncf
// CHECK:         %[[T0:.*]] = tensor.insert_slice %[[HEAD]] into %[[TILE]][0, 0] [1, 64]
// CHECK:         %[[PLACE:.*]] = tensor.extract_slice %[[T0]][1, 0] [3, 64]
// CHECK:         %[[R1:.*]] = tensor.extract_slice %[[ROWS]][1, 0] [3, 64]
// CHECK:         %[[R0:.*]] = tensor.extract_slice %[[ROWS]][0, 0] [3, 64]
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[R1]], %{{.*}}, %[[R0]], %{{.*}} : {{.*}}) outs(%[[PLACE]] : tensor<3x64xbf16>)
// CHECK:           %[[AB:.*]] = arith.mulf
// CHECK-NEXT:      %[[CD:.*]] = arith.mulf
// CHECK-NEXT:      %[[TOTAL:.*]] = arith.addf %[[AB]], %[[CD]]
// CHECK-NEXT:      arith.truncf %[[TOTAL]]
// CHECK:         %[[FIRST:.*]] = tensor.insert_slice %[[SUM]] into %[[T0]][1, 0] [3, 64]
// CHECK:         %[[R3:.*]] = tensor.extract_slice %[[ROWS]][3, 0] [1, 64]
// CHECK:         %[[BOTTOM:.*]] = linalg.generic {{.*}} ins(%[[R3]], %{{.*}} : tensor<1x64xf32>, tensor<1x1xf32>)
// CHECK:         return %[[FIRST]], %[[BOTTOM]]
func.func @parts(%rows: tensor<4x64xf32>, %w: tensor<2x4xf32>, %last: tensor<1x64xf32>) -> (tensor<4x64xbf16>, tensor<1x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x64xf32>
  %whole = tensor.empty() : tensor<5x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<4x64xf32>) -> tensor<4x64xf32>
  %with_last = tensor.insert_slice %last into %whole[0, 0] [1, 64] [1, 1] : tensor<1x64xf32> into tensor<5x64xf32>
  %acc = tensor.insert_slice %zeros into %with_last[1, 0] [4, 64] [1, 1] : tensor<4x64xf32> into tensor<5x64xf32>
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
  %top = tensor.extract_slice %acc1[0, 0] [4, 64] [1, 1] : tensor<5x64xf32> to tensor<4x64xf32>
  %bottom = tensor.extract_slice %acc1[4, 0] [1, 64] [1, 1] : tensor<5x64xf32> to tensor<1x64xf32>
  %n = tensor.empty() : tensor<4x64xbf16>
  %narrow = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%top : tensor<4x64xf32>) outs(%n : tensor<4x64xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<4x64xbf16>
  return %narrow, %bottom : tensor<4x64xbf16>, tensor<1x64xf32>
}
