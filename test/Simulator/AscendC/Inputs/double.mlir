// Each block doubles a row.
!array = memref<2x64xf32, #ascend.space<gm>>
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>
module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @kernel(%x: !array, %o: !array {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %two = arith.constant 2.0 : f32
  %id = ascend.block_id
  %v = ascend.alloc "v" at 0 : !ub
  %xp = ascend.address %x[%id, %c0] : !array -> !gm
  %op = ascend.address %o[%id, %c0] : !array -> !gm
  ascend.copy_in %v, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.set_flag mte2 to v event 0
  ascend.wait_flag mte2 to v event 0
  ascend.scalar muls %v, %v, %two count(%c64) : !ub, !ub, f32
  ascend.barrier all
  ascend.copy_out %op, %v rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}
}
