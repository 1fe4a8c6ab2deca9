// Products become fractals in L1, a composite and a way out of L0C.
// RUN: attn-opt %s --soc=Ascend910B4 --convert-tile-to-ascend --canonicalize --split-input-file | FileCheck %s

// Whole tiles: nothing is filled, and nothing is asked for but how far rows are apart.
// CHECK-LABEL: func.func @whole
// CHECK-SAME: ascend.kind = #ascend.kernel_kind<cube>
// CHECK-DAG: %[[SUMS:.*]] = ascend.alloc "dot" counted 0 : memref<8192xf32, #ascend.space<l0c>>
// CHECK-DAG: %[[A:.*]] = ascend.alloc "load" counted {{.*}} : memref<4096xf16, #ascend.space<l1>>
// CHECK-DAG: %[[B:.*]] = ascend.alloc "load_1" counted {{.*}} : memref<8192xf16, #ascend.space<l1>>
// CHECK-DAG: %[[L:.*]] = ascend.alloc "dot_left" counted 0 : memref<4096xf16, #ascend.space<l0a>>
// CHECK-DAG: %[[R:.*]] = ascend.alloc "dot_right" counted 0 : memref<8192xf16, #ascend.space<l0b>>
// CHECK: %[[NEAR:.*]] = arith.cmpi ule
// CHECK: scf.if %[[NEAR]] {
// CHECK:   ascend.nd_to_nz %[[A]], {{.*}} rows(%c64) cols(%c64) {{.*}} dst_rows 64
// CHECK: } else {
// CHECK:   scf.for
// CHECK:     ascend.nd_to_nz {{.*}} rows(%c1) cols(%c64)
// CHECK-NOT: ascend.fill
// CHECK: ascend.matmul %[[SUMS]], %[[A]], %[[B]], %[[L]], %[[R]] m(%c64) n(%c128) k(%c64) init(%true) rows [64, 64]
// CHECK: ascend.fix_out {{.*}}, %[[SUMS]] rows(%c64) cols(%c128) {{.*}} src_rows 64 :
func.func @whole(%x: !tile.array<64x64xf16>, %y: !tile.array<64x128xf16>, %z: !tile.array<64x128xf32>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<64x64xf16>) -> !tile.tile<64 x 64 x f16>
  %b = tile.load %y[:, :] : (!tile.array<64x128xf16>) -> !tile.tile<64 x 128 x f16>
  %p = tile.dot %a, %b : !tile.tile<64 x 64 x f16>, !tile.tile<64 x 128 x f16> -> !tile.tile<64 x 128 x f32>
  tile.store %p, %z[:, :] : (!tile.tile<64 x 128 x f32>, !tile.array<64x128xf32>) -> ()
  return
}

// -----

// What rows and columns lack of whole fractals is zeros, without a condition.
// CHECK-LABEL: func.func @padded
// CHECK: ascend.nd_to_nz %[[A:.*]], {{.*}} rows(%c20) cols(%c24) {{.*}} dst_rows 32
// CHECK: ascend.fill {{.*}} repeat(%c3) blocks(%c12) pitch 32
// CHECK: ascend.fill {{.*}} repeat(%c1) blocks(%c32) pitch 32
// CHECK: ascend.matmul {{.*}} m(%c32) n(%c32) k(%c24) init(%true) rows [32, 32] transpose_b
// CHECK: ascend.fix_out {{.*}} rows(%c20) cols(%c20) {{.*}} src_rows 32
func.func @padded(%x: !tile.array<20x24xf32>, %z: !tile.array<20x20xf32>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<20x24xf32>) -> !tile.tile<20 x 24 x f32>
  %p = tile.dot %a, %a transpose_b : !tile.tile<20 x 24 x f32>, !tile.tile<20 x 24 x f32> -> !tile.tile<20 x 20 x f32>
  tile.store %p, %z[:, :] : (!tile.tile<20 x 20 x f32>, !tile.array<20x20xf32>) -> ()
  return
}

// -----

// A loop starts its sums in the first trip, which it always has; tails are filled where there are some.
// CHECK-LABEL: func.func @loop
// CHECK: %[[SUMS:.*]] = ascend.alloc "range"
// CHECK: %[[K:.*]] = ascend.dim %arg0, 1
// CHECK: %[[END:.*]] = arith.maxsi %[[K]], %c1
// CHECK: scf.for %[[I:.*]] = %c0 to %[[END]] step %c64 {
// CHECK:   %[[LEFT:.*]] = arith.subi %[[K]], %[[I]]
// CHECK:   %[[AT_MOST:.*]] = arith.minsi %[[LEFT]], %c64
// CHECK:   %[[VALID:.*]] = arith.maxsi %[[AT_MOST]], %c0
// CHECK:   %[[SOME:.*]] = arith.maxsi %[[VALID]], %c1
// CHECK:   %[[WHOLE_BLOCKS:.*]] = arith.ceildivui %[[SOME]], %c16
// CHECK:   %[[WHOLE:.*]] = arith.muli %[[WHOLE_BLOCKS]], %c16
// CHECK:   %[[BLOCKS:.*]] = arith.ceildivui %[[VALID]], %c16
// CHECK:   %[[LACKS:.*]] = arith.cmpi slt, %[[BLOCKS]], %{{.*}}
// CHECK:   scf.if %[[LACKS]] {
// CHECK:     ascend.fill
// CHECK:   %[[LACKS_ROWS:.*]] = arith.cmpi slt, %[[VALID]], %[[WHOLE]]
// CHECK:   scf.if %[[LACKS_ROWS]] {
// CHECK:     ascend.fill
// CHECK:   %[[K_SOME:.*]] = arith.maxsi %[[VALID]], %c1
// CHECK:   %[[FIRST:.*]] = arith.cmpi eq, %[[I]], %c0
// CHECK:   ascend.matmul %[[SUMS]], {{.*}} k(%[[K_SOME]]) init(%[[FIRST]])
// CHECK: } {ascend.stages = 2 : i64}
// CHECK: ascend.fix_out {{.*}}, %[[SUMS]] {{.*}} relu : memref<?xf16
func.func @loop(%x: !tile.array<32x?xf16>, %y: !tile.array<?x32xf16>, %z: !tile.array<32x32xf16>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %k = tile.dim %x, 1 : !tile.array<32x?xf16>
  %zeros = tile.splat %zero : f32 -> !tile.tile<32 x 32 x f32>
  %sums = tile.range %i = %c0 to %k by 64 iter(%acc = %zeros : !tile.tile<32 x 32 x f32>) stages 2 {
    %a = tile.load %x[:, %i span] : (!tile.array<32x?xf16>, !tile.span<64>) -> !tile.tile<32 x 64 x f16>
    %b = tile.load %y[%i span, :] : (!tile.array<?x32xf16>, !tile.span<64>) -> !tile.tile<64 x 32 x f16>
    %next = tile.dot %a, %b acc(%acc) : !tile.tile<32 x 64 x f16>, !tile.tile<64 x 32 x f16> -> !tile.tile<32 x 32 x f32>
    tile.yield %next : !tile.tile<32 x 32 x f32>
  }
  %positive = tile.maximum %sums, %zeros : !tile.tile<32 x 32 x f32>, !tile.tile<32 x 32 x f32> -> !tile.tile<32 x 32 x f32>
  %narrow = tile.cast %positive : !tile.tile<32 x 32 x f32> -> !tile.tile<32 x 32 x f16>
  tile.store %narrow, %z[:, :] : (!tile.tile<32 x 32 x f16>, !tile.array<32x32xf16>) -> ()
  return
}

// -----

// Of rows and columns that may lack, those are computed that exist, in whole fractals, and no more of the operands is filled; sums lie as
// densely as the rows that were computed.
// CHECK-LABEL: func.func @tails
// CHECK: %[[LEFT:.*]] = arith.maxsi %{{.*}}, %c0
// CHECK: %[[SOME:.*]] = arith.maxsi %[[LEFT]], %c1
// CHECK: %[[BLOCKS:.*]] = arith.ceildivui %[[SOME]], %c16
// CHECK: %[[WHOLE:.*]] = arith.muli %[[BLOCKS]], %c16
// CHECK: ascend.nd_to_nz {{.*}} rows(%[[LEFT]]) cols(%c64) {{.*}} dst_rows 128
// CHECK: %[[LACKS:.*]] = arith.cmpi slt, %[[LEFT]], %[[WHOLE]]
// CHECK: scf.if %[[LACKS]] {
// CHECK:   %[[REST:.*]] = arith.subi %[[WHOLE]], %[[LEFT]]
// CHECK:   ascend.fill {{.*}} repeat(%c4) blocks(%[[REST]]) pitch 128
// CHECK: ascend.matmul {{.*}} m(%[[WHOLE]]) n(%[[WHOLE]]) k(%c64) init(%true) rows [128, 128] transpose_b
// CHECK: ascend.fix_out {{.*}} rows(%[[LEFT]]) cols(%[[LEFT]]) {{.*}} src_rows 128 computed(%[[WHOLE]])
func.func @tails(%x: !tile.array<?x64xf16>, %z: !tile.array<?x?xf32>, %base: index) attributes {tile.kernel} {
  %n = tile.dim %x, 0 : !tile.array<?x64xf16>
  %span = tile.make_span %base to %n : <128>
  %a = tile.load %x[%span span, :] : (!tile.array<?x64xf16>, !tile.span<128>) -> !tile.tile<128 x 64 x f16>
  %p = tile.dot %a, %a transpose_b : !tile.tile<128 x 64 x f16>, !tile.tile<128 x 64 x f16> -> !tile.tile<128 x 128 x f32>
  tile.store %p, %z[%span span, %span span] : (!tile.tile<128 x 128 x f32>, !tile.array<?x?xf32>, !tile.span<128>, !tile.span<128>) -> ()
  return
}

// -----

// The operands of two products that add to the same sums are not limited by the same rows: both compute all of them.
// CHECK-LABEL: func.func @two_limits
// CHECK: ascend.matmul {{.*}} m(%c32) n(%c32)
// CHECK: ascend.matmul {{.*}} m(%c32) n(%c32)
// CHECK: ascend.fix_out {{.*}} src_rows 32 :
func.func @two_limits(%x: !tile.array<?x32xf16>, %z: !tile.array<?x32xf32>, %base: index, %other: index) attributes {tile.kernel} {
  %n = tile.dim %x, 0 : !tile.array<?x32xf16>
  %span = tile.make_span %base to %n : <32>
  %second = tile.make_span %other to %n : <32>
  %y = tile.load %x[%second span, :] : (!tile.array<?x32xf16>, !tile.span<32>) -> !tile.tile<32 x 32 x f16>
  %a = tile.load %x[%span span, :] : (!tile.array<?x32xf16>, !tile.span<32>) -> !tile.tile<32 x 32 x f16>
  %b = tile.load %x[%span span, :] : (!tile.array<?x32xf16>, !tile.span<32>) -> !tile.tile<32 x 32 x f16>
  %p = tile.dot %a, %b transpose_a : !tile.tile<32 x 32 x f16>, !tile.tile<32 x 32 x f16> -> !tile.tile<32 x 32 x f32>
  %q = tile.dot %y, %b acc(%p) transpose_b : !tile.tile<32 x 32 x f16>, !tile.tile<32 x 32 x f16> -> !tile.tile<32 x 32 x f32>
  tile.store %q, %z[%span span, :] : (!tile.tile<32 x 32 x f32>, !tile.array<?x32xf32>, !tile.span<32>) -> ()
  return
}

// -----

// A row that sums start from goes through L1 to the bias table, once.
// CHECK-LABEL: func.func @bias
// CHECK-DAG: %[[ROW:.*]] = ascend.alloc "load" {{.*}} memref<128xf32, #ascend.space<l1>>
// CHECK-DAG: %[[TABLE:.*]] = ascend.alloc "broadcast" {{.*}} memref<32xf32, #ascend.space<bt>>
// CHECK: ascend.nd_to_nz %[[ROW]], {{.*}} rows(%c1) cols(%c20) {{.*}} dst_rows 1
// CHECK: ascend.fill {{.*}} repeat(%c1) blocks(%c1) pitch 1
// CHECK: ascend.load_bias %[[TABLE]], %[[ROW]] count(%c32)
// CHECK: ascend.matmul {{.*}} bias(%[[TABLE]] : {{.*}}) m(%c32) n(%c32) k(%c16) init(%true)
func.func @bias(%x: !tile.array<32x16xbf16>, %y: !tile.array<16x20xbf16>, %b: !tile.array<1x20xf32>, %z: !tile.array<32x20xf32>) attributes {tile.kernel} {
  %row = tile.load %b[:, :] : (!tile.array<1x20xf32>) -> !tile.tile<1 x 20 x f32>
  %start = tile.broadcast %row : !tile.tile<1 x 20 x f32> -> !tile.tile<32 x 20 x f32>
  %l = tile.load %x[:, :] : (!tile.array<32x16xbf16>) -> !tile.tile<32 x 16 x bf16>
  %r = tile.load %y[:, :] : (!tile.array<16x20xbf16>) -> !tile.tile<16 x 20 x bf16>
  %p = tile.dot %l, %r acc(%start) : !tile.tile<32 x 16 x bf16>, !tile.tile<16 x 20 x bf16> -> !tile.tile<32 x 20 x f32>
  tile.store %p, %z[:, :] : (!tile.tile<32 x 20 x f32>, !tile.array<32x20xf32>) -> ()
  return
}

// -----

// A product that is kept takes the row from L1 every time: nothing else lies there before the loop has ended. The bias table is only counted.
// CHECK-LABEL: func.func @kept_bias
// CHECK-DAG: %[[ROW:.*]] = ascend.alloc "load" counted [[AT:[0-9]+]] : memref<128xf32, #ascend.space<l1>>
// CHECK-NOT: counted [[AT]] : memref<{{.*}}, #ascend.space<l1>>
// CHECK-DAG: ascend.alloc "dot_bias" {{.*}} memref<32xf32, #ascend.space<bt>>
// CHECK-NOT: ascend.load_bias
// CHECK: scf.for
// CHECK:   ascend.matmul {{.*}} bias(%[[ROW]] : memref<128xf32, #ascend.space<l1>>) m(%c32) n(%c32) k(%c16) init(
func.func @kept_bias(%x: !tile.array<32x64xbf16>, %y: !tile.array<64x20xbf16>, %b: !tile.array<1x20xf32>, %z: !tile.array<32x20xf32>) attributes {tile.kernel, ascend.keep_composites} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %row = tile.load %b[:, :] : (!tile.array<1x20xf32>) -> !tile.tile<1 x 20 x f32>
  %start = tile.broadcast %row : !tile.tile<1 x 20 x f32> -> !tile.tile<32 x 20 x f32>
  %p = tile.range %k = %c0 to %c64 by 16 iter(%acc = %start : !tile.tile<32 x 20 x f32>) {
    %l = tile.load %x[:, %k span] : (!tile.array<32x64xbf16>, !tile.span<16>) -> !tile.tile<32 x 16 x bf16>
    %r = tile.load %y[%k span, :] : (!tile.array<64x20xbf16>, !tile.span<16>) -> !tile.tile<16 x 20 x bf16>
    %next = tile.dot %l, %r acc(%acc) : !tile.tile<32 x 16 x bf16>, !tile.tile<16 x 20 x bf16> -> !tile.tile<32 x 20 x f32>
    tile.yield %next : !tile.tile<32 x 20 x f32>
  }
  tile.store %p, %z[:, :] : (!tile.tile<32 x 20 x f32>, !tile.array<32x20xf32>) -> ()
  return
}

// -----

// The operand of another product goes from L0C to L1.
// CHECK-LABEL: func.func @chain
// CHECK: ascend.matmul %[[SUMS:.*]], %[[A:.*]], %[[A]]
// CHECK: ascend.fix_out %[[P:.*]], %[[SUMS]] rows(%c32) cols(%c32) dst_pitch(%c32) src_rows 32 nz : memref<1024xf16, #ascend.space<l1>>
// CHECK: ascend.matmul {{.*}}, %[[P]], %[[A]]
func.func @chain(%x: !tile.array<32x32xf16>, %z: !tile.array<32x32xf32>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<32x32xf16>) -> !tile.tile<32 x 32 x f16>
  %s = tile.dot %a, %a transpose_b : !tile.tile<32 x 32 x f16>, !tile.tile<32 x 32 x f16> -> !tile.tile<32 x 32 x f32>
  %p = tile.cast %s : !tile.tile<32 x 32 x f32> -> !tile.tile<32 x 32 x f16>
  %o = tile.dot %p, %a : !tile.tile<32 x 32 x f16>, !tile.tile<32 x 32 x f16> -> !tile.tile<32 x 32 x f32>
  tile.store %o, %z[:, :] : (!tile.tile<32 x 32 x f32>, !tile.array<32x32xf32>) -> ()
  return
}

// -----

// Integers are narrowed by a scale of one.
// CHECK-LABEL: func.func @integers
// CHECK: ascend.fill {{.*}} : memref<?xi8
// CHECK: ascend.fix_out {{.*}} scale 1.000000e+00 : memref<?xi8
func.func @integers(%x: !tile.array<16x32xi8>, %z: !tile.array<16x16xi8>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<16x32xi8>) -> !tile.tile<16 x 32 x i8>
  %s = tile.dot %a, %a transpose_b : !tile.tile<16 x 32 x i8>, !tile.tile<16 x 32 x i8> -> !tile.tile<16 x 16 x i32>
  %n = tile.cast %s : !tile.tile<16 x 16 x i32> -> !tile.tile<16 x 16 x i8>
  tile.store %n, %z[:, :] : (!tile.tile<16 x 16 x i8>, !tile.array<16x16xi8>) -> ()
  return
}

// -----

// The number that sums are multiplied with is not written anywhere; what is negative becomes zero before or after it.
// CHECK-LABEL: func.func @scaled
// CHECK: ascend.fix_out {{.*}} relu scale 2.500000e-01 : memref<?xf16
func.func @scaled(%x: !tile.array<32x32xi8>, %z: !tile.array<32x32xf16>) attributes {tile.kernel} {
  %quarter = arith.constant 0.25 : f32
  %zero = arith.constant 0.0 : f32
  %a = tile.load %x[:, :] : (!tile.array<32x32xi8>) -> !tile.tile<32 x 32 x i8>
  %p = tile.dot %a, %a transpose_b : !tile.tile<32 x 32 x i8>, !tile.tile<32 x 32 x i8> -> !tile.tile<32 x 32 x i32>
  %f = tile.cast %p : !tile.tile<32 x 32 x i32> -> !tile.tile<32 x 32 x f32>
  %q = tile.splat %quarter : f32 -> !tile.tile<1 x 1 x f32>
  %s = tile.mul %f, %q : !tile.tile<32 x 32 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<32 x 32 x f32>
  %o = tile.splat %zero : f32 -> !tile.tile<1 x 1 x f32>
  %m = tile.maximum %s, %o : !tile.tile<32 x 32 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<32 x 32 x f32>
  %n = tile.cast %m : !tile.tile<32 x 32 x f32> -> !tile.tile<32 x 32 x f16>
  tile.store %n, %z[:, :] : (!tile.tile<32 x 32 x f16>, !tile.array<32x32xf16>) -> ()
  return
}

// -----

// Rows that a span lacks at its start are zeros as well, and are not stored.
// CHECK-LABEL: func.func @filled
// CHECK: %[[BEFORE:.*]] = arith.subi %c0, %arg2
// CHECK: %[[SOME:.*]] = arith.minsi %[[BEFORE]], %c32
// CHECK: %[[MISSING:.*]] = arith.maxsi %[[SOME]], %c0
// CHECK: %[[END:.*]] = arith.maxsi {{.*}}, %[[MISSING]]
// CHECK: %[[ROWS:.*]] = arith.subi %[[END]], %[[MISSING]]
// CHECK: %[[OFFSET:.*]] = arith.muli %[[MISSING]], %c16
// CHECK: ascend.slice %[[A:.*]][%[[OFFSET]]]
// CHECK: ascend.nd_to_nz {{.*}} rows(%[[ROWS]]) cols(%c16)
// CHECK: %[[LACKS:.*]] = arith.cmpi sgt, %[[MISSING]], %c0
// CHECK: scf.if %[[LACKS]] {
// CHECK:   ascend.fill %[[A]], {{.*}} repeat(%c1) blocks(%[[MISSING]]) pitch 32
// CHECK: %[[LAST:.*]] = arith.maxsi %[[MISSING]], %[[END]]
// CHECK: scf.if
// CHECK:   %[[REST:.*]] = arith.subi %c32, %[[LAST]]
// CHECK:   ascend.fill {{.*}} repeat(%c1) blocks(%[[REST]]) pitch 32
// CHECK: ascend.matmul
// CHECK: %[[STORED:.*]] = arith.subi %[[END]], %[[MISSING]]
// CHECK: %[[FROM:.*]] = arith.muli %[[MISSING]], %c16
// CHECK: ascend.slice {{.*}}[%[[FROM]]]
// CHECK: ascend.fix_out {{.*}} rows(%[[STORED]]) cols(%c32)
func.func @filled(%x: !tile.array<?x16xf16>, %z: !tile.array<?x32xf32>, %base: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %n = tile.dim %x, 0 : !tile.array<?x16xf16>
  %span = tile.make_span %base to %n from %c0 : <32, filled>
  %a = tile.load %x[%span span, :] : (!tile.array<?x16xf16>, !tile.span<32, filled>) -> !tile.tile<32 x 16 x f16>
  %p = tile.dot %a, %a transpose_b : !tile.tile<32 x 16 x f16>, !tile.tile<32 x 16 x f16> -> !tile.tile<32 x 32 x f32>
  tile.store %p, %z[%span span, :] : (!tile.tile<32 x 32 x f32>, !tile.array<?x32xf32>, !tile.span<32, filled>) -> ()
  return
}

// -----

// One operand of two products, whose other operands count the same k from 0 on, as exchanged tiles do: it is loaded once for both.
// CHECK-LABEL: func.func @shared_by_counts
// CHECK: %[[SHARED:.*]] = ascend.alloc "load" {{.*}} : memref<1024xf16, #ascend.space<l1>>
// CHECK: ascend.nd_to_nz %[[SHARED]]
// CHECK: ascend.matmul %{{[^,]*}}, %{{[^,]*}}, %[[SHARED]]
// CHECK: ascend.matmul %{{[^,]*}}, %{{[^,]*}}, %[[SHARED]]
func.func @shared_by_counts(%v: !tile.array<?x32xf16>, %p: !tile.array<16x32xf16>, %q: !tile.array<16x32xf16>, %y: !tile.array<16x32xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tile.dim %v, 0 : !tile.array<?x32xf16>
  %start = tile.splat %zero : f32 -> !tile.tile<16 x 32 x f32>
  %sum = tile.range %t = %c0 to %n by 32 iter(%acc = %start : !tile.tile<16 x 32 x f32>) {
    %base = tile.span_base %t : !tile.span<32>
    %left = arith.subi %n, %base : index
    %k = tile.make_span %c0 to %left : <32>
    %b = tile.load %v[%t span, :] : (!tile.array<?x32xf16>, !tile.span<32>) -> !tile.tile<32 x 32 x f16>
    %a = tile.load %p[:, %k span] : (!tile.array<16x32xf16>, !tile.span<32>) -> !tile.tile<16 x 32 x f16>
    %one = tile.dot %a, %b acc(%acc) : !tile.tile<16 x 32 x f16>, !tile.tile<32 x 32 x f16> -> !tile.tile<16 x 32 x f32>
    %c = tile.load %q[:, %k span] : (!tile.array<16x32xf16>, !tile.span<32>) -> !tile.tile<16 x 32 x f16>
    %two = tile.dot %c, %b acc(%one) : !tile.tile<16 x 32 x f16>, !tile.tile<32 x 32 x f16> -> !tile.tile<16 x 32 x f32>
    tile.yield %two : !tile.tile<16 x 32 x f32>
  }
  tile.store %sum, %y[:, :] : (!tile.tile<16 x 32 x f32>, !tile.array<16x32xf32>) -> ()
  return
}

// -----

// Two products of which both lack the same k: what they lack is left out of the operand that they share.
// CHECK-LABEL: func.func @shared_by_fewer
// CHECK: %[[SHARED:.*]] = ascend.alloc "shared" {{.*}} : memref<512xf16, #ascend.space<l1>>
// CHECK: %[[K:.*]] = arith.maxsi
// CHECK: %[[LESS:.*]] = arith.minsi %[[K]], %c32
// CHECK: ascend.nd_to_nz %[[SHARED]], {{.*}} rows(%c16) cols(%[[LESS]]) src_pitch
// CHECK: ascend.matmul %{{[^,]*}}, %[[SHARED]]
// CHECK: ascend.matmul %{{[^,]*}}, %[[SHARED]]
func.func @shared_by_fewer(%v: !tile.array<?x32xf16>, %w: !tile.array<?x32xf16>, %p: !tile.array<16x32xf16>, %y: !tile.array<16x32xf32>, %z: !tile.array<16x32xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %n = tile.dim %v, 0 : !tile.array<?x32xf16>
  %k = tile.make_span %c0 to %n : <32>
  %a = tile.load %p[:, :] : (!tile.array<16x32xf16>) -> !tile.tile<16 x 32 x f16> loc("shared")
  %b = tile.load %v[%k span, :] : (!tile.array<?x32xf16>, !tile.span<32>) -> !tile.tile<32 x 32 x f16>
  %c = tile.load %w[%k span, :] : (!tile.array<?x32xf16>, !tile.span<32>) -> !tile.tile<32 x 32 x f16>
  %one = tile.dot %a, %b : !tile.tile<16 x 32 x f16>, !tile.tile<32 x 32 x f16> -> !tile.tile<16 x 32 x f32>
  %two = tile.dot %a, %c : !tile.tile<16 x 32 x f16>, !tile.tile<32 x 32 x f16> -> !tile.tile<16 x 32 x f32>
  tile.store %one, %y[:, :] : (!tile.tile<16 x 32 x f32>, !tile.array<16x32xf32>) -> ()
  tile.store %two, %z[:, :] : (!tile.tile<16 x 32 x f32>, !tile.array<16x32xf32>) -> ()
  return
}
