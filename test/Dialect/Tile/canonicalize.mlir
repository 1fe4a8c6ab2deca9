// RUN: attn-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @dim
func.func @dim(%x: !tile.array<?x4096xbf16>) -> (index, index) {
  // A size that is a number is known.
  // CHECK-DAG: %[[N:.*]] = arith.constant 4096 : index
  // CHECK-DAG: %[[T:.*]] = tile.dim %{{.*}}, 0
  // CHECK: return %[[T]], %[[N]]
  %t = tile.dim %x, 0 : !tile.array<?x4096xbf16>
  %n = tile.dim %x, 1 : !tile.array<?x4096xbf16>
  return %t, %n : index, index
}

// CHECK-LABEL: func.func @cast
// CHECK-SAME: (%[[H:.*]]: !tile.tile<BT x 4 x bf16>, %[[X:.*]]: !tile.tile<BT x 4 x f32>)
func.func @cast(%h: !tile.tile<BT x 4 x bf16>, %x: !tile.tile<BT x 4 x f32>)
    -> (!tile.tile<BT x 4 x f32>, !tile.tile<BT x 4 x bf16>, !tile.tile<BT x 4 x f32>) {
  // A cast to the same type goes, and so does an exact widening that is narrowed back; a rounding stays.
  // CHECK-NEXT: %[[N:.*]] = tile.cast %[[X]]
  // CHECK-NEXT: %[[R:.*]] = tile.cast %[[N]]
  // CHECK-NEXT: return %[[X]], %[[H]], %[[R]]
  %same = tile.cast %x : !tile.tile<BT x 4 x f32> -> !tile.tile<BT x 4 x f32>
  %wide = tile.cast %h : !tile.tile<BT x 4 x bf16> -> !tile.tile<BT x 4 x f32>
  %back = tile.cast %wide : !tile.tile<BT x 4 x f32> -> !tile.tile<BT x 4 x bf16>
  %narrow = tile.cast %x : !tile.tile<BT x 4 x f32> -> !tile.tile<BT x 4 x bf16>
  %rounded = tile.cast %narrow : !tile.tile<BT x 4 x bf16> -> !tile.tile<BT x 4 x f32>
  return %same, %back, %rounded : !tile.tile<BT x 4 x f32>, !tile.tile<BT x 4 x bf16>, !tile.tile<BT x 4 x f32>
}
