// The vendor's `hivm` dialect, as far as kernels are written in it.
#ifndef ATTN_HIVM_DIALECT
#define ATTN_HIVM_DIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def HIVM_Dialect : Dialect {
  let name = "hivm";
  let cppNamespace = "::attn::hivm";
  let summary = "The vendor's chip IR, as far as kernels are written in it";
  let description = [{
    A subset of the dialect that `bishengir-opt` (ascendnpu-ir 1.2.0) reads: the ops that `attn-opt --emit=hivm` and
    `--emit=linalg` print, with the vendor's names, attributes and assembly. Text in it is read by both. What the ops mean,
    and which are printed for what, is in [HIVM.md](../HIVM.md) and [Linalg.md](../Linalg.md).
  }];
  let useDefaultAttributePrinterParser = 1;
}

class HIVM_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::attn::hivm";
  let genSpecializedAttr = 0;
}

class HIVM_EnumAttr<EnumAttrInfo info, string mnemonic> : EnumAttr<HIVM_Dialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def HIVM_AddressSpace : HIVM_Enum<"AddressSpace", "a memory of the chip", [
    I32EnumAttrCase<"GM", 1, "gm">, I32EnumAttrCase<"L1", 2, "cbuf">, I32EnumAttrCase<"L0C", 5, "cc">,
    I32EnumAttrCase<"UB", 6, "ub">]>;
def HIVM_AddressSpaceAttr : HIVM_EnumAttr<HIVM_AddressSpace, "address_space">;

def HIVM_Pipe : HIVM_Enum<"Pipe", "an instruction queue of a core", [
    I32EnumAttrCase<"PIPE_S", 0>, I32EnumAttrCase<"PIPE_V", 1>, I32EnumAttrCase<"PIPE_M", 2>,
    I32EnumAttrCase<"PIPE_MTE1", 3>, I32EnumAttrCase<"PIPE_MTE2", 4>, I32EnumAttrCase<"PIPE_MTE3", 5>,
    I32EnumAttrCase<"PIPE_ALL", 6>, I32EnumAttrCase<"PIPE_FIX", 10>]>;
def HIVM_PipeAttr : HIVM_EnumAttr<HIVM_Pipe, "pipe">;

def HIVM_Event : HIVM_Enum<"Event", "a flag between two pipes", [
    I32EnumAttrCase<"EVENT_ID0", 0>, I32EnumAttrCase<"EVENT_ID1", 1>, I32EnumAttrCase<"EVENT_ID2", 2>,
    I32EnumAttrCase<"EVENT_ID3", 3>, I32EnumAttrCase<"EVENT_ID4", 4>, I32EnumAttrCase<"EVENT_ID5", 5>,
    I32EnumAttrCase<"EVENT_ID6", 6>, I32EnumAttrCase<"EVENT_ID7", 7>]>;
def HIVM_EventAttr : HIVM_EnumAttr<HIVM_Event, "event">;

def HIVM_CoreType : HIVM_Enum<"CoreType", "what runs a function or is synchronised", [
    I32EnumAttrCase<"CUBE", 1>, I32EnumAttrCase<"VECTOR", 2>]>;
def HIVM_CoreTypeAttr : HIVM_EnumAttr<HIVM_CoreType, "tcore_type">;

def HIVM_FuncCoreType : HIVM_Enum<"FuncCoreType", "the core that a function is for", [
    I32EnumAttrCase<"AIC", 1>, I32EnumAttrCase<"AIV", 2>]>;
def HIVM_FuncCoreTypeAttr : HIVM_EnumAttr<HIVM_FuncCoreType, "func_core_type">;
def HIVM_ModuleCoreType : HIVM_Enum<"ModuleCoreType", "the cores that a module is for", [
    I32EnumAttrCase<"AIC", 1>, I32EnumAttrCase<"AIV", 2>, I32EnumAttrCase<"MIX", 3>]>;
def HIVM_ModuleCoreTypeAttr : HIVM_EnumAttr<HIVM_ModuleCoreType, "module_core_type">;

def HIVM_SyncMode : HIVM_Enum<"SyncMode", "who waits for a flag between cores", [
    I32EnumAttrCase<"INTER_BLOCK_SYNCHRONIZATION", 0>, I32EnumAttrCase<"INTRA_BLOCK_SYNCHRONIZATION", 2>]>;
def HIVM_SyncModeAttr : HIVM_EnumAttr<HIVM_SyncMode, "sync_block_instr_mode">;

def HIVM_SyncBlockMode : HIVM_Enum<"SyncBlockMode", "which cores meet", [I32EnumAttrCase<"ALL_VECTOR", 1>]>;
def HIVM_SyncBlockModeAttr : HIVM_EnumAttr<HIVM_SyncBlockMode, "sync_block_mode">;

def HIVM_Reduce : HIVM_Enum<"Reduce", "what a reduction does", [
    I32EnumAttrCase<"Sum", 1, "sum">, I32EnumAttrCase<"Max", 3, "max">, I32EnumAttrCase<"Min", 4, "min">]>;
def HIVM_ReduceAttr : HIVM_EnumAttr<HIVM_Reduce, "reduce_op">;

def HIVM_RoundMode : HIVM_Enum<"RoundMode", "how a cast rounds", [
    I32EnumAttrCase<"Rint", 0, "rint">, I32EnumAttrCase<"Round", 1, "round">, I32EnumAttrCase<"Floor", 2, "floor">,
    I32EnumAttrCase<"Ceil", 3, "ceil">, I32EnumAttrCase<"Trunc", 4, "trunc">]>;
def HIVM_RoundModeAttr : HIVM_EnumAttr<HIVM_RoundMode, "round_mode">;

def HIVM_FixpipeMode : HIVM_Enum<"FixpipeMode", "what becomes of fractals on the way out of L0C", [
    I32EnumAttrCase<"NZ2ND", 0, "nz2nd">]>;
def HIVM_FixpipeModeAttr : HIVM_EnumAttr<HIVM_FixpipeMode, "dma_mode">;

def HIVM_FixpipeQuant : HIVM_Enum<"FixpipeQuant", "how a value is converted on the way out of L0C", [
    I32EnumAttrCase<"F322F16", 1>, I32EnumAttrCase<"F322BF16", 16>]>;
def HIVM_FixpipeQuantAttr : HIVM_EnumAttr<HIVM_FixpipeQuant, "fixpipe_pre_quant_mode">;

def HIVM_FixpipeRelu : HIVM_Enum<"FixpipeRelu", "what becomes of negative values on the way out of L0C", [
    I32EnumAttrCase<"NORMAL_RELU", 1>]>;
def HIVM_FixpipeReluAttr : HIVM_EnumAttr<HIVM_FixpipeRelu, "fixpipe_pre_relu_mode">;

#endif // ATTN_HIVM_DIALECT
