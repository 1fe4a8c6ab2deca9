// Translates the LLVM dialect to LLVM IR and makes optimised machine code of it for this host.
#include "Compiler.h"
#include "attn/Execution/Jit/Jit.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

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
  return builder->createTargetMachine();
}

/// The kernels are vectors already: what is left is the usual clean-up, kept cheap.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopUnrolling = false;
  tuning.LoopInterleaving = false;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

/// Translates and optimises for `machine`.
static llvm::Expected<std::unique_ptr<llvm::Module>>
createOptimizedModule(mlir::ModuleOp module, llvm::TargetMachine &machine,
                      llvm::LLVMContext &context) {
  mlir::registerBuiltinDialectTranslation(*module->getContext());
  mlir::registerLLVMDialectTranslation(*module->getContext());
  std::unique_ptr<llvm::Module> result = mlir::translateModuleToLLVMIR(module, context);
  if (!result)
    return llvm::createStringError("the module cannot be translated to LLVM IR");
  result->setTargetTriple(machine.getTargetTriple());
  result->setDataLayout(machine.createDataLayout());
  optimize(*result, machine);
  return std::move(result);
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> attn::jit::createObject(mlir::ModuleOp module) {
  auto machine = createHostMachine();
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  auto optimized = createOptimizedModule(module, **machine, context);
  if (!optimized)
    return optimized.takeError();
  return llvm::orc::SimpleCompiler(**machine)(**optimized);
}

llvm::Expected<std::string> attn::jit::printLLVM(mlir::ModuleOp module) {
  auto machine = createHostMachine();
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  auto optimized = createOptimizedModule(module, **machine, context);
  if (!optimized)
    return optimized.takeError();
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*optimized)->print(stream, nullptr);
  return text;
}
