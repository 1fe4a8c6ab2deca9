// The scalar unit of a core: runs the steps of a program up to the next instruction for a pipe.
#ifndef ATTN_LIB_EXECUTION_SIMULATOR_SCALARUNIT_H
#define ATTN_LIB_EXECUTION_SIMULATOR_SCALARUNIT_H

#include "Program.h"

namespace attn::simulator {

/// Per pipe, how many of its instructions are known to be finished.
using Clock = std::array<uint32_t, pipeCount>;

inline void join(Clock &clock, const Clock &other) {
  for (int pipe = 0; pipe < pipeCount; ++pipe)
    clock[pipe] = std::max(clock[pipe], other[pipe]);
}

/// An instruction on its way: its operands have become places and numbers.
struct Issued {
  const Instruction *instruction = nullptr;
  std::array<Place, 4> places;
  std::array<int64_t, 3> amounts = {};
  Scalar scalar;
  /// When it enters its pipe's queue.
  double arrival = 0;
  /// Its number on its pipe, from 1 on.
  uint32_t sequence = 0;
  /// What the scalar unit knew to be finished when it issued it.
  Clock known = {};
};

class ScalarUnit {
public:
  ScalarUnit(const Program &program, const Launch &launch, int64_t block, int64_t blocks,
             int64_t maxSteps);

  enum class Stop { Issue, Finished, Failed };
  /// Runs until an instruction is ready (then in `next`), the end, or a mistake (then `getError`
  /// and `getErrorOp` say which).
  Stop run(Issued &next);

  /// Loop iterations begun since the last call: what the scalar unit does beyond the issued
  /// instructions.
  int64_t takeIterations() { return std::exchange(iterations, 0); }

  const std::string &getError() const { return error; }
  mlir::Operation *getErrorOp() const { return errorOp; }
  HazardKind getErrorKind() const { return errorKind; }
  int64_t getResult(int index) const { return scalars[program.results[index]].integer; }

private:
  bool advance(const Step &step);
  bool fail(const Step &step, HazardKind kind, std::string message);
  bool takeSlot(const Step &step);
  bool takeAddress(const Step &step);
  bool takeEntry(const Step &step);
  void fill(const Instruction &instruction, Issued &next);

  const Program &program;
  const Launch &launch;
  std::vector<Scalar> scalars;
  std::vector<Place> places;
  size_t at = 0;
  int64_t stepsLeft;
  int64_t iterations = 0;
  std::string error;
  mlir::Operation *errorOp = nullptr;
  HazardKind errorKind = HazardKind::Scalar;
};

} // namespace attn::simulator

#endif // ATTN_LIB_EXECUTION_SIMULATOR_SCALARUNIT_H
