// What instructions cost (NPU arch 2201): one table for the simulator and for the estimates of
// passes.
#ifndef ATTN_MACHINE_COSTS_H
#define ATTN_MACHINE_COSTS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace attn {

/// Everything but the vector instructions; members, units and sources are in CostFacts.def.
struct Costs {
#define ATTN_COST(member, value, unit, source) double member = value;
#include "attn/Machine/CostFacts.def"
};

/// A line of CostFacts.def, for listings.
struct CostFact {
  llvm::StringRef name;
  double value;
  llvm::StringRef unit;
  llvm::StringRef source;
};
llvm::SmallVector<CostFact> getFacts(const Costs &costs);

/// Vector instructions that cost alike.
enum class VectorFamily {
#define ATTN_VECTOR_COST(family, slope32, slope16, start, drain, source) family,
#include "attn/Machine/VectorCosts.def"
};

/// Cycles of a vector instruction: `start` when the pipe was empty or after a barrier or flag,
/// `slope` per repeat of 256 bytes, `drain` until a dependent instruction may use the result.
struct VectorCost {
  double slope;
  double start;
  double drain;
  llvm::StringRef source;
};
VectorCost getVectorCost(VectorFamily family, int64_t elementBytes);

/// One operand of a vector instruction as the banks of UB see it: its address and its strides
/// between blocks and repeats in bytes, and the blocks that one repeat touches.
struct BankOperand {
  int64_t address;
  int64_t blockStride;
  int64_t repeatStride;
  int64_t blocks;
};

/// Average extra cycles per repeat for bank conflicts, before an instruction of slope 2 or more
/// hides one.
double getBankConflicts(const Costs &costs, const BankOperand &destination,
                        llvm::ArrayRef<BankOperand> sources, int64_t repeats);

/// Cycles that a vector instruction occupies its pipe, without start and drain.
double getVectorWork(const VectorCost &cost, int64_t repeats, double conflictsPerRepeat);

/// Cycles that a copy between GM and UB occupies its pipe at least, without start and sharing.
double getCopyWork(const Costs &costs, bool isLoad, int64_t rows, int64_t bytes);

/// How a matrix comes from L1 to L0A or L0B.
enum class LoadForm { Whole, Fractals };

/// The loads that bring an operand of a product to L0A or L0B: how many there are, and the cycles
/// that all of them keep the pipe busy.
struct OperandLoads {
  LoadForm form;
  int64_t count;
  double work;
};

/// Cycles until both operands of a product are in L0A and L0B, from an idle pipe on.
double getLoadsToL0Cycles(const Costs &costs, const OperandLoads &first,
                          const OperandLoads &second);

/// How far predictions were from published measurements, and what the model leaves out; printed
/// with every prediction.
llvm::ArrayRef<llvm::StringLiteral> getKnownErrors();

} // namespace attn

#endif // ATTN_MACHINE_COSTS_H
