// RUN: attn-opt %s --soc=Ascend910B4 --convert-tile-to-ascend --cse --split-input-file | FileCheck %s

// The scalar unit reads integers; of 64 bits, what fits 32. Bounds are arithmetic, and say what was expected.
// CHECK-LABEL: func.func @indices(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x8xf32, strided<[?, 1]>, #ascend.space<gm>>
// CHECK-SAME:    %[[IDX:[^:]*]]: memref<?x?xui16, strided<[?, 1]>, #ascend.space<gm>>
// CHECK-SAME:    %[[OFFSETS:[^:]*]]: memref<4xi64, strided<[1]>, #ascend.space<gm>>
// CHECK-SAME:    %[[B:[^:]*]]: index
// CHECK:         %[[J:.*]] = ascend.load_index %[[IDX]][%[[B]], %[[B]]] : memref<?x?xui16
// CHECK:         %[[N:.*]] = ascend.dim %[[X]], 0
// CHECK:         %[[LAST:.*]] = arith.subi %[[N]], %c1
// CHECK:         %[[MOST:.*]] = arith.minsi %[[J]], %[[LAST]]
// CHECK:         %[[INSIDE:.*]] = arith.maxsi %[[MOST]], %c0
// CHECK:         ascend.expect_index %[[J]] is %[[INSIDE]] in %[[X]], 0
// CHECK:         ascend.address %[[X]][%[[INSIDE]], %c0]
// CHECK:         %[[WORD:.*]] = ascend.load_index %[[OFFSETS]][%[[B]]] : memref<4xi64
// CHECK:         %[[UPPER:.*]] = arith.minsi %[[WORD]], %c2147483647
// CHECK:         %[[FIT:.*]] = arith.maxsi %[[UPPER]], %c-2147483648
// CHECK:         %[[FIRST:.*]] = arith.maxsi %[[FIT]], %c0
// CHECK:         ascend.expect_index %[[FIT]] is %[[FIRST]] in %[[OFFSETS]], 0
// CHECK:         %[[END:.*]] = arith.minsi %[[FIRST]], %c4
// CHECK:         ascend.expect_index %[[FIRST]] is %[[END]] in %[[OFFSETS]], 0
// CHECK:         %[[MOST:.*]] = arith.addi %[[FIRST]], %c800
// CHECK:         %[[BEYOND:.*]] = arith.cmpi sgt, %[[END]], %[[MOST]]
// CHECK:         %[[TILES:.*]] = arith.select %[[BEYOND]], %[[FIRST]], %[[END]]
// CHECK:         ascend.expect_count %[[END]] is %[[TILES]] from %[[FIRST]] by 8 most 100 of "offsets"
// CHECK:         scf.for %{{.*}} = %c0 to %[[TILES]]
func.func @indices(%x: !tile.array<?x8xf32> {launch.dims = ["S", 8]}, %idx: !tile.array<?x?xui16> {launch.dims = ["B", "L"]},
                   %offsets: !tile.array<4xi64> {launch.dims = [4]}, %b: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %j = tile.load_index %idx[%b, %b] : !tile.array<?x?xui16>
  %j1 = tile.bound_index index %j in %x, 0 : !tile.array<?x8xf32>
  %u = tile.load %x[%j1, :] : (!tile.array<?x8xf32>, index) -> !tile.tile<1 x 8 x f32>
  %n = tile.load_index %offsets[%b] : !tile.array<4xi64>
  %n1 = tile.bound_index first %n in %offsets, 0 : !tile.array<4xi64>
  %n2 = tile.bound_index end %n1 in %offsets, 0 : !tile.array<4xi64>
  %n3 = tile.bound_count %n1 to %n2 by 8 most 100 of "offsets"
  tile.range %i = %zero to %n3 {
    tile.store %u, %x[%i, :] : (!tile.tile<1 x 8 x f32>, !tile.array<?x8xf32>, index) -> ()
  }
  return
}

// -----

// What an earlier phase has written is read past old lines of the cache; of two bodies one is run.
// CHECK-LABEL: func.func @written(
// CHECK-SAME:    %[[C:[^:]*]]: memref<?x1xi32
// CHECK:         ascend.copy_out
// CHECK:         ascend.sync_all
// CHECK:         %[[N:.*]] = ascend.load_index %[[C]][%{{.*}}, %c0] written
// CHECK:         %[[IS:.*]] = arith.cmpi eq, %[[N]], %c0
// CHECK:         scf.if %[[IS]] {
// CHECK:           ascend.copy_out
// CHECK:         } else {
// CHECK-NEXT:    }
func.func @written(%c: !tile.array<?x1xi32> {launch.dims = ["B", 1]}, %x: !tile.array<?x1xi32> {launch.dims = ["B", 1]}, %b: index)
    attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %u = tile.load %x[%b, :] : (!tile.array<?x1xi32>, index) -> !tile.tile<1 x 1 x i32>
  tile.store %u, %c[%b, :] : (!tile.tile<1 x 1 x i32>, !tile.array<?x1xi32>, index) -> ()
  tile.phase
  %n = tile.load_index %c[%b, %zero] : !tile.array<?x1xi32>
  %is = arith.cmpi eq, %n, %zero : index
  tile.if %is {
    tile.store %u, %c[%b, :] : (!tile.tile<1 x 1 x i32>, !tile.array<?x1xi32>, index) -> ()
  } else {
  }
  return
}
