// Describes the arguments of a kernel by their names, shapes and strides.
#include "Parameters.h"
#include "attn/Dialect/Ascend/IR/Ascend.h"
#include "attn/Launch/Convention/Names.h"
#include "attn/Launch/IR/LaunchDialect.h"
#include "attn/Machine/LaunchLimits.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace attn;
using namespace attn::sidecar;
using llvm::json::Array;
using llvm::json::Object;

std::string sidecar::spellType(Type type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (type.isIndex())
    stream << "i64";
  else if (type.isUnsignedInteger())
    stream << "u" << type.getIntOrFloatBitWidth();
  else
    stream << type;
  return text;
}

Parameters::Parameters(func::FuncOp kernel) : kernel(kernel) {
  llvm::StringSet<> used;
  for (BlockArgument argument : kernel.getArguments()) {
    std::string fallback = "arg" + std::to_string(argument.getArgNumber());
    std::string wanted = launch::getSourceName(argument.getLoc()).value_or("").str();
    if (wanted.empty())
      wanted = fallback;
    std::string name = wanted;
    for (unsigned number = 1; !used.insert(name).second; ++number)
      name = wanted + "_" + std::to_string(number);
    names.push_back(name);
  }
}

bool Parameters::isTable(unsigned argument) const {
  return isa<ascend::TableType>(kernel.getArgument(argument).getType());
}

bool Parameters::isWorkspace(unsigned argument) const {
  return kernel.getArgAttr(argument, launch::workspaceName) != nullptr;
}

MemRefType Parameters::getArray(unsigned argument) const {
  Type type = kernel.getArgument(argument).getType();
  if (auto table = dyn_cast<ascend::TableType>(type))
    return table.getElement();
  return dyn_cast<MemRefType>(type);
}

SmallVector<int64_t> Parameters::getShape(unsigned argument) const {
  SmallVector<int64_t> shape(getArray(argument).getShape());
  if (isTable(argument))
    shape.insert(shape.begin(), ShapedType::kDynamic);
  return shape;
}

/// A dimension as a name or a number; null where the kernel takes any and gives it no name.
llvm::json::Value Parameters::getDim(unsigned argument, unsigned dimension) const {
  int64_t size = getShape(argument)[dimension];
  if (!ShapedType::isDynamic(size))
    return size;
  auto dims = kernel.getArgAttrOfType<ArrayAttr>(argument, launch::dimsName);
  Attribute dim = dims && dimension < dims.size() ? dims[dimension] : Attribute();
  if (auto name = dyn_cast_if_present<StringAttr>(dim))
    return name.getValue().str();
  if (auto number = dyn_cast_if_present<IntegerAttr>(dim))
    return number.getInt();
  return nullptr;
}

llvm::json::Value Parameters::getSize(unsigned argument, unsigned dimension) const {
  llvm::json::Value dim = getDim(argument, dimension);
  if (std::optional<StringRef> name = dim.getAsString())
    return Object{{"dim", name->str()}};
  if (dim.getAsNull())
    return Object{{"size", Array{getName(argument), dimension}}};
  return dim;
}

Object Parameters::describeArray(unsigned argument) const {
  MemRefType array = getArray(argument);
  Array dims, strides;
  for (unsigned dimension = 0; dimension < getShape(argument).size(); ++dimension)
    dims.push_back(getDim(argument, dimension));
  SmallVector<int64_t> known;
  int64_t offset;
  // The signature has refused layouts without strides.
  (void)array.getStridesAndOffset(known, offset);
  if (isTable(argument))
    strides.push_back(nullptr);
  for (int64_t stride : known)
    strides.push_back(ShapedType::isDynamic(stride) ? llvm::json::Value("any") : stride);
  bool isOutput = kernel.getArgAttr(argument, launch::outputName) != nullptr;
  return Object{{"kind", isTable(argument) ? "table" : "array"},
                {"role", isWorkspace(argument) ? "workspace"
                         : isOutput            ? "output"
                                               : "input"},
                {"dims", std::move(dims)},
                {"strides", std::move(strides)},
                {"dtype", spellType(array.getElementType())},
                {"alignment", array.getElementTypeBitWidth() / 8}};
}

Array Parameters::describe() const {
  Array all;
  for (unsigned argument = 0; argument < names.size(); ++argument) {
    Object parameter = getArray(argument)
                           ? describeArray(argument)
                           : Object{{"kind", "scalar"},
                                    {"dtype", spellType(kernel.getArgument(argument).getType())}};
    parameter["name"] = names[argument];
    all.push_back(std::move(parameter));
  }
  return all;
}

FailureOr<Array> Parameters::describeWorkspaces() const {
  Array workspaces;
  for (unsigned argument = 0; argument < names.size(); ++argument) {
    MemRefType array = getArray(argument);
    if (!array || !isWorkspace(argument))
      continue;
    Array factors{array.getElementTypeBitWidth() / 8};
    for (unsigned dimension = 0; dimension < getShape(argument).size(); ++dimension) {
      if (getDim(argument, dimension).getAsNull())
        return kernel.emitError() << "argument " << argument << " (" << names[argument]
                                  << ") is workspace whose size in dimension " << dimension
                                  << " is not known: name it in '" << launch::dimsName << "'";
      factors.push_back(getSize(argument, dimension));
    }
    workspaces.push_back(Object{{"parameter", names[argument]},
                                {"bytes", Object{{"mul", std::move(factors)}}},
                                {"alignment", architecture::workspaceAlignment},
                                {"zeroed", false}});
  }
  return workspaces;
}
