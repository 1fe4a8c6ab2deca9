// The passes that take linalg on tensors to the LLVM dialect of the host.
#ifndef ATTN_CPU_TRANSFORMS_PASSES
#define ATTN_CPU_TRANSFORMS_PASSES

include "attn/Cpu/Transforms/BoundsPasses.td"
include "attn/Cpu/Transforms/ProductPasses.td"
include "mlir/Pass/PassBase.td"

def ForwardLoadsPass : Pass<"jit-forward-loads", "::mlir::func::FuncOp"> {
  let summary = "Reads whole tiles where they lie instead of copying them first";
  let description = [{
    A load copies its rows into a buffer of its own. Where the rows are all there and the function never writes the
    array, the copy is a sweep over memory for nothing: the tensor may be the array itself. Where only the run tells whether
    all rows are there, the tensor is the array or the buffer, and the buffer is filled only where it is needed.

    Before:
    ```mlir
    %from = memref.subview %x[%t, 0] [1, 4096] [1, 1] : memref<?x4096xf32, strided<[?, 1]>> to memref<1x4096xf32, strided<[?, 1], offset: ?>>
    %buffer = memref.alloc() {alignment = 64 : i64} : memref<1x4096xf32>
    memref.copy %from, %buffer : memref<1x4096xf32, strided<[?, 1], offset: ?>> to memref<1x4096xf32>
    %v = bufferization.to_tensor %buffer restrict writable : memref<1x4096xf32> to tensor<1x4096xf32>
    ```
    After:
    ```mlir
    %from = memref.subview %x[%t, 0] [1, 4096] [1, 1] : memref<?x4096xf32, strided<[?, 1]>> to memref<1x4096xf32, strided<[?, 1], offset: ?>>
    %v = bufferization.to_tensor %from restrict : memref<1x4096xf32, strided<[?, 1], offset: ?>> to tensor<1x4096xf32>
    ```
  }];
  let statistics = [Statistic<"forwarded", "forwarded", "Loads that read their array">,
                    Statistic<"chosen", "chosen", "Loads that read their array where all rows exist">,
                    Statistic<"kept", "kept", "Loads that keep their buffer">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def UnrollCarriedLoopsPass : Pass<"jit-unroll-carried-loops", "::mlir::func::FuncOp"> {
  let summary = "Unrolls loops that carry a tile, so that several iterations share a sweep over it";
  let description = [{
    A loop that carries a tile reads and writes all of it in every iteration, although most of the time goes into moving it
    through the caches. Of several iterations in one body, fusion makes one update of the tile, and one sweep over what
    the iterations read in common. Innermost loops only, which compute with the tile they carry; what is left of the trip count runs in a loop of its own.

    Before:
    ```mlir
    %acc = scf.for %n = %zero to %N step %one iter_args(%a = %init) -> tensor<1x4096xf32> {
      %next = ... // reads %a
      scf.yield %next
    }
    ```
    After, with a factor of 2:
    ```mlir
    %most = scf.for %n = %zero to %even step %two iter_args(%a = %init) -> tensor<1x4096xf32> {
      %first = ... // reads %a
      %second = ... // reads %first
      scf.yield %second
    }
    %acc = scf.for %n = %even to %N step %one iter_args(%a = %most) -> tensor<1x4096xf32> {
      %next = ...
      scf.yield %next
    }
    ```
  }];
  let statistics = [Statistic<"unrolled", "unrolled", "Loops that were unrolled">];
  let options = [
    Option<"factor", "factor", "int64_t", "4", "Iterations per body">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def FuseElementwisePass : Pass<"jit-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "Computes elementwise operations inside the operation that uses them";
  let description = [{
    Fuses by MLIR's patterns, so that a chain of operations sweeps a row once. A value with several users is computed
    once and kept, unless it only widens what was loaded: widening again costs less than a row of memory. A column
    is never computed again for each element of a row.

    Before:
    ```mlir
    %v = linalg.generic {...} ins(%v16 : tensor<1x4096xbf16>) outs(%e) { arith.extf }
    %vu = linalg.generic {...} ins(%v, %u) outs(%e) { arith.mulf }
    %c = linalg.generic {iterator_types = ["parallel", "reduction"], ...} ins(%vu) outs(%zero) { arith.addf }
    ```
    After:
    ```mlir
    %c = linalg.generic {iterator_types = ["parallel", "reduction"], ...} ins(%v16, %u) outs(%zero) {
      arith.extf
      arith.mulf
      arith.addf
    }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def GatherUpdatesPass : Pass<"jit-gather-updates", "::mlir::func::FuncOp"> {
  let summary = "Sweeps a tile once for many shifted additions to it";
  let description = [{
    A band that is spread over a window adds the same rows, weighted by one tap after the other, to ever later rows of
    a tile: one sweep over the tile per tap. Seen from a row of the tile, it is a sum over the taps of rows before
    it. This pass writes that sum for the rows that all taps reach; the few before and after them are updated tap by
    tap. Rows of the result that are used apart are computed apart, in the type to which they are narrowed. The
    terms are added in the same order.

    Before:
    ```mlir
    %acc1 = ... // %acc[0:4, :] += %rows * %v0
    %acc2 = ... // %acc1[1:5, :] += %rows * %v1
    %acc3 = ... // %acc2[2:6, :] += %rows * %v2
    ```

    After:
    ```mlir
    ... // rows 0 and 1 by updates
    %r0 = tensor.extract_slice %rows[2, 0] [2, 64] [1, 1] : tensor<4x64xf32> to tensor<2x64xf32>
    ... // %r1 at [1, 0] and %r2 at [0, 0], the weights likewise
    %sum = linalg.generic {...} ins(%acc_part, %r0, %v0, %r1, %v1, %r2, %v2 : ...) { %a + %r0 * %v0 + %r1 * %v1 + %r2 * %v2 }
    ... // rows 4 and 5 by updates
    ```
  }];
  let statistics = [Statistic<"gathered", "gathered", "Chains of shifted updates that were gathered">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FuseBandProductsPass : Pass<"jit-fuse-band-products", "::mlir::func::FuncOp"> {
  let summary = "Computes weighted sums over the taps of a band by fused multiply-adds";
  let description = [{
    A sum over the taps of a band has no order that others rely on, so its products need not be rounded. They are
    known by their weights: columns that are rows of the tile that holds the band. Other elementwise arithmetic is left as it is.

    Before:
    ```mlir
    %o = linalg.generic {...} ins(%v0, %w0, %v1, %w1 : ...) { %v0 * %w0 + %v1 * %w1 }
    ```
    After:
    ```mlir
    %o = linalg.generic {...} ins(%v0, %w0, %v1, %w1 : ...) { math.fma %v1, %w1, %v0 * %w0 }
    ```
  }];
  let statistics = [Statistic<"fused", "fused", "Products and sums that became one">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect"];
}

def LimitReductionsPass : Pass<"jit-limit-reductions", "::mlir::func::FuncOp"> {
  let summary = "Reduces whole tiles where only their first columns exist";
  let description = [{
    How many columns of a tile exist is often known only to the run. A reduction of so many has another shape than the
    operation that computes the tile, so that `jit-fuse-siblings` cannot make one sweep of both. It reduces the whole tile
    instead, with a comparison that replaces other elements by what changes nothing; `jit-vectorize-rows` ends the loop there
    instead of comparing.

    Before:
    ```mlir
    %p = linalg.generic {...} ins(%s : tensor<128x128xf32>) outs(%e) { math.exp ... }
    %part = tensor.extract_slice %p[0, 0] [128, %n] [1, 1] : tensor<128x128xf32> to tensor<128x?xf32>
    %sum = linalg.generic {...} ins(%part : tensor<128x?xf32>) outs(%zero) { arith.addf %o, %a ... }
    ```
    After:
    ```mlir
    %p = linalg.generic {...} ins(%s : tensor<128x128xf32>) outs(%e) { math.exp ... }
    %sum = linalg.generic {...} ins(%p : tensor<128x128xf32>) outs(%zero) {
      %taken = arith.select %exists, %a, %neutral : f32 // the index of the column is below %n
      arith.addf %o, %taken ...
    }
    ```
  }];
  let statistics = [Statistic<"limited", "limited", "Reductions of whole tiles instead of parts">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect"];
}

def FuseSiblingsPass : Pass<"jit-fuse-siblings", "::mlir::func::FuncOp"> {
  let summary = "Sweeps a tile once for several reductions of it";
  let description = [{
    Reductions over the columns of one tile that do not depend on each other become one operation with several
    results. The later one moves up to the earlier, together with what it needs. A reduction of the rows of a tile that is
    computed in the same block also goes with the operation that computes it, and so does then what else is computed from
    the tile element by element: one sweep makes the exponentials of a softmax, their sum and their narrow copy.

    Before:
    ```mlir
    %ss = linalg.generic {...} ins(%v) outs(%zero) { %vv = arith.mulf %a, %a ... }
    %r = linalg.generic {...} ins(%ss) outs(%e) { math.sqrt ... }
    %c = linalg.generic {...} ins(%v, %u) outs(%zero) { %vu = arith.mulf %a, %b ... }
    ```
    After:
    ```mlir
    %both:2 = linalg.generic {...} ins(%v, %v, %u) outs(%zero, %zero) { ... linalg.yield %ss, %c }
    %r = linalg.generic {...} ins(%both#0) outs(%e) { math.sqrt ... }
    ```
  }];
  let statistics = [Statistic<"fused", "fused", "Operations that are swept with another">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def WriteToArraysPass : Pass<"jit-write-to-arrays", "::mlir::func::FuncOp"> {
  let summary = "Computes a tile where it is stored";
  let description = [{
    A tile that is computed only to be stored, at once or some rows after the other, needs no buffer: it is computed
    in the array. Where only the run tells whether the array has all its rows, it is computed in the array or in a
    buffer, of which the existing rows are copied. Where columns may be missing too, only what exists is computed.

    Before:
    ```mlir
    %t = linalg.generic {...} ins(%v) outs(%empty : tensor<4x64xf32>) { ... }
    bufferization.materialize_in_destination %t in restrict writable %array
    ```
    After:
    ```mlir
    %place = bufferization.to_tensor %array restrict writable
    %t = linalg.generic {...} ins(%v) outs(%place : tensor<4x64xf32>) { ... }
    bufferization.materialize_in_destination %t in restrict writable %array
    ```
  }];
  let statistics = [Statistic<"direct", "direct", "Tiles computed in their array">,
                    Statistic<"chosen", "chosen", "Tiles computed in their array where all rows exist">,
                    Statistic<"copied", "copied", "Tiles that are copied to their array">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def ReuseDestinationsPass : Pass<"jit-reuse-destinations", "::mlir::func::FuncOp"> {
  let summary = "Computes into the buffer of an operand that is not needed any more";
  let description = [{
    Bufferization gives an operation a new buffer for every `tensor.empty`. This pass hands it an operand of the same
    type instead, where that operand is read elementwise and for the last time: what a loop carries is then updated
    in place. What a loop carries and cannot be updated in place is written back into its buffer at the end of
    the body, so that no loop ever hands on a buffer.

    Before:
    ```mlir
    %acc = scf.for %n = %zero to %N step %one iter_args(%a = %init) -> tensor<1x4096xf32> {
      %next = linalg.generic {...} ins(%a, %v) outs(%empty) { %s = arith.addf %in, %in_0 ... }
      scf.yield %next
    }
    ```
    After:
    ```mlir
    %acc = scf.for %n = %zero to %N step %one iter_args(%a = %init) -> tensor<1x4096xf32> {
      %next = linalg.generic {...} ins(%v) outs(%a) { %s = arith.addf %out, %in ... }
      scf.yield %next
    }
    ```
  }];
  let statistics = [Statistic<"updated", "updated", "Operations that update an input">,
                    Statistic<"written", "written", "Carried values that are written back">];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def PlaceBuffersPass : Pass<"jit-place-buffers", "::mlir::func::FuncOp"> {
  let summary = "Allocates each buffer once per block, at the start of the function";
  let description = [{
    All buffers have static sizes, or sizes of which a number says how large they are at the most, and no loop hands one on,
    so each can be made once, outside of all loops. Small ones live on the stack, where LLVM keeps them in registers; larger
    ones on the heap, freed at the end.

    Before:
    ```mlir
    scf.for %t = %lo to %hi step %one {
      %m = memref.alloc() {alignment = 64 : i64} : memref<1x1xf32>
      %acc = memref.alloc() {alignment = 64 : i64} : memref<1x4096xf32>
    }
    return
    ```
    After:
    ```mlir
    %m = memref.alloca() {alignment = 64 : i64} : memref<1x1xf32>
    %acc = memref.alloc() {alignment = 64 : i64} : memref<1x4096xf32>
    scf.for %t = %lo to %hi step %one {
    }
    memref.dealloc %acc
    return
    ```
  }];
  let statistics = [Statistic<"onStack", "on-stack", "Buffers on the stack">,
                    Statistic<"onHeap", "on-heap", "Buffers on the heap">,
                    Statistic<"bytes", "bytes", "Bytes of the buffers of a block">];
  let options = [
    Option<"stackBytes", "stack-bytes", "int64_t", "1024", "Largest buffer that is placed on the stack">,
    Option<"mostBytes", "most-bytes", "int64_t", "1073741824", "Bytes of all buffers, at most: a block cannot go on without one">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def VectorizeRowsPass : Pass<"jit-vectorize-rows", "::mlir::func::FuncOp"> {
  let summary = "Turns linalg on buffers into loops over explicit vectors";
  let description = [{
    A loop over the rows, and in it one over the columns, by several vectors at a time, fewer where the operation has many operands. The columns that are left over
    are taken by smaller and smaller vectors, never by masks. A column tile is swept along its rows instead.
    The index of a row is one number for all lanes, those of columns count up from lane to lane.

    The first sweep that reads a tile of an array asks for the rows after it, where the next tile often lies.

    A large array that a sweep only writes is written past the caches, which would read each line first and then hold nothing else. That takes rows that
    start at whole cache lines; both are known when the kernel runs, so such a sweep is there twice.

    Reductions over columns keep several vectors of partial results and combine them in a fixed order, so the result is the same in
    every run; a product that is summed is a fused multiply-add. Rows of whole vectors are reduced by fours, whose lanes are folded
    together: those of one row are a chain of operations that wait for each other. Nothing else is contracted, so that what is
    computed element by element is the same on every machine.

    Before:
    ```mlir
    linalg.generic {iterator_types = ["parallel", "reduction"], ...}
        ins(%v, %u : memref<4x4096xf32>, memref<1x4096xf32>) outs(%c : memref<4x1xf32>) {
      %p = arith.mulf %in, %in_0 : f32
      %s = arith.addf %out, %p : f32
      linalg.yield %s : f32
    }
    ```
    After:
    ```mlir
    scf.for %row = %c0 to %c4 step %c1 {
      %sums:4 = scf.for %col = %c0 to %c4096 step %c32 iter_args(%a0 = %zero, ...) -> (vector<8xf32>, ...) {
        %x0 = vector.load %v[%row, %col] : memref<4x4096xf32>, vector<8xf32>
        %y0 = vector.load %u[%c0, %col] : memref<1x4096xf32>, vector<8xf32>
        %s0 = vector.fma %x0, %y0, %a0 : vector<8xf32>
        ... // three more
        scf.yield %s0, ...
      }
      ... // the four vectors and then their lanes are added pairwise
      memref.store %sum, %c[%row, %c0] : memref<4x1xf32>
    }
    ```
  }];
  let statistics = [Statistic<"sweeps", "sweeps", "Sweeps over rows">,
                    Statistic<"neutral", "neutral", "Sums that need no start">];
  let options = [
    Option<"lanes", "lanes", "int64_t", "8", "Elements of a vector, a power of two">,
    Option<"unroll", "unroll", "int64_t", "4", "Most vectors per iteration of the column loop">,
    Option<"streamBytes", "stream-bytes", "int64_t", "8388608", "Least size of an array that is written past the caches">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def ExpandExponentialsPass : Pass<"jit-expand-exponentials", "::mlir::func::FuncOp"> {
  let summary = "Computes exp and log by arithmetic instead of a library call per element";
  let description = [{
    LLVM has no vector code for exp and log: it calls the C library once per lane. Here they are written out for all lanes at once, by a
    polynomial in a small interval, within 2 units in the last place. Infinities, NaN, subnormal numbers and signed
    zeros give what the C library gives. Scalars are computed in the same way, so a result does not depend on where in a
    vector it stands.

    Before:
    ```mlir
    %y = math.exp %x : vector<8xf32>
    ```
    After:
    ```mlir
    ... // x limited to where the result is neither 0 nor infinite, n = x / log(2) rounded, r = x - n log(2)
    %tail = math.fma ... // a polynomial of r
    %y = arith.mulf %power, %scale : vector<8xf32> // times 2^n
    ```

    A host with AVX-512 multiplies vectors of 16 by powers of two in one instruction (`scales`), which gives the same bits.
  }];
  let options = [
    Option<"scales", "scales", "bool", "false", "The host multiplies vectors by powers of two (AVX-512)">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect"];
}

def ExpandNarrowFloatsPass : Pass<"jit-expand-narrow-floats", "::mlir::func::FuncOp"> {
  let summary = "Converts between bf16 or f16 and f32 by integer arithmetic";
  let description = [{
    Without hardware for a conversion LLVM calls a library function per element, and for bf16 one that is not always
    there. Widening bf16 is a shift; narrowing rounds to nearest even and keeps NaN. f16 is expanded only where
    the host has no instruction for it (`expand-f16`).

    Before:
    ```mlir
    %w = arith.extf %v : vector<8xbf16> to vector<8xf32>
    ```
    After:
    ```mlir
    %bits = arith.bitcast %v : vector<8xbf16> to vector<8xi16>
    %wide = arith.extui %bits : vector<8xi16> to vector<8xi32>
    %high = arith.shli %wide, %sixteen : vector<8xi32>
    %w = arith.bitcast %high : vector<8xi32> to vector<8xf32>
    ```
  }];
  let options = [
    Option<"expandF16", "expand-f16", "bool", "false", "Also expand conversions of f16">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def AddEntriesPass : Pass<"jit-add-entries", "::mlir::ModuleOp"> {
  let summary = "Gives every function an entry that takes its arguments as 64-bit words";
  let description = [{
    The runtime calls kernels it has no header for. An entry reads the arguments of its function from an array of 64-bit words:
    a scalar takes one, a memref one per member of its descriptor. Two more arguments are the number of the block and the count of blocks;
    functions that are not launched by blocks ignore them. The last
    is the report that checks write to, which is handed on to the function. `launch.signature` keeps the types, so that the runtime can check what it packs.

    Before:
    ```mlir
    func.func @scale(%x: memref<?xf32>, %f: f32, %block: index, %count: index) {
      return
    }
    ```
    After:
    ```mlir
    func.func @scale.entry(%words: !llvm.ptr, %block: i64, %count: i64, %report: !llvm.ptr)
        attributes {launch.signature = (memref<?xf32>, f32, index, index) -> ()} {
      %d = llvm.load %words : !llvm.ptr -> !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
      %x = builtin.unrealized_conversion_cast %d : !llvm.struct<(...)> to memref<?xf32>
      %p = llvm.getelementptr %words[5] : (!llvm.ptr) -> !llvm.ptr, i64
      %f = llvm.load %p : !llvm.ptr -> f32
      call @scale(%x, %f, ..., %report)
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::func::FuncDialect"];
}

#endif // ATTN_CPU_TRANSFORMS_PASSES
