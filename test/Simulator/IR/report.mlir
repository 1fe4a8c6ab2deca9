// RUN: attn-sim %s --arg=iota:64xf32 --arg=undef:64xf32 --trace=%t.json --ideal-bytes=8000000 | FileCheck %s
// RUN: FileCheck %s --check-prefix=TRACE < %t.json
// RUN: attn-sim %s --arg=iota:64xf32 --arg=undef:64xf32 --trace=%t.txt
// RUN: FileCheck %s --check-prefix=LINES < %t.txt
// RUN: attn-sim %s --timing-only --arg=iota:64xf32 --arg=undef:64xf32 --soc=Ascend910B1 | FileCheck %s --check-prefix=TIMING

// The report: time with the inputs and the known error of the model, traffic, pipes, trace.
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>

// CHECK: blocks: 1 on 1 cores
// CHECK-NEXT: instructions: 3
// CHECK-NEXT: ub: 512 of 196352 bytes
// CHECK-NEXT: gm x: read 256, written 0 bytes
// CHECK-NEXT: gm o: read 0, written 256 bytes
// CHECK-NEXT: gm: read 256, written 256 bytes
// A line of L2; what was written stays there.
// CHECK-NEXT: hbm: read 512, written 0 bytes
// CHECK-NEXT: pipe v: busy {{.*}}%
// CHECK-NEXT: pipe mte2: busy {{.*}}%
// CHECK-NEXT: pipe mte3: busy {{.*}}%
// Issue 6, load 70 + 150 + 21, flag 15, exp 13 + 2 + 18, flag 15, store 165 + 21, barrier 1.
// CHECK-NEXT: device: 497.0 cycles
// CHECK-NEXT: predicted time: 6.33 us
// CHECK-NEXT: roofline: 10.00 us, 157.9% of it reached
// CHECK-NEXT: hazards: 0
// CHECK-NEXT: model:
// CHECK-NEXT: Ascend910B4: 1500 MHz, 20 cube and 40 vector cores, L2 96 MiB, HBM 800 GB/s nominal, 730 GB/s reached
// CHECK: loadStart = 70.00 cycles, GM to UB or L1, where L2 has all of it (costs.md §5 [C]
// CHECK: predicted, not measured
// CHECK-NEXT: L2 starts empty

// TIMING: device: 497.0 cycles
// TIMING-NEXT: predicted time: 6.27 us

// TRACE: "traceEvents":[
// TRACE-SAME: {"name":"copy_in","cat":"mte2","ph":"X","ts":0.00400{{[0-9]*}},"dur":0.16{{[0-9]*}},"pid":0,"tid":"mte2","args":{"source":"kernel.py:3:9"}}
// TRACE-SAME: "name":"unary exp","cat":"v"
// TRACE-SAME: "name":"copy_out","cat":"mte3"

// LINES: 0.004 to      0.165 us  core 0   mte2   copy_in      kernel.py:3:9
// LINES-NEXT: 0.175 to      0.185 us  core 0   v      unary exp    {{.*}}report.mlir:
// LINES-NEXT: 0.207 to      0.331 us  core 0   mte3   copy_out     {{.*}}report.mlir:
module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @kernel(%x: !gm loc("x"), %o: !gm {launch.output} loc("o")) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm loc("v"("kernel.py":3:9))
  ascend.set_flag mte2 to v event 0
  ascend.wait_flag mte2 to v event 0
  ascend.unary exp %d, %a count(%c64) : !ub, !ub
  ascend.set_flag v to mte3 event 0
  ascend.wait_flag v to mte3 event 0
  ascend.copy_out %op, %d rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}
}
