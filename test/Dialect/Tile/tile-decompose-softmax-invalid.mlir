// RUN: not attn-opt %s --tile-decompose-softmax=form=lazy --split-input-file 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: attn-opt %s --tile-decompose-softmax=form=two-phase-reload --split-input-file --verify-diagnostics
// UNKNOWN: error: unknown softmax form 'lazy'; known: auto, online, two-phase-resident, two-phase-reload

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @shared(%s: f32) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %three = arith.constant 3 : index
  %x = tile.splat %s : f32 -> !tile.tile<4 x 8 x f32>
  %v = tile.splat %s : f32 -> !tile.tile<8 x 64 x f32>
  // expected-error @+1 {{cannot take the form two-phase-reload: its values are shared by all rows, so that a push is a product}}
  %st0 = tile.softmax_init : !tile.softmax_state<4 x 64>
  %st = tile.range %n = %zero to %three iter(%a = %st0 : !tile.softmax_state<4 x 64>) {
    %b = tile.softmax_push shared %a, %x, %v : !tile.softmax_state<4 x 64>, !tile.tile<4 x 8 x f32>, !tile.tile<8 x 64 x f32>
    tile.yield %b : !tile.softmax_state<4 x 64>
  }
  %o, %l = tile.softmax_finish %st : !tile.softmax_state<4 x 64> -> !tile.tile<4 x 64 x f32>, !tile.tile<4 x 1 x f32>
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @held(%s: f32) attributes {tile.kernel} {
  %st0 = tile.softmax_init : !tile.softmax_state<4 x 64>
  // expected-error @+1 {{cannot hold a softmax state}}
  builtin.unrealized_conversion_cast %st0 : !tile.softmax_state<4 x 64> to index
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @no_loop(%s: f32) attributes {tile.kernel} {
  // expected-error @+1 {{cannot take the form two-phase-reload: its state must go through one loop with one push}}
  %st0 = tile.softmax_init : !tile.softmax_state<4 x 64>
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @parts(%s: f32) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %n = arith.constant 2 : index
  %x = tile.splat %s : f32 -> !tile.tile<1 x 1 x f32>
  %v = tile.splat %s : f32 -> !tile.tile<1 x 64 x f32>
  // expected-error @+1 {{a push is to a part of it}}
  %st0 = tile.softmax_init : !tile.softmax_state<2 x 64>
  %st = tile.range %i = %zero to %n iter(%a = %st0 : !tile.softmax_state<2 x 64>) {
    %b = tile.softmax_push per_row %a part %i, %x, %v : !tile.softmax_state<2 x 64>, !tile.tile<1 x 1 x f32>, !tile.tile<1 x 64 x f32>
    tile.yield %b : !tile.softmax_state<2 x 64>
  }
  %o, %l = tile.softmax_finish %st : !tile.softmax_state<2 x 64> -> !tile.tile<2 x 64 x f32>, !tile.tile<2 x 1 x f32>
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @bounds(%s: f32, %n: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %x = tile.splat %s : f32 -> !tile.tile<1 x 1 x f32>
  %v = tile.splat %s : f32 -> !tile.tile<1 x 64 x f32>
  // expected-error @+1 {{its loop or of the grid is neither a number nor the dimension of an argument}}
  %st0 = tile.softmax_init : !tile.softmax_state<1 x 64>
  %st = tile.range %i = %zero to %n iter(%a = %st0 : !tile.softmax_state<1 x 64>) {
    %b = tile.softmax_push per_row %a, %x, %v : !tile.softmax_state<1 x 64>, !tile.tile<1 x 1 x f32>, !tile.tile<1 x 64 x f32>
    tile.yield %b : !tile.softmax_state<1 x 64>
  }
  %o, %l = tile.softmax_finish %st : !tile.softmax_state<1 x 64> -> !tile.tile<1 x 64 x f32>, !tile.tile<1 x 1 x f32>
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @from_one(%s: f32) attributes {tile.kernel} {
  %one = arith.constant 1 : index
  %n = arith.constant 4 : index
  %x = tile.splat %s : f32 -> !tile.tile<1 x 1 x f32>
  %v = tile.splat %s : f32 -> !tile.tile<1 x 64 x f32>
  // expected-error @+1 {{its loop does not count from 0 one by one}}
  %st0 = tile.softmax_init : !tile.softmax_state<1 x 64>
  %st = tile.range %i = %one to %n iter(%a = %st0 : !tile.softmax_state<1 x 64>) {
    %b = tile.softmax_push per_row %a, %x, %v : !tile.softmax_state<1 x 64>, !tile.tile<1 x 1 x f32>, !tile.tile<1 x 64 x f32>
    tile.yield %b : !tile.softmax_state<1 x 64>
  }
  %o, %l = tile.softmax_finish %st : !tile.softmax_state<1 x 64> -> !tile.tile<1 x 64 x f32>, !tile.tile<1 x 1 x f32>
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @rows(%s: f32) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %n = arith.constant 4 : index
  %x = tile.splat %s : f32 -> !tile.tile<2 x 1 x f32>
  %v = tile.splat %s : f32 -> !tile.tile<2 x 64 x f32>
  // expected-error @+1 {{its rows are not a span of the grid}}
  %st0 = tile.softmax_init : !tile.softmax_state<2 x 64>
  %st = tile.range %i = %zero to %n iter(%a = %st0 : !tile.softmax_state<2 x 64>) {
    %b = tile.softmax_push per_row %a, %x, %v : !tile.softmax_state<2 x 64>, !tile.tile<2 x 1 x f32>, !tile.tile<2 x 64 x f32>
    tile.yield %b : !tile.softmax_state<2 x 64>
  }
  %o, %l = tile.softmax_finish %st : !tile.softmax_state<2 x 64> -> !tile.tile<2 x 64 x f32>, !tile.tile<2 x 1 x f32>
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @carried(%s: f32) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %n = arith.constant 4 : index
  %x = tile.splat %s : f32 -> !tile.tile<1 x 1 x f32>
  %v = tile.splat %s : f32 -> !tile.tile<1 x 64 x f32>
  // expected-error @+1 {{its values depend on what the loop carries}}
  %st0 = tile.softmax_init : !tile.softmax_state<1 x 64>
  %r:2 = tile.range %i = %zero to %n iter(%a = %st0 : !tile.softmax_state<1 x 64>, %w = %v : !tile.tile<1 x 64 x f32>) {
    %b = tile.softmax_push per_row %a, %x, %w : !tile.softmax_state<1 x 64>, !tile.tile<1 x 1 x f32>, !tile.tile<1 x 64 x f32>
    tile.yield %b, %w : !tile.softmax_state<1 x 64>, !tile.tile<1 x 64 x f32>
  }
  %o, %l = tile.softmax_finish %r#0 : !tile.softmax_state<1 x 64> -> !tile.tile<1 x 64 x f32>, !tile.tile<1 x 1 x f32>
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @written(%y: !tile.array<4x64xf32> {launch.dims = [4, 64]}, %s: f32) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %n = arith.constant 4 : index
  %x = tile.splat %s : f32 -> !tile.tile<1 x 1 x f32>
  // expected-error @+1 {{its values come from tile.load, which cannot be run again}}
  %st0 = tile.softmax_init : !tile.softmax_state<1 x 64>
  %st = tile.range %i = %zero to %n iter(%a = %st0 : !tile.softmax_state<1 x 64>) {
    %v = tile.load %y[%i, :] : (!tile.array<4x64xf32>, index) -> !tile.tile<1 x 64 x f32>
    tile.store %v, %y[%i, :] : (!tile.tile<1 x 64 x f32>, !tile.array<4x64xf32>, index) -> ()
    %b = tile.softmax_push per_row %a, %x, %v : !tile.softmax_state<1 x 64>, !tile.tile<1 x 1 x f32>, !tile.tile<1 x 64 x f32>
    tile.yield %b : !tile.softmax_state<1 x 64>
  }
  %o, %l = tile.softmax_finish %st : !tile.softmax_state<1 x 64> -> !tile.tile<1 x 64 x f32>, !tile.tile<1 x 1 x f32>
  return
}
}
