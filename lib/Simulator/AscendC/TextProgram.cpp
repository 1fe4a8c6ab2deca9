// The scalar program of one block: the text's machine code, as a coroutine.
#include "TextProgram.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Process.h"

using namespace mlir;
using namespace attn;
using namespace attn::twin;
using namespace attn::simulator;

/// Without optimisation every tensor that a call names has a place of its own; what is not touched
/// costs nothing.
static constexpr size_t stackBytes = size_t(1) << 23;

/// The block that starts on this thread: a new stack begins without arguments.
static thread_local TextProgram *starting = nullptr;

TextProgram::TextProgram(TextKernel &kernel, const CorePlace &place)
    : stepsLeft(kernel.maxSteps), kernel(kernel), place(place) {
  using llvm::sys::Memory;
  std::error_code error;
  size_t guardBytes = llvm::sys::Process::getPageSizeEstimate();
  stack = llvm::sys::OwningMemoryBlock(Memory::allocateMappedMemory(
      guardBytes + stackBytes, nullptr, Memory::MF_READ | Memory::MF_WRITE, error));
  // Stacks grow down: what leaves this one stops at a page that is not writable.
  if (!error)
    error = Memory::protectMappedMemory({stack.base(), guardBytes}, Memory::MF_READ);
  if (error || getcontext(&own) != 0)
    llvm::report_fatal_error("no memory for the stack of a block");
  own.uc_stack.ss_sp = static_cast<char *>(stack.base()) + guardBytes;
  own.uc_stack.ss_size = stackBytes;
  own.uc_link = nullptr;
  makecontext(&own, &TextProgram::enter, 0);
}

void TextProgram::enter() {
  TextProgram &program = *starting;
  program.kernel.kernel.run(&program.kernel.table, program.kernel.arguments.data());
  program.leave(Stop::Finished);
  llvm_unreachable("a block that has ended does not go on");
}

ScalarProgram::Stop TextProgram::run(Issued &issued) {
  next = &issued;
  kernel.running = starting = this;
  swapcontext(&caller, &own);
  return stop;
}

void TextProgram::leave(Stop why) {
  stop = why;
  swapcontext(&own, &caller);
}

void TextProgram::failEndless() {
  const Instruction *last = next->instruction;
  fail(HazardKind::Scalar, last ? Location(last->location) : UnknownLoc::get(kernel.context),
       "the kernel " + describeEndless() + (last ? " after " + last->name : ""));
}

void TextProgram::fail(HazardKind kind, Location location, std::string message) {
  failure = {kind, location, std::move(message)};
  leave(Stop::Failed);
  llvm_unreachable("a block that has failed does not go on");
}
