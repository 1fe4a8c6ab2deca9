// Handles that entry points give out, and the objects they stand for. An object lives as long as a
// queued task needs it, also after its handle was destroyed.
#ifndef ATTN_TEST_STANDIN_HANDLES_H
#define ATTN_TEST_STANDIN_HANDLES_H

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace attn::standin {

template <typename Object> class Handles {
public:
  void *add(std::shared_ptr<Object> object) {
    std::lock_guard lock(mutex);
    void *handle = object.get();
    objects[handle] = std::move(object);
    return handle;
  }

  std::shared_ptr<Object> find(const void *handle) {
    std::lock_guard lock(mutex);
    auto found = objects.find(handle);
    return found == objects.end() ? nullptr : found->second;
  }

  std::shared_ptr<Object> remove(const void *handle) {
    std::lock_guard lock(mutex);
    auto node = objects.extract(handle);
    return node ? std::move(node.mapped()) : nullptr;
  }

  std::vector<std::shared_ptr<Object>> all() {
    std::lock_guard lock(mutex);
    std::vector<std::shared_ptr<Object>> result;
    for (auto &[handle, object] : objects)
      result.push_back(object);
    return result;
  }

private:
  std::mutex mutex;
  std::unordered_map<const void *, std::shared_ptr<Object>> objects;
};

} // namespace attn::standin

#endif // ATTN_TEST_STANDIN_HANDLES_H
