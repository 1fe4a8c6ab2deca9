// RUN: attn-opt %s --linalg-join-phases --split-input-file --verify-diagnostics

// expected-error @+1 {{is not launched after any kernel of this module}}
func.func @lost(%x: memref<?xf32>, %i: index, %n: index) attributes {launch.after = @elsewhere} {
  return
}

// -----

// expected-error @+1 {{is not launched after any kernel of this module}}
func.func @ring(%x: memref<?xf32>, %i: index, %n: index) attributes {launch.after = @ring} {
  return
}

// -----

func.func @first(%x: memref<?xf32>, %i: index, %n: index) {
  return
}
// expected-error @+1 {{is launched after 'first', but does not take the same arguments}}
func.func @second(%x: memref<?xf16>, %i: index, %n: index) attributes {launch.after = @first} {
  return
}

// -----

func.func @first(%x: memref<?xf32>, %i: index, %n: index) {
  return
}
// expected-error @+1 {{cannot be joined to 'first': one of them is not a single block}}
func.func private @second(%x: memref<?xf32>, %i: index, %n: index) attributes {launch.after = @first}
