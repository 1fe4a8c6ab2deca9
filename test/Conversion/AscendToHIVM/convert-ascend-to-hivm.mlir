// RUN: attn-opt %s --split-input-file --verify-diagnostics --convert-ascend-to-hivm | FileCheck %s

// The pass replaces what the module holds: the kernel in the vendor's dialect and its task type, without the function
// that counts tiles, which belongs to the host. What instructions become is tested with --emit=hivm in test/Target/HIVM.
!x = memref<?xf32, strided<[1]>, #ascend.space<gm>>
!u = memref<64xf32, #ascend.space<ub>>

// CHECK:       module attributes {hivm.module_core_type = #hivm.module_core_type<AIV>}
// CHECK-NOT:   ascend.
// CHECK-NOT:   @count
// CHECK-LABEL: func.func @fill(%{{.*}}: memref<?xf32, #gm>, %{{.*}}: i64)
// CHECK-SAME:  hacc.entry
// CHECK:         hivm.hir.vbrc
// CHECK:         hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
// CHECK:         hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
// CHECK:         hivm.hir.store
// CHECK:         hivm.hir.pipe_barrier[<PIPE_ALL>]
// CHECK-NOT:   ascend.
func.func @fill(%x: !x {launch.dims = ["T"], launch.output}) attributes {ascend.kernel, ascend.keep_composites} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %u = ascend.alloc "u" at 0 : !u
  ascend.duplicate %u, %zero count(%c64) : !u, f32
  ascend.set_flag v to mte3 event 0
  ascend.wait_flag v to mte3 event 0
  %to = ascend.address %x[%c0] : !x -> memref<?xf32, #ascend.space<gm>>
  ascend.copy_out %to, %u rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : memref<?xf32, #ascend.space<gm>>, !u
  ascend.barrier all
  return
}

func.func @count(%x: !x) -> index attributes {launch.grid_of = @fill} {
  %n = ascend.dim %x, 0 : !x
  return %n : index
}

// -----

// expected-error@below {{has no kernel to print as HIVM}}
module {
}
