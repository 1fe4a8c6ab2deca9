// RUN: attn-opt %s -verify-diagnostics -split-input-file

// What the vendor would refuse is refused here too.
#ub = #hivm.address_space<ub>
func.func @flag() {
  // expected-error@below {{unknown event 'EVENT_ID8'}}
  hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID8>]
  return
}

// -----

#gm = #hivm.address_space<gm>
#ub = #hivm.address_space<ub>
func.func @space(%a: memref<4xf32, #gm>, %b: memref<4xf32, #ub>) {
  // expected-error@below {{needs memory in gm, not}}
  hivm.hir.load ins(%b : memref<4xf32, #ub>) outs(%b : memref<4xf32, #ub>)
  return
}

// -----

#gm = #hivm.address_space<gm>
#ub = #hivm.address_space<ub>
func.func @shapes(%a: memref<4xf32, #gm>, %b: memref<8xf32, #ub>) {
  // expected-error@below {{has different shapes}}
  hivm.hir.load ins(%a : memref<4xf32, #gm>) outs(%b : memref<8xf32, #ub>)
  return
}

// -----

#ub = #hivm.address_space<ub>
func.func @broadcast(%a: memref<4x8xf32, #ub>, %r: memref<4x1xf32, #ub>) {
  // expected-error@below {{has 1 elements in dimension 1, not 8}}
  hivm.hir.vmul ins(%a, %r : memref<4x8xf32, #ub>, memref<4x1xf32, #ub>) outs(%a : memref<4x8xf32, #ub>)
  return
}

// -----

#ub = #hivm.address_space<ub>
func.func @sources(%a: memref<4x8xf32, #ub>) {
  // expected-error@below {{takes 2 sources, not 1}}
  hivm.hir.vmul ins(%a : memref<4x8xf32, #ub>) outs(%a : memref<4x8xf32, #ub>)
  return
}

// -----

#ub = #hivm.address_space<ub>
func.func @sizes(%address: i64) {
  // expected-error@below {{has 0 sizes for}}
  %x = hivm.hir.pointer_cast(%address) : memref<?xf32, #ub>
  return
}

// -----

#ub = #hivm.address_space<ub>
func.func @addresses(%address: i64) {
  // expected-error@below {{has 2 addresses; one is known here}}
  %x = hivm.hir.pointer_cast(%address, %address) : memref<8xf32, #ub>
  return
}

// -----

#ub = #hivm.address_space<ub>
func.func @reduce(%a: memref<4x8xf32, #ub>, %r: memref<1x8xf32, #ub>) {
  // expected-error@below {{reduces the rows of}}
  hivm.hir.vreduce <sum> ins(%a : memref<4x8xf32, #ub>) outs(%r : memref<1x8xf32, #ub>) temp_buffer(%a : memref<4x8xf32, #ub>) reduce_dims = [0]
  return
}

// -----

#ub = #hivm.address_space<ub>
func.func @fill(%a: memref<4xf32, #ub>, %s: bf16) {
  // expected-error@below {{cannot fill}}
  hivm.hir.vbrc ins(%s : bf16) outs(%a : memref<4xf32, #ub>)
  return
}
