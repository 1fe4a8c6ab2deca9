// RUN: attn-opt %s --emit=hivm --no-line-directives | FileCheck %s
// RUN: attn-opt %s --emit=hivm | FileCheck %s --check-prefix=PLACE

// Loops, branches and scalars stay what they are; entries of a table are memory at the address that is read.
!e = memref<?x64xbf16, strided<[?, 1]>, #ascend.space<gm>>
!gm = memref<?xbf16, #ascend.space<gm>>
!u = memref<64xbf16, #ascend.space<ub>>

// CHECK-LABEL: func.func @table(%V: memref<?xi64, #gm>, %N: i64, %T: i64, %V_stride1: i64)
// CHECK-DAG:   %[[N:.*]] = arith.index_cast %N : i64 to index
// CHECK-DAG:   %[[ID:.*]] = hivm.hir.get_block_idx -> i64
// CHECK-DAG:   %[[COUNT:.*]] = hivm.hir.get_block_num -> i64
// CHECK:       scf.for %[[I:.*]] = %{{.*}} to %[[N]] step %{{.*}} {
// CHECK:         %[[AT:.*]] = memref.load %V[%[[I]]] : memref<?xi64, #gm>
// CHECK:         %[[ENTRY:.*]] = hivm.hir.pointer_cast(%[[AT]]) [%{{.*}}] : memref<?xbf16, #gm>
// CHECK:         memref.reinterpret_cast %[[ENTRY]] to offset: [%{{.*}}], sizes: [1, 64], strides: [%{{.*}}, 1]
// CHECK:         hivm.hir.load
// PLACE:       hivm.hir.load {{.*}} loc(#[[LOAD:.*]])
// CHECK:         scf.if %{{.*}} {
// CHECK:           hivm.hir.pipe_barrier[<PIPE_MTE2>]
// CHECK:         }
// PLACE:       #[[LOAD]] = loc("kernel.py":7:3)
func.func @table(%V: !ascend.table<!e> {launch.dims = ["N", "T", 64]} loc("V")) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %u = ascend.alloc "u" at 0 : !u
  %N = ascend.dim %V, 0 : !ascend.table<!e>
  %pitch = ascend.stride %V, 1 : !ascend.table<!e>
  %id = ascend.block_id
  %count = ascend.block_count
  scf.for %i = %id to %N step %count {
    %entry = ascend.lookup %V[%i] : !ascend.table<!e> -> !e
    %p = ascend.address %entry[%i, %c0] : !e -> !gm
    ascend.copy_in %u, %p rows(%c1) length(%c64) src_pitch(%pitch) dst_pitch 64 right_pad 0 : !u, !gm loc("kernel.py":7:3)
    %isFirst = arith.cmpi eq, %i, %c0 : index
    scf.if %isFirst {
      ascend.barrier mte2
    }
  }
  ascend.barrier all
  return
}

// CHECK-LABEL: func.func @carried(%n: i64)
// CHECK:       %[[SUM:.*]] = scf.for %{{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (index) {
// CHECK:         %[[NEXT:.*]] = arith.addi %[[ACC]], %{{.*}} : index
// CHECK:         scf.yield %[[NEXT]] : index
// CHECK:       memref.subview %{{.*}}[0] [%[[SUM]]] [1]
func.func @carried(%n: index loc("n")) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : bf16
  %u = ascend.alloc "u" at 0 : !u
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c0) -> (index) {
    %next = arith.addi %acc, %i : index
    scf.yield %next : index
  }
  ascend.duplicate %u, %zero count(%sum) : !u, bf16
  ascend.barrier all
  return
}

// CHECK-LABEL: func.func @cores()
// CHECK-DAG:   %[[ID:.*]] = hivm.hir.get_block_idx -> i64
// CHECK-DAG:   %[[CORE:.*]] = arith.index_cast %[[ID]] : i64 to index
// CHECK-DAG:   %[[SUB:.*]] = arith.constant 0 : index
// CHECK:       memref.subview %{{.*}}[0] [%[[CORE]]] [1]
// CHECK:       memref.subview %{{.*}}[0] [%[[SUB]]] [1]
func.func @cores() attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : memref<64xf32, #ascend.space<ub>>
  %core = ascend.core_id
  %sub = ascend.sub_block_id
  ascend.unary exp %x, %x count(%core) : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
  ascend.unary exp %x, %x count(%sub) : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
  ascend.barrier all
  return
}
