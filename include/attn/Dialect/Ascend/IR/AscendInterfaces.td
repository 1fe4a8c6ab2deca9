// What every instruction of the chip tells: its pipe and the memory it touches.
#ifndef ATTN_ASCEND_INTERFACES
#define ATTN_ASCEND_INTERFACES

include "mlir/IR/OpBase.td"

def Ascend_InstructionOpInterface : OpInterface<"InstructionOpInterface"> {
  let cppNamespace = "::attn::ascend";
  let description = [{
    An op that the scalar unit issues to a pipe. Planning and synchronisation know an instruction only through
    this interface; the simulator does not use it, and a test per op compares what it sees with what the
    interface says.
  }];
  let methods = [
    InterfaceMethod<"The pipe that executes the instruction.", "::attn::ascend::Pipe", "getPipe">,
    InterfaceMethod<"The memory it reads and writes, one entry per operand and direction.", "void",
                    "getAccesses", (ins "::llvm::SmallVectorImpl<::attn::ascend::Access> &":$accesses)>,
  ];
}

#endif // ATTN_ASCEND_INTERFACES
