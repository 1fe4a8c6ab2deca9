// RUN: attn-opt %s --tile-split-cores --split-input-file | FileCheck %s

!a = !tile.array<?x64xf16>
!b = !tile.array<64x32xf16>
!c = !tile.array<?x32xf32>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// A product with an epilogue: nothing goes back to the cube core, so slots have a flag of their own, and all of them are free
// when the loop begins.
// CHECK-LABEL: func.func @epilogue(
// CHECK-SAME: %[[RING:arg[0-9]+]]: !tile.array<?x2x32x32xf32> {launch.dims = ["@groups", 2, 32, 32], launch.workspace})
// CHECK-SAME: tile.kernel, tile.mixed}
// CHECK: %[[SUB:.*]] = tile.sub_block_id
// CHECK: tile.signal 1 loads
// CHECK-NEXT: tile.signal 1 loads
// CHECK-NEXT: tile.range
// CHECK: tile.await 0
// CHECK: %[[ROWS:.*]] = tile.make_span {{.*}} : <16>
// CHECK: tile.load %[[RING]] [%{{.*}}, %{{.*}}, %[[ROWS]] span, :] : {{.*}} -> !tile.tile<16 x 32 x f32>
// CHECK: tile.exp %{{.*}} : <16 x 32 x f32>
// CHECK: tile.store
// CHECK: tile.signal 1 loads
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-LABEL: func.func @epilogue_cube(
// CHECK-SAME: attributes {tile.half_of = @epilogue, tile.kernel, tile.mixed}
// CHECK-NOT: tile.exp
// CHECK: tile.range
// CHECK: tile.await 1
// CHECK: tile.dot
// CHECK: tile.store {{.*}} !tile.array<?x2x32x32xf32>
// CHECK: tile.signal 0
// CHECK-NEXT: }
// CHECK-NEXT: tile.await 1
// CHECK-NEXT: tile.await 1
// CHECK-NEXT: return
func.func @epilogue(%A: !a, %B: !b, %C: !c {launch.output})
    attributes {tile.kernel, tile.group = #tile.group<preload = 0, lag = 0, slots = 0, strip_rows = 0, part = 0>} {
  %c0 = arith.constant 0 : index
  %M = tile.dim %A, 0 : !a
  tile.range %m = %c0 to %M by 32 {
    %x = tile.load %A[%m span, :] : (!a, !tile.span<32>) -> !tile.tile<32 x 64 x f16>
    %y = tile.load %B[:, :] : (!b) -> !tile.tile<64 x 32 x f16>
    %s = tile.dot %x, %y : !tile.tile<32 x 64 x f16>, !tile.tile<64 x 32 x f16> -> !tile.tile<32 x 32 x f32>
    %e = tile.exp %s : !tile.tile<32 x 32 x f32>
    tile.store %e, %C[%m span, :] : (!tile.tile<32 x 32 x f32>, !c, !tile.span<32>) -> ()
  }
  return
}

// A kernel of cube cores alone is left alone.
// CHECK-LABEL: func.func @alone(
// CHECK-NOT: tile.mixed
// CHECK: tile.dot
func.func @alone(%A: !a, %B: !b, %C: !c {launch.output}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %M = tile.dim %A, 0 : !a
  tile.range %m = %c0 to %M by 32 {
    %x = tile.load %A[%m span, :] : (!a, !tile.span<32>) -> !tile.tile<32 x 64 x f16>
    %y = tile.load %B[:, :] : (!b) -> !tile.tile<64 x 32 x f16>
    %s = tile.dot %x, %y : !tile.tile<32 x 64 x f16>, !tile.tile<64 x 32 x f16> -> !tile.tile<32 x 32 x f32>
    tile.store %s, %C[%m span, :] : (!tile.tile<32 x 32 x f32>, !c, !tile.span<32>) -> ()
  }
  return
}
}

// -----

!k = !tile.array<?x32x64xf16>
!q = !tile.array<32x64xf16>
!o = !tile.array<32x64xf32>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// Two products of which the second takes what vector cores make of the first. With a preload of two, scores have three slots and
// weights and their products two; three flags do, and none says that a slot is free. What is added up is added by
// the vector cores, an iteration later than the weights, whose factor waits in a stack of two parts.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: !tile.array<?x3x32x32xf32>
// CHECK-SAME: !tile.array<?x2x32x32xf16>
// CHECK-SAME: !tile.array<?x2x32x64xf32>
// CHECK: %[[STACK:.*]] = tile.undefined : <32 x 1 x f32>
// CHECK: tile.range
// CHECK: tile.await 0
// CHECK: tile.insert {{.*}} : <16 x 1 x f32> into <32 x 1 x f32>
// CHECK: tile.signal 1
// CHECK-NOT: tile.await 2
// CHECK: tile.yield
// CHECK: tile.range
// CHECK: tile.await 0
// CHECK: tile.signal 1
// CHECK: tile.extract {{.*}} : <32 x 1 x f32> -> <16 x 1 x f32>
// CHECK: tile.await 2
// CHECK: tile.add
// CHECK: tile.yield
// CHECK: tile.range
// CHECK-NOT: tile.signal 1
// CHECK: tile.await 2
// CHECK: tile.yield
// CHECK-LABEL: func.func @chain_cube(
// CHECK: tile.range
// CHECK: tile.dot
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.signal 0
// CHECK-NEXT: }
// CHECK: tile.range
// CHECK: tile.dot
// CHECK: tile.signal 0
// CHECK: tile.await 1
// CHECK: tile.dot
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.signal 2
// CHECK: tile.range
// CHECK-NOT: tile.signal 0
// CHECK: tile.await 1
// CHECK: tile.signal 2
func.func @chain(%Q: !q, %K: !k, %O: !o {launch.output})
    attributes {tile.kernel, tile.group = #tile.group<preload = 2, lag = 1, slots = 0, strip_rows = 0, part = 0>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %N = tile.dim %K, 0 : !k
  %x = tile.load %Q[:, :] : (!q) -> !tile.tile<32 x 64 x f16>
  %start = tile.splat %zero : f32 -> !tile.tile<32 x 64 x f32>
  %sum = tile.range %n = %c0 to %N iter(%acc = %start : !tile.tile<32 x 64 x f32>) stages 2 {
    %y = tile.load %K[%n, :, :] : (!k, index) -> !tile.tile<32 x 64 x f16>
    %s = tile.dot %x, %y transpose_b : !tile.tile<32 x 64 x f16>, !tile.tile<32 x 64 x f16> -> !tile.tile<32 x 32 x f32>
    %e = tile.exp %s : !tile.tile<32 x 32 x f32>
    %f = tile.reduce max %e axis 1 : !tile.tile<32 x 32 x f32> -> !tile.tile<32 x 1 x f32>
    %p = tile.cast %e : !tile.tile<32 x 32 x f32> -> !tile.tile<32 x 32 x f16>
    %scaled = tile.mul %acc, %f : !tile.tile<32 x 64 x f32>, !tile.tile<32 x 1 x f32> -> !tile.tile<32 x 64 x f32>
    %next = tile.dot %p, %y acc(%scaled) : !tile.tile<32 x 32 x f16>, !tile.tile<32 x 64 x f16> -> !tile.tile<32 x 64 x f32>
    tile.yield %next : !tile.tile<32 x 64 x f32>
  }
  tile.store %sum, %O[:, :] : (!tile.tile<32 x 64 x f32>, !o) -> ()
  return
}

// A sum over rows needs all of them: the first vector core has them, and the second one only signals.
// CHECK-LABEL: func.func @all_rows(
// CHECK: tile.make_span {{.*}} : <64>
// CHECK: tile.reduce sum {{.*}} axis 0 : <64 x 64 x f32> -> <1 x 64 x f32>
// CHECK: tile.store {{.*}} span, :] : (!tile.tile<1 x 64 x f32>
func.func @all_rows(%Q: !q, %K: !q, %O: !o {launch.output})
    attributes {tile.kernel, tile.group = #tile.group<preload = 0, lag = 0, slots = 0, strip_rows = 8, part = 0>} {
  %c3 = arith.constant 3 : index
  %x = tile.load %Q[:, :] : (!q) -> !tile.tile<32 x 64 x f16>
  %y = tile.load %K[:, :] : (!q) -> !tile.tile<32 x 64 x f16>
  %s = tile.dot %x, %y transpose_a : !tile.tile<32 x 64 x f16>, !tile.tile<32 x 64 x f16> -> !tile.tile<64 x 64 x f32>
  %r = tile.reduce sum %s axis 0 : !tile.tile<64 x 64 x f32> -> !tile.tile<1 x 64 x f32>
  tile.store %r, %O[%c3, :] : (!tile.tile<1 x 64 x f32>, !o, index) -> ()
  return
}

// A row that no index of the array tells apart is stored by the first vector core.
// CHECK-LABEL: func.func @single_row(
// CHECK: %[[CORE:.*]] = tile.sub_block_id
// CHECK: %[[SUM:.*]] = tile.reduce sum {{.*}} axis 0 : <64 x 64 x f32> -> <1 x 64 x f32>
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[CORE]], %{{.*}} : index
// CHECK: tile.if %[[FIRST]] {
// CHECK-NEXT: tile.store %[[SUM]], %{{.*}}[:]
// CHECK-NEXT: }
func.func @single_row(%Q: !q, %K: !q, %O: !tile.array<64xf32> {launch.output})
    attributes {tile.kernel, tile.group = #tile.group<preload = 0, lag = 0, slots = 0, strip_rows = 8, part = 0>} {
  %x = tile.load %Q[:, :] : (!q) -> !tile.tile<32 x 64 x f16>
  %y = tile.load %K[:, :] : (!q) -> !tile.tile<32 x 64 x f16>
  %s = tile.dot %x, %y transpose_a : !tile.tile<32 x 64 x f16>, !tile.tile<32 x 64 x f16> -> !tile.tile<64 x 64 x f32>
  %r = tile.reduce sum %s axis 0 : !tile.tile<64 x 64 x f32> -> !tile.tile<1 x 64 x f32>
  tile.store %r, %O[:] : (!tile.tile<1 x 64 x f32>, !tile.array<64xf32>) -> ()
  return
}

// What vector cores hand on by itself also says that slots are free: a core without rows of it runs one strip all the same, so that its
// pipes have come by what they took before.
// CHECK-LABEL: func.func @unasked(
// CHECK: tile.range
// CHECK: %[[MOST:.*]] = arith.minsi %{{.*}}, %c2
// CHECK: %[[STRIPS:.*]] = arith.maxsi %[[MOST]], %c1
// CHECK: tile.range %{{.*}} = %{{.*}} to %[[STRIPS]]
// CHECK: tile.store {{.*}} : (!tile.tile<8 x 64 x f16>
// CHECK-LABEL: func.func @unasked_cube(
func.func @unasked(%K: !tile.array<?x64xf16>, %Q: !q, %O: !tile.array<?x32xf32> {launch.output})
    attributes {tile.kernel, tile.group = #tile.group<preload = 0, lag = 0, slots = 0, strip_rows = 8, part = 0>} {
  %c0 = arith.constant 0 : index
  %n = tile.dim %K, 0 : !tile.array<?x64xf16>
  %y = tile.load %Q[:, :] : (!q) -> !tile.tile<32 x 64 x f16>
  tile.range %t = %c0 to %n by 32 {
    %k = tile.load %K[%t span, :] : (!tile.array<?x64xf16>, !tile.span<32>) -> !tile.tile<32 x 64 x f16>
    %f = tile.cast %k : !tile.tile<32 x 64 x f16> -> !tile.tile<32 x 64 x f32>
    %e = tile.exp %f : !tile.tile<32 x 64 x f32>
    %h = tile.cast %e : !tile.tile<32 x 64 x f32> -> !tile.tile<32 x 64 x f16>
    %s = tile.dot %h, %y transpose_b : !tile.tile<32 x 64 x f16>, !tile.tile<32 x 64 x f16> -> !tile.tile<32 x 32 x f32>
    tile.store %s, %O[%t span, :] : (!tile.tile<32 x 32 x f32>, !tile.array<?x32xf32>, !tile.span<32>) -> ()
    tile.yield
  }
  return
}

// Where some of the rows that are summed may be missing, what they are computed by is not taken apart: strips would not say which exist.
// CHECK-LABEL: func.func @rows_that_exist(
// CHECK-NOT: tile.range
// CHECK: %[[E:.*]] = tile.exp {{.*}} : <64 x 32 x f32>
// CHECK: tile.store %[[E]]
// CHECK: tile.reduce sum %[[E]] axis 0 : <64 x 32 x f32> -> <1 x 32 x f32>
// CHECK-LABEL: func.func @rows_that_exist_cube(
func.func @rows_that_exist(%Q: !tile.array<?x64xf16>, %K: !q, %P: !tile.array<?x32xf32> {launch.output}, %O: !tile.array<8x32xf32> {launch.output})
    attributes {tile.kernel, tile.group = #tile.group<preload = 0, lag = 0, slots = 0, strip_rows = 8, part = 0>} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %n = tile.dim %Q, 0 : !tile.array<?x64xf16>
  %t = tile.make_span %c0 to %n : <64>
  %x = tile.load %Q[%t span, :] : (!tile.array<?x64xf16>, !tile.span<64>) -> !tile.tile<64 x 64 x f16>
  %y = tile.load %K[:, :] : (!q) -> !tile.tile<32 x 64 x f16>
  %s = tile.dot %x, %y transpose_b : !tile.tile<64 x 64 x f16>, !tile.tile<32 x 64 x f16> -> !tile.tile<64 x 32 x f32>
  %e = tile.exp %s : !tile.tile<64 x 32 x f32>
  tile.store %e, %P[%t span, :] : (!tile.tile<64 x 32 x f32>, !tile.array<?x32xf32>, !tile.span<64>) -> ()
  %r = tile.reduce sum %e axis 0 : !tile.tile<64 x 32 x f32> -> !tile.tile<1 x 32 x f32>
  tile.store %r, %O[%c3, :] : (!tile.tile<1 x 32 x f32>, !tile.array<8x32xf32>, index) -> ()
  return
}
}

// -----

!q = !tile.array<32x64xf16>
!k = !tile.array<?x64xf16>
!v = !tile.array<?x16xf16>
!o = !tile.array<?x32x16xf32>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// Products with the rows of a span, in parts: of both operands of the second one the spans come before the loads, which move no
// more k than either has. There is at least one part.
// CHECK-LABEL: func.func @parts_cube(
// CHECK: %[[MOST:.*]] = arith.maxsi %{{.*}}, %c1
// CHECK: %[[PARTS:.*]] = arith.minsi %[[MOST]], %c2
// CHECK: tile.range %{{.*}} = %c0 to %[[PARTS]] stages 2
// CHECK: tile.dot {{.*}} : <32 x 64 x f16>, <16 x 64 x f16> -> <32 x 16 x f32>
// CHECK: tile.store
// CHECK: tile.signal 0
// CHECK: tile.await 1
// CHECK: tile.range
// CHECK: %[[LEFT:.*]] = tile.make_span {{.*}} : <16>
// CHECK: %[[RIGHT:.*]] = tile.make_span {{.*}} : <16>
// CHECK: tile.load {{.*}}%[[LEFT]] span] {{.*}} -> !tile.tile<32 x 16 x f16>
// CHECK: tile.load {{.*}}[%[[RIGHT]] span, :] {{.*}} -> !tile.tile<16 x 16 x f16>
// CHECK: tile.dot
func.func @parts(%Q: !q, %K: !k, %V: !v, %O: !o {launch.output})
    attributes {tile.kernel, tile.group = #tile.group<preload = 0, lag = 0, slots = 0, strip_rows = 0, part = 16>} {
  %c0 = arith.constant 0 : index
  %N = tile.dim %K, 0 : !k
  %x = tile.load %Q[:, :] : (!q) -> !tile.tile<32 x 64 x f16>
  tile.range %n = %c0 to %N by 32 stages 2 {
    %y = tile.load %K[%n span, :] : (!k, !tile.span<32>) -> !tile.tile<32 x 64 x f16>
    %s = tile.dot %x, %y transpose_b : !tile.tile<32 x 64 x f16>, !tile.tile<32 x 64 x f16> -> !tile.tile<32 x 32 x f32>
    %e = tile.exp %s : !tile.tile<32 x 32 x f32>
    %p = tile.cast %e : !tile.tile<32 x 32 x f32> -> !tile.tile<32 x 32 x f16>
    %z = tile.load %V[%n span, :] : (!v, !tile.span<32>) -> !tile.tile<32 x 16 x f16>
    %r = tile.dot %p, %z : !tile.tile<32 x 32 x f16>, !tile.tile<32 x 16 x f16> -> !tile.tile<32 x 16 x f32>
    %a = tile.abs %r : !tile.tile<32 x 16 x f32>
    %i = tile.span_base %n : !tile.span<32>
    tile.store %a, %O[%i, :, :] : (!tile.tile<32 x 16 x f32>, !o, index) -> ()
  }
  return
}
}

// -----

!q = !tile.array<?x64xf16>
!k = !tile.array<64x32xf16>
!o = !tile.array<?x32xf32>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// Shares of 24 rows are 16 and 8: the second core stops where the tile does. Numbers of rows go on from core to core. Of two loops
// that exchange tiles each begins at rest.
// CHECK-LABEL: func.func @shares(
// CHECK: %[[SUB:.*]] = tile.sub_block_id
// CHECK: %[[RAMP:.*]] = tile.ramp : <16 x 1 x f32>
// CHECK: %[[FIRST:.*]] = arith.muli %[[SUB]], %c16
// CHECK: %[[WORD:.*]] = arith.index_cast %[[FIRST]] : index to i64
// CHECK: %[[REAL:.*]] = arith.sitofp %[[WORD]] : i64 to f32
// CHECK: %[[SHIFT:.*]] = tile.splat %[[REAL]] : f32 -> <1 x 1 x f32>
// CHECK: %[[ROWS:.*]] = tile.add %[[RAMP]], %[[SHIFT]]
// CHECK: tile.range
// CHECK: %[[END:.*]] = arith.minsi
// CHECK: tile.make_span %{{.*}} to %[[END]] : <16>
// CHECK: tile.add %{{.*}}, %[[ROWS]]
// CHECK: } {tile.settled}
// CHECK: tile.range
// CHECK: } {tile.settled}
// CHECK-LABEL: func.func @shares_cube(
// CHECK-NOT: tile.ramp
// CHECK: } {tile.settled}
// CHECK: } {tile.settled}
func.func @shares(%A: !q, %B: !k, %C: !o {launch.output}, %D: !o {launch.output})
    attributes {tile.kernel, tile.group = #tile.group<preload = 0, lag = 0, slots = 0, strip_rows = 0, part = 0>} {
  %c0 = arith.constant 0 : index
  %M = tile.dim %A, 0 : !q
  %ramp = tile.ramp : !tile.tile<24 x 1 x f32>
  %y = tile.load %B[:, :] : (!k) -> !tile.tile<64 x 32 x f16>
  tile.range %m = %c0 to %M by 24 {
    %x = tile.load %A[%m span, :] : (!q, !tile.span<24>) -> !tile.tile<24 x 64 x f16>
    %s = tile.dot %x, %y : !tile.tile<24 x 64 x f16>, !tile.tile<64 x 32 x f16> -> !tile.tile<24 x 32 x f32>
    %e = tile.add %s, %ramp : !tile.tile<24 x 32 x f32>, !tile.tile<24 x 1 x f32> -> !tile.tile<24 x 32 x f32>
    tile.store %e, %C[%m span, :] : (!tile.tile<24 x 32 x f32>, !o, !tile.span<24>) -> ()
  }
  tile.range %m = %c0 to %M by 24 {
    %x = tile.load %A[%m span, :] : (!q, !tile.span<24>) -> !tile.tile<24 x 64 x f16>
    %s = tile.dot %x, %y : !tile.tile<24 x 64 x f16>, !tile.tile<64 x 32 x f16> -> !tile.tile<24 x 32 x f32>
    %e = tile.exp %s : !tile.tile<24 x 32 x f32>
    tile.store %e, %D[%m span, :] : (!tile.tile<24 x 32 x f32>, !o, !tile.span<24>) -> ()
  }
  return
}
}

// -----

!a = !tile.array<?x64xf16>
!b = !tile.array<64x64xf16>
!c = !tile.array<?x64xf32>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// Sums that a loop carries while it exchanges tiles are started before it: the loop may not run at all, or only its last part,
// and must not run once more than that of the vector cores.
// CHECK-LABEL: func.func @summed_cube(
// CHECK-DAG: %[[LEFT:.*]] = tile.splat %{{.*}} : f16 -> <32 x 16 x f16>
// CHECK-DAG: %[[RIGHT:.*]] = tile.splat %{{.*}} : f16 -> <64 x 16 x f16>
// CHECK: %[[START:.*]] = tile.dot %[[LEFT]], %[[RIGHT]] acc(%{{.*}}) transpose_b
// CHECK: tile.range
// CHECK: tile.range {{.*}} iter(%{{.*}} = %[[START]]
// CHECK: tile.await
// CHECK: tile.range {{.*}} iter(
// CHECK: tile.await
func.func @summed(%A: !a, %B: !b, %C: !c {launch.output}, %n: index)
    attributes {tile.kernel, tile.group = #tile.group<preload = 1, lag = 0, slots = 0, strip_rows = 0, part = 0>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %M = tile.dim %A, 0 : !a
  tile.range %m = %c0 to %M by 32 {
    %x = tile.load %A[%m span, :] : (!a, !tile.span<32>) -> !tile.tile<32 x 64 x f16>
    %z = tile.splat %zero : f32 -> !tile.tile<32 x 64 x f32>
    %sum = tile.range %i = %c0 to %n iter(%acc = %z : !tile.tile<32 x 64 x f32>) {
      %y = tile.load %B[:, :] : (!b) -> !tile.tile<64 x 64 x f16>
      %s = tile.dot %x, %y : !tile.tile<32 x 64 x f16>, !tile.tile<64 x 64 x f16> -> !tile.tile<32 x 64 x f32>
      %e = tile.exp %s : !tile.tile<32 x 64 x f32>
      %h = tile.cast %e : !tile.tile<32 x 64 x f32> -> !tile.tile<32 x 64 x f16>
      %next = tile.dot %h, %y acc(%acc) : !tile.tile<32 x 64 x f16>, !tile.tile<64 x 64 x f16> -> !tile.tile<32 x 64 x f32>
      tile.yield %next : !tile.tile<32 x 64 x f32>
    }
    tile.store %sum, %C[%m span, :] : (!tile.tile<32 x 64 x f32>, !c, !tile.span<32>) -> ()
  }
  return
}

}

// -----

!a = !tile.array<?x16xf16>
!b = !tile.array<16x32xf16>
!t = !tile.array<?x32xf32>
!i = !tile.array<?xi32>
!c = !tile.array<?x32xf32>
!s = !tile.span<32>
!l = !tile.span<32, listed>
!p = !tile.tile<32 x 32 x f32>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// Each vector core goes over its share of the list, and its rows come from where that says.
// CHECK-LABEL: func.func @listed(
// CHECK-SAME: %{{.*}}: !tile.array<?x16xf16>, %{{.*}}, %[[TABLE:arg[0-9]+]]: !tile.array<?x32xf32>, %[[LIST:arg[0-9]+]]: !tile.array<?xi32>
// CHECK: %[[SUB:.*]] = tile.sub_block_id
// CHECK: %[[SHARE:.*]] = arith.muli %[[SUB]], %{{.*}} : index
// CHECK: %[[FIRST:.*]] = arith.addi %{{.*}}, %[[SHARE]] : index
// CHECK: %[[ROWS:.*]] = tile.make_span %[[FIRST]] to %{{.*}} : <16>
// CHECK: %[[NAMED:.*]] = tile.list_rows %[[LIST]] [%[[ROWS]] span] : {{.*}} -> !tile.span<16, listed>
// CHECK: tile.load %[[TABLE]] [%[[NAMED]] span, :] : {{.*}} -> !tile.tile<16 x 32 x f32>
// CHECK-LABEL: func.func @listed_cube(
// CHECK-NOT: tile.list_rows
func.func @listed(%A: !a, %B: !b, %T: !t, %I: !i, %C: !c {launch.output})
    attributes {tile.kernel, tile.group = #tile.group<preload = 0, lag = 0, slots = 0, strip_rows = 0, part = 0>} {
  %c0 = arith.constant 0 : index
  %m = tile.dim %A, 0 : !a
  tile.range %s = %c0 to %m by 32 {
    %x = tile.load %A [%s span, :] : (!a, !s) -> !tile.tile<32 x 16 x f16>
    %w = tile.load %B [:, :] : (!b) -> !tile.tile<16 x 32 x f16>
    %r = tile.list_rows %I [%s span] : (!i, !s) -> !l
    %t = tile.load %T [%r span, :] : (!t, !l) -> !p
    %p = tile.dot %x, %w : !tile.tile<32 x 16 x f16>, !tile.tile<16 x 32 x f16> -> !p
    %e = tile.mul %p, %t : !p, !p -> !p
    tile.store %e, %C [%s span, :] : (!p, !c, !s) -> ()
  }
  return
}

}

// -----

!a = !tile.array<32x64xf16>
!b = !tile.array<64x64xf16>
!c = !tile.array<32x64xf32>
!x = !tile.tile<32 x 64 x f16>
!f = !tile.tile<32 x 64 x f32>
!h = !tile.tile<32 x 32 x f32>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// Columns put together in strips of rows: each strip has a tile of its own to put them in, and the run is not cut there.
// CHECK-LABEL: func.func @halves_in_strips(
// CHECK: tile.range {{.*}} {
// CHECK: %[[X:.*]] = tile.load {{.*}} -> !tile.tile<8 x 64 x f16>
// CHECK: %[[F:.*]] = tile.cast %[[X]]
// CHECK-DAG: %[[RIGHT:.*]] = tile.extract %[[F]][%{{.*}}, %c32] : <8 x 64 x f32> -> <8 x 32 x f32>
// CHECK-DAG: %[[LEFT:.*]] = tile.extract %[[F]][%{{.*}}, %c0] : <8 x 64 x f32> -> <8 x 32 x f32>
// CHECK: %[[NONE:.*]] = tile.undefined : <8 x 64 x f32>
// CHECK: %[[ONE:.*]] = tile.insert %[[RIGHT]], %[[NONE]][%{{.*}}, %c0] : <8 x 32 x f32> into <8 x 64 x f32>
// CHECK: %[[BOTH:.*]] = tile.insert %[[LEFT]], %[[ONE]][%{{.*}}, %c32] : <8 x 32 x f32> into <8 x 64 x f32>
// CHECK: %[[Q:.*]] = tile.cast %[[BOTH]]
// CHECK: tile.store %[[Q]]
// CHECK: }
func.func @halves_in_strips(%A: !a, %B: !b, %C: !c {launch.output})
    attributes {tile.kernel, tile.group = #tile.group<preload = 0, lag = 0, slots = 0, strip_rows = 8, part = 0>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %x = tile.load %A [:, :] : (!a) -> !x
  %f = tile.cast %x : !x -> !f
  %right = tile.extract %f[%c0, %c32] : !f -> !h
  %left = tile.extract %f[%c0, %c0] : !f -> !h
  %none = tile.undefined : !f
  %one = tile.insert %right, %none[%c0, %c0] : !h into !f
  %both = tile.insert %left, %one[%c0, %c32] : !h into !f
  %q = tile.cast %both : !f -> !x
  %w = tile.load %B [:, :] : (!b) -> !tile.tile<64 x 64 x f16>
  %p = tile.dot %q, %w : !x, !tile.tile<64 x 64 x f16> -> !f
  tile.store %p, %C [:, :] : (!f, !c) -> ()
  return
}

}

// -----

!a = !tile.array<?x16xf16>
!b = !tile.array<16x32xf16>
!c = !tile.array<32x32xf32>
!x = !tile.tile<16 x 16 x f16>
!w = !tile.tile<16 x 32 x f16>
!e = !tile.tile<16 x 32 x f16>
!p = !tile.tile<16 x 32 x f32>
!q = !tile.tile<32 x 32 x f32>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// Sums of equal shapes that one loop carries start apart: each is changed in its place.
// CHECK-LABEL: func.func @two_sums_cube(
// CHECK: %[[ONE:.*]] = tile.dot {{.*}} {tile.start = 0 : i64}
// CHECK: %[[TWO:.*]] = tile.dot {{.*}} {tile.start = 1 : i64}
// CHECK: tile.range {{.*}} iter(%{{.*}} = %[[ONE]] : {{.*}}, %{{.*}} = %[[TWO]] : {{.*}}) {
func.func @two_sums(%A: !a, %B: !b, %C: !c {launch.output}, %D: !c {launch.output}, %n: index)
    attributes {tile.kernel, tile.group = #tile.group<preload = 0, lag = 0, slots = 0, strip_rows = 0, part = 0>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %start = tile.splat %zero : f32 -> !q
  %w = tile.load %B [:, :] : (!b) -> !w
  %sums:2 = tile.range %i = %c0 to %n iter(%one = %start : !q, %two = %start : !q) {
    %x = tile.load %A [%i:16, :] : (!a, index) -> !x
    %p = tile.dot %x, %w : !x, !w -> !p
    %e = tile.exp %p : !p
    %h = tile.cast %e : !p -> !e
    %one1 = tile.dot %h, %h acc(%one) transpose_a : !e, !e -> !q
    %two1 = tile.dot %w, %h acc(%two) transpose_a : !w, !e -> !q
    tile.yield %one1, %two1 : !q, !q
  }
  tile.store %sums#0, %C [:, :] : (!q, !c) -> ()
  tile.store %sums#1, %D [:, :] : (!q, !c) -> ()
  return
}

}

// -----

!a = !tile.array<?x16xf16>
!b = !tile.array<16x32xf16>
!i = !tile.array<?xi32>
!c = !tile.array<?x32xf16>
!s = !tile.span<32>
!l = !tile.span<32, listed>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// Vector cores load the rows that a list names for a product, and store its result to such rows.
// CHECK-LABEL: func.func @by_lists(
// CHECK: %[[ROWS:.*]] = tile.list_rows %arg2
// CHECK: %[[X:.*]] = tile.load %arg0 [%[[ROWS]] span, :] : {{.*}}!tile.span<16, listed>) -> !tile.tile<16 x 16 x f16>
// CHECK: tile.store %[[X]], %arg4
// CHECK: tile.signal
// CHECK: tile.await
// CHECK: %[[Y:.*]] = tile.load %arg5 {{.*}} -> !tile.tile<16 x 32 x f16>
// CHECK: tile.store %[[Y]], %arg3 [%[[ROWS]] span, :]
// CHECK-LABEL: func.func @by_lists_cube(
// CHECK-NOT: tile.list_rows
// CHECK: %[[A:.*]] = tile.load %arg4
// CHECK: %[[P:.*]] = tile.dot %[[A]]
// CHECK: %[[H:.*]] = tile.cast %[[P]]
// CHECK: tile.store %[[H]], %arg5
func.func @by_lists(%A: !a, %B: !b, %I: !i, %C: !c {launch.output})
    attributes {tile.kernel, tile.group = #tile.group<preload = 0, lag = 0, slots = 0, strip_rows = 0, part = 0>} {
  %c0 = arith.constant 0 : index
  %m = tile.dim %I, 0 : !i
  tile.range %s = %c0 to %m by 32 {
    %r = tile.list_rows %I [%s span] : (!i, !s) -> !l
    %x = tile.load %A [%r span, :] : (!a, !l) -> !tile.tile<32 x 16 x f16>
    %w = tile.load %B [:, :] : (!b) -> !tile.tile<16 x 32 x f16>
    %p = tile.dot %x, %w : !tile.tile<32 x 16 x f16>, !tile.tile<16 x 32 x f16> -> !tile.tile<32 x 32 x f32>
    %h = tile.cast %p : !tile.tile<32 x 32 x f32> -> !tile.tile<32 x 32 x f16>
    tile.store %h, %C [%r span, :] : (!tile.tile<32 x 32 x f16>, !c, !l) -> ()
  }
  return
}

}
