// RUN: attn-opt %s -verify-diagnostics -split-input-file

!ub = memref<64xf32, #ascend.space<ub>>
!half = memref<64xf16, #ascend.space<ub>>
func.func @narrow(%a: !half, %n: index) {
  // expected-error@below {{takes numbers of 32 bits, not 'f16'}}
  ascend.bitwise and %a, %a, %a count(%n) : !half, !half, !half
  return
}

// -----

!ub = memref<64xf32, #ascend.space<ub>>
!bits = memref<32xi8, #ascend.space<ub>>
func.func @part(%a: !ub, %bits: !bits) {
  %c8 = arith.constant 8 : index
  // expected-error@below {{compares 8 elements, not whole repeats of 64}}
  ascend.compare lt %bits, %a, %a count(%c8) : !bits, !ub, !ub
  return
}

// -----

!ub = memref<64xf32, #ascend.space<ub>>
func.func @words(%a: !ub, %n: index) {
  // expected-error@below {{has its bits in bytes, not in 'f32'}}
  ascend.compare lt %a, %a, %a count(%n) : !ub, !ub, !ub
  return
}

// -----

!half = memref<64xf16, #ascend.space<ub>>
!bits = memref<32xi8, #ascend.space<ub>>
func.func @elements(%a: !half, %bits: !bits, %n: index) {
  // expected-error@below {{computes on f32, not 'f16'}}
  ascend.select %a, %bits, %a, %a count(%n) : !half, !bits, !half, !half
  return
}
