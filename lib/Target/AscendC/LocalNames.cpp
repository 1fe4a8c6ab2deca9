// The names of numbers: those of the source, or else what the number is for.
#include "KernelEmitter.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascendc;
using namespace attn::launch;

/// How many sums, minima and so on may lie between a number and what it is for.
static constexpr unsigned maxSteps = 4;

static std::optional<StringRef> getValueName(Value value) {
  std::optional<StringRef> name = getSourceName(value.getLoc());
  // The loop's name goes to what it counts with, and to what it carries.
  if (auto argument = dyn_cast<BlockArgument>(value); argument && !name)
    name = getSourceName(argument.getOwner()->getParentOp()->getLoc());
  return name;
}

/// The number that `use` is a step towards, where it keeps its meaning.
static Value getNextStep(OpOperand &use) {
  Operation *user = use.getOwner();
  // What is left of something else means something else.
  if (isa<arith::AddIOp, arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp,
          arith::IndexCastOp>(user) ||
      (isa<arith::SubIOp>(user) && use.getOperandNumber() == 0) ||
      (isa<arith::SelectOp>(user) && use.getOperandNumber() > 0))
    return user->getResult(0);
  auto loop = dyn_cast<scf::ForOp>(user);
  return loop ? loop.getTiedLoopRegionIterArg(&use) : Value();
}

/// The buffer or the kernel's argument that `memory` is a part of.
static Value getWhole(Value memory) {
  while (Operation *op = memory.getDefiningOp()) {
    if (!isa<ascend::SlotOp, ascend::SliceOp, ascend::AddressOp, ascend::LookupOp>(op))
      break;
    memory = op->getOperand(0);
  }
  return memory;
}

/// What `use` needs the number for, or none.
std::optional<KernelEmitter::Purpose> KernelEmitter::getPurpose(OpOperand &use) const {
  using Result = std::optional<Purpose>;
  Operation *user = use.getOwner();
  Value number = use.get();
  auto getArray = [&](Value memory) -> const ArrayArgument & {
    return signature.arrays[cast<BlockArgument>(getWhole(memory)).getArgNumber()];
  };
  auto describeRows = [&](auto copy, Value length, Value array) -> Result {
    Part part = number == copy.getRows() ? Part::Rows
                : number == length       ? Part::Length
                                         : Part::Pitch;
    return Purpose{part, getArray(array).pointer};
  };
  return TypeSwitch<Operation *, Result>(user)
      .Case([&](scf::ForOp) -> Result {
        constexpr Part bounds[] = {Part::LoopBegin, Part::LoopEnd, Part::Step};
        unsigned operand = use.getOperandNumber();
        return operand < 3 ? Result(Purpose{bounds[operand], ""}) : std::nullopt;
      })
      .Case([&](ascend::AddressOp address) -> Result {
        const ArrayArgument &array = getArray(address.getArray());
        // The array is the first operand; an entry lacks the table's first dimension.
        StringRef size = array.sizes[use.getOperandNumber() - 1 + (array.isTable ? 1 : 0)];
        bool isName = llvm::isAlpha(size.front()) && llvm::all_of(size, [](char character) {
                        return llvm::isAlnum(character) || character == '_';
                      });
        return Purpose{Part::Index, isName ? size.str() : array.pointer};
      })
      .Case([&](ascend::SliceOp slice) -> Result {
        return Purpose{Part::Offset, places.find(getWhole(slice.getBuffer()))->second.tensor};
      })
      .Case([&](arith::SelectOp select) -> Result {
        // What decides how many rows a copy moves.
        if (number != select.getCondition() || !select->hasOneUse())
          return std::nullopt;
        std::optional<Purpose> chosen = getPurpose(*select->use_begin());
        return chosen && chosen->part == Part::Rows ? Result(Purpose{Part::AtOnce, chosen->base})
                                                    : std::nullopt;
      })
      .Case<ascend::SlotOp, ascend::SetFlagOp, ascend::WaitFlagOp>(
          [&](auto) -> Result { return Purpose{Part::Slot, ""}; })
      .Case([&](ascend::CopyInOp copy) {
        return describeRows(copy, copy.getLength(), copy.getSrc());
      })
      .Case([&](ascend::CopyOutOp copy) {
        return describeRows(copy, copy.getLength(), copy.getDst());
      })
      .Case(
          [&](ascend::NdToNzOp copy) { return describeRows(copy, copy.getCols(), copy.getSrc()); })
      .Case([&](ascend::MmadOp product) -> Result {
        return Purpose{number == product.getInit() ? Part::Start : Part::Count,
                       places.find(getWhole(product.getDst()))->second.tensor};
      })
      .Case([&](ascend::InstructionOpInterface) -> Result {
        if (!number.getType().isIndex())
          return std::nullopt;
        bool isRepeated = isa<ascend::BrcbOp, ascend::TransposeOp>(user) || user->hasAttr("mask");
        return Purpose{isRepeated ? Part::Repeats : Part::Count,
                       places.find(getWhole(user->getOperand(0)))->second.tensor};
      })
      .Default(Result());
}

std::optional<KernelEmitter::Purpose> KernelEmitter::findPurpose(Value value,
                                                                 unsigned steps) const {
  std::optional<Purpose> best;
  unsigned bestOrder = 0;
  for (OpOperand &use : value.getUses()) {
    if (unused.contains(use.getOwner()))
      continue;
    std::optional<Purpose> purpose = getPurpose(use);
    Value next = purpose || steps == 0 ? Value() : getNextStep(use);
    if (next)
      purpose = findPurpose(next, steps - 1);
    // The order of uses is that of their making; names may depend on the program alone.
    unsigned order = programOrder.lookup(use.getOwner());
    if (purpose && (!best || std::pair(purpose->part, order) < std::pair(best->part, bestOrder))) {
      best = purpose;
      bestOrder = order;
    }
  }
  return best;
}

/// What the op itself makes, or none.
static StringRef getResultWord(Operation *op) {
  return TypeSwitch<Operation *, StringRef>(op)
      .Case([](arith::SubIOp) { return "rest"; })
      .Case([](arith::AddIOp) { return "sum"; })
      .Case([](arith::MulIOp) { return "product"; })
      .Case<arith::MinSIOp, arith::MinUIOp>([](auto) { return "least"; })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([](auto) { return "most"; })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>([](auto) { return "quotient"; })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>([](auto) { return "tiles"; })
      .Case<arith::RemSIOp, arith::RemUIOp>([](auto) { return "remainder"; })
      .Default(StringRef());
}

static std::string join(StringRef base, StringRef word) {
  return base.empty() ? word.str() : (base + "_" + word).str();
}

std::string KernelEmitter::addLocalName(Value value, StringRef fallback) {
  constexpr StringLiteral partWords[] = {"index",   "offset",  "slot",       "rows",     "length",
                                         "pitch",   "at_once", "loop_begin", "loop_end", "step",
                                         "repeats", "count",   "start"};
  std::optional<StringRef> known = getValueName(value);
  // Lowering may give one name of the source to a chain of numbers; none of them is the variable.
  auto isLink = [&](Value other) {
    Operation *op = other.getDefiningOp();
    return known && op && isa<arith::ArithDialect>(op->getDialect()) &&
           !isa<arith::ConstantOp>(op) && getSourceName(op->getLoc()) == known;
  };
  Operation *op = value.getDefiningOp();
  bool isStep = llvm::any_of(value.getUsers(), [&](Operation *user) {
    return user->getNumResults() == 1 && isLink(user->getResult(0));
  });
  bool isLast = op && llvm::any_of(op->getOperands(), isLink);
  if (known && !isStep && !isLast && !names.contains(*known))
    return names.add(*known, fallback);

  StringRef made = op ? getResultWord(op) : "";
  std::optional<Purpose> purpose = findPurpose(value, /*steps=*/0);
  bool isDirect = purpose.has_value();
  if (!purpose && !(isStep && !made.empty()))
    purpose = findPurpose(value, maxSteps);
  if (purpose) {
    // A step on the way to a place is one; a step on the way to an amount is not that amount.
    bool isPlace = llvm::is_contained(
        {Part::Index, Part::Offset, Part::Slot, Part::LoopBegin, Part::LoopEnd}, purpose->part);
    bool isItself = isPlace || isDirect || made.empty();
    StringRef word = isItself ? StringRef(partWords[static_cast<unsigned>(purpose->part)]) : made;
    return names.add(join(known.value_or(purpose->base), word), fallback);
  }
  if (made.empty())
    return names.add(join(known.value_or(""), fallback), fallback);
  // What is made of a parameter or of a loop's number is called after it.
  Value source = op->getOperand(0);
  bool isNamed = isa<BlockArgument>(source) || source.getDefiningOp<ascend::DimOp>();
  return names.add(join(known.value_or(isNamed ? get(source).text : ""), made), fallback);
}
