// The passes that lower products of matrices for the host; part of Passes.td.
#ifndef ATTN_CPU_TRANSFORMS_PRODUCTPASSES
#define ATTN_CPU_TRANSFORMS_PRODUCTPASSES

include "mlir/Pass/PassBase.td"

def OrderReadsPass : Pass<"jit-order-reads", "::mlir::func::FuncOp"> {
  let summary = "Reads the right operands of products of few rows in the order of memory";
  let description = [{
    A decode step multiplies by the keys of one head after the other, of which each is read once. Rows of one head lie as
    far apart as all heads of a token take, and a processor reads ahead where memory is read in its order. So a loop over heads that does
    nothing but multiply goes through two rows of all heads before it goes on, and asks for the rows that follow in memory, up to those of
    the next iteration of the loop around; further ahead, for one line of each page. Only for operands that are multiplied where they lie: f32, or bf16
    where the host multiplies `pairs`.

    Before:
    ```mlir
    scf.for %g = %c0 to %c8 step %c1 {
      %keys = memref.subview %k[%page, %t, %g, 0] [1, %n, 1, 128] [1, 1, 1, 1] : ...
      linalg.matmul ins(%q, %keys : ...) outs(%scores : memref<4x?xf32, ...>)
    }
    ```
    After:
    ```mlir
    %all = memref.subview %k[%page, %t, 0, 0] [1, %n, 8, 128] [1, 1, 1, 1] : ...
    scf.for %row = %c0 to %even step %c2 {
      memref.prefetch %all[%far, %c0, %c0] ...
      scf.for %g = %c0 to %c8 step %c1 {
        %two = memref.subview %all[%row, %g, 0] [2, 1, 128] [1, 1, 1] : ...
        %keys = cpu.read_ahead %two for %row0, %row1 : ...
        linalg.matmul ins(%q, %keys : ...) outs(%part : memref<4x2xf32, ...>)
      }
    }
    ... // the last row of an odd number
    ```
  }];
  let statistics = [Statistic<"ordered", "ordered", "Products that go through all heads">];
  let options = [Option<"pairs", "pairs", "bool", "false", "Multiply bf16 in pairs, by the dot products of AVX512_BF16">];
  let dependentDialects = ["::attn::cpu::CpuDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def LowerProductsPass : Pass<"jit-lower-products", "::mlir::func::FuncOp"> {
  let summary = "Products of matrices as register tiles over copied panels";
  let description = [{
    A register tile of the result, 6 rows of two vectors, is loaded, summed over up to 256 steps of k and stored; on a machine
    with wide vectors, and so twice the registers, 6 rows of four, or 12 of two where four would have more columns that do not
    exist. What it reads was copied before in the order in which it is read, and widened to the type of the sum: the right
    operand in panels of as many columns, the left one row by row, so that no stride of the caller's arrays costs cache lines.
    A left operand that is a buffer is read where it lies. Rows that are left over are taken by fours and one by one, columns
    that are left over by masks. Every element is summed in the order of k. With `pairs`, copies of bf16 are words of two that
    follow each other along k, and one instruction multiplies and adds both.

    A result of at most four rows reads the right operand where it lies. Where that is stored the other way round, each sum goes
    along k in a vector, whose lanes are added at the end in a fixed order.

    Where the loop around a product takes another part of an array in each iteration, the part of the next one is asked for
    meanwhile; its place is computed from the entries of a table, if need be.

    A product that is only added to a tile is summed in that tile. Else the buffer that it is added to is not set to zero
    first where the product writes all of it. A left operand that a loop around the product does not change is copied once,
    before the loop.

    Of a result that a mask of positions cuts, so that each row sees one column more than the row before, register tiles that
    no row sees are not computed: the sweep that applies the mask replaces them. A product by what was computed from such a
    result takes for each register tile only the steps of k that its rows see, where all others are found to be zero.

    Before:
    ```mlir
    linalg.matmul ins(%a, %b : memref<?x?xf32, strided<[?, 1], offset: ?>>, memref<?x?xf32, strided<[?, 1], offset: ?>>) outs(%c : memref<96x256xf32>)
    ```
    After:
    ```mlir
    // copies of %b to %panels and of %a to %rows
    scf.for %j = %zero to %n step %sixteen {
      scf.for %i = %zero to %m step %six {
        %c00 = vector.load %c[%i, %j] : memref<96x256xf32>, vector<8xf32>
        ...
        %s:12 = scf.for %k = %zero to %inner step %four iter_args(...) {
          %b0 = vector.load %panels[%panel, %k, %zero] : memref<16x257x16xf32>, vector<8xf32>
          %a0 = memref.load %rows[%i, %k] : memref<192x256xf32>
          %s0 = vector.fma ... : vector<8xf32>
          ...
        }
        vector.store %s#0, %c[%i, %j] : memref<96x256xf32>, vector<8xf32>
        ...
      }
    }
    ```
  }];
  let statistics = [Statistic<"lowered", "lowered", "Products">,
                    Statistic<"paired", "paired", "Products of pairs of narrow numbers">,
                    Statistic<"fromZero", "from-zero", "Products that are not added to anything">,
                    Statistic<"absorbed", "absorbed", "Products that are summed in the tile they are added to">,
                    Statistic<"cut", "cut", "Products that a mask cuts">];
  let options = [
    Option<"lanes", "lanes", "int64_t", "8", "Elements of f32 in a vector">,
    Option<"pairs", "pairs", "bool", "false", "Multiply bf16 in pairs, by the dot products of AVX512_BF16">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

#endif // ATTN_CPU_TRANSFORMS_PRODUCTPASSES
