// Which cores run a kernel, as its text says: the head of the kernel, its halves, and the numbers
// of its cores.
#include "KernelEmitter.h"
#include "attn/Launch/Convention/Description.h"
#include "attn/Machine/Groups.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascendc;
using namespace attn::launch;

//===----------------------------------------------------------------------===//
// Head of the kernel
//===----------------------------------------------------------------------===//

/// Whether a statement of `body` has the word `name`.
static bool mentions(StringRef body, StringRef name) {
  auto isWord = [](char character) { return llvm::isAlnum(character) || character == '_'; };
  for (StringRef line : llvm::split(body, '\n')) {
    if (line.starts_with("#line") || line.ltrim().starts_with("//"))
      continue;
    for (size_t at = line.find(name); at != StringRef::npos; at = line.find(name, at + 1)) {
      size_t end = at + name.size();
      if ((at == 0 || !isWord(line[at - 1])) && (end == line.size() || !isWord(line[end])))
        return true;
    }
  }
  return false;
}

/// The older form has a call for each kind of core.
StringRef KernelEmitter::getInitialisation() {
  if (form != KernelForm::TaskType)
    return "AscendC::InitSocState();";
  return ascend::getCoreKind(function) == CoreKind::Cube ? "attn_text::InitCubeState();"
                                                         : "attn_text::InitSocState();";
}

namespace {
/// How a kernel says which cores run it, in both forms.
struct KindWords {
  StringLiteral attribute;
  StringLiteral taskType;
};
} // namespace

static KindWords getKindWords(ascend::KernelKind kind) {
  switch (kind) {
  case ascend::KernelKind::Vector:
    return {"__vector__", "KERNEL_TYPE_AIV_ONLY"};
  // Blocks can only meet in a kernel that is declared mixed, here without cube cores.
  case ascend::KernelKind::MeetingVector:
    return {"__mix__(0, 1)", "KERNEL_TYPE_MIX_AIV_1_0"};
  case ascend::KernelKind::Cube:
    return {"__cube__", "KERNEL_TYPE_AIC_ONLY"};
  case ascend::KernelKind::Mixed:
    return {"__mix__(1, 2)", "KERNEL_TYPE_MIX_AIC_1_2"};
  }
  llvm_unreachable("all kinds are listed");
}

void KernelEmitter::writeHeader() {
  for (const std::string &line : describeKernel(kernel, signature))
    head.writeLine("// " + line);
  SmallVector<std::string> parameters;
  for (const Parameter &parameter : signature.parameters)
    parameters.push_back((parameter.getTypeName() + " " + parameter.name).str());
  KindWords words = getKindWords(ascend::getKernelKind(kernel));
  StringRef kind = form == KernelForm::TaskType ? "__aicore__" : words.attribute;
  StringRef schedule = doBlocksMeet(kernel) && waitsForCores ? "__schedmode__(1) " : "";
  std::string begin =
      ("extern \"C\" " + schedule + "__global__ " + kind + " void " + kernel.getName() + "(").str();
  head.writeDeclaration(kernel.getLoc(), begin + llvm::join(parameters, ", ") + ") {",
                        /*firstBreak=*/begin.size());
  head.indent();
  if (form == KernelForm::TaskType)
    head.writeLine("KERNEL_TASK_TYPE_DEFAULT(" + words.taskType + ");");
  if (form != KernelForm::TaskType || !isMixed())
    head.writeLine(getInitialisation());
  // The launcher passes all parameters, and compilers warn of those that nothing reads.
  for (const Parameter &parameter : signature.parameters)
    if (!mentions(body, parameter.name))
      head.writeLine("(void)" + parameter.name + ";");
}

//===----------------------------------------------------------------------===//
// Halves and numbers
//===----------------------------------------------------------------------===//

/// The vendor's macros stand for a condition that must follow `if` directly.
LogicalResult KernelEmitter::emitHalf(func::FuncOp half, const NameTable &known) {
  function = half;
  names = known;
  bool isCube = ascend::getCoreKind(half) == CoreKind::Cube;
  writer.writeLine(isCube ? "if ASCEND_IS_AIC {" : "if ASCEND_IS_AIV {");
  writer.indent();
  if (failed(emitFunction()))
    return failure();
  writer.outdent();
  writer.writeLine("}");
  return success();
}

/// Of a mixed kernel, block indices of vector cores count cores; else a block is one core.
void KernelEmitter::emitId(Operation &op) {
  bool isOneOfTwo = isMixed() && ascend::getCoreKind(function) == CoreKind::Vector;
  Expression id = castTo("int64_t", Expression::primary("AscendC::GetBlockIdx()"));
  if (isa<ascend::BlockCountOp>(op))
    return bind(op.getResult(0), Expression::primary(blockCountText), names.add("blocks", ""));
  if (isa<ascend::SubBlockIdOp>(op)) {
    Expression half = castTo("int64_t", Expression::primary("AscendC::GetSubBlockIdx()"));
    return bind(op.getResult(0), isOneOfTwo ? half : Expression::integer(0),
                names.add("subBlock", ""));
  }
  if (isOneOfTwo && isa<ascend::CoreIdOp>(op))
    return bind(op.getResult(0), id, names.add("core", ""));
  if (isOneOfTwo)
    id = binary(id, "/", Expression::integer(vectorCoresPerGroup), Precedence::Product);
  bind(op.getResult(0), id, names.add("block", ""));
}
