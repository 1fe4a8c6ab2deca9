// The few operators of aclnn that gradient accumulation, copies between strides and fills need. All
// are one strided loop over bytes of the device; every other operator is missing, and torch_npu
// says so.
#include "Memory.h"
#include "Stream.h"
#include <cmath>
#include <cstring>
#include <vector>

using namespace attn::standin;

// The types of the vendor's operator library, which its callers see as names only.

/// A number in its own type; wide enough for 64-bit integers and doubles alike.
struct aclScalar {
  long double value;
};

/// A view of device memory. The address is that of the storage; `offset` and strides count
/// elements.
struct aclTensor {
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  int64_t offset;
  int type;
  char *storage;
};

/// A prepared call: what runs on the stream.
struct aclOpExecutor {
  Stream::Task task;
};

namespace {

/// The numbers of the vendor's types.
enum Type {
  Float = 0,
  Half = 1,
  Int8 = 2,
  Int32 = 3,
  UInt8 = 4,
  Int16 = 6,
  UInt16 = 7,
  Int64 = 9,
  Double = 11,
  Bool = 12,
  BFloat16 = 27
};

using Number = long double;
using Compute = std::function<Number(Number, Number)>;

float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Rounds to bf16, to the nearest, ties to even.
uint16_t toBFloat16(float value) {
  if (std::isnan(value))
    return 0x7fc0;
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

template <typename T> Number readAs(const char *place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  return static_cast<Number>(value);
}

template <typename T> void writeAs(char *place, Number number) {
  T value = static_cast<T>(number);
  std::memcpy(place, &value, sizeof value);
}

/// How elements of a type are read and written.
struct Element {
  int64_t bytes;
  Number (*read)(const char *);
  void (*write)(char *, Number);
};

Number readBFloat16(const char *place) {
  return fromBits(static_cast<uint32_t>(readAs<uint16_t>(place)) << 16);
}
void writeBFloat16(char *place, Number number) {
  uint16_t bits = toBFloat16(static_cast<float>(number));
  std::memcpy(place, &bits, sizeof bits);
}
void writeBool(char *place, Number number) { *place = number != 0; }

template <typename T> constexpr Element plain = {sizeof(T), readAs<T>, writeAs<T>};

const Element *elementOf(int type) {
  static const std::map<int, Element> elements = {{Float, plain<float>},
                                                  {Half, plain<_Float16>},
                                                  {Int8, plain<int8_t>},
                                                  {Int32, plain<int32_t>},
                                                  {UInt8, plain<uint8_t>},
                                                  {Int16, plain<int16_t>},
                                                  {UInt16, plain<uint16_t>},
                                                  {Int64, plain<int64_t>},
                                                  {Double, plain<double>},
                                                  {Bool, {1, readAs<uint8_t>, writeBool}},
                                                  {BFloat16, {2, readBFloat16, writeBFloat16}}};
  auto found = elements.find(type);
  return found == elements.end() ? nullptr : &found->second;
}

/// The stride of an operand for a dimension of the result: none where it is repeated or lacks the
/// dimension.
int64_t strideFor(const aclTensor &operand, const aclTensor &result, size_t dim) {
  size_t missing = result.shape.size() - operand.shape.size();
  return dim < missing || operand.shape[dim - missing] == 1 ? 0 : operand.strides[dim - missing];
}

/// A walk over the elements of a result together with those of an operand.
struct Walk {
  Walk(const aclTensor &operand, const aclTensor &result) : element(elementOf(operand.type)) {
    for (size_t dim = 0; dim < result.shape.size(); ++dim)
      strides.push_back(strideFor(operand, result, dim));
    int64_t last = operand.offset;
    for (size_t dim = 0; dim < strides.size(); ++dim)
      last += strides[dim] * (result.shape[dim] - 1);
    base = DeviceMemory::get().resolve(operand.storage, (last + 1) * element->bytes);
    offset = operand.offset;
  }

  char *at(const std::vector<int64_t> &index) const {
    int64_t place = offset;
    for (size_t dim = 0; dim < index.size(); ++dim)
      place += index[dim] * strides[dim];
    return base + place * element->bytes;
  }

  const Element *element;
  std::vector<int64_t> strides;
  char *base;
  int64_t offset;
};

/// result = compute(first, second), element by element.
Status apply(const aclTensor &result, const aclTensor &first, const aclTensor &second,
             const Compute &compute) {
  int64_t count = 1;
  for (int64_t size : result.shape)
    count *= size;
  if (count == 0)
    return {};
  Walk to(result, result), left(first, result), right(second, result);
  if (!to.base || !left.base || !right.base)
    return {InvalidParameter, "an operator leaves the device memory in use"};
  std::vector<int64_t> index(result.shape.size());
  for (; count > 0; --count) {
    to.element->write(to.at(index), compute(left.element->read(left.at(index)),
                                            right.element->read(right.at(index))));
    for (size_t dim = index.size(); dim-- > 0;) {
      if (++index[dim] < result.shape[dim])
        break;
      index[dim] = 0;
    }
  }
  return {};
}

aclError prepare(const aclTensor *result, const aclTensor *first, const aclTensor *second,
                 Compute compute, uint64_t *workspaceSize, aclOpExecutor **executor) {
  for (const aclTensor *tensor : {result, first, second})
    if (!elementOf(tensor->type))
      return fail(OperatorNotFound,
                  "operators of the type " + std::to_string(tensor->type) + " are not there");
  *workspaceSize = 0;
  *executor = new aclOpExecutor{[=, to = *result, left = *first, right = *second] {
    return apply(to, left, right, compute);
  }};
  return Success;
}

aclError run(aclOpExecutor *executor, aclrtStream stream) {
  Stream::Task task = std::move(executor->task);
  delete executor;
  return submit(stream, std::move(task));
}

Number firstOf(Number first, Number) { return first; }

} // namespace

ATTN_EXPORT aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, int dataType,
                                       const int64_t *stride, int64_t offset, int format,
                                       const int64_t *storageDims, uint64_t storageDimsNum,
                                       void *tensorData) {
  ATTN_ENTRY();
  return new aclTensor{{viewDims, viewDims + viewDimsNum},
                       {stride, stride + viewDimsNum},
                       offset,
                       dataType,
                       static_cast<char *>(tensorData)};
}

ATTN_EXPORT aclError aclDestroyTensor(const aclTensor *tensor) {
  ATTN_ENTRY();
  delete tensor;
  return Success;
}

ATTN_EXPORT aclScalar *aclCreateScalar(void *value, int dataType) {
  ATTN_ENTRY();
  const Element *element = elementOf(dataType);
  return element ? new aclScalar{element->read(static_cast<char *>(value))} : nullptr;
}

ATTN_EXPORT aclError aclDestroyScalar(const aclScalar *scalar) {
  ATTN_ENTRY();
  delete scalar;
  return Success;
}

/// An operator has two entry points: one prepares the call, the other queues it.
#define ATTN_OPERATOR(name, parameters, result, first, second, compute)                            \
  ATTN_EXPORT aclError name##GetWorkspaceSize(ATTN_UNPACK parameters, uint64_t *workspaceSize,     \
                                              aclOpExecutor **executor) {                          \
    ATTN_ENTRY();                                                                                  \
    return prepare(result, first, second, compute, workspaceSize, executor);                       \
  }                                                                                                \
  ATTN_EXPORT aclError name(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,      \
                            aclrtStream stream) {                                                  \
    ATTN_ENTRY();                                                                                  \
    return run(executor, stream);                                                                  \
  }
#define ATTN_UNPACK(...) __VA_ARGS__

ATTN_OPERATOR(aclnnInplaceCopy, (aclTensor * self, const aclTensor *source), self, source, source,
              firstOf)
ATTN_OPERATOR(aclnnInplaceZero, (aclTensor * self), self, self, self,
              [](Number, Number) { return Number(0); })
ATTN_OPERATOR(aclnnInplaceOne, (aclTensor * self), self, self, self,
              [](Number, Number) { return Number(1); })
ATTN_OPERATOR(aclnnInplaceFillScalar, (aclTensor * self, const aclScalar *value), self, self, self,
              ([v = value->value](Number, Number) { return v; }))
ATTN_OPERATOR(aclnnAdd,
              (const aclTensor *self, const aclTensor *other, const aclScalar *alpha,
               aclTensor *out),
              out, self, other, ([a = alpha->value](Number x, Number y) { return x + a * y; }))
ATTN_OPERATOR(aclnnAdds,
              (const aclTensor *self, const aclScalar *other, const aclScalar *alpha,
               aclTensor *out),
              out, self, self,
              ([v = other->value * alpha->value](Number x, Number) { return x + v; }))
ATTN_OPERATOR(aclnnInplaceAdd, (aclTensor * self, const aclTensor *other, const aclScalar *alpha),
              self, self, other, ([a = alpha->value](Number x, Number y) { return x + a * y; }))
ATTN_OPERATOR(aclnnInplaceAdds, (aclTensor * self, const aclScalar *other, const aclScalar *alpha),
              self, self, self,
              ([v = other->value * alpha->value](Number x, Number) { return x + v; }))
ATTN_OPERATOR(aclnnMul, (const aclTensor *self, const aclTensor *other, aclTensor *out), out, self,
              other, [](Number x, Number y) { return x * y; })
ATTN_OPERATOR(aclnnMuls, (const aclTensor *self, const aclScalar *other, aclTensor *out), out, self,
              self, ([v = other->value](Number x, Number) { return x * v; }))
