// RUN: attn-opt %s --emit=ascendc --no-line-directives | FileCheck %s
// RUN: attn-opt %s --emit=ascendc | %clang_ascendc -

// Names come from the source, are unique, and never a word of C++ or AscendC.

!buf = memref<64xf32, #ascend.space<ub>>
!array = memref<64xf32, strided<[1]>, #ascend.space<gm>>

// CHECK-LABEL: void names(__gm__ uint8_t* V, __gm__ uint8_t* V_1, __gm__ uint8_t* for_1,
// CHECK-NEXT: __gm__ uint8_t* h_t, __gm__ uint8_t* arg4, int64_t names_1, int64_t arg6) {
func.func @names(%0: !array loc("V"), %1: !array loc("V"), %2: !array loc("for"), %3: !array loc("9_h\0A*/ __t"),
                 %4: !array loc("\C3\A9"), %n: index loc("names"), %m: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: AscendC::LocalTensor<float> V_2(AscendC::TPosition::VECCALC, 0, 64);
  // CHECK: AscendC::LocalTensor<float> Add_1(AscendC::TPosition::VECCALC, 256, 64);
  // CHECK: AscendC::LocalTensor<float> half_1(AscendC::TPosition::VECCALC, 512, 64);
  // CHECK: AscendC::LocalTensor<float> buffer(AscendC::TPosition::VECCALC, 768, 64);
  // CHECK: AscendC::LocalTensor<float> AscendC_1(AscendC::TPosition::VECCALC, 1024, 64);
  %a = ascend.alloc "V" at 0 : !buf
  %b = ascend.alloc "Add" at 256 : !buf
  %c = ascend.alloc "half" at 512 : !buf
  %d = ascend.alloc "" at 768 : !buf
  %e = ascend.alloc "AscendC" at 1024 : !buf
  // Index arithmetic inherits names that belong to tiles, and says what it is for.
  // CHECK: const int64_t V_loop_end = arg6 * names_1;
  %i = arith.muli %m, %n : index loc("V")
  // CHECK: const int64_t V_loop_begin = arg6 + names_1;
  %j = arith.addi %m, %n : index loc("V")
  // CHECK: for (int64_t int_1 = V_loop_begin; int_1 < V_loop_end; ++int_1) {
  scf.for %k = %j to %i step %c1 {
    ascend.binary add %a, %b, %c count(%i) : !buf, !buf, !buf
    ascend.binary add %d, %e, %c count(%j) : !buf, !buf, !buf
  } loc("int")
  ascend.barrier all
  return
}
