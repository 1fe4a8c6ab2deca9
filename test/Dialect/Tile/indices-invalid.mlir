// RUN: attn-opt %s --split-input-file --verify-diagnostics

func.func @floats(%x: !tile.array<?xf32>, %b: index) {
  // expected-error @+1 {{reads ui16, i32 or i64, not 'f32'}}
  %n = tile.load_index %x[%b] : !tile.array<?xf32>
  return
}

// -----

func.func @rank(%x: !tile.array<?x?xi32>, %b: index) {
  // expected-error @+1 {{has 1 indices for '!tile.array<?x?xi32>'}}
  %n = tile.load_index %x[%b] : !tile.array<?x?xi32>
  return
}

// -----

func.func @table(%x: !tile.array<?x?xi32, table>, %b: index) {
  // expected-error @+1 {{reads an integer of one array, not of a list: '!tile.array<?x?xi32, table>'}}
  %n = tile.load_index %x[%b, %b] : !tile.array<?x?xi32, table>
  return
}

// -----

func.func @dimension(%x: !tile.array<?xi32>, %b: index) {
  // expected-error @+1 {{asks for dimension 1 of '!tile.array<?xi32>'}}
  %n = tile.bound_index end %b in %x, 1 : !tile.array<?xi32>
  return
}

// -----

func.func @values(%is: i1, %v: index) {
  // expected-error @+1 {{cannot hand on values: what its bodies compute, they store}}
  tile.if %is {
    tile.yield %v : index
  }
  return
}

// -----

// expected-error @+1 {{an array holds f32, f16, bf16, i8, i32, ui16 or i64, not 'i16'}}
func.func @signed(%x: !tile.array<?xi16>) {
  return
}

// -----

// expected-error @+1 {{a tile holds f32, f16, bf16, i8 or i32, not 'ui16'}}
func.func @tile(%x: !tile.tile<1 x 8 x ui16>) {
  return
}

// -----

func.func @listOfFloats(%x: !tile.array<?xf32>, %t: !tile.span<8>) {
  // expected-error @+1 {{reads a list of ui16, i32 or i64, not '!tile.array<?xf32>'}}
  %r = tile.list_rows %x[%t span] : (!tile.array<?xf32>, !tile.span<8>) -> !tile.span<8, listed>
  return
}

// -----

func.func @listWithoutSpan(%x: !tile.array<?x8xi32>, %b: index) {
  // expected-error @+1 {{takes one span of '!tile.array<?x8xi32>', and indices for all else}}
  %r = tile.list_rows %x[%b, :] : (!tile.array<?x8xi32>, index) -> !tile.span<8, listed>
  return
}

// -----

func.func @listByNumber(%x: !tile.array<?xi32>, %b: index) {
  // expected-error @+1 {{has the index 'index', which does not fit its place in the index list}}
  %r = tile.list_rows %x[%b span] : (!tile.array<?xi32>, index) -> !tile.span<8, listed>
  return
}

// -----

func.func @listOfMapped(%x: !tile.array<?xi32>, %t: !tile.span<8, mapped>) {
  // expected-error @+1 {{takes '!tile.span<8, mapped>', whose rows do not follow each other}}
  %r = tile.list_rows %x[%t span] : (!tile.array<?xi32>, !tile.span<8, mapped>) -> !tile.span<8, listed>
  return
}

// -----

func.func @listGives(%x: !tile.array<?xi32>, %t: !tile.span<8>) {
  // expected-error @+1 {{gives '!tile.span<8, listed>', not '!tile.span<8>'}}
  %r = tile.list_rows %x[%t span] : (!tile.array<?xi32>, !tile.span<8>) -> !tile.span<8>
  return
}

// -----

func.func @stepOfBlocks(%x: !tile.array<?xi32>, %t: !tile.span<8>, %b: index) {
  // expected-error @+1 {{has a positive 'step' where it has the size of blocks, and only there}}
  %r = tile.list_rows %x[%t span] by %b step 0 : (!tile.array<?xi32>, !tile.span<8>, index) -> !tile.span<8, listed>
  return
}

// -----

func.func @blocksOfWindow(%x: !tile.array<?xi32>, %t: !tile.span<8, filled>, %b: index) {
  // expected-error @+1 {{takes '!tile.span<8, filled>', of which blocks cannot lack the first rows}}
  %r = tile.list_rows %x[%t span] by %b step 4 : (!tile.array<?xi32>, !tile.span<8, filled>, index) -> !tile.span<8, filled, listed>
  return
}

// -----

func.func @listedColumns(%x: !tile.array<8x?xf32>, %t: !tile.span<8, listed>) {
  // expected-error @+1 {{takes its columns by '!tile.span<8, listed>': a span of columns is neither 'filled', 'mapped' nor 'listed'}}
  %r = tile.load %x[:, %t span] : (!tile.array<8x?xf32>, !tile.span<8, listed>) -> !tile.tile<8 x 8 x f32>
  return
}

// -----

func.func @noSteps(%b: index) {
  // expected-error @+1 {{has steps of 0 and at most 5 iterations; both must be positive}}
  %c = tile.bound_count %b to %b by 0 most 5 of "b"
  return
}

// -----

func.func @noIterations(%b: index) {
  // expected-error @+1 {{has steps of 1 and at most -1 iterations; both must be positive}}
  %c = tile.bound_count %b to %b by 1 most -1 of "b"
  return
}

// -----

func.func @manyIterations(%b: index) {
  // expected-error @+1 {{has more iterations than 64 bits can count}}
  %c = tile.bound_count %b to %b by 8 most 9223372036854775807 of "b"
  return
}

// -----

func.func @madeList(%b: index) {
  // expected-error @+1 {{cannot make a 'listed' span: tile.list_rows does}}
  %r = tile.make_span %b to %b : !tile.span<8, listed>
  return
}

// -----

func.func @boundedWithoutList(%x: !tile.array<?x8xf32>, %t: !tile.span<8>) {
  // expected-error @+1 {{is 'bounded', but takes no rows of a list}}
  %u = tile.load %x[%t span, :] bounded : (!tile.array<?x8xf32>, !tile.span<8>) -> !tile.tile<8 x 8 x f32>
  return
}

// -----

func.func @storeBoundedWithoutList(%x: !tile.array<?x8xf32>, %u: !tile.tile<8 x 8 x f32>, %t: !tile.span<8>) {
  // expected-error @+1 {{is 'bounded', but takes no rows of a list}}
  tile.store %u, %x[%t span, :] bounded : (!tile.tile<8 x 8 x f32>, !tile.array<?x8xf32>, !tile.span<8>) -> ()
  return
}

// -----

// expected-error @+1 {{expected 'filled', 'mapped' or 'listed'}}
func.func @words(%t: !tile.span<8, sorted>) {
  return
}
