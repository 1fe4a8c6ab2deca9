// RUN: attn-opt %s -verify-diagnostics -split-input-file

// expected-error@below {{a tile dimension is a number from 1 to 268435456, not 0 : i64}}
func.func private @f(!tile.tile<0 x 4 x f32>)

// -----

// expected-error@below {{a tile dimension is a number from 1 to 268435456, not 4294967296 : i64}}
func.func private @f(!tile.tile<4294967296 x 4 x f32>)

// -----

// expected-error@below {{the symbol 'Bt' must consist of capital letters, digits and underscores}}
func.func private @f(!tile.span<Bt>)

// -----

// expected-error@below {{a tile holds f32, f16, bf16, i8 or i32, not 'f64'}}
func.func private @f(!tile.tile<BT x 4 x f64>)

// -----

// expected-error@below {{an array has at least one dimension}}
func.func private @f(!tile.array<f32>)

// -----

// expected-error@below {{an array's dimension must be '?' or a number from 1 to 1099511627776, not 0}}
func.func private @f(!tile.array<0xf32>)

// -----

// expected-error@below {{an array holds f32, f16, bf16, i8, i32, ui16 or i64, not 'f64'}}
func.func private @f(!tile.array<4xf64>)

// -----

// expected-error@below {{a table of addresses needs a dimension after the first}}
func.func private @f(!tile.array<?xf32, table>)

// -----

// expected-error@below {{a size range needs 1 <= lo <= hi, not 4 and 2}}
func.func private @f() attributes {tile.symbols = {BT = #tile.auto<4, 2>}}

// -----

// expected-error@below {{'tile.symbols' must be a dictionary of #tile.auto ranges}}
func.func private @f() attributes {tile.symbols = {BT = 4 : i64}}

// -----

// expected-error@below {{unknown attribute 'tile.colour'}}
func.func private @f() attributes {tile.colour}

// -----

// expected-error@below {{'tile.kernel' is a unit attribute}}
func.func private @f() attributes {tile.kernel = 1}

// -----

// expected-error@below {{'tile.kernel' belongs on a function}}
module attributes {tile.kernel} {}

// -----

// expected-error@below {{a kernel returns through its output arrays, not through results}}
func.func private @f() -> index attributes {tile.kernel}

// -----

// expected-error@below {{argument 0 of a kernel must be an array or a scalar, not '!tile.tile<1 x 1 x f32>'}}
func.func private @f(!tile.tile<1 x 1 x f32>) attributes {tile.kernel}

// -----

func.func @f(%x: !tile.array<?x4xf32>) {
  // expected-error@below {{asks for dimension 2 of an array of rank 2}}
  %n = tile.dim %x, 2 : !tile.array<?x4xf32>
  return
}

// -----

func.func @f(%x: !tile.array<?x4xf32>) {
  // expected-error@below {{has 1 indices for an array of rank 2}}
  %n = tile.load %x[:] : (!tile.array<?x4xf32>) -> !tile.tile<1 x 4 x f32>
  return
}

// -----

func.func @f(%x: !tile.array<?x4xf32>) {
  // expected-error@below {{takes all of dimension 0, whose size is not a number: specialise it}}
  %n = tile.load %x[:, :] : (!tile.array<?x4xf32>) -> !tile.tile<1 x 4 x f32>
  return
}

// -----

func.func @f(%x: !tile.array<?x4xf32>, %i: index) {
  // expected-error@below {{index 0 has type 'index', which does not fit its place in the index list}}
  %n = tile.load %x[%i span, :] : (!tile.array<?x4xf32>, index) -> !tile.tile<1 x 4 x f32>
  return
}

// -----

func.func @f(%x: !tile.array<?x4xf32>, %i: index) {
  // expected-error@below {{takes 5 elements of dimension 1, which has 4}}
  %n = tile.load %x[%i, %i:5] : (!tile.array<?x4xf32>, index, index) -> !tile.tile<1 x 5 x f32>
  return
}

// -----

func.func @f(%x: !tile.array<?x4xf32>, %i: index) {
  // expected-error@below {{a slice takes at least one element, not 0}}
  %n = tile.load %x[%i, %i:0] : (!tile.array<?x4xf32>, index, index) -> !tile.tile<1 x 5 x f32>
  return
}

// -----

func.func @f(%x: !tile.array<?x4xf32>, %i: index) {
  // expected-error@below {{has the unknown index kind -7}}
  %n = "tile.load"(%x, %i) {kinds = array<i64: -7, -2>} : (!tile.array<?x4xf32>, index) -> !tile.tile<1 x 4 x f32>
  return
}

// -----

func.func @f(%x: !tile.array<?x4xf32>, %i: index) {
  // expected-error@below {{has fewer index operands than its index list needs}}
  %n = "tile.load"(%x) {kinds = array<i64: 0, -2>} : (!tile.array<?x4xf32>) -> !tile.tile<1 x 4 x f32>
  return
}

// -----

func.func @f(%x: !tile.array<?x4xf32>, %i: index) {
  // expected-error@below {{has more index operands than its index list needs}}
  %n = "tile.load"(%x, %i, %i) {kinds = array<i64: 0, -2>} : (!tile.array<?x4xf32>, index, index) -> !tile.tile<1 x 4 x f32>
  return
}

// -----

func.func @f(%x: !tile.array<?x4xf32, table>, %i: index) {
  // expected-error@below {{must index the first dimension of a table of addresses by a scalar or a span}}
  %n = tile.load %x[%i:2, :] : (!tile.array<?x4xf32, table>, index) -> !tile.tile<2 x 4 x f32>
  return
}

// -----

func.func @f(%x: !tile.array<2x3x4xf32>) {
  // expected-error@below {{selects 3 dimensions; a tile has two: index the others by scalars}}
  %n = tile.load %x[:, :, :] : (!tile.array<2x3x4xf32>) -> !tile.tile<3 x 4 x f32>
  return
}

// -----

func.func @f(%x: !tile.array<3x4xf32>, %v: !tile.tile<3 x 4 x bf16>) {
  // expected-error@below {{selects '!tile.tile<3 x 4 x f32>', not '!tile.tile<3 x 4 x bf16>'}}
  tile.store %v, %x[:, :] : (!tile.tile<3 x 4 x bf16>, !tile.array<3x4xf32>) -> ()
  return
}

// -----

func.func @f(%x: f32) {
  // expected-error@below {{fills '!tile.tile<1 x 1 x bf16>' with a scalar of type 'f32'}}
  %t = tile.splat %x : f32 -> !tile.tile<1 x 1 x bf16>
  return
}

// -----

func.func @f(%x: !tile.tile<1 x 4 x f32>) {
  // expected-error@below {{changes the shape of '!tile.tile<1 x 4 x f32>' to '!tile.tile<4 x 1 x bf16>'}}
  %t = tile.cast %x : !tile.tile<1 x 4 x f32> -> !tile.tile<4 x 1 x bf16>
  return
}

// -----

func.func @f(%x: !tile.tile<1 x 4 x f32>, %y: !tile.tile<1 x 4 x bf16>) {
  // expected-error@below {{mixes the element types of}}
  %t = tile.add %x, %y : !tile.tile<1 x 4 x f32>, !tile.tile<1 x 4 x bf16> -> !tile.tile<1 x 4 x f32>
  return
}

// -----

func.func @f(%x: !tile.tile<1 x 4 x bf16>) {
  // expected-error@below {{computes on f32, not 'bf16': cast before}}
  %t = tile.add %x, %x : !tile.tile<1 x 4 x bf16>, !tile.tile<1 x 4 x bf16> -> !tile.tile<1 x 4 x bf16>
  return
}

// -----

func.func @f(%x: !tile.tile<2 x 4 x f32>, %y: !tile.tile<BT x 4 x f32>) {
  // expected-error@below {{cannot broadcast !tile.tile<2 x 4 x f32> and !tile.tile<BT x 4 x f32>}}
  %t = tile.add %x, %y : !tile.tile<2 x 4 x f32>, !tile.tile<BT x 4 x f32> -> !tile.tile<2 x 4 x f32>
  return
}

// -----

func.func @f(%x: !tile.tile<2 x 4 x f32>, %y: !tile.tile<1 x 4 x f32>) {
  // expected-error@below {{gives '!tile.tile<2 x 4 x f32>', not '!tile.tile<1 x 4 x f32>'}}
  %t = tile.add %x, %y : !tile.tile<2 x 4 x f32>, !tile.tile<1 x 4 x f32> -> !tile.tile<1 x 4 x f32>
  return
}

// -----

func.func @f(%x: !tile.tile<1 x 4 x bf16>) {
  // expected-error@below {{computes on f32, not 'bf16': cast before}}
  %t = tile.exp %x : !tile.tile<1 x 4 x bf16>
  return
}

// -----

func.func @f(%x: !tile.tile<1 x 4 x bf16>, %slope: f32) {
  // expected-error@below {{computes on f32, not 'bf16': cast before}}
  %t = tile.leaky_relu %x, %slope : !tile.tile<1 x 4 x bf16>
  return
}

// -----

func.func @f(%x: !tile.tile<2 x 4 x f32>) {
  // expected-error@below {{reduces axis 2; a tile has axes 0 and 1}}
  %t = tile.reduce sum %x axis 2 : !tile.tile<2 x 4 x f32> -> !tile.tile<2 x 1 x f32>
  return
}

// -----

func.func @f(%x: !tile.tile<2 x 4 x f32>) {
  // expected-error@below {{gives '!tile.tile<1 x 4 x f32>', not '!tile.tile<2 x 1 x f32>'}}
  %t = tile.reduce sum %x axis 0 : !tile.tile<2 x 4 x f32> -> !tile.tile<2 x 1 x f32>
  return
}

// -----

func.func @f(%x: !tile.tile<2 x 4 x f32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  // expected-error@below {{takes 2 columns from 3 on of '!tile.tile<2 x 4 x f32>'}}
  %t = tile.extract %x[%c0, %c3] : !tile.tile<2 x 4 x f32> -> !tile.tile<1 x 2 x f32>
  return
}

// -----

func.func @f(%x: !tile.tile<2 x 4 x f32>, %y: !tile.tile<1 x 2 x bf16>, %i: index) {
  // expected-error@below {{mixes the element types of}}
  %t = tile.insert %y, %x[%i, %i] : !tile.tile<1 x 2 x bf16> into !tile.tile<2 x 4 x f32>
  return
}

// -----

func.func @f(%st: !tile.softmax_state<BT x 4>) {
  // expected-error@below {{gives '!tile.tile<BT x 4 x f32>' and '!tile.tile<BT x 1 x f32>'}}
  %o, %l = tile.softmax_finish %st : !tile.softmax_state<BT x 4> -> !tile.tile<BT x 4 x bf16>, !tile.tile<BT x 1 x f32>
  return
}

// -----

func.func @f(%T: index) {
  // expected-error@below {{a grid of 1 axes has 2 arguments}}
  tile.grid (%t, %u) in (%T by BT) {
  }
  return
}

// -----

func.func @f(%T: index) {
  // expected-error@below {{has 9 stages; 1 to 8 are possible}}
  tile.grid (%t) in (%T by BT) stages 9 {
  }
  return
}

// -----

func.func @f(%T: index) {
  // expected-error@below {{needs one block size and one argument per axis}}
  "tile.grid"(%T) ({
  ^bb0(%t: index):
    "tile.yield"() : () -> ()
  }) {blocks = []} : (index) -> ()
  return
}

// -----

func.func @f(%T: index) {
  // expected-error@below {{has 1.000000e+00 : f32 as a block size}}
  "tile.grid"(%T) ({
  ^bb0(%t: index):
    "tile.yield"() : () -> ()
  }) {blocks = [1.0 : f32]} : (index) -> ()
  return
}

// -----

func.func @f(%T: index) {
  // expected-error@below {{has an argument of type 'index' that does not fit its axis}}
  "tile.grid"(%T) ({
  ^bb0(%t: index):
    "tile.yield"() : () -> ()
  }) {blocks = ["BT"]} : (index) -> ()
  return
}

// -----

func.func @f(%T: index) {
  // expected-error@below {{cannot carry values: its iterations do not depend on each other}}
  tile.grid (%t) in (%T) {
    tile.yield %t : index
  }
  return
}

// -----

func.func @f(%T: index) {
  // expected-error@below {{has unit as a block size}}
  "tile.range"(%T, %T) ({
  ^bb0(%t: index):
    "tile.yield"() : () -> ()
  }) {block = unit} : (index, index) -> ()
  return
}

// -----

func.func @f(%T: index) {
  // expected-error@below {{has an argument of type 'index' that does not fit its range}}
  "tile.range"(%T, %T) ({
  ^bb0(%t: index):
    "tile.yield"() : () -> ()
  }) {block = "BT"} : (index, index) -> ()
  return
}

// -----

func.func @f(%T: index) {
  // expected-error@below {{needs one argument and one result per carried value}}
  "tile.range"(%T, %T, %T) ({
  ^bb0(%t: index):
    "tile.yield"() : () -> ()
  }) : (index, index, index) -> ()
  return
}

// -----

func.func @f(%T: index, %x: f32) {
  // expected-error@below {{must carry, yield and return values of the same types}}
  %r = tile.range %t = %T to %T iter(%c = %x : f32) {
    tile.yield %t : index
  }
  return
}

// -----

func.func @f(%st: !tile.softmax_state<BT x 4>, %s: !tile.tile<BT x 1 x f32>, %v: !tile.tile<BT x 4 x f32>) {
  // expected-error@below {{expected 'per_row' or 'shared'}}
  %r = tile.softmax_push each %st, %s, %v : !tile.softmax_state<BT x 4>, !tile.tile<BT x 1 x f32>, !tile.tile<BT x 4 x f32>
  return
}

// -----

func.func @f(%st: !tile.softmax_state<BT x 4>, %s: !tile.tile<BT x 1 x bf16>, %v: !tile.tile<BT x 4 x f32>) {
  // expected-error@below {{takes f32 scores, not 'bf16'}}
  %r = tile.softmax_push per_row %st, %s, %v : !tile.softmax_state<BT x 4>, !tile.tile<BT x 1 x bf16>, !tile.tile<BT x 4 x f32>
  return
}

// -----

func.func @f(%st: !tile.softmax_state<BT x 4>, %s: !tile.tile<BN x 1 x f32>, %v: !tile.tile<BT x 4 x f32>) {
  // expected-error@below {{has scores '!tile.tile<BN x 1 x f32>' for a state of other rows}}
  %r = tile.softmax_push per_row %st, %s, %v : !tile.softmax_state<BT x 4>, !tile.tile<BN x 1 x f32>, !tile.tile<BT x 4 x f32>
  return
}

// -----

func.func @f(%st: !tile.softmax_state<BT x 4>, %s: !tile.tile<BT x 1 x f32>, %v: !tile.tile<BT x 8 x f32>) {
  // expected-error@below {{has values '!tile.tile<BT x 8 x f32>' for a state of other columns}}
  %r = tile.softmax_push per_row %st, %s, %v : !tile.softmax_state<BT x 4>, !tile.tile<BT x 1 x f32>, !tile.tile<BT x 8 x f32>
  return
}

// -----

func.func @f(%st: !tile.softmax_state<BT x 4>, %s: !tile.tile<BT x 2 x f32>, %v: !tile.tile<BT x 4 x f32>) {
  // expected-error@below {{per row needs scores m x 1 and values m x d}}
  %r = tile.softmax_push per_row %st, %s, %v : !tile.softmax_state<BT x 4>, !tile.tile<BT x 2 x f32>, !tile.tile<BT x 4 x f32>
  return
}

// -----

func.func @f(%st: !tile.softmax_state<BT x 4>, %s: !tile.tile<BT x 2 x f32>, %v: !tile.tile<BT x 4 x f32>) {
  // expected-error@below {{shared needs scores m x k and values k x d}}
  %r = tile.softmax_push shared %st, %s, %v : !tile.softmax_state<BT x 4>, !tile.tile<BT x 2 x f32>, !tile.tile<BT x 4 x f32>
  return
}

// -----

func.func @f(%st: !tile.softmax_state<BT x 4>, %s: !tile.tile<BT x 1 x f32>, %v: !tile.tile<BT x 4 x bf16>) {
  // expected-error@below {{per row takes f32 values, not 'bf16'}}
  %r = tile.softmax_push per_row %st, %s, %v : !tile.softmax_state<BT x 4>, !tile.tile<BT x 1 x f32>, !tile.tile<BT x 4 x bf16>
  return
}

// -----

func.func @f(%st: !tile.softmax_state<8 x 4>, %s: !tile.tile<3 x 2 x f32>, %v: !tile.tile<2 x 4 x f32>, %h: index) {
  // expected-error@below {{pushes scores '!tile.tile<3 x 2 x f32>' to a part of '!tile.softmax_state<8 x 4>', whose rows are not parts of as many}}
  %r = tile.softmax_push shared %st part %h, %s, %v : !tile.softmax_state<8 x 4>, !tile.tile<3 x 2 x f32>, !tile.tile<2 x 4 x f32>
  return
}

// -----

func.func @f(%st: !tile.softmax_state<BT x 4>, %s: !tile.tile<BT x 2 x f32>, %v: !tile.tile<2 x 4 x f32>, %h: index) {
  // expected-error@below {{to a part of '!tile.softmax_state<BT x 4>', whose rows are not parts of as many}}
  %r = tile.softmax_push shared %st part %h, %s, %v : !tile.softmax_state<BT x 4>, !tile.tile<BT x 2 x f32>, !tile.tile<2 x 4 x f32>
  return
}

// -----

func.func @f(%st: !tile.softmax_state<BT x 4>, %s: !tile.tile<BT x 8 x f32>, %v: !tile.tile<8 x 4 x i8>) {
  // expected-error@below {{takes f16, bf16 or f32 values, not 'i8'}}
  %r = tile.softmax_push shared %st, %s, %v : !tile.softmax_state<BT x 4>, !tile.tile<BT x 8 x f32>, !tile.tile<8 x 4 x i8>
  return
}

// -----

// expected-error@below {{a dimension is at most 65536 more than its symbol, and at least 1, not 0}}
func.func private @f(!tile.tile<BM + 0 x 4 x f32>)

// -----

// expected-error@below {{expected 'filled', 'mapped' or 'listed'}}
func.func private @f(!tile.span<BM, full>)

// -----

func.func @f(%i: index) {
  // expected-error@below {{has the index that rows start 'from' where its type is 'filled', and only there}}
  %s = tile.make_span %i to %i from %i : !tile.span<BM>
  return
}

// -----

func.func @f(%i: index) {
  // expected-error@below {{has a 'map' where its type is 'mapped', and only there}}
  %s = tile.make_span %i to %i : !tile.span<BM, mapped>
  return
}

// -----

func.func @f() {
  // expected-error@below {{the symbol 'bm' must consist of capital letters, digits and underscores}}
  %s = tile.size bm
  return
}

// -----

func.func @f(%x: !tile.tile<4 x 8 x f32>, %i: index) {
  // expected-error@below {{can only transpose a row or a column}}
  %s = tile.extract %x[%i, %i] transposed : !tile.tile<4 x 8 x f32> -> !tile.tile<4 x 4 x f32>
  return
}

// -----

func.func @f(%x: !tile.tile<4 x 8 x f32>, %c: !tile.tile<16 x 1 x f32>) {
  %zero = arith.constant 0 : index
  // expected-error@below {{takes 16 columns from 0 on}}
  %s = tile.insert %c, %x[%zero, %zero] transposed : !tile.tile<16 x 1 x f32> into !tile.tile<4 x 8 x f32>
  return
}

// -----

func.func @f(%q: !tile.tile<BM x 8 x f32>, %k: !tile.tile<BM + 5 x 8 x f32>) {
  // expected-error@below {{needs a number of taps, not those of '!tile.tile<BM x BK x f32>'}}
  %s = tile.band_dot %q, %k : !tile.tile<BM x 8 x f32>, !tile.tile<BM + 5 x 8 x f32> -> !tile.tile<BM x BK x f32>
  return
}

// -----

func.func @f(%q: !tile.tile<BM x 8 x f32>, %k: !tile.tile<BM + 5 x 8 x f32>) {
  // expected-error@below {{needs a window of 6 rows more than its rows for 7 taps}}
  %s = tile.band_dot %q, %k : !tile.tile<BM x 8 x f32>, !tile.tile<BM + 5 x 8 x f32> -> !tile.tile<BM x 7 x f32>
  return
}

// -----

func.func @f(%p: !tile.tile<BN x 7 x f32>, %v: !tile.tile<BM + 6 x 8 x f32>) {
  // expected-error@below {{for other rows}}
  %s = tile.band_mix %p, %v : !tile.tile<BN x 7 x f32>, !tile.tile<BM + 6 x 8 x f32> -> !tile.tile<BM x 8 x f32>
  return
}

// -----

func.func @f(%p: !tile.tile<BM x 7 x f32>, %g: !tile.tile<BM x 4 x f32>, %a: !tile.tile<BM + 6 x 8 x f32>) {
  // expected-error@below {{of other columns}}
  %s = tile.band_spread %p, %g into %a : !tile.tile<BM x 7 x f32>, !tile.tile<BM x 4 x f32> into !tile.tile<BM + 6 x 8 x f32>
  return
}

// -----

func.func @f(%k: !tile.span<BM + 6>) {
  // expected-error@below {{takes the span of a window, which is 'filled'}}
  %m = tile.band_mask %k : !tile.span<BM + 6> -> !tile.tile<BM x 7 x f32>
  return
}

// -----

func.func @f(%x: !tile.tile<2 x 8 x f32>, %G: !tile.array<?x8xf32>) {
  // expected-error@below {{adds a single row of f32}}
  tile.accumulate %x, %G : !tile.tile<2 x 8 x f32>, !tile.array<?x8xf32>
  return
}

// -----

func.func @f(%x: !tile.tile<1 x 8 x f32>, %G: !tile.array<?x4xf32>) {
  // expected-error@below {{needs an array of f32 with a row of 8 columns per block}}
  tile.accumulate %x, %G : !tile.tile<1 x 8 x f32>, !tile.array<?x4xf32>
  return
}

// -----

func.func @f(%n: index) {
  tile.grid (%t) in (%n) {
    // expected-error@below {{expects parent op 'func.func'}}
    tile.phase
  }
  return
}

// -----

// expected-error @+1 {{a band has a positive number of rows of tiles, not -1}}
func.func @order() attributes {tile.kernel, tile.choice = #tile.choice<sizes = {}, grid_stages = 1, range_stages = 1, strip_columns = 0, order = -1>} {
  return
}
