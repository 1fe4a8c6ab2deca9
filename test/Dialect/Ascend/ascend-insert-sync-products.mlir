// RUN: attn-opt %s --ascend-insert-sync --split-input-file | FileCheck %s
// RUN: attn-opt %s --ascend-print-dependences --split-input-file --verify-diagnostics -o /dev/null
// A product that is kept loads on MTE1, then multiplies on M, in an order that it makes itself.

!l1 = memref<4096xf16, #ascend.space<l1>>
!slots = memref<2x4096xf16, #ascend.space<l1>>
!l0a = memref<32768xf16, #ascend.space<l0a>>
!l0b = memref<32768xf16, #ascend.space<l0b>>
!l0c = memref<4096xf32, #ascend.space<l0c>>
!array = memref<?x?xf16, strided<[?, 1]>, #ascend.space<gm>>
!gm = memref<?xf16, #ascend.space<gm>>
!result = memref<?x?xf32, strided<[?, 1]>, #ascend.space<gm>>
!out = memref<?xf32, #ascend.space<gm>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// What it loads waits for MTE2 and what it adds for FIX; neither takes a flag between MTE1 and M, nor a barrier of M.
// CHECK-LABEL: func.func @sums
// CHECK-NOT:   mte1 to m virtual
// CHECK-NOT:   m to mte1 virtual
// CHECK-NOT:   barrier m
// CHECK:       scf.for
// CHECK:         ascend.wait_flag mte1 to mte2
// CHECK:         ascend.nd_to_nz
// CHECK:         ascend.set_flag mte2 to mte1
// CHECK:         ascend.wait_flag mte2 to mte1
// CHECK:         ascend.matmul
// CHECK:         ascend.set_flag mte1 to mte2
// CHECK:       ascend.set_flag m to fix
// CHECK:       ascend.wait_flag m to fix
// CHECK:       ascend.fix_out
// CHECK-NOT:   mte1 to m virtual
// CHECK:       return
func.func @sums(%A: !array, %C: !result {launch.output}, %K: index) attributes {ascend.kernel, ascend.keep_composites, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %s = ascend.stride %A, 0 : !array
  %t = ascend.stride %C, 0 : !result
  %slots = ascend.alloc "a" at 0 : !slots
  %l0a = ascend.alloc "l0a" at 0 : !l0a
  %l0b = ascend.alloc "l0b" at 0 : !l0b
  %c = ascend.alloc "c" at 0 : !l0c
  %last = scf.for %k = %c0 to %K step %c64 iter_args(%slot = %c0) -> (index) {
    %a = ascend.slot %slots[%slot] : !slots -> !l1
    %p = ascend.address %A[%c0, %k] : !array -> !gm
    // expected-remark @+1 {{#0 on mte2 waits for #1 on mte1 of an earlier iteration by slot}}
    ascend.nd_to_nz %a, %p rows(%c64) cols(%c64) src_pitch(%s) dst_rows 64 : !l1, !gm
    %first = arith.cmpi eq, %k, %c0 : index
    // expected-remark @+1 {{#1 on mte1, then m waits for}}
    ascend.matmul %c, %a, %a, %l0a, %l0b m(%c64) n(%c64) k(%c64) init(%first) rows [64, 64] : !l0c, !l1, !l1, !l0a, !l0b
    %next = arith.subi %c1, %slot : index
    scf.yield %next : index
  }
  %p = ascend.address %C[%c0, %c0] : !result -> !out
  // expected-remark @+1 {{#2 on fix waits for #1 on m}}
  ascend.fix_out %p, %c rows(%c64) cols(%c64) dst_pitch(%t) src_rows 64 : !out, !l0c
  return
}

}

// -----

!l1 = memref<4096xf16, #ascend.space<l1>>
!l0a = memref<4096xf16, #ascend.space<l0a>>
!l0b = memref<4096xf16, #ascend.space<l0b>>
!l0c = memref<4096xf32, #ascend.space<l0c>>
!result = memref<?x?xf32, strided<[?, 1]>, #ascend.space<gm>>
!out = memref<?xf32, #ascend.space<gm>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// Where sums are small only in some runs, products wait for each other only in these; whether they are is asked once.
// CHECK-LABEL: func.func @tail
// CHECK:       %[[M:.*]] = arith.muli %{{.*}}, %c16
// CHECK:       %[[ROWS:.*]] = arith.ceildivsi %[[M]], %{{.*}}
// CHECK:       %[[COLS:.*]] = arith.constant 4 : index
// CHECK:       %[[FRACTALS:.*]] = arith.muli %[[ROWS]], %[[COLS]]
// CHECK:       %[[SMALL:.*]] = arith.cmpi slt, %[[FRACTALS]], %{{.*}}
// CHECK:       scf.for
// CHECK:         scf.if %[[SMALL]] {
// CHECK-NEXT:      ascend.barrier m
// CHECK-NEXT:    }
// CHECK-NEXT:    ascend.mmad
func.func @tail(%C: !result {launch.output}, %K: index, %limit: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %t = ascend.stride %C, 0 : !result
  %low = arith.maxsi %limit, %c1 : index
  %blocks = arith.minsi %low, %c4 : index
  %m = arith.muli %blocks, %c16 : index
  %l1 = ascend.alloc "l1" at 0 : !l1
  %a = ascend.alloc "a" at 0 : !l0a
  %b = ascend.alloc "b" at 0 : !l0b
  %c = ascend.alloc "c" at 0 : !l0c
  // expected-remark @+1 {{#0 on mte1}}
  ascend.load_tile %a, %l1 rows(%m) cols(%c64) src_rows 64 : !l0a, !l1
  // expected-remark @+1 {{#1 on mte1}}
  ascend.load_tile %b, %l1 rows(%c64) cols(%c64) src_rows 64 : !l0b, !l1
  scf.for %k = %c0 to %K step %c64 {
    %first = arith.cmpi eq, %k, %c0 : index
    // expected-remark @+1 {{#2 on m waits for}}
    ascend.mmad %c, %a, %b m(%m) n(%c64) k(%c64) init(%first) : !l0c, !l0a, !l0b
  }
  %p = ascend.address %C[%c0, %c0] : !result -> !out
  // expected-remark @+1 {{#3 on fix waits for #2 on m}}
  ascend.fix_out %p, %c rows(%m) cols(%c64) dst_pitch(%t) src_rows 64 computed(%m) : !out, !l0c
  return
}

}
