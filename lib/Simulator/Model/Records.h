// Writes down what the pipes of each block did, so that two runs can be compared.
#ifndef ATTN_LIB_SIMULATOR_MODEL_RECORDS_H
#define ATTN_LIB_SIMULATOR_MODEL_RECORDS_H

#include "Memory.h"
#include <map>

namespace attn::simulator {

class InstructionRecorder {
public:
  InstructionRecorder(int64_t kernel, const Launch &launch, bool isOn)
      : kernel(kernel), launch(launch), isOn(isOn) {}

  /// Adds an instruction to what `pipe` of `block` did; `touches` are the bytes it touched.
  void add(const Issued &issued, int64_t block, Pipe pipe, llvm::ArrayRef<Touch> touches = {});

  std::vector<PipeRecord> take();

private:
  int64_t kernel;
  const Launch &launch;
  bool isOn;
  std::map<std::pair<int64_t, Pipe>, std::vector<std::string>> lines;
};

} // namespace attn::simulator

#endif // ATTN_LIB_SIMULATOR_MODEL_RECORDS_H
