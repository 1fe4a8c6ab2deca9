// RUN: not attn-sim %s --kernel=endless --arg=undef:8xf32 --max-steps=1000 2>&1 | FileCheck %s --check-prefix=ENDLESS
// RUN: not attn-sim %s --kernel=large --arg=i64:1000 --max-tiles=999 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: attn-sim %s --kernel=large --arg=i64:1000 --max-tiles=1000

// Of the loops that a program is in when it has run for too long, the one with the most to go is named, and a launch of too many
// tiles does not begin.
!gm = memref<?xf32, #ascend.space<gm>>
module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @endless(%o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %many = arith.constant 1000000000 : index
  scf.for %a = %c0 to %c4 step %c1 {
    // ENDLESS: endless.mlir:[[@LINE+1]]:5: error: scalar unit: for runs for more scalar steps than the simulator allows, with 9999{{[0-9]+}} of its range to go
    scf.for %i = %c0 to %many step %c1 {
      scf.for %j = %c0 to %c4 step %c1 {
      }
    }
  }
  ascend.barrier all
  return
}

// LARGE: endless.mlir:[[@LINE+1]]:1: error: has 1000 tiles in its grid; the modelled chip runs at most 999
func.func @large(%n: index) attributes {ascend.kernel, launch.limit = 4 : i64} {
  ascend.barrier all
  return
}
func.func @large_grid(%n: index) -> index attributes {launch.grid_of = @large} {
  return %n : index
}
}
