"""A product of two matrices in chip IR, with the composite kept: what the way to HIVM takes, written by hand.

Tiles of rows and columns in loops, sums along k in a loop with two slots of L1. Flags are left to the passes.
"""

from dataclasses import dataclass

import torch

from attn import _core as core

NAMES = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", torch.int8: "i8", torch.int32: "i32"}
PIPELINE = "func.func(ascend-plan-memory,ascend-insert-sync,ascend-assign-events,ascend-verify)"


def sum_type(dtype):
    return torch.int32 if dtype == torch.int8 else torch.float32


@dataclass(frozen=True)
class ProductKernel:
    """C = A B, with tiles of `sizes` (m, n, k) and either operand stored transposed."""

    dtype: torch.dtype
    result: torch.dtype
    sizes: tuple = (32, 64, 32)
    transpose_a: bool = False
    transpose_b: bool = False
    fills: bool = False
    relu: bool = False

    def text(self):
        BM, BN, BK = self.sizes
        type_, sums, out = NAMES[self.dtype], NAMES[sum_type(self.dtype)], NAMES[self.result]
        a_room, b_room = (BK if self.transpose_a else BM), (BN if self.transpose_b else BK)
        transposes = " transpose_a" * self.transpose_a + " transpose_b" * self.transpose_b
        zero = "0" if self.dtype == torch.int8 else "0.0"
        a_place, a_part = ("%k, %m", "rows(%kn) cols(%mn)") if self.transpose_a else ("%m, %k", "rows(%mn) cols(%kn)")
        b_place, b_part = ("%n, %k", "rows(%nn) cols(%kn)") if self.transpose_b else ("%k, %n", "rows(%kn) cols(%nn)")
        fills = ""
        if self.fills:
            blocks = BM if self.transpose_a else BK
            fills = f"""
        %missing = arith.subi %c{a_room}, %{"kn" if self.transpose_a else "mn"} : index
        %from = arith.muli %{"kn" if self.transpose_a else "mn"}, %c{32 // self.dtype.itemsize} : index
        %rest = ascend.slice %a[%from] : !l1a -> memref<?x{type_}, #ascend.space<l1>>
        %columns = arith.constant {blocks * self.dtype.itemsize // 32} : index
        ascend.fill %rest, %zero repeat(%columns) blocks(%missing) pitch {a_room} : memref<?x{type_}, #ascend.space<l1>>, {type_}"""
        numbers = sorted({0, 1, BM, BN, BK, a_room, 32 // self.dtype.itemsize})
        constants = "\n  ".join(f"%c{number} = arith.constant {number} : index" for number in numbers)
        return f"""
!array = memref<?x?x{type_}, strided<[?, 1]>, #ascend.space<gm>>
!result = memref<?x?x{out}, strided<[?, 1]>, #ascend.space<gm>>
!gm = memref<?x{type_}, #ascend.space<gm>>
!l1a = memref<{BM * BK}x{type_}, #ascend.space<l1>>
!l1b = memref<{BN * BK}x{type_}, #ascend.space<l1>>
!slots_a = memref<2x{BM * BK}x{type_}, #ascend.space<l1>>
!slots_b = memref<2x{BN * BK}x{type_}, #ascend.space<l1>>
!l0a = memref<{65536 // self.dtype.itemsize}x{type_}, #ascend.space<l0a>>
!l0b = memref<{65536 // self.dtype.itemsize}x{type_}, #ascend.space<l0b>>
!l0c = memref<{BM * BN}x{sums}, #ascend.space<l0c>>
func.func @product(%A: !array {{launch.dims = ["A0", "A1"]}}, %B: !array {{launch.dims = ["B0", "B1"]}}, %C: !result {{launch.dims = ["M", "N"], launch.output}})
    attributes {{ascend.kernel, ascend.keep_composites, ascend.kind = #ascend.kernel_kind<cube>}} {{
  {constants}
  %zero = arith.constant {zero} : {type_}
  %M = ascend.dim %C, 0 : !result
  %N = ascend.dim %C, 1 : !result
  %K = ascend.dim %A, {0 if self.transpose_a else 1} : !array
  %sa = ascend.stride %A, 0 : !array
  %sb = ascend.stride %B, 0 : !array
  %sc = ascend.stride %C, 0 : !result
  %as = ascend.alloc "a" : !slots_a
  %bs = ascend.alloc "b" : !slots_b
  %l0a = ascend.alloc "l0a" : !l0a
  %l0b = ascend.alloc "l0b" : !l0b
  %c = ascend.alloc "c" : !l0c
  %end = scf.for %m = %c0 to %M step %c{BM} iter_args(%outer = %c0) -> (index) {{
    %mr = arith.subi %M, %m : index
    %mn = arith.minsi %mr, %c{BM} : index
    %after = scf.for %n = %c0 to %N step %c{BN} iter_args(%inner = %outer) -> (index) {{
      %nr = arith.subi %N, %n : index
      %nn = arith.minsi %nr, %c{BN} : index
      %last = scf.for %k = %c0 to %K step %c{BK} iter_args(%slot = %inner) -> (index) {{
        %kr = arith.subi %K, %k : index
        %kn = arith.minsi %kr, %c{BK} : index
        %a = ascend.slot %as[%slot] : !slots_a -> !l1a
        %b = ascend.slot %bs[%slot] : !slots_b -> !l1b
        %pa = ascend.address %A[{a_place}] : !array -> !gm
        %pb = ascend.address %B[{b_place}] : !array -> !gm{fills}
        ascend.nd_to_nz %a, %pa {a_part} src_pitch(%sa) dst_rows {a_room} : !l1a, !gm
        ascend.nd_to_nz %b, %pb {b_part} src_pitch(%sb) dst_rows {b_room} : !l1b, !gm
        %first = arith.cmpi eq, %k, %c0 : index
        ascend.matmul %c, %a, %b, %l0a, %l0b m(%c{BM}) n(%nn) k(%kn) init(%first) rows [{a_room}, {b_room}]{transposes} : !l0c, !l1a, !l1b, !l0a, !l0b
        %next = arith.subi %c1, %slot : index
        scf.yield %next : index
      }}
      %pc = ascend.address %C[%m, %n] : !result -> memref<?x{out}, #ascend.space<gm>>
      ascend.fix_out %pc, %c rows(%mn) cols(%nn) dst_pitch(%sc) src_rows {BM}{" relu" * self.relu} : memref<?x{out}, #ascend.space<gm>>, !l0c
      scf.yield %last : index
    }}
    scf.yield %after : index
  }}
  return
}}
"""

    def module(self):
        """With flags, addresses and events."""
        module = core.Module.parse(self.text(), "Ascend910B4")
        module.run(PIPELINE)
        return module

    def operands(self, m, n, k, seed=0):
        """Small integers, so that every order of sums gives the same, in rows that are longer than they are used."""
        generator = torch.Generator().manual_seed(seed)

        def make(rows, cols):
            return torch.randint(-4, 5, (rows, cols + 3), generator=generator).to(self.dtype)[:, :cols]

        a, b = make(*((k, m) if self.transpose_a else (m, k))), make(*((n, k) if self.transpose_b else (k, n)))
        return a, b, torch.full((m, n + 5), 77).to(self.result)[:, :n]

    def expected(self, a, b):
        left, right = (a.T if self.transpose_a else a), (b.T if self.transpose_b else b)
        product = left.double() @ right.double()
        return (product.clamp(min=0) if self.relu else product).to(self.result)
