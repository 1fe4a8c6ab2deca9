// The calls of cube cores: copies into fractals, loads into L0, products and the way out, with the
// parameter types of the vendor.
#ifndef ATTN_SIMULATOR_ASCENDC_DEVICE_TWIN_CUBE_H
#define ATTN_SIMULATOR_ASCENDC_DEVICE_TWIN_CUBE_H

#include "twin_tensors.h"

#pragma clang attribute push(__attribute__((no_sanitize("coverage"))), apply_to = function)

/// How Fixpipe converts: by casts, or multiplied with a number; the vendor's compiler knows it
/// outside of any namespace.
enum QuantMode_t {
  NoQuant,
  F322F16,
  F322BF16,
  DEQF16,
  VDEQF16,
  QF322B8_PRE,
  VQF322B8_PRE,
  REQ8,
  VREQ8
};

namespace attn_twin {

constexpr uint64_t fractalBytes = 512, rowBytes = 32;

inline bool isInUB(const Operand &operand) {
  return operand.position == Position::VecIn || operand.position == Position::VecOut ||
         operand.position == Position::VecCalc;
}
inline bool isInL1(const Operand &operand) {
  return operand.position == Position::A1 || operand.position == Position::B1 ||
         operand.position == Position::C1;
}

/// Checks a load into L0.
inline void requireLoad(const Operand &dst, const Operand &src, Source at) {
  require(isInL1(src), "loads from a tensor that is not in A1 or B1", at);
  require(dst.position == Position::A2 || dst.position == Position::B2,
          "loads to a tensor that is not in A2 or B2", at);
}

inline Operand moveBy(const Operand &operand, uint64_t bytes) {
  Operand moved = operand;
  moved.address += bytes;
  return moved;
}

/// Rows from L1 to the bias table, which takes whole blocks of 64 bytes.
inline void copyBias(const Operand &dst, const Operand &src, uint32_t count, size_t size,
                     Source at) {
  require(isInL1(src), "copies to C2 from a tensor that is not in C1", at);
  require(size == 4, "copies numbers to C2 that are not of 4 bytes", at);
  require(count * size % 64 == 0, "copies to C2 what is not whole blocks of 64 bytes", at);
  Record(CallKind::LoadBias).on(dst).on(src).amounts(count).send(at);
}

/// What Mmad multiplies, and what it sums in.
template <typename C, typename A, typename B>
constexpr bool isProduct =
    isSame<A, B> && ((isSame<C, float> && (isSame<A, float> || isSame<A, half> || isBF16<A>)) ||
                     (isSame<C, int32_t> && isSame<A, int8_t>));

/// The conversion that Fixpipe must be told for its types; none where there is no such way out.
template <typename T, typename U> constexpr int conversionOf = -1;
template <> constexpr int conversionOf<float, float> = NoQuant;
template <> constexpr int conversionOf<half, float> = F322F16;
template <> constexpr int conversionOf<bfloat16_t, float> = F322BF16;
template <> constexpr int conversionOf<int8_t, float> = QF322B8_PRE;
template <> constexpr int conversionOf<int32_t, int32_t> = NoQuant;
template <> constexpr int conversionOf<half, int32_t> = DEQF16;
template <> constexpr int conversionOf<int8_t, int32_t> = REQ8;

} // namespace attn_twin

namespace AscendC {

//===----------------------------------------------------------------------===//
// Into L1
//===----------------------------------------------------------------------===//

struct Nd2NzParams {
  Nd2NzParams(uint16_t ndNum, uint16_t nValue, uint16_t dValue, uint16_t srcNdMatrixStride,
              uint16_t srcDValue, uint16_t dstNzC0Stride, uint16_t dstNzNStride,
              uint16_t dstNzMatrixStride)
      ATTN_TWIN_RULE(ndNum <= 4095, "a copy has at most 4095 matrices")
          ATTN_TWIN_RULE(nValue <= 16384, "a matrix has at most 16384 rows")
              ATTN_TWIN_RULE(srcDValue >= 1, "rows are at least one element apart")
                  ATTN_TWIN_RULE(dstNzC0Stride >= 1 && dstNzC0Stride <= 16384,
                                 "column blocks are 1 to 16384 rows apart")
      : ndNum(ndNum), nValue(nValue), dValue(dValue), srcNdMatrixStride(srcNdMatrixStride),
        srcDValue(srcDValue), dstNzC0Stride(dstNzC0Stride), dstNzNStride(dstNzNStride),
        dstNzMatrixStride(dstNzMatrixStride) {}
  uint16_t ndNum, nValue, dValue, srcNdMatrixStride, srcDValue;
  uint16_t dstNzC0Stride, dstNzNStride, dstNzMatrixStride;
};

template <typename T>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const Nd2NzParams &matrix,
              ATTN_TWIN_HERE) {
  attn_twin::require(attn_twin::isInL1(dst.operand),
                     "makes fractals in a tensor that is not in A1 or B1", at);
  attn_twin::require(matrix.ndNum == 1 && matrix.dstNzNStride == 1,
                     "makes fractals of several matrices, or with gaps between rows, which the "
                     "model of the chip does not do",
                     at);
  attn_twin::require(matrix.nValue <= 16384 && matrix.srcDValue >= 1 && matrix.dstNzC0Stride >= 1 &&
                         matrix.dstNzC0Stride <= 16384,
                     "makes fractals of more than 16384 rows, or of rows in one place", at);
  attn_twin::Record(attn_twin::CallKind::NdToNz)
      .on(dst.operand)
      .on(src.operand)
      .amounts(matrix.nValue, matrix.dValue, matrix.srcDValue)
      .pitch(matrix.dstNzC0Stride)
      .send(at);
}

template <typename T> struct InitConstValueParams {
  InitConstValueParams(uint16_t repeatTimes, uint16_t blockNum, uint16_t dstGap, T initValue)
      ATTN_TWIN_RULE(repeatTimes <= 32767 && blockNum <= 32767 && dstGap <= 32767,
                     "times, blocks and gap of a fill are at most 32767")
      : repeatTimes(repeatTimes), blockNum(blockNum), dstGap(dstGap), initValue(initValue) {}
  uint16_t repeatTimes, blockNum, dstGap;
  T initValue;
};

/// Blocks are of 32 bytes in L1; L0, where they are fractals, is filled by nothing that is
/// modelled.
template <typename T>
void InitConstValue(const LocalTensor<T> &dst, const InitConstValueParams<T> &fill, ATTN_TWIN_HERE)
    ATTN_TWIN_RULE(sizeof(T) == 2 || sizeof(T) == 4, "fills with numbers of 2 or 4 bytes") {
  attn_twin::require(attn_twin::isInL1(dst.operand), "fills a tensor that is not in A1 or B1", at);
  attn_twin::require(fill.repeatTimes <= 32767 && fill.blockNum <= 32767 && fill.dstGap <= 32767,
                     "fills more than 32767 times, blocks or with a larger gap", at);
  using Number = typename attn_twin::ScalarOf<T>::type;
  attn_twin::Record(attn_twin::CallKind::Fill)
      .on(dst.operand)
      .scalar(static_cast<Number>(fill.initValue))
      .amounts(fill.repeatTimes, fill.blockNum)
      .pitch(fill.blockNum + fill.dstGap)
      .send(at);
}

//===----------------------------------------------------------------------===//
// Into L0
//===----------------------------------------------------------------------===//

struct LoadData2DParams {
  LoadData2DParams(uint16_t startIndex, uint8_t repeatTimes, uint16_t srcStride, uint8_t sid,
                   uint16_t dstGap, bool ifTranspose, uint8_t addrMode)
      : startIndex(startIndex), dstGap(dstGap), srcStride(srcStride), ifTranspose(ifTranspose),
        repeatTimes(repeatTimes), sid(sid), addrMode(addrMode) {}
  uint16_t startIndex, dstGap, srcStride;
  bool ifTranspose;
  uint8_t repeatTimes, sid, addrMode;
};

template <typename T>
void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData2DParams &load,
              ATTN_TWIN_HERE) {
  attn_twin::requireLoad(dst.operand, src.operand, at);
  attn_twin::require(!load.ifTranspose || sizeof(T) == 2,
                     "turns fractals over whose numbers are not of 2 bytes", at);
  attn_twin::require(load.sid == 0 && load.addrMode == 0,
                     "loads fractals backwards, which the model of the chip does not do", at);
  attn_twin::Record record(attn_twin::CallKind::LoadFractals);
  record.call.transposes = load.ifTranspose;
  record.on(dst.operand)
      .on(attn_twin::moveBy(src.operand, load.startIndex * attn_twin::fractalBytes))
      .amounts(load.repeatTimes)
      .stride(load.dstGap + 1)
      .stride(load.srcStride)
      .send(at);
}

/// An image and what is taken of it; of a matrix, the rows are the width of an image of height 1.
template <typename T> struct LoadData3DParamsV2 {
  uint8_t padList[4] = {0, 0, 0, 0};
  uint16_t l1H = 0, l1W = 0, channelSize = 0;
  uint16_t kExtension = 0, mExtension = 0, kStartPt = 0, mStartPt = 0;
  uint8_t strideW = 1, strideH = 1, filterW = 1, filterH = 1;
  uint8_t dilationFilterW = 1, dilationFilterH = 1;
  bool enTranspose = false, enSmallK = false;
  T padValue = {};
  bool filterSizeW = false, filterSizeH = false, fMatrixCtrl = false;
};

template <typename T>
void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src,
              const LoadData3DParamsV2<T> &load, ATTN_TWIN_HERE) {
  constexpr uint64_t perBlock = attn_twin::rowBytes / sizeof(T);
  attn_twin::requireLoad(dst.operand, src.operand, at);
  bool isRight = dst.operand.position == attn_twin::Position::B2;
  attn_twin::require(sizeof(T) != 1 || !(isRight || load.enTranspose),
                     "turns a matrix over whose numbers are of 1 byte", at);
  bool isMatrix = load.l1H == 1 && load.strideW == 1 && load.strideH == 1 && load.filterW == 1 &&
                  load.filterH == 1 && load.dilationFilterW == 1 && load.dilationFilterH == 1 &&
                  !load.filterSizeW && !load.filterSizeH && !load.fMatrixCtrl && !load.enSmallK;
  for (uint8_t padding : load.padList)
    isMatrix &= padding == 0;
  attn_twin::require(isMatrix, "loads an image, of which the model of the chip has none", at);
  attn_twin::require(load.l1W % 16 == 0 && load.mExtension % 16 == 0 && load.mStartPt % 16 == 0 &&
                         load.kExtension % perBlock == 0 && load.kStartPt % perBlock == 0,
                     "loads parts of fractals", at);
  attn_twin::require(load.mStartPt + load.mExtension <= load.l1W &&
                         load.kStartPt + load.kExtension <= load.channelSize,
                     "loads more than the matrix has", at);
  attn_twin::Record record(attn_twin::CallKind::LoadTile);
  // To B2 a matrix is always turned over.
  record.call.transposes = load.enTranspose && !isRight;
  uint64_t firstRow = load.kStartPt / perBlock * load.l1W + load.mStartPt;
  record.on(dst.operand)
      .on(attn_twin::moveBy(src.operand, firstRow * attn_twin::rowBytes))
      .amounts(load.mExtension, load.kExtension)
      .pitch(load.l1W)
      .send(at);
}

struct LoadData2dTransposeParams {
  LoadData2dTransposeParams(uint16_t startIndex, uint8_t repeatTimes, uint16_t srcStride,
                            uint16_t dstGap, uint16_t dstFracGap)
      : startIndex(startIndex), repeatTimes(repeatTimes), srcStride(srcStride), dstGap(dstGap),
        dstFracGap(dstFracGap) {}
  uint16_t startIndex;
  uint8_t repeatTimes;
  uint16_t srcStride, dstGap, dstFracGap;
};

/// Squares are one fractal of numbers of 2 bytes and two of others.
template <typename T>
void LoadDataWithTranspose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                           const LoadData2dTransposeParams &load, ATTN_TWIN_HERE) {
  constexpr uint64_t squareBytes = (sizeof(T) == 2 ? 1 : 2) * attn_twin::fractalBytes;
  attn_twin::requireLoad(dst.operand, src.operand, at);
  attn_twin::Record(attn_twin::CallKind::LoadSquares)
      .on(dst.operand)
      .on(attn_twin::moveBy(src.operand, load.startIndex * squareBytes))
      .amounts(load.repeatTimes)
      .stride(load.dstGap + 1)
      .stride(load.srcStride)
      .stride(load.dstFracGap + 1)
      .send(at);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

struct MmadParams {
  MmadParams(uint16_t m, uint16_t n, uint16_t k, uint8_t unitFlag, bool cmatrixSource,
             bool cmatrixInitVal)
      ATTN_TWIN_RULE(m <= 4095 && n <= 4095 && k <= 4095, "m, n and k are at most 4095")
          ATTN_TWIN_RULE(m != 1, "a product of one row takes another layout")
              ATTN_TWIN_RULE(unitFlag == 0, "the model of the chip has no unit flags")
      : m(m), n(n), k(k), unitFlag(unitFlag), cmatrixSource(cmatrixSource),
        cmatrixInitVal(cmatrixInitVal) {}
  uint16_t m, n, k;
  uint8_t unitFlag;
  bool kDirectionAlign = false;
  bool cmatrixSource, cmatrixInitVal;
};

} // namespace AscendC

namespace attn_twin {

/// The record of a product, without its bias; `starts`: sums do not begin with what is in L0C.
inline Record makeProduct(const Operand &dst, const Operand &left, const Operand &right,
                          const AscendC::MmadParams &product, bool starts, Source at) {
  require(dst.position == Position::CO1, "sums in a tensor that is not in CO1", at);
  require(left.position == Position::A2, "takes a left operand that is not in A2", at);
  require(right.position == Position::B2, "takes a right operand that is not in B2", at);
  require(product.m <= 4095 && product.n <= 4095 && product.k <= 4095,
          "multiplies matrices of more than 4095 rows or columns", at);
  require(product.m != 1, "multiplies one row, for which the chip takes another layout", at);
  require(product.unitFlag == 0 && !product.kDirectionAlign,
          "uses unit flags or another alignment of k, which the model of the chip does not", at);
  Record record(CallKind::Mmad);
  record.on(dst)
      .on(left)
      .on(right)
      .amounts(product.m, product.n, product.k)
      .scalar(int32_t(starts));
  return record;
}

} // namespace attn_twin

namespace AscendC {

#define ATTN_TWIN_PRODUCT                                                                          \
  ATTN_TWIN_RULE((attn_twin::isProduct<T, U, S>),                                                  \
                 "multiplies half, bfloat16_t or float to float, "                                 \
                 "and int8_t to int32_t")

template <typename T, typename U, typename S>
void Mmad(const LocalTensor<T> &dst, const LocalTensor<U> &left, const LocalTensor<S> &right,
          const MmadParams &product, ATTN_TWIN_HERE) ATTN_TWIN_PRODUCT {
  attn_twin::require(!product.cmatrixSource || product.cmatrixInitVal,
                     "starts from a bias that it does not name", at);
  attn_twin::makeProduct(dst.operand, left.operand, right.operand, product, product.cmatrixInitVal,
                         at)
      .send(at);
}

/// The bias is where sums start from, unless they start from zero.
template <typename T, typename U, typename S>
void Mmad(const LocalTensor<T> &dst, const LocalTensor<U> &left, const LocalTensor<S> &right,
          const LocalTensor<T> &bias, const MmadParams &product, ATTN_TWIN_HERE) ATTN_TWIN_PRODUCT {
  attn_twin::require(bias.operand.position == attn_twin::Position::C2,
                     "takes a bias that is not in C2", at);
  attn_twin::require(!product.cmatrixInitVal, "names a bias, but starts from zero", at);
  attn_twin::makeProduct(dst.operand, left.operand, right.operand, product, /*starts=*/true, at)
      .on(bias.operand)
      .send(at);
}

//===----------------------------------------------------------------------===//
// The way out
//===----------------------------------------------------------------------===//

enum class CO2Layout : uint8_t { NZ, ROW_MAJOR };
struct FixpipeConfig {
  CO2Layout format;
};
constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ};
constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};

struct FixpipeParamsV220 {
  FixpipeParamsV220(uint16_t nSize, uint16_t mSize, uint16_t srcStride, uint32_t dstStride,
                    bool reluEn, QuantMode_t quantPre, int64_t deqScalar, uint16_t ndNum,
                    uint16_t srcNdStride, uint16_t dstNdStride, uint8_t unitFlag)
      ATTN_TWIN_RULE(nSize <= 4095, "a result has at most 4095 columns")
          ATTN_TWIN_RULE(dstStride != 0, "rows of a result are at least one element apart")
              ATTN_TWIN_RULE(ndNum == 1 && unitFlag == 0,
                             "the model of the chip moves one matrix, without unit flags")
      : nSize(nSize), mSize(mSize), srcStride(srcStride), dstStride(dstStride), quantPre(quantPre),
        deqScalar(uint64_t(deqScalar)), ndNum(ndNum), srcNdStride(srcNdStride),
        dstNdStride(dstNdStride), reluEn(reluEn), unitFlag(unitFlag) {}
  uint16_t nSize, mSize, srcStride;
  uint32_t dstStride;
  QuantMode_t quantPre;
  uint64_t deqScalar;
  uint16_t ndNum, srcNdStride, dstNdStride;
  bool reluEn;
  uint8_t unitFlag;
};

} // namespace AscendC

namespace attn_twin {

/// What a conversion is multiplied with: a number of 32 bits, then offset and shift, which the
/// model does not have, and in bit 46 whether results have a sign.
inline float readScale(uint64_t bits, bool isSigned, Source at) {
  require(bits >> 32 == (isSigned ? uint64_t(1) << 14 : 0),
          isSigned ? "converts to int8_t without the sign of its results, or with an offset"
                   : "converts with an offset or a shift, which the model of the chip does not do",
          at);
  auto low = uint32_t(bits);
  float scale;
  __builtin_memcpy(&scale, &low, sizeof scale);
  return scale;
}

template <typename T, typename U>
void moveResult(const Operand &dst, const Operand &src, AscendC::CO2Layout format,
                const AscendC::FixpipeParamsV220 &result, Source at) {
  bool isFractal = format == AscendC::CO2Layout::NZ;
  require(src.position == Position::CO1, "moves results of a tensor that is not in CO1", at);
  require(result.quantPre == conversionOf<T, U>,
          "is told another conversion than that of its types", at);
  require(result.nSize <= 4095 && result.mSize <= (isFractal ? 65535 : 8192) &&
              result.dstStride != 0,
          "moves more than 4095 columns or too many rows, or all rows to one place", at);
  require(
      !isFractal || (result.nSize % 16 == 0 && sizeof(T) == 2),
      "makes fractals of columns that are not a multiple of 16, or of numbers that are not of 2 "
      "bytes, which the model of the chip does not do",
      at);
  require(result.ndNum == 1 && result.unitFlag == 0,
          "moves several matrices or uses unit flags, which the model of the chip does not do", at);
  Record record(CallKind::FixOut);
  record.call.isFractal = isFractal;
  record.call.isRelu = result.reluEn;
  if (result.quantPre == DEQF16 || result.quantPre == QF322B8_PRE || result.quantPre == REQ8) {
    record.call.hasScale = true;
    record.call.scale = readScale(result.deqScalar, isSame<T, int8_t>, at);
  }
  // Fractals of numbers of 2 bytes have rows of one block, in which strides to them are counted.
  record.on(dst)
      .on(src)
      .amounts(result.mSize, result.nSize, result.dstStride)
      .pitch(result.srcStride)
      .send(at);
}

} // namespace attn_twin

namespace AscendC {

#define ATTN_TWIN_RESULT                                                                           \
  ATTN_TWIN_RULE((attn_twin::conversionOf<T, U>) >= 0, "float becomes float, half, bfloat16_t or " \
                                                       "int8_t; int32_t becomes int32_t, half or " \
                                                       "int8_t")

template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
void Fixpipe(const GlobalTensor<T> &dst, const LocalTensor<U> &src, const FixpipeParamsV220 &result,
             ATTN_TWIN_HERE) ATTN_TWIN_RESULT {
  attn_twin::moveResult<T, U>(dst.operand, src.operand, config.format, result, at);
}

template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
void Fixpipe(const LocalTensor<T> &dst, const LocalTensor<U> &src, const FixpipeParamsV220 &result,
             ATTN_TWIN_HERE) ATTN_TWIN_RESULT
    ATTN_TWIN_RULE(config.format == CO2Layout::NZ, "to L1 results stay fractals: CFG_NZ")
        ATTN_TWIN_RULE(sizeof(T) < 4, "to L1 results become numbers of 1 or 2 bytes") {
  attn_twin::require(attn_twin::isInL1(dst.operand),
                     "moves results to a tensor that is not in A1, B1 or C1", at);
  attn_twin::moveResult<T, U>(dst.operand, src.operand, config.format, result, at);
}

} // namespace AscendC

#pragma clang attribute pop

#endif // ATTN_SIMULATOR_ASCENDC_DEVICE_TWIN_CUBE_H
