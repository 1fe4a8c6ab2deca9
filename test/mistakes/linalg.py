"""Mistakes in lib/Target/Linalg. What finds them executes the text for its values, or hands it to the vendor's compiler."""

from mistake import Mistake

_VALUES = "test_linalg_values.py::test_values"
FORWARD = (f"{_VALUES}[attn_res_fwd-streaming-f32]",)
RESIDENT = (f"{_VALUES}[attn_res_fwd-resident-f32]",)
MEETING = (f"{_VALUES}[attn_res_bwd-streaming-f32]",)
LIST = (f"{_VALUES}[attn_res_fwd-list-f32]",)
BAND = (f"{_VALUES}[neighborhood_fwd-halo-f32]",)
CARRIED = (f"{_VALUES}[neighborhood_bwd-carried-f32]",)
_VENDOR = "test_linalg_form.py::test_the_vendor_takes_the_kernel"

MISTAKES = [
    Mistake(
        "linalg-swapped-operands", "the operands of subtractions and divisions are swapped",
        "for (Value operand : inner.getOperands())", "for (Value operand : llvm::reverse(inner.getOperands()))",
        FORWARD, "is off by", file="SpellWholeTensors.cpp",
    ),
    Mistake(
        "linalg-comparison", "less is less or equal",
        "arith::CmpIPredicate::slt, shift(op.getLhs()),", "arith::CmpIPredicate::sle, shift(op.getLhs()),",
        BAND, "is off by",
    ),
    Mistake(
        "linalg-unsigned", "numbers below zero are compared as such, not as large ones",
        "APInt::getSignedMinValue(type.getWidth())", "APInt::getZero(type.getWidth())",
        BAND, "is off by",
    ),
    Mistake(
        "linalg-count-up", "places are counted along the first dimension",
        "values.map(cast.getResult(), countUp(place.getDim()));",
        "values.map(cast.getResult(), countUp(0));",
        BAND, "is off by",
    ),
    Mistake(
        "linalg-reduction", "the maximum of rows is their sum",
        "OperationState state(at, combine.getName());", "OperationState state(at, arith::AddFOp::getOperationName());",
        RESIDENT, "is off by",
    ),
    Mistake(
        "linalg-reduction-start", "reductions start with what happens to be there",
        "tensor::CollapseShapeOp::create(builder, loc, dropDims(type, *dims), init.get(), groups);",
        "tensor::EmptyOp::create(builder, loc, dropDims(type, *dims).getShape(), type.getElementType());",
        FORWARD, "is off by",
    ),
    Mistake(
        "linalg-offset", "views begin where their arrays do",
        "if (!isZeroInteger(distance))", "if (isZeroInteger(distance))",
        FORWARD,
    ),
    Mistake(
        "linalg-swapped-strides", "the strides of an array are taken in the other order",
        "OpFoldResult stride = from.strides[dimension];",
        "OpFoldResult stride = from.strides[from.sizes.size() - 1 - dimension];",
        FORWARD,
    ),
    Mistake(
        "linalg-step", "every row is taken where only some are",
        "result.strides.push_back(multiply(view.getMixedStrides()[dimension], stride, loc));",
        "result.strides.push_back(stride);",
        (f"{_VALUES}[neighborhood_fwd-dilated-f32]",),
    ),
    Mistake(
        "linalg-unit-stride", "a dimension beside one of size 1 has stride 1",
        "result.strides[dimension] = stride;", "result.strides[dimension] = one;",
        FORWARD,
    ),
    Mistake(
        "linalg-program-ids", "programs take their number for the count of programs",
        "for (BlockArgument first : {count, block}) {", "for (BlockArgument first : {block, count}) {",
        FORWARD,
    ),
    Mistake(
        "linalg-argument-order", "strides come before sizes",
        "whole.sizes = getNumbers(type.getShape(), at);\n    whole.strides = getNumbers(type.getStridesAndOffset().first, at);",
        "whole.strides = getNumbers(type.getStridesAndOffset().first, at);\n    whole.sizes = getNumbers(type.getShape(), at);",
        FORWARD,
    ),
    Mistake(
        "linalg-extent", "entries of a list seem to be longer than they are",
        "arith::SubIOp::create(builder, at, getValue(size), one);", "arith::AddIOp::create(builder, at, getValue(size), one);",
        LIST, "not the extent",
    ),
    Mistake(
        "linalg-flag-base", "nothing says where flags between cores are",
        "hivm::SetFftsBaseAddrOp::create(builder, loc, base);", "(void)base;",
        (f"{_VENDOR}[attn_res_bwd-streaming-f32]",),
    ),
    Mistake(
        "linalg-meeting", "cores do not meet between phases",
        "hivm::SyncBlockOp::create(builder, phase.getLoc(), hivm::SyncBlockMode::ALL_VECTOR,\n"
        "                            builder.getI16IntegerAttr(hivm::meetingFlag), hivm::Pipe::PIPE_ALL);",
        "(void)builder;",
        MEETING,
    ),
    Mistake(
        "linalg-meeting-pipes", "only vector instructions are done when cores meet",
        "hivm::Pipe::PIPE_ALL);", "hivm::Pipe::PIPE_V);",
        MEETING,
    ),
    Mistake(
        "linalg-carried-part", "a part of a tensor that a loop carries is not copied",
        "carried.set(linalg::CopyOp::create(builder, loc, carried.get(), place).getResult(0));", "carried.set(place);",
        CARRIED, "is off by",
    ),
    Mistake(
        "linalg-summed-zeros", "factors that were computed have what happens to be there beyond what is summed over",
        "return keepFirst(product, part.getSource(), inner, size);", "return part.getSource();",
        ("test_linalg_mixed.py::test_values[float32-both-computed]",), "not close",
    ),
    Mistake(
        "linalg-summed-dimension", "computed factors keep rows where they should keep columns",
        "linalg::IndexOp::create(body, at, dimension)", "linalg::IndexOp::create(body, at, 1 - dimension)",
        ("test_linalg_mixed.py::test_values[float32-both-computed]",), "not close",
    ),
    Mistake(
        "linalg-first-columns", "the first columns of what was loaded are taken for all of it",
        "if (buffer && (hasAll || isLoadedUpTo(buffer, inner, size)))", "if (buffer)",
        ("test_linalg_mixed.py::test_values[float32-first-columns]",), "not close",
    ),
    Mistake(
        "linalg-strips", "loops over the strips of a tile stay loops",
        "if (failed(loopUnrollFull(loop)))", "if (failed(loopUnrollByFactor(loop, 1)))",
        (f"{_VENDOR}[attn_res_fwd-strips-f32]",),
    ),
]  # fmt: skip
