// The passes of Target/Linalg: from what convert-tile-to-linalg leaves to the form of triton-ascend, which the vendor's
// bishengir-compile takes.
#ifndef ATTN_TARGET_LINALG_PASSES
#define ATTN_TARGET_LINALG_PASSES

include "mlir/Pass/PassBase.td"

def SpellWholeTensorsPass : Pass<"linalg-spell-whole-tensors", "::mlir::func::FuncOp"> {
  let summary = "Writes linalg.generic as ops on whole tensors";
  let description = [{
    The vendor's compiler knows arithmetic on whole tensors, broadcasts, fills and reductions by name, and refuses
    `linalg.generic`, but for the one that counts up a dimension. An op of a body becomes the same op on tensors; what it takes from elsewhere is
    broadcast or filled to their shape. A reduction loses the dimension it folds, and gets it back as one of size 1.

    Before:
    ```mlir
    %r = linalg.generic {indexing_maps = [(d0, d1) -> (d0, d1), (d0, d1) -> (d0, 0), (d0, d1) -> (d0, d1)], ...}
        ins(%x, %s : tensor<8x64xf32>, tensor<8x1xf32>) outs(%e : tensor<8x64xf32>) { arith.mulf }
    ```
    After:
    ```mlir
    %flat = tensor.collapse_shape %s [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
    %wide = linalg.broadcast ins(%flat : tensor<8xf32>) outs(%e : tensor<8x64xf32>) dimensions = [1]
    %r = arith.mulf %x, %wide : tensor<8x64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def SpellProductsPass : Pass<"linalg-spell-products", "::mlir::func::FuncOp"> {
  let summary = "Writes products of parts of tiles as products of whole tiles";
  let description = [{
    At the end of an array, a product takes the part of its tiles that exists. The vendor's compiler takes whole tiles, with a factor that is
    stored transposed turned over before; it finds by itself how much of each was loaded, and where it turned over is loaded so. Tiles that are
    loaded in part begin as zeros: sums then take nothing else from beyond the end. A tile that was computed, or of which a product takes less
    than was loaded, gets zeros beyond what is summed over. It is taken as it is where only its rows or columns that make sums of their own are missing.

    Before:
    ```mlir
    %x = tensor.extract_slice %a[0, 0] [%m, %k] [1, 1] : tensor<16x32xf16> to tensor<?x?xf16>
    %y = tensor.extract_slice %b[0, 0] [%n, %k] [1, 1] : tensor<64x32xf16> to tensor<?x?xf16>
    %z = tensor.extract_slice %acc[0, 0] [%m, %n] [1, 1] : tensor<16x64xf32> to tensor<?x?xf32>
    %p = linalg.matmul indexing_maps = [...] ins(%x, %y) outs(%z) -> tensor<?x?xf32>
    %sum = tensor.insert_slice %p into %acc[0, 0] [%m, %n] [1, 1]
    ```
    After:
    ```mlir
    %turned = linalg.transpose ins(%b : tensor<64x32xf16>) outs(%empty : tensor<32x64xf16>) permutation = [1, 0]
    %sum = linalg.matmul ins(%a, %turned) outs(%acc) -> tensor<16x64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def UnrollStripsPass : Pass<"linalg-unroll-strips", "::mlir::func::FuncOp"> {
  let summary = "Unrolls loops that write a tile strip by strip";
  let description = [{
    A wide tile is computed strip by strip, in a loop that carries it. The vendor's memory planner gives up on a tensor that such a loop
    carries inside another loop; with one body after the other it plans it.

    Before:
    ```mlir
    %t = scf.for %i = %zero to %two step %one iter_args(%a = %init) -> tensor<4x128xf32> {
      %strip = ...
      %next = tensor.insert_slice %strip into %a[0, %offset] [4, 64] [1, 1]
      scf.yield %next
    }
    ```
    After:
    ```mlir
    %first = tensor.insert_slice %strip into %init[0, 0] [4, 64] [1, 1]
    %t = tensor.insert_slice %other into %first[0, 64] [4, 64] [1, 1]
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"unrolled", "unrolled", "Loops that were unrolled">];
}

def CopyCarriedPartsPass : Pass<"linalg-copy-carried-parts", "::mlir::func::FuncOp"> {
  let summary = "Copies parts of tensors that a loop carries";
  let description = [{
    Rows at the end of a tile are carried to the next one. Where a loop carries a part of a buffer, the vendor's compiler does not know
    how far its elements are apart, and gives each of them, in whatever meets them, a block of 32 bytes. A copy is a buffer of its own.

    Before:
    ```mlir
    %last = tensor.extract_slice %tile[64, 0] [6, 32] [1, 1]
    scf.yield %last : tensor<6x32xf32>
    ```
    After:
    ```mlir
    %last = tensor.extract_slice %tile[64, 0] [6, 32] [1, 1]
    %copy = linalg.copy ins(%last : tensor<6x32xf32>) outs(%empty : tensor<6x32xf32>)
    scf.yield %copy : tensor<6x32xf32>
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [Statistic<"copied", "copied", "Parts that are copied before they are carried">];
}

def JoinPhasesPass : Pass<"linalg-join-phases", "::mlir::ModuleOp"> {
  let summary = "Puts the phases of a kernel into one function";
  let description = [{
    The vendor's compiler takes one kernel per text. What `launch.after` would launch after a kernel follows in the kernel itself, after a
    meeting of all cores. Each phase has each program's share of its own tiles already. A meeting needs all programs on the chip at once, so
    never launch more of them than `launch.limit`, the number of cores.

    Before:
    ```mlir
    func.func @sum(%x: memref<?xf32>, %parts: memref<?xf32>, %block: index, %count: index) { first() }
    func.func @sum_phase1(%x: memref<?xf32>, %parts: memref<?xf32>, %block: index, %count: index) attributes {launch.after = @sum} { second() }
    ```
    After:
    ```mlir
    func.func @sum(%x: memref<?xf32>, %parts: memref<?xf32>, %block: index, %count: index) {
      first()
      hivm.hir.sync_block[<ALL_VECTOR>, 9 : i16] tvector_pipe = <PIPE_ALL>
      second()
    }
    ```
  }];
  let dependentDialects = ["::attn::hivm::HIVMDialect"];
  let statistics = [Statistic<"joined", "joined", "Phases that were put after another one">];
}

def AddProgramIdsPass : Pass<"linalg-add-program-ids", "::mlir::ModuleOp"> {
  let summary = "Gives kernels the arguments of triton-ascend's programs";
  let description = [{
    An array becomes a flat `memref` and those of its sizes and strides that are not numbers, as 64-bit integers after it. Each view of it
    is one `reinterpret_cast` of the flat one, in the shape in which it is copied: views of views that lose dimensions and gain others make the
    vendor's compiler fail. The two
    `index` arguments at the end, block and count of blocks, become what the vendor's compiler asks for: the number of programs in three directions, then the
    program's place, six 32-bit integers. Functions that count the tiles of a kernel go away: the host has them.

    A list of tensors is the flat array of their addresses, and the sizes and strides that all of them have; an entry is a `pointer_cast` of its
    address. A kernel whose cores meet has one more argument in front, where the flags for that lie. One with products and other
    arithmetic on tiles has a workspace (`WorkspaceArgIdx`), in which the vendor's cores pass tiles to each other.

    Before:
    ```mlir
    func.func @k(%x: memref<?x64xf32, strided<[?, 1]>>, %block: index, %count: index)
    ```
    After:
    ```mlir
    func.func @k(%base: memref<?xf32>, %size: i64, %stride: i64, %nx: i32, %ny: i32, %nz: i32, %px: i32, %py: i32, %pz: i32)
        attributes {global_kernel = "local", mix_mode = "aiv"} {
      %offset = ... // %row * %stride
      %view = memref.reinterpret_cast %base to offset: [%offset], sizes: [8, 64], strides: [%stride, 1]
    ```
  }];
  let dependentDialects = [
    "::attn::hacc::HACCDialect", "::attn::hivm::HIVMDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"
  ];
}

#endif // ATTN_TARGET_LINALG_PASSES
