// The passes of Conversion/AscendToHIVM.
#ifndef ATTN_CONVERSION_ASCENDTOHIVM_PASSES
#define ATTN_CONVERSION_ASCENDTOHIVM_PASSES

include "mlir/Pass/PassBase.td"

def ConvertAscendToHIVMPass : Pass<"convert-ascend-to-hivm", "::mlir::ModuleOp"> {
  let summary = "Converts chip kernels to the vendor's dialect, with their plan and their flags";
  let description = [{
    Takes kernels that keep their composites and are planned and synchronised (the pipeline `attn-hivm`). Buffers become
    memrefs at their planned addresses, flags and barriers the vendor's with the same pipes and events, each instruction
    one op of the vendor's; arguments are those of the launch convention, arrays as pointers. The functions that count
    tiles are dropped: they belong to the host. `--emit=hivm` prints what this pass makes, below a description of each
    kernel.

    What has no op in HIVM is an error at its line.

    ```mlir
    %v = ascend.alloc "v" at 64 : memref<64xf32, #ascend.space<ub>>
    ascend.unary exp %v, %v count(%n) : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
    ascend.set_flag v to mte3 event 0
    ```
    becomes
    ```mlir
    %c64_i64 = arith.constant 64 : i64
    %v = hivm.hir.pointer_cast(%c64_i64) [%n] : memref<?xf32, #hivm.address_space<ub>>
    hivm.hir.vexp ins(%v : memref<?xf32, #hivm.address_space<ub>>) outs(%v : memref<?xf32, #hivm.address_space<ub>>)
    hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
    ```
  }];
  let dependentDialects = ["::attn::hivm::HIVMDialect", "::attn::hacc::HACCDialect", "::mlir::memref::MemRefDialect"];
}

#endif // ATTN_CONVERSION_ASCENDTOHIVM_PASSES
