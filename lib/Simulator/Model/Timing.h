// What an instruction costs on its pipe, from the cost table of the machine.
#ifndef ATTN_LIB_SIMULATOR_MODEL_TIMING_H
#define ATTN_LIB_SIMULATOR_MODEL_TIMING_H

#include "attn/Machine/Costs.h"
#include "attn/Simulator/Model/Instruction.h"

namespace attn::simulator {

/// Cycles of a vector instruction: on top of `work` come `start` when the pipe was empty or after a
/// barrier or flag, and `drain` until its result may be used.
struct VectorTime {
  double start;
  double work;
  double drain;
};
VectorTime getVectorTime(const Costs &costs, const Issued &issued);

/// A copy as the pool of GM bandwidth sees it.
struct TransferTime {
  double start;
  /// Cycles it takes alone.
  double work;
  /// Bytes it draws from the pool, and those it moves.
  double drawnBytes;
  int64_t bytes;
};
TransferTime getTransferTime(const Costs &costs, const Issued &issued);

} // namespace attn::simulator

#endif // ATTN_LIB_SIMULATOR_MODEL_TIMING_H
