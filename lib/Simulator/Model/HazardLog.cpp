// The words of the hazards that a run reports.
#include "HazardLog.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace attn;
using namespace attn::simulator;

StringRef simulator::getName(HazardKind kind) {
  switch (kind) {
  case HazardKind::OutOfBounds:
    return "out of bounds";
  case HazardKind::Misaligned:
    return "misaligned";
  case HazardKind::Capacity:
    return "capacity";
  case HazardKind::Uninitialised:
    return "read of uninitialised memory";
  case HazardKind::Race:
    return "race";
  case HazardKind::Deadlock:
    return "deadlock";
  case HazardKind::Flag:
    return "flag misuse";
  case HazardKind::Limit:
    return "limit";
  case HazardKind::Overlap:
    return "overlap";
  case HazardKind::Outstanding:
    return "outstanding work";
  case HazardKind::Effects:
    return "effects";
  case HazardKind::Scalar:
    return "scalar unit";
  case HazardKind::Usage:
    return "usage";
  }
  llvm_unreachable("all kinds are listed");
}

Hazard &HazardLog::add(HazardKind kind, Location location, const CorePlace &core, StringRef pipe,
                       std::string message) {
  hazards.push_back({kind,
                     std::move(message),
                     location,
                     core.block,
                     pipe.str(),
                     describeCore(core.coreOfBlock),
                     {}});
  return hazards.back();
}

void HazardLog::report(HazardKind kind, const Instruction &instruction, const CorePlace &core,
                       const Twine &message) {
  if (isNew(kind, instruction.number))
    add(kind, instruction.location, core, nameOf(instruction.pipe),
        (instruction.name + " " + message).str());
}

std::string HazardLog::describeCore(int coreOfBlock) const {
  if (!hasGroups)
    return "";
  return coreOfBlock == 0 ? "cube core" : "vector core " + std::to_string(coreOfBlock - 1);
}

std::string HazardLog::describe(Memory memory, int32_t object) const {
  if (memory == Memory::GM)
    return "array \"" + launch.arrays[object].name + "\"";
  std::string name = "buffer \"" + listing.buffers[object].name + "\"";
  // A vector core has no other memory.
  return memory == Memory::UB ? name : name + " in " + nameOf(memory);
}

int64_t HazardLog::getBase(const Place &place) const {
  return place.isLocal() ? listing.buffers[place.object].address : 0;
}

void HazardLog::reportRace(const Instruction &instruction, const Touch &touch, const Place &place,
                           const CorePlace &core, const Conflict &conflict) {
  // The order of the two is an accident of time: name the pair once.
  auto [low, high] = std::minmax(instruction.number, conflict.earlier.instruction);
  if (!isNew(HazardKind::Race, low, high))
    return;
  const Instruction &earlier = listing.instructions[conflict.earlier.instruction];
  std::string what = describe(place.memory, place.object);
  // Buffers that share memory meet under two names.
  std::string otherWhat = conflict.earlier.object == place.object
                              ? "it"
                              : describe(place.memory, conflict.earlier.object);
  int64_t base = getBase(place);
  std::string other = llvm::formatv("{0} on {1}", earlier.name, nameOf(earlier.pipe));
  int otherCore = conflict.earlier.queue / pipeCount;
  if (otherCore != core.coreOfBlock)
    other += " of " + describeCore(otherCore);
  if (conflict.earlier.block != core.block)
    other += " of block " + std::to_string(conflict.earlier.block);
  Hazard &hazard =
      add(HazardKind::Race, instruction.location, core, nameOf(instruction.pipe),
          llvm::formatv("{0} {1} {2} (bytes {3} to {4}) while {5} {6} {7}: nothing orders them",
                        instruction.name, touch.isWrite ? "writes" : "reads", what,
                        conflict.begin - base, conflict.end - 1 - base, other,
                        conflict.earlierWrites ? "writes" : "reads", otherWhat));
  hazard.notes.push_back({earlier.location, "the other is " + other});
}

void HazardLog::reportUninitialised(const Instruction &instruction, const Place &source,
                                    const CorePlace &core, const UndefinedRange &range) {
  if (!isNew(HazardKind::Uninitialised, instruction.number))
    return;
  Hazard &hazard =
      add(HazardKind::Uninitialised, instruction.location, core, nameOf(instruction.pipe),
          llvm::formatv("{0} stores bytes of {1} that hold no value (byte {2})", instruction.name,
                        describe(source.memory, source.object), range.begin - getBase(source)));
  if (range.origin.instruction < 0)
    return;
  const Instruction &first = listing.instructions[range.origin.instruction];
  hazard.notes.push_back(
      {first.location, llvm::formatv("{0} was the first to read it, from {1}", first.name,
                                     describe(range.origin.memory, range.origin.object))});
}

SourcePlace simulator::getSourcePlace(Location location) {
  SourcePlace place;
  location->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    place = {file.getFilename().str(), file.getLine(), file.getColumn()};
    return WalkResult::interrupt();
  });
  return place;
}

void simulator::emitHazards(const SimulationResult &result) {
  for (const Hazard &hazard : result.hazards) {
    InFlightDiagnostic diagnostic = emitError(hazard.location);
    diagnostic << getName(hazard.kind) << ": " << hazard.message << " [block " << hazard.block;
    if (!hazard.core.empty())
      diagnostic << ", " << hazard.core;
    if (!hazard.pipe.empty())
      diagnostic << ", pipe " << hazard.pipe;
    diagnostic << "]";
    for (const auto &[location, text] : hazard.notes)
      diagnostic.attachNote(location) << text;
  }
}
