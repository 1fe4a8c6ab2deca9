// RUN: attn-opt %s | attn-opt | FileCheck %s

// CHECK-LABEL: func.func @indices(
func.func @indices(%lens: !tile.array<?xi32>, %table: !tile.array<?x?xui16>, %offsets: !tile.array<4xi64>, %b: index) {
  // CHECK: tile.load_index %{{.*}}[%{{.*}}] : <?xi32>
  %n = tile.load_index %lens[%b] : !tile.array<?xi32>
  // CHECK: tile.load_index %{{.*}}[%{{.*}}, %{{.*}}] : <?x?xui16>
  %j = tile.load_index %table[%b, %n] : !tile.array<?x?xui16>
  // CHECK: tile.bound_index index %{{.*}} in %{{.*}}, 0 : <4xi64>
  %i = tile.bound_index index %j in %offsets, 0 : !tile.array<4xi64>
  // CHECK: tile.bound_index first %{{.*}} in %{{.*}}, 1 : <?x?xui16>
  %f = tile.bound_index first %i in %table, 1 : !tile.array<?x?xui16>
  // CHECK: tile.bound_index end %{{.*}} in %{{.*}}, 0 : <?xi32>
  %e = tile.bound_index end %f in %lens, 0 : !tile.array<?xi32>
  // CHECK: tile.bound_count %{{.*}} to %{{.*}} by 8 most 1048576 of "lens"
  %c = tile.bound_count %f to %e by 8 most 1048576 of "lens"
  return
}

// CHECK-LABEL: func.func @lists(
func.func @lists(%x: !tile.array<?x8xf32>, %idx: !tile.array<?x?xi32>, %b: index, %t: !tile.span<BT>, %w: !tile.span<BT + 2, filled>) {
  // CHECK: %[[R:.*]] = tile.list_rows %{{.*}} [%{{.*}}, %{{.*}} span] : (!tile.array<?x?xi32>, index, !tile.span<BT>) -> !tile.span<BT, listed>
  %r = tile.list_rows %idx[%b, %t span] : (!tile.array<?x?xi32>, index, !tile.span<BT>) -> !tile.span<BT, listed>
  // CHECK: tile.load %{{.*}} [%[[R]] span, :] : (!tile.array<?x8xf32>, !tile.span<BT, listed>)
  %u = tile.load %x[%r span, :] : (!tile.array<?x8xf32>, !tile.span<BT, listed>) -> !tile.tile<BT x 8 x f32>
  // CHECK: tile.store %{{.*}}, %{{.*}} [%[[R]] span, :] bounded :
  tile.store %u, %x[%r span, :] bounded : (!tile.tile<BT x 8 x f32>, !tile.array<?x8xf32>, !tile.span<BT, listed>) -> ()
  // CHECK: -> !tile.span<BT + 2, filled, listed>
  %f = tile.list_rows %idx[%b, %w span] : (!tile.array<?x?xi32>, index, !tile.span<BT + 2, filled>) -> !tile.span<BT + 2, filled, listed>
  // CHECK: tile.load %{{.*}} [%{{.*}} span, :] bounded :
  %v = tile.load %x[%f span, :] bounded : (!tile.array<?x8xf32>, !tile.span<BT + 2, filled, listed>) -> !tile.tile<BT + 2 x 8 x f32>
  // CHECK: tile.list_rows %{{.*}} [%{{.*}}, %{{.*}} span] by %{{.*}} step 128 : (!tile.array<?x?xi32>, index, !tile.span<BT>, index) -> !tile.span<BT, listed>
  %k = tile.list_rows %idx[%b, %t span] by %b step 128 : (!tile.array<?x?xi32>, index, !tile.span<BT>, index) -> !tile.span<BT, listed>
  return
}

// CHECK-LABEL: func.func @conditions(
func.func @conditions(%y: !tile.array<?x8xf32>, %v: !tile.tile<1 x 8 x f32>, %b: index, %is: i1) {
  // CHECK:      tile.if %{{.*}} {
  // CHECK-NEXT:   tile.store
  // CHECK-NEXT: } else {
  // CHECK-NEXT: }
  tile.if %is {
    tile.store %v, %y[%b, :] : (!tile.tile<1 x 8 x f32>, !tile.array<?x8xf32>, index) -> ()
  } else {
  }
  // CHECK:      tile.if %{{.*}} {
  // CHECK-NEXT: }
  // CHECK-NOT:  else
  tile.if %is {
  }
  return
}
