// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: attn-opt kernel.mlir --emit=ascendc --source-comments | FileCheck kernel.mlir
// RUN: attn-opt kernel.mlir --emit=ascendc --source-comments | %clang_ascendc -trigraphs -
// RUN: attn-opt kernel.mlir --emit=ascendc --source-comments --no-line-directives | FileCheck kernel.mlir --check-prefix=PLAIN
// RUN: attn-opt kernel.mlir --emit=ascendc | FileCheck kernel.mlir --check-prefix=NONE
// RUN: rm kernel.py && attn-opt kernel.mlir --emit=ascendc --source-comments | FileCheck kernel.mlir --check-prefix=NONE

// Statements stand below the line that they come from, once for those that follow each other, whatever the line holds. Without
// the file there are no comments.

//--- kernel.py
def kernel(x, n):
    x = exp(x)
    y = ln(x) + \
        sqrt(x)  # */ /* //
    z = relu(x)  # ??/
    w = "é" + "	" + x  # \ ??/\
    v = abs(x)  # a long line a long line a long line a long line a long line a long line a long line a long line a long line
    u = abs(x)  # 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0\\123456789

//--- kernel.mlir
// NONE-NOT: // x
// NONE: AscendC::Abs(x, x, 64);

!buf = memref<64xf32, #ascend.space<ub>>

// Parameters that only a comment names are not used.
// CHECK:      void comments(int64_t n) {
// CHECK-NEXT: AscendC::InitSocState();
// CHECK-NEXT: (void)n;
// CHECK-NEXT: #line 2 "kernel.py"
// CHECK-NEXT: AscendC::LocalTensor<float> x(
// CHECK-NEXT:   // x = exp(x)
// CHECK-NEXT: #line 2 "kernel.py"
// CHECK-NEXT: AscendC::Exp(x, x, 64);
// CHECK-NEXT: #line 2 "kernel.py"
// CHECK-NEXT: AscendC::Exp(x, x, 32);
// CHECK-NEXT: // y = ln(x) +{{$}}
// CHECK-NEXT: #line 3
// CHECK-NEXT: AscendC::Ln(x, x, 64);
// CHECK-NEXT: // sqrt(x)  # */ /* //{{$}}
// CHECK-NEXT: #line 4
// CHECK-NEXT: AscendC::Sqrt(x, x, 64);
// CHECK-NEXT: // z = relu(x)  #{{$}}
// CHECK-NEXT: #line 5
// CHECK-NEXT: AscendC::Relu(x, x, 64);
// CHECK-NEXT: // w = "?" + " " + x  #{{$}}
// CHECK-NEXT: #line 6
// CHECK-NEXT: AscendC::Exp(x, x, 64);
// CHECK-NEXT: {{^}}  // v = abs(x)  # {{.{90,101}[.]{3}$}}
// CHECK-NEXT: #line 7
// CHECK-NEXT: AscendC::Abs(x, x, 64);
// CHECK-NEXT: {{^}}  // u = abs(x)  # {{.*}}9...{{$}}
// CHECK-NEXT: #line 8
// CHECK-NEXT: AscendC::Abs(x, x, 64);
// CHECK-NEXT: #line 99
// CHECK-NEXT: AscendC::Abs(x, x, 64);
// CHECK-NEXT: // x = exp(x)
// CHECK-NEXT: #line 2
// CHECK-NEXT: AscendC::Abs(x, x, 64);
// CHECK-NEXT: AscendC::PipeBarrier<PIPE_ALL>();

// PLAIN:      // x = exp(x)
// PLAIN-NEXT: AscendC::Exp(x, x, 64);
// PLAIN-NEXT: AscendC::Exp(x, x, 32);
// PLAIN-NEXT: // y = ln(x)
func.func @comments(%n: index loc("n")) attributes {ascend.kernel} {
  %c64 = arith.constant 64 : index
  %c32 = arith.constant 32 : index
  %x = ascend.alloc "x" at 0 : !buf loc("kernel.py":2:3)
  ascend.unary exp %x, %x count(%c64) : !buf, !buf loc("kernel.py":2:3)
  ascend.unary exp %x, %x count(%c32) : !buf, !buf loc("kernel.py":2:9)
  ascend.unary ln %x, %x count(%c64) : !buf, !buf loc("kernel.py":3:3)
  ascend.unary sqrt %x, %x count(%c64) : !buf, !buf loc("kernel.py":4:3)
  ascend.unary relu %x, %x count(%c64) : !buf, !buf loc("kernel.py":5:3)
  ascend.unary exp %x, %x count(%c64) : !buf, !buf loc("kernel.py":6:3)
  ascend.unary abs %x, %x count(%c64) : !buf, !buf loc("kernel.py":7:3)
  ascend.unary abs %x, %x count(%c64) : !buf, !buf loc("kernel.py":8:3)
  ascend.unary abs %x, %x count(%c64) : !buf, !buf loc("kernel.py":99:3)
  ascend.unary abs %x, %x count(%c64) : !buf, !buf loc("kernel.py":2:3)
  ascend.barrier all loc(unknown)
  return
} loc("kernel.py":1:1)
