// Kernels of cube cores: every instruction as its call, with the vendor's parameters. The text compiles against the twin.
// RUN: mkdir -p %t
// RUN: attn-opt %s --emit=ascendc --no-line-directives -o %t/k.cpp
// RUN: FileCheck %s --input-file=%t/k.cpp
// RUN: attn-opt %s --emit=ascendc | %clang_ascendc -
// RUN: attn-sim %t/k.cpp --build-twin=%t/k.so
// RUN: attn-opt %s --emit=ascendc --no-line-directives --kernel-form=task-type -o %t/old.cpp
// RUN: FileCheck %s --input-file=%t/old.cpp --check-prefix=TASK
// RUN: attn-sim %t/old.cpp --build-twin=%t/old.so
!gm16 = memref<?xf16, #ascend.space<gm>>
!gmbf = memref<?xbf16, #ascend.space<gm>>
!gm32 = memref<?xf32, #ascend.space<gm>>
!gm8 = memref<?xi8, #ascend.space<gm>>
!gmi = memref<?xi32, #ascend.space<gm>>
!array = memref<128x128xf16, #ascend.space<gm>>
!open = memref<?x?xf16, strided<[?, 1]>, #ascend.space<gm>>
!out = memref<128x128xf32, #ascend.space<gm>>
!outbf = memref<128x128xbf16, #ascend.space<gm>>
!bytes = memref<64x64xi8, #ascend.space<gm>>
!whole = memref<64x64xi32, #ascend.space<gm>>
!l1 = memref<16384xf16, #ascend.space<l1>>
!l1slots = memref<2x16384xf16, #ascend.space<l1>>
!l1view = memref<?xf16, #ascend.space<l1>>
!l1bf = memref<2048xbf16, #ascend.space<l1>>
!l1f = memref<2048xf32, #ascend.space<l1>>
!l1b = memref<4096xi8, #ascend.space<l1>>
!l0a = memref<8192xf16, #ascend.space<l0a>>
!l0b = memref<8192xf16, #ascend.space<l0b>>
!l0av = memref<?xf16, #ascend.space<l0a>>
!l0bv = memref<?xf16, #ascend.space<l0b>>
!l0abf = memref<2048xbf16, #ascend.space<l0a>>
!l0bbf = memref<2048xbf16, #ascend.space<l0b>>
!l0af = memref<2048xf32, #ascend.space<l0a>>
!l0bf = memref<2048xf32, #ascend.space<l0b>>
!l0a8 = memref<4096xi8, #ascend.space<l0a>>
!l0b8 = memref<4096xi8, #ascend.space<l0b>>
!l0c = memref<16384xf32, #ascend.space<l0c>>
!l0ci = memref<4096xi32, #ascend.space<l0c>>
!bt = memref<128xf32, #ascend.space<bt>>
module attributes {machine.target = #machine.target<"Ascend910B4">} {

// CHECK-NOT: InitCubeState
// CHECK:      namespace attn_text {
// CHECK:      template <typename T>
// CHECK-NEXT: __aicore__ inline AscendC::LoadData3DParamsV2<T> MakeTile(uint16_t rows, uint16_t columns, uint16_t room, bool transpose) {
// CHECK-NEXT:   AscendC::LoadData3DParamsV2<T> tile;
// CHECK-NEXT:   tile.l1H = 1;
// CHECK-NEXT:   tile.l1W = room;
// CHECK-NEXT:   tile.channelSize = columns;
// CHECK-NEXT:   tile.mExtension = rows;
// CHECK-NEXT:   tile.kExtension = columns;
// CHECK-NEXT:   tile.enTranspose = transpose;
// CHECK-NEXT:   return tile;
// CHECK:      // product
// CHECK-NEXT: //   l1: 98304 of 524032 (Ascend910B4) bytes
// CHECK-NEXT: //   l0a: 16384 of 65536 (Ascend910B4) bytes
// CHECK-NEXT: //   l0b: 16384 of 65536 (Ascend910B4) bytes
// CHECK-NEXT: //   l0c: 65536 of 131072 (Ascend910B4) bytes
// CHECK-NEXT: //   bt: 512 of 1024 (Ascend910B4) bytes
// CHECK:      extern "C" __global__ __cube__ void product(
// CHECK:        AscendC::InitSocState();

// What CANN before 8.5 lacks on cube cores.
// TASK-NOT:  ResetMask
// TASK:      __aicore__ inline void InitCubeState() {
// TASK-NEXT:   AscendC::SetAtomicNone();
// TASK-NEXT:   AscendC::SetMaskNorm();
// TASK-NEXT:   AscendC::SetLoadDataBoundary(0);
// TASK-NEXT:   AscendC::SetLoadDataPaddingValue<uint16_t>(0);
// TASK-NEXT: }
// TASK:      MakeTensor(
// TASK:      MakeTile(
// TASK:      extern "C" __global__ __aicore__ void product(
// TASK:        KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
// TASK-NEXT:   attn_text::InitCubeState();
// TASK:        AscendC::LocalTensor<float> sums = attn_text::MakeTensor<float>(AscendC::TPosition::CO1, 0, 16384);
func.func @product(%x: !array loc("x"), %y: !open {launch.dims = ["n", "k"]} loc("y"), %o: !out {launch.output} loc("o"),
                   %p: !outbf {launch.output} loc("p"), %first: index loc("first"))
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c100 = arith.constant 100 : index
  %c128 = arith.constant 128 : index
  %true = arith.constant true
  %false = arith.constant false
  %zero = arith.constant 0.0 : f16
  %half = arith.constant 0.5 : f16
  %id = ascend.block_id
  %starts = arith.cmpi eq, %first, %c0 : index
// Buffers of L1 are declared for what they are loaded to.
// CHECK:      AscendC::GlobalTensor<half> x_gm_past_l2;
// CHECK-NEXT: x_gm_past_l2.SetGlobalBuffer((__gm__ half*)x, 16384);
// CHECK-NEXT: x_gm_past_l2.SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);
// CHECK-NEXT: AscendC::GlobalTensor<half> y_gm;
// CHECK:      AscendC::GlobalTensor<half> y_gm_past_l2;
// CHECK-NEXT: y_gm_past_l2.SetGlobalBuffer(
// CHECK-NEXT: y_gm_past_l2.SetL2CacheHint(
// CHECK-NOT:  o_gm_past
// CHECK:      AscendC::GlobalTensor<float> o_gm;
// CHECK-DAG:  AscendC::LocalTensor<half> left(AscendC::TPosition::A1, 0, 16384);
// CHECK-DAG:  AscendC::LocalTensor<half> right(AscendC::TPosition::B1, 32768, 32768);
// CHECK-DAG:  AscendC::LocalTensor<half> l0a(AscendC::TPosition::A2, 0, 8192);
// CHECK-DAG:  AscendC::LocalTensor<half> l0b(AscendC::TPosition::B2, 0, 8192);
// CHECK-DAG:  AscendC::LocalTensor<float> sums(AscendC::TPosition::CO1, 0, 16384);
  %left = ascend.alloc "left" at 0 : !l1
  %rights = ascend.alloc "right" at 32768 : !l1slots
  %l0a = ascend.alloc "l0a" at 0 : !l0a
  %l0b = ascend.alloc "l0b" at 0 : !l0b
  %sums = ascend.alloc "sums" at 0 : !l0c
  %bias = ascend.alloc "bias" at 0 : !bt
  %right = ascend.slot %rights[%c1] : !l1slots -> !l1
  %xp = ascend.address %x[%c0, %c0] : !array -> !gm16
  %yp = ascend.address %y[%c0, %c0] : !open -> !gm16
  %op = ascend.address %o[%c0, %c0] : !out -> !gm32
  %pp = ascend.address %p[%c0, %c0] : !outbf -> !gmbf
  %n = ascend.dim %y, 0 : !open
  %kk = ascend.dim %y, 1 : !open
  %rows = arith.minsi %n, %c100 : index
  %cols = arith.minsi %kk, %c128 : index
  %least = arith.maxsi %rows, %c2 : index
// CHECK: AscendC::DataCopy(left, x_gm_past_l2, AscendC::Nd2NzParams{1, 100, 64, 0, 128, 128, 1, 0});
  ascend.nd_to_nz %left, %xp rows(%c100) cols(%c64) src_pitch(%c128) dst_rows 128 bypass_l2 : !l1, !gm16
// The pitch of one row may be anything.
  %pitch = ascend.stride %y, 0 : !open
// CHECK:      AscendC::DataCopy(right[16384], y_gm_past_l2,
// CHECK-NEXT:     AscendC::Nd2NzParams{1, 1, static_cast<uint16_t>([[COLS:[a-z0-9_]+]]), 0, static_cast<uint16_t>([[COLS]]), 1, 1, 0});
  ascend.nd_to_nz %right, %yp rows(%c1) cols(%cols) src_pitch(%pitch) dst_rows 1 bypass_l2 : !l1, !gm16
// What only the pitch of one row would need is not computed: an unused name would be an error.
// CHECK-NOT: < 128 ?
// CHECK: AscendC::Nd2NzParams{1, 1, 64, 0, 64, 1, 1, 0}
  %within = arith.minsi %pitch, %c128 : index
  ascend.nd_to_nz %right, %yp rows(%c1) cols(%c64) src_pitch(%within) dst_rows 1 bypass_l2 : !l1, !gm16
// CHECK: AscendC::DataCopy(right[16384], y_gm, AscendC::Nd2NzParams{1, static_cast<uint16_t>({{.*}}), 64, 0, 64, 128, 1, 0});
  ascend.nd_to_nz %right, %yp rows(%rows) cols(%c64) src_pitch(%c64) dst_rows 128 : !l1, !gm16
// Fills: times, blocks, and the gap to the next time.
  %rest = ascend.slice %left[%c64] : !l1 -> !l1view
// CHECK:      AscendC::InitConstValue(left[64].ReinterpretCast<int16_t>(),
// CHECK-NEXT:     AscendC::InitConstValueParams<int16_t>{4, 28, 100, static_cast<int16_t>(0)});
  %c28 = arith.constant 28 : index
  ascend.fill %rest, %zero repeat(%c4) blocks(%c28) pitch 128 : !l1view, f16
// CHECK:      AscendC::InitConstValue(left.ReinterpretCast<int16_t>(),
// CHECK-NEXT:     AscendC::InitConstValueParams<int16_t>{1, static_cast<uint16_t>({{.*}}), 0, static_cast<int16_t>(14336)});
  ascend.fill %left, %half repeat(%c1) blocks(%rows) pitch 16 : !l1, f16
// CHECK:      AscendC::InitConstValue(left.ReinterpretCast<int16_t>(),
// CHECK-NEXT:     AscendC::InitConstValueParams<int16_t>{2, static_cast<uint16_t>([[ROWS:[a-z0-9_]+]]), static_cast<uint16_t>(128 - [[ROWS]]),
// CHECK-NEXT:     static_cast<int16_t>(0)});
  ascend.fill %left, %zero repeat(%c2) blocks(%rows) pitch 128 : !l1, f16
// CHECK: AscendC::SetFlag<AscendC::HardEvent::MTE2_MTE1>(0);
// CHECK: AscendC::WaitFlag<AscendC::HardEvent::MTE2_MTE1>(0);
  ascend.set_flag mte2 to mte1 event 0
  ascend.wait_flag mte2 to mte1 event 0
// Loads: of the strides, that of the destination is a gap.
// CHECK: AscendC::LoadData(l0a, left, AscendC::LoadData2DParams{0, 4, 8, 0, 0, false, 0});
  ascend.load_fractals %l0a, %left repeat(%c4) strides [1, 8] : !l0a, !l1
// CHECK: AscendC::LoadData(l0b, right[16384], AscendC::LoadData2DParams{0, static_cast<uint8_t>({{.*}}), 4, 0, 1, true, 0});
  ascend.load_fractals %l0b, %right repeat(%rows) strides [2, 4] transpose : !l0b, !l1
// CHECK: AscendC::LoadData(l0a, left, attn_text::MakeTile<half>(128, 64, 128, false));
  ascend.load_tile %l0a, %left rows(%c128) cols(%c64) src_rows 128 : !l0a, !l1
// CHECK: AscendC::LoadData(l0a, left, attn_text::MakeTile<half>(64, 64, 128, true));
  ascend.load_tile %l0a, %left rows(%c64) cols(%c64) src_rows 128 transpose : !l0a, !l1
// CHECK: AscendC::LoadData(l0b, right[16384], attn_text::MakeTile<half>(64, 128, 64, false));
  ascend.load_tile %l0b, %right rows(%c64) cols(%c128) src_rows 64 : !l0b, !l1
// CHECK: AscendC::LoadDataWithTranspose(l0b, right[16384], AscendC::LoadData2dTransposeParams{0, 4, 8, 1, 0});
  ascend.load_squares %l0b, %right repeat(%c4) strides [2, 8, 1] : !l0b, !l1
// CHECK: AscendC::SetFlag<AscendC::HardEvent::MTE1_M>(1);
// CHECK: AscendC::WaitFlag<AscendC::HardEvent::MTE1_M>(1);
  ascend.set_flag mte1 to m event 1
  ascend.wait_flag mte1 to m event 1
// Products: m, n, k, and whether sums start from zero.
// CHECK: AscendC::Mmad(sums, l0a, l0b, AscendC::MmadParams{100, 128, 64, 0, false, true});
  ascend.mmad %sums, %l0a, %l0b m(%c100) n(%c128) k(%c64) init(%true) : !l0c, !l0a, !l0b
// CHECK: AscendC::PipeBarrier<PIPE_M>();
  ascend.barrier m
// CHECK: AscendC::Mmad(sums, l0a, l0b, AscendC::MmadParams{100, 128, 64, 0, false, sums_start});
  ascend.mmad %sums, %l0a, %l0b m(%c100) n(%c128) k(%c64) init(%starts) : !l0c, !l0a, !l0b
// The bias is read only where nothing is zero before; later parts of a sum go on with what is there.
// CHECK: AscendC::Mmad(sums, l0a, l0b, bias, AscendC::MmadParams{100, 128, 64, 0, true, false});
  ascend.mmad %sums, %l0a, %l0b bias(%bias : !bt) m(%c100) n(%c128) k(%c64) init(%true) : !l0c, !l0a, !l0b
// CHECK: AscendC::Mmad(sums, l0a, l0b, AscendC::MmadParams{100, 128, 64, 0, false, false});
  ascend.mmad %sums, %l0a, %l0b bias(%bias : !bt) m(%c100) n(%c128) k(%c64) init(%false) : !l0c, !l0a, !l0b
// CHECK:      if (sums_start) {
// CHECK-NEXT:   AscendC::Mmad(sums, l0a, l0b, bias,
// CHECK-NEXT:       AscendC::MmadParams{static_cast<uint16_t>({{.*}}), 128, 64, 0, true, false});
// CHECK-NEXT: } else {
// CHECK-NEXT:   AscendC::Mmad(sums, l0a, l0b, AscendC::MmadParams{static_cast<uint16_t>({{.*}}), 128, 64, 0, false, false});
// CHECK-NEXT: }
  ascend.mmad %sums, %l0a, %l0b bias(%bias : !bt) m(%least) n(%c128) k(%c64) init(%starts) : !l0c, !l0a, !l0b
// CHECK: AscendC::SetFlag<AscendC::HardEvent::M_FIX>(0);
// CHECK: AscendC::WaitFlag<AscendC::HardEvent::M_FIX>(0);
  ascend.set_flag m to fix event 0
  ascend.wait_flag m to fix event 0
// The way out: columns, rows, strides of source and destination, relu, conversion.
// CHECK:      AscendC::Fixpipe<float, float, AscendC::CFG_ROW_MAJOR>(o_gm, sums,
// CHECK-NEXT:     AscendC::FixpipeParamsV220{64, 100, 112, 128, false, QuantMode_t::NoQuant, 0, 1, 0, 0, 0});
  ascend.fix_out %op, %sums rows(%c100) cols(%c64) dst_pitch(%c128) src_rows 112 : !gm32, !l0c
// CHECK:      AscendC::Fixpipe<bfloat16_t, float, AscendC::CFG_ROW_MAJOR>(p_gm, sums,
// CHECK-NEXT:     AscendC::FixpipeParamsV220{64, 100, 112, 128, true, QuantMode_t::F322BF16, 0, 1, 0, 0, 0});
  ascend.fix_out %pp, %sums rows(%c100) cols(%c64) dst_pitch(%c128) src_rows 112 relu : !gmbf, !l0c
// CHECK:      AscendC::Fixpipe<half, float, AscendC::CFG_NZ>(left, sums,
// CHECK-NEXT:     AscendC::FixpipeParamsV220{64, 100, 112, 128, false, QuantMode_t::F322F16, 0, 1, 0, 0, 0});
  ascend.fix_out %left, %sums rows(%c100) cols(%c64) dst_pitch(%c128) src_rows 112 nz : !l1, !l0c
// CHECK: AscendC::SetFlag<AscendC::HardEvent::FIX_M>(2);
// CHECK: AscendC::WaitFlag<AscendC::HardEvent::FIX_M>(2);
// CHECK: AscendC::SetFlag<AscendC::HardEvent::M_MTE1>(3);
// CHECK: AscendC::WaitFlag<AscendC::HardEvent::M_MTE1>(3);
// CHECK: AscendC::SetFlag<AscendC::HardEvent::MTE1_MTE2>(4);
// CHECK: AscendC::WaitFlag<AscendC::HardEvent::MTE1_MTE2>(4);
// CHECK: AscendC::SetFlag<AscendC::HardEvent::FIX_MTE2>(5);
// CHECK: AscendC::WaitFlag<AscendC::HardEvent::FIX_MTE2>(5);
  ascend.set_flag fix to m event 2
  ascend.wait_flag fix to m event 2
  ascend.set_flag m to mte1 event 3
  ascend.wait_flag m to mte1 event 3
  ascend.set_flag mte1 to mte2 event 4
  ascend.wait_flag mte1 to mte2 event 4
  ascend.set_flag fix to mte2 event 5
  ascend.wait_flag fix to mte2 event 5
// CHECK: AscendC::PipeBarrier<PIPE_MTE1>();
// CHECK: AscendC::PipeBarrier<PIPE_FIX>();
// CHECK: AscendC::PipeBarrier<PIPE_ALL>();
  ascend.barrier mte1
  ascend.barrier fix
  ascend.barrier all
  return
}

// Bias, and elements of 8 and 32 bits and of bf16.
// CHECK: // others
// CHECK: extern "C" __global__ __cube__ void others(
func.func @others(%x: !bytes loc("x"), %o: !bytes {launch.output} loc("o"), %w: !whole {launch.output} loc("w"),
                  %h: memref<64x64xf16, #ascend.space<gm>> {launch.output} loc("h"))
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %true = arith.constant true
  %one = arith.constant 1.0 : f32
  %seven = arith.constant 1.0 : bf16
  %xp = ascend.address %x[%c0, %c0] : !bytes -> !gm8
  %op = ascend.address %o[%c0, %c0] : !bytes -> !gm8
  %wp = ascend.address %w[%c0, %c0] : !whole -> !gmi
  %hp = ascend.address %h[%c0, %c0] : memref<64x64xf16, #ascend.space<gm>> -> !gm16
// CHECK-DAG: AscendC::LocalTensor<int8_t> bytes(AscendC::TPosition::A1, 0, 4096);
// CHECK-DAG: AscendC::LocalTensor<float> row(AscendC::TPosition::A1, 4096, 2048);
// CHECK-DAG: AscendC::LocalTensor<float> bias(AscendC::TPosition::C2, 0, 128);
  %bytes = ascend.alloc "bytes" at 0 : !l1b
  %row = ascend.alloc "row" at 4096 : !l1f
  %short = ascend.alloc "short_floats" at 12288 : !l1bf
  %a8 = ascend.alloc "a8" at 0 : !l0a8
  %b8 = ascend.alloc "b8" at 0 : !l0b8
  %af = ascend.alloc "af" at 4096 : !l0af
  %bf = ascend.alloc "bf" at 4096 : !l0bf
  %abf = ascend.alloc "abf" at 16384 : !l0abf
  %bbf = ascend.alloc "bbf" at 16384 : !l0bbf
  %bias = ascend.alloc "bias" at 0 : !bt
  %whole = ascend.alloc "whole" at 0 : !l0ci
  %sums = ascend.alloc "sums" at 16384 : memref<4096xf32, #ascend.space<l0c>>
// CHECK: AscendC::DataCopy(bytes, x_gm, AscendC::Nd2NzParams{1, 64, 64, 0, 64, 64, 1, 0});
  ascend.nd_to_nz %bytes, %xp rows(%c64) cols(%c64) src_pitch(%c64) dst_rows 64 : !l1b, !gm8
// CHECK: AscendC::InitConstValue(row, AscendC::InitConstValueParams<float>{1, 64, 0, 1.0f});
  ascend.fill %row, %one repeat(%c1) blocks(%c64) pitch 64 : !l1f, f32
// CHECK:      AscendC::InitConstValue(short_floats.ReinterpretCast<int16_t>(),
// CHECK-NEXT:     AscendC::InitConstValueParams<int16_t>{1, 64, 0, static_cast<int16_t>(16256)});
  ascend.fill %short, %seven repeat(%c1) blocks(%c64) pitch 64 : !l1bf, bf16
  ascend.barrier all
// CHECK: AscendC::DataCopy(bias, row, 64);
  ascend.load_bias %bias, %row count(%c64) : !bt, !l1f
// CHECK: AscendC::LoadDataWithTranspose(b8, bytes, AscendC::LoadData2dTransposeParams{0, 2, 1, 1, 0});
  ascend.load_squares %b8, %bytes repeat(%c2) strides [2, 1, 1] : !l0b8, !l1b
// CHECK: AscendC::LoadData(a8, bytes, attn_text::MakeTile<int8_t>(64, 64, 64, false));
  ascend.load_tile %a8, %bytes rows(%c64) cols(%c64) src_rows 64 : !l0a8, !l1b
// CHECK: AscendC::LoadData(af, row, attn_text::MakeTile<float>(16, 16, 64, true));
  ascend.load_tile %af, %row rows(%c16) cols(%c16) src_rows 64 transpose : !l0af, !l1f
// CHECK: AscendC::LoadData(bf, row, attn_text::MakeTile<float>(16, 16, 64, false));
  ascend.load_tile %bf, %row rows(%c16) cols(%c16) src_rows 64 : !l0bf, !l1f
// CHECK: AscendC::LoadData(abf, short_floats, attn_text::MakeTile<bfloat16_t>(16, 16, 64, false));
  ascend.load_tile %abf, %short rows(%c16) cols(%c16) src_rows 64 : !l0abf, !l1bf
  ascend.load_tile %bbf, %short rows(%c16) cols(%c16) src_rows 64 : !l0bbf, !l1bf
  ascend.barrier all
// CHECK: AscendC::Mmad(whole, a8, b8, AscendC::MmadParams{64, 32, 64, 0, false, true});
  ascend.mmad %whole, %a8, %b8 m(%c64) n(%c32) k(%c64) init(%true) : !l0ci, !l0a8, !l0b8
// CHECK: AscendC::Mmad(sums, af, bf, AscendC::MmadParams{16, 16, 16, 0, false, true});
  ascend.mmad %sums, %af, %bf m(%c16) n(%c16) k(%c16) init(%true) : memref<4096xf32, #ascend.space<l0c>>, !l0af, !l0bf
  ascend.barrier m
// CHECK: AscendC::Mmad(sums, abf, bbf, AscendC::MmadParams{16, 16, 16, 0, false, true});
  ascend.mmad %sums, %abf, %bbf m(%c16) n(%c16) k(%c16) init(%true) : memref<4096xf32, #ascend.space<l0c>>, !l0abf, !l0bbf
  ascend.barrier all
// A scale is passed by its bits; bit 46 says that results have a sign.
// CHECK:      AscendC::Fixpipe<int8_t, int32_t, AscendC::CFG_ROW_MAJOR>(o_gm, whole,
// CHECK-NEXT:     AscendC::FixpipeParamsV220{32, 64, 64, 64, false, QuantMode_t::REQ8, 0x40003e800000, 1, 0, 0, 0});
  ascend.fix_out %op, %whole rows(%c64) cols(%c32) dst_pitch(%c64) src_rows 64 scale 2.500000e-01 : !gm8, !l0ci
// CHECK:      AscendC::Fixpipe<int32_t, int32_t, AscendC::CFG_ROW_MAJOR>(w_gm, whole,
// CHECK-NEXT:     AscendC::FixpipeParamsV220{32, 64, 64, 64, false, QuantMode_t::NoQuant, 0, 1, 0, 0, 0});
  ascend.fix_out %wp, %whole rows(%c64) cols(%c32) dst_pitch(%c64) src_rows 64 : !gmi, !l0ci
// CHECK:      AscendC::Fixpipe<half, int32_t, AscendC::CFG_ROW_MAJOR>(h_gm, whole,
// CHECK-NEXT:     AscendC::FixpipeParamsV220{32, 64, 64, 64, false, QuantMode_t::DEQF16, 0x3e800000, 1, 0, 0, 0});
  ascend.fix_out %hp, %whole rows(%c64) cols(%c32) dst_pitch(%c64) src_rows 64 scale 2.500000e-01 : !gm16, !l0ci
// CHECK:      AscendC::Fixpipe<int8_t, float, AscendC::CFG_ROW_MAJOR>(o_gm, sums,
// CHECK-NEXT:     AscendC::FixpipeParamsV220{16, 16, 16, 64, true, QuantMode_t::QF322B8_PRE, 0x40003e800000, 1, 0, 0, 0});
  ascend.fix_out %op, %sums rows(%c16) cols(%c16) dst_pitch(%c64) src_rows 16 relu scale 2.500000e-01 : !gm8, memref<4096xf32, #ascend.space<l0c>>
  ascend.barrier all
  return
}
}
