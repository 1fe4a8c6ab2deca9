// RUN: attn-opt %s --ascend-plan-memory -allow-unregistered-dialect -split-input-file -verify-diagnostics | FileCheck %s

!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>
!two = memref<2x64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// What is never alive together shares its bytes; what nothing uses disappears.
// CHECK-LABEL: func.func @reuse
// CHECK-NOT: "unused"
// CHECK: ascend.alloc "a" at 0 :
// CHECK: ascend.alloc "b" at 256 :
// CHECK: ascend.alloc "c" at 0 :
func.func @reuse(%x: f32) attributes {ascend.kernel} {
  %c64 = arith.constant 64 : index
  %unused = ascend.alloc "unused" : !ub
  %a = ascend.alloc "a" : !ub
  %b = ascend.alloc "b" : !ub
  %c = ascend.alloc "c" : !ub
  ascend.duplicate %a, %x count(%c64) : !ub, f32
  ascend.unary exp %b, %a count(%c64) : !ub, !ub
  ascend.unary exp %c, %b count(%c64) : !ub, !ub
  return
}

// What a loop carries lives through all of it; what each iteration writes first does not.
// CHECK-LABEL: func.func @loop
// CHECK-DAG: ascend.alloc "carried" at [[CARRIED:[0-9]+]] :
// CHECK-DAG: ascend.alloc "one" at 512 :
// CHECK-DAG: ascend.alloc "two" at 512 :
func.func @loop(%x: f32, %n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %carried = ascend.alloc "carried" : !ub
  %sum = ascend.alloc "sum" : !ub
  %one = ascend.alloc "one" : !ub
  %two = ascend.alloc "two" : !ub
  ascend.duplicate %sum, %x count(%c64) : !ub, f32
  scf.for %i = %c0 to %n step %c1 {
    ascend.unary exp %one, %carried count(%c64) : !ub, !ub
    ascend.unary exp %sum, %one count(%c64) : !ub, !ub
    ascend.unary exp %two, %sum count(%c64) : !ub, !ub
    ascend.unary exp %carried, %two count(%c64) : !ub, !ub
  }
  return
}
}

// -----

!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>
!two = memref<2x64xf32, #ascend.space<ub>>

// While there is room, transfers keep their bytes to themselves.
module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 1024 : i64}>} {
// CHECK-LABEL: func.func @roomy
// CHECK: ascend.alloc "in" at 0 :
// CHECK: ascend.alloc "out" at 256 :
// CHECK: ascend.alloc "a" at 512 :
// CHECK: ascend.alloc "b" at 768 :
func.func @roomy(%x: !gm, %y: !gm, %n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %in = ascend.alloc "in" : !ub
  %out = ascend.alloc "out" : !ub
  %a = ascend.alloc "a" : !ub
  %b = ascend.alloc "b" : !ub
  scf.for %i = %c0 to %n step %c1 {
    ascend.copy_in %in, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    ascend.unary exp %a, %in count(%c64) : !ub, !ub
    ascend.unary exp %b, %a count(%c64) : !ub, !ub
    ascend.unary exp %out, %b count(%c64) : !ub, !ub
    ascend.copy_out %y, %out rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  }
  return
}
}

// -----

!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>

// The same kernel on half the memory shares what it can.
module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 512 : i64}>} {
// CHECK-LABEL: func.func @tight
// CHECK: ascend.alloc "in" at 0 :
// CHECK: ascend.alloc "out" at 0 :
// CHECK: ascend.alloc "a" at 256 :
// CHECK: ascend.alloc "b" at 0 :
func.func @tight(%x: !gm, %y: !gm, %n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %in = ascend.alloc "in" : !ub
  %out = ascend.alloc "out" : !ub
  %a = ascend.alloc "a" : !ub
  %b = ascend.alloc "b" : !ub
  scf.for %i = %c0 to %n step %c1 {
    ascend.copy_in %in, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    ascend.unary exp %a, %in count(%c64) : !ub, !ub
    ascend.unary exp %b, %a count(%c64) : !ub, !ub
    ascend.copy %a, %b count(%c64) : !ub, !ub
    ascend.unary exp %out, %a count(%c64) : !ub, !ub
    ascend.copy_out %y, %out rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  }
  return
}
}

// -----

!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>

// With room for one of them, what is loaded keeps its bytes; what is stored shares.
module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 768 : i64}>} {
// CHECK-LABEL: func.func @in_between
// CHECK: ascend.alloc "in" at 0 :
// CHECK: ascend.alloc "out" at 256 :
// CHECK: ascend.alloc "a" at 512 :
// CHECK: ascend.alloc "b" at 256 :
func.func @in_between(%x: !gm, %y: !gm, %n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %in = ascend.alloc "in" : !ub
  %out = ascend.alloc "out" : !ub
  %a = ascend.alloc "a" : !ub
  %b = ascend.alloc "b" : !ub
  scf.for %i = %c0 to %n step %c1 {
    ascend.copy_in %in, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    ascend.unary exp %a, %in count(%c64) : !ub, !ub
    ascend.unary exp %b, %a count(%c64) : !ub, !ub
    ascend.copy %a, %b count(%c64) : !ub, !ub
    ascend.unary exp %out, %a count(%c64) : !ub, !ub
    ascend.copy_out %y, %out rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  }
  return
}
}

// -----

!ub = memref<512xf32, #ascend.space<ub>>

// The two sources of an instruction lie in different halves of a bank row.
module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK-LABEL: func.func @banks
// CHECK: ascend.alloc "a" at 2560 :
// CHECK: ascend.alloc "b" at 256 :
func.func @banks(%x: f32) attributes {ascend.kernel} {
  %c512 = arith.constant 512 : index
  %a = ascend.alloc "a" : !ub
  %b = ascend.alloc "b" : !ub
  ascend.duplicate %a, %x count(%c512) : !ub, f32
  ascend.duplicate %b, %x count(%c512) : !ub, f32
  ascend.binary add %a, %a, %b count(%c512) : !ub, !ub, !ub
  return
}
}

// -----

!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<1024xf32, #ascend.space<ub>>
!two = memref<2x512xf32, #ascend.space<ub>>
!one = memref<512xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 8192 : i64}>} {
// expected-error @+1 {{kernel 'overflow' needs 12288 bytes of ub at once, and 8192 are usable}}
func.func @overflow(%x: !gm, %n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  // expected-note @+1 {{'v' takes 4096 bytes in 2 slots}}
  %v = ascend.alloc "v" : !two
  // expected-note @+1 {{'a' takes 4096 bytes}}
  %a = ascend.alloc "a" : !ub
  // expected-note @+1 {{'b' takes 4096 bytes}}
  %b = ascend.alloc "b" : !ub
  %gone = ascend.alloc "gone" : !ub
  ascend.duplicate %gone, %zero count(%c512) : !ub, f32
  ascend.unary exp %a, %gone count(%c512) : !ub, !ub
  scf.for %i = %c0 to %n step %c1 {
    %now = ascend.slot %v[%c0] : !two -> !one
    ascend.copy_in %now, %x rows(%c1) length(%c512) src_pitch(%c512) dst_pitch 512 right_pad 0 : !one, !gm
    ascend.binary add %b, %a, %now count(%c512) : !ub, !ub, !one
  }
  return
}
}

// -----

!gm = memref<?xf32, #ascend.space<gm>>
!two = memref<128xf32, #ascend.space<ub>>
!three = memref<192xf32, #ascend.space<ub>>

// No layout is found in the 1536 bytes that are alive at once, but one was counted.
module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 1536 : i64}>} {
// CHECK-LABEL: func.func @counted
// CHECK: ascend.alloc "a" at 0 : memref
// CHECK: ascend.alloc "b" at 1024 : memref
// CHECK: ascend.alloc "c" at 512 : memref
// CHECK: ascend.alloc "d" at 0 : memref
func.func @counted(%y: !gm, %x: f32) attributes {ascend.kernel} {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %a = ascend.alloc "a" counted 0 : !two
  %b = ascend.alloc "b" counted 1024 : !two
  %c = ascend.alloc "c" counted 512 : !two
  %d = ascend.alloc "d" counted 0 : !three
  ascend.duplicate %a, %x count(%c128) : !two, f32
  ascend.duplicate %b, %x count(%c128) : !two, f32
  ascend.duplicate %c, %x count(%c128) : !two, f32
  ascend.copy_out %y, %a rows(%c1) length(%c128) dst_pitch(%c128) src_pitch 128 : !gm, !two
  ascend.copy_out %y, %c rows(%c1) length(%c128) dst_pitch(%c128) src_pitch 128 : !gm, !two
  ascend.duplicate %d, %x count(%c128) : !three, f32
  ascend.copy_out %y, %d rows(%c1) length(%c128) dst_pitch(%c128) src_pitch 128 : !gm, !three
  ascend.copy_out %y, %b rows(%c1) length(%c128) dst_pitch(%c128) src_pitch 128 : !gm, !two
  return
}
}

// -----

!gm = memref<?xf32, #ascend.space<gm>>
!two = memref<128xf32, #ascend.space<ub>>
!three = memref<192xf32, #ascend.space<ub>>

// What was counted is checked as any plan is: here "d" was counted too short a life.
module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 1536 : i64}>} {
func.func @miscounted(%y: !gm, %x: f32) attributes {ascend.kernel} {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %a = ascend.alloc "a" counted 0 : !two
  %b = ascend.alloc "b" counted 512 : !two
  %c = ascend.alloc "c" counted 1024 : !two
  %d = ascend.alloc "d" counted 0 : !three
  ascend.duplicate %a, %x count(%c128) : !two, f32
  ascend.duplicate %b, %x count(%c128) : !two, f32
  ascend.duplicate %c, %x count(%c128) : !two, f32
  ascend.copy_out %y, %a rows(%c1) length(%c128) dst_pitch(%c128) src_pitch 128 : !gm, !two
  ascend.copy_out %y, %c rows(%c1) length(%c128) dst_pitch(%c128) src_pitch 128 : !gm, !two
  ascend.duplicate %d, %x count(%c128) : !three, f32
  ascend.copy_out %y, %d rows(%c1) length(%c128) dst_pitch(%c128) src_pitch 128 : !gm, !three
  // expected-error @+1 {{reads 'b', whose bytes the memory plan gave to another buffer meanwhile}}
  ascend.copy_out %y, %b rows(%c1) length(%c128) dst_pitch(%c128) src_pitch 128 : !gm, !two
  return
}
}

// -----

!gm = memref<?xf32, #ascend.space<gm>>
!two = memref<128xf32, #ascend.space<ub>>
!three = memref<192xf32, #ascend.space<ub>>

// One buffer without a counted address, and there is nothing to fall back to.
module attributes {machine.target = #machine.target<"Ascend910B4", {ub_bytes = 1536 : i64}>} {
// expected-error @+1 {{kernel 'not_all' needs 1792 bytes of ub at once, and 1536 are usable}}
func.func @not_all(%y: !gm, %x: f32) attributes {ascend.kernel} {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  // expected-note @+1 {{'a' takes 512 bytes}}
  %a = ascend.alloc "a" counted 0 : !two
  // expected-note @+1 {{'b' takes 512 bytes}}
  %b = ascend.alloc "b" : !two
  // expected-note @+1 {{'c' takes 512 bytes}}
  %c = ascend.alloc "c" counted 512 : !two
  %d = ascend.alloc "d" counted 0 : !three
  ascend.duplicate %a, %x count(%c128) : !two, f32
  ascend.duplicate %b, %x count(%c128) : !two, f32
  ascend.duplicate %c, %x count(%c128) : !two, f32
  ascend.copy_out %y, %a rows(%c1) length(%c128) dst_pitch(%c128) src_pitch 128 : !gm, !two
  ascend.copy_out %y, %c rows(%c1) length(%c128) dst_pitch(%c128) src_pitch 128 : !gm, !two
  ascend.duplicate %d, %x count(%c128) : !three, f32
  ascend.copy_out %y, %d rows(%c1) length(%c128) dst_pitch(%c128) src_pitch 128 : !gm, !three
  ascend.copy_out %y, %b rows(%c1) length(%c128) dst_pitch(%c128) src_pitch 128 : !gm, !two
  return
}
}

// -----

// Each memory is planned on its own, with its alignment: slots of L0C are 1024 bytes apart.
module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK-LABEL: func.func @memories
// CHECK: ascend.alloc "u" at 0 : memref<64xf32, #ascend.space<ub>>
// CHECK: ascend.alloc "k" at 0 : memref<2x262000xi8, #ascend.space<l1>>
// CHECK: ascend.alloc "a" at 0 : memref<65536xi8, #ascend.space<l0a>>
// CHECK: ascend.alloc "b" at 0 : memref<65536xi8, #ascend.space<l0b>>
// CHECK: ascend.alloc "c" at 0 : memref<127x65xf32, #ascend.space<l0c>>
func.func @memories() attributes {ascend.kernel} {
  %u = ascend.alloc "u" : memref<64xf32, #ascend.space<ub>>
  %k = ascend.alloc "k" : memref<2x262000xi8, #ascend.space<l1>>
  %a = ascend.alloc "a" : memref<65536xi8, #ascend.space<l0a>>
  %b = ascend.alloc "b" : memref<65536xi8, #ascend.space<l0b>>
  %c = ascend.alloc "c" : memref<127x65xf32, #ascend.space<l0c>>
  "test.use"(%u, %k, %a, %b, %c) : (memref<64xf32, #ascend.space<ub>>, memref<2x262000xi8, #ascend.space<l1>>, memref<65536xi8, #ascend.space<l0a>>, memref<65536xi8, #ascend.space<l0b>>, memref<127x65xf32, #ascend.space<l0c>>) -> ()
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// expected-error @+1 {{kernel 'too_much' needs 132096 bytes of l0c at once, and 131072 are usable}}
func.func @too_much() attributes {ascend.kernel} {
  // expected-note @+1 {{'c' takes 132096 bytes in 129 slots}}
  %c = ascend.alloc "c" : memref<129x65xf32, #ascend.space<l0c>>
  "test.use"(%c) : (memref<129x65xf32, #ascend.space<l0c>>) -> ()
  return
}
}
