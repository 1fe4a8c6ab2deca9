// Writes one kernel as AscendC: structure here, scalar expressions in Scalars.cpp, their names in
// LocalNames.cpp, one spelling per family of instructions in Instructions.cpp and
// CubeInstructions.cpp.
#ifndef ATTN_TARGET_ASCENDC_KERNELEMITTER_H
#define ATTN_TARGET_ASCENDC_KERNELEMITTER_H

#include "CodeWriter.h"
#include "Expression.h"
#include "attn/Dialect/Ascend/IR/Instructions.h"
#include "attn/Dialect/Ascend/IR/KernelKind.h"
#include "attn/Launch/Convention/Names.h"
#include "attn/Launch/Convention/Signature.h"
#include "attn/Target/AscendC/EmitAscendC.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace attn::ascendc {

class KernelEmitter {
public:
  KernelEmitter(mlir::func::FuncOp kernel, llvm::raw_ostream &os, const AscendCOptions &options)
      : kernel(kernel), function(kernel), form(options.kernelForm),
        waitsForCores(options.waitsForCores), os(os), head(os, options),
        writer(bodyStream, options) {}

  mlir::LogicalResult emit();

private:
  /// A place in memory: an element of a tensor that the text declares.
  struct Place {
    std::string tensor;
    Expression offset;
    /// Of an array: the same tensor for what stays out of L2.
    std::string bypassingTensor;
  };

  bool isMixed() const { return ascend::getKernelKind(kernel) == ascend::KernelKind::Mixed; }

  // Structure (KernelEmitter.cpp).
  /// What one kind of core runs: the kernel, or a half of it.
  mlir::LogicalResult emitFunction();
  mlir::LogicalResult emitHalf(mlir::func::FuncOp half, const launch::NameTable &known);
  void collectBuffers();
  void orderOps();
  void findUnusedOps();
  void writeHeader();
  llvm::StringRef getInitialisation();
  void writeArrays();
  /// Declares the tensors of `array`, one for each way of using L2; `declare` writes one of a name.
  void addArray(mlir::Value array, llvm::StringRef name, llvm::StringRef fallback,
                llvm::function_ref<void(llvm::StringRef)> declare);
  void writeBuffers();
  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emitOperation(mlir::Operation &op);
  void emitId(mlir::Operation &op);
  mlir::LogicalResult emitArrayQuery(mlir::Operation &op, int64_t dimension);
  Place getElementPlace(mlir::Value array, mlir::OperandRange indices);
  void emitAddress(ascend::AddressOp op);
  /// A product that may or may not start from a bias, which are two calls.
  void emitProductOrBias(ascend::MmadOp op);
  void emitLoadIndex(ascend::LoadIndexOp op);
  void emitSlot(ascend::SlotOp op);
  void emitSlice(ascend::SliceOp op);
  std::optional<int64_t> getLastOffset(ascend::SliceOp op) const;
  mlir::LogicalResult emitLookup(ascend::LookupOp op);
  mlir::LogicalResult emitFor(mlir::scf::ForOp op);
  mlir::LogicalResult emitIf(mlir::scf::IfOp op);
  mlir::LogicalResult emitYield(mlir::Operation &yield, mlir::ValueRange variables);
  mlir::LogicalResult declareVariable(mlir::Value value, mlir::Location location, mlir::Value init);
  std::string getExtent(unsigned argument) const;

  // Scalars (Scalars.cpp).
  mlir::LogicalResult emitScalar(mlir::Operation &op);
  mlir::FailureOr<Expression> getScalarExpression(mlir::Operation &op);
  Expression getIntegerExpression(mlir::Operation &op);
  Expression getCastExpression(mlir::Operation &op);
  bool repeatsOperand(mlir::OpOperand &use) const;
  /// Declares the constant `name` for `value` and lets its uses name it.
  void bind(mlir::Value value, const Expression &expression, llvm::StringRef name);
  const Expression &get(mlir::Value value) const { return expressions.find(value)->second; }

  // Names (LocalNames.cpp).
  /// A part that a number plays in what uses it, the most telling first.
  enum class Part {
    Index,
    Offset,
    Slot,
    Rows,
    Length,
    Pitch,
    AtOnce,
    LoopBegin,
    LoopEnd,
    Step,
    Repeats,
    Count,
    Start
  };
  /// What a number is for: the part, and the array, dimension or buffer whose it is.
  struct Purpose {
    Part part;
    std::string base;
  };
  std::optional<Purpose> getPurpose(mlir::OpOperand &use) const;
  /// The most telling purpose of `value` and of what follows from it in at most `steps` steps.
  std::optional<Purpose> findPurpose(mlir::Value value, unsigned steps) const;
  /// A new name: the source's, or one that says what the number is for; `fallback` where neither
  /// is known.
  std::string addLocalName(mlir::Value value, llvm::StringRef fallback);

  // Instructions (Instructions.cpp).
  using Call = mlir::FailureOr<std::string>;
  Call getCall(mlir::Operation &op);
  template <typename Op> Call getCallOrError(Op op);
  // One per row of the table; composites have none.
#define ATTN_INSTRUCTION(name, group, pipe, kinds, elements, call, hivm, family)                   \
  std::string getCall(ascend::name##Op op);
#define ATTN_SYNCHRONISATION(name, call) std::string getCall(ascend::name##Op op);
#include "attn/Dialect/Ascend/IR/Instructions.def"
  /// The call whose arguments follow from the op by their order: destination, sources, scalar and
  /// amount.
  template <typename Op> std::string getElementwiseCall(Op op);
  template <typename Op> std::string getFlag(Op op, llvm::StringRef call);
  /// The count, or mask, repeats and `parameters` with the strides, that ends a vector call.
  template <typename Op> std::string getForm(Op op, llvm::StringRef parameters);
  std::string getProduct(ascend::MmadOp op, bool takesBias, llvm::StringRef startsFromZero);
  std::string getPlace(mlir::Value memory, bool bypassesL2 = false) const;
  /// The place of bits, which calls take as bytes without a sign.
  std::string getBits(mlir::Value memory) const;
  std::string getElementType(mlir::Value memory) const;

  mlir::func::FuncOp kernel;
  /// The one whose body is written: the kernel, or its cube half.
  mlir::func::FuncOp function;
  KernelForm form;
  bool waitsForCores;
  llvm::raw_ostream &os;
  /// The body is written first: its head says what it does not use.
  std::string body;
  llvm::raw_string_ostream bodyStream{body};
  CodeWriter head;
  CodeWriter writer;
  launch::NameTable names;
  launch::Signature signature;
  /// The buffers by address.
  llvm::SmallVector<ascend::AllocOp> buffers;
  llvm::DenseMap<mlir::Value, Expression> expressions;
  llvm::DenseMap<mlir::Value, Place> places;
  /// The kernel's argument that each array comes from: itself, or the table it was looked up in.
  llvm::DenseMap<mlir::Value, unsigned> arrays;
  /// Names of offsets that are kept inside their tensor, by block, offset and the last one.
  std::map<std::tuple<mlir::Block *, void *, int64_t>, std::string> clampedOffsets;
  IndexRanges ranges;
  /// The place of each op in the program.
  llvm::DenseMap<mlir::Operation *, unsigned> programOrder;
  /// Ops whose results nothing needs.
  llvm::DenseSet<mlir::Operation *> unused;
};

} // namespace attn::ascendc

#endif // ATTN_TARGET_ASCENDC_KERNELEMITTER_H
