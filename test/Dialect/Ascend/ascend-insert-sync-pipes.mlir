// RUN: attn-test-opt %s --ascend-insert-sync | FileCheck %s
// RUN: attn-test-opt %s --ascend-print-dependences --verify-diagnostics -o /dev/null
// What the chip dialect's own instructions do not show yet: the pipes of a cube core, and accesses of three levels.

!l1 = memref<1024xf32, #ascend.space<l1>>
!any1 = memref<?xf32, #ascend.space<l1>>
!l0c = memref<1024xf32, #ascend.space<l0c>>
!rows = memref<?x?x?xf32, strided<[?, ?, 1]>, #ascend.space<gm>>
!gm = memref<?xf32, #ascend.space<gm>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// A pair of pipes with flags.
// CHECK-LABEL: func.func @flag
// CHECK:       test.instruction mte2 writes
// CHECK-NEXT:  ascend.set_flag mte2 to mte1 virtual event 0
// CHECK-NEXT:  ascend.wait_flag mte2 to mte1 virtual event 0
// CHECK-NEXT:  test.instruction mte1
// CHECK-NEXT:  ascend.barrier all
// CHECK-NEXT:  return
func.func @flag() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %a = ascend.alloc "a" at 0 : !l1
  // expected-remark @+1 {{#0 on mte2 waits for nothing}}
  test.instruction mte2 writes %a run 64 : !l1
  // expected-remark @+1 {{#1 on mte1 waits for #0 on mte2}}
  test.instruction mte1 %a run 64 : !l1
  return
}

// A pair without: a barrier of all pipes orders it.
// CHECK-LABEL: func.func @no_flag
// CHECK:       test.instruction fix writes
// CHECK-NEXT:  ascend.barrier all
// CHECK-NEXT:  test.instruction mte3
// CHECK-NEXT:  ascend.barrier all
// CHECK-NEXT:  return
func.func @no_flag() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %a = ascend.alloc "a" at 0 : !l1
  // expected-remark @+1 {{#0 on fix waits for nothing}}
  test.instruction fix writes %a run 64 : !l1
  // expected-remark @+1 {{#1 on mte3 waits for #0 on fix}}
  test.instruction mte3 %a run 64 : !l1
  return
}

// One barrier serves two pairs without flags.
// CHECK-LABEL: func.func @one_barrier
// CHECK:       test.instruction m writes
// CHECK-NEXT:  test.instruction fix writes
// CHECK-NEXT:  ascend.barrier all
// CHECK-NEXT:  test.instruction mte3
// CHECK-NEXT:  test.instruction mte3
// CHECK-NEXT:  ascend.barrier all
// CHECK-NEXT:  return
func.func @one_barrier() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %a = ascend.alloc "a" at 0 : !l1
  %c = ascend.alloc "c" at 0 : !l0c
  // expected-remark @+1 {{#0 on m waits for nothing}}
  test.instruction m writes %c run 64 : !l0c
  // expected-remark @+1 {{#1 on fix waits for nothing}}
  test.instruction fix writes %a run 64 : !l1
  // expected-remark @+1 {{#2 on mte3 waits for #0 on m}}
  test.instruction mte3 %c run 64 : !l0c
  // expected-remark @+1 {{#3 on mte3 waits for #1 on fix}}
  test.instruction mte3 %a run 64 : !l1
  return
}

// Without flags in a loop: the barrier is in it.
// CHECK-LABEL: func.func @no_flag_in_loop
// CHECK:       scf.for
// CHECK-NEXT:    ascend.barrier all
// CHECK-NEXT:    test.instruction fix writes
// CHECK-NEXT:    ascend.barrier all
// CHECK-NEXT:    test.instruction mte3
// CHECK-NEXT:  }
func.func @no_flag_in_loop(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = ascend.alloc "a" at 0 : !l1
  scf.for %i = %c0 to %n step %c1 {
    // expected-remark @+1 {{#0 on fix waits for #1 on mte3 of an earlier iteration, #0 on fix of an earlier iteration}}
    test.instruction fix writes %a run 64 : !l1
    // expected-remark @+1 {{#1 on mte3 waits for #0 on fix}}
    test.instruction mte3 %a run 64 : !l1
  }
  return
}

// Three levels leave the gaps of every level to others.
// CHECK-LABEL: func.func @fractals
func.func @fractals() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %a = ascend.alloc "a" at 0 : !l1
  %half = ascend.slice %a[%c4] : !l1 -> !any1
  %row = ascend.slice %a[%c8] : !l1 -> !any1
  %fractal = ascend.slice %a[%c32] : !l1 -> !any1
  %matrix = ascend.slice %a[%c128] : !l1 -> !any1
  // expected-remark @+1 {{#0 on mte2 waits for nothing}}
  test.instruction mte2 writes %a run 32 levels [2, 64, 2, 256, 2, 1024] : !l1
  // expected-remark @+1 {{#1 on mte1 waits for nothing}}
  test.instruction mte1 %row run 32 levels [2, 64, 2, 256, 2, 1024] : !any1
  // expected-remark @+1 {{#2 on mte1 waits for nothing}}
  test.instruction mte1 %fractal run 32 levels [2, 64, 2, 256, 2, 1024] : !any1
  // expected-remark @+1 {{#3 on mte1 waits for nothing}}
  test.instruction mte1 %matrix run 32 levels [2, 64, 2, 256, 2, 1024] : !any1
  // expected-remark @+1 {{#4 on mte1 waits for #0 on mte2}}
  test.instruction mte1 %half run 32 levels [2, 64, 2, 256, 2, 1024] : !any1
  // Meets the copies of the outermost level only.
  // expected-remark @+1 {{#5 on mte1 waits for #0 on mte2}}
  test.instruction mte1 %matrix run 32 levels [2, 512] : !any1
  return
}

// Matrices, rows and columns of an array: a level per dimension.
// CHECK-LABEL: func.func @windows
func.func @windows(%x: !rows, %n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %matrix = ascend.stride %x, 0 : !rows
  %row = ascend.stride %x, 1 : !rows
  %first = ascend.address %x[%c0, %c0, %c0] : !rows -> !gm
  %right = ascend.address %x[%c0, %c0, %c16] : !rows -> !gm
  %below = ascend.address %x[%c0, %c4, %c0] : !rows -> !gm
  %later = ascend.address %x[%c2, %c0, %c0] : !rows -> !gm
  // expected-remark @+1 {{#0 on fix waits for nothing}}
  test.instruction fix writes %first run 0 range(%c16, %c4, %row, %c2, %matrix) : !gm
  // expected-remark @+1 {{#1 on mte2 waits for nothing}}
  test.instruction mte2 %right run 0 range(%c16, %c4, %row, %c2, %matrix) : !gm
  // expected-remark @+1 {{#2 on mte2 waits for nothing}}
  test.instruction mte2 %below run 0 range(%c16, %c4, %row, %c2, %matrix) : !gm
  // expected-remark @+1 {{#3 on mte2 waits for nothing}}
  test.instruction mte2 %later run 0 range(%c16, %c4, %row, %c2, %matrix) : !gm
  // expected-remark @+1 {{#4 on mte2 waits for #0 on fix}}
  test.instruction mte2 %first run 0 range(%c16, %n, %row, %c2, %matrix) : !gm
  return
}

}
