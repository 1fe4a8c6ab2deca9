// RUN: attn-opt %s --split-input-file --verify-diagnostics

// Types and attributes.

// expected-error @+1 {{an array's dimension must be positive or '?', not 0}}
func.func private @type(!tile.array<0xf32>)

// -----

// expected-error @+1 {{an array holds f32, f16, bf16 or i32, not 'f64'}}
func.func private @type(!tile.array<4xf64>)

// -----

// expected-error @+1 {{an array has at least one dimension}}
func.func private @type(!tile.array<f32>)

// -----

// expected-error @+1 {{a table of addresses needs a dimension behind the first}}
func.func private @type(!tile.array<4xf32, table>)

// -----

// expected-error @+1 {{a tile dimension must be positive, not 0}}
func.func private @type(!tile.tile<0 x 4 x f32>)

// -----

// expected-error @+1 {{the symbol 'bt' must consist of capital letters, digits and underscores}}
func.func private @type(!tile.tile<bt x 4 x f32>)

// -----

// expected-error @+1 {{a tile holds f32, f16, bf16 or i32, not 'i8'}}
func.func private @type(!tile.tile<4 x 4 x i8>)

// -----

// expected-error @+1 {{a tile dimension must be positive, not -1}}
func.func private @type(!tile.span<-1>)

// -----

// expected-error @+1 {{a tile dimension must be positive, not 0}}
func.func private @type(!tile.softmax_state<4 x 0>)

// -----

// expected-error @+1 {{a size range needs 1 <= lo <= hi, not 4 and 2}}
func.func private @range() attributes {tile.symbols = {BT = #tile.auto<4, 2>}}

// -----

// expected-error @+1 {{'tile.symbols' must be a dictionary of #tile.auto ranges}}
func.func private @symbols() attributes {tile.symbols = {BT = 4}}

// -----

// expected-error @+1 {{unknown attribute 'tile.unknown'}}
func.func private @unknown() attributes {tile.unknown}

// -----

// expected-error @+1 {{'tile.kernel' is a unit attribute}}
func.func private @unit() attributes {tile.kernel = 1}

// -----

// expected-error @+1 {{'tile.kernel' belongs on a function}}
module attributes {tile.kernel} {
}

// -----

// expected-error @+1 {{a kernel returns through its output arrays, not through results}}
func.func private @results() -> index attributes {tile.kernel}

// -----

// expected-error @+1 {{argument 0 of a kernel must be an array or a scalar, not '!tile.span<4>'}}
func.func private @argument(!tile.span<4>) attributes {tile.kernel}

// -----

// How a kernel is called.

// expected-error @+1 {{'launch.limit' belongs on a function}}
module attributes {launch.limit = 1 : i64} {
}

// -----

// expected-error @+1 {{'launch.limit' must be a positive i64}}
func.func private @limit() attributes {launch.limit = 0 : i64}

// -----

// expected-error @+1 {{'launch.grid_of' must name a kernel}}
func.func private @grid() attributes {launch.grid_of = "kernel"}

// -----

// expected-error @+1 {{'launch.sizes' must be a dictionary of positive i64 numbers}}
func.func private @sizes() attributes {launch.sizes = {BT = 0 : i64}}

// -----

// expected-error @+1 {{unknown attribute 'launch.unknown'}}
func.func private @unknown() attributes {launch.unknown}

// -----

// expected-error @+1 {{'launch.output' is a unit attribute}}
func.func private @output(f32 {launch.output = 1})

// -----

// expected-error @+1 {{'launch.dims' of argument 0 must list names and positive i64 numbers}}
func.func private @dims(f32 {launch.dims = [0 : i64]})

// -----

// expected-error @+1 {{unknown argument attribute 'launch.unknown'}}
func.func private @unknown(f32 {launch.unknown})

// -----

// Loads and stores.

func.func @rank(%x: !tile.array<4x64xf32>) {
  // expected-error @+1 {{has 1 indices for an array of rank 2}}
  %v = tile.load %x[:] : (!tile.array<4x64xf32>) -> !tile.tile<1 x 64 x f32>
  return
}

// -----

func.func @dynamic(%x: !tile.array<?xf32>) {
  // expected-error @+1 {{takes all of dimension 0, whose size is not a number: specialise it}}
  %v = tile.load %x[:] : (!tile.array<?xf32>) -> !tile.tile<1 x 64 x f32>
  return
}

// -----

func.func @fewer(%x: !tile.array<64xf32>) {
  // expected-error @+1 {{has fewer index operands than its index list needs}}
  %v = "tile.load"(%x) <{kinds = array<i64: 0>}> : (!tile.array<64xf32>) -> !tile.tile<1 x 1 x f32>
  return
}

// -----

func.func @more(%x: !tile.array<64xf32>, %i: index) {
  // expected-error @+1 {{has more index operands than its index list needs}}
  %v = "tile.load"(%x, %i) <{kinds = array<i64: -2>}> : (!tile.array<64xf32>, index) -> !tile.tile<1 x 64 x f32>
  return
}

// -----

func.func @place(%x: !tile.array<64xf32>, %i: index) {
  // expected-error @+1 {{index 0 has type 'index', which does not fit its place in the index list}}
  %v = tile.load %x[%i span] : (!tile.array<64xf32>, index) -> !tile.tile<1 x 64 x f32>
  return
}

// -----

func.func @kind(%x: !tile.array<64xf32>, %i: index) {
  // expected-error @+1 {{has the unknown index kind -7}}
  %v = "tile.load"(%x, %i) <{kinds = array<i64: -7>}> : (!tile.array<64xf32>, index) -> !tile.tile<1 x 64 x f32>
  return
}

// -----

func.func @slice(%x: !tile.array<64xf32>, %i: index) {
  // expected-error @+1 {{takes 65 elements of dimension 0, which has 64}}
  %v = tile.load %x[%i:65] : (!tile.array<64xf32>, index) -> !tile.tile<1 x 65 x f32>
  return
}

// -----

func.func @three(%x: !tile.array<2x4x64xf32>) {
  // expected-error @+1 {{selects 3 dimensions; a tile has two: index the others by scalars}}
  %v = tile.load %x[:, :, :] : (!tile.array<2x4x64xf32>) -> !tile.tile<4 x 64 x f32>
  return
}

// -----

func.func @table(%x: !tile.array<4x64xf32, table>) {
  // expected-error @+1 {{must index the first dimension of a table of addresses by a scalar}}
  %v = tile.load %x[:, :] : (!tile.array<4x64xf32, table>) -> !tile.tile<4 x 64 x f32>
  return
}

// -----

func.func @load(%x: !tile.array<4x64xf32>) {
  // expected-error @+1 {{selects '!tile.tile<4 x 64 x f32>', not '!tile.tile<64 x 4 x f32>'}}
  %v = tile.load %x[:, :] : (!tile.array<4x64xf32>) -> !tile.tile<64 x 4 x f32>
  return
}

// -----

func.func @store(%x: !tile.array<4x64xf32>, %v: !tile.tile<4 x 64 x bf16>) {
  // expected-error @+1 {{selects '!tile.tile<4 x 64 x f32>', not '!tile.tile<4 x 64 x bf16>'}}
  tile.store %v, %x[:, :] : (!tile.tile<4 x 64 x bf16>, !tile.array<4x64xf32>) -> ()
  return
}

// -----

func.func @dim(%x: !tile.array<4x64xf32>) {
  // expected-error @+1 {{asks for dimension 2 of an array of rank 2}}
  %d = tile.dim %x, 2 : !tile.array<4x64xf32>
  return
}

// -----

// Values.

func.func @splat(%s: bf16) {
  // expected-error @+1 {{fills '!tile.tile<1 x 1 x f32>' with a scalar of type 'bf16'}}
  %v = tile.splat %s : bf16 -> !tile.tile<1 x 1 x f32>
  return
}

// -----

func.func @cast(%v: !tile.tile<4 x 64 x f32>) {
  // expected-error @+1 {{changes the shape of '!tile.tile<4 x 64 x f32>' to '!tile.tile<4 x 32 x bf16>'}}
  %w = tile.cast %v : !tile.tile<4 x 64 x f32> -> !tile.tile<4 x 32 x bf16>
  return
}

// -----

func.func @mixed(%v: !tile.tile<4 x 64 x f32>, %w: !tile.tile<4 x 64 x bf16>) {
  // expected-error @+1 {{mixes the element types of}}
  %x = tile.add %v, %w : !tile.tile<4 x 64 x f32>, !tile.tile<4 x 64 x bf16> -> !tile.tile<4 x 64 x f32>
  return
}

// -----

func.func @narrow(%v: !tile.tile<4 x 64 x bf16>) {
  // expected-error @+1 {{computes on f32, not 'bf16': cast before}}
  %x = tile.add %v, %v : !tile.tile<4 x 64 x bf16>, !tile.tile<4 x 64 x bf16> -> !tile.tile<4 x 64 x bf16>
  return
}

// -----

func.func @unary(%v: !tile.tile<4 x 64 x f16>) {
  // expected-error @+1 {{computes on f32, not 'f16': cast before}}
  %x = tile.exp %v : !tile.tile<4 x 64 x f16>
  return
}

// -----

func.func @broadcast(%v: !tile.tile<4 x 64 x f32>, %w: !tile.tile<BT x 64 x f32>) {
  // expected-error @+1 {{cannot broadcast '!tile.tile<4 x 64 x f32>' and '!tile.tile<BT x 64 x f32>'}}
  %x = tile.add %v, %w : !tile.tile<4 x 64 x f32>, !tile.tile<BT x 64 x f32> -> !tile.tile<4 x 64 x f32>
  return
}

// -----

func.func @result(%v: !tile.tile<4 x 64 x f32>, %w: !tile.tile<4 x 1 x f32>) {
  // expected-error @+1 {{gives '!tile.tile<4 x 64 x f32>', not '!tile.tile<4 x 1 x f32>'}}
  %x = tile.add %v, %w : !tile.tile<4 x 64 x f32>, !tile.tile<4 x 1 x f32> -> !tile.tile<4 x 1 x f32>
  return
}

// -----

func.func @axis(%v: !tile.tile<4 x 64 x f32>) {
  // expected-error @+1 {{reduces axis 2; a tile has axes 0 and 1}}
  %x = tile.reduce sum %v axis 2 : !tile.tile<4 x 64 x f32> -> !tile.tile<4 x 1 x f32>
  return
}

// -----

func.func @reduce(%v: !tile.tile<4 x 64 x f32>) {
  // expected-error @+1 {{gives '!tile.tile<1 x 64 x f32>', not '!tile.tile<4 x 1 x f32>'}}
  %x = tile.reduce sum %v axis 0 : !tile.tile<4 x 64 x f32> -> !tile.tile<4 x 1 x f32>
  return
}

// -----

func.func @extract(%v: !tile.tile<4 x 64 x f32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @+1 {{takes columns 1 to 65 of '!tile.tile<4 x 64 x f32>'}}
  %x = tile.extract %v[%zero, %one] : !tile.tile<4 x 64 x f32> -> !tile.tile<4 x 64 x f32>
  return
}

// -----

func.func @insert(%v: !tile.tile<4 x 64 x f32>, %p: !tile.tile<1 x 64 x f32>) {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  // expected-error @+1 {{takes rows 4 to 5 of '!tile.tile<4 x 64 x f32>'}}
  %x = tile.insert %p, %v[%four, %zero] : !tile.tile<1 x 64 x f32> into !tile.tile<4 x 64 x f32>
  return
}

// -----

func.func @part(%v: !tile.tile<4 x 64 x f32>, %p: !tile.tile<1 x 64 x bf16>) {
  %zero = arith.constant 0 : index
  // expected-error @+1 {{mixes the element types of '!tile.tile<1 x 64 x bf16>' and '!tile.tile<4 x 64 x f32>'}}
  %x = tile.insert %p, %v[%zero, %zero] : !tile.tile<1 x 64 x bf16> into !tile.tile<4 x 64 x f32>
  return
}

// -----

// Softmax.

func.func @form(%st: !tile.softmax_state<4 x 64>, %s: !tile.tile<4 x 1 x f32>, %v: !tile.tile<4 x 64 x f32>) {
  // expected-error @+1 {{expected 'per_row' or 'shared'}}
  %x = tile.softmax_push all %st, %s, %v : !tile.softmax_state<4 x 64>, !tile.tile<4 x 1 x f32>, !tile.tile<4 x 64 x f32>
  return
}

// -----

func.func @scores(%st: !tile.softmax_state<4 x 64>, %s: !tile.tile<4 x 1 x bf16>, %v: !tile.tile<4 x 64 x f32>) {
  // expected-error @+1 {{takes f32 scores, not 'bf16'}}
  %x = tile.softmax_push per_row %st, %s, %v : !tile.softmax_state<4 x 64>, !tile.tile<4 x 1 x bf16>, !tile.tile<4 x 64 x f32>
  return
}

// -----

func.func @rows(%st: !tile.softmax_state<4 x 64>, %s: !tile.tile<2 x 1 x f32>, %v: !tile.tile<4 x 64 x f32>) {
  // expected-error @+1 {{has scores '!tile.tile<2 x 1 x f32>' for a state of other rows}}
  %x = tile.softmax_push per_row %st, %s, %v : !tile.softmax_state<4 x 64>, !tile.tile<2 x 1 x f32>, !tile.tile<4 x 64 x f32>
  return
}

// -----

func.func @columns(%st: !tile.softmax_state<4 x 64>, %s: !tile.tile<4 x 1 x f32>, %v: !tile.tile<4 x 32 x f32>) {
  // expected-error @+1 {{has values '!tile.tile<4 x 32 x f32>' for a state of other columns}}
  %x = tile.softmax_push per_row %st, %s, %v : !tile.softmax_state<4 x 64>, !tile.tile<4 x 1 x f32>, !tile.tile<4 x 32 x f32>
  return
}

// -----

func.func @per_row(%st: !tile.softmax_state<4 x 64>, %s: !tile.tile<4 x 2 x f32>, %v: !tile.tile<2 x 64 x f32>) {
  // expected-error @+1 {{per row needs scores m x 1 and values m x d}}
  %x = tile.softmax_push per_row %st, %s, %v : !tile.softmax_state<4 x 64>, !tile.tile<4 x 2 x f32>, !tile.tile<2 x 64 x f32>
  return
}

// -----

func.func @shared(%st: !tile.softmax_state<4 x 64>, %s: !tile.tile<4 x 2 x f32>, %v: !tile.tile<8 x 64 x f32>) {
  // expected-error @+1 {{shared needs scores m x k and values k x d}}
  %x = tile.softmax_push shared %st, %s, %v : !tile.softmax_state<4 x 64>, !tile.tile<4 x 2 x f32>, !tile.tile<8 x 64 x f32>
  return
}

// -----

func.func @values(%st: !tile.softmax_state<4 x 64>, %s: !tile.tile<4 x 1 x f32>, %v: !tile.tile<4 x 64 x bf16>) {
  // expected-error @+1 {{per row takes f32 values, not 'bf16'}}
  %x = tile.softmax_push per_row %st, %s, %v : !tile.softmax_state<4 x 64>, !tile.tile<4 x 1 x f32>, !tile.tile<4 x 64 x bf16>
  return
}

// -----

func.func @finish(%st: !tile.softmax_state<4 x 64>) {
  // expected-error @+1 {{gives '!tile.tile<4 x 64 x f32>' and '!tile.tile<4 x 1 x f32>'}}
  %o, %l = tile.softmax_finish %st : !tile.softmax_state<4 x 64> -> !tile.tile<4 x 64 x bf16>, !tile.tile<4 x 1 x f32>
  return
}

// -----

// Loops.

func.func @axes(%n: index) {
  // expected-error @+1 {{a grid of 1 axes has 2 arguments}}
  tile.grid (%i, %j) in (%n) {
  }
  return
}

// -----

func.func @grid_stages(%n: index) {
  // expected-error @+1 {{has 9 stages; 1 to 8 are possible}}
  tile.grid (%i) in (%n) stages 9 {
  }
  return
}

// -----

func.func @grid_argument(%n: index) {
  // expected-error @+1 {{has an argument of type 'index' that does not fit its axis}}
  "tile.grid"(%n) <{blocks = [4 : i64]}> ({
  ^bb0(%i: index):
    tile.yield
  }) : (index) -> ()
  return
}

// -----

func.func @grid_count(%n: index) {
  // expected-error @+1 {{needs one block size and one argument per axis}}
  "tile.grid"(%n) <{blocks = []}> ({
  ^bb0(%i: index):
    tile.yield
  }) : (index) -> ()
  return
}

// -----

func.func @grid_block(%n: index) {
  // expected-error @+1 {{has 1.000000e+00 : f32 as a block size}}
  "tile.grid"(%n) <{blocks = [1.0 : f32]}> ({
  ^bb0(%i: index):
    tile.yield
  }) : (index) -> ()
  return
}

// -----

func.func @grid_values(%n: index) {
  // expected-error @+1 {{carries no values, but its body ends with some}}
  tile.grid (%i) in (%n) {
    tile.yield %n : index
  }
  return
}

// -----

func.func @range_stages(%n: index) {
  // expected-error @+1 {{has 0 stages; 1 to 8 are possible}}
  tile.range %i = %n to %n stages 0 {
  }
  return
}

// -----

func.func @range_block(%n: index) {
  // expected-error @+1 {{has 1.000000e+00 : f32 as a block size}}
  "tile.range"(%n, %n) <{block = 1.0 : f32}> ({
  ^bb0(%i: index):
    tile.yield
  }) : (index, index) -> ()
  return
}

// -----

func.func @range_carried(%n: index) {
  // expected-error @+1 {{needs one argument and one result per carried value}}
  "tile.range"(%n, %n) ({
  ^bb0(%i: index, %j: index):
    tile.yield
  }) : (index, index) -> ()
  return
}

// -----

func.func @range_argument(%n: index) {
  // expected-error @+1 {{has an argument of type 'f32' that does not fit its range}}
  "tile.range"(%n, %n) ({
  ^bb0(%i: f32):
    tile.yield
  }) : (index, index) -> ()
  return
}

// -----

func.func @range_types(%n: index, %x: f32) {
  // expected-error @+1 {{must carry, yield and return values of the same types}}
  %r = tile.range %i = %n to %n iter(%a = %x : f32) {
    tile.yield %i : index
  }
  return
}

// -----

func.func @parallel(%n: index, %x: f32) {
  // expected-error @+1 {{cannot carry values in parallel}}
  %r = tile.range %i = %n to %n iter(%a = %x : f32) parallel {
    tile.yield %a : f32
  }
  return
}
