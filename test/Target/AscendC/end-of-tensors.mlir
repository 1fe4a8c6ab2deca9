// RUN: attn-opt %s --emit=ascendc --no-line-directives | FileCheck %s
// RUN: attn-opt %s --emit=ascendc | %clang_ascendc -

// An instruction on no elements may begin at the end of its buffer, where the tensor of the text has no element: the offset
// stays inside, at a data block where offsets are data blocks.

!slots = memref<2x512xf16, #ascend.space<ub>>
!buf = memref<512xf16, #ascend.space<ub>>
!any = memref<?xf16, #ascend.space<ub>>

// CHECK-LABEL: void ends(int64_t n) {
func.func @ends(%n: index loc("n")) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %x = ascend.alloc "x" at 0 : !slots
  %one = ascend.slot %x[%c1] : !slots -> !buf
  // CHECK: const int64_t x_offset = (n < 8 ? n : 8) * 64;
  %end = arith.minsi %n, %c8 : index
  // CHECK-NEXT: const int64_t x_begin = x_offset < 496 ? x_offset : 496;
  %offset = arith.muli %end, %c64 : index
  %rest = ascend.slice %one[%offset] : !buf -> !any
  // CHECK-NEXT: AscendC::Exp(x[512 + x_begin], x[512 + x_begin], static_cast<int32_t>(512 - x_offset));
  %count = arith.subi %c512, %offset : index
  ascend.unary exp %rest, %rest count(%count) : !any, !any
  // One name for one offset.
  // CHECK-NEXT: AscendC::Exp(x[512 + x_begin], x[512 + x_begin], 0);
  %again = ascend.slice %one[%offset] : !buf -> !any
  ascend.unary exp %again, %again count(%c0) : !any, !any
  // What ends before needs nothing.
  // CHECK-NEXT: for (int64_t i = 0; i < 8; ++i) {
  // CHECK-NEXT: const int64_t x_offset_1 = i * 64;
  // CHECK-NEXT: AscendC::Exp(x[512 + x_offset_1], x[512 + x_offset_1], 64);
  scf.for %i = %c0 to %c8 step %c1 {
    %at = arith.muli %i, %c64 : index
    %row = ascend.slice %one[%at] : !buf -> !any
    ascend.unary exp %row, %row count(%c64) : !any, !any
  }
  // CHECK: const int64_t last = n < 512 ? n : 512;
  // CHECK-NEXT: const int64_t x_begin_1 = last < 511 ? last : 511;
  %last = arith.minsi %n, %c512 : index loc("last")
  %element = ascend.slice %one[%last] : !buf -> !any
  // CHECK-NEXT: AscendC::Exp(x[512 + x_begin_1], x[512 + x_begin_1], 0);
  ascend.unary exp %element, %element count(%c0) : !any, !any
  ascend.barrier all
  return
}
