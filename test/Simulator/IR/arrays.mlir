// RUN: attn-sim %s --arg=table:3:iota:4x8xf32@16,1 --arg=i64:1 --arg=undef:3x8xf32 --arg=workspace --print=2 | FileCheck %s

// Tables, dimensions, strides, slots, slices, blocks of a grid and workspaces.
!row = memref<?x8xf32, strided<[?, 1]>, #ascend.space<gm>>
!table = !ascend.table<!row>
!gm = memref<?xf32, #ascend.space<gm>>
!slots = memref<2x8xf32, #ascend.space<ub>>
!ub = memref<8xf32, #ascend.space<ub>>
!any = memref<?xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK: blocks: 3 on 3 cores
// CHECK: gm argument 0: read 96, written 0 bytes
// CHECK: gm argument 2: read 0, written 96 bytes
// CHECK: gm argument 3: read 96, written 96 bytes
// CHECK: hazards: 0
// CHECK: values of argument 2:
// CHECK-NEXT: {{^}}  8 9 10 11 12 13 14 15{{$}}
// CHECK-NEXT: {{^}}  8 9 10 11 12 13 14 15{{$}}
// CHECK-NEXT: {{^}}  8 9 10 11 12 13 14 15{{$}}
func.func @kernel(%x: !table, %at: index, %o: !row {launch.output, launch.dims = ["N", 8]},
                  %w: !row {launch.workspace, launch.dims = ["@blocks", 8]}) attributes {ascend.kernel, launch.limit = 40 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %id = ascend.block_id
  %v = ascend.alloc "v" at 0 : !slots
  %now = ascend.slot %v[%c1] : !slots -> !ub
  %start = ascend.slice %now[%c0] : !ub -> !any
  %array = ascend.lookup %x[%id] : !table -> !row
  %stride = ascend.stride %array, 0 : !row
  %xp = ascend.address %array[%at, %c0] : !row -> !gm
  %wp = ascend.address %w[%id, %c0] : !row -> !gm
  %op = ascend.address %o[%id, %c0] : !row -> !gm
  ascend.copy_in %start, %xp rows(%c1) length(%c8) src_pitch(%stride) dst_pitch 8 right_pad 0 : !any, !gm
  ascend.barrier all
  ascend.copy_out %wp, %now rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 8 : !gm, !ub
  ascend.barrier all
  ascend.copy_in %start, %wp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !any, !gm
  ascend.barrier all
  ascend.copy_out %op, %now rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}
func.func @grid(%x: !table, %at: index, %o: !row, %w: !row {launch.workspace, launch.dims = ["@blocks", 8]}) -> index attributes {launch.grid_of = @kernel} {
  %n = ascend.dim %x, 0 : !table
  return %n : index
}
}
