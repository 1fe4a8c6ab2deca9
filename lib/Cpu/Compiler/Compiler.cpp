// Translates the LLVM dialect to LLVM IR and makes optimised machine code of it for this host.
#include "Compiler.h"
#include "attn/Cpu/Compiler/Jit.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/CorrelatedValuePropagation.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace attn::jit;

/// The machine this runs on, with all its vector instructions.
static llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createHostMachine() {
  static const bool isInitialized = [] {
    return !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter();
  }();
  if (!isInitialized)
    return llvm::createStringError("LLVM was built without code generation for this host");
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  // The code runs wherever it is mapped.
  builder->setRelocationModel(llvm::Reloc::PIC_).setCodeModel(llvm::CodeModel::Small);
  // The next level schedules a second time, which the hosts that run this do by themselves.
  builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::Less);
  return builder->createTargetMachine();
}

/// Kernels come as vectors, with loops and calls as they should be. What is left to do: fields of
/// memref descriptors and indices that are computed twice, checks that others imply, loops that
/// should test at their end, and what does not change in them.
static llvm::FunctionPassManager createCleanUp() {
  llvm::LoopPassManager loops;
  loops.addPass(llvm::LoopRotatePass());
  loops.addPass(llvm::LICMPass(llvm::LICMOptions()));
  llvm::FunctionPassManager functions;
  functions.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  functions.addPass(llvm::EarlyCSEPass());
  functions.addPass(llvm::SimplifyCFGPass());
  functions.addPass(llvm::InstCombinePass());
  functions.addPass(llvm::CorrelatedValuePropagationPass());
  functions.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/true));
  functions.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  functions.addPass(llvm::SimplifyCFGPass());
  return functions;
}

/// LLVM's own pipelines run most passes several times, and look for what is not in kernels: calls
/// to inline, loops to vectorise. They take about four times as long.
static void runPasses(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PassBuilder builder(&machine);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  llvm::FunctionPassManager cleanUp = createCleanUp();
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      cleanUp.run(function, functions);
}

/// A vector of 16-bit floats as one of words. A bitcast alone would not do: code generation takes
/// it off a store again.
static llvm::Value *createWords(llvm::IRBuilder<> &builder, llvm::Value *value) {
  llvm::Type *type = value->getType()->getWithNewType(builder.getInt16Ty());
  if (auto *cast = llvm::dyn_cast<llvm::BitCastInst>(value); cast && cast->getSrcTy() == type)
    return cast->getOperand(0);
  if (auto *select = llvm::dyn_cast<llvm::SelectInst>(value))
    return builder.CreateSelect(select->getCondition(),
                                createWords(builder, select->getTrueValue()),
                                createWords(builder, select->getFalseValue()));
  return builder.CreateBitCast(value, type);
}

/// Stores of bf16 become stores of words: LLVM 22 has no store of bf16 past the caches and makes it
/// a plain one, and where the host has no bf16 it takes vectors apart to choose between them. After
/// the optimisation, which would undo it.
static void storeWords(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      if (!store || !store->getValueOperand()->getType()->getScalarType()->isBFloatTy())
        continue;
      llvm::IRBuilder<> builder(store);
      store->setOperand(0, createWords(builder, store->getValueOperand()));
    }
}

/// Translates for `machine`.
static llvm::Expected<std::unique_ptr<llvm::Module>> createModule(mlir::ModuleOp module,
                                                                  bool optimize,
                                                                  llvm::TargetMachine &machine,
                                                                  llvm::LLVMContext &context) {
  mlir::registerBuiltinDialectTranslation(*module->getContext());
  mlir::registerLLVMDialectTranslation(*module->getContext());
  std::unique_ptr<llvm::Module> result = mlir::translateModuleToLLVMIR(module, context);
  if (!result)
    return llvm::createStringError("the module cannot be translated to LLVM IR");
  result->setTargetTriple(machine.getTargetTriple());
  result->setDataLayout(machine.createDataLayout());
  if (optimize)
    runPasses(*result, machine);
  storeWords(*result);
  return std::move(result);
}

/// Returns what `finish` makes of the module as LLVM IR for this machine's CPU.
template <typename Result>
static llvm::Expected<Result> compileForHost(
    mlir::ModuleOp module, bool optimize,
    llvm::function_ref<llvm::Expected<Result>(llvm::Module &, llvm::TargetMachine &)> finish) {
  auto machine = createHostMachine();
  if (!machine)
    return machine.takeError();
  if (!optimize)
    (*machine)->setOptLevel(llvm::CodeGenOptLevel::None);
  llvm::LLVMContext context;
  auto translated = createModule(module, optimize, **machine, context);
  if (!translated)
    return translated.takeError();
  return finish(**translated, **machine);
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> attn::jit::createObject(mlir::ModuleOp module,
                                                                            bool optimize) {
  using Object = std::unique_ptr<llvm::MemoryBuffer>;
  return compileForHost<Object>(module, optimize,
                                [](llvm::Module &translated, llvm::TargetMachine &machine) {
                                  return llvm::orc::SimpleCompiler(machine)(translated);
                                });
}

llvm::Expected<std::string> attn::jit::printLLVM(mlir::ModuleOp module) {
  return compileForHost<std::string>(
      module, /*optimize=*/true,
      [](llvm::Module &optimized, llvm::TargetMachine &) -> llvm::Expected<std::string> {
        std::string text;
        llvm::raw_string_ostream stream(text);
        optimized.print(stream, nullptr);
        return text;
      });
}
