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
