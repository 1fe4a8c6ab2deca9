// RUN: attn-opt %s -jit-fuse-siblings | FileCheck %s

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (0, d1)>
#column = affine_map<(d0, d1) -> (d0, 0)>

// CHECK-LABEL: func.func @two_sums
// CHECK-SAME:    %[[V:.*]]: tensor<4x64xf32>, %[[U:.*]]: tensor<1x64xf32>
func.func @two_sums(%v: tensor<4x64xf32>, %u: tensor<1x64xf32>, %x: f32) -> (tensor<4x1xf32>, tensor<4x1xf32>) {
  %e = tensor.empty() : tensor<4x1xf32>
  %a0 = linalg.fill ins(%x : f32) outs(%e : tensor<4x1xf32>) -> tensor<4x1xf32>
  // CHECK: %[[BOTH:.*]]:2 = linalg.generic
  // CHECK-SAME: ins(%[[V]], %[[U]] : tensor<4x64xf32>, tensor<1x64xf32>)
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[S:.*]]: f32, %[[T:.*]]: f32):
  // CHECK-NEXT:   %[[AA:.*]] = arith.mulf %[[A]], %[[A]]
  // CHECK-NEXT:   %[[S1:.*]] = arith.addf %[[S]], %[[AA]]
  // CHECK-NEXT:   %[[AB:.*]] = arith.mulf %[[A]], %[[B]]
  // CHECK-NEXT:   %[[T1:.*]] = arith.addf %[[T]], %[[AB]]
  // CHECK-NEXT:   linalg.yield %[[S1]], %[[T1]]
  %ss = linalg.generic {indexing_maps = [#all, #column], iterator_types = ["parallel", "reduction"]}
      ins(%v : tensor<4x64xf32>) outs(%a0 : tensor<4x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %a : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x1xf32>
  // CHECK: math.sqrt %[[BOTH]]#0
  %r = math.sqrt %ss : tensor<4x1xf32>
  %a1 = linalg.fill ins(%x : f32) outs(%e : tensor<4x1xf32>) -> tensor<4x1xf32>
  %c = linalg.generic {indexing_maps = [#all, #row, #column], iterator_types = ["parallel", "reduction"]}
      ins(%v, %u : tensor<4x64xf32>, tensor<1x64xf32>) outs(%a1 : tensor<4x1xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x1xf32>
  // CHECK: return %{{.*}}, %[[BOTH]]#1
  return %r, %c : tensor<4x1xf32>, tensor<4x1xf32>
}

// The second needs the first.
// CHECK-LABEL: func.func @dependent
func.func @dependent(%v: tensor<4x64xf32>, %a0: tensor<4x1xf32>) -> tensor<4x1xf32> {
  // CHECK-COUNT-2: linalg.generic
  %max = linalg.generic {indexing_maps = [#all, #column], iterator_types = ["parallel", "reduction"]}
      ins(%v : tensor<4x64xf32>) outs(%a0 : tensor<4x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.maximumf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<4x1xf32>
  %sum = linalg.generic {indexing_maps = [#all, #column, #column], iterator_types = ["parallel", "reduction"]}
      ins(%v, %max : tensor<4x64xf32>, tensor<4x1xf32>) outs(%a0 : tensor<4x1xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %s = arith.addf %o, %d : f32
    linalg.yield %s : f32
  } -> tensor<4x1xf32>
  return %sum : tensor<4x1xf32>
}

// A tile that is filled between the two cannot be read earlier.
// CHECK-LABEL: func.func @filled_between
func.func @filled_between(%x: memref<4x64xf32>, %u: tensor<4x64xf32>, %a0: tensor<4x1xf32>)
    -> (tensor<4x1xf32>, tensor<4x1xf32>) {
  %buffer = memref.alloc() : memref<4x64xf32>
  // CHECK: linalg.generic
  %first = linalg.generic {indexing_maps = [#all, #column], iterator_types = ["parallel", "reduction"]}
      ins(%u : tensor<4x64xf32>) outs(%a0 : tensor<4x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<4x1xf32>
  // CHECK: memref.copy
  memref.copy %x, %buffer : memref<4x64xf32> to memref<4x64xf32>
  %v = bufferization.to_tensor %buffer restrict writable : memref<4x64xf32> to tensor<4x64xf32>
  // CHECK: linalg.generic
  %second = linalg.generic {indexing_maps = [#all, #all, #column], iterator_types = ["parallel", "reduction"]}
      ins(%u, %v : tensor<4x64xf32>, tensor<4x64xf32>) outs(%a0 : tensor<4x1xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.mulf %a, %b : f32
    %s = arith.addf %o, %d : f32
    linalg.yield %s : f32
  } -> tensor<4x1xf32>
  return %first, %second : tensor<4x1xf32>, tensor<4x1xf32>
}

// A tile, the sums of its rows and its narrow copy come from one sweep; the wide tile itself is still read elsewhere.
// CHECK-LABEL: func.func @tile_and_its_sums
// CHECK-SAME:    %[[V:.*]]: tensor<4x64xf32>
func.func @tile_and_its_sums(%v: tensor<4x64xf32>, %a0: tensor<4x1xf32>)
    -> (tensor<4x64xf32>, tensor<4x1xf32>, tensor<4x64xbf16>) {
  // CHECK: %[[ALL:.*]]:3 = linalg.generic
  // CHECK-SAME: iterator_types = ["parallel", "reduction"]
  // CHECK-SAME: ins(%[[V]] : tensor<4x64xf32>)
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %{{.*}}: f32, %[[S:.*]]: f32, %{{.*}}: bf16):
  // CHECK-NEXT:   %[[P:.*]] = math.exp %[[A]]
  // CHECK-NEXT:   %[[SUM:.*]] = arith.addf %[[S]], %[[P]]
  // CHECK-NEXT:   %[[NARROW:.*]] = arith.truncf %[[P]]
  // CHECK-NEXT:   linalg.yield %[[P]], %[[SUM]], %[[NARROW]]
  // CHECK-NOT: linalg.generic
  // CHECK: return %[[ALL]]#0, %[[ALL]]#1, %[[ALL]]#2
  %e = tensor.empty() : tensor<4x64xf32>
  %p = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<4x64xf32>) outs(%e : tensor<4x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %x = math.exp %a : f32
    linalg.yield %x : f32
  } -> tensor<4x64xf32>
  %sum = linalg.generic {indexing_maps = [#all, #column], iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<4x64xf32>) outs(%a0 : tensor<4x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<4x1xf32>
  %n = tensor.empty() : tensor<4x64xbf16>
  %narrow = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<4x64xf32>) outs(%n : tensor<4x64xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %t = arith.truncf %a : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<4x64xbf16>
  return %p, %sum, %narrow : tensor<4x64xf32>, tensor<4x1xf32>, tensor<4x64xbf16>
}

// What is stored may be written past the caches by a sweep of its own.
// CHECK-LABEL: func.func @stored
func.func @stored(%v: tensor<4x64xf32>, %a0: tensor<4x1xf32>, %to: memref<4x64xf32>) -> tensor<4x1xf32> {
  // CHECK-COUNT-2: linalg.generic
  %e = tensor.empty() : tensor<4x64xf32>
  %p = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<4x64xf32>) outs(%e : tensor<4x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %x = math.exp %a : f32
    linalg.yield %x : f32
  } -> tensor<4x64xf32>
  bufferization.materialize_in_destination %p in writable %to : (tensor<4x64xf32>, memref<4x64xf32>) -> ()
  %sum = linalg.generic {indexing_maps = [#all, #column], iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<4x64xf32>) outs(%a0 : tensor<4x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<4x1xf32>
  return %sum : tensor<4x1xf32>
}
