// Turns the arguments of a chip kernel into the parameters of its texts.
#include "attn/Launch/Convention/Signature.h"
#include "attn/Dialect/Ascend/IR/KernelKind.h"
#include "attn/Launch/IR/LaunchDialect.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace attn;
using namespace attn::launch;

std::optional<StringRef> attn::launch::getTypeName(Type type) {
  if (type.isIndex())
    return StringRef("int64_t");
  if (type.isF32())
    return StringRef("float");
  if (type.isF16())
    return StringRef("half");
  if (type.isBF16())
    return StringRef("bfloat16_t");
  if (type.isUnsignedInteger(16))
    return StringRef("uint16_t");
  if (!type.isSignlessInteger())
    return std::nullopt;
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return StringRef("bool");
  case 8:
    return StringRef("int8_t");
  case 16:
    return StringRef("int16_t");
  case 32:
    return StringRef("int32_t");
  case 64:
    return StringRef("int64_t");
  default:
    return std::nullopt;
  }
}

StringRef Parameter::getTypeName() const {
  return kind == Kind::Pointer ? StringRef("__gm__ uint8_t*") : *launch::getTypeName(type);
}

namespace {

class SignatureBuilder {
public:
  SignatureBuilder(func::FuncOp kernel, NameTable &names) : kernel(kernel), names(names) {}

  FailureOr<Signature> build() {
    unsigned count = kernel.getNumArguments();
    signature.arrays.resize(count);
    signature.scalars.resize(count);
    for (unsigned argument = 0; argument < count; ++argument)
      if (failed(addPointer(argument)))
        return failure();
    for (unsigned argument = 0; argument < count; ++argument)
      if (failed(addSizes(argument)))
        return failure();
    for (unsigned argument = 0; argument < count; ++argument)
      if (failed(addStrides(argument)))
        return failure();
    for (unsigned argument = 0; argument < count; ++argument)
      if (failed(addScalar(argument)))
        return failure();
    return std::move(signature);
  }

private:
  /// The type of an argument's arrays: its own, or that of a table's entries; null for scalars.
  MemRefType getMemRef(unsigned argument) {
    Type type = kernel.getArgument(argument).getType();
    if (auto table = dyn_cast<ascend::TableType>(type))
      return table.getElement();
    return dyn_cast<MemRefType>(type);
  }

  bool isTable(unsigned argument) {
    return isa<ascend::TableType>(kernel.getArgument(argument).getType());
  }

  InFlightDiagnostic emitError(unsigned argument) {
    return mlir::emitError(kernel.getArgument(argument).getLoc())
           << "argument " << argument << " of kernel '" << kernel.getName() << "' ";
  }

  std::string addName(unsigned argument) {
    Location location = kernel.getArgument(argument).getLoc();
    return names.add(getSourceName(location).value_or(""), ("arg" + Twine(argument)).str());
  }

  std::string addParameter(Parameter::Kind kind, std::string name, Type type, unsigned argument,
                           unsigned dimension) {
    signature.parameters.push_back({kind, name, type, argument, dimension});
    return name;
  }

  Type getIndexType() { return IndexType::get(kernel.getContext()); }

  LogicalResult addPointer(unsigned argument) {
    MemRefType memref = getMemRef(argument);
    if (!memref)
      return success();
    std::optional<StringRef> element = getTypeName(memref.getElementType());
    if (ascend::getSpace(memref) != ascend::Space::GM || !element || *element == "bool")
      return emitError(argument) << "must be an array in gm of a type the chip has, not " << memref;
    ArrayArgument &array = signature.arrays[argument];
    array.elementType = element->str();
    array.isTable = isTable(argument);
    array.pointer = addParameter(Parameter::Kind::Pointer, addName(argument), Type(), argument, 0);
    return success();
  }

  /// The name of a size that is only known at run time; equal names are one parameter.
  std::string getSizeName(unsigned argument, unsigned dimension, StringRef name) {
    if (name == launch::blocksDim || name == launch::coresDim || name == launch::groupsDim)
      return blockCountText.str();
    if (!name.empty())
      if (auto known = sizeNames.find(name); known != sizeNames.end())
        return known->second;
    std::string fallback = signature.arrays[argument].pointer + "_size" + std::to_string(dimension);
    std::string added = addParameter(Parameter::Kind::Size, names.add(name, fallback),
                                     getIndexType(), argument, dimension);
    if (!name.empty())
      sizeNames[name] = added;
    return added;
  }

  LogicalResult addSizes(unsigned argument) {
    MemRefType memref = getMemRef(argument);
    if (!memref)
      return success();
    SmallVector<int64_t> shape(memref.getShape());
    if (isTable(argument))
      shape.insert(shape.begin(), ShapedType::kDynamic);
    auto dims = kernel.getArgAttrOfType<ArrayAttr>(argument, launch::dimsName);
    if (dims && dims.size() != shape.size())
      return emitError(argument) << "has " << shape.size() << " dimensions, but '"
                                 << launch::dimsName << "' lists " << dims.size();
    for (auto [dimension, size] : llvm::enumerate(shape)) {
      auto name = dims ? dyn_cast<StringAttr>(dims[dimension]) : StringAttr();
      // Elsewhere a block is one core.
      if (name && name.getValue() == launch::coresDim &&
          ascend::getKernelKind(kernel) == ascend::KernelKind::Mixed)
        return emitError(argument)
               << "has a part per core, for which texts of mixed kernels have no "
                  "number: '"
               << launch::groupsDim << "' gives each group one";
      signature.arrays[argument].sizes.push_back(
          ShapedType::isDynamic(size)
              ? getSizeName(argument, dimension, name ? name.getValue() : StringRef())
              : std::to_string(size));
    }
    return success();
  }

  LogicalResult addStrides(unsigned argument) {
    MemRefType memref = getMemRef(argument);
    if (!memref)
      return success();
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(memref.getStridesAndOffset(strides, offset)) || offset != 0)
      return emitError(argument) << "must have strides and no offset: " << memref;
    ArrayArgument &array = signature.arrays[argument];
    if (array.isTable)
      array.strides.push_back("");
    for (int64_t stride : strides) {
      unsigned dimension = array.strides.size();
      array.strides.push_back(
          ShapedType::isDynamic(stride)
              ? addParameter(Parameter::Kind::Stride,
                             names.add(array.pointer + "_stride" + std::to_string(dimension), ""),
                             getIndexType(), argument, dimension)
              : std::to_string(stride));
    }
    return success();
  }

  LogicalResult addScalar(unsigned argument) {
    if (getMemRef(argument))
      return success();
    Type type = kernel.getArgument(argument).getType();
    // Narrower scalars have no settled place in the argument block.
    if (!type.isF32() && !type.isIndex() && !type.isSignlessInteger(32) &&
        !type.isSignlessInteger(64))
      return emitError(argument) << "must be an array, f32, i32, i64 or index, not " << type;
    signature.scalars[argument] =
        addParameter(Parameter::Kind::Scalar, addName(argument), type, argument, 0);
    return success();
  }

  func::FuncOp kernel;
  NameTable &names;
  Signature signature;
  llvm::StringMap<std::string> sizeNames;
};

} // namespace

FailureOr<Signature> attn::launch::getSignature(func::FuncOp kernel, NameTable &names) {
  return SignatureBuilder(kernel, names).build();
}

LogicalResult attn::launch::verifyKernelName(func::FuncOp kernel) {
  if (isKernelName(kernel.getName()))
    return success();
  return kernel.emitError() << "kernel name '" << kernel.getName()
                            << "' must be an identifier of at most 49 characters and no word of "
                               "C++ or AscendC";
}

LogicalResult attn::launch::verifyHalves(func::FuncOp kernel) {
  if (ascend::getKernelKind(kernel) != ascend::KernelKind::Mixed)
    return success();
  if (auto of = kernel->getAttrOfType<FlatSymbolRefAttr>(ascend::halfOfName)) {
    if (SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(kernel, of))
      return success();
    return kernel.emitError() << "is half of '" << of.getValue() << "', which does not exist";
  }
  func::FuncOp half = ascend::getCubeHalf(kernel);
  if (!half)
    return kernel.emitError() << "is a mixed kernel without a cube half: no kernel has '"
                              << ascend::halfOfName << " = @" << kernel.getName() << "'";
  if (half.getArgumentTypes() != kernel.getArgumentTypes())
    return half.emitError() << "must take the arguments of '" << kernel.getName()
                            << "', half of which it is";
  return success();
}

bool attn::launch::doBlocksMeet(func::FuncOp kernel) {
  return ascend::getKernelKind(kernel) == ascend::KernelKind::MeetingVector;
}

bool attn::launch::doCoresSignal(func::FuncOp kernel) {
  return doBlocksMeet(kernel) || ascend::getKernelKind(kernel) == ascend::KernelKind::Mixed;
}
