// The operations of the vendor's `hivm` dialect that kernels are written in.
#ifndef ATTN_HIVM_OPS
#define ATTN_HIVM_OPS

include "attn/Dialect/HIVM/IR/HIVMDialect.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class HIVM_Op<string mnemonic, list<Trait> traits = []> : Op<HIVM_Dialect, "hir." # mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Start of a kernel, ids, memory
//===----------------------------------------------------------------------===//

def HIVM_SetMaskNormOp : HIVM_Op<"set_mask_norm"> {
  let summary = "Puts the vector unit's mask into its normal mode; first in a kernel";
  let assemblyFormat = "attr-dict";
}

def HIVM_SetFftsBaseAddrOp : HIVM_Op<"set_ffts_base_addr"> {
  let summary = "Says where the flags between cores lie; first in a kernel that has some";
  let arguments = (ins I64:$base);
  let assemblyFormat = "$base attr-dict";
}

class HIVM_IdOp<string mnemonic, string what> : HIVM_Op<mnemonic, [Pure]> {
  let summary = what;
  let results = (outs I64:$result);
  let assemblyFormat = "attr-dict `->` type($result)";
}
def HIVM_GetBlockIdxOp : HIVM_IdOp<"get_block_idx", "Which of the launched blocks this is">;
def HIVM_GetSubBlockIdxOp : HIVM_IdOp<"get_sub_block_idx", "Which of the vector cores of its block this is">;
def HIVM_GetBlockNumOp : HIVM_IdOp<"get_block_num", "How many blocks are launched">;

def HIVM_PointerCastOp : HIVM_Op<"pointer_cast", [Pure, AttrSizedOperandSegments]> {
  let summary = "The memory at an address: bytes from the start of a local memory, or an address of GM";
  let description = [{
    ```mlir
    %x = hivm.hir.pointer_cast(%address) : memref<4x123xf32, strided<[128, 1]>, #hivm.address_space<ub>>
    %v = hivm.hir.pointer_cast(%address) [%n] : memref<?xbf16, #hivm.address_space<gm>>
    ```
  }];
  // The vendor's op has several addresses where a loop has several buffers; one is what is written here.
  let arguments = (ins Variadic<I64>:$addresses, Variadic<Index>:$sizes);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "`(` $addresses `)` (`[` $sizes^ `]`)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

class HIVM_CopyLikeOp<string mnemonic, string what> : HIVM_Op<mnemonic> {
  let summary = what;
  let arguments = (ins AnyMemRef:$src, AnyMemRef:$dst);
  let assemblyFormat = "`ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)` attr-dict";
  let hasVerifier = 1;
}
def HIVM_LoadOp : HIVM_CopyLikeOp<"load", "GM to UB; zeros follow each row up to its next 32-byte block (MTE2)">;
def HIVM_StoreOp : HIVM_CopyLikeOp<"store", "UB to GM (MTE3)">;
def HIVM_CopyOp : HIVM_CopyLikeOp<"copy", "UB to UB (V)">;

//===----------------------------------------------------------------------===//
// Arithmetic, on V
//===----------------------------------------------------------------------===//

/// Sources have the shape of the destination, or 1 in the dimensions of `broadcast`; the right one may be a scalar.
class HIVM_ElementwiseOp<string mnemonic, string what> : HIVM_Op<mnemonic, [AttrSizedOperandSegments]> {
  let summary = what;
  let arguments = (ins Variadic<AnyType>:$src, AnyMemRef:$dst, Optional<AnyMemRef>:$temp_buffer,
                       OptionalAttr<DenseI64ArrayAttr>:$broadcast);
  let assemblyFormat = [{
    `ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)`
    (`temp_buffer` `(` $temp_buffer^ `:` type($temp_buffer) `)`)? (`broadcast` `=` $broadcast^)? attr-dict
  }];
  let hasVerifier = 1;
}
def HIVM_VAddOp : HIVM_ElementwiseOp<"vadd", "dst = a + b">;
def HIVM_VSubOp : HIVM_ElementwiseOp<"vsub", "dst = a - b">;
def HIVM_VMulOp : HIVM_ElementwiseOp<"vmul", "dst = a * b">;
def HIVM_VDivOp : HIVM_ElementwiseOp<"vdiv", "dst = a / b">;
def HIVM_VMaxOp : HIVM_ElementwiseOp<"vmax", "dst = max(a, b)">;
def HIVM_VMinOp : HIVM_ElementwiseOp<"vmin", "dst = min(a, b)">;
def HIVM_VAndOp : HIVM_ElementwiseOp<"vand", "dst = a and b, bit by bit">;
def HIVM_VOrOp : HIVM_ElementwiseOp<"vor", "dst = a or b, bit by bit">;
def HIVM_VExpOp : HIVM_ElementwiseOp<"vexp", "dst = exp(a)">;
def HIVM_VLnOp : HIVM_ElementwiseOp<"vln", "dst = ln(a)">;
def HIVM_VSqrtOp : HIVM_ElementwiseOp<"vsqrt", "dst = sqrt(a)">;
def HIVM_VAbsOp : HIVM_ElementwiseOp<"vabs", "dst = |a|">;
def HIVM_VReluOp : HIVM_ElementwiseOp<"vrelu", "dst = max(a, 0)">;

def HIVM_VCastOp : HIVM_Op<"vcast"> {
  let summary = "dst = a in another type, rounded as named";
  let arguments = (ins AnyMemRef:$src, AnyMemRef:$dst, HIVM_RoundModeAttr:$round_mode);
  let assemblyFormat = [{
    `ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)` `round_mode` `=` $round_mode attr-dict
  }];
  let hasVerifier = 1;
}

def HIVM_VBrcOp : HIVM_Op<"vbrc"> {
  let summary = "dst = a scalar in every element, in UB (V) or, as one run of whole blocks, in L1 (MTE2)";
  let arguments = (ins AnyType:$src, AnyMemRef:$dst);
  let assemblyFormat = "`ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)` attr-dict";
  let hasVerifier = 1;
}

def HIVM_VTransposeOp : HIVM_Op<"vtranspose"> {
  let summary = "dst[c, r] = src[r, c]";
  let description = [{
    ```mlir
    hivm.hir.vtranspose ins(%x : memref<16x64xf16, #ub>) outs(%y : memref<64x16xf16, #ub>) permutation = [1, 0]
    ```
  }];
  let arguments = (ins AnyMemRef:$src, AnyMemRef:$dst, DenseI64ArrayAttr:$permutation);
  let assemblyFormat = [{
    `ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)` `permutation` `=` $permutation attr-dict
  }];
  let hasVerifier = 1;
}

def HIVM_VReduceOp : HIVM_Op<"vreduce"> {
  let summary = "dst[r, 0] = the reduction of row r";
  let description = [{
    ```mlir
    hivm.hir.vreduce <sum> ins(%x : memref<4x64xf32, #ub>) outs(%r : memref<4x1xf32, #ub>) temp_buffer(%t : memref<64xf32, #ub>) reduce_dims = [1]
    ```
  }];
  let arguments = (ins HIVM_ReduceAttr:$arith, AnyMemRef:$src, AnyMemRef:$dst, Optional<AnyMemRef>:$temp_buffer,
                       DenseI64ArrayAttr:$reduce_dims);
  let assemblyFormat = [{
    $arith `ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)`
    (`temp_buffer` `(` $temp_buffer^ `:` type($temp_buffer) `)`)? `reduce_dims` `=` $reduce_dims attr-dict
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Products, on cube cores
//===----------------------------------------------------------------------===//

// Matrices of L1 and L0C are of four dimensions: column blocks, row blocks, the 16 rows of a block, its columns.

def HIVM_Nd2NzOp : HIVM_Op<"nd2nz"> {
  let summary = "Rows of GM to fractals in L1; zeros follow each row up to its next 32-byte block (MTE2)";
  let description = [{
    Sizes are those of the source. The destination says where it begins and how many rows a column block has room for.
    `dst_continuous` is what the vendor's template demands.
    ```mlir
    hivm.hir.nd2nz {dst_continuous} ins(%a : memref<?x64xf16, strided<[?, 1], offset: ?>, #gm>) outs(%l : memref<4x8x16x16xf16, #cbuf>) init_out_buffer = false
    ```
  }];
  let arguments = (ins AnyMemRef:$src, AnyMemRef:$dst, UnitAttr:$dst_continuous, BoolAttr:$init_out_buffer);
  let assemblyFormat = [{
    attr-dict `ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)` `init_out_buffer` `=` $init_out_buffer
  }];
  let hasVerifier = 1;
}

def HIVM_MmadL1Op : HIVM_Op<"mmadL1"> {
  let summary = "L0C = or += the product of two matrices of L1 (MTE1, then M)";
  let description = [{
    The sizes are m, k and n. `a` is m × k or with `a_transpose` k × m, `b` is k × n or with `b_transpose` n × k. The vendor's template takes all of L0A and
    L0B for parts of the operands, and flags of its own between MTE1 and M. Sums may start from a row of L1, `bias`, which it loads to the bias
    table with every part; only where no operand is transposed.
    ```mlir
    hivm.hir.mmadL1 {b_transpose} ins(%a, %b, %init, %m, %k, %n : memref<4x8x16x16xf16, #cbuf>, memref<4x16x16x16xf16, #cbuf>, i1, index, index, index) outs(%c : memref<16x8x16x16xf32, #cc>)
    hivm.hir.mmadL1 ins(%a, %b, %init, %m, %k, %n, %row : memref<4x8x16x16xf16, #cbuf>, memref<16x4x16x16xf16, #cbuf>, i1, index, index, index, memref<1x1x1x256xf32, #cbuf>) outs(%c : memref<16x8x16x16xf32, #cc>)
    ```
  }];
  let arguments = (ins AnyMemRef:$a, AnyMemRef:$b, I1:$init, Index:$m, Index:$k, Index:$n, Optional<AnyMemRef>:$bias, AnyMemRef:$c,
                       UnitAttr:$a_transpose, UnitAttr:$b_transpose);
  let assemblyFormat = [{
    attr-dict `ins` `(` $a `,` $b `,` $init `,` $m `,` $k `,` $n (`,` $bias^)? `:` type($a) `,` type($b) `,` type($init) `,` type($m) `,` type($k) `,`
    type($n) (`,` type($bias)^)? `)`
    `outs` `(` $c `:` type($c) `)`
  }];
  let hasVerifier = 1;
}

def HIVM_FixpipeOp : HIVM_Op<"fixpipe"> {
  let summary = "Fractals of L0C to rows of GM, converted (FIX)";
  let description = [{
    Sizes are those of the destination. The source says how many rows a column block has room for.
    ```mlir
    hivm.hir.fixpipe {dma_mode = #hivm.dma_mode<nz2nd>, pre_quant = #hivm.fixpipe_pre_quant_mode<F322F16>} ins(%c : memref<16x8x16x16xf32, #cc>) outs(%o : memref<?x?xf16, strided<[?, 1], offset: ?>, #gm>)
    ```
  }];
  let arguments = (ins AnyMemRef:$src, AnyMemRef:$dst, HIVM_FixpipeModeAttr:$dma_mode, OptionalAttr<HIVM_FixpipeQuantAttr>:$pre_quant,
                       OptionalAttr<HIVM_FixpipeReluAttr>:$pre_relu);
  let assemblyFormat = "attr-dict `ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)`";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Synchronisation
//===----------------------------------------------------------------------===//

class HIVM_FlagOp<string mnemonic, string what> : HIVM_Op<mnemonic> {
  let summary = what;
  let description = [{
    ```mlir
    hivm.hir.}] # mnemonic # [{[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID5>]
    hivm.hir.}] # mnemonic # [{[<PIPE_MTE2>, <PIPE_V>, %event]
    ```
  }];
  let arguments = (ins HIVM_PipeAttr:$set_pipe, HIVM_PipeAttr:$wait_pipe, OptionalAttr<HIVM_EventAttr>:$static_event_id,
                       Optional<I64>:$dynamic_event_id);
  let assemblyFormat = [{
    `[` $set_pipe `,` $wait_pipe `,` custom<Event>($static_event_id, $dynamic_event_id) `]` attr-dict
  }];
  let hasVerifier = 1;
}
def HIVM_SetFlagOp : HIVM_FlagOp<"set_flag", "Raises an event when all earlier work of the first pipe is done">;
def HIVM_WaitFlagOp : HIVM_FlagOp<"wait_flag", "Holds the second pipe until an event is raised, then clears it">;

def HIVM_PipeBarrierOp : HIVM_Op<"pipe_barrier"> {
  let summary = "Later instructions of a pipe start after earlier ones end";
  let arguments = (ins HIVM_PipeAttr:$pipe);
  let assemblyFormat = "`[` $pipe `]` attr-dict";
}

def HIVM_SyncBlockSetOp : HIVM_Op<"sync_block_set"> {
  let summary = "Raises a flag between cores when all earlier work of the first pipe is done";
  let description = [{
    Within a group (`INTRA_BLOCK_SYNCHRONIZATION`), or over all cores of a kind. The core type is that of the core which sets.
    ```mlir
    hivm.hir.sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_MTE2>] flag = 6 ffts_base_addr = %ffts sync_instr_mode = <INTRA_BLOCK_SYNCHRONIZATION>
    ```
  }];
  let arguments = (ins HIVM_CoreTypeAttr:$tcore_type, HIVM_PipeAttr:$tpipe, HIVM_PipeAttr:$pipe, I64Attr:$static_flag_id,
                       I64:$ffts_base_addr, HIVM_SyncModeAttr:$tsync_instr_mode);
  let assemblyFormat = [{
    `[` $tcore_type `,` $tpipe `,` $pipe `]` `flag` `=` $static_flag_id `ffts_base_addr` `=` $ffts_base_addr
    `sync_instr_mode` `=` $tsync_instr_mode attr-dict
  }];
}

def HIVM_SyncBlockWaitOp : HIVM_Op<"sync_block_wait"> {
  let summary = "Holds the second pipe until all cores have raised a flag";
  let arguments = (ins HIVM_CoreTypeAttr:$tcore_type, HIVM_PipeAttr:$tpipe, HIVM_PipeAttr:$pipe, I64Attr:$static_flag_id);
  let assemblyFormat = "`[` $tcore_type `,` $tpipe `,` $pipe `]` `flag` `=` $static_flag_id attr-dict";
}

def HIVM_SyncBlockOp : HIVM_Op<"sync_block"> {
  let summary = "Cores meet: each waits until all of them are here, with what they did before done";
  let description = [{
    For text that the vendor's compiler still plans and synchronises itself (`--emit=linalg`). It makes a barrier, a flag to all
    cores and the wait for theirs of it; only with `PIPE_ALL` do loads wait as well.
    ```mlir
    hivm.hir.sync_block[<ALL_VECTOR>, 9 : i16] tvector_pipe = <PIPE_ALL>
    ```
  }];
  let arguments = (ins HIVM_SyncBlockModeAttr:$sync_block_mode, APIntAttr:$flag_id, HIVM_PipeAttr:$tvector_pipe);
  let assemblyFormat = "`[` $sync_block_mode `,` $flag_id `]` `tvector_pipe` `=` $tvector_pipe attr-dict";
}

#endif // ATTN_HIVM_OPS
