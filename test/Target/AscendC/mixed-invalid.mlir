// RUN: attn-opt %s --emit=ascendc --split-input-file --verify-diagnostics
// What texts of kernels on groups of cores refuse.

func.func @a() attributes {ascend.kernel} {
  // expected-error@below {{is a flag between the cores of a group, but 'ascend.kind' of its kernel is vector}}
  ascend.cross_set mte3 flag 0
  ascend.barrier all
  return
}

// -----

func.func @b() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  // expected-error@below {{needs the pipe fix, which vector cores do not have}}
  ascend.cross_set fix flag 0
  ascend.barrier all
  return
}
func.func @b_cube() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @b} {
  ascend.cross_wait flag 0
  ascend.barrier all
  return
}

// -----

func.func @c(%x: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  ascend.barrier all
  return
}
// expected-error@below {{must take the arguments of 'c', half of which it is}}
func.func @c_cube() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @c} {
  ascend.barrier all
  return
}

// -----

// expected-error@below {{is half of 'none', which does not exist}}
func.func @d() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @none} {
  ascend.barrier all
  return
}

// -----

!w = memref<?x64xf32, strided<[64, 1]>, #ascend.space<gm>>
// expected-error@below {{argument 0 of kernel 'e' has a part per core, for which texts of mixed kernels have no number: '@groups' gives each group one}}
func.func @e(%w: !w {launch.workspace, launch.dims = ["@cores", 64]}) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  ascend.barrier all
  return
}
func.func @e_cube(%w: !w {launch.workspace, launch.dims = ["@cores", 64]}) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @e} {
  ascend.barrier all
  return
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// expected-error@below {{kernel 'f' may start 21 groups of cores, but Ascend910B4 has 20}}
func.func @f() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, launch.limit = 21 : i64} {
  ascend.barrier all
  return
}
func.func @f_cube() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @f} {
  ascend.barrier all
  return
}
}

// -----

func.func @g() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  // expected-error@below {{lies in l1, where texts of vector cores have no tensors}}
  %a = ascend.alloc "a" at 0 : memref<64xf32, #ascend.space<l1>>
  ascend.barrier all
  return
}
func.func @g_cube() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @g} {
  ascend.barrier all
  return
}
