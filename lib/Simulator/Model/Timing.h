// What an instruction costs on its pipe, from the cost table of the machine.
#ifndef ATTN_LIB_SIMULATOR_MODEL_TIMING_H
#define ATTN_LIB_SIMULATOR_MODEL_TIMING_H

#include "L2Cache.h"
#include "SharedPools.h"
#include "attn/Machine/Costs.h"
#include "attn/Simulator/Model/Instruction.h"

namespace attn::simulator {

/// Cycles of an instruction that stays inside a core: on top of `work` come `start` when the pipe
/// was empty or after a barrier or flag, and `drain` until its result may be used.
struct LocalTime {
  double start;
  double work;
  double drain;
};

/// The times of the instructions of a launch. Bank conflicts take long to count, and loops issue
/// the same instructions with the same operands again: what was found for them is kept.
class LocalTimes {
public:
  LocalTime get(const Costs &costs, const Issued &issued);

private:
  /// The time of an elementwise instruction for an amount and places of its operands.
  struct Kept {
    int64_t amount;
    std::array<int64_t, maxOperands> offsets;
    LocalTime time;
  };
  /// Slots and strips give an instruction few places; more than so many are not looked through.
  static constexpr size_t mostKept = 12;

  LocalTime getElementwise(const Costs &costs, const Issued &issued);

  /// By the number of the instruction.
  std::vector<std::vector<Kept>> kept;
  size_t nextReplaced = 0;
};

/// What products compute: multiplications and additions, and the cycles that they fill of a cube
/// core that does nothing else and wastes no part of a fractal.
struct ProductWork {
  int64_t operations = 0;
  double cycles = 0;
};
/// Of one instruction; none of one that does not multiply.
ProductWork getProductWork(const Costs &costs, const Issued &issued);

/// The operand of an instruction that lies in GM; none where it stays inside the core.
std::optional<int> findGlobalOperand(const Issued &issued);

/// A transfer between a core and GM, as far as the core goes.
struct Transfer {
  GlobalRows rows;
  bool isToL1 = false;
  int64_t bytes = 0;
  double start = 0;
  /// Cycles for its rows, and for its bytes: the larger ones count.
  double rowWork = 0;
  double byteWork = 0;
  /// Rows that are not whole blocks apart make it longer, in GM too.
  double pitchFactor = 1;

  double getWork() const { return pitchFactor * std::max(rowWork, byteWork); }
};
/// `arrayAddress` is where the array in GM lies.
Transfer getTransfer(const Costs &costs, const Issued &issued, int64_t arrayAddress);

/// What a transfer draws from the pools, given what L2 had of it; adds what that costs the core.
PoolBytes addMemory(const Costs &costs, const L2Outcome &found, Transfer &transfer);

} // namespace attn::simulator

#endif // ATTN_LIB_SIMULATOR_MODEL_TIMING_H
