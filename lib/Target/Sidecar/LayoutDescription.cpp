// Describes the layout of a launch's arguments in the words of the sidecar.
#include "LayoutDescription.h"

using namespace attn;
using namespace attn::sidecar;
using llvm::json::Object;

/// A pointer, a size, a stride or a scalar of the signature.
static Object describeParameter(const launch::Parameter &parameter, const Parameters &parameters) {
  using Kind = launch::Parameter::Kind;
  const std::string &owner = parameters.getName(parameter.argument);
  Object argument{{"of", owner}, {"axis", nullptr}, {"name", owner}, {"dtype", "i64"}};
  switch (parameter.kind) {
  case Kind::Pointer:
    argument["kind"] = parameters.isWorkspace(parameter.argument) ? "workspace"
                       : parameters.isTable(parameter.argument)   ? "table"
                                                                  : "array";
    argument["dtype"] = spellType(parameters.getArray(parameter.argument).getElementType());
    break;
  case Kind::Size:
  case Kind::Stride:
    argument["kind"] = parameter.kind == Kind::Size ? "size" : "stride";
    argument["axis"] = parameter.dimension;
    argument["name"] = parameter.name;
    break;
  case Kind::Scalar:
    argument["kind"] = "scalar";
    argument["dtype"] = spellType(parameter.type);
    break;
  }
  return argument;
}

/// The base address of the flags between cores, which the launcher passes on its own.
static Object describeSyncBase() {
  return Object{{"of", nullptr},
                {"axis", nullptr},
                {"name", "sync_base"},
                {"kind", "hidden"},
                {"dtype", "i64"}};
}

Object sidecar::describeLayout(const launch::ArgumentLayout &layout, const Parameters &parameters) {
  llvm::json::Array arguments;
  for (const launch::PlacedArgument &placed : layout.arguments) {
    Object argument =
        placed.parameter ? describeParameter(*placed.parameter, parameters) : describeSyncBase();
    argument["offset"] = placed.offset;
    argument["size"] = placed.size;
    argument["alignment"] = placed.alignment;
    arguments.push_back(std::move(argument));
  }
  return Object{{"arguments", std::move(arguments)}, {"bytes", layout.bytes}};
}
