"""Mistakes in lib/Target/AscendC. What finds them runs the text on the modelled chip, beside the chip IR."""

from mistake import Mistake

_FORWARD = "test_stages.py::test_attn_res_forward"
TAIL = (f"{_FORWARD}[tail-bfloat16]",)
ONLINE = (f"{_FORWARD}[online-bfloat16]",)
STRIDED = ("test_objects_run.py::test_standin_object_equals_the_chip_ir[attn_res_fwd-streaming-f32]",)
RESIDENT = (f"{_FORWARD}[resident-bfloat16]",)
MEETING = ("test_stages.py::test_attn_res_backward[phases-meet-float32]",)
LIST = ("test_stages.py::test_lists_of_tensors",)
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
        'hasMeeting ? "__mix__(0, 1)" : "__vector__"', 'hasMeeting ? "__vector__" : "__vector__"',
        MEETING,
    ),
    Mistake(
        "ascendc-task-type", "before CANN 8.5 too, a kernel whose blocks meet is declared as one of vector cores",
        'hasMeeting ? "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);"',
        'hasMeeting ? "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);"',
        ("kernel-form.mlir",),
    ),
    Mistake(
        "ascendc-initial-state", "the core is not set up",
        ': "AscendC::InitSocState();");', ': "");',
        TAIL, "InitSocState",
    ),
    Mistake(
        "ascendc-extent", "arrays seem to have one row less",
        "Expression reach = (size - one) * stride;", "Expression reach = (size - one - one) * stride;",
        TAIL, "out of bounds",
    ),
    Mistake(
        "ascendc-position", "buffers that are loaded are declared as those that only vector instructions use",
        'isLoaded ? "VECIN" : isStored', 'isLoaded ? "VECCALC" : isStored',
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
]  # fmt: skip
