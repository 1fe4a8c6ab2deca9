// RUN: attn-opt %s --emit=ascendc --no-line-directives | FileCheck %s
// RUN: attn-opt %s --emit=ascendc | %clang_ascendc -

// Integers are read from GM by the scalar unit, where the kernel reads them and once; of an array that the kernel has written, the
// line of the cache is dropped first. What the modelled chip is told leaves no trace.
!lens = memref<?xi32, strided<[1]>, #ascend.space<gm>>
!table = memref<?x?xui16, strided<[?, 1]>, #ascend.space<gm>>
!x = memref<?x8xf32, strided<[?, 1]>, #ascend.space<gm>>
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<8xf32, #ascend.space<ub>>

// CHECK-LABEL: void indices(
func.func @indices(%lens: !lens {launch.dims = ["B"]} loc("lens"), %table: !table {launch.dims = ["B", "P"]} loc("table"),
                   %x: !x {launch.dims = ["S", 8]} loc("x")) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %v = ascend.alloc "v" at 0 : !ub
  // CHECK: const int64_t n = lens_gm.GetValue(3);
  %n = ascend.load_index %lens[%c3] : !lens loc("n")
  // CHECK-NEXT: AscendC::DataCacheCleanAndInvalid<int32_t, AscendC::CacheLine::SINGLE_CACHE_LINE,
  // CHECK-NEXT: AscendC::DcciDst::CACHELINE_OUT>(lens_gm[n]);
  // CHECK-NEXT: const int64_t m = lens_gm.GetValue(static_cast<uint64_t>(n));
  %m = ascend.load_index %lens[%n] written : !lens loc("m")
  // CHECK-NEXT: const int64_t j = table_gm.GetValue(static_cast<uint64_t>(n * table_stride0 + m));
  %j = ascend.load_index %table[%n, %m] : !table loc("j")
  ascend.expect_index %j is %m in %x, 0 : !x
  %place = ascend.address %x[%j, %c0] : !x -> !gm
  ascend.expect_distinct %j at %place in %x, 0 : !gm, !x
  // CHECK-NEXT: const int64_t x_gm_offset = j * x_stride0;
  // CHECK-NEXT: AscendC::DataCopyPad(v, x_gm[x_gm_offset],
  ascend.copy_in %v, %place rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  ascend.barrier all
  return
}
