// RUN: attn-opt %s --tile-bound-counts | FileCheck %s
// RUN: attn-opt %s --tile-bound-counts=most=100 | FileCheck %s --check-prefix=MOST

// A loop that nothing but a number from memory or of the call ends has a largest count.
// CHECK-LABEL: func.func @open(
// CHECK:         %[[N:.*]] = tile.load_index
// CHECK:         %[[END:.*]] = tile.bound_count %[[ZERO:.*]] to %[[N]] by 1 most 1048576 of "lens"
// CHECK-NEXT:    tile.range %{{.*}} = %[[ZERO]] to %[[END]] iter
// CHECK:         %[[TILES:.*]] = tile.bound_count %[[ZERO]] to %{{.*}} by 4 most 1048576 of "many"
// CHECK-NEXT:    tile.range %{{.*}} = %[[ZERO]] to %[[TILES]] by 4
// MOST-LABEL:  func.func @open(
// MOST:          tile.bound_count %{{.*}} to %{{.*}} by 1 most 100 of "lens"
func.func @open(%x: !tile.array<?x8xf32>, %lens: !tile.array<?xi32> loc("lens"), %many: index loc("many"))
    attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %u = tile.load %x[%zero, :] : (!tile.array<?x8xf32>, index) -> !tile.tile<1 x 8 x f32>
  %n = tile.load_index %lens[%zero] : !tile.array<?xi32>
  %a = tile.range %i = %zero to %n iter(%v = %u : !tile.tile<1 x 8 x f32>) {
    %w = tile.mul %v, %v : !tile.tile<1 x 8 x f32>, !tile.tile<1 x 8 x f32> -> !tile.tile<1 x 8 x f32>
    tile.yield %w : !tile.tile<1 x 8 x f32>
  }
  // The rows that exist may be none: an array that is taken by way of another span does not end the loop.
  %S = tile.dim %x, 0 : !tile.array<?x8xf32>
  tile.range %s = %zero to %many by 4 {
    %base = tile.span_base %s : !tile.span<4>
    %clipped = tile.make_span %base to %S : !tile.span<4>
    %v = tile.load %x[%clipped span, :] : (!tile.array<?x8xf32>, !tile.span<4>) -> !tile.tile<4 x 8 x f32>
  }
  return
}

// Sizes, lists and arrays end loops; so do 16 bits.
// CHECK-LABEL: func.func @ended(
// CHECK-NOT:     tile.bound_count
func.func @ended(%x: !tile.array<?x8xf32>, %lens: !tile.array<?xi32>, %short: !tile.array<?xui16>, %many: index)
    attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %S = tile.dim %x, 0 : !tile.array<?x8xf32>
  tile.range %i = %zero to %S {
  }
  %n = tile.load_index %lens[%zero] : !tile.array<?xi32>
  %least = arith.minsi %n, %S : index
  %half = arith.ceildivsi %least, %two : index
  tile.range %i = %zero to %half {
    tile.range %j = %i to %S {
    }
  }
  %listed = tile.bound_index end %n in %lens, 0 : !tile.array<?xi32>
  %positive = arith.maxsi %listed, %zero : index
  %all = arith.muli %positive, %two : index
  tile.range %i = %zero to %all {
  }
  tile.range %i = %zero to %many {
    %v = tile.load %x[%i, :] : (!tile.array<?x8xf32>, index) -> !tile.tile<1 x 8 x f32>
  }
  %m = tile.load_index %short[%zero] : !tile.array<?xui16>
  tile.range %i = %zero to %m {
  }
  return
}

// A tile of a grid lies below their number, also where an argument divides the size that they are of.
// CHECK-LABEL: func.func @tileOfGrid(
// CHECK-NOT:     tile.bound_count
func.func @tileOfGrid(%x: !tile.array<?x8xf32>, %step: index) attributes {tile.kernel} {
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %S = tile.dim %x, 0 : !tile.array<?x8xf32>
  %rows = arith.ceildivsi %S, %step : index
  %tiles = arith.ceildivui %rows, %four : index
  %id = tile.block_id
  %blocks = tile.block_count
  %next = arith.addi %id, %one : index
  %0 = arith.muli %id, %tiles : index
  %lower = arith.divui %0, %blocks : index
  %1 = arith.muli %next, %tiles : index
  %upper = arith.divui %1, %blocks : index
  tile.range %i = %lower to %upper {
    %tile = arith.remui %i, %tiles : index
    %from = arith.muli %tile, %four : index
    %to = arith.addi %from, %four : index
    %end = arith.minsi %to, %rows : index
    tile.range %j = %from to %end by 4 {
    }
  }
  return
}

// What only a condition takes does not end the loop around, and a lower end may be anything too.
// CHECK-LABEL: func.func @conditional(
// CHECK:         tile.bound_count %{{.*}} to %{{.*}} by 1 most 1048576 of "lens"
// CHECK:         tile.bound_count %{{.*}} to %{{.*}} by 1 most 1048576 of "lens"
func.func @conditional(%x: !tile.array<?x8xf32>, %lens: !tile.array<?xi32> loc("lens"), %is: i1) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %n = tile.load_index %lens[%zero] : !tile.array<?xi32>
  tile.range %i = %zero to %n {
    tile.if %is {
      %v = tile.load %x[%i, :] : (!tile.array<?x8xf32>, index) -> !tile.tile<1 x 8 x f32>
    }
  }
  %S = tile.dim %x, 0 : !tile.array<?x8xf32>
  tile.range %i = %n to %S {
  }
  return
}
