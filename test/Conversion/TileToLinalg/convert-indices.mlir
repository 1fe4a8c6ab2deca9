// RUN: attn-opt %s --convert-tile-to-linalg --canonicalize --cse --split-input-file | FileCheck %s
// RUN: attn-opt %s --convert-tile-to-linalg=check-counts --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=COUNTS

// Integers are read from buffers, with or without a sign, and of 64 bits what fits 32; bounds are arithmetic.
// CHECK-LABEL: func.func @indices(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x8xf32
// CHECK-SAME:    %[[IDX:[^:]*]]: memref<?xi16
// CHECK-SAME:    %[[OFF:[^:]*]]: memref<?xi64
// CHECK-SAME:    %[[B:[^:]*]]: index
// CHECK:         %[[SHORT:.*]] = memref.load %[[IDX]][%[[B]]]
// CHECK:         %[[J:.*]] = arith.index_castui %[[SHORT]]
// CHECK:         %[[DIM:.*]] = memref.dim %[[X]], %c0
// CHECK:         %[[LAST:.*]] = arith.subi %[[DIM]], %c1
// CHECK:         %[[LOW:.*]] = arith.minsi %[[J]], %[[LAST]]
// CHECK:         arith.maxsi %[[LOW]], %c0
// CHECK:         %[[WORD:.*]] = memref.load %[[OFF]][%[[B]]]
// CHECK:         %[[N:.*]] = arith.index_cast %[[WORD]]
// CHECK:         %[[MOST:.*]] = arith.minsi %[[N]], %c2147483647
// CHECK:         %[[FIT:.*]] = arith.maxsi %[[MOST]], %c-2147483648
// CHECK:         %[[IS:.*]] = arith.cmpi eq, %[[FIT]]
// CHECK:         scf.if %[[IS]] {
// CHECK:         } else {
func.func @indices(%x: !tile.array<?x8xf32> {launch.dims = ["S", 8]}, %idx: !tile.array<?xui16> {launch.dims = ["B"]},
                   %off: !tile.array<?xi64> {launch.dims = ["B"]}, %y: !tile.array<?x8xf32> {launch.dims = ["B", 8], launch.output},
                   %b: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %j = tile.load_index %idx[%b] : !tile.array<?xui16>
  %j1 = tile.bound_index index %j in %x, 0 : !tile.array<?x8xf32>
  %u = tile.load %x[%j1, :] : (!tile.array<?x8xf32>, index) -> !tile.tile<1 x 8 x f32>
  %n = tile.load_index %off[%b] : !tile.array<?xi64>
  %is = arith.cmpi eq, %n, %zero : index
  tile.if %is {
    tile.store %u, %y[%b, :] : (!tile.tile<1 x 8 x f32>, !tile.array<?x8xf32>, index) -> ()
  } else {
    tile.store %u, %y[%one, :] : (!tile.tile<1 x 8 x f32>, !tile.array<?x8xf32>, index) -> ()
  }
  return
}

// -----

// The ends of loops: bounded, or checked for the CPU.
// CHECK-LABEL: func.func @ends(
// CHECK-SAME:    %[[N:[^:]*]]: index, %[[IDX:[^:]*]]: memref<?x?xi32
// CHECK:         %[[L:.*]] = memref.dim %[[IDX]], %c1
// CHECK:         %[[END:.*]] = arith.minsi %[[N]], %[[L]]
// CHECK:         %[[MOST:.*]] = arith.addi %[[END]], %c800
// CHECK:         %[[BEYOND:.*]] = arith.cmpi sgt, %[[N]], %[[MOST]]
// CHECK:         %[[TILES:.*]] = arith.select %[[BEYOND]], %[[END]], %[[N]]
// CHECK:         scf.for %{{.*}} = %[[END]] to %[[TILES]] step
// COUNTS-LABEL: func.func @ends(
// COUNTS-SAME:    %[[N:[^:]*]]: index, %[[IDX:[^:]*]]: memref<?x?xi32
// COUNTS:         %[[L:.*]] = memref.dim %[[IDX]], %c1
// COUNTS:         %[[END:.*]] = cpu.check_count "list" %[[N]] at most %[[L]][%c1{{.*}}] named "idx"
// COUNTS:         %[[MOST:.*]] = arith.addi %[[END]], %c800
// COUNTS:         %[[TILES:.*]] = cpu.check_count "loop" %[[N]] at most %[[MOST]][%[[END]], %c8{{.*}}, %c100{{.*}}] named "n"
// COUNTS:         scf.for %{{.*}} = %[[END]] to %[[TILES]] step
func.func @ends(%n: index, %idx: !tile.array<?x?xi32> loc("idx"), %y: !tile.array<?x8xf32> {launch.output}) attributes {tile.kernel} {
  %one = arith.constant 1.0 : f32
  %u = tile.splat %one : f32 -> !tile.tile<8 x 8 x f32>
  %end = tile.bound_index end %n in %idx, 1 : !tile.array<?x?xi32>
  %tiles = tile.bound_count %end to %n by 8 most 100 of "n"
  tile.range %t = %end to %tiles by 8 {
    tile.store %u, %y[%t span, :] : (!tile.tile<8 x 8 x f32>, !tile.array<?x8xf32>, !tile.span<8>) -> ()
  }
  return
}

// -----

// Rows of a list are copied one by one; where the load is not bounded, they are taken as they are, for checks to find.
// CHECK-LABEL: func.func @lists(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x8xf32
// CHECK-SAME:    %[[IDX:[^:]*]]: memref<?x?xi32
// CHECK:         scf.for
// CHECK:           %[[J32:.*]] = memref.load %[[IDX]]
// CHECK:           %[[J:.*]] = arith.index_cast %[[J32]]
// CHECK-NOT:       arith.minsi
// CHECK:           memref.subview %[[X]][%[[J]], 0] [1, 8] [1, 1]
// CHECK:           memref.copy
// CHECK:         scf.for
// CHECK:           memref.load %[[IDX]]
// CHECK:           arith.minsi
// CHECK:           %[[IN:.*]] = arith.maxsi
// CHECK:           memref.subview %{{.*}}[%[[IN]], 0] [1, 8] [1, 1]
// CHECK:           bufferization.materialize_in_destination
func.func @lists(%x: !tile.array<?x8xf32> {launch.dims = ["S", 8]}, %idx: !tile.array<?x?xi32> {launch.dims = ["B", "L"]},
                 %y: !tile.array<?x8xf32> {launch.dims = ["S", 8], launch.output}, %b: index, %base: index, %limit: index)
    attributes {tile.kernel} {
  %t = tile.make_span %base to %limit : !tile.span<16>
  %r = tile.list_rows %idx[%b, %t span] : (!tile.array<?x?xi32>, index, !tile.span<16>) -> !tile.span<16, listed>
  %u = tile.load %x[%r span, :] : (!tile.array<?x8xf32>, !tile.span<16, listed>) -> !tile.tile<16 x 8 x f32>
  tile.store %u, %y[%r span, :] bounded : (!tile.tile<16 x 8 x f32>, !tile.array<?x8xf32>, !tile.span<16, listed>) -> ()
  return
}

// Rows of blocks by runs; a single one where the step is a multiple of the tile.
// CHECK-LABEL: func.func @blocks(
// CHECK:         scf.for %[[R:.*]] = %c0{{.*}} to %{{.*}} step %c8{{.*}} {
// CHECK:           %[[AMOUNT:.*]] = arith.minsi
// CHECK:           %[[BY:.*]] = arith.maxsi
// CHECK:           arith.divsi %{{.*}}, %[[BY]]
// CHECK:           memref.load
// CHECK:           %[[REST:.*]] = arith.remsi %{{.*}}, %[[BY]]
// CHECK:           %[[ROW:.*]] = arith.addi %{{.*}}, %[[REST]]
// CHECK:           memref.subview %{{.*}}[%[[ROW]], 0] [%[[AMOUNT]], 8] [1, 1]
// CHECK:         }
// CHECK-NOT:     scf.for
// CHECK:         memref.subview %{{.*}} [%{{.*}}, 8] [1, 1]
func.func @blocks(%x: !tile.array<?x8xf32> {launch.dims = ["S", 8]}, %idx: !tile.array<?xi32> {launch.dims = ["L"]},
                  %y: !tile.array<?x8xf32> {launch.dims = ["T", 8], launch.output}, %size: index, %base: index, %limit: index)
    attributes {tile.kernel} {
  %t = tile.make_span %base to %limit : !tile.span<24>
  %r = tile.list_rows %idx[%t span] by %size step 16 : (!tile.array<?xi32>, !tile.span<24>, index) -> !tile.span<24, listed>
  %u = tile.load %x[%r span, :] : (!tile.array<?x8xf32>, !tile.span<24, listed>) -> !tile.tile<24 x 8 x f32>
  tile.store %u, %y[%t span, :] : (!tile.tile<24 x 8 x f32>, !tile.array<?x8xf32>, !tile.span<24>) -> ()
  %s = tile.make_span %base to %limit : !tile.span<8>
  %q = tile.list_rows %idx[%s span] by %size step 16 : (!tile.array<?xi32>, !tile.span<8>, index) -> !tile.span<8, listed>
  %v = tile.load %x[%q span, :] : (!tile.array<?x8xf32>, !tile.span<8, listed>) -> !tile.tile<8 x 8 x f32>
  tile.store %v, %y[%s span, :] : (!tile.tile<8 x 8 x f32>, !tile.array<?x8xf32>, !tile.span<8>) -> ()
  return
}
