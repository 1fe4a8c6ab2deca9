// RUN: attn-opt %s --tile-clamp-grid --split-input-file --verify-diagnostics

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @symbol(%x: !tile.array<?x64xf32>) attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>}} {
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  // expected-error @+1 {{goes by 'BT', which is no number yet: run tile-fit-tiles before}}
  tile.grid (%t) in (%T by BT) {
  }
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @two(%x: !tile.array<?x64xf32>) attributes {tile.kernel} {
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  // expected-note @+1 {{the first is here}}
  tile.grid (%t) in (%T by 4) {
  }
  // expected-error @+1 {{is the second grid of its kernel; a kernel has one}}
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
    // expected-error @+1 {{must stand directly in the kernel, not inside a loop}}
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
