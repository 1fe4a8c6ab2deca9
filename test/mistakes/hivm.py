"""Mistakes in lib/Conversion/AscendToHIVM. What finds them compares traces with the chip IR, runs the text on the modelled chip, or
asks the vendor's own tools."""

from mistake import Mistake

_TRACES = "test_hivm.py::test_asks_for_what_the_chip_ir_does"
ODD = (f"{_TRACES}[attn_res_fwd-odd-bf16]",)
RESIDENT = (f"{_TRACES}[attn_res_fwd-resident-bf16]",)
MEETING = (f"{_TRACES}[attn_res_bwd-streaming-f32]",)
LIST = (f"{_TRACES}[attn_res_fwd-list-f16]",)
BAND = (f"{_TRACES}[neighborhood_bwd-carried-f16]",)
SCRATCH = ("test_hivm.py::test_scratch_is_large_enough[attn_res_fwd-wide-f32]",)
TEMPLATES = ("test_hivm.py::test_templates_exist[attn_res_fwd-wide-f32]",)
ARGUMENTS = ("test_hivm.py::test_arguments_are_those_of_the_sidecar[attn_res_bwd-streaming-f32]",)
VALUES = ("test_stages.py::test_attn_res_forward[tail-bfloat16]",)
VALUES_MEETING = ("test_stages.py::test_attn_res_backward[phases-meet-float32]",)
VALUES_LIST = ("test_stages.py::test_lists_of_tensors",)
_PRODUCTS = "test_hivm_products.py::test_values"
PRODUCT = (f"{_PRODUCTS}[f16-f32-nn-tails]",)
TRANSPOSED = (f"{_PRODUCTS}[f16-f32-nt-tails]",)
NARROW = (f"{_PRODUCTS}[f16-f16-nn-whole]",)
RELU = (f"{_PRODUCTS}[relu-whole]",)
PARTS = (f"{_PRODUCTS}[parts-transposed-tails]",)
BIAS = ("test_hivm_products.py::test_sums_start_from_a_bias[f16-False-(45, 75, 70)]",)
FILLS = ("Target/HIVM/products.mlir",)
MIXED = ("test_mixed_text.py::test_values_on_shaken_schedules[96-80-hivm]",)

MISTAKES = [
    Mistake(
        "hivm-count", "runs have half their elements",
        "getViewType(element, {known}, {1})", "getViewType(element, {(known + 1) / 2}, {1})",
        ODD, "instruction",
    ),
    Mistake(
        "hivm-rows", "the last row of a buffer is not counted",
        "int64_t rows = tile.rows.number.value_or(most);",
        "int64_t rows = std::max<int64_t>(tile.rows.number.value_or(most) - 1, 1);",
        RESIDENT,
    ),
    Mistake(
        "hivm-pitch", "rows in ub follow each other without their padding",
        "getViewType(element, {rows, cols}, {tile.pitch, 1})", "getViewType(element, {rows, cols}, {cols, 1})",
        ODD, "instruction",
    ),
    Mistake(
        "hivm-repeat-pitch", "repeats are as far apart as those of f32 in every type",
        "int64_t pitch = strides[operands.size() + number] * perBlock;",
        "int64_t pitch = strides[operands.size() + number] * 8;",
        ("Target/HIVM/instructions.mlir",),
    ),
    Mistake(
        "hivm-turned-rows", "squares below each other are taken as squares beside each other",
        "Amount rows = isDownColumn ? length : square, cols = isDownColumn ? square : length;",
        "Amount rows = square, cols = length;",
        ("Target/HIVM/instructions.mlir", "test_turned.py::test_transpose[16-torch.float16]"),
    ),
    Mistake(
        "hivm-swapped-operands", "the operands of subtractions and divisions are swapped",
        "writeElementwise(op, op.getKind(), {views[1], views[2]}, views[0], {}, broadcast);",
        "writeElementwise(op, op.getKind(), {views[2], views[1]}, views[0], {}, broadcast);",
        VALUES, "hivm",
    ),
    Mistake(
        "hivm-kind", "the greatest of a tile and a number is the least",
        "ATTN_SCALAR_KIND(Maxs, VMaxOp, WithScalar)", "ATTN_SCALAR_KIND(Maxs, VMinOp, WithScalar)",
        VALUES, "hivm",
    ),
    Mistake(
        "hivm-rounding", "numbers are rounded towards zero",
        "ATTN_ROUND_MODE(Rint, CAST_RINT, Rint)", "ATTN_ROUND_MODE(Rint, CAST_RINT, Trunc)",
        VALUES, "hivm",
    ),
    Mistake(
        "hivm-reduction", "the maximum of rows is their sum",
        "ATTN_REDUCE_KIND(Max, Max, BlockReduceMaxMin)", "ATTN_REDUCE_KIND(Max, Sum, BlockReduceMaxMin)",
        RESIDENT, "instruction",
    ),
    Mistake(
        "hivm-scratch-rule", "reductions of rows of up to two repeats have no scratch",
        "cols > lanes ||", "cols > 2 * lanes ||",
        ("test_hivm.py::test_scratch_is_large_enough[attn_res_fwd-resident-f32]",), "has no scratch",
    ),
    Mistake(
        "hivm-forgotten-scratch", "reductions have no scratch",
        "bool hasScratch = takesScratch(op.getCols(), rows.number.has_value());",
        "bool hasScratch = takesScratch(op.getCols(), true) && op.getCols() < 0;",
        SCRATCH + TEMPLATES,
    ),
    Mistake(
        "hivm-forgotten-column-scratch", "a column is spread over rows without scratch",
        "{src, column}, dst, getWhole(op.getScratch()), {1});", "{src, column}, dst, Value(), {1});",
        SCRATCH, "has no scratch",
    ),
    Mistake(
        "hivm-small-scratch", "scratch has half its elements",
        "return getRun(memory, getAmount(places.lookup(memory).elements));",
        "return getRun(memory, getAmount(places.lookup(memory).elements / 2));",
        SCRATCH, "the vendor takes",
    ),
    Mistake(
        "hivm-broadcast-axis", "a column is spread over the other dimension",
        "{src, column}, dst, getWhole(op.getScratch()), {1});", "{src, column}, dst, getWhole(op.getScratch()), {0});",
        VALUES,
    ),
    Mistake(
        "hivm-missing-set", "no flag is set",
        "write(ascend::SetFlagOp op) { return writeFlag<SetFlagOp>(op); }",
        "write(ascend::SetFlagOp op) { return success(); }",
        ODD + VALUES, "deadlock",
    ),
    Mistake(
        "hivm-missing-wait", "no flag is waited for",
        "write(ascend::WaitFlagOp op) { return writeFlag<WaitFlagOp>(op); }",
        "write(ascend::WaitFlagOp op) { return success(); }",
        ODD + VALUES, "flag",
    ),
    Mistake(
        "hivm-event", "all slots of a buffer share one event",
        "static_cast<Event>(op.getEvent() + *slot)", "static_cast<Event>(op.getEvent())",
        BAND, "instruction",
    ),
    Mistake(
        "hivm-slot-event", "the event of a slot that is known at run time only is off by one",
        "dynamic = add(word(op.getEvent()), toWord(scalars.lookup(op.getSlot())));",
        "dynamic = add(word(op.getEvent() + 1), toWord(scalars.lookup(op.getSlot())));",
        ODD, "instruction",
    ),
    Mistake(
        "hivm-swapped-pipes", "flags go from the waiting pipe to the other",
        "HIVMOp::create(builder, op.getLoc(), getPipe(op.getSource()), getPipe(op.getTarget()),",
        "HIVMOp::create(builder, op.getLoc(), getPipe(op.getTarget()), getPipe(op.getSource()),",
        ODD, "instruction",
    ),
    Mistake(
        "hivm-missing-barrier", "no pipe waits for itself",
        "PipeBarrierOp::create(builder, op.getLoc(), getPipe(op.getPipe()));\n  return success();", "return success();",
        ODD + VALUES, "race",
    ),
    Mistake(
        "hivm-meeting-barrier", "blocks meet while their stores are under way",
        "PipeBarrierOp::create(builder, loc, Pipe::PIPE_ALL);\n  SyncBlockSetOp", "SyncBlockSetOp",
        VALUES_MEETING, "under way",
    ),
    Mistake(
        "hivm-swapped-strides", "the strides of an array are taken in the other order",
        "argument.strides[dimension + (argument.isTable ? 1 : 0)]",
        "argument.strides[op.getIndices().size() - 1 - dimension + (argument.isTable ? 1 : 0)]",
        ODD, "instruction", file="KernelExporter.cpp",
    ),
    Mistake(
        "hivm-sizes-for-strides", "a stride is the size",
        "isa<ascend::DimOp>(op) ? argument.sizes[dimension]", "!isa<ascend::BlockIdOp>(op) ? argument.sizes[dimension]",
        ODD, "instruction", file="KernelExporter.cpp",
    ),
    Mistake(
        "hivm-address", "buffers lie a data block after where they are planned",
        "{{}, word(*alloc.getAddress()), type.getShape().back()}",
        "{{}, word(*alloc.getAddress() + 32), type.getShape().back()}",
        ODD, "instruction",
    ),
    Mistake(
        "hivm-slot-pitch", "the slots of a buffer are one block apart",
        "word(alloc.getSlotPitchBytes())", "word(32)",
        ODD, "instruction",
    ),
    Mistake(
        "hivm-slice-offset", "slices begin as many bytes after their buffers as elements",
        "Value distance = multiply(toWord(scalars.lookup(op.getOffset())), word(bytes));",
        "Value distance = multiply(toWord(scalars.lookup(op.getOffset())), word(bytes / bytes));",
        BAND, "instruction",
    ),
    Mistake(
        "hivm-extent", "entries of a list seem to have one row less",
        "add(getNumber(table.sizes[dimension]), index(-1))", "add(getNumber(table.sizes[dimension]), index(-2))",
        VALUES_LIST, "beyond what its pointer_cast gives",
    ),
    Mistake(
        "hivm-table-index", "the first entry of a list is taken for all",
        "scalars.lookup(op.getIndex()));\n  // The place", "index(0));\n  // The place",
        LIST, "instruction",
    ),
    Mistake(
        "hivm-hidden-argument", "the argument for flags between cores is not marked as hidden",
        "  if (hasFlags)\n    function.setArgAttr(0, \"hacc.arg_type\",\n"
        "                        hacc::ArgTypeAttr::get(context, hacc::ArgType::FftsBaseAddress));\n",
        "",
        ARGUMENTS,
    ),
    Mistake(
        "hivm-core-type", "kernels do not say for which cores they are",
        'FuncCoreTypeAttr::get(context, isForCubes ? FuncCoreType::AIC : FuncCoreType::AIV)', "builder.getUnitAttr()",
        ARGUMENTS,
    ),
    Mistake(
        "hivm-flag-base", "nothing says where flags between cores are",
        "SetFftsBaseAddrOp::create(builder, kernel.getLoc(), flagBase);", "(void)flagBase;",
        VALUES_MEETING, "set_ffts_base_addr",
    ),
    Mistake(
        "hivm-mask", "the mask is never set to its normal mode",
        "  SetMaskNormOp::create(builder, kernel.getLoc());\n", "",
        VALUES, "set_mask_norm",
    ),
    Mistake(
        "hivm-task-type", "the launcher is told another kind of task",
        "vectorTask = 10, cubeTask = 20, mixedTask = 32;", "vectorTask = 11, cubeTask = 21, mixedTask = 31;",
        (
            "test_hivm.py::test_task_type_is_the_vendors[attn_res_bwd-streaming-f32]",
            "test_hivm_products.py::test_task_type_is_the_vendors[f16-f32-nn]",
        ),
    ),
    Mistake(
        "hivm-pointers", "numbers are declared to arrive as pointers",
        "arePointers.push_back(isa<MemRefType>(type));", "arePointers.push_back(true);",
        ARGUMENTS,
    ),
    Mistake(
        "hivm-product-sizes", "products have k and n in the other order",
        "scalars.lookup(op.getM()), getValue(k), scalars.lookup(op.getN()),",
        "scalars.lookup(op.getM()), scalars.lookup(op.getN()), getValue(k),",
        PRODUCT,
    ),
    Mistake(
        "hivm-product-transpose", "a right operand that is stored transposed is not said to be",
        "getFractals(c), op.getTransposeA(), op.getTransposeB());",
        "getFractals(c), op.getTransposeA(), /*b_transpose=*/false);",
        TRANSPOSED,
    ),
    Mistake(
        "hivm-product-bias", "sums that start from a row start from zero",
        "op.getBias() ? getRow(op.getBias()) : Value()", "Value()",
        BIAS,
    ),
    Mistake(
        "hivm-product-fractals", "row blocks of fractals come before column blocks",
        "for (const Amount &blocks : {colBlocks, rowBlocks})", "for (const Amount &blocks : {rowBlocks, colBlocks})",
        PRODUCT,
    ),
    Mistake(
        "hivm-product-room", "column blocks of sums have room for one block of rows more",
        "Amount rowBlocks = divideUp(matrix.rows, fractalRows);",
        "Amount rowBlocks = divideUp(matrix.rows, fractalRows - (isSums(matrix.memory) ? 1 : 0));",
        PRODUCT,
    ),
    Mistake(
        "hivm-product-pipe", "flags of loads to L0 are those of products",
        "return Pipe::PIPE_MTE1;", "return Pipe::PIPE_M;",
        PRODUCT,
    ),
    Mistake(
        "hivm-product-parts", "a transposed operand that is not full of rows is taken in several parts",
        "hasParts = op.getTransposeB() && getMostCols(b) > *part;", "hasParts = op.getTransposeB() && getMostCols(b) < *part;",
        PARTS, "several parts",
    ),
    Mistake(
        "hivm-product-init", "every part of a product starts its sums",
        "init = arith::AndIOp::create(builder, op.getLoc(), init, isFirst);", "(void)isFirst;",
        PARTS,
    ),
    Mistake(
        "hivm-product-conversion", "sums become another type than that of the array",
        "to.isF16() ? FixpipeQuant::F322F16 : FixpipeQuant::F322BF16",
        "to.isF16() ? FixpipeQuant::F322BF16 : FixpipeQuant::F322F16",
        NARROW, "another conversion",
    ),
    Mistake(
        "hivm-product-relu", "what is negative stays so",
        "if (op.getRelu())\n    relu = FixpipeReluAttr", "if (!op.getRelu())\n    relu = FixpipeReluAttr",
        RELU,
    ),
    Mistake(
        "hivm-fill-pitch", "runs that are filled lie as many bytes apart as blocks",
        "word(op.getPitch() * blockBytes)", "word(op.getPitch())",
        FILLS,
    ),
    Mistake(
        "hivm-cross-core-type", "flags of a group name the other kind of core",
        "SyncBlockSetOp::create(builder, op.getLoc(), isForCubes ? CoreType::CUBE : CoreType::VECTOR,",
        "SyncBlockSetOp::create(builder, op.getLoc(), isForCubes ? CoreType::VECTOR : CoreType::CUBE,",
        MIXED, "names a kind of core that does not run it",
    ),
    Mistake(
        "hivm-sub-block", "both vector cores of a group take the rows of the first",
        "isOneOfTwo ? getHalf() : index(0)", "isOneOfTwo ? index(0) : index(0)",
        MIXED,
    ),
]  # fmt: skip
