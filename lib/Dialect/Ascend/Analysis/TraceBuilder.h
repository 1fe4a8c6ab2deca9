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
  TraceBuilder(KernelFacts &facts, const TraceChoice &choice, TraceDetail detail);

  mlir::FailureOr<ExecutionTrace> run();

private:
  using Step = ExecutionTrace::Step;

  /// The trip of a loop that runs: whether it is the first or the last of the trace, and whether it
  /// comes back to the slots of the first.
  struct Trip {
    bool isFirst = false, isLast = false, comesBack = false;
  };

  mlir::LogicalResult walk(mlir::Block &block, int32_t frame);
  mlir::LogicalResult visit(TraceEntry &next, int32_t frame);
  mlir::LogicalResult visitLoop(const TraceEntry &next, int32_t frame);
  mlir::LogicalResult visitCondition(const TraceEntry &next, int32_t frame);
  mlir::LogicalResult visitInstruction(const TraceEntry &next, int32_t frame);
  mlir::LogicalResult visitStep(const TraceEntry &next, int pipeNumber, int32_t frame);
  void visitSync(const TraceEntry &next, int32_t frame);
  void visitCrossSet(CrossSetOp set, int32_t frame);
  void visitCrossWait(CrossWaitOp wait, int32_t frame);

  int64_t getTripCount(mlir::scf::ForOp loop, const LoopFacts &known);
  bool isIdle(mlir::scf::ForOp loop) const;
  bool holds(mlir::scf::IfOp condition);
  bool mayGoOn(mlir::scf::ForOp loop, int64_t trips);
  int32_t enter(const TraceEntry &next, int32_t frame);
  void leave(int32_t visit);
  int32_t pushFrame(int32_t visit);

  // Indices (TraceIndices.cpp).
  const IndexExpression &get(IndexNumber index);
  void set(IndexNumber index, IndexExpression expression);
  std::optional<IndexExpression> evaluate(TraceEntry &next);
  IndexExpression makeUnknown() { return symbols.make({}); }
  IndexExpression makeUnknown(IndexNumber index);

  // Memory.
  void setSlot(const TraceEntry &next);
  void setSlice(const TraceEntry &next);
  void setAddress(const TraceEntry &next);
  std::optional<Span> getSpan(const IndexExpression &begin, const IndexExpression &size);
  const Span *getWrittenPart(const LocalFacts &known);
  std::optional<LocalHistory::Apart> getApart(const InstructionFacts &known, int32_t frame) const;
  llvm::SmallVector<std::optional<Span>, 4> getSpans(const GlobalFacts &access);
  bool areInParallelIterations(int32_t left, int32_t right) const;
  void addGlobal(const GlobalFacts &access, Pipe pipe, int32_t step, Needs &needs);

  KernelFacts &facts;
  const TraceChoice &choice;
  TraceDetail detail;
  ExecutionTrace trace;
  IndexSymbols symbols;
  llvm::DenseMap<mlir::Operation *, int64_t> conditions; // how often each was met
  std::vector<Trip> tripsNow;                            // by the numbers of loops
  std::vector<IndexExpression> indices;
  std::vector<bool> hasIndex; // which of them have a value
  std::vector<LocalPlace> localPlaces;
  std::vector<llvm::SmallVector<IndexExpression, 0>> globalPlaces; // indices per dimension
  llvm::DenseSet<mlir::Operation *>
      openViews; // whose place may also be any after the one they have
  LocalHistory local;
  std::deque<Span> parts; // that the local history points to
  GlobalHistory global;
  /// Where an exchange with other cores stands: the step at which its loops were come to, and how
  /// many of their trips have begun.
  struct Exchange {
    int32_t begin = 0;
    int64_t turn = 0;
  };
  std::vector<Exchange> exchanges;
  /// The sets of a flag for other cores so far, and how many of them all pipes know to be done.
  struct CrossSets {
    struct Set {
      int32_t step;
      int64_t turn;
    };
    llvm::SmallVector<Set, 0> sets;
    size_t told = 0;
  };
  std::map<int64_t, CrossSets> crossSets;
  /// For each pipe the last step of each that an instruction of it has waited for.
  std::array<std::array<int32_t, pipeCount>, pipeCount> awaited;
};

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_ANALYSIS_TRACEBUILDER_H
