// RUN: attn-opt %s --soc=Ascend910B4 --convert-tile-to-ascend --cse --split-input-file | FileCheck %s

// A splat that something must read from memory, and one that fills a part.
// CHECK-LABEL: func.func @splat(
// CHECK-SAME:    %[[S:[^:]*]]: f32
// CHECK-DAG:     %[[A:.*]] = ascend.alloc "a" counted {{[0-9]+}} : memref<128xf32, #ascend.space<ub>>
// CHECK:         ascend.duplicate %[[A]], %[[S]] count(%c128)
// CHECK:         ascend.copy_out %{{.*}}, %[[A]]
// CHECK:         %[[PART:.*]] = ascend.slice %{{.*}}[%c64]
// CHECK:         ascend.duplicate %[[PART]], %[[S]] count(%c64)
func.func @splat(%x: !tile.array<123xf32>, %s: f32) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %k = arith.constant 64 : index
  %a = tile.splat %s : f32 -> !tile.tile<1 x 123 x f32> loc("a")
  tile.store %a, %x[:] : (!tile.tile<1 x 123 x f32>, !tile.array<123xf32>) -> ()
  %b = tile.load %x[:] : (!tile.array<123xf32>) -> !tile.tile<1 x 123 x f32> loc("b")
  %p = tile.splat %s : f32 -> !tile.tile<1 x 59 x f32>
  %c = tile.insert %p, %b[%zero, %k] : !tile.tile<1 x 59 x f32> into !tile.tile<1 x 123 x f32> loc("b")
  tile.store %c, %x[:] : (!tile.tile<1 x 123 x f32>, !tile.array<123xf32>) -> ()
  return
}

// -----

// A part that is one run of elements is read inside the whole.
// CHECK-LABEL: func.func @view(
// CHECK-DAG:     %[[A:.*]] = ascend.alloc "a" counted {{[0-9]+}} : memref<4096xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[E:.*]] = ascend.alloc "e" counted {{[0-9]+}} : memref<64xf32, #ascend.space<ub>>
// CHECK-NOT:     ascend.alloc
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           %[[COL:.*]] = arith.muli %[[I]], %c64
// CHECK:           %[[PART:.*]] = ascend.slice %[[A]][%[[COL]]]
// CHECK:           ascend.unary {{ *}}exp %[[E]], %[[PART]] count(%c64)
func.func @view(%x: !tile.array<4096xf32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %size = arith.constant 64 : index
  %a = tile.load %x[:] : (!tile.array<4096xf32>) -> !tile.tile<1 x 4096 x f32> loc("a")
  tile.range %i = %zero to %size {
    %k = arith.muli %i, %size : index
    %p = tile.extract %a[%zero, %k] : !tile.tile<1 x 4096 x f32> -> !tile.tile<1 x 64 x f32>
    %e = tile.exp %p : !tile.tile<1 x 64 x f32> loc("e")
    tile.store %e, %x[%k:64] : (!tile.tile<1 x 64 x f32>, !tile.array<4096xf32>, index) -> ()
  }
  return
}

// -----

// Strips of a carried accumulator are changed where they are: no copy, no second buffer.
// CHECK-LABEL: func.func @accumulate_in_strips(
// CHECK-DAG:     %[[ACC:.*]] = ascend.alloc "acc" counted {{[0-9]+}} : memref<4096xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[V:.*]] = ascend.alloc "v" counted {{[0-9]+}} : memref<64xf32, #ascend.space<ub>>
// CHECK-NOT:     ascend.copy %
// CHECK:         ascend.duplicate %[[ACC]], %{{.*}} count(%c4096)
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           %[[K:.*]] = arith.muli %[[I]], %c64
// CHECK:           ascend.copy_in %[[V]]
// CHECK:           %[[STRIP:.*]] = ascend.slice %[[ACC]][%[[K]]]
// CHECK-NEXT:      ascend.scalar {{ *}}muls %[[STRIP]], %[[STRIP]], %{{.*}} count(%c64)
// CHECK-NEXT:      ascend.mul_add %[[STRIP]], %[[V]], %[[V]] count(%c64)
// CHECK-NEXT:    }
// CHECK:         ascend.copy_out %{{.*}}, %[[ACC]]
func.func @accumulate_in_strips(%x: !tile.array<4096xf32>, %s: f32) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %size = arith.constant 64 : index
  %none = arith.constant 0.0 : f32
  %two = tile.splat %s : f32 -> !tile.tile<1 x 1 x f32>
  %acc0 = tile.splat %none : f32 -> !tile.tile<1 x 4096 x f32>
  %r = tile.range %i = %zero to %size iter(%acc = %acc0 : !tile.tile<1 x 4096 x f32>) {
    %k = arith.muli %i, %size : index
    %v = tile.load %x[%k:64] : (!tile.array<4096xf32>, index) -> !tile.tile<1 x 64 x f32> loc("v")
    %a = tile.extract %acc[%zero, %k] : !tile.tile<1 x 4096 x f32> -> !tile.tile<1 x 64 x f32>
    %b = tile.mul %a, %two : !tile.tile<1 x 64 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<1 x 64 x f32>
    %p = tile.mul %v, %v : !tile.tile<1 x 64 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 64 x f32>
    %c = tile.add %b, %p : !tile.tile<1 x 64 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 64 x f32>
    %next = tile.insert %c, %acc[%zero, %k] : !tile.tile<1 x 64 x f32> into !tile.tile<1 x 4096 x f32> loc("acc")
    tile.yield %next : !tile.tile<1 x 4096 x f32>
  }
  tile.store %r, %x[:] : (!tile.tile<1 x 4096 x f32>, !tile.array<4096xf32>) -> ()
  return
}

// -----

// Rows that are loaded to be kept arrive in their place.
// CHECK-LABEL: func.func @keep_rows(
// CHECK-DAG:     %[[STACK:.*]] = ascend.alloc "stack" counted {{[0-9]+}} : memref<131072xbf16, #ascend.space<ub>>
// CHECK-DAG:     %[[WIDE:.*]] = ascend.alloc "wide" counted {{[0-9]+}} : memref<4096xf32, #ascend.space<ub>>
// CHECK-NOT:     ascend.alloc
// CHECK:         scf.for %[[N:.*]] =
// CHECK:           %[[OFFSET:.*]] = arith.muli %[[N]], %c4096
// CHECK:           %[[ROW:.*]] = ascend.slice %[[STACK]][%[[OFFSET]]]
// CHECK:           ascend.copy_in %[[ROW]]
// CHECK-NOT:       ascend.copy %
// CHECK:         scf.for %[[M:.*]] =
// CHECK:           %[[OFFSET:.*]] = arith.muli %[[M]], %c4096
// CHECK:           %[[ROW:.*]] = ascend.slice %[[STACK]][%[[OFFSET]]]
// CHECK:           ascend.cast {{ *}}none %[[WIDE]], %[[ROW]] count(%c4096)
func.func @keep_rows(%x: !tile.array<32x4096xbf16>, %y: !tile.array<32x4096xf32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %N = arith.constant 32 : index
  %s0 = tile.undefined : !tile.tile<32 x 4096 x bf16> loc("stack")
  %stack = tile.range %n = %zero to %N iter(%s = %s0 : !tile.tile<32 x 4096 x bf16>) {
    %v = tile.load %x[%n, :] : (!tile.array<32x4096xbf16>, index) -> !tile.tile<1 x 4096 x bf16> loc("v")
    %next = tile.insert %v, %s[%n, %zero] : !tile.tile<1 x 4096 x bf16> into !tile.tile<32 x 4096 x bf16> loc("stack")
    tile.yield %next : !tile.tile<32 x 4096 x bf16>
  }
  tile.range %m = %zero to %N {
    %v = tile.extract %stack[%m, %zero] : !tile.tile<32 x 4096 x bf16> -> !tile.tile<1 x 4096 x bf16>
    %wide = tile.cast %v : !tile.tile<1 x 4096 x bf16> -> !tile.tile<1 x 4096 x f32> loc("wide")
    tile.store %wide, %y[%m, :] : (!tile.tile<1 x 4096 x f32>, !tile.array<32x4096xf32>, index) -> ()
  }
  return
}

// -----

// Columns out of several rows lie apart: they are copied row by row, both ways.
// CHECK-LABEL: func.func @strips_of_rows(
// CHECK-DAG:     %[[A:.*]] = ascend.alloc "a" counted {{[0-9]+}} : memref<512xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[P:.*]] = ascend.alloc "p" counted {{[0-9]+}} : memref<128xf32, #ascend.space<ub>>
// CHECK:         %[[FROM:.*]] = ascend.slice %[[A]][%c32]
// CHECK:         scf.for %[[I:.*]] = %c0 to %c4 step %c1 {
// CHECK:           %[[NARROW:.*]] = arith.muli %[[I]], %c32
// CHECK:           %[[TO:.*]] = ascend.slice %[[P]][%[[NARROW]]]
// CHECK:           %[[WIDE:.*]] = arith.muli %[[I]], %c128
// CHECK:           %[[ROW:.*]] = ascend.slice %[[FROM]][%[[WIDE]]]
// CHECK:           ascend.copy %[[TO]], %[[ROW]] count(%c32)
// CHECK:         ascend.unary {{ *}}exp %[[P]], %[[P]] count(%c128)
// CHECK:         scf.for
// CHECK:           ascend.copy %{{.*}}, %{{.*}} count(%c32)
// CHECK:         scf.for
// CHECK:           ascend.duplicate %{{.*}}, %{{.*}} count(%c64)
func.func @strips_of_rows(%x: !tile.array<4x128xf32>, %s: f32) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %k = arith.constant 32 : index
  %a = tile.load %x[:, :] : (!tile.array<4x128xf32>) -> !tile.tile<4 x 128 x f32> loc("a")
  %p = tile.extract %a[%zero, %k] : !tile.tile<4 x 128 x f32> -> !tile.tile<4 x 32 x f32> loc("p")
  %e = tile.exp %p : !tile.tile<4 x 32 x f32> loc("p")
  %b = tile.insert %e, %a[%zero, %k] : !tile.tile<4 x 32 x f32> into !tile.tile<4 x 128 x f32> loc("a")
  %f = tile.splat %s : f32 -> !tile.tile<4 x 64 x f32>
  %c = tile.insert %f, %b[%zero, %zero] : !tile.tile<4 x 64 x f32> into !tile.tile<4 x 128 x f32> loc("a")
  tile.store %c, %x[:, :] : (!tile.tile<4 x 128 x f32>, !tile.array<4x128xf32>) -> ()
  return
}

// -----

// Taps by rows: a tap is a row of the band and a column of rows, both without a copy.
// CHECK-LABEL: func.func @transposed_parts(
// CHECK-DAG:     %[[S:.*]] = ascend.alloc "s" counted {{[0-9]+}} : memref<48xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[A:.*]] = ascend.alloc "a" counted {{[0-9]+}} : memref<1024xf32, #ascend.space<ub>>
// CHECK:         %[[TAP:.*]] = ascend.slice %[[S]][%c16]
// CHECK:         ascend.row_reduce {{ *}}sum %[[TAP]], %{{.*}} rows(%c16) cols 64 pitch 64
// CHECK-NOT:     ascend.copy %
// CHECK:         ascend.row_binary {{ *}}mul %[[A]], %[[A]], %[[TAP]]
func.func @transposed_parts(%x: !tile.array<16x64xf32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = tile.load %x[:, :] : (!tile.array<16x64xf32>) -> !tile.tile<16 x 64 x f32> loc("a")
  %empty = tile.undefined : !tile.tile<3 x 16 x f32>
  %c = tile.reduce sum %a axis 1 : !tile.tile<16 x 64 x f32> -> !tile.tile<16 x 1 x f32>
  %s = tile.insert %c, %empty[%one, %zero] transposed : !tile.tile<16 x 1 x f32> into !tile.tile<3 x 16 x f32> loc("s")
  %d = tile.extract %s[%one, %zero] transposed : !tile.tile<3 x 16 x f32> -> !tile.tile<16 x 1 x f32>
  %o = tile.mul %a, %d : !tile.tile<16 x 64 x f32>, !tile.tile<16 x 1 x f32> -> !tile.tile<16 x 64 x f32>
  tile.store %o, %x[:, :] : (!tile.tile<16 x 64 x f32>, !tile.array<16x64xf32>) -> ()
  return
}

// -----

// A tap of the mask is 1 up to the end of the window, but for what lies before its start; taps do not wait for
// each other.
// CHECK-LABEL: func.func @band_mask(
// CHECK:         %[[M:.*]] = ascend.alloc "m" counted {{[0-9]+}} : memref<48xf32, #ascend.space<ub>>
// CHECK:         ascend.duplicate %[[M]], %[[NONE:.*]] count(%c48)
// CHECK:         ascend.duplicate %[[M]], %[[ONE:.*]] count(
// CHECK:         %[[SECOND:.*]] = ascend.slice %[[M]][%c16]
// CHECK:         ascend.duplicate %[[SECOND]], %[[ONE]] count(
// CHECK:         %[[THIRD:.*]] = ascend.slice %[[M]][%c32]
// CHECK:         ascend.duplicate %[[THIRD]], %[[ONE]] count(
// CHECK:         ascend.duplicate %[[M]], %[[NONE]] count(
// CHECK:         ascend.duplicate %[[SECOND]], %[[NONE]] count(
// CHECK:         ascend.duplicate %[[THIRD]], %[[NONE]] count(
func.func @band_mask(%base: index, %n: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %w = tile.make_span %base to %n from %zero : !tile.span<18, filled>
  %m = tile.band_mask %w transposed : !tile.span<18, filled> -> !tile.tile<3 x 16 x f32> loc("m")
  return
}

// -----

// Columns that are inserted as rows of another tile are copied there, and nothing else is made of them.
// CHECK-LABEL: func.func @columns_as_rows(
// CHECK-DAG:     %[[A:.*]] = ascend.alloc "a" counted {{[0-9]+}} : memref<1024xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[B:.*]] = ascend.alloc "b" counted {{[0-9]+}} : memref<1024xf32, #ascend.space<ub>>
// CHECK-NOT:     ascend.alloc
// CHECK:         %[[TO:.*]] = ascend.slice %[[B]][%c512]
// CHECK:         %[[FROM:.*]] = ascend.slice %[[A]][%c64]
// CHECK:         scf.for
// CHECK:           %[[ROW:.*]] = ascend.slice %[[TO]]
// CHECK:           %[[COLUMNS:.*]] = ascend.slice %[[FROM]]
// CHECK:           ascend.copy %[[ROW]], %[[COLUMNS]] count(%c64)
// CHECK:         ascend.copy_out %{{.*}}, %[[B]]
func.func @columns_as_rows(%x: !tile.array<8x128xf32>, %y: !tile.array<16x64xf32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %row = arith.constant 8 : index
  %col = arith.constant 64 : index
  %a = tile.load %x[:, :] : (!tile.array<8x128xf32>) -> !tile.tile<8 x 128 x f32> loc("a")
  %b = tile.load %y[:, :] : (!tile.array<16x64xf32>) -> !tile.tile<16 x 64 x f32> loc("b")
  %p = tile.extract %a[%zero, %col] : !tile.tile<8 x 128 x f32> -> !tile.tile<8 x 64 x f32>
  %c = tile.insert %p, %b[%row, %zero] : !tile.tile<8 x 64 x f32> into !tile.tile<16 x 64 x f32> loc("b")
  tile.store %c, %y[:, :] : (!tile.tile<16 x 64 x f32>, !tile.array<16x64xf32>) -> ()
  return
}

// -----

// Columns of whole data blocks, fewer than the row unit: as many are copied, and not what lies after them, from where they are and to where they go.
// CHECK-LABEL: func.func @data_blocks(
// CHECK-DAG:     %[[A:.*]] = ascend.alloc "a" counted {{[0-9]+}} : memref<192xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[P:.*]] = ascend.alloc "p" counted {{[0-9]+}} : memref<128xf32, #ascend.space<ub>>
// CHECK:         %[[LAST:.*]] = ascend.slice %[[A]][%c24]
// CHECK:         scf.for
// CHECK:           %[[TO:.*]] = ascend.slice %[[P]]
// CHECK:           %[[FROM:.*]] = ascend.slice %[[LAST]]
// CHECK:           ascend.copy %[[TO]], %[[FROM]] count(%c24)
// CHECK:         scf.for
// CHECK:           ascend.copy %{{.*}}, %{{.*}} count(%c24)
// CHECK:         scf.for
// CHECK:           ascend.duplicate %{{.*}}, %{{.*}} count(%c8)
func.func @data_blocks(%x: !tile.array<4x48xf32>, %s: f32) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %eight = arith.constant 8 : index
  %half = arith.constant 24 : index
  %a = tile.load %x[:, :] : (!tile.array<4x48xf32>) -> !tile.tile<4 x 48 x f32> loc("a")
  %p = tile.extract %a[%zero, %half] : !tile.tile<4 x 48 x f32> -> !tile.tile<4 x 24 x f32> loc("p")
  %e = tile.exp %p : !tile.tile<4 x 24 x f32> loc("p")
  %b = tile.insert %e, %a[%zero, %zero] : !tile.tile<4 x 24 x f32> into !tile.tile<4 x 48 x f32> loc("a")
  %f = tile.splat %s : f32 -> !tile.tile<4 x 8 x f32>
  %c = tile.insert %f, %b[%zero, %eight] : !tile.tile<4 x 8 x f32> into !tile.tile<4 x 48 x f32> loc("a")
  tile.store %c, %x[:, :] : (!tile.tile<4 x 48 x f32>, !tile.array<4x48xf32>) -> ()
  return
}
