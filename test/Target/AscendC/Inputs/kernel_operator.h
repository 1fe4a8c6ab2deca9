// Declares what emitted kernels call, with the vendor's parameter types, so that a test can ask the
// compiler whether the text is well formed. Nothing here can run.
#pragma once

#include <cstdint>

#define __global__
#define __vector__
#define __mix__(cubeCores, vectorCores)
#define __gm__
#define __aicore__

using half = _Float16;
using bfloat16_t = __bf16;

enum pipe_t { PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_FIX };

namespace AscendC {

enum class TPosition { GM, A1, A2, B1, B2, C1, C2, CO1, CO2, VECIN, VECOUT, VECCALC };
enum class HardEvent {
  S_V,
  S_MTE2,
  S_MTE3,
  V_S,
  V_MTE2,
  V_MTE3,
  MTE2_S,
  MTE2_V,
  MTE2_MTE3,
  MTE3_S,
  MTE3_V,
  MTE3_MTE2
};
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

template <typename T> struct LocalTensor {
  LocalTensor(TPosition position, uint32_t address, uint32_t elements);
  LocalTensor operator[](uint32_t offset) const;
  template <typename U> LocalTensor<U> ReinterpretCast() const;
};

template <typename T> struct GlobalTensor {
  GlobalTensor();
  void SetGlobalBuffer(__gm__ T *buffer, uint64_t elements);
  GlobalTensor operator[](uint64_t offset) const;
  T GetValue(uint64_t offset) const;
};

struct DataCopyExtParams {
  DataCopyExtParams(uint16_t blockCount, uint32_t blockLen, uint32_t srcStride, uint32_t dstStride,
                    uint32_t rsv);
};
template <typename T> struct DataCopyPadExtParams {
  DataCopyPadExtParams(bool isPad, uint8_t left, uint8_t right, T value);
};
struct BinaryRepeatParams {
  BinaryRepeatParams(uint8_t dstBlk, uint8_t src0Blk, uint8_t src1Blk, uint8_t dstRep,
                     uint8_t src0Rep, uint8_t src1Rep);
};
struct UnaryRepeatParams {
  UnaryRepeatParams(uint16_t dstBlk, uint16_t srcBlk, uint8_t dstRep, uint8_t srcRep);
};
struct BrcbRepeatParams {
  BrcbRepeatParams(uint16_t dstBlk, uint16_t dstRep);
};

void InitSocState();
int64_t GetBlockIdx();
int64_t GetBlockNum();

template <typename T>
void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyExtParams &,
                 const DataCopyPadExtParams<T> &);
template <typename T>
void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyExtParams &);
template <typename T>
void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count);

#define ATTN_UNARY(NAME)                                                                           \
  template <typename T>                                                                            \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t &count);           \
  template <typename T>                                                                            \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask, uint8_t repeat,   \
            const UnaryRepeatParams &);
ATTN_UNARY(Exp)
ATTN_UNARY(Ln)
ATTN_UNARY(Sqrt)
ATTN_UNARY(Abs)
ATTN_UNARY(Relu)

#define ATTN_BINARY(NAME)                                                                          \
  template <typename T>                                                                            \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,     \
            const int32_t &count);                                                                 \
  template <typename T>                                                                            \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,     \
            uint64_t mask, uint8_t repeat, const BinaryRepeatParams &);
ATTN_BINARY(Add)
ATTN_BINARY(Sub)
ATTN_BINARY(Mul)
ATTN_BINARY(Div)
ATTN_BINARY(Max)
ATTN_BINARY(Min)
ATTN_BINARY(MulAddDst)

#define ATTN_SCALAR(NAME)                                                                          \
  template <typename T>                                                                            \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalar,                 \
            const int32_t &count);                                                                 \
  template <typename T>                                                                            \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalar, uint64_t mask,  \
            uint8_t repeat, const UnaryRepeatParams &);
ATTN_SCALAR(Adds)
ATTN_SCALAR(Muls)
ATTN_SCALAR(Maxs)
ATTN_SCALAR(Mins)

template <typename T, typename U>
void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &mode,
          uint32_t count);
template <typename T, typename U>
void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &mode,
          uint64_t mask, uint8_t repeat, const UnaryRepeatParams &);

template <typename T>
void Duplicate(const LocalTensor<T> &dst, const T &scalar, const int32_t &count);
template <typename T>
void Duplicate(const LocalTensor<T> &dst, const T &scalar, uint64_t mask, uint8_t repeat,
               uint16_t dstBlk, uint8_t dstRep);

template <typename T>
void Brcb(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint8_t repeat,
          const BrcbRepeatParams &);

template <typename T>
void WholeReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t mask,
                    int32_t repeat, int32_t dstRep, int32_t srcBlk, int32_t srcRep);
template <typename T>
void WholeReduceMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t mask,
                    int32_t repeat, int32_t dstRep, int32_t srcBlk, int32_t srcRep,
                    ReduceOrder order);
template <typename T>
void WholeReduceMin(const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t mask,
                    int32_t repeat, int32_t dstRep, int32_t srcBlk, int32_t srcRep,
                    ReduceOrder order);

#define ATTN_BLOCK_REDUCE(NAME)                                                                    \
  template <typename T>                                                                            \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t repeat, int32_t mask,    \
            int32_t dstRep, int32_t srcBlk, int32_t srcRep);
ATTN_BLOCK_REDUCE(BlockReduceSum)
ATTN_BLOCK_REDUCE(BlockReduceMax)
ATTN_BLOCK_REDUCE(BlockReduceMin)

template <HardEvent event> void SetFlag(int32_t id);
template <HardEvent event> void WaitFlag(int32_t id);
template <pipe_t pipe> void PipeBarrier();
void SyncAll();

} // namespace AscendC
