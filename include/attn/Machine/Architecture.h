// What holds for every chip of the architecture (NPU arch 2201): the granules of its instructions
// and the widths of their fields. Op verifiers, which know no chip, take their limits from here,
// and so do the facts of a chip (ChipFacts.def) that a module may override.
#ifndef ATTN_MACHINE_ARCHITECTURE_H
#define ATTN_MACHINE_ARCHITECTURE_H

#include <cstdint>

namespace attn::architecture {

/// The granule of vector instructions and of local addresses (machine.md §5 [D]).
constexpr int64_t blockBytes = 32;
/// The blocks of one repeat of a vector instruction (machine.md §5 [D]).
constexpr int64_t blocksPerRepeat = 8;
constexpr int64_t repeatBytes = blockBytes * blocksPerRepeat;

/// Of one instruction: an 8-bit field (machine.md §5, ascendc.md §7 [D]).
constexpr int64_t maxRepeats = 255;
/// Strides of the repeat form, in blocks: 8-bit fields (machine.md §5, ascendc.md §7 [D]).
constexpr int64_t maxStride = 255;
/// Strides of Brcb and the destination stride of reductions: 16-bit fields (ascendc.md §7, §8 [D]).
constexpr int64_t maxWideStride = 65535;

/// Rows of one DataCopyPad (ascendc.md §3 [D]).
constexpr int64_t maxCopyRows = 4095;
/// Bytes of a row of DataCopyPad: 21 bits (ascendc.md §3 [D]).
constexpr int64_t maxCopyRowBytes = 2097151;
/// Bytes between two rows of DataCopyPad in GM: a 32-bit field (ascendc.md §3 [D]).
constexpr int64_t maxCopyGapBytes = 0xffffffff;
/// Padding on one side of a row of DataCopyPad (ascendc.md §3 [D]).
constexpr int64_t maxPaddingBytes = blockBytes;

/// Rows of a fractal, and the columns of one in L0C (machine.md §4 [D]).
constexpr int64_t fractalRows = 16;
/// A fractal of L1, L0A and L0B: 16 rows of one block (machine.md §4 [D]).
constexpr int64_t fractalBytes = fractalRows * blockBytes;
/// The elements of a fractal of L0C, f32 or i32 (machine.md §4 [D]).
constexpr int64_t sumFractalElements = fractalRows * fractalRows;

/// Rows, columns and row pitch of one ND to NZ copy, and the rows that a column block has room for
/// (ascendc.md §3 [D]).
constexpr int64_t maxNdRows = 16384;
constexpr int64_t maxNdCols = 65535;
constexpr int64_t maxNdPitch = 65535;
constexpr int64_t maxNzRows = 16384;
/// m, n and k of one Mmad (ascendc.md §5 [D]).
constexpr int64_t maxMmadExtent = 4095;
/// Accumulating Mmads of fewer fractals of L0C need a barrier between them (ascendc.md §5 [D]).
constexpr int64_t orderedMmadFractals = 10;
/// Columns and rows of one Fixpipe; more rows where the result is NZ (ascendc.md §6 [D]).
constexpr int64_t maxFixCols = 4095;
constexpr int64_t maxFixRows = 8192;
constexpr int64_t maxFixRowsNZ = 65535;
/// Elements from one row to the next, or rows from one column block: a 32-bit field (devkit,
/// FixpipeParamsV220 [D]).
constexpr int64_t maxFixPitch = 0xffffffff;
/// Where Fixpipe may begin to read L0C, in bytes (machine.md §2 [D]).
constexpr int64_t fixSourceAlignment = 64;
/// Bits of the scale's mantissa that Fixpipe looks at (ascendc.md §6 [D]).
constexpr int64_t fixScaleFractionBits = 10;
/// The unit of copies to the bias table (machine.md §2 [D]).
constexpr int64_t biasBlockBytes = 64;
/// Times, blocks and gap of one InitConstValue: 15 bits (devkit, InitConstValueParams [D]).
constexpr int64_t maxFillExtent = 32767;

/// A line of L2, and the granule that requests to it are rounded up to (costs.md §5, machine.md §9
/// [D]).
constexpr int64_t l2LineBytes = 512;
constexpr int64_t l2RequestBytes = 128;

/// A line of the data cache by which the scalar unit of a core reads GM (machine.md §2 [D]).
constexpr int64_t scalarCacheLineBytes = 64;

/// The end of UB that the vendor's compiler keeps for its library unless a flag gives it to the
/// kernel (build_and_launch.md §1 [D]).
constexpr int64_t libraryBytesOfUB = 8192;

/// Two sources of an instruction this far apart in UB, modulo twice as much, meet in no bank group
/// (machine.md §2 [D]).
constexpr int64_t bankHalfBytes = 256;

/// Event ids of a pair of pipes, those of the system included: no event has more slots
/// (machine.md §6 [D]).
constexpr int64_t eventIds = 8;
/// The ids that the system keeps for itself, the last ones (machine.md §6 [D]).
constexpr int64_t reservedEventIds = 2;

/// Flags between cores that a kernel may use: of 16, those that `SyncAll` takes are left out
/// (machine.md §7 [D]).
constexpr int64_t crossFlags = 11;
/// The way of `CrossCoreSetFlag` that the cores of a group take (machine.md §7 [D]).
constexpr int64_t crossGroupMode = 2;
/// Sets of one flag between cores that may be pending: its counter has 4 bits (machine.md §7 [D]).
constexpr int64_t maxCrossPending = 15;

/// Elements of `elementBytes` in one block, and lanes of one repeat.
constexpr int64_t getElementsPerBlock(int64_t elementBytes) { return blockBytes / elementBytes; }
constexpr int64_t getLanes(int64_t elementBytes) { return repeatBytes / elementBytes; }

} // namespace attn::architecture

#endif // ATTN_MACHINE_ARCHITECTURE_H
