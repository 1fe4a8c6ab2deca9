// RUN: attn-opt %s | attn-opt | FileCheck %s
// Instructions that choose elements by masks.

!ub = memref<64xf32, #ascend.space<ub>>
!word = memref<64xi32, #ascend.space<ub>>
!bits = memref<32xi8, #ascend.space<ub>>

// CHECK-LABEL: func.func @masks
func.func @masks(%a: !ub, %b: !ub, %m: !word, %bits: !bits, %n: index) {
  // CHECK: ascend.bitwise {{ *}}and %{{.*}}, %{{.*}}, %{{.*}} count(%{{.*}}) : memref<64xf32, {{.*}}>, memref<64xf32, {{.*}}>, memref<64xi32, {{.*}}>
  ascend.bitwise and %a, %b, %m count(%n) : !ub, !ub, !word
  // CHECK: ascend.bitwise {{ *}}or %{{.*}}, %{{.*}}, %{{.*}} mask 64 repeat(%{{.*}}) strides [1, 1, 1, 8, 8, 8]
  ascend.bitwise or %a, %a, %b mask 64 repeat(%n) strides [1, 1, 1, 8, 8, 8] : !ub, !ub, !ub
  // CHECK: ascend.compare {{ *}}ge %{{.*}}, %{{.*}}, %{{.*}} count(%{{.*}}) : memref<32xi8
  ascend.compare ge %bits, %a, %b count(%n) : !bits, !ub, !ub
  // CHECK: ascend.select %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} count(%{{.*}}) : memref<64xf32
  ascend.select %a, %bits, %a, %b count(%n) : !ub, !bits, !ub, !ub
  return
}
