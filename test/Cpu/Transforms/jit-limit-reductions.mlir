// RUN: attn-opt %s -jit-limit-reductions | FileCheck %s
// RUN: attn-opt %s -jit-limit-reductions -jit-fuse-siblings | FileCheck %s --check-prefix=FUSED
// Reductions of the first columns of a tile that is computed here take the whole tile.

#all = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d0, 0)>

// Other columns count as what changes nothing, so that one sweep computes the tile and its sum.
// CHECK-LABEL: func.func @sum
// CHECK-SAME:    %{{.*}}: tensor<4x64xf32>, %[[N:[^ ]*]]: index
// CHECK: %[[E:.*]] = linalg.generic
// CHECK:   math.exp
// CHECK: %[[COUNT:.*]] = arith.index_cast %[[N]] : index to i32
// CHECK: linalg.generic {{.*}} ins(%[[E]] : tensor<4x64xf32>)
// CHECK: ^bb0(%[[A:.*]]: f32, %[[O:.*]]: f32):
// CHECK:   %[[J:.*]] = linalg.index 1
// CHECK:   %[[COLUMN:.*]] = arith.index_cast %[[J]] : index to i32
// CHECK:   %[[EXISTS:.*]] = arith.cmpi slt, %[[COLUMN]], %[[COUNT]] : i32
// CHECK:   %[[TAKEN:.*]] = arith.select %[[EXISTS]], %[[A]], %cst{{.*}} : f32
// CHECK:   arith.addf %[[O]], %[[TAKEN]]
// FUSED-LABEL: func.func @sum
// FUSED: linalg.generic
// FUSED-NOT: linalg.generic
// FUSED-LABEL: func.func @most
func.func @sum(%x: tensor<4x64xf32>, %n: index, %sums: tensor<4x1xf32>) -> (tensor<4x64xf32>, tensor<4x1xf32>) {
  %empty = tensor.empty() : tensor<4x64xf32>
  %e = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x64xf32>) outs(%empty : tensor<4x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> tensor<4x64xf32>
  %part = tensor.extract_slice %e[0, 0] [4, %n] [1, 1] : tensor<4x64xf32> to tensor<4x?xf32>
  %s = linalg.generic {indexing_maps = [#all, #column], iterator_types = ["parallel", "reduction"]}
      ins(%part : tensor<4x?xf32>) outs(%sums : tensor<4x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = arith.addf %o, %a : f32
    linalg.yield %y : f32
  } -> tensor<4x1xf32>
  return %e, %s : tensor<4x64xf32>, tensor<4x1xf32>
}

// A maximum starts below all numbers.
// CHECK-LABEL: func.func @most
// CHECK: %[[LEAST:.*]] = arith.constant 0xFF800000 : f32
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[LEAST]] : f32
// CHECK: arith.maximumf
func.func @most(%x: tensor<4x64xf32>, %n: index, %mosts: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %empty = tensor.empty() : tensor<4x64xf32>
  %e = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x64xf32>) outs(%empty : tensor<4x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = arith.negf %a : f32
    linalg.yield %y : f32
  } -> tensor<4x64xf32>
  %part = tensor.extract_slice %e[0, 0] [4, %n] [1, 1] : tensor<4x64xf32> to tensor<4x?xf32>
  %s = linalg.generic {indexing_maps = [#all, #column], iterator_types = ["parallel", "reduction"]}
      ins(%part : tensor<4x?xf32>) outs(%mosts : tensor<4x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = arith.maximumf %o, %a : f32
    linalg.yield %y : f32
  } -> tensor<4x1xf32>
  return %s : tensor<4x1xf32>
}

// What is not computed here is not read beyond what exists.
// CHECK-LABEL: func.func @given
// CHECK: tensor.extract_slice
// CHECK-NOT: arith.select
func.func @given(%x: tensor<4x64xf32>, %n: index, %sums: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %part = tensor.extract_slice %x[0, 0] [4, %n] [1, 1] : tensor<4x64xf32> to tensor<4x?xf32>
  %s = linalg.generic {indexing_maps = [#all, #column], iterator_types = ["parallel", "reduction"]}
      ins(%part : tensor<4x?xf32>) outs(%sums : tensor<4x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = arith.addf %o, %a : f32
    linalg.yield %y : f32
  } -> tensor<4x1xf32>
  return %s : tensor<4x1xf32>
}

// Neither is a part that begins elsewhere, nor one whose elements are squared first.
// CHECK-LABEL: func.func @others
// CHECK-NOT: arith.select
func.func @others(%x: tensor<4x64xf32>, %n: index, %from: index, %sums: tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>) {
  %empty = tensor.empty() : tensor<4x64xf32>
  %e = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x64xf32>) outs(%empty : tensor<4x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> tensor<4x64xf32>
  %later = tensor.extract_slice %e[0, %from] [4, %n] [1, 1] : tensor<4x64xf32> to tensor<4x?xf32>
  %s = linalg.generic {indexing_maps = [#all, #column], iterator_types = ["parallel", "reduction"]}
      ins(%later : tensor<4x?xf32>) outs(%sums : tensor<4x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = arith.addf %o, %a : f32
    linalg.yield %y : f32
  } -> tensor<4x1xf32>
  %first = tensor.extract_slice %e[0, 0] [4, %n] [1, 1] : tensor<4x64xf32> to tensor<4x?xf32>
  %t = linalg.generic {indexing_maps = [#all, #column], iterator_types = ["parallel", "reduction"]}
      ins(%first : tensor<4x?xf32>) outs(%sums : tensor<4x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %square = arith.mulf %a, %a : f32
    %y = arith.addf %o, %square : f32
    linalg.yield %y : f32
  } -> tensor<4x1xf32>
  return %s, %t : tensor<4x1xf32>, tensor<4x1xf32>
}
