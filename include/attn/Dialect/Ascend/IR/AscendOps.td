// The operations of the ascend dialect; those of cube cores are in AscendCubeOps.td, flags between cores in AscendCrossOps.td,
// indices from memory in AscendIndexOps.td, those that choose by masks in AscendMaskOps.td.
#ifndef ATTN_ASCEND_OPS
#define ATTN_ASCEND_OPS

include "attn/Dialect/Ascend/IR/AscendCrossOps.td"
include "attn/Dialect/Ascend/IR/AscendCubeOps.td"
include "attn/Dialect/Ascend/IR/AscendIndexOps.td"
include "attn/Dialect/Ascend/IR/AscendMaskOps.td"
include "attn/Dialect/Ascend/IR/AscendOpBase.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// An op whose result is an index that its own kind bounds, whatever its operands are.
class Ascend_IndexOp<string mnemonic>
    : Ascend_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRangesFromOptional"]>]> {
  let results = (outs Index:$result);
}

//===----------------------------------------------------------------------===//
// Launch and arrays
//===----------------------------------------------------------------------===//

class Ascend_IdOp<string mnemonic, string what, string more = ""> : Ascend_IndexOp<mnemonic> {
  let summary = what;
  let description = more # [{

    ```mlir
    %x = ascend.}] # mnemonic # [{
    ```
  }];
  let assemblyFormat = "attr-dict";
}
def Ascend_BlockIdOp : Ascend_IdOp<"block_id", "Which of the launched blocks this core works for", [{
    From 0 to `ascend.block_count` less one. A block of a mixed kernel is a group of cores, all of which have its id.

    | core of a kernel of the kind | `block_id` | `core_id` | `sub_block_id` |
    |---|---|---|---|
    | vector, meeting_vector, cube | `GetBlockIdx()` | `GetBlockIdx()` | 0 |
    | mixed, cube core | `GetBlockIdx()` | `GetBlockIdx()` | 0 |
    | mixed, vector core | `GetBlockIdx() / 2` | `GetBlockIdx()` | `GetSubBlockIdx()` |
}]>;
def Ascend_BlockCountOp : Ascend_IdOp<"block_count", "How many blocks are launched (`GetBlockNum` in every kind of kernel)">;
def Ascend_CoreIdOp : Ascend_IdOp<"core_id", "Which of the launch's cores of its kind this one is (`GetBlockIdx`)", [{
    Differs from `ascend.block_id` on the vector cores of a mixed kernel, of which each block has two.
}]>;
def Ascend_SubBlockIdOp : Ascend_IdOp<"sub_block_id", "Which of its block's cores of its kind this one is (`GetSubBlockIdx`)", [{
    0 or 1 on the vector cores of a mixed kernel, else 0.
}]>;

def Ascend_DimOp : Ascend_IndexOp<"dim"> {
  let summary = "The size of an array's dimension";
  let description = [{
    Dimensions of a table count its entries first. A kernel is never launched on an empty array: the size is at
    least 1.

    ```mlir
    %n = ascend.dim %V, 0 : memref<?x?x4096xbf16, strided<[?, ?, 1]>, #ascend.space<gm>>
    ```
  }];
  let arguments = (ins Ascend_ArrayType:$array, Ascend_IntAttr:$dimension);
  let assemblyFormat = "$array `,` $dimension attr-dict `:` type($array)";
  let hasVerifier = 1;
}

def Ascend_StrideOp : Ascend_IndexOp<"stride"> {
  let summary = "The stride of an array's dimension, in elements";
  let description = [{
    Dimensions of a table count its entries first; that one has no stride.

    ```mlir
    %s = ascend.stride %V, 1 : memref<?x?x4096xbf16, strided<[?, ?, 1]>, #ascend.space<gm>>
    ```
  }];
  let arguments = (ins Ascend_ArrayType:$array, Ascend_IntAttr:$dimension);
  let assemblyFormat = "$array `,` $dimension attr-dict `:` type($array)";
  let hasVerifier = 1;
}

def Ascend_LookupOp : Ascend_Op<"lookup", [MemoryEffects<[MemRead]>]> {
  let summary = "One array of a table (a scalar read of its address)";
  let description = [{
    ```mlir
    %Vn = ascend.lookup %V[%n] : !ascend.table<memref<?x4096xbf16, strided<[?, 1]>, #ascend.space<gm>>>
    ```
  }];
  let arguments = (ins Ascend_TableType:$table, Index:$index);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$table `[` $index `]` attr-dict `:` type($table) `->` type($result)";
  let hasVerifier = 1;
}

def Ascend_AddressOp : Ascend_Op<"address", [Pure]> {
  let summary = "A place in an array, as a one-dimensional view that starts there";
  let description = [{
    ```mlir
    %p = ascend.address %V[%n, %t, %k] : memref<?x?x4096xbf16, strided<[?, ?, 1]>, #ascend.space<gm>> -> memref<?xbf16, #ascend.space<gm>>
    ```
  }];
  let arguments = (ins AnyMemRef:$array, Variadic<Index>:$indices);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$array `[` $indices `]` attr-dict `:` type($array) `->` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

def Ascend_AllocOp : Ascend_Op<"alloc"> {
  let summary = "A buffer in a local memory";
  let description = [{
    One-dimensional, or two-dimensional with the slots of a multiple buffer first. `ascend-plan-memory` gives it an
    address, in bytes; addresses and the slots after the first are aligned as the memory asks for (32 bytes in UB). The
    name is that of the source.

    `counted` is an address as well: the one that the buffer has in a packing of all buffers of its memory that is known
    to fit. Whoever chose the sizes of the buffers has counted with it, slots and lifetimes included.
    `ascend-plan-memory` looks for a plan that lets transfers run further ahead, and takes this one where it finds none.

    ```mlir
    %v32 = ascend.alloc "v32" : memref<8192xf32, #ascend.space<ub>>
    %x = ascend.alloc "x" counted 32768 : memref<8192xf32, #ascend.space<ub>>
    %v = ascend.alloc "v" at 4096 : memref<2x8192xbf16, #ascend.space<ub>>
    ```
  }];
  let arguments = (ins StrAttr:$name, OptionalAttr<Ascend_IntAttr>:$address, OptionalAttr<Ascend_IntAttr>:$counted);
  let results = (outs AnyMemRef:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::llvm::StringRef":$name, "::mlir::IntegerAttr":$counted), [{
    build($_builder, $_state, result, name, /*address=*/nullptr, counted);
  }]>];
  let assemblyFormat = "$name (`at` $address^)? (`counted` $counted^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The memory it lies in.
    ::attn::LocalMemory getMemory();
    int64_t getSlotCount();
    /// Bytes from one slot to the next, aligned as the memory asks for.
    int64_t getSlotPitchBytes();
    /// Bytes of the whole buffer, all slots.
    int64_t getByteSize() { return getSlotCount() * getSlotPitchBytes(); }
  }];
}

def Ascend_SlotOp : Ascend_Op<"slot", [Pure]> {
  let summary = "One slot of a multiple buffer";
  let description = [{
    ```mlir
    %now = ascend.slot %v[%parity] : memref<2x8192xbf16, #ascend.space<ub>> -> memref<8192xbf16, #ascend.space<ub>>
    ```
  }];
  let arguments = (ins AnyMemRef:$buffer, Index:$index);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$buffer `[` $index `]` attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
}

def Ascend_SliceOp : Ascend_Op<"slice", [Pure]> {
  let summary = "A buffer from an element on";
  let description = [{
    Prints as `buffer[offset]`. The place must be aligned to 32 bytes where an instruction asks for it.

    ```mlir
    %row = ascend.slice %v32[%offset] : memref<8192xf32, #ascend.space<ub>> -> memref<?xf32, #ascend.space<ub>>
    ```
  }];
  let arguments = (ins AnyMemRef:$buffer, Index:$offset);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$buffer `[` $offset `]` attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

def Ascend_CopyInOp : Ascend_Instruction<"copy_in"> {
  let summary = "GM to UB, rows with padding (`DataCopyPad` on MTE2), or to L1, rows of whole data blocks (`DataCopy`)";
  let description = [{
    `rows` rows of `length` elements, `src_pitch` elements apart in GM and `dst_pitch` elements apart in UB. Each
    row is filled with zeros for `right_pad` elements, at most 32 bytes, and from there to the next 32-byte boundary
    (without `right_pad`, that remainder is undefined). With `bypass_l2` what is read is not kept in L2, which stays
    free for others (`SetL2CacheHint`).

    ```mlir
    ascend.copy_in %dst, %src rows(%r) length(%n) src_pitch(%s) dst_pitch 128 right_pad 5 : memref<256xbf16, #ascend.space<ub>>, memref<?xbf16, #ascend.space<gm>>
    ascend.copy_in %dst, %src rows(%r) length(%n) src_pitch(%s) dst_pitch 128 right_pad 0 bypass_l2 : memref<256xbf16, #ascend.space<ub>>, memref<?xbf16, #ascend.space<gm>>
    ```
  }];
  let arguments = (ins AnyMemRef:$dst, AnyMemRef:$src, Index:$rows, Index:$length, Index:$src_pitch, Ascend_IntAttr:$dst_pitch,
                       Ascend_IntAttr:$right_pad, UnitAttr:$bypass_l2);
  let assemblyFormat = [{
    $dst `,` $src `rows` `(` $rows `)` `length` `(` $length `)` `src_pitch` `(` $src_pitch `)` `dst_pitch` $dst_pitch
    `right_pad` $right_pad (`bypass_l2` $bypass_l2^)? attr-dict `:` type($dst) `,` type($src)
  }];
}

def Ascend_CopyOutOp : Ascend_Instruction<"copy_out"> {
  let summary = "UB to GM, rows without their padding (`DataCopyPad` on MTE3)";
  let description = [{
    With `bypass_l2` what is written goes past L2 (`SetL2CacheHint`).

    ```mlir
    ascend.copy_out %dst, %src rows(%r) length(%n) dst_pitch(%s) src_pitch 128 : memref<?xbf16, #ascend.space<gm>>, memref<256xbf16, #ascend.space<ub>>
    ```
  }];
  let arguments = (ins AnyMemRef:$dst, AnyMemRef:$src, Index:$rows, Index:$length, Index:$dst_pitch, Ascend_IntAttr:$src_pitch,
                       UnitAttr:$bypass_l2);
  let assemblyFormat = [{
    $dst `,` $src `rows` `(` $rows `)` `length` `(` $length `)` `dst_pitch` `(` $dst_pitch `)` `src_pitch` $src_pitch
    (`bypass_l2` $bypass_l2^)? attr-dict `:` type($dst) `,` type($src)
  }];
}

//===----------------------------------------------------------------------===//
// Vector instructions
//===----------------------------------------------------------------------===//
// Two forms, as the chip has: `count(%n)` (counter mode: n elements from the start on), and
// `mask m repeat(%r) strides [...]` (m lanes of each of r repeats; block strides of destination and
// sources, then repeat strides, all in 32-byte blocks).

class Ascend_Vector<string mnemonic, list<string> methods = []> : Ascend_Instruction<mnemonic, methods>;

def Ascend_UnaryOp : Ascend_Vector<"unary"> {
  let summary = "dst = f(src), elementwise";
  let description = [{
    ```mlir
    ascend.unary exp %d, %s count(%n) : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
    ascend.unary exp %d, %s mask 64 repeat(%r) strides [1, 1, 8, 8] : memref<512xf32, #ascend.space<ub>>, memref<512xf32, #ascend.space<ub>>
    ```
  }];
  let arguments = (ins Ascend_UnaryKindAttr:$kind, AnyMemRef:$dst, AnyMemRef:$src, Index:$amount,
                       OptionalAttr<Ascend_IntAttr>:$mask, OptionalAttr<DenseI64ArrayAttr>:$strides);
  let assemblyFormat = "$kind $dst `,` $src custom<Form>($amount, $mask, $strides) attr-dict `:` type($dst) `,` type($src)";
}

def Ascend_BinaryOp : Ascend_Vector<"binary", ["getPairedSources"]> {
  let summary = "dst = f(lhs, rhs), elementwise";
  let description = [{
    A block stride of 0 on a source uses one block for all eight of a repeat, a repeat stride of 0 the same data in
    each repeat.

    ```mlir
    ascend.binary mul %d, %a, %b count(%n) : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
    ascend.binary mul %d, %a, %b mask 64 repeat(%r) strides [1, 1, 0, 8, 8, 0] : memref<512xf32, #ascend.space<ub>>, memref<512xf32, #ascend.space<ub>>, memref<8xf32, #ascend.space<ub>>
    ```
  }];
  let arguments = (ins Ascend_BinaryKindAttr:$kind, AnyMemRef:$dst, AnyMemRef:$lhs, AnyMemRef:$rhs, Index:$amount,
                       OptionalAttr<Ascend_IntAttr>:$mask, OptionalAttr<DenseI64ArrayAttr>:$strides);
  let assemblyFormat = [{
    $kind $dst `,` $lhs `,` $rhs custom<Form>($amount, $mask, $strides) attr-dict `:` type($dst) `,` type($lhs) `,` type($rhs)
  }];
}

def Ascend_MulAddOp : Ascend_Vector<"mul_add", ["getPairedSources"]> {
  let summary = "dst += lhs * rhs, elementwise (`MulAddDst`)";
  let description = [{
    ```mlir
    ascend.mul_add %d, %a, %b count(%n) : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
    ```
  }];
  let arguments = (ins AnyMemRef:$dst, AnyMemRef:$lhs, AnyMemRef:$rhs, Index:$amount,
                       OptionalAttr<Ascend_IntAttr>:$mask, OptionalAttr<DenseI64ArrayAttr>:$strides);
  let assemblyFormat = [{
    $dst `,` $lhs `,` $rhs custom<Form>($amount, $mask, $strides) attr-dict `:` type($dst) `,` type($lhs) `,` type($rhs)
  }];
}

def Ascend_ScalarOp : Ascend_Vector<"scalar"> {
  let summary = "dst = f(src, scalar), elementwise";
  let description = [{
    ```mlir
    ascend.scalar muls %d, %s, %x count(%n) : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>, f32
    ```
  }];
  let arguments = (ins Ascend_ScalarKindAttr:$kind, AnyMemRef:$dst, AnyMemRef:$src, AnyType:$scalar, Index:$amount,
                       OptionalAttr<Ascend_IntAttr>:$mask, OptionalAttr<DenseI64ArrayAttr>:$strides);
  let assemblyFormat = [{
    $kind $dst `,` $src `,` $scalar custom<Form>($amount, $mask, $strides) attr-dict `:` type($dst) `,` type($src) `,` type($scalar)
  }];
}

def Ascend_CastOp : Ascend_Vector<"cast"> {
  let summary = "dst = src in another type, rounded as named";
  let description = [{
    Repeats count by the wider type.

    ```mlir
    ascend.cast none %d, %s count(%n) : memref<64xf32, #ascend.space<ub>>, memref<64xbf16, #ascend.space<ub>>
    ```
  }];
  let arguments = (ins Ascend_RoundModeAttr:$mode, AnyMemRef:$dst, AnyMemRef:$src, Index:$amount,
                       OptionalAttr<Ascend_IntAttr>:$mask, OptionalAttr<DenseI64ArrayAttr>:$strides);
  let assemblyFormat = "$mode $dst `,` $src custom<Form>($amount, $mask, $strides) attr-dict `:` type($dst) `,` type($src)";
}

def Ascend_DuplicateOp : Ascend_Vector<"duplicate"> {
  let summary = "dst = scalar in every lane";
  let description = [{
    ```mlir
    ascend.duplicate %d, %x count(%n) : memref<64xf32, #ascend.space<ub>>, f32
    ```
  }];
  let arguments = (ins AnyMemRef:$dst, AnyType:$scalar, Index:$amount,
                       OptionalAttr<Ascend_IntAttr>:$mask, OptionalAttr<DenseI64ArrayAttr>:$strides);
  let assemblyFormat = "$dst `,` $scalar custom<Form>($amount, $mask, $strides) attr-dict `:` type($dst) `,` type($scalar)";
}

def Ascend_CopyOp : Ascend_Vector<"copy"> {
  let summary = "dst = src within UB, whole 32-byte blocks (`DataCopy` on V)";
  let description = [{
    `count` is in elements and covers whole blocks.

    ```mlir
    ascend.copy %d, %s count(%n) : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
    ```
  }];
  let arguments = (ins AnyMemRef:$dst, AnyMemRef:$src, Index:$amount);
  let assemblyFormat = "$dst `,` $src `count` `(` $amount `)` attr-dict `:` type($dst) `,` type($src)";
}

def Ascend_BrcbOp : Ascend_Vector<"brcb"> {
  let summary = "Fills one 32-byte block per source element";
  let description = [{
    For repeat i and j < 8 the block at `i * rep_stride + j * blk_stride` is filled with `src[8 * i + j]`.

    ```mlir
    ascend.brcb %d, %s repeat(%r) strides [1, 8] : memref<64xf32, #ascend.space<ub>>, memref<8xf32, #ascend.space<ub>>
    ```
  }];
  let arguments = (ins AnyMemRef:$dst, AnyMemRef:$src, Index:$repeat, DenseI64ArrayAttr:$strides);
  let assemblyFormat = "$dst `,` $src `repeat` `(` $repeat `)` `strides` $strides attr-dict `:` type($dst) `,` type($src)";
}

def Ascend_TransposeOp : Ascend_Vector<"transpose"> {
  let summary = "Turns squares of 16 rows and 16 columns over, one per repeat (`TransDataTo5HD`)";
  let description = [{
    Elements have 2 bytes, so that a row of a square is a data block: row r of square i lies r row strides and i repeat
    strides after the first one. Element c of row r becomes element r of row c. Strides are in blocks: rows of
    destination and source, repeats of destination and source.

    ```mlir
    // 16 rows of 64 columns become 64 rows of 16, in a tile with 32 columns.
    ascend.transpose %d, %s repeat(%c4) strides [2, 4, 32, 1] : memref<2048xf16, #ascend.space<ub>>, memref<1024xf16, #ascend.space<ub>>
    ```
  }];
  let arguments = (ins AnyMemRef:$dst, AnyMemRef:$src, Index:$repeat, DenseI64ArrayAttr:$strides);
  let assemblyFormat = "$dst `,` $src `repeat` `(` $repeat `)` `strides` $strides attr-dict `:` type($dst) `,` type($src)";
}

class Ascend_ReduceInstruction<string mnemonic, string what, string units> : Ascend_Vector<mnemonic> {
  let summary = what;
  let description = [{
    Only the first `mask` lanes of each repeat take part. Strides: }] # units # [{

    ```mlir
    ascend.}] # mnemonic # [{ sum %d, %s mask 64 repeat(%r) strides [1, 1, 8] : memref<64xf32, #ascend.space<ub>>, memref<512xf32, #ascend.space<ub>>
    ```
  }];
  let arguments = (ins Ascend_ReduceKindAttr:$kind, AnyMemRef:$dst, AnyMemRef:$src, Ascend_IntAttr:$mask, Index:$repeat,
                       DenseI64ArrayAttr:$strides);
  let assemblyFormat = [{
    $kind $dst `,` $src `mask` $mask `repeat` `(` $repeat `)` `strides` $strides attr-dict `:` type($dst) `,` type($src)
  }];
}
def Ascend_WholeReduceOp : Ascend_ReduceInstruction<"whole_reduce", "One value per repeat (a binary tree inside the repeat)",
    "destination repeat in elements, source block and source repeat in blocks.">;
def Ascend_BlockReduceOp : Ascend_ReduceInstruction<"block_reduce", "One value per data block: eight per repeat, contiguous",
    "destination repeat in eights of elements, source block and source repeat in blocks.">;

//===----------------------------------------------------------------------===//
// Composites: several calls, with scratch; written out by ascend-expand-composites
//===----------------------------------------------------------------------===//

class Ascend_Composite<string mnemonic> : Ascend_Vector<mnemonic> {
  let extraClassDeclaration = "bool isComposite() { return true; }";
}

def Ascend_RowReduceOp : Ascend_Composite<"row_reduce"> {
  let summary = "dst[r] = the reduction of row r";
  let description = [{
    Rows of `cols` elements, `pitch` elements apart; only the `cols` real elements take part. The results are
    contiguous. Scratch holds at least `getScratchElements` f32 elements.

    ```mlir
    ascend.row_reduce sum %d, %s, %t rows(%r) cols 123 pitch 128 : memref<8xf32, #ascend.space<ub>>, memref<256xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
    ```
  }];
  let arguments = (ins Ascend_ReduceKindAttr:$kind, AnyMemRef:$dst, AnyMemRef:$src, AnyMemRef:$scratch, Index:$rows,
                       Ascend_IntAttr:$cols, Ascend_IntAttr:$pitch);
  let assemblyFormat = [{
    $kind $dst `,` $src `,` $scratch `rows` `(` $rows `)` `cols` $cols `pitch` $pitch attr-dict `:`
    type($dst) `,` type($src) `,` type($scratch)
  }];
}

def Ascend_RowBinaryOp : Ascend_Composite<"row_binary"> {
  let summary = "dst[r, :] = f(src[r, :], column[r])";
  let description = [{
    The column holds one value per row, contiguous. Scratch holds one 32-byte block per row, rounded up to eight rows.

    ```mlir
    ascend.row_binary mul %d, %s, %c, %t rows(%r) cols 123 pitch 128 : memref<256xf32, #ascend.space<ub>>, memref<256xf32, #ascend.space<ub>>, memref<8xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
    ```
  }];
  let arguments = (ins Ascend_BinaryKindAttr:$kind, AnyMemRef:$dst, AnyMemRef:$src, AnyMemRef:$column, AnyMemRef:$scratch,
                       Index:$rows, Ascend_IntAttr:$cols, Ascend_IntAttr:$pitch);
  let assemblyFormat = [{
    $kind $dst `,` $src `,` $column `,` $scratch `rows` `(` $rows `)` `cols` $cols `pitch` $pitch attr-dict `:`
    type($dst) `,` type($src) `,` type($column) `,` type($scratch)
  }];
}

def Ascend_RowMulAddOp : Ascend_Composite<"row_mul_add"> {
  let summary = "dst[r, :] += src[r, :] * column[r]";
  let description = [{
    As `ascend.row_binary`.

    ```mlir
    ascend.row_mul_add %d, %s, %c, %t rows(%r) cols 123 pitch 128 : memref<256xf32, #ascend.space<ub>>, memref<256xf32, #ascend.space<ub>>, memref<8xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
    ```
  }];
  let arguments = (ins AnyMemRef:$dst, AnyMemRef:$src, AnyMemRef:$column, AnyMemRef:$scratch,
                       Index:$rows, Ascend_IntAttr:$cols, Ascend_IntAttr:$pitch);
  let assemblyFormat = [{
    $dst `,` $src `,` $column `,` $scratch `rows` `(` $rows `)` `cols` $cols `pitch` $pitch attr-dict `:`
    type($dst) `,` type($src) `,` type($column) `,` type($scratch)
  }];
}

def Ascend_ColBinaryOp : Ascend_Composite<"col_binary"> {
  let summary = "dst[r, :] = f(src[r, :], row[:])";
  let description = [{
    One row of `cols` elements against every row.

    ```mlir
    ascend.col_binary mul %d, %s, %u rows(%r) cols 123 pitch 128 : memref<256xf32, #ascend.space<ub>>, memref<256xf32, #ascend.space<ub>>, memref<128xf32, #ascend.space<ub>>
    ```
  }];
  let arguments = (ins Ascend_BinaryKindAttr:$kind, AnyMemRef:$dst, AnyMemRef:$src, AnyMemRef:$row, Index:$rows,
                       Ascend_IntAttr:$cols, Ascend_IntAttr:$pitch);
  let assemblyFormat = [{
    $kind $dst `,` $src `,` $row `rows` `(` $rows `)` `cols` $cols `pitch` $pitch attr-dict `:`
    type($dst) `,` type($src) `,` type($row)
  }];
}

//===----------------------------------------------------------------------===//
// Synchronisation
//===----------------------------------------------------------------------===//

class Ascend_FlagOp<string mnemonic, string what> : Ascend_Op<mnemonic> {
  let summary = what;
  let description = [{
    The event is a number per pipe pair: any number (`virtual`) as `ascend-insert-sync` makes it, the chip's id
    after `ascend-assign-events`. With `slot`, the event is that number plus the slot, one of `slots`.

    ```mlir
    ascend.}] # mnemonic # [{ mte2 to v event 0
    ascend.}] # mnemonic # [{ mte2 to v event 1 slot(%parity) of 2
    ```
  }];
  let arguments = (ins Ascend_PipeAttr:$source, Ascend_PipeAttr:$target, Ascend_IntAttr:$event, Optional<Index>:$slot,
                       DefaultValuedAttr<Ascend_IntAttr, "1">:$slots, UnitAttr:$virtual_event);
  let assemblyFormat = [{
    $source `to` $target (`virtual` $virtual_event^)? `event` $event (`slot` `(` $slot^ `)` `of` $slots)? attr-dict
  }];
  let hasVerifier = 1;
}
def Ascend_SetFlagOp : Ascend_FlagOp<"set_flag", "Raises an event when all earlier work of the source pipe is done">;
def Ascend_WaitFlagOp : Ascend_FlagOp<"wait_flag", "Holds the target pipe until an event is raised, then clears it">;

def Ascend_BarrierOp : Ascend_Op<"barrier"> {
  let summary = "Later instructions of a pipe start after earlier ones end (`PipeBarrier`)";
  let description = [{
    ```mlir
    ascend.barrier v
    ```
  }];
  let arguments = (ins Ascend_PipeAttr:$pipe);
  let assemblyFormat = "$pipe attr-dict";
  let hasVerifier = 1;
}

def Ascend_SyncAllOp : Ascend_Op<"sync_all"> {
  let summary = "All blocks meet: what each has done before is done for all after (`SyncAll`)";
  let description = [{
    Waits for all pipes of the core as `ascend.barrier all` does, then until every launched block has come here. Loads
    after it see what any block stored before it. All blocks must run at the same time, so there may be no more of
    them than vector cores, and all must come: it must be directly in the body of its kernel.

    ```mlir
    ascend.sync_all
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif // ATTN_ASCEND_OPS
