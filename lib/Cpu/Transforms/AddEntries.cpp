// The pass `jit-add-entries`: entries that take their arguments as 64-bit words. CPU stage, before
// the LLVM dialect.
#include "attn/Cpu/Transforms/Passes.h"
#include "attn/Launch/IR/LaunchDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace attn {
#define GEN_PASS_DEF_ADDENTRIESPASS
#include "attn/Cpu/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace {

/// The descriptor of a memref in memory: every member is one word, so it needs no padding.
LLVM::LLVMStructType getDescriptorType(MemRefType type) {
  MLIRContext *context = type.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context), word = IntegerType::get(context, 64);
  SmallVector<Type> members = {pointer, pointer, word};
  if (type.getRank() > 0)
    members.append(2, LLVM::LLVMArrayType::get(word, type.getRank()));
  return LLVM::LLVMStructType::getLiteral(context, members);
}

struct AddEntriesPass : attn::impl::AddEntriesPassBase<AddEntriesPass> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (!function.isExternal() && failed(addEntry(function)))
        return signalPassFailure();
  }

private:
  LogicalResult addEntry(func::FuncOp function) {
    // A kernel has no result, and takes its block and the count of blocks last; other functions
    // count tiles.
    bool isKernel = function.getNumResults() == 0;
    ArrayRef<Type> inputs = function.getArgumentTypes();
    if (isKernel &&
        (inputs.size() < 2 || !inputs.back().isIndex() || !inputs.drop_back().back().isIndex()))
      return function.emitOpError("is a kernel, but does not take its block and their count last");
    if (!isKernel && (function.getNumResults() != 1 || !function.getResultTypes()[0].isIndex()))
      return function.emitOpError("returns something else than one index");

    Location loc = function.getLoc();
    std::string name = (function.getName() + ".entry").str();
    if (getOperation().lookupSymbol(name))
      return function.emitOpError() << "needs the name '" << name << "' for its entry; it is taken";
    OpBuilder builder(function->getContext());
    builder.setInsertionPointAfter(function);
    Type pointer = LLVM::LLVMPointerType::get(builder.getContext()), word = builder.getI64Type();
    SmallVector<Type> results(function.getNumResults(), word);
    auto entry = func::FuncOp::create(
        builder, loc, name, builder.getFunctionType({pointer, word, word, pointer}, results));
    entry->setAttr(attn::launch::signatureName, TypeAttr::get(function.getFunctionType()));
    builder.setInsertionPointToStart(entry.addEntryBlock());

    SmallVector<Value> arguments;
    int64_t offset = 0;
    for (Type type : isKernel ? inputs.drop_back(2) : inputs) {
      FailureOr<Value> argument =
          readArgument(builder, function, entry.getArgument(0), type, offset);
      if (failed(argument))
        return failure();
      arguments.push_back(*argument);
    }
    if (isKernel)
      for (Value place : entry.getArguments().slice(1, 2))
        arguments.push_back(
            arith::IndexCastOp::create(builder, loc, builder.getIndexType(), place));
    if (failed(function.insertArgument(inputs.size(), pointer, {}, loc)))
      return failure();
    arguments.push_back(entry.getArguments().back());
    auto call = func::CallOp::create(builder, loc, function, arguments);
    SmallVector<Value> values;
    for (Value result : call.getResults())
      values.push_back(arith::IndexCastOp::create(builder, loc, word, result));
    func::ReturnOp::create(builder, loc, values);
    return success();
  }

  /// Reads an argument at `offset` words and moves the offset after it.
  FailureOr<Value> readArgument(OpBuilder &builder, func::FuncOp function, Value words, Type type,
                                int64_t &offset) {
    Location loc = function.getLoc();
    Type word = builder.getI64Type();
    Value address = LLVM::GEPOp::create(builder, loc, words.getType(), word, words,
                                        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
    if (auto memref = dyn_cast<MemRefType>(type)) {
      offset += 3 + 2 * memref.getRank();
      Value descriptor = LLVM::LoadOp::create(builder, loc, getDescriptorType(memref), address);
      return UnrealizedConversionCastOp::create(builder, loc, type, descriptor).getResult(0);
    }
    ++offset;
    if (type.isIndex())
      return arith::IndexCastOp::create(builder, loc, type,
                                        LLVM::LoadOp::create(builder, loc, word, address))
          .getResult();
    if (type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 64)
      return LLVM::LoadOp::create(builder, loc, type, address).getResult();
    return function.emitOpError() << "takes an argument of type " << type
                                  << ", which cannot be passed in words";
  }
};

} // namespace
