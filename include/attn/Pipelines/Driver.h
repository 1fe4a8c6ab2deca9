// What attn-opt does beyond mlir-opt: a target, and emission of texts and objects.
#ifndef ATTN_PIPELINES_DRIVER_H
#define ATTN_PIPELINES_DRIVER_H

namespace attn {
/// Runs attn-opt; the result is the exit code of the process.
int runOptDriver(int argc, char **argv);
} // namespace attn

#endif // ATTN_PIPELINES_DRIVER_H
