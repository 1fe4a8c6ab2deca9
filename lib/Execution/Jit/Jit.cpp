// Runs kernels on the CPU: finds the entries of a module, checks and packs arguments, launches
// blocks.
#include "attn/Execution/Jit/Jit.h"
#include "Compiler.h"
#include "ThreadPool.h"
#include "attn/Machine/LaunchDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace attn;
using namespace attn::jit;

/// Blocks per thread: enough that a thread which was held up leaves its blocks to the others.
static constexpr int64_t blocksPerThread = 4;

//===----------------------------------------------------------------------===//
// Finding and compiling
//===----------------------------------------------------------------------===//

namespace {

/// The functions of a kernel in a module.
struct Entries {
  SmallVector<LLVM::LLVMFuncOp> phases; // the entries, with their signatures
  std::string grid;                     // the name of the grid's entry, or empty
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

/// The kernel that is launched behind `kernel`, or null.
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
    auto limit = function->getAttrOfType<IntegerAttr>(launch::limitName);
    if (limit && function.getName() == kernelName)
      entries.limit = limit.getInt();
  }
  return entries;
}

/// The arguments as their author wrote them: a table is two memrefs there, the first of addresses.
std::vector<Parameter> readSignature(FunctionType type) {
  std::vector<Parameter> parameters;
  ArrayRef<Type> inputs = type.getInputs().drop_back(2);
  for (size_t number = 0; number < inputs.size(); ++number) {
    Parameter parameter;
    parameter.kind = Parameter::ScalarKind;
    Type element = inputs[number];
    if (auto table = dyn_cast<MemRefType>(element);
        table && table.getElementType().isInteger(64) && number + 1 < inputs.size()) {
      parameter.kind = Parameter::TableKind;
      parameter.count = table.isDynamicDim(0) ? -1 : table.getDimSize(0);
      element = inputs[++number];
    }
    if (auto memref = dyn_cast<MemRefType>(element)) {
      if (parameter.kind != Parameter::TableKind)
        parameter.kind = Parameter::ArrayKind;
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

/// What generated code may call. They are given by address, because a module that Python loads does
/// not see the process's own symbols everywhere.
llvm::Error defineLibrary(llvm::orc::LLJIT &engine) {
  llvm::orc::SymbolMap symbols;
  auto add = [&](StringRef name, auto *function) {
    symbols[engine.mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                                             llvm::JITSymbolFlags::Exported};
  };
  add("fmaf", static_cast<float (*)(float, float, float)>(std::fma));
  add("roundevenf", static_cast<float (*)(float)>(std::nearbyint));
  add("malloc", std::malloc);
  add("free", std::free);
  add("memcpy", std::memcpy);
  add("memset", std::memset);
  add("memmove", std::memmove);
  return engine.getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols)));
}

llvm::Error describe(size_t number, const llvm::Twine &problem) {
  return llvm::createStringError("argument " + llvm::Twine(number) + " " + problem);
}

} // namespace

llvm::Expected<std::unique_ptr<Kernel>> Kernel::compile(ModuleOp module, StringRef name) {
  llvm::Expected<Entries> entries = findEntries(module, name);
  if (!entries)
    return entries.takeError();
  llvm::Expected<llvm::orc::JITTargetMachineBuilder> machine = getHostMachine();
  if (!machine)
    return machine.takeError();
  llvm::Expected<llvm::orc::ThreadSafeModule> optimized = createOptimizedModule(module, *machine);
  if (!optimized)
    return optimized.takeError();
  auto engine = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(*machine).create();
  if (!engine)
    return engine.takeError();
  if (llvm::Error error = defineLibrary(**engine))
    return error;
  if (llvm::Error error = (*engine)->addIRModule(std::move(*optimized)))
    return error;
  std::unique_ptr<Kernel> kernel(new Kernel());
  for (LLVM::LLVMFuncOp phase : entries->phases) {
    auto entry = (*engine)->lookup(phase.getName());
    if (!entry)
      return entry.takeError();
    kernel->phases.push_back(entry->toPtr<KernelEntry>());
  }
  if (!entries->grid.empty()) {
    auto grid = (*engine)->lookup(entries->grid);
    if (!grid)
      return grid.takeError();
    kernel->grid = grid->toPtr<GridEntry>();
  }
  kernel->limit = entries->limit;
  auto signature = entries->phases.front()->getAttrOfType<TypeAttr>(launch::signatureName);
  kernel->parameters = readSignature(cast<FunctionType>(signature.getValue()));
  kernel->engine = std::move(*engine);
  return kernel;
}

Kernel::~Kernel() = default;

//===----------------------------------------------------------------------===//
// Packing arguments
//===----------------------------------------------------------------------===//

struct Kernel::Call {
  std::vector<uint64_t> words;

  void addMemRef(uint64_t address, ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
    words.insert(words.end(), {address, address, 0});
    words.insert(words.end(), shape.begin(), shape.end());
    words.insert(words.end(), strides.begin(), strides.end());
  }
};

/// Checks the sizes and strides of an array or of a table's entries.
static llvm::Error checkShape(size_t number, const Parameter &parameter, ArrayRef<int64_t> shape,
                              ArrayRef<int64_t> strides) {
  if (shape.size() != parameter.shape.size() || strides.size() != shape.size())
    return describe(number, "has " + llvm::Twine(shape.size()) + " sizes and " +
                                llvm::Twine(strides.size()) + " strides; the kernel takes " +
                                llvm::Twine(parameter.shape.size()) + " of each");
  bool isEmpty = llvm::is_contained(shape, 0);
  for (auto [dimension, size] : llvm::enumerate(shape)) {
    int64_t expected = parameter.shape[dimension];
    if (size < 0 || (expected >= 0 && size != expected))
      return describe(number,
                      "has size " + llvm::Twine(size) + " in dimension " + llvm::Twine(dimension) +
                          "; the kernel takes " +
                          (expected >= 0 ? llvm::Twine(expected) : llvm::Twine("any from 0")));
  }
  if (!isEmpty && !shape.empty() && shape.back() > 1 && strides.back() != 1)
    return describe(number, "is not contiguous in its last dimension: its stride is " +
                                llvm::Twine(strides.back()));
  return llvm::Error::success();
}

static llvm::Error checkAddress(size_t number, const Parameter &parameter, uint64_t address) {
  if (address % parameter.bytes != 0)
    return describe(number,
                    "is not aligned to its elements of " + llvm::Twine(parameter.bytes) + " bytes");
  return llvm::Error::success();
}

/// The bits of a number in the type of the parameter.
static llvm::Expected<uint64_t> packScalar(size_t number, const Parameter &parameter,
                                           const Argument &argument) {
  uint64_t word = 0;
  if (parameter.isFloat) {
    if (parameter.bytes != 4)
      return describe(number, "is a scalar of a type that cannot be passed");
    const double *real = std::get_if<double>(&argument);
    float value = real ? *real : std::get<int64_t>(argument);
    std::memcpy(&word, &value, sizeof(value));
    return word;
  }
  const int64_t *integer = std::get_if<int64_t>(&argument);
  if (!integer)
    return describe(number, "is a real number; the kernel takes an integer");
  if (parameter.bytes == 4 && *integer != static_cast<int32_t>(*integer))
    return describe(number, "does not fit 32 bits");
  return static_cast<uint64_t>(*integer);
}

static const char *getName(Parameter::Kind kind) {
  switch (kind) {
  case Parameter::ArrayKind:
    return "an array";
  case Parameter::TableKind:
    return "a table of arrays";
  case Parameter::ScalarKind:
    return "a scalar";
  }
  llvm_unreachable("every kind is handled");
}

llvm::Error Kernel::pack(ArrayRef<Argument> arguments, Call &call) const {
  if (arguments.size() != parameters.size())
    return llvm::createStringError("the kernel takes " + llvm::Twine(parameters.size()) +
                                   " arguments, not " + llvm::Twine(arguments.size()));
  for (auto [number, parameter] : llvm::enumerate(parameters)) {
    const Argument &argument = arguments[number];
    const Array *array = std::get_if<Array>(&argument);
    const Table *table = std::get_if<Table>(&argument);
    Parameter::Kind kind = array   ? Parameter::ArrayKind
                           : table ? Parameter::TableKind
                                   : Parameter::ScalarKind;
    if (kind != parameter.kind)
      return describe(number, llvm::Twine("is ") + getName(kind) + "; the kernel takes " +
                                  getName(parameter.kind));
    if (array) {
      if (llvm::Error error = checkShape(number, parameter, array->shape, array->strides))
        return error;
      if (llvm::Error error = checkAddress(number, parameter, array->address))
        return error;
      call.addMemRef(array->address, array->shape, array->strides);
    } else if (table) {
      if (parameter.count >= 0 && parameter.count != static_cast<int64_t>(table->addresses.size()))
        return describe(number, "has " + llvm::Twine(table->addresses.size()) +
                                    " entries; the kernel takes " + llvm::Twine(parameter.count));
      if (llvm::Error error = checkShape(number, parameter, table->shape, table->strides))
        return error;
      for (uint64_t address : table->addresses)
        if (llvm::Error error = checkAddress(number, parameter, address))
          return error;
      call.addMemRef(reinterpret_cast<uint64_t>(table->addresses.data()),
                     static_cast<int64_t>(table->addresses.size()), 1);
      call.addMemRef(0, table->shape, table->strides);
    } else {
      llvm::Expected<uint64_t> word = packScalar(number, parameter, argument);
      if (!word)
        return word.takeError();
      call.words.push_back(*word);
    }
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

int64_t Kernel::countBlocks(const Call &call, unsigned threads) const {
  int64_t tiles = grid ? grid(call.words.data(), 0, 0) : 1;
  int64_t most =
      phases.size() > 1 ? blocksWithPhases : std::max<int64_t>(threads, 1) * blocksPerThread;
  int64_t blocks = std::min(tiles, most);
  return std::max<int64_t>(limit > 0 ? std::min(blocks, limit) : blocks, 0);
}

llvm::Expected<int64_t> Kernel::countBlocks(ArrayRef<Argument> arguments, unsigned threads) const {
  Call call;
  if (llvm::Error error = pack(arguments, call))
    return error;
  return countBlocks(call, threads);
}

llvm::Error Kernel::run(ArrayRef<Argument> arguments, unsigned threads) const {
  Call call;
  if (llvm::Error error = pack(arguments, call))
    return error;
  int64_t blocks = countBlocks(call, threads);
  for (KernelEntry phase : phases)
    runOnThreads(blocks, threads, [&](int64_t block) { phase(call.words.data(), block, blocks); });
  return llvm::Error::success();
}
