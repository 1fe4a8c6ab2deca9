// The execution of products: L0C takes the sums of what L0A and L0B, or two matrices of L1, hold.
#include "Execution.h"
#include "Fractals.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

// A product and the addition of it are rounded apart, as on every compiler that builds this.
#pragma STDC FP_CONTRACT OFF

using namespace mlir;
using namespace attn;
using namespace attn::simulator;
using architecture::fractalBytes;
using architecture::fractalRows;

namespace {

/// Sums of integers wrap.
using IntegerSum = uint32_t;

template <typename Number> Number loadFactor(Element element, const uint8_t *at) {
  if constexpr (std::is_same_v<Number, IntegerSum>)
    return static_cast<IntegerSum>(static_cast<int8_t>(*at));
  else
    return loadElement(element, at);
}

template <typename Number> Number loadSum(const uint8_t *at) {
  Number value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

/// The elements of an operand, row by row.
template <typename Number>
std::vector<Number> loadFactors(const ProductOperand &operand, Element element,
                                const uint8_t *data) {
  std::vector<Number> values(operand.rows * operand.cols);
  Number *next = values.data();
  SmallVector<int64_t> columns;
  for (int64_t col = 0; col < operand.cols; ++col)
    columns.push_back(operand.layout.cols.at(col) * getBytes(element));
  for (int64_t row = 0; row < operand.rows; ++row) {
    const uint8_t *begin = data + operand.layout.rows.at(row) * getBytes(element);
    for (int64_t column : columns)
      *next++ = loadFactor<Number>(element, begin + column);
  }
  return values;
}

} // namespace

bool Execution::checkProduct(int64_t mostInner) {
  auto [m, n, k] = issued.amounts;
  if (!checkAlignment() || !checkExtent(m, "rows", architecture::maxMmadExtent) ||
      !checkExtent(n, "columns", architecture::maxMmadExtent) ||
      !checkExtent(k, "elements in a sum", mostInner))
    return false;
  return m != 1 || report(HazardKind::Limit,
                          "has one row, for which the chip takes another layout of its operands");
}

void Execution::touchSums(int bias) {
  auto [m, n, k] = issued.amounts;
  bool isInit = issued.scalar.integer != 0;
  int64_t fractals = llvm::divideCeil(m, fractalRows) * llvm::divideCeil(n, fractalRows);
  int64_t dst = issued.places[0].offset;
  int64_t end = dst + fractals * architecture::sumFractalElements * getElementBytes(0);
  touch(0, /*isWrite=*/true, dst, end);
  if (!isInit)
    touch(0, /*isWrite=*/false, dst, end);
  // The pipe keeps products into many fractals in order by itself.
  for (Touch &touch : touches)
    touch.isOrdered |= touch.operand == 0 && fractals >= architecture::orderedMmadFractals;
  if (bias >= instruction.getOperandCount())
    return;
  // Out of L1 the row is loaded to the bias table by every product.
  if (!isInit && issued.places[bias].memory != Memory::L1)
    return;
  int64_t begin = issued.places[bias].offset;
  touch(bias, /*isWrite=*/false, begin,
        begin + llvm::alignTo(n, fractalRows) * getElementBytes(bias));
}

Layout Execution::getSumLayout() const {
  return getNZ(llvm::alignTo(issued.amounts[0], fractalRows), fractalRows);
}

//===----------------------------------------------------------------------===//
// Definedness
//===----------------------------------------------------------------------===//

void Execution::collectUndefinedLines(const ProductOperand &operand, bool alongRows,
                                      SmallVectorImpl<std::optional<Origin>> &lines) {
  const Layout &layout = operand.layout;
  UndefinedElements undefined(getMemory(operand.index), issued.places[operand.index].offset,
                              layout.at(operand.rows - 1, operand.cols - 1) + 1,
                              getElementBytes(operand.index));
  if (undefined.empty())
    return;
  for (int64_t row = 0; row < operand.rows; ++row)
    for (int64_t col = 0; col < operand.cols; ++col)
      if (std::optional<Origin> &line = lines[alongRows ? row : col]; !line)
        if (const UndefinedRange *range = undefined.find(layout.at(row, col)))
          line = follow(range->origin, operand.index);
}

void Execution::propagateProduct(const ProductOperand &left, const ProductOperand &right,
                                 int bias) {
  auto [m, n, k] = issued.amounts;
  bool isInit = issued.scalar.integer != 0;
  int64_t dst = issued.places[0].offset, bytes = getElementBytes(0);
  ByteMemory &sums = getMemory(0);
  Layout layout = getSumLayout();
  SmallVector<std::optional<Origin>> rowOrigins(m), colOrigins(n);
  collectUndefinedLines(left, /*alongRows=*/true, rowOrigins);
  collectUndefinedLines(right, /*alongRows=*/false, colOrigins);
  if (isInit && bias < instruction.getOperandCount())
    collectUndefinedLines({bias, getRowMajor(n), 1, n}, /*alongRows=*/false, colOrigins);
  UndefinedElements old(sums, dst, isInit ? 0 : layout.at(m - 1, n - 1) + 1, bytes);
  defineDestination();
  auto undefine = [&](int64_t row, int64_t col, int64_t count, Origin origin) {
    int64_t begin = dst + layout.at(row, col) * bytes;
    sums.undefine(begin, begin + count * bytes, origin);
  };
  auto isSet = [](const std::optional<Origin> &origin) { return origin.has_value(); };
  bool hasUndefinedCols = llvm::any_of(colOrigins, isSet);
  for (int64_t row = 0; row < m; ++row) {
    if (rowOrigins[row]) {
      for (int64_t col = 0; col < n; col += fractalRows)
        undefine(row, col, std::min(fractalRows, n - col), *rowOrigins[row]);
      continue;
    }
    if (!hasUndefinedCols && old.empty())
      continue;
    for (int64_t col = 0; col < n; ++col) {
      if (const UndefinedRange *range = old.find(layout.at(row, col)))
        undefine(row, col, 1, follow(range->origin, 0));
      else if (colOrigins[col])
        undefine(row, col, 1, *colOrigins[col]);
    }
  }
  // What the last fractals have beyond the result.
  int64_t room = llvm::alignTo(m, fractalRows), rest = llvm::alignTo(n, fractalRows) - n;
  for (int64_t col = 0; col < n && m < room; col += fractalRows)
    undefine(m, col, (room - m) * fractalRows, Origin());
  for (int64_t row = 0; row < m && rest > 0; ++row)
    undefine(row, n, rest, Origin());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Every sum starts from what `init` and the bias say and then takes its products in the order of
/// k, one by one, each rounded and added on its own: cutting k changes no bit.
template <typename Number>
void Execution::computeProduct(const ProductOperand &left, const ProductOperand &right, int bias) {
  auto [m, n, k] = issued.amounts;
  Element element = instruction.elements[left.index];
  auto load = [&](const ProductOperand &operand) {
    return loadFactors<Number>(operand, element,
                               getMemory(operand.index).at(issued.places[operand.index].offset));
  };
  std::vector<Number> lefts = load(left), rights = load(right), sums(n);
  bool isInit = issued.scalar.integer != 0;
  bool hasBias = isInit && bias < instruction.getOperandCount();
  uint8_t *dst = getMemory(0).at(issued.places[0].offset);
  Layout layout = getSumLayout();
  for (int64_t row = 0; row < m; ++row) {
    for (int64_t col = 0; col < n; ++col)
      if (hasBias)
        sums[col] =
            loadSum<Number>(getMemory(bias).at(issued.places[bias].offset + col * sizeof(Number)));
      else
        sums[col] =
            isInit ? Number(0) : loadSum<Number>(dst + layout.at(row, col) * sizeof(Number));
    for (int64_t inner = 0; inner < k; ++inner) {
      Number factor = lefts[row * k + inner];
      const Number *others = &rights[inner * n];
      for (int64_t col = 0; col < n; ++col)
        sums[col] += factor * others[col];
    }
    for (int64_t col = 0; col < n; ++col)
      std::memcpy(dst + layout.at(row, col) * sizeof(Number), &sums[col], sizeof(Number));
  }
}

void Execution::addProduct(const ProductOperand &left, const ProductOperand &right, int bias) {
  if (instruction.elements[left.index] == Element::Int8)
    computeProduct<IntegerSum>(left, right, bias);
  else
    computeProduct<float>(left, right, bias);
  propagateProduct(left, right, bias);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

void Execution::runMmad() {
  constexpr int bias = 3;
  auto [m, n, k] = issued.amounts;
  if (!checkProduct(architecture::maxMmadExtent) || m == 0 || n == 0 || k == 0)
    return;
  int64_t perBlock = getElementsPerBlock(1), inner = llvm::divideCeil(k, perBlock);
  for (auto [operand, extent] : {std::pair<int, int64_t>(1, m), {2, n}}) {
    int64_t begin = issued.places[operand].offset;
    touch(operand, /*isWrite=*/false, begin,
          begin + llvm::divideCeil(extent, fractalRows) * inner * fractalBytes);
  }
  touchSums(bias);
  if (checkBounds())
    addProduct({1, getZZ(k, perBlock), m, k}, {2, getZN(n, perBlock), k, n}, bias);
}

/// As a whole: the parts that its scratch takes leave no trace but that the scratch is undefined.
void Execution::runMatmul() {
  constexpr int firstScratch = 3, bias = 5;
  auto [m, n, k] = issued.amounts;
  if (!checkProduct(chip.getUsableBytes(LocalMemory::L1)) || m == 0 || n == 0 || k == 0)
    return;
  int64_t perBlock = getElementsPerBlock(1);
  auto getOperand = [&](int index, int64_t rows, int64_t cols, bool isTurned) {
    Layout layout = getNZ(instruction.strides[index - 1], perBlock);
    return ProductOperand{index, isTurned ? layout.turn() : layout, rows, cols};
  };
  ProductOperand left = getOperand(1, m, k, instruction.transposesLeft);
  ProductOperand right = getOperand(2, k, n, instruction.transposesRight);
  for (auto [operand, isTurned] :
       {std::pair<ProductOperand &, bool>(left, instruction.transposesLeft),
        {right, instruction.transposesRight}}) {
    int64_t rows = isTurned ? operand.cols : operand.rows;
    int64_t blocks = llvm::divideCeil(isTurned ? operand.rows : operand.cols, perBlock);
    int64_t room = instruction.strides[operand.index - 1];
    if (!checkRoom(rows, blocks, room))
      return;
    touchColumnBlocks(operand.index, /*isWrite=*/false, llvm::alignTo(rows, fractalRows), blocks,
                      room, blockBytes);
  }
  for (int scratch : {firstScratch, firstScratch + 1})
    touch(scratch, /*isWrite=*/true, issued.places[scratch].offset, issued.places[scratch].end);
  touchSums(bias);
  if (!checkBounds())
    return;
  for (int scratch : {firstScratch, firstScratch + 1})
    getMemory(scratch).undefine(issued.places[scratch].offset, issued.places[scratch].end,
                                Origin());
  addProduct(left, right, bias);
}
