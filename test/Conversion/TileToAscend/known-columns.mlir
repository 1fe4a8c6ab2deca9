// Columns of a loop that runs once: their number is known where rows are loaded, and rows that end with a data block have no padding,
// which templates of HIVM have up to the end of one only.

// RUN: attn-opt %s --soc=Ascend910B4 --convert-tile-to-ascend --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @whole_blocks(
// CHECK: ascend.copy_in {{.*}} length(%c80) {{.*}} right_pad 0
// CHECK-NOT: right_pad 1
func.func @whole_blocks(%X: !tile.array<8x80xf16>, %Y: !tile.array<8x80xf16> {launch.output}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c80 = arith.constant 80 : index
  tile.range %k = %c0 to %c80 by 128 {
    %x = tile.load %X [:, %k span] : (!tile.array<8x80xf16>, !tile.span<128>) -> !tile.tile<8 x 128 x f16>
    tile.store %x, %Y [:, %k span] : (!tile.tile<8 x 128 x f16>, !tile.array<8x80xf16>, !tile.span<128>) -> ()
  }
  return
}

// CHECK-LABEL: func.func @part_of_a_block(
// CHECK: ascend.copy_in {{.*}} length(%c75) {{.*}} right_pad 1
func.func @part_of_a_block(%X: !tile.array<8x75xf16>, %Y: !tile.array<8x75xf16> {launch.output}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c75 = arith.constant 75 : index
  tile.range %k = %c0 to %c75 by 128 {
    %x = tile.load %X [:, %k span] : (!tile.array<8x75xf16>, !tile.span<128>) -> !tile.tile<8 x 128 x f16>
    tile.store %x, %Y [:, %k span] : (!tile.tile<8 x 128 x f16>, !tile.array<8x75xf16>, !tile.span<128>) -> ()
  }
  return
}
