// RUN: attn-opt %s --emit=hivm --no-line-directives --split-input-file --verify-diagnostics | FileCheck %s

// Bits are those of integers of 32 bits, whatever the numbers are.
!ub = memref<64xf32, #ascend.space<ub>>
!word = memref<64xi32, #ascend.space<ub>>

// CHECK-LABEL: func.func @masks
func.func @masks() attributes {ascend.kernel, ascend.keep_composites} {
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !ub
  %m = ascend.alloc "m" at 256 : !word
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<64xf32, #ub>) outs(%{{.*}} : memref<64xi32, #ub>) round_mode = <rint>
  ascend.cast rint %m, %a count(%c64) : !word, !ub
  // CHECK: hivm.hir.vand ins(%{{.*}}, %{{.*}} : memref<64xi32, #ub>, memref<64xi32, #ub>) outs(%{{.*}} : memref<64xi32, #ub>)
  ascend.bitwise and %a, %a, %m count(%c64) : !ub, !ub, !word
  // CHECK: hivm.hir.vor ins(%{{.*}}, %{{.*}} : memref<64xi32, #ub>, memref<64xi32, #ub>) outs(%{{.*}} : memref<64xi32, #ub>)
  ascend.bitwise or %a, %a, %m count(%c64) : !ub, !ub, !word
  ascend.barrier all
  return
}

// -----

func.func @compare() attributes {ascend.kernel, ascend.keep_composites} {
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : memref<64xf32, #ascend.space<ub>>
  %bits = ascend.alloc "bits" at 256 : memref<32xi8, #ascend.space<ub>>
  // expected-error@below {{has no equivalent in HIVM}}
  ascend.compare lt %bits, %a, %a count(%c64) : memref<32xi8, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
  ascend.barrier all
  return
}

// -----

func.func @select() attributes {ascend.kernel, ascend.keep_composites} {
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : memref<64xf32, #ascend.space<ub>>
  %bits = ascend.alloc "bits" at 256 : memref<32xi8, #ascend.space<ub>>
  // expected-error@below {{has no equivalent in HIVM}}
  ascend.select %a, %bits, %a, %a count(%c64) : memref<64xf32, #ascend.space<ub>>, memref<32xi8, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
  ascend.barrier all
  return
}
