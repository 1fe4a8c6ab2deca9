// The vendor's `hacc` dialect, as far as kernels are written in it.
#ifndef ATTN_HACC_DIALECT
#define ATTN_HACC_DIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def HACC_Dialect : Dialect {
  let name = "hacc";
  let cppNamespace = "::attn::hacc";
  let summary = "The vendor's attributes of kernels and their arguments";
  let description = [{
    A kernel has the unit attribute `hacc.entry` and `hacc.function_kind`; arguments that the vendor's launcher adds have
    `hacc.arg_type`. Functions of the host that belong to a kernel have `hacc.host_func_type`.
  }];
  let useDefaultAttributePrinterParser = 1;
}

class HACC_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::attn::hacc";
  let genSpecializedAttr = 0;
}

def HACC_FunctionKind : HACC_Enum<"FunctionKind", "where a function runs", [
    I32EnumAttrCase<"HOST", 1>, I32EnumAttrCase<"DEVICE", 2>]>;
def HACC_FunctionKindAttr : EnumAttr<HACC_Dialect, HACC_FunctionKind, "function_kind"> {
  let assemblyFormat = "`<` $value `>`";
}

def HACC_HostFuncType : HACC_Enum<"HostFuncType", "what a function of the host is for", [
    I32EnumAttrCase<"InferTaskTypeFunction", 0, "infer_task_type_function">]>;
def HACC_HostFuncTypeAttr : EnumAttr<HACC_Dialect, HACC_HostFuncType, "host_func_type"> {
  let assemblyFormat = "`<` $value `>`";
}

def HACC_ArgType : HACC_Enum<"ArgType", "an argument that the launcher adds", [
    I32EnumAttrCase<"FftsBaseAddress", 0, "ffts_base_address">]>;
def HACC_ArgTypeAttr : EnumAttr<HACC_Dialect, HACC_ArgType, "arg_type"> {
  let assemblyFormat = "`<` $value `>`";
}

#endif // ATTN_HACC_DIALECT
