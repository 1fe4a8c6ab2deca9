// RUN: not attn-sim %s --arg=values:2,-1,70000:3xi64 --arg=values:7,65535:1x2xu16 --arg=values:0:1xi32 --arg=undef:3xf32 --print=3 2>&1 | FileCheck %s
// RUN: not attn-sim %s --arg=values:2:1xi64 --arg=values:7,65535:1x2xu16 --arg=values:0:1xi32 --arg=undef:3xf32 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not attn-sim %s --arg=values:2,-1,70000:3xi64 --arg=values:7,65535:1x2xu16 --arg=values:0:1xi32 --arg=undef:3xf32 --timing-only 2>&1 | FileCheck %s --check-prefix=TIME
// RUN: not attn-sim %s --arg=values:2,-1,70000:3xi64 --arg=values:7,65535:1x2xu16 --arg=values:0:1xi32 --arg=undef:3xf32 --print=0 2>&1 | FileCheck %s --check-prefix=WORDS
// RUN: not attn-sim %s --arg=values:2,-1,70000:3xi64 --arg=values:7,65535:1x2xu16 --arg=values:0:1xi32 --arg=undef:3xf32 --print=1 2>&1 | FileCheck %s --check-prefix=SHORTS
// WORDS: values of argument 0:
// WORDS-NEXT: {{^}}  2 -1 70000{{$}}
// SHORTS: values of argument 1:
// SHORTS-NEXT: {{^}}  7 65535{{$}}

// Integers from memory with and without a sign; wrong ones are reported, and the run goes on.
!words = memref<?xi64, strided<[1]>, #ascend.space<gm>>
!shorts = memref<?x?xui16, strided<[?, 1]>, #ascend.space<gm>>
!ints = memref<?xi32, strided<[1]>, #ascend.space<gm>>
!out = memref<?xf32, strided<[1]>, #ascend.space<gm>>
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<8xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK-DAG: error: out of bounds: index 65535 of dimension 0 of array "words", which has 3
// CHECK-DAG: error: out of bounds: index -1 of dimension 0 of array "words", which has 3
// CHECK-DAG: error: out of bounds: loop has 8192 iterations by "shorts"; where no array ends a loop, it has at most 100
// CHECK-DAG: values of argument 3:
// CHECK: {{^}}  65533 65533 65533{{$}}
// OUTSIDE: error: out of bounds: load_index takes index 1 of dimension 0 of array "words", which has 1
// TIME: error: scalar unit: load_index reads array "words", whose values this run does not have
func.func @kernel(%words: !words loc("words"), %shorts: !shorts, %ints: !ints, %o: !out {launch.output, launch.dims = ["N"]})
    attributes {ascend.kernel, launch.limit = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %less = ascend.load_index %words[%c1] : !words
  %large = ascend.load_index %shorts[%c0, %c1] : !shorts
  %none = ascend.load_index %ints[%c0] : !ints
  ascend.expect_index %large is %c2 in %words, 0 : !words
  ascend.expect_index %less is %c0 in %words, 0 : !words
  ascend.expect_index %none is %c0 in %words, 0 : !words
  ascend.expect_count %large is %c0 from %c0 by 8 most 100 of "shorts"
  ascend.expect_count %c3 is %c3 from %c0 by 8 most 100 of "shorts"
  // 65535 - 1 - 1 and no more.
  %a = arith.addi %large, %less : index
  %b = arith.addi %a, %less : index
  %c = arith.addi %b, %none : index
  %word = arith.index_cast %c : index to i64
  %value = arith.sitofp %word : i64 to f32
  %v = ascend.alloc "v" at 0 : !ub
  ascend.duplicate %v, %value count(%c3) : !ub, f32
  ascend.barrier all
  %op = ascend.address %o[%c0] : !out -> !gm
  ascend.copy_out %op, %v rows(%c1) length(%c3) dst_pitch(%c3) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}
func.func @grid(%words: !words, %shorts: !shorts, %ints: !ints, %o: !out) -> index attributes {launch.grid_of = @kernel} {
  %n = arith.constant 1 : index
  return %n : index
}
}
