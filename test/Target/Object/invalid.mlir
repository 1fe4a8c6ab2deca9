// What is said where no object can be built. No file is written then.

// RUN: rm -rf %t && mkdir -p %t/empty %t/tmp
// RUN: env PATH=%t/empty not %tools_dir/attn-opt %s --emit=object -o %t/k.o 2>&1 | FileCheck %s --check-prefix=UNSET
// UNSET: {{^}}<unknown>:0: error: CANN not found: ASCEND_HOME_PATH is not set; source set_env.sh. Source emission, JIT and simulation work without it.
// UNSET-NOT: {{.}}
// RUN: env PATH=%t/empty ASCEND_HOME_PATH=%t/nowhere not %tools_dir/attn-opt %s --emit=object -o %t/k.o 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: error: CANN not found: ASCEND_HOME_PATH is '{{.*}}nowhere', which is not a folder; source set_env.sh.
// RUN: env PATH=%t/empty ASCEND_HOME_PATH=%t/empty not %tools_dir/attn-opt %s --emit=object -o %t/k.o 2>&1 | FileCheck %s --check-prefix=RUNTIME
// RUNTIME: error: CANN found at {{.*}}empty but no bisheng compiler: runtime-only installation?
// RUN: not attn-opt %s --emit=object --bisheng=%t/nothing -o %t/k.o 2>&1 | FileCheck %s --check-prefix=CHOSEN
// CHOSEN: error: '{{.*}}nothing' is not a program that can be started
// RUN: not attn-opt %s --emit=object --bisheng=false -o %t/k.o 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: 'false' is not a program that can be started
// RUN: ln -s /bin/false %t/bisheng
// RUN: not attn-opt %s --emit=object --bisheng=%t/bisheng -o %t/k.o 2>&1 | FileCheck %s --check-prefix=VERSION
// VERSION: error: '{{.*}}bisheng --version' failed with exit code 1
// RUN: env PATH=%t/empty ASCEND_HOME_PATH=%t/empty not %tools_dir/attn-opt %s --emit=object --via=hivm -o %t/k.o 2>&1 | FileCheck %s --check-prefix=HIVM
// HIVM: error: CANN found at {{.*}}empty but no hivmc compiler: runtime-only installation?
// RUN: not attn-opt %s --emit=object 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not attn-opt %s --emit=shared --split-input-file -o %t/k.o 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: an object is a file, for one module: name it with -o
// RUN: not attn-opt %s --emit=object --bisheng=%standin_bisheng -o %t/nowhere/k.o 2>&1 | FileCheck %s --check-prefix=WRITE
// WRITE: error: cannot write: '{{.*}}k.o': No such file or directory

// Errors of the vendor's compiler are at the author's line; the command and the source follow.
// RUN: echo '#include "kernel_operator.h"' > %t/no-exp.h
// RUN: echo '#define Exp NoSuchInstruction' >> %t/no-exp.h
// RUN: env TMPDIR=%t/tmp STANDIN_CLANG_FLAGS="-include %t/no-exp.h" not attn-opt %s --emit=object --bisheng=%standin_bisheng -o %t/k.o 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR:      kernel.py:12:7: error: bisheng: no member named 'NoSuchInstruction' in namespace 'AscendC'
// ERROR:      no-exp.h:2:1: note: expanded from macro 'Exp'
// ERROR:      kernel.py:10:1: error: bisheng failed with exit code 1; the source is kept as {{.*}}exponential.asc
// ERROR:      note: the command was: {{.*}}bisheng -x asc --npu-arch=dav-2201
// RUN: ls %t/tmp/attn-exponential-* | FileCheck %s --check-prefix=KEPT
// KEPT:     exponential.asc
// KEPT-NOT: exponential

// What is not in the form of diagnostics is shown as it is.
// RUN: env STANDIN_CLANG_FLAGS=-Wl,--no-such-flag not attn-opt %s --emit=object --bisheng=%standin_bisheng -o %t/k.o 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: error: bisheng failed with exit code 1
// SAID: note: it said: {{.*}}

// RUN: not ls %t/k.o
// RUN: not ls %t/k.json

!buf = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {
  func.func @exponential() attributes {ascend.kernel} {
    %c64 = arith.constant 64 : index
    %x = ascend.alloc "x" at 0 : !buf loc("x"("kernel.py":11:3))
    ascend.unary exp %x, %x count(%c64) : !buf, !buf loc("y"("kernel.py":12:7))
    ascend.barrier all loc("kernel.py":13:1)
    return loc("kernel.py":14:1)
  } loc("exponential"("kernel.py":10:1))
}
