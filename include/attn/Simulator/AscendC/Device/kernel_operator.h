// The host's twin of AscendC: the names that emitted kernels use, with the vendor's parameter types
// and rules, in front of the modelled chip. A call becomes a record that the chip executes; nothing
// is computed here. What the vendor's headers refuse is refused when the text is compiled, what the
// chip refuses when it runs, both at the line of the call.
#ifndef ATTN_SIMULATOR_ASCENDC_DEVICE_KERNEL_OPERATOR_H
#define ATTN_SIMULATOR_ASCENDC_DEVICE_KERNEL_OPERATOR_H

#include "twin_cube.h"
#include "twin_groups.h"
#include "twin_tensors.h"

#pragma clang attribute push(__attribute__((no_sanitize("coverage"))), apply_to = function)

#define __global__
#define __vector__
#define __cube__
#define __aicore__
#define __mix__(cubeCores, vectorCores)
#define __schedmode__(mode)

// The kernel's kind in the form before CANN 8.5: read in the text, and checked here to be one.
enum KernelMetaType {
  KERNEL_TYPE_AIV_ONLY,
  KERNEL_TYPE_AIC_ONLY,
  KERNEL_TYPE_MIX_AIV_1_0,
  KERNEL_TYPE_MIX_AIC_1_0,
  KERNEL_TYPE_MIX_AIC_1_1,
  KERNEL_TYPE_MIX_AIC_1_2
};
#define KERNEL_TASK_TYPE_DEFAULT(type) static_assert(KernelMetaType(type) == (type))

namespace AscendC {

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// The pairs of pipes that have flags, on cores of either kind.
#define ATTN_TWIN_EVENTS(EVENT)                                                                    \
  EVENT(MTE2, MTE1)                                                                                \
  EVENT(MTE1, MTE2)                                                                                \
  EVENT(MTE1, M)                                                                                   \
  EVENT(M, MTE1)                                                                                   \
  EVENT(MTE2, V)                                                                                   \
  EVENT(V, MTE2)                                                                                   \
  EVENT(MTE3, V)                                                                                   \
  EVENT(V, MTE3)                                                                                   \
  EVENT(MTE3, MTE1)                                                                                \
  EVENT(MTE1, MTE3)                                                                                \
  EVENT(MTE2, M)                                                                                   \
  EVENT(M, MTE2)                                                                                   \
  EVENT(M, FIX)                                                                                    \
  EVENT(FIX, M)                                                                                    \
  EVENT(MTE3, MTE2)                                                                                \
  EVENT(MTE2, MTE3)                                                                                \
  EVENT(S, V)                                                                                      \
  EVENT(V, S)                                                                                      \
  EVENT(S, MTE2)                                                                                   \
  EVENT(MTE2, S)                                                                                   \
  EVENT(S, MTE3)                                                                                   \
  EVENT(MTE3, S)                                                                                   \
  EVENT(FIX, MTE2)                                                                                 \
  EVENT(MTE1, FIX)                                                                                 \
  EVENT(FIX, MTE1)
#define ATTN_TWIN_EVENT_NAME(SOURCE, TARGET) SOURCE##_##TARGET,
enum class HardEvent { ATTN_TWIN_EVENTS(ATTN_TWIN_EVENT_NAME) };
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

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

struct DataCopyExtParams {
  DataCopyExtParams(uint16_t blockCount, uint32_t blockLen, uint32_t srcStride, uint32_t dstStride,
                    uint32_t rsv) ATTN_TWIN_RULE(blockCount <= 4095, "a copy has at most 4095 rows")
      ATTN_TWIN_RULE(blockLen <= 2097151, "a row has at most 2097151 bytes")
      : blockCount(blockCount), blockLen(blockLen), srcStride(srcStride), dstStride(dstStride),
        rsv(rsv) {}
  uint16_t blockCount;
  uint32_t blockLen, srcStride, dstStride, rsv;
};

template <typename T> struct DataCopyPadExtParams {
  DataCopyPadExtParams(bool isPad, uint8_t leftPadding, uint8_t rightPadding, const T &paddingValue)
      ATTN_TWIN_RULE(rightPadding * sizeof(T) <= 32 && leftPadding * sizeof(T) <= 32,
                     "padding has at most 32 bytes on each side")
          ATTN_TWIN_RULE(isPad || (leftPadding == 0 && rightPadding == 0),
                         "padding without isPad is undefined")
      : isPad(isPad), leftPadding(leftPadding), rightPadding(rightPadding),
        padsWithZeros(attn_twin::isZero(paddingValue)) {}
  bool isPad;
  uint8_t leftPadding, rightPadding;
  bool padsWithZeros;
};

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

//===----------------------------------------------------------------------===//
// The core
//===----------------------------------------------------------------------===//

inline void InitSocState() {
  attn_twin::chip->initialise(attn_twin::chip->context, attn_twin::Readied::Any);
}
// What text before CANN 8.5 does in its place; the last of them makes the core ready: on vector
// cores all lanes take part, on cube cores nothing is added around what LoadData takes.
inline void SetAtomicNone() {}
inline void SetMaskNorm() {}
inline void ResetMask() {
  attn_twin::chip->initialise(attn_twin::chip->context, attn_twin::Readied::Vector);
}
inline void SetLoadDataBoundary(uint32_t boundaryValue)
    ATTN_TWIN_RULE(boundaryValue == 0, "the model of the chip has no boundary of L1") {
  (void)boundaryValue;
}
template <typename T>
void SetLoadDataPaddingValue(const T padValue)
    ATTN_TWIN_RULE(padValue == 0, "the model of the chip pads with 0 only") {
  (void)padValue;
  attn_twin::chip->initialise(attn_twin::chip->context, attn_twin::Readied::Cube);
}
inline int64_t GetBlockIdx() { return attn_twin::chip->block(attn_twin::chip->context); }
inline int64_t GetBlockNum() { return attn_twin::chip->blocks; }

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

template <typename T>
void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                 const DataCopyExtParams &copy, const DataCopyPadExtParams<T> &padding,
                 ATTN_TWIN_HERE) {
  if (padding.leftPadding != 0 || !padding.padsWithZeros)
    attn_twin::chip->refuse(attn_twin::chip->context,
                            "pads on the left or with a number other than 0, which the model of "
                            "the chip does not do",
                            at);
  attn_twin::Record record(attn_twin::CallKind::CopyIn);
  record.call.rowBytes = copy.blockLen;
  record.call.globalGapBytes = copy.srcStride;
  record.call.localGapBlocks = copy.dstStride;
  record.call.rightPad = padding.isPad ? padding.rightPadding : 0;
  record.on(dst.operand).on(src.operand).count(copy.blockCount).send(at);
}

template <typename T>
void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                 const DataCopyExtParams &copy, ATTN_TWIN_HERE) {
  attn_twin::Record record(attn_twin::CallKind::CopyOut);
  record.call.rowBytes = copy.blockLen;
  record.call.globalGapBytes = copy.dstStride;
  record.call.localGapBlocks = copy.srcStride;
  record.on(dst.operand).on(src.operand).count(copy.blockCount).send(at);
}

template <typename T>
void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count,
              ATTN_TWIN_HERE) {
  if (dst.operand.position == attn_twin::Position::C2) {
    attn_twin::copyBias(dst.operand, src.operand, count, sizeof(T), at);
    return;
  }
  attn_twin::require(attn_twin::isInUB(dst.operand) && attn_twin::isInUB(src.operand),
                     "AscendC::DataCopy copies inside UB, and from L1 to C2", at);
  attn_twin::Record(attn_twin::CallKind::Copy)
      .on(dst.operand)
      .on(src.operand)
      .count(count)
      .send(at);
}

//===----------------------------------------------------------------------===//
// Vector instructions
//===----------------------------------------------------------------------===//

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

#define ATTN_TWIN_BINARY(NAME, KIND, FUNCTION)                                                     \
  template <typename T>                                                                            \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,     \
            int32_t count, ATTN_TWIN_HERE) ATTN_TWIN_COUNT ATTN_TWIN_ARITHMETIC {                  \
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
      ATTN_TWIN_MASK(T) ATTN_TWIN_ARITHMETIC {                                                     \
    attn_twin::Record record(attn_twin::CallKind::KIND, int32_t(FUNCTION));                        \
    for (uint8_t stride : repeats.strides)                                                         \
      record.stride(stride);                                                                       \
    record.on(dst.operand).on(src0.operand).on(src1.operand).repeats(mask, repeat).send(at);       \
  }
ATTN_TWIN_BINARY(Add, Binary, attn_twin::BinaryFunction::Add)
ATTN_TWIN_BINARY(Sub, Binary, attn_twin::BinaryFunction::Sub)
ATTN_TWIN_BINARY(Mul, Binary, attn_twin::BinaryFunction::Mul)
ATTN_TWIN_BINARY(Div, Binary, attn_twin::BinaryFunction::Div)
ATTN_TWIN_BINARY(Max, Binary, attn_twin::BinaryFunction::Max)
ATTN_TWIN_BINARY(Min, Binary, attn_twin::BinaryFunction::Min)
ATTN_TWIN_BINARY(MulAddDst, MulAdd, 0)

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
#define ATTN_TWIN_BITWISE(NAME)                                                                    \
  template <typename T>                                                                            \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,     \
            int32_t count, ATTN_TWIN_HERE) ATTN_TWIN_COUNT ATTN_TWIN_BITS {                        \
    attn_twin::Record(attn_twin::CallKind::Bitwise, int32_t(attn_twin::BitwiseFunction::NAME))     \
        .on(dst.operand)                                                                           \
        .on(src0.operand)                                                                          \
        .on(src1.operand)                                                                          \
        .count(count)                                                                              \
        .send(at);                                                                                 \
  }                                                                                                \
  template <typename T>                                                                            \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,     \
            uint64_t mask, uint8_t repeat, const BinaryRepeatParams &repeats, ATTN_TWIN_HERE)      \
      ATTN_TWIN_MASK(T) ATTN_TWIN_BITS {                                                           \
    attn_twin::Record record(attn_twin::CallKind::Bitwise,                                         \
                             int32_t(attn_twin::BitwiseFunction::NAME));                           \
    for (uint8_t stride : repeats.strides)                                                         \
      record.stride(stride);                                                                       \
    record.on(dst.operand).on(src0.operand).on(src1.operand).repeats(mask, repeat).send(at);       \
  }
ATTN_TWIN_BITWISE(And)
ATTN_TWIN_BITWISE(Or)

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
                  attn_twin::isRounding<T, U>),                                                    \
                 "casts are half or bfloat16_t to float and back, and float to int32_t")           \
  ATTN_TWIN_RULE(!(attn_twin::isWidening<T, U>) || mode == RoundMode::CAST_NONE,                   \
                 "a cast to a wider type takes CAST_NONE")                                         \
  ATTN_TWIN_RULE(!attn_twin::isBF16<T> ||                                                          \
                     (mode != RoundMode::CAST_NONE && mode != RoundMode::CAST_ODD),                \
                 "a cast to bfloat16_t takes RINT, FLOOR, CEIL, ROUND or TRUNC")                   \
  ATTN_TWIN_RULE(!(attn_twin::isRounding<T, U>) ||                                                 \
                     (mode != RoundMode::CAST_NONE && mode != RoundMode::CAST_ODD),                \
                 "a cast to int32_t takes RINT, FLOOR, CEIL, ROUND or TRUNC")

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

//===----------------------------------------------------------------------===//
// Synchronisation
//===----------------------------------------------------------------------===//

} // namespace AscendC

namespace attn_twin {

struct PipePair {
  PipeName source, target;
};
#define ATTN_TWIN_EVENT_PIPES(SOURCE, TARGET) {PipeName::SOURCE, PipeName::TARGET},
constexpr PipePair eventPipes[] = {ATTN_TWIN_EVENTS(ATTN_TWIN_EVENT_PIPES)};

inline void sendFlag(CallKind kind, AscendC::HardEvent event, int32_t id, Source at) {
  Record record(kind);
  record.call.source = eventPipes[int(event)].source;
  record.call.target = eventPipes[int(event)].target;
  record.call.event = id;
  record.send(at);
}

} // namespace attn_twin

namespace AscendC {

#define ATTN_TWIN_EVENT                                                                            \
  ATTN_TWIN_RULE(id >= 0 && id <= 5, "event ids are 0 to 5; 6 and 7 are the system's")

template <HardEvent event> void SetFlag(int32_t id, ATTN_TWIN_HERE) ATTN_TWIN_EVENT {
  attn_twin::sendFlag(attn_twin::CallKind::SetFlag, event, id, at);
}
template <HardEvent event> void WaitFlag(int32_t id, ATTN_TWIN_HERE) ATTN_TWIN_EVENT {
  attn_twin::sendFlag(attn_twin::CallKind::WaitFlag, event, id, at);
}

template <pipe_t pipe>
void PipeBarrier(ATTN_TWIN_HERE)
    ATTN_TWIN_RULE(pipe != PIPE_S, "the scalar unit has no barrier of its own") {
  attn_twin::Record(attn_twin::CallKind::Barrier, pipe).send(at);
}

inline void SyncAll(ATTN_TWIN_HERE) { attn_twin::Record(attn_twin::CallKind::SyncAll).send(at); }

} // namespace AscendC

// Every call of the table of instructions is declared above.
namespace attn_twin::calls {
#define ATTN_CALLS_None(call) using AscendC::call;
#define ATTN_CALLS_Round(call) using AscendC::call;
#define ATTN_CALLS_Unary(call)
#define ATTN_CALLS_Binary(call)
#define ATTN_CALLS_Scalar(call)
#define ATTN_CALLS_Bitwise(call)
#define ATTN_CALLS_Compare(call) using AscendC::call;
#define ATTN_CALLS_Reduce(call)
#define ATTN_CALLS_IN_Transfer(kinds, call) ATTN_CALLS_##kinds(call)
#define ATTN_CALLS_IN_Elementwise(kinds, call) ATTN_CALLS_##kinds(call)
#define ATTN_CALLS_IN_Vector(kinds, call) ATTN_CALLS_##kinds(call)
#define ATTN_CALLS_IN_Cube(kinds, call) ATTN_CALLS_##kinds(call)
#define ATTN_CALLS_IN_Composite(kinds, call)
#define ATTN_INSTRUCTION(name, group, pipe, kinds, elements, call, hivm, family)                   \
  ATTN_CALLS_IN_##group(kinds, call)
#define ATTN_SYNCHRONISATION(name, call) using AscendC::call;
#define ATTN_UNARY_KIND(member, hivm, family) using AscendC::member;
#define ATTN_BINARY_KIND(member, hivm, family) using AscendC::member;
#define ATTN_SCALAR_KIND(member, hivm, family) using AscendC::member;
#define ATTN_BITWISE_KIND(member, hivm, family) using AscendC::member;
#define ATTN_REDUCE_KIND(member, hivm, family)                                                     \
  using AscendC::WholeReduce##member;                                                              \
  using AscendC::BlockReduce##member;
#include "attn/Dialect/Ascend/IR/Instructions.def"
} // namespace attn_twin::calls

#pragma clang attribute pop

#include "twin_launch.h"

#endif // ATTN_SIMULATOR_ASCENDC_DEVICE_KERNEL_OPERATOR_H
