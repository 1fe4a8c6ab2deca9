// Calls of `attn.ops.paged_attention` on a CPU that are made again: found by their form, and
// launched without another line of Python. After a step of decode the caches hold nothing of
// Python, and the same in Python takes several times as long.
#include "PagedCalls.h"
#include "PageTable.h"
#include "Tensors.h"
#include "attn/Cpu/Runtime/Kernel.h"
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <pybind11/stl.h>
#include <vector>

using namespace attn::host;
using namespace attn::python;
namespace py = pybind11;

namespace {

/// The tensors of a call, in this order; a launch takes them among others, and two that it writes.
enum Role : size_t { Queries, Keys, Values, Table, Lengths, Output, Sums, roleCount };
constexpr size_t tensorCount = Output;

/// What a launch takes as the address of an array: that of a tensor of the call, or always the
/// same.
struct Source {
  std::optional<size_t> role;
  uint64_t address = 0;
};

/// How a call is launched with so many pages of each sequence.
struct Planned {
  std::shared_ptr<Launch> launch;
  std::vector<Source> sources;
  std::vector<double> floats;
  /// What must be there as long as the launch: the kernel, and what has addresses in `sources`.
  py::object kept;
};

/// Calls of one form.
class PagedCall {
public:
  PagedCall(py::tuple numbers, py::object repeat, bool returnsSums)
      : numbers(std::move(numbers)), repeat(std::move(repeat)), returnsSums(returnsSums) {}

  bool hasNumbers(const py::tuple &others) const;

  void keep(unsigned threads, std::vector<int64_t> pages, std::shared_ptr<Launch> launch,
            const std::vector<std::pair<std::optional<size_t>, uint64_t>> &sources,
            std::vector<double> floats, py::object kept);

  std::shared_ptr<const Planned> find(const std::vector<int64_t> &key) const {
    auto found = planned.find(key);
    return found == planned.end() ? nullptr : found->second;
  }

  py::tuple numbers;
  /// Makes the call in Python; takes this object, which it may tell how, and the tensors.
  py::object repeat;
  bool returnsSums;

private:
  /// So many are kept.
  static constexpr size_t mostPlanned = 100;

  /// By the number of threads and those of pages.
  std::map<std::vector<int64_t>, std::shared_ptr<const Planned>> planned;
};

class PagedCalls {
public:
  PagedCalls(py::type tensor, py::object makeLike, py::object makeSums)
      : reader(std::move(tensor)), makeLike(std::move(makeLike)), makeSums(std::move(makeSums)) {}

  void add(const py::tuple &tensors, const py::tuple &numbers, const py::object &repeat,
           bool returnsSums);
  py::object run(const py::tuple &tensors, const py::tuple &numbers, unsigned threads,
                 bool isChecked);
  void clear() { calls.clear(); }

private:
  using Views = std::array<TensorView, tensorCount>;
  using Form = std::vector<int64_t>;

  std::optional<Views> read(const py::tuple &tensors) const;
  static Form getForm(const Views &views);
  static std::optional<std::vector<int64_t>> countPages(const Views &views, bool isChecked);
  py::object launch(const Planned &planned, const PagedCall &call, const Views &views,
                    py::handle queries, unsigned threads) const;

  /// So many forms are kept, and so many calls of each that differ in their numbers.
  static constexpr size_t mostForms = 256, mostNumbers = 16;

  TensorReader reader;
  py::object makeLike, makeSums;
  std::map<Form, std::vector<std::shared_ptr<PagedCall>>> calls;
};

} // namespace

/// Whether numbers are equal and of the same types: 1 is not True.
bool PagedCall::hasNumbers(const py::tuple &others) const {
  if (others.size() != numbers.size())
    return false;
  for (size_t index = 0; index < numbers.size(); ++index)
    if (Py_TYPE(others[index].ptr()) != Py_TYPE(numbers[index].ptr()) ||
        !others[index].equal(numbers[index]))
      return false;
  return true;
}

void PagedCall::keep(unsigned threads, std::vector<int64_t> pages, std::shared_ptr<Launch> launch,
                     const std::vector<std::pair<std::optional<size_t>, uint64_t>> &sources,
                     std::vector<double> floats, py::object kept) {
  auto made = std::make_shared<Planned>();
  for (auto [role, address] : sources) {
    if (role && *role >= roleCount)
      throw py::value_error("an array is not of the call");
    made->sources.push_back({role, address});
  }
  made->launch = std::move(launch);
  made->floats = std::move(floats);
  made->kept = std::move(kept);
  if (planned.size() >= mostPlanned)
    planned.clear();
  pages.insert(pages.begin(), threads);
  planned[std::move(pages)] = std::move(made);
}

std::optional<PagedCalls::Views> PagedCalls::read(const py::tuple &tensors) const {
  Views views;
  if (tensors.size() != views.size())
    throw py::value_error("a call has " + std::to_string(views.size()) + " tensors");
  for (size_t role = 0; role < views.size(); ++role) {
    std::optional<TensorView> view = reader.read(tensors[role]);
    if (!view)
      return std::nullopt;
    views[role] = *view;
  }
  return views;
}

PagedCalls::Form PagedCalls::getForm(const Views &views) {
  Form form;
  for (const TensorView &view : views)
    view.addForm(form);
  return form;
}

/// Calls with these tensors and numbers are made by `repeat` from now on, if they can be found
/// again.
void PagedCalls::add(const py::tuple &tensors, const py::tuple &numbers, const py::object &repeat,
                     bool returnsSums) {
  std::optional<Views> views = read(tensors);
  if (!views)
    return;
  if (calls.size() >= mostForms)
    calls.clear();
  auto isSame = [&](const std::shared_ptr<PagedCall> &other) { return other->hasNumbers(numbers); };
  auto &ofForm = calls[getForm(*views)];
  ofForm.erase(std::remove_if(ofForm.begin(), ofForm.end(), isSame), ofForm.end());
  if (ofForm.size() >= mostNumbers)
    ofForm.clear();
  ofForm.push_back(std::make_shared<PagedCall>(numbers, repeat, returnsSums));
}

/// The pages of each sequence; none where a length cannot be, or where a page does not exist that
/// is read.
std::optional<std::vector<int64_t>> PagedCalls::countPages(const Views &views, bool isChecked) {
  const TensorView &keys = views[Keys], &table = views[Table], &lengths = views[Lengths];
  int64_t size = keys.sizes[1];
  const auto *first = reinterpret_cast<const int32_t *>(lengths.getAddress());
  std::vector<int64_t> counts;
  for (int64_t sequence = 0; sequence < lengths.sizes[0]; ++sequence) {
    int64_t length = first[sequence * lengths.strides[0]];
    if (length < 0 || (isChecked && length > table.sizes[1] * size))
      return std::nullopt;
    counts.push_back((length + size - 1) / size);
  }
  PageTable entries = {table.getAddress(), {table.strides[0], table.strides[1]}};
  if (isChecked && entries.findWrong(counts, keys.sizes[0]))
    return std::nullopt;
  return counts;
}

/// What a call returns; None where it must be made as the first one of its form was.
py::object PagedCalls::run(const py::tuple &tensors, const py::tuple &numbers, unsigned threads,
                           bool isChecked) {
  std::optional<Views> views = read(tensors);
  if (!views)
    return py::none();
  auto found = calls.find(getForm(*views));
  if (found == calls.end())
    return py::none();
  auto isSame = [&](const std::shared_ptr<PagedCall> &other) { return other->hasNumbers(numbers); };
  auto place = std::find_if(found->second.begin(), found->second.end(), isSame);
  if (place == found->second.end())
    return py::none();
  std::shared_ptr<PagedCall> call = *place;
  std::optional<std::vector<int64_t>> pages = countPages(*views, isChecked);
  if (!pages)
    return py::none();
  pages->insert(pages->begin(), threads);
  std::shared_ptr<const Planned> planned = call->find(*pages);
  return planned ? launch(*planned, *call, *views, tensors[Queries], threads)
                 : call->repeat(call, *tensors);
}

py::object PagedCalls::launch(const Planned &planned, const PagedCall &call, const Views &views,
                              py::handle queries, unsigned threads) const {
  py::object output = makeLike(queries), sums = py::none();
  std::array<uint64_t, roleCount> places;
  for (size_t role = 0; role < tensorCount; ++role)
    places[role] = views[role].getAddress();
  auto getAddress = [&](const py::object &tensor) {
    std::optional<TensorView> view = reader.read(tensor);
    if (!view)
      throw py::type_error("a tensor on a CPU is expected");
    return view->getAddress();
  };
  const TensorView &shape = views[Queries];
  places[Output] = getAddress(output);
  preferHugePages(places[Output], shape.countBytes());
  // Sums that are not returned are written all the same.
  std::unique_ptr<float[]> unused;
  if (call.returnsSums) {
    sums = makeSums(py::make_tuple(shape.sizes[0], shape.sizes[1]));
    places[Sums] = getAddress(sums);
  } else {
    unused.reset(new float[static_cast<size_t>(shape.sizes[0] * shape.sizes[1])]);
    places[Sums] = reinterpret_cast<uint64_t>(unused.get());
  }
  std::vector<Addresses> addresses;
  for (const Source &source : planned.sources)
    addresses.push_back(source.role ? places[*source.role] : source.address);
  {
    py::gil_scoped_release release;
    planned.launch->run(addresses, planned.floats, threads);
  }
  return call.returnsSums ? py::object(py::make_tuple(output, sums)) : output;
}

void bindPagedCalls(py::module_ &module) {
  py::class_<PagedCall, std::shared_ptr<PagedCall>>(module, "PagedCall")
      .def("keep", &PagedCall::keep, py::arg("threads"), py::arg("pages"), py::arg("launch"),
           py::arg("sources"), py::arg("floats"), py::arg("kept"));
  py::class_<PagedCalls>(module, "PagedCalls")
      .def(py::init<py::type, py::object, py::object>(), py::arg("tensor"), py::arg("make_like"),
           py::arg("make_sums"))
      .def("add", &PagedCalls::add, py::arg("tensors"), py::arg("numbers"), py::arg("repeat"),
           py::arg("returns_sums"))
      .def("run", &PagedCalls::run, py::arg("tensors"), py::arg("numbers"), py::arg("threads"),
           py::arg("checked"))
      .def("clear", &PagedCalls::clear);
}
