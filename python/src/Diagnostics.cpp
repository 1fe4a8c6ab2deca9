// Collects diagnostics and hands them to Python; part of attn._core.
#include "Diagnostics.h"
#include "mlir/IR/Location.h"
#include <pybind11/stl.h>

using namespace mlir;
namespace py = pybind11;

namespace attn::python {

namespace {

llvm::StringRef getSeverityName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Remark:
    return "remark";
  case DiagnosticSeverity::Note:
    return "note";
  }
  return "error";
}

/// The first position in the file that a location leads to; null where it leads to none.
FileLineColLoc findPosition(Location location) {
  FileLineColLoc found;
  location->walk([&](Location part) {
    found = dyn_cast<FileLineColLoc>(part);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

DiagnosticRecord makeRecord(const Diagnostic &diagnostic) {
  DiagnosticRecord record;
  record.severity = getSeverityName(diagnostic.getSeverity()).str();
  record.message = diagnostic.str();
  if (FileLineColLoc position = findPosition(diagnostic.getLocation())) {
    record.file = position.getFilename().str();
    record.line = position.getLine();
    record.column = position.getColumn();
  }
  for (const Diagnostic &note : diagnostic.getNotes())
    record.notes.push_back(makeRecord(note));
  return record;
}

/// The exception type, made when the module is imported.
PyObject *errorType = nullptr;

} // namespace

DiagnosticCollector::DiagnosticCollector(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        records.push_back(makeRecord(diagnostic));
        return success();
      }) {}

void raiseDiagnostics(std::vector<DiagnosticRecord> records) {
  py::gil_scoped_acquire lock;
  std::string message = "the compiler failed without saying why";
  for (const DiagnosticRecord &record : records)
    if (record.severity == "error") {
      message = record.message;
      break;
    }
  py::object error = py::handle(errorType)(message);
  error.attr("diagnostics") = py::cast(std::move(records));
  PyErr_SetObject(errorType, error.ptr());
  throw py::error_already_set();
}

void bindDiagnostics(py::module_ &module) {
  py::class_<DiagnosticRecord>(module, "Diagnostic")
      .def_readonly("severity", &DiagnosticRecord::severity)
      .def_readonly("file", &DiagnosticRecord::file)
      .def_readonly("line", &DiagnosticRecord::line)
      .def_readonly("column", &DiagnosticRecord::column)
      .def_readonly("message", &DiagnosticRecord::message)
      .def_readonly("notes", &DiagnosticRecord::notes)
      .def("__repr__", [](const DiagnosticRecord &record) {
        return record.file + ":" + std::to_string(record.line) + ":" +
               std::to_string(record.column) + ": " + record.severity + ": " + record.message;
      });
  errorType = PyErr_NewExceptionWithDoc(
      "attn._core.DiagnosticError", "A failed parse or pass; `diagnostics` lists what was said.",
      PyExc_RuntimeError, nullptr);
  if (!errorType)
    throw py::error_already_set();
  module.attr("DiagnosticError") = py::handle(errorType);
}

} // namespace attn::python
