// A kernel as the scalar unit runs it: a line of steps over registers, made from the IR once per
// launch.
#ifndef ATTN_LIB_SIMULATOR_IR_PROGRAM_H
#define ATTN_LIB_SIMULATOR_IR_PROGRAM_H

#include "attn/Simulator/Model/ScalarArithmetic.h"
#include "attn/Simulator/Model/Session.h"

namespace attn::simulator {

struct Step {
  enum class Kind : uint8_t {
    Evaluate,   ///< dst = evaluate(a, b, c)
    Move,       ///< dst = a (scalar)
    MovePlace,  ///< dst = a (place)
    CheckStep,  ///< a must be positive
    LoopTest,   ///< unless a < b (unsigned if c) go to target
    JumpUnless, ///< unless a go to target
    Jump,       ///< go to target
    Slot,       ///< dst = slot b of place a; `bytes` apart, `count` of them
    Slice,      ///< dst = place a from element b on; `bytes` each
    Address,    ///< dst = element of array a at `count` indices listed from b on
    Lookup,     ///< dst = entry b of the table of `count` arrays from array a on
    LoadIndex,  ///< dst = integer of array a at `count` indices listed from b on
    Expect,     ///< say so where a is not b: an index or end of a dimension of `count` elements, or
                ///< the end of a loop
    Distinct,   ///< say so where row a, which place b begins, was written by this step before
    Issue,      ///< send instruction a of the program to its pipe
    Return,
  };
  Kind kind;
  int32_t dst = -1, a = -1, b = -1, c = -1;
  int32_t target = -1;
  int64_t bytes = 0;
  int64_t count = 0;
  Evaluate evaluate = nullptr;
  mlir::Operation *op = nullptr;
};

/// An instruction of the program, and the registers that it takes its operands from.
struct OperandRegisters {
  const Instruction *instruction = nullptr;
  llvm::SmallVector<int, 4> places;
  llvm::SmallVector<int, 3> amounts;
  /// Of rows in a column block of sums; -1 where the instruction knows them.
  int room = -1;
  int scalar = -1;
};

struct Program {
  mlir::func::FuncOp function;
  std::vector<Step> steps;
  /// One entry per instruction of the program.
  std::vector<OperandRegisters> operands;
  /// Registers at the start.
  std::vector<Scalar> scalars;
  std::vector<Place> places;
  /// Registers of the indices of `Address` steps.
  std::vector<int> indices;
  /// Registers that hold the place of the core in the launch, and the number of blocks.
  llvm::SmallVector<int, 2> blockIds, coreIds, subBlockIds, blockCounts;
  llvm::SmallVector<int, 1> results;
};

/// Flattens a kernel, a half of one, or the function that counts its tiles, and adds its
/// instructions and buffers to `listing`. Ops that the simulator does not know give an error at
/// their location.
mlir::FailureOr<Program> flatten(mlir::func::FuncOp function, const Launch &launch,
                                 Listing &listing);

/// Registers of the values that an instruction uses.
struct RegisterLookup {
  llvm::function_ref<int(mlir::Value)> scalar;
  llvm::function_ref<int(mlir::Value)> place;
};
struct Decoded {
  Instruction instruction;
  OperandRegisters operands;
};
/// Turns an ascend instruction, flag or barrier into its table form; fails without a diagnostic
/// where `op` is none.
mlir::FailureOr<Decoded> decode(mlir::Operation *op, RegisterLookup registers);

} // namespace attn::simulator

#endif // ATTN_LIB_SIMULATOR_IR_PROGRAM_H
