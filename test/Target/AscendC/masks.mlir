// RUN: attn-opt %s --emit=ascendc --no-line-directives | FileCheck %s
// RUN: attn-opt %s --emit=ascendc | %clang_ascendc -

// Choices by masks: bits of 32-bit numbers are those of two lanes, comparisons are arguments, and the mode of Select is the one
// that needs no memory of the system.
!ub = memref<64xf32, #ascend.space<ub>>
!word = memref<64xi32, #ascend.space<ub>>
!bits = memref<32xi8, #ascend.space<ub>>

// CHECK-LABEL: void masks(int64_t n) {
func.func @masks(%n: index loc("n")) attributes {ascend.kernel} {
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !ub
  %b = ascend.alloc "b" at 256 : !ub
  %m = ascend.alloc "m" at 512 : !word
  %bits = ascend.alloc "bits" at 768 : !bits
  // CHECK: AscendC::Cast(m, a, AscendC::RoundMode::CAST_RINT, 64);
  ascend.cast rint %m, %a count(%c64) : !word, !ub
  // CHECK-NEXT: AscendC::And(a.ReinterpretCast<int16_t>(), b.ReinterpretCast<int16_t>(), m.ReinterpretCast<int16_t>(), 128);
  ascend.bitwise and %a, %b, %m count(%c64) : !ub, !ub, !word
  // CHECK-NEXT: AscendC::Or(a.ReinterpretCast<int16_t>(), a.ReinterpretCast<int16_t>(), b.ReinterpretCast<int16_t>(),
  // CHECK-NEXT: static_cast<int32_t>(n * 2));
  ascend.bitwise or %a, %a, %b count(%n) : !ub, !ub, !ub
  // CHECK-NEXT: AscendC::Or(a.ReinterpretCast<int16_t>(), a.ReinterpretCast<int16_t>(), b.ReinterpretCast<int16_t>(), 16, 8,
  // CHECK-NEXT: AscendC::BinaryRepeatParams{1, 1, 1, 1, 1, 1});
  ascend.bitwise or %a, %a, %b mask 8 repeat(%c8) strides [1, 1, 1, 1, 1, 1] : !ub, !ub, !ub
  // CHECK-NEXT: AscendC::Compare(bits.ReinterpretCast<uint8_t>(), a, b, AscendC::CMPMODE::LT, 64);
  ascend.compare lt %bits, %a, %b count(%c64) : !bits, !ub, !ub
  // CHECK-NEXT: AscendC::Compare(bits.ReinterpretCast<uint8_t>(), a, b, AscendC::CMPMODE::LE, 64);
  ascend.compare le %bits, %a, %b count(%c64) : !bits, !ub, !ub
  // CHECK-NEXT: AscendC::Compare(bits.ReinterpretCast<uint8_t>(), a, b, AscendC::CMPMODE::GT, 64);
  ascend.compare gt %bits, %a, %b count(%c64) : !bits, !ub, !ub
  // CHECK-NEXT: AscendC::Compare(bits.ReinterpretCast<uint8_t>(), a, b, AscendC::CMPMODE::GE, 64);
  ascend.compare ge %bits, %a, %b count(%c64) : !bits, !ub, !ub
  // CHECK-NEXT: AscendC::Compare(bits.ReinterpretCast<uint8_t>(), a, b, AscendC::CMPMODE::EQ, 64);
  ascend.compare eq %bits, %a, %b count(%c64) : !bits, !ub, !ub
  // CHECK-NEXT: AscendC::Select(a, bits.ReinterpretCast<uint8_t>(), a, b, AscendC::SELMODE::VSEL_CMPMASK_SPR,
  // CHECK-NEXT: static_cast<uint32_t>(n));
  ascend.select %a, %bits, %a, %b count(%n) : !ub, !bits, !ub, !ub
  ascend.barrier all
  return
}
