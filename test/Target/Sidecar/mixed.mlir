// The sidecar of a kernel whose blocks are groups of cores: limit, memories of both kinds, workspace per group.
// RUN: attn-opt %source_root/test/Simulator/IR/Inputs/mixed.mlir --emit=sidecar -o %t
// RUN: FileCheck %s --input-file=%t
// RUN: %python -c "import sys, attn.sidecar as s; k = s.load(sys.argv[1]); print(k, k.arguments('hivm')[0]['name'], len(k.arguments('ascendc')))" %t | FileCheck %s --check-prefix=READ
// READ: <attn sidecar of weighted> {{.*}} {{[0-9]+}}

// CHECK:      "grid": {
// CHECK-NEXT:   "all_at_once": true,
// CHECK-NEXT:   "groups": true,
// CHECK-NEXT:   "limit": 20,
// CHECK:      "launches": [
// CHECK:        "cross_core_sync": true,
// CHECK-NEXT:   "kind": "mix",
// CHECK-NEXT:   "memory": {
// CHECK:          "buffers": 10,
// CHECK:            "l0a": 65536,
// CHECK:            "ub": 196352
// CHECK:            "l0c": 4096,
// CHECK:            "ub": 1536
// CHECK:        "ratio": [
// CHECK-NEXT:     1,
// CHECK-NEXT:     2
// CHECK-NEXT:   ],
// CHECK-NEXT:   "symbol": "weighted"
// CHECK:      "name": "sync_base",
// CHECK:      "version": 4,
// CHECK:      "workspaces": [
// CHECK:          "dim": "@groups"
