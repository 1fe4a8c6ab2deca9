// Products of matrices in L1 become loads to L0A and L0B and products of parts.
// RUN: attn-opt %s --soc=Ascend910B4 --ascend-expand-composites --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// The scratch takes 64 of k: a loop of two stages, whose last part may be shorter.
// CHECK-LABEL: func.func @parts
// CHECK: scf.for %[[I:.*]] = %c0 to %arg0 step %c64 {
// CHECK:   %[[LEFT:.*]] = arith.subi %arg0, %[[I]]
// CHECK:   %[[MOST:.*]] = arith.minsi %[[LEFT]], %c64
// CHECK:   %[[K:.*]] = arith.maxsi %[[MOST]], %c1
// CHECK:   %[[BLOCKS:.*]] = arith.ceildivsi %[[K]], %c16
// CHECK:   %[[WHOLE:.*]] = arith.muli %[[BLOCKS]], %c16
// CHECK:   ascend.load_tile %[[L:.*]], %{{.*}} rows(%c128) cols(%[[WHOLE]]) src_rows 128 : memref<8192xf16, #ascend.space<l0a>>
// CHECK:   ascend.load_tile %[[R:.*]], %{{.*}} rows(%{{.*}}) cols(%c256) src_rows 256 : memref<16384xf16, #ascend.space<l0b>>
// CHECK:   %[[FIRST:.*]] = arith.cmpi eq, %[[I]], %c0
// CHECK:   %[[INIT:.*]] = arith.andi %arg1, %[[FIRST]]
// CHECK:   ascend.mmad %{{.*}}, %[[L]], %[[R]] m(%c128) n(%c256) k(%[[K]]) init(%[[INIT]])
// CHECK: } {ascend.stages = 2 : i64}
func.func @parts(%k: index, %init: i1) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %m = arith.constant 128 : index
  %n = arith.constant 256 : index
  %c = ascend.alloc "c" : memref<32768xf32, #ascend.space<l0c>>
  %a = ascend.alloc "a" : memref<32768xf16, #ascend.space<l1>>
  %b = ascend.alloc "b" : memref<65536xf16, #ascend.space<l1>>
  %l = ascend.alloc "l" : memref<8192xf16, #ascend.space<l0a>>
  %r = ascend.alloc "r" : memref<16384xf16, #ascend.space<l0b>>
  ascend.matmul %c, %a, %b, %l, %r m(%m) n(%n) k(%k) init(%init) rows [128, 256] : memref<32768xf32, #ascend.space<l0c>>, memref<32768xf16, #ascend.space<l1>>, memref<65536xf16, #ascend.space<l1>>, memref<8192xf16, #ascend.space<l0a>>, memref<16384xf16, #ascend.space<l0b>>
  return
}

// -----

// Rows of n are in the order of L0B already; a single row block of the left operand takes one load of fractals.
// CHECK-LABEL: func.func @transposed_right
// CHECK: ascend.load_fractals {{.*}} repeat(%c4) strides [1, 1] : memref<1024xf16, #ascend.space<l0a>>
// CHECK: ascend.load_fractals {{.*}} repeat(%c8) strides [1, 1] : memref<2048xf16, #ascend.space<l0b>>
// CHECK: ascend.mmad {{.*}} m(%c16) n(%c32) k(%c64) init(%true)
func.func @transposed_right() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %true = arith.constant true
  %m = arith.constant 16 : index
  %n = arith.constant 32 : index
  %k = arith.constant 64 : index
  %c = ascend.alloc "c" : memref<512xf32, #ascend.space<l0c>>
  %a = ascend.alloc "a" : memref<1024xf16, #ascend.space<l1>>
  %b = ascend.alloc "b" : memref<2048xf16, #ascend.space<l1>>
  %l = ascend.alloc "l" : memref<1024xf16, #ascend.space<l0a>>
  %r = ascend.alloc "r" : memref<2048xf16, #ascend.space<l0b>>
  ascend.matmul %c, %a, %b, %l, %r m(%m) n(%n) k(%k) init(%true) rows [16, 32] transpose_b : memref<512xf32, #ascend.space<l0c>>, memref<1024xf16, #ascend.space<l1>>, memref<2048xf16, #ascend.space<l1>>, memref<1024xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l0b>>
  return
}

// -----

// More room than rows of n: a load for every block of k.
// CHECK-LABEL: func.func @room
// CHECK: scf.for
// CHECK:   ascend.load_fractals {{.*}} repeat(%c1) strides [1, 1] {ascend.apart = {{.*}}} : memref<?xf16, #ascend.space<l0b>>
func.func @room() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %true = arith.constant true
  %m = arith.constant 16 : index
  %k = arith.constant 64 : index
  %c = ascend.alloc "c" : memref<256xf32, #ascend.space<l0c>>
  %a = ascend.alloc "a" : memref<1024xf16, #ascend.space<l1>>
  %b = ascend.alloc "b" : memref<2048xf16, #ascend.space<l1>>
  %l = ascend.alloc "l" : memref<1024xf16, #ascend.space<l0a>>
  %r = ascend.alloc "r" : memref<1024xf16, #ascend.space<l0b>>
  ascend.matmul %c, %a, %b, %l, %r m(%m) n(%m) k(%k) init(%true) rows [16, 32] transpose_b : memref<256xf32, #ascend.space<l0c>>, memref<1024xf16, #ascend.space<l1>>, memref<2048xf16, #ascend.space<l1>>, memref<1024xf16, #ascend.space<l0a>>, memref<1024xf16, #ascend.space<l0b>>
  return
}

// -----

// A transposed left operand is turned over on the way.
// CHECK-LABEL: func.func @transposed_left
// CHECK: ascend.load_tile {{.*}} rows(%c32) cols(%c64) src_rows 32 transpose : memref<2048xf32, #ascend.space<l0a>>
// CHECK: ascend.load_tile {{.*}} rows(%c32) cols(%c16) src_rows 32 : memref<512xf32, #ascend.space<l0b>>
func.func @transposed_left() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %true = arith.constant true
  %m = arith.constant 64 : index
  %n = arith.constant 16 : index
  %k = arith.constant 32 : index
  %c = ascend.alloc "c" : memref<1024xf32, #ascend.space<l0c>>
  %a = ascend.alloc "a" : memref<2048xf32, #ascend.space<l1>>
  %b = ascend.alloc "b" : memref<512xf32, #ascend.space<l1>>
  %l = ascend.alloc "l" : memref<2048xf32, #ascend.space<l0a>>
  %r = ascend.alloc "r" : memref<512xf32, #ascend.space<l0b>>
  ascend.matmul %c, %a, %b, %l, %r m(%m) n(%n) k(%k) init(%true) rows [32, 32] transpose_a : memref<1024xf32, #ascend.space<l0c>>, memref<2048xf32, #ascend.space<l1>>, memref<512xf32, #ascend.space<l1>>, memref<2048xf32, #ascend.space<l0a>>, memref<512xf32, #ascend.space<l0b>>
  return
}

// -----

// 8 bits are turned over by squares: of the left operand one block of k at a time.
// CHECK-LABEL: func.func @squares
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c32
// CHECK:   ascend.load_squares {{.*}} repeat(%c2) strides [2, 2, 1] : memref<4096xi8, #ascend.space<l0a>>
// CHECK:   ascend.load_squares %{{.*}}, {{.*}} repeat(%c2) strides [2, 2, 1] : memref<4096xi8, #ascend.space<l0b>>
// CHECK:   ascend.mmad {{.*}} m(%c64) n(%c64) k(%c32)
func.func @squares() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %true = arith.constant true
  %m = arith.constant 64 : index
  %c = ascend.alloc "c" : memref<4096xi32, #ascend.space<l0c>>
  %a = ascend.alloc "a" : memref<4096xi8, #ascend.space<l1>>
  %b = ascend.alloc "b" : memref<4096xi8, #ascend.space<l1>>
  %l = ascend.alloc "l" : memref<4096xi8, #ascend.space<l0a>>
  %r = ascend.alloc "r" : memref<4096xi8, #ascend.space<l0b>>
  ascend.matmul %c, %a, %b, %l, %r m(%m) n(%m) k(%m) init(%true) rows [64, 64] transpose_a : memref<4096xi32, #ascend.space<l0c>>, memref<4096xi8, #ascend.space<l1>>, memref<4096xi8, #ascend.space<l1>>, memref<4096xi8, #ascend.space<l0a>>, memref<4096xi8, #ascend.space<l0b>>
  return
}

// -----

// Of squares of 8 bits there is a load for every 32 of k, as far apart as a row of n.
// CHECK-LABEL: func.func @squares_of_n
// CHECK-SAME: %[[LIMIT:.*]]: index
// CHECK-DAG: %[[N:.*]] = arith.muli {{.*}}, %c32
// CHECK: %[[FRACTALS:.*]] = arith.ceildivsi %[[N]], %c16
// CHECK: %[[ROW:.*]] = arith.muli %[[FRACTALS]], %c512
// CHECK: scf.for %[[I:.*]] = %c0 to %c2 step %c1 {
// CHECK:   %[[TO:.*]] = arith.muli %[[I]], %[[ROW]]
// CHECK:   ascend.slice %{{.*}}[%[[TO]]] : memref<4096xi8, #ascend.space<l0b>>
// CHECK:   ascend.load_squares {{.*}} strides [2, 2, 1] {ascend.apart = {{.*}}} : memref<?xi8, #ascend.space<l0b>>
func.func @squares_of_n(%limit: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %true = arith.constant true
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %m = arith.constant 64 : index
  %low = arith.maxsi %limit, %c1 : index
  %blocks = arith.minsi %low, %c2 : index
  %n = arith.muli %blocks, %c32 : index
  %c = ascend.alloc "c" : memref<4096xi32, #ascend.space<l0c>>
  %a = ascend.alloc "a" : memref<4096xi8, #ascend.space<l1>>
  %b = ascend.alloc "b" : memref<4096xi8, #ascend.space<l1>>
  %l = ascend.alloc "l" : memref<4096xi8, #ascend.space<l0a>>
  %r = ascend.alloc "r" : memref<4096xi8, #ascend.space<l0b>>
  ascend.matmul %c, %a, %b, %l, %r m(%m) n(%n) k(%m) init(%true) rows [64, 64] : memref<4096xi32, #ascend.space<l0c>>, memref<4096xi8, #ascend.space<l1>>, memref<4096xi8, #ascend.space<l1>>, memref<4096xi8, #ascend.space<l0a>>, memref<4096xi8, #ascend.space<l0b>>
  return
}

// -----

// What has fewer rows and columns than there is room for is loaded and multiplied as it is; rows of n are one run only where
// they are all there.
// CHECK-LABEL: func.func @tail
// CHECK-DAG: %[[M:.*]] = arith.muli {{.*}}, %c16
// CHECK: %[[N:.*]] = arith.ceildivsi %[[M]], %c16
// CHECK: %[[FULL:.*]] = arith.cmpi eq, %[[M]], %c128
// CHECK: scf.if %[[FULL]] {
// CHECK:   ascend.load_fractals {{.*}} repeat(%c32) strides [1, 1] {ascend.apart = 0 : i64} : memref<8192xf16, #ascend.space<l0b>>
// CHECK: } else {
// CHECK:   scf.for %{{.*}} = %c0 to %c4 step %c1 {
// CHECK:     ascend.load_fractals {{.*}} repeat(%[[N]]) strides [1, 1] {ascend.apart = {{.*}}} : memref<?xf16, #ascend.space<l0b>>
// CHECK: ascend.load_tile {{.*}} rows(%[[M]]) cols(%c64) src_rows 128 {ascend.apart = 0 : i64} : memref<8192xf16, #ascend.space<l0a>>
// CHECK: ascend.mmad {{.*}} m(%[[M]]) n(%[[M]]) k(%c64) init(%true)
func.func @tail(%limit: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %true = arith.constant true
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %k = arith.constant 64 : index
  %low = arith.maxsi %limit, %c1 : index
  %blocks = arith.minsi %low, %c8 : index
  %m = arith.muli %blocks, %c16 : index
  %c = ascend.alloc "c" : memref<16384xf32, #ascend.space<l0c>>
  %a = ascend.alloc "a" : memref<8192xf16, #ascend.space<l1>>
  %l = ascend.alloc "l" : memref<8192xf16, #ascend.space<l0a>>
  %r = ascend.alloc "r" : memref<8192xf16, #ascend.space<l0b>>
  ascend.matmul %c, %a, %a, %l, %r m(%m) n(%m) k(%k) init(%true) rows [128, 128] transpose_b : memref<16384xf32, #ascend.space<l0c>>, memref<8192xf16, #ascend.space<l1>>, memref<8192xf16, #ascend.space<l1>>, memref<8192xf16, #ascend.space<l0a>>, memref<8192xf16, #ascend.space<l0b>>
  return
}

// -----

func.func @rows(%m: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %true = arith.constant true
  %n = arith.constant 16 : index
  %c = ascend.alloc "c" : memref<256xf32, #ascend.space<l0c>>
  %a = ascend.alloc "a" : memref<256xf16, #ascend.space<l1>>
  %l = ascend.alloc "l" : memref<256xf16, #ascend.space<l0a>>
  %r = ascend.alloc "r" : memref<256xf16, #ascend.space<l0b>>
  // expected-error @+1 {{must have numbers of rows and columns that are multiples of 16, as its operands have room for}}
  ascend.matmul %c, %a, %a, %l, %r m(%m) n(%n) k(%n) init(%true) rows [16, 16] : memref<256xf32, #ascend.space<l0c>>, memref<256xf16, #ascend.space<l1>>, memref<256xf16, #ascend.space<l1>>, memref<256xf16, #ascend.space<l0a>>, memref<256xf16, #ascend.space<l0b>>
  return
}

// -----

func.func @scratch() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %true = arith.constant true
  %n = arith.constant 16 : index
  %c = ascend.alloc "c" : memref<256xf32, #ascend.space<l0c>>
  %a = ascend.alloc "a" : memref<256xf16, #ascend.space<l1>>
  %l = ascend.alloc "l" : memref<128xf16, #ascend.space<l0a>>
  %r = ascend.alloc "r" : memref<256xf16, #ascend.space<l0b>>
  // expected-error @+1 {{has scratch that does not hold 16 of its k}}
  ascend.matmul %c, %a, %a, %l, %r m(%n) n(%n) k(%n) init(%true) rows [16, 16] : memref<256xf32, #ascend.space<l0c>>, memref<256xf16, #ascend.space<l1>>, memref<256xf16, #ascend.space<l1>>, memref<128xf16, #ascend.space<l0a>>, memref<256xf16, #ascend.space<l0b>>
  return
}

// -----

// Few row blocks of much k: a load of fractals for each starts earlier than one of the whole matrix. The right operand follows
// at once, whole.
// CHECK-LABEL: func.func @few_row_blocks
// CHECK-COUNT-4: ascend.load_fractals {{.*}} repeat(%c8) strides [1, 4] {{.*}}#ascend.space<l0a>>
// CHECK: ascend.load_tile {{.*}} : memref<16384xf16, #ascend.space<l0b>>
func.func @few_row_blocks() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %true = arith.constant true
  %m = arith.constant 64 : index
  %n = arith.constant 128 : index
  %k = arith.constant 128 : index
  %c = ascend.alloc "c" : memref<8192xf32, #ascend.space<l0c>>
  %a = ascend.alloc "a" : memref<8192xf16, #ascend.space<l1>>
  %b = ascend.alloc "b" : memref<16384xf16, #ascend.space<l1>>
  %l = ascend.alloc "l" : memref<8192xf16, #ascend.space<l0a>>
  %r = ascend.alloc "r" : memref<16384xf16, #ascend.space<l0b>>
  ascend.matmul %c, %a, %b, %l, %r m(%m) n(%n) k(%k) init(%true) rows [64, 128] : memref<8192xf32, #ascend.space<l0c>>, memref<8192xf16, #ascend.space<l1>>, memref<16384xf16, #ascend.space<l1>>, memref<8192xf16, #ascend.space<l0a>>, memref<16384xf16, #ascend.space<l0b>>
  return
}

// -----

// Many row blocks of little k: issuing a load for each would take longer than one of the whole matrix. The few fractals of the
// right operand, each turned over, go first.
// CHECK-LABEL: func.func @many_row_blocks
// CHECK: ascend.load_fractals {{.*}} repeat(%c2) strides [1, 1] transpose : memref<512xf16, #ascend.space<l0b>>
// CHECK: ascend.load_tile {{.*}} rows(%c256) cols(%c32) src_rows 256 : memref<8192xf16, #ascend.space<l0a>>
func.func @many_row_blocks() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %true = arith.constant true
  %m = arith.constant 256 : index
  %n = arith.constant 16 : index
  %k = arith.constant 32 : index
  %c = ascend.alloc "c" : memref<4096xf32, #ascend.space<l0c>>
  %a = ascend.alloc "a" : memref<8192xf16, #ascend.space<l1>>
  %b = ascend.alloc "b" : memref<512xf16, #ascend.space<l1>>
  %l = ascend.alloc "l" : memref<8192xf16, #ascend.space<l0a>>
  %r = ascend.alloc "r" : memref<512xf16, #ascend.space<l0b>>
  ascend.matmul %c, %a, %b, %l, %r m(%m) n(%n) k(%k) init(%true) rows [256, 32] : memref<4096xf32, #ascend.space<l0c>>, memref<8192xf16, #ascend.space<l1>>, memref<512xf16, #ascend.space<l1>>, memref<8192xf16, #ascend.space<l0a>>, memref<512xf16, #ascend.space<l0b>>
  return
}

// -----

// Only the first of eight parts is waited for: more loads of all of them would take longer to issue than is gained.
// CHECK-LABEL: func.func @many_parts
// CHECK: ascend.load_tile {{.*}} : memref<8192xf16, #ascend.space<l0a>>
// CHECK: ascend.load_tile {{.*}} : memref<16384xf16, #ascend.space<l0b>>
func.func @many_parts() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %true = arith.constant true
  %m = arith.constant 64 : index
  %n = arith.constant 128 : index
  %k = arith.constant 1024 : index
  %c = ascend.alloc "c" : memref<8192xf32, #ascend.space<l0c>>
  %a = ascend.alloc "a" : memref<65536xf16, #ascend.space<l1>>
  %b = ascend.alloc "b" : memref<131072xf16, #ascend.space<l1>>
  %l = ascend.alloc "l" : memref<8192xf16, #ascend.space<l0a>>
  %r = ascend.alloc "r" : memref<16384xf16, #ascend.space<l0b>>
  ascend.matmul %c, %a, %b, %l, %r m(%m) n(%n) k(%k) init(%true) rows [64, 1024] : memref<8192xf32, #ascend.space<l0c>>, memref<65536xf16, #ascend.space<l1>>, memref<131072xf16, #ascend.space<l1>>, memref<8192xf16, #ascend.space<l0a>>, memref<16384xf16, #ascend.space<l0b>>
  return
}

// -----

// Transposed, every fractal is turned over on the way.
// CHECK-LABEL: func.func @turned_fractals
// CHECK-COUNT-4: ascend.load_fractals {{.*}} repeat(%c8) strides [1, 1] transpose {{.*}}#ascend.space<l0a>>
func.func @turned_fractals() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %true = arith.constant true
  %m = arith.constant 64 : index
  %n = arith.constant 128 : index
  %k = arith.constant 128 : index
  %c = ascend.alloc "c" : memref<8192xf32, #ascend.space<l0c>>
  %a = ascend.alloc "a" : memref<8192xf16, #ascend.space<l1>>
  %b = ascend.alloc "b" : memref<16384xf16, #ascend.space<l1>>
  %l = ascend.alloc "l" : memref<8192xf16, #ascend.space<l0a>>
  %r = ascend.alloc "r" : memref<16384xf16, #ascend.space<l0b>>
  ascend.matmul %c, %a, %b, %l, %r m(%m) n(%n) k(%k) init(%true) rows [128, 128] transpose_a : memref<8192xf32, #ascend.space<l0c>>, memref<8192xf16, #ascend.space<l1>>, memref<16384xf16, #ascend.space<l1>>, memref<8192xf16, #ascend.space<l0a>>, memref<16384xf16, #ascend.space<l0b>>
  return
}

// -----

// Little k and many columns: of the right operand there is a load for every 16 of k, and it goes first.
// CHECK-LABEL: func.func @few_of_k
// CHECK-COUNT-4: ascend.load_fractals {{.*}} repeat(%c16) strides [1, 4] transpose {{.*}}#ascend.space<l0b>>
// CHECK: ascend.load_tile {{.*}} rows(%c128) cols(%c64) src_rows 128 {{.*}}#ascend.space<l0a>>
func.func @few_of_k() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %true = arith.constant true
  %m = arith.constant 128 : index
  %n = arith.constant 256 : index
  %k = arith.constant 64 : index
  %c = ascend.alloc "c" : memref<32768xf32, #ascend.space<l0c>>
  %a = ascend.alloc "a" : memref<8192xf16, #ascend.space<l1>>
  %b = ascend.alloc "b" : memref<16384xf16, #ascend.space<l1>>
  %l = ascend.alloc "l" : memref<8192xf16, #ascend.space<l0a>>
  %r = ascend.alloc "r" : memref<16384xf16, #ascend.space<l0b>>
  ascend.matmul %c, %a, %b, %l, %r m(%m) n(%n) k(%k) init(%true) rows [128, 64] : memref<32768xf32, #ascend.space<l0c>>, memref<8192xf16, #ascend.space<l1>>, memref<16384xf16, #ascend.space<l1>>, memref<8192xf16, #ascend.space<l0a>>, memref<16384xf16, #ascend.space<l0b>>
  return
}

// -----

// Few columns: there is a load for every 16 of them, whatever the k of the last part.
// CHECK-LABEL: func.func @few_columns
// CHECK: %[[BLOCKS:.*]] = arith.ceildivsi %{{.*}}, %c16
// CHECK-COUNT-2: ascend.load_fractals {{.*}} repeat(%[[BLOCKS]]) strides [2, 1] transpose {{.*}}#ascend.space<l0b>>
// CHECK: ascend.load_tile {{.*}}#ascend.space<l0a>>
func.func @few_columns() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %true = arith.constant true
  %m = arith.constant 128 : index
  %n = arith.constant 32 : index
  %k = arith.constant 200 : index
  %c = ascend.alloc "c" : memref<4096xf32, #ascend.space<l0c>>
  %a = ascend.alloc "a" : memref<25600xf16, #ascend.space<l1>>
  %b = ascend.alloc "b" : memref<6656xf16, #ascend.space<l1>>
  %l = ascend.alloc "l" : memref<16384xf16, #ascend.space<l0a>>
  %r = ascend.alloc "r" : memref<4096xf16, #ascend.space<l0b>>
  ascend.matmul %c, %a, %b, %l, %r m(%m) n(%n) k(%k) init(%true) rows [128, 208] : memref<4096xf32, #ascend.space<l0c>>, memref<25600xf16, #ascend.space<l1>>, memref<6656xf16, #ascend.space<l1>>, memref<16384xf16, #ascend.space<l0a>>, memref<4096xf16, #ascend.space<l0b>>
  return
}

// -----

// What is in the order of L0B already starts at once, as one load; so the left operand need not be loaded by row blocks.
// CHECK-LABEL: func.func @run_first
// CHECK: ascend.load_fractals {{.*}} repeat(%c64) strides [1, 1] : memref<16384xf16, #ascend.space<l0b>>
// CHECK: ascend.load_tile {{.*}} rows(%c64) cols(%c128) src_rows 64 : memref<8192xf16, #ascend.space<l0a>>
func.func @run_first() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %true = arith.constant true
  %m = arith.constant 64 : index
  %n = arith.constant 128 : index
  %k = arith.constant 128 : index
  %c = ascend.alloc "c" : memref<8192xf32, #ascend.space<l0c>>
  %a = ascend.alloc "a" : memref<8192xf16, #ascend.space<l1>>
  %b = ascend.alloc "b" : memref<16384xf16, #ascend.space<l1>>
  %l = ascend.alloc "l" : memref<8192xf16, #ascend.space<l0a>>
  %r = ascend.alloc "r" : memref<16384xf16, #ascend.space<l0b>>
  ascend.matmul %c, %a, %b, %l, %r m(%m) n(%n) k(%k) init(%true) rows [64, 128] transpose_b : memref<8192xf32, #ascend.space<l0c>>, memref<8192xf16, #ascend.space<l1>>, memref<16384xf16, #ascend.space<l1>>, memref<8192xf16, #ascend.space<l0a>>, memref<16384xf16, #ascend.space<l0b>>
  return
}

// -----

// Products that add to others are loaded for while these are multiplied: nothing is gained by another order.
// CHECK-LABEL: func.func @follows
// CHECK: ascend.load_tile {{.*}} rows(%c64) cols(%c128) src_rows 64 : memref<8192xf16, #ascend.space<l0a>>
// CHECK: ascend.load_fractals {{.*}} repeat(%c64) strides [1, 1] : memref<16384xf16, #ascend.space<l0b>>
func.func @follows(%init: i1) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %m = arith.constant 64 : index
  %n = arith.constant 128 : index
  %k = arith.constant 128 : index
  %c = ascend.alloc "c" : memref<8192xf32, #ascend.space<l0c>>
  %a = ascend.alloc "a" : memref<8192xf16, #ascend.space<l1>>
  %b = ascend.alloc "b" : memref<16384xf16, #ascend.space<l1>>
  %l = ascend.alloc "l" : memref<8192xf16, #ascend.space<l0a>>
  %r = ascend.alloc "r" : memref<16384xf16, #ascend.space<l0b>>
  ascend.matmul %c, %a, %b, %l, %r m(%m) n(%n) k(%k) init(%init) rows [64, 128] transpose_b : memref<8192xf32, #ascend.space<l0c>>, memref<8192xf16, #ascend.space<l1>>, memref<16384xf16, #ascend.space<l1>>, memref<8192xf16, #ascend.space<l0a>>, memref<16384xf16, #ascend.space<l0b>>
  return
}

// -----

func.func @bias_in_l1() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %true = arith.constant true
  %n = arith.constant 16 : index
  %c = ascend.alloc "c" : memref<256xf32, #ascend.space<l0c>>
  %a = ascend.alloc "a" : memref<256xf16, #ascend.space<l1>>
  %row = ascend.alloc "row" : memref<128xf32, #ascend.space<l1>>
  %l = ascend.alloc "l" : memref<256xf16, #ascend.space<l0a>>
  %r = ascend.alloc "r" : memref<256xf16, #ascend.space<l0b>>
  // expected-error @+1 {{has its bias in L1, which only a product that is kept takes there}}
  ascend.matmul %c, %a, %a, %l, %r bias(%row : memref<128xf32, #ascend.space<l1>>) m(%n) n(%n) k(%n) init(%true) rows [16, 16] : memref<256xf32, #ascend.space<l0c>>, memref<256xf16, #ascend.space<l1>>, memref<256xf16, #ascend.space<l1>>, memref<256xf16, #ascend.space<l0a>>, memref<256xf16, #ascend.space<l0b>>
  return
}
