// The operations of the tile dialect on columns: those that a span lacks, and rows as columns.
#ifndef ATTN_TILE_COLUMN_OPS
#define ATTN_TILE_COLUMN_OPS

include "attn/Dialect/Tile/IR/TileDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"

def Tile_FillColumnsOp : Tile_Op<"fill_columns", [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "A tile with one number in the columns that a span lacks";
  let description = [{
    The columns that the span has are those of the input, the others hold the number. They still count as columns that do not
    exist. `tile-fill-columns` writes it before reductions, with what does not change them, so that a reduction need not know how
    many columns exist.

    ```mlir
    %y = tile.fill_columns %x, %c, 0.0 : !tile.tile<BT x BC x f32>, !tile.span<BC>
    ```
  }];
  let arguments = (ins Tile_TileType:$input, Tile_SpanType:$span, F32Attr:$value);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = "$input `,` $span `,` $value attr-dict `:` type($input) `,` type($span)";
  let hasVerifier = 1;
}

def Tile_TransposeOp : Tile_Op<"transpose", [Pure]> {
  let summary = "A tile with its rows as columns";
  let description = [{
    Rows that the input lacks are columns that the result lacks. Operands of products are transposed by the product itself.

    ```mlir
    %r = tile.transpose %c : !tile.tile<BN x 1 x f32> -> !tile.tile<1 x BN x f32>
    ```
  }];
  let arguments = (ins Tile_TileType:$input);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

#endif // ATTN_TILE_COLUMN_OPS
