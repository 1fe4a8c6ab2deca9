// The parameters of a kernel on the device: what a launcher must pass, in order. Every text and the
// sidecar of a kernel have this one list.
#ifndef ATTN_LAUNCH_CONVENTION_SIGNATURE_H
#define ATTN_LAUNCH_CONVENTION_SIGNATURE_H

#include "attn/Launch/Convention/Names.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include <string>
#include <vector>

namespace attn::launch {

/// One parameter. Pointers come first, then sizes, strides and scalars, so that the argument block
/// needs no padding before a pointer.
struct Parameter {
  enum class Kind { Pointer, Size, Stride, Scalar };
  Kind kind;
  std::string name;
  /// The type of a size, stride or scalar; null for pointers.
  mlir::Type type;
  /// The argument of the kernel it belongs to, and its dimension (sizes and strides).
  unsigned argument;
  unsigned dimension;

  /// How C++ spells the type.
  llvm::StringRef getTypeName() const;
};

/// How the number of launched blocks is written: it needs no parameter.
constexpr llvm::StringLiteral blockCountText = "static_cast<int64_t>(AscendC::GetBlockNum())";

/// An array argument: how its sizes and strides are written. The entries of a table count as its
/// first dimension, whose stride is empty.
struct ArrayArgument {
  std::string pointer;
  std::string elementType;
  bool isTable;
  llvm::SmallVector<std::string> sizes;
  llvm::SmallVector<std::string> strides;
};

/// Sizes with the same name in `launch.dims` are one parameter; sizes and strides that are numbers
/// are none.
struct Signature {
  std::vector<Parameter> parameters;
  /// One entry per argument of the kernel; only those of arrays are filled in.
  std::vector<ArrayArgument> arrays;
  /// One entry per argument of the kernel; only those of scalars are filled in.
  std::vector<std::string> scalars;
};

/// The signature of `kernel`, with names taken from `names`, or a diagnostic.
mlir::FailureOr<Signature> getSignature(mlir::func::FuncOp kernel, NameTable &names);

/// An error where the vendor's compiler or profiler could not take the kernel's name.
mlir::LogicalResult verifyKernelName(mlir::func::FuncOp kernel);

/// An error where a mixed kernel has no cube half that takes its arguments, or a half no kernel.
mlir::LogicalResult verifyHalves(mlir::func::FuncOp kernel);

/// Whether blocks of the kernel wait for each other: they must then all run at once, and the kernel
/// is declared mixed.
bool doBlocksMeet(mlir::func::FuncOp kernel);

/// Whether cores of the kernel set flags for each other: of all blocks, or of a group.
bool doCoresSignal(mlir::func::FuncOp kernel);

/// How AscendC spells an element or scalar type, or none.
std::optional<llvm::StringRef> getTypeName(mlir::Type type);

} // namespace attn::launch

#endif // ATTN_LAUNCH_CONVENTION_SIGNATURE_H
