// The options that attn-opt adds to those of mlir-opt.
//
// RUN: attn-opt %s --soc=910B3:ub_bytes=8192 | FileCheck %s --check-prefix=TARGET
// TARGET: machine.target = #machine.target<"910B3", {ub_bytes = 8192 : i64}>
//
// RUN: not attn-opt %s --soc=Ascend999 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: unknown chip 'Ascend999'; known chips: Ascend910B1, {{.*}}, host
// RUN: not attn-opt %s --soc=Ascend910_9363 2>&1 | FileCheck %s --check-prefix=CLOCK
// CLOCK: error: chip 'Ascend910_9363' has no published clock
// RUN: not attn-opt %s --soc=Ascend910B4:ub=1 2>&1 | FileCheck %s --check-prefix=FACT
// FACT: error: unknown chip fact 'ub'; known facts: {{.*}}ub_bytes
// RUN: not attn-opt %s --soc=Ascend910B4:ub_bytes 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: error: chip fact 'ub_bytes' is not of the form key=integer
// RUN: not attn-opt %s --soc=Ascend910B4:ub_bytes=1,ub_bytes=2 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: chip fact 'ub_bytes' is given twice
// RUN: not attn-opt %s --soc=Ascend910B4:ub_bytes=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: chip fact 'ub_bytes' must be an i64 from 1 to
// RUN: not attn-opt %s --emit=fortran 2>&1 | FileCheck %s --check-prefix=FORMS
// FORMS: Cannot find option named 'fortran'
// RUN: not attn-opt %t.missing --emit=ascend 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: cannot open input file
//
// Kernels on the chip are printed as they are; passes of the command line come before.
// RUN: attn-opt %s --emit=ascend | FileCheck %s --check-prefix=ASCEND
// RUN: attn-opt %s --emit=ascendc --canonicalize -o %t && FileCheck %s --check-prefix=TEXT < %t
// ASCEND: arith.constant 7
// ASCEND: ascend.barrier all
// TEXT: #include "kernel_operator.h"
// TEXT: void kernel() {
//
// The usual options keep their meaning.
// RUN: attn-opt %s --emit=ascendc --mlir-print-ir-after-all 2>&1 | FileCheck %s --check-prefix=AFTER
// AFTER: IR Dump After Emit
// RUN: attn-opt --emit=ascend --show-dialects | FileCheck %s --check-prefix=DIALECTS
// DIALECTS: ascend
// DIALECTS: tile
// RUN: not attn-opt %s --attn-tile=x=1 2>&1 | FileCheck %s --check-prefix=OPTIONS
// OPTIONS: no such option x

func.func @kernel() attributes {ascend.kernel} {
  %unused = arith.constant 7 : index
  ascend.barrier all
  return
}
