// The execution of the instructions of cube cores.
#include "Execution.h"

using namespace mlir;
using namespace attn;
using namespace attn::simulator;

void Execution::runNdToNz() {}
void Execution::runFill() {}
void Execution::runLoadFractals() {}
void Execution::runLoadTile() {}
void Execution::runLoadSquares() {}
void Execution::runLoadBias() {}
void Execution::runMmad() {}
void Execution::runFixOut() {}
void Execution::runMatmul() {}
