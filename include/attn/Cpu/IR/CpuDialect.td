// The checks of a kernel that runs on the CPU, and what it asks for early.
#ifndef ATTN_CPU_IR_DIALECT
#define ATTN_CPU_IR_DIALECT

include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"
include "mlir/IR/OpBase.td"

def Cpu_Dialect : Dialect {
  let name = "cpu";
  let cppNamespace = "::attn::cpu";
  let summary = "What a kernel on the CPU checks before it touches memory or divides, and what it asks for early";
  let description = [{
    A check hands on what it is about, so that nothing can use it before the check. Where it does not hold, the block
    stops there: it writes what it found into the report of its launch, and touches nothing more. A check without a use has
    nothing to protect and goes away.

    | attribute | on | meaning |
    |---|---|---|
    | `cpu.check_of = @kernel` | function | the host function that makes the checks of that kernel that need no launch; same arguments, one index result |
    | `cpu.checks = [...]` | module | the checks by number, with what a report does not carry: the place in the source, and names |
  }];
}

class Cpu_CheckOp<string mnemonic, list<Trait> traits = []>
    : Op<Cpu_Dialect, mnemonic, !listconcat([NoMemoryEffect], traits)>;

def Cpu_CheckAccessOp : Cpu_CheckOp<"check_access", [
    AllTypesMatch<["array", "result"]>, SameVariadicOperandSize,
    DeclareOpInterfaceMethods<ViewLikeOpInterface, ["getViewSource"]>]> {
  let summary = "An array, where a part of it is inside";
  let description = [{
    Per dimension the part has `size` elements from `offset` on, `step` apart, as in `memref.subview`. A part without
    elements is inside wherever it is. `access` is what the part is for, in the words of a report.

    ```mlir
    %inside = cpu.check_access "load" %x[%i, %zero] [%rows, %eight] [%one, %one] named "X" : memref<?x?xf32, strided<[?, 1]>>
    %part = memref.subview %inside[%i, 0] [%rows, 8] [1, 1] : memref<?x?xf32, strided<[?, 1]>> to ...
    ```
  }];
  let arguments = (ins StrAttr:$access, AnyMemRef:$array, Variadic<Index>:$offsets, Variadic<Index>:$sizes,
                       Variadic<Index>:$steps, StrAttr:$name);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    $access $array `[` $offsets `]` `[` $sizes `]` `[` $steps `]` `named` $name attr-dict `:` type($array)
  }];
  let hasVerifier = 1;
}

def Cpu_CheckDivisorOp : Cpu_CheckOp<"check_divisor", [AllTypesMatch<["dividend", "divisor", "result"]>]> {
  let summary = "A divisor that the dividend has a quotient by";
  let description = [{
    The divisor is not zero, nor -1 where the dividend is the least number there is, which has no counterpart.

    ```mlir
    %d = cpu.check_divisor "floordivsi" %n by %k : index
    %q = arith.floordivsi %n, %d : index
    ```
  }];
  let arguments = (ins StrAttr:$division, SignlessIntegerOrIndexLike:$dividend, SignlessIntegerOrIndexLike:$divisor);
  let results = (outs SignlessIntegerOrIndexLike:$result);
  let assemblyFormat = "$division $dividend `by` $divisor attr-dict `:` type($dividend)";
}

def Cpu_CheckCountOp : Cpu_CheckOp<"check_count"> {
  let summary = "The end of a list or a loop, where it is not beyond a limit";
  let description = [{
    Of a `list`, the limit is the size of a dimension of the array `name`, which is the one number that follows. Of a `loop`,
    which no array ends, `name` is what its end comes from, and the numbers are where it begins, its step and the most
    iterations that it may have.

    ```mlir
    %end = cpu.check_count "list" %n at most %size[%one] named "idx"
    %last = cpu.check_count "loop" %m at most %furthest[%zero, %eight, %most] named "lens"
    ```
  }];
  let arguments = (ins StrAttr:$count, Index:$end, Index:$limit, Variadic<Index>:$numbers, StrAttr:$name);
  let results = (outs Index:$result);
  let assemblyFormat = "$count $end `at` `most` $limit `[` $numbers `]` `named` $name attr-dict";
}

def Cpu_ReadAheadOp : Op<Cpu_Dialect, "read_ahead", [
    NoMemoryEffect, AllTypesMatch<["part", "result"]>,
    DeclareOpInterfaceMethods<ViewLikeOpInterface, ["getViewSource"]>]> {
  let summary = "A part of an array, and what is asked for while it is read";
  let description = [{
    What reads the part asks meanwhile for the lines of as many rows and columns of another one, in their order in memory; for
    nothing, where there is no other. That may lie anywhere, since asking touches nothing.

    ```mlir
    %keys = cpu.read_ahead %part for %later : memref<2x128xf32, strided<[?, 1], offset: ?>>, memref<2x128xf32, strided<[?, 1], offset: ?>>
    ```
  }];
  let arguments = (ins AnyMemRef:$part, Optional<AnyMemRef>:$later);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$part (`for` $later^)? attr-dict `:` type($part) (`,` type($later)^)?";
  let hasVerifier = 1;
}

#endif // ATTN_CPU_IR_DIALECT
