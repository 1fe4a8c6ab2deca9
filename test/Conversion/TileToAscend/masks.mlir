// RUN: attn-opt %s --soc=Ascend910B4 --convert-tile-to-ascend --cse --split-input-file | FileCheck %s

// The first block of a ramp is filled eight times, each time one element less; then it doubles.
// CHECK-LABEL: func.func @ramp(
// CHECK-DAG:     %[[RAMP:.*]] = ascend.alloc "j" counted {{[0-9]+}} : memref<48xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[SEVEN:.*]] = arith.constant 7.000000e+00 : f32
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         ascend.duplicate %[[RAMP]], %[[SEVEN]] count(%c8)
// CHECK-COUNT-6: ascend.duplicate %[[RAMP]]
// CHECK:         ascend.duplicate %[[RAMP]], %[[ZERO]] count(%c1)
// CHECK:         %[[SECOND:.*]] = ascend.slice %[[RAMP]][%c8]
// CHECK:         ascend.scalar {{ *}}adds %[[SECOND]], %[[RAMP]], %{{.*}} count(%c8)
// CHECK:         ascend.scalar {{ *}}adds %{{.*}}, %[[RAMP]], %{{.*}} count(%c16)
// The last part is what is left.
// CHECK:         ascend.scalar {{ *}}adds %{{.*}}, %[[RAMP]], %{{.*}} count(%c16)
// CHECK-NOT:     adds
// CHECK:         ascend.copy_out
func.func @ramp(%y: !tile.array<1x40xf32>) attributes {tile.kernel} {
  %j = tile.ramp : !tile.tile<1 x 40 x f32> loc("j")
  tile.store %j, %y[:, :] : (!tile.tile<1 x 40 x f32>, !tile.array<1x40xf32>) -> ()
  return
}

// -----

// Bits of what is taken; what is known to be negative is multiplied into the other elements.
// CHECK-LABEL: func.func @excluded(
// CHECK-DAG:     %[[D:.*]] = ascend.alloc "d" counted {{[0-9]+}} : memref<64xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[BITS:.*]] = ascend.alloc "d_taken_bits" counted {{[0-9]+}} : memref<64xi32, #ascend.space<ub>>
// CHECK-DAG:     %[[MINUS:.*]] = arith.constant -1.000000e+00 : f32
// CHECK-DAG:     %[[FACTOR:.*]] = arith.constant 2.500000e+00 : f32
// CHECK:         ascend.scalar {{ *}}muls %[[D]], %[[M:.*]], %[[MINUS]] count(%c64)
// CHECK:         ascend.cast {{ *}}rint %[[BITS]], %[[D]] count(%c64)
// CHECK:         ascend.bitwise {{ *}}and %[[BITS]], %[[A:.*]], %[[BITS]] count(%c64)
// CHECK:         ascend.scalar {{ *}}adds %[[D]], %[[M]], %[[MINUS]] count(%c64)
// CHECK:         ascend.scalar {{ *}}muls %[[D]], %[[D]], %[[FACTOR]] count(%c64)
// CHECK:         ascend.bitwise {{ *}}or %[[D]], %[[D]], %[[BITS]] count(%c64)
func.func @excluded(%x: !tile.array<4x16xf32>, %y: !tile.array<4x16xf32>) attributes {tile.kernel} {
  %low = arith.constant -2.5 : f32
  %other = tile.splat %low : f32 -> !tile.tile<1 x 1 x f32>
  %m = tile.load %x[:, :] : (!tile.array<4x16xf32>) -> !tile.tile<4 x 16 x f32> loc("m")
  %a = tile.load %y[:, :] : (!tile.array<4x16xf32>) -> !tile.tile<4 x 16 x f32> loc("a")
  %d = tile.select %m, %a, %other : !tile.tile<4 x 16 x f32>, !tile.tile<4 x 16 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<4 x 16 x f32> loc("d")
  tile.store %d, %y[:, :] : (!tile.tile<4 x 16 x f32>, !tile.array<4x16xf32>) -> ()
  return
}

// -----

// Zero is what remains without bits.
// CHECK-LABEL: func.func @zero(
// CHECK:         ascend.cast
// CHECK-NEXT:    ascend.bitwise {{ *}}and
// CHECK-NOT:     ascend.bitwise
func.func @zero(%x: !tile.array<4x16xf32>, %y: !tile.array<4x16xf32>) attributes {tile.kernel} {
  %none = arith.constant 0.0 : f32
  %other = tile.splat %none : f32 -> !tile.tile<1 x 1 x f32>
  %m = tile.load %x[:, :] : (!tile.array<4x16xf32>) -> !tile.tile<4 x 16 x f32> loc("m")
  %a = tile.load %y[:, :] : (!tile.array<4x16xf32>) -> !tile.tile<4 x 16 x f32> loc("a")
  %d = tile.select %m, %a, %other : !tile.tile<4 x 16 x f32>, !tile.tile<4 x 16 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<4 x 16 x f32> loc("d")
  tile.store %d, %y[:, :] : (!tile.tile<4 x 16 x f32>, !tile.array<4x16xf32>) -> ()
  return
}

// -----

// Otherwise the bits of both are taken; a column and a row are spread first.
// CHECK-LABEL: func.func @spread(
// CHECK-DAG:     %[[OTHER:.*]] = ascend.alloc "d_other_bits" counted {{[0-9]+}} : memref<64xi32, #ascend.space<ub>>
// CHECK:         ascend.row_binary {{ *}}mul
// CHECK:         ascend.cast {{ *}}rint %[[BITS:.*]], %[[D:.*]] count(%[[COUNT:.*]]) :
// CHECK:         ascend.cast {{ *}}rint %[[OTHER]], %[[D]] count(%[[COUNT]])
// CHECK:         ascend.bitwise {{ *}}and %[[BITS]], %{{.*}}, %[[BITS]]
// CHECK:         ascend.col_binary {{ *}}mul
// CHECK:         ascend.bitwise {{ *}}and %[[OTHER]], %[[D]], %[[OTHER]]
// CHECK:         ascend.bitwise {{ *}}or %[[D]], %[[BITS]], %[[OTHER]]
func.func @spread(%x: !tile.array<4xf32>, %r: !tile.array<16xf32>, %y: !tile.array<4x16xf32>, %T: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %t = tile.make_span %zero to %T nonempty : !tile.span<4>
  %m = tile.load %x[%t span] : (!tile.array<4xf32>, !tile.span<4>) -> !tile.tile<4 x 1 x f32> loc("m")
  %row = tile.load %r[:] : (!tile.array<16xf32>) -> !tile.tile<1 x 16 x f32> loc("row")
  %a = tile.load %y[:, :] : (!tile.array<4x16xf32>) -> !tile.tile<4 x 16 x f32> loc("a")
  %d = tile.select %m, %a, %row : !tile.tile<4 x 1 x f32>, !tile.tile<4 x 16 x f32>, !tile.tile<1 x 16 x f32> -> !tile.tile<4 x 16 x f32> loc("d")
  tile.store %d, %y[:, :] : (!tile.tile<4 x 16 x f32>, !tile.array<4x16xf32>) -> ()
  return
}

// -----

// A comparison goes by whole repeats; what is left of the elements is copied to where a repeat can be read.
// CHECK-LABEL: func.func @compare(
// CHECK-DAG:     %[[BITS:.*]] = ascend.alloc "d_bits" counted {{[0-9]+}} : memref<32xi8, #ascend.space<ub>>
// CHECK-DAG:     %[[ONE:.*]] = ascend.alloc "d_one" counted {{[0-9]+}} : memref<64xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[ZERO:.*]] = ascend.alloc "d_zero" counted {{[0-9]+}} : memref<64xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[LEFT:.*]] = ascend.alloc "d_left_tail" counted {{[0-9]+}} : memref<64xf32, #ascend.space<ub>>
// CHECK:         ascend.compare {{ *}}lt %[[BITS]], %{{.*}}, %{{.*}} count(%c64)
// CHECK:         ascend.select %{{.*}}, %[[BITS]], %[[ONE]], %[[ZERO]] count(%c64)
// CHECK:         ascend.scalar {{ *}}muls %[[LEFT]], %{{.*}} count(%c32)
// CHECK:         ascend.compare {{ *}}lt %[[BITS]], %[[LEFT]], %{{.*}} count(%c64)
// CHECK:         ascend.select %{{.*}}, %[[BITS]], %[[ONE]], %[[ZERO]] count(%c32)
func.func @compare(%x: !tile.array<6x16xf32>, %y: !tile.array<6x16xf32>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<6x16xf32>) -> !tile.tile<6 x 16 x f32> loc("a")
  %b = tile.load %y[:, :] : (!tile.array<6x16xf32>) -> !tile.tile<6 x 16 x f32> loc("b")
  %d = tile.compare lt %a, %b : !tile.tile<6 x 16 x f32>, !tile.tile<6 x 16 x f32> -> !tile.tile<6 x 16 x f32> loc("d")
  tile.store %d, %y[:, :] : (!tile.tile<6 x 16 x f32>, !tile.array<6x16xf32>) -> ()
  return
}
