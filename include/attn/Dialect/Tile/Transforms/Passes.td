// The passes of Dialect/Tile/Transforms.
#ifndef ATTN_DIALECT_TILE_TRANSFORMS_PASSES
#define ATTN_DIALECT_TILE_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def SplitMaskedLoopsPass : Pass<"tile-split-masked-loops", "::mlir::ModuleOp"> {
  let summary = "Splits loops where their masks begin or cease to matter";
  let description = [{
    Of the tiles that a loop goes over, by a block size or one by one, a mask of positions takes some whole, some in part and some not at all. Which they
    are follows from the ends of the tiles: they are up to three runs, in part, whole, in part. Each becomes a loop of its own, and the
    loop over whole tiles has no mask. Tiles of which nothing is taken are left out where an iteration then changes nothing: where
    all that the loop carries are softmax states that excluded scores are pushed to, or sums that zeros are added to. A loop that goes
    one by one, over pages say, is split for products of more than 64 rows only.

    Masks are read from comparisons of positions and products of them. Other parts of a mask, and masks that do not move with the loop,
    stay as they are.

    ```mlir
    %st = tile.range %k = %zero to %S by BN iter(%s0 = %st0 : ...) {
      %back = ... // q.idx - k.idx.T + 1
      %reached = tile.maximum %back, %none : ...
      %mask = tile.minimum %reached, %one : ...
      %s = tile.select %mask, %score, %excluded : ...
      ...
    }
    ```
    becomes, for a comparison `q.idx >= k.idx.T`,
    ```mlir
    %whole = tile.range %k = %zero to %lastWhole by BN iter(%s0 = %st0 : ...) {
      ... // with %score instead of %s
    }
    %st = tile.range %k = %lastWhole to %lastPart by BN iter(%s0 = %whole : ...) {
      ... // as before
    }
    ```
  }];
  let statistics = [Statistic<"loopsSplit", "loops-split", "loops that were split">];
  let dependentDialects = ["::attn::tile::TileDialect", "::mlir::arith::ArithDialect"];
}

def LowerBandGatherPass : Pass<"tile-lower-band-gather", "::mlir::ModuleOp"> {
  let summary = "Replaces bands by arithmetic on the rows of each tap";
  let description = [{
    A band of m rows and K taps becomes a tile of K rows and m columns: a tap is then one run of elements. Products
    and sums over a window are written out tap by tap; what is computed element by element, and reductions over
    the taps, are done for all taps at once.

    Two forms, by where the rows of a tap come from:

    - `halo`: the window is loaded once, with the rows that its outermost taps need, and each tap takes its rows
      from it at another offset.
    - `gathered`: where a window is loaded through a `filled` span, each tap loads its own rows, through the same
      span moved by the tap. It reads every row once per tap, and needs memory for one tap only.

    `auto` takes the form of the kernel's `tile.choice`, or `halo` where it has none. `cube`, a product on the matrix unit,
    is known and refused. Dilation needs no form of its own: rows of one residue class are a `mapped` span, and its load
    moves no others.

    Bands must be computed with element by element, reduced over their taps, mixed or spread; anything else, such as a
    store of one, is an error.

    ```mlir
    %s = tile.band_dot %q, %k : !tile.tile<BM x 64 x f32>, !tile.tile<BM + 2 x 64 x f32> -> !tile.tile<BM x 3 x f32>
    %e = tile.exp %s : !tile.tile<BM x 3 x f32>
    ```
    becomes, with one such step for each tap,
    ```mlir
    %s0 = tile.undefined : !tile.tile<3 x BM x f32>
    %k0 = tile.extract %k[%zero, %zero] : !tile.tile<BM + 2 x 64 x f32> -> !tile.tile<BM x 64 x f32>
    %p0 = tile.mul %q, %k0 : !tile.tile<BM x 64 x f32>, !tile.tile<BM x 64 x f32> -> !tile.tile<BM x 64 x f32>
    %c0 = tile.reduce sum %p0 axis 1 : !tile.tile<BM x 64 x f32> -> !tile.tile<BM x 1 x f32>
    %s1 = tile.insert %c0, %s0[%zero, %zero] transposed : !tile.tile<BM x 1 x f32> into !tile.tile<3 x BM x f32>
    ...
    %e = tile.exp %s3 : !tile.tile<3 x BM x f32>
    ```
  }];
  let options = [Option<"form", "form", "std::string", "\"auto\"", "auto, halo, gathered or cube">];
  let statistics = [Statistic<"bandsLowered", "bands-lowered", "ops on bands that were rewritten">];
  let dependentDialects = ["::attn::tile::TileDialect", "::mlir::arith::ArithDialect"];
}

def BoundCountsPass : Pass<"tile-bound-counts", "::mlir::ModuleOp"> {
  let summary = "Lets no number from memory or of a call keep a loop running";
  let description = [{
    Loops end by sizes of arrays, by lists, or by the arrays that each iteration takes something of at the loop's own index.
    Where there is nothing of it and integers from memory or arguments say how often a loop runs, it gets a
    `tile.bound_count`: with more iterations than `most` it does not run, and the CPU and the modelled chip say so.

    ```mlir
    %n = tile.load_index %lens[%b] : !tile.array<?xi32>
    tile.range %i = %zero to %n iter(%x = %y : !tile.tile<1 x 64 x f32>) { ... }
    ```
    becomes
    ```mlir
    %n = tile.load_index %lens[%b] : !tile.array<?xi32>
    %end = tile.bound_count %zero to %n by 1 most 1048576 of "lens"
    tile.range %i = %zero to %end iter(%x = %y : !tile.tile<1 x 64 x f32>) { ... }
    ```
  }];
  let options = [Option<"most", "most", "int64_t", "1048576", "iterations that such a loop may have">];
  let statistics = [Statistic<"countsBounded", "counts-bounded", "loops that are bounded by their count">];
  let dependentDialects = ["::attn::tile::TileDialect"];
}

def BoundIndicesPass : Pass<"tile-bound-indices", "::mlir::ModuleOp"> {
  let summary = "Brings every index that depends on memory inside its array";
  let description = [{
    Whatever an integer from memory is, no access that depends on it leaves its array: it gets a `tile.bound_index`, at the
    line of the access. A single index is bounded where it is used. A loop is bounded by the arrays that each of its iterations
    takes at its own index, so that a wrong count ends it early; other spans are bounded at both ends.

    Indices that follow from sizes and arguments alone stay as they are, and kernels for the CPU as well: there, each access is
    checked, and stops its block.

    ```mlir
    %n = tile.load_index %lens[%b] : !tile.array<?xi32>
    tile.range %i = %zero to %n {
      %x = tile.load %X[%i, :] : (!tile.array<?x64xf32>, index) -> !tile.tile<1 x 64 x f32>
      ...
    }
    ```
    becomes
    ```mlir
    %n = tile.load_index %lens[%b] : !tile.array<?xi32>
    %n1 = tile.bound_index end %n in %X, 0 : !tile.array<?x64xf32>
    tile.range %i = %zero to %n1 {
      ...
    }
    ```
  }];
  let statistics = [Statistic<"indicesBounded", "indices-bounded", "bounds that were added">];
  let dependentDialects = ["::attn::tile::TileDialect", "::mlir::arith::ArithDialect"];
}

def DecomposeSoftmaxPass : Pass<"tile-decompose-softmax", "::mlir::ModuleOp"> {
  let summary = "Replaces softmax states by what they are made of";
  let description = [{
    Three forms of one state:

    - `online`: maximum, sum and accumulator are carried and rescaled whenever the maximum grows. The
      values are read once.
    - `two-phase-reload`: a first loop finds maximum and sum and keeps the scores in a workspace, a second loop
      loads the values again and adds them up: no rescaling, and the accumulator need not live while scores are
      computed. Possible where the trip count has a name or is a number and the values can be computed again.
    - `two-phase-resident`: the same with values and scores kept; the loops are unrolled. Possible where
      the trip count is a small number.

    `auto` takes the form of the kernel's `tile.choice`, or `online` where it has none.

    ```mlir
    %st0 = tile.softmax_init : !tile.softmax_state<BT x 64>
    %st = tile.range %n = %zero to %N iter(%s0 = %st0 : !tile.softmax_state<BT x 64>) {
      ...
      %s1 = tile.softmax_push per_row %s0, %s, %v : ...
      tile.yield %s1 : !tile.softmax_state<BT x 64>
    }
    %o, %lse = tile.softmax_finish %st : ...
    ```
    becomes, online,
    ```mlir
    %r:3 = tile.range %n = %zero to %N iter(%m = %lowest : ..., %l = %none : ..., %acc = %empty : ...) {
      ...
      %m1 = tile.maximum %m, %s : ...
      %alpha = tile.exp(%m - %m1)
      %p = tile.exp(%s - %m1)
      %l1 = %l * %alpha + %p
      %acc1 = %acc * %alpha + %v * %p
      tile.yield %m1, %l1, %acc1 : ...
    }
    %o = %r#2 * (1 / max(%r#1, tiny))
    %lse = %r#0 + tile.log(%r#1)
    ```

    A push of `shared` values is a product, and its state is always online:
    ```mlir
    %m1 = tile.maximum %m, (tile.reduce max %s axis 1) : ...
    %alpha = tile.exp(%m - %m1)
    %p = tile.exp(%s - %m1)
    %l1 = %l * %alpha + (tile.reduce sum %p axis 1)
    %acc1 = %acc * %alpha + tile.dot (tile.cast %p), %v
    ```
    The sum is of weights in f32; the product takes them in the type of the values.

    Before the first push of shared values the maximum is the lowest number that is a score, one above the lowest of all. A
    score that is the lowest of all has weight 0, also where all scores of a row are: that is what excludes a score.
  }];
  let options = [Option<"form", "form", "std::string", "\"auto\"",
                        "auto, online, two-phase-resident or two-phase-reload">];
  let statistics = [Statistic<"statesDecomposed", "states-decomposed", "softmax states that were rewritten">];
  let dependentDialects = ["::attn::tile::TileDialect", "::mlir::arith::ArithDialect"];
}

def FillColumnsPass : Pass<"tile-fill-columns", "::mlir::ModuleOp"> {
  let summary = "Fills the columns that spans lack, where a reduction would see them";
  let description = [{
    The last tile of a span of columns may have fewer than its type says. Arithmetic takes them all, and stores leave out what
    does not exist; a reduction along columns must not see it. Here each gets what does not change it in those places: 0 for
    sums, minus infinity for maxima. Kernels for the CPU stay as they are: there, reductions run over what exists.

    ```mlir
    %x = tile.load %X[%t span, %c span] : (!tile.array<?x?xf32>, !tile.span<BT>, !tile.span<BC>) -> !tile.tile<BT x BC x f32>
    %m = tile.reduce max %x axis 1 : !tile.tile<BT x BC x f32> -> !tile.tile<BT x 1 x f32>
    ```
    becomes
    ```mlir
    %x = tile.load %X[%t span, %c span] : (!tile.array<?x?xf32>, !tile.span<BT>, !tile.span<BC>) -> !tile.tile<BT x BC x f32>
    %y = tile.fill_columns %x, %c, 0xFF800000 : !tile.tile<BT x BC x f32>, !tile.span<BC>
    %m = tile.reduce max %y axis 1 : !tile.tile<BT x BC x f32> -> !tile.tile<BT x 1 x f32>
    ```
  }];
  let statistics = [Statistic<"reductionsFilled", "reductions-filled", "operands of reductions that were filled">];
  let dependentDialects = ["::attn::tile::TileDialect"];
}

def ClampGridPass : Pass<"tile-clamp-grid", "::mlir::ModuleOp"> {
  let summary = "Turns a kernel's grids into each core's share of them";
  let description = [{
    The logical grid is any size; the launched one never exceeds the chip's vector cores, recorded as
    `launch.limit`. Each block walks a contiguous, balanced share in 64-bit arithmetic. What precedes the grid runs
    once per block. A function beside the kernel, marked `launch.grid_of`, counts the tiles for the caller; where
    `tile.phase` separates several grids, those of the largest. Block sizes may still be symbols: they become `tile.size`.

    ```mlir
    tile.grid (%t) in (%T by 2) stages 2 { ... }
    ```
    becomes
    ```mlir
    %id = tile.block_id
    %count = tile.block_count
    %tiles = arith.ceildivui %T, %two : index
    %lo = (%id * %tiles) / %count
    %hi = ((%id + 1) * %tiles) / %count
    tile.range %i = %lo to %hi stages 2 parallel {
      %base = arith.muli %i, %two : index
      %t = tile.make_span %base to %T : !tile.span<2>
      ...
    }
    ```
    and `func.func @kernel_grid(...) -> index attributes {launch.grid_of = @kernel}` returns `%tiles`.

    What a grid accumulates becomes a row that the loop carries; each block stores its own:
    ```mlir
    tile.grid (%t) in (%T) {
      ...
      tile.accumulate %g, %G : !tile.tile<1 x 64 x f32>, !tile.array<?x64xf32>
    }
    ```
    becomes
    ```mlir
    %sum = tile.range %t = %lo to %hi iter(%carried = %zero : !tile.tile<1 x 64 x f32>) parallel {
      ...
      %next = tile.add %carried, %g : ...
      tile.yield %next : !tile.tile<1 x 64 x f32>
    }
    tile.store %sum, %G[%id, :] : ...
    ```
  }];
  let statistics = [Statistic<"gridsClamped", "grids-clamped", "grids that were divided among blocks">];
  let dependentDialects = ["::attn::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect"];
}

def FitTilesPass : Pass<"tile-fit-tiles", "::mlir::ModuleOp"> {
  let summary = "Applies the sizes, stages and strips that were chosen for a kernel";
  let description = [{
    Replaces the symbols of a kernel by the numbers of its `tile.choice`, limits the stages of its loops, and computes rows
    in strips of columns where the choice says so. The sizes are recorded in `launch.sizes`, and bound in the function that
    counts tiles as well.

    ```mlir
    func.func @copy(...) attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>}, tile.choice = #tile.choice<...>} {
      tile.grid (%t) in (%T by BT) {
        %v = tile.load %x[%t span, :] : (!tile.array<?x64xf32>, !tile.span<BT>) -> !tile.tile<BT x 64 x f32>
    ```
    becomes
    ```mlir
    func.func @copy(...) attributes {tile.kernel, launch.sizes = {BT = 64 : i64}} {
      tile.grid (%t) in (%T by 64) stages 2 {
        %v = tile.load %x[%t span, :] : (!tile.array<?x64xf32>, !tile.span<64>) -> !tile.tile<64 x 64 x f32>
    ```
  }];
  let statistics = [
    Statistic<"kernelsBound", "kernels-bound", "kernels whose sizes were bound">,
    Statistic<"kernelsInStrips", "kernels-in-strips", "kernels whose rows are computed in strips">,
  ];
  let dependentDialects = ["::attn::tile::TileDialect", "::mlir::arith::ArithDialect"];
}

def JoinPartsPass : Pass<"tile-join-parts", "::mlir::ModuleOp"> {
  let summary = "Computes at once what a loop computes for each part of its tiles, but for products";
  let description = [{
    A loop that goes over the parts of the tiles that it carries, as over heads that share a softmax state, computes few
    rows at a time. What takes each row by itself, arithmetic, functions and reductions of columns, is computed for the
    rows of all parts instead. Products, and what only they read, stay in loops of their own: one of those products
    that need nothing of what was joined, one of those that do, and so on. On a CPU, such a loop may go through the
    operands of its products in the order of memory (`jit-order-reads`).

    Before:
    ```mlir
    %next:2 = tile.range %g = %zero to %heads iter(%max = %m, %acc = %a : ...) {
      %keys = tile.load %k[%t span, %g, :]
      %values = tile.load %v[%t span, %g, :]
      %row = arith.muli %g, %four : index
      %s = tile.dot %q, %keys transpose_b : ... -> <4 x 16 x f32>
      %old = tile.extract %max[%row, %zero] : <32 x 1 x f32> -> <4 x 1 x f32>
      ... // softmax of 4 rows
      %o = tile.dot %p, %values : <4 x 16 x f32>, <16 x 128 x f32> -> <4 x 128 x f32>
      ...
    }
    ```
    After:
    ```mlir
    %s = tile.range %g = %zero to %heads iter(%all = %undefined : !tile.tile<32 x 16 x f32>) {
      %keys = tile.load %k[%t span, %g, :]
      %part = tile.dot %q, %keys transpose_b : ... -> <4 x 16 x f32>
      ... // insert %part into %all
    }
    ... // softmax of 32 rows
    %acc = tile.range %g = %zero to %heads iter(%all = %scaled : !tile.tile<32 x 128 x f32>) {
      ... // extract the weights of 4 rows, load %values, multiply, add to the part of %all
    }
    ```
  }];
  let statistics = [Statistic<"split", "split", "loops that were split">];
  let dependentDialects = ["::attn::tile::TileDialect", "::mlir::arith::ArithDialect"];
}

def SplitPhasesPass : Pass<"tile-split-phases", "::mlir::ModuleOp"> {
  let summary = "Makes one kernel of each phase, to be launched one after the other";
  let description = [{
    A kernel with `tile.phase` becomes as many kernels as it has phases. `launch.after` says which one each follows; all take
    the same arguments and run on the same number of blocks, so that they see the same workspaces. What a phase needs
    of earlier ones is computed again in it: that must be arithmetic, or loads from arrays that the kernel does not write.

    `phases=barrier` splits only on the host, which has no barrier over the blocks; on a chip the blocks then meet at
    each phase.

    ```mlir
    func.func @sums(...) attributes {tile.kernel, launch.limit = 40 : i64} {
      %w = tile.load %W[:] : ...
      tile.range ... parallel { ... }
      tile.phase
      tile.range ... parallel { ... %w ... }
      return
    }
    ```
    becomes
    ```mlir
    func.func @sums(...) attributes {tile.kernel, launch.limit = 40 : i64} {
      tile.range ... parallel { ... }
      return
    }
    func.func @sums_phase1(...) attributes {tile.kernel, launch.limit = 40 : i64, launch.after = @sums} {
      %w = tile.load %W[:] : ...
      tile.range ... parallel { ... %w ... }
      return
    }
    ```
    with a function that counts tiles for each.
  }];
  let options = [Option<"phases", "phases", "std::string", "\"launches\"", "barrier or launches">];
  let statistics = [Statistic<"phasesSplit", "phases-split", "phases that became kernels of their own">];
  let dependentDialects = ["::attn::tile::TileDialect", "::mlir::func::FuncDialect"];
}

def TileVerifyPass : Pass<"tile-verify", "::mlir::ModuleOp"> {
  let summary = "Checks that a kernel is ready for the ways down";
  let description = [{
    The gate at the end of the tile stage. It changes nothing. A kernel passes where

    - no symbol, no band, no softmax state, no grid and no accumulation is left;
    - its arrays say their dimensions (`launch.dims`), and these agree with the types;
    - `launch.limit` is there, and one function counts its tiles (`launch.grid_of`) with the same arguments;
    - the kernel that it is launched after (`launch.after`), if any, takes the same arguments;
    - columns are numbers and contiguous in memory: a tile's columns come from the last
      dimension of its array and from no span.

    ```mlir
    tile.store %x, %y[%t span, :] : ...  // passes
    tile.store %x, %y[:, %t span] : ...  // fails: the columns come from a span
    ```
  }];
}

def PrintExactnessPass : Pass<"tile-print-exactness", "::mlir::func::FuncOp"> {
  let summary = "Says in remarks which outputs of a kernel have one right answer";
  let description = [{
    One remark per output, from the analysis `Exactness`: whether every stage must give the same bits, or through which op
    the output goes that stages may compute differently. The IR is not changed. `attn.verify` compares exact outputs bit
    for bit.

    ```mlir
    // remark: not exact: goes through tile.reduce sum
    %y: !tile.array<?xf32> {launch.dims = ["T"], launch.output}
    ```
  }];
}

#endif // ATTN_DIALECT_TILE_TRANSFORMS_PASSES
