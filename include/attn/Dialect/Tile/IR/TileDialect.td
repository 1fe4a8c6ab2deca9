// The tile dialect: what a kernel means, without the chip.
#ifndef ATTN_TILE_DIALECT
#define ATTN_TILE_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::attn::tile";
  let summary = "What an attention kernel means: arrays, spans, value tiles, softmax state";
  let description = [{
    Data in memory are *arrays*; what a kernel computes with are *tiles*, immutable two-dimensional
    values. A dimension of a tile is a number, a *symbol* such as `BT`, which `tile-fit-tiles` binds to
    a size that fits the chip, or a symbol and a number more (`BT + 6`). A *span* is a run of rows with its
    valid length, so tails need no masks.

    A kernel is a `func.func` with the unit attribute `tile.kernel`, without results. Its arguments are
    arrays and scalars, described by the attributes of the `launch` dialect. Sizes that are left to the
    compiler are listed in `tile.symbols`, with their range:

    ```mlir
    func.func @copy(%x: !tile.array<?x64xf32> {launch.dims = ["T", 64]},
                    %y: !tile.array<?x64xf32> {launch.dims = ["T", 64], launch.output})
        attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>}} {
      %T = tile.dim %x, 0 : !tile.array<?x64xf32>
      tile.grid (%t) in (%T by BT) {
        %v = tile.load %x[%t span, :] : (!tile.array<?x64xf32>, !tile.span<BT>) -> !tile.tile<BT x 64 x f32>
        tile.store %v, %y[%t span, :] : (!tile.tile<BT x 64 x f32>, !tile.array<?x64xf32>, !tile.span<BT>) -> ()
      }
      return
    }
    ```

    Names of the source travel as `NameLoc`s around the Python position of each op and argument.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    void registerTypes();
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::attn::launch::LaunchDialect"];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class Tile_Type<string name, string typeMnemonic> : TypeDef<Tile_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Tile_ArrayType : Tile_Type<"Array", "array"> {
  let summary = "A tensor in global memory";
  let description = [{
    Sizes are numbers or `?` (known when the kernel runs). Strides are always known only when the kernel
    runs, except that the last dimension is contiguous. With `table`, the first dimension is indirect: the
    argument is a table of addresses, one per index (a list of equal tensors).

    ```mlir
    !tile.array<?x?x4096xbf16>
    !tile.array<?x?x4096xbf16, table>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "bool":$table);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [TypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType), [{
    return $_get($_ctxt, shape, elementType, /*table=*/false);
  }]>];
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
  }];
}

def Tile_SpanType : Tile_Type<"Span", "span"> {
  let summary = "A run of indices: base, size and valid length";
  let description = [{
    The size is a number, a symbol or their sum. The valid length may be smaller at the end of an array: loads
    and stores touch valid rows only.

    A `filled` span may lack rows at its start as well as at its end; a load gives zeros for the rows that it
    lacks, so all rows of the tile are defined. The rows of a `mapped` span do not follow each other in the array:
    row `i` is row `offset + step * i` of the array. Those of a `listed` span lie wherever a list in memory says.

    ```mlir
    !tile.span<BT>
    !tile.span<64>
    !tile.span<BM + 6, filled, mapped>
    !tile.span<BT, listed>
    ```
  }];
  let parameters = (ins "::mlir::Attribute":$size, "bool":$filled, "bool":$mapped, "bool":$listed);
  let builders = [
    TypeBuilder<(ins "::mlir::Attribute":$size), [{
      return $_get($_ctxt, size, /*filled=*/false, /*mapped=*/false, /*listed=*/false);
    }]>,
    TypeBuilder<(ins "::mlir::Attribute":$size, "bool":$filled, "bool":$mapped), [{
      return $_get($_ctxt, size, filled, mapped, /*listed=*/false);
    }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tile_TileType : Tile_Type<"Tile", "tile"> {
  let summary = "An immutable two-dimensional value";
  let description = [{
    Rows by columns of one element type. A dimension is a number, a symbol (capital letters, digits
    and underscores) or a symbol and a number more.

    ```mlir
    !tile.tile<BT x 4096 x f32>
    !tile.tile<1 x 4096 x bf16>
    !tile.tile<BM + 6 x 128 x f32>
    ```
  }];
  let parameters = (ins "::mlir::Attribute":$rows, "::mlir::Attribute":$cols, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether both dimensions are numbers.
    bool isBound() const;
    /// The number of rows or columns; only for bound types.
    int64_t getRowCount() const;
    int64_t getColCount() const;
    TileType cloneWith(::mlir::Type elementType) const { return get(getContext(), getRows(), getCols(), elementType); }
  }];
}

def Tile_SoftmaxStateType : Tile_Type<"SoftmaxState", "softmax_state"> {
  let summary = "The running state of a softmax-weighted sum";
  let description = [{
    Rows by columns of the result that `tile.softmax_finish` gives. What it is made of (maximum, sum and
    accumulator, or scores first and the sum after) is chosen by `tile-decompose-softmax`.

    ```mlir
    !tile.softmax_state<BT x 4096>
    ```
  }];
  let parameters = (ins "::mlir::Attribute":$rows, "::mlir::Attribute":$cols);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def Tile_AutoAttr : AttrDef<Tile_Dialect, "Auto"> {
  let mnemonic = "auto";
  let summary = "A size left to the compiler, with its range";
  let parameters = (ins "int64_t":$lo, "int64_t":$hi);
  let assemblyFormat = "`<` $lo `,` $hi `>`";
  let genVerifyDecl = 1;
}

def Tile_GroupAttr : AttrDef<Tile_Dialect, "Group"> {
  let mnemonic = "group";
  let summary = "How the cube core and the vector cores of a group share a kernel";
  let description = [{
    The first products of a loop run `preload` iterations ahead of those that wait for vector cores; what vector cores do with the later
    ones comes `lag` iterations after what they do with the first. Tiles that are exchanged have at least `slots` slots. Vector
    cores compute in strips of `strip_rows` rows, cube cores cut products into parts of `part` columns, or of so many
    k; 0 is for neither. With `run_on`, first products of the next tile of rows run before the last of those that wait, where
    a loop allows that.

    ```mlir
    #tile.group<preload = 3, lag = 2, slots = 0, strip_rows = 32, part = 128, run_on = true>
    ```
  }];
  let parameters = (ins "int64_t":$preload, "int64_t":$lag, "int64_t":$slots, "int64_t":$strip_rows, "int64_t":$part,
                        DefaultValuedParameter<"bool", "false">:$run_on);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tile_ChoiceAttr : AttrDef<Tile_Dialect, "Choice"> {
  let mnemonic = "choice";
  let summary = "What was chosen for a kernel: forms, sizes, stages and strips";
  let description = [{
    The attribute `tile.choice` of a kernel: `tile-choose` writes it, the passes after it apply it. The forms of bands and
    softmax states are there where the kernel has such. Loops have the stages that their author asked for, but not more
    than `range_stages`. `strip_columns` is 0 where rows are computed whole; `keep` says which rows strips keep. `group` is there for
    kernels that need cube and vector cores. `order` says in which order blocks take the tiles of a matrix: so many rows of
    tiles are a band, which blocks go through column by column, each taking the next tile in turn, so that what they read
    at a time lies together. With 0, which is not written, each block has a contiguous share, row by row.

    ```mlir
    #tile.choice<softmax = "online", sizes = {BT = 2 : i64}, grid_stages = 2, range_stages = 2, strip_columns = 0>
    ```
  }];
  let parameters = (ins OptionalParameter<"::mlir::StringAttr">:$band, OptionalParameter<"::mlir::StringAttr">:$softmax,
                        "::mlir::DictionaryAttr":$sizes, "int64_t":$grid_stages, "int64_t":$range_stages,
                        "int64_t":$strip_columns, OptionalParameter<"::mlir::DenseBoolArrayAttr">:$keep,
                        OptionalParameter<"::attn::tile::GroupAttr">:$group, DefaultValuedParameter<"int64_t", "0">:$order);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Tile_SumAttr : AttrDef<Tile_Dialect, "Sum"> {
  let mnemonic = "sum";
  let summary = "A dimension that is a symbol and a number more";
  let description = [{
    Types and loops write it as `BM + 6`.
  }];
  let parameters = (ins "::mlir::StringAttr":$symbol, "int64_t":$more);
  let assemblyFormat = "`<` $symbol `,` $more `>`";
  let genVerifyDecl = 1;
}

def Tile_ReduceKind : I32EnumAttr<"ReduceKind", "what a reduction does", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">, I32EnumAttrCase<"Min", 2, "min">]> {
  let cppNamespace = "::attn::tile";
  let genSpecializedAttr = 0;
}
def Tile_ReduceKindAttr : EnumAttr<Tile_Dialect, Tile_ReduceKind, "reduce_kind">;

def Tile_CompareKind : I32EnumAttr<"CompareKind", "what a comparison asks", [
    I32EnumAttrCase<"Less", 0, "lt">, I32EnumAttrCase<"LessEqual", 1, "le">, I32EnumAttrCase<"Greater", 2, "gt">,
    I32EnumAttrCase<"GreaterEqual", 3, "ge">, I32EnumAttrCase<"Equal", 4, "eq">]> {
  let cppNamespace = "::attn::tile";
  let genSpecializedAttr = 0;
}
def Tile_CompareKindAttr : EnumAttr<Tile_Dialect, Tile_CompareKind, "compare_kind">;

/// A 64-bit number, signed for C++.
def Tile_IntAttr : TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit signless integer attribute">;

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

/// An op whose result is an index that its own kind bounds, whatever its operands are.
class Tile_IndexOp<string mnemonic>
    : Tile_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRangesFromOptional"]>]> {
  let results = (outs Index:$result);
}

def Tile_Scalar : AnyTypeOf<[F32, I32, I64, Index]>;

#endif // ATTN_TILE_DIALECT
