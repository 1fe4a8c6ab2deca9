// Two blocks, each with 37 of 74 rows: o = 3 x y + bias in f32, by three parts whose right operand is loaded in three ways, and p = relu(o)
// in bf16. Rows of x that a fractal lacks are filled with zeros.
!x = memref<74x40xf16, #ascend.space<gm>>
!y = memref<40x50xf16, #ascend.space<gm>>
!b = memref<1x64xf32, #ascend.space<gm>>
!o = memref<74x50xf32, #ascend.space<gm>>
!p = memref<74x50xbf16, #ascend.space<gm>>
!gm16 = memref<?xf16, #ascend.space<gm>>
!gm32 = memref<?xf32, #ascend.space<gm>>
!gmbf = memref<?xbf16, #ascend.space<gm>>
!left = memref<2304xf16, #ascend.space<l1>>
!right = memref<3072xf16, #ascend.space<l1>>
!part = memref<?xf16, #ascend.space<l1>>
!row = memref<64xf32, #ascend.space<l1>>
!l0a = memref<2304xf16, #ascend.space<l0a>>
!l0b = memref<3072xf16, #ascend.space<l0b>>
!l0bpart = memref<?xf16, #ascend.space<l0b>>
!l0c = memref<3072xf32, #ascend.space<l0c>>
!bt = memref<64xf32, #ascend.space<bt>>
module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @kernel(%x: !x, %y: !y, %b: !b, %o: !o {launch.output}, %p: !p {launch.output})
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>, launch.limit = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c11 = arith.constant 11 : index
  %c37 = arith.constant 37 : index
  %c40 = arith.constant 40 : index
  %c48 = arith.constant 48 : index
  %c50 = arith.constant 50 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %c592 = arith.constant 592 : index
  %c640 = arith.constant 640 : index
  %c1024 = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f16
  %id = ascend.block_id
  %first = arith.muli %id, %c37 : index
  %left = ascend.alloc "left" at 0 : !left
  %right = ascend.alloc "right" at 8192 : !right
  %row = ascend.alloc "row" at 16384 : !row
  %l0a = ascend.alloc "l0a" at 0 : !l0a
  %l0b = ascend.alloc "l0b" at 0 : !l0b
  %sums = ascend.alloc "sums" at 0 : !l0c
  %table = ascend.alloc "table" at 0 : !bt
  %xp = ascend.address %x[%first, %c0] : !x -> !gm16
  %yp = ascend.address %y[%c0, %c0] : !y -> !gm16
  %bp = ascend.address %b[%c0, %c0] : !b -> !gm32
  %op = ascend.address %o[%first, %c0] : !o -> !gm32
  %pp = ascend.address %p[%first, %c0] : !p -> !gmbf
  // Into L1, with zeros for the rows that fractals lack.
  ascend.nd_to_nz %left, %xp rows(%c37) cols(%c40) src_pitch(%c40) dst_rows 48 bypass_l2 : !left, !gm16
  ascend.nd_to_nz %right, %yp rows(%c40) cols(%c50) src_pitch(%c50) dst_rows 48 : !right, !gm16
  ascend.nd_to_nz %row, %bp rows(%c1) cols(%c64) src_pitch(%c64) dst_rows 1 : !row, !gm32
  %below = ascend.slice %left[%c592] : !left -> !part
  ascend.fill %below, %zero repeat(%c3) blocks(%c11) pitch 48 : !part, f16
  %under = ascend.slice %right[%c640] : !right -> !part
  ascend.fill %under, %zero repeat(%c4) blocks(%c8) pitch 48 : !part, f16
  ascend.set_flag mte2 to mte1 event 0
  ascend.wait_flag mte2 to mte1 event 0
  ascend.load_bias %table, %row count(%c64) : !bt, !row
  ascend.load_tile %l0a, %left rows(%c48) cols(%c48) src_rows 48 : !l0a, !left
  scf.for %part = %c0 to %c3 step %c1 {
    %starts = arith.cmpi eq, %part, %c0 : index
    %second = arith.cmpi eq, %part, %c1 : index
    scf.if %starts {
      ascend.load_tile %l0b, %right rows(%c48) cols(%c64) src_rows 48 : !l0b, !right
    } else {
      scf.for %block = %c0 to %c3 step %c1 {
        %to = arith.muli %block, %c1024 : index
        %from = arith.muli %block, %c256 : index
        %dst = ascend.slice %l0b[%to] : !l0b -> !l0bpart
        %src = ascend.slice %right[%from] : !right -> !part
        scf.if %second {
          ascend.load_fractals %dst, %src repeat(%c4) strides [1, 3] transpose : !l0bpart, !part
        } else {
          ascend.load_squares %dst, %src repeat(%c4) strides [1, 3, 1] : !l0bpart, !part
        }
      }
    }
    ascend.set_flag mte1 to m event 0
    ascend.wait_flag mte1 to m event 0
    ascend.mmad %sums, %l0a, %l0b bias(%table : !bt) m(%c37) n(%c50) k(%c40) init(%starts) : !l0c, !l0a, !l0b
    ascend.set_flag m to mte1 event 1
    ascend.wait_flag m to mte1 event 1
  }
  ascend.set_flag m to fix event 0
  ascend.wait_flag m to fix event 0
  ascend.fix_out %op, %sums rows(%c37) cols(%c50) dst_pitch(%c50) src_rows 48 : !gm32, !l0c
  ascend.fix_out %pp, %sums rows(%c37) cols(%c50) dst_pitch(%c50) src_rows 48 relu : !gmbf, !l0c
  ascend.barrier all
  return
}
}
