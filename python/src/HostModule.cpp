// The native module attn._host: runs compiled kernels on the CPU, without the compiler.
#include "PageTable.h"
#include "PagedCalls.h"
#include "attn/Cpu/Runtime/Kernel.h"
#include "attn/Machine/Architecture.h"
#include "attn/Machine/LaunchLimits.h"
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

using namespace attn::host;
namespace py = pybind11;

namespace {

/// An array is (address, shape, strides); a list of tensors is ([address, ...], shape, strides),
/// with the length of the list as first size.
Argument toArgument(const py::handle &value) {
  if (py::isinstance<py::float_>(value))
    return value.cast<double>();
  if (py::isinstance<py::int_>(value))
    return value.cast<int64_t>();
  auto parts = py::isinstance<py::tuple>(value) ? value.cast<py::tuple>() : py::tuple();
  if (parts.size() != 3)
    throw py::type_error("an argument is a number or (address, shape, strides)");
  auto shape = parts[1].cast<std::vector<int64_t>>(),
       strides = parts[2].cast<std::vector<int64_t>>();
  if (py::isinstance<py::int_>(parts[0]))
    return Array{parts[0].cast<uint64_t>(), shape, strides};
  auto addresses = parts[0].cast<std::vector<uint64_t>>();
  if (shape.empty() || strides.empty() || shape[0] != static_cast<int64_t>(addresses.size()))
    throw py::value_error("the first size of a list of tensors is its length");
  shape.erase(shape.begin());
  strides.erase(strides.begin());
  return Table{std::move(addresses), shape, strides};
}

std::vector<Argument> toArguments(const py::sequence &values) {
  std::vector<Argument> arguments;
  for (py::handle value : values)
    arguments.push_back(toArgument(value));
  return arguments;
}

int64_t toSize(const py::handle &size) { return size.is_none() ? -1 : size.cast<int64_t>(); }

Parameter toParameter(const py::dict &description) {
  Parameter parameter;
  auto kind = description["kind"].cast<std::string>();
  if (kind == "array")
    parameter.kind = Parameter::ArrayKind;
  else if (kind == "table")
    parameter.kind = Parameter::TableKind;
  else if (kind != "scalar")
    throw py::value_error("a compiled kernel is malformed: an argument is of kind '" + kind + "'");
  parameter.bytes = description["bytes"].cast<uint64_t>();
  parameter.isFloat = description["float"].cast<bool>();
  if (parameter.kind != Parameter::ScalarKind)
    for (py::handle size : description["shape"])
      parameter.shape.push_back(toSize(size));
  if (parameter.kind == Parameter::TableKind)
    parameter.count = toSize(description["count"]);
  return parameter;
}

Segment toSegment(const py::sequence &description) {
  auto access = description[2].cast<std::string>();
  return {description[0].cast<uint64_t>(), description[1].cast<uint64_t>(), access == "rw",
          access == "rx"};
}

AddressWord toAddress(const py::sequence &description) {
  AddressWord word;
  word.offset = description[0].cast<uint64_t>();
  if (py::isinstance<py::str>(description[1]))
    word.function = description[1].cast<std::string>();
  else
    word.target = description[1].cast<uint64_t>();
  return word;
}

/// The image that `attn._core.jit_compile` describes.
Image toImage(const py::dict &description, const py::bytes &code) {
  Image image;
  image.bytes = code;
  for (py::handle parameter : description["arguments"])
    image.parameters.push_back(toParameter(parameter.cast<py::dict>()));
  for (py::handle segment : description["segments"])
    image.segments.push_back(toSegment(segment.cast<py::sequence>()));
  for (py::handle address : description["addresses"])
    image.addresses.push_back(toAddress(address.cast<py::sequence>()));
  image.phases = description["phases"].cast<std::vector<uint64_t>>();
  image.grid = description["grid"].cast<std::optional<uint64_t>>();
  image.launchChecks = description["launch_checks"].cast<std::vector<uint64_t>>();
  image.reportWords = description["report_words"].cast<uint64_t>();
  image.limit = description["limit"].cast<int64_t>();
  return image;
}

Addresses toAddresses(const py::handle &value) {
  if (py::isinstance<py::int_>(value))
    return value.cast<uint64_t>();
  return value.cast<std::vector<uint64_t>>();
}

void run(const Launch &launch, const py::sequence &values, const std::vector<double> &floats,
         unsigned threads) {
  std::vector<Addresses> addresses;
  for (py::handle value : values)
    addresses.push_back(toAddresses(value));
  py::gil_scoped_release release;
  launch.run(addresses, floats, threads);
}

/// The first (row, column) of a table of pages, given by its address and the distances of its
/// entries, whose page does not exist although the length of its row takes it.
std::optional<std::pair<size_t, int64_t>> findWrongPage(uint64_t table,
                                                        std::pair<int64_t, int64_t> strides,
                                                        std::vector<int64_t> lengths,
                                                        int64_t pageSize, int64_t pages) {
  for (int64_t &length : lengths)
    length = (length + pageSize - 1) / pageSize;
  return attn::python::PageTable{table, strides}.findWrong(lengths, pages);
}

} // namespace

PYBIND11_MODULE(_host, module) {
  module.doc() = "Runs compiled kernels on the CPU; not a public interface.";
  // With the words of its report as arguments.
  static py::handle violation = py::exception<Violation>(module, "Violation").release();
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Violation &found) {
      PyErr_SetObject(violation.ptr(), py::tuple(py::cast(found.report)).ptr());
    }
  });
  py::class_<Kernel>(module, "Kernel")
      .def(py::init([](const py::dict &description, const py::bytes &code) {
             return std::make_unique<Kernel>(toImage(description, code));
           }),
           py::arg("description"), py::arg("code"))
      .def(
          "prepare",
          [](const Kernel &kernel, const py::sequence &arguments) {
            return std::make_shared<Launch>(kernel, toArguments(arguments));
          },
          py::arg("arguments"), py::keep_alive<0, 1>())
      .def(
          "count_blocks",
          [](const Kernel &kernel, const py::sequence &values, unsigned threads) {
            return kernel.countBlocks(toArguments(values), threads);
          },
          py::arg("arguments"), py::arg("threads"));
  py::class_<Launch, std::shared_ptr<Launch>>(module, "Launch")
      .def("run", &run, py::arg("addresses"), py::arg("floats"), py::arg("threads"));
  bindPagedCalls(module);
  module.attr("BLOCKS_WITH_PHASES") = blocksWithPhases;
  // What calls, operators and sidecars know of the chip.
  module.attr("MAX_GRID") = attn::architecture::maxGrid;
  module.attr("MAX_ROW_GAP_BYTES") = attn::architecture::maxCopyGapBytes;
  module.attr("WORKSPACE_ALIGNMENT") = attn::architecture::workspaceAlignment;
  module.attr("REPEAT_BYTES") = attn::architecture::repeatBytes;
  module.attr("FRACTAL_ROWS") = attn::architecture::fractalRows;
  module.attr("L2_LINE_BYTES") = attn::architecture::l2LineBytes;
#define ATTN_MEMORY(member, key, core, bytes, usableBytes, alignment, source) memories[key] = bytes;
  py::dict memories;
#include "attn/Machine/Memories.def"
  module.attr("MEMORY_BYTES") = memories;
  module.def("prefer_huge_pages", &preferHugePages, py::arg("address"), py::arg("bytes"));
  module.def("find_wrong_page", &findWrongPage, py::arg("table"), py::arg("strides"),
             py::arg("lengths"), py::arg("page_size"), py::arg("pages"));
  module.def("describe_cpu", &describeCpu);
  // The libraries that the compiler takes its code generation from.
  module.attr("compiler_libraries") = py::make_tuple(ATTN_LLVM_LIBRARY, ATTN_MLIR_LIBRARY);
}
