// What passes of MLIR see in the loops and indices of tiles.
// RUN: attn-opt %s --loop-invariant-code-motion --split-input-file | FileCheck %s --check-prefix=MOTION
// RUN: attn-opt %s --int-range-optimizations --split-input-file | FileCheck %s --check-prefix=RANGE

!array = !tile.array<?x64xf32>
!row = !tile.tile<1 x 64 x f32>

// What does not depend on a loop leaves it, and the loops around; loads stay.
// MOTION-LABEL: @motion
// MOTION:         tile.dim
// MOTION:         tile.splat
// MOTION:         tile.grid
// MOTION-NEXT:      arith.addi
// MOTION-NEXT:      tile.range
// MOTION-NEXT:        tile.load
func.func @motion(%x: !array, %y: !array, %f: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid (%b) in (%n) {
    %r = tile.range %i = %c0 to %n iter(%sum = %c0 : index) {
      %T = tile.dim %y, 0 : !array
      %s = tile.splat %f : f32 -> !row
      %moved = arith.addi %b, %c1 : index
      %v = tile.load %x[%i, :] : (!array, index) -> !row
      %w = tile.add %v, %s : !row, !row -> !row
      tile.store %w, %y[%moved, :] : (!row, !array, index) -> ()
      %next = arith.addi %sum, %T : index
      tile.yield %next : index
    }
  }
  return
}

// -----

!array = !tile.array<?x64xf32>

// Indices of grids and ranges lie between their bounds, sizes are positive, and what a loop carries
// is what goes in or what it hands on.
// RANGE-LABEL: @ranges
// RANGE-DAG:     %[[TRUE:.*]] = arith.constant true
// RANGE-DAG:     %[[C64:.*]] = arith.constant 64 : index
// RANGE-DAG:     %[[C4:.*]] = arith.constant 4 : index
// RANGE:         call @use(%[[TRUE]], %[[C64]])
// RANGE:         tile.grid
// RANGE:           call @use(%[[TRUE]], %{{.*}})
// RANGE:           tile.range
// RANGE:             call @use(%[[TRUE]], %[[C4]])
// RANGE:             tile.yield %[[C4]]
// RANGE:         call @use(%[[TRUE]], %{{.*}})
func.func private @use(i1, index)
func.func @ranges(%x: !array, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %T = tile.dim %x, 0 : !array
  %D = tile.dim %x, 1 : !array
  %positive = arith.cmpi sge, %T, %c1 : index
  func.call @use(%positive, %D) : (i1, index) -> ()
  tile.grid (%a, %t) in (%c8, %T by 32) {
    %below = arith.cmpi ult, %a, %c8 : index
    func.call @use(%below, %a) : (i1, index) -> ()
    %r = tile.range %i = %a to %c8 iter(%carried = %c4 : index) {
      %inside = arith.cmpi sle, %i, %c8 : index
      func.call @use(%inside, %carried) : (i1, index) -> ()
      tile.yield %carried : index
    }
  }
  %blocks = tile.block_count
  %some = arith.cmpi sgt, %blocks, %c0 : index
  func.call @use(%some, %blocks) : (i1, index) -> ()
  return
}
