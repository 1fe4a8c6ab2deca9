// The operations of the tile dialect that are products of matrices, and what their sums start from.
#ifndef ATTN_TILE_PRODUCT_OPS
#define ATTN_TILE_PRODUCT_OPS

include "attn/Dialect/Tile/IR/TileDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"

def Tile_DotOp : Tile_Op<"dot", [Pure]> {
  let summary = "The product of two matrices, added to an accumulator";
  let description = [{
    `result[i, j]` is `acc[i, j]`, or zero, and the sum over k of `a[i, k] * b[k, j]`. With `transpose_a` the left operand
    is stored as k × m, with `transpose_b` the right one as n × k. Both have one element type: f16, bf16 and f32 are summed in f32, i8 in
    i32. Products of narrow floats are exact; the order of the sum is that of the machine, the same in every run.

    The sum takes the k that exist in both operands and no others, whatever the missing ones hold: those that the spans
    of columns of `a` and of rows of `b` have. Rows and columns of the result exist as those of `a` and `b` do.

    ```mlir
    %p = tile.dot %a, %b : !tile.tile<BM x BK x bf16>, !tile.tile<BK x BN x bf16> -> !tile.tile<BM x BN x f32>
    %s = tile.dot %a, %b acc(%c) : !tile.tile<BM x BK x f16>, !tile.tile<BK x BN x f16> -> !tile.tile<BM x BN x f32>
    %q = tile.dot %q, %k transpose_b : !tile.tile<BM x 128 x bf16>, !tile.tile<BN x 128 x bf16> -> !tile.tile<BM x BN x f32>
    ```
  }];
  let arguments = (ins Tile_TileType:$a, Tile_TileType:$b, Optional<Tile_TileType>:$acc, UnitAttr:$transpose_a,
                       UnitAttr:$transpose_b);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = [{
    $a `,` $b (`acc` `(` $acc^ `)`)? (`transpose_a` $transpose_a^)? (`transpose_b` $transpose_b^)? attr-dict `:`
    custom<ProductTypes>(ref($acc), type($a), type($b), type($acc), type($result))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The element type in which products of `elementType` are summed; null where there are none.
    static ::mlir::Type getSumType(::mlir::Type elementType);
    /// The dimensions m and k of the left operand, k and n of the right one, however they are stored.
    ::mlir::Attribute getLeftRows();
    ::mlir::Attribute getLeftInner();
    ::mlir::Attribute getRightInner();
    ::mlir::Attribute getRightCols();
  }];
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "A tile of which every row is the same";
  let description = [{
    How a row, such as a bias, becomes an accumulator. Arithmetic broadcasts by itself and needs none of it.

    ```mlir
    %acc = tile.broadcast %bias : !tile.tile<1 x BN x f32> -> !tile.tile<BM x BN x f32>
    ```
  }];
  let arguments = (ins Tile_TileType:$row);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = "$row attr-dict `:` type($row) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // ATTN_TILE_PRODUCT_OPS
