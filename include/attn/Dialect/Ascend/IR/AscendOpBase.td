// What all operations of the ascend dialect are made of.
#ifndef ATTN_ASCEND_OP_BASE
#define ATTN_ASCEND_OP_BASE

include "attn/Dialect/Ascend/IR/AscendDialect.td"
include "attn/Dialect/Ascend/IR/AscendInterfaces.td"
include "mlir/IR/OpBase.td"

/// A 64-bit number, signed for C++.
def Ascend_IntAttr : TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit signless integer attribute">;

/// An array in GM, or a list of them.
def Ascend_ArrayType : AnyTypeOf<[AnyMemRef, Ascend_TableType]>;

class Ascend_Op<string mnemonic, list<Trait> traits = []> : Op<Ascend_Dialect, mnemonic, traits>;

/// `methods` names those that are not as the interface has them by default.
class Ascend_Instruction<string mnemonic, list<string> methods = []>
    : Ascend_Op<mnemonic, [DeclareOpInterfaceMethods<Ascend_InstructionOpInterface, methods>]> {
  let hasVerifier = 1;
}

#endif // ATTN_ASCEND_OP_BASE
