// RUN: attn-opt %s | attn-opt | FileCheck %s

// What the cores of a group tell each other.
// CHECK-LABEL: func.func @signals
func.func @signals() {
  // CHECK: tile.sub_block_id
  %id = tile.sub_block_id
  // CHECK: tile.signal 0
  tile.signal 0
  // CHECK: tile.signal 10 loads
  tile.signal 10 loads
  // CHECK: tile.await 3
  tile.await 3
  return
}

// CHECK-LABEL: func.func @choice
// CHECK-SAME: tile.group = #tile.group<preload = 3, lag = 2, slots = 0, strip_rows = 32, part = 128>
func.func @choice() attributes {tile.kernel, tile.group = #tile.group<preload = 3, lag = 2, slots = 0, strip_rows = 32, part = 128>} {
  return
}
