// RUN: attn-opt %s --jit-lower-products | FileCheck %s
// Products whose result or left operand a mask of positions cuts.

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i, 0)>
#col = affine_map<(i, j) -> (0, j)>

// A row sees the columns up to its own and `distance`: a panel begins with the first row that sees one of it. Weights that were
// computed of it are found to be zero elsewhere, and then take the steps that the last row of a tile sees.
// CHECK-LABEL: func.func @cut
// CHECK-SAME: %[[OUT:[^ ]*]]: memref<36x64xf32>, %[[DISTANCE:[^ ]*]]: index
// CHECK: %[[SCORES:.*]] = memref.alloc() : memref<36x32xf32>
// CHECK: %[[FAR:.*]] = arith.addi %[[DISTANCE]], %c1
// CHECK: %[[TIMES:.*]] = arith.muli %[[FAR]], %c1
// CHECK: %[[OFFSET:.*]] = arith.addi %c0{{.*}}, %[[TIMES]] : index
// CHECK: %[[BEFORE:.*]] = arith.subi %{{.*}}, %[[OFFSET]] : index
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: %[[REST:.*]] = arith.remui %[[FIRST:.*]], %c6
// CHECK: %[[BEGIN:.*]] = arith.subi %[[FIRST]], %[[REST]] : index
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %{{.*}} step %c6
// CHECK: vector.store %{{.*}}, %[[SCORES]]
// CHECK: math.exp
// CHECK: %[[AGAIN:.*]] = arith.addi %c0{{.*}}, %{{.*}} : index
// CHECK: scf.for %[[ROW:[^ ]*]] = %c0{{.*}} to %c36{{.*}} step %c1{{.*}} iter_args
// CHECK: %[[SEEN:.*]] = arith.addi %[[ROW]], %[[AGAIN]] : index
// CHECK: vector.load %[[SCORES]]
// CHECK: arith.ori %{{.*}} : vector<8xi32>
// CHECK: vector.reduction <or>
// CHECK: %[[ZERO:.*]] = arith.cmpi eq
// CHECK: %[[STEPS:.*]] = arith.select %{{.*}}, %{{.*}}, %c32{{.*}} : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// CHECK: memref.load %[[SCORES]]
// CHECK: vector.store %{{.*}}, %[[OUT]]
func.func @cut(%q: memref<36x64xf32, strided<[?, 1], offset: ?>>, %k: memref<64x32xf32, strided<[?, 1], offset: ?>>,
               %v: memref<32x64xf32, strided<[?, 1], offset: ?>>, %most: memref<36x1xf32>, %out: memref<36x64xf32>,
               %distance: index) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant -3.40282347E+38 : f32
  %step = arith.constant 1 : index
  %cols = memref.alloc() : memref<1x32xf32>
  linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%cols : memref<1x32xf32>) {
  ^bb0(%e: f32):
    %j = linalg.index 1 : index
    %word = arith.index_cast %j : index to i32
    %number = arith.sitofp %word : i32 to f32
    linalg.yield %number : f32
  }
  %scores = memref.alloc() : memref<36x32xf32>
  linalg.fill ins(%zero : f32) outs(%scores : memref<36x32xf32>)
  linalg.matmul ins(%q, %k : memref<36x64xf32, strided<[?, 1], offset: ?>>, memref<64x32xf32, strided<[?, 1], offset: ?>>)
    outs(%scores : memref<36x32xf32>)
  %far = arith.addi %distance, %step : index
  %word = arith.index_cast %far : index to i64
  %offset = arith.sitofp %word : i64 to f32
  linalg.generic {indexing_maps = [#col, #all], iterator_types = ["parallel", "parallel"]}
    ins(%cols : memref<1x32xf32>) outs(%scores : memref<36x32xf32>) {
  ^bb0(%col: f32, %score: f32):
    %i = linalg.index 0 : index
    %small = arith.index_cast %i : index to i32
    %row = arith.sitofp %small : i32 to f32
    %back = arith.subf %row, %col : f32
    %reach = arith.addf %back, %offset : f32
    %some = arith.maximumf %reach, %zero : f32
    %mask = arith.minimumf %some, %one : f32
    %holds = arith.cmpf one, %mask, %zero : f32
    %chosen = arith.select %holds, %score, %lowest : f32
    linalg.yield %chosen : f32
  }
  linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
    ins(%most : memref<36x1xf32>) outs(%scores : memref<36x32xf32>) {
  ^bb0(%largest: f32, %score: f32):
    %less = arith.subf %score, %largest : f32
    %weight = math.exp %less : f32
    linalg.yield %weight : f32
  }
  linalg.matmul ins(%scores, %v : memref<36x32xf32>, memref<32x64xf32, strided<[?, 1], offset: ?>>) outs(%out : memref<36x64xf32>)
  return
}

// What the mask leaves out is looked at all the same: all of it is computed.
// CHECK-LABEL: func.func @looked_at
// CHECK-NOT: arith.maxsi
// CHECK: math.exp
func.func @looked_at(%q: memref<36x64xf32>, %k: memref<64x32xf32>, %scores: memref<36x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %buffer = memref.alloc() : memref<36x32xf32>
  linalg.fill ins(%zero : f32) outs(%buffer : memref<36x32xf32>)
  linalg.matmul ins(%q, %k : memref<36x64xf32>, memref<64x32xf32>) outs(%buffer : memref<36x32xf32>)
  linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%buffer : memref<36x32xf32>) {
  ^bb0(%score: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %small = arith.index_cast %i : index to i32
    %least = arith.index_cast %j : index to i32
    %row = arith.sitofp %small : i32 to f32
    %col = arith.sitofp %least : i32 to f32
    %reach = arith.subf %row, %col : f32
    %some = arith.maximumf %reach, %zero : f32
    %mask = arith.minimumf %some, %one : f32
    %holds = arith.cmpf one, %mask, %zero : f32
    %other = math.exp %score : f32
    %chosen = arith.select %holds, %score, %other : f32
    linalg.yield %chosen : f32
  }
  memref.copy %buffer, %scores : memref<36x32xf32> to memref<36x32xf32>
  return
}

// A sweep that applies the mask may fold rows as well, as long as that takes nothing else of them.
// CHECK-LABEL: func.func @folded
// CHECK: arith.maxsi
// CHECK: scf.for
// CHECK: linalg.generic
// CHECK-LABEL: func.func @folded_before
// CHECK-NOT: arith.maxsi
// CHECK: linalg.generic
func.func @folded(%q: memref<36x64xf32>, %k: memref<64x32xf32>, %scores: memref<36x32xf32>, %most: memref<36x1xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant -3.40282347E+38 : f32
  %buffer = memref.alloc() : memref<36x32xf32>
  linalg.fill ins(%zero : f32) outs(%buffer : memref<36x32xf32>)
  linalg.matmul ins(%q, %k : memref<36x64xf32>, memref<64x32xf32>) outs(%buffer : memref<36x32xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
    outs(%buffer, %most : memref<36x32xf32>, memref<36x1xf32>) {
  ^bb0(%score: f32, %largest: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %small = arith.index_cast %i : index to i32
    %least = arith.index_cast %j : index to i32
    %row = arith.sitofp %small : i32 to f32
    %col = arith.sitofp %least : i32 to f32
    %reach = arith.subf %row, %col : f32
    %some = arith.maximumf %reach, %zero : f32
    %mask = arith.minimumf %some, %one : f32
    %holds = arith.cmpf one, %mask, %zero : f32
    %chosen = arith.select %holds, %score, %lowest : f32
    %larger = arith.maximumf %largest, %chosen : f32
    linalg.yield %chosen, %larger : f32, f32
  }
  memref.copy %buffer, %scores : memref<36x32xf32> to memref<36x32xf32>
  return
}
func.func @folded_before(%q: memref<36x64xf32>, %k: memref<64x32xf32>, %scores: memref<36x32xf32>, %most: memref<36x1xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant -3.40282347E+38 : f32
  %buffer = memref.alloc() : memref<36x32xf32>
  linalg.fill ins(%zero : f32) outs(%buffer : memref<36x32xf32>)
  linalg.matmul ins(%q, %k : memref<36x64xf32>, memref<64x32xf32>) outs(%buffer : memref<36x32xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
    outs(%buffer, %most : memref<36x32xf32>, memref<36x1xf32>) {
  ^bb0(%score: f32, %largest: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %small = arith.index_cast %i : index to i32
    %least = arith.index_cast %j : index to i32
    %row = arith.sitofp %small : i32 to f32
    %col = arith.sitofp %least : i32 to f32
    %reach = arith.subf %row, %col : f32
    %some = arith.maximumf %reach, %zero : f32
    %mask = arith.minimumf %some, %one : f32
    %holds = arith.cmpf one, %mask, %zero : f32
    %chosen = arith.select %holds, %score, %lowest : f32
    %larger = arith.maximumf %largest, %score : f32
    linalg.yield %chosen, %larger : f32, f32
  }
  memref.copy %buffer, %scores : memref<36x32xf32> to memref<36x32xf32>
  return
}
