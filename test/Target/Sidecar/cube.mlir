// A kernel of cube cores: its kind, and of each memory of its cores what it uses.
// RUN: attn-opt %source_root/test/Simulator/AscendC/Inputs/product.mlir --emit=sidecar | FileCheck %s
// RUN: attn-opt %source_root/test/Simulator/AscendC/Inputs/product.mlir --emit=sidecar -o %t.json
// RUN: %python -c "import sys, attn.sidecar; print(attn.sidecar.load(sys.argv[1]))" %t.json | FileCheck %s --check-prefix=READ
// READ: <attn sidecar of kernel>

// CHECK:      "grid": {
// CHECK-NEXT:   "all_at_once": false,
// CHECK-NEXT:   "groups": false,
// CHECK-NEXT:   "limit": 2,
// CHECK-NEXT:   "tiles": 2
// CHECK:      "launches": [
// CHECK:        "cross_core_sync": false,
// CHECK-NEXT:   "kind": "cube",
// CHECK-NEXT:   "memory": {
// CHECK-NEXT:     "buffers": 7,
// CHECK-NEXT:     "bytes": {
// CHECK-NEXT:       "bt": 1024,
// CHECK-NEXT:       "fp": 2048,
// CHECK-NEXT:       "l0a": 65536,
// CHECK-NEXT:       "l0b": 65536,
// CHECK-NEXT:       "l0c": 131072,
// CHECK-NEXT:       "l1": 524032
// CHECK-NEXT:     },
// CHECK-NEXT:     "bytes_used": {
// CHECK-NEXT:       "bt": 256,
// CHECK-NEXT:       "fp": 0,
// CHECK-NEXT:       "l0a": 4608,
// CHECK-NEXT:       "l0b": 6144,
// CHECK-NEXT:       "l0c": 12288,
// CHECK-NEXT:       "l1": 16640
// CHECK-NEXT:     },
// CHECK-NEXT:     "takes_library_ub": false
// CHECK:        "ratio": [
// CHECK-NEXT:     1,
// CHECK-NEXT:     0
// CHECK-NEXT:   ],
// CHECK-NEXT:   "symbol": "kernel"
// CHECK:      "accepts": [
// CHECK:      "cube_cores": 20,
// CHECK:      "vector_cores": 40
