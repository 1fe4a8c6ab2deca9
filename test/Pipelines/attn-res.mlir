// Attention residual forward from tile IR to AscendC, in each type and on chips of several sizes: the text is well formed.
//
// RUN: attn-opt %source_root/test/Dialect/Tile/attn-res.mlir --emit=ascendc | %clang_ascendc -
// RUN: attn-opt %source_root/test/Dialect/Tile/attn-res.mlir --emit=ascendc --soc=Ascend910B4:ub_bytes=65536 | %clang_ascendc -
// RUN: attn-opt %source_root/test/Dialect/Tile/attn-res.mlir --emit=ascendc --soc=Ascend910B4:ub_bytes=8192 | %clang_ascendc -
// RUN: sed s/bf16/f16/g %source_root/test/Dialect/Tile/attn-res.mlir | attn-opt --emit=ascendc | %clang_ascendc -
// RUN: sed s/4096/123/g %source_root/test/Dialect/Tile/attn-res.mlir | attn-opt --emit=ascendc | %clang_ascendc -
// RUN: sed 's/array<?x?x4096xbf16>/array<?x?x4096xbf16, table>/g' %source_root/test/Dialect/Tile/attn-res.mlir | attn-opt --emit=ascendc | %clang_ascendc -
//
// RUN: attn-opt %source_root/test/Dialect/Tile/attn-res.mlir --emit=ascendc --no-line-directives | FileCheck %s
// CHECK: //   sizes: BT = {{[0-9]+}}
// CHECK: //   unified buffer: {{[0-9]+}} of 196352 (Ascend910B4) bytes
// CHECK: //   blocks: at most 40
// CHECK: extern "C" __global__ __vector__ void attn_res_fwd(
// CHECK: AscendC::InitSocState();
// CHECK: AscendC::PipeBarrier<PIPE_ALL>();
// CHECK-NEXT: }
// CHECK-NOT: void
