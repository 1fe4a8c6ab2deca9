// The calls of AscendC for vector cores, in front of the modelled chip; part of kernel_operator.h.
#ifndef ATTN_SIMULATOR_ASCENDC_DEVICE_TWIN_VECTOR_H
#define ATTN_SIMULATOR_ASCENDC_DEVICE_TWIN_VECTOR_H

#include "twin_tensors.h"

#pragma clang attribute push(__attribute__((no_sanitize("coverage"))), apply_to = function)

namespace AscendC {

enum class RoundMode {
  CAST_NONE,
  CAST_RINT,
  CAST_FLOOR,
  CAST_CEIL,
  CAST_ROUND,
  CAST_TRUNC,
  CAST_ODD
};
enum class ReduceOrder { ORDER_VALUE_INDEX, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX };

struct BinaryRepeatParams {
  BinaryRepeatParams(uint8_t dstBlk, uint8_t src0Blk, uint8_t src1Blk, uint8_t dstRep,
                     uint8_t src0Rep, uint8_t src1Rep)
      ATTN_TWIN_RULE(dstBlk != 0, "a block stride of 0 is for sources only")
      : strides{dstBlk, src0Blk, src1Blk, dstRep, src0Rep, src1Rep} {}
  uint8_t strides[6];
};

struct UnaryRepeatParams {
  UnaryRepeatParams(uint16_t dstBlk, uint16_t srcBlk, uint8_t dstRep, uint8_t srcRep)
      ATTN_TWIN_RULE(dstBlk != 0, "a block stride of 0 is for sources only")
      : strides{dstBlk, srcBlk, dstRep, srcRep} {}
  uint16_t strides[4];
};

struct BrcbRepeatParams {
  BrcbRepeatParams(uint16_t dstBlk, uint16_t dstRep) : strides{dstBlk, dstRep} {}
  uint16_t strides[2];
};

struct TransDataTo5HDParams {
  TransDataTo5HDParams(bool dstHighHalf, bool srcHighHalf, uint8_t repeatTimes,
                       uint16_t dstRepStride, uint16_t srcRepStride)
      ATTN_TWIN_RULE(!dstHighHalf && !srcHighHalf, "halves of rows are for numbers of 1 byte")
          ATTN_TWIN_RULE(repeatTimes != 1 || (dstRepStride == 0 && srcRepStride == 0),
                         "a single repeat begins a stride after its addresses, which 0 avoids")
      : repeats(repeatTimes), strides{dstRepStride, srcRepStride} {}
  uint8_t repeats;
  uint16_t strides[2];
};

/// Types are rules of the call too: it is the place that an error should name.
#define ATTN_TWIN_ARITHMETIC                                                                       \
  ATTN_TWIN_RULE(!attn_twin::isBF16<T>, "the chip has no bf16 arithmetic: cast to float before")   \
  ATTN_TWIN_RULE(attn_twin::isArithmetic<T> || attn_twin::isBF16<T>, "computes on float and half")

#define ATTN_TWIN_UNARY(NAME)                                                                      \
  template <typename T>                                                                            \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t count, ATTN_TWIN_HERE)   \
      ATTN_TWIN_COUNT ATTN_TWIN_ARITHMETIC {                                                       \
    attn_twin::Record(attn_twin::CallKind::Unary, int32_t(attn_twin::UnaryFunction::NAME))         \
        .on(dst.operand)                                                                           \
        .on(src.operand)                                                                           \
        .count(count)                                                                              \
        .send(at);                                                                                 \
  }                                                                                                \
  template <typename T>                                                                            \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask, uint8_t repeat,   \
            const UnaryRepeatParams &repeats, ATTN_TWIN_HERE) ATTN_TWIN_MASK(T)                    \
      ATTN_TWIN_ARITHMETIC {                                                                       \
    attn_twin::Record record(attn_twin::CallKind::Unary, int32_t(attn_twin::UnaryFunction::NAME)); \
    for (uint16_t stride : repeats.strides)                                                        \
      record.stride(stride);                                                                       \
    record.on(dst.operand).on(src.operand).repeats(mask, repeat).send(at);                         \
  }
ATTN_TWIN_UNARY(Exp)
ATTN_TWIN_UNARY(Ln)
ATTN_TWIN_UNARY(Sqrt)
ATTN_TWIN_UNARY(Abs)
ATTN_TWIN_UNARY(Relu)

#define ATTN_TWIN_BINARY(NAME, KIND, FUNCTION, TYPES)                                              \
  template <typename T>                                                                            \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,     \
            int32_t count, ATTN_TWIN_HERE) ATTN_TWIN_COUNT TYPES {                                 \
    attn_twin::Record(attn_twin::CallKind::KIND, int32_t(FUNCTION))                                \
        .on(dst.operand)                                                                           \
        .on(src0.operand)                                                                          \
        .on(src1.operand)                                                                          \
        .count(count)                                                                              \
        .send(at);                                                                                 \
  }                                                                                                \
  template <typename T>                                                                            \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,     \
            uint64_t mask, uint8_t repeat, const BinaryRepeatParams &repeats, ATTN_TWIN_HERE)      \
      ATTN_TWIN_MASK(T) TYPES {                                                                    \
    attn_twin::Record record(attn_twin::CallKind::KIND, int32_t(FUNCTION));                        \
    for (uint8_t stride : repeats.strides)                                                         \
      record.stride(stride);                                                                       \
    record.on(dst.operand).on(src0.operand).on(src1.operand).repeats(mask, repeat).send(at);       \
  }
ATTN_TWIN_BINARY(Add, Binary, attn_twin::BinaryFunction::Add, ATTN_TWIN_ARITHMETIC)
ATTN_TWIN_BINARY(Sub, Binary, attn_twin::BinaryFunction::Sub, ATTN_TWIN_ARITHMETIC)
ATTN_TWIN_BINARY(Mul, Binary, attn_twin::BinaryFunction::Mul, ATTN_TWIN_ARITHMETIC)
ATTN_TWIN_BINARY(Div, Binary, attn_twin::BinaryFunction::Div, ATTN_TWIN_ARITHMETIC)
ATTN_TWIN_BINARY(Max, Binary, attn_twin::BinaryFunction::Max, ATTN_TWIN_ARITHMETIC)
ATTN_TWIN_BINARY(Min, Binary, attn_twin::BinaryFunction::Min, ATTN_TWIN_ARITHMETIC)
ATTN_TWIN_BINARY(MulAddDst, MulAdd, 0, ATTN_TWIN_ARITHMETIC)

#define ATTN_TWIN_SCALAR(NAME)                                                                     \
  template <typename T>                                                                            \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalar, int32_t count,  \
            ATTN_TWIN_HERE) ATTN_TWIN_COUNT ATTN_TWIN_ARITHMETIC {                                 \
    attn_twin::Record(attn_twin::CallKind::Scalar, int32_t(attn_twin::ScalarFunction::NAME))       \
        .on(dst.operand)                                                                           \
        .on(src.operand)                                                                           \
        .scalar(static_cast<float>(scalar))                                                        \
        .count(count)                                                                              \
        .send(at);                                                                                 \
  }                                                                                                \
  template <typename T>                                                                            \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalar, uint64_t mask,  \
            uint8_t repeat, const UnaryRepeatParams &repeats, ATTN_TWIN_HERE) ATTN_TWIN_MASK(T)    \
      ATTN_TWIN_ARITHMETIC {                                                                       \
    attn_twin::Record record(attn_twin::CallKind::Scalar,                                          \
                             int32_t(attn_twin::ScalarFunction::NAME));                            \
    for (uint16_t stride : repeats.strides)                                                        \
      record.stride(stride);                                                                       \
    record.on(dst.operand)                                                                         \
        .on(src.operand)                                                                           \
        .scalar(static_cast<float>(scalar))                                                        \
        .repeats(mask, repeat)                                                                     \
        .send(at);                                                                                 \
  }
ATTN_TWIN_SCALAR(Adds)
ATTN_TWIN_SCALAR(Muls)
ATTN_TWIN_SCALAR(Maxs)
ATTN_TWIN_SCALAR(Mins)
ATTN_TWIN_SCALAR(LeakyRelu)

/// Of whole 16-bit lanes.
#define ATTN_TWIN_BITS                                                                             \
  ATTN_TWIN_RULE((attn_twin::isSame<T, int16_t> || attn_twin::isSame<T, uint16_t>),                \
                 "the chip has this for int16_t and uint16_t")
ATTN_TWIN_BINARY(And, Bitwise, attn_twin::BitwiseFunction::And, ATTN_TWIN_BITS)
ATTN_TWIN_BINARY(Or, Bitwise, attn_twin::BitwiseFunction::Or, ATTN_TWIN_BITS)

/// In the order of AscendC; the model of the chip has all but NE, which is 0 for NaN as well.
enum class CMPMODE : uint8_t { LT = 0, GT, EQ, LE, GE, NE };
enum class SELMODE : uint8_t {
  VSEL_CMPMASK_SPR = 0,
  VSEL_TENSOR_SCALAR_MODE,
  VSEL_TENSOR_TENSOR_MODE
};

} // namespace AscendC

namespace attn_twin {

constexpr CompareFunction functionOf(AscendC::CMPMODE mode) {
  return mode == AscendC::CMPMODE::LT   ? CompareFunction::LT
         : mode == AscendC::CMPMODE::LE ? CompareFunction::LE
         : mode == AscendC::CMPMODE::GT ? CompareFunction::GT
         : mode == AscendC::CMPMODE::GE ? CompareFunction::GE
                                        : CompareFunction::EQ;
}

} // namespace attn_twin

namespace AscendC {

template <typename T>
void Compare(const LocalTensor<uint8_t> &dst, const LocalTensor<T> &src0,
             const LocalTensor<T> &src1, CMPMODE mode, uint32_t count, ATTN_TWIN_HERE)
    ATTN_TWIN_RULE((attn_twin::isSame<T, float>), "the model of the chip compares float")
        ATTN_TWIN_RULE(mode != CMPMODE::NE, "the model of the chip does not compare by NE")
            ATTN_TWIN_RULE(count % attn_twin::lanes<T> == 0, "elements beyond whole repeats of 256 "
                                                             "bytes are left out") {
  attn_twin::Record(attn_twin::CallKind::Compare, int32_t(attn_twin::functionOf(mode)))
      .on(dst.operand)
      .on(src0.operand)
      .on(src1.operand)
      .count(count)
      .send(at);
}

template <typename T>
void Select(const LocalTensor<T> &dst, const LocalTensor<uint8_t> &selMask,
            const LocalTensor<T> &src0, const LocalTensor<T> &src1, SELMODE mode, uint32_t count,
            ATTN_TWIN_HERE)
    ATTN_TWIN_RULE((attn_twin::isSame<T, float>), "the model of the chip chooses float")
        ATTN_TWIN_RULE(mode == SELMODE::VSEL_CMPMASK_SPR,
                       "other modes take 8 KiB at the end of UB, which kernels use") {
  (void)mode;
  attn_twin::Record(attn_twin::CallKind::Select)
      .on(dst.operand)
      .on(selMask.operand)
      .on(src0.operand)
      .on(src1.operand)
      .count(count)
      .send(at);
}

/// Widening takes CAST_NONE; narrowing to bf16 takes a mode, to half CAST_NONE (as CAST_RINT) too.
#define ATTN_TWIN_MODE                                                                             \
  ATTN_TWIN_RULE((attn_twin::isWidening<T, U> || attn_twin::isNarrowing<T, U> ||                   \
                  attn_twin::isRounding<T, U> || attn_twin::isFromInteger<T, U>),                  \
                 "casts are half, bfloat16_t or int32_t to float and back")                        \
  ATTN_TWIN_RULE(!(attn_twin::isWidening<T, U>) || mode == RoundMode::CAST_NONE,                   \
                 "a cast to a wider type takes CAST_NONE")                                         \
  ATTN_TWIN_RULE(!attn_twin::isBF16<T> ||                                                          \
                     (mode != RoundMode::CAST_NONE && mode != RoundMode::CAST_ODD),                \
                 "a cast to bfloat16_t takes RINT, FLOOR, CEIL, ROUND or TRUNC")                   \
  ATTN_TWIN_RULE(!(attn_twin::isRounding<T, U>) ||                                                 \
                     (mode != RoundMode::CAST_NONE && mode != RoundMode::CAST_ODD),                \
                 "a cast to int32_t takes RINT, FLOOR, CEIL, ROUND or TRUNC")                      \
  ATTN_TWIN_RULE(!(attn_twin::isFromInteger<T, U>) || mode != RoundMode::CAST_ODD,                 \
                 "a cast from int32_t takes all modes but CAST_ODD")

template <typename T, typename U>
void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, RoundMode mode, int32_t count,
          ATTN_TWIN_HERE) ATTN_TWIN_COUNT ATTN_TWIN_MODE {
  attn_twin::Record(attn_twin::CallKind::Cast, int32_t(mode))
      .on(dst.operand)
      .on(src.operand)
      .count(count)
      .send(at);
}

template <typename T, typename U>
void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, RoundMode mode, uint64_t mask,
          uint8_t repeat, const UnaryRepeatParams &repeats, ATTN_TWIN_HERE) ATTN_TWIN_MODE
    ATTN_TWIN_RULE(mask >= 1 && mask <= attn_twin::lanes<float>, "a cast has 1 to 64 lanes") {
  attn_twin::Record record(attn_twin::CallKind::Cast, int32_t(mode));
  for (uint16_t stride : repeats.strides)
    record.stride(stride);
  record.on(dst.operand).on(src.operand).repeats(mask, repeat).send(at);
}

#define ATTN_TWIN_WIDTH                                                                            \
  ATTN_TWIN_RULE(sizeof(T) == 2 || sizeof(T) == 4, "takes numbers of 2 or 4 bytes")

template <typename T>
void Duplicate(const LocalTensor<T> &dst, const T &scalar, int32_t count,
               ATTN_TWIN_HERE) ATTN_TWIN_COUNT {
  using Number = typename attn_twin::ScalarOf<T>::type;
  attn_twin::Record(attn_twin::CallKind::Duplicate)
      .on(dst.operand)
      .scalar(static_cast<Number>(scalar))
      .count(count)
      .send(at);
}

template <typename T>
void Duplicate(const LocalTensor<T> &dst, const T &scalar, uint64_t mask, uint8_t repeat,
               uint16_t dstBlk, uint8_t dstRep, ATTN_TWIN_HERE) ATTN_TWIN_MASK(T) ATTN_TWIN_WIDTH
    ATTN_TWIN_RULE(dstBlk != 0, "a block stride of 0 is for sources only") {
  using Number = typename attn_twin::ScalarOf<T>::type;
  attn_twin::Record(attn_twin::CallKind::Duplicate)
      .on(dst.operand)
      .scalar(static_cast<Number>(scalar))
      .repeats(mask, repeat)
      .stride(dstBlk)
      .stride(dstRep)
      .send(at);
}

template <typename T>
void Brcb(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint8_t repeat,
          const BrcbRepeatParams &repeats, ATTN_TWIN_HERE) ATTN_TWIN_WIDTH {
  attn_twin::Record record(attn_twin::CallKind::Brcb);
  for (uint16_t stride : repeats.strides)
    record.stride(stride);
  record.on(dst.operand).on(src.operand).count(repeat).send(at);
}

} // namespace AscendC

namespace attn_twin {

/// The data blocks from each of 16 rows to the next; -1 where they are not equally far apart.
template <typename T> int64_t getRowStride(const AscendC::LocalTensor<T> (&rows)[16]) {
  int64_t bytes = int64_t(rows[1].operand.address - rows[0].operand.address);
  for (int row = 1; row < 16; ++row)
    if (int64_t(rows[row].operand.address - rows[row - 1].operand.address) != bytes)
      return -1;
  return bytes % 32 == 0 ? bytes / 32 : -1;
}

} // namespace attn_twin

namespace AscendC {

template <typename T>
void TransDataTo5HD(const LocalTensor<T> (&dstList)[16], const LocalTensor<T> (&srcList)[16],
                    const TransDataTo5HDParams &params, ATTN_TWIN_HERE)
    ATTN_TWIN_RULE((attn_twin::isSame<T, half> || attn_twin::isSame<T, int16_t> ||
                    attn_twin::isSame<T, uint16_t>),
                   "the model of the chip turns half, int16_t and uint16_t; there is no bfloat16_t")
        ATTN_TWIN_RULE(attn_twin::getRowStride(dstList) > 0 && attn_twin::getRowStride(srcList) > 0,
                       "the model of the chip turns rows that are equally many data blocks apart") {
  attn_twin::Record record(attn_twin::CallKind::Transpose);
  record.stride(attn_twin::getRowStride(dstList)).stride(attn_twin::getRowStride(srcList));
  for (uint16_t stride : params.strides)
    record.stride(stride);
  record.on(dstList[0].operand).on(srcList[0].operand).count(params.repeats).send(at);
}

/// Whole reductions take mask and repeats, block reductions repeats and mask.
#define ATTN_TWIN_REDUCE_RULES                                                                     \
  ATTN_TWIN_ARITHMETIC                                                                             \
  ATTN_TWIN_RULE(mask >= 1 && mask <= int32_t(attn_twin::lanes<T>),                                \
                 "a mask has 1 to 256 / sizeof(T) lanes")                                          \
  ATTN_TWIN_RULE(repeat >= 0 && repeat <= 255, "at most 255 repeats are possible")                 \
  ATTN_TWIN_RULE(dstRep >= 1 && dstRep <= 65535, "the destination's stride is 1 to 65535")         \
  ATTN_TWIN_RULE(srcBlk >= 0 && srcBlk <= 255 && srcRep >= 0 && srcRep <= 255,                     \
                 "strides of the source are 0 to 255 blocks")
#define ATTN_TWIN_REDUCE(KIND, FUNCTION)                                                           \
  attn_twin::Record(attn_twin::CallKind::KIND, int32_t(attn_twin::ReduceFunction::FUNCTION))       \
      .on(dst.operand)                                                                             \
      .on(src.operand)                                                                             \
      .repeats(mask, repeat)                                                                       \
      .stride(dstRep)                                                                              \
      .stride(srcBlk)                                                                              \
      .stride(srcRep)                                                                              \
      .send(at);

template <typename T>
void WholeReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t mask,
                    int32_t repeat, int32_t dstRep, int32_t srcBlk, int32_t srcRep,
                    ATTN_TWIN_HERE) ATTN_TWIN_REDUCE_RULES{ATTN_TWIN_REDUCE(WholeReduce, Sum)}

#define ATTN_TWIN_WHOLE_REDUCE(NAME, FUNCTION)                                                     \
  template <typename T>                                                                            \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t mask, int32_t repeat,    \
            int32_t dstRep, int32_t srcBlk, int32_t srcRep, ReduceOrder order, ATTN_TWIN_HERE)     \
      ATTN_TWIN_REDUCE_RULES ATTN_TWIN_RULE(order == ReduceOrder::ORDER_ONLY_VALUE,                \
                                            "the model of the chip keeps no indices") {            \
    (void)order;                                                                                   \
    ATTN_TWIN_REDUCE(WholeReduce, FUNCTION)                                                        \
  }
ATTN_TWIN_WHOLE_REDUCE(WholeReduceMax, Max) ATTN_TWIN_WHOLE_REDUCE(WholeReduceMin, Min)

#define ATTN_TWIN_BLOCK_REDUCE(NAME, FUNCTION)                                                     \
  template <typename T>                                                                            \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t repeat, int32_t mask,    \
            int32_t dstRep, int32_t srcBlk, int32_t srcRep, ATTN_TWIN_HERE)                        \
      ATTN_TWIN_REDUCE_RULES {                                                                     \
    ATTN_TWIN_REDUCE(BlockReduce, FUNCTION)                                                        \
  }
    ATTN_TWIN_BLOCK_REDUCE(BlockReduceSum, Sum) ATTN_TWIN_BLOCK_REDUCE(BlockReduceMax, Max)
        ATTN_TWIN_BLOCK_REDUCE(BlockReduceMin, Min)

} // namespace AscendC

#pragma clang attribute pop

#endif // ATTN_SIMULATOR_ASCENDC_DEVICE_TWIN_VECTOR_H
