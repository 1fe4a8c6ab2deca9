// Groups of cores compute o = (2 * (q * k^T)) * v, each for 32 rows of q at a time, over tiles of 16 keys: the cube core has the products,
// one ahead, and its vector cores what lies between them, 16 rows each. Both go through workspaces with two slots per group.
!half = memref<?x16xf16, strided<[16, 1]>, #ascend.space<gm>>
!single = memref<?x16xf32, strided<[16, 1]>, #ascend.space<gm>>
!scores = memref<?x2x32x16xf32, strided<[1024, 512, 16, 1]>, #ascend.space<gm>>
!weights = memref<?x2x32x16xf16, strided<[1024, 512, 16, 1]>, #ascend.space<gm>>
!gm_half = memref<?xf16, #ascend.space<gm>>
!gm_single = memref<?xf32, #ascend.space<gm>>
!rows = memref<512xf16, #ascend.space<l1>>
!keys = memref<256xf16, #ascend.space<l1>>
!l0a = memref<512xf16, #ascend.space<l0a>>
!l0b = memref<256xf16, #ascend.space<l0b>>
!l0c = memref<512xf32, #ascend.space<l0c>>
!ub = memref<256xf32, #ascend.space<ub>>
!ub_half = memref<256xf16, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

func.func @weighted(%q: !half {launch.dims = ["R", 16]}, %k: !half {launch.dims = ["K", 16]}, %v: !half {launch.dims = ["K", 16]},
    %o: !single {launch.output, launch.dims = ["R", 16]}, %s: !scores {launch.workspace, launch.dims = ["@groups", 2, 32, 16]},
    %p: !weights {launch.workspace, launch.dims = ["@groups", 2, 32, 16]})
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, launch.limit = 20 : i64, ascend.keep_composites} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %two = arith.constant 2.0 : f32
  %group = ascend.block_id
  %groups = ascend.block_count
  %half = ascend.sub_block_id
  %first = arith.muli %half, %c16 : index
  %height = ascend.dim %q, 0 : !half
  %count = ascend.dim %k, 0 : !half
  %parts = arith.divui %height, %c32 : index
  %tiles = arith.divui %count, %c16 : index
  %a = ascend.alloc "a" at 0 : !ub
  %b = ascend.alloc "b" at 1024 : !ub_half
  scf.for %part = %group to %parts step %groups {
    scf.for %i = %c0 to %tiles step %c1 {
      %slot = arith.remui %i, %c2 : index
      %sp = ascend.address %s[%group, %slot, %first, %c0] : !scores -> !gm_single
      %pp = ascend.address %p[%group, %slot, %first, %c0] : !weights -> !gm_half
      ascend.cross_wait flag 0
      ascend.copy_in %a, %sp rows(%c16) length(%c16) src_pitch(%c16) dst_pitch 16 right_pad 0 : !ub, !gm_single
      ascend.barrier all
      ascend.scalar muls %a, %a, %two count(%c256) : !ub, !ub, f32
      ascend.barrier v
      ascend.cast rint %b, %a count(%c256) : !ub_half, !ub
      ascend.barrier all
      ascend.copy_out %pp, %b rows(%c16) length(%c16) dst_pitch(%c16) src_pitch 16 : !gm_half, !ub_half
      ascend.cross_set mte3 flag 1
    }
  }
  ascend.barrier all
  return
}

func.func @weighted_cube(%q: !half {launch.dims = ["R", 16]}, %k: !half {launch.dims = ["K", 16]}, %v: !half {launch.dims = ["K", 16]},
    %o: !single {launch.output, launch.dims = ["R", 16]}, %s: !scores {launch.workspace, launch.dims = ["@groups", 2, 32, 16]},
    %p: !weights {launch.workspace, launch.dims = ["@groups", 2, 32, 16]})
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @weighted, ascend.keep_composites} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %true = arith.constant true
  %group = ascend.block_id
  %groups = ascend.block_count
  %height = ascend.dim %q, 0 : !half
  %count = ascend.dim %k, 0 : !half
  %parts = arith.divui %height, %c32 : index
  %tiles = arith.divui %count, %c16 : index
  %last = arith.subi %tiles, %c1 : index
  %rows = ascend.alloc "rows" at 0 : !rows
  %keys = ascend.alloc "keys" at 1024 : !keys
  %values = ascend.alloc "values" at 1536 : !keys
  %weights = ascend.alloc "weights" at 2048 : !rows
  %a = ascend.alloc "a" at 0 : !l0a
  %b = ascend.alloc "b" at 0 : !l0b
  %cs = ascend.alloc "scores" at 0 : !l0c
  %co = ascend.alloc "sums" at 2048 : !l0c
  scf.for %part = %group to %parts step %groups {
    %row = arith.muli %part, %c32 : index
    %qp = ascend.address %q[%row, %c0] : !half -> !gm_half
    %op = ascend.address %o[%row, %c0] : !single -> !gm_single
    ascend.nd_to_nz %rows, %qp rows(%c32) cols(%c16) src_pitch(%c16) dst_rows 32 : !rows, !gm_half
    %kp0 = ascend.address %k[%c0, %c0] : !half -> !gm_half
    %sp0 = ascend.address %s[%group, %c0, %c0, %c0] : !scores -> !gm_single
    ascend.nd_to_nz %keys, %kp0 rows(%c16) cols(%c16) src_pitch(%c16) dst_rows 16 : !keys, !gm_half
    ascend.barrier all
    ascend.matmul %cs, %rows, %keys, %a, %b m(%c32) n(%c16) k(%c16) init(%true) rows [32, 16] transpose_b : !l0c, !rows, !keys, !l0a, !l0b
    ascend.barrier all
    ascend.fix_out %sp0, %cs rows(%c32) cols(%c16) dst_pitch(%c16) src_rows 32 : !gm_single, !l0c
    ascend.cross_set fix flag 0
    scf.for %i = %c0 to %last step %c1 {
      %next = arith.addi %i, %c1 : index
      %slot = arith.remui %i, %c2 : index
      %other = arith.remui %next, %c2 : index
      %begin = arith.muli %i, %c16 : index
      %end = arith.muli %next, %c16 : index
      %starts1 = arith.cmpi eq, %i, %c0 : index
      %kp1 = ascend.address %k[%end, %c0] : !half -> !gm_half
      %sp1 = ascend.address %s[%group, %other, %c0, %c0] : !scores -> !gm_single
      %pp1 = ascend.address %p[%group, %slot, %c0, %c0] : !weights -> !gm_half
      %vp1 = ascend.address %v[%begin, %c0] : !half -> !gm_half
      ascend.barrier all
      ascend.nd_to_nz %keys, %kp1 rows(%c16) cols(%c16) src_pitch(%c16) dst_rows 16 : !keys, !gm_half
      ascend.barrier all
      ascend.matmul %cs, %rows, %keys, %a, %b m(%c32) n(%c16) k(%c16) init(%true) rows [32, 16] transpose_b : !l0c, !rows, !keys, !l0a, !l0b
      ascend.barrier all
      ascend.fix_out %sp1, %cs rows(%c32) cols(%c16) dst_pitch(%c16) src_rows 32 : !gm_single, !l0c
      ascend.cross_set fix flag 0
      ascend.cross_wait flag 1
      ascend.nd_to_nz %weights, %pp1 rows(%c32) cols(%c16) src_pitch(%c16) dst_rows 32 : !rows, !gm_half
      ascend.nd_to_nz %values, %vp1 rows(%c16) cols(%c16) src_pitch(%c16) dst_rows 16 : !keys, !gm_half
      ascend.barrier all
      ascend.matmul %co, %weights, %values, %a, %b m(%c32) n(%c16) k(%c16) init(%starts1) rows [32, 16] : !l0c, !rows, !keys, !l0a, !l0b
      ascend.barrier all
    }
    %slot = arith.remui %last, %c2 : index
    %begin = arith.muli %last, %c16 : index
    %starts2 = arith.cmpi eq, %last, %c0 : index
    %pp2 = ascend.address %p[%group, %slot, %c0, %c0] : !weights -> !gm_half
    %vp2 = ascend.address %v[%begin, %c0] : !half -> !gm_half
    ascend.cross_wait flag 1
    ascend.nd_to_nz %weights, %pp2 rows(%c32) cols(%c16) src_pitch(%c16) dst_rows 32 : !rows, !gm_half
    ascend.nd_to_nz %values, %vp2 rows(%c16) cols(%c16) src_pitch(%c16) dst_rows 16 : !keys, !gm_half
    ascend.barrier all
    ascend.matmul %co, %weights, %values, %a, %b m(%c32) n(%c16) k(%c16) init(%starts2) rows [32, 16] : !l0c, !rows, !keys, !l0a, !l0b
    ascend.barrier all
    ascend.fix_out %op, %co rows(%c32) cols(%c16) dst_pitch(%c16) src_rows 32 : !gm_single, !l0c
    ascend.barrier all
  }
  ascend.barrier all
  return
}
}
