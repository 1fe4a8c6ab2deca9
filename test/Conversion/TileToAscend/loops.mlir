// RUN: attn-opt %s --soc=Ascend910B4 --convert-tile-to-ascend --cse --split-input-file | FileCheck %s

// Ranges become loops; a range by blocks hands out spans. A carried tile stays in its buffer, a carried scalar is
// carried on.
// CHECK-LABEL: func.func @by_blocks(
// CHECK-SAME:    %[[X:[^:]*]]: memref
// CHECK-DAG:     %[[S:.*]] = ascend.alloc "sum" counted {{[0-9]+}} : memref<64xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[A:.*]] = ascend.alloc "a" counted {{[0-9]+}} : memref<512xf32, #ascend.space<ub>>
// CHECK:         %[[T:.*]] = ascend.dim %[[X]], 0
// CHECK:         ascend.duplicate %[[S]], %{{.*}} count(%c64)
// CHECK:         %[[LAST:.*]] = scf.for %[[I:.*]] = %c0 to %[[T]] step %c8 iter_args(%[[N:.*]] = %c0) -> (index) {
// CHECK:           %[[LEFT:.*]] = arith.subi %[[T]], %[[I]]
// CHECK:           %[[MIN:.*]] = arith.minsi %[[LEFT]], %c8
// CHECK:           %[[VALID:.*]] = arith.maxsi %[[MIN]], %c0
// CHECK:           %[[FROM:.*]] = ascend.address %[[X]][%[[I]], %c0]
// CHECK:           ascend.copy_in %[[A]], %[[FROM]] rows(%[[VALID]])
// CHECK:           ascend.binary {{ *}}add %[[S]], %[[S]],
// CHECK:           %[[NEXT:.*]] = arith.addi %[[N]], %c1
// CHECK:           scf.yield %[[NEXT]] : index
// CHECK:         } {ascend.stages = 2 : i64}
// CHECK:         ascend.address %{{.*}}[%[[LAST]], %c0]
func.func @by_blocks(%x: !tile.array<?x64xf32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0.0 : f32
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  %s0 = tile.splat %none : f32 -> !tile.tile<1 x 64 x f32>
  %r:2 = tile.range %t = %zero to %T by 8 iter(%s = %s0 : !tile.tile<1 x 64 x f32>, %n = %zero : index) stages 2 {
    %a = tile.load %x[%t span, :] : (!tile.array<?x64xf32>, !tile.span<8>) -> !tile.tile<8 x 64 x f32> loc("a")
    %p = tile.reduce sum %a axis 0 : !tile.tile<8 x 64 x f32> -> !tile.tile<1 x 64 x f32> loc("p")
    %next = tile.add %s, %p : !tile.tile<1 x 64 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 64 x f32> loc("sum")
    %m = arith.addi %n, %one : index
    tile.yield %next, %m : !tile.tile<1 x 64 x f32>, index
  }
  tile.store %r#0, %x[%r#1, :] : (!tile.tile<1 x 64 x f32>, !tile.array<?x64xf32>, index) -> ()
  return
}

// -----

// No tail where the numbers say so; the share of a block.
// CHECK-LABEL: func.func @share(
// CHECK:         %[[ID:.*]] = ascend.block_id
// CHECK:         %[[COUNT:.*]] = ascend.block_count
// CHECK:         scf.for %[[I:.*]] = %[[ID]] to %[[COUNT]] step %c1 {
// CHECK:           scf.for %[[T:.*]] = %c0 to %c64 step %c8 {
// CHECK-NOT:         arith.minsi
// CHECK:             ascend.address %{{.*}}[%[[I]], %[[T]], %c0]
// CHECK:             ascend.copy_in %{{.*}}, %{{.*}} rows(%c8)
// CHECK:           }
// CHECK:         } {ascend.parallel}
func.func @share(%x: !tile.array<?x64x64xf32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %T = tile.dim %x, 1 : !tile.array<?x64x64xf32>
  %id = tile.block_id
  %count = tile.block_count
  tile.range %i = %id to %count parallel {
    tile.range %t = %zero to %T by 8 {
      %a = tile.load %x[%i, %t span, :] : (!tile.array<?x64x64xf32>, index, !tile.span<8>) -> !tile.tile<8 x 64 x f32>
      tile.store %a, %x[%i, %t span, :] : (!tile.tile<8 x 64 x f32>, !tile.array<?x64x64xf32>, index, !tile.span<8>) -> ()
    }
  }
  return
}

// -----

// A next value that cannot be computed in place is copied at the end; carried tiles that change places go
// through a buffer aside.
// CHECK-LABEL: func.func @change_places(
// CHECK-DAG:     %[[A:.*]] = ascend.alloc "a" counted {{[0-9]+}} : memref<16xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[B:.*]] = ascend.alloc "b" counted {{[0-9]+}} : memref<16xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[ASIDEA:.*]] = ascend.alloc "carried_aside" counted {{[0-9]+}} : memref<16xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[ASIDEB:.*]] = ascend.alloc "carried_aside_1" counted {{[0-9]+}} : memref<16xf32, #ascend.space<ub>>
// CHECK:         scf.for
// CHECK:           ascend.copy %[[ASIDEA]], %[[B]] count(%c16)
// CHECK:           ascend.copy %[[ASIDEB]], %[[A]] count(%c16)
// CHECK:           ascend.copy %[[A]], %[[ASIDEA]] count(%c16)
// CHECK:           ascend.copy %[[B]], %[[ASIDEB]] count(%c16)
func.func @change_places(%x: !tile.array<16xf32>, %N: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %a0 = tile.load %x[:] : (!tile.array<16xf32>) -> !tile.tile<1 x 16 x f32> loc("a")
  %b0 = tile.exp %a0 : !tile.tile<1 x 16 x f32> loc("b")
  %c0 = tile.log %a0 : !tile.tile<1 x 16 x f32> loc("a")
  %r:2 = tile.range %n = %zero to %N iter(%a = %c0 : !tile.tile<1 x 16 x f32>, %b = %b0 : !tile.tile<1 x 16 x f32>) {
    tile.yield %b, %a : !tile.tile<1 x 16 x f32>, !tile.tile<1 x 16 x f32>
  }
  tile.store %r#0, %x[:] : (!tile.tile<1 x 16 x f32>, !tile.array<16xf32>) -> ()
  tile.store %r#1, %x[:] : (!tile.tile<1 x 16 x f32>, !tile.array<16xf32>) -> ()
  return
}

// -----

// An initial value that is still needed afterwards is copied to the carried buffer.
// CHECK-LABEL: func.func @keep_initial(
// CHECK-DAG:     %[[A:.*]] = ascend.alloc "a" counted {{[0-9]+}} : memref<16xf32, #ascend.space<ub>>
// CHECK-DAG:     %[[S:.*]] = ascend.alloc "s" counted {{[0-9]+}} : memref<16xf32, #ascend.space<ub>>
// CHECK:         ascend.copy %[[S]], %[[A]] count(%c16)
// CHECK:         scf.for
// CHECK:           ascend.unary {{ *}}exp %[[S]], %[[S]] count(%c16)
// CHECK-NEXT:    }
// CHECK:         ascend.binary {{ *}}add %[[S]], %[[S]], %[[A]] count(%c16)
func.func @keep_initial(%x: !tile.array<16xf32>, %N: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %a = tile.load %x[:] : (!tile.array<16xf32>) -> !tile.tile<1 x 16 x f32> loc("a")
  %r = tile.range %n = %zero to %N iter(%s = %a : !tile.tile<1 x 16 x f32>) {
    %e = tile.exp %s : !tile.tile<1 x 16 x f32> loc("s")
    tile.yield %e : !tile.tile<1 x 16 x f32>
  }
  %b = tile.add %r, %a : !tile.tile<1 x 16 x f32>, !tile.tile<1 x 16 x f32> -> !tile.tile<1 x 16 x f32> loc("s")
  tile.store %b, %x[:] : (!tile.tile<1 x 16 x f32>, !tile.array<16xf32>) -> ()
  return
}

// -----

// The function that counts a kernel's tiles is lowered with it; the attributes of the launch stay.
// CHECK-LABEL: func.func @kernel(
// CHECK-SAME:    {launch.dims = ["T", 16], launch.output}
// CHECK-SAME:    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<vector>, launch.limit = 40 : i64, launch.sizes = {BT = 2 : i64}}
// CHECK-LABEL: func.func @kernel_grid(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x16xf32, strided<[?, 1]>, #ascend.space<gm>> {launch.dims = ["T", 16], launch.output}) -> index
// CHECK-SAME:    attributes {launch.grid_of = @kernel}
// CHECK:         %[[T:.*]] = ascend.dim %[[X]], 0
// CHECK:         %[[TILES:.*]] = arith.ceildivui %[[T]], %c2
// CHECK:         return %[[TILES]] : index
func.func @kernel(%x: !tile.array<?x16xf32> {launch.dims = ["T", 16], launch.output})
    attributes {tile.kernel, launch.limit = 40 : i64, launch.sizes = {BT = 2 : i64}} {
  return
}
func.func @kernel_grid(%x: !tile.array<?x16xf32> {launch.dims = ["T", 16], launch.output}) -> index
    attributes {launch.grid_of = @kernel} {
  %two = arith.constant 2 : index
  %T = tile.dim %x, 0 : !tile.array<?x16xf32>
  %tiles = arith.ceildivui %T, %two : index
  return %tiles : index
}
