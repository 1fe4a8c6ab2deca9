// RUN: attn-opt %s | attn-opt | FileCheck %s

!lens = memref<?xi32, strided<[1]>, #ascend.space<gm>>
!table = memref<?x?xui16, strided<[?, 1]>, #ascend.space<gm>>

// CHECK-LABEL: func.func @indices(
func.func @indices(%lens: !lens, %table: !table, %b: index) {
  // CHECK: ascend.load_index %{{.*}}[%{{.*}}] : memref<?xi32
  %n = ascend.load_index %lens[%b] : !lens
  // CHECK: ascend.load_index %{{.*}}[%{{.*}}] written : memref<?xi32
  %m = ascend.load_index %lens[%n] written : !lens
  // CHECK: ascend.load_index %{{.*}}[%{{.*}}, %{{.*}}] : memref<?x?xui16
  %j = ascend.load_index %table[%b, %m] : !table
  // CHECK: ascend.expect_index %{{.*}} is %{{.*}} in %{{.*}}, 1 : memref<?x?xui16
  ascend.expect_index %j is %n in %table, 1 : !table
  // CHECK: ascend.expect_count %{{.*}} is %{{.*}} from %{{.*}} by 8 most 100 of "lens"
  ascend.expect_count %j is %n from %b by 8 most 100 of "lens"
  // CHECK: ascend.expect_distinct %{{.*}} at %{{.*}} in %{{.*}}, 0 : memref<?xui16, #ascend.space<gm>>, memref<?x?xui16
  %place = ascend.address %table[%j, %n] : !table -> memref<?xui16, #ascend.space<gm>>
  ascend.expect_distinct %j at %place in %table, 0 : memref<?xui16, #ascend.space<gm>>, !table
  return
}
