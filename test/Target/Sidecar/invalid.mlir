// RUN: attn-opt %s --emit=sidecar --split-input-file --verify-diagnostics

// expected-error@below {{a sidecar describes one kernel, but the module has 0}}
module attributes {machine.target = #machine.target<"Ascend910B4">} {
}

// -----

// expected-error@below {{a sidecar describes one kernel, but the module has 2}}
module attributes {machine.target = #machine.target<"Ascend910B4">} {
  // expected-note@below {{'a'}}
  func.func @a() attributes {ascend.kernel} { return }
  // expected-note@below {{'b'}}
  func.func @b() attributes {ascend.kernel} { return }
}

// -----

// expected-error@below {{the module names no chip}}
module {
  func.func @a() attributes {ascend.kernel} { return }
}

// -----

module attributes {machine.target = #machine.target<"host">} {
  // expected-error@below {{is for a chip with pipes, but the module's target is 'host'}}
  func.func @a() attributes {ascend.kernel} { return }
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
  // expected-error@below {{argument 0 (arg0) is workspace whose size in dimension 1 is not known: name it in 'launch.dims'}}
  func.func @a(%G: memref<8x?xf32, strided<[?, 1]>, #ascend.space<gm>> {launch.workspace}) attributes {ascend.kernel} {
    return
  }
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
  func.func @a(%n: index) attributes {ascend.kernel, launch.limit = 40 : i64} { return }
  func.func @a_grid(%n: index) -> index attributes {launch.grid_of = @a} {
    // expected-error@below {{counts the tiles of a kernel, but has no place in the formula of a sidecar}}
    %m = arith.shli %n, %n : index
    return %m : index
  }
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
  func.func @a(%n: index) attributes {ascend.kernel, launch.limit = 40 : i64} { return }
  // expected-error@below {{counts tiles with more than 1000 terms, which no sidecar holds}}
  func.func @a_grid(%n: index) -> index attributes {launch.grid_of = @a} {
    %0 = arith.addi %n, %n : index
    %1 = arith.addi %0, %0 : index
    %2 = arith.addi %1, %1 : index
    %3 = arith.addi %2, %2 : index
    %4 = arith.addi %3, %3 : index
    %5 = arith.addi %4, %4 : index
    %6 = arith.addi %5, %5 : index
    %7 = arith.addi %6, %6 : index
    %8 = arith.addi %7, %7 : index
    return %8 : index
  }
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
  // expected-error@below {{may be launched on 48 blocks, which meet, but 'Ascend910B4' has 40 vector cores}}
  func.func @a() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<meeting_vector>, launch.limit = 48 : i64} {
    ascend.sync_all
    return
  }
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
  func.func @a(%n: index) attributes {ascend.kernel} { return }
  // expected-error@below {{must take the arguments of 'a', after which it is launched}}
  func.func @b() attributes {ascend.kernel, launch.after = @a} { return }
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
  func.func @a() attributes {ascend.kernel} {
    // expected-error@below {{has no address: ascend-plan-memory must run first}}
    %0 = ascend.alloc "x" : memref<64xf32, #ascend.space<ub>>
    return
  }
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
  func.func @a(%n: index) attributes {ascend.kernel} { return }
  // expected-error@below {{must take the arguments of 'a', whose tiles it counts}}
  func.func @a_grid(%n: index, %m: index) -> index attributes {launch.grid_of = @a} { return %m : index }
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
  func.func @a(%x: f32) attributes {ascend.kernel} { return }
  // expected-error@below {{must have one block and return one number, the count of tiles}}
  func.func @a_grid(%x: f32) -> f32 attributes {launch.grid_of = @a} { return %x : f32 }
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
  // expected-error@below {{kernel name 'for' must be an identifier of at most 49 characters}}
  func.func @for() attributes {ascend.kernel} { return }
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
  // expected-error@below {{argument 0 of kernel 'a' must be an array, f32, i32, i64 or index, not 'f16'}}
  func.func @a(%x: f16) attributes {ascend.kernel} { return }
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
  // expected-error@below {{is a mixed kernel without a cube half: no kernel has 'ascend.half_of = @a'}}
  func.func @a() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} { return }
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
  func.func @a() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
    // expected-error@below {{lies in ub, which cube cores do not have}}
    %u = ascend.alloc "u" at 0 : memref<8xf32, #ascend.space<ub>>
    return
  }
}
