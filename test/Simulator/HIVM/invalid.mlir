// What the modelled chip cannot run of HIVM, and launches that are impossible, are errors before anything runs.
// RUN: not attn-sim %s --kernel=unknown 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: invalid.mlir:[[#@LINE+28]]:{{.*}}error: 'memref.alloc' op is not known to the modelled chip
// RUN: not attn-sim %s --kernel=space 2>&1 | FileCheck %s --check-prefix=SPACE
// SPACE: error: the modelled chip has no memory for 'memref<8xf32>'
// RUN: not attn-sim %s --kernel=rank 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: error: the modelled chip takes rows and columns of known elements, not 'memref<2x2x8xf32
// RUN: not attn-sim %s --kernel=layout --arg=i64:0 2>&1 | FileCheck %s --check-prefix=LAYOUT
// LAYOUT: error: 'hivm.hir.pointer_cast' op has a layout that its type does not tell
// RUN: not attn-sim %s --kernel=entry --arg=zeros:8xf32 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: error: 'memref.load' op reads something other than an integer of an array or an entry of a table
// RUN: not attn-sim %s --kernel=argument 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// ARGUMENT: error: argument 0 is of type 'memref<8xf32>', which no launch gives
// RUN: not attn-sim %s --kernel=result 2>&1 | FileCheck %s --check-prefix=RESULT
// RESULT: error: a kernel has a body of one block and returns nothing
// RUN: not attn-sim %s --kernel=plain 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: error: takes more arguments than are given
// RUN: not attn-sim %s --kernel=plain --arg=zeros:8xf32 --arg=i64:1 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: takes fewer arguments than are given
// RUN: not attn-sim %s --kernel=plain --arg=i64:1 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: error: argument 0 is of type 'memref<?xf32, {{.*}}>', and something else is given
// RUN: not attn-sim %s --kernel=plain --arg=zeros:8xf32 --check-effects 2>&1 | FileCheck %s --check-prefix=EFFECTS
// EFFECTS: error: text has no interface that its effects could be compared with
// RUN: not attn-sim %s 2>&1 | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: error: has several kernels: name one with --kernel=
#gm = #hivm.address_space<gm>
#ub = #hivm.address_space<ub>
module {

func.func @unknown() attributes {hacc.entry} {
  %x = memref.alloc() : memref<8xf32, #ub>
  return
}
func.func @space() attributes {hacc.entry} {
  %p0 = arith.constant 0 : i64
  %x = hivm.hir.pointer_cast(%p0) : memref<8xf32>
  return
}
func.func @rank() attributes {hacc.entry} {
  %p0 = arith.constant 0 : i64
  %x = hivm.hir.pointer_cast(%p0) : memref<2x2x8xf32, #ub>
  return
}
func.func @layout(%p: i64) attributes {hacc.entry} {
  %x = hivm.hir.pointer_cast(%p) : memref<2x8xf32, strided<[?, 1]>, #ub>
  return
}
func.func @entry(%x: memref<?xf32, #gm>) attributes {hacc.entry} {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<?xf32, #gm>
  return
}
func.func @argument(%x: memref<8xf32>) attributes {hacc.entry} {
  return
}
func.func @result() -> i64 attributes {hacc.entry} {
  %p0 = arith.constant 0 : i64
  return %p0 : i64
}
func.func @plain(%x: memref<?xf32, #gm>) attributes {hacc.entry} {
  return
}
}
