// The passes that keep kernels of the host inside their arrays; part of Passes.td.
#ifndef ATTN_CPU_TRANSFORMS_BOUNDSPASSES
#define ATTN_CPU_TRANSFORMS_BOUNDSPASSES

include "mlir/Pass/PassBase.td"

def CheckBoundsPass : Pass<"jit-check-bounds", "::mlir::func::FuncOp"> {
  let summary = "Checks each access of an array and each division before it is made";
  let description = [{
    Whatever the arguments of a call are, its kernel touches nothing but its arrays. Each part of an array gets one check, and
    so do lookups in tables of addresses and divisions by what is not a number. None is needed where all is numbers, or where
    indices count a loop over the whole dimension, one by one or in tiles.
    The check hands on the array, so that no later pass can move an access before it.

    Before:
    ```mlir
    %from = memref.subview %x[%t, 0] [%rows, 8] [1, 1] : memref<?x?xf32, strided<[?, 1]>> to memref<?x8xf32, strided<[?, 1], offset: ?>>
    %q = arith.floordivsi %n, %k : index
    ```
    After:
    ```mlir
    %inside = cpu.check_access "load" %x[%t, %c0] [%rows, %c8] [%c1, %c1] named "X" : memref<?x?xf32, strided<[?, 1]>>
    %from = memref.subview %inside[%t, 0] [%rows, 8] [1, 1] : memref<?x?xf32, strided<[?, 1]>> to memref<?x8xf32, strided<[?, 1], offset: ?>>
    %d = cpu.check_divisor "floordivsi" %n by %k : index
    %q = arith.floordivsi %n, %d : index
    ```
  }];
  let statistics = [Statistic<"checked", "checked", "Accesses that are checked">,
                    Statistic<"proved", "proved", "Accesses that need no check">,
                    Statistic<"divisors", "divisors", "Divisors that are checked">];
  let dependentDialects = ["::attn::cpu::CpuDialect", "::mlir::arith::ArithDialect"];
}

def CheckLaunchPass : Pass<"jit-check-launch", "::mlir::ModuleOp"> {
  let summary = "Makes the checks that sizes and scalars decide before the launch";
  let description = [{
    The new function makes those checks of a kernel whose operands follow from its arguments, for the first and the last
    iteration of each loop and with all tiles of the grid in one block. The kernel makes them all, so what this
    function finds is certain; what happens only between the first and the last iteration is left to the kernel. What
    already the numbers in the function decide is an error of the compiler.

    Before:
    ```mlir
    func.func @take(%x: memref<?xf32>, %n: index, %block: index, %count: index) {
      scf.for %i = %c0 to %n step %c1 {
        %inside = cpu.check_access "load" %x[%i] [%c1] [%c1] named "X" : memref<?xf32>
        ...
      }
      return
    }
    ```
    After, beside it:
    ```mlir
    func.func @take.check(%x: memref<?xf32>, %n: index) -> index attributes {cpu.check_of = @take} {
      ... // 0, 1 or 2 iterations, and how far the last is from the first
      scf.for %visit = %c0 to %visits step %c1 {
        %offset = arith.muli %visit, %last : index
        %i = arith.addi %c0, %offset : index
        %inside = cpu.check_access "load" %x[%i] [%c1] [%c1] named "X" : memref<?xf32>
      }
      return %c0 : index
    }
    ```
  }];
  let statistics = [Statistic<"decided", "decided", "Kernels with checks before the launch">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect"];
}

def LowerChecksPass : Pass<"jit-lower-checks", "::mlir::ModuleOp"> {
  let summary = "Turns checks into branches that stop the block and say why";
  let description = [{
    Where a check does not hold, the function writes the number of the check and what it is about into the report, its
    last argument, and goes to its end, where buffers are freed. `cpu.checks` of the module lists the checks by number.

    Before:
    ```mlir
    %inside = cpu.check_access "load" %x[%i] [%c1] [%c1] named "X" : memref<?xf32>
    %v = memref.load %inside[%i] : memref<?xf32>
    ```
    After:
    ```mlir
      %limit = memref.dim %x, %c0 : memref<?xf32>
      %holds = arith.cmpi ult, %i, %limit : index
      cf.cond_br %holds weights([1048576, 1]), ^go, ^stop
    ^go:
      %v = memref.load %x[%i] : memref<?xf32>
      ...
    ^stop:
      ... // llvm.store of 1, %i, %c1, %c1 and %limit to %report
      cf.br ^exit
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"];
}

#endif // ATTN_CPU_TRANSFORMS_BOUNDSPASSES
