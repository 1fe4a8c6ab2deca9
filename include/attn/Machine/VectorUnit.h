// What the instructions of every chip of the architecture are made of: numbers that are part of an
// instruction's meaning, and so stand in rules and accesses that know no chip.
#ifndef ATTN_MACHINE_VECTORUNIT_H
#define ATTN_MACHINE_VECTORUNIT_H

#include <cstdint>

namespace attn {

/// The granule of vector instructions and copies. machine.md §5 [D].
constexpr int64_t vectorBlockBytes = 32;
/// Blocks of one repeat of a vector instruction. machine.md §5 [D].
constexpr int64_t vectorBlocksPerRepeat = 8;
/// Two sources of an instruction this far apart in UB, modulo twice as much, meet in no bank group.
/// machine.md §2 [D].
constexpr int64_t bankHalfBytes = 256;
/// Ids of a pair of pipes, those included that the vendor's runtime keeps for itself: no event has
/// more slots. machine.md §6 [D].
constexpr int64_t flagIdCount = 8;

} // namespace attn

#endif // ATTN_MACHINE_VECTORUNIT_H
