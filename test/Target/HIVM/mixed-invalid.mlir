// RUN: attn-opt %s --emit=hivm --split-input-file --verify-diagnostics

func.func @a() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  // expected-error@below {{waits for flag 3, which no other core of a group sets}}
  ascend.cross_wait flag 3
  ascend.cross_set mte3 flag 3
  ascend.barrier all
  return
}
func.func @a_cube() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @a} {
  ascend.cross_wait flag 3
  ascend.barrier all
  return
}

// -----

func.func @b() attributes {ascend.kernel} {
  // expected-error@below {{is a flag between the cores of a group, but its kernel has none}}
  ascend.cross_set mte3 flag 3
  ascend.barrier all
  return
}
