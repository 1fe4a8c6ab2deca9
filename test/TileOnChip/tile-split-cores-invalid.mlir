// RUN: attn-opt %s --soc=Ascend910B4 --tile-split-cores --split-input-file --verify-diagnostics

!x = !tile.array<16x16xf16>
!y = !tile.array<16x16xf32>
!t = !tile.tile<16 x 16 x f16>
!s = !tile.tile<16 x 16 x f32>

// expected-error @+1 {{needs cube and vector cores and has no tile.group: tile-fit-tiles must run first}}
func.func @unchosen(%x: !x, %y: !y) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!x) -> !t
  %p = tile.dot %a, %a : !t, !t -> !s
  %e = tile.exp %p : !s
  tile.store %e, %y[:, :] : (!s, !y) -> ()
  return
}

// -----

!x = !tile.array<16x16xf16>
!y = !tile.array<16x16xf32>
!t = !tile.tile<16 x 16 x f16>
!s = !tile.tile<16 x 16 x f32>

// Every product goes to the vector cores and back.
// expected-error @+1 {{needs 12 flags between cube and vector cores, and there are 11}}
func.func @long_chain(%x: !x, %y: !y)
    attributes {tile.kernel, tile.group = #tile.group<preload = 0, lag = 0, slots = 0, strip_rows = 0, part = 0>} {
  %a = tile.load %x[:, :] : (!x) -> !t
  // expected-note @+1 {{goes to vector cores}}
  %p0 = tile.dot %a, %a : !t, !t -> !s
  %e0 = tile.exp %p0 : !s
  // expected-note @+1 {{goes to cube cores}}
  %h0 = tile.cast %e0 : !s -> !t
  // expected-note @+1 {{goes to vector cores}}
  %p1 = tile.dot %h0, %a : !t, !t -> !s
  %e1 = tile.exp %p1 : !s
  // expected-note @+1 {{goes to cube cores}}
  %h1 = tile.cast %e1 : !s -> !t
  // expected-note @+1 {{goes to vector cores}}
  %p2 = tile.dot %h1, %a : !t, !t -> !s
  %e2 = tile.exp %p2 : !s
  // expected-note @+1 {{goes to cube cores}}
  %h2 = tile.cast %e2 : !s -> !t
  // expected-note @+1 {{goes to vector cores}}
  %p3 = tile.dot %h2, %a : !t, !t -> !s
  %e3 = tile.exp %p3 : !s
  // expected-note @+1 {{goes to cube cores}}
  %h3 = tile.cast %e3 : !s -> !t
  // expected-note @+1 {{goes to vector cores}}
  %p4 = tile.dot %h3, %a : !t, !t -> !s
  %e4 = tile.exp %p4 : !s
  // expected-note @+1 {{goes to cube cores}}
  %h4 = tile.cast %e4 : !s -> !t
  // expected-note @+1 {{goes to vector cores}}
  %p5 = tile.dot %h4, %a : !t, !t -> !s
  %e5 = tile.exp %p5 : !s
  // expected-note @+1 {{goes to cube cores}}
  %h5 = tile.cast %e5 : !s -> !t
  %p6 = tile.dot %h5, %a : !t, !t -> !s
  tile.store %p6, %y[:, :] : (!s, !y) -> ()
  return
}

// -----

!x = !tile.array<16x16xf16>
!y = !tile.array<16x16xf32>
!t = !tile.tile<16 x 16 x f16>
!s = !tile.tile<16 x 16 x f32>

// expected-error @+1 {{preload and lag are 0 to 14, not 15 and 0}}
func.func @preload(%x: !x, %y: !y)
    attributes {tile.kernel, tile.group = #tile.group<preload = 15, lag = 0, slots = 0, strip_rows = 0, part = 0>} {
  %a = tile.load %x[:, :] : (!x) -> !t
  %p = tile.dot %a, %a : !t, !t -> !s
  %e = tile.exp %p : !s
  tile.store %e, %y[:, :] : (!s, !y) -> ()
  return
}

// -----

!x = !tile.array<16x16xf16>
!y = !tile.array<16x16xf32>
!t = !tile.tile<16 x 16 x f16>
!s = !tile.tile<16 x 16 x f32>

// expected-error @+1 {{lag is at most the preload, which is 1, not 2}}
func.func @lag(%x: !x, %y: !y)
    attributes {tile.kernel, tile.group = #tile.group<preload = 1, lag = 2, slots = 0, strip_rows = 0, part = 0>} {
  %a = tile.load %x[:, :] : (!x) -> !t
  %p = tile.dot %a, %a : !t, !t -> !s
  %e = tile.exp %p : !s
  tile.store %e, %y[:, :] : (!s, !y) -> ()
  return
}

// -----

!x = !tile.array<16x16xf16>
!y = !tile.array<16x16xf32>
!t = !tile.tile<16 x 16 x f16>
!s = !tile.tile<16 x 16 x f32>

// expected-error @+1 {{slots are 0 to 15, not 16}}
func.func @slots(%x: !x, %y: !y)
    attributes {tile.kernel, tile.group = #tile.group<preload = 0, lag = 0, slots = 16, strip_rows = 0, part = 0>} {
  %a = tile.load %x[:, :] : (!x) -> !t
  %p = tile.dot %a, %a : !t, !t -> !s
  %e = tile.exp %p : !s
  tile.store %e, %y[:, :] : (!s, !y) -> ()
  return
}

// -----

!x = !tile.array<16x16xf16>
!y = !tile.array<16x16xf32>
!t = !tile.tile<16 x 16 x f16>
!s = !tile.tile<16 x 16 x f32>

// expected-error @+1 {{rows of strips are a multiple of 8 or 0, not 3}}
func.func @strips(%x: !x, %y: !y)
    attributes {tile.kernel, tile.group = #tile.group<preload = 0, lag = 0, slots = 0, strip_rows = 3, part = 0>} {
  %a = tile.load %x[:, :] : (!x) -> !t
  %p = tile.dot %a, %a : !t, !t -> !s
  %e = tile.exp %p : !s
  tile.store %e, %y[:, :] : (!s, !y) -> ()
  return
}

// -----

!x = !tile.array<16x16xf16>
!y = !tile.array<16x16xf32>
!t = !tile.tile<16 x 16 x f16>
!s = !tile.tile<16 x 16 x f32>

// expected-error @+1 {{parts of products are a multiple of 16 or 0, not -16}}
func.func @parts(%x: !x, %y: !y)
    attributes {tile.kernel, tile.group = #tile.group<preload = 0, lag = 0, slots = 0, strip_rows = 0, part = -16>} {
  %a = tile.load %x[:, :] : (!x) -> !t
  %p = tile.dot %a, %a : !t, !t -> !s
  %e = tile.exp %p : !s
  tile.store %e, %y[:, :] : (!s, !y) -> ()
  return
}
