// RUN: attn-opt %s --soc=Ascend910B4 --tile-print-buffers --split-input-file -o /dev/null 2>&1 | FileCheck %s

// One buffer per tile, with its pitch of 16 elements; a result takes the place of an operand of its size that is
// not needed any more, but not that of one that is, or of another type.
// CHECK:      buffer 'a' of 'bf16': 1 x 224 elements, 448 bytes, alive from 1 to 2
// CHECK-NEXT: buffer 'b' of 'f32': 1 x 224 elements, 896 bytes, alive from 2 to 5
// CHECK-NEXT: buffer 'c' of 'f32': 1 x 224 elements, 896 bytes, alive from 3 to 4
// CHECK-NEXT: 3 buffers take 1792 bytes of ub
#a = loc("a")
#b = loc("b")
#c = loc("c")
func.func @in_place(%x: !tile.array<2x100xbf16>, %y: !tile.array<2x100xf32>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<2x100xbf16>) -> !tile.tile<2 x 100 x bf16> loc(#a)
  %b = tile.cast %a : !tile.tile<2 x 100 x bf16> -> !tile.tile<2 x 100 x f32> loc(#b)
  %c = tile.exp %b : !tile.tile<2 x 100 x f32> loc(#c)
  %d = tile.sub %b, %c : !tile.tile<2 x 100 x f32>, !tile.tile<2 x 100 x f32> -> !tile.tile<2 x 100 x f32> loc(#b)
  tile.store %d, %y[:, :] : (!tile.tile<2 x 100 x f32>, !tile.array<2x100xf32>) -> ()
  return
}

// -----

// Initial value, argument, next value and result of a carried tile are one buffer; a splat that only fills it or is
// used as a scalar has none; neither has a product that is added in place.
// CHECK:      buffer 'acc' of 'f32': 1 x 64 elements
// CHECK-NEXT: buffer 'v' of 'f32': 2 x 64 elements, 512 bytes, alive from 5 to 10
// CHECK-NEXT: 2 buffers
func.func @carried(%x: !tile.array<?x64xf32>, %y: !tile.array<64xf32>, %s: f32) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %N = tile.dim %x, 0 : !tile.array<?x64xf32>
  %none = tile.splat %s : f32 -> !tile.tile<1 x 64 x f32>
  %half = tile.splat %s : f32 -> !tile.tile<1 x 1 x f32>
  %r = tile.range %n = %zero to %N iter(%acc = %none : !tile.tile<1 x 64 x f32>) stages 2 {
    %v = tile.load %x[%n, :] : (!tile.array<?x64xf32>, index) -> !tile.tile<1 x 64 x f32> loc("v")
    %a = tile.mul %acc, %half : !tile.tile<1 x 64 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<1 x 64 x f32>
    %p = tile.mul %v, %v : !tile.tile<1 x 64 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 64 x f32>
    %b = tile.add %p, %a : !tile.tile<1 x 64 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 64 x f32> loc("acc")
    tile.yield %b : !tile.tile<1 x 64 x f32>
  }
  tile.store %r, %y[:] : (!tile.tile<1 x 64 x f32>, !tile.array<64xf32>) -> ()
  return
}

// -----

// What lies between a transfer and the vector unit in a staged loop has one slot per stage and lives through the loop;
// what is set before the loop, or touched by one of them only, has one. Tiles used inside a loop that were made before it
// live until it ends. The grid is a loop as well.
// CHECK:      buffer 'u' of 'f32': 1 x 64 elements, 256 bytes, alive from 4 to 11
// CHECK-NEXT: buffer 'v' of 'bf16': 3 x 64 elements, 384 bytes, alive from 5 to 11
// CHECK-NEXT: buffer 'w16' of 'bf16': 3 x 64 elements, 384 bytes, alive from 5 to 11
// CHECK-NEXT: buffer 'w' of 'f32': 1 x 64 elements, 256 bytes, alive from 7 to 9
// CHECK-NEXT: 4 buffers take 1280 bytes of ub
#u = loc("u")
func.func @slots(%x: !tile.array<?x64xbf16>, %y: !tile.array<64xf32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %N = tile.dim %x, 0 : !tile.array<?x64xbf16>
  %u = tile.load %y[:] : (!tile.array<64xf32>) -> !tile.tile<1 x 64 x f32> loc(#u)
  tile.grid (%n) in (%N) stages 3 {
    %v = tile.load %x[%n, :] : (!tile.array<?x64xbf16>, index) -> !tile.tile<1 x 64 x bf16> loc("v")
    %w = tile.cast %v : !tile.tile<1 x 64 x bf16> -> !tile.tile<1 x 64 x f32> loc("w")
    %wu = tile.mul %w, %u : !tile.tile<1 x 64 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 64 x f32>
    %w16 = tile.cast %wu : !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 64 x bf16> loc("w16")
    tile.store %w16, %x[%n, :] : (!tile.tile<1 x 64 x bf16>, !tile.array<?x64xbf16>, index) -> ()
  }
  return
}

// -----

// Conditions change nothing about slots: what both bodies of one store has those of the loop around.
// CHECK:      buffer 'v' of 'f32': 2 x 64 elements
// CHECK-NEXT: buffer 'w' of 'f32': 2 x 64 elements
// CHECK-NEXT: 2 buffers
func.func @conditions(%x: !tile.array<?x64xf32>, %y: !tile.array<?x64xf32>, %is: i1) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %N = tile.dim %x, 0 : !tile.array<?x64xf32>
  tile.range %n = %zero to %N stages 2 {
    %v = tile.load %x[%n, :] : (!tile.array<?x64xf32>, index) -> !tile.tile<1 x 64 x f32> loc("v")
    tile.if %is {
      %w = tile.add %v, %v : !tile.tile<1 x 64 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 64 x f32> loc("w")
      tile.store %w, %y[%n, :] : (!tile.tile<1 x 64 x f32>, !tile.array<?x64xf32>, index) -> ()
    } else {
      tile.store %v, %y[%n, :] : (!tile.tile<1 x 64 x f32>, !tile.array<?x64xf32>, index) -> ()
    }
  }
  return
}
