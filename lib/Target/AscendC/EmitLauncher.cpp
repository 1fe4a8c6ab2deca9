// Prints one launching function for each kernel of a module.
#include "attn/Target/AscendC/EmitLauncher.h"
#include "attn/Launch/Convention/Signature.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascendc;
using namespace attn::launch;

LogicalResult attn::ascendc::emitLauncher(ModuleOp module, StringRef kernels, raw_ostream &os) {
  os << "#include \"" << kernels << "\"\n";
  for (auto kernel : module.getOps<func::FuncOp>()) {
    if (!kernel->hasAttr("ascend.kernel"))
      continue;
    NameTable names;
    names.add(kernel.getName(), "");
    std::string blocks = names.add("blocks", ""), stream = names.add("stream", "");
    FailureOr<Signature> signature = getSignature(kernel, names);
    if (failed(signature))
      return failure();
    SmallVector<std::string> parameters{"uint32_t " + blocks, "void* " + stream}, values;
    for (const Parameter &parameter : signature->parameters) {
      bool isPointer = parameter.kind == Parameter::Kind::Pointer;
      StringRef type = isPointer ? "uint8_t*" : parameter.getTypeName();
      parameters.push_back((type + " " + parameter.name).str());
      values.push_back(parameter.name);
    }
    os << "\nextern \"C\" int launch_" << kernel.getName() << "(" << llvm::join(parameters, ", ")
       << ") {\n  " << kernel.getName() << "<<<" << blocks << ", nullptr, " << stream << ">>>("
       << llvm::join(values, ", ") << ");\n  return 0;\n}\n";
  }
  return success();
}
