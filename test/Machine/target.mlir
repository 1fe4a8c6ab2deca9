// RUN: attn-opt %s --split-input-file --verify-diagnostics

module attributes {machine.target = #machine.target<"Ascend910B4">} {}

// -----

// The short form of a name, and a chip with facts of its own.
module attributes {machine.target = #machine.target<"910B4", {ub_bytes = 1024 : i64}>} {}

// -----

module attributes {machine.target = #machine.target<"host">} {}

// -----

// expected-error @+1 {{unknown chip 'Ascend310'; known chips: Ascend910B1, Ascend910B2, Ascend910B2C, Ascend910B3, Ascend910B4, Ascend910B4-1, Ascend910_9391, Ascend910_9381, Ascend910_9382, Ascend910_9392, Ascend910_9362, Ascend910_9363, Ascend910_9372, host}}
module attributes {machine.target = #machine.target<"Ascend310">} {}

// -----

// expected-error @+1 {{chip 'Ascend910_9362' has no published clock}}
module attributes {machine.target = #machine.target<"Ascend910_9362">} {}

// -----

// A declared clock makes it usable.
module attributes {machine.target = #machine.target<"Ascend910_9362", {clock_hz = 1800000000 : i64}>} {}

// -----

// expected-error @+1 {{unknown chip fact 'ub'; known facts: cube_cores, vector_cores, clock_hz}}
module attributes {machine.target = #machine.target<"Ascend910B4", {ub = 1024 : i64}>} {}

// -----

// expected-error @+1 {{chip fact 'ub_bytes' must be a positive 64-bit integer}}
module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 0 : i64}>} {}

// -----

// expected-error @+1 {{chip fact 'ub_bytes' must be a positive 64-bit integer}}
module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = "much"}>} {}

// -----

// expected-error @+1 {{'machine.target' must be a #machine.target<"name">}}
module attributes {machine.target = "Ascend910B4"} {}

// -----

// expected-error @+1 {{unknown attribute 'machine.chip': the machine dialect has only 'machine.target'}}
module attributes {machine.chip = "Ascend910B4"} {}

// -----

// expected-error @+1 {{'machine.target' belongs on a module}}
func.func private @function() attributes {machine.target = #machine.target<"host">}
