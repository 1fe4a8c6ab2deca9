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

// -----

#gm = #hivm.address_space<gm>
#cbuf = #hivm.address_space<cbuf>
#cc = #hivm.address_space<cc>
func.func @fractals(%a: memref<?x?xf16, #gm>, %b: memref<2x2x16x32xf16, #cbuf>) {
  // expected-error@below {{needs fractals of 16 by 16, not}}
  hivm.hir.nd2nz {dst_continuous} ins(%a : memref<?x?xf16, #gm>) outs(%b : memref<2x2x16x32xf16, #cbuf>) init_out_buffer = false
  return
}

// -----

#gm = #hivm.address_space<gm>
#cbuf = #hivm.address_space<cbuf>
#cc = #hivm.address_space<cc>
func.func @array(%a: memref<?xf16, #gm>, %b: memref<2x2x16x16xf16, #cbuf>) {
  // expected-error@below {{needs rows of an array, not}}
  hivm.hir.nd2nz {dst_continuous} ins(%a : memref<?xf16, #gm>) outs(%b : memref<2x2x16x16xf16, #cbuf>) init_out_buffer = false
  return
}

// -----

#gm = #hivm.address_space<gm>
#cbuf = #hivm.address_space<cbuf>
#cc = #hivm.address_space<cc>
func.func @elements(%a: memref<?x?xbf16, #gm>, %b: memref<2x2x16x16xf16, #cbuf>) {
  // expected-error@below {{has different element types}}
  hivm.hir.nd2nz {dst_continuous} ins(%a : memref<?x?xbf16, #gm>) outs(%b : memref<2x2x16x16xf16, #cbuf>) init_out_buffer = false
  return
}

// -----

#gm = #hivm.address_space<gm>
#cbuf = #hivm.address_space<cbuf>
#cc = #hivm.address_space<cc>
func.func @continuous(%a: memref<?x?xf16, #gm>, %b: memref<2x2x16x16xf16, #cbuf>) {
  // expected-error@below {{needs 'dst_continuous'}}
  hivm.hir.nd2nz ins(%a : memref<?x?xf16, #gm>) outs(%b : memref<2x2x16x16xf16, #cbuf>) init_out_buffer = false
  return
}

// -----

#gm = #hivm.address_space<gm>
#cbuf = #hivm.address_space<cbuf>
#cc = #hivm.address_space<cc>
func.func @filled(%a: memref<?x?xf16, #gm>, %b: memref<2x2x16x16xf16, #cbuf>) {
  // expected-error@below {{fills nothing: the vendor's last pass drops 'init_out_buffer'}}
  hivm.hir.nd2nz {dst_continuous} ins(%a : memref<?x?xf16, #gm>) outs(%b : memref<2x2x16x16xf16, #cbuf>) init_out_buffer = true
  return
}

// -----

#gm = #hivm.address_space<gm>
#cbuf = #hivm.address_space<cbuf>
#cc = #hivm.address_space<cc>
func.func @sums(%a: memref<2x2x16x16xf16, #cbuf>, %c: memref<2x2x16x16xi32, #cc>, %init: i1, %n: index) {
  // expected-error@below {{has no product of 'memref<2x2x16x16xf16}}
  hivm.hir.mmadL1 ins(%a, %a, %init, %n, %n, %n : memref<2x2x16x16xf16, #cbuf>, memref<2x2x16x16xf16, #cbuf>, i1, index, index, index) outs(%c : memref<2x2x16x16xi32, #cc>)
  return
}

// -----

#ub = #hivm.address_space<ub>
func.func @turned(%a: memref<16x32xf16, #ub>, %b: memref<16x32xf16, #ub>) {
  // expected-error@below {{turns the rows of 'memref<16x32xf16, #hivm.address_space<ub>>' into columns, which does not give 'memref<16x32xf16, #hivm.address_space<ub>>'}}
  hivm.hir.vtranspose ins(%a : memref<16x32xf16, #ub>) outs(%b : memref<16x32xf16, #ub>) permutation = [1, 0]
  return
}

// -----

#gm = #hivm.address_space<gm>
#cbuf = #hivm.address_space<cbuf>
#cc = #hivm.address_space<cc>
func.func @out(%c: memref<2x2x16x16xi32, #cc>, %o: memref<?x?xf16, #gm>) {
  // expected-error@below {{cannot turn 'i32' into 'f16'}}
  hivm.hir.fixpipe {dma_mode = #hivm.dma_mode<nz2nd>} ins(%c : memref<2x2x16x16xi32, #cc>) outs(%o : memref<?x?xf16, #gm>)
  return
}

// -----

#gm = #hivm.address_space<gm>
#cbuf = #hivm.address_space<cbuf>
#cc = #hivm.address_space<cc>
func.func @conversion(%c: memref<2x2x16x16xf32, #cc>, %o: memref<?x?xbf16, #gm>) {
  // expected-error@below {{has another conversion than from 'f32' to 'bf16'}}
  hivm.hir.fixpipe {dma_mode = #hivm.dma_mode<nz2nd>, pre_quant = #hivm.fixpipe_pre_quant_mode<F322F16>} ins(%c : memref<2x2x16x16xf32, #cc>) outs(%o : memref<?x?xbf16, #gm>)
  return
}

// -----

#gm = #hivm.address_space<gm>
#cbuf = #hivm.address_space<cbuf>
#cc = #hivm.address_space<cc>
func.func @runs(%z: f16, %b: memref<2x2x16x16xf16, #cbuf>) {
  // expected-error@below {{fills runs of cbuf, not}}
  hivm.hir.vbrc ins(%z : f16) outs(%b : memref<2x2x16x16xf16, #cbuf>)
  return
}

// -----

#cbuf = #hivm.address_space<cbuf>
#cc = #hivm.address_space<cc>
func.func @bias(%a: memref<2x2x16x16xf16, #cbuf>, %c: memref<2x2x16x16xf32, #cc>, %row: memref<1x1x1x32xf16, #cbuf>, %init: i1, %n: index) {
  // expected-error@below {{starts from a row of cbuf with the type of its sums, not from 'memref<1x1x1x32xf16}}
  hivm.hir.mmadL1 ins(%a, %a, %init, %n, %n, %n, %row : memref<2x2x16x16xf16, #cbuf>, memref<2x2x16x16xf16, #cbuf>, i1, index, index, index, memref<1x1x1x32xf16, #cbuf>) outs(%c : memref<2x2x16x16xf32, #cc>)
  return
}

// -----

#cbuf = #hivm.address_space<cbuf>
#cc = #hivm.address_space<cc>
func.func @turned_bias(%a: memref<2x2x16x16xf16, #cbuf>, %c: memref<2x2x16x16xf32, #cc>, %row: memref<1x1x1x32xf32, #cbuf>, %init: i1, %n: index) {
  // expected-error@below {{starts from a row only where no operand is transposed}}
  hivm.hir.mmadL1 {b_transpose} ins(%a, %a, %init, %n, %n, %n, %row : memref<2x2x16x16xf16, #cbuf>, memref<2x2x16x16xf16, #cbuf>, i1, index, index, index, memref<1x1x1x32xf32, #cbuf>) outs(%c : memref<2x2x16x16xf32, #cc>)
  return
}
