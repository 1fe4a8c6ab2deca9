// Parts of tiles, through the simulator: rows seen as columns, and parts that start anywhere.
// RUN: attn-opt %s --soc=Ascend910B4 --attn-ascend -o %t
// RUN: attn-sim %t --kernel=transposed --blocks=1 --arg=iota:3x20xf32 --arg=undef:3x20xf32 --arg=undef:20xf32 --print=1 --print=2 | FileCheck %s --check-prefix=TRANSPOSED
// RUN: attn-sim %t --kernel=column_to_row --blocks=1 --arg=iota:10xf32 --arg=undef:10xf32 --arg=undef:10xf32 --print=1 --print=2 | FileCheck %s --check-prefix=ROW
// RUN: attn-sim %t --kernel=anywhere --blocks=1 --arg=iota:13xf32 --arg=index:3 --arg=undef:5xf32 --arg=undef:13xf32 --arg=undef:13xf32 --print=2 --print=3 --print=4 | FileCheck %s --check-prefix=ANYWHERE
// RUN: attn-sim %t --kernel=narrow --blocks=1 --arg=iota:13xbf16 --arg=index:3 --arg=undef:5xbf16 --arg=undef:13xbf16 --arg=undef:13xbf16 --print=2 --print=3 --print=4 | FileCheck %s --check-prefix=NARROW
// RUN: attn-sim %t --kernel=rows --blocks=1 --arg=iota:5x4xf32 --arg=index:2 --arg=undef:3x4xf32 --arg=undef:5x4xf32 --print=2 --print=3 | FileCheck %s --check-prefix=ROWS

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// Row 1 as a column, and that column doubled as row 2.
// TRANSPOSED: hazards: 0
// TRANSPOSED: values of argument 1:
// TRANSPOSED-NEXT: {{^}}  0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19
// TRANSPOSED-NEXT: {{^}}  20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39
// TRANSPOSED-NEXT: {{^}}  40 42 44 46 48 50 52 54 56 58 60 62 64 66 68 70 72 74 76 78
// TRANSPOSED: values of argument 2:
// TRANSPOSED-NEXT: {{^}}  20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39
func.func @transposed(%x: !tile.array<3x20xf32> {launch.dims = [3, 20]},
                      %y: !tile.array<3x20xf32> {launch.dims = [3, 20], launch.output},
                      %z: !tile.array<?xf32> {launch.dims = ["T"], launch.output})
    attributes {tile.kernel, launch.limit = 1 : i64} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %T = tile.dim %z, 0 : !tile.array<?xf32>
  %t = tile.make_span %zero to %T : !tile.span<20>
  %a = tile.load %x[:, :] : (!tile.array<3x20xf32>) -> !tile.tile<3 x 20 x f32>
  %c = tile.extract %a[%one, %zero] transposed : !tile.tile<3 x 20 x f32> -> !tile.tile<20 x 1 x f32>
  tile.store %c, %z[%t span] : (!tile.tile<20 x 1 x f32>, !tile.array<?xf32>, !tile.span<20>) -> ()
  %d = tile.add %c, %c : !tile.tile<20 x 1 x f32>, !tile.tile<20 x 1 x f32> -> !tile.tile<20 x 1 x f32>
  %b = tile.insert %d, %a[%two, %zero] transposed : !tile.tile<20 x 1 x f32> into !tile.tile<3 x 20 x f32>
  tile.store %b, %y[:, :] : (!tile.tile<3 x 20 x f32>, !tile.array<3x20xf32>) -> ()
  return
}

// A column as a row, which is padded further, and back over the column.
// ROW: hazards: 0
// ROW: values of argument 1:
// ROW-NEXT: {{^}}  0 1 2 3 4 5 6 7 8 9
// ROW: values of argument 2:
// ROW-NEXT: {{^}}  0 2 4 6 8 10 12 14 16 18
func.func @column_to_row(%x: !tile.array<?xf32> {launch.dims = ["T"]},
                         %y: !tile.array<10xf32> {launch.dims = [10], launch.output},
                         %z: !tile.array<?xf32> {launch.dims = ["T"], launch.output})
    attributes {tile.kernel, launch.limit = 1 : i64} {
  %zero = arith.constant 0 : index
  %T = tile.dim %x, 0 : !tile.array<?xf32>
  %t = tile.make_span %zero to %T : !tile.span<10>
  %c = tile.load %x[%t span] : (!tile.array<?xf32>, !tile.span<10>) -> !tile.tile<10 x 1 x f32>
  %r = tile.extract %c[%zero, %zero] transposed : !tile.tile<10 x 1 x f32> -> !tile.tile<1 x 10 x f32>
  tile.store %r, %y[:] : (!tile.tile<1 x 10 x f32>, !tile.array<10xf32>) -> ()
  %s = tile.add %r, %r : !tile.tile<1 x 10 x f32>, !tile.tile<1 x 10 x f32> -> !tile.tile<1 x 10 x f32>
  %d = tile.insert %s, %c[%zero, %zero] transposed : !tile.tile<1 x 10 x f32> into !tile.tile<10 x 1 x f32>
  tile.store %d, %z[%t span] : (!tile.tile<10 x 1 x f32>, !tile.array<?xf32>, !tile.span<10>) -> ()
  return
}

// ANYWHERE: hazards: 0
// ANYWHERE: values of argument 2:
// ANYWHERE-NEXT: {{^}}  3 4 5 6 7
// ANYWHERE: values of argument 3:
// ANYWHERE-NEXT: {{^}}  0 1 2 6 8 10 12 14 8 9 10 11 12
// ANYWHERE: values of argument 4:
// ANYWHERE-NEXT: {{^}}  0 1 2 1 1 1 1 1 8 9 10 11 12
func.func @anywhere(%x: !tile.array<?xf32> {launch.dims = ["T"]}, %k: index,
                    %y: !tile.array<?xf32> {launch.dims = ["P"], launch.output},
                    %z: !tile.array<?xf32> {launch.dims = ["T"], launch.output},
                    %u: !tile.array<?xf32> {launch.dims = ["T"], launch.output})
    attributes {tile.kernel, launch.limit = 1 : i64} {
  %zero = arith.constant 0 : index
  %number = arith.constant 1.0 : f32
  %T = tile.dim %x, 0 : !tile.array<?xf32>
  %t = tile.make_span %zero to %T : !tile.span<13>
  %p = tile.make_span %zero to %T : !tile.span<5>
  %c = tile.load %x[%t span] : (!tile.array<?xf32>, !tile.span<13>) -> !tile.tile<13 x 1 x f32>
  %a = tile.extract %c[%k, %zero] : !tile.tile<13 x 1 x f32> -> !tile.tile<5 x 1 x f32>
  tile.store %a, %y[%p span] : (!tile.tile<5 x 1 x f32>, !tile.array<?xf32>, !tile.span<5>) -> ()
  %b = tile.add %a, %a : !tile.tile<5 x 1 x f32>, !tile.tile<5 x 1 x f32> -> !tile.tile<5 x 1 x f32>
  %d = tile.insert %b, %c[%k, %zero] : !tile.tile<5 x 1 x f32> into !tile.tile<13 x 1 x f32>
  tile.store %d, %z[%t span] : (!tile.tile<13 x 1 x f32>, !tile.array<?xf32>, !tile.span<13>) -> ()
  %ones = tile.splat %number : f32 -> !tile.tile<5 x 1 x f32>
  %e = tile.insert %ones, %d[%k, %zero] : !tile.tile<5 x 1 x f32> into !tile.tile<13 x 1 x f32>
  tile.store %e, %u[%t span] : (!tile.tile<13 x 1 x f32>, !tile.array<?xf32>, !tile.span<13>) -> ()
  return
}

// Narrow columns on the way of f32: a part out, the same part one further in, and a splat.
// NARROW: hazards: 0
// NARROW: values of argument 2:
// NARROW-NEXT: {{^}}  3 4 5 6 7
// NARROW: values of argument 3:
// NARROW-NEXT: {{^}}  0 1 2 3 3 4 5 6 7 9 10 11 12
// NARROW: values of argument 4:
// NARROW-NEXT: {{^}}  0 1 2 1 1 1 1 1 7 9 10 11 12
func.func @narrow(%x: !tile.array<?xbf16> {launch.dims = ["T"]}, %k: index,
                  %y: !tile.array<?xbf16> {launch.dims = ["P"], launch.output},
                  %z: !tile.array<?xbf16> {launch.dims = ["T"], launch.output},
                  %u: !tile.array<?xbf16> {launch.dims = ["T"], launch.output})
    attributes {tile.kernel, launch.limit = 1 : i64} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %number = arith.constant 1.0 : bf16
  %T = tile.dim %x, 0 : !tile.array<?xbf16>
  %t = tile.make_span %zero to %T : !tile.span<13>
  %p = tile.make_span %zero to %T : !tile.span<5>
  %c = tile.load %x[%t span] : (!tile.array<?xbf16>, !tile.span<13>) -> !tile.tile<13 x 1 x bf16>
  %a = tile.extract %c[%k, %zero] : !tile.tile<13 x 1 x bf16> -> !tile.tile<5 x 1 x bf16>
  tile.store %a, %y[%p span] : (!tile.tile<5 x 1 x bf16>, !tile.array<?xbf16>, !tile.span<5>) -> ()
  %next = arith.addi %k, %one : index
  %d = tile.insert %a, %c[%next, %zero] : !tile.tile<5 x 1 x bf16> into !tile.tile<13 x 1 x bf16>
  tile.store %d, %z[%t span] : (!tile.tile<13 x 1 x bf16>, !tile.array<?xbf16>, !tile.span<13>) -> ()
  %ones = tile.splat %number : bf16 -> !tile.tile<5 x 1 x bf16>
  %e = tile.insert %ones, %d[%k, %zero] : !tile.tile<5 x 1 x bf16> into !tile.tile<13 x 1 x bf16>
  tile.store %e, %u[%t span] : (!tile.tile<13 x 1 x bf16>, !tile.array<?xbf16>, !tile.span<13>) -> ()
  return
}

// Whole rows are taken and changed where they lie.
// ROWS: hazards: 0
// ROWS: values of argument 2:
// ROWS-NEXT: {{^}}  8 9 10 11
// ROWS-NEXT: {{^}}  12 13 14 15
// ROWS-NEXT: {{^}}  16 17 18 19
// ROWS: values of argument 3:
// ROWS-NEXT: {{^}}  0 1 2 3
// ROWS-NEXT: {{^}}  4 5 6 7
// ROWS-NEXT: {{^}}  16 18 20 22
// ROWS-NEXT: {{^}}  24 26 28 30
// ROWS-NEXT: {{^}}  32 34 36 38
func.func @rows(%x: !tile.array<5x4xf32> {launch.dims = [5, 4]}, %k: index,
                %y: !tile.array<3x4xf32> {launch.dims = [3, 4], launch.output},
                %z: !tile.array<5x4xf32> {launch.dims = [5, 4], launch.output})
    attributes {tile.kernel, launch.limit = 1 : i64} {
  %zero = arith.constant 0 : index
  %a = tile.load %x[:, :] : (!tile.array<5x4xf32>) -> !tile.tile<5 x 4 x f32>
  %p = tile.extract %a[%k, %zero] : !tile.tile<5 x 4 x f32> -> !tile.tile<3 x 4 x f32>
  tile.store %p, %y[:, :] : (!tile.tile<3 x 4 x f32>, !tile.array<3x4xf32>) -> ()
  %q = tile.add %p, %p : !tile.tile<3 x 4 x f32>, !tile.tile<3 x 4 x f32> -> !tile.tile<3 x 4 x f32>
  %b = tile.insert %q, %a[%k, %zero] : !tile.tile<3 x 4 x f32> into !tile.tile<5 x 4 x f32>
  tile.store %b, %z[:, :] : (!tile.tile<5 x 4 x f32>, !tile.array<5x4xf32>) -> ()
  return
}
}
