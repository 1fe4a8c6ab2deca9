// Objects of cube kernels: from CANN 8.5 on as those of vector kernels, before by the flag of their cores.

// RUN: rm -rf %t && mkdir -p %t/legacy/bin
// RUN: attn-opt %source_root/test/Simulator/AscendC/Inputs/product.mlir --emit=object --bisheng=%standin_bisheng -o %t/k.o
// RUN: FileCheck %s < %t/k.json
// RUN: attn-opt %source_root/test/Simulator/AscendC/Inputs/product.mlir --emit=shared --bisheng=%standin_bisheng -o %t/libk.so
// RUN: FileCheck %s --check-prefix=SHARED < %t/libk.json
// CHECK: "kind": "cube",
// CHECK: "--npu-arch=dav-2201",
// CHECK: "--aicore-only",
// SHARED: "form": "shared",

// RUN: ln -s %standin_bisheng %t/legacy/bin/bisheng && ln -s %standin_bisheng %t/legacy/bin/ld.lld
// RUN: echo "compiler_running_version=[7.6.0.1.220:8.2.RC1]" > %t/legacy/version.cfg
// RUN: attn-opt %source_root/test/Simulator/AscendC/Inputs/product.mlir --emit=object --bisheng=%t/legacy/bin/bisheng -o %t/legacy.o
// RUN: FileCheck %s --check-prefix=LEGACY < %t/legacy.json
// LEGACY:      "--cce-aicore-only",
// LEGACY-NEXT: "--cce-aicore-arch=dav-c220-cube",
// LEGACY-NEXT: "-mllvm",
// LEGACY:      "kernel.asc.aic.o",
// RUN: not attn-opt %s --emit=object --bisheng=%t/legacy/bin/bisheng -o %t/none.o 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: CANN 8.2.RC1 is older than 8.5, which an object with kernels of cube cores and of vector cores needs
// RUN: attn-opt %s --emit=object --bisheng=%standin_bisheng -o %t/both.o && ls %t/both.json

module attributes {machine.target = #machine.target<"Ascend910B4">} {
  func.func @first() attributes {ascend.kernel} {
    ascend.barrier all
    return
  }
  func.func @second() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>, launch.after = @first} {
    ascend.barrier all
    return
  }
}
