// RUN: attn-opt %s --emit=ascendc | FileCheck %s
// RUN: attn-opt %s --emit=ascendc | %clang_ascendc -
// RUN: attn-opt %s --emit=ascendc --no-line-directives | FileCheck %s --check-prefix=PLAIN

// Each statement maps to the author's line, under the path as the author gave it.

// PLAIN-NOT: #line

!buf = memref<64xf32, #ascend.space<ub>>

// CHECK:      #line 7 "kernels/my \"quoted\" \\ \303\251\012.py"
// CHECK-NEXT: extern "C" __global__ __vector__ void lines() {
// CHECK:      #line 9 "kernels/my \"quoted\" \\ \303\251\012.py"
// CHECK-NEXT: AscendC::LocalTensor<float> x(
// CHECK-NEXT: #line 11 "kernel.py"
// CHECK-NEXT: AscendC::Exp(x, x, 64);
// CHECK-NEXT: #line 12 "kernel.py"
// CHECK-NEXT: AscendC::Ln(x, x, 64);
// CHECK-NEXT: #line 12 "kernel.py"
// CHECK-NEXT: AscendC::Sqrt(x, x, 64);
// CHECK-NEXT: #line 12 "other.py"
// CHECK-NEXT: AscendC::Abs(x, x, 64);
// CHECK-NEXT: #line 20 "kernel.py"
// CHECK-NEXT: AscendC::Relu(x, x, 64);
// CHECK-NEXT: AscendC::PipeBarrier<PIPE_ALL>();
func.func @lines() attributes {ascend.kernel} {
  %c64 = arith.constant 64 : index
  %x = ascend.alloc "x" at 0 : !buf loc("x"("kernels/my \22quoted\22 \\ \C3\A9\0A.py":9:3))
  ascend.unary exp %x, %x count(%c64) : !buf, !buf loc("kernel.py":11:3)
  ascend.unary ln %x, %x count(%c64) : !buf, !buf loc("y"("kernel.py":12:3))
  ascend.unary sqrt %x, %x count(%c64) : !buf, !buf loc(fused["z", "kernel.py":12:9])
  ascend.unary abs %x, %x count(%c64) : !buf, !buf loc("other.py":12:3)
  ascend.unary relu %x, %x count(%c64) : !buf, !buf loc(callsite("kernel.py":20:3 at "caller.py":1:1))
  ascend.barrier all loc(unknown)
  return
} loc("kernels/my \22quoted\22 \\ \C3\A9\0A.py":7:1)
