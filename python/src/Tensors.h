// PyTorch's tensors as native code reads them: by the functions that DLPack defines for exchange
// in C, so that nothing of PyTorch is needed to build this, and no Python object is made to read a
// tensor.
#ifndef ATTN_PYTHON_TENSORS_H
#define ATTN_PYTHON_TENSORS_H

#include <cstdint>
#include <optional>
#include <pybind11/pybind11.h>
#include <vector>

namespace attn::python {

/// A tensor in memory, as DLPack describes it; valid while the tensor is there and stays as it is.
struct TensorView {
  void *data;
  int32_t deviceType, deviceNumber;
  int32_t rank;
  uint8_t typeCode, typeBits;
  uint16_t lanes;
  int64_t *sizes, *strides;
  uint64_t byteOffset;

  uint64_t getAddress() const { return reinterpret_cast<uint64_t>(data) + byteOffset; }
  bool isEmpty() const { return countBytes() == 0; }
  uint64_t countBytes() const;
  /// Adds all but the address: equal for tensors of one type, shape and strides.
  void addForm(std::vector<int64_t> &form) const;
};

class TensorReader {
public:
  /// `type` is torch.Tensor.
  explicit TensorReader(pybind11::type type);

  /// None for what a kernel on the CPU may not read as it is: anything but a tensor of that very
  /// type on a CPU, a tensor that needs gradients, and one whose values are not those in memory.
  /// None also where PyTorch does not offer these functions.
  std::optional<TensorView> read(pybind11::handle tensor) const;

private:
  using ReadTensor = int (*)(void *tensor, TensorView *view);

  pybind11::type type;
  ReadTensor readTensor = nullptr;
  pybind11::str needsGradient, isNegative;
};

} // namespace attn::python

#endif // ATTN_PYTHON_TENSORS_H
