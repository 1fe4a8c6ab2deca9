// RUN: attn-opt %s --tile-clamp-grid | FileCheck %s
// RUN: attn-opt %s --soc=Ascend910B4:vector_cores=70000 --tile-clamp-grid | FileCheck %s --check-prefix=MANY
// RUN: attn-opt %s --soc=Ascend910B4:vector_cores=70000,max_grid=12 --tile-clamp-grid | FileCheck %s --check-prefix=FEW
// RUN: attn-opt %s --soc=host --tile-clamp-grid | FileCheck %s --check-prefix=MANY

// However large the logical grid is, no more blocks are launched than the chip has vector cores, and never more than a
// launch can have. The count of tiles itself is not limited: 65535, 65536 and beyond 32 bits.
module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK-LABEL: func.func @most(
// CHECK-SAME: launch.limit = 40 : i64
// MANY-LABEL: func.func @most(
// MANY-SAME: launch.limit = 65535 : i64
// FEW-LABEL: func.func @most(
// FEW-SAME: launch.limit = 12 : i64
func.func @most(%x: !tile.array<65535x64xf32> {launch.dims = [65535, 64]}) attributes {tile.kernel} {
  %T = tile.dim %x, 0 : !tile.array<65535x64xf32>
  tile.grid (%t) in (%T) {
  }
  return
}
// CHECK-LABEL: func.func @most_grid(
// CHECK: %[[T:.*]] = tile.dim
// CHECK: return %[[T]]

// CHECK-LABEL: func.func @more(
// CHECK-SAME: launch.limit = 40 : i64
// MANY-LABEL: func.func @more(
// MANY-SAME: launch.limit = 65535 : i64
func.func @more(%x: !tile.array<65536x64xf32> {launch.dims = [65536, 64]}) attributes {tile.kernel} {
  %T = tile.dim %x, 0 : !tile.array<65536x64xf32>
  tile.grid (%t) in (%T) {
  }
  return
}

// CHECK-LABEL: func.func @product(
// CHECK-SAME: launch.limit = 40 : i64
// CHECK: arith.muli %{{.*}}, %{{.*}} : index
func.func @product(%x: !tile.array<65536x1048576xf32> {launch.dims = [65536, 1048576]}) attributes {tile.kernel} {
  %A = tile.dim %x, 0 : !tile.array<65536x1048576xf32>
  %B = tile.dim %x, 1 : !tile.array<65536x1048576xf32>
  tile.grid (%a, %b) in (%A, %B) {
  }
  return
}

// Products run on cube cores, of which there are half as many.
// CHECK-LABEL: func.func @matrices(
// CHECK-SAME: launch.limit = 20 : i64
func.func @matrices(%x: !tile.array<?x16xf16>, %y: !tile.array<?x16xf32>) attributes {tile.kernel} {
  %T = tile.dim %x, 0 : !tile.array<?x16xf16>
  tile.grid (%t) in (%T by 16) {
    %a = tile.load %x[%t span, :] : (!tile.array<?x16xf16>, !tile.span<16>) -> !tile.tile<16 x 16 x f16>
    %p = tile.dot %a, %a : !tile.tile<16 x 16 x f16>, !tile.tile<16 x 16 x f16> -> !tile.tile<16 x 16 x f32>
    tile.store %p, %y[%t span, :] : (!tile.tile<16 x 16 x f32>, !tile.array<?x16xf32>, !tile.span<16>) -> ()
  }
  return
}
}
