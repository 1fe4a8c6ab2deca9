// Flags and barriers between the pipes of a cube core.
// RUN: attn-opt %s --soc=Ascend910B4 --ascend-insert-sync --split-input-file | FileCheck %s

// Products that add to ten fractals or more are kept in order by their pipe.
// CHECK-LABEL: func.func @large
// CHECK: ascend.mmad
// CHECK-NOT: ascend.barrier
// CHECK: ascend.mmad
// CHECK: ascend.barrier all
func.func @large(%k: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %true = arith.constant true
  %false = arith.constant false
  %m = arith.constant 160 : index
  %n = arith.constant 16 : index
  %c = ascend.alloc "c" at 0 : memref<2560xf32, #ascend.space<l0c>>
  %a = ascend.alloc "a" at 0 : memref<2560xf16, #ascend.space<l0a>>
  %b = ascend.alloc "b" at 0 : memref<256xf16, #ascend.space<l0b>>
  ascend.mmad %c, %a, %b m(%m) n(%n) k(%n) init(%true) : memref<2560xf32, #ascend.space<l0c>>, memref<2560xf16, #ascend.space<l0a>>, memref<256xf16, #ascend.space<l0b>>
  ascend.mmad %c, %a, %b m(%m) n(%n) k(%n) init(%false) : memref<2560xf32, #ascend.space<l0c>>, memref<2560xf16, #ascend.space<l0a>>, memref<256xf16, #ascend.space<l0b>>
  return
}

// -----

// CHECK-LABEL: func.func @small
// CHECK: ascend.mmad
// CHECK: ascend.barrier m
// CHECK: ascend.mmad
func.func @small(%k: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %true = arith.constant true
  %false = arith.constant false
  %m = arith.constant 144 : index
  %n = arith.constant 16 : index
  %c = ascend.alloc "c" at 0 : memref<2304xf32, #ascend.space<l0c>>
  %a = ascend.alloc "a" at 0 : memref<2304xf16, #ascend.space<l0a>>
  %b = ascend.alloc "b" at 0 : memref<256xf16, #ascend.space<l0b>>
  ascend.mmad %c, %a, %b m(%m) n(%n) k(%n) init(%true) : memref<2304xf32, #ascend.space<l0c>>, memref<2304xf16, #ascend.space<l0a>>, memref<256xf16, #ascend.space<l0b>>
  ascend.mmad %c, %a, %b m(%m) n(%n) k(%n) init(%false) : memref<2304xf32, #ascend.space<l0c>>, memref<2304xf16, #ascend.space<l0a>>, memref<256xf16, #ascend.space<l0b>>
  return
}

// -----

// What is only filled under a condition waits under that condition; the flag for the load follows it.
// CHECK-LABEL: func.func @tail
// CHECK: ascend.nd_to_nz
// CHECK-NOT: ascend.barrier
// CHECK: scf.if
// CHECK:   ascend.barrier mte2
// CHECK:   ascend.fill
// CHECK: }
// CHECK: ascend.set_flag mte2 to mte1
// CHECK: ascend.wait_flag mte2 to mte1
// CHECK: ascend.load_fractals
func.func @tail(%p: memref<?xf16, #ascend.space<gm>>, %rows: index, %lacks: i1) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f16
  %l1 = ascend.alloc "l1" at 0 : memref<256xf16, #ascend.space<l1>>
  %a = ascend.alloc "a" at 0 : memref<256xf16, #ascend.space<l0a>>
  ascend.nd_to_nz %l1, %p rows(%rows) cols(%c16) src_pitch(%c16) dst_rows 16 : memref<256xf16, #ascend.space<l1>>, memref<?xf16, #ascend.space<gm>>
  scf.if %lacks {
    %first = arith.muli %rows, %c16 : index
    %missing = arith.subi %c16, %rows : index
    %rest = ascend.slice %l1[%first] : memref<256xf16, #ascend.space<l1>> -> memref<?xf16, #ascend.space<l1>>
    ascend.fill %rest, %zero repeat(%c1) blocks(%missing) pitch 16 : memref<?xf16, #ascend.space<l1>>, f16
  }
  ascend.load_fractals %a, %l1 repeat(%c1) strides [1, 1] : memref<256xf16, #ascend.space<l0a>>, memref<256xf16, #ascend.space<l1>>
  return
}

// -----

// The same, said to write different bytes: nothing waits.
// CHECK-LABEL: func.func @apart
// CHECK: ascend.nd_to_nz
// CHECK-NOT: ascend.barrier
// CHECK: ascend.fill
// CHECK: }
// CHECK: ascend.set_flag mte2 to mte1
func.func @apart(%p: memref<?xf16, #ascend.space<gm>>, %rows: index, %lacks: i1) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f16
  %l1 = ascend.alloc "l1" at 0 : memref<256xf16, #ascend.space<l1>>
  %a = ascend.alloc "a" at 0 : memref<256xf16, #ascend.space<l0a>>
  ascend.nd_to_nz %l1, %p rows(%rows) cols(%c16) src_pitch(%c16) dst_rows 16 {ascend.apart = 0 : i64} : memref<256xf16, #ascend.space<l1>>, memref<?xf16, #ascend.space<gm>>
  scf.if %lacks {
    %first = arith.muli %rows, %c16 : index
    %missing = arith.subi %c16, %rows : index
    %rest = ascend.slice %l1[%first] : memref<256xf16, #ascend.space<l1>> -> memref<?xf16, #ascend.space<l1>>
    ascend.fill %rest, %zero repeat(%c1) blocks(%missing) pitch 16 {ascend.apart = 0 : i64} : memref<?xf16, #ascend.space<l1>>, f16
  }
  ascend.load_fractals %a, %l1 repeat(%c1) strides [1, 1] : memref<256xf16, #ascend.space<l0a>>, memref<256xf16, #ascend.space<l1>>
  return
}
