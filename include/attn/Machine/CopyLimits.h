// What one copy between GM and a local memory takes at most (NPU arch 2201).
#ifndef ATTN_MACHINE_COPYLIMITS_H
#define ATTN_MACHINE_COPYLIMITS_H

#include <cstdint>

namespace attn {

/// Rows of one copy: the field blockCount of DataCopyPad (ascendc.md §3 [D]).
constexpr int64_t maxCopyRows = 4095;

} // namespace attn

#endif // ATTN_MACHINE_COPYLIMITS_H
