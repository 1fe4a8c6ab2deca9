"""Mistakes in lib/Target/AscendC. What finds them runs the text on the modelled chip, beside the chip IR."""

from mistake import Mistake

_FORWARD = "test_stages.py::test_attn_res_forward"
TAIL = (f"{_FORWARD}[tail-bfloat16]",)
ONLINE = (f"{_FORWARD}[online-bfloat16]",)
STRIDED = ("test_objects_run.py::test_standin_object_equals_the_chip_ir[attn_res_fwd-streaming-f32]",)
RESIDENT = (f"{_FORWARD}[resident-bfloat16]",)
MEETING = ("test_stages.py::test_attn_res_backward[phases-meet-float32]",)
LIST = ("test_stages.py::test_lists_of_tensors",)
CUBE = "test_cube_text.py::test_text_computes_what_the_instructions_do"
MIXED = ("test_mixed_text.py::test_values_on_shaken_schedules[96-80-ascendc]",)
BAND = ("test_stages.py::test_neighborhood_backward[dilated-float16]",)

MISTAKES = [
    Mistake(
        "ascendc-copy-length", "a row of a copy has as many bytes as elements",
        "CopyShape shape{rows, length * Expression::integer(size), Expression::integer(0),",
        "CopyShape shape{rows, length, Expression::integer(0),",
        TAIL, "not whole elements",
    ),
    Mistake(
        "ascendc-copy-pitch", "the gap between rows in gm is their pitch",
        "shape.globalGapBytes = (globalPitch - length) * bytes;",
        "shape.globalGapBytes = globalPitch * bytes;",
        TAIL, "copy_in",
    ),
    Mistake(
        "ascendc-swapped-gaps", "a copy to ub takes the gaps of source and destination for each other",
        "getCopyParameters(shape, shape.globalGapBytes, shape.localGapBlocks), padding});",
        "getCopyParameters(shape, shape.localGapBlocks, shape.globalGapBytes), padding});",
        STRIDED,
    ),
    Mistake(
        "ascendc-swapped-gaps-back", "a copy to gm takes the gaps of source and destination for each other",
        "getCopyParameters(shape, shape.localGapBlocks, shape.globalGapBytes)});",
        "getCopyParameters(shape, shape.globalGapBytes, shape.localGapBlocks)});",
        STRIDED,
    ),
    Mistake(
        "ascendc-padding", "a copy does not pad its rows",
        '(op.getRightPad() > 0 ? "true" : "false") + ", 0, " +\n                        std::to_string(op.getRightPad())',
        '"false, 0, " +\n                        std::to_string(0)',
        TAIL,
    ),
    Mistake(
        "ascendc-mask-and-repeats", "mask and repeats of a vector instruction are swapped",
        'return std::to_string(*op.getMask()) + ", " + convertTo("uint8_t", amount) + ", " + strides;',
        'return convertTo("uint8_t", amount) + ", " + std::to_string(*op.getMask()) + ", " + strides;',
        RESIDENT,
    ),
    Mistake(
        "ascendc-swapped-operands", "the operands of subtractions and divisions are swapped",
        "int memories = 0;\n  // Destination, sources and scalar",
        "int memories = 0;\n  if (isa<ascend::BinaryOp>(op))\n"
        "    return makeCall(getKindWord(op), {getPlace(op->getOperand(0)), getPlace(op->getOperand(2)),\n"
        '                    getPlace(op->getOperand(1)), getForm(op, "BinaryRepeatParams")});\n'
        "  // Destination, sources and scalar",
        TAIL, "ascendc",
    ),
    Mistake(
        "ascendc-rounding", "numbers are rounded towards zero",
        "ATTN_ROUND_MODE(Rint, CAST_RINT, Rint)", "ATTN_ROUND_MODE(Rint, CAST_TRUNC, Rint)",
        TAIL, "cast rint",
    ),
    Mistake(
        "ascendc-reduction-mask", "whole reductions take repeats and mask, as block reductions do",
        "{getPlace(op.getDst()), getPlace(op.getSrc()), std::to_string(op.getMask()),\n"
        '                   convertTo("int32_t", get(op.getRepeat())), strides});',
        '{getPlace(op.getDst()), getPlace(op.getSrc()), convertTo("int32_t", get(op.getRepeat())),\n'
        "                   std::to_string(op.getMask()), strides});",
        TAIL, "whole_reduce",
    ),
    Mistake(
        "ascendc-reduction-order", "maxima come with their places",
        "AscendC::ReduceOrder::ORDER_ONLY_VALUE", "AscendC::ReduceOrder::ORDER_VALUE_INDEX",
        RESIDENT,
    ),
    Mistake(
        "ascendc-missing-set", "no flag is set",
        'getCall(ascend::SetFlagOp op) { return getFlag(op, "SetFlag"); }',
        'getCall(ascend::SetFlagOp op) { return ""; }',
        TAIL, "deadlock",
    ),
    Mistake(
        "ascendc-missing-wait", "no flag is waited for",
        'getCall(ascend::WaitFlagOp op) { return getFlag(op, "WaitFlag"); }',
        'getCall(ascend::WaitFlagOp op) { return ""; }',
        TAIL, "flag",
    ),
    Mistake(
        "ascendc-event", "all slots of a buffer share one event",
        "event = event + get(op.getSlot());", "event = event + Expression::integer(0);",
        ONLINE, "event",
    ),
    Mistake(
        "ascendc-missing-barrier", "no pipe waits for itself",
        'return makeCall("PipeBarrier<PIPE_" + getName(op.getPipe()) + ">", {});', 'return "";',
        TAIL, "race",
    ),
    Mistake(
        "ascendc-missing-meeting", "blocks do not wait for each other",
        'getCall(ascend::SyncAllOp) { return makeCall("SyncAll", {}); }',
        'getCall(ascend::SyncAllOp) { return ""; }',
        MEETING,
    ),
    Mistake(
        "ascendc-kernel-kind", "a kernel whose blocks meet is declared as one of vector cores",
        'return {"__mix__(0, 1)", "KERNEL_TYPE_MIX_AIV_1_0"};', 'return {"__vector__", "KERNEL_TYPE_MIX_AIV_1_0"};',
        MEETING,
    ),
    Mistake(
        "ascendc-task-type", "before CANN 8.5 too, a kernel whose blocks meet is declared as one of vector cores",
        'return {"__mix__(0, 1)", "KERNEL_TYPE_MIX_AIV_1_0"};', 'return {"__mix__(0, 1)", "KERNEL_TYPE_AIV_ONLY"};',
        ("kernel-form.mlir",),
    ),
    Mistake(
        "ascendc-initial-state", "the core is not set up",
        'return "AscendC::InitSocState();";', 'return "";',
        TAIL, "InitSocState",
    ),
    Mistake(
        "ascendc-extent", "arrays seem to have one row less",
        "Expression reach = (size - one) * stride;", "Expression reach = (size - one - one) * stride;",
        TAIL, "out of bounds",
    ),
    Mistake(
        "ascendc-position", "buffers that are loaded are declared as those that only vector instructions use",
        'roles.isLoaded ? "VECIN" : roles.isStored', 'roles.isLoaded ? "VECCALC" : roles.isStored',
        TAIL, "not VECCALC",
    ),
    Mistake(
        "ascendc-address", "buffers lie a data block after where they are planned",
        'Twine(*alloc.getAddress()) + ", "', 'Twine(*alloc.getAddress() + 32) + ", "',
        TAIL, "ub",
    ),
    Mistake(
        "ascendc-small-buffer", "buffers, scratch among them, have half their elements",
        "alloc.getByteSize() / (type.getElementTypeBitWidth() / 8);",
        "alloc.getByteSize() / (type.getElementTypeBitWidth() / 4);",
        TAIL, "out of bounds",
    ),
    Mistake(
        "ascendc-swapped-strides", "the strides of an array are taken in the other order",
        "argument.strides[dimension + (argument.isTable ? 1 : 0)]",
        "argument.strides[op.getIndices().size() - 1 - dimension + (argument.isTable ? 1 : 0)]",
        TAIL, file="KernelEmitter.cpp",
    ),
    Mistake(
        "ascendc-table-strides", "entries of a list have the strides of the dimension before",
        "if (argument.isTable && !isa<BlockArgument>(array))\n    ++dimension;",
        "if (argument.isTable && isa<BlockArgument>(array))\n    ++dimension;",
        LIST, file="KernelEmitter.cpp",
    ),
    Mistake(
        "ascendc-slot-pitch", "the slots of a buffer are as many elements apart as bytes",
        "Expression::integer(alloc.getSlotPitchBytes() / bytes);", "Expression::integer(alloc.getSlotPitchBytes());",
        ONLINE,
    ),
    Mistake(
        "ascendc-slice-offset", "slices begin where their buffers do",
        "place.offset = place.offset + offset;", "place.offset = place.offset + Expression::integer(0);",
        BAND,
    ),
    Mistake(
        "ascendc-carried-values", "variables that loops carry are changed before all new values are taken",
        "if (variables.size() > 1 && !next.constant && next.text != get(variable).text) {",
        "if (variables.size() > 99 && !next.constant && next.text != get(variable).text) {",
        ("AscendC/control-flow.mlir",),
    ),
    Mistake(
        "ascendc-minimum", "the smaller of two numbers is the greater",
        'return choose("<"); })', 'return choose(">"); })',
        TAIL,
    ),
    Mistake(
        "ascendc-parentheses", "expressions have no parentheses",
        'return precedence < least ? "(" + text + ")" : text;', "return text;",
        TAIL,
    ),
    Mistake(
        "ascendc-line", "statements say that they are of the next line",
        "return SourceLine{position.getFilename().getValue(), position.getStartLine()};",
        "return SourceLine{position.getFilename().getValue(), position.getStartLine() + 1};",
        ("test_twin.py::test_what_the_chip_refuses_is_a_hazard_at_the_python_line",),
    ),
    Mistake(
        "ascendc-argument-type", "arrays of bf16 are taken for f16",
        'if (type.isBF16())\n    return StringRef("bfloat16_t");', 'if (type.isBF16())\n    return StringRef("half");',
        TAIL,
    ),
    Mistake(
        "ascendc-cube-kind", "a kernel of cube cores is declared as one of vector cores",
        'return {"__cube__", "KERNEL_TYPE_AIC_ONLY"};', 'return {"__vector__", "KERNEL_TYPE_AIC_ONLY"};',
        (f"{CUBE}[product]",), "which vector cores do not have",
    ),
    Mistake(
        "ascendc-cube-task-type", "before CANN 8.5 too",
        'return {"__cube__", "KERNEL_TYPE_AIC_ONLY"};', 'return {"__cube__", "KERNEL_TYPE_AIV_ONLY"};',
        ("test_cube_text.py::test_the_form_before_cann_8_5_computes_the_same",), "which vector cores do not have",
    ),
    Mistake(
        "ascendc-cube-state", "before CANN 8.5, cube cores are made ready as vector cores are",
        "AscendC::SetLoadDataBoundary(0); AscendC::SetLoadDataPaddingValue<uint16_t>(0);", "AscendC::ResetMask();",
        ("test_cube_text.py::test_the_form_before_cann_8_5_computes_the_same",), "InitSocState",
    ),
    Mistake(
        "ascendc-cube-position", "left operands are declared where right ones are",
        'case LocalMemory::L0A:\n    return "A2";', 'case LocalMemory::L0A:\n    return "B2";',
        (f"{CUBE}[mmad]",), "left operand that is not in A2",
    ),
    Mistake(
        "ascendc-nz-rows-and-columns", "rows and columns of a matrix are swapped",
        '{"1", convertTo("uint16_t", get(op.getRows())), convertTo("uint16_t", get(op.getCols()))',
        '{"1", convertTo("uint16_t", get(op.getCols())), convertTo("uint16_t", get(op.getRows()))',
        (f"{CUBE}[nd_to_nz]",),
    ),
    Mistake(
        "ascendc-nz-room", "column blocks in L1 are as far apart as rows in GM",
        'std::to_string(op.getDstRows()), "1", "0"})', 'convertTo("uint16_t", pitch), "1", "0"})',
        (f"{CUBE}[nd_to_nz]",),
    ),
    Mistake(
        "ascendc-nz-pitch", "rows in GM are as far apart as they are long",
        "get(isRow ? op.getCols() : op.getSrcPitch());", "get(op.getCols());",
        ("test_cube_text.py::test_rows_of_a_part_of_an_array",),
    ),
    Mistake(
        "ascendc-fill-gap", "what is filled next begins a pitch after the end of the last",
        "Expression::integer(op.getPitch()) - blocks;", "Expression::integer(op.getPitch());",
        ("test_cube_text.py::test_fills",),
    ),
    Mistake(
        "ascendc-fill-value", "elements of 16 bits are filled by their value, not by their bits",
        'isNarrow ? castTo("int16_t", scalar).text : scalar.text})',
        'isNarrow ? "static_cast<int16_t>(1)" : scalar.text})',
        ("test_cube_text.py::test_fills",),
    ),
    Mistake(
        "ascendc-fractal-strides", "the strides of a load of fractals are swapped",
        'std::to_string(strides[1]), "0", std::to_string(strides[0] - 1), spell(op.getTranspose()), "0"})',
        'std::to_string(strides[0]), "0", std::to_string(strides[1] - 1), spell(op.getTranspose()), "0"})',
        (f"{CUBE}[load_fractals]",),
    ),
    Mistake(
        "ascendc-fractal-gap", "the gap between fractals is their stride",
        'std::to_string(strides[1]), "0", std::to_string(strides[0] - 1), spell(op.getTranspose()), "0"})',
        'std::to_string(strides[1]), "0", std::to_string(strides[0]), spell(op.getTranspose()), "0"})',
        (f"{CUBE}[load_fractals]",),
    ),
    Mistake(
        "ascendc-fractal-transpose", "fractals are not turned over",
        'std::to_string(strides[0] - 1), spell(op.getTranspose()), "0"})',
        'std::to_string(strides[0] - 1), spell(false), "0"})',
        (f"{CUBE}[load_fractals-transposed]",),
    ),
    Mistake(
        "ascendc-tile-transpose", "matrices are not turned over",
        'std::to_string(op.getSrcRows()) + ", " + spell(op.getTranspose()) + ")"',
        'std::to_string(op.getSrcRows()) + ", " + spell(false) + ")"',
        (f"{CUBE}[load_tile-transposed]",),
    ),
    Mistake(
        "ascendc-tile-room", "column blocks have room for the rows that are taken",
        "tile.l1W = room;", "tile.l1W = rows;",
        (f"{CUBE}[load_tile]",),
    ),
    Mistake(
        "ascendc-tile-extensions", "rows and columns of a tile are swapped",
        "tile.mExtension = rows;\n  tile.kExtension = columns;", "tile.mExtension = columns;\n  tile.kExtension = rows;",
        (f"{CUBE}[load_tile]",),
    ),
    Mistake(
        "ascendc-square-gaps", "the gaps between squares and in them are swapped",
        "std::to_string(strides[1]), std::to_string(strides[0] - 1), std::to_string(strides[2] - 1)})",
        "std::to_string(strides[1]), std::to_string(strides[2] - 1), std::to_string(strides[0] - 1)})",
        (f"{CUBE}[load_squares-bytes]",),
    ),
    Mistake(
        "ascendc-bias-copied", "half of the bias is copied",
        '"DataCopy", {getPlace(op.getDst()), getPlace(op.getSrc()), convertTo("uint32_t", get(op.getAmount()))});\n}\n\n'
        "//===----------------------------------------------------------------------===//\n// Products",
        '"DataCopy", {getPlace(op.getDst()), getPlace(op.getSrc()), "32"});\n}\n\n'
        "//===----------------------------------------------------------------------===//\n// Products",
        (f"{CUBE}[bias]",),
    ),
    Mistake(
        "ascendc-product-order", "n and k of a product are swapped",
        'convertTo("uint16_t", get(op.getM())), convertTo("uint16_t", get(op.getN())), convertTo("uint16_t", get(op.getK()))',
        'convertTo("uint16_t", get(op.getM())), convertTo("uint16_t", get(op.getK())), convertTo("uint16_t", get(op.getN()))',
        (f"{CUBE}[mmad]",),
    ),
    Mistake(
        "ascendc-product-start", "every product starts from zero",
        "return getProduct(op, /*takesBias=*/false, get(op.getInit()).text);",
        'return getProduct(op, /*takesBias=*/false, "true");',
        ("test_cube_text.py::test_products_that_add_up",),
    ),
    Mistake(
        "ascendc-product-bias", "a product with a bias starts from zero",
        'return getProduct(op, /*takesBias=*/starts, "false");',
        'return getProduct(op, /*takesBias=*/starts, "true");',
        (f"{CUBE}[bias]",), "names a bias, but starts from zero",
    ),
    Mistake(
        "ascendc-result-order", "rows and columns of a result are swapped",
        'convertTo("uint16_t", get(op.getCols())), convertTo("uint16_t", get(op.getRows())), op.getComputed() ?',
        'convertTo("uint16_t", get(op.getRows())), convertTo("uint16_t", get(op.getCols())), op.getComputed() ?',
        (f"{CUBE}[product]",),
    ),
    Mistake(
        "ascendc-result-strides", "the strides of L0C and of the result are swapped",
        'std::to_string(op.getSrcRows()), convertTo("uint32_t", get(op.getDstPitch()))',
        'convertTo("uint16_t", get(op.getDstPitch())), std::to_string(op.getSrcRows())',
        (f"{CUBE}[product]",),
    ),
    Mistake(
        "ascendc-result-conversion", "results are not converted",
        'to.isF16() ? "F322F16" : to.isBF16()', 'to.isF16() ? "NoQuant" : to.isBF16()',
        (f"{CUBE}[narrowing-f16]",), "another conversion",
    ),
    Mistake(
        "ascendc-result-relu", "what is negative stays so",
        'spell(op.getRelu()), "QuantMode_t::"', 'spell(false), "QuantMode_t::"',
        (f"{CUBE}[narrowing]",),
    ),
    Mistake(
        "ascendc-result-sign", "results of 8 bits have no sign",
        "bits |= uint64_t(1) << 46;", "bits |= 0;",
        (f"{CUBE}[scale]",), "without the sign",
    ),
    Mistake(
        "ascendc-result-fractals", "fractals become rows",
        'op.getNz() ? "CFG_NZ" : "CFG_ROW_MAJOR"', 'op.getNz() ? "CFG_ROW_MAJOR" : "CFG_ROW_MAJOR"',
        (f"{CUBE}[nz]",),
    ),
    Mistake(
        "ascendc-l2", "what should stay out of L2 goes through it",
        'place.bypassingTensor + ".SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);"',
        'place.bypassingTensor + ".SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_NORMAL);"',
        ("test_cube_text.py::test_rows_of_a_part_of_an_array",), "past l2",
    ),
    # Groups of cores.
    Mistake(
        "ascendc-group-kind", "a kernel of groups is declared as one of vector cores",
        'return {"__mix__(1, 2)", "KERNEL_TYPE_MIX_AIC_1_2"};', 'return {"__vector__", "KERNEL_TYPE_MIX_AIC_1_2"};',
        MIXED,
    ),
    Mistake(
        "ascendc-halves-swapped", "each kind of core gets the half of the other",
        'isCube ? "if ASCEND_IS_AIC {" : "if ASCEND_IS_AIV {"', 'isCube ? "if ASCEND_IS_AIV {" : "if ASCEND_IS_AIC {"',
        MIXED,
    ),
    Mistake(
        "ascendc-group-id", "vector cores take their own number for that of the group",
        'id = binary(id, "/", Expression::integer(vectorCoresPerGroup), Precedence::Product);', ";",
        MIXED,
    ),
    Mistake(
        "ascendc-cross-flag", "a core raises another flag than those of its group wait for",
        'getName(op.getPipe()) + ">", {std::to_string(op.getFlag())}',
        'getName(op.getPipe()) + ">", {std::to_string(op.getFlag() + 1)}',
        MIXED, "deadlock",
    ),
    Mistake(
        "ascendc-missing-cross-wait", "a core does not wait for the others of its group",
        'return makeCall("CrossCoreWaitFlag", {std::to_string(op.getFlag())});',
        'return op.getFlag() > 10 ? "" : makeCall("PipeBarrier<PIPE_ALL>", {});',
        MIXED,
    ),
    Mistake(
        "ascendc-single-repeat-stride", "a single square begins a stride after its addresses",
        'std::string repeatStrides = repeat.constant == 1 ? "0, 0" : joinNumbers(strides.take_back(2));',
        "std::string repeatStrides = joinNumbers(strides.take_back(2));",
        ("Target/AscendC/vector.mlir", "test_turned.py::test_transpose[16-torch.float16]"),
    ),
    Mistake(
        "ascendc-swapped-row-strides", "rows of squares are as far apart as those of the other operand",
        "getRows(op.getDst(), strides[0]), getRows(op.getSrc(), strides[1])",
        "getRows(op.getDst(), strides[1]), getRows(op.getSrc(), strides[0])",
        ("Target/AscendC/vector.mlir", "test_turned.py::test_transpose[80-torch.float16]"),
    ),
]  # fmt: skip
