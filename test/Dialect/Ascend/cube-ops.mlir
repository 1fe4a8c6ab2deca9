// RUN: attn-opt %s | attn-opt | FileCheck %s

!gm = memref<?xf16, #ascend.space<gm>>
!gm_f32 = memref<?xf32, #ascend.space<gm>>
!gm_i8 = memref<?xi8, #ascend.space<gm>>
!l1 = memref<2048xf16, #ascend.space<l1>>
!l1_f32 = memref<256xf32, #ascend.space<l1>>
!l0a = memref<2048xf16, #ascend.space<l0a>>
!l0b = memref<2048xf16, #ascend.space<l0b>>
!l0c = memref<1024xf32, #ascend.space<l0c>>
!l0c_i32 = memref<1024xi32, #ascend.space<l0c>>
!bt = memref<256xf32, #ascend.space<bt>>

// CHECK-LABEL: func.func @into_l1
func.func @into_l1(%d: !l1, %s: !gm, %n: index, %zero: f16) {
  // CHECK: ascend.nd_to_nz %{{.*}}, %{{.*}} rows(%{{.*}}) cols(%{{.*}}) src_pitch(%{{.*}}) dst_rows 128 : memref<2048xf16, #ascend.space<l1>>, memref<?xf16, #ascend.space<gm>>
  ascend.nd_to_nz %d, %s rows(%n) cols(%n) src_pitch(%n) dst_rows 128 : !l1, !gm
  // CHECK: ascend.nd_to_nz {{.*}} dst_rows 1 bypass_l2 :
  ascend.nd_to_nz %d, %s rows(%n) cols(%n) src_pitch(%n) dst_rows 1 bypass_l2 : !l1, !gm
  // CHECK: ascend.fill %{{.*}}, %{{.*}} repeat(%{{.*}}) blocks(%{{.*}}) pitch 128 : memref<2048xf16, #ascend.space<l1>>, f16
  ascend.fill %d, %zero repeat(%n) blocks(%n) pitch 128 : !l1, f16
  return
}

// CHECK-LABEL: func.func @into_l0
func.func @into_l0(%a: !l0a, %b: !l0b, %s: !l1, %t: !bt, %r: !l1_f32, %n: index) {
  // CHECK: ascend.load_fractals %{{.*}}, %{{.*}} repeat(%{{.*}}) strides [1, 8] : memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l1>>
  ascend.load_fractals %a, %s repeat(%n) strides [1, 8] : !l0a, !l1
  // CHECK: ascend.load_fractals {{.*}} strides [1, 4] transpose :
  ascend.load_fractals %b, %s repeat(%n) strides [1, 4] transpose : !l0b, !l1
  // CHECK: ascend.load_tile %{{.*}}, %{{.*}} rows(%{{.*}}) cols(%{{.*}}) src_rows 128 : memref<2048xf16, #ascend.space<l0b>>, memref<2048xf16, #ascend.space<l1>>
  ascend.load_tile %b, %s rows(%n) cols(%n) src_rows 128 : !l0b, !l1
  // CHECK: ascend.load_tile {{.*}} src_rows 128 transpose :
  ascend.load_tile %a, %s rows(%n) cols(%n) src_rows 128 transpose : !l0a, !l1
  // CHECK: ascend.load_squares %{{.*}}, %{{.*}} repeat(%{{.*}}) strides [2, 4, 1] : memref<2048xf16, #ascend.space<l0b>>, memref<2048xf16, #ascend.space<l1>>
  ascend.load_squares %b, %s repeat(%n) strides [2, 4, 1] : !l0b, !l1
  // CHECK: ascend.load_bias %{{.*}}, %{{.*}} count(%{{.*}}) : memref<256xf32, #ascend.space<bt>>, memref<256xf32, #ascend.space<l1>>
  ascend.load_bias %t, %r count(%n) : !bt, !l1_f32
  return
}

// CHECK-LABEL: func.func @products
func.func @products(%c: !l0c, %a: !l0a, %b: !l0b, %x: !l1, %y: !l1, %t: !bt, %n: index, %first: i1) {
  // CHECK: ascend.mmad %{{.*}}, %{{.*}}, %{{.*}} m(%{{.*}}) n(%{{.*}}) k(%{{.*}}) init(%{{.*}}) : memref<1024xf32, #ascend.space<l0c>>, memref<2048xf16, #ascend.space<l0a>>, memref<2048xf16, #ascend.space<l0b>>
  ascend.mmad %c, %a, %b m(%n) n(%n) k(%n) init(%first) : !l0c, !l0a, !l0b
  // CHECK: ascend.mmad %{{.*}}, %{{.*}}, %{{.*}} bias(%{{.*}} : memref<256xf32, #ascend.space<bt>>) m(
  ascend.mmad %c, %a, %b bias(%t : !bt) m(%n) n(%n) k(%n) init(%first) : !l0c, !l0a, !l0b
  // CHECK: ascend.matmul %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} m(%{{.*}}) n(%{{.*}}) k(%{{.*}}) init(%{{.*}}) rows [128, 256] :
  ascend.matmul %c, %x, %y, %a, %b m(%n) n(%n) k(%n) init(%first) rows [128, 256] : !l0c, !l1, !l1, !l0a, !l0b
  // CHECK: ascend.matmul {{.*}} bias(%{{.*}} : memref<256xf32, #ascend.space<bt>>) {{.*}} rows [16, 16] transpose_a transpose_b :
  ascend.matmul %c, %x, %y, %a, %b bias(%t : !bt) m(%n) n(%n) k(%n) init(%first) rows [16, 16] transpose_a transpose_b : !l0c, !l1, !l1, !l0a, !l0b
  return
}

// CHECK-LABEL: func.func @out
func.func @out(%p: !gm_f32, %q: !gm_i8, %d: !l1, %c: !l0c, %i: !l0c_i32, %n: index) {
  // CHECK: ascend.fix_out %{{.*}}, %{{.*}} rows(%{{.*}}) cols(%{{.*}}) dst_pitch(%{{.*}}) src_rows 128 : memref<?xf32, #ascend.space<gm>>, memref<1024xf32, #ascend.space<l0c>>
  ascend.fix_out %p, %c rows(%n) cols(%n) dst_pitch(%n) src_rows 128 : !gm_f32, !l0c
  // CHECK: ascend.fix_out {{.*}} src_rows 128 computed(%{{.*}}) relu :
  ascend.fix_out %p, %c rows(%n) cols(%n) dst_pitch(%n) src_rows 128 computed(%n) relu : !gm_f32, !l0c
  // CHECK: ascend.fix_out {{.*}} src_rows 128 nz relu :
  ascend.fix_out %d, %c rows(%n) cols(%n) dst_pitch(%n) src_rows 128 nz relu : !l1, !l0c
  // CHECK: ascend.fix_out {{.*}} src_rows 16 scale 2.500000e-01 :
  ascend.fix_out %q, %i rows(%n) cols(%n) dst_pitch(%n) src_rows 16 scale 2.500000e-01 : !gm_i8, !l0c_i32
  return
}
