// What each pipe knows to be done, along a trace: the order that flags and barriers make.
#ifndef ATTN_DIALECT_ASCEND_ANALYSIS_PIPECLOCKS_H
#define ATTN_DIALECT_ASCEND_ANALYSIS_PIPECLOCKS_H

#include "attn/Dialect/Ascend/Analysis/MemoryHistory.h"

namespace attn::ascend {

/// A moment of a trace: just before a step, the step itself, or just after it.
using Moment = int32_t;
inline Moment momentBefore(int32_t step) { return 3 * step - 1; }
inline Moment momentOf(int32_t step) { return 3 * step; }
inline Moment momentAfter(int32_t step) { return 3 * step + 1; }

/// A flag of the chip: raised by one pipe with what that pipe knows, lowered by another that then
/// knows it too.
struct Flag {
  using Knowledge = std::array<Moment, pipeCount>;
  bool isRaised = false;
  /// When the target last passed a wait for it.
  Moment lastWait = -1;
  Knowledge knowledge{};
};

/// For each pipe, up to which moment it knows the work of each pipe to be complete. Pipes start
/// their instructions in order, but only a flag or a barrier says that one is done.
class PipeClocks {
public:
  PipeClocks() {
    for (auto &row : known)
      row.fill(-1);
  }

  /// Whether `pipe` knows that `other` has finished everything up to `moment`.
  bool knows(Pipe pipe, Pipe other, Moment moment) const {
    return known[getIndex(pipe)][getIndex(other)] >= moment;
  }
  void learn(Pipe pipe, Pipe other, Moment moment) {
    Moment &entry = known[getIndex(pipe)][getIndex(other)];
    entry = std::max(entry, moment);
  }

  /// All that `pipe` knows.
  const Flag::Knowledge &getKnowledge(Pipe pipe) const { return known[getIndex(pipe)]; }
  void learn(Pipe pipe, const Flag::Knowledge &knowledge) {
    for (int other = 0; other < pipeCount; ++other)
      learn(pipe, static_cast<Pipe>(other), knowledge[other]);
  }

  void barrier(Pipe pipe, Moment now) {
    if (pipe != Pipe::ALL)
      return learn(pipe, pipe, now);
    for (auto &row : known)
      row.fill(now);
  }

  /// Whether a set is safe: the flag is down, and the source knows that the target has passed its
  /// wait.
  bool maySet(const Flag &flag, Pipe source, Pipe target) const {
    return !flag.isRaised && knows(source, target, flag.lastWait);
  }
  void set(Flag &flag, Pipe source, Moment now) {
    flag.isRaised = true;
    flag.knowledge = known[getIndex(source)];
    flag.knowledge[getIndex(source)] = now;
  }
  /// Returns whether the flag was raised.
  bool wait(Flag &flag, Pipe target, Moment now) {
    bool wasRaised = flag.isRaised;
    if (wasRaised)
      learn(target, flag.knowledge);
    flag.isRaised = false;
    flag.lastWait = now;
    return wasRaised;
  }

private:
  std::array<Flag::Knowledge, pipeCount> known;
};

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_ANALYSIS_PIPECLOCKS_H
