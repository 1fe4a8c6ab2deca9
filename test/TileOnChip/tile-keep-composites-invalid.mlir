// What has no form in HIVM yet is said in words of the language.

// RUN: attn-opt %s --soc=Ascend910B4 --tile-keep-composites --convert-tile-to-ascend -verify-diagnostics

func.func @compared(%x: !tile.array<8x64xf32>, %y: !tile.array<8x64xf32> {launch.output}) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<8x64xf32>) -> !tile.tile<8 x 64 x f32>
  %b = tile.mul %a, %a : !tile.tile<8 x 64 x f32>, !tile.tile<8 x 64 x f32> -> !tile.tile<8 x 64 x f32>
  // expected-error @+1 {{a comparison of tiles has no form in HIVM yet, one of positions has: t.idx, at.arange(n)}}
  %m = tile.compare lt %a, %b : !tile.tile<8 x 64 x f32>, !tile.tile<8 x 64 x f32> -> !tile.tile<8 x 64 x f32>
  %c = tile.select %m, %a, %b : !tile.tile<8 x 64 x f32>, !tile.tile<8 x 64 x f32>, !tile.tile<8 x 64 x f32> -> !tile.tile<8 x 64 x f32>
  tile.store %c, %y[:, :] : (!tile.tile<8 x 64 x f32>, !tile.array<8x64xf32>) -> ()
  return
}
