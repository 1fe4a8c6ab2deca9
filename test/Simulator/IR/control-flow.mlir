// RUN: attn-sim %s --arg=i64:5 --arg=undef:1xf32 --print=1 | FileCheck %s --check-prefix=FIVE
// RUN: attn-sim %s --arg=i64:0 --arg=undef:1xf32 --print=1 | FileCheck %s --check-prefix=NONE

// The scalar unit: loops with carried values that swap, conditions, integer and f32 arithmetic.
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<8xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// Fibonacci by swapping: after five turns 5; odd turns were 3.
// FIVE: values of argument 1:
// FIVE-NEXT: {{^}}  53{{$}}
// NONE: values of argument 1:
// NONE-NEXT: {{^}}  0{{$}}
func.func @kernel(%n: i64, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c10 = arith.constant 10 : index
  %count = arith.index_cast %n : i64 to index
  %a, %b, %odd = scf.for %i = %c0 to %count step %c1 iter_args(%x = %c0, %y = %c1, %seen = %c0) -> (index, index, index) {
    %sum = arith.addi %x, %y : index
    %rest = arith.remsi %sum, %c2 : index
    %isOdd = arith.cmpi eq, %rest, %c1 : index
    %more = scf.if %isOdd -> (index) {
      %next = arith.addi %seen, %c1 : index
      scf.yield %next : index
    } else {
      scf.yield %seen : index
    }
    scf.yield %y, %sum, %more : index, index, index
  }
  %tens = arith.muli %a, %c10 : index
  %both = arith.addi %tens, %odd : index
  %number = arith.index_cast %both : index to i64
  %value = arith.sitofp %number : i64 to f32
  %d = ascend.alloc "d" at 0 : !ub
  %op = ascend.address %o[%c0] : !gm -> !gm
  ascend.duplicate %d, %value count(%c1) : !ub, f32
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c1) dst_pitch(%c1) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}
}
