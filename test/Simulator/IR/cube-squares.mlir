// RUN: attn-sim %s --check-effects --arg=iota:16x16xf32 --arg=values:1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0:16x16xf32 --arg=undef:16x16xf32 --print=2 --record=%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=RECORD < %t

// A square of L1, turned over and multiplied with the identity; test_cube.py has all types and places.
!single = memref<?x?xf32, strided<[?, 1]>, #ascend.space<gm>>
!gm = memref<?xf32, #ascend.space<gm>>
!l1 = memref<256xf32, #ascend.space<l1>>
!l0a = memref<256xf32, #ascend.space<l0a>>
!l0b = memref<256xf32, #ascend.space<l0b>>
!l0c = memref<256xf32, #ascend.space<l0c>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK: hazards: 0
// CHECK: values of argument 2:
// CHECK-NEXT: {{^}}  0 16 32 48 64 80 96 112 128 144 160 176 192 208 224 240{{$}}
// CHECK-NEXT: {{^}}  1 17 33 49 65 81 97 113 129 145 161 177 193 209 225 241{{$}}
// RECORD: load_squares f32 f32 count(1) strides(2, 1, 1) reads l1[0, 1024) writes l0a[0, 512) writes l0a[512, 1024)
func.func @kernel(%x: !single, %one: !single, %o: !single {launch.output})
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %init = arith.constant true
  %xp = ascend.address %x[%c0, %c0] : !single -> !gm
  %yp = ascend.address %one[%c0, %c0] : !single -> !gm
  %op = ascend.address %o[%c0, %c0] : !single -> !gm
  %l = ascend.alloc "l" at 0 : !l1
  %r = ascend.alloc "r" at 1024 : !l1
  %a = ascend.alloc "a" at 0 : !l0a
  %b = ascend.alloc "b" at 0 : !l0b
  %c = ascend.alloc "c" at 0 : !l0c
  ascend.nd_to_nz %l, %xp rows(%c16) cols(%c16) src_pitch(%c16) dst_rows 16 : !l1, !gm
  ascend.nd_to_nz %r, %yp rows(%c16) cols(%c16) src_pitch(%c16) dst_rows 16 : !l1, !gm
  ascend.barrier all
  ascend.load_squares %a, %l repeat(%c1) strides [2, 1, 1] : !l0a, !l1
  ascend.load_fractals %b, %r repeat(%c2) strides [1, 1] : !l0b, !l1
  ascend.barrier all
  ascend.mmad %c, %a, %b m(%c16) n(%c16) k(%c16) init(%init) : !l0c, !l0a, !l0b
  ascend.barrier all
  ascend.fix_out %op, %c rows(%c16) cols(%c16) dst_pitch(%c16) src_rows 16 : !gm, !l0c
  ascend.barrier all
  return
}
}
