// A compiled kernel as bytes that any process on this kind of machine can map and run.
#ifndef ATTN_CPU_RUNTIME_IMAGE_H
#define ATTN_CPU_RUNTIME_IMAGE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attn::host {

/// One argument of a kernel.
struct Parameter {
  enum Kind { ArrayKind, TableKind, ScalarKind } kind = ScalarKind;
  std::vector<int64_t>
      shape;          // of an array or of each entry of a table; negative where any size is taken
  int64_t count = -1; // entries of a table, or negative
  uint64_t bytes = 0; // of an element or of the scalar
  bool isFloat = false;
};

/// Pages of an image that are written or executed; they are always read.
struct Segment {
  uint64_t offset = 0, size = 0;
  bool isWritable = false, isExecutable = false;
};

/// A word of an image that is an address: of a function of this process, or of a byte of the image.
struct AddressWord {
  uint64_t offset = 0;
  std::string function; // empty where it is the image's own byte
  uint64_t target = 0;  // the offset of that byte
};

/// What a report of a check is about, beside the numbers in it.
struct Check {
  std::string file; // empty where the place in the source is not known
  unsigned line = 0, column = 0;
  std::string access, array; // of an access of an array
  std::string division;      // of a division
  uint64_t numbers = 0;      // in its report
};

/// The code refers to itself by distance only; where it needs an address, `addresses` tells. All
/// numbers are offsets from its first byte.
struct Image {
  std::string bytes;
  std::vector<Segment> segments;
  std::vector<AddressWord> addresses;
  std::vector<Parameter> parameters;
  std::vector<uint64_t> phases;       // the entries, in the order in which they are launched
  std::optional<uint64_t> grid;       // the entry that counts tiles, if there is one
  std::vector<uint64_t> launchChecks; // entries that report before a launch what it would
  int64_t limit = 0;                  // of blocks, or 0
  std::vector<Check> checks;          // what reports mean, by number
  uint64_t reportWords = 1;           // of the largest report
};

/// Words of a report, at most.
inline constexpr uint64_t maxReportWords = 64;

/// The function of this process that compiled kernels may call by that name, or null.
void *findFunction(std::string_view name);

/// The bytes of a page of memory.
uint64_t getPageBytes();

/// What tells this CPU from those that may not run code made for it.
std::string describeCpu();

} // namespace attn::host

#endif // ATTN_CPU_RUNTIME_IMAGE_H
