// RUN: attn-opt %s --split-input-file --verify-diagnostics

func.func @shape() {
  // expected-error @+1 {{gives a row or a column of f32, not '!tile.tile<4 x 8 x f32>'}}
  %i = tile.ramp : !tile.tile<4 x 8 x f32>
  return
}

// -----

func.func @type() {
  // expected-error @+1 {{gives a row or a column of f32, not '!tile.tile<1 x 8 x i32>'}}
  %i = tile.ramp : !tile.tile<1 x 8 x i32>
  return
}

// -----

func.func @compared_types(%a: !tile.tile<4 x 8 x f32>, %b: !tile.tile<4 x 8 x f16>) {
  // expected-error @+1 {{mixes the element types of !tile.tile<4 x 8 x f32>, !tile.tile<4 x 8 x f16> and '!tile.tile<4 x 8 x f32>'}}
  %m = tile.compare lt %a, %b : !tile.tile<4 x 8 x f32>, !tile.tile<4 x 8 x f16> -> !tile.tile<4 x 8 x f32>
  return
}

// -----

func.func @narrow(%a: !tile.tile<4 x 8 x f16>) {
  // expected-error @+1 {{computes on f32, not 'f16': cast before}}
  %m = tile.compare lt %a, %a : !tile.tile<4 x 8 x f16>, !tile.tile<4 x 8 x f16> -> !tile.tile<4 x 8 x f16>
  return
}

// -----

func.func @choice(%m: !tile.tile<4 x 8 x f32>, %a: !tile.tile<4 x 8 x f32>, %b: !tile.tile<4 x 7 x f32>) {
  // expected-error @+1 {{cannot broadcast !tile.tile<4 x 8 x f32>, !tile.tile<4 x 8 x f32> and !tile.tile<4 x 7 x f32>}}
  %y = tile.select %m, %a, %b : !tile.tile<4 x 8 x f32>, !tile.tile<4 x 8 x f32>, !tile.tile<4 x 7 x f32> -> !tile.tile<4 x 8 x f32>
  return
}

// -----

func.func @result(%m: !tile.tile<4 x 1 x f32>, %a: !tile.tile<1 x 8 x f32>) {
  // expected-error @+1 {{gives '!tile.tile<4 x 8 x f32>', not '!tile.tile<1 x 8 x f32>'}}
  %y = tile.select %m, %a, %a : !tile.tile<4 x 1 x f32>, !tile.tile<1 x 8 x f32>, !tile.tile<1 x 8 x f32> -> !tile.tile<1 x 8 x f32>
  return
}
