// RUN: attn-sim %s --kernel=load --arg=i64:16 --arg=i64:256 | FileCheck %s --check-prefix=CLEAN
// RUN: not attn-sim %s --kernel=load --arg=i64:8 --arg=i64:256 2>&1 | FileCheck %s --check-prefix=L1
// RUN: not attn-sim %s --kernel=load --arg=i64:16 --arg=i64:128 2>&1 | FileCheck %s --check-prefix=L0A
// RUN: attn-sim %s --kernel=product --arg=i64:256 --arg=i64:256 --arg=i64:16 | FileCheck %s --check-prefix=CLEAN
// RUN: not attn-sim %s --kernel=product --arg=i64:128 --arg=i64:256 --arg=i64:16 2>&1 | FileCheck %s --check-prefix=L0B
// RUN: not attn-sim %s --kernel=product --arg=i64:256 --arg=i64:128 --arg=i64:16 2>&1 | FileCheck %s --check-prefix=L0C
// RUN: not attn-sim %s --kernel=product --arg=i64:256 --arg=i64:256 --arg=i64:8 2>&1 | FileCheck %s --check-prefix=BT
// RUN: attn-sim %s --kernel=out --arg=i64:16 | FileCheck %s --check-prefix=CLEAN
// RUN: not attn-sim %s --kernel=out --arg=i64:8 2>&1 | FileCheck %s --check-prefix=OUT

// Each memory of a cube core has its own alignment.
!l1 = memref<2048xf16, #ascend.space<l1>>
!l1_any = memref<?xf16, #ascend.space<l1>>
!l0a = memref<2048xf16, #ascend.space<l0a>>
!l0a_any = memref<?xf16, #ascend.space<l0a>>
!l0b = memref<2048xf16, #ascend.space<l0b>>
!l0b_any = memref<?xf16, #ascend.space<l0b>>
!l0c = memref<1024xf32, #ascend.space<l0c>>
!l0c_any = memref<?xf32, #ascend.space<l0c>>
!bt = memref<256xf32, #ascend.space<bt>>
!bt_any = memref<?xf32, #ascend.space<bt>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// CLEAN: hazards: 0

// L1: error: misaligned: load_fractals uses buffer "s" in l1 at address 16 (byte 16 of it), not a multiple of 32 [block 0, pipe mte1]
// L0A: error: misaligned: load_fractals uses buffer "d" in l0a at address 256 (byte 256 of it), not a multiple of 512
func.func @load(%from: index, %to: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c1 = arith.constant 1 : index
  %s = ascend.alloc "s" at 0 : !l1
  %d = ascend.alloc "d" at 0 : !l0a
  %sp = ascend.slice %s[%from] : !l1 -> !l1_any
  %dp = ascend.slice %d[%to] : !l0a -> !l0a_any
  ascend.load_fractals %dp, %sp repeat(%c1) strides [1, 1] : !l0a_any, !l1_any
  ascend.barrier all
  return
}

// L0B: error: misaligned: mmad uses buffer "b" in l0b at address 256 (byte 256 of it), not a multiple of 512 [block 0, pipe m]
// L0C: error: misaligned: mmad uses buffer "c" in l0c at address 512 (byte 512 of it), not a multiple of 1024
// BT: error: misaligned: mmad uses buffer "t" in bt at address 32 (byte 32 of it), not a multiple of 64
func.func @product(%at_b: index, %at_c: index, %at_t: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c16 = arith.constant 16 : index
  %init = arith.constant true
  %a = ascend.alloc "a" at 0 : !l0a
  %b = ascend.alloc "b" at 0 : !l0b
  %c = ascend.alloc "c" at 0 : !l0c
  %t = ascend.alloc "t" at 0 : !bt
  %bp = ascend.slice %b[%at_b] : !l0b -> !l0b_any
  %cp = ascend.slice %c[%at_c] : !l0c -> !l0c_any
  %tp = ascend.slice %t[%at_t] : !bt -> !bt_any
  ascend.mmad %cp, %a, %bp bias(%tp : !bt_any) m(%c16) n(%c16) k(%c16) init(%init) : !l0c_any, !l0a, !l0b_any
  ascend.barrier all
  return
}

// The way out begins at any row of a fractal.
// OUT: error: misaligned: fix_out uses buffer "c" in l0c at address 32 (byte 32 of it), not a multiple of 64 [block 0, pipe fix]
func.func @out(%from: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c = ascend.alloc "c" at 0 : !l0c
  %d = ascend.alloc "d" at 0 : !l1
  %cp = ascend.slice %c[%from] : !l0c -> !l0c_any
  ascend.fix_out %d, %cp rows(%c2) cols(%c16) dst_pitch(%c16) src_rows 16 nz : !l1, !l0c_any
  ascend.barrier all
  return
}
}
