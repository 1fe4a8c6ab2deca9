// RUN: attn-opt %s -jit-fuse-elementwise | FileCheck %s

#all = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d0, 0)>

// What only widens is repeated in each user.
// CHECK-LABEL: func.func @widen_twice
func.func @widen_twice(%v16: tensor<1x64xbf16>, %zero: tensor<1x1xf32>) -> (tensor<1x1xf32>, tensor<1x64xf32>) {
  %e = tensor.empty() : tensor<1x64xf32>
  %v = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%v16 : tensor<1x64xbf16>) outs(%e : tensor<1x64xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %w = arith.extf %a : bf16 to f32
    linalg.yield %w : f32
  } -> tensor<1x64xf32>
  // CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%{{.*}} : tensor<1x64xbf16>)
  // CHECK:   arith.extf
  // CHECK:   arith.addf
  %s = linalg.generic {indexing_maps = [#all, #column], iterator_types = ["parallel", "reduction"]}
      ins(%v : tensor<1x64xf32>) outs(%zero : tensor<1x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %w = arith.addf %o, %a : f32
    linalg.yield %w : f32
  } -> tensor<1x1xf32>
  // CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<1x64xbf16>)
  // CHECK:   arith.extf
  // CHECK:   math.absf
  %n = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<1x64xf32>) outs(%e : tensor<1x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %w = math.absf %a : f32
    linalg.yield %w : f32
  } -> tensor<1x64xf32>
  return %s, %n : tensor<1x1xf32>, tensor<1x64xf32>
}

// A column is computed once, not once per element of a row.
// CHECK-LABEL: func.func @column
func.func @column(%c: tensor<4x1xf32>, %v: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %e = tensor.empty() : tensor<4x1xf32>
  // CHECK: %[[P:.*]] = linalg.generic
  // CHECK:   math.exp
  %p = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<4x1xf32>) outs(%e : tensor<4x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %w = math.exp %a : f32
    linalg.yield %w : f32
  } -> tensor<4x1xf32>
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[P]] :
  %f = tensor.empty() : tensor<4x64xf32>
  %r = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%v, %p : tensor<4x64xf32>, tensor<4x1xf32>) outs(%f : tensor<4x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %w = arith.mulf %a, %b : f32
    linalg.yield %w : f32
  } -> tensor<4x64xf32>
  return %r : tensor<4x64xf32>
}

// What is before a loop stays there.
// CHECK-LABEL: func.func @loop
func.func @loop(%v: tensor<1x64xf32>, %N: index) -> tensor<1x64xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %e = tensor.empty() : tensor<1x64xf32>
  // CHECK: math.absf
  // CHECK: scf.for
  %u = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<1x64xf32>) outs(%e : tensor<1x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %w = math.absf %a : f32
    linalg.yield %w : f32
  } -> tensor<1x64xf32>
  %r = scf.for %n = %zero to %N step %one iter_args(%acc = %v) -> tensor<1x64xf32> {
    %next = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%acc, %u : tensor<1x64xf32>, tensor<1x64xf32>) outs(%e : tensor<1x64xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %w = arith.mulf %a, %b : f32
      linalg.yield %w : f32
    } -> tensor<1x64xf32>
    scf.yield %next : tensor<1x64xf32>
  }
  return %r : tensor<1x64xf32>
}

// A tile that is only scaled is scaled by each of its readers, if all read it element by element.
// CHECK-LABEL: func.func @scaled
func.func @scaled(%v: tensor<4x64xf32>, %x: f32, %a0: tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4x64xf32>) {
  // CHECK: linalg.generic
  // CHECK: arith.mulf
  // CHECK: arith.maximumf
  // CHECK: linalg.generic
  // CHECK: arith.mulf
  // CHECK: math.exp
  // CHECK-NOT: linalg.generic
  %e = tensor.empty() : tensor<4x64xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<4x64xf32>) outs(%e : tensor<4x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.mulf %x, %a : f32
    linalg.yield %m : f32
  } -> tensor<4x64xf32>
  %max = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%s : tensor<4x64xf32>) outs(%a0 : tensor<4x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %o, %a : f32
    linalg.yield %m : f32
  } -> tensor<4x1xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<4x64xf32>) outs(%e : tensor<4x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> tensor<4x64xf32>
  return %max, %p : tensor<4x1xf32>, tensor<4x64xf32>
}
