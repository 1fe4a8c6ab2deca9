// RUN: not attn-sim %s --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s

// Hazards are reported at the line of the source that an instruction comes from.
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>

// CHECK: kernel.py:4:9: error: race: unary exp reads buffer "v" (bytes 0 to 255) while copy_in on mte2 writes it: nothing orders them [block 0, pipe v]
// CHECK: kernel.py:3:9: note: the other is copy_in on mte2
module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @kernel(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %a = ascend.alloc "v" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm loc("v"("kernel.py":3:9))
  ascend.unary exp %d, %a count(%c64) : !ub, !ub loc("e"("kernel.py":4:9))
  ascend.barrier all
  return
}
}
