// Prints the kernels of a module as one AscendC translation unit.
#include "attn/Target/AscendC/EmitAscendC.h"
#include "KernelEmitter.h"
#include "attn/Dialect/Ascend/IR/KernelKind.h"
#include "attn/Launch/Convention/Description.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include <set>

using namespace mlir;
using namespace attn;
using namespace attn::ascendc;
using namespace attn::launch;

//===----------------------------------------------------------------------===//
// What texts bring along, under names of their own
//===----------------------------------------------------------------------===//

/// CANN before 8.5 has no call that makes a core ready; texts for it do so by what all versions
/// have. Vector cores and cube cores are made ready differently.
static constexpr StringLiteral vectorState = R"(
__aicore__ inline void InitSocState() {
  AscendC::SetAtomicNone();
  AscendC::SetMaskNorm();
  AscendC::ResetMask();
}
)";
static constexpr StringLiteral cubeState = R"(
__aicore__ inline void InitCubeState() {
  AscendC::SetAtomicNone();
  AscendC::SetMaskNorm();
  AscendC::SetLoadDataBoundary(0);
  AscendC::SetLoadDataPaddingValue<uint16_t>(0);
}
)";

/// It has no tensors at an address either.
static constexpr StringLiteral tensorAtAddress = R"(
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
)";

/// A matrix in L1 as what LoadData takes: an image of one line, whose width is the rows.
static constexpr StringLiteral tile = R"(
template <typename T>
__aicore__ inline AscendC::LoadData3DParamsV2<T> MakeTile(uint16_t rows, uint16_t columns, uint16_t room, bool transpose) {
  AscendC::LoadData3DParamsV2<T> tile;
  tile.l1H = 1;
  tile.l1W = room;
  tile.channelSize = columns;
  tile.mExtension = rows;
  tile.kExtension = columns;
  tile.enTranspose = transpose;
  return tile;
}
)";

/// The rows of squares that are turned over, each at its address.
static constexpr StringLiteral rows = R"(
template <typename T>
struct Rows {
  AscendC::LocalTensor<T> rows[16];
};
template <typename T>
__aicore__ inline Rows<T> MakeRows(const AscendC::LocalTensor<T> &first, uint32_t distance) {
  Rows<T> all;
  for (uint32_t row = 0; row < 16; ++row)
    all.rows[row] = first[row * distance];
  return all;
}
)";

template <typename Op> static bool contain(ArrayRef<func::FuncOp> kernels) {
  return llvm::any_of(kernels, [](func::FuncOp kernel) {
    return kernel.walk([](Op) { return WalkResult::interrupt(); }).wasInterrupted();
  });
}

static bool hasKernelOf(ArrayRef<func::FuncOp> kernels, CoreKind core) {
  return llvm::any_of(kernels,
                      [&](func::FuncOp kernel) { return ascend::getCoreKind(kernel) == core; });
}

static void writeDefinitions(ArrayRef<func::FuncOp> functions, KernelForm form, raw_ostream &os) {
  SmallVector<StringRef> definitions;
  if (form == KernelForm::TaskType) {
    if (hasKernelOf(functions, CoreKind::Vector))
      definitions.push_back(vectorState);
    if (hasKernelOf(functions, CoreKind::Cube))
      definitions.push_back(cubeState);
    definitions.push_back(tensorAtAddress);
  }
  if (contain<ascend::LoadTileOp>(functions))
    definitions.push_back(tile);
  if (contain<ascend::TransposeOp>(functions))
    definitions.push_back(rows);
  if (definitions.empty())
    return;
  os << "\nnamespace attn_text {\n";
  for (StringRef definition : definitions)
    os << definition;
  os << "\n} // namespace attn_text\n";
}

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
  FailureOr<SmallVector<func::FuncOp>> kernels = getPrintableKernels(module, "AscendC");
  if (failed(kernels))
    return failure();
  SmallVector<func::FuncOp> functions;
  for (func::FuncOp kernel : *kernels)
    llvm::append_range(functions, ascend::getFunctions(kernel));
  writeDefinitions(functions, options.kernelForm, stream);
  for (func::FuncOp kernel : *kernels) {
    stream << "\n";
    if (failed(KernelEmitter(kernel, stream, options).emit()))
      return failure();
  }
  os << stream.str();
  return success();
}
