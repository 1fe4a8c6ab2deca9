// RUN: attn-opt %s --tile-keep-composites | FileCheck %s
// RUN: attn-opt %s --soc=Ascend910B4 --tile-keep-composites --tile-print-buffers -o /dev/null 2>&1 | FileCheck %s --check-prefix=BUFFERS
// RUN: attn-opt %s --soc=Ascend910B4 --tile-keep-composites --convert-tile-to-ascend | FileCheck %s --check-prefix=CHIP

// CHECK:       func.func @kernel(
// CHECK-SAME:  attributes {ascend.keep_composites, tile.kernel}
// CHECK:       func.func @helper() {

// The product has a buffer of its own, and the reduction scratch for halves of its rows.
// BUFFERS-DAG: buffer 'p' of 'f32': 1 x 2048 elements
// BUFFERS-DAG: buffer 'r_reduce' of 'f32': 1 x 1024 elements

// Rows that the array lacks are filled; all are computed with, and the valid ones stored.
// CHIP:        func.func @kernel(
// CHIP-SAME:   attributes {ascend.keep_composites, ascend.kernel, ascend.kind = #ascend.kernel_kind<vector>}
// CHIP:        %[[VALID:.*]] = arith.maxsi
// CHIP:        ascend.copy_in %{{.*}}, %{{.*}} rows(%[[VALID]])
// CHIP:        %[[LEFT:.*]] = arith.subi %c16, %[[VALID]]
// CHIP:        %[[COUNT:.*]] = arith.muli %[[LEFT]], %c128
// CHIP:        ascend.duplicate %{{.*}}, %{{.*}} count(%[[COUNT]])
// CHIP:        ascend.binary mul %{{.*}} count(%c2048)
// CHIP:        ascend.row_reduce sum %{{.*}} rows(%c16) cols 128 pitch 128
// CHIP:        ascend.copy_out %{{.*}} length(%[[VALID]])
#p = loc("p")
#r = loc("r")
func.func @kernel(%x: !tile.array<?x128xf32>, %y: !tile.array<?xf32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %T = tile.dim %x, 0 : !tile.array<?x128xf32>
  tile.range %t = %zero to %T by 16 {
    %v = tile.load %x[%t span, :] : (!tile.array<?x128xf32>, !tile.span<16>) -> !tile.tile<16 x 128 x f32>
    %p = tile.mul %v, %v : !tile.tile<16 x 128 x f32>, !tile.tile<16 x 128 x f32> -> !tile.tile<16 x 128 x f32> loc(#p)
    %r = tile.reduce sum %p axis 1 : !tile.tile<16 x 128 x f32> -> !tile.tile<16 x 1 x f32> loc(#r)
    tile.store %r, %y[%t span] : (!tile.tile<16 x 1 x f32>, !tile.array<?xf32>, !tile.span<16>) -> ()
  }
  return
}

func.func @helper() {
  return
}
