// RUN: attn-opt %s --emit=ascendc --no-line-directives | FileCheck %s
// RUN: attn-opt %s --emit=ascendc | %clang_ascendc -

// Padded copies: bytes and gaps in the units of each side, 64-bit places in the arrays, slots, tables.

!V = memref<?x?x123xbf16, strided<[?, ?, 1]>, #ascend.space<gm>>
!gm = memref<?xbf16, #ascend.space<gm>>
!gm32 = memref<?xf32, #ascend.space<gm>>
!slots = memref<2x256xbf16, #ascend.space<ub>>
!slot = memref<256xbf16, #ascend.space<ub>>
!any = memref<?xbf16, #ascend.space<ub>>

// CHECK-LABEL: // copies
// CHECK-NEXT:  //   sizes: BT = 2
// CHECK-NEXT:  //   unified buffer: 1088 of 196352 (Ascend910B4) bytes
// CHECK-NEXT:  //   blocks: at most 40
// CHECK-NEXT:  //   arguments:
// CHECK-NEXT:  //     V: [N, T, 123] of bfloat16_t
// CHECK-NEXT:  //     lse: [T] of float, output
// CHECK-NEXT:  //     part: [blocks, 16] of float, workspace
// CHECK-NEXT:  //     N: int64_t
// CHECK-NEXT:  //     T: int64_t
// CHECK-NEXT:  //     V_stride0: int64_t, in elements
// CHECK-NEXT:  //     V_stride1: int64_t, in elements
// CHECK-NEXT:  //     part_stride0: int64_t, in elements
// CHECK-NEXT:  //     all: int64_t
// CHECK-NEXT:  extern "C" __global__ __vector__ void copies(__gm__ uint8_t* V, __gm__ uint8_t* lse, __gm__ uint8_t* part, int64_t N,
// CHECK-NEXT:      int64_t T, int64_t V_stride0, int64_t V_stride1, int64_t part_stride0, int64_t all) {
module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @copies(%V: !V {launch.dims = ["N", "T", 123]} loc("V"),
                  %lse: memref<?xf32, strided<[1]>, #ascend.space<gm>> {launch.dims = ["T"], launch.output} loc("lse"),
                  %part: memref<?x16xf32, strided<[?, 1]>, #ascend.space<gm>> {launch.dims = ["@blocks", 16], launch.workspace} loc("part"),
                  %all: index loc("all"))
    attributes {ascend.kernel, launch.limit = 40 : i64, launch.sizes = {BT = 2 : i64}} {
  // CHECK-NEXT: AscendC::InitSocState();
  // CHECK-NEXT: AscendC::GlobalTensor<bfloat16_t> V_gm;
  // CHECK-NEXT: V_gm.SetGlobalBuffer((__gm__ bfloat16_t*)V, static_cast<uint64_t>((N - 1) * V_stride0 + (T - 1) * V_stride1 + 123));
  // CHECK-NEXT: AscendC::GlobalTensor<float> lse_gm;
  // CHECK-NEXT: lse_gm.SetGlobalBuffer((__gm__ float*)lse, static_cast<uint64_t>(T));
  // CHECK-NEXT: AscendC::GlobalTensor<float> part_gm;
  // CHECK-NEXT: part_gm.SetGlobalBuffer((__gm__ float*)part,
  // CHECK-NEXT:     static_cast<uint64_t>((static_cast<int64_t>(AscendC::GetBlockNum()) - 1) * part_stride0 + 16));
  // CHECK-NEXT: AscendC::LocalTensor<bfloat16_t> v(AscendC::TPosition::VECIN, 0, 512);
  // CHECK-NEXT: AscendC::LocalTensor<float> l(AscendC::TPosition::VECOUT, 1024, 16);
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c16 = arith.constant 16 : index
  %c123 = arith.constant 123 : index
  %v = ascend.alloc "v" at 0 : !slots
  %l = ascend.alloc "l" at 1024 : memref<16xf32, #ascend.space<ub>>
  // CHECK-NEXT: const int64_t block = static_cast<int64_t>(AscendC::GetBlockIdx());
  %id = ascend.block_id
  // CHECK-NEXT: const int64_t rows = all < 5 ? all : 5;
  %rows = arith.minsi %all, %c5 : index loc("rows")
  %N = ascend.dim %V, 0 : !V
  %s1 = ascend.stride %V, 1 : !V
  // CHECK-NEXT: for (int64_t n = 0; n < N; ++n) {
  scf.for %n = %c0 to %N step %c1 {
    // CHECK-NEXT: const int64_t parity = n % 2;
    %c2 = arith.constant 2 : index
    %parity = arith.remsi %n, %c2 : index loc("parity")
    %slot = ascend.slot %v[%parity] : !slots -> !slot
    %p = ascend.address %V[%n, %id, %c5] : !V -> !gm
    // 123 elements of 2 bytes, padded to 256 bytes, at a pitch of 256 bytes: no gap in ub.
    // CHECK-NEXT: AscendC::DataCopyPad(v[parity * 256], V_gm[n * V_stride0 + block * V_stride1 + 5],
    // CHECK-NEXT:     AscendC::DataCopyExtParams{static_cast<uint16_t>(rows), 246, static_cast<uint32_t>((V_stride1 - 123) * 2), 0,
    // CHECK-NEXT:     0}, AscendC::DataCopyPadExtParams<bfloat16_t>{true, 0, 5, 0});
    ascend.copy_in %slot, %p rows(%rows) length(%c123) src_pitch(%s1) dst_pitch 128 right_pad 5 : !slot, !gm
    %rest = ascend.slice %slot[%c16] : !slot -> !any
    // One row has no gaps.
    // CHECK-NEXT: AscendC::DataCopyPad(v[parity * 256 + 16], V_gm, AscendC::DataCopyExtParams{1, 246, 0, 0, 0},
    // CHECK-NEXT:     AscendC::DataCopyPadExtParams<bfloat16_t>{false, 0, 0, 0});
    %q = ascend.address %V[%c0, %c0, %c0] : !V -> !gm
    ascend.copy_in %rest, %q rows(%c1) length(%c123) src_pitch(%s1) dst_pitch 128 right_pad 0 : !any, !gm
  } loc("n")
  // A runtime length leaves the gap in ub to the kernel.
  // CHECK: AscendC::DataCopyPad(v, V_gm,
  // CHECK-NEXT:     AscendC::DataCopyExtParams{2, static_cast<uint32_t>(rows * 2), static_cast<uint32_t>((V_stride1 - rows) * 2),
  // CHECK-NEXT:     static_cast<uint32_t>(8 - (rows * 2 + 31) / 32), 0}, AscendC::DataCopyPadExtParams<bfloat16_t>{false, 0, 0, 0});
  %c2 = arith.constant 2 : index
  %slot0 = ascend.slot %v[%c0] : !slots -> !slot
  %q = ascend.address %V[%c0, %c0, %c0] : !V -> !gm
  ascend.copy_in %slot0, %q rows(%c2) length(%rows) src_pitch(%s1) dst_pitch 128 right_pad 0 : !slot, !gm
  // CHECK: AscendC::DataCopyPad(lse_gm[block], l, AscendC::DataCopyExtParams{1, static_cast<uint32_t>(rows * 4), 0, 0, 0});
  %o = ascend.address %lse[%id] : memref<?xf32, strided<[1]>, #ascend.space<gm>> -> !gm32
  ascend.copy_out %o, %l rows(%c1) length(%rows) dst_pitch(%c16) src_pitch 16 : !gm32, memref<16xf32, #ascend.space<ub>>
  // CHECK: AscendC::DataCopyPad(part_gm[block * part_stride0], l,
  // CHECK-NEXT:     AscendC::DataCopyExtParams{static_cast<uint16_t>(rows), 20, 1, 44, 0});
  %w = ascend.address %part[%id, %c0] : memref<?x16xf32, strided<[?, 1]>, #ascend.space<gm>> -> !gm32
  ascend.copy_out %w, %l rows(%rows) length(%c5) dst_pitch(%c16) src_pitch 16 : !gm32, memref<16xf32, #ascend.space<ub>>
  ascend.barrier all
  return
}

// CHECK-LABEL: void list(__gm__ uint8_t* V, int64_t N, int64_t T, int64_t V_stride1) {
func.func @list(%V: !ascend.table<memref<?x123xbf16, strided<[?, 1]>, #ascend.space<gm>>> {launch.dims = ["N", "T", 123]} loc("V"))
    attributes {ascend.kernel} {
  // CHECK: AscendC::GlobalTensor<uint64_t> V_table;
  // CHECK-NEXT: V_table.SetGlobalBuffer((__gm__ uint64_t*)V, static_cast<uint64_t>(N));
  // CHECK: for (int64_t i = 0; i < N; ++i) {
  // CHECK-NEXT: AscendC::GlobalTensor<bfloat16_t> V_entry;
  // CHECK-NEXT: V_entry.SetGlobalBuffer((__gm__ bfloat16_t*)V_table.GetValue(static_cast<uint64_t>(i)),
  // CHECK-NEXT:     static_cast<uint64_t>((T - 1) * V_stride1 + 123));
  // CHECK-NEXT: AscendC::DataCopyPad(v, V_entry[(T - 1) * V_stride1], AscendC::DataCopyExtParams{1, 246, 0, 0, 0},
  // CHECK-NEXT:     AscendC::DataCopyPadExtParams<bfloat16_t>{false, 0, 0, 0});
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c123 = arith.constant 123 : index
  %v = ascend.alloc "v" at 0 : !slot
  %N = ascend.dim %V, 0 : !ascend.table<memref<?x123xbf16, strided<[?, 1]>, #ascend.space<gm>>>
  scf.for %n = %c0 to %N step %c1 {
    %Vn = ascend.lookup %V[%n] : !ascend.table<memref<?x123xbf16, strided<[?, 1]>, #ascend.space<gm>>> -> memref<?x123xbf16, strided<[?, 1]>, #ascend.space<gm>>
    %T = ascend.dim %Vn, 0 : memref<?x123xbf16, strided<[?, 1]>, #ascend.space<gm>>
    %last = arith.subi %T, %c1 : index
    %p = ascend.address %Vn[%last, %c0] : memref<?x123xbf16, strided<[?, 1]>, #ascend.space<gm>> -> !gm
    ascend.copy_in %v, %p rows(%c1) length(%c123) src_pitch(%c123) dst_pitch 128 right_pad 0 : !slot, !gm
  }
  ascend.barrier all
  return
}

// The count of a grid belongs to the host and is not printed.
// CHECK-NOT: grid
func.func @copies_grid(%V: !V, %lse: memref<?xf32, strided<[1]>, #ascend.space<gm>>,
                       %part: memref<?x16xf32, strided<[?, 1]>, #ascend.space<gm>>, %rows: index) -> index
    attributes {launch.grid_of = @copies} {
  return %rows : index
}
}
