// The operations of the tile dialect that make indices of what lies in memory.
#ifndef ATTN_TILE_INDEX_OPS
#define ATTN_TILE_INDEX_OPS

include "attn/Dialect/Tile/IR/TileDialect.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

defvar rangeMethods = DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRangesFromOptional"]>;

// No effect, as the array does not change while it can be read; but not speculatable: what a loop or a condition keeps
// from being read is never read.
def Tile_LoadIndexOp : Tile_Op<"load_index", [NoMemoryEffect, rangeMethods]> {
  let summary = "An integer from an array, as a number for indices, bounds and counts";
  let description = [{
    One index per dimension. The array holds integers, ui16, i32 or i64, and is one that the kernel does not write, or not
    after the last `tile.phase` before. Of i64, what does not fit 32 bits is the nearest that does, so that arithmetic on
    it does not overflow.

    The number may be anything. `tile-bound-indices` keeps what depends on it inside the arrays.

    ```mlir
    %n = tile.load_index %lens[%b] : !tile.array<?xi32>
    %j = tile.load_index %table[%b, %p] : !tile.array<?x?xui16>
    ```
  }];
  let arguments = (ins Tile_ArrayType:$array, Variadic<Index>:$indices);
  let results = (outs Index:$result);
  let assemblyFormat = "$array `[` $indices `]` attr-dict `:` type($array)";
  let hasVerifier = 1;
}

// Nothing is read here: the loads and stores of such rows read the list.
def Tile_ListRowsOp : Tile_Op<"list_rows", [Pure, AttrSizedOperandSegments]> {
  let summary = "The rows that a list in memory names";
  let description = [{
    Row p of the result is where the list has row p of the given span: the list is indexed as in `tile.load`, by one span and
    numbers for all other dimensions. Which rows exist is as in the given span; nothing of the list is read for others.

    With `by`, entries name blocks of so many rows, and the span counts the rows of all blocks, one after the other: row p
    of the span is row p % size of the block that entry p / size names. Sizes are multiples of `step`, and so are the
    first rows of spans that are, or else multiples of what both have in common: rows are moved by runs of that many.

    ```mlir
    %r = tile.list_rows %idx[%b, %t span] : (!tile.array<?x?xi32>, index, !tile.span<BT>) -> !tile.span<BT, listed>
    %x = tile.load %X[%r span, :] : (!tile.array<?x64xf32>, !tile.span<BT, listed>) -> !tile.tile<BT x 64 x f32>
    %k = tile.list_rows %idx[%b, %j span] by %size step 128
        : (!tile.array<?x?xi32>, index, !tile.span<BN>, index) -> !tile.span<BN, listed>
    ```
  }];
  let arguments = (ins Tile_ArrayType:$array, Variadic<AnyTypeOf<[Index, Tile_SpanType]>>:$indices,
                       Optional<Index>:$size, DenseI64ArrayAttr:$kinds, OptionalAttr<Tile_IntAttr>:$step);
  let results = (outs Tile_SpanType:$result);
  let assemblyFormat = [{
    $array custom<IndexList>($indices, $kinds) (`by` $size^ `step` $step)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The span of the list.
    ::mlir::Value getSpan();
    /// The dimension of the list that the span goes along.
    int64_t getSpanDimension();
    /// How many rows from the first on, and from each so many further, follow each other in the array.
    int64_t getRun();
  }];
}

def Tile_BoundKind : I32EnumAttr<"BoundKind", "which side of an access an index is", [
    I32EnumAttrCase<"Index", 0, "index">, I32EnumAttrCase<"First", 1, "first">, I32EnumAttrCase<"End", 2, "end">]> {
  let cppNamespace = "::attn::tile";
  let genSpecializedAttr = 0;
}
def Tile_BoundKindAttr : EnumAttr<Tile_Dialect, Tile_BoundKind, "bound_kind">;

// Pure on values, but an effect for those who look for mistakes: a wrong index is reported where it is bounded.
def Tile_BoundIndexOp : Tile_Op<"bound_index", [NoMemoryEffect, rangeMethods]> {
  let summary = "An index that depends on memory, brought inside an array";
  let description = [{
    The nearest number that does no harm in a dimension of n elements: `index`, of a single element, lies from 0 to n - 1;
    `first`, of a run, is at least 0; `end`, the first after a run, is at most n. Where that is another number than the
    one given, the modelled chip reports it.

    ```mlir
    %j1 = tile.bound_index index %j in %K, 0 : !tile.array<?x64x128xbf16>
    %n1 = tile.bound_index end %n in %X, 1 : !tile.array<?x?xf32>
    ```
  }];
  let arguments = (ins Tile_BoundKindAttr:$kind, Index:$index, Tile_ArrayType:$array, Tile_IntAttr:$dimension);
  let results = (outs Index:$result);
  let assemblyFormat = "$kind $index `in` $array `,` $dimension attr-dict `:` type($array)";
  let hasVerifier = 1;
}

// As above: an effect only for those who look for mistakes.
def Tile_BoundCountOp : Tile_Op<"bound_count", [NoMemoryEffect]> {
  let summary = "The end of a loop that numbers from memory or arguments decide, and no array";
  let description = [{
    `upper`, where a loop from `lower` on in steps of `step` has at most `most` iterations, and else `lower`: such a loop
    does not run. That is what the modelled chip and the CPU report, with `name`, the array or the argument that the
    number of iterations comes from.

    ```mlir
    %end = tile.bound_count %zero to %n by 8 most 1048576 of "lens"
    tile.range %i = %zero to %end by 8 { ... }
    ```
  }];
  let arguments = (ins Index:$lower, Index:$upper, Tile_IntAttr:$step, Tile_IntAttr:$most, StrAttr:$name);
  let results = (outs Index:$result);
  let assemblyFormat = "$lower `to` $upper `by` $step `most` $most `of` $name attr-dict";
  let hasVerifier = 1;
}

#endif // ATTN_TILE_INDEX_OPS
