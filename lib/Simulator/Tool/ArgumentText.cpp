// The text form of arguments for the command line, and of arrays for its output.
#include "attn/Simulator/Model/Numerics.h"
#include "attn/Simulator/Tool/Tool.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include <climits>
#include <functional>

using namespace mlir;
using namespace attn;
using namespace attn::simulator;

namespace {

class ArgumentParser {
public:
  ArgumentParser(StringRef text, MLIRContext *context, bool needsData, ArgumentStorage &storage,
                 function_ref<InFlightDiagnostic()> emitError)
      : text(text), context(context), needsData(needsData), storage(storage), emitError(emitError) {
  }

  FailureOr<Argument> parse() {
    auto [kind, rest] = text.split(':');
    if (text == "workspace")
      return Argument::workspace();
    if (kind == "f32") {
      double value;
      if (rest.getAsDouble(value))
        return fail("has no number after f32:");
      return Argument::scalar(static_cast<float>(value));
    }
    if (kind == "i64" || kind == "index") {
      int64_t value;
      if (rest.getAsInteger(0, value))
        return fail("has no number after " + kind.str() + ":");
      return Argument::scalar(value);
    }
    if (kind == "table")
      return parseTable(rest);
    FailureOr<Array> array = parseArray(text);
    if (failed(array))
      return failure();
    return Argument::array(*array, kind != "undef");
  }

private:
  LogicalResult fail(const Twine &message) {
    return emitError() << "argument '" << text << "' " << message.str();
  }

  FailureOr<Argument> parseTable(StringRef rest) {
    auto [number, entry] = rest.split(':');
    int64_t count;
    if (number.getAsInteger(10, count) || count < 0)
      return fail("needs a number of arrays: table:<n>:<array>");
    std::vector<Array> entries;
    for (int64_t index = 0; index < count; ++index) {
      FailureOr<Array> array = parseArray(entry);
      if (failed(array))
        return failure();
      entries.push_back(*array);
    }
    return Argument::table(std::move(entries), !entry.starts_with("undef:"));
  }

  FailureOr<Array> parseArray(StringRef description) {
    auto [kind, rest] = description.split(':');
    StringRef parameter;
    if (!llvm::is_contained({"zeros", "ones", "iota", "fill", "values", "random", "undef"}, kind))
      return fail(
          "is none of zeros, ones, iota, fill, values, random, undef, table, f32, i64, workspace");
    if (kind == "random" && !rest.contains(':'))
      return fail("needs a seed: random:<seed>:<shape>");
    if ((kind == "fill" || kind == "values") && !rest.contains(':'))
      return fail("needs what to fill with: " + kind + ":<number>,...:<shape>");
    if (kind == "fill" || kind == "values" || kind == "random")
      std::tie(parameter, rest) = rest.split(':');
    Array array;
    if (failed(parseShape(rest, array)))
      return failure();
    if (!needsData)
      return array;
    std::function<double(int64_t)> valueAt;
    if (failed(parseValues(kind, parameter, valueAt)))
      return failure();
    fill(array, kind == "undef" ? nullptr : valueAt);
    return array;
  }

  LogicalResult parseShape(StringRef description, Array &array) {
    auto [shape, strides] = description.split('@');
    SmallVector<StringRef> parts;
    shape.split(parts, 'x');
    StringRef typeName = parts.pop_back_val();
    array.elementType = llvm::StringSwitch<Type>(typeName)
                            .Case("f32", Float32Type::get(context))
                            .Case("f16", Float16Type::get(context))
                            .Case("bf16", BFloat16Type::get(context))
                            .Case("i32", IntegerType::get(context, 32))
                            .Case("i8", IntegerType::get(context, 8))
                            .Case("i64", IntegerType::get(context, 64))
                            .Case("u16", IntegerType::get(context, 16, IntegerType::Unsigned))
                            .Default(Type());
    if (!array.elementType)
      return fail("has the unknown element type '" + typeName + "'");
    for (StringRef part : parts) {
      int64_t size;
      if (part.getAsInteger(10, size) || size < 0 || size > int64_t(1) << 32)
        return fail("has the impossible size '" + part + "'");
      array.shape.push_back(size);
    }
    array.strides.assign(array.shape.size(), 1);
    for (int axis = static_cast<int>(array.shape.size()) - 2; axis >= 0; --axis)
      array.strides[axis] = array.strides[axis + 1] * array.shape[axis + 1];
    return strides.empty() ? success() : parseStrides(strides, array);
  }

  LogicalResult parseStrides(StringRef description, Array &array) {
    SmallVector<StringRef> parts;
    description.split(parts, ',');
    if (parts.size() != array.shape.size())
      return fail("needs one stride per dimension");
    for (auto [axis, part] : llvm::enumerate(parts))
      if (part.getAsInteger(10, array.strides[axis]) || array.strides[axis] < 0)
        return fail("has the impossible stride '" + part + "'");
    return success();
  }

  LogicalResult parseValues(StringRef kind, StringRef parameter,
                            std::function<double(int64_t)> &valueAt) {
    if (kind == "zeros" || kind == "undef") {
      valueAt = [](int64_t) { return 0.0; };
    } else if (kind == "ones") {
      valueAt = [](int64_t) { return 1.0; };
    } else if (kind == "iota") {
      valueAt = [](int64_t index) { return static_cast<double>(index); };
    } else if (kind == "random") {
      uint64_t seed;
      if (parameter.getAsInteger(0, seed))
        return fail("needs a seed: random:<seed>:<shape>");
      valueAt = [seed](int64_t index) { return getRandom(seed, index); };
    } else {
      SmallVector<double> values;
      for (StringRef part : llvm::split(parameter, ','))
        if (part.getAsDouble(values.emplace_back()))
          return fail("has the impossible value '" + part + "'");
      valueAt = [values](int64_t index) { return values[index % values.size()]; };
    }
    return success();
  }

  /// Numbers in [-1, 1), the same on every machine (splitmix64).
  static double getRandom(uint64_t seed, uint64_t index) {
    uint64_t bits = seed * 0x9e3779b97f4a7c15 + (index + 1) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    bits ^= bits >> 31;
    return static_cast<double>(bits >> 11) * 0x1p-52 - 1;
  }

  void fill(Array &array, const std::function<double(int64_t)> &valueAt) {
    Element element = *getElement(array.elementType);
    int64_t last = 0, count = 1;
    for (auto [size, stride] : llvm::zip(array.shape, array.strides)) {
      last += (size - 1) * stride;
      count *= size;
    }
    int64_t bytes = count == 0 ? 0 : (last + 1) * getBytes(element);
    storage.push_back(std::make_unique<std::vector<uint8_t>>(bytes, 0xff));
    array.data = storage.back()->data();
    if (!valueAt)
      return;
    for (int64_t index = 0; index < count; ++index) {
      int64_t offset = 0, left = index;
      for (int axis = static_cast<int>(array.shape.size()) - 1; axis >= 0; --axis) {
        offset += left % array.shape[axis] * array.strides[axis];
        left /= array.shape[axis];
      }
      double value = valueAt(index);
      storeElement(element, storage.back()->data() + offset * getBytes(element),
                   {array.elementType.isIntOrIndex() ? static_cast<int64_t>(value) : 0,
                    static_cast<float>(value)});
    }
  }

  StringRef text;
  MLIRContext *context;
  bool needsData;
  ArgumentStorage &storage;
  function_ref<InFlightDiagnostic()> emitError;
};

/// An integer in memory, with a sign unless its type has none.
int64_t loadInteger(Type type, const uint8_t *at) {
  unsigned bits = type.getIntOrFloatBitWidth();
  uint64_t value = 0;
  std::memcpy(&value, at, bits / CHAR_BIT);
  return type.isUnsignedInteger() ? static_cast<int64_t>(value) : llvm::SignExtend64(value, bits);
}

void printRows(const Array &array, size_t axis, int64_t offset, raw_ostream &stream) {
  Element element = *getElement(array.elementType);
  auto *data = static_cast<const uint8_t *>(array.data);
  for (int64_t index = 0; index < array.shape[axis]; ++index) {
    int64_t at = offset + index * array.strides[axis];
    if (axis + 1 < array.shape.size()) {
      printRows(array, axis + 1, at, stream);
      continue;
    }
    stream << (index == 0 ? "  " : " ");
    if (array.elementType.isInteger()) {
      stream << loadInteger(array.elementType, data + at * getBytes(element));
      continue;
    }
    float value = loadElement(element, data + at * getBytes(element));
    // The sign of a NaN says nothing.
    if (std::isnan(value))
      stream << "nan";
    else
      stream << llvm::format("%.7g", value);
  }
  if (axis + 1 == array.shape.size())
    stream << "\n";
}

} // namespace

FailureOr<Argument> simulator::parseArgument(StringRef text, MLIRContext *context, bool needsData,
                                             ArgumentStorage &storage,
                                             function_ref<InFlightDiagnostic()> emitError) {
  return ArgumentParser(text, context, needsData, storage, emitError).parse();
}

void simulator::printArray(const Array &array, raw_ostream &stream) {
  if (!array.shape.empty())
    printRows(array, 0, 0, stream);
}
