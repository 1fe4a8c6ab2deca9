// Runs of bytes that repeat by levels.
#include "attn/Dialect/Ascend/IR/Access.h"
#include "llvm/ADT/STLExtras.h"

using namespace attn::ascend;

/// Whether the access has no bytes at all.
static bool isEmpty(const Access &access) {
  return access.runBytes == 0 ||
         llvm::any_of(access.levels, [](AccessLevel level) { return level.count == 0; });
}

/// Bytes that the levels span, from the first to one past the last.
static int64_t getExtent(llvm::ArrayRef<AccessLevel> levels, int64_t runBytes) {
  for (AccessLevel level : levels)
    runBytes += (level.count - 1) * level.pitchBytes;
  return runBytes;
}

int64_t Access::getExtentBytes() const {
  if (isEmpty(*this))
    return 0;
  return getExtent(levels, runBytes);
}

Access Access::join() const {
  Access joined{memory, isWrite, toEnd, runBytes};
  for (AccessLevel level : levels) {
    if (level.count == 1)
      continue;
    if (joined.levels.empty() && level.pitchBytes <= joined.runBytes)
      joined.runBytes += (level.count - 1) * level.pitchBytes;
    else
      joined.levels.push_back(level);
  }
  return joined;
}

static void visitRuns(llvm::ArrayRef<AccessLevel> levels, int64_t runBytes, int64_t begin,
                      int64_t limit, llvm::function_ref<void(int64_t, int64_t)> body) {
  if (begin >= limit)
    return;
  if (levels.empty())
    return body(begin, begin + runBytes);
  for (int64_t copy = 0; copy < levels.back().count && begin < limit; ++copy) {
    visitRuns(levels.drop_back(), runBytes, begin, limit, body);
    begin += levels.back().pitchBytes;
  }
}

void Access::forEachRun(int64_t limit, llvm::function_ref<void(int64_t, int64_t)> body) const {
  if (isEmpty(*this))
    return;
  Access joined = join();
  visitRuns(joined.levels, joined.runBytes, 0, limit, body);
}

/// Looks only at the copies that reach as far as `begin`: without interleaved levels that is one.
static bool isInRun(llvm::ArrayRef<AccessLevel> levels, int64_t runBytes, int64_t begin,
                    int64_t end) {
  if (begin < 0)
    return false;
  if (levels.empty())
    return end <= runBytes;
  auto [count, pitch] = levels.back();
  int64_t last = pitch > 0 ? std::min(begin / pitch, count - 1) : 0;
  for (int64_t copy = last; copy >= 0; --copy) {
    if (begin - copy * pitch >= getExtent(levels.drop_back(), runBytes))
      return false;
    if (isInRun(levels.drop_back(), runBytes, begin - copy * pitch, end - copy * pitch))
      return true;
  }
  return false;
}

bool Access::covers(int64_t begin, int64_t end) const {
  if (isEmpty(*this))
    return begin >= end;
  Access joined = join();
  return isInRun(joined.levels, joined.runBytes, begin, end);
}
