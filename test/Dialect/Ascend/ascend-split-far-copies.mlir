// RUN: attn-opt %s --ascend-split-far-copies | FileCheck %s

!gm = memref<?xbf16, #ascend.space<gm>>
!array = memref<?x?x64xbf16, strided<[?, ?, 1]>, #ascend.space<gm>>
!column = memref<?xf32, #ascend.space<gm>>
!ub = memref<512xbf16, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// Rows of a mapped span: one comparison before the loop serves the copies of one array; each row takes its place along the
// dimension, and in the buffer.
// CHECK-LABEL: func.func @mapped
// CHECK-SAME:      (%[[X:.*]]: memref<?x?x64xbf16{{.*}}>, %[[Y:.*]]: memref<?x?x64xbf16{{.*}}>, %[[N:.*]]: index, %[[STEP:.*]]: index, %[[ROWS:.*]]: index)
// CHECK-DAG:     %[[REACH:.*]] = arith.constant 2147483647 : index
// CHECK-DAG:     %[[STRIDE:.*]] = ascend.stride %[[X]], 1
// CHECK:         %[[PITCH:.*]] = arith.muli %[[STRIDE]], %[[STEP]]
// CHECK-NEXT:    %[[GAP:.*]] = arith.subi %[[PITCH]], %[[COLS:.*]] : index
// CHECK-NEXT:    %[[NEAR:.*]] = arith.cmpi ule, %[[GAP]], %[[REACH]]
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           %[[TRIPS:.*]] = arith.select %[[NEAR]], %{{.*}}, %[[ROWS]]
// CHECK-NEXT:      scf.for %[[ROW:.*]] = %{{.*}} to %[[TRIPS]] step
// CHECK-NEXT:        %[[FURTHER:.*]] = arith.muli %[[ROW]], %[[STEP]]
// CHECK-NEXT:        %[[INDEX:.*]] = arith.addi %[[I]], %[[FURTHER]]
// CHECK-NEXT:        %[[PLACE:.*]] = ascend.address %[[X]][%{{.*}}, %[[INDEX]], %{{.*}}]
// CHECK-NEXT:        %[[OFFSET:.*]] = arith.muli %[[ROW]]
// CHECK-NEXT:        %[[TO:.*]] = ascend.slice %{{.*}}[%[[OFFSET]]]
// CHECK-NEXT:        %[[MOVED:.*]] = arith.select %[[NEAR]], %[[ROWS]], %{{.*}}
// CHECK-NEXT:        ascend.copy_in %[[TO]], %[[PLACE]] rows(%[[MOVED]]) length(%[[COLS]]) src_pitch(%[[PITCH]])
// CHECK-NOT:       arith.cmpi
// The second copy goes on from a slice.
// CHECK:           scf.for
// CHECK:             %[[FROM:.*]] = arith.addi %c128{{.*}}, %{{.*}}
// CHECK-NEXT:        ascend.slice %{{.*}}[%[[FROM]]] : memref<512xbf16
// CHECK:             ascend.copy_in
func.func @mapped(%x: !array, %y: !array, %n: index, %step: index, %rows: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %stride = ascend.stride %x, 1 : !array
  %a = ascend.alloc "a" at 0 : !ub
  %part = ascend.slice %a[%c128] : !ub -> memref<?xbf16, #ascend.space<ub>>
  scf.for %i = %c0 to %n step %c1 {
    %pitch = arith.muli %stride, %step : index
    %p = ascend.address %x[%c0, %i, %c0] : !array -> !gm
    ascend.copy_in %a, %p rows(%rows) length(%c64) src_pitch(%pitch) dst_pitch 64 right_pad 0 : !ub, !gm
    ascend.copy_in %part, %p rows(%rows) length(%c64) src_pitch(%pitch) dst_pitch 64 right_pad 0 : memref<?xbf16, #ascend.space<ub>>, !gm
  }
  return
}

// Blocks of tokens: rows along the first of three dimensions. Out of the chip as into it.
// CHECK-LABEL: func.func @blocks
// CHECK:         %[[STRIDE:.*]] = ascend.stride %{{.*}}, 0
// CHECK:         arith.subi %[[STRIDE]]
// CHECK:         scf.for %[[ROW:.*]] =
// CHECK:           %[[INDEX:.*]] = arith.addi %{{.*}}, %[[ROW]]
// CHECK:           ascend.address %{{.*}}[%[[INDEX]], %{{.*}}, %{{.*}}]
// CHECK:           ascend.copy_out
func.func @blocks(%y: !array, %t: index, %rows: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %stride = ascend.stride %y, 0 : !array
  %a = ascend.alloc "a" at 0 : !ub
  %p = ascend.address %y[%c0, %t, %c0] : !array -> !gm
  ascend.copy_out %p, %a rows(%rows) length(%c64) dst_pitch(%stride) src_pitch 64 : !gm, !ub
  return
}

// Elements of a mapped span of the last dimension: the pitch is the step.
// CHECK-LABEL: func.func @elements
// CHECK-SAME:      (%[[L:.*]]: memref<?xf32{{.*}}>, %[[STEP:.*]]: index,
// CHECK:         arith.subi %[[STEP]]
// CHECK:         scf.for %[[ROW:.*]] =
// CHECK:           %[[FURTHER:.*]] = arith.muli %[[ROW]], %[[STEP]]
// CHECK:           %[[INDEX:.*]] = arith.addi %{{.*}}, %[[FURTHER]]
// CHECK:           ascend.address %[[L]][%[[INDEX]]]
func.func @elements(%l: !column, %step: index, %rows: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = ascend.alloc "a" at 0 : memref<64xf32, #ascend.space<ub>>
  %p = ascend.address %l[%c0] : !column -> !column
  ascend.copy_in %a, %p rows(%rows) length(%c1) src_pitch(%step) dst_pitch 8 right_pad 7 : memref<64xf32, #ascend.space<ub>>, !column
  return
}

// An entry of a table lacks the table's first dimension.
// CHECK-LABEL: func.func @entry
// CHECK:         %[[ENTRY:.*]] = ascend.lookup
// CHECK:         scf.for %[[ROW:.*]] =
// CHECK:           ascend.address %[[ENTRY]][%{{.*}}, %{{.*}}, %{{.*}}]
func.func @entry(%v: !ascend.table<!array>, %n: index, %rows: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %stride = ascend.stride %v, 1 : !ascend.table<!array>
  %a = ascend.alloc "a" at 0 : !ub
  %vn = ascend.lookup %v[%n] : !ascend.table<!array> -> !array
  %p = ascend.address %vn[%n, %c0, %c0] : !array -> !gm
  ascend.copy_in %a, %p rows(%rows) length(%c64) src_pitch(%stride) dst_pitch 64 right_pad 0 : !ub, !gm
  return
}

// Left alone: rows of the last dimension but one, which callers look at, a pitch that is known, and single rows.
// CHECK-LABEL: func.func @left_alone
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @left_alone(%x: !array, %step: index, %rows: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %stride = ascend.stride %x, 1 : !array
  %pitch = arith.muli %stride, %step : index
  %a = ascend.alloc "a" at 0 : !ub
  %p = ascend.address %x[%c0, %c0, %c0] : !array -> !gm
  ascend.copy_in %a, %p rows(%rows) length(%c64) src_pitch(%stride) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.copy_in %a, %p rows(%rows) length(%c64) src_pitch(%c128) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.copy_in %a, %p rows(%c1) length(%c64) src_pitch(%pitch) dst_pitch 64 right_pad 0 : !ub, !gm
  return
}
}
