// Spans with missing and mapped rows, through the simulator: what arrives and what is written.
// RUN: attn-opt %s --soc=Ascend910B4 --attn-ascend -o %t
// RUN: attn-sim %t --kernel=window --blocks=1 --arg=values:1,2,3,4,5,6,7,8,9:3x3xbf16 --arg=index:-2 --arg=undef:7x3xbf16 --print=2 | FileCheck %s --check-prefix=START
// RUN: attn-sim %t --kernel=window --blocks=1 --arg=values:1,2,3,4,5,6,7,8,9:3x3xbf16 --arg=index:1 --arg=undef:7x3xbf16 --print=2 | FileCheck %s --check-prefix=END
// RUN: attn-sim %t --kernel=window --blocks=1 --arg=values:1,2,3,4,5,6,7,8,9:3x3xbf16 --arg=index:9 --arg=undef:7x3xbf16 --print=2 | FileCheck %s --check-prefix=NONE
// RUN: attn-sim %t --kernel=mapped --blocks=1 --arg=iota:9x2xf32 --arg=fill:-1:9x2xf32 --print=1 | FileCheck %s --check-prefix=MAPPED
// RUN: attn-sim %t --kernel=columns --blocks=1 --arg=iota:20xf32 --arg=index:-2 --arg=fill:-1:20xf32 --arg=undef:11x1xf32 --print=2 --print=3 | FileCheck %s --check-prefix=COLUMNS
// RUN: attn-sim %t --kernel=columns --blocks=1 --arg=iota:20xf32 --arg=index:3 --arg=fill:-1:20xf32 --arg=undef:11x1xf32 --print=2 --print=3 | FileCheck %s --check-prefix=SHORT
// RUN: attn-sim %t --kernel=narrow_column --blocks=1 --arg=values:1,2,3,4:4xbf16 --arg=undef:6x1xbf16 --print=1 | FileCheck %s --check-prefix=NARROW
// RUN: attn-sim %t --kernel=table --blocks=1 --arg=table:3:iota:2x4xf32 --arg=undef:4x4xf32 --arg=table:3:fill:-1:2x4xf32 --print=1 --print=2 | FileCheck %s --check-prefix=TABLE
// RUN: attn-sim %t --kernel=mask --blocks=1 --arg=index:-2 --arg=undef:3x5xf32 --print=1 | FileCheck %s --check-prefix=MASKSTART
// RUN: attn-sim %t --kernel=mask --blocks=1 --arg=index:6 --arg=undef:3x5xf32 --print=1 | FileCheck %s --check-prefix=MASKEND

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// START: hazards: 0
// START: values of argument 2:
// START-NEXT: {{^}}  0 0 0
// START-NEXT: {{^}}  0 0 0
// START-NEXT: {{^}}  1 2 3
// START-NEXT: {{^}}  4 5 6
// START-NEXT: {{^}}  7 8 9
// START-NEXT: {{^}}  0 0 0
// START-NEXT: {{^}}  0 0 0
// END: hazards: 0
// END: values of argument 2:
// END-NEXT: {{^}}  4 5 6
// END-NEXT: {{^}}  7 8 9
// END-NEXT: {{^}}  0 0 0
// NONE: hazards: 0
// NONE: values of argument 2:
// NONE-NEXT: {{^}}  0 0 0
// NONE-NEXT: {{^}}  0 0 0
func.func @window(%x: !tile.array<?x3xbf16> {launch.dims = ["T", 3]}, %base: index,
                  %y: !tile.array<7x3xbf16> {launch.dims = [7, 3], launch.output})
    attributes {tile.kernel, launch.limit = 1 : i64} {
  %zero = arith.constant 0 : index
  %T = tile.dim %x, 0 : !tile.array<?x3xbf16>
  %w = tile.make_span %base to %T from %zero : !tile.span<7, filled>
  %v = tile.load %x[%w span, :] : (!tile.array<?x3xbf16>, !tile.span<7, filled>) -> !tile.tile<7 x 3 x bf16>
  tile.store %v, %y[:, :] : (!tile.tile<7 x 3 x bf16>, !tile.array<7x3xbf16>) -> ()
  return
}

// Rows 1, 4 and 7 of x are rows 0 to 2 of their class; the window of one row more at each end is written back to them.
// MAPPED: hazards: 0
// MAPPED: values of argument 1:
// MAPPED-NEXT: {{^}}  -1 -1
// MAPPED-NEXT: {{^}}  2 3
// MAPPED-NEXT: {{^}}  -1 -1
// MAPPED-NEXT: {{^}}  -1 -1
// MAPPED-NEXT: {{^}}  8 9
// MAPPED-NEXT: {{^}}  -1 -1
// MAPPED-NEXT: {{^}}  -1 -1
// MAPPED-NEXT: {{^}}  14 15
// MAPPED-NEXT: {{^}}  -1 -1
func.func @mapped(%x: !tile.array<?x2xf32> {launch.dims = ["T", 2]}, %y: !tile.array<?x2xf32> {launch.dims = ["T", 2], launch.output})
    attributes {tile.kernel, launch.limit = 1 : i64} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %before = arith.constant -1 : index
  %w = tile.make_span %before to %three from %zero map(%one, %three) : !tile.span<5, filled, mapped>
  %v = tile.load %x[%w span, :] : (!tile.array<?x2xf32>, !tile.span<5, filled, mapped>) -> !tile.tile<5 x 2 x f32>
  tile.store %v, %y[%w span, :] : (!tile.tile<5 x 2 x f32>, !tile.array<?x2xf32>, !tile.span<5, filled, mapped>) -> ()
  return
}

// Every second element from 1 on, seven of them.
// COLUMNS: hazards: 0
// COLUMNS: values of argument 2:
// COLUMNS-NEXT: {{^}}  -1 1 -1 3 -1 5 -1 7 -1 9 -1 11 -1 13 -1 -1 -1 -1 -1 -1
// COLUMNS: values of argument 3:
// COLUMNS-NEXT: {{^}}  0{{$}}
// COLUMNS-NEXT: {{^}}  0{{$}}
// COLUMNS-NEXT: {{^}}  1{{$}}
// COLUMNS-NEXT: {{^}}  3{{$}}
// COLUMNS-NEXT: {{^}}  5{{$}}
// COLUMNS-NEXT: {{^}}  7{{$}}
// COLUMNS-NEXT: {{^}}  9{{$}}
// COLUMNS-NEXT: {{^}}  11{{$}}
// COLUMNS-NEXT: {{^}}  13{{$}}
// COLUMNS-NEXT: {{^}}  0{{$}}
// COLUMNS-NEXT: {{^}}  0{{$}}
// SHORT: hazards: 0
// SHORT: values of argument 2:
// SHORT-NEXT: {{^}}  -1 -1 -1 -1 -1 -1 -1 7 -1 9 -1 11 -1 13 -1 -1 -1 -1 -1 -1
// SHORT: values of argument 3:
// SHORT-NEXT: {{^}}  7{{$}}
// SHORT-NEXT: {{^}}  9{{$}}
// SHORT-NEXT: {{^}}  11{{$}}
// SHORT-NEXT: {{^}}  13{{$}}
// SHORT-NEXT: {{^}}  0{{$}}
func.func @columns(%x: !tile.array<?xf32> {launch.dims = ["T"]}, %base: index,
                   %y: !tile.array<?xf32> {launch.dims = ["T"], launch.output},
                   %z: !tile.array<11x1xf32> {launch.dims = [11, 1], launch.output})
    attributes {tile.kernel, launch.limit = 1 : i64} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %seven = arith.constant 7 : index
  %w = tile.make_span %base to %seven from %zero map(%one, %two) : !tile.span<11, filled, mapped>
  %v = tile.load %x[%w span] : (!tile.array<?xf32>, !tile.span<11, filled, mapped>) -> !tile.tile<11 x 1 x f32>
  tile.store %v, %y[%w span] : (!tile.tile<11 x 1 x f32>, !tile.array<?xf32>, !tile.span<11, filled, mapped>) -> ()
  tile.store %v, %z[:, :] : (!tile.tile<11 x 1 x f32>, !tile.array<11x1xf32>) -> ()
  return
}

// NARROW: hazards: 0
// NARROW: values of argument 1:
// NARROW-NEXT: {{^}}  0{{$}}
// NARROW-NEXT: {{^}}  1{{$}}
// NARROW-NEXT: {{^}}  2{{$}}
// NARROW-NEXT: {{^}}  3{{$}}
// NARROW-NEXT: {{^}}  4{{$}}
// NARROW-NEXT: {{^}}  0{{$}}
func.func @narrow_column(%x: !tile.array<?xbf16> {launch.dims = ["T"]},
                         %z: !tile.array<6x1xbf16> {launch.dims = [6, 1], launch.output})
    attributes {tile.kernel, launch.limit = 1 : i64} {
  %zero = arith.constant 0 : index
  %before = arith.constant -1 : index
  %T = tile.dim %x, 0 : !tile.array<?xbf16>
  %w = tile.make_span %before to %T from %zero : !tile.span<6, filled>
  %v = tile.load %x[%w span] : (!tile.array<?xbf16>, !tile.span<6, filled>) -> !tile.tile<6 x 1 x bf16>
  tile.store %v, %z[:, :] : (!tile.tile<6 x 1 x bf16>, !tile.array<6x1xbf16>) -> ()
  return
}

// Row 1 of each of three tensors; the fourth row is missing.
// TABLE: hazards: 0
// TABLE: values of argument 1:
// TABLE-NEXT: {{^}}  4 5 6 7
// TABLE-NEXT: {{^}}  4 5 6 7
// TABLE-NEXT: {{^}}  4 5 6 7
// TABLE-NEXT: {{^}}  0 0 0 0
// TABLE-COUNT-3: {{^}}  8 10 12 14
func.func @table(%x: !tile.array<?x?x4xf32, table> {launch.dims = ["N", "T", 4]},
                 %y: !tile.array<4x4xf32> {launch.dims = [4, 4], launch.output},
                 %z: !tile.array<?x?x4xf32, table> {launch.dims = ["N", "T", 4], launch.output})
    attributes {tile.kernel, launch.limit = 1 : i64} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %N = tile.dim %x, 0 : !tile.array<?x?x4xf32, table>
  %n = tile.make_span %zero to %N from %zero : !tile.span<4, filled>
  %v = tile.load %x[%n span, %one, :] : (!tile.array<?x?x4xf32, table>, !tile.span<4, filled>, index) -> !tile.tile<4 x 4 x f32>
  tile.store %v, %y[:, :] : (!tile.tile<4 x 4 x f32>, !tile.array<4x4xf32>) -> ()
  %w = tile.add %v, %v : !tile.tile<4 x 4 x f32>, !tile.tile<4 x 4 x f32> -> !tile.tile<4 x 4 x f32>
  tile.store %w, %z[%n span, %one, :] : (!tile.tile<4 x 4 x f32>, !tile.array<?x?x4xf32, table>, !tile.span<4, filled>, index) -> ()
  return
}

// Of the window -2 to 5, rows 0 to 4 exist; of 6 to 13, rows 6 to 9.
// MASKSTART: hazards: 0
// MASKSTART: values of argument 1:
// MASKSTART-NEXT: {{^}}  0 0 1 1 1
// MASKSTART-NEXT: {{^}}  0 1 1 1 1
// MASKSTART-NEXT: {{^}}  1 1 1 1 1
// MASKEND: hazards: 0
// MASKEND: values of argument 1:
// MASKEND-NEXT: {{^}}  1 1 1 1 0
// MASKEND-NEXT: {{^}}  1 1 1 0 0
// MASKEND-NEXT: {{^}}  1 1 0 0 0
func.func @mask(%base: index, %y: !tile.array<3x5xf32> {launch.dims = [3, 5], launch.output})
    attributes {tile.kernel, launch.limit = 1 : i64} {
  %zero = arith.constant 0 : index
  %ten = arith.constant 10 : index
  %w = tile.make_span %base to %ten from %zero : !tile.span<7, filled>
  %m = tile.band_mask %w transposed : !tile.span<7, filled> -> !tile.tile<3 x 5 x f32>
  tile.store %m, %y[:, :] : (!tile.tile<3 x 5 x f32>, !tile.array<3x5xf32>) -> ()
  return
}
}
