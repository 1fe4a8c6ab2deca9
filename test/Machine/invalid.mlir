// RUN: attn-opt %s -verify-diagnostics -split-input-file

// expected-error@below {{unknown chip 'Ascend910'; known chips: Ascend910B1, }}
module attributes {machine.target = #machine.target<"Ascend910">} {}

// -----

// expected-error@below {{chip 'Ascend910_9363' has no published clock}}
module attributes {machine.target = #machine.target<"Ascend910_9363">} {}

// -----

// expected-error@below {{unknown chip fact 'ub'; known facts: cube_cores, }}
module attributes {machine.target = #machine.target<"Ascend910B4", {ub = 1 : i64}>} {}

// -----

// expected-error@below {{chip fact 'ub_bytes' must be an i64 from 1 to 281474976710656}}
module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 1 : i32}>} {}

// -----

// expected-error@below {{chip fact 'ub_bytes' must be an i64 from 1 to 281474976710656}}
module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 9223372036854775807 : i64}>} {}

// -----

// expected-error@below {{unknown attribute 'machine.colour': the machine dialect has only 'machine.target'}}
module attributes {machine.colour} {}

// -----

// expected-error@below {{'machine.target' must be a #machine.target<"name">}}
module attributes {machine.target = "Ascend910B4"} {}

// -----

// expected-error@below {{'machine.target' belongs on a module}}
func.func private @f() attributes {machine.target = #machine.target<"host">}

// -----

// expected-error@below {{'launch.limit' belongs on a function}}
module attributes {launch.limit = 1 : i64} {}

// -----

// expected-error@below {{'launch.limit' must be a positive i64}}
func.func private @f() attributes {launch.limit = 0 : i64}

// -----

// expected-error@below {{'launch.grid_of' must name a kernel}}
func.func private @f() attributes {launch.grid_of = "f"}

// -----

// expected-error@below {{'launch.after' must name a kernel}}
func.func private @f() attributes {launch.after}

// -----

// expected-error@below {{unknown attribute 'launch.colour'}}
func.func private @f() attributes {launch.colour}

// -----

// expected-error@below {{'launch.sizes' must be a dictionary of positive i64 numbers}}
func.func private @f() attributes {launch.sizes = {BT = 0 : i64}}

// -----

// expected-error@below {{'launch.output' is a unit attribute}}
func.func private @f(index {launch.output = 1})

// -----

// expected-error@below {{unknown argument attribute 'launch.colour'}}
func.func private @f(index {launch.colour})

// -----

// expected-error@below {{'launch.dims' of argument 0 must list names and positive i64 numbers}}
func.func private @f(index {launch.dims = ["T", 0]})
