// Writes down what the pipes of each core did, so that two runs can be compared.
#ifndef ATTN_LIB_SIMULATOR_MODEL_RECORDS_H
#define ATTN_LIB_SIMULATOR_MODEL_RECORDS_H

#include "HazardLog.h"
#include <map>

namespace attn::simulator {

class InstructionRecorder {
public:
  InstructionRecorder(int64_t kernel, const Launch &launch, bool isOn)
      : kernel(kernel), launch(launch), isOn(isOn) {}

  /// Adds an instruction to what `pipe` of `core` did; `touches` are the bytes it touched.
  void add(const Issued &issued, const CorePlace &core, Pipe pipe,
           llvm::ArrayRef<Touch> touches = {});

  std::vector<PipeRecord> take(const HazardLog &names);

private:
  int64_t kernel;
  const Launch &launch;
  bool isOn;
  /// By block, core of the block and pipe.
  std::map<std::tuple<int64_t, int, Pipe>, std::vector<std::string>> lines;
};

} // namespace attn::simulator

#endif // ATTN_LIB_SIMULATOR_MODEL_RECORDS_H
