// The operations of the tile dialect that masks are made of, and that choose by them.
#ifndef ATTN_TILE_MASK_OPS
#define ATTN_TILE_MASK_OPS

include "attn/Dialect/Tile/IR/TileDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"

// A mask is a tile of f32 with 1 where it holds and 0 elsewhere: `and` is a product, `or` a maximum, `not` one less the mask.

def Tile_RampOp : Tile_Op<"ramp", [Pure]> {
  let summary = "A column with the number of each row, or a row with that of each column";
  let description = [{
    0, 1, 2 and so on, as f32. Positions of a span are its base and these; the base stays a scalar as long as it can,
    since f32 holds integers to 2^24 only.

    ```mlir
    %i = tile.ramp : !tile.tile<BT x 1 x f32>
    %j = tile.ramp : !tile.tile<1 x 64 x f32>
    ```
  }];
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_CompareOp : Tile_Op<"compare", [Pure]> {
  let summary = "1 where a comparison holds, 0 where it does not or an operand is NaN";
  let description = [{
    Dimensions of size 1 are broadcast. "Not equal" is one less `eq`, so that it holds for NaN.

    ```mlir
    %m = tile.compare lt %a, %b : !tile.tile<BT x 64 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<BT x 64 x f32>
    ```
  }];
  let arguments = (ins Tile_CompareKindAttr:$kind, Tile_TileType:$lhs, Tile_TileType:$rhs);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = "$kind $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_SelectOp : Tile_Op<"select", [Pure]> {
  let summary = "Elements of one tile where a mask is 1, of another where it is 0";
  let description = [{
    Nothing of the element that is not taken shows, not even NaN. Dimensions of size 1 are broadcast.

    ```mlir
    %y = tile.select %m, %a, %b : !tile.tile<BT x 64 x f32>, !tile.tile<BT x 64 x f32>, !tile.tile<1 x 1 x f32> -> !tile.tile<BT x 64 x f32>
    ```
  }];
  let arguments = (ins Tile_TileType:$mask, Tile_TileType:$taken, Tile_TileType:$other);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = [{
    $mask `,` $taken `,` $other attr-dict `:` type($mask) `,` type($taken) `,` type($other) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // ATTN_TILE_MASK_OPS
