// A sum over a grid and what is made of it, from tile IR to AscendC: blocks meet in one kernel, or there are two.
//
// RUN: attn-opt %s --emit=ascendc | %clang_ascendc -
// RUN: attn-opt %s --attn-all=phases=launches | attn-opt --emit=ascendc | %clang_ascendc -
// RUN: attn-opt %s --emit=ascendc --no-line-directives | FileCheck %s
// RUN: attn-opt %s --attn-all=phases=launches | attn-opt --emit=ascendc --no-line-directives | FileCheck %s --check-prefix=LAUNCHES
// RUN: not attn-opt %s --attn-tile=phases=never 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: unknown value 'never' of the option phases; known: barrier, launches
//
// Both give the same values: column c of the eight rows sums up to 1792 + 8 c.
// RUN: attn-opt %s --attn-all | attn-sim --arg=iota:8x64xf32 --arg=undef:64xf32 --arg=workspace --print=1 | FileCheck %s --check-prefix=VALUES
// RUN: attn-opt %s --attn-all=phases=launches | attn-sim --arg=iota:8x64xf32 --arg=undef:64xf32 --arg=workspace --print=1 | FileCheck %s --check-prefix=VALUES
// VALUES: hazards: 0
// VALUES: values of argument 1:
// VALUES-NEXT: {{^}}  1792 1800 1808 1816

// The vendor's compiler takes one kernel: the sum of a block's rows is stored before all meet, and loaded after.
// RUN: attn-opt %s --emit=linalg | FileCheck %s --check-prefix=LINALG
// RUN: attn-opt %s --attn-tile=phases=launches | attn-opt --attn-linalg --mlir-print-op-generic | FileCheck %s --check-prefix=LINALG
// LINALG: sym_name = "sums"
// LINALG: "hivm.hir.set_ffts_base_addr"
// LINALG: "bufferization.materialize_in_destination"
// LINALG: "hivm.hir.sync_block"() <{flag_id = 9 : i16, sync_block_mode = #hivm.sync_block_mode<ALL_VECTOR>, tvector_pipe = #hivm.pipe<PIPE_ALL>}> : () -> ()
// LINALG: "memref.copy"
// LINALG: "bufferization.materialize_in_destination"
// LINALG-NOT: sym_name

// CHECK: extern "C" __global__ __mix__(0, 1) void sums(
// CHECK: AscendC::SyncAll();
// CHECK: AscendC::PipeBarrier<PIPE_ALL>();
// CHECK-NEXT: }
// CHECK-NOT: void
// LAUNCHES: extern "C" __global__ __vector__ void sums(
// LAUNCHES-NOT: SyncAll
// LAUNCHES: //   launched after sums, with its arguments, workspaces and number of blocks
// LAUNCHES: extern "C" __global__ __vector__ void sums_phase1(
module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @sums(%x: !tile.array<?x64xf32> {launch.dims = ["T", 64]},
                %y: !tile.array<64xf32> {launch.dims = [64], launch.output},
                %G: !tile.array<?x64xf32> {launch.dims = ["@blocks", 64], launch.workspace}) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0.0 : f32
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  tile.grid (%t) in (%T) {
    %row = tile.load %x[%t, :] : (!tile.array<?x64xf32>, index) -> !tile.tile<1 x 64 x f32>
    tile.accumulate %row, %G : !tile.tile<1 x 64 x f32>, !tile.array<?x64xf32>
  }
  tile.phase
  %blocks = tile.dim %G, 0 : !tile.array<?x64xf32>
  tile.grid (%only) in (%one) {
    %start = tile.splat %none : f32 -> !tile.tile<1 x 64 x f32>
    %total = tile.range %b = %zero to %blocks iter(%sum = %start : !tile.tile<1 x 64 x f32>) stages 2 {
      %part = tile.load %G[%b, :] : (!tile.array<?x64xf32>, index) -> !tile.tile<1 x 64 x f32>
      %more = tile.add %sum, %part : !tile.tile<1 x 64 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 64 x f32>
      tile.yield %more : !tile.tile<1 x 64 x f32>
    }
    tile.store %total, %y[:] : (!tile.tile<1 x 64 x f32>, !tile.array<64xf32>) -> ()
  }
  return
}
}
