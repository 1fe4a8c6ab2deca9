// The ascend dialect: registration, types and the attributes it puts on functions and loops.
#include "attn/Dialect/Ascend/IR/KernelKind.h"
#include "attn/Machine/Architecture.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn::ascend;

#include "attn/Dialect/Ascend/IR/AscendDialect.cpp.inc"
#include "attn/Dialect/Ascend/IR/AscendEnums.cpp.inc"
#include "attn/Dialect/Ascend/IR/AscendInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "attn/Dialect/Ascend/IR/AscendAttributes.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "attn/Dialect/Ascend/IR/AscendTypes.cpp.inc"

void AscendDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "attn/Dialect/Ascend/IR/AscendAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "attn/Dialect/Ascend/IR/AscendTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "attn/Dialect/Ascend/IR/AscendOps.cpp.inc"
      >();
}

LogicalResult TableType::verify(function_ref<InFlightDiagnostic()> emitError, MemRefType element) {
  if (getSpace(element) != Space::GM)
    return emitError() << "a table lists arrays in gm, not " << element;
  return success();
}

LogicalResult AscendDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (name == "ascend.kernel") {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!isa<UnitAttr>(attribute.getValue()) || !function || function.getNumResults() != 0)
      return op->emitError("'ascend.kernel' is a unit attribute of functions without results");
    return success();
  }
  if (name == "ascend.keep_composites") {
    if (!isa<UnitAttr>(attribute.getValue()) || !isa<func::FuncOp>(op))
      return op->emitError("'ascend.keep_composites' is a unit attribute of kernels");
    return success();
  }
  if (name == kindName) {
    if (!isa<KernelKindAttr>(attribute.getValue()) || !op->hasAttr("ascend.kernel"))
      return op->emitError() << "'" << kindName << "' is the kernel_kind of a kernel";
    return success();
  }
  if (name == halfOfName) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!isa<FlatSymbolRefAttr>(attribute.getValue()) || !function ||
        getKernelKind(function) != KernelKind::Mixed)
      return op->emitError() << "'" << halfOfName << "' names the kernel of a mixed kernel's cube "
                             << "half";
    return success();
  }
  if (name == "ascend.stages") {
    auto stages = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!isa<scf::ForOp>(op) || !stages || !stages.getType().isSignlessInteger(64) ||
        stages.getInt() < 1 || stages.getInt() > attn::architecture::eventIds)
      return op->emitError() << "'ascend.stages' is an i64 from 1 to "
                             << attn::architecture::eventIds << " on an scf.for";
    return success();
  }
  if (name == "ascend.parallel" || name == "ascend.settled") {
    if (!isa<scf::ForOp>(op) || !isa<UnitAttr>(attribute.getValue()))
      return op->emitError() << "'" << name << "' is a unit attribute of scf.for";
    return success();
  }
  if (name == apartName) {
    auto group = dyn_cast<IntegerAttr>(attribute.getValue());
    // A loop around an instruction of that number says that it does so in all of its trips.
    bool isOfOp = isa<InstructionOpInterface, scf::ForOp>(op);
    if (!isOfOp || !group || !group.getType().isSignlessInteger(64) || group.getInt() < 0 ||
        group.getInt() > std::numeric_limits<int32_t>::max())
      return op->emitError() << "'" << apartName
                             << "' is an i64 of an instruction or of a loop around it, from 0 to "
                             << std::numeric_limits<int32_t>::max();
    return success();
  }
  return op->emitError() << "unknown attribute '" << name << "'";
}

std::optional<Space> attn::ascend::getSpace(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  auto space = memref ? dyn_cast_or_null<SpaceAttr>(memref.getMemorySpace()) : SpaceAttr();
  return space ? std::optional<Space>(space.getValue()) : std::nullopt;
}

// The enums of the dialect follow the machine's tables, gm before and `all` after them.
static_assert(getMaxEnumValForSpace() == attn::localMemoryCount &&
              getMaxEnumValForPipe() == attn::corePipeCount);
static_assert(static_cast<int>(Space::UB) == static_cast<int>(attn::LocalMemory::UB) + 1 &&
              static_cast<int>(Space::FP) == static_cast<int>(attn::LocalMemory::FP) + 1);
static_assert(static_cast<int>(Pipe::S) == static_cast<int>(attn::CorePipe::S) &&
              static_cast<int>(Pipe::FIX) == static_cast<int>(attn::CorePipe::FIX));

std::optional<attn::LocalMemory> attn::ascend::getLocalMemory(Space space) {
  if (space == Space::GM)
    return std::nullopt;
  return static_cast<LocalMemory>(static_cast<int>(space) - 1);
}

attn::CorePipe attn::ascend::getCorePipe(Pipe pipe) {
  assert(pipe != Pipe::ALL && "no single pipe");
  return static_cast<CorePipe>(pipe);
}

bool attn::ascend::isElementType(Type type) {
  return type.isF32() || type.isF16() || type.isBF16() || type.isSignlessInteger(8) ||
         type.isSignlessInteger(16) || type.isSignlessInteger(32) || type.isSignlessInteger(64);
}

int64_t attn::ascend::getRowReduceScratchElements(int64_t rows, int64_t cols) {
  constexpr int64_t lanes = attn::architecture::getLanes(sizeof(float));
  constexpr int64_t perBlock = attn::architecture::getElementsPerBlock(sizeof(float));
  int64_t repeats = llvm::divideCeil(cols, lanes);
  return rows * (repeats * perBlock + llvm::alignTo(repeats, perBlock));
}

int64_t attn::ascend::getRowBroadcastScratchElements(int64_t rows) {
  // Eight elements at a time become a data block each.
  constexpr int64_t perBlock = attn::architecture::getElementsPerBlock(sizeof(float));
  return llvm::alignTo(rows, attn::architecture::blocksPerRepeat) * perBlock;
}
