// RUN: attn-opt %s --soc=Ascend910B4 --convert-tile-to-ascend --split-input-file --verify-diagnostics

func.func @dot(%x: !tile.array<16x16xf16>, %y: !tile.array<16x16xf32>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<16x16xf16>) -> !tile.tile<16 x 16 x f16>
  // expected-error @+1 {{runs on cube cores, and is not lowered to the chip yet}}
  %p = tile.dot %a, %a : !tile.tile<16 x 16 x f16>, !tile.tile<16 x 16 x f16> -> !tile.tile<16 x 16 x f32>
  tile.store %p, %y[:, :] : (!tile.tile<16 x 16 x f32>, !tile.array<16x16xf32>) -> ()
  return
}

// -----

func.func @broadcast(%x: !tile.array<1x16xf32>, %y: !tile.array<16x16xf32>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<1x16xf32>) -> !tile.tile<1 x 16 x f32>
  // expected-error @+1 {{starts the sum of a product, and is not lowered to the chip yet}}
  %p = tile.broadcast %a : !tile.tile<1 x 16 x f32> -> !tile.tile<16 x 16 x f32>
  tile.store %p, %y[:, :] : (!tile.tile<16 x 16 x f32>, !tile.array<16x16xf32>) -> ()
  return
}
