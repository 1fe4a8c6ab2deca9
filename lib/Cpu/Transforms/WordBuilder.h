// Builds arithmetic on the bits of f32 numbers, for passes that write functions out. CPU stage, on
// vectors.
#ifndef ATTN_CPU_COMPILER_WORDBUILDER_H
#define ATTN_CPU_COMPILER_WORDBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace attn::jit {

/// Integer arithmetic on 32-bit words, scalar or one per lane.
struct WordBuilder {
  mlir::ImplicitLocOpBuilder builder;
  mlir::Type type; // i32, or a vector of it

  WordBuilder(mlir::PatternRewriter &rewriter, mlir::Location loc, mlir::Type floatType)
      : builder(loc, rewriter), type(withElement(floatType, rewriter.getI32Type())) {}

  /// `shaped` with another element type.
  static mlir::Type withElement(mlir::Type shaped, mlir::Type element) {
    auto vector = mlir::dyn_cast<mlir::VectorType>(shaped);
    return vector ? mlir::Type(vector.clone(element)) : element;
  }
  mlir::Value constant(uint32_t value) {
    mlir::Attribute attribute = builder.getI32IntegerAttr(static_cast<int32_t>(value));
    if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
      attribute = mlir::DenseElementsAttr::get(vector, attribute);
    return mlir::arith::ConstantOp::create(builder, mlir::cast<mlir::TypedAttr>(attribute));
  }
  template <typename OpTy> mlir::Value apply(mlir::Value lhs, mlir::Value rhs) {
    return OpTy::create(builder, lhs, rhs);
  }
  template <typename OpTy> mlir::Value apply(mlir::Value lhs, uint32_t rhs) {
    return apply<OpTy>(lhs, constant(rhs));
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value lhs, uint32_t rhs) {
    return mlir::arith::CmpIOp::create(builder, predicate, lhs, constant(rhs));
  }
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no) {
    return mlir::arith::SelectOp::create(builder, condition, yes, no);
  }
  mlir::Value toFloat(mlir::Value word) {
    return mlir::arith::BitcastOp::create(builder, withElement(type, builder.getF32Type()), word);
  }
  mlir::Value fromFloat(mlir::Value number) {
    return mlir::arith::BitcastOp::create(builder, type, number);
  }
};

} // namespace attn::jit

#endif // ATTN_CPU_COMPILER_WORDBUILDER_H
