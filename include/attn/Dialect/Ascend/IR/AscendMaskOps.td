// The instructions of the ascend dialect that choose elements by masks.
#ifndef ATTN_ASCEND_MASK_OPS
#define ATTN_ASCEND_MASK_OPS

include "attn/Dialect/Ascend/IR/AscendOpBase.td"

def Ascend_BitwiseOp : Ascend_Instruction<"bitwise", ["getPairedSources"]> {
  let summary = "dst = f(lhs, rhs), bit by bit, of numbers of 32 bits";
  let description = [{
    Counts and lanes are of 32 bits, whatever the numbers are; the chip takes each as two of 16 bits.

    ```mlir
    ascend.bitwise and %d, %a, %m count(%n) : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>, memref<64xi32, #ascend.space<ub>>
    ```
  }];
  let arguments = (ins Ascend_BitwiseKindAttr:$kind, AnyMemRef:$dst, AnyMemRef:$lhs, AnyMemRef:$rhs, Index:$amount,
                       OptionalAttr<Ascend_IntAttr>:$mask, OptionalAttr<DenseI64ArrayAttr>:$strides);
  let assemblyFormat = [{
    $kind $dst `,` $lhs `,` $rhs custom<Form>($amount, $mask, $strides) attr-dict `:` type($dst) `,` type($lhs) `,` type($rhs)
  }];
}

def Ascend_CompareOp : Ascend_Instruction<"compare", ["getPairedSources"]> {
  let summary = "One bit for each pair of elements: whether a comparison holds";
  let description = [{
    The bit of element i is bit i % 8 of byte i / 8; it is 0 where either element is NaN. The count is whole repeats.

    ```mlir
    ascend.compare lt %bits, %a, %b count(%n) : memref<32xi8, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
    ```
  }];
  let arguments = (ins Ascend_CompareKindAttr:$kind, AnyMemRef:$dst, AnyMemRef:$lhs, AnyMemRef:$rhs, Index:$amount);
  let assemblyFormat = [{
    $kind $dst `,` $lhs `,` $rhs `count` `(` $amount `)` attr-dict `:` type($dst) `,` type($lhs) `,` type($rhs)
  }];
}

def Ascend_SelectOp : Ascend_Instruction<"select", ["getPairedSources"]> {
  let summary = "dst = lhs where a bit is 1, rhs where it is 0";
  let description = [{
    Every repeat is chosen by the same bits, as many as it has lanes. This is the mode of `Select` that needs no memory of
    the system (`VSEL_CMPMASK_SPR`).

    ```mlir
    ascend.select %d, %bits, %a, %b count(%n) : memref<64xf32, #ascend.space<ub>>, memref<32xi8, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
    ```
  }];
  let arguments = (ins AnyMemRef:$dst, AnyMemRef:$bits, AnyMemRef:$lhs, AnyMemRef:$rhs, Index:$amount);
  let assemblyFormat = [{
    $dst `,` $bits `,` $lhs `,` $rhs `count` `(` $amount `)` attr-dict `:` type($dst) `,` type($bits) `,` type($lhs) `,` type($rhs)
  }];
}

#endif // ATTN_ASCEND_MASK_OPS
