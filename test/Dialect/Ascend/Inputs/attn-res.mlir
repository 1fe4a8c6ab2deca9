// Attention residual forward as convert-tile-to-ascend leaves it: D = 4096, two rows per tile.
!gm16 = memref<?xbf16, #ascend.space<gm>>
!gm32 = memref<?xf32, #ascend.space<gm>>
!V = memref<?x?x4096xbf16, strided<[?, ?, 1]>, #ascend.space<gm>>
!w = memref<4096xbf16, strided<[1]>, #ascend.space<gm>>
!h = memref<?x4096xbf16, strided<[?, 1]>, #ascend.space<gm>>
!l = memref<?xf32, strided<[1]>, #ascend.space<gm>>
!s = memref<?x?xf32, strided<[?, 1]>, #ascend.space<gm>>
!row16 = memref<4096xbf16, #ascend.space<ub>>
!row32 = memref<4096xf32, #ascend.space<ub>>
!tile16 = memref<8192xbf16, #ascend.space<ub>>
!tile32 = memref<8192xf32, #ascend.space<ub>>
!column = memref<8xf32, #ascend.space<ub>>
!blocks = memref<64xf32, #ascend.space<ub>>
!folds = memref<1152xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @attn_res_fwd(
    %V: !V {launch.dims = ["N", "T", 4096]}, %wq: !w {launch.dims = [4096]}, %wn: !w {launch.dims = [4096]},
    %eps: f32,
    %h: !h {launch.dims = ["T", 4096], launch.output}, %lse: !l {launch.dims = ["T"], launch.output},
    %sc: !s {launch.dims = ["T", "N"], launch.output}, %rs: !s {launch.dims = ["T", "N"], launch.output})
    attributes {ascend.kernel, launch.limit = 40 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -3.40282347e+38 : f32
  %inv = arith.constant 2.44140625e-4 : f32
  %N = ascend.dim %V, 0 : !V
  %T = ascend.dim %V, 1 : !V
  %vStride = ascend.stride %V, 1 : !V
  %hStride = ascend.stride %h, 0 : !h
  %sStride = ascend.stride %sc, 0 : !s
  %rStride = ascend.stride %rs, 0 : !s
  %wq16 = ascend.alloc "wq" : !row16
  %wn16 = ascend.alloc "wn" : !row16
  %wn32 = ascend.alloc "wn32" : !row32
  %u = ascend.alloc "u" : !row32
  %v = ascend.alloc "v" : !tile16
  %v32 = ascend.alloc "v32" : !tile32
  %product = ascend.alloc "product" : !tile32
  %acc = ascend.alloc "acc" : !tile32
  %h16 = ascend.alloc "h" : !tile16
  %m = ascend.alloc "m" : !column
  %mNext = ascend.alloc "m_next" : !column
  %l = ascend.alloc "l" : !column
  %scale = ascend.alloc "scale" : !column
  %p = ascend.alloc "p" : !column
  %r = ascend.alloc "r" : !column
  %one = ascend.alloc "one" : !column
  %s = ascend.alloc "s" : !column
  %lseColumn = ascend.alloc "lse" : !column
  %sBlocks = ascend.alloc "s_blocks" : !blocks
  %rBlocks = ascend.alloc "r_blocks" : !blocks
  %spread = ascend.alloc "spread" : !blocks
  %folds = ascend.alloc "folds" : !folds

  %wqAt = ascend.address %wq[%c0] : !w -> !gm16
  ascend.copy_in %wq16, %wqAt rows(%c1) length(%c4096) src_pitch(%c4096) dst_pitch 4096 right_pad 0 : !row16, !gm16
  ascend.cast none %u, %wq16 count(%c4096) : !row32, !row16
  %wnAt = ascend.address %wn[%c0] : !w -> !gm16
  ascend.copy_in %wn16, %wnAt rows(%c1) length(%c4096) src_pitch(%c4096) dst_pitch 4096 right_pad 0 : !row16, !gm16
  ascend.cast none %wn32, %wn16 count(%c4096) : !row32, !row16
  ascend.binary mul %u, %u, %wn32 count(%c4096) : !row32, !row32, !row32

  %id = ascend.block_id
  %blocks = ascend.block_count
  %tiles = arith.ceildivui %T, %c2 : index
  %share = arith.ceildivui %tiles, %blocks : index
  %first = arith.muli %id, %share : index
  %end = arith.addi %first, %share : index
  %last = arith.minsi %end, %tiles : index
  scf.for %tile = %first to %last step %c1 {
    %t = arith.muli %tile, %c2 : index
    %left = arith.subi %T, %t : index
    %rows = arith.minsi %left, %c2 : index
    %elements = arith.muli %rows, %c4096 : index
    ascend.duplicate %m, %low count(%rows) : !column, f32
    ascend.duplicate %l, %zero count(%rows) : !column, f32
    ascend.duplicate %acc, %zero count(%elements) : !tile32, f32
    scf.for %n = %c0 to %N step %c1 {
      %vAt = ascend.address %V[%n, %t, %c0] : !V -> !gm16
      ascend.copy_in %v, %vAt rows(%rows) length(%c4096) src_pitch(%vStride) dst_pitch 4096 right_pad 0 : !tile16, !gm16
      ascend.cast none %v32, %v count(%elements) : !tile32, !tile16
      // r = 1 / sqrt(mean(v * v) + eps)
      ascend.binary mul %product, %v32, %v32 count(%elements) : !tile32, !tile32, !tile32
      ascend.row_reduce sum %r, %product, %folds rows(%rows) cols 4096 pitch 4096 : !column, !tile32, !folds
      ascend.scalar muls %r, %r, %inv count(%rows) : !column, !column, f32
      ascend.scalar adds %r, %r, %eps count(%rows) : !column, !column, f32
      ascend.unary sqrt %r, %r count(%rows) : !column, !column
      %f1 = arith.constant 1.0 : f32
      ascend.duplicate %one, %f1 count(%rows) : !column, f32
      ascend.binary div %r, %one, %r count(%rows) : !column, !column, !column
      // s = r * sum(v * u)
      ascend.col_binary mul %product, %v32, %u rows(%rows) cols 4096 pitch 4096 : !tile32, !tile32, !row32
      ascend.row_reduce sum %s, %product, %folds rows(%rows) cols 4096 pitch 4096 : !column, !tile32, !folds
      ascend.binary mul %s, %s, %r count(%rows) : !column, !column, !column
      // the softmax state
      ascend.binary max %mNext, %m, %s count(%rows) : !column, !column, !column
      ascend.binary sub %scale, %m, %mNext count(%rows) : !column, !column, !column
      ascend.unary exp %scale, %scale count(%rows) : !column, !column
      ascend.binary sub %p, %s, %mNext count(%rows) : !column, !column, !column
      ascend.unary exp %p, %p count(%rows) : !column, !column
      ascend.binary mul %l, %l, %scale count(%rows) : !column, !column, !column
      ascend.binary add %l, %l, %p count(%rows) : !column, !column, !column
      ascend.copy %m, %mNext count(%c8) : !column, !column
      ascend.row_binary mul %acc, %acc, %scale, %spread rows(%rows) cols 4096 pitch 4096 : !tile32, !tile32, !column, !blocks
      ascend.row_mul_add %acc, %v32, %p, %spread rows(%rows) cols 4096 pitch 4096 : !tile32, !tile32, !column, !blocks
      ascend.brcb %sBlocks, %s repeat(%c1) strides [1, 8] : !blocks, !column
      %sAt = ascend.address %sc[%t, %n] : !s -> !gm32
      ascend.copy_out %sAt, %sBlocks rows(%rows) length(%c1) dst_pitch(%sStride) src_pitch 8 : !gm32, !blocks
      ascend.brcb %rBlocks, %r repeat(%c1) strides [1, 8] : !blocks, !column
      %rAt = ascend.address %rs[%t, %n] : !s -> !gm32
      ascend.copy_out %rAt, %rBlocks rows(%rows) length(%c1) dst_pitch(%rStride) src_pitch 8 : !gm32, !blocks
    } {ascend.stages = 2 : i64}
    ascend.row_binary div %acc, %acc, %l, %spread rows(%rows) cols 4096 pitch 4096 : !tile32, !tile32, !column, !blocks
    ascend.cast rint %h16, %acc count(%elements) : !tile16, !tile32
    %hAt = ascend.address %h[%t, %c0] : !h -> !gm16
    ascend.copy_out %hAt, %h16 rows(%rows) length(%c4096) dst_pitch(%hStride) src_pitch 4096 : !gm16, !tile16
    ascend.unary ln %lseColumn, %l count(%rows) : !column, !column
    ascend.binary add %lseColumn, %lseColumn, %m count(%rows) : !column, !column, !column
    %lAt = ascend.address %lse[%t] : !l -> !gm32
    ascend.copy_out %lAt, %lseColumn rows(%c1) length(%rows) dst_pitch(%c1) src_pitch 8 : !gm32, !column
  } {ascend.parallel}
  return
}
}
