// Reads tensors by DLPack's functions for exchange in C (dlpack.h, version 1.3).
#include "Tensors.h"
#include <numeric>

using namespace attn::python;
namespace py = pybind11;

namespace {

/// What a type of tensors offers, up to what is used here: `DLPackExchangeAPI`.
struct Exchange {
  uint32_t majorVersion, minorVersion;
  Exchange *older;
  void (*unused[3])();
  int (*readTensor)(void *tensor, TensorView *view); // may be null
};

} // namespace

/// The version of that structure, and the number of a CPU among devices.
static constexpr uint32_t exchangeVersion = 1;
static constexpr int32_t hostDevice = 1;

uint64_t TensorView::countBytes() const {
  return std::accumulate(sizes, sizes + rank, uint64_t(typeBits) * lanes / 8,
                         [](uint64_t bytes, int64_t size) { return bytes * uint64_t(size); });
}

void TensorView::addForm(std::vector<int64_t> &form) const {
  form.push_back(int64_t(typeCode) << 32 | int64_t(typeBits) << 16 | lanes);
  form.push_back(rank);
  form.insert(form.end(), sizes, sizes + rank);
  form.insert(form.end(), strides, strides + rank);
}

TensorReader::TensorReader(py::type type)
    : type(std::move(type)), needsGradient("requires_grad"), isNegative("is_neg") {
  auto capsule = py::getattr(this->type, "__dlpack_c_exchange_api__", py::none());
  if (!py::isinstance<py::capsule>(capsule))
    return;
  auto *exchange = py::capsule(capsule).get_pointer<Exchange>();
  while (exchange && exchange->majorVersion != exchangeVersion)
    exchange = exchange->older;
  if (exchange)
    readTensor = exchange->readTensor;
}

std::optional<TensorView> TensorReader::read(py::handle tensor) const {
  if (!readTensor || Py_TYPE(tensor.ptr()) != reinterpret_cast<PyTypeObject *>(type.ptr()))
    return std::nullopt;
  if (tensor.attr(needsGradient).ptr() != Py_False || tensor.attr(isNegative)().ptr() != Py_False)
    return std::nullopt;
  TensorView view;
  if (readTensor(tensor.ptr(), &view) != 0) {
    PyErr_Clear();
    return std::nullopt;
  }
  // A tensor of zeros may have no memory.
  if (view.deviceType != hostDevice || (!view.data && !view.isEmpty()))
    return std::nullopt;
  return view;
}
