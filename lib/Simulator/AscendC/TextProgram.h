// The scalar program of one block of compiled text.
#ifndef ATTN_LIB_SIMULATOR_ASCENDC_TEXTPROGRAM_H
#define ATTN_LIB_SIMULATOR_ASCENDC_TEXTPROGRAM_H

#include "TextKernel.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Memory.h"
#include <ucontext.h>

namespace attn::twin {

/// Runs the text on a stack of its own and comes back at each instruction. A block that is given up
/// (a deadlock) leaves nothing behind: text owns nothing.
class TextProgram : public simulator::ScalarProgram {
public:
  TextProgram(TextKernel &kernel, const simulator::CorePlace &place);

  Stop run(simulator::Issued &next) override;

  // For the text's calls, on its own stack.
  const simulator::CorePlace &getPlace() const { return place; }
  simulator::Issued &getNext() { return *next; }
  /// Hands the instruction in `getNext` over, and returns when the text may go on.
  void issue() { leave(Stop::Issue); }
  [[noreturn]] void fail(simulator::HazardKind kind, mlir::Location location, std::string message);
  /// Compiled text does not tell its loops apart: its last instruction is what is known.
  [[noreturn]] void failEndless();

  bool isInitialised = false;
  int64_t stepsLeft;
  /// The lines of the scalar unit's cache that were dropped and not read since.
  llvm::DenseSet<uint64_t> droppedLines;

private:
  static void enter();
  void leave(Stop why);

  TextKernel &kernel;
  simulator::CorePlace place;
  llvm::sys::OwningMemoryBlock stack;
  ucontext_t own, caller;
  Stop stop = Stop::Finished;
  simulator::Issued *next = nullptr;
};

} // namespace attn::twin

#endif // ATTN_LIB_SIMULATOR_ASCENDC_TEXTPROGRAM_H
