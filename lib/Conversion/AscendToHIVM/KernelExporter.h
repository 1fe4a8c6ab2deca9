// Converts one kernel to the vendor's dialect: structure in KernelExporter.cpp, one spelling per
// family of instructions in Instructions.cpp and CubeInstructions.cpp.
#ifndef ATTN_LIB_CONVERSION_ASCENDTOHIVM_KERNELEXPORTER_H
#define ATTN_LIB_CONVERSION_ASCENDTOHIVM_KERNELEXPORTER_H

#include "attn/Dialect/Ascend/IR/Instructions.h"
#include "attn/Dialect/Ascend/IR/KernelKind.h"
#include "attn/Dialect/HIVM/IR/HIVM.h"
#include "attn/Launch/Convention/Signature.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringMap.h"

namespace attn::hivm {

inline int64_t getElementBytes(mlir::Value memory) {
  return mlir::cast<mlir::MemRefType>(memory.getType()).getElementTypeBitWidth() / 8;
}

class KernelExporter {
public:
  /// `half` is what one kind of the kernel's cores runs: the kernel itself, or a mixed one's cube
  /// half.
  KernelExporter(mlir::func::FuncOp half, mlir::func::FuncOp kernel, mlir::ModuleOp target)
      : kernel(half), whole(kernel), isForCubes(ascend::getCoreKind(half) == CoreKind::Cube),
        isMixed(ascend::getKernelKind(half) == ascend::KernelKind::Mixed),
        builder(mlir::OpBuilder::atBlockEnd(target.getBody())) {}

  /// Appends the kernel to the target module, or says what it cannot be.
  mlir::LogicalResult run();

private:
  /// A place in memory.
  struct Place {
    /// The array, in GM; null in a local memory.
    mlir::Value array;
    /// Elements from the start of the array (index), or the byte of the local memory (i64).
    mlir::Value offset;
    /// In a local memory: at most so many elements are from here to the end of the buffer.
    int64_t elements = 0;
  };

  /// A number that is known, or the value that holds it.
  struct Amount {
    std::optional<int64_t> number;
    mlir::Value value;

    bool isOne() const { return number == 1; }
  };

  /// Rows of elements in UB.
  struct Rows {
    mlir::Value memory;
    Amount rows;
    Amount cols;
    /// Elements from one row to the next.
    int64_t pitch;
    /// What elements are seen as; null for what they are.
    mlir::Type element = {};
  };

  // Structure (KernelExporter.cpp).
  mlir::LogicalResult checkForm();
  mlir::LogicalResult checkBuffers();
  mlir::LogicalResult makeTaskTypeFunction();
  void makeFunction();
  void exportId(mlir::Operation &op);
  void mapArguments();
  mlir::LogicalResult exportBlock(mlir::Block &block);
  mlir::LogicalResult exportOp(mlir::Operation &op);
  mlir::LogicalResult exportScalar(mlir::Operation &op);
  mlir::LogicalResult exportArrayQuery(mlir::Operation &op, int64_t dimension);
  void exportAddress(ascend::AddressOp op);
  Place getElementPlace(mlir::Value array, mlir::OperandRange indices);
  mlir::LogicalResult exportLoadIndex(ascend::LoadIndexOp op);
  mlir::LogicalResult exportLookup(ascend::LookupOp op);
  void exportSlot(ascend::SlotOp op);
  void exportSlice(ascend::SliceOp op);
  mlir::LogicalResult exportFor(mlir::scf::ForOp op);
  mlir::LogicalResult exportIf(mlir::scf::IfOp op);

  // Numbers.
  mlir::Value index(int64_t number);
  mlir::Value word(int64_t number);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value multiply(mlir::Value lhs, mlir::Value rhs);
  mlir::Value toIndex(mlir::Value word);
  mlir::Value toWord(mlir::Value index);
  /// A size or stride of the signature: a number or a name.
  mlir::Value getNumber(llvm::StringRef text);
  Amount getAmount(mlir::Value index);
  static Amount getAmount(int64_t number) { return {number, {}}; }
  mlir::Value getValue(const Amount &amount) {
    return amount.number ? index(*amount.number) : amount.value;
  }

  // Instructions (Instructions.cpp).
  mlir::LogicalResult exportInstruction(mlir::Operation &op);
  template <typename Op> mlir::LogicalResult writeOrRefuse(Op op);
  // One per row of the table that HIVM has an equivalent of.
#define ATTN_INSTRUCTION(name, group, pipe, kinds, elements, call, hivm, family)                   \
  mlir::LogicalResult write(ascend::name##Op op);
#define ATTN_SYNCHRONISATION(name, call) mlir::LogicalResult write(ascend::name##Op op);
#include "attn/Dialect/Ascend/IR/Instructions.def"
  template <typename HIVMOp, typename Op> mlir::LogicalResult writeFlag(Op op);
  mlir::LogicalResult writeElementwise(mlir::Operation *op, ascend::BinaryKind kind,
                                       mlir::ValueRange sources, mlir::Value dst,
                                       mlir::Value scratch, llvm::ArrayRef<int64_t> broadcast);
  /// The op `HIVMOp`, or an error at `op` where HIVM has none.
  template <typename HIVMOp>
  mlir::LogicalResult create(mlir::Operation *op, mlir::ValueRange sources, mlir::Value dst,
                             mlir::Value scratch, llvm::ArrayRef<int64_t> broadcast);
  /// The memory that a vector instruction in count or repeat form works on, operand by operand.
  /// Elements are seen as of the type `element` where that is given.
  template <typename Op>
  mlir::LogicalResult getViews(Op op, mlir::ValueRange operands,
                               llvm::SmallVectorImpl<mlir::Value> &views,
                               llvm::SmallVectorImpl<int64_t> &broadcast, mlir::Type element = {});
  /// `count` elements of UB, seen as of the type `element` where that is given.
  mlir::Value getRun(mlir::Value memory, const Amount &count, mlir::Type element = {});
  mlir::Value getTile(const Rows &tile);
  mlir::Value getWhole(mlir::Value memory);
  mlir::Value getArrayRows(mlir::Value memory, const Amount &rows, const Amount &cols,
                           const Amount &pitch);

  // Cube cores (CubeInstructions.cpp).
  /// A matrix in fractals, in L1 or L0C.
  struct Matrix {
    mlir::Value memory;
    Amount cols;
    /// The rows that a column block has room for.
    Amount rows;
  };
  /// The most columns that a matrix has, as far as its type will say.
  int64_t getMostCols(const Matrix &matrix);
  /// Its fractals, from `offset` elements on.
  mlir::Value getFractals(const Matrix &matrix, mlir::Value offset = {});
  mlir::Value getRow(mlir::Value memory);
  Amount divideUp(const Amount &amount, int64_t divisor);
  mlir::LogicalResult checkBias(ascend::MatmulOp op, const Matrix &b);
  mlir::FailureOr<int64_t> getPartOfSums(ascend::MatmulOp op, const Matrix &a, const Matrix &b);
  void writeProduct(ascend::MatmulOp op, const Matrix &a, const Matrix &b, const Matrix &c,
                    mlir::Value first, const Amount &k);
  void writeParts(ascend::MatmulOp op, const Matrix &a, const Matrix &b, const Matrix &c,
                  int64_t part);

  mlir::func::FuncOp kernel;
  /// The kernel that is launched: itself, or the one it is half of.
  mlir::func::FuncOp whole;
  bool isForCubes;
  bool isMixed;
  mlir::func::FuncOp function;
  mlir::OpBuilder builder;
  launch::Signature signature;
  /// The launcher's argument for flags between cores; null where the kernel has none.
  mlir::Value flagBase;
  mlir::IRMapping scalars;
  llvm::StringMap<mlir::Value> parameters;
  llvm::DenseMap<mlir::Value, Place> places;
  /// The kernel's argument that each array comes from: itself, or the table it was looked up in.
  llvm::DenseMap<mlir::Value, unsigned> arrays;
};

} // namespace attn::hivm

#endif // ATTN_LIB_CONVERSION_ASCENDTOHIVM_KERNELEXPORTER_H
