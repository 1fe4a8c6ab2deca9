// Prints the kernels of a module as one AscendC translation unit.
#include "attn/Target/AscendC/EmitAscendC.h"
#include "KernelEmitter.h"
#include "attn/Launch/Convention/Description.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include <set>

using namespace mlir;
using namespace attn;
using namespace attn::ascendc;
using namespace attn::launch;

/// CANN before 8.5 has neither a call that makes a core ready nor tensors at an address. Texts for
/// it bring both, under names of their own, made of what all versions have.
static constexpr StringLiteral olderDefinitions = R"(
namespace attn_text {

__aicore__ inline void InitSocState() {
  AscendC::SetAtomicNone();
  AscendC::SetMaskNorm();
  AscendC::ResetMask();
}

template <typename T>
__aicore__ inline AscendC::LocalTensor<T> MakeTensor(AscendC::TPosition position, uint32_t address, uint32_t elements) {
  AscendC::TBuffAddr place;
  place.dataLen = elements * sizeof(T);
  place.bufferAddr = address;
  place.bufferHandle = nullptr;
  place.logicPos = static_cast<uint8_t>(position);
  AscendC::LocalTensor<T> tensor;
  tensor.SetAddr(place);
  return tensor;
}

} // namespace attn_text
)";

std::vector<std::string> attn::ascendc::getSourceFiles(ModuleOp module) {
  std::set<std::string> files;
  module.walk([&](Operation *op) {
    if (std::optional<SourceLine> source = getSourceLine(op->getLoc()))
      files.insert(source->file.str());
  });
  return {files.begin(), files.end()};
}

SourceLines attn::ascendc::readSources(ModuleOp module) {
  SourceLines sources;
  for (const std::string &file : getSourceFiles(module)) {
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(file);
    if (!buffer)
      continue;
    for (llvm::line_iterator line(**buffer, /*SkipBlanks=*/false); !line.is_at_end(); ++line)
      sources[file].push_back(line->str());
  }
  return sources;
}

LogicalResult attn::ascendc::emitAscendC(ModuleOp module, raw_ostream &os,
                                         const AscendCOptions &options) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "#include \"kernel_operator.h\"\n";
  if (options.kernelForm == KernelForm::TaskType)
    stream << olderDefinitions;
  FailureOr<SmallVector<func::FuncOp>> kernels = getPrintableKernels(module, "AscendC");
  if (failed(kernels))
    return failure();
  for (func::FuncOp kernel : *kernels) {
    stream << "\n";
    if (failed(KernelEmitter(kernel, stream, options).emit()))
      return failure();
  }
  os << stream.str();
  return success();
}
