// The operations of the tile dialect that say which block computes what: loops, conditions, sums
// over blocks, phases.
#ifndef ATTN_TILE_BLOCK_OPS
#define ATTN_TILE_BLOCK_OPS

include "attn/Dialect/Tile/IR/TileDialect.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/LoopLikeInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"

//===----------------------------------------------------------------------===//
// Loops and conditions
//===----------------------------------------------------------------------===//

// Only axes that go one by one have induction variables in the sense of MLIR: a span is not a number.
defvar loopMethods = ["getLoopInductionVars", "getLoopLowerBounds", "getLoopUpperBounds", "getLoopSteps"];
defvar carriedMethods = ["getInitsMutable", "getRegionIterArgs", "getYieldedValuesMutable", "getLoopResults"];

def Tile_GridOp : Tile_Op<"grid", [SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects,
                                   DeclareOpInterfaceMethods<LoopLikeOpInterface, loopMethods>,
                                   DeclareOpInterfaceMethods<RegionBranchOpInterface>]> {
  let summary = "Parallel axes, spread over the cores";
  let description = [{
    Each axis runs over `[0, extent)`, one by one (its argument is an index) or `by` a block size (its argument is
    a span). Iterations do not depend on each other. `stages` is as in `tile.range`. `tile-clamp-grid` turns it into a loop of each core
    over its share.

    ```mlir
    tile.grid (%b, %t) in (%B, %T by BT) stages 2 {
      ...
    }
    ```
  }];
  let arguments = (ins Variadic<Index>:$extents, ArrayAttr:$blocks, DefaultValuedAttr<Tile_IntAttr, "1">:$stages);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_RangeOp : Tile_Op<"range", [SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects,
                                     DeclareOpInterfaceMethods<LoopLikeOpInterface, !listconcat(loopMethods, carriedMethods)>,
                                     DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getEntrySuccessorOperands"]>]> {
  let summary = "A sequential loop that may carry values";
  let description = [{
    Runs over `[lower, upper)`, one by one (the argument is an index) or `by` a block size (the argument is a span
    whose limit is `upper`). `stages` is how many iterations' loads may be in flight. `parallel` says that
    iterations depend on each other by what they carry alone.

    ```mlir
    %r = tile.range %n = %zero to %N iter(%acc = %init : !tile.tile<BT x 1 x f32>) stages 2 {
      ...
      tile.yield %next : !tile.tile<BT x 1 x f32>
    }
    ```
  }];
  let arguments = (ins Index:$lower, Index:$upper, Variadic<AnyType>:$init_args,
                       OptionalAttr<AnyAttr>:$block, DefaultValuedAttr<Tile_IntAttr, "1">:$stages, UnitAttr:$parallel);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getInductionVar() { return getBody().getArgument(0); }
    ::mlir::Block::BlockArgListType getCarried() { return getBody().getArguments().drop_front(); }
    YieldOp getYield();
  }];
}

def Tile_IfOp : Tile_Op<"if", [SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects, NoRegionArguments,
                               DeclareOpInterfaceMethods<RegionBranchOpInterface>]> {
  let summary = "One of two bodies, chosen when the kernel runs";
  let description = [{
    The condition is one for all elements of all tiles. A body hands on nothing: what it computes, it stores.

    ```mlir
    tile.if %isEmpty {
      tile.store %zero, %y[%b, :] : (!tile.tile<1 x 64 x f32>, !tile.array<?x64xf32>, index) -> ()
    } else {
      tile.store %sum, %y[%b, :] : (!tile.tile<1 x 64 x f32>, !tile.array<?x64xf32>, index) -> ()
    }
    ```
  }];
  let arguments = (ins I1:$condition);
  let regions = (region SizedRegion<1>:$then_body, MaxSizedRegion<1>:$else_body);
  let assemblyFormat = "$condition $then_body (`else` $else_body^)? attr-dict";
  let hasVerifier = 1;
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["GridOp", "IfOp", "RangeOp"]>]> {
  let summary = "Ends a loop body with the values carried on, or one of two bodies";
  let description = [{
    ```mlir
    tile.yield %next : !tile.tile<BT x 1 x f32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ /* nothing is carried */ }]>];
}

def Tile_BlockIdOp : Tile_IndexOp<"block_id"> {
  let summary = "Which of the launched blocks this is";
  let description = [{
    ```mlir
    %id = tile.block_id
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_BlockCountOp : Tile_IndexOp<"block_count"> {
  let summary = "How many blocks are launched";
  let description = [{
    ```mlir
    %count = tile.block_count
    ```
  }];
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Across blocks
//===----------------------------------------------------------------------===//

def Tile_AccumulateOp : Tile_Op<"accumulate", [MemoryEffects<[MemWrite]>]> {
  let summary = "Adds a row to the sum over all iterations of a grid";
  let description = [{
    The array is a workspace whose first dimension is the number of blocks: each block sums its own share in its own
    row, in the order of its iterations. After a `tile.phase`, the sum of all rows in their order is the sum over the grid:
    no atomics, and every run gives the same bits. It must be directly in a `tile.grid`; `tile-clamp-grid` makes
    a carried row of it.

    ```mlir
    tile.accumulate %g, %G : !tile.tile<1 x 4096 x f32>, !tile.array<?x4096xf32>
    ```
  }];
  let arguments = (ins Tile_TileType:$value, Tile_ArrayType:$array);
  let assemblyFormat = "$value `,` $array attr-dict `:` type($value) `,` type($array)";
  let hasVerifier = 1;
}

def Tile_PhaseOp : Tile_Op<"phase", [MemoryEffects<[MemRead, MemWrite]>, HasParent<"::mlir::func::FuncOp">]> {
  let summary = "All blocks finish what is above before any begins what is below";
  let description = [{
    ```mlir
    tile.phase
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif // ATTN_TILE_BLOCK_OPS
