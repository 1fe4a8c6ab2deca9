// RUN: attn-opt %s --soc=Ascend910B4 --convert-tile-to-ascend --cse | FileCheck %s

// The scalar unit reads where each row of a list lies, and keeps it inside. Short rows that follow each other are loaded at once,
// with the last of them: the row after it is looked at as well, itself after the last. Rows are stored one by one, and the modelled
// chip is told that each is written once.
// CHECK-LABEL: func.func @move(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x8xf32
// CHECK-SAME:    %[[IDX:[^:]*]]: memref<?x?xi32
// CHECK-SAME:    %[[B:[^:]*]]: index, %[[BASE:[^:]*]]: index, %[[LIMIT:[^:]*]]: index
// CHECK:         %[[LAST:.*]] = arith.subi %[[ROWS:.*]], %c1
// CHECK:         scf.for %[[R:.*]] = %c0 to %[[ROWS]] step %c1 iter_args(%[[FIRST:.*]] = %c0)
// CHECK:           %[[AT:.*]] = arith.addi %[[BASE]], %[[R]]
// CHECK:           %[[J:.*]] = ascend.load_index %[[IDX]][%[[B]], %[[AT]]]
// CHECK:           arith.minsi %[[J]]
// CHECK:           %[[IN:.*]] = arith.maxsi
// CHECK:           ascend.expect_index %[[J]] is %[[IN]] in %[[X]], 0
// CHECK:           %[[NEXT:.*]] = arith.addi %[[R]], %c1
// CHECK:           %[[AFTER:.*]] = arith.minsi %[[NEXT]], %[[LAST]]
// CHECK:           ascend.load_index %[[IDX]]
// CHECK-NOT:       expect_index
// CHECK:           %[[ENDS:.*]] = arith.cmpi ne
// CHECK:           scf.if %[[ENDS]] {
// CHECK:             %[[COUNT:.*]] = arith.subi %[[NEXT]], %[[FIRST]]
// CHECK:             %[[FROM:.*]] = ascend.address %[[X]]
// CHECK-NOT:         expect_distinct
// CHECK:             ascend.copy_in %{{.*}}, %[[FROM]] rows(%{{.*}}) length(%c8) {{.*}} {ascend.apart = [[GROUP:.*]] : i64}
// CHECK:           arith.select %[[ENDS]], %[[NEXT]], %[[FIRST]]
// CHECK:         } {ascend.apart = [[GROUP]] : i64}
// CHECK:         scf.for
// CHECK:           ascend.load_index
// CHECK:           %[[TO:.*]] = ascend.address %[[Y:.*]][%[[OUT:.*]], %c0]
// CHECK:           ascend.expect_distinct %[[OUT]] at %[[TO]] in %[[Y]], 0
// CHECK:           ascend.copy_out %[[TO]], %{{.*}} rows(%c1)
func.func @move(%x: !tile.array<?x8xf32> {launch.dims = ["S", 8]}, %idx: !tile.array<?x?xi32> {launch.dims = ["B", "L"]},
                %y: !tile.array<?x8xf32> {launch.dims = ["S", 8], launch.output}, %b: index, %base: index, %limit: index)
    attributes {tile.kernel} {
  %t = tile.make_span %base to %limit : !tile.span<16>
  %r = tile.list_rows %idx[%b, %t span] : (!tile.array<?x?xi32>, index, !tile.span<16>) -> !tile.span<16, listed>
  %u = tile.load %x[%r span, :] bounded : (!tile.array<?x8xf32>, !tile.span<16, listed>) -> !tile.tile<16 x 8 x f32>
  tile.store %u, %y[%r span, :] bounded : (!tile.tile<16 x 8 x f32>, !tile.array<?x8xf32>, !tile.span<16, listed>) -> ()
  return
}

// Of rows that take the pipe longer than it takes to begin a transfer, none are moved at once.
// CHECK-LABEL: func.func @move_long(
// CHECK:         scf.for %{{.*}} = %c0 to %{{.*}} step %c1 {
// CHECK:           ascend.load_index
// CHECK-NOT:       ascend.load_index
// CHECK:           ascend.copy_in %{{.*}}, %{{.*}} rows(%c1) length(%c512)
func.func @move_long(%x: !tile.array<?x512xf32> {launch.dims = ["S", 512]}, %idx: !tile.array<?xi32> {launch.dims = ["L"]},
                     %y: !tile.array<16x512xf32> {launch.output}, %base: index, %limit: index)
    attributes {tile.kernel} {
  %t = tile.make_span %base to %limit : !tile.span<16>
  %r = tile.list_rows %idx[%t span] : (!tile.array<?xi32>, !tile.span<16>) -> !tile.span<16, listed>
  %u = tile.load %x[%r span, :] bounded : (!tile.array<?x512xf32>, !tile.span<16, listed>) -> !tile.tile<16 x 512 x f32>
  tile.store %u, %y[%t span, :] : (!tile.tile<16 x 512 x f32>, !tile.array<16x512xf32>, !tile.span<16>) -> ()
  return
}

// Rows of blocks are moved by runs, as long as the step and the size of the tile have in common: each has one entry of the
// list, which is kept inside it, and lies inside the array as a whole.
// CHECK-LABEL: func.func @blocks(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x8xf32
// CHECK-SAME:    %[[IDX:[^:]*]]: memref<?xi32
// CHECK-SAME:    %[[SIZE:[^:]*]]: index, %[[BASE:[^:]*]]: index, %[[LIMIT:[^:]*]]: index
// CHECK:         %[[N:.*]] = ascend.dim %[[X]], 0
// CHECK:         %[[ROWS:.*]] = arith.minsi %{{.*}}, %[[N]]
// CHECK:         scf.for %[[R:.*]] = %c0 to %[[ROWS]] step %c8 {
// CHECK:           %[[LEFT:.*]] = arith.subi %[[ROWS]], %[[R]]
// CHECK:           %[[AMOUNT:.*]] = arith.minsi %[[LEFT]], %c8
// CHECK:           %[[AT:.*]] = arith.addi %[[BASE]], %[[R]]
// CHECK:           %[[BY:.*]] = arith.maxsi %[[SIZE]], %c1
// CHECK:           %[[ENTRY:.*]] = arith.divsi %[[AT]], %[[BY]]
// CHECK:           ascend.expect_index %[[ENTRY]] is %[[KEPT:.*]] in %[[IDX]], 0
// CHECK:           %[[J:.*]] = ascend.load_index %[[IDX]][%[[KEPT]]]
// CHECK:           %[[FIRST:.*]] = arith.muli %[[J]], %[[BY]]
// CHECK:           %[[REST:.*]] = arith.remsi %[[AT]], %[[BY]]
// CHECK:           %[[ROW:.*]] = arith.addi %[[FIRST]], %[[REST]]
// CHECK:           %[[LAST:.*]] = arith.subi %[[N]], %[[AMOUNT]]
// CHECK:           arith.minsi %[[ROW]], %[[LAST]]
// CHECK:           %[[IN:.*]] = arith.maxsi
// CHECK:           ascend.expect_index %[[ROW]] is %[[IN]] in %[[X]], 0
// CHECK:           %[[FROM:.*]] = ascend.address %[[X]][%[[IN]], %c0]
// CHECK:           ascend.copy_in %{{.*}}, %[[FROM]] rows(%[[AMOUNT]])
func.func @blocks(%x: !tile.array<?x8xf32> {launch.dims = ["S", 8]}, %idx: !tile.array<?xi32> {launch.dims = ["L"]},
                  %y: !tile.array<?x8xf32> {launch.dims = ["T", 8], launch.output}, %size: index, %base: index, %limit: index)
    attributes {tile.kernel} {
  %t = tile.make_span %base to %limit : !tile.span<24>
  %r = tile.list_rows %idx[%t span] by %size step 16 : (!tile.array<?xi32>, !tile.span<24>, index) -> !tile.span<24, listed>
  %u = tile.load %x[%r span, :] bounded : (!tile.array<?x8xf32>, !tile.span<24, listed>) -> !tile.tile<24 x 8 x f32>
  tile.store %u, %y[%t span, :] : (!tile.tile<24 x 8 x f32>, !tile.array<?x8xf32>, !tile.span<24>) -> ()
  return
}
