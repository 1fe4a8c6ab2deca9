// RUN: attn-opt %s --tile-bound-indices | FileCheck %s

// Counts end loops by the arrays that each iteration takes, once for each size; what a size bounds already stays.
// CHECK-LABEL: func.func @counts(
// CHECK-SAME:    %[[X:[^:]*]]: {{.*}}, %[[Y:[^:]*]]: {{.*}}, %[[LENS:[^:]*]]: {{.*}}, %[[B:[^:]*]]: index)
// CHECK:         %[[N:.*]] = tile.load_index %[[LENS]][%[[B]]]
// CHECK:         %[[END:.*]] = tile.bound_index end %[[N]] in %[[X]], 0
// CHECK-NEXT:    tile.range %[[I:.*]] = %{{.*}} to %[[END]] {
// CHECK-NEXT:      tile.load %[[X]] [%[[I]], :]
// CHECK-NEXT:      tile.load %[[Y]] [%[[I]], :]
// CHECK:         %[[FIRST:.*]] = tile.bound_index first %[[N]] in %[[Y]], 0
// CHECK:         tile.range %{{.*}} = %[[FIRST]] to %{{.*}} by 4 {
// CHECK-NEXT:      tile.load
func.func @counts(%x: !tile.array<?x8xf32> {launch.dims = ["S", 8]}, %y: !tile.array<?x8xf32> {launch.dims = ["S", 8]},
                  %lens: !tile.array<?xi32> {launch.dims = ["B"]}, %b: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %S = tile.dim %x, 0 : !tile.array<?x8xf32>
  %n = tile.load_index %lens[%b] : !tile.array<?xi32>
  tile.range %i = %zero to %n {
    %u = tile.load %x[%i, :] : (!tile.array<?x8xf32>, index) -> !tile.tile<1 x 8 x f32>
    %v = tile.load %y[%i, :] : (!tile.array<?x8xf32>, index) -> !tile.tile<1 x 8 x f32>
  }
  tile.range %s = %n to %S by 4 {
    %v = tile.load %y[%s span, :] : (!tile.array<?x8xf32>, !tile.span<4>) -> !tile.tile<4 x 8 x f32>
  }
  return
}

// Other indices are bounded where they are used: single ones, slices, and spans at both ends.
// CHECK-LABEL: func.func @indices(
// CHECK-SAME:    %[[X:[^:]*]]: {{.*}}, %[[IDX:[^:]*]]: {{.*}}, %[[B:[^:]*]]: index)
// CHECK:         %[[J:.*]] = tile.load_index %[[IDX]][%[[B]]]
// CHECK:         %[[ONE:.*]] = tile.bound_index index %[[J]] in %[[X]], 0
// CHECK:         tile.load %[[X]] [%[[ONE]], :]
// CHECK:         %[[AFTER:.*]] = arith.addi %[[J]], %c4
// CHECK:         %[[END:.*]] = tile.bound_index end %[[AFTER]] in %[[X]], 0
// CHECK:         %[[START:.*]] = arith.subi %[[END]], %c4
// CHECK:         %[[SLICE:.*]] = tile.bound_index first %[[START]] in %[[X]], 0
// CHECK:         tile.load %[[X]] [%[[SLICE]]:4, :]
// CHECK:         %[[BASE:.*]] = tile.bound_index first %[[J]] in %[[X]], 0
// CHECK:         %[[REACH:.*]] = arith.addi %[[BASE]], %c4
// CHECK:         %[[LEAST:.*]] = arith.minsi %{{.*}}, %[[REACH]]
// CHECK:         %[[LIMIT:.*]] = tile.bound_index end %[[LEAST]] in %[[X]], 0
// CHECK:         %[[SPAN:.*]] = tile.make_span %[[BASE]] to %[[LIMIT]]
// CHECK-NOT:     nonempty
// CHECK:         tile.load %[[X]] [%[[SPAN]] span, :]
func.func @indices(%x: !tile.array<?x8xf32> {launch.dims = ["S", 8]}, %idx: !tile.array<?xui16> {launch.dims = ["B"]}, %b: index)
    attributes {tile.kernel} {
  %five = arith.constant 5 : index
  %j = tile.load_index %idx[%b] : !tile.array<?xui16>
  %u = tile.load %x[%j, :] : (!tile.array<?x8xf32>, index) -> !tile.tile<1 x 8 x f32>
  %v = tile.load %x[%j:4, :] : (!tile.array<?x8xf32>, index) -> !tile.tile<4 x 8 x f32>
  %end = arith.addi %j, %five : index
  %s = tile.make_span %j to %end nonempty : !tile.span<4>
  %w = tile.load %x[%s span, :] : (!tile.array<?x8xf32>, !tile.span<4>) -> !tile.tile<4 x 8 x f32>
  return
}

// What a condition or another loop may leave out does not bound the loop around.
// CHECK-LABEL: func.func @conditional(
// CHECK:         tile.range %[[I:.*]] = %{{.*}} to %[[N:.*]] by 4 {
// CHECK:           tile.if
// CHECK:             %[[BASE:.*]] = tile.span_base %[[I]]
// CHECK:             %[[END:.*]] = tile.bound_index end
// CHECK:             %[[OWN:.*]] = tile.make_span %[[BASE]] to %[[END]]
// CHECK:             tile.load %{{.*}} [%[[OWN]] span, :]
func.func @conditional(%x: !tile.array<?x8xf32> {launch.dims = ["S", 8]}, %lens: !tile.array<?xi32> {launch.dims = ["B"]},
                       %b: index, %is: i1) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %n = tile.load_index %lens[%b] : !tile.array<?xi32>
  tile.range %i = %zero to %n by 4 {
    tile.if %is {
      %u = tile.load %x[%i span, :] : (!tile.array<?x8xf32>, !tile.span<4>) -> !tile.tile<4 x 8 x f32>
    }
  }
  return
}

// A list with several tiles for each entry: the count of the list is bounded.
// CHECK-LABEL: func.func @joined(
// CHECK-SAME:    %[[IDX:[^:]*]]: !tile.array<?xi32>
// CHECK:         %[[END:.*]] = tile.bound_index end %[[COUNT:.*]] in %[[IDX]], 0
// CHECK:         %[[ALL:.*]] = arith.muli %[[END]], %[[PER:.*]] : index
// CHECK:         tile.range %[[I:.*]] = %{{.*}} to %[[ALL]] {
// CHECK-NEXT:      %[[AT:.*]] = arith.floordivsi %[[I]], %[[PER]]
// CHECK-NEXT:      tile.load_index %[[IDX]][%[[AT]]]
func.func @joined(%idx: !tile.array<?xi32> {launch.dims = ["L"]}, %cnt: !tile.array<?xi32> {launch.dims = ["B"]}, %b: index,
                  %per: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %count = tile.load_index %cnt[%b] : !tile.array<?xi32>
  %all = arith.muli %count, %per : index
  tile.range %i = %zero to %all {
    %at = arith.floordivsi %i, %per : index
    %j = tile.load_index %idx[%at] : !tile.array<?xi32>
  }
  return
}

// Rows of a list are known where they are moved, and bounded there; the list itself is bounded where a count says how long it is.
// CHECK-LABEL: func.func @listed(
// CHECK-SAME:    %[[X:[^:]*]]: !tile.array<?x8xf32> {launch.dims = ["S", 8]}, %[[IDX:[^:]*]]: !tile.array<?xi32>
// CHECK:         %[[END:.*]] = tile.bound_index end %{{.*}} in %[[IDX]], 0
// CHECK:         tile.range %[[T:.*]] = %{{.*}} to %[[END]] by 4 {
// CHECK-NEXT:      %[[R:.*]] = tile.list_rows %[[IDX]] [%[[T]] span]
// CHECK-NEXT:      %[[U:.*]] = tile.load %[[X]] [%[[R]] span, :] bounded
// CHECK-NEXT:      tile.store %[[U]], %[[X]] [%[[R]] span, :] bounded
func.func @listed(%x: !tile.array<?x8xf32> {launch.dims = ["S", 8]}, %idx: !tile.array<?xi32> {launch.dims = ["L"]},
                  %cnt: !tile.array<?xi32> {launch.dims = ["B"]}, %b: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %count = tile.load_index %cnt[%b] : !tile.array<?xi32>
  tile.range %t = %zero to %count by 4 {
    %r = tile.list_rows %idx[%t span] : (!tile.array<?xi32>, !tile.span<4>) -> !tile.span<4, listed>
    %u = tile.load %x[%r span, :] : (!tile.array<?x8xf32>, !tile.span<4, listed>) -> !tile.tile<4 x 8 x f32>
    tile.store %u, %x[%r span, :] : (!tile.tile<4 x 8 x f32>, !tile.array<?x8xf32>, !tile.span<4, listed>) -> ()
  }
  return
}

// A list of blocks has fewer entries than they have rows: it says nothing about the loop, and entries are bounded where they are read.
// CHECK-LABEL: func.func @listedBlocks(
// CHECK-NOT:     tile.bound_index
// CHECK:         tile.list_rows %{{.*}} by %{{.*}} step 2
// CHECK-NEXT:    tile.load %{{.*}} bounded
func.func @listedBlocks(%x: !tile.array<?x8xf32> {launch.dims = ["S", 8]}, %idx: !tile.array<?xi32> {launch.dims = ["L"]},
                        %cnt: !tile.array<?xi32> {launch.dims = ["B"]}, %b: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %count = tile.load_index %cnt[%zero] : !tile.array<?xi32>
  tile.range %t = %zero to %count by 4 {
    %r = tile.list_rows %idx[%t span] by %b step 2 : (!tile.array<?xi32>, !tile.span<4>, index) -> !tile.span<4, listed>
    %u = tile.load %x[%r span, :] : (!tile.array<?x8xf32>, !tile.span<4, listed>) -> !tile.tile<4 x 8 x f32>
    tile.store %u, %x[%r span, :] : (!tile.tile<4 x 8 x f32>, !tile.array<?x8xf32>, !tile.span<4, listed>) -> ()
  }
  return
}

// No entry of a list has more tiles than the array that they are of; where a tile is taken elsewhere, that says nothing.
// CHECK-LABEL: func.func @tilesOfEntries(
// CHECK-SAME:    %[[X:[^:]*]]: !tile.array<?x8xf32>
// CHECK:         %[[S:.*]] = tile.dim %[[X]], 0
// CHECK:         %[[ROWS:.*]] = arith.minsi %[[BK:.*]], %[[S]]
// CHECK:         %[[PER:.*]] = arith.ceildivsi %[[ROWS]], %c4
// CHECK:         arith.muli %{{.*}}, %[[PER]]
// CHECK:         arith.ceildivsi %[[BK]], %c4
func.func @tilesOfEntries(%x: !tile.array<?x8xf32> {launch.dims = ["S", 8]}, %idx: !tile.array<?xi32> {launch.dims = ["L"]},
                          %bk: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  %L = tile.dim %idx, 0 : !tile.array<?xi32>
  %per = arith.ceildivsi %bk, %four : index
  %all = arith.muli %L, %per : index
  tile.range %i = %zero to %all {
    %at = arith.floordivsi %i, %per : index
    %j = tile.load_index %idx[%at] : !tile.array<?xi32>
    %done = arith.muli %at, %per : index
    %number = arith.subi %i, %done : index
    %before = arith.muli %number, %four : index
    %base = arith.addi %j, %before : index
    %end = arith.addi %j, %bk : index
    %s = tile.make_span %base to %end : !tile.span<4>
    %v = tile.load %x[%s span, :] : (!tile.array<?x8xf32>, !tile.span<4>) -> !tile.tile<4 x 8 x f32>
  }
  %others = arith.ceildivsi %bk, %four : index
  %rest = arith.muli %L, %others : index
  tile.range %i = %zero to %rest {
    %at = arith.floordivsi %i, %others : index
    %j = tile.load_index %idx[%at] : !tile.array<?xi32>
    %end = arith.addi %j, %bk : index
    %s = tile.make_span %j to %end : !tile.span<4>
    %v = tile.load %x[%s span, :] : (!tile.array<?x8xf32>, !tile.span<4>) -> !tile.tile<4 x 8 x f32>
  }
  return
}

// A loop by a number of the call ends as one by a number from memory does.
// CHECK-LABEL: func.func @argument(
// CHECK-SAME:    %[[X:[^:]*]]: {{.*}}, %[[FROM:[^:]*]]: index, %[[TO:[^:]*]]: index)
// CHECK:         %[[FIRST:.*]] = tile.bound_index first %[[FROM]] in %[[X]], 0
// CHECK:         %[[END:.*]] = tile.bound_index end %[[TO]] in %[[X]], 0
// CHECK:         tile.range %{{.*}} = %[[FIRST]] to %[[END]] by 4 {
func.func @argument(%x: !tile.array<?x8xf32> {launch.dims = ["S", 8]}, %from: index, %to: index) attributes {tile.kernel} {
  tile.range %s = %from to %to by 4 {
    %v = tile.load %x[%s span, :] : (!tile.array<?x8xf32>, !tile.span<4>) -> !tile.tile<4 x 8 x f32>
  }
  return
}

// Indices of sizes and arguments stay as they are.
// CHECK-LABEL: func.func @known(
// CHECK-NOT:     tile.bound_index
func.func @known(%x: !tile.array<?x8xf32> {launch.dims = ["S", 8]}, %i: index) attributes {tile.kernel} {
  %u = tile.load %x[%i, :] : (!tile.array<?x8xf32>, index) -> !tile.tile<1 x 8 x f32>
  return
}
