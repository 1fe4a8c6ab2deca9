// RUN: not attn-sim %s --kernel=unordered --arg=i64:48 --arg=i64:48 --arg=i64:48 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: attn-sim %s --kernel=unordered --arg=i64:80 --arg=i64:80 --arg=i64:32 | FileCheck %s --check-prefix=CLEAN
// RUN: attn-sim %s --kernel=unordered --arg=i64:79 --arg=i64:65 --arg=i64:17 | FileCheck %s --check-prefix=CLEAN
// RUN: not attn-sim %s --kernel=unordered --arg=i64:80 --arg=i64:64 --arg=i64:32 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: not attn-sim %s --kernel=unordered --arg=i64:64 --arg=i64:80 --arg=i64:32 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: attn-sim %s --kernel=ordered --arg=i64:48 --arg=i64:48 | FileCheck %s --check-prefix=CLEAN
// RUN: not attn-sim %s --kernel=load_under_product 2>&1 | FileCheck %s --check-prefix=LOAD
// RUN: not attn-sim %s --kernel=product_under_way_out 2>&1 | FileCheck %s --check-prefix=OUT
// RUN: attn-sim %s --kernel=flags | FileCheck %s --check-prefix=CLEAN

// Products that add to one tile: from ten fractals on the pipe keeps them in order, below a barrier must.
!l1 = memref<8192xf16, #ascend.space<l1>>
!l0a = memref<8192xf16, #ascend.space<l0a>>
!l0b = memref<8192xf16, #ascend.space<l0b>>
!l0c = memref<8192xf32, #ascend.space<l0c>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// CLEAN: hazards: 0

// SMALL: error: race: mmad {{reads|writes}} buffer "c" in l0c (bytes 0 to {{[0-9]+}}) while mmad on m writes it: nothing orders them [block 0, pipe m]
func.func @unordered(%m: index, %next: index, %n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c16 = arith.constant 16 : index
  %yes = arith.constant true
  %no = arith.constant false
  %a = ascend.alloc "a" at 0 : !l0a
  %b = ascend.alloc "b" at 0 : !l0b
  %c = ascend.alloc "c" at 0 : !l0c
  ascend.mmad %c, %a, %b m(%m) n(%n) k(%c16) init(%yes) : !l0c, !l0a, !l0b
  ascend.mmad %c, %a, %b m(%next) n(%n) k(%c16) init(%no) : !l0c, !l0a, !l0b
  ascend.barrier all
  return
}

func.func @ordered(%m: index, %n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c16 = arith.constant 16 : index
  %yes = arith.constant true
  %no = arith.constant false
  %a = ascend.alloc "a" at 0 : !l0a
  %b = ascend.alloc "b" at 0 : !l0b
  %c = ascend.alloc "c" at 0 : !l0c
  ascend.mmad %c, %a, %b m(%m) n(%n) k(%c16) init(%yes) : !l0c, !l0a, !l0b
  ascend.barrier m
  ascend.mmad %c, %a, %b m(%m) n(%n) k(%c16) init(%no) : !l0c, !l0a, !l0b
  ascend.barrier all
  return
}

// LOAD: error: race: {{load_fractals writes|mmad reads}} buffer "a" in l0a (bytes 0 to 511) while {{.*}} it: nothing orders them
func.func @load_under_product() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %yes = arith.constant true
  %s = ascend.alloc "s" at 0 : !l1
  %a = ascend.alloc "a" at 0 : !l0a
  %b = ascend.alloc "b" at 0 : !l0b
  %c = ascend.alloc "c" at 0 : !l0c
  ascend.load_fractals %a, %s repeat(%c1) strides [1, 1] : !l0a, !l1
  ascend.mmad %c, %a, %b m(%c16) n(%c16) k(%c16) init(%yes) : !l0c, !l0a, !l0b
  ascend.barrier all
  return
}

// That the pipe keeps its own products in order says nothing about another pipe.
// OUT: error: race: {{fix_out reads|mmad writes}} buffer "c" in l0c (bytes {{.*}}) while {{.*}} it: nothing orders them
func.func @product_under_way_out() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %yes = arith.constant true
  %s = ascend.alloc "s" at 0 : !l1
  %a = ascend.alloc "a" at 0 : !l0a
  %b = ascend.alloc "b" at 0 : !l0b
  %c = ascend.alloc "c" at 0 : !l0c
  ascend.mmad %c, %a, %b m(%c64) n(%c64) k(%c16) init(%yes) : !l0c, !l0a, !l0b
  ascend.fix_out %s, %c rows(%c64) cols(%c16) dst_pitch(%c64) src_rows 64 nz : !l1, !l0c
  ascend.barrier all
  return
}

func.func @flags() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %yes = arith.constant true
  %s = ascend.alloc "s" at 0 : !l1
  %r = ascend.alloc "r" at 16384 : !l1
  %a = ascend.alloc "a" at 0 : !l0a
  %b = ascend.alloc "b" at 0 : !l0b
  %c = ascend.alloc "c" at 0 : !l0c
  ascend.load_fractals %a, %s repeat(%c1) strides [1, 1] : !l0a, !l1
  ascend.set_flag mte1 to m event 0
  ascend.wait_flag mte1 to m event 0
  ascend.mmad %c, %a, %b m(%c16) n(%c16) k(%c16) init(%yes) : !l0c, !l0a, !l0b
  ascend.set_flag m to fix event 0
  ascend.wait_flag m to fix event 0
  ascend.fix_out %r, %c rows(%c16) cols(%c16) dst_pitch(%c16) src_rows 16 nz : !l1, !l0c
  ascend.barrier all
  return
}
}
