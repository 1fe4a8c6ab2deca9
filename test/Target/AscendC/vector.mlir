// RUN: attn-opt %s --emit=ascendc --no-line-directives | FileCheck %s
// RUN: attn-opt %s --emit=ascendc | %clang_ascendc -

// One call spelling per family of vector instructions, in both forms.

!row = memref<512xf32, #ascend.space<ub>>
!row16 = memref<512xbf16, #ascend.space<ub>>
!word = memref<512xi32, #ascend.space<ub>>
!col = memref<8xf32, #ascend.space<ub>>

// CHECK-LABEL: void vector(float eps, int64_t n) {
// CHECK-NEXT:  AscendC::InitSocState();
// CHECK-NEXT:  AscendC::LocalTensor<float> a(AscendC::TPosition::VECCALC, 0, 512);
// CHECK-NEXT:  AscendC::LocalTensor<float> b(AscendC::TPosition::VECCALC, 2048, 512);
// CHECK-NEXT:  AscendC::LocalTensor<bfloat16_t> h(AscendC::TPosition::VECCALC, 4096, 512);
// CHECK-NEXT:  AscendC::LocalTensor<float> c(AscendC::TPosition::VECCALC, 5120, 8);
// CHECK-NEXT:  AscendC::LocalTensor<bfloat16_t> g(AscendC::TPosition::VECCALC, 8192, 512);
// CHECK-NEXT:  AscendC::LocalTensor<int32_t> i(AscendC::TPosition::VECCALC, 16384, 512);
func.func @vector(%eps: f32 loc("eps"), %n: index loc("n")) attributes {ascend.kernel} {
  %c512 = arith.constant 512 : index
  %c8 = arith.constant 8 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f32
  %one16 = arith.constant 1.0 : bf16
  %tiny = arith.constant 2.44140625e-4 : f32
  %low = arith.constant 0xFF800000 : f32
  %a = ascend.alloc "a" at 0 : !row
  %b = ascend.alloc "b" at 2048 : !row
  %h = ascend.alloc "h" at 4096 : !row16
  %c = ascend.alloc "c" at 5120 : !col
  %g = ascend.alloc "g" at 8192 : !row16
  %i = ascend.alloc "i" at 16384 : !word

  // CHECK-NEXT: AscendC::Exp(a, b, 512);
  ascend.unary exp %a, %b count(%c512) : !row, !row
  // CHECK-NEXT: AscendC::Ln(a, b, static_cast<int32_t>(n));
  ascend.unary ln %a, %b count(%n) : !row, !row
  // CHECK-NEXT: AscendC::Sqrt(a, b, 64, 8, AscendC::UnaryRepeatParams{1, 1, 8, 8});
  ascend.unary sqrt %a, %b mask 64 repeat(%c8) strides [1, 1, 8, 8] : !row, !row
  %few = arith.minsi %n, %c8 : index loc("few")
  // CHECK-NEXT: const int64_t few = n < 8 ? n : 8;
  // CHECK-NEXT: AscendC::Abs(a, b, 64, static_cast<uint8_t>(few), AscendC::UnaryRepeatParams{1, 1, 8, 8});
  ascend.unary abs %a, %b mask 64 repeat(%few) strides [1, 1, 8, 8] : !row, !row
  // CHECK-NEXT: AscendC::Relu(a, b, 512);
  ascend.unary relu %a, %b count(%c512) : !row, !row

  // CHECK-NEXT: AscendC::Add(a, a, b, 512);
  ascend.binary add %a, %a, %b count(%c512) : !row, !row, !row
  // CHECK-NEXT: AscendC::Sub(a, a, b, 512);
  ascend.binary sub %a, %a, %b count(%c512) : !row, !row, !row
  // CHECK-NEXT: AscendC::Mul(a, a, c, 64, static_cast<uint8_t>(few), AscendC::BinaryRepeatParams{1, 1, 0, 8, 8, 0});
  ascend.binary mul %a, %a, %c mask 64 repeat(%few) strides [1, 1, 0, 8, 8, 0] : !row, !row, !col
  // CHECK-NEXT: AscendC::Div(a, a, b, 512);
  ascend.binary div %a, %a, %b count(%c512) : !row, !row, !row
  // CHECK-NEXT: AscendC::Max(a, a, b, 512);
  ascend.binary max %a, %a, %b count(%c512) : !row, !row, !row
  // CHECK-NEXT: AscendC::Min(a, a, b, 512);
  ascend.binary min %a, %a, %b count(%c512) : !row, !row, !row
  // CHECK-NEXT: AscendC::MulAddDst(a, a, b, 512);
  ascend.mul_add %a, %a, %b count(%c512) : !row, !row, !row
  // CHECK-NEXT: AscendC::MulAddDst(a, a, c, 64, 8, AscendC::BinaryRepeatParams{1, 1, 0, 8, 8, 1});
  ascend.mul_add %a, %a, %c mask 64 repeat(%c8) strides [1, 1, 0, 8, 8, 1] : !row, !row, !col

  // CHECK-NEXT: AscendC::Adds(a, b, eps, 512);
  ascend.scalar adds %a, %b, %eps count(%c512) : !row, !row, f32
  // CHECK-NEXT: AscendC::Muls(a, b, 0.000244140625f, 64, 8, AscendC::UnaryRepeatParams{1, 1, 8, 8});
  ascend.scalar muls %a, %b, %tiny mask 64 repeat(%c8) strides [1, 1, 8, 8] : !row, !row, f32
  // CHECK-NEXT: AscendC::Maxs(a, b, -__builtin_inff(), 512);
  ascend.scalar maxs %a, %b, %low count(%c512) : !row, !row, f32
  // CHECK-NEXT: AscendC::Mins(a, b, 1.0f, 512);
  ascend.scalar mins %a, %b, %one count(%c512) : !row, !row, f32
  // CHECK-NEXT: AscendC::LeakyRelu(a, b, eps, 512);
  ascend.scalar leaky_relu %a, %b, %eps count(%c512) : !row, !row, f32
  // CHECK-NEXT: AscendC::LeakyRelu(a, b, 0.000244140625f, 64, 8, AscendC::UnaryRepeatParams{1, 1, 8, 8});
  ascend.scalar leaky_relu %a, %b, %tiny mask 64 repeat(%c8) strides [1, 1, 8, 8] : !row, !row, f32

  // CHECK-NEXT: AscendC::Cast(a, h, AscendC::RoundMode::CAST_NONE, 512);
  ascend.cast none %a, %h count(%c512) : !row, !row16
  // CHECK-NEXT: AscendC::Cast(h, a, AscendC::RoundMode::CAST_RINT, 64, 8, AscendC::UnaryRepeatParams{1, 1, 4, 8});
  ascend.cast rint %h, %a mask 64 repeat(%c8) strides [1, 1, 4, 8] : !row16, !row
  // CHECK-NEXT: AscendC::Cast(a, i, AscendC::RoundMode::CAST_RINT, 512);
  ascend.cast rint %a, %i count(%c512) : !row, !word
  // CHECK-NEXT: AscendC::Cast(i, a, AscendC::RoundMode::CAST_RINT, 512);
  ascend.cast rint %i, %a count(%c512) : !word, !row
  // CHECK-NEXT: AscendC::Duplicate(a, 1.0f, 512);
  ascend.duplicate %a, %one count(%c512) : !row, f32
  // CHECK-NEXT: AscendC::Duplicate(a, eps, 64, 8, 1, 8);
  ascend.duplicate %a, %eps mask 64 repeat(%c8) strides [1, 8] : !row, f32
  // CHECK-NEXT: AscendC::Duplicate(h.ReinterpretCast<int16_t>(), static_cast<int16_t>(16256), 512);
  ascend.duplicate %h, %one16 count(%c512) : !row16, bf16
  // CHECK-NEXT: AscendC::DataCopy(a, b, 512);
  ascend.copy %a, %b count(%c512) : !row, !row
  // CHECK-NEXT: AscendC::Brcb(a, c, 1, AscendC::BrcbRepeatParams{1, 8});
  ascend.brcb %a, %c repeat(%c1) strides [1, 8] : !row, !col
  // A single repeat would begin a stride after its addresses.
  // CHECK-NEXT: AscendC::TransDataTo5HD(attn_text::MakeRows(h.ReinterpretCast<half>(), 32).rows,
  // CHECK-NEXT: attn_text::MakeRows(g.ReinterpretCast<half>(), 16).rows, AscendC::TransDataTo5HDParams{false, false, 1, 0, 0});
  ascend.transpose %h, %g repeat(%c1) strides [2, 1, 7, 9] : !row16, !row16
  // CHECK-NEXT: AscendC::TransDataTo5HD(attn_text::MakeRows(h.ReinterpretCast<half>(), 16).rows,
  // CHECK-NEXT: attn_text::MakeRows(g.ReinterpretCast<half>(), 32).rows, AscendC::TransDataTo5HDParams{false, false, 2, 16, 1});
  ascend.transpose %h, %g repeat(%c2) strides [1, 2, 16, 1] : !row16, !row16

  // Mask before repeats in whole reductions, after them in block reductions.
  // CHECK-NEXT: AscendC::WholeReduceSum(c, a, 64, static_cast<int32_t>(few), 1, 1, 8);
  ascend.whole_reduce sum %c, %a mask 64 repeat(%few) strides [1, 1, 8] : !col, !row
  // CHECK-NEXT: AscendC::WholeReduceMax(c, a, 59, 8, 1, 1, 8, AscendC::ReduceOrder::ORDER_ONLY_VALUE);
  ascend.whole_reduce max %c, %a mask 59 repeat(%c8) strides [1, 1, 8] : !col, !row
  // CHECK-NEXT: AscendC::WholeReduceMin(c, a, 59, 8, 1, 1, 8, AscendC::ReduceOrder::ORDER_ONLY_VALUE);
  ascend.whole_reduce min %c, %a mask 59 repeat(%c8) strides [1, 1, 8] : !col, !row
  // CHECK-NEXT: AscendC::BlockReduceSum(c, a, static_cast<int32_t>(few), 64, 1, 1, 8);
  ascend.block_reduce sum %c, %a mask 64 repeat(%few) strides [1, 1, 8] : !col, !row
  // CHECK-NEXT: AscendC::BlockReduceMax(c, a, 1, 59, 1, 1, 8);
  ascend.block_reduce max %c, %a mask 59 repeat(%c1) strides [1, 1, 8] : !col, !row
  // CHECK-NEXT: AscendC::BlockReduceMin(c, a, 1, 59, 1, 1, 8);
  ascend.block_reduce min %c, %a mask 59 repeat(%c1) strides [1, 1, 8] : !col, !row
  // CHECK-NEXT: AscendC::PipeBarrier<PIPE_ALL>();
  // CHECK-NEXT: }
  ascend.barrier all
  return
}
