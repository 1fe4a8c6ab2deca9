// An object and its sidecar, by the stand-in for the vendor's compiler: it takes the command lines of the real one only.

// RUN: rm -rf %t && mkdir -p %t/tmp
// RUN: env TMPDIR=%t/tmp attn-opt %s --emit=object --bisheng=%standin_bisheng -o %t/exp.o
// RUN: FileCheck %s < %t/exp.json
// RUN: %python -c "import sys, attn.sidecar as s; print(len(s.load(sys.argv[1] + '.json').check_object(sys.argv[1] + '.o')) > 0)" %t/exp | FileCheck %s --check-prefix=PAIR
// PAIR: True

// Nothing else is left.
// RUN: ls %t %t/tmp | FileCheck %s --check-prefix=LEFT
// LEFT:      exp.json
// LEFT-NEXT: exp.o
// LEFT-NEXT: tmp
// LEFT-NOT:  exp

// CHECK:      "object": {
// CHECK-NEXT:   "command": [
// CHECK-NEXT:     "bisheng",
// CHECK-NEXT:     "-x",
// CHECK-NEXT:     "asc",
// CHECK-NEXT:     "--npu-arch=dav-2201",
// CHECK-NEXT:     "-O2",
// CHECK-NEXT:     "-std=c++17",
// CHECK-NEXT:     "--cce-auto-sync=off",
// CHECK-NEXT:     "--aicore-only",
// CHECK-NEXT:     "exponential.asc",
// CHECK-NEXT:     "-c",
// CHECK-NEXT:     "-o",
// CHECK-NEXT:     "exponential.asc.dev.o",
// CHECK-NEXT:     "&&",
// CHECK-NEXT:     "ld.lld",
// CHECK-NEXT:     "-m",
// CHECK-NEXT:     "aicorelinux",
// CHECK-NEXT:     "-Ttext=0",
// CHECK-NEXT:     "exponential.asc.dev.o",
// CHECK-NEXT:     "-static",
// CHECK-NEXT:     "-o",
// CHECK-NEXT:     "exp.o"
// CHECK-NEXT:   ],
// CHECK-NEXT:   "file": "exp.o",
// CHECK-NEXT:   "form": "object",
// CHECK-NEXT:   "hash": "sha256:{{[0-9a-f]+}}",
// CHECK-NEXT:   "route": "ascendc",
// CHECK-NEXT:   "toolchain": "stand-in for bisheng{{.*}}"

// The toolkit that the environment names, and the program in PATH.
// RUN: env ASCEND_HOME_PATH=%source_root/test/toolchain attn-opt %s --emit=object -o %t/home.o && ls %t/home.json
// RUN: env ASCEND_TOOLKIT_HOME=%source_root/test/toolchain attn-opt %s --emit=object -o %t/older.o && ls %t/older.json
// RUN: env PATH=%source_root/test/toolchain/bin:%{path} attn-opt %s --emit=object -o %t/path.o && ls %t/path.json

// A library that registers itself, with functions that launch its kernels.
// RUN: attn-opt %s --emit=shared --bisheng=%standin_bisheng -o %t/libexp.so
// RUN: FileCheck %s --check-prefix=SHARED < %t/libexp.json
// SHARED:      "-shared",
// SHARED-NEXT: "-fPIC",
// SHARED-NEXT: "exponential_launch.asc",
// SHARED:      "form": "shared",

// The legacy route, by the version of the toolkit.
// RUN: mkdir -p %t/legacy/bin %t/legacy/compiler
// RUN: ln -s %standin_bisheng %t/legacy/bin/bisheng && ln -s %standin_bisheng %t/legacy/bin/ld.lld
// RUN: echo "compiler_running_version=[7.6.0.1.220:8.2.RC1]" > %t/legacy/version.cfg
// RUN: attn-opt %s --emit=object --bisheng=%t/legacy/bin/bisheng -o %t/legacy.o
// RUN: FileCheck %s --check-prefix=LEGACY < %t/legacy.json
// LEGACY:      "-xcce",
// LEGACY:      "&&",
// LEGACY-NEXT: "ld.lld",
// LEGACY-NEXT: "-m",
// LEGACY-NEXT: "aicorelinux",
// LEGACY-NEXT: "-r",
// LEGACY-NEXT: "-Ttext=0",
// LEGACY:      "&&",
// LEGACY-NEXT: "ld.lld",
// LEGACY-NEXT: "-m",
// LEGACY-NEXT: "aicorelinux",
// LEGACY-NEXT: "-Ttext=0",
// LEGACY:      "toolchain": "CANN 8.2.RC1, stand-in
// RUN: not attn-opt %s --emit=shared --bisheng=%t/legacy/bin/bisheng -o %t/none.so 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: error: CANN 8.2.RC1 is older than 8.5, which a self-registering library needs; build an object instead
// RUN: rm %t/legacy/version.cfg
// RUN: echo "Version=7.6.0.1.220" > %t/legacy/compiler/version.info && echo "version_dir=8.0.0" >> %t/legacy/compiler/version.info
// RUN: attn-opt %s --emit=object --bisheng=%t/legacy/bin/bisheng -o %t/legacy.o
// RUN: FileCheck %s --check-prefix=INFO < %t/legacy.json
// INFO: "toolchain": "CANN 8.0.0, stand-in
// RUN: echo "compiler_running_version=[7.0.0:7.3.0]" > %t/legacy/version.cfg
// RUN: not attn-opt %s --emit=object --bisheng=%t/legacy/bin/bisheng -o %t/none.o 2>&1 | FileCheck %s --check-prefix=OLDER
// OLDER: error: CANN 7.3.0 is older than 8.0, the oldest whose compiler's flags are known
// RUN: not ls %t/none.o
// RUN: not ls %t/none.json

!buf = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {
  func.func @exponential() attributes {ascend.kernel} {
    %c64 = arith.constant 64 : index
    %x = ascend.alloc "x" at 0 : !buf
    ascend.unary exp %x, %x count(%c64) : !buf, !buf
    ascend.barrier all
    return
  }
}
