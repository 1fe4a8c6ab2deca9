// The modelled chip as a plain C interface, of the shared library `libattn_chip.so`: runs a kernel
// whose AscendC text was compiled against the twin's kernel_operator.h (`attn-sim k.cpp
// --build-twin=k.so`). Nothing here needs an NPU, and times are predicted.
#ifndef ATTN_SIMULATOR_ASCENDC_ATTN_CHIP_H
#define ATTN_SIMULATOR_ASCENDC_ATTN_CHIP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// NOLINTBEGIN(readability-identifier-naming): names as C has them.

/// A compiled text, and a kernel of it. A kernel lives as long as its library.
typedef struct attn_chip_library attn_chip_library;
typedef struct attn_chip_kernel attn_chip_kernel;

/// Memory of the device: `bytes` bytes from the device's `address` on are at `data` here. Kernels
/// see addresses only; regions must not overlap.
typedef struct attn_chip_region {
  uint64_t address;
  uint64_t bytes;
  void *data;
} attn_chip_region;

/// One launch. The arguments are packed as in build_and_launch.md §5: each at a multiple of
/// max(4, its alignment), pointers as addresses of the device.
typedef struct attn_chip_launch {
  const char *soc; /* "Ascend910B4", or "Ascend910B4:vector_cores=2"; null: Ascend910B4 */
  uint32_t blocks;
  const void *arguments;
  size_t argument_bytes;
  const attn_chip_region *regions;
  size_t region_count;
} attn_chip_launch;

/// What came of it.
typedef enum attn_chip_status {
  ATTN_CHIP_OK = 0,
  /// The launch is impossible: unknown chip, wrong number of blocks or argument bytes.
  ATTN_CHIP_INVALID = 1,
  /// The kernel ran and made mistakes (hazards); memory is as it left it.
  ATTN_CHIP_HAZARD = 2
} attn_chip_status;

/// Opens a compiled text. Returns null, and in `*message` a text that says why.
attn_chip_library *attn_chip_open(const char *path, char **message);
/// Nothing of the library may be used afterwards; no launch may be under way.
void attn_chip_close(attn_chip_library *library);

/// The kernel of that name. Returns null, and in `*message` a text that says why.
const attn_chip_kernel *attn_chip_find(const attn_chip_library *library, const char *name,
                                       char **message);
/// The bytes of the kernel's packed arguments; a launch may round them up to a multiple of 8.
size_t attn_chip_argument_bytes(const attn_chip_kernel *kernel);
/// Which cores the kernel is for, as its text says: "__vector__", "__mix__(0, 1)" or "__cube__".
const char *attn_chip_kernel_kind(const attn_chip_kernel *kernel);

/// Runs a launch to its end on the calling thread; several may run at once on several threads.
/// Unless all is well, `*message` has the hazards, one per line, at their lines of the source.
/// `*microseconds` (where not null) is the predicted time.
attn_chip_status attn_chip_run(const attn_chip_kernel *kernel, const attn_chip_launch *launch,
                               double *microseconds, char **message);

/// Frees a text that this library has made; null is fine.
void attn_chip_free(char *message);

// NOLINTEND(readability-identifier-naming)

#ifdef __cplusplus
}
#endif

#endif // ATTN_SIMULATOR_ASCENDC_ATTN_CHIP_H
