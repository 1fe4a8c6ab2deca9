// RUN: attn-opt %s --soc=Ascend910B4 --tile-copy-sums | FileCheck %s
// RUN: attn-opt %s --soc=host --tile-copy-sums | FileCheck %s --check-prefix=HOST

!a = !tile.array<16x16xf32>
!h = !tile.array<16x16xf16>
!t = !tile.tile<16 x 16 x f32>
!x = !tile.tile<16 x 16 x f16>

// Sums of a product and of a loop are multiplied by 1 on their way to the next product.
// CHECK-LABEL: func.func @chain(
// CHECK: %[[FIRST:.*]] = tile.dot
// CHECK: %[[SUM:.*]] = tile.range
// CHECK: %[[ONE:.*]] = tile.splat %{{.*}} : f32 -> <1 x 1 x f32>
// CHECK: %[[LEFT:.*]] = tile.mul %[[FIRST]], %[[ONE]]
// CHECK: %[[OTHER:.*]] = tile.splat
// CHECK: %[[RIGHT:.*]] = tile.mul %[[SUM]], %[[OTHER]]
// CHECK: tile.dot %[[LEFT]], %[[RIGHT]]
// HOST-NOT: tile.mul
func.func @chain(%A: !a, %C: !a {launch.output}, %n: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %none = tile.splat %zero : f32 -> !t
  %x = tile.load %A[:, :] : (!a) -> !t
  %first = tile.dot %x, %x : !t, !t -> !t
  %sum = tile.range %i = %c0 to %n iter(%acc = %none : !t) {
    %next = tile.dot %x, %x acc(%acc) : !t, !t -> !t
    tile.yield %next : !t
  }
  %second = tile.dot %first, %sum : !t, !t -> !t
  tile.store %second, %C[:, :] : (!t, !a) -> ()
  return
}

// Values that rows share are those of a product.
// CHECK-LABEL: func.func @values(
// CHECK: %[[VALUES:.*]] = tile.dot
// CHECK: %[[COPY:.*]] = tile.mul %[[VALUES]]
// CHECK: tile.softmax_push shared %{{.*}}, %{{.*}}, %[[COPY]]
func.func @values(%A: !a, %C: !a {launch.output}) attributes {tile.kernel} {
  %x = tile.load %A[:, :] : (!a) -> !t
  %start = tile.softmax_init : !tile.softmax_state<16 x 16>
  %v = tile.dot %x, %x : !t, !t -> !t
  %state = tile.softmax_push shared %start, %x, %v : !tile.softmax_state<16 x 16>, !t, !t
  %o, %lse = tile.softmax_finish %state : !tile.softmax_state<16 x 16> -> !t, !tile.tile<16 x 1 x f32>
  tile.store %o, %C[:, :] : (!t, !a) -> ()
  return
}

// Results that are stored or cast, and what a product adds to, stay as they are.
// CHECK-LABEL: func.func @left_alone(
// CHECK-NOT: tile.mul
func.func @left_alone(%A: !h, %C: !a {launch.output}) attributes {tile.kernel} {
  %x = tile.load %A[:, :] : (!h) -> !x
  %first = tile.dot %x, %x : !x, !x -> !t
  %half = tile.cast %first : !t -> !x
  %second = tile.dot %half, %x acc(%first) : !x, !x -> !t
  tile.store %second, %C[:, :] : (!t, !a) -> ()
  return
}
