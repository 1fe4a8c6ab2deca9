// RUN: attn-opt %s --tile-split-phases --split-input-file --verify-diagnostics
// RUN: not attn-opt %s --tile-split-phases=phases=both 2>&1 | FileCheck %s
// CHECK: error: unknown value 'both' of the option phases; known: barrier, launches

// What depends on an array that the kernel writes cannot be computed again: it may have changed.
module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @changed(%x: !tile.array<64xf32> {launch.dims = [64], launch.output}) attributes {tile.kernel, launch.limit = 1 : i64} {
  // expected-error @+1 {{is needed after a tile.phase, but cannot be computed again there: store its result and load it after the phase}}
  %row = tile.load %x[:] : (!tile.array<64xf32>) -> !tile.tile<1 x 64 x f32>
  %more = tile.exp %row : !tile.tile<1 x 64 x f32>
  tile.phase
  tile.store %more, %x[:] : (!tile.tile<1 x 64 x f32>, !tile.array<64xf32>) -> ()
  return
}
func.func @changed_grid(%x: !tile.array<64xf32> {launch.dims = [64], launch.output}) -> index attributes {launch.grid_of = @changed} {
  %one = arith.constant 1 : index
  return %one : index
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// expected-error @+1 {{no function counts its tiles: tile-clamp-grid must run first}}
func.func @uncounted() attributes {tile.kernel} {
  tile.phase
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// expected-error @+1 {{the name 'taken_phase1' is taken, but a phase of this kernel needs it}}
func.func @taken() attributes {tile.kernel} {
  tile.phase
  return
}
func.func @taken_grid() -> index attributes {launch.grid_of = @taken} {
  %one = arith.constant 1 : index
  return %one : index
}
func.func private @taken_phase1()
}

// -----

// expected-error @+1 {{the module names no chip: set 'machine.target'}}
module {
}
