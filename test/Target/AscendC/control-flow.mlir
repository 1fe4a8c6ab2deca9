// RUN: attn-opt %s --emit=ascendc --no-line-directives | FileCheck %s
// RUN: attn-opt %s --emit=ascendc | %clang_ascendc -

// Loops, branches and index arithmetic as plain C++ on 64-bit numbers.

!buf = memref<64xf32, #ascend.space<ub>>

// CHECK-LABEL: void loops(int64_t n, int64_t m, int32_t k) {
func.func @loops(%n: index loc("n"), %m: index loc("m"), %k: i32 loc("k")) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %x = ascend.alloc "x" at 0 : !buf
  // What is used once stands where it is used, with the parentheses it needs.
  // CHECK: AscendC::Exp(x, x, static_cast<int32_t>((n + m) * 2 - (n - m)));
  %sum = arith.addi %n, %m : index
  %difference = arith.subi %n, %m : index
  %twice = arith.muli %sum, %c2 : index
  %amount = arith.subi %twice, %difference : index
  ascend.unary exp %x, %x count(%amount) : !buf, !buf
  // What is used twice has a name; so has what C++ repeats.
  // CHECK-NEXT: const int64_t tiles = n / 64 + (n % 64 > 0);
  %tiles = arith.ceildivsi %n, %c64 : index loc("tiles")
  // CHECK-NEXT: const int64_t share = tiles - m;
  %share = arith.subi %tiles, %m : index loc("share")
  // CHECK-NEXT: const int64_t end = share < tiles ? share : tiles;
  %end = arith.minsi %share, %tiles : index loc("end")
  // Carried values are variables; all are read before one changes.
  // CHECK-NEXT: int64_t t_count = 0;
  // CHECK-NEXT: int64_t t_carried = n;
  // CHECK-NEXT: for (int64_t t = 0; t < end; ++t) {
  %last:2 = scf.for %i = %c0 to %end step %c1 iter_args(%parity = %c0, %other = %n) -> (index, index) {
    // CHECK-NEXT: for (int64_t x_offset = t; x_offset < n; x_offset += 2) {
    scf.for %j = %i to %n step %c2 {
      // CHECK-NEXT: AscendC::Abs(x[x_offset], x, static_cast<int32_t>(t_count + t));
      %part = ascend.slice %x[%j] : !buf -> memref<?xf32, #ascend.space<ub>>
      %inner = arith.addi %parity, %i : index
      ascend.unary abs %part, %x count(%inner) : memref<?xf32, #ascend.space<ub>>, !buf
    // CHECK-NEXT: }
    }
    // CHECK-NEXT: const int64_t next_t_count = t_carried;
    // CHECK-NEXT: const int64_t next_t_carried = 1 - t_count;
    // CHECK-NEXT: t_count = next_t_count;
    // CHECK-NEXT: t_carried = next_t_carried;
    %next = arith.subi %c1, %parity : index
    scf.yield %other, %next : index, index
  // CHECK-NEXT: }
  } loc("t")
  // CHECK-NEXT: int64_t chosen;
  // CHECK-NEXT: if (t_count == 0) {
  %is = arith.cmpi eq, %last#0, %c0 : index
  %chosen = scf.if %is -> index {
    // CHECK-NEXT: chosen = n;
    scf.yield %n : index
  // CHECK-NEXT: } else {
  } else {
    // CHECK-NEXT: const int64_t bits = static_cast<int64_t>(k);
    // CHECK-NEXT: chosen = (bits & 7) << (bits > 3 ? bits : 3);
    %bits = arith.index_cast %k : i32 to index loc("bits")
    %c3 = arith.constant 3 : index
    %c7 = arith.constant 7 : index
    %low = arith.andi %bits, %c7 : index
    %high = arith.maxsi %bits, %c3 : index
    %shifted = arith.shli %low, %high : index
    scf.yield %shifted : index
  } loc("chosen")
  // CHECK-NEXT: }
  // CHECK-NEXT: if (chosen < n) {
  // CHECK-NEXT: AscendC::Exp(x, x, static_cast<int32_t>(chosen));
  // CHECK-NEXT: }
  %less = arith.cmpi slt, %chosen, %n : index
  scf.if %less {
    ascend.unary exp %x, %x count(%chosen) : !buf, !buf
  }
  ascend.barrier all
  return
}

// Unsigned arithmetic needs no casts where nothing can be negative.
// CHECK-LABEL: void unsigned_arithmetic(
func.func @unsigned_arithmetic(%V: memref<?x64xf32, strided<[?, 1]>, #ascend.space<gm>> {launch.dims = ["T", 64]} loc("V"),
                               %n: index loc("n"), %m: index loc("m")) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = ascend.alloc "x" at 0 : !buf
  // CHECK: const int64_t block = static_cast<int64_t>(AscendC::GetBlockIdx());
  %id = ascend.block_id
  // CHECK-NEXT: const int64_t blocks = static_cast<int64_t>(AscendC::GetBlockNum());
  %blocks = ascend.block_count
  %T = ascend.dim %V, 0 : memref<?x64xf32, strided<[?, 1]>, #ascend.space<gm>>
  // CHECK-NEXT: const int64_t tiles = T / 2 + (T % 2 > 0);
  %tiles = arith.ceildivui %T, %c2 : index loc("tiles")
  // CHECK-NEXT: const int64_t lo = block * tiles / blocks;
  %first = arith.muli %id, %tiles : index
  %lo = arith.divui %first, %blocks : index loc("lo")
  // CHECK-NEXT: const int64_t hi = (block + 1) * tiles / blocks;
  %after = arith.addi %id, %c1 : index
  %last = arith.muli %after, %tiles : index
  %hi = arith.divui %last, %blocks : index loc("hi")
  // CHECK-NEXT: int64_t i_count = 0;
  // CHECK-NEXT: for (int64_t i = lo; i < hi; ++i) {
  %end = scf.for %i = %lo to %hi step %c1 iter_args(%slot = %c0) -> (index) {
    // CHECK-NEXT: AscendC::Exp(x, x, static_cast<int32_t>(i_count));
    ascend.unary exp %x, %x count(%slot) : !buf, !buf
    // CHECK-NEXT: i_count = (i_count + 1) % 2;
    %more = arith.addi %slot, %c1 : index
    %next = arith.remui %more, %c2 : index
    scf.yield %next : index
  } loc("i")
  // One cast is enough, and the declaration converts the result.
  // CHECK: const int64_t x_count = static_cast<uint64_t>(n) / m;
  // CHECK-NEXT: AscendC::Exp(x, x, static_cast<int32_t>(x_count));
  %unknown = arith.divui %n, %m : index
  ascend.unary exp %x, %x count(%unknown) : !buf, !buf
  // CHECK: const int64_t up = n / m + (n % m != 0 && (n < 0) == (m < 0));
  %up = arith.ceildivsi %n, %m : index loc("up")
  // CHECK: if (static_cast<uint64_t>(up) < static_cast<uint64_t>(m)) {
  %less = arith.cmpi ult, %up, %m : index
  scf.if %less {
    ascend.unary exp %x, %x count(%up) : !buf, !buf
  }
  ascend.barrier all
  return
}

// Scalars of floating point keep their rounding: each result has a name, so that no product is fused with a sum.
// CHECK-LABEL: void floating_point(
func.func @floating_point(%a: f32 loc("a"), %k: i32 loc("k"), %n: index loc("n")) attributes {ascend.kernel} {
  %x = ascend.alloc "x" at 0 : !buf
  %half = arith.constant 0.5 : f32
  // CHECK: const float product = a * 0.5f;
  %product = arith.mulf %a, %half : f32 loc("product")
  // CHECK-NEXT: const float value = static_cast<float>(k);
  %number = arith.sitofp %k : i32 to f32
  // CHECK-NEXT: const float sum = product + value;
  %sum = arith.addf %product, %number : f32 loc("sum")
  // CHECK-NEXT: const float negative = -sum;
  %negative = arith.negf %sum : f32 loc("negative")
  // CHECK-NEXT: AscendC::Adds(x, x, negative, static_cast<int32_t>(n));
  ascend.scalar adds %x, %x, %negative count(%n) : !buf, !buf, f32
  ascend.barrier all
  return
}

// A block of a vector kernel is one core: workspace per core is workspace per block.
// CHECK-LABEL: // cores
// CHECK:       W: [blocks, 64] of float, workspace
// CHECK:       void cores(
func.func @cores(%w: memref<?x64xf32, strided<[64, 1]>, #ascend.space<gm>> {launch.dims = ["@cores", 64], launch.workspace} loc("W"))
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<vector>} {
  %x = ascend.alloc "x" at 0 : !buf
  // CHECK: const int64_t block = static_cast<int64_t>(AscendC::GetBlockIdx());
  // CHECK-NEXT: AscendC::Exp(x, x, static_cast<int32_t>(block));
  %core = ascend.core_id
  ascend.unary exp %x, %x count(%core) : !buf, !buf
  // CHECK-NEXT: const int64_t subBlock = 0;
  // CHECK-NEXT: AscendC::Exp(x, x, static_cast<int32_t>(subBlock));
  %sub = ascend.sub_block_id
  ascend.unary exp %x, %x count(%sub) : !buf, !buf
  ascend.barrier all
  return
}
