// RUN: attn-opt %s --ascend-share-barriers --split-input-file | FileCheck %s
// RUN: attn-opt %s --ascend-share-barriers --ascend-insert-sync --split-input-file | FileCheck %s --check-prefix=SYNC
// Vector instructions in the order of their levels, where that saves barriers.

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// Two chains that need nothing of each other; places are computed before.
// CHECK-LABEL: func.func @chains
// CHECK:         arith.muli
// CHECK:         ascend.unary exp %[[A:.*]], %[[A]]
// CHECK-NEXT:    ascend.unary exp %[[C:.*]], %[[C]]
// CHECK-NEXT:    ascend.unary exp %{{.*}}, %[[A]]
// CHECK-NEXT:    ascend.unary exp %{{.*}}, %[[C]]
// CHECK-NEXT:    return
// SYNC-LABEL: func.func @chains
// SYNC-COUNT-1: ascend.barrier {{ *}}v
// SYNC-NOT:     ascend.barrier {{ *}}v
// SYNC:         return
func.func @chains(%n: index) attributes {ascend.kernel} {
  %a = ascend.alloc "a" at 0 : memref<64xf32, #ascend.space<ub>>
  %b = ascend.alloc "b" at 256 : memref<64xf32, #ascend.space<ub>>
  %c = ascend.alloc "c" at 512 : memref<64xf32, #ascend.space<ub>>
  %d = ascend.alloc "d" at 768 : memref<64xf32, #ascend.space<ub>>
  %c8 = arith.constant 8 : index
  ascend.unary exp %a, %a count(%c8) : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
  ascend.unary exp %b, %a count(%c8) : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
  %m = arith.muli %n, %c8 : index
  ascend.unary exp %c, %c count(%m) : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
  ascend.unary exp %d, %c count(%m) : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
  return
}

// Slices of one buffer are apart; buffers that share bytes are not.
// CHECK-LABEL: func.func @bytes
// CHECK:         ascend.unary exp %[[LOW:.*]], %[[LOW]]
// CHECK-NEXT:    ascend.unary exp %[[HIGH:.*]], %[[HIGH]]
// CHECK-NEXT:    ascend.unary abs %{{.*}}, %[[LOW]]
// CHECK-NEXT:    ascend.unary abs %{{.*}}, %[[HIGH]]
// CHECK-NEXT:    ascend.unary exp %[[OVER:.*]], %[[OVER]]
func.func @bytes() attributes {ascend.kernel} {
  %a = ascend.alloc "a" at 0 : memref<128xf32, #ascend.space<ub>>
  %b = ascend.alloc "b" at 512 : memref<128xf32, #ascend.space<ub>>
  %over = ascend.alloc "over" at 480 : memref<8xf32, #ascend.space<ub>>
  %c64 = arith.constant 64 : index
  %c8 = arith.constant 8 : index
  %high = ascend.slice %a[%c64] : memref<128xf32, #ascend.space<ub>> -> memref<?xf32, #ascend.space<ub>>
  %to = ascend.slice %b[%c64] : memref<128xf32, #ascend.space<ub>> -> memref<?xf32, #ascend.space<ub>>
  ascend.unary exp %a, %a count(%c64) : memref<128xf32, #ascend.space<ub>>, memref<128xf32, #ascend.space<ub>>
  ascend.unary abs %b, %a count(%c64) : memref<128xf32, #ascend.space<ub>>, memref<128xf32, #ascend.space<ub>>
  ascend.unary exp %high, %high count(%c64) : memref<?xf32, #ascend.space<ub>>, memref<?xf32, #ascend.space<ub>>
  ascend.unary abs %to, %high count(%c64) : memref<?xf32, #ascend.space<ub>>, memref<?xf32, #ascend.space<ub>>
  ascend.unary exp %over, %over count(%c8) : memref<8xf32, #ascend.space<ub>>, memref<8xf32, #ascend.space<ub>>
  return
}

// Transfers end a run.
// CHECK-LABEL: func.func @transfers
// CHECK:         ascend.unary exp
// CHECK-NEXT:    ascend.unary abs
// CHECK-NEXT:    ascend.copy_in
// CHECK-NEXT:    ascend.unary exp
// CHECK-NEXT:    ascend.unary abs
func.func @transfers(%x: memref<64xf32, strided<[1]>, #ascend.space<gm>>) attributes {ascend.kernel} {
  %a = ascend.alloc "a" at 0 : memref<64xf32, #ascend.space<ub>>
  %b = ascend.alloc "b" at 256 : memref<64xf32, #ascend.space<ub>>
  %c = ascend.alloc "c" at 512 : memref<64xf32, #ascend.space<ub>>
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  ascend.unary exp %a, %a count(%c64) : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
  ascend.unary abs %a, %a count(%c64) : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
  ascend.copy_in %c, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : memref<64xf32, #ascend.space<ub>>, memref<64xf32, strided<[1]>, #ascend.space<gm>>
  ascend.unary exp %b, %b count(%c64) : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
  ascend.unary abs %b, %b count(%c64) : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
  return
}

}
