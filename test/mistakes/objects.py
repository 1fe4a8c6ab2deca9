"""Mistakes in sidecars, in the command lines of the vendor's compilers, and in launches. What finds them launches objects
on the modelled chip by their sidecars alone, or under the real torch_npu on the stand-in for the CANN runtime."""

from mistake import Mistake

_LAUNCHED = "test_objects_run.py::test_standin_object_equals_the_chip_ir"
BACKWARD = (f"{_LAUNCHED}[attn_res_bwd-streaming-f32]",)
TEXT = ("test_sidecar.py::test_arguments_are_those_of_the_text[False-at.f32]",)
NUMBERS = ("test_sidecar.py::test_numbers_lie_side_by_side",)
TARGET = ("test_sidecar.py::test_blocks_that_meet_need_as_many_cores",)
GRID = ("test_sidecar.py::test_grid_equals_the_simulators",)
WORKSPACE = ("test_sidecar.py::test_workspace",)
OBJECT = ("test_objects.py::test_standin_object_and_sidecar",)
LIBRARY = ("test_objects.py::test_standin_library",)
BY_HIVM = ("test_objects_hivm.py::test_standin_object[attn_res_bwd-streaming]",)
LAUNCHES = ("test_standin_launch.py::test_launches_on_the_standin[1]",)
PACKED = ("test_runtime.py::test_later_launches_are_packed_natively",)
OPERATORS = ("test_standin_ops.py::test_operators_on_the_standin",)

MISTAKES = {
    "Sidecar": [
        Mistake(
            "sidecar-alignment", "every argument begins at a multiple of 8",
            "int64_t alignment = std::max<int64_t>(4, size);", "int64_t alignment = std::max<int64_t>(8, size);",
            NUMBERS,
        ),
        Mistake(
            "sidecar-size", "numbers of 32 bits take 8 bytes",
            "return parameter.type.getIntOrFloatBitWidth() / 8;", "return 8;",
            TEXT,
        ),
        Mistake(
            "sidecar-kind", "sizes are called strides",
            'parameter.kind == Kind::Size ? "size" : "stride"', 'parameter.kind == Kind::Size ? "stride" : "size"',
            TEXT,
        ),
        Mistake(
            "sidecar-axis", "sizes and strides are those of the first dimension",
            'argument["axis"] = parameter.dimension;', 'argument["axis"] = 0;',
            BACKWARD,
        ),
        Mistake(
            "sidecar-type", "floating-point numbers are said to be integers",
            'argument["dtype"] = spellType(parameter.type);', 'argument["dtype"] = "i32";',
            NUMBERS,
        ),
        Mistake(
            "sidecar-hidden-argument", "the hidden argument of HIVM is left out",
            "if (route == Route::HIVM && doCoresSignal)", "if (route == Route::HIVM && doCoresSignal && false)",
            BY_HIVM,
        ),
        Mistake(
            "sidecar-formula", "tiles are counted without the last, which is not whole",
            'return "uceildiv"; })', 'return "udiv"; })',
            GRID,
        ),
        Mistake(
            "sidecar-operands", "the operands of formulas are swapped",
            "for (Value operand : op->getOperands()) {", "for (Value operand : llvm::reverse(op->getOperands())) {",
            GRID, file="Formula.cpp",
        ),
        Mistake(
            "sidecar-dimension", "formulas ask for the first dimension of an array",
            "return parameters.getSize(array.getArgNumber(), dim.getDimension());",
            "return parameters.getSize(array.getArgNumber(), 0);",
            GRID,
        ),
        Mistake(
            "sidecar-workspace", "workspace has half its bytes",
            "Array factors{array.getElementTypeBitWidth() / 8};", "Array factors{array.getElementTypeBitWidth() / 16};",
            WORKSPACE + BACKWARD,
        ),
        Mistake(
            "sidecar-role", "outputs are called inputs",
            ': isOutput            ? "output"', ': isOutput            ? "input"',
            BACKWARD,
        ),
        Mistake(
            "sidecar-grid-limit", "a grid may be as large as the runtime takes",
            "limit = std::min(limit, own.getInt());", "limit = std::max(limit, own.getInt());",
            BACKWARD,
        ),
        Mistake(
            "sidecar-chips", "chips with fewer cores than blocks that meet are accepted",
            "doCoresSignal ? limit : 1", "doCoresSignal ? 1 : 1",
            TARGET,
        ),
        Mistake(
            "sidecar-launch-kind", "kernels whose blocks meet are called vector kernels",
            'signals ? "mix" : getCoreName(core)', 'signals ? "vector" : getCoreName(core)',
            TARGET,
        ),
        Mistake(
            "sidecar-meeting", "launches are said to need no flags between cores",
            '{"cross_core_sync", signals},', '{"cross_core_sync", false},',
            TARGET,
        ),
        Mistake(
            "sidecar-sizes", "the sizes that the compiler chose are wrong",
            "sizes[size.getName().str()] = cast<IntegerAttr>(size.getValue()).getInt();",
            "sizes[size.getName().str()] = cast<IntegerAttr>(size.getValue()).getInt() + 1;",
            ("test_sidecar.py::test_chosen_sizes_are_those_of_the_grid",), file="Sidecar.cpp",
        ),
        Mistake(
            "sidecar-memory", "the size of the last buffer in ub is not counted",
            "std::max<int64_t>(*used.getInteger(memory.name), *alloc.getAddress() + alloc.getByteSize());",
            "std::max<int64_t>(*used.getInteger(memory.name), *alloc.getAddress());",
            ("test_sidecar.py::test_memory_is_that_of_the_text",),
        ),
    ],
    "Object": [
        Mistake(
            "object-arch", "bisheng is told another architecture",
            '"--npu-arch=dav-2201"', '"--npu-arch=dav-3101"',
            OBJECT, "would not be called like this",
        ),
        Mistake(
            "object-auto-sync", "bisheng may add flags of its own",
            '"-std=c++17", "--cce-auto-sync=off",', '"-std=c++17",',
            OBJECT, "would not be called like this",
        ),
        Mistake(
            "object-not-linked", "bisheng is not told to stop before linking",
            'std::end(deviceFlags)); arguments.insert(arguments.end(), {job.source, "-c", "-o", compiled});',
            'std::end(deviceFlags)); arguments.insert(arguments.end(), {job.source, "-o", compiled});',
            OBJECT, "would not be called like this",
        ),
        Mistake(
            "object-host", "an object is one for the host",
            'deviceFlags[] = {"--aicore-only"}', 'deviceFlags[] = {"-fPIC"}',
            OBJECT, "would not be called like this",
        ),
        Mistake(
            "object-library-ub", "the end of ub is taken without asking for it",
            "if (job.takesLibraryUB)", "if (job.takesLibraryUB && job.form == Form::Shared)",
            ("test_objects.py::test_the_end_of_ub_is_asked_for_where_it_is_used",), "without --cce-disable-asc-reserved-ubuf",
        ),
        Mistake(
            "object-schedule", "a library does not wait for its cores",
            "text.waitsForCores = options.form == Form::Shared;", "text.waitsForCores = false;",
            ("test_objects.py::test_a_library_waits_for_cores_where_blocks_meet",), "may wait for cores forever",
        ),
        Mistake(
            "object-legacy-link", "the first of two links of an old toolkit is like the last",
            '{"-m", "aicorelinux", "-r", "-Ttext=0"}', '{"-m", "aicorelinux", "-Ttext=0"}',
            ("object.mlir",),
        ),
        Mistake(
            "object-device", "the vendor's pass is not told the chip",
            '{job.source, device, "--convert-hivm-to-std", "-o", lowered}',
            '{job.source, "--convert-hivm-to-std", "-o", lowered}',
            BY_HIVM,
        ),
        Mistake(
            "object-launcher", "the launching function takes the stream for the blocks",
            '"<<<" << blocks << ", nullptr, " << stream << ">>>("', '"<<<" << stream << ", nullptr, " << blocks << ">>>("',
            LIBRARY,
        ),
        Mistake(
            "object-launcher-arguments", "the launching function passes the arguments in the other order",
            "values.push_back(parameter.name);", "values.insert(values.begin(), parameter.name);",
            LIBRARY,
        ),
    ],
    "Launch": [
        Mistake(
            "launch-table-place", "the place of a table and that of its address are swapped",
            "places.push_back({addressOffset, dataOffset});", "places.push_back({dataOffset, addressOffset});",
            LAUNCHES,
        ),
        Mistake(
            "launch-phases", "only the first phase of a kernel is launched",
            "launches.push_back({plan, kernel, reinterpret_cast<aclrtStream>(stream), arguments});",
            "if (launches.empty())\n      launches.push_back({plan, kernel, reinterpret_cast<aclrtStream>(stream), arguments});",
            LAUNCHES, "check_every_phase_is_launched",
        ),
        Mistake(
            "launch-all-at-once", "blocks that meet may be started one after the other",
            "kernel->isAllAtOnce ? &config : nullptr", "kernel->isAllAtOnce ? nullptr : nullptr",
            OPERATORS,
        ),
        Mistake(
            "launch-addresses", "addresses go to each other's places",
            "&addresses[i], sizeof(uint64_t));", "&addresses[addresses.size() - 1 - i], sizeof(uint64_t));",
            PACKED,
        ),
        Mistake(
            "launch-second-float", "every float goes to the place of the first",
            "std::memcpy(packed.data() + floatOffsets[i], &real, sizeof real);",
            "std::memcpy(packed.data() + floatOffsets[0], &real, sizeof real);",
            PACKED,
        ),
        Mistake(
            "launch-sync-base", "the hidden argument of HIVM is nothing",
            "return reinterpret_cast<uint64_t>(address);", "return 0;",
            ("test_standin_compiled.py::test_launch_of_hivm_is_taken_by_the_standin[1]",),
        ),
        Mistake(
            "launch-blocks-the-host", "a launch waits until the queue has made it",
            "runOpApi(name, handler, /*sync=*/false);", "runOpApi(name, handler, /*sync=*/true);",
            LAUNCHES,
        ),
        Mistake(
            "launch-lifetime", "tensors are let go of when their launch is queued",
            "auto kept = std::make_shared<Kept>(object);", "auto kept = std::make_shared<Kept>(object);\n  kept->release();",
            LAUNCHES,
        ),
        Mistake(
            "launch-offset", "arguments follow each other without gaps",
            "layout += f\"{argument['offset'] - end}x{form}\"", 'layout += f"0x{form}"',
            ("test_runtime.py::test_block_of_arguments",),
        ),
        Mistake(
            "launch-floats", "floats are packed as integers",
            '"f32": "f"', '"f32": "i"',
            ("test_runtime.py::test_block_of_arguments",),
        ),
    ],
}  # fmt: skip
