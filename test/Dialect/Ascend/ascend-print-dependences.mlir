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

// A tile that is clipped at both ends: what is loaded and what is filled never meets, whatever the ends are. The loads of
// two tiles may.
func.func @clipped(%x: !array, %low: index, %high: index, %f: f32) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %a = ascend.alloc "a" at 0 : !tile
  %pitch = ascend.stride %x, 0 : !array
  %low8 = arith.minsi %low, %c8 : index
  %begin = arith.maxsi %low8, %c0 : index
  %high8 = arith.minsi %high, %c8 : index
  %end = arith.maxsi %high8, %begin : index
  %rows = arith.subi %end, %begin : index
  %before = arith.muli %begin, %c64 : index
  %there = ascend.slice %a[%before] : !tile -> !any
  %at = ascend.address %x[%begin, %c0] : !array -> !gm
  // expected-remark @+1 {{#0 on mte2 waits for nothing}}
  ascend.copy_in %there, %at rows(%rows) length(%c64) src_pitch(%pitch) dst_pitch 64 right_pad 0 : !any, !gm
  // expected-remark @+1 {{#1 on v waits for nothing}}
  ascend.duplicate %a, %f count(%before) : !tile, f32
  %done = arith.muli %end, %c64 : index
  %rest = ascend.slice %a[%done] : !tile -> !any
  %lacking = arith.subi %c8, %end : index
  %count = arith.muli %lacking, %c64 : index
  // expected-remark @+1 {{#2 on v waits for nothing}}
  ascend.duplicate %rest, %f count(%count) : !any, f32
  // Without the maximum the ends might cross.
  %open = arith.muli %high8, %c64 : index
  %anywhere = ascend.slice %a[%open] : !tile -> !any
  // expected-remark @+1 {{#3 on v waits for #2 on v, #0 on mte2}}
  ascend.duplicate %anywhere, %f count(%c64) : !any, f32
  // expected-remark @+1 {{#4 on v waits for #3 on v, #0 on mte2}}
  ascend.unary exp %a, %a count(%c512) : !tile, !tile
  return
}

// A loop through the first rows of a buffer does not touch those after them.
func.func @strips(%f: f32) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c64 = arith.constant 64 : index
  %c384 = arith.constant 384 : index
  %a = ascend.alloc "a" at 0 : !tile
  scf.for %i = %c0 to %c6 step %c1 {
    %offset = arith.muli %i, %c64 : index
    %row = ascend.slice %a[%offset] : !tile -> !any
    // expected-remark @+1 {{#0 on v waits for nothing}}
    ascend.duplicate %row, %f count(%c64) : !any, f32
  }
  %rest = ascend.slice %a[%c384] : !tile -> !any
  // expected-remark @+1 {{#1 on v waits for nothing}}
  ascend.duplicate %rest, %f count(%c64) : !any, f32
  return
}

// Rows of tile after tile, clipped to a range and `step` apart, have one writer each. A tile that is moved by a number
// that each trip makes again may lie anywhere.
func.func @stores(%x: !array, %y: !array, %low: index, %high: index, %step: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !tile
  %stride = ascend.stride %x, 0 : !array
  %pitch = arith.muli %stride, %step : index
  scf.for %i = %low to %high step %c8 {
    %after = arith.subi %low, %i : index
    %after8 = arith.minsi %after, %c8 : index
    %begin = arith.maxsi %after8, %c0 : index
    %left = arith.subi %high, %i : index
    %left8 = arith.minsi %left, %c8 : index
    %end = arith.maxsi %left8, %begin : index
    %rows = arith.subi %end, %begin : index
    %first = arith.addi %i, %begin : index
    %row = arith.muli %first, %step : index
    %at = ascend.address %x[%row, %c0] : !array -> !gm
    // expected-remark @+1 {{#0 on mte3 waits for nothing}}
    ascend.copy_out %at, %a rows(%rows) length(%c64) dst_pitch(%pitch) src_pitch 64 : !gm, !tile
    %odd = arith.remui %i, %high : index
    %place = ascend.address %y[%odd, %c0] : !array -> !gm
    // expected-remark @+1 {{#1 on mte3 waits for #1 on mte3 of an earlier iteration}}
    ascend.copy_out %place, %a rows(%rows) length(%c64) dst_pitch(%stride) src_pitch 64 : !gm, !tile
  }
  return
}

// Two levels: blocks of a repeat that lie two apart leave every other block to another instruction, also where repeats
// follow each other without a gap.
func.func @interleaved(%f: f32, %g: f32) attributes {ascend.kernel} {
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %a = ascend.alloc "a" at 0 : !tile
  %odd = ascend.slice %a[%c8] : !tile -> !any
  // expected-remark @+1 {{#0 on v waits for nothing}}
  ascend.duplicate %a, %f mask 64 repeat(%c2) strides [2, 16] : !tile, f32
  // expected-remark @+1 {{#1 on v waits for nothing}}
  ascend.duplicate %odd, %g mask 64 repeat(%c2) strides [2, 16] : !any, f32
  // The last block is not full: the holes count as touched.
  // expected-remark @+1 {{#2 on v waits for #1 on v}}
  ascend.duplicate %a, %f mask 60 repeat(%c2) strides [2, 16] : !tile, f32
  return
}
