// RUN: attn-opt %s -split-input-file | FileCheck %s

// CHECK: machine.target = #machine.target<"Ascend910B4">
module attributes {machine.target = #machine.target<"Ascend910B4">} {}

// -----

// A test may declare a tiny chip.
// CHECK: machine.target = #machine.target<"Ascend910B4", {ub_bytes = 1024 : i64}>
module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 1024 : i64}>} {}

// -----

// A declared clock makes a die without a published one usable.
// CHECK: machine.target = #machine.target<"Ascend910_9363", {clock_hz = 1800000000 : i64}>
module attributes {machine.target = #machine.target<"Ascend910_9363", {clock_hz = 1800000000 : i64}>} {}

// -----

// CHECK: machine.target = #machine.target<"host">
module attributes {machine.target = #machine.target<"host">} {}
