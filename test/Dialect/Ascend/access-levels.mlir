// RUN: attn-test-opt %s --split-input-file --test-print-accesses --verify-diagnostics
// Accesses of several levels: runs of bytes, the innermost level first.

!l1 = memref<1024xf32, #ascend.space<l1>>

func.func @levels(%a: !l1) {
  // expected-remark @+1 {{touches 0-31}}
  test.instruction mte1 %a run 32 : !l1
  // Rows of a window.
  // expected-remark @+1 {{touches 0-31 64-95 256-287 320-351}}
  test.instruction mte1 %a run 32 levels [2, 64, 2, 256] : !l1
  // Fractals of several matrices.
  // expected-remark @+1 {{touches 0-31 64-95 256-287 320-351 1024-1055 1088-1119 1280-1311 1344-1375}}
  test.instruction mte1 %a run 32 levels [2, 64, 2, 256, 2, 1024] : !l1
  // What follows without a gap is one run, through any number of levels.
  // expected-remark @+1 {{touches 0-127 512-639}}
  test.instruction mte1 %a run 32 levels [2, 32, 2, 64, 2, 512] : !l1
  // expected-remark @+1 {{touches 0-255}}
  test.instruction mte1 %a run 32 levels [2, 32, 2, 64, 2, 128] : !l1
  // A level with one copy is none.
  // expected-remark @+1 {{touches 0-31 512-543}}
  test.instruction mte1 %a run 32 levels [1, 999, 2, 512, 1, 7] : !l1
  // The outermost level fills the gaps of the innermost: columns of fractals side by side.
  // expected-remark @+1 {{touches 0-31 128-159 512-543 640-671 32-63 160-191 544-575 672-703}}
  test.instruction mte1 %a run 32 levels [2, 128, 2, 512, 2, 32] : !l1
  // expected-remark @+1 {{touches}}
  test.instruction mte1 %a run 32 levels [2, 64, 0, 256, 2, 1024] : !l1
  return
}
