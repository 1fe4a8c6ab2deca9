// Hides what a tool's libraries add to its command line.
#include "attn/Support/CommandLine.h"
#include "llvm/Support/CommandLine.h"

/// Whether an option belongs to every tool: --help and --version, for example. LLVM has no accessor
/// for their category.
static bool isCommon(const llvm::cl::Option &option) {
  return llvm::any_of(option.Categories, [](const llvm::cl::OptionCategory *category) {
    return category->getName() == "Generic Options";
  });
}

void attn::hideLibraryOptions() {
  for (auto &entry : llvm::cl::getRegisteredOptions())
    if (llvm::cl::Option &option = *entry.second;
        !isCommon(option) && option.getOptionHiddenFlag() == llvm::cl::NotHidden)
      option.setHiddenFlag(llvm::cl::Hidden);
}
