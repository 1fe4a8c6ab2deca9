// The AscendC call of each instruction of cube cores.
#include "KernelEmitter.h"

using namespace attn;
using namespace attn::ascendc;

std::string KernelEmitter::getCall(ascend::NdToNzOp op) { return ""; }
std::string KernelEmitter::getCall(ascend::FillOp op) { return ""; }
std::string KernelEmitter::getCall(ascend::LoadFractalsOp op) { return ""; }
std::string KernelEmitter::getCall(ascend::LoadTileOp op) { return ""; }
std::string KernelEmitter::getCall(ascend::LoadSquaresOp op) { return ""; }
std::string KernelEmitter::getCall(ascend::LoadBiasOp op) { return ""; }
std::string KernelEmitter::getCall(ascend::MmadOp op) { return ""; }
std::string KernelEmitter::getCall(ascend::FixOutOp op) { return ""; }
