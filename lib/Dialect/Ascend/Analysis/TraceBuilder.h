// Runs a kernel abstractly: control flow and memory in TraceBuilder.cpp, the values of indices in
// TraceIndices.cpp.
#ifndef ATTN_DIALECT_ASCEND_ANALYSIS_TRACEBUILDER_H
#define ATTN_DIALECT_ASCEND_ANALYSIS_TRACEBUILDER_H

#include "KernelFacts.h"
#include "attn/Dialect/Ascend/Analysis/ExecutionTrace.h"
#include "attn/Dialect/Ascend/Analysis/GlobalHistory.h"
#include <deque>

namespace attn::ascend {

class TraceBuilder {
public:
  TraceBuilder(KernelFacts &facts, const TraceChoice &choice, bool findsNeeds)
      : facts(facts), choice(choice), findsNeeds(findsNeeds), local(symbols), global(symbols) {}

  mlir::FailureOr<ExecutionTrace> run();

private:
  using Step = ExecutionTrace::Step;

  /// The trip of a loop that runs: whether it is the first or the last of the trace, and whether it
  /// comes back to the slots of the first.
  struct Trip {
    bool isFirst = false, isLast = false, comesBack = false;
  };

  mlir::LogicalResult walk(mlir::Block &block, int32_t frame);
  mlir::LogicalResult visit(mlir::scf::ForOp loop, int32_t frame);
  mlir::LogicalResult visit(mlir::scf::IfOp condition, int32_t frame);
  mlir::LogicalResult visit(mlir::Operation &instruction, const InstructionFacts &known,
                            int32_t frame);
  mlir::LogicalResult visit(mlir::Operation &instruction, const InstructionFacts &known,
                            int pipeNumber, int32_t frame);
  void visitSync(mlir::Operation *op, int32_t frame);

  int64_t getTripCount(mlir::scf::ForOp loop);
  bool isIdle(mlir::scf::ForOp loop) const;
  bool holds(mlir::scf::IfOp condition);
  bool mayGoOn(mlir::scf::ForOp loop, int64_t trips);
  int32_t enter(mlir::Operation *op, int32_t frame);
  void leave(int32_t visit);
  int32_t pushFrame(int32_t visit);

  // Indices (TraceIndices.cpp).
  IndexExpression get(mlir::Value index);
  void set(mlir::Value index, IndexExpression expression);
  IndexExpression evaluate(mlir::Operation *op);
  IndexExpression makeUnknown() { return symbols.make({}); }
  IndexExpression makeUnknown(mlir::Value index);

  // Memory.
  void setPlace(mlir::Operation *op);
  void setSlot(SlotOp op);
  void setSlice(SliceOp op);
  std::optional<Span> getSpan(const IndexExpression &begin, const IndexExpression &size);
  const Span *getWrittenPart(const Access &access);
  std::optional<LocalHistory::Apart> getApart(const InstructionFacts &known, int32_t frame) const;
  llvm::SmallVector<std::optional<Span>, 4> getSpans(const GlobalFacts &access);
  bool areInParallelIterations(int32_t left, int32_t right) const;
  void addGlobal(const GlobalFacts &access, Pipe pipe, int32_t step, Needs &needs);

  KernelFacts &facts;
  const TraceChoice &choice;
  bool findsNeeds;
  ExecutionTrace trace;
  IndexSymbols symbols;
  llvm::DenseMap<mlir::Operation *, int64_t> conditions; // how often each was met
  llvm::DenseMap<mlir::Operation *, Trip> tripsNow;
  llvm::DenseMap<mlir::Value, IndexExpression> indices;
  llvm::DenseMap<mlir::Value, LocalPlace> localPlaces;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<IndexExpression, 4>>
      globalPlaces; // indices per dimension
  llvm::DenseSet<mlir::Operation *>
      openViews; // whose place may also be any after the one they have
  LocalHistory local;
  std::deque<Span> parts; // that the local history points to
  GlobalHistory global;
};

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_ANALYSIS_TRACEBUILDER_H
