// The ascend dialect: where and when on the chip.
#ifndef ATTN_ASCEND_DIALECT
#define ATTN_ASCEND_DIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Ascend_Dialect : Dialect {
  let name = "ascend";
  let cppNamespace = "::attn::ascend";
  let summary = "Where and when on the chip: memory spaces, pipes, buffers, events";
  let description = [{
    Buffers are memrefs with a memory space. Every instruction names its pipe and what it reads and writes
    through `InstructionOpInterface`, and maps to one AscendC call. A few *composite* ops (row reduction, row and
    column broadcast) stand for several calls; `ascend-expand-composites` writes them out, but not in kernels with the
    unit attribute `ascend.keep_composites`, which go to HIVM.

    A kernel is a `func.func` with the unit attribute `ascend.kernel`; control flow is `scf`, index arithmetic
    `arith`. Arrays in global memory are `memref<…, strided<[?, …, 1]>, #ascend.space<gm>>`, or `!ascend.table` for a
    list of equal arrays; buffers in UB are one-dimensional memrefs made by `ascend.alloc`.

    `ascend.kind` on a kernel says which cores each launched block starts; a kernel without it is of the kind vector.

    | kind | cores of a block | |
    |---|---|---|
    | `vector` | one vector core | |
    | `meeting_vector` | one vector core | the blocks meet (`ascend.sync_all`), so all must run at once |
    | `cube` | one cube core | |
    | `mixed` | a group: one cube core and two vector cores | |

    A mixed kernel is two functions with the same arguments: the kernel itself is what its vector cores run, and the kernel
    with `ascend.half_of = @kernel` is what its cube core runs. `ascend.block_id`, `ascend.core_id` and
    `ascend.sub_block_id` tell the cores apart.

    ```mlir
    func.func @k(%x: memref<?xf32, strided<[1]>, #ascend.space<gm>>)
        attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {…}
    func.func @k_cube(%x: memref<?xf32, strided<[1]>, #ascend.space<gm>>)
        attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @k} {…}
    ```

    Instructions with the same number as `ascend.apart` write different bytes each time that the block around all of them runs:
    the copies and fills that one tile is put together from, for which no address shows it.

    An scf.for may carry `ascend.stages = 2 : i64` (how many iterations' transfers may be in flight: the request to
    `ascend-double-buffer`), `ascend.parallel` (iterations touch different parts of the arrays they write) and `ascend.settled` (all
    pipes have finished when it begins: the request to `ascend-insert-sync`).
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect",
                           "::mlir::memref::MemRefDialect", "::attn::launch::LaunchDialect"];
}

class Ascend_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::attn::ascend";
  let genSpecializedAttr = 0;
}

def Ascend_Space : Ascend_Enum<"Space", "a memory of the chip", [
    I32EnumAttrCase<"GM", 0, "gm">, I32EnumAttrCase<"UB", 1, "ub">, I32EnumAttrCase<"L1", 2, "l1">,
    I32EnumAttrCase<"L0A", 3, "l0a">, I32EnumAttrCase<"L0B", 4, "l0b">, I32EnumAttrCase<"L0C", 5, "l0c">,
    I32EnumAttrCase<"BT", 6, "bt">, I32EnumAttrCase<"FP", 7, "fp">]>;
def Ascend_SpaceAttr : EnumAttr<Ascend_Dialect, Ascend_Space, "space"> {
  let assemblyFormat = "`<` $value `>`";
}

def Ascend_KernelKind : Ascend_Enum<"KernelKind", "which cores a block of a kernel starts", [
    I32EnumAttrCase<"Vector", 0, "vector">, I32EnumAttrCase<"MeetingVector", 1, "meeting_vector">,
    I32EnumAttrCase<"Cube", 2, "cube">, I32EnumAttrCase<"Mixed", 3, "mixed">]>;
def Ascend_KernelKindAttr : EnumAttr<Ascend_Dialect, Ascend_KernelKind, "kernel_kind"> {
  let assemblyFormat = "`<` $value `>`";
}

def Ascend_Pipe : Ascend_Enum<"Pipe", "an instruction queue of a core", [
    I32EnumAttrCase<"S", 0, "s">, I32EnumAttrCase<"V", 1, "v">, I32EnumAttrCase<"M", 2, "m">,
    I32EnumAttrCase<"MTE1", 3, "mte1">, I32EnumAttrCase<"MTE2", 4, "mte2">, I32EnumAttrCase<"MTE3", 5, "mte3">,
    I32EnumAttrCase<"FIX", 6, "fix">, I32EnumAttrCase<"ALL", 7, "all">]>;
def Ascend_PipeAttr : EnumAttr<Ascend_Dialect, Ascend_Pipe, "pipe">;

def Ascend_UnaryKind : Ascend_Enum<"UnaryKind", "a function of one operand", [
    I32EnumAttrCase<"Exp", 0, "exp">, I32EnumAttrCase<"Ln", 1, "ln">, I32EnumAttrCase<"Sqrt", 2, "sqrt">,
    I32EnumAttrCase<"Abs", 3, "abs">, I32EnumAttrCase<"Relu", 4, "relu">]>;
def Ascend_UnaryKindAttr : EnumAttr<Ascend_Dialect, Ascend_UnaryKind, "unary_kind">;

def Ascend_BinaryKind : Ascend_Enum<"BinaryKind", "a function of two operands", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Sub", 1, "sub">, I32EnumAttrCase<"Mul", 2, "mul">,
    I32EnumAttrCase<"Div", 3, "div">, I32EnumAttrCase<"Max", 4, "max">, I32EnumAttrCase<"Min", 5, "min">]>;
def Ascend_BinaryKindAttr : EnumAttr<Ascend_Dialect, Ascend_BinaryKind, "binary_kind">;

def Ascend_ScalarKind : Ascend_Enum<"ScalarKind", "a function of a buffer and a scalar", [
    I32EnumAttrCase<"Adds", 0, "adds">, I32EnumAttrCase<"Muls", 1, "muls">, I32EnumAttrCase<"Maxs", 2, "maxs">,
    I32EnumAttrCase<"Mins", 3, "mins">, I32EnumAttrCase<"LeakyRelu", 4, "leaky_relu">]>;
def Ascend_ScalarKindAttr : EnumAttr<Ascend_Dialect, Ascend_ScalarKind, "scalar_kind">;

def Ascend_ReduceKind : Ascend_Enum<"ReduceKind", "what a reduction does", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">, I32EnumAttrCase<"Min", 2, "min">]>;
def Ascend_ReduceKindAttr : EnumAttr<Ascend_Dialect, Ascend_ReduceKind, "reduce_kind">;

def Ascend_BitwiseKind : Ascend_Enum<"BitwiseKind", "a function of the bits of two operands", [
    I32EnumAttrCase<"And", 0, "and">, I32EnumAttrCase<"Or", 1, "or">]>;
def Ascend_BitwiseKindAttr : EnumAttr<Ascend_Dialect, Ascend_BitwiseKind, "bitwise_kind">;

def Ascend_CompareKind : Ascend_Enum<"CompareKind", "what a comparison asks", [
    I32EnumAttrCase<"LT", 0, "lt">, I32EnumAttrCase<"LE", 1, "le">, I32EnumAttrCase<"GT", 2, "gt">,
    I32EnumAttrCase<"GE", 3, "ge">, I32EnumAttrCase<"EQ", 4, "eq">]>;
def Ascend_CompareKindAttr : EnumAttr<Ascend_Dialect, Ascend_CompareKind, "compare_kind">;

def Ascend_RoundMode : Ascend_Enum<"RoundMode", "how a cast rounds", [
    I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Rint", 1, "rint">, I32EnumAttrCase<"Floor", 2, "floor">,
    I32EnumAttrCase<"Ceil", 3, "ceil">, I32EnumAttrCase<"Round", 4, "round">, I32EnumAttrCase<"Trunc", 5, "trunc">]>;
def Ascend_RoundModeAttr : EnumAttr<Ascend_Dialect, Ascend_RoundMode, "round_mode">;

def Ascend_TableType : TypeDef<Ascend_Dialect, "Table"> {
  let mnemonic = "table";
  let summary = "A list of equal arrays in global memory, given as a table of addresses";
  let description = [{
    ```mlir
    !ascend.table<memref<?x4096xbf16, strided<[?, 1]>, #ascend.space<gm>>>
    ```
  }];
  let parameters = (ins "::mlir::MemRefType":$element);
  let assemblyFormat = "`<` $element `>`";
  let genVerifyDecl = 1;
}

#endif // ATTN_ASCEND_DIALECT
