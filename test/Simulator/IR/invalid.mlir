// RUN: not attn-sim %s --kernel=unplanned  2>&1 | FileCheck %s --check-prefix=UNPLANNED
// RUN: not attn-sim %s --kernel=virtual_event  2>&1 | FileCheck %s --check-prefix=VIRTUAL-EVENT
// RUN: not attn-sim %s --kernel=unknown_op  2>&1 | FileCheck %s --check-prefix=UNKNOWN-OP
// RUN: not attn-sim %s --kernel=unknown_width  2>&1 | FileCheck %s --check-prefix=UNKNOWN-WIDTH
// RUN: not attn-sim %s --kernel=zero_step --arg=i64:0 2>&1 | FileCheck %s --check-prefix=ZERO-STEP
// RUN: not attn-sim %s --kernel=division --arg=i64:0 2>&1 | FileCheck %s --check-prefix=DIVISION
// RUN: not attn-sim %s --kernel=missing  2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not attn-sim %s --kernel=wrong_kind --arg=i64:0 2>&1 | FileCheck %s --check-prefix=WRONG-KIND
// RUN: not attn-sim %s --kernel=wrong_type --arg=zeros:4xbf16 2>&1 | FileCheck %s --check-prefix=WRONG-TYPE
// RUN: not attn-sim %s --kernel=wrong_rank --arg=zeros:4x4xf32 2>&1 | FileCheck %s --check-prefix=WRONG-RANK
// RUN: not attn-sim %s --kernel=wrong_size --arg=zeros:5xf32 2>&1 | FileCheck %s --check-prefix=WRONG-SIZE
// RUN: not attn-sim %s --kernel=wrong_stride --arg=zeros:4x4xf32@8,2 2>&1 | FileCheck %s --check-prefix=WRONG-STRIDE
// RUN: not attn-sim %s --kernel=bad_text --arg=noise:4xf32 2>&1 | FileCheck %s --check-prefix=BAD-TEXT
// RUN: not attn-sim %s --kernel=bad_text --arg=4xf32 2>&1 | FileCheck %s --check-prefix=NO-KIND
// RUN: not attn-sim %s --kernel=bad_text --arg=random:4xf32 2>&1 | FileCheck %s --check-prefix=NO-SEED
// RUN: not attn-sim %s --kernel=bad_text --arg=fill:4xf32 2>&1 | FileCheck %s --check-prefix=NO-NUMBER
// RUN: not attn-sim %s --kernel=bad_text --arg=fill:x:4xf32 2>&1 | FileCheck %s --check-prefix=BAD-NUMBER
// RUN: not attn-sim %s --kernel=absent 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: not attn-sim %s 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not attn-sim %s --kernel=missing --soc=host 2>&1 | FileCheck %s --check-prefix=HOST

// ABSENT: error: has no kernel of the name absent
// SEVERAL: error: has several kernels: name one with --kernel=
// HOST: error: cannot be simulated on the chip 'host'

// What the simulator cannot run at all: an error at its place, never a crash.
module attributes {machine.target = #machine.target<"Ascend910B4">} {

// UNPLANNED: [[@LINE+2]]:8: error: 'ascend.alloc' op of "a" has no address: ascend-plan-memory must run first
func.func @unplanned() attributes {ascend.kernel} {
  %a = ascend.alloc "a" : memref<64xf32, #ascend.space<ub>>
  return
}

// VIRTUAL-EVENT: error: 'ascend.set_flag' op has a virtual event: ascend-assign-events must run first
func.func @virtual_event() attributes {ascend.kernel} {
  ascend.set_flag mte2 to v virtual event 0
  return
}

// UNKNOWN-OP: error: 'memref.alloc' op is not supported by the simulator
func.func @unknown_op() attributes {ascend.kernel} {
  %a = memref.alloc() : memref<4xf32>
  return
}

// UNKNOWN-WIDTH: error: 'arith.addi' op is not supported by the simulator
func.func @unknown_width() attributes {ascend.kernel} {
  %a = arith.constant 1 : i8
  %b = arith.addi %a, %a : i8
  return
}

// ZERO-STEP: error: scalar unit: for has a step that is not positive
func.func @zero_step(%n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  scf.for %i = %c0 to %c0 step %n {
  }
  return
}

// DIVISION: error: scalar unit: divsi divides by zero or overflows
func.func @division(%n: index) attributes {ascend.kernel} {
  %a = arith.divsi %n, %n : index
  return
}

// MISSING: error: takes 1 arguments, not 0
func.func @missing(%n: index) attributes {ascend.kernel} {
  return
}

// WRONG-KIND: error: argument 0 (argument 0) must be a scalar of type 'f32'
func.func @wrong_kind(%x: f32) attributes {ascend.kernel} {
  return
}

// WRONG-TYPE: error: argument 0 (argument 0) has elements of type 'bf16', not 'f32'
func.func @wrong_type(%x: memref<?xf32, #ascend.space<gm>>) attributes {ascend.kernel} {
  return
}

// WRONG-RANK: error: argument 0 (argument 0) has rank 2, not 1
func.func @wrong_rank(%x: memref<?xf32, #ascend.space<gm>>) attributes {ascend.kernel} {
  return
}

// WRONG-SIZE: error: argument 0 (argument 0) has size 5 in dimension 0, not 4
func.func @wrong_size(%x: memref<4xf32, #ascend.space<gm>>) attributes {ascend.kernel} {
  return
}

// WRONG-STRIDE: error: argument 0 (argument 0) has stride 2 in dimension 1, not 1
func.func @wrong_stride(%x: memref<4x4xf32, strided<[?, 1]>, #ascend.space<gm>>) attributes {ascend.kernel} {
  return
}

// NO-KIND: error: argument '4xf32' is none of zeros, {{.*}} i64, workspace
// NO-SEED: error: argument 'random:4xf32' needs a seed: random:<seed>:<shape>
// NO-NUMBER: error: argument 'fill:4xf32' needs what to fill with: fill:<number>,...:<shape>
// BAD-NUMBER: error: argument 'fill:x:4xf32' has the impossible value 'x'
// BAD-TEXT: error: argument 'noise:4xf32' is none of zeros, {{.*}} i64, workspace
func.func @bad_text(%x: memref<4xf32, #ascend.space<gm>>) attributes {ascend.kernel} {
  return
}
}
