// RUN: attn-opt %s --ascend-drop-empty-loops | FileCheck %s

// What the ranges of bounds say: the first loop never runs, the second may.
// CHECK-LABEL: func.func @parts
// CHECK-SAME:    %[[N:[^:]*]]: index, %[[SEED:[^:]*]]: index
// CHECK:         %[[TILES:.*]] = arith.ceildivui
// CHECK-NOT:     scf.for
// CHECK:         %[[SUM:.*]] = scf.for %{{.*}} = %c0 to %[[TILES]] step %c1 iter_args(%{{.*}} = %[[SEED]])
// CHECK-NOT:     scf.for
// CHECK:         return %[[SUM]]
func.func @parts(%n: index, %seed: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %tiles = arith.ceildivui %n, %c64 : index
  %least = arith.minsi %tiles, %c0 : index
  %none = scf.for %i = %c0 to %least step %c1 iter_args(%x = %seed) -> (index) {
    scf.for %j = %c0 to %c0 step %c1 {
    }
    %y = arith.addi %x, %i : index
    scf.yield %y : index
  }
  %sum = scf.for %i = %c0 to %tiles step %c1 iter_args(%x = %none) -> (index) {
    %y = arith.addi %x, %i : index
    scf.yield %y : index
  }
  return %sum : index
}
