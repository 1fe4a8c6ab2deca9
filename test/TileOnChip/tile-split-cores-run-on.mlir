// Cube cores that run on to the next tile of rows before they are done with one.

// RUN: attn-opt %s --tile-split-cores | FileCheck %s

!q = !tile.array<?x32x32xf16>
!k = !tile.array<?x128x32xf16>
!n = !tile.array<?xi32>
!o = !tile.array<?x32x32xf32>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// What vector cores finish stays in the trip that it is of; slots are counted on from trip to trip.
// CHECK-LABEL: func.func @rows(
// CHECK: tile.range %{{.*}} = {{.*}} iter(%[[EARLY:.*]] = %c0 : index, %[[PRODUCTS:.*]] = %c0 : index)
// CHECK: %[[FILL:.*]]:{{[0-9]+}} = tile.range {{.*}} %[[TURN:[a-z0-9]*]] = %[[EARLY]] : index) {
// CHECK: tile.await 0
// CHECK: tile.load {{.*}}, %[[TURN]], {{.*}}!tile.array<?x4x32x128xf32>
// CHECK: tile.signal 1
// CHECK: tile.range
// CHECK: tile.range
// CHECK-NOT: tile.await 0
// CHECK: tile.await 2
// CHECK: tile.store {{.*}}!tile.array<?x32x32xf32>
// CHECK: tile.yield

// The cube core: how many iterations wait from the trip before, the number of the first, and its row, then slots.
// CHECK-LABEL: func.func @rows_cube(
// CHECK: %[[END:.*]]:{{[0-9]+}} = tile.range %[[ROW:[a-z0-9]*]] = {{.*}} iter(%[[WAITING:[a-z0-9]*]] = %c0 : index, %[[FIRST:[a-z0-9]*]] = %c0 : index,
// CHECK: tile.load %arg0
// CHECK: %[[TOTAL:.*]] = arith.maxsi
// CHECK: %[[ONE:.*]] = arith.minsi %[[WAITING]], %c1
// CHECK: %[[BOTH:.*]] = arith.minsi %[[ONE]], %[[TOTAL]]
// CHECK: %[[BEFORE:.*]] = arith.subi %[[WAITING]], %[[BOTH]]
// CHECK: %[[REST:.*]] = arith.subi %[[TOTAL]], %[[BOTH]]
// CHECK: %[[ROOM:.*]] = arith.subi %c3, %[[BOTH]]
// CHECK: %[[FILLED:.*]] = arith.minsi %[[REST]], %[[ROOM]]
// CHECK: %[[STEADY:.*]] = arith.subi %[[REST]], %[[FILLED]]
// CHECK: %[[AHEAD:.*]] = arith.addi %[[BOTH]], %[[FILLED]]
// What waits but for one,
// CHECK: tile.range %{{.*}} = %c0 to %[[BEFORE]] iter
// CHECK-NOT: tile.signal 0
// CHECK: tile.await 1
// CHECK: tile.signal 2
// that one after a first product of this trip,
// CHECK: tile.range %{{.*}} = %c0 to %[[BOTH]] iter
// CHECK: tile.signal 0
// CHECK: tile.await 1
// CHECK: tile.signal 2
// first products alone,
// CHECK: tile.range %{{.*}} = %c0 to %[[FILLED]] iter
// CHECK: tile.signal 0
// CHECK-NOT: tile.await
// CHECK: tile.yield
// and both of this trip.
// CHECK: tile.range %{{.*}} = %c0 to %[[STEADY]] iter
// CHECK: tile.signal 0
// CHECK: tile.await 1
// CHECK: tile.signal 2
// CHECK: %[[NEXT:.*]] = arith.subi %[[TOTAL]], %[[AHEAD]]
// CHECK: tile.yield %[[AHEAD]], %[[NEXT]],
// What is left.
// CHECK: tile.range %{{.*}} = %c0 to %[[END]]#0 iter
// CHECK: tile.await 1
// CHECK: tile.signal 2
// CHECK: return
func.func @rows(%Q: !q, %K: !k, %counts: !n, %O: !o {launch.output})
    attributes {tile.kernel, tile.group = #tile.group<preload = 3, lag = 3, slots = 0, strip_rows = 0, part = 0, run_on = true>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %M = tile.dim %Q, 0 : !q
  tile.range %m = %c0 to %M {
    %N = tile.load_index %counts[%m] : !n
    %x = tile.load %Q[%m, :, :] : (!q, index) -> !tile.tile<32 x 32 x f16>
    %start = tile.splat %zero : f32 -> !tile.tile<32 x 32 x f32>
    %sum = tile.range %n = %c0 to %N iter(%acc = %start : !tile.tile<32 x 32 x f32>) stages 2 {
      %y = tile.load %K[%n, :, :] : (!k, index) -> !tile.tile<128 x 32 x f16>
      %s = tile.dot %x, %y transpose_b : !tile.tile<32 x 32 x f16>, !tile.tile<128 x 32 x f16> -> !tile.tile<32 x 128 x f32>
      %e = tile.exp %s : !tile.tile<32 x 128 x f32>
      %f = tile.reduce max %e axis 1 : !tile.tile<32 x 128 x f32> -> !tile.tile<32 x 1 x f32>
      %p = tile.cast %e : !tile.tile<32 x 128 x f32> -> !tile.tile<32 x 128 x f16>
      %scaled = tile.mul %acc, %f : !tile.tile<32 x 32 x f32>, !tile.tile<32 x 1 x f32> -> !tile.tile<32 x 32 x f32>
      %next = tile.dot %p, %y acc(%scaled) : !tile.tile<32 x 128 x f16>, !tile.tile<128 x 32 x f16> -> !tile.tile<32 x 32 x f32>
      tile.yield %next : !tile.tile<32 x 32 x f32>
    }
    tile.store %sum, %O[%m, :, :] : (!tile.tile<32 x 32 x f32>, !o, index) -> ()
  }
  return
}

// Later products of the trip before go on with what they take of it.
// CHECK-LABEL: func.func @values_cube(
// CHECK: %{{.*}} = tile.range %[[ROW:[a-z0-9]*]] = {{.*}} iter(%{{[a-z0-9]*}} = %c0 : index, %[[FIRST:[a-z0-9]*]] = %c0 : index, {{.*}}%[[BEFORE:[a-z0-9]*]] = %c0 : index, %{{[a-z0-9]*}} = %c0 : index, %{{[a-z0-9]*}} = %c0 : index) {
// CHECK: tile.range
// CHECK: tile.load %arg2 [%[[BEFORE]],
// CHECK: tile.await 1
func.func @values(%Q: !q, %K: !k, %V: !tile.array<?x?x128x32xf16>, %O: !o {launch.output})
    attributes {tile.kernel, tile.group = #tile.group<preload = 2, lag = 1, slots = 0, strip_rows = 0, part = 0, run_on = true>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %M = tile.dim %Q, 0 : !q
  %N = tile.dim %K, 0 : !k
  tile.range %m = %c0 to %M {
    %x = tile.load %Q[%m, :, :] : (!q, index) -> !tile.tile<32 x 32 x f16>
    %start = tile.splat %zero : f32 -> !tile.tile<32 x 32 x f32>
    %sum = tile.range %n = %c0 to %N iter(%acc = %start : !tile.tile<32 x 32 x f32>) stages 2 {
      %y = tile.load %K[%n, :, :] : (!k, index) -> !tile.tile<128 x 32 x f16>
      %v = tile.load %V[%m, %n, :, :] : (!tile.array<?x?x128x32xf16>, index, index) -> !tile.tile<128 x 32 x f16>
      %s = tile.dot %x, %y transpose_b : !tile.tile<32 x 32 x f16>, !tile.tile<128 x 32 x f16> -> !tile.tile<32 x 128 x f32>
      %e = tile.exp %s : !tile.tile<32 x 128 x f32>
      %f = tile.reduce max %e axis 1 : !tile.tile<32 x 128 x f32> -> !tile.tile<32 x 1 x f32>
      %p = tile.cast %e : !tile.tile<32 x 128 x f32> -> !tile.tile<32 x 128 x f16>
      %scaled = tile.mul %acc, %f : !tile.tile<32 x 32 x f32>, !tile.tile<32 x 1 x f32> -> !tile.tile<32 x 32 x f32>
      %next = tile.dot %p, %v acc(%scaled) : !tile.tile<32 x 128 x f16>, !tile.tile<128 x 32 x f16> -> !tile.tile<32 x 32 x f32>
      tile.yield %next : !tile.tile<32 x 32 x f32>
    }
    tile.store %sum, %O[%m, :, :] : (!tile.tile<32 x 32 x f32>, !o, index) -> ()
  }
  return
}

// Sums that the cube core carries leave it in each trip: such a loop drains.
// CHECK-LABEL: func.func @carried_cube(
// CHECK: tile.range
// CHECK-NOT: iter(%{{.*}} = %c0 : index
// CHECK: tile.range
// CHECK-LABEL: func.func @no_loop_around_cube(
// CHECK: tile.range
// CHECK: tile.range
// CHECK: tile.range
// CHECK-NOT: tile.range
// CHECK: return
func.func @carried(%Q: !q, %K: !k, %O: !o {launch.output})
    attributes {tile.kernel, tile.group = #tile.group<preload = 2, lag = 1, slots = 0, strip_rows = 0, part = 0, run_on = true>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %M = tile.dim %Q, 0 : !q
  %N = tile.dim %K, 0 : !k
  tile.range %m = %c0 to %M {
    %x = tile.load %Q[%m, :, :] : (!q, index) -> !tile.tile<32 x 32 x f16>
    %start = tile.splat %zero : f32 -> !tile.tile<32 x 32 x f32>
    %sum = tile.range %n = %c0 to %N iter(%acc = %start : !tile.tile<32 x 32 x f32>) stages 2 {
      %y = tile.load %K[%n, :, :] : (!k, index) -> !tile.tile<128 x 32 x f16>
      %s = tile.dot %x, %y transpose_b : !tile.tile<32 x 32 x f16>, !tile.tile<128 x 32 x f16> -> !tile.tile<32 x 128 x f32>
      %e = tile.exp %s : !tile.tile<32 x 128 x f32>
      %p = tile.cast %e : !tile.tile<32 x 128 x f32> -> !tile.tile<32 x 128 x f16>
      %next = tile.dot %p, %y acc(%acc) : !tile.tile<32 x 128 x f16>, !tile.tile<128 x 32 x f16> -> !tile.tile<32 x 32 x f32>
      tile.yield %next : !tile.tile<32 x 32 x f32>
    }
    tile.store %sum, %O[%m, :, :] : (!tile.tile<32 x 32 x f32>, !o, index) -> ()
  }
  return
}

func.func @no_loop_around(%Q: !q, %K: !k, %O: !o {launch.output})
    attributes {tile.kernel, tile.group = #tile.group<preload = 2, lag = 1, slots = 0, strip_rows = 0, part = 0, run_on = true>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %N = tile.dim %K, 0 : !k
  %x = tile.load %Q[%c0, :, :] : (!q, index) -> !tile.tile<32 x 32 x f16>
  %start = tile.splat %zero : f32 -> !tile.tile<32 x 32 x f32>
  %sum = tile.range %n = %c0 to %N iter(%acc = %start : !tile.tile<32 x 32 x f32>) stages 2 {
    %y = tile.load %K[%n, :, :] : (!k, index) -> !tile.tile<128 x 32 x f16>
    %s = tile.dot %x, %y transpose_b : !tile.tile<32 x 32 x f16>, !tile.tile<128 x 32 x f16> -> !tile.tile<32 x 128 x f32>
    %e = tile.exp %s : !tile.tile<32 x 128 x f32>
    %f = tile.reduce max %e axis 1 : !tile.tile<32 x 128 x f32> -> !tile.tile<32 x 1 x f32>
    %p = tile.cast %e : !tile.tile<32 x 128 x f32> -> !tile.tile<32 x 128 x f16>
    %scaled = tile.mul %acc, %f : !tile.tile<32 x 32 x f32>, !tile.tile<32 x 1 x f32> -> !tile.tile<32 x 32 x f32>
    %next = tile.dot %p, %y acc(%scaled) : !tile.tile<32 x 128 x f16>, !tile.tile<128 x 32 x f16> -> !tile.tile<32 x 32 x f32>
    tile.yield %next : !tile.tile<32 x 32 x f32>
  }
  tile.store %sum, %O[%c0, :, :] : (!tile.tile<32 x 32 x f32>, !o, index) -> ()
  return
}
}
