// The native module attn._launcher: loads objects and launches kernels on NPUs. It needs neither
// CANN nor torch_npu until it is asked to open them.
#include "TaskQueue.h"
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace attn::launcher;

namespace {

using Places = std::vector<std::pair<uint32_t, uint32_t>>;
using FieldTuple = std::tuple<std::string, size_t, size_t, char>;

std::shared_ptr<Plan> makePlan(const std::vector<std::shared_ptr<Kernel>> &kernels, uint32_t blocks,
                               const py::bytes &arguments, std::vector<size_t> addressOffsets,
                               std::vector<size_t> floatOffsets, const Places &places) {
  auto plan = std::make_shared<Plan>(Plan{{kernels.begin(), kernels.end()},
                                          blocks,
                                          arguments,
                                          std::move(addressOffsets),
                                          std::move(floatOffsets),
                                          {}});
  for (auto [addressOffset, dataOffset] : places)
    plan->places.push_back({addressOffset, dataOffset});
  plan->check();
  return plan;
}

using Addresses = std::vector<uint64_t>;
using Floats = std::vector<double>;

/// One launch for each kernel of a plan.
std::vector<Launch> makeLaunches(std::shared_ptr<const Plan> plan, uintptr_t stream,
                                 const Addresses &addresses, const Floats &floats) {
  auto arguments = std::make_shared<const std::string>(plan->pack(addresses, floats));
  std::vector<Launch> launches;
  for (const std::shared_ptr<const Kernel> &kernel : plan->kernels)
    launches.push_back({plan, kernel, reinterpret_cast<aclrtStream>(stream), arguments});
  return launches;
}

std::vector<Field> makeFields(const std::vector<FieldTuple> &tuples) {
  std::vector<Field> fields;
  fields.reserve(tuples.size());
  for (const auto &[name, offset, size, form] : tuples)
    fields.push_back({name, offset, size, form});
  return fields;
}

/// AclError in Python: the code and the text.
void registerError(py::module_ &module) {
  static PyObject *type =
      PyErr_NewException("attn._launcher.AclError", PyExc_RuntimeError, nullptr);
  module.add_object("AclError", py::reinterpret_borrow<py::object>(type));
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer)
        std::rethrow_exception(pointer);
    } catch (const AclError &error) {
      PyErr_SetObject(type, py::make_tuple(error.code, error.what()).ptr());
    }
  });
}

} // namespace

PYBIND11_MODULE(_launcher, module) {
  module.doc() = "Loads and launches kernels on NPUs; not a public interface.";
  registerError(module);
  py::class_<Kernel, std::shared_ptr<Kernel>>(module, "Kernel")
      .def_readonly("name", &Kernel::name)
      .def_property_readonly("function", [](const Kernel &kernel) {
        return reinterpret_cast<uintptr_t>(kernel.function);
      });
  py::class_<Plan, std::shared_ptr<Plan>>(module, "Plan")
      .def(py::init(&makePlan))
      .def_readonly("blocks", &Plan::blocks)
      .def("pack", [](const Plan &plan, const Addresses &addresses, const Floats &floats) {
        return py::bytes(plan.pack(addresses, floats));
      });

  module.def("open_runtime", [] { Acl::get(); });
  module.def("standin_description", [] { return Acl::get().standInDescription(); });
  module.def("soc_name", [] { return std::string(Acl::get().aclrtGetSocName()); });
  module.def("device_count", [] {
    uint32_t count = 0;
    Acl::get().check(Acl::get().aclrtGetDeviceCount(&count), "counting devices");
    return count;
  });
  module.def("group_count", countGroups);
  module.def("sync_base", getSyncBase);
  module.def("load_object", [](const py::bytes &data, uint32_t magic) {
    return reinterpret_cast<uintptr_t>(loadObject(data, magic));
  });
  module.def("find_kernel", [](uintptr_t object, const std::string &name,
                               const std::vector<FieldTuple> &fields, bool isAllAtOnce) {
    return std::const_pointer_cast<Kernel>(findKernel(reinterpret_cast<aclrtBinHandle>(object),
                                                      name, makeFields(fields), isAllAtOnce));
  });

  module.def("connect_queue", connectQueue);
  module.def("enqueue", [](std::shared_ptr<Plan> plan, uintptr_t stream, const Addresses &addresses,
                           const Floats &floats, const py::object &kept) {
    for (Launch &launch : makeLaunches(std::move(plan), stream, addresses, floats))
      enqueue(std::move(launch), kept.inc_ref().ptr());
  });
  module.def("launch", [](std::shared_ptr<Plan> plan, uintptr_t stream, const Addresses &addresses,
                          const Floats &floats) {
    for (const Launch &launch : makeLaunches(std::move(plan), stream, addresses, floats))
      if (aclError code = launch.run())
        throw AclError(code, launch.describeFailure(code) + "\n" + Acl::get().recentMessage());
  });
  module.def("enqueue_function", enqueueFunction);
}
