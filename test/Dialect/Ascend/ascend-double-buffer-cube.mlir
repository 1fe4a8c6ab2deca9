// Slots of the memories of a cube core.
// RUN: attn-opt %s --soc=Ascend910B4 --ascend-double-buffer --split-input-file --verify-diagnostics | FileCheck %s

// Sums that the first trip starts, and tiles that either branch of a condition loads, have a slot per stage.
// CHECK-LABEL: func.func @slots
// CHECK-DAG: ascend.alloc "sums" : memref<2x256xf32, #ascend.space<l0c>>
// CHECK-DAG: ascend.alloc "tile" : memref<2x256xf16, #ascend.space<l1>>
func.func @slots(%p: memref<?xf16, #ascend.space<gm>>, %z: memref<?xf32, #ascend.space<gm>>, %count: index, %k: index, %near: i1) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %sums = ascend.alloc "sums" : memref<256xf32, #ascend.space<l0c>>
  %l1 = ascend.alloc "tile" : memref<256xf16, #ascend.space<l1>>
  %a = ascend.alloc "a" : memref<256xf16, #ascend.space<l0a>>
  %b = ascend.alloc "b" : memref<256xf16, #ascend.space<l0b>>
  scf.for %t = %c0 to %count step %c1 {
    scf.for %i = %c0 to %k step %c16 {
      scf.if %near {
        ascend.nd_to_nz %l1, %p rows(%c16) cols(%c16) src_pitch(%c16) dst_rows 16 : memref<256xf16, #ascend.space<l1>>, memref<?xf16, #ascend.space<gm>>
      } else {
        ascend.nd_to_nz %l1, %p rows(%c1) cols(%c16) src_pitch(%c16) dst_rows 16 : memref<256xf16, #ascend.space<l1>>, memref<?xf16, #ascend.space<gm>>
      }
      ascend.load_fractals %a, %l1 repeat(%c1) strides [1, 1] : memref<256xf16, #ascend.space<l0a>>, memref<256xf16, #ascend.space<l1>>
      ascend.load_fractals %b, %l1 repeat(%c1) strides [1, 1] : memref<256xf16, #ascend.space<l0b>>, memref<256xf16, #ascend.space<l1>>
      %first = arith.cmpi eq, %i, %c0 : index
      ascend.mmad %sums, %a, %b m(%c16) n(%c16) k(%c16) init(%first) : memref<256xf32, #ascend.space<l0c>>, memref<256xf16, #ascend.space<l0a>>, memref<256xf16, #ascend.space<l0b>>
    } {ascend.stages = 2 : i64}
    ascend.fix_out %z, %sums rows(%c16) cols(%c16) dst_pitch(%c16) src_rows 16 : memref<?xf32, #ascend.space<gm>>, memref<256xf32, #ascend.space<l0c>>
  } {ascend.stages = 2 : i64}
  return
}

// -----

// A tile that only one branch loads may be read as an earlier trip left it, and so may sums that the run decides about.
func.func @one_branch(%p: memref<?xf16, #ascend.space<gm>>, %z: memref<?xf32, #ascend.space<gm>>, %count: index, %near: i1) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  // expected-remark @+1 {{'sums' keeps one slot: an iteration may read what an earlier one left in it}}
  %sums = ascend.alloc "sums" : memref<256xf32, #ascend.space<l0c>>
  // expected-remark @+1 {{'tile' keeps one slot: an iteration may read what an earlier one left in it}}
  %l1 = ascend.alloc "tile" : memref<256xf16, #ascend.space<l1>>
  %a = ascend.alloc "a" : memref<256xf16, #ascend.space<l0a>>
  %b = ascend.alloc "b" : memref<256xf16, #ascend.space<l0b>>
  scf.for %t = %c0 to %count step %c1 {
    scf.if %near {
      ascend.nd_to_nz %l1, %p rows(%c16) cols(%c16) src_pitch(%c16) dst_rows 16 : memref<256xf16, #ascend.space<l1>>, memref<?xf16, #ascend.space<gm>>
    }
    ascend.load_fractals %a, %l1 repeat(%c1) strides [1, 1] : memref<256xf16, #ascend.space<l0a>>, memref<256xf16, #ascend.space<l1>>
    ascend.load_fractals %b, %l1 repeat(%c1) strides [1, 1] : memref<256xf16, #ascend.space<l0b>>, memref<256xf16, #ascend.space<l1>>
    ascend.mmad %sums, %a, %b m(%c16) n(%c16) k(%c16) init(%near) : memref<256xf32, #ascend.space<l0c>>, memref<256xf16, #ascend.space<l0a>>, memref<256xf16, #ascend.space<l0b>>
    ascend.fix_out %z, %sums rows(%c16) cols(%c16) dst_pitch(%c16) src_rows 16 : memref<?xf32, #ascend.space<gm>>, memref<256xf32, #ascend.space<l0c>>
  } {ascend.stages = 2 : i64}
  return
}

// -----

// Sums of two products take turns in two slots of L0C: the number of the next one runs on through all loops.
// CHECK-LABEL: func.func @sums_in_turn
// CHECK: %[[SUMS:.*]] = ascend.alloc "first" counted 0 : memref<2x512xf32, #ascend.space<l0c>>
// CHECK-NOT: ascend.alloc "second"
// CHECK: scf.for {{.*}} iter_args(%[[T:.*]] = %{{.*}}) -> (index) {
// CHECK:   %[[AFTER:.*]] = scf.for {{.*}} iter_args(%[[I:.*]] = %[[T]]) -> (index) {
// CHECK:     %[[F:.*]] = ascend.slot %[[SUMS]][%[[I]]]
// CHECK:     ascend.mmad %[[F]]
// CHECK:     ascend.fix_out %{{.*}}, %[[F]]
// CHECK:     %[[NEXT:.*]] = arith.remui
// CHECK:     scf.yield %[[NEXT]] : index
// CHECK:   %[[S:.*]] = ascend.slot %[[SUMS]][%[[AFTER]]]
// CHECK:   ascend.mmad %[[S]]
// CHECK:   ascend.fix_out %{{.*}}, %[[S]]
// CHECK:   %[[LAST:.*]] = arith.remui
// CHECK:   scf.yield %[[LAST]] : index
func.func @sums_in_turn(%z: memref<?xf32, #ascend.space<gm>>, %count: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %true = arith.constant true
  %first = ascend.alloc "first" : memref<256xf32, #ascend.space<l0c>>
  %second = ascend.alloc "second" : memref<512xf32, #ascend.space<l0c>>
  %a = ascend.alloc "a" : memref<256xf16, #ascend.space<l0a>>
  %b = ascend.alloc "b" : memref<512xf16, #ascend.space<l0b>>
  scf.for %t = %c0 to %count step %c1 {
    scf.for %i = %c0 to %c2 step %c1 {
      ascend.mmad %first, %a, %b m(%c16) n(%c16) k(%c16) init(%true) : memref<256xf32, #ascend.space<l0c>>, memref<256xf16, #ascend.space<l0a>>, memref<512xf16, #ascend.space<l0b>>
      ascend.fix_out %z, %first rows(%c16) cols(%c16) dst_pitch(%c16) src_rows 16 : memref<?xf32, #ascend.space<gm>>, memref<256xf32, #ascend.space<l0c>>
    }
    ascend.mmad %second, %a, %b m(%c16) n(%c32) k(%c16) init(%true) : memref<512xf32, #ascend.space<l0c>>, memref<256xf16, #ascend.space<l0a>>, memref<512xf16, #ascend.space<l0b>>
    ascend.fix_out %z, %second rows(%c16) cols(%c32) dst_pitch(%c32) src_rows 16 : memref<?xf32, #ascend.space<gm>>, memref<512xf32, #ascend.space<l0c>>
  }
  return
}

// -----

// One loop may have several turns, where other loops have some too.
// CHECK-LABEL: func.func @two_turns_of_one_loop
// CHECK: %[[SUMS:.*]] = ascend.alloc "first" counted 0 : memref<2x512xf32, #ascend.space<l0c>>
// CHECK-NOT: ascend.alloc "{{second|third}}"
// CHECK: scf.for {{.*}} iter_args(%[[T:.*]] = %{{.*}}) -> (index) {
// CHECK:   %[[AFTER:.*]] = scf.for {{.*}} iter_args(%[[I:.*]] = %[[T]]) -> (index) {
// CHECK:     ascend.slot %[[SUMS]][%[[I]]]
// CHECK:   %[[S:.*]] = ascend.slot %[[SUMS]][%[[AFTER]]]
// CHECK:   ascend.mmad %[[S]]
// CHECK:   ascend.fix_out %{{.*}}, %[[S]]
// CHECK:   %[[NEXT:.*]] = arith.remui
// CHECK:   %[[U:.*]] = ascend.slot %[[SUMS]][%[[NEXT]]]
// CHECK:   ascend.mmad %[[U]]
// CHECK:   ascend.fix_out %{{.*}}, %[[U]]
// CHECK:   %[[LAST:.*]] = arith.remui
// CHECK:   scf.yield %[[LAST]] : index
func.func @two_turns_of_one_loop(%z: memref<?xf32, #ascend.space<gm>>, %count: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %true = arith.constant true
  %first = ascend.alloc "first" : memref<256xf32, #ascend.space<l0c>>
  %second = ascend.alloc "second" : memref<512xf32, #ascend.space<l0c>>
  %third = ascend.alloc "third" : memref<256xf32, #ascend.space<l0c>>
  %a = ascend.alloc "a" : memref<256xf16, #ascend.space<l0a>>
  %b = ascend.alloc "b" : memref<512xf16, #ascend.space<l0b>>
  scf.for %t = %c0 to %count step %c1 {
    scf.for %i = %c0 to %c2 step %c1 {
      ascend.mmad %first, %a, %b m(%c16) n(%c16) k(%c16) init(%true) : memref<256xf32, #ascend.space<l0c>>, memref<256xf16, #ascend.space<l0a>>, memref<512xf16, #ascend.space<l0b>>
      ascend.fix_out %z, %first rows(%c16) cols(%c16) dst_pitch(%c16) src_rows 16 : memref<?xf32, #ascend.space<gm>>, memref<256xf32, #ascend.space<l0c>>
    }
    ascend.mmad %second, %a, %b m(%c16) n(%c32) k(%c16) init(%true) : memref<512xf32, #ascend.space<l0c>>, memref<256xf16, #ascend.space<l0a>>, memref<512xf16, #ascend.space<l0b>>
    ascend.fix_out %z, %second rows(%c16) cols(%c32) dst_pitch(%c32) src_rows 16 : memref<?xf32, #ascend.space<gm>>, memref<512xf32, #ascend.space<l0c>>
    ascend.mmad %third, %a, %b m(%c16) n(%c16) k(%c16) init(%true) : memref<256xf32, #ascend.space<l0c>>, memref<256xf16, #ascend.space<l0a>>, memref<512xf16, #ascend.space<l0b>>
    ascend.fix_out %z, %third rows(%c16) cols(%c16) dst_pitch(%c16) src_rows 16 : memref<?xf32, #ascend.space<gm>>, memref<256xf32, #ascend.space<l0c>>
  }
  return
}
