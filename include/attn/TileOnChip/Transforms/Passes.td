// The passes of TileOnChip/Transforms.
#ifndef ATTN_TILEONCHIP_TRANSFORMS_PASSES
#define ATTN_TILEONCHIP_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def KeepCompositesPass : Pass<"tile-keep-composites", "::mlir::ModuleOp"> {
  let summary = "Marks kernels as ones whose composites are kept";
  let dependentDialects = ["::attn::ascend::AscendDialect"];
  let description = [{
    For the way to HIVM, whose ops are templates of the vendor over whole tiles. What the mark, `ascend.keep_composites`,
    means to later passes:

    - products are computed on their own: no template multiplies and adds at once;
    - a composite's scratch is as large as the template's;
    - all rows of a tile are computed with, also those that it lacks at the end of an array: templates of known shape
      need less scratch. Loads fill such rows with zeros; stores and reductions down columns leave them out;
    - a column is spread to blocks, and gathered from them, by composites;
    - `ascend-expand-composites` leaves the kernel alone, and `ascend-verify` takes it as it is.

    ```mlir
    func.func @k(%x: !tile.array<?x64xf32>) attributes {tile.kernel} { ... }
    ```
    becomes
    ```mlir
    func.func @k(%x: !tile.array<?x64xf32>) attributes {ascend.keep_composites, tile.kernel} { ... }
    ```
  }];
}

def CopySumsPass : Pass<"tile-copy-sums", "::mlir::ModuleOp"> {
  let summary = "Lets vector cores hand on products of f32 that are multiplied again";
  let description = [{
    Sums of products leave L0C for L1 in f16 and bf16 only. Those of f32 that are operands of another product, or shared values of a
    softmax state, are multiplied by 1, which vector cores do: the kernel is then one of both kinds of cores.

    ```mlir
    %s = tile.dot %a, %b : !tile.tile<16 x 32 x f32>, !tile.tile<32 x 16 x f32> -> !tile.tile<16 x 16 x f32>
    %p = tile.dot %s, %c : !tile.tile<16 x 16 x f32>, !tile.tile<16 x 64 x f32> -> !tile.tile<16 x 64 x f32>
    ```
    becomes
    ```mlir
    %s = tile.dot %a, %b : !tile.tile<16 x 32 x f32>, !tile.tile<32 x 16 x f32> -> !tile.tile<16 x 16 x f32>
    %one = tile.splat %cst : f32 -> <1 x 1 x f32>
    %t = tile.mul %s, %one : <16 x 16 x f32>, <1 x 1 x f32> -> <16 x 16 x f32>
    %p = tile.dot %t, %c : !tile.tile<16 x 16 x f32>, !tile.tile<16 x 64 x f32> -> !tile.tile<16 x 64 x f32>
    ```

    A host has no such memories: nothing changes for it.
  }];
}

def SplitCoresPass : Pass<"tile-split-cores", "::mlir::ModuleOp"> {
  let summary = "Makes of a kernel with products and vector work a half for each kind of core";
  let description = [{
    Cube cores run products, vector cores everything else that computes with tiles (`CoreAssignment`). A tile that one kind makes
    and the other takes goes through slots of a workspace of the group, and signals say when a slot is full; that one is
    free again mostly follows from other signals (`ExchangePlan`). Each vector core of the group has its share of the rows.

    The `tile.group` of the kernel says how. In a loop, the first products run ahead of those that wait for vector cores, and what
    vector cores do with the later products comes after what they do with the first of later iterations: each half becomes a
    loop that fills, a loop of the steady state and a loop that drains. Vector cores compute in strips of rows, and cube cores
    cut products into parts, so that what one moves overlaps with what another computes. With a lag of three and more, vector cores
    compute what they do with both products in the same strips, where the later ones are small.

    With `run_on`, where the loop around that one has nothing else that is exchanged and nothing is summed up on the cube core, this
    does not drain in each of its iterations: the last of the later products is made after the first product of the next iteration.
    Slots of what is exchanged are then counted on, too.

    ```mlir
    func.func @k(%a: !a, %b: !b, %c: !c) attributes {tile.kernel} {
      %x = tile.load %a[...]
      %y = tile.load %b[...]
      %s = tile.dot %x, %y
      %e = tile.exp %s
      tile.store %e, %c[...]
    }
    ```
    becomes
    ```mlir
    func.func @k(%a: !a, %b: !b, %c: !c, %s_exchange: !s {launch.workspace, ...}) attributes {tile.kernel, tile.mixed} {
      tile.await 0
      %s = tile.load %s_exchange[...]
      %e = tile.exp %s
      tile.store %e, %c[...]
    }
    func.func @k_cube(...) attributes {tile.half_of = @k, tile.kernel, tile.mixed} {
      %x = tile.load %a[...]
      %y = tile.load %b[...]
      %s = tile.dot %x, %y
      tile.store %s, %s_exchange[...]
      tile.signal 0
    }
    ```
  }];
  let dependentDialects = ["::attn::tile::TileDialect", "::mlir::arith::ArithDialect"];
}

def ChoosePass : Pass<"tile-choose", "::mlir::ModuleOp"> {
  let summary = "Chooses forms, block sizes, stages and strips with which kernels fit local memory and are fast";
  let description = [{
    One search over everything that is left open about a kernel. What was chosen is written as its `tile.choice`, which the
    passes after this one apply; the kernel itself stays as it is.

    *Forms* are decided first, each by what the kernel would cost in it. Bands take `halo` where that fits the chip, and
    otherwise the form with the least estimated time. Softmax states take, among the forms that fit, the one that moves the fewest
    bytes, then the fastest. Remarks say so. On the host they take `halo` and `online`.

    *Sizes, stages, strips*: for every choice of the sizes in `tile.symbols` and of the loops' stages, the bytes of local
    memory are counted exactly as the lowering will use them (`BufferAssignment`). Among the choices that fit, the one with the
    best estimated time is taken; the grid, or each block's share of it, is double-buffered where that fits too.

    Where not even the smallest sizes fit, rows are computed in strips of columns: a sweep over the strips for what can be
    computed at once, another for what needs a reduction over the whole row. Rows that several walks need are kept whole in
    local memory or loaded again, a loop that only adds rows up moves inside the strips, and a carried row that
    fits nowhere is spilled to a workspace: the choice that moves the fewest bytes, with remarks that say so. `strips` asks
    for strips of that many columns, on the chip, also where whole rows would fit.

    Kernels that need cube and vector cores are split for each candidate (`tile-split-cores`), and the memories of both are
    counted. How the cores of a group share them is one more choice.

    When nothing fits, one error names the memory and lists every buffer that is alive where the most of it is needed.

    On the host, where any size runs, the smallest size with enough elements per tile is taken, and the largest of a symbol
    that is not a dimension of a tile.

    ```mlir
    func.func @copy(...) attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>}} { ... }
    ```
    becomes
    ```mlir
    func.func @copy(...) attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>},
        tile.choice = #tile.choice<sizes = {BT = 64 : i64}, grid_stages = 2, range_stages = 1, strip_columns = 0>} { ... }
    ```
  }];
  let options = [
    Option<"band", "band", "std::string", "\"auto\"", "the form of bands: auto, halo, gathered or cube">,
    Option<"softmax", "softmax", "std::string", "\"auto\"",
           "the form of softmax states: auto, online, two-phase-resident or two-phase-reload">,
    ListOption<"sizes", "sizes", "std::string", "sizes fixed by the author, as BT=2">,
    Option<"strips", "strips", "int64_t", "0",
           "columns of the strips that longer rows are computed in; 0: strips only where whole rows do not fit">,
    Option<"preload", "preload", "int64_t", "-1",
           "for kernels of cube and vector cores: iterations by which first products run ahead; -1: the compiler's choice">,
    Option<"lag", "lag", "int64_t", "-1", "iterations by which vector cores come to later products late; -1: its choice">,
    Option<"slots", "slots", "int64_t", "-1", "slots that exchanged tiles have at least; -1: the fewest that are right">,
    Option<"stripRows", "strip-rows", "int64_t", "-1", "rows of the strips that vector cores compute in; -1: its choice">,
    Option<"part", "part", "int64_t", "-1", "columns, or k, of the parts that products are cut into; -1: its choice">,
    Option<"runOn", "run-on", "int64_t", "0",
           "whether the first product of the next tile of rows comes before the last of the later ones of a tile, 0 or 1">,
    Option<"order", "order", "int64_t", "-1",
           "rows of tiles in a band that cores go through together, for grids of products with two axes; 0: contiguous shares; -1: its choice">,
    Option<"phases", "phases", "std::string", "\"barrier\"",
           "whether blocks meet between phases (barrier) or each will be a kernel of its own (launches)">,
    Option<"printAlternatives", "print-alternatives", "bool", "false",
           "say in a remark, as a table, what every choice that was looked at would need">,
    Option<"recordAlternatives", "record-alternatives", "bool", "false",
           "keep the same table as the attribute tile.alternatives of the kernel">,
  ];
  let statistics = [Statistic<"alternativesTried", "alternatives-tried", "choices that were counted and estimated">];
  let dependentDialects = ["::attn::tile::TileDialect", "::mlir::arith::ArithDialect"];
}

def PrintBuffersPass : Pass<"tile-print-buffers", "::mlir::func::FuncOp"> {
  let summary = "Says in remarks which buffers the tiles of a kernel need";
  let description = [{
    One remark per buffer of the `BufferAssignment`, at the place of the tile that first lives there, and one with the
    bytes they take together. The IR is not changed.

    ```mlir
    // remark: buffer 'v' of 'bf16': 2 x 4096 elements, 16384 bytes, alive from 12 to 40
    %v = tile.load %V[%n, %t span, :] : (!tile.array<?x?x4096xbf16>, index, !tile.span<1>) -> !tile.tile<1 x 4096 x bf16>
    ```
  }];
}

#endif // ATTN_TILEONCHIP_TRANSFORMS_PASSES
