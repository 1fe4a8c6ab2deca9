// Where every argument of a launch lies in the block of bytes that the launch call takes.
#ifndef ATTN_LAUNCH_CONVENTION_ARGUMENTLAYOUT_H
#define ATTN_LAUNCH_CONVENTION_ARGUMENTLAYOUT_H

#include "attn/Launch/Convention/Signature.h"

namespace attn::launch {

/// The way from the chip IR to an object. Each has hidden arguments of its own before ours.
enum class Route { AscendC, HIVM };

/// An argument at its place.
struct PlacedArgument {
  /// A parameter of the signature; null for the base address of the flags between cores.
  const Parameter *parameter;
  int64_t offset;
  int64_t size;
  int64_t alignment;
};

struct ArgumentLayout {
  llvm::SmallVector<PlacedArgument> arguments;
  /// Bytes of all of them.
  int64_t bytes = 0;
};

/// Lays out the parameters of `signature`, which must outlive the result. `doCoresSignal`: the
/// launch needs flags between cores.
ArgumentLayout layOutArguments(const Signature &signature, Route route, bool doCoresSignal);

} // namespace attn::launch

#endif // ATTN_LAUNCH_CONVENTION_ARGUMENTLAYOUT_H
