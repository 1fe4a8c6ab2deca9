// The operations of the tile dialect: arrays, values, bands and softmax here; loops and what goes across blocks,
// products, masks, missing columns, and indices from memory in files of their own.
#ifndef ATTN_TILE_OPS
#define ATTN_TILE_OPS

include "attn/Dialect/Tile/IR/TileBlockOps.td"
include "attn/Dialect/Tile/IR/TileColumnOps.td"
include "attn/Dialect/Tile/IR/TileDialect.td"
include "attn/Dialect/Tile/IR/TileGroupOps.td"
include "attn/Dialect/Tile/IR/TileIndexOps.td"
include "attn/Dialect/Tile/IR/TileMaskOps.td"
include "attn/Dialect/Tile/IR/TileProductOps.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"

//===----------------------------------------------------------------------===//
// Arrays and spans
//===----------------------------------------------------------------------===//

def Tile_DimOp : Tile_IndexOp<"dim"> {
  let summary = "The size of an array's dimension";
  let description = [{
    ```mlir
    %N = tile.dim %V, 0 : !tile.array<?x?x4096xbf16>
    ```
    Folds to a constant where the size is a number.
  }];
  let arguments = (ins Tile_ArrayType:$array, Tile_IntAttr:$dimension);
  let assemblyFormat = "$array `,` $dimension attr-dict `:` type($array)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_MakeSpanOp : Tile_Op<"make_span", [Pure, AttrSizedOperandSegments]> {
  let summary = "A span from its first index and the end of what is valid";
  let description = [{
    The valid length is `min(size, limit - base)`, at least 0. `nonempty` promises that `base` is below `limit`, so that
    a span of size 1 is known to be whole.

    With `from` the span is `filled`: the rows before that index are missing as well, and `base` may lie before it. With
    `map` it is `mapped`: row p of the span, `base <= p < base + size`, is row `offset + step * p` of the array.

    ```mlir
    %t = tile.make_span %base to %limit : !tile.span<BT>
    %r = tile.make_span %i to %T nonempty : !tile.span<1>
    %k = tile.make_span %base to %limit from %zero map(%offset, %step) : !tile.span<BM + 6, filled, mapped>
    ```
  }];
  let arguments = (ins Index:$base, Index:$limit, Optional<Index>:$first, Optional<Index>:$offset,
                       Optional<Index>:$step, UnitAttr:$nonempty);
  let results = (outs Tile_SpanType:$result);
  let assemblyFormat = [{
    $base `to` $limit (`from` $first^)? (`map` `(` $offset^ `,` $step `)`)? (`nonempty` $nonempty^)? attr-dict
    `:` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$type, "::mlir::Value":$base, "::mlir::Value":$limit,
                                 CArg<"bool", "false">:$nonempty), [{
    build($_builder, $_state, type, base, limit, /*first=*/{}, /*offset=*/{}, /*step=*/{}, nonempty);
  }]>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether all rows are known to exist: the limit is a number beyond the base, as large as the size.
    bool isWhole();
  }];
}

def Tile_SpanBaseOp : Tile_IndexOp<"span_base"> {
  let summary = "The first index of a span";
  let description = [{
    The index before it is mapped, where the span is `mapped`.

    ```mlir
    %b = tile.span_base %t : !tile.span<BT>
    ```
  }];
  let arguments = (ins Tile_SpanType:$span);
  let assemblyFormat = "$span attr-dict `:` type($span)";
  let hasFolder = 1;
}

def Tile_SizeOp : Tile_IndexOp<"size"> {
  let summary = "A size that the compiler chooses, as a number";
  let description = [{
    `tile-fit-tiles` binds it with the types.

    ```mlir
    %bm = tile.size BM
    ```
  }];
  let arguments = (ins AnyAttr:$dim);
  let assemblyFormat = "custom<Dimension>($dim) attr-dict";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_LoadOp : Tile_Op<"load", [MemoryEffects<[MemRead]>]> {
  let summary = "A tile from an array";
  let description = [{
    One entry per dimension of the array: a scalar index, `%t span`, `%offset:size` (a slice whose size is a
    number and which lies inside the array) or `:` (all of it; the size must be a number). Scalar entries drop
    their dimension. Two entries left give rows × columns; one left gives one column where it is a span, one
    row where it is `:` or a slice; none left gives 1 × 1. Rows that a span lacks are undefined, or zero where it is
    `filled`. Columns that a span lacks are zero; a span of columns is neither `filled`, `mapped` nor `listed`.
    Rows of a `listed` span that do not exist in the array are the nearest that do where the load is `bounded`.

    ```mlir
    %v = tile.load %V[%n, %t span, :] : (!tile.array<?x?x4096xbf16>, index, !tile.span<BT>) -> !tile.tile<BT x 4096 x bf16>
    %s = tile.load %sc[%t span, %n] : (!tile.array<?x?xf32>, !tile.span<BT>, index) -> !tile.tile<BT x 1 x f32>
    %w = tile.load %wq[%k:64] : (!tile.array<4096xf32>, index) -> !tile.tile<1 x 64 x f32>
    %a = tile.load %A[%m span, %k span] : (!tile.array<?x?xf16>, !tile.span<BM>, !tile.span<BK>) -> !tile.tile<BM x BK x f16>
    %g = tile.load %X[%r span, :] bounded : (!tile.array<?x64xf32>, !tile.span<BT, listed>) -> !tile.tile<BT x 64 x f32>
    ```
  }];
  let arguments = (ins Tile_ArrayType:$array, Variadic<AnyTypeOf<[Index, Tile_SpanType]>>:$indices,
                       DenseI64ArrayAttr:$kinds, UnitAttr:$bounded);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = [{
    $array custom<IndexList>($indices, $kinds) (`bounded` $bounded^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Writes a tile to an array";
  let description = [{
    Indexed as `tile.load`. Only valid rows and columns are written. The element types must be equal: rounding is an
    explicit `tile.cast` before. Rows of a `listed` span are different from each other, and from those that other
    iterations of the grid write; the modelled chip reports where they are not.

    ```mlir
    tile.store %h16, %h[%t span, :] : (!tile.tile<BT x 4096 x bf16>, !tile.array<?x4096xbf16>, !tile.span<BT>) -> ()
    ```
  }];
  let arguments = (ins Tile_TileType:$value, Tile_ArrayType:$array,
                       Variadic<AnyTypeOf<[Index, Tile_SpanType]>>:$indices, DenseI64ArrayAttr:$kinds,
                       UnitAttr:$bounded);
  let assemblyFormat = [{
    $value `,` $array custom<IndexList>($indices, $kinds) (`bounded` $bounded^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

def Tile_SplatOp : Tile_Op<"splat", [Pure]> {
  let summary = "A tile filled with one scalar";
  let description = [{
    A 1 × 1 splat is how a scalar enters arithmetic; the chip then uses its scalar forms.

    ```mlir
    %e = tile.splat %eps : f32 -> !tile.tile<1 x 1 x f32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[F32, F16, BF16, I32]>:$value);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_CastOp : Tile_Op<"cast", [Pure]> {
  let summary = "Changes the element type; narrowing rounds to nearest even";
  let description = [{
    Folds where the types are equal, and where an exact widening is narrowed back.

    ```mlir
    %v32 = tile.cast %v : !tile.tile<BT x 4096 x bf16> -> !tile.tile<BT x 4096 x f32>
    ```
  }];
  let arguments = (ins Tile_TileType:$input);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

class Tile_BinaryOp<string mnemonic, string formula, list<Trait> traits = []>
    : Tile_Op<mnemonic, !listconcat([Pure], traits)> {
  let summary = "Elementwise " # formula;
  let description = [{
    Dimensions of size 1 are broadcast. Arithmetic is on f32: narrower values are cast before.

    ```mlir
    %p = tile.}] # mnemonic # [{ %v, %u : !tile.tile<BT x 4096 x f32>, !tile.tile<1 x 4096 x f32> -> !tile.tile<BT x 4096 x f32>
    ```
  }];
  let arguments = (ins Tile_TileType:$lhs, Tile_TileType:$rhs);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_AddOp : Tile_BinaryOp<"add", "a + b", [Commutative]>;
def Tile_SubOp : Tile_BinaryOp<"sub", "a - b">;
def Tile_MulOp : Tile_BinaryOp<"mul", "a * b", [Commutative]>;
def Tile_DivOp : Tile_BinaryOp<"div", "a / b">;
def Tile_MaximumOp : Tile_BinaryOp<"maximum", "max(a, b); NaN if either is NaN", [Commutative]>;
def Tile_MinimumOp : Tile_BinaryOp<"minimum", "min(a, b); NaN if either is NaN", [Commutative]>;

class Tile_UnaryOp<string mnemonic, string formula>
    : Tile_Op<mnemonic, [Pure, SameOperandsAndResultType]> {
  let summary = "Elementwise " # formula;
  let description = [{
    ```mlir
    %y = tile.}] # mnemonic # [{ %x : !tile.tile<BT x 1 x f32>
    ```
  }];
  let arguments = (ins Tile_TileType:$input);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def Tile_ExpOp : Tile_UnaryOp<"exp", "natural exponential">;
def Tile_LogOp : Tile_UnaryOp<"log", "natural logarithm">;
def Tile_SqrtOp : Tile_UnaryOp<"sqrt", "square root">;
def Tile_RsqrtOp : Tile_UnaryOp<"rsqrt", "1 / sqrt(x), correctly divided, not the chip's approximation">;
def Tile_AbsOp : Tile_UnaryOp<"abs", "absolute value">;

def Tile_LeakyReluOp : Tile_Op<"leaky_relu", [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "Elementwise x * slope where x < 0, else x";
  let description = [{
    The slope is one number for the whole tile.

    ```mlir
    %y = tile.leaky_relu %x, %slope : !tile.tile<BT x 4096 x f32>
    ```
  }];
  let arguments = (ins Tile_TileType:$input, F32:$slope);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = "$input `,` $slope attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def Tile_ReduceOp : Tile_Op<"reduce", [Pure]> {
  let summary = "Reduces rows (axis 0) or columns (axis 1); the axis stays, with size 1";
  let description = [{
    Only valid rows and columns take part: padding never does. The order of summation is fixed
    for a given shape and machine.

    ```mlir
    %s = tile.reduce sum %x axis 1 : !tile.tile<BT x 4096 x f32> -> !tile.tile<BT x 1 x f32>
    ```
  }];
  let arguments = (ins Tile_ReduceKindAttr:$kind, Tile_TileType:$input, Tile_IntAttr:$axis);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = "$kind $input `axis` $axis attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ExtractOp : Tile_Op<"extract", [Pure]> {
  let summary = "A part of a tile";
  let description = [{
    Rows and columns from the given offsets on; the sizes come from the result type. The part must lie
    inside the tile. `transposed` takes a part of one row as a column, or a part of one column as a row.

    ```mlir
    %a = tile.extract %acc[%zero, %k] : !tile.tile<1 x 4096 x f32> -> !tile.tile<1 x 64 x f32>
    %c = tile.extract %p[%t, %zero] transposed : !tile.tile<7 x BM x f32> -> !tile.tile<BM x 1 x f32>
    ```
  }];
  let arguments = (ins Tile_TileType:$input, Index:$row, Index:$col, UnitAttr:$transposed);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = [{
    $input `[` $row `,` $col `]` (`transposed` $transposed^)? attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What is taken, in the order of the input.
    TileType getPartType();
  }];
}

def Tile_InsertOp : Tile_Op<"insert", [Pure, AllTypesMatch<["whole", "result"]>]> {
  let summary = "A tile with one part replaced";
  let description = [{
    `transposed` puts a column into one row of the tile, or a row into one column.

    ```mlir
    %acc1 = tile.insert %a, %acc[%zero, %k] : !tile.tile<1 x 64 x f32> into !tile.tile<1 x 4096 x f32>
    %s1 = tile.insert %c, %s[%t, %zero] transposed : !tile.tile<BM x 1 x f32> into !tile.tile<7 x BM x f32>
    ```
  }];
  let arguments = (ins Tile_TileType:$part, Tile_TileType:$whole, Index:$row, Index:$col, UnitAttr:$transposed);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = [{
    $part `,` $whole `[` $row `,` $col `]` (`transposed` $transposed^)? attr-dict `:` type($part) `into` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What is replaced, in the order of the whole.
    TileType getPartType();
  }];
}

def Tile_UndefinedOp : Tile_Op<"undefined", [Pure]> {
  let summary = "A tile that nothing has written yet";
  let description = [{
    The start of a tile that is filled part by part with `tile.insert`.

    ```mlir
    %stack = tile.undefined : !tile.tile<32 x 4096 x bf16>
    ```
  }];
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

//===----------------------------------------------------------------------===//
// Bands
//===----------------------------------------------------------------------===//
// A band of K taps over m rows: tap t of row r belongs to row r + t of a window of m + K - 1 rows.

def Tile_BandDotOp : Tile_Op<"band_dot", [Pure]> {
  let summary = "The products of each row with the rows of its window";
  let description = [{
    `result[r, t]` is the sum over columns of `rows[r, :] * window[r + t, :]`. Until `tile-lower-band-gather`, how the
    window comes into local memory is open.

    ```mlir
    %s = tile.band_dot %q, %k : !tile.tile<BM x 128 x f32>, !tile.tile<BM + 6 x 128 x f32> -> !tile.tile<BM x 7 x f32>
    ```
  }];
  let arguments = (ins Tile_TileType:$rows, Tile_TileType:$window);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = "$rows `,` $window attr-dict `:` type($rows) `,` type($window) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_BandMixOp : Tile_Op<"band_mix", [Pure]> {
  let summary = "The weighted sum of the rows of each row's window";
  let description = [{
    `result[r, :]` is the sum over taps of `weights[r, t] * window[r + t, :]`.

    ```mlir
    %o = tile.band_mix %p, %v : !tile.tile<BM x 7 x f32>, !tile.tile<BM + 6 x 128 x f32> -> !tile.tile<BM x 128 x f32>
    ```
  }];
  let arguments = (ins Tile_TileType:$weights, Tile_TileType:$window);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = "$weights `,` $window attr-dict `:` type($weights) `,` type($window) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_BandSpreadOp : Tile_Op<"band_spread", [Pure, AllTypesMatch<["into", "result"]>]> {
  let summary = "Adds each row, weighted, to the rows of its window";
  let description = [{
    The transpose of `tile.band_mix`: `result[j, :]` is `into[j, :]` and the sum of `weights[r, t] * rows[r, :]` over all
    r + t = j.

    ```mlir
    %dv = tile.band_spread %p, %g into %acc : !tile.tile<BM x 7 x f32>, !tile.tile<BM x 128 x f32> into !tile.tile<BM + 6 x 128 x f32>
    ```
  }];
  let arguments = (ins Tile_TileType:$weights, Tile_TileType:$rows, Tile_TileType:$into);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = [{
    $weights `,` $rows `into` $into attr-dict `:` type($weights) `,` type($rows) `into` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_BandMaskOp : Tile_Op<"band_mask", [Pure]> {
  let summary = "1 for the taps whose row of the window exists, 0 for the others";
  let description = [{
    The span is that of the window. `transposed` gives taps × rows instead of rows × taps.

    ```mlir
    %m = tile.band_mask %k : !tile.span<BM + 6, filled> -> !tile.tile<BM x 7 x f32>
    %n = tile.band_mask %k transposed : !tile.span<BM + 6, filled> -> !tile.tile<7 x BM x f32>
    ```
  }];
  let arguments = (ins Tile_SpanType:$window, UnitAttr:$transposed);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = "$window (`transposed` $transposed^)? attr-dict `:` type($window) `->` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

def Tile_SoftmaxInitOp : Tile_Op<"softmax_init", [Pure]> {
  let summary = "An empty softmax state";
  let results = (outs Tile_SoftmaxStateType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let description = [{
    ```mlir
    %st = tile.softmax_init : !tile.softmax_state<BT x 4096>
    ```
  }];
}

def Tile_SoftmaxPushOp : Tile_Op<"softmax_push", [Pure, AllTypesMatch<["state", "result"]>]> {
  let summary = "Adds scores and values to a softmax state";
  let description = [{
    Two forms. `shared`: scores m × k and values k × d, the same for all rows (a product). `per_row`: scores
    m × 1 and values m × d, each row its own value.

    Where a part is given, the state is several parts of as many rows as the scores, and only that one is pushed to.

    ```mlir
    %st1 = tile.softmax_push per_row %st, %s, %v : !tile.softmax_state<BT x 4096>, !tile.tile<BT x 1 x f32>, !tile.tile<BT x 4096 x f32>
    %st1 = tile.softmax_push shared %st, %s, %v : !tile.softmax_state<BM x 128>, !tile.tile<BM x BN x f32>, !tile.tile<BN x 128 x bf16>
    %st1 = tile.softmax_push shared %st part %h, %s, %v : !tile.softmax_state<32 x 128>, !tile.tile<4 x BN x f32>, !tile.tile<BN x 128 x bf16>
    ```
  }];
  let arguments = (ins Tile_SoftmaxStateType:$state, Tile_TileType:$scores, Tile_TileType:$values, BoolAttr:$per_row,
                       Optional<Index>:$part);
  let results = (outs Tile_SoftmaxStateType:$result);
  let assemblyFormat = [{
    custom<PushForm>($per_row) $state (`part` $part^)? `,` $scores `,` $values attr-dict `:`
    type($state) `,` type($scores) `,` type($values)
  }];
  let hasVerifier = 1;
}

def Tile_SoftmaxFinishOp : Tile_Op<"softmax_finish", [Pure]> {
  let summary = "The weighted sum and the log-sum-exp of a softmax state";
  let description = [{
    A state that nothing was pushed to gives 0 and −inf.

    ```mlir
    %o, %lse = tile.softmax_finish %st : !tile.softmax_state<BT x 4096> -> !tile.tile<BT x 4096 x f32>, !tile.tile<BT x 1 x f32>
    ```
  }];
  let arguments = (ins Tile_SoftmaxStateType:$state);
  let results = (outs Tile_TileType:$output, Tile_TileType:$lse);
  let assemblyFormat = "$state attr-dict `:` type($state) `->` type($output) `,` type($lse)";
  let hasVerifier = 1;
}

#endif // ATTN_TILE_OPS
