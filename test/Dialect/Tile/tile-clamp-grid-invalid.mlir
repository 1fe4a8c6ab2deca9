// RUN: attn-opt %s --tile-clamp-grid --split-input-file --verify-diagnostics

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @two(%x: !tile.array<?x64xf32>) attributes {tile.kernel} {
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  // expected-note @+1 {{the other is here}}
  tile.grid (%t) in (%T by 4) {
  }
  // expected-error @+1 {{follows another grid without a tile.phase between, so blocks would not wait for it}}
  tile.grid (%t) in (%T by 4) {
  }
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @inside(%x: !tile.array<?x64xf32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  tile.range %i = %zero to %T {
    // expected-error @+1 {{must be directly in the body of the kernel, not inside a loop}}
    tile.grid (%t) in (%T by 4) {
    }
  }
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @extent(%x: !tile.array<?x64xf32>) attributes {tile.kernel} {
  // expected-error @+1 {{cannot be computed by the caller, but the extent of a grid needs it}}
  %count = tile.block_count
  tile.grid (%t) in (%count) {
  }
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// expected-error @+1 {{the name 'taken_grid' is taken}}
func.func @taken(%x: !tile.array<?x64xf32>) attributes {tile.kernel} {
  return
}
func.func private @taken_grid()
}

// -----

// expected-error @+1 {{the module names no chip: set 'machine.target'}}
module {
}

// -----

// Blocks are counted from the grid, so a grid cannot depend on their number.
module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @blocks(%G: !tile.array<?x64xf32> {launch.dims = ["@blocks", 64], launch.workspace}) attributes {tile.kernel} {
  // expected-error @+1 {{cannot be computed by the caller, but the extent of a grid needs it}}
  %blocks = tile.dim %G, 0 : !tile.array<?x64xf32>
  tile.grid (%b) in (%blocks) {
  }
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @no_grid(%g: !tile.array<64xf32> {launch.dims = [64]},
                   %G: !tile.array<?x64xf32> {launch.dims = ["@blocks", 64], launch.workspace}) attributes {tile.kernel} {
  %row = tile.load %g[:] : (!tile.array<64xf32>) -> !tile.tile<1 x 64 x f32>
  // expected-error @+1 {{is outside of any grid, so there is nothing to sum over}}
  tile.accumulate %row, %G : !tile.tile<1 x 64 x f32>, !tile.array<?x64xf32>
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @nested(%g: !tile.array<?x64xf32> {launch.dims = ["T", 64]},
                  %G: !tile.array<?x64xf32> {launch.dims = ["@blocks", 64], launch.workspace}) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %T = tile.dim %g, 0 : !tile.array<?x64xf32>
  tile.grid (%t) in (%T) {
    tile.range %n = %zero to %T {
      %row = tile.load %g[%n, :] : (!tile.array<?x64xf32>, index) -> !tile.tile<1 x 64 x f32>
      // expected-error @+1 {{must be directly in its grid, not inside a loop: carry the row through the loop and add it afterwards}}
      tile.accumulate %row, %G : !tile.tile<1 x 64 x f32>, !tile.array<?x64xf32>
    }
  }
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @workspace(%g: !tile.array<?x64xf32> {launch.dims = ["T", 64]},
                     %G: !tile.array<?x64xf32> {launch.dims = ["@blocks", 64]}) attributes {tile.kernel} {
  %T = tile.dim %g, 0 : !tile.array<?x64xf32>
  tile.grid (%t) in (%T) {
    %row = tile.load %g[%t, :] : (!tile.array<?x64xf32>, index) -> !tile.tile<1 x 64 x f32>
    // expected-error @+1 {{needs a workspace with a row per block: an argument with 'launch.workspace' whose first dimension is '@blocks'}}
    tile.accumulate %row, %G : !tile.tile<1 x 64 x f32>, !tile.array<?x64xf32>
  }
  return
}
}

// -----

// A sum is seen after a phase only.
module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @early(%g: !tile.array<?x64xf32> {launch.dims = ["T", 64]},
                 %G: !tile.array<?x64xf32> {launch.dims = ["@blocks", 64], launch.workspace}) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %T = tile.dim %g, 0 : !tile.array<?x64xf32>
  tile.grid (%t) in (%T) {
    %row = tile.load %g[%t, :] : (!tile.array<?x64xf32>, index) -> !tile.tile<1 x 64 x f32>
    // expected-note @+1 {{it is summed up here}}
    tile.accumulate %row, %G : !tile.tile<1 x 64 x f32>, !tile.array<?x64xf32>
  }
  // expected-error @+1 {{uses a sum before all blocks have added to it: a tile.phase must be between them}}
  %sum = tile.load %G[%zero, :] : (!tile.array<?x64xf32>, index) -> !tile.tile<1 x 64 x f32>
  tile.phase
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @shared(%g: !tile.array<?x64xf32> {launch.dims = ["T", 64]},
                  %G: !tile.array<?x64xf32> {launch.dims = ["@blocks", 64], launch.workspace}) attributes {tile.kernel} {
  %T = tile.dim %g, 0 : !tile.array<?x64xf32>
  tile.grid (%t) in (%T) {
    %row = tile.load %g[%t, :] : (!tile.array<?x64xf32>, index) -> !tile.tile<1 x 64 x f32>
    // expected-note @+1 {{it is summed up here}}
    tile.accumulate %row, %G : !tile.tile<1 x 64 x f32>, !tile.array<?x64xf32>
  }
  tile.phase
  tile.grid (%t) in (%T) {
    %row = tile.load %g[%t, :] : (!tile.array<?x64xf32>, index) -> !tile.tile<1 x 64 x f32>
    // expected-error @+1 {{adds to a sum of another grid; each grid needs its own}}
    tile.accumulate %row, %G : !tile.tile<1 x 64 x f32>, !tile.array<?x64xf32>
  }
  return
}
}
