// The scalar program of one block of HIVM text: follows the ops and turns them into instructions.
#ifndef ATTN_LIB_SIMULATOR_HIVM_PROGRAM_H
#define ATTN_LIB_SIMULATOR_HIVM_PROGRAM_H

#include "attn/Dialect/HIVM/IR/HIVM.h"
#include "attn/Simulator/Launch/TextLaunch.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <map>

namespace attn::hivm {

/// What the launcher gives for the flags between cores; no address of an array.
constexpr int64_t flagBase = int64_t(1) << 60;

/// Memory as an op names it. Strides count elements.
struct View {
  simulator::Memory memory = simulator::Memory::UB;
  /// The byte of the local memory, or the address in GM, of the first element.
  int64_t address = 0;
  simulator::Element element = simulator::Element::F32;
  llvm::SmallVector<int64_t, 4> sizes;
  llvm::SmallVector<int64_t, 4> strides;
  /// The bytes that belong to it: in local memory those of a buffer, with its number; in GM the end
  /// alone.
  int64_t begin = 0;
  int64_t end = std::numeric_limits<int64_t>::max();
  int32_t buffer = -1;
};

/// The name of an op as reports have it: `vmul`.
llvm::StringRef getSpelling(mlir::Operation *op);

/// What all cores of a kernel share.
struct Kernel {
  /// What cores of each kind run, where cores of that kind take part.
  mlir::func::FuncOp vectorEntry;
  mlir::func::FuncOp cubeEntry;
  /// What the parameters get, hidden ones included.
  llvm::SmallVector<simulator::Scalar> arguments;
  llvm::ArrayRef<simulator::DeviceMemory> memory;
  const Chip &chip;
  int64_t blocks;
  int64_t maxSteps;
  simulator::Listing listing;
  /// Instructions by op and by what differs between its executions; buffers by their bytes.
  std::map<std::pair<mlir::Operation *, std::vector<int64_t>>, int32_t> instructions;
  std::map<std::tuple<simulator::Memory, int64_t, int64_t>, int32_t> buffers;
};

class Program : public simulator::ScalarProgram {
public:
  Program(Kernel &kernel, const simulator::CorePlace &place);

  Stop run(simulator::Issued &next) override;

private:
  /// Rows of elements that lie side by side.
  struct Rows {
    int64_t rows;
    int64_t cols;
    /// Elements from one row to the next.
    int64_t pitch;
  };

  // Each of these returns false after `fail`.
  bool fail(mlir::Operation *op, simulator::HazardKind kind, const llvm::Twine &message);
  void failEndless(mlir::Operation *op);

  // Control flow and scalars (Program.cpp).
  bool visit(mlir::Operation *op);
  bool enter(mlir::scf::ForOp op);
  void enter(mlir::scf::IfOp op);
  bool leave(mlir::scf::YieldOp op);
  bool finish(mlir::func::ReturnOp op);
  bool enterIteration(mlir::scf::ForOp op);
  void assign(mlir::ValueRange targets, mlir::ValueRange sources);
  bool evaluate(mlir::Operation *op);
  bool lookUp(mlir::memref::LoadOp op);
  int64_t get(mlir::Value value) const { return scalars.lookup(value).integer; }
  int64_t get(mlir::OpFoldResult number) const;
  llvm::SmallVector<int64_t, 4> get(llvm::ArrayRef<mlir::OpFoldResult> numbers) const;

  // Views (Program.cpp).
  void define(PointerCastOp op);
  void define(mlir::memref::ReinterpretCastOp op);
  void define(mlir::memref::SubViewOp op);
  /// The buffer that has these bytes of a local memory.
  int32_t getBuffer(simulator::Memory memory, int64_t begin, int64_t end, mlir::Location location);

  // Instructions (Instructions.cpp).
  bool execute(mlir::Operation *op);
  bool move(LoadOp op);
  bool move(StoreOp op);
  bool copyRows(mlir::Operation *op, simulator::Opcode opcode, const View &local,
                const View &global);
  bool checkGlobal(mlir::Operation *op, const View &global, const Rows &rows);
  bool computeBinary(mlir::Operation *op, ascend::BinaryKind kind, mlir::ValueRange sources,
                     mlir::Value dst, mlir::Value scratch, llvm::ArrayRef<int64_t> broadcast);
  bool computeRows(mlir::Operation *op, ascend::BinaryKind kind, llvm::ArrayRef<View> operands,
                   mlir::Value scratch);
  bool computeBitwise(mlir::Operation *op, ascend::BitwiseKind kind, mlir::ValueRange sources,
                      mlir::Value dst, llvm::ArrayRef<int64_t> broadcast);
  bool computeUnary(mlir::Operation *op, ascend::UnaryKind kind, mlir::Value src, mlir::Value dst);
  bool computeCast(VCastOp op);
  bool fill(VBrcOp op);
  bool transpose(VTransposeOp op);
  bool reduce(VReduceOp op);
  /// An elementwise instruction on tiles, destination first: one in all where the rows follow each
  /// other, else one per row. Sources of one row are taken for every row if dimension 0 is
  /// broadcast.
  bool issueTiles(mlir::Operation *op, simulator::Opcode opcode, int kind,
                  llvm::ArrayRef<View> operands, llvm::ArrayRef<int64_t> broadcast = {},
                  simulator::Scalar scalar = {});

  // Order of pipes and cores (SyncInstructions.cpp).
  bool issueFlag(mlir::Operation *op, simulator::Opcode opcode, Pipe source, Pipe target,
                 int64_t event);
  bool issueBarrier(PipeBarrierOp op);
  bool raiseMeetingFlag(SyncBlockSetOp op);
  bool meet(SyncBlockWaitOp op);
  bool isFlagBaseKnown(SyncBlockSetOp op);
  bool setCross(SyncBlockSetOp op);
  bool waitCross(SyncBlockWaitOp op);

  // Cube cores (CubeInstructions.cpp).
  bool move(Nd2NzOp op);
  bool fillRun(VBrcOp op);
  bool computeProduct(MmadL1Op op);
  bool checkBias(MmadL1Op op, const View &b);
  bool checkProduct(MmadL1Op op, const View &a, const View &b, int64_t rows);
  bool move(FixpipeOp op);
  /// Calls `moveRows` with the rows of `global`, all of which exist, unless there are none.
  bool forRows(mlir::Operation *op, const View &global,
               llvm::function_ref<bool(const Rows &)> moveRows);
  View getWhole(simulator::Memory memory, simulator::Element element, mlir::Location location);

  bool checkArithmetic(mlir::Operation *op, llvm::ArrayRef<View> operands, bool takesHalf);
  bool getRows(mlir::Operation *op, const View &view, Rows &rows);
  bool getPlace(mlir::Operation *op, const View &view, simulator::Place &place);
  /// The instruction of `op` as `made` describes it; `differing` is what of it depends on the
  /// execution.
  const simulator::Instruction *getInstruction(mlir::Operation *op, simulator::Instruction made,
                                               std::vector<int64_t> differing = {});
  bool issue(mlir::Operation *op, const simulator::Instruction *instruction,
             llvm::ArrayRef<View> operands, std::array<int64_t, 3> amounts,
             simulator::Scalar scalar = {});

  Kernel &kernel;
  bool isForCubes;
  bool isMixed;
  simulator::CorePlace place;
  int64_t stepsLeft;
  llvm::DenseMap<mlir::Value, simulator::Scalar> scalars;
  llvm::DenseMap<mlir::Value, View> views;
  /// The next op of each block that the program is in, innermost last.
  llvm::SmallVector<mlir::Block::iterator> frames;
  /// Instructions that an op has made and the core has not taken yet.
  std::deque<simulator::Issued> pending;
  // The first statements of a kernel.
  bool isMaskSet = false;
  bool isFlagBaseSet = false;
  /// Whether nothing was issued since all pipes were waited for.
  bool arePipesDone = true;
  /// The flag between cores that is raised and not waited for.
  std::optional<int64_t> raisedFlag;
};

} // namespace attn::hivm

#endif // ATTN_LIB_SIMULATOR_HIVM_PROGRAM_H
