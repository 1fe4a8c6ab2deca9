// Collects the hazards of a run, each pair of instructions once.
#ifndef ATTN_LIB_SIMULATOR_MODEL_HAZARDLOG_H
#define ATTN_LIB_SIMULATOR_MODEL_HAZARDLOG_H

#include "Memory.h"
#include <set>

namespace attn::simulator {

class HazardLog {
public:
  /// `hasGroups`: a block is several cores, so that hazards name the core.
  HazardLog(const Listing &listing, const Launch &launch, bool hasGroups)
      : listing(listing), launch(launch), hasGroups(hasGroups) {}

  /// Whether a hazard of this kind between these instructions (-1: none) is still unknown; it is
  /// known from then on.
  bool isNew(HazardKind kind, int32_t instruction, int32_t other = -1) {
    return seen.insert({kind, instruction, other}).second;
  }

  /// A hazard at an instruction, once per instruction and kind. The message goes on after
  /// "<name of the instruction> ".
  void report(HazardKind kind, const Instruction &instruction, const CorePlace &core,
              const llvm::Twine &message);
  /// A hazard at any place of the source.
  Hazard &add(HazardKind kind, mlir::Location location, const CorePlace &core, llvm::StringRef pipe,
              std::string message);
  void reportRace(const Instruction &instruction, const Touch &touch, const Place &place,
                  const CorePlace &core, const Conflict &conflict);
  void reportUninitialised(const Instruction &instruction, const Place &source,
                           const CorePlace &core, const UndefinedRange &range);

  /// `buffer "v"`, `buffer "q" in l1` or `array "V"`.
  std::string describe(Memory memory, int32_t object) const;
  /// `cube core` or `vector core 1`; empty where a block is one core.
  std::string describeCore(int coreOfBlock) const;
  /// Where the buffer of a place begins: hazards count bytes from there.
  int64_t getBase(const Place &place) const;
  const Instruction &getInstruction(int32_t number) const { return listing.instructions[number]; }

  std::vector<Hazard> take() { return std::move(hazards); }

private:
  const Listing &listing;
  const Launch &launch;
  bool hasGroups;
  std::vector<Hazard> hazards;
  std::set<std::tuple<HazardKind, int32_t, int32_t>> seen;
};

} // namespace attn::simulator

#endif // ATTN_LIB_SIMULATOR_MODEL_HAZARDLOG_H
