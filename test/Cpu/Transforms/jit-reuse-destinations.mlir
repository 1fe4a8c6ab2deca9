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

// A carried tile that is still needed after an inner loop has updated it is not a place for the update.
// CHECK-LABEL: func.func @copied_around_loop
func.func @copied_around_loop(%a0: tensor<1x64xf32>, %b0: tensor<1x64xf32>, %N: index) -> (tensor<1x64xf32>, tensor<1x64xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
  %r:2 = scf.for %n = %zero to %N step %one iter_args(%a = %a0, %b = %b0) -> (tensor<1x64xf32>, tensor<1x64xf32>) {
    // CHECK: %[[INNER:.*]] = scf.for {{.*}} iter_args(%[[I:.*]] = %[[A]])
    // CHECK:   linalg.generic {{.*}} outs(%[[I]] : tensor<1x64xf32>)
    // CHECK: %[[C:.*]] = linalg.copy ins(%[[INNER]]
    // CHECK: %[[D:.*]] = linalg.copy ins(%[[A]]
    // CHECK: bufferization.materialize_in_destination %[[C]] in %[[A]]
    // CHECK: bufferization.materialize_in_destination %[[D]] in %[[B]]
    %inner = scf.for %m = %zero to %N step %one iter_args(%i = %a) -> (tensor<1x64xf32>) {
      %e = tensor.empty() : tensor<1x64xf32>
      %next = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
          ins(%i : tensor<1x64xf32>) outs(%e : tensor<1x64xf32>) {
      ^bb0(%x: f32, %o: f32):
        %s = arith.addf %x, %x : f32
        linalg.yield %s : f32
      } -> tensor<1x64xf32>
      scf.yield %next : tensor<1x64xf32>
    }
    scf.yield %inner, %a : tensor<1x64xf32>, tensor<1x64xf32>
  }
  return %r#0, %r#1 : tensor<1x64xf32>, tensor<1x64xf32>
}

// What an inner loop starts from is computed in the buffer that the loop around carries.
// CHECK-LABEL: func.func @start_of_a_loop
func.func @start_of_a_loop(%a0: tensor<4x64xf32>, %f: tensor<4x64xf32>, %N: index) -> tensor<4x64xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}})
  %r = scf.for %n = %zero to %N step %one iter_args(%a = %a0) -> (tensor<4x64xf32>) {
    // CHECK: %[[START:.*]] = linalg.generic {{.*}} outs(%[[A]] : tensor<4x64xf32>)
    // CHECK: %[[INNER:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[START]])
    // CHECK-NOT: materialize_in_destination
    // CHECK: scf.yield %[[INNER]]
    %e = tensor.empty() : tensor<4x64xf32>
    %start = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%a, %f : tensor<4x64xf32>, tensor<4x64xf32>) outs(%e : tensor<4x64xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %s = arith.mulf %x, %y : f32
      linalg.yield %s : f32
    } -> tensor<4x64xf32>
    %inner = scf.for %m = %zero to %N step %one iter_args(%i = %start) -> (tensor<4x64xf32>) {
      %part = tensor.extract_slice %f[0, 0] [1, 64] [1, 1] : tensor<4x64xf32> to tensor<1x64xf32>
      %next = tensor.insert_slice %part into %i[%m, 0] [1, 64] [1, 1] : tensor<1x64xf32> into tensor<4x64xf32>
      scf.yield %next : tensor<4x64xf32>
    }
    scf.yield %inner : tensor<4x64xf32>
  }
  return %r : tensor<4x64xf32>
}

// A part of a tile is not a destination, since the tile is needed; unless the part is replaced by the result.
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

// A tile of which a part is read later is not a destination either.
// CHECK-LABEL: func.func @part_is_read_later
// CHECK-SAME:    %[[V:.*]]: tensor<4x1xf32>, %[[ROWS:.*]]: index
func.func @part_is_read_later(%v: tensor<4x1xf32>, %rows: index) -> (tensor<4x1xf32>, tensor<?x1xf32>) {
  // CHECK: %[[FIRST:.*]] = linalg.generic {{.*}} ins(%[[V]]
  // CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<4x1xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[FIRST]] : {{.*}}) outs(%[[EMPTY]] : tensor<4x1xf32>)
  %e0 = tensor.empty() : tensor<4x1xf32>
  %first = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<4x1xf32>) outs(%e0 : tensor<4x1xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.negf %x : f32
    linalg.yield %s : f32
  } -> tensor<4x1xf32>
  %part = tensor.extract_slice %first[0, 0] [%rows, 1] [1, 1] : tensor<4x1xf32> to tensor<?x1xf32>
  %e1 = tensor.empty() : tensor<4x1xf32>
  %second = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%first : tensor<4x1xf32>) outs(%e1 : tensor<4x1xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  } -> tensor<4x1xf32>
  return %second, %part : tensor<4x1xf32>, tensor<?x1xf32>
}

// Products that sum in parts of equal zeros have zeros of their own, and put the part back where it came from.
// CHECK-LABEL: func.func @products_in_parts
// CHECK-SAME:    %[[A:.*]]: tensor<?x8xf32>, %[[B:.*]]: tensor<8x4xf32>, %[[ROWS:.*]]: index
func.func @products_in_parts(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>, %rows: index) -> (tensor<6x4xf32>, tensor<6x4xf32>) {
  // CHECK: %[[ZEROS0:.*]] = linalg.fill
  // CHECK: %[[PART0:.*]] = tensor.extract_slice %[[ZEROS0]]
  // CHECK: %[[SUM0:.*]] = linalg.matmul {{.*}} outs(%[[PART0]] : tensor<?x4xf32>)
  // CHECK: tensor.insert_slice %[[SUM0]] into %[[ZEROS0]]
  // CHECK: %[[ZEROS1:.*]] = linalg.fill
  // CHECK: %[[PART1:.*]] = tensor.extract_slice %[[ZEROS1]]
  // CHECK: %[[SUM1:.*]] = linalg.matmul {{.*}} outs(%[[PART1]] : tensor<?x4xf32>)
  // CHECK: tensor.insert_slice %[[SUM1]] into %[[ZEROS1]]
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<6x4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<6x4xf32>) -> tensor<6x4xf32>
  %part = tensor.extract_slice %zeros[0, 0] [%rows, 4] [1, 1] : tensor<6x4xf32> to tensor<?x4xf32>
  %sum0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf32>) outs(%part : tensor<?x4xf32>) -> tensor<?x4xf32>
  %first = tensor.insert_slice %sum0 into %zeros[0, 0] [%rows, 4] [1, 1] : tensor<?x4xf32> into tensor<6x4xf32>
  %sum1 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf32>) outs(%part : tensor<?x4xf32>) -> tensor<?x4xf32>
  %second = tensor.insert_slice %sum1 into %zeros[0, 0] [%rows, 4] [1, 1] : tensor<?x4xf32> into tensor<6x4xf32>
  return %first, %second : tensor<6x4xf32>, tensor<6x4xf32>
}
