// What every instruction of the chip tells of itself.
#ifndef ATTN_ASCEND_INTERFACES
#define ATTN_ASCEND_INTERFACES

include "mlir/IR/OpBase.td"

def Ascend_InstructionOpInterface : OpInterface<"InstructionOpInterface"> {
  let cppNamespace = "::attn::ascend";
  let description = [{
    An op that the scalar unit issues to a pipe. Planning and synchronisation know an instruction only through
    this interface (`scripts/check_ops.py` holds them to it); the simulator does not use it, and a test per op compares
    what it sees with what the interface says.
  }];
  let methods = [
    InterfaceMethod<"The pipe that executes the instruction.", "::attn::ascend::Pipe", "getPipe">,
    InterfaceMethod<[{
      The pipes that it occupies, one after the other: each begins when the one before is done, and the first goes on when the last is. For that
      the instruction raises flags between them by itself, and no others may be used there.
    }], "::llvm::SmallVector<::attn::ascend::Pipe, 2>", "getPipes", (ins), "", "return {$_op.getPipe()};">,
    InterfaceMethod<[{
      The memory it reads and writes, one entry per operand and direction, as far as its amounts can reach by `ranges`.
    }], "void", "getAccesses", (ins "::llvm::SmallVectorImpl<::attn::ascend::Access> &":$accesses,
                                    "const ::attn::IndexRanges &":$ranges)>,
    InterfaceMethod<"The kind of core that executes it: the one with the local memory that it touches.",
                    "::attn::CoreKind", "getCoreKind", (ins), "", "return ::attn::ascend::findCoreKind($_op);">,
    InterfaceMethod<"Two buffers that it reads in step, if any: they are read fastest from different bank groups.",
                    "::std::optional<::std::pair<::mlir::Value, ::mlir::Value>>", "getPairedSources", (ins), "",
                    "return ::std::nullopt;">,
    InterfaceMethod<"Whether it stands for several calls, which `ascend-expand-composites` writes out.", "bool",
                    "isComposite", (ins), "", "return false;">,
  ];
  let extraClassDeclaration = [{
    /// The accesses, where only their memories and directions are of interest.
    void getAccesses(::llvm::SmallVectorImpl<::attn::ascend::Access> &accesses) {
      getAccesses(accesses, ::attn::IndexRanges());
    }
  }];
}

#endif // ATTN_ASCEND_INTERFACES
