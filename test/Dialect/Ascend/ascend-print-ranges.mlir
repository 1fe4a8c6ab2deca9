// RUN: attn-opt %s --ascend-print-ranges -verify-diagnostics -split-input-file

!array = memref<?x64xf32, strided<[?, 1]>, #ascend.space<gm>>
!table = !ascend.table<!array>

func.func @launch(%x: !array, %t: !table) attributes {ascend.kernel} {
  // expected-remark @+1 {{result 0 is at least 0}}
  %block = ascend.block_id
  // expected-remark @+1 {{result 0 is at least 1}}
  %blocks = ascend.block_count
  // expected-remark @+1 {{result 0 is at least 0}}
  %core = ascend.core_id
  // expected-remark @+1 {{result 0 is from 0 to 1}}
  %sub = ascend.sub_block_id
  // expected-remark @+1 {{result 0 is at least 1}}
  %rows = ascend.dim %x, 0 : !array
  // expected-remark @+1 {{result 0 is from 64 to 64}}
  %cols = ascend.dim %x, 1 : !array
  // expected-remark @+1 {{result 0 is at least 0}}
  %pitch = ascend.stride %x, 0 : !array
  // expected-remark @+1 {{result 0 is from 1 to 1}}
  %one = ascend.stride %x, 1 : !array
  // The entries of a table come first.
  // expected-remark @+1 {{result 0 is at least 1}}
  %entries = ascend.dim %t, 0 : !table
  // expected-remark @+1 {{result 0 is from 64 to 64}}
  %last = ascend.dim %t, 2 : !table
  // expected-remark @+1 {{result 0 is from 1 to 1}}
  %unit = ascend.stride %t, 2 : !table
  return
}

// -----

// Index arithmetic does not overflow: products of sizes keep their sign, and what is only bounded
// by the width of integers is not called a bound.
func.func @arithmetic(%x: memref<?x?x?xf32, strided<[?, ?, 1]>, #ascend.space<gm>>, %n: index) attributes {ascend.kernel} {
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  // expected-remark @+1 {{result 0 is at least 1}}
  %a = ascend.dim %x, 0 : memref<?x?x?xf32, strided<[?, ?, 1]>, #ascend.space<gm>>
  // expected-remark @+1 {{result 0 is at least 1}}
  %b = ascend.dim %x, 1 : memref<?x?x?xf32, strided<[?, ?, 1]>, #ascend.space<gm>>
  // expected-remark @+1 {{result 0 is at least 1}}
  %c = ascend.dim %x, 2 : memref<?x?x?xf32, strided<[?, ?, 1]>, #ascend.space<gm>>
  // expected-remark @+1 {{result 0 is at least 1}}
  %ab = arith.muli %a, %b : index
  // expected-remark @+1 {{result 0 is at least 1}}
  %abc = arith.muli %ab, %c : index
  // expected-remark @+1 {{result 0 is at least 9}}
  %more = arith.addi %abc, %c8 : index
  // expected-remark @+1 {{result 0 is at least -63}}
  %left = arith.subi %a, %c64 : index
  // expected-remark @+1 {{result 0 is from -63 to 64}}
  %most = arith.minsi %left, %c64 : index
  // expected-remark @+1 {{result 0 is from 8 to 64}}
  %clamped = arith.maxsi %most, %c8 : index
  // expected-remark @+1 {{result 0 is from 1 to 8}}
  %repeats = arith.ceildivsi %clamped, %c8 : index
  // expected-remark @+1 {{result 0 is at least 1}}
  %tiles = arith.ceildivui %abc, %c64 : index
  // expected-remark @+1 {{result 0 may be anything}}
  %unknown = arith.addi %n, %c8 : index
  // expected-remark @+1 {{result 0 is at most 64}}
  %below = arith.minsi %unknown, %c64 : index
  return
}

// -----

func.func @loops(%n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  // A slot comes back to where it was; the loop around hands it on.
  // expected-remark @+3 {{argument 0 is at least 0}}
  // expected-remark @+2 {{argument 1 is from 0 to 1}}
  // expected-remark @+1 {{result 0 is from 0 to 1}}
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %c0) -> (index) {
    // expected-remark @+3 {{argument 0 is from 0 to 7}}
    // expected-remark @+2 {{argument 1 is from 0 to 1}}
    // expected-remark @+1 {{result 0 is from 0 to 1}}
    %inner = scf.for %j = %c0 to %c8 step %c1 iter_args(%slot = %outer) -> (index) {
      // expected-remark @+1 {{result 0 is from 1 to 2}}
      %more = arith.addi %slot, %c1 : index
      // expected-remark @+1 {{result 0 is from 0 to 1}}
      %next = arith.remui %more, %c2 : index
      scf.yield %next : index
    }
    scf.yield %inner : index
  }
  // What grows from trip to trip has no bound but keeps its sign, also where it grows in one loop
  // and is carried by another.
  // expected-remark @+3 {{argument 0 is at least 0}}
  // expected-remark @+2 {{argument 1 is at least 0}}
  // expected-remark @+1 {{result 0 is at least 0}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%before = %c0) -> (index) {
    // expected-remark @+1 {{result 0 is at least 8}}
    %after = arith.addi %before, %c8 : index
    // expected-remark @+3 {{argument 0 is from 0 to 7}}
    // expected-remark @+2 {{argument 1 is at least 0}}
    // expected-remark @+1 {{result 0 is at least 0}}
    %same = scf.for %j = %c0 to %c8 step %c1 iter_args(%on = %after) -> (index) {
      scf.yield %on : index
    }
    scf.yield %same : index
  }
  // expected-remark @+3 {{argument 0 is at least 0}}
  // expected-remark @+2 {{argument 1 may be anything}}
  // expected-remark @+1 {{result 0 may be anything}}
  %fall = scf.for %i = %c0 to %n step %c1 iter_args(%before = %c0) -> (index) {
    // expected-remark @+1 {{result 0 may be anything}}
    %after = arith.subi %before, %c8 : index
    scf.yield %after : index
  }
  return
}

// -----

!array = !tile.array<?x64xf32>

// The indices of tiles tell their ranges as well.
func.func @tile(%x: !array, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  // expected-remark @+1 {{result 0 is at least 1}}
  %rows = tile.dim %x, 0 : !array
  // expected-remark @+1 {{result 0 is from 64 to 64}}
  %cols = tile.dim %x, 1 : !array
  // expected-remark @+1 {{result 0 is at least 1}}
  %size = tile.size BT
  // expected-remark @+1 {{result 0 is from 32 to 32}}
  %bound = tile.size 32
  // expected-remark @+1 {{result 0 is at least 0}}
  %block = tile.block_id
  // expected-remark @+1 {{result 0 is at least 1}}
  %blocks = tile.block_count
  // expected-remark @+2 {{argument 0 is from 0 to 7}}
  // expected-remark @+1 {{argument 2 is at least 0}}
  tile.grid (%a, %t, %b) in (%c8, %rows by BT, %rows) {
    // expected-remark @+1 {{result 0 is at least 0}}
    %base = tile.span_base %t : !tile.span<BT>
    // expected-remark @+3 {{argument 0 is from 0 to 7}}
    // expected-remark @+2 {{argument 1 is at least 0}}
    // expected-remark @+1 {{result 0 is at least 0}}
    %sum = tile.range %i = %a to %c8 iter(%before = %c0 : index) {
      // expected-remark @+1 {{result 0 is at least 0}}
      %after = arith.addi %before, %i : index
      tile.yield %after : index
    }
    tile.range %s = %n to %rows by BT {
      // expected-remark @+1 {{result 0 may be anything}}
      %first = tile.span_base %s : !tile.span<BT>
    }
  }
  return
}
