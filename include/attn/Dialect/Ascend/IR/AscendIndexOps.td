// The operations of the ascend dialect by which the scalar unit takes indices from GM.
#ifndef ATTN_ASCEND_INDEX_OPS
#define ATTN_ASCEND_INDEX_OPS

include "attn/Dialect/Ascend/IR/AscendOpBase.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Without an effect, as nothing writes the array while it can be read; but not speculatable: what control flow keeps from
// being read is never read.
def Ascend_LoadIndexOp : Ascend_Op<"load_index", [NoMemoryEffect,
    DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRangesFromOptional"]>]> {
  let summary = "An integer of an array in GM, read by the scalar unit";
  let description = [{
    The scalar unit waits for it, and issues nothing meanwhile. It reads by way of its data cache, which other cores and
    pipes do not write to. Of an array that the kernel has `written` before blocks met, it may have an old line, which is
    dropped first.

    ```mlir
    %n = ascend.load_index %lens[%b] : memref<?xi32, strided<[1]>, #ascend.space<gm>>
    %m = ascend.load_index %counts[%b] written : memref<?xi32, strided<[1]>, #ascend.space<gm>>
    ```
  }];
  let arguments = (ins AnyMemRef:$array, Variadic<Index>:$indices, UnitAttr:$written);
  let results = (outs Index:$result);
  let assemblyFormat = "$array `[` $indices `]` (`written` $written^)? attr-dict `:` type($array)";
  let hasVerifier = 1;
}

def Ascend_ExpectIndexOp : Ascend_Op<"expect_index", [MemoryEffects<[MemWrite]>]> {
  let summary = "Says that an index was inside its array before it was bounded";
  let description = [{
    `index` is what the kernel computed, `bounded` what it goes on with, an index of `dimension` of `array` or the end of a
    run of them. The modelled chip reports where the two differ, and goes on. Texts have nothing for it.

    ```mlir
    ascend.expect_index %j is %bounded in %K, 0 : memref<?x64xf32, strided<[?, 1]>, #ascend.space<gm>>
    ```
  }];
  let arguments = (ins Index:$index, Index:$bounded, Ascend_ArrayType:$array, Ascend_IntAttr:$dimension);
  let assemblyFormat = "$index `is` $bounded `in` $array `,` $dimension attr-dict `:` type($array)";
  let hasVerifier = 1;
}

def Ascend_ExpectCountOp : Ascend_Op<"expect_count", [MemoryEffects<[MemWrite]>]> {
  let summary = "Says that a loop had no more iterations than it may before its end was bounded";
  let description = [{
    `upper` is the end that the kernel computed for a loop from `lower` on in steps of `step`, `bounded` the one it goes on
    with, so that no more than `most` iterations are left. The modelled chip reports where the two differ, with `name`, the
    array or the argument that the end comes from, and goes on. Texts have nothing for it.

    ```mlir
    ascend.expect_count %n is %end from %zero by 8 most 1048576 of "lens"
    ```
  }];
  let arguments = (ins Index:$upper, Index:$bounded, Index:$lower, Ascend_IntAttr:$step, Ascend_IntAttr:$most,
                       StrAttr:$name);
  let assemblyFormat = "$upper `is` $bounded `from` $lower `by` $step `most` $most `of` $name attr-dict";
}

def Ascend_ExpectDistinctOp : Ascend_Op<"expect_distinct", [MemoryEffects<[MemWrite]>]> {
  let summary = "Says that a row is written once";
  let description = [{
    `index` is the row of `dimension` of `array` that `address` begins, where a list in memory says which row that is. The
    modelled chip reports where this op comes to an address again, in any block, unless blocks have met in between. Texts have
    nothing for it.

    ```mlir
    ascend.expect_distinct %j at %place in %Y, 0 : memref<?xf32, #ascend.space<gm>>, memref<?x64xf32, strided<[?, 1]>, #ascend.space<gm>>
    ```
  }];
  let arguments = (ins Index:$index, AnyMemRef:$address, Ascend_ArrayType:$array, Ascend_IntAttr:$dimension);
  let assemblyFormat = "$index `at` $address `in` $array `,` $dimension attr-dict `:` type($address) `,` type($array)";
  let hasVerifier = 1;
}

#endif // ATTN_ASCEND_INDEX_OPS
