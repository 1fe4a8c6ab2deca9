// attn-test-opt: the passes of attn-opt on kernels with test instructions, and a pass that shows
// what an access is made of.
#include "attn/Dialect/Ascend/IR/Ascend.h"
#include "attn/Pipelines/Registration.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#include "TestDialect.h.inc"
#define GET_OP_CLASSES
#include "TestOps.h.inc"

using namespace mlir;
using namespace attn;

#include "TestDialect.cpp.inc"
#define GET_OP_CLASSES
#include "TestOps.cpp.inc"

void test::TestDialect::initialize() { addOperations<InstructionOp>(); }

void test::InstructionOp::getAccesses(SmallVectorImpl<ascend::Access> &accesses,
                                      const IndexRanges &) {
  ascend::Access access{getMemory(), getWrites(), /*toEnd=*/false, static_cast<int64_t>(getRun())};
  for (ArrayRef<int64_t> rest = getLevels(); rest.size() >= 2; rest = rest.drop_front(2))
    access.levels.push_back({rest[0], rest[1]});
  if (!getRange().empty()) {
    access.range.emplace().length = getRange().front();
    for (ValueRange rest = getRange().drop_front(); rest.size() >= 2; rest = rest.drop_front(2))
      access.range->levels.push_back({rest[0], rest[1]});
  }
  accesses.push_back(access);
}

namespace {

/// The bytes that levels reach, one by one, without the code of `Access`.
std::set<int64_t> getBytes(const ascend::Access &access) {
  std::set<int64_t> bytes;
  for (int64_t byte = 0; byte < access.runBytes; ++byte)
    bytes.insert(byte);
  for (ascend::AccessLevel level : access.levels) {
    std::set<int64_t> below = std::exchange(bytes, {});
    for (int64_t copy = 0; copy < level.count; ++copy)
      for (int64_t byte : below)
        bytes.insert(byte + copy * level.pitchBytes);
  }
  return bytes;
}

struct PrintAccesses : PassWrapper<PrintAccesses, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintAccesses)

  StringRef getArgument() const override { return "test-print-accesses"; }
  StringRef getDescription() const override {
    return "Says in remarks which bytes instructions touch, and checks that all questions about "
           "them get the same answer";
  }
  void runOnOperation() override {
    getOperation().walk([&](test::InstructionOp op) { print(op); });
  }

  void print(test::InstructionOp op) {
    SmallVector<ascend::Access> accesses;
    op.getAccesses(accesses, IndexRanges());
    const ascend::Access &access = accesses.front();
    std::set<int64_t> bytes = getBytes(access), visited;
    InFlightDiagnostic remark = op.emitRemark() << "touches";
    access.forEachRun(std::numeric_limits<int64_t>::max(), [&](int64_t begin, int64_t end) {
      remark << " " << begin << "-" << end - 1;
      for (int64_t byte = begin; byte < end; ++byte)
        visited.insert(byte);
    });
    if (visited != bytes)
      remark << ", but not by forEachRun";
    if (access.getExtentBytes() != (bytes.empty() ? 0 : *bytes.rbegin() + 1))
      remark << ", but not by getExtentBytes";
    for (int64_t byte = -1; byte <= access.getExtentBytes(); ++byte)
      if (access.covers(byte, byte + 1) != (bytes.count(byte) != 0)) {
        remark << ", but covers differs at " << byte;
        return;
      }
  }
};

} // namespace

int main(int argc, char **argv) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registry.insert<test::TestDialect>();
  registerAllPasses();
  PassRegistration<PrintAccesses>();
  return asMainReturnCode(MlirOptMain(argc, argv, "attn-opt for tests\n", registry));
}
