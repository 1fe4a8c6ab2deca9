// The instructions of cube cores: copies into fractals, loads into L0, products and the way out.
#ifndef ATTN_ASCEND_CUBE_OPS
#define ATTN_ASCEND_CUBE_OPS

include "attn/Dialect/Ascend/IR/AscendOpBase.td"

// Matrices lie in fractals of 16 rows of 32 bytes (L0C: 16 rows of 16 elements); C0 is the elements of 32 bytes.
//   NZ  L1, L0C   column blocks of C0 columns; each has all rows one after the other, R of them
//   ZZ  L0A       row blocks of 16 rows; in each one fractal per C0 columns
//   ZN  L0B       for every C0 rows of k one fractal per 16 columns; in it a column is a row of 32 bytes
// R, the rows that a column block has room for, is a multiple of 16 and need not be that of the matrix.

def Ascend_NdToNzOp : Ascend_Instruction<"nd_to_nz"> {
  let summary = "Rows of an array to fractals in L1 (`DataCopy` with `Nd2NzParams` on MTE2)";
  let description = [{
    Element (r, c) of `rows` rows of `cols` elements, `src_pitch` elements apart in GM, goes to element
    `(c / C0) * dst_rows * C0 + r * C0 + c % C0` of L1: NZ with room for `dst_rows` rows. The last column block is filled with zeros
    up to 32 bytes; rows after the last are not written. With `dst_rows` 1 a single row stays a row. With `bypass_l2` what is
    read is not kept in L2.

    ```mlir
    ascend.nd_to_nz %a, %p rows(%m) cols(%k) src_pitch(%s) dst_rows 128 : memref<32768xf16, #ascend.space<l1>>, memref<?xf16, #ascend.space<gm>>
    ```
  }];
  let arguments = (ins AnyMemRef:$dst, AnyMemRef:$src, Index:$rows, Index:$cols, Index:$src_pitch, Ascend_IntAttr:$dst_rows,
                       UnitAttr:$bypass_l2);
  let assemblyFormat = [{
    $dst `,` $src `rows` `(` $rows `)` `cols` `(` $cols `)` `src_pitch` `(` $src_pitch `)` `dst_rows` $dst_rows
    (`bypass_l2` $bypass_l2^)? attr-dict `:` type($dst) `,` type($src)
  }];
}

def Ascend_FillOp : Ascend_Instruction<"fill"> {
  let summary = "Blocks of L1 become a scalar (`InitConstValue` on MTE2)";
  let description = [{
    `repeat` times `blocks` blocks of 32 bytes, `pitch` blocks from one time to the next: with the room of a column block as
    the pitch, the rows that a matrix in fractals lacks. Elements of 8 bits can only become zeros.

    ```mlir
    ascend.fill %rest, %zero repeat(%n) blocks(%missing) pitch 128 : memref<?xf16, #ascend.space<l1>>, f16
    ```
  }];
  let arguments = (ins AnyMemRef:$dst, AnyType:$scalar, Index:$repeat, Index:$blocks, Ascend_IntAttr:$pitch);
  let assemblyFormat = [{
    $dst `,` $scalar `repeat` `(` $repeat `)` `blocks` `(` $blocks `)` `pitch` $pitch attr-dict `:`
    type($dst) `,` type($scalar)
  }];
}

def Ascend_LoadFractalsOp : Ascend_Instruction<"load_fractals"> {
  let summary = "Fractals of L1 to L0A or L0B (`LoadData` with `LoadData2DParams` on MTE1)";
  let description = [{
    Fractal `i * strides[1]` of the source becomes fractal `i * strides[0]` of the destination, for `repeat` of them; with
    `transpose`, which 16-bit elements have, each one is turned over.

    ```mlir
    ascend.load_fractals %d, %s repeat(%k1) strides [1, 8] : memref<8192xf16, #ascend.space<l0a>>, memref<?xf16, #ascend.space<l1>>
    ascend.load_fractals %d, %s repeat(%n1) strides [1, 4] transpose : memref<?xf16, #ascend.space<l0b>>, memref<?xf16, #ascend.space<l1>>
    ```
  }];
  let arguments = (ins AnyMemRef:$dst, AnyMemRef:$src, Index:$repeat, DenseI64ArrayAttr:$strides, UnitAttr:$transpose);
  let assemblyFormat = [{
    $dst `,` $src `repeat` `(` $repeat `)` `strides` $strides (`transpose` $transpose^)? attr-dict `:`
    type($dst) `,` type($src)
  }];
}

def Ascend_LoadTileOp : Ascend_Instruction<"load_tile"> {
  let summary = "A matrix of L1 to L0A or L0B as a whole (`LoadData` with `LoadData3DParamsV2` on MTE1)";
  let description = [{
    The source is NZ with room for `src_rows` rows, of which `rows` rows of `cols` elements are taken: whole fractals, so `rows` is
    a multiple of 16 and `cols` one of C0. L0A becomes ZZ of the matrix or, with `transpose` (16 and 32 bits), of its transpose; L0B becomes ZN of the
    matrix, with k along its rows, for elements of 16 and 32 bits. What is turned over, which is everything that goes to L0B, comes in squares of
    16 × 16: there `cols` is a multiple of 16 too.

    ```mlir
    ascend.load_tile %d, %s rows(%m) cols(%k) src_rows 128 : memref<8192xf16, #ascend.space<l0a>>, memref<?xf16, #ascend.space<l1>>
    ```
  }];
  let arguments = (ins AnyMemRef:$dst, AnyMemRef:$src, Index:$rows, Index:$cols, Ascend_IntAttr:$src_rows, UnitAttr:$transpose);
  let assemblyFormat = [{
    $dst `,` $src `rows` `(` $rows `)` `cols` `(` $cols `)` `src_rows` $src_rows (`transpose` $transpose^)? attr-dict `:`
    type($dst) `,` type($src)
  }];
}

def Ascend_LoadSquaresOp : Ascend_Instruction<"load_squares"> {
  let summary = "Square blocks of L1, turned over, to L0A or L0B (`LoadDataWithTranspose` on MTE1)";
  let description = [{
    A square is 16 × 16 elements of 16 bits (one fractal), 32 × 32 of 8 bits (two fractals: rows 0 to 15 and 16 to 31) or 16 × 16 of 32 bits (two:
    columns 0 to 7 and 8 to 15). Square `i * strides[1]` of the source, turned over, begins at fractal `i * strides[0]` of the destination; its
    second fractal is `strides[2]` further. Source strides count squares.

    ```mlir
    ascend.load_squares %d, %s repeat(%n) strides [2, 4, 1] : memref<?xi8, #ascend.space<l0b>>, memref<?xi8, #ascend.space<l1>>
    ```
  }];
  let arguments = (ins AnyMemRef:$dst, AnyMemRef:$src, Index:$repeat, DenseI64ArrayAttr:$strides);
  let assemblyFormat = [{
    $dst `,` $src `repeat` `(` $repeat `)` `strides` $strides attr-dict `:` type($dst) `,` type($src)
  }];
}

def Ascend_LoadBiasOp : Ascend_Instruction<"load_bias"> {
  let summary = "L1 to the bias table (`DataCopy` on MTE1)";
  let description = [{
    `count` elements, f32 or i32, whole blocks of 64 bytes.

    ```mlir
    ascend.load_bias %t, %s count(%n) : memref<256xf32, #ascend.space<bt>>, memref<256xf32, #ascend.space<l1>>
    ```
  }];
  let arguments = (ins AnyMemRef:$dst, AnyMemRef:$src, Index:$amount);
  let assemblyFormat = "$dst `,` $src `count` `(` $amount `)` attr-dict `:` type($dst) `,` type($src)";
}

def Ascend_MmadOp : Ascend_Instruction<"mmad"> {
  let summary = "L0C = or += the product of L0A and L0B (`Mmad` on M)";
  let description = [{
    `a` is ZZ of m × k, `b` ZN of k × n, both with as many fractals as m, k and n need; `dst` is NZ of m × n, m rounded up to 16 rows.
    Elements beyond m, n and k do not take part; L0C beyond m × n is undefined afterwards. Where `init` holds, sums start from zero or
    from the row of the bias table, else from what `dst` has. m = 1 is another instruction on the chip, with another layout, and is refused.

    Two mmads that add to one tile of fewer than ten fractals need a barrier of M between them; larger ones are in order.

    ```mlir
    ascend.mmad %c, %a, %b m(%m) n(%n) k(%k) init(%first) : memref<32768xf32, #ascend.space<l0c>>, memref<8192xf16, #ascend.space<l0a>>, memref<16384xf16, #ascend.space<l0b>>
    ascend.mmad %c, %a, %b bias(%t : memref<256xf32, #ascend.space<bt>>) m(%m) n(%n) k(%k) init(%first) : memref<32768xf32, #ascend.space<l0c>>, memref<8192xf16, #ascend.space<l0a>>, memref<16384xf16, #ascend.space<l0b>>
    ```
  }];
  let arguments = (ins AnyMemRef:$dst, AnyMemRef:$a, AnyMemRef:$b, Optional<AnyMemRef>:$bias, Index:$m, Index:$n, Index:$k, I1:$init);
  let assemblyFormat = [{
    $dst `,` $a `,` $b (`bias` `(` $bias^ `:` type($bias) `)`)? `m` `(` $m `)` `n` `(` $n `)` `k` `(` $k `)` `init` `(` $init `)`
    attr-dict `:` type($dst) `,` type($a) `,` type($b)
  }];
}

def Ascend_FixOutOp : Ascend_Instruction<"fix_out"> {
  let summary = "L0C to GM or L1, converted (`Fixpipe` on FIX)";
  let description = [{
    Element (r, c) of `rows` rows of `cols` elements of L0C, NZ with room for `src_rows` rows, goes to `dst[r * dst_pitch + c]`, or with `nz` to
    `dst[(c / 16) * dst_pitch * 16 + r * 16 + c % 16]`. Where the product had fewer rows than there is room for, `computed` says how many, a
    multiple of 16: sums lie as densely as the rows of their product. L1 takes `nz` only, and narrow elements only. f32 becomes f32, f16 or bf16 (nearest, ties to even), or with
    `scale` i8; i32 becomes i32, or with `scale` f16 or i8. With `relu` what is negative becomes zero first.

    ```mlir
    ascend.fix_out %p, %c rows(%m) cols(%n) dst_pitch(%s) src_rows 128 : memref<?xf32, #ascend.space<gm>>, memref<32768xf32, #ascend.space<l0c>>
    ascend.fix_out %p, %c rows(%m) cols(%n) dst_pitch(%s) src_rows 128 computed(%m16) : memref<?xf32, #ascend.space<gm>>, memref<32768xf32, #ascend.space<l0c>>
    ascend.fix_out %d, %c rows(%m) cols(%n) dst_pitch(%r) src_rows 128 nz relu : memref<32768xf16, #ascend.space<l1>>, memref<32768xf32, #ascend.space<l0c>>
    ascend.fix_out %p, %c rows(%m) cols(%n) dst_pitch(%s) src_rows 16 scale 2.500000e-01 : memref<?xi8, #ascend.space<gm>>, memref<256xi32, #ascend.space<l0c>>
    ```
  }];
  let arguments = (ins AnyMemRef:$dst, AnyMemRef:$src, Index:$rows, Index:$cols, Index:$dst_pitch, Optional<Index>:$computed,
                       Ascend_IntAttr:$src_rows, UnitAttr:$nz, UnitAttr:$relu, OptionalAttr<F32Attr>:$scale);
  let assemblyFormat = [{
    $dst `,` $src `rows` `(` $rows `)` `cols` `(` $cols `)` `dst_pitch` `(` $dst_pitch `)` `src_rows` $src_rows
    (`computed` `(` $computed^ `)`)? (`nz` $nz^)? (`relu` $relu^)? (`scale` $scale^)? attr-dict `:` type($dst) `,` type($src)
  }];
}

def Ascend_MatmulOp : Ascend_Instruction<"matmul"> {
  let summary = "L0C = or += the product of two matrices of L1, through L0A and L0B (composite)";
  let description = [{
    `a` is m × k, or with `transpose_a` k × m; `b` is k × n, or with `transpose_b` n × k; both NZ, with room for `rows[0]` and `rows[1]` rows.
    The two scratch buffers take parts of the operands along k; `ascend-expand-composites` cuts k so that a part fits each of them. `init` and `bias` as in `ascend.mmad`.
    m and n come in whole fractals of both operands, up to what these have room for; so does k with `transpose_a` of 32-bit elements, which L0A takes in pairs of fractals.

    It is kept on the way to HIVM, whose `mmadL1` takes L0A and L0B for itself: it then loads on MTE1 and multiplies on M, in an order that it makes
    by flags of its own. Kept, it has its bias in L1, and reads it every time: the template fills the bias table, whether or not `init` holds.

    ```mlir
    ascend.matmul %c, %a, %b, %l0a, %l0b m(%m) n(%n) k(%k) init(%first) rows [128, 256] transpose_b : memref<32768xf32, #ascend.space<l0c>>, memref<32768xf16, #ascend.space<l1>>, memref<65536xf16, #ascend.space<l1>>, memref<8192xf16, #ascend.space<l0a>>, memref<16384xf16, #ascend.space<l0b>>
    ```
  }];
  let arguments = (ins AnyMemRef:$dst, AnyMemRef:$a, AnyMemRef:$b, AnyMemRef:$scratch_a, AnyMemRef:$scratch_b, Optional<AnyMemRef>:$bias,
                       Index:$m, Index:$n, Index:$k, I1:$init, DenseI64ArrayAttr:$rows, UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let assemblyFormat = [{
    $dst `,` $a `,` $b `,` $scratch_a `,` $scratch_b (`bias` `(` $bias^ `:` type($bias) `)`)? `m` `(` $m `)` `n` `(` $n `)` `k` `(` $k `)`
    `init` `(` $init `)` `rows` $rows (`transpose_a` $transpose_a^)? (`transpose_b` $transpose_b^)? attr-dict `:` type($dst) `,`
    type($a) `,` type($b) `,` type($scratch_a) `,` type($scratch_b)
  }];
  let extraClassDeclaration = [{
    bool isComposite() { return true; }
    ::llvm::SmallVector<::attn::ascend::Pipe, 2> getPipes() { return {Pipe::MTE1, Pipe::M}; }
  }];
}

#endif // ATTN_ASCEND_CUBE_OPS
