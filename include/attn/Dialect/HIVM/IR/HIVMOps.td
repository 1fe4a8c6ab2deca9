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
def HIVM_GetBlockNumOp : HIVM_IdOp<"get_block_num", "How many blocks are launched">;

def HIVM_PointerCastOp : HIVM_Op<"pointer_cast", [Pure, AttrSizedOperandSegments]> {
  let summary = "The memory at an address: bytes from the start of UB, or an address of GM";
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
  let summary = "dst = a scalar in every element";
  let arguments = (ins AnyType:$src, AnyMemRef:$dst);
  let assemblyFormat = "`ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)` attr-dict";
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
