// RUN: attn-opt %s --emit=sidecar --soc=Ascend910B4 | FileCheck %s
// RUN: attn-opt %s --emit=sidecar --soc=Ascend910B4 -o %t.json
// RUN: %python -c "import sys, attn.sidecar; print(attn.sidecar.load(sys.argv[1]))" %t.json | FileCheck %s --check-prefix=READ
// READ: <attn sidecar of scale>

// Keys are printed in the order of the alphabet.
// CHECK:      "call": null,
// CHECK-NEXT: "compiler": {
// CHECK-NEXT:   "name": "attn",
// CHECK-NEXT:   "version": "{{[0-9.]+}}"
// CHECK:      "grid": {
// CHECK-NEXT:   "all_at_once": false,
// CHECK-NEXT:   "groups": false,
// CHECK-NEXT:   "limit": 40,
// CHECK-NEXT:   "tiles": {
// CHECK-NEXT:     "uceildiv": [
// CHECK-NEXT:       {
// CHECK-NEXT:         "dim": "T"
// CHECK-NEXT:       },
// CHECK:      "launches": [
// CHECK:          "cross_core_sync": false,
// CHECK-NEXT:     "kind": "vector",
// CHECK:          "symbol": "scale"
// CHECK:      "name": "scale",
// CHECK-NEXT: "object": null,
// CHECK-NEXT: "parameters": [
// CHECK:          "dtype": "bf16",
// CHECK-NEXT:     "kind": "array",
// CHECK-NEXT:     "name": "X",
// CHECK-NEXT:     "role": "input",
// CHECK-NEXT:     "strides": [
// CHECK-NEXT:       "any",
// CHECK-NEXT:       1
// CHECK:          "dtype": "f32",
// CHECK-NEXT:     "kind": "scalar",
// CHECK-NEXT:     "name": "s"
// CHECK:          "name": "Y",
// CHECK-NEXT:     "role": "output",
// CHECK:      "routes": {
// CHECK-NEXT:   "ascendc": {
// The pointers X and Y, the size T, two strides, and the number s after them.
// CHECK:          "kind": "size",
// CHECK-NEXT:     "name": "T",
// CHECK:          "axis": 0,
// CHECK-NEXT:     "dtype": "i64",
// CHECK-NEXT:     "kind": "stride",
// CHECK:          "alignment": 4,
// CHECK-NEXT:     "axis": null,
// CHECK-NEXT:     "dtype": "f32",
// CHECK-NEXT:     "kind": "scalar",
// CHECK-NEXT:     "name": "s",
// CHECK-NEXT:     "of": "s",
// CHECK-NEXT:     "offset": 40,
// CHECK-NEXT:     "size": 4
// CHECK:        "bytes": 44
// CHECK:      "source": "sha256:{{[0-9a-f]+}}"
// CHECK:      "soc": "Ascend910B4",
func.func @scale(%X: !tile.array<?x256xbf16> {launch.dims = ["T", 256]} loc("X"), %s: f32 loc("s"),
                 %Y: !tile.array<?x256xbf16> {launch.dims = ["T", 256], launch.output} loc("Y"))
    attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>}} {
  %T = tile.dim %X, 0 : !tile.array<?x256xbf16>
  tile.grid (%t) in (%T by BT) {
    %x = tile.load %X[%t span, :] : (!tile.array<?x256xbf16>, !tile.span<BT>) -> !tile.tile<BT x 256 x bf16>
    %wide = tile.cast %x : !tile.tile<BT x 256 x bf16> -> !tile.tile<BT x 256 x f32>
    %factor = tile.splat %s : f32 -> !tile.tile<1 x 1 x f32>
    %y = tile.mul %wide, %factor : !tile.tile<BT x 256 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<BT x 256 x f32>
    %narrow = tile.cast %y : !tile.tile<BT x 256 x f32> -> !tile.tile<BT x 256 x bf16>
    tile.store %narrow, %Y[%t span, :] : (!tile.tile<BT x 256 x bf16>, !tile.array<?x256xbf16>, !tile.span<BT>) -> ()
  }
  return
}
