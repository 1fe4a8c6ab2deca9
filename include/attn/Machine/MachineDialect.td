// The target that a module carries.
#ifndef ATTN_MACHINE_DIALECT
#define ATTN_MACHINE_DIALECT

include "mlir/IR/AttrTypeBase.td"

def Machine_Dialect : Dialect {
  let name = "machine";
  let cppNamespace = "::attn::machine";
  let summary = "The chip a module is compiled for";
  let description = [{
    Holds one attribute. A module carries it as `machine.target`; passes read sizes, counts and
    rates from it and from nowhere else, so a test can declare a chip with 1 KiB of UB:

    ```mlir
    module attributes {machine.target = #machine.target<"Ascend910B4">} {}
    module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 1024 : i64}>} {}
    ```
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
}

def Machine_TargetAttr : AttrDef<Machine_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "A chip by name, with single facts replaced";
  let description = [{
    The name is one of the machine table's. A declared size is the usable size: nothing is taken off
    for what the real chip reserves.
  }];
  let parameters = (ins "::mlir::StringAttr":$name,
                        OptionalParameter<"::mlir::DictionaryAttr">:$overrides);
  let assemblyFormat = "`<` $name (`,` $overrides^)? `>`";
  let genVerifyDecl = 1;
}

#endif // ATTN_MACHINE_DIALECT
