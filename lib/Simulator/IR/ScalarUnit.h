// The scalar unit of a core: runs the steps of a program up to the next instruction for a pipe.
#ifndef ATTN_LIB_SIMULATOR_IR_SCALARUNIT_H
#define ATTN_LIB_SIMULATOR_IR_SCALARUNIT_H

#include "Program.h"
#include <set>

namespace attn::simulator {

/// The rows that were written by lists, by all cores of a launch: step, array and offset of each.
using WrittenRows = std::set<std::tuple<const Step *, int32_t, int64_t>>;

class ScalarUnit : public ScalarProgram {
public:
  /// `place` is that of the core among `blocks` blocks.
  ScalarUnit(const Program &program, const Listing &listing, const Launch &launch,
             const CorePlace &place, int64_t blocks, int64_t maxSteps, WrittenRows &written);

  Stop run(Issued &next) override;
  int64_t getResult(int index) const { return scalars[program.results[index]].integer; }

private:
  bool advance(const Step &step);
  bool fail(const Step &step, HazardKind kind, const std::string &message);
  void failEndless(const Step &step);
  bool takeSlot(const Step &step);
  bool takeAddress(const Step &step);
  bool takeEntry(const Step &step);
  bool loadIndex(const Step &step);
  void noteIndex(const Step &step);
  void noteCount(ascend::ExpectCountOp op, const Step &step);
  void noteRow(const Step &step);
  void fill(int32_t instruction, Issued &next);

  const Program &program;
  const Listing &listing;
  const Launch &launch;
  std::vector<Scalar> scalars;
  std::vector<Place> places;
  size_t at = 0;
  int64_t stepsLeft;
  WrittenRows &written;
  /// Whether blocks meet, and so may read what the kernel itself has written.
  bool isMeeting;
};

} // namespace attn::simulator

#endif // ATTN_LIB_SIMULATOR_IR_SCALARUNIT_H
