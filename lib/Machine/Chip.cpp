// The table of chips (facts only; ChipFacts.def says unit and source of each column).
#include "attn/Machine/Chip.h"
#include "attn/Machine/Architecture.h"
#include "attn/Machine/Groups.h"
#include "attn/Machine/LaunchLimits.h"
#include "attn/Machine/MachineDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <optional>

using namespace mlir;
using namespace attn;

namespace {

/// What differs between the dies of one architecture.
struct Die {
  StringLiteral name;
  int64_t groups;
  int64_t clockMegahertz; // 0: none is published
  int64_t hbmGigabytesPerSecond;
  int64_t hbmPoolGigabytesPerSecond;
  int64_t l2Mebibytes;
};

/// machine.md §1. The HBM rate of Ascend910_9362 is assumed to be that of Ascend910B4.
constexpr Die dies[] = {
    {"Ascend910B1", 24, 1850, 1600, 1460, 192},    {"Ascend910B2", 24, 1800, 1600, 1460, 192},
    {"Ascend910B2C", 24, 1800, 1600, 1460, 192},   {"Ascend910B3", 20, 1800, 1600, 1460, 192},
    {"Ascend910B4", 20, 1500, 800, 730, 96},       {"Ascend910B4-1", 20, 1500, 800, 730, 96},
    {"Ascend910_9391", 24, 1850, 1600, 1460, 192}, {"Ascend910_9381", 24, 1850, 1600, 1460, 192},
    {"Ascend910_9382", 24, 1850, 1600, 1460, 192}, {"Ascend910_9392", 24, 1850, 1600, 1460, 192},
    {"Ascend910_9362", 20, 1500, 800, 730, 168},   {"Ascend910_9363", 20, 0, 1600, 1460, 192},
    {"Ascend910_9372", 20, 1800, 1600, 1460, 192},
};

constexpr StringLiteral hostName = "host";

Chip makeAscend(const Die &die) {
  Chip chip;
  chip.name = die.name.str();
  chip.cubeCores = die.groups;
  chip.vectorCores = vectorCoresPerGroup * die.groups;
  chip.clockHz = die.clockMegahertz * 1000000;
  chip.hbmBytesPerSecond = die.hbmGigabytesPerSecond * 1000000000;
  chip.hbmPoolBytesPerSecond = die.hbmPoolGigabytesPerSecond * 1000000000;
  chip.l2Bytes = die.l2Mebibytes << 20;
  for (const LocalMemoryFacts &memory : getLocalMemories())
    chip.memoryBytes[static_cast<size_t>(memory.memory)] = memory.usableBytes;
  chip.blockBytes = architecture::blockBytes;
  chip.repeatBytes = architecture::repeatBytes;
  chip.maxRepeats = architecture::maxRepeats;
  chip.maxRepeatStride = architecture::maxStride;
  chip.eventIds = architecture::eventIds - architecture::reservedEventIds;
  chip.maxGrid = architecture::maxGrid;
  return chip;
}

/// The CPU: tiles should stay in a core's private cache, so its "UB" is half of a common L2.
Chip makeHost() {
  Chip chip;
  chip.name = hostName.str();
  chip.isHost = true;
  chip.memoryBytes[static_cast<size_t>(LocalMemory::UB)] = 512 << 10;
  chip.blockBytes = 64;
  chip.repeatBytes = 64;
  chip.maxGrid = architecture::maxGrid;
  return chip;
}

/// The key of a memory's usable size: "ub_bytes".
std::string getSizeKey(const LocalMemoryFacts &memory) { return (memory.name + "_bytes").str(); }

int64_t *findFact(Chip &chip, StringRef key) {
#define ATTN_CHIP_FACT(member, factKey, unit, source)                                              \
  if (key == factKey)                                                                              \
    return &chip.member;
#include "attn/Machine/ChipFacts.def"
  for (const LocalMemoryFacts &memory : getLocalMemories())
    if (key == getSizeKey(memory))
      return &chip.memoryBytes[static_cast<size_t>(memory.memory)];
  return nullptr;
}

} // namespace

SmallVector<ChipFact> attn::getFacts(const Chip &chip) {
  SmallVector<ChipFact> facts = {
#define ATTN_CHIP_FACT(member, key, unit, source) ChipFact{key, chip.member, unit, source},
#include "attn/Machine/ChipFacts.def"
  };
  for (const LocalMemoryFacts &memory : getLocalMemories())
    facts.push_back(
        {getSizeKey(memory), chip.getUsableBytes(memory.memory), "usable B", memory.source});
  return facts;
}

SmallVector<StringRef> attn::getKnownChipNames() {
  SmallVector<StringRef> names;
  for (const Die &die : dies)
    names.push_back(die.name);
  names.push_back(hostName);
  return names;
}

SmallVector<StringRef> attn::getCompatibleChipNames(const Chip &chip, int64_t vectorCores) {
  SmallVector<StringRef> names;
  for (const Die &die : dies) {
    Chip other = makeAscend(die);
    if (!chip.isHost && other.vectorCores >= vectorCores &&
        llvm::equal(other.memoryBytes, chip.memoryBytes, std::greater_equal<>()))
      names.push_back(die.name);
  }
  return names;
}

FailureOr<Chip> attn::lookupChip(StringRef name, function_ref<InFlightDiagnostic()> emitError) {
  if (name == hostName)
    return makeHost();
  for (const Die &die : dies) {
    if (name != die.name && name != die.name.substr(StringRef("Ascend").size()))
      continue;
    if (die.clockMegahertz == 0)
      return emitError()
             << "chip '" << die.name
             << "' has no published clock: no time can be predicted for it; declare one "
                "with clock_hz, or choose a chip that has one";
    return makeAscend(die);
  }
  return emitError() << "unknown chip '" << name
                     << "'; known chips: " << llvm::join(getKnownChipNames(), ", ");
}

FailureOr<Chip> attn::resolveChip(StringRef name, DictionaryAttr overrides,
                                  function_ref<InFlightDiagnostic()> emitError) {
  // A declared clock makes a die without a published one usable.
  bool declaresClock = overrides && overrides.contains("clock_hz");
  const Die *unclocked = llvm::find_if(dies, [&](const Die &die) {
    return die.clockMegahertz == 0 && (name == die.name || name == die.name.substr(6));
  });
  FailureOr<Chip> chip = declaresClock && unclocked != std::end(dies)
                             ? FailureOr<Chip>(makeAscend(*unclocked))
                             : lookupChip(name, emitError);
  if (failed(chip) || !overrides)
    return chip;
  for (NamedAttribute entry : overrides) {
    int64_t *fact = findFact(*chip, entry.getName());
    if (!fact) {
      SmallVector<std::string> keys;
      for (const ChipFact &known : getFacts(*chip))
        keys.push_back(known.key);
      return emitError() << "unknown chip fact '" << entry.getName().getValue()
                         << "'; known facts: " << llvm::join(keys, ", ");
    }
    auto value = dyn_cast<IntegerAttr>(entry.getValue());
    // The limit keeps sums and products of facts from overflowing.
    constexpr int64_t maxFact = int64_t(1) << 48;
    if (!value || !value.getType().isSignlessInteger(64) || value.getInt() <= 0 ||
        value.getInt() > maxFact)
      return emitError() << "chip fact '" << entry.getName().getValue()
                         << "' must be an i64 from 1 to " << maxFact;
    *fact = value.getInt();
  }
  return chip;
}

FailureOr<Chip> attn::getTargetChip(ModuleOp module) {
  auto target = module->getAttrOfType<machine::TargetAttr>(machine::targetName);
  if (!target)
    return module.emitError() << "the module names no chip: set 'machine.target' (for example "
                                 "#machine.target<\"Ascend910B4\">) or pass --soc=";
  return resolveChip(target.getName().getValue(), target.getOverrides(),
                     [&] { return module.emitError(); });
}

LogicalResult attn::setTargetChip(ModuleOp module, StringRef description) {
  MLIRContext *context = module.getContext();
  context->getOrLoadDialect<machine::MachineDialect>();
  auto [name, facts] = description.split(':');
  Builder builder(context);
  SmallVector<NamedAttribute> overrides;
  SmallVector<StringRef> entries;
  facts.split(entries, ',', -1, /*KeepEmpty=*/false);
  for (StringRef entry : entries) {
    auto [key, text] = entry.split('=');
    int64_t value;
    if (key.empty() || text.getAsInteger(0, value))
      return module.emitError() << "chip fact '" << entry << "' is not of the form key=integer";
    StringRef factName = key; // A lambda cannot capture a structured binding.
    if (llvm::any_of(overrides, [&](NamedAttribute given) { return given.getName() == factName; }))
      return module.emitError() << "chip fact '" << key << "' is given twice";
    overrides.push_back(builder.getNamedAttr(key, builder.getI64IntegerAttr(value)));
  }
  auto target = machine::TargetAttr::getChecked(
      [&] { return module.emitError(); }, context, builder.getStringAttr(name),
      overrides.empty() ? DictionaryAttr() : builder.getDictionaryAttr(overrides));
  if (!target)
    return failure();
  module->setAttr(machine::targetName, target);
  return success();
}
