// Writes index arithmetic, views of buffers and common instructions at the place where a tile op is
// lowered.
#ifndef ATTN_TILEONCHIP_CHIPBUILDER_H
#define ATTN_TILEONCHIP_CHIPBUILDER_H

#include "attn/Dialect/Ascend/IR/Ascend.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace attn::onchip {

class ChipBuilder {
public:
  /// Writes at the end of `body`; constants and buffers go to its start.
  ChipBuilder(mlir::Block *body, mlir::Location loc);

  /// The location of what is written.
  mlir::Location loc;
  mlir::OpBuilder builder;
  /// Where constants and buffers go.
  mlir::OpBuilder entry;

  /// Writes an op of the ascend, arith or scf dialect.
  template <typename Op, typename... Args> Op create(Args &&...args) {
    return Op::create(builder, loc, std::forward<Args>(args)...);
  }

  //===--------------------------------------------------------------------===//
  // Numbers: each constant is written once, and what is known is folded
  //===--------------------------------------------------------------------===//

  mlir::Value constant(int64_t number);
  mlir::Value constant(float number);
  mlir::Value constant(const llvm::APFloat &number, mlir::FloatType type);
  /// An integer of 32 bits.
  mlir::Value word(int32_t number);
  mlir::Value scale(mlir::Value value, int64_t factor);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value subtract(mlir::Value lhs, mlir::Value rhs);
  mlir::Value multiply(mlir::Value lhs, mlir::Value rhs);
  mlir::Value max(mlir::Value lhs, mlir::Value rhs);
  /// The smallest multiple of `unit`, and how many units that is, that is not below `value`.
  mlir::Value alignTo(mlir::Value value, int64_t unit);
  mlir::Value divideCeil(mlir::Value value, int64_t unit);
  /// min(size, value), at least `least`; 0 where that is null.
  mlir::Value clamp(mlir::Value value, int64_t size, mlir::Value least = {});
  mlir::Value fold(mlir::Operation *op);

  //===--------------------------------------------------------------------===//
  // Instructions
  //===--------------------------------------------------------------------===//

  /// The memory from element `offset` on.
  mlir::Value slice(mlir::Value memory, mlir::Value offset);
  void emitScalar(ascend::ScalarKind kind, mlir::Value dst, mlir::Value src, mlir::Value scalar,
                  mlir::Value count);
  void emitBinary(ascend::BinaryKind kind, mlir::Value dst, mlir::Value lhs, mlir::Value rhs,
                  mlir::Value count);
  void emitDuplicate(mlir::Value dst, mlir::Value scalar, mlir::Value count);
  void emitCast(ascend::RoundMode mode, mlir::Value dst, mlir::Value src, mlir::Value count);
  /// Calls `body(first, amount)` for `count` things, of which there are at most `bound`, `step` at
  /// a time.
  void forEachChunk(mlir::Value count, int64_t bound, int64_t step,
                    llvm::function_ref<void(mlir::Value first, mlir::Value amount)> body);

  /// Calls `then` and `otherwise` in the branches of a condition.
  void writeIf(mlir::Value condition, llvm::function_ref<void()> then,
               llvm::function_ref<void()> otherwise = nullptr);
  /// Calls `then` where `less` is smaller than `size`, else `otherwise`.
  void ifLess(mlir::Value less, mlir::Value size, llvm::function_ref<void()> then);
  void ifLess(mlir::Value less, int64_t size, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise = nullptr);

private:
  mlir::Value constant(mlir::TypedAttr number);

  llvm::DenseMap<int64_t, mlir::Value> indexConstants;
  llvm::DenseMap<mlir::Attribute, mlir::Value> otherConstants;
};

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_CHIPBUILDER_H
