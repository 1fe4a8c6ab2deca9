// The operations of the tile dialect by which the cores of a group work together on one kernel.
#ifndef ATTN_TILE_GROUP_OPS
#define ATTN_TILE_GROUP_OPS

include "attn/Dialect/Tile/IR/TileDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"

def Tile_SubBlockIdOp : Tile_IndexOp<"sub_block_id"> {
  let summary = "Which of the vector cores of its group this is";
  let description = [{
    ```mlir
    %id = tile.sub_block_id
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_SignalOp : Tile_Op<"signal", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Tells the other kind of core of the group that something is done";
  let description = [{
    What is done are the stores before it, or with `loads` the loads before it. Signals of one flag are counted: each
    `tile.await` of that flag on the other kind of core takes one. What the vector cores signal counts once all of them
    have.

    ```mlir
    tile.signal 0
    tile.signal 3 loads
    ```
  }];
  let arguments = (ins Tile_IntAttr:$flag, UnitAttr:$loads);
  let assemblyFormat = "$flag (`loads` $loads^)? attr-dict";
  let hasVerifier = 1;
}

def Tile_AwaitOp : Tile_Op<"await", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits for a signal of the other kind of core of the group";
  let description = [{
    Nothing after it begins before the signal.

    ```mlir
    tile.await 0
    ```
  }];
  let arguments = (ins Tile_IntAttr:$flag);
  let assemblyFormat = "$flag attr-dict";
  let hasVerifier = 1;
}

#endif // ATTN_TILE_GROUP_OPS
