// RUN: attn-opt %s --tile-bound-indices --verify-diagnostics

func.func @mapped(%x: !tile.array<?x8xf32> {launch.dims = ["S", 8]}, %lens: !tile.array<?xi32> {launch.dims = ["B"]}, %b: index)
    attributes {tile.kernel} {
  %n = tile.load_index %lens[%b] : !tile.array<?xi32>
  %s = tile.make_span %b to %n map(%b, %n) : !tile.span<4, mapped>
  // expected-error @+1 {{takes rows of a mapped span by numbers from memory, which cannot be kept inside arrays}}
  %u = tile.load %x[%s span, :] : (!tile.array<?x8xf32>, !tile.span<4, mapped>) -> !tile.tile<4 x 8 x f32>
  return
}
