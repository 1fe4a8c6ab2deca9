// The passes given replace those that would lead to the chip.
// RUN: attn-opt %s --emit=sidecar --canonicalize --verify-diagnostics

module attributes {machine.target = #machine.target<"Ascend910B4">} {
  // expected-error@below {{kernel 'a' must be lowered first by convert-tile-to-ascend}}
  func.func @a() attributes {tile.kernel} { return }
}
