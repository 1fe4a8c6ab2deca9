// Compiles a kernel for the CPU: finds its entries in a module, and makes an image of its code.
#include "attn/Cpu/Compiler/Jit.h"
#include "Compiler.h"
#include "ImageLinker.h"
#include "attn/Cpu/IR/Cpu.h"
#include "attn/Launch/IR/LaunchDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace attn;

namespace {

/// The functions of a kernel in a module.
struct Entries {
  SmallVector<LLVM::LLVMFuncOp> phases; // the entries, with their signatures
  std::string grid;                     // the name of the grid's entry, or empty
  SmallVector<std::string> checks;      // the names of those that check before a launch
  int64_t limit = 0;
};

std::string getEntryName(StringRef name) { return (name + ".entry").str(); }

StringRef getKernelName(LLVM::LLVMFuncOp entry) {
  return entry.getName().drop_back(StringRef(".entry").size());
}

/// The entry of the kernel `name`, or of the only one that follows no other.
llvm::Expected<LLVM::LLVMFuncOp> findFirst(ModuleOp module, StringRef name) {
  LLVM::LLVMFuncOp found;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    auto signature = function->getAttrOfType<TypeAttr>(launch::signatureName);
    auto type = signature ? dyn_cast<FunctionType>(signature.getValue()) : FunctionType();
    if (!type || type.getNumResults() > 0)
      continue;
    auto kernel = module.lookupSymbol<LLVM::LLVMFuncOp>(getKernelName(function));
    bool isLater = kernel && kernel->hasAttr(launch::afterName);
    if (name.empty() ? isLater : function.getName() != getEntryName(name))
      continue;
    if (found)
      return llvm::createStringError("the module has several kernels; choose one by name");
    found = function;
  }
  if (!found)
    return llvm::createStringError("the module has no kernel" +
                                   (name.empty() ? "" : " named '" + name.str() + "'") +
                                   " in the LLVM dialect");
  return found;
}

/// The kernel that is launched after `kernel`, or null.
LLVM::LLVMFuncOp findNext(ModuleOp module, StringRef kernel) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    auto after = function->getAttrOfType<FlatSymbolRefAttr>(launch::afterName);
    if (after && after.getValue() == kernel)
      return module.lookupSymbol<LLVM::LLVMFuncOp>(getEntryName(function.getName()));
  }
  return {};
}

llvm::Expected<Entries> findEntries(ModuleOp module, StringRef name) {
  llvm::Expected<LLVM::LLVMFuncOp> first = findFirst(module, name);
  if (!first)
    return first.takeError();
  Entries entries;
  for (LLVM::LLVMFuncOp next = *first; next && !llvm::is_contained(entries.phases, next);
       next = findNext(module, getKernelName(next)))
    entries.phases.push_back(next);
  StringRef kernelName = getKernelName(*first);
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    auto gridOf = function->getAttrOfType<FlatSymbolRefAttr>(launch::gridOfName);
    if (gridOf && gridOf.getValue() == kernelName)
      entries.grid = getEntryName(function.getName());
    auto checkOf = function->getAttrOfType<FlatSymbolRefAttr>(cpu::checkOfName);
    if (checkOf && llvm::any_of(entries.phases, [&](LLVM::LLVMFuncOp phase) {
          return getKernelName(phase) == checkOf.getValue();
        }))
      entries.checks.push_back(getEntryName(function.getName()));
    auto limit = function->getAttrOfType<IntegerAttr>(launch::limitName);
    if (limit && function.getName() == kernelName)
      entries.limit = limit.getInt();
  }
  return entries;
}

/// Reads what reports mean.
llvm::Error readChecks(ModuleOp module, host::Image &image) {
  auto checks = module->getAttrOfType<ArrayAttr>(cpu::checksName);
  if (!checks)
    return llvm::Error::success();
  for (auto described : checks.getAsRange<DictionaryAttr>()) {
    host::Check &check = image.checks.emplace_back();
    if (auto place = described.getAs<LocationAttr>("place"))
      if (auto file = place.findInstanceOf<FileLineColLoc>()) {
        check.file = file.getFilename().str();
        check.line = file.getLine();
        check.column = file.getColumn();
      }
    for (auto [name, text] : {std::pair("access", &check.access),
                              {"array", &check.array},
                              {"division", &check.division}})
      if (auto attribute = described.getAs<StringAttr>(name))
        *text = attribute.str();
    if (auto numbers = described.getAs<IntegerAttr>("numbers"))
      check.numbers = numbers.getInt();
    image.reportWords = std::max(image.reportWords, 1 + check.numbers);
  }
  if (image.reportWords > host::maxReportWords)
    return llvm::createStringError("an array has too many dimensions for a report of a check");
  return llvm::Error::success();
}

/// The arguments as their author wrote them: a table is two memrefs there, the first of addresses.
std::vector<host::Parameter> readSignature(FunctionType type) {
  std::vector<host::Parameter> parameters;
  ArrayRef<Type> inputs = type.getInputs().drop_back(2);
  for (size_t number = 0; number < inputs.size(); ++number) {
    host::Parameter parameter;
    Type element = inputs[number];
    if (auto table = dyn_cast<MemRefType>(element); table && table.getElementType().isInteger(64) &&
                                                    !isa<StridedLayoutAttr>(table.getLayout()) &&
                                                    number + 1 < inputs.size()) {
      parameter.kind = host::Parameter::TableKind;
      parameter.count = table.isDynamicDim(0) ? -1 : table.getDimSize(0);
      element = inputs[++number];
    }
    if (auto memref = dyn_cast<MemRefType>(element)) {
      if (parameter.kind != host::Parameter::TableKind)
        parameter.kind = host::Parameter::ArrayKind;
      for (int64_t size : memref.getShape())
        parameter.shape.push_back(ShapedType::isDynamic(size) ? -1 : size);
      element = memref.getElementType();
    }
    parameter.isFloat = isa<FloatType>(element);
    parameter.bytes = element.isIndex() ? 8 : element.getIntOrFloatBitWidth() / 8;
    parameters.push_back(parameter);
  }
  return parameters;
}

} // namespace

llvm::Expected<host::Image> jit::compile(ModuleOp module, StringRef name, bool optimize) {
  llvm::Expected<Entries> entries = findEntries(module, name);
  if (!entries)
    return entries.takeError();
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> object = createObject(module, optimize);
  if (!object)
    return object.takeError();
  llvm::Expected<LinkedObject> linked = linkImage(**object);
  if (!linked)
    return linked.takeError();
  host::Image &image = linked->image;
  for (LLVM::LLVMFuncOp phase : entries->phases)
    image.phases.push_back(linked->symbols.lookup(phase.getName()));
  if (!entries->grid.empty())
    image.grid = linked->symbols.lookup(entries->grid);
  for (const std::string &check : entries->checks)
    image.launchChecks.push_back(linked->symbols.lookup(check));
  image.limit = entries->limit;
  if (llvm::Error error = readChecks(module, image))
    return std::move(error);
  auto signature = entries->phases.front()->getAttrOfType<TypeAttr>(launch::signatureName);
  image.parameters = readSignature(cast<FunctionType>(signature.getValue()));
  return std::move(image);
}

//===----------------------------------------------------------------------===//
// Describing
//===----------------------------------------------------------------------===//

/// A size, or null where any is taken.
static llvm::json::Value describeSize(int64_t size) {
  return size < 0 ? llvm::json::Value(nullptr) : llvm::json::Value(size);
}

static llvm::json::Value describeParameter(const host::Parameter &parameter) {
  static constexpr StringLiteral kinds[] = {"array", "table", "scalar"};
  llvm::json::Object object{{"kind", kinds[parameter.kind]},
                            {"bytes", static_cast<int64_t>(parameter.bytes)},
                            {"float", parameter.isFloat}};
  if (parameter.kind != host::Parameter::ScalarKind)
    object["shape"] = llvm::json::Array(llvm::map_range(parameter.shape, describeSize));
  if (parameter.kind == host::Parameter::TableKind)
    object["count"] = describeSize(parameter.count);
  return object;
}

static llvm::json::Value describeSegment(const host::Segment &segment) {
  StringRef access = segment.isExecutable ? "rx" : segment.isWritable ? "rw" : "r";
  return llvm::json::Array{segment.offset, segment.size, access};
}

static llvm::json::Value describeAddress(const host::AddressWord &word) {
  llvm::json::Value target =
      word.function.empty() ? llvm::json::Value(word.target) : llvm::json::Value(word.function);
  return llvm::json::Array{word.offset, std::move(target)};
}

static llvm::json::Value describeCheck(const host::Check &check) {
  llvm::json::Object object{{"place", llvm::json::Array{check.file, check.line, check.column}},
                            {"numbers", check.numbers}};
  if (check.division.empty()) {
    object["access"] = check.access;
    object["array"] = check.array;
  } else {
    object["division"] = check.division;
  }
  return object;
}

std::string jit::describe(const host::Image &image) {
  llvm::json::Object object{
      {"arguments", llvm::json::Array(llvm::map_range(image.parameters, describeParameter))},
      {"segments", llvm::json::Array(llvm::map_range(image.segments, describeSegment))},
      {"addresses", llvm::json::Array(llvm::map_range(image.addresses, describeAddress))},
      {"phases", llvm::json::Array(image.phases)},
      {"grid", image.grid ? llvm::json::Value(*image.grid) : llvm::json::Value(nullptr)},
      {"launch_checks", llvm::json::Array(image.launchChecks)},
      {"checks", llvm::json::Array(llvm::map_range(image.checks, describeCheck))},
      {"report_words", image.reportWords},
      {"limit", image.limit}};
  return llvm::formatv("{0}", llvm::json::Value(std::move(object))).str();
}
