// Loads objects and launches their kernels through the ACL runtime.
#include "Kernel.h"
#include <cmath>
#include <cstring>
#include <sstream>

using namespace attn::launcher;

namespace {

template <typename T> T readAs(const std::string &bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

void showField(std::ostream &stream, const Field &field, const std::string &bytes) {
  stream << "\n  " << field.offset << ": " << field.name << " = ";
  if (field.offset + field.size > bytes.size())
    stream << "missing";
  else if (field.form == 'f')
    stream << readAs<float>(bytes, field.offset);
  else if (field.form == 'p')
    stream << "0x" << std::hex << readAs<uint64_t>(bytes, field.offset) << std::dec;
  else if (field.size == 4)
    stream << readAs<int32_t>(bytes, field.offset);
  else
    stream << readAs<int64_t>(bytes, field.offset);
}

/// The name of the argument at an offset.
std::string getName(const Plan &plan, size_t offset) {
  for (const std::shared_ptr<const Kernel> &kernel : plan.kernels)
    for (const Field &field : kernel->fields)
      if (field.offset == offset)
        return field.name;
  return "the argument at " + std::to_string(offset);
}

/// Time-outs and exceptions of a core, which say little about their cause.
bool isCoreFailure(aclError code) { return code == 507014 || code == 507015; }

} // namespace

void Plan::check() const {
  auto isOutside = [&](size_t offset, size_t size) {
    return size > arguments.size() || offset > arguments.size() - size;
  };
  for (size_t offset : addressOffsets)
    if (isOutside(offset, sizeof(uint64_t)))
      throw std::invalid_argument("an address lies outside the arguments");
  for (size_t offset : floatOffsets)
    if (isOutside(offset, sizeof(float)))
      throw std::invalid_argument("a real lies outside the arguments");
}

std::string Plan::pack(const std::vector<uint64_t> &addresses,
                       const std::vector<double> &floats) const {
  if (addresses.size() != addressOffsets.size() || floats.size() != floatOffsets.size())
    throw std::invalid_argument("a launch takes " + std::to_string(addressOffsets.size()) +
                                " addresses and " + std::to_string(floatOffsets.size()) +
                                " floats, not " + std::to_string(addresses.size()) + " and " +
                                std::to_string(floats.size()));
  std::string packed = arguments;
  for (size_t i = 0; i < addresses.size(); ++i)
    std::memcpy(packed.data() + addressOffsets[i], &addresses[i], sizeof(uint64_t));
  for (size_t i = 0; i < floats.size(); ++i) {
    float real = static_cast<float>(floats[i]);
    if (std::isinf(real) && !std::isinf(floats[i]))
      throw std::overflow_error(getName(*this, floatOffsets[i]) +
                                ": the number is too large for f32");
    std::memcpy(packed.data() + floatOffsets[i], &real, sizeof real);
  }
  return packed;
}

aclError Launch::run() const {
  // The runtime shall start no block before there is a core for each, whatever other streams run.
  aclrtLaunchKernelAttr batch{ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, {}};
  batch.value.schemMode = 1;
  aclrtLaunchKernelCfg config{&batch, 1};
  // The runtime takes pointers without const, and reads only.
  return Acl::get().aclrtLaunchKernelWithHostArgs(
      kernel->function, plan->blocks, stream, kernel->isAllAtOnce ? &config : nullptr,
      const_cast<char *>(arguments->data()), arguments->size(),
      plan->places.empty() ? nullptr : const_cast<aclrtPlaceHolderInfo *>(plan->places.data()),
      plan->places.size());
}

std::string Launch::describeFailure(aclError code) const {
  std::ostringstream text;
  text << "the launch of " << kernel->name << " with " << plan->blocks
       << " blocks failed with ACL error " << code << "; its arguments (" << arguments->size()
       << " bytes):";
  for (const Field &field : kernel->fields)
    showField(text, field, *arguments);
  if (isCoreFailure(code))
    text << "\nThis often is a flag that nothing sets, or an address out of range: attn.simulate "
            "checks for both.";
  return text.str();
}

aclrtBinHandle attn::launcher::loadObject(const std::string &data, uint32_t magic) {
  aclrtBinaryLoadOption options[2] = {{ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD, {}},
                                      {ACL_RT_BINARY_LOAD_OPT_MAGIC, {}}};
  options[0].value.isLazyLoad = 0;
  options[1].value.magic = magic;
  aclrtBinaryLoadOptions all{options, 2};
  aclrtBinHandle object = nullptr;
  const Acl &acl = Acl::get();
  acl.check(acl.aclrtBinaryLoadFromData(data.data(), data.size(), &all, &object),
            "loading an object of " + std::to_string(data.size()) + " bytes");
  return object;
}

std::shared_ptr<const Kernel> attn::launcher::findKernel(aclrtBinHandle object,
                                                         const std::string &name,
                                                         std::vector<Field> fields,
                                                         bool isAllAtOnce) {
  const Acl &acl = Acl::get();
  aclrtFuncHandle function = nullptr;
  acl.check(acl.aclrtBinaryGetFunction(object, name.c_str(), &function),
            "looking for the kernel " + name);
  return std::make_shared<const Kernel>(Kernel{name, function, std::move(fields), isAllAtOnce});
}

int64_t attn::launcher::countGroups(uint32_t device) {
  const Acl &acl = Acl::get();
  int64_t count = 0;
  acl.check(acl.aclrtGetDeviceInfo(device, ACL_DEV_ATTR_CUBE_CORE_NUM, &count),
            "asking for the cube cores of device " + std::to_string(device));
  return count;
}

uint64_t attn::launcher::getSyncBase() {
  const Acl &acl = Acl::get();
  void *address = nullptr;
  acl.check(acl.aclrtGetHardwareSyncAddr(&address),
            "asking for the address through which cores meet");
  return reinterpret_cast<uint64_t>(address);
}
