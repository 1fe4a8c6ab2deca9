// Matches the caller's arguments with those of the kernel.
#include "attn/Dialect/Ascend/IR/KernelKind.h"
#include "attn/Simulator/Launch/Launch.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace attn;
using namespace attn::simulator;

Argument Argument::array(Array array, bool isDefined) {
  Argument argument;
  argument.kind = Kind::Array;
  argument.arrays.push_back(std::move(array));
  argument.isDefined = isDefined;
  return argument;
}

Argument Argument::table(std::vector<Array> entries, bool isDefined) {
  Argument argument;
  argument.kind = Kind::Table;
  argument.arrays = std::move(entries);
  argument.isDefined = isDefined;
  return argument;
}

Argument Argument::scalar(int64_t value) {
  Argument argument;
  argument.kind = Kind::Integer;
  argument.integer = value;
  return argument;
}

Argument Argument::scalar(float value) {
  Argument argument;
  argument.kind = Kind::Real;
  argument.real = value;
  return argument;
}

Argument Argument::workspace() { return Argument(); }

namespace {

class Binder {
public:
  Binder(func::FuncOp kernel, int64_t blocks, bool needsData)
      : kernel(kernel), blocks(blocks), needsData(needsData) {}

  FailureOr<Launch> bind(ArrayRef<Argument> arguments) {
    if (arguments.size() != kernel.getNumArguments())
      return kernel.emitError() << "takes " << kernel.getNumArguments() << " arguments, not "
                                << arguments.size();
    collectDimensions(arguments);
    for (auto [index, argument] : llvm::enumerate(arguments))
      if (failed(bindOne(index, argument)))
        return failure();
    return std::move(launch);
  }

private:
  InFlightDiagnostic emitError(unsigned index) {
    return kernel.emitError() << "argument " << index << " (" << getArgumentName(index) << ") ";
  }

  std::string getArgumentName(unsigned index) {
    if (auto name = dyn_cast<NameLoc>(kernel.getArgument(index).getLoc()))
      return name.getName().str();
    return "argument " + std::to_string(index);
  }

  /// The sizes that `launch.dims` names, from the arrays that were given.
  void collectDimensions(ArrayRef<Argument> arguments) {
    for (auto [index, argument] : llvm::enumerate(arguments)) {
      auto names = kernel.getArgAttrOfType<ArrayAttr>(index, launch::dimsName);
      if (!names || argument.kind != Argument::Kind::Array)
        continue;
      for (auto [name, size] : llvm::zip(names, argument.arrays.front().shape))
        if (auto text = dyn_cast<StringAttr>(name))
          dimensions.try_emplace(text.getValue(), size);
    }
  }

  LogicalResult bindOne(unsigned index, const Argument &argument) {
    Type type = kernel.getArgument(index).getType();
    launch.arguments.emplace_back();
    if (auto table = dyn_cast<ascend::TableType>(type)) {
      launch.arguments.back().isTable = true;
      if (argument.kind != Argument::Kind::Table)
        return emitError(index) << "must be a table of arrays";
      return bindArrays(index, argument, table.getElement());
    }
    if (auto memref = dyn_cast<MemRefType>(type)) {
      if (argument.kind == Argument::Kind::Workspace)
        return bindScratch(index, memref);
      if (argument.kind != Argument::Kind::Array)
        return emitError(index) << "must be an array";
      return bindArrays(index, argument, memref);
    }
    return bindScalar(index, argument, type);
  }

  LogicalResult bindScalar(unsigned index, const Argument &argument, Type type) {
    bool wantsReal = type.isF32();
    if (!wantsReal && !type.isIndex() && !type.isInteger(64))
      return emitError(index) << "has the type " << type << ", which the simulator does not know";
    if (argument.kind != (wantsReal ? Argument::Kind::Real : Argument::Kind::Integer))
      return emitError(index) << "must be a scalar of type " << type;
    launch.arguments.back().scalar = {argument.integer, argument.real};
    return success();
  }

  bool isOutput(unsigned index) {
    return kernel.getArgAttr(index, launch::outputName) ||
           kernel.getArgAttr(index, launch::workspaceName);
  }

  LogicalResult bindArrays(unsigned index, const Argument &argument, MemRefType type) {
    BoundArgument &bound = launch.arguments.back();
    bound.firstArray = launch.arrays.size();
    bound.arrayCount = argument.arrays.size();
    for (auto [entry, array] : llvm::enumerate(argument.arrays)) {
      if (failed(checkArray(index, array, type)))
        return failure();
      if (array.shape != argument.arrays.front().shape ||
          array.strides != argument.arrays.front().strides)
        return emitError(index) << "lists arrays of unequal shape or strides (entry " << entry
                                << ")";
      std::string name = getArgumentName(index);
      if (argument.kind == Argument::Kind::Table)
        name += "[" + std::to_string(entry) + "]";
      launch.arrays.push_back(
          {name, array, argument.isDefined && !isOutput(index), static_cast<int>(index)});
    }
    return success();
  }

  LogicalResult checkArray(unsigned index, const Array &array, MemRefType type) {
    if (array.elementType != type.getElementType() || !getElement(type))
      return emitError(index) << "has elements of type " << array.elementType << ", not "
                              << type.getElementType();
    auto rank = static_cast<size_t>(type.getRank());
    if (array.shape.size() != rank || array.strides.size() != rank || rank > maxRank)
      return emitError(index) << "has rank " << array.shape.size() << ", not " << rank;
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(type.getStridesAndOffset(strides, offset)))
      return emitError(index) << "has a layout without strides: " << type;
    for (size_t axis = 0; axis < rank; ++axis) {
      if (array.shape[axis] < 0 ||
          (!type.isDynamicDim(axis) && type.getDimSize(axis) != array.shape[axis]))
        return emitError(index) << "has size " << array.shape[axis] << " in dimension " << axis
                                << ", not " << type.getDimSize(axis);
      // The stride of a dimension with one element is never used.
      bool isFree = ShapedType::isDynamic(strides[axis]) || array.shape[axis] <= 1;
      if (!isFree && strides[axis] != array.strides[axis])
        return emitError(index) << "has stride " << array.strides[axis] << " in dimension " << axis
                                << ", not " << strides[axis];
    }
    if (needsData && !array.data && !llvm::is_contained(array.shape, 0))
      return emitError(index) << "has no data";
    return success();
  }

  /// Makes workspace: sizes from the type, `launch.dims` and the number of blocks; contiguous.
  LogicalResult bindScratch(unsigned index, MemRefType type) {
    if (!kernel.getArgAttr(index, launch::workspaceName))
      return emitError(index) << "is missing: only workspaces are made by the simulator";
    auto names = kernel.getArgAttrOfType<ArrayAttr>(index, launch::dimsName);
    Array array;
    array.elementType = type.getElementType();
    for (int64_t axis = 0; axis < type.getRank(); ++axis) {
      int64_t size = type.isDynamicDim(axis) ? getNamedSize(names, axis) : type.getDimSize(axis);
      if (size < 0)
        return emitError(index) << "is a workspace whose size in dimension " << axis
                                << " is not known";
      array.shape.push_back(size);
    }
    array.strides.assign(array.shape.size(), 1);
    for (int64_t axis = type.getRank() - 2; axis >= 0; --axis)
      array.strides[axis] = array.strides[axis + 1] * array.shape[axis + 1];
    std::optional<Element> element = getElement(type);
    int64_t elements = array.shape.empty() ? 1 : array.strides[0] * array.shape[0];
    if (element && needsData) {
      launch.ownedMemory.emplace_back(elements * getBytes(*element));
      array.data = launch.ownedMemory.back().data();
    }
    return bindArrays(index, Argument::array(array), type);
  }

  int64_t getNamedSize(ArrayAttr names, int64_t axis) {
    if (!names || axis >= static_cast<int64_t>(names.size()))
      return -1;
    if (auto number = dyn_cast<IntegerAttr>(names[axis]))
      return number.getInt();
    StringRef name = cast<StringAttr>(names[axis]).getValue();
    ascend::KernelKind kind = ascend::getKernelKind(kernel);
    // What counts the tiles of a kernel takes the same arguments and has no kind.
    bool hasGroups = kind == ascend::KernelKind::Mixed || kernel->hasAttr(launch::gridOfName);
    if (name == launch::blocksDim || (name == launch::groupsDim && hasGroups))
      return blocks;
    if (name == launch::coresDim)
      return blocks * ascend::getCoresPerBlock(kind);
    auto it = dimensions.find(name);
    return it == dimensions.end() ? -1 : it->second;
  }

  func::FuncOp kernel;
  int64_t blocks;
  bool needsData;
  Launch launch;
  llvm::StringMap<int64_t> dimensions;
};

} // namespace

FailureOr<Launch> simulator::bindArguments(func::FuncOp kernel, ArrayRef<Argument> arguments,
                                           int64_t blocks, bool needsData) {
  return Binder(kernel, blocks, needsData).bind(arguments);
}
