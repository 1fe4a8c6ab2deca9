// A module of kernels as Python holds it; part of attn._core.
#ifndef ATTN_PYTHON_KERNELMODULE_H
#define ATTN_PYTHON_KERNELMODULE_H

#include "Diagnostics.h"
#include "attn/Target/AscendC/EmitAscendC.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace attn::python {

/// Owns an MLIR module together with its context. Each has a context of its own: threads of Python
/// then share nothing, and what a kernel has interned goes away with it.
class KernelModule : public std::enable_shared_from_this<KernelModule> {
public:
  /// Parses and verifies `text`; `soc`, where given, becomes the target of the module
  /// ("Ascend910B4", "host", "Ascend910B4:ub_bytes=8192"). Raises DiagnosticError.
  static std::shared_ptr<KernelModule> parse(const std::string &text,
                                             const std::optional<std::string> &soc);

  /// Runs passes and named pipelines in textual form. Returns the warnings and remarks; raises
  /// DiagnosticError when a pass fails, or what a signal raises, after which the module should not
  /// be used.
  std::vector<DiagnosticRecord> run(const std::string &pipeline);

  /// The generic form is the one that other versions of MLIR read.
  std::string text(bool debugInfo, bool generic = false) const;

  /// The files that locations of the module name.
  std::vector<std::string> getSourceFiles() const;

  /// The AscendC text of a module at the stage `ascend`, with lines of `sources` as comments.
  /// Raises DiagnosticError.
  std::string emitAscendC(const std::string &kernelForm, const ascendc::SourceLines &sources) const;

  /// The HIVM text of a module at the stage `ascend` with composites kept. Raises DiagnosticError.
  std::string emitHIVM(bool locations) const;

  /// How the kernel of a module at the stage `ascend` is launched, as JSON. Raises DiagnosticError.
  std::string emitSidecar() const;

  /// Builds the object (or the `shared` library) of a module at the stage `ascend`, and its sidecar
  /// with the section `call` (JSON). Raises DiagnosticError; returns what was said on the way.
  std::vector<DiagnosticRecord> buildObject(const std::string &output, bool shared,
                                            const std::string &via, const std::string &compiler,
                                            const std::string &call) const;

  /// The block sizes that the compiler chose for the module's kernel, by name.
  std::map<std::string, int64_t> getSizes() const;

  /// What the compiler looked at, where it was asked to keep it: one dictionary per alternative.
  pybind11::list getAlternatives() const;

  /// The workspace that a caller makes for the module's kernel, in the order of its arguments:
  /// dimensions by name or number, and the element type.
  using Dimension = std::variant<std::string, int64_t>;
  std::vector<std::pair<std::vector<Dimension>, std::string>> getWorkspaces() const;

  /// For each output of a kernel at the stage `source`, in order: the op that keeps stages from
  /// giving the same bits, if any.
  std::vector<std::optional<std::string>> getInexactOutputs() const;

  mlir::ModuleOp getModule() const { return *module; }
  mlir::MLIRContext *getContext() const { return context.get(); }

private:
  explicit KernelModule(std::unique_ptr<mlir::MLIRContext> context) : context(std::move(context)) {}

  /// Whether the pipeline could be run, and what was said.
  std::pair<bool, std::vector<DiagnosticRecord>> runPipeline(const std::string &pipeline);

  /// Declared first: the module must go before it.
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Tells a pipeline to end at its next pass or pattern.
  std::atomic<bool> isCancelled = false;
};

void bindKernelModule(pybind11::module_ &module);

} // namespace attn::python

#endif // ATTN_PYTHON_KERNELMODULE_H
