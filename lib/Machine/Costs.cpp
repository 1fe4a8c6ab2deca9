// What instructions cost: lookups in the tables CostFacts.def and VectorCosts.def, and the bank
// rules of UB.
#include "attn/Machine/Costs.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <array>
#include <bitset>

using namespace attn;

llvm::SmallVector<CostFact> attn::getFacts(const Costs &costs) {
  return {
#define ATTN_COST(member, value, unit, source) CostFact{#member, costs.member, unit, source},
#include "attn/Machine/CostFacts.def"
  };
}

VectorCost attn::getVectorCost(VectorFamily family, int64_t elementBytes) {
  struct Row {
    double slope32, slope16, start, drain;
    llvm::StringLiteral source;
  };
  static constexpr Row rows[] = {
#define ATTN_VECTOR_COST(family, slope32, slope16, start, drain, source)                           \
  {slope32, slope16, start, drain, source},
#include "attn/Machine/VectorCosts.def"
  };
  const Row &row = rows[static_cast<size_t>(family)];
  return {elementBytes <= 2 ? row.slope16 : row.slope32, row.start, row.drain, row.source};
}

//===----------------------------------------------------------------------===//
// Banks of UB: 48 banks of 4 KiB, interleaved by 32-byte blocks in 16 groups of 3.
//===----------------------------------------------------------------------===//

namespace {

constexpr int64_t groupCount = 16, bankCount = 3 * groupCount;

int64_t getGroup(int64_t address) { return (address >> 5) & (groupCount - 1); }
int64_t getBank(int64_t address) { return getGroup(address) + groupCount * (address >> 16); }

int64_t getAddress(const BankOperand &operand, int64_t repeat, int64_t block) {
  return operand.address + repeat * operand.repeatStride + block * operand.blockStride;
}

bool isSame(const BankOperand &a, const BankOperand &b) {
  return a.address == b.address && a.blockStride == b.blockStride &&
         a.repeatStride == b.repeatStride;
}

/// Cycles beyond one that the reads of a repeat take: a group serves one block per cycle.
int64_t countExtraReads(llvm::ArrayRef<BankOperand> sources, int64_t repeat) {
  std::array<int64_t, groupCount> reads = {};
  for (const BankOperand &source : sources) {
    // The same data twice (v * v) is read once: the GELU measurement of costs.md §6 has no conflict
    // there.
    if (&source != sources.begin() && isSame(source, sources.front()))
      continue;
    int64_t distinct = source.blockStride == 0 ? 1 : source.blocks;
    for (int64_t block = 0; block < distinct; ++block)
      ++reads[getGroup(getAddress(source, repeat, block))];
  }
  return std::max<int64_t>(0, *llvm::max_element(reads) - 1);
}

/// The banks that a repeat touches.
std::bitset<bankCount> getBanks(const BankOperand &operand, int64_t repeat) {
  std::bitset<bankCount> banks;
  int64_t distinct = operand.blockStride == 0 ? 1 : operand.blocks;
  for (int64_t block = 0; block < distinct; ++block)
    banks.set(getBank(getAddress(operand, repeat, block)) % bankCount);
  return banks;
}

/// Whether a repeat writes a bank that it reads. None where both start in the same bank: the
/// hardware delays the write by one repeat.
bool meetsInBank(const BankOperand &destination, const BankOperand &source, int64_t repeat) {
  if (getBank(getAddress(destination, repeat, 0)) == getBank(getAddress(source, repeat, 0)))
    return false;
  return (getBanks(destination, repeat) & getBanks(source, repeat)).any();
}

} // namespace

double attn::getBankConflicts(const Costs &costs, const BankOperand &destination,
                              llvm::ArrayRef<BankOperand> sources, int64_t repeats) {
  // Equal repeat strides keep the operands' distance, so every repeat is like the first; otherwise
  // the pattern returns after at most 16 repeats, one for each group.
  bool isSteady = llvm::all_of(sources, [&](const BankOperand &source) {
    return source.repeatStride == destination.repeatStride;
  });
  int64_t sampled = std::min<int64_t>(repeats, isSteady ? 1 : groupCount);
  double total = 0;
  for (int64_t repeat = 0; repeat < sampled; ++repeat) {
    total += costs.readConflict * countExtraReads(sources, repeat);
    if (llvm::any_of(sources, [&](const BankOperand &source) {
          return meetsInBank(destination, source, repeat);
        }))
      total += costs.readWriteConflict;
  }
  return sampled == 0 ? 0 : total / sampled;
}

double attn::getVectorWork(const VectorCost &cost, int64_t repeats, double conflictsPerRepeat) {
  double hidden = cost.slope >= 2 ? 1 : 0;
  return repeats * (cost.slope + std::max(0.0, conflictsPerRepeat - hidden));
}

double attn::getLoadsToL0Cycles(const Costs &costs, const OperandLoads &first,
                                const OperandLoads &second) {
  double start = first.form == LoadForm::Whole ? costs.loadTileStart : costs.loadFractalsStart;
  auto getCycles = [&](const OperandLoads &loads) {
    return std::max(loads.work, loads.count * costs.issue);
  };
  return start + getCycles(first) + getCycles(second);
}

double attn::getCopyWork(const Costs &costs, bool isLoad, int64_t rows, int64_t bytes) {
  double cap = isLoad ? costs.loadBytesPerCycle : costs.storeBytesPerCycle;
  return std::max({costs.copyIssue, rows * costs.copyRow, bytes / cap});
}

llvm::ArrayRef<llvm::StringLiteral> attn::getKnownErrors() {
  static constexpr llvm::StringLiteral errors[] = {
#include "attn/Machine/KnownErrors.def"
      "L2 starts empty; what a kernel leaves there is not written to HBM in its time",
      "least certain: launch (2.5-11 us), scalar issue (4-10 cycles), flag latency (5-40 cycles)",
  };
  return errors;
}
