// Maps an image: copies it into pages of its own, fills in the addresses, and then lets each page
// be written or executed, never both.
#include "attn/Cpu/Runtime/Kernel.h"
#include <cstring>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

using namespace attn::host;

uint64_t attn::host::getPageBytes() { return static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); }

/// Whether `count` bytes at `offset` lie within `size`.
static bool fits(uint64_t offset, uint64_t count, uint64_t size) {
  return offset <= size && count <= size - offset;
}

static bool isExecutable(const Image &image, uint64_t entry) {
  for (const Segment &segment : image.segments)
    if (segment.isExecutable && entry >= segment.offset && entry - segment.offset < segment.size)
      return true;
  return false;
}

/// What an address word holds when the image begins at `begin`.
static uint64_t resolve(const AddressWord &word, char *begin) {
  if (word.function.empty())
    return reinterpret_cast<uint64_t>(begin) + word.target;
  return reinterpret_cast<uint64_t>(findFunction(word.function));
}

static void check(const Image &image) {
  uint64_t size = image.bytes.size(), page = getPageBytes();
  auto require = [](bool holds, const char *problem) {
    if (!holds)
      throw std::invalid_argument(std::string("a compiled kernel is malformed: ") + problem);
  };
  require(size > 0, "it is empty");
  for (const Segment &segment : image.segments) {
    require(fits(segment.offset, segment.size, size), "a segment lies outside");
    require(segment.offset % page == 0, "a segment does not begin at a page");
    require(!segment.isWritable || !segment.isExecutable, "a segment is written and executed");
  }
  for (const AddressWord &word : image.addresses) {
    require(fits(word.offset, sizeof(uint64_t), size), "an address lies outside");
    require(word.target <= size, "an address points outside");
    require(word.function.empty() || findFunction(word.function), "it calls an unknown function");
  }
  require(!image.phases.empty(), "it has no entry");
  for (const std::vector<uint64_t> &entries : {image.phases, image.launchChecks})
    for (uint64_t entry : entries)
      require(isExecutable(image, entry), "an entry is not executable");
  require(image.reportWords <= maxReportWords, "a report is too large");
  require(!image.grid || isExecutable(image, *image.grid), "the grid's entry is not executable");
}

MappedImage::MappedImage(const Image &image) : size(image.bytes.size()) {
  check(image);
  void *pages = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    throw std::bad_alloc();
  begin = static_cast<char *>(pages);
  std::memcpy(begin, image.bytes.data(), size);
  for (const AddressWord &word : image.addresses) {
    uint64_t address = resolve(word, begin);
    std::memcpy(getByte(word.offset), &address, sizeof(address));
  }
  for (const Segment &segment : image.segments) {
    if (segment.size == 0 || segment.isWritable)
      continue;
    int access = PROT_READ | (segment.isExecutable ? PROT_EXEC : 0);
    if (mprotect(getByte(segment.offset), segment.size, access) != 0) {
      munmap(begin, size);
      throw std::runtime_error("the system does not let compiled kernels be executed");
    }
    if (segment.isExecutable)
      __builtin___clear_cache(getByte(segment.offset), getByte(segment.offset + segment.size));
  }
}

MappedImage::~MappedImage() { munmap(begin, size); }
