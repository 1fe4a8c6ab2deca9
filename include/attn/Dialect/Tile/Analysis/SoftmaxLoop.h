// Which forms a softmax state can take, seen from the loop that fills it (tile-choose).
#ifndef ATTN_DIALECT_TILE_ANALYSIS_SOFTMAXLOOP_H
#define ATTN_DIALECT_TILE_ANALYSIS_SOFTMAXLOOP_H

#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "llvm/ADT/SetVector.h"

namespace attn::tile {

enum class SoftmaxForm { Online, TwoPhaseReload, TwoPhaseResident };

/// What the option and the remarks call a form, and the form of that name.
llvm::StringRef getFormName(SoftmaxForm form);
std::optional<SoftmaxForm> getSoftmaxForm(llvm::StringRef name);

/// A softmax that one loop fills with one push, and that is finished after it.
struct SoftmaxLoop {
  SoftmaxInitOp init;
  RangeOp loop;
  unsigned carried = 0; // which of the loop's carried values is the state
  SoftmaxPushOp push;
  SoftmaxFinishOp finish;

  /// The ops of the loop that compute the pushed values, in order, to be cloned for a second read.
  llvm::SmallVector<mlir::Operation *> valueSlice;

  /// Where one iteration's scores lie in a workspace: an index per dimension (the place of the
  /// loop's own index is null), its kind, and the name of the size.
  llvm::SmallVector<mlir::Value> scoreIndices;
  llvm::SmallVector<int64_t> scoreKinds;
  llvm::SmallVector<mlir::Attribute> scoreDims;

  /// The trip count where it is a number.
  std::optional<int64_t> trips;
};

/// The most iterations that `two-phase-resident` unrolls.
constexpr int64_t maxResidentTrips = 32;

/// Recognises the loop of `init` and checks that `form`, one of the two-phase forms, is possible.
/// Otherwise null, with the reason.
std::optional<SoftmaxLoop> matchSoftmaxLoop(SoftmaxInitOp init, SoftmaxForm form,
                                            std::string &reason);

/// Checks that the kernel's softmax states are only pushed to, carried and finished.
mlir::LogicalResult verifySoftmaxUses(mlir::func::FuncOp kernel);

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_ANALYSIS_SOFTMAXLOOP_H
