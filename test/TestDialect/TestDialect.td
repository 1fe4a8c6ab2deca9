// An instruction for tests of what the chip dialect's own instructions do not show: accesses of any number of levels, and
// pipes that no instruction uses yet.
#ifndef ATTN_TEST_DIALECT
#define ATTN_TEST_DIALECT

include "attn/Dialect/Ascend/IR/AscendDialect.td"
include "attn/Dialect/Ascend/IR/AscendInterfaces.td"
include "mlir/IR/OpBase.td"

def Test_Dialect : Dialect {
  let name = "test";
  let cppNamespace = "::attn::test";
}

def Test_InstructionOp : Op<Test_Dialect, "instruction", [Ascend_InstructionOpInterface]> {
  let summary = "Touches one memory as its attributes say";
  let description = [{
    Runs of so many bytes, and per level, the innermost first, how many of what is below and how many bytes apart. In
    global memory the operands of `range` are elements in a row, then a count and a pitch in elements per level.

    ```mlir
    test.instruction mte2 writes %a run 32 levels [2, 64, 2, 256, 2, 1024] : memref<1024xf32, #ascend.space<l1>>
    ```
  }];
  let arguments = (ins Ascend_PipeAttr:$pipe, UnitAttr:$writes, AnyMemRef:$memory, I64Attr:$run,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$levels, Variadic<Index>:$range);
  let assemblyFormat = [{
    $pipe (`writes` $writes^)? $memory `run` $run (`levels` $levels^)? (`range` `(` $range^ `)`)? attr-dict `:`
    type($memory)
  }];
  let extraClassDeclaration = [{
    void getAccesses(::llvm::SmallVectorImpl<::attn::ascend::Access> &accesses,
                     const ::attn::IndexRanges &ranges);
  }];
}

#endif // ATTN_TEST_DIALECT
