// RUN: attn-opt %s --ascend-print-dependences -verify-diagnostics

!gm = memref<?xf32, #ascend.space<gm>>
!array = memref<?x64xf32, strided<[?, 1]>, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>
!two = memref<2x64xf32, #ascend.space<ub>>
!tile = memref<512xf32, #ascend.space<ub>>
!any = memref<?xf32, #ascend.space<ub>>

func.func @slots(%x: !gm, %y: !array, %n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %v = ascend.alloc "v" at 0 : !two
  %w = ascend.alloc "w" at 512 : !ub
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%slot = %c0) -> (index) {
    %now = ascend.slot %v[%slot] : !two -> !ub
    // expected-remark @+1 {{#0 on mte2 waits for #1 on v of an earlier iteration by slot, #0 on mte2 of an earlier iteration by slot}}
    ascend.copy_in %now, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    // expected-remark @+1 {{#1 on v waits for #0 on mte2 by slot, #1 on v of an earlier iteration, #2 on mte3 of an earlier iteration}}
    ascend.unary exp %w, %now count(%c64) : !ub, !ub
    %at = ascend.address %y[%i, %c0] : !array -> !gm
    // expected-remark @+1 {{#2 on mte3 waits for #1 on v}}
    ascend.copy_out %at, %w rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
    %more = arith.addi %slot, %c1 : index
    %next = arith.remui %more, %c2 : index
    scf.yield %next : index
  }
  return
}

// By bytes: rows of one buffer, a tail that only the amount's bound keeps out of the next buffer, and reused bytes.
func.func @bytes(%n: index, %f: f32, %g: f32) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !tile
  %b = ascend.alloc "b" at 2048 : !ub
  %c = ascend.alloc "c" at 128 : !ub
  %most = arith.minsi %n, %c32 : index
  // expected-remark @+1 {{#0 on v waits for nothing}}
  ascend.duplicate %b, %f count(%c64) : !ub, f32
  // expected-remark @+1 {{#1 on v waits for nothing}}
  ascend.duplicate %a, %f count(%most) : !tile, f32
  // expected-remark @+1 {{#2 on v waits for nothing}}
  ascend.duplicate %c, %f count(%c32) : !ub, f32
  // expected-remark @+1 {{#3 on v waits for #2 on v}}
  ascend.duplicate %c, %g count(%c64) : !ub, f32
  scf.for %i = %c0 to %c8 step %c1 {
    %offset = arith.muli %i, %c64 : index
    %row = ascend.slice %a[%offset] : !tile -> !any
    // expected-remark @+1 {{#4 on v waits for #3 on v}}
    ascend.unary exp %row, %row count(%c64) : !any, !any
  }
  // expected-remark @+1 {{#5 on v waits for #4 on v}}
  ascend.unary exp %a, %a count(%n) : !tile, !tile
  return
}
