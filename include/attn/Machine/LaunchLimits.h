// What holds for launches on every chip of the architecture.
#ifndef ATTN_MACHINE_LAUNCHLIMITS_H
#define ATTN_MACHINE_LAUNCHLIMITS_H

#include <cstdint>

namespace attn::architecture {

/// Blocks of one launch (machine.md §8 [D]).
constexpr int64_t maxGrid = 65535;

/// What the allocators of frameworks align to, and what a workspace may count on (machine.md §8,
/// build_and_launch.md §5 [D]).
constexpr int64_t workspaceAlignment = 512;

} // namespace attn::architecture

#endif // ATTN_MACHINE_LAUNCHLIMITS_H
