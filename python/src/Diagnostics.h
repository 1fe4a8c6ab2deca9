// What the compiler says while it works, collected for Python; part of attn._core.
#ifndef ATTN_PYTHON_DIAGNOSTICS_H
#define ATTN_PYTHON_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include <pybind11/pybind11.h>
#include <string>
#include <vector>

namespace attn::python {

/// One message with the source position it belongs to; `file` is empty where there is none.
struct DiagnosticRecord {
  std::string severity; // "error", "warning", "remark" or "note"
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  std::string message;
  std::vector<DiagnosticRecord> notes;
};

/// Collects the diagnostics of a context while it lives.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext *context);

  std::vector<DiagnosticRecord> take() { return std::move(records); }

private:
  std::vector<DiagnosticRecord> records;
  mlir::ScopedDiagnosticHandler handler;
};

/// Raises attn._core.DiagnosticError with the records as its attribute `diagnostics`. Takes the
/// interpreter lock itself.
[[noreturn]] void raiseDiagnostics(std::vector<DiagnosticRecord> records);

void bindDiagnostics(pybind11::module_ &module);

} // namespace attn::python

#endif // ATTN_PYTHON_DIAGNOSTICS_H
