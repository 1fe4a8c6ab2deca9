// The flags between the cores of a group: whether all of them can go on, and what a wait tells a
// core of its own flags.
#ifndef ATTN_DIALECT_ASCEND_ANALYSIS_GROUPFLAGS_H
#define ATTN_DIALECT_ASCEND_ANALYSIS_GROUPFLAGS_H

#include "attn/Dialect/Ascend/IR/Ascend.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace attn::ascend {

class GroupFlags {
public:
  /// Looks at both halves of a mixed kernel. Fails with an error where cores wait for each other,
  /// or leave a flag raised. Of halves whose loops do not correspond it says nothing.
  static mlir::FailureOr<GroupFlags> make(mlir::func::FuncOp vector, mlir::func::FuncOp cube);

  /// The waits that tell a core of its own flags, each with pairs as `CrossWaitOp` has them.
  using HeardPairs = llvm::SmallVector<int64_t>;
  const llvm::MapVector<CrossWaitOp, HeardPairs> &getHeard() const { return heard; }

private:
  friend class HalvesMatcher;
  llvm::MapVector<CrossWaitOp, HeardPairs> heard;
};

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_ANALYSIS_GROUPFLAGS_H
