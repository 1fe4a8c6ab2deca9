// The ops of HIVM text that order pipes and cores as instructions of the modelled chip.
#include "Program.h"

using namespace mlir;
using namespace attn;
using namespace attn::hivm;
using namespace attn::simulator;

static ascend::Pipe toChip(hivm::Pipe pipe) {
  switch (pipe) {
  case hivm::Pipe::PIPE_S:
    return ascend::Pipe::S;
  case hivm::Pipe::PIPE_V:
    return ascend::Pipe::V;
  case hivm::Pipe::PIPE_M:
    return ascend::Pipe::M;
  case hivm::Pipe::PIPE_MTE1:
    return ascend::Pipe::MTE1;
  case hivm::Pipe::PIPE_MTE2:
    return ascend::Pipe::MTE2;
  case hivm::Pipe::PIPE_MTE3:
    return ascend::Pipe::MTE3;
  case hivm::Pipe::PIPE_FIX:
    return ascend::Pipe::FIX;
  case hivm::Pipe::PIPE_ALL:
    return ascend::Pipe::ALL;
  }
  llvm_unreachable("all pipes are listed");
}

bool Program::issueFlag(Operation *op, Opcode opcode, hivm::Pipe source, hivm::Pipe target,
                        int64_t event) {
  if (source == hivm::Pipe::PIPE_ALL || target == hivm::Pipe::PIPE_ALL)
    return fail(op, HazardKind::Usage, "is between two pipes, not all");
  // The template of mmadL1 raises all events from MTE1 to M, and the first two back.
  constexpr int64_t backward = 2;
  bool isForward = source == hivm::Pipe::PIPE_MTE1 && target == hivm::Pipe::PIPE_M;
  bool isBackward = source == hivm::Pipe::PIPE_M && target == hivm::Pipe::PIPE_MTE1;
  if (isForward || (isBackward && event < backward))
    return fail(op, HazardKind::Flag, "uses an event that mmadL1 keeps for its own flags");
  Instruction made;
  made.opcode = opcode;
  made.source = toChip(source);
  made.target = toChip(target);
  made.pipe = opcode == Opcode::SetFlag ? made.source : made.target;
  made.event = event;
  return issue(op, getInstruction(op, made, {event}), {}, {});
}

bool Program::issueBarrier(PipeBarrierOp op) {
  if (op.getPipe() == hivm::Pipe::PIPE_S)
    return fail(op, HazardKind::Usage, "waits for the scalar unit, which runs it");
  Instruction made;
  made.opcode = Opcode::Barrier;
  made.pipe = toChip(op.getPipe());
  return issue(op, getInstruction(op, made), {}, {});
}

bool Program::isFlagBaseKnown(SyncBlockSetOp op) {
  if (!isFlagBaseSet || get(op.getFftsBaseAddr()) != flagBase)
    return fail(op, HazardKind::Usage, "does not name what set_ffts_base_addr has set before");
  return true;
}

/// The first half of a meeting of all blocks: this one has come.
bool Program::raiseMeetingFlag(SyncBlockSetOp op) {
  if (!isFlagBaseKnown(op))
    return false;
  if (op.getTsyncInstrMode() != SyncMode::INTER_BLOCK_SYNCHRONIZATION)
    return fail(op, HazardKind::Usage, "is for the cores of a group, but the kernel has none");
  if (op.getTpipe() != hivm::Pipe::PIPE_MTE3 || !arePipesDone)
    return fail(op, HazardKind::Usage,
                "tells other cores of stores that may be under way: pipe_barrier[<PIPE_ALL>] must "
                "come before, and PIPE_MTE3 be named");
  if (raisedFlag)
    return fail(op, HazardKind::Flag,
                "raises a flag between cores while " + Twine(*raisedFlag) + " is raised");
  raisedFlag = op.getStaticFlagId();
  return true;
}

/// The second half: all have come.
bool Program::meet(SyncBlockWaitOp op) {
  if (raisedFlag != static_cast<int64_t>(op.getStaticFlagId()))
    return fail(op, HazardKind::Flag,
                "waits for flag " + Twine(op.getStaticFlagId()) +
                    " of all cores, which this one has not raised");
  if (op.getPipe() != hivm::Pipe::PIPE_S)
    return fail(op, HazardKind::Usage, "must hold PIPE_S, which issues to all others");
  raisedFlag.reset();
  Instruction made;
  made.opcode = Opcode::SyncAll;
  made.pipe = ascend::Pipe::ALL;
  return issue(op, getInstruction(op, made), {}, {});
}

/// The core type that flags between cores name is that of the core itself.
static bool isOf(CoreType type, bool isForCubes) {
  return type == (isForCubes ? CoreType::CUBE : CoreType::VECTOR);
}

bool Program::setCross(SyncBlockSetOp op) {
  if (!isFlagBaseKnown(op))
    return false;
  if (op.getTsyncInstrMode() != SyncMode::INTRA_BLOCK_SYNCHRONIZATION)
    return fail(op, HazardKind::Usage, "lets blocks meet, which those of a mixed kernel do not");
  if (!isOf(op.getTcoreType(), isForCubes))
    return fail(op, HazardKind::Usage, "names a kind of core that does not run it");
  if (op.getTpipe() == hivm::Pipe::PIPE_S || op.getTpipe() == hivm::Pipe::PIPE_ALL)
    return fail(op, HazardKind::Usage, "cannot be queued on that pipe");
  Instruction made;
  made.opcode = Opcode::CrossSet;
  made.pipe = toChip(op.getTpipe());
  made.event = op.getStaticFlagId();
  return issue(op, getInstruction(op, made), {}, {});
}

bool Program::waitCross(SyncBlockWaitOp op) {
  if (!isOf(op.getTcoreType(), isForCubes))
    return fail(op, HazardKind::Usage, "names a kind of core that does not run it");
  Instruction made;
  made.opcode = Opcode::CrossWait;
  made.pipe = ascend::Pipe::S;
  made.event = op.getStaticFlagId();
  return issue(op, getInstruction(op, made), {}, {});
}
