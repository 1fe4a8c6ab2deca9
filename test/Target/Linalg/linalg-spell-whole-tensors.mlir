// RUN: attn-opt %s --linalg-spell-whole-tensors --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d0, 0)>
#row = affine_map<(d0, d1) -> (0, d1)>

// A column and a row are broadcast; a constant and a scalar from outside fill a tensor.
// CHECK-LABEL: func @elementwise
// CHECK-SAME: %[[X:.*]]: tensor<8x64xf32>, %[[C:.*]]: tensor<8x1xf32>, %[[R:.*]]: tensor<1x64xf32>, %[[S:.*]]: f32
// CHECK: %[[CF:.*]] = tensor.collapse_shape %[[C]] {{\[\[}}0, 1]] : tensor<8x1xf32> into tensor<8xf32>
// CHECK: %[[CB:.*]] = linalg.broadcast ins(%[[CF]] : tensor<8xf32>) outs(%{{.*}} : tensor<8x64xf32>) dimensions = [1]
// CHECK: %[[RF:.*]] = tensor.collapse_shape %[[R]] {{\[\[}}0, 1]] : tensor<1x64xf32> into tensor<64xf32>
// CHECK: %[[RB:.*]] = linalg.broadcast ins(%[[RF]] : tensor<64xf32>) outs(%{{.*}} : tensor<8x64xf32>) dimensions = [0]
// CHECK: %[[ONE:.*]] = arith.constant 1.0
// CHECK: %[[ONES:.*]] = linalg.fill ins(%[[ONE]] : f32)
// CHECK: %[[A:.*]] = arith.mulf %[[X]], %[[CB]] : tensor<8x64xf32>
// CHECK: %[[B:.*]] = arith.addf %[[A]], %[[RB]] : tensor<8x64xf32>
// CHECK: %[[SF:.*]] = linalg.fill ins(%[[S]] : f32)
// CHECK: %[[D:.*]] = arith.divf %[[ONES]], %[[SF]] : tensor<8x64xf32>
// CHECK: %[[E:.*]] = arith.subf %[[B]], %[[D]] : tensor<8x64xf32>
// CHECK: return %[[E]]
// CHECK-NOT: linalg.generic
func.func @elementwise(%x: tensor<8x64xf32>, %c: tensor<8x1xf32>, %r: tensor<1x64xf32>, %s: f32) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %0 = linalg.generic {indexing_maps = [#id, #column, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %c, %r : tensor<8x64xf32>, tensor<8x1xf32>, tensor<1x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%in: f32, %col: f32, %line: f32, %out: f32):
    %one = arith.constant 1.0 : f32
    %1 = arith.mulf %in, %col : f32
    %2 = arith.addf %1, %line : f32
    %3 = arith.divf %one, %s : f32
    %4 = arith.subf %2, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d0, 0)>

// What is filled is filled in the shape it is needed in; rows whose number the run knows stay so.
// CHECK-LABEL: func @scalar
// CHECK-SAME: %[[X:.*]]: tensor<?x64xf32>, %[[S:.*]]: f32
// CHECK: %[[W:.*]] = linalg.fill ins(%[[S]] : f32) outs(%{{.*}} : tensor<?x64xf32>)
// CHECK: arith.mulf %[[X]], %[[W]] : tensor<?x64xf32>
func.func @scalar(%x: tensor<?x64xf32>, %s: f32, %n: index) -> tensor<?x64xf32> {
  %unit = tensor.empty() : tensor<1x1xf32>
  %filled = linalg.fill ins(%s : f32) outs(%unit : tensor<1x1xf32>) -> tensor<1x1xf32>
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %0 = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (0, 0)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %filled : tensor<?x64xf32>, tensor<1x1xf32>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%in: f32, %factor: f32, %out: f32):
    %1 = arith.mulf %in, %factor : f32
    linalg.yield %1 : f32
  } -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func @reductions
// CHECK-SAME: %[[X:.*]]: tensor<8x64xf32>, %[[C:.*]]: tensor<8x1xf32>, %[[R:.*]]: tensor<1x64xf32>
// CHECK: %[[CF:.*]] = tensor.collapse_shape %[[C]]
// CHECK: %[[SUM:.*]] = linalg.reduce ins(%[[X]] : tensor<8x64xf32>) outs(%[[CF]] : tensor<8xf32>) dimensions = [1]
// CHECK: arith.addf
// CHECK: tensor.expand_shape %[[SUM]] {{.*}} : tensor<8xf32> into tensor<8x1xf32>
// CHECK: %[[MAX:.*]] = linalg.reduce ins(%[[X]] : tensor<8x64xf32>) outs(%{{.*}} : tensor<64xf32>) dimensions = [0]
// CHECK: arith.maximumf
// CHECK: tensor.expand_shape %[[MAX]] {{.*}} : tensor<64xf32> into tensor<1x64xf32>
func.func @reductions(%x: tensor<8x64xf32>, %c: tensor<8x1xf32>, %r: tensor<1x64xf32>) -> (tensor<8x1xf32>, tensor<1x64xf32>) {
  %0 = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x64xf32>) outs(%c : tensor<8x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %2 = arith.addf %out, %in : f32
    linalg.yield %2 : f32
  } -> tensor<8x1xf32>
  %1 = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (0, d1)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<8x64xf32>) outs(%r : tensor<1x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %2 = arith.maximumf %out, %in : f32
    linalg.yield %2 : f32
  } -> tensor<1x64xf32>
  return %0, %1 : tensor<8x1xf32>, tensor<1x64xf32>
}

// -----

// Places are counted along one dimension and broadcast; unsigned numbers are compared as signed ones, shifted.
// CHECK-LABEL: func @mask
// CHECK: %[[LINE:.*]] = linalg.generic {{.*}} iterator_types = ["parallel"]} outs(%{{.*}} : tensor<8xi32>)
// CHECK: %[[ROWS:.*]] = linalg.broadcast ins(%[[LINE]] : tensor<8xi32>) outs(%{{.*}} : tensor<8x7xi32>) dimensions = [1]
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<7xi32>)
// CHECK: %[[COLS:.*]] = linalg.broadcast ins(%{{.*}} : tensor<7xi32>) outs(%{{.*}} : tensor<8x7xi32>) dimensions = [0]
// CHECK: %[[SUM:.*]] = arith.addi %[[ROWS]], %[[COLS]] : tensor<8x7xi32>
// CHECK: %[[LEAST:.*]] = arith.constant -2147483648 : i32
// CHECK: %[[SHIFT:.*]] = linalg.fill ins(%[[LEAST]] : i32)
// CHECK: %[[A:.*]] = arith.addi %[[SUM]], %[[SHIFT]]
// CHECK: %[[B:.*]] = arith.addi %{{.*}}, %[[SHIFT]]
// CHECK: %[[IS:.*]] = arith.cmpi slt, %[[A]], %[[B]] : tensor<8x7xi32>
// CHECK: arith.uitofp %[[IS]] : tensor<8x7xi1> to tensor<8x7xf32>
func.func @mask(%count: i32) -> tensor<8x7xf32> {
  %e = tensor.empty() : tensor<8x7xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<8x7xf32>) {
  ^bb0(%out: f32):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i32
    %3 = linalg.index 1 : index
    %4 = arith.index_cast %3 : index to i32
    %5 = arith.addi %2, %4 : i32
    %6 = arith.cmpi ult, %5, %count : i32
    %7 = arith.uitofp %6 : i1 to f32
    linalg.yield %7 : f32
  } -> tensor<8x7xf32>
  return %0 : tensor<8x7xf32>
}
