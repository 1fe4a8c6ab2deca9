// Writes the loops and branches of a kernel as AscendC, and the variables that they carry.
#include "KernelEmitter.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascendc;
using namespace attn::launch;

LogicalResult KernelEmitter::declareVariable(Value value, Location location, Value init) {
  std::optional<StringRef> type = getTypeName(value.getType());
  if (!type || *type == "half" || *type == "bfloat16_t")
    return mlir::emitError(location)
           << "a value of type " << value.getType() << " cannot be carried in AscendC text";
  std::string name = addLocalName(value, "carried");
  writer.writeStatement(location, *type + " " + name + (init ? " = " + get(init).text : "") + ";");
  expressions[value] = Expression::primary(name);
  return success();
}

LogicalResult KernelEmitter::emitFor(scf::ForOp op) {
  if (op.getUnsignedCmp() || !getTypeName(op.getInductionVar().getType()))
    return op.emitOpError("cannot be printed as AscendC: not a loop over signed numbers");
  // The loop's name goes to what it counts with.
  Value induction = op.getInductionVar();
  std::string name = addLocalName(induction, "i");
  expressions[induction] = Expression::primary(name);
  for (auto [carried, init, result] :
       llvm::zip(op.getRegionIterArgs(), op.getInitArgs(), op.getResults())) {
    if (failed(declareVariable(carried, op.getLoc(), init)))
      return failure();
    expressions.insert({result, Expression(get(carried))});
  }
  const Expression &step = get(op.getStep());
  std::string advance = step.constant == 1 ? "++" + name : name + " += " + step.text;
  writer.writeStatement(op.getLoc(), "for (" + *getTypeName(induction.getType()) + " " + name +
                                         " = " + get(op.getLowerBound()).text + "; " + name +
                                         " < " + get(op.getUpperBound()).in(Precedence::Shift) +
                                         "; " + advance + ") {");
  writer.indent();
  if (failed(emitBlock(*op.getBody())) ||
      failed(emitYield(*op.getBody()->getTerminator(), op.getRegionIterArgs())))
    return failure();
  writer.outdent();
  writer.writeLine("}");
  return success();
}

LogicalResult KernelEmitter::emitIf(scf::IfOp op) {
  for (Value result : op.getResults())
    if (failed(declareVariable(result, op.getLoc(), /*init=*/nullptr)))
      return failure();
  writer.writeStatement(op.getLoc(), "if (" + get(op.getCondition()).text + ") {");
  writer.indent();
  if (failed(emitBlock(*op.thenBlock())) ||
      failed(emitYield(*op.thenBlock()->getTerminator(), op.getResults())))
    return failure();
  writer.outdent();
  Block *otherwise = op.elseBlock();
  if (otherwise && (op.getNumResults() != 0 || otherwise->getOperations().size() > 1)) {
    writer.writeLine("} else {");
    writer.indent();
    if (failed(emitBlock(*otherwise)) ||
        failed(emitYield(*otherwise->getTerminator(), op.getResults())))
      return failure();
    writer.outdent();
  }
  writer.writeLine("}");
  return success();
}

LogicalResult KernelEmitter::emitYield(Operation &yield, ValueRange variables) {
  // All values are taken before any variable changes.
  SmallVector<std::string> values;
  for (auto [value, variable] : llvm::zip(yield.getOperands(), variables)) {
    Expression next = get(value);
    if (variables.size() > 1 && !next.constant && next.text != get(variable).text) {
      std::string name = names.add("next_" + get(variable).text, "next");
      writer.writeStatement(yield.getLoc(), "const " + *getTypeName(value.getType()) + " " + name +
                                                " = " + next.text + ";");
      next = Expression::primary(name);
    }
    values.push_back(next.text);
  }
  for (auto [text, variable] : llvm::zip(values, variables))
    if (text != get(variable).text)
      writer.writeStatement(yield.getLoc(), get(variable).text + " = " + text + ";");
  return success();
}
