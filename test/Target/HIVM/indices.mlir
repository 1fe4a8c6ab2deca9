// RUN: attn-opt %s --emit=hivm --no-line-directives --split-input-file --verify-diagnostics | FileCheck %s

// Integers are loads of buffers in GM; those without a sign are cast without one.
!lens = memref<?xi32, strided<[1]>, #ascend.space<gm>>
!table = memref<?x?xui16, strided<[?, 1]>, #ascend.space<gm>>
!x = memref<?x8xf32, strided<[?, 1]>, #ascend.space<gm>>
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<8xf32, #ascend.space<ub>>

// CHECK-LABEL: func.func @indices
func.func @indices(%lens: !lens {launch.dims = ["B"]}, %table: !table {launch.dims = ["B", "P"]}, %x: !x {launch.dims = ["S", 8]})
    attributes {ascend.kernel, ascend.keep_composites} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %v = ascend.alloc "v" at 0 : !ub
  // CHECK: %[[N32:.*]] = memref.load %{{.*}}[%{{.*}}] : memref<?xi32, #gm>
  // CHECK: arith.index_cast %[[N32]] : i32 to index
  %n = ascend.load_index %lens[%c3] : !lens
  // CHECK: %[[J16:.*]] = memref.load %{{.*}}[%{{.*}}] : memref<?xi16, #gm>
  // CHECK: arith.index_castui %[[J16]] : i16 to index
  %j = ascend.load_index %table[%n, %c1] : !table
  // CHECK-NOT: expect
  ascend.expect_index %j is %n in %x, 0 : !x
  %place = ascend.address %x[%j, %c0] : !x -> !gm
  ascend.expect_distinct %j at %place in %x, 0 : !gm, !x
  // CHECK: hivm.hir.load
  ascend.copy_in %v, %place rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  ascend.barrier all
  return
}

// -----

func.func @written(%lens: memref<?xi32, strided<[1]>, #ascend.space<gm>> {launch.dims = ["B"]}) attributes {ascend.kernel, ascend.keep_composites} {
  %c3 = arith.constant 3 : index
  // expected-error@below {{cannot be printed as HIVM: it reads what the kernel has written, and no op drops old lines of the scalar unit's cache}}
  %n = ascend.load_index %lens[%c3] written : memref<?xi32, strided<[1]>, #ascend.space<gm>>
  ascend.barrier all
  return
}
