// RUN: attn-opt %s -split-input-file -verify-diagnostics -jit-add-entries | FileCheck %s

func.func @scale(%x: memref<?x4xf32, strided<[?, 1]>>, %f: f32, %n: index, %block: index, %count: index) {
  return
}
// CHECK-LABEL: func.func @scale.entry
// CHECK-SAME:    %[[WORDS:.*]]: !llvm.ptr, %[[BLOCK:.*]]: i64, %[[COUNT:.*]]: i64, %[[REPORT:.*]]: !llvm.ptr)
// CHECK-SAME:    launch.signature = (memref<?x4xf32, strided<[?, 1]>>, f32, index, index, index) -> ()
// CHECK:         %[[P0:.*]] = llvm.getelementptr %[[WORDS]][0]
// CHECK:         %[[D:.*]] = llvm.load %[[P0]] : !llvm.ptr -> !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
// CHECK:         %[[X:.*]] = builtin.unrealized_conversion_cast %[[D]] : {{.*}} to memref<?x4xf32, strided<[?, 1]>>
// CHECK:         %[[P1:.*]] = llvm.getelementptr %[[WORDS]][7]
// CHECK:         %[[F:.*]] = llvm.load %[[P1]] : !llvm.ptr -> f32
// CHECK:         %[[P2:.*]] = llvm.getelementptr %[[WORDS]][8]
// CHECK:         %[[I:.*]] = llvm.load %[[P2]] : !llvm.ptr -> i64
// CHECK:         %[[N:.*]] = arith.index_cast %[[I]] : i64 to index
// CHECK:         %[[B:.*]] = arith.index_cast %[[BLOCK]]
// CHECK:         %[[C:.*]] = arith.index_cast %[[COUNT]]
// CHECK:         call @scale(%[[X]], %[[F]], %[[N]], %[[B]], %[[C]], %[[REPORT]])

func.func @scale_grid(%n: index) -> index attributes {launch.grid_of = @scale} {
  return %n : index
}
// CHECK-LABEL: func.func @scale_grid.entry
// CHECK-SAME:    -> i64
// CHECK:         %[[T:.*]] = call @scale_grid
// CHECK:         arith.index_cast %[[T]] : index to i64

// -----

// expected-error @+1 {{'func.func' op is a kernel, but does not take its block and their count last}}
func.func @no_block(%x: f32) {
  return
}

// -----

// expected-error @+1 {{'func.func' op returns something else than one index}}
func.func @real(%x: f32) -> f32 {
  return %x : f32
}

// -----

// expected-error @+1 {{'func.func' op takes an argument of type 'tensor<4xf32>', which cannot be passed in words}}
func.func @tensor(%x: tensor<4xf32>, %block: index, %count: index) {
  return
}

// -----

// expected-error @+1 {{'func.func' op needs the name 'f.entry' for its entry; it is taken}}
func.func @f(%block: index, %count: index) {
  return
}
func.func private @f.entry()
