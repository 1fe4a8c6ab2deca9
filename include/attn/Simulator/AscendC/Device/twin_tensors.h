// The tensors of AscendC text: places in the memories of a core, and arrays in GM.
#ifndef ATTN_SIMULATOR_ASCENDC_DEVICE_TWIN_TENSORS_H
#define ATTN_SIMULATOR_ASCENDC_DEVICE_TWIN_TENSORS_H

#include "twin_record.h"

#pragma clang attribute push(__attribute__((no_sanitize("coverage"))), apply_to = function)

#define __gm__

namespace AscendC {

enum class TPosition { GM, A1, A2, B1, B2, C1, C2, CO1, CO2, VECIN, VECOUT, VECCALC };
enum class CacheMode { CACHE_MODE_DISABLE = 0, CACHE_MODE_NORMAL = 1 };

/// The place of a tensor, as text before CANN 8.5 gives it.
struct TBuffAddr {
  uint32_t dataLen;
  uint32_t bufferAddr;
  uint8_t *bufferHandle;
  uint8_t logicPos;
};

template <typename T> class LocalTensor {
public:
  LocalTensor() = default;
  void SetAddr(const TBuffAddr &place, ATTN_TWIN_HERE) {
    *this = LocalTensor(TPosition(place.logicPos), place.bufferAddr, place.dataLen / sizeof(T), at);
  }

  LocalTensor(TPosition position, uint32_t address, uint32_t elements, ATTN_TWIN_HERE)
      ATTN_TWIN_RULE(address % 32 == 0, "a tensor begins at a multiple of 32 bytes")
          ATTN_TWIN_RULE(position != TPosition::GM && position != TPosition::CO2,
                         "a tensor of a core is in A1, B1, C1, A2, B2, C2, CO1, VECIN, VECOUT or "
                         "VECCALC")
      : operand{toPosition(position, at),
                attn_twin::ElementOf<T>::value,
                address,
                address,
                address + uint64_t(elements) * sizeof(T),
                /*bypassesL2=*/false,
                at} {
    attn_twin::chip->declare(attn_twin::chip->context, &operand, at);
  }

  LocalTensor operator[](uint32_t offset) const {
    LocalTensor moved = *this;
    moved.operand.address += uint64_t(offset) * sizeof(T);
    return moved;
  }
  template <typename U> LocalTensor<U> ReinterpretCast() const { return LocalTensor<U>(operand); }

  /// Between tensors: the same bytes as another type.
  explicit LocalTensor(const attn_twin::Operand &other) : operand(other) {
    operand.element = attn_twin::ElementOf<T>::value;
  }

  attn_twin::Operand operand;

private:
  static attn_twin::Position toPosition(TPosition position, attn_twin::Source at) {
    switch (position) {
    case TPosition::A1:
      return attn_twin::Position::A1;
    case TPosition::A2:
      return attn_twin::Position::A2;
    case TPosition::B1:
      return attn_twin::Position::B1;
    case TPosition::B2:
      return attn_twin::Position::B2;
    case TPosition::C1:
      return attn_twin::Position::C1;
    case TPosition::C2:
      return attn_twin::Position::C2;
    case TPosition::CO1:
      return attn_twin::Position::CO1;
    case TPosition::VECIN:
      return attn_twin::Position::VecIn;
    case TPosition::VECOUT:
      return attn_twin::Position::VecOut;
    case TPosition::VECCALC:
      return attn_twin::Position::VecCalc;
    default:
      attn_twin::chip->refuse(attn_twin::chip->context,
                              "declares a tensor in a memory that no core has", at);
      __builtin_unreachable();
    }
  }
};

template <typename T> class GlobalTensor {
public:
  void SetGlobalBuffer(__gm__ T *buffer, uint64_t elements, ATTN_TWIN_HERE) {
    auto address = reinterpret_cast<uint64_t>(buffer);
    operand = {attn_twin::Position::GM,
               attn_twin::ElementOf<T>::value,
               address,
               address,
               address + elements * sizeof(T),
               operand.bypassesL2,
               at};
  }

  /// Holds for what moves through this tensor, and through those that are made of it later.
  void SetL2CacheHint(CacheMode mode) {
    operand.bypassesL2 = mode == CacheMode::CACHE_MODE_DISABLE;
  }

  GlobalTensor operator[](uint64_t offset) const {
    GlobalTensor moved = *this;
    moved.operand.address += offset * sizeof(T);
    return moved;
  }

  T GetValue(uint64_t offset, ATTN_TWIN_HERE) const
      ATTN_TWIN_RULE((attn_twin::isSame<T, uint64_t> || attn_twin::isIndex<T>),
                     "scalars are read from tables of addresses and arrays of integers only") {
    attn_twin::Operand place = (*this)[offset].operand;
    return static_cast<T>(attn_twin::chip->load(attn_twin::chip->context, &place, at));
  }

  attn_twin::Operand operand = {};
};

/// Of the scalar unit's data cache: the modelled chip asks for it where a line may be old.
enum class CacheLine { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum class DcciDst { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
template <typename T, CacheLine line, DcciDst destination>
void DataCacheCleanAndInvalid(const GlobalTensor<T> &tensor)
    ATTN_TWIN_RULE((line == CacheLine::SINGLE_CACHE_LINE && destination == DcciDst::CACHELINE_OUT),
                   "single lines of arrays, which lie outside of the core, are dropped") {
  attn_twin::chip->drop(attn_twin::chip->context, &tensor.operand);
}

} // namespace AscendC

#pragma clang attribute pop

#endif // ATTN_SIMULATOR_ASCENDC_DEVICE_TWIN_TENSORS_H
