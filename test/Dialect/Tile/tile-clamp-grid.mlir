// RUN: attn-opt %s --tile-clamp-grid --split-input-file | FileCheck %s

// One axis by blocks: a balanced share, and a function that counts the tiles.
module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK-LABEL: func.func @copy(
// CHECK-SAME: attributes {launch.limit = 40 : i64, tile.kernel}
func.func @copy(%x: !tile.array<?x64xf32> {launch.dims = ["T", 64]},
                %y: !tile.array<?x64xf32> {launch.dims = ["T", 64], launch.output}) attributes {tile.kernel} {
  // CHECK: %[[T:.*]] = tile.dim
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  // CHECK: %[[TILES:.*]] = arith.ceildivui %[[T]], %c4
  // CHECK: %[[ID:.*]] = tile.block_id
  // CHECK: %[[COUNT:.*]] = tile.block_count
  // CHECK: %[[NEXT:.*]] = arith.addi %[[ID]], %c1
  // CHECK: %[[SCALED:.*]] = arith.muli %[[ID]], %[[TILES]] : index
  // CHECK: %[[LO:.*]] = arith.divui %[[SCALED]], %[[COUNT]] : index
  // CHECK: %[[SCALED_NEXT:.*]] = arith.muli %[[NEXT]], %[[TILES]] : index
  // CHECK: %[[HI:.*]] = arith.divui %[[SCALED_NEXT]], %[[COUNT]] : index
  // CHECK: tile.range %[[I:.*]] = %[[LO]] to %[[HI]] stages 2 parallel {
  // CHECK: %[[BASE:.*]] = arith.muli %[[I]], %c4
  // CHECK: %[[SPAN:.*]] = tile.make_span %[[BASE]] to %[[T]] nonempty : <4>
  // CHECK: tile.load %{{.*}} [%[[SPAN]] span, :]
  tile.grid (%t) in (%T by 4) stages 2 {
    %v = tile.load %x[%t span, :] : (!tile.array<?x64xf32>, !tile.span<4>) -> !tile.tile<4 x 64 x f32>
    tile.store %v, %y[%t span, :] : (!tile.tile<4 x 64 x f32>, !tile.array<?x64xf32>, !tile.span<4>) -> ()
  }
  return
}
// CHECK-LABEL: func.func @copy_grid(
// CHECK-SAME: %[[X:.*]]: !tile.array<?x64xf32> {launch.dims = ["T", 64]}
// CHECK-SAME: {launch.dims = ["T", 64], launch.output}
// CHECK-SAME: -> index attributes {launch.grid_of = @copy}
// CHECK: %[[T:.*]] = tile.dim %[[X]], 0
// CHECK: %[[TILES:.*]] = arith.ceildivui %[[T]], %c4
// CHECK: return %[[TILES]] : index
}

// -----

// Three axes, the last one fastest; the host's limit is that of the launch; extents from scalar arguments.
module attributes {machine.target = #machine.target<"host">} {
// CHECK-LABEL: func.func @axes(
// CHECK-SAME: launch.limit = 65535
func.func @axes(%y: !tile.array<?x?x?xf32> {launch.dims = ["B", "H", "T"]}, %half: i64) attributes {tile.kernel} {
  %B = tile.dim %y, 0 : !tile.array<?x?x?xf32>
  %H = arith.index_cast %half : i64 to index
  %T = tile.dim %y, 2 : !tile.array<?x?x?xf32>
  %one = arith.constant 1.0 : f32
  // CHECK: %[[TILES:.*]] = arith.ceildivui
  // CHECK: %[[BH:.*]] = arith.muli %[[B:.*]], %[[H:.*]] : index
  // CHECK: arith.muli %[[BH]], %[[TILES]] : index
  // CHECK: tile.range %[[I:.*]] = {{.*}} parallel {
  // CHECK: %[[T:.*]] = arith.remui %[[I]], %[[TILES]]
  // CHECK: %[[REST:.*]] = arith.divui %[[I]], %[[TILES]]
  // CHECK: %[[HI:.*]] = arith.remui %[[REST]], %[[H]]
  // CHECK: %[[BI:.*]] = arith.divui %[[REST]], %[[H]]
  // CHECK: %[[BASE:.*]] = arith.muli %[[T]], %c8
  // CHECK: %[[SPAN:.*]] = tile.make_span %[[BASE]]
  // CHECK: tile.store %{{.*}} [%[[BI]], %[[HI]], %[[SPAN]] span]
  tile.grid (%b, %h, %t) in (%B, %H, %T by 8) {
    %v = tile.splat %one : f32 -> !tile.tile<8 x 1 x f32>
    tile.store %v, %y[%b, %h, %t span] : (!tile.tile<8 x 1 x f32>, !tile.array<?x?x?xf32>, index, index, !tile.span<8>) -> ()
  }
  return
}
// CHECK-LABEL: func.func @axes_grid(
// CHECK: arith.index_cast
// CHECK: return %{{.*}} : index
}

// -----

// A kernel without grid runs on one core.
module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK-LABEL: func.func @single(
// CHECK-SAME: launch.limit = 1 : i64
func.func @single(%y: !tile.array<64xf32> {launch.dims = [64]}) attributes {tile.kernel} {
  return
}
// CHECK-LABEL: func.func @single_grid(
// CHECK: return %c1
}

// -----

// Block sizes that are still open: the counter has them too.
module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK-LABEL: func.func @open(
func.func @open(%x: !tile.array<?x64xf32> {launch.dims = ["T", 64]})
    attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>}} {
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  // CHECK: %[[BT:.*]] = tile.size BT
  // CHECK: arith.ceildivui %{{.*}}, %[[BT]]
  // CHECK: tile.range %[[I:.*]] = {{.*}} parallel {
  // CHECK: %[[STEP:.*]] = tile.size BT
  // CHECK: %[[BASE:.*]] = arith.muli %[[I]], %[[STEP]]
  // CHECK: tile.make_span %[[BASE]] to %{{.*}} nonempty : <BT>
  tile.grid (%t) in (%T by BT) {
  }
  return
}
// CHECK-LABEL: func.func @open_grid(
// CHECK: %[[BT:.*]] = tile.size BT
// CHECK: %[[TILES:.*]] = arith.ceildivui %{{.*}}, %[[BT]]
// CHECK: return %[[TILES]]
}

// -----

// What is accumulated is carried and stored after the loop, one row per block. Phases stay; the counter counts the tiles
// of the larger grid.
module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK-LABEL: func.func @sums(
// CHECK-SAME: %[[X:.*]]: !tile.array<?x64xf32> {{{.*}}}, %[[G:.*]]: !tile.array<?x64xf32> {{{.*}}}, %[[Y:.*]]: !tile.array<?x?xf32> {{{.*}}})
// CHECK-SAME: launch.limit = 40 : i64
func.func @sums(%x: !tile.array<?x64xf32> {launch.dims = ["T", 64]},
                %G: !tile.array<?x64xf32> {launch.dims = ["@blocks", 64], launch.workspace},
                %y: !tile.array<?x?xf32> {launch.dims = ["A", "B"], launch.output}) attributes {tile.kernel} {
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  %A = tile.dim %y, 0 : !tile.array<?x?xf32>
  %B = tile.dim %y, 1 : !tile.array<?x?xf32>
  // CHECK: %[[ZERO:.*]] = tile.splat %{{.*}} : f32 -> <1 x 64 x f32>
  // CHECK: %[[SUM:.*]] = tile.range %[[T:.*]] = {{.*}} iter(%[[CARRIED:.*]] = %[[ZERO]] : !tile.tile<1 x 64 x f32>) stages 2 parallel {
  // CHECK: %[[ROW:.*]] = tile.load %[[X]]
  // CHECK: %[[ONE:.*]] = tile.add %[[CARRIED]], %[[ROW]]
  // CHECK: %[[MORE:.*]] = tile.exp %[[ROW]]
  // CHECK: %[[TWO:.*]] = tile.add %[[ONE]], %[[MORE]]
  // CHECK: tile.yield %[[TWO]]
  tile.grid (%t) in (%T) stages 2 {
    %row = tile.load %x[%t, :] : (!tile.array<?x64xf32>, index) -> !tile.tile<1 x 64 x f32>
    tile.accumulate %row, %G : !tile.tile<1 x 64 x f32>, !tile.array<?x64xf32>
    %more = tile.exp %row : !tile.tile<1 x 64 x f32>
    tile.accumulate %more, %G : !tile.tile<1 x 64 x f32>, !tile.array<?x64xf32>
  }
  // CHECK: %[[ID:.*]] = tile.block_id
  // CHECK: tile.store %[[SUM]], %[[G]] [%[[ID]], :]
  // CHECK: tile.phase
  tile.phase
  // CHECK: tile.range {{.*}} parallel {
  tile.grid (%a, %b) in (%A, %B) {
  }
  return
}
// CHECK-LABEL: func.func @sums_grid(
// CHECK-SAME: %[[X:.*]]: !tile.array<?x64xf32> {{{.*}}}, %{{.*}}: !tile.array<?x64xf32> {{{.*}}}, %[[Y:.*]]: !tile.array<?x?xf32> {{{.*}}})
// CHECK: %[[T:.*]] = tile.dim %[[X]], 0
// CHECK: %[[A:.*]] = tile.dim %[[Y]], 0
// CHECK: %[[B:.*]] = tile.dim %[[Y]], 1
// CHECK: %[[AB:.*]] = arith.muli %[[A]], %[[B]]
// CHECK: %[[MOST:.*]] = arith.maxui %[[T]], %[[AB]]
// CHECK: return %[[MOST]]

// By bands: blocks take every tile in turn, eight rows of tiles are gone through column by column, and the last band may have fewer rows.
// CHECK-LABEL: func.func @bands(
// CHECK: %[[ROWS:.*]] = arith.ceildivui %{{.*}}, %{{.*}}
// CHECK: %[[COLS:.*]] = arith.ceildivui %{{.*}}, %{{.*}}
// CHECK: %[[TOTAL:.*]] = arith.muli %[[ROWS]], %[[COLS]]
// CHECK: %[[ID:.*]] = tile.block_id
// CHECK: %[[BLOCKS:.*]] = tile.block_count
// CHECK: %[[LAST:.*]] = arith.subi %[[BLOCKS]], %{{.*}}
// CHECK: %[[AFTER:.*]] = arith.subi %[[LAST]], %[[ID]]
// CHECK: %[[MORE:.*]] = arith.addi %[[TOTAL]], %[[AFTER]]
// CHECK: %[[TURNS:.*]] = arith.divui %[[MORE]], %[[BLOCKS]]
// CHECK: tile.range %[[TURN:.*]] = %{{.*}} to %[[TURNS]] parallel {
// CHECK:   %[[BEFORE:.*]] = arith.muli %[[TURN]], %{{.*}}
// CHECK:   %[[TILE:.*]] = arith.addi %[[BEFORE]], %{{.*}}
// CHECK:   %[[MOST:.*]] = arith.constant 8 : index
// CHECK:   %[[TILES:.*]] = arith.muli %[[MOST]], %[[COLS]]
// CHECK:   %[[BAND:.*]] = arith.divui %[[TILE]], %[[TILES]]
// CHECK:   %[[INSIDE:.*]] = arith.remui %[[TILE]], %[[TILES]]
// CHECK:   %[[FIRST:.*]] = arith.muli %[[BAND]], %[[MOST]]
// CHECK:   %[[LEFT:.*]] = arith.subi %[[ROWS]], %[[FIRST]]
// CHECK:   %[[HIGH:.*]] = arith.minui %[[LEFT]], %[[MOST]]
// CHECK:   %[[ROW:.*]] = arith.remui %[[INSIDE]], %[[HIGH]]
// CHECK:   %[[M:.*]] = arith.addi %[[FIRST]], %[[ROW]]
// CHECK:   %[[N:.*]] = arith.divui %[[INSIDE]], %[[HIGH]]
// CHECK:   arith.muli %[[M]],
// CHECK:   arith.muli %[[N]],
func.func @bands(%y: !tile.array<?x?xf32>) attributes {tile.kernel, tile.choice = #tile.choice<sizes = {}, grid_stages = 1, range_stages = 1, strip_columns = 0, order = 8>} {
  %A = tile.dim %y, 0 : !tile.array<?x?xf32>
  %B = tile.dim %y, 1 : !tile.array<?x?xf32>
  tile.grid (%a, %b) in (%A by 16, %B by 32) {
    %v = tile.load %y[%a span, %b span] : (!tile.array<?x?xf32>, !tile.span<16>, !tile.span<32>) -> !tile.tile<16 x 32 x f32>
    tile.store %v, %y[%a span, %b span] : (!tile.tile<16 x 32 x f32>, !tile.array<?x?xf32>, !tile.span<16>, !tile.span<32>) -> ()
  }
  return
}
}
