// Lays out the arguments of a launch as the device's calling convention does.
#include "ArgumentLayout.h"
#include "llvm/Support/MathExtras.h"

using namespace attn;
using namespace attn::sidecar;
using llvm::json::Object;

namespace {

/// Appends arguments; each is aligned to its size, and to 4 bytes at least.
class LayoutBuilder {
public:
  void add(Object argument, int64_t size) {
    int64_t alignment = std::max<int64_t>(4, size);
    bytes = llvm::alignTo(bytes, alignment);
    argument["offset"] = bytes;
    argument["size"] = size;
    argument["alignment"] = alignment;
    arguments.push_back(std::move(argument));
    bytes += size;
  }

  Object take() { return Object{{"arguments", std::move(arguments)}, {"bytes", bytes}}; }

private:
  llvm::json::Array arguments;
  int64_t bytes = 0;
};

} // namespace

/// A pointer, a size, a stride or a number of the signature.
static void addParameter(const ascendc::Parameter &parameter, const Parameters &parameters,
                         LayoutBuilder &layout) {
  using Kind = ascendc::Parameter::Kind;
  const std::string &owner = parameters.getName(parameter.argument);
  Object argument{{"of", owner}, {"axis", nullptr}, {"name", owner}, {"dtype", "i64"}};
  int64_t size = 8;
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
    argument["dtype"] = parameter.type == "float"     ? "f32"
                        : parameter.type == "int32_t" ? "i32"
                                                      : "i64";
    size = parameter.type == "int64_t" ? 8 : 4;
    break;
  }
  layout.add(std::move(argument), size);
}

Object sidecar::describeLayout(const ascendc::Signature &signature, const Parameters &parameters,
                               Route route, bool needsSyncBase) {
  LayoutBuilder layout;
  // In AscendC the runtime passes the base itself, from what the object says about it.
  if (route == Route::HIVM && needsSyncBase)
    layout.add(Object{{"of", nullptr},
                      {"axis", nullptr},
                      {"name", "sync_base"},
                      {"kind", "hidden"},
                      {"dtype", "i64"}},
               8);
  for (const ascendc::Parameter &parameter : signature.parameters)
    addParameter(parameter, parameters, layout);
  return layout.take();
}
