// Places in arrays are 64-bit numbers in every stage: rows may lie more than 2^31 elements after the first.
//
// RUN: attn-opt %s --attn-all | FileCheck %s --check-prefix=CHIP --implicit-check-not=index_cast --implicit-check-not=trunci
// RUN: attn-opt %s --emit=ascendc --no-line-directives | FileCheck %s --check-prefix=TEXT
// RUN: attn-opt %s --emit=ascendc | %clang_ascendc -
// RUN: attn-opt %s --soc=host --attn-tile --attn-cpu | FileCheck %s --check-prefix=HOST --implicit-check-not='llvm.mul {{.*}}i32'

// CHIP: %[[ROW:.*]] = arith.remui %{{.*}}, %c3000000000 : index
// CHIP: %[[BLOCK:.*]] = arith.divui %{{.*}}, %c3000000000 : index
// CHIP: ascend.address %{{.*}}[%[[BLOCK]], %[[ROW]], %c0]

// TEXT: void k({{.*}}, int64_t N, int64_t x_stride0,
// TEXT-NEXT: int64_t x_stride1, int64_t y_stride0, int64_t y_stride1) {
// TEXT: x_gm.SetGlobalBuffer((__gm__ float*)x, static_cast<uint64_t>((N - 1) * x_stride0 + 2999999999 * x_stride1 + 16));
// TEXT: for (int64_t [[I:.*]] = {{.*}}; [[I]] < {{.*}}; ++[[I]]) {
// TEXT: const int64_t [[ROW:.*]] = [[I]] % 3000000000;
// TEXT: const int64_t [[BLOCK:.*]] = [[I]] / 3000000000;
// TEXT: AscendC::DataCopyPad({{.*}}, x_gm{{.}}[[BLOCK]] * x_stride0 + [[ROW]] * x_stride1],
// TEXT: AscendC::DataCopyPad(y_gm{{.}}[[BLOCK]] * y_stride0 + [[ROW]] * y_stride1],

// HOST: llvm.mul {{.*}} : i64
// HOST: llvm.getelementptr {{.*}} : (!llvm.ptr, i64) -> !llvm.ptr, f32
module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @k(%x: !tile.array<?x3000000000x16xf32> {launch.dims = ["N", 3000000000, 16]} loc("x"),
             %y: !tile.array<?x3000000000x16xf32> {launch.dims = ["N", 3000000000, 16], launch.output} loc("y"))
    attributes {tile.kernel} {
  %N = tile.dim %x, 0 : !tile.array<?x3000000000x16xf32>
  %T = tile.dim %x, 1 : !tile.array<?x3000000000x16xf32>
  tile.grid (%n, %t) in (%N, %T) {
    %a = tile.load %x[%n, %t, :] : (!tile.array<?x3000000000x16xf32>, index, index) -> !tile.tile<1 x 16 x f32>
    %b = tile.add %a, %a : !tile.tile<1 x 16 x f32>, !tile.tile<1 x 16 x f32> -> !tile.tile<1 x 16 x f32>
    tile.store %b, %y[%n, %t, :] : (!tile.tile<1 x 16 x f32>, !tile.array<?x3000000000x16xf32>, index, index) -> ()
  }
  return
}
}
