// RUN: attn-sim %s --check-effects --kernel=all --arg=values:1,2,nan,inf,-inf,-0:64xf32 --arg=values:1,3,nan,inf,1,0:64xf32 --arg=undef:320xf32 --print=2 | FileCheck %s
// RUN: attn-sim %s --check-effects --kernel=rest --arg=values:1,2,3:12xf32 --arg=undef:12xf32 --print=1 | FileCheck %s --check-prefix=REST
// RUN: not attn-sim %s --kernel=part --arg=i64:12 2>&1 | FileCheck %s --check-prefix=PART
// RUN: not attn-sim %s --kernel=undefined --arg=undef:8xf32 2>&1 | FileCheck %s --check-prefix=UNDEFINED

// A bit for each element, and ones and zeros chosen by them: nothing holds for NaN, and zeros are equal.
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>
!all = memref<320xf32, #ascend.space<ub>>
!any = memref<?xf32, #ascend.space<ub>>
!bits = memref<32xi8, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// CHECK: values of argument 2:
// CHECK-NEXT: {{^  (0 1 0 0 1 0 ){10}0 1 0 0 (1 1 0 1 1 1 ){10}1 1 0 1 (0 0 0 0 0 0 ){10}0 0 0 0 (1 0 0 1 0 1 ){10}1 0 0 1 (1 0 0 1 0 1 ){10}1 0 0 1$}}
func.func @all(%x: !gm, %y: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c192 = arith.constant 192 : index
  %c256 = arith.constant 256 : index
  %f0 = arith.constant 0.0 : f32
  %f1 = arith.constant 1.0 : f32
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %bx = ascend.alloc "x" at 0 : !ub
  ascend.copy_in %bx, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  %yp = ascend.address %y[%c0] : !gm -> !gm
  %by = ascend.alloc "y" at 256 : !ub
  ascend.copy_in %by, %yp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  %one = ascend.alloc "one" at 512 : !ub
  %zero = ascend.alloc "zero" at 768 : !ub
  %bits = ascend.alloc "bits" at 1024 : !bits
  %d = ascend.alloc "d" at 1056 : !all
  %op = ascend.address %o[%c0] : !gm -> !gm
  ascend.duplicate %one, %f1 count(%c64) : !ub, f32
  ascend.duplicate %zero, %f0 count(%c64) : !ub, f32
  ascend.barrier all
  ascend.compare lt %bits, %bx, %by count(%c64) : !bits, !ub, !ub
  ascend.barrier v
  ascend.select %d, %bits, %one, %zero count(%c64) : !all, !bits, !ub, !ub
  ascend.barrier v
  ascend.compare le %bits, %bx, %by count(%c64) : !bits, !ub, !ub
  ascend.barrier v
  %d1 = ascend.slice %d[%c64] : !all -> !any
  ascend.select %d1, %bits, %one, %zero count(%c64) : !any, !bits, !ub, !ub
  ascend.barrier v
  ascend.compare gt %bits, %bx, %by count(%c64) : !bits, !ub, !ub
  ascend.barrier v
  %d2 = ascend.slice %d[%c128] : !all -> !any
  ascend.select %d2, %bits, %one, %zero count(%c64) : !any, !bits, !ub, !ub
  ascend.barrier v
  ascend.compare ge %bits, %bx, %by count(%c64) : !bits, !ub, !ub
  ascend.barrier v
  %d3 = ascend.slice %d[%c192] : !all -> !any
  ascend.select %d3, %bits, %one, %zero count(%c64) : !any, !bits, !ub, !ub
  ascend.barrier v
  ascend.compare eq %bits, %bx, %by count(%c64) : !bits, !ub, !ub
  ascend.barrier v
  %d4 = ascend.slice %d[%c256] : !all -> !any
  ascend.select %d4, %bits, %one, %zero count(%c64) : !any, !bits, !ub, !ub
  ascend.barrier v
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c5) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !all
  ascend.barrier all
  return
}

// Elements that nothing wrote are compared along with the others, whose bits stay defined: they share a byte.
// REST: values of argument 1:
// REST-NEXT: {{^}}  1 2 0 1 2 0 1 2 0 1 2 0{{$}}
func.func @rest(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %c64 = arith.constant 64 : index
  %f0 = arith.constant 0.0 : f32
  %f3 = arith.constant 3.0 : f32
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %bx = ascend.alloc "x" at 0 : !ub
  ascend.copy_in %bx, %xp rows(%c1) length(%c12) src_pitch(%c12) dst_pitch 16 right_pad 0 : !ub, !gm
  %three = ascend.alloc "three" at 256 : !ub
  %zero = ascend.alloc "zero" at 512 : !ub
  %bits = ascend.alloc "bits" at 768 : !bits
  %op = ascend.address %o[%c0] : !gm -> !gm
  ascend.duplicate %three, %f3 count(%c64) : !ub, f32
  ascend.duplicate %zero, %f0 count(%c64) : !ub, f32
  ascend.barrier all
  ascend.compare lt %bits, %bx, %three count(%c64) : !bits, !ub, !ub
  ascend.barrier v
  ascend.select %bx, %bits, %bx, %zero count(%c12) : !ub, !bits, !ub, !ub
  ascend.barrier all
  ascend.copy_out %op, %bx rows(%c1) length(%c12) dst_pitch(%c12) src_pitch 16 : !gm, !ub
  ascend.barrier all
  return
}

// PART: compares 12 elements, not whole repeats of 64
func.func @part(%n: index) attributes {ascend.kernel} {
  %bx = ascend.alloc "x" at 0 : !ub
  %bits = ascend.alloc "bits" at 256 : !bits
  ascend.compare lt %bits, %bx, %bx count(%n) : !bits, !ub, !ub
  ascend.barrier all
  return
}

// UNDEFINED: read of uninitialised memory: copy_out stores bytes of buffer "x" that hold no value
func.func @undefined(%o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %f0 = arith.constant 0.0 : f32
  %bx = ascend.alloc "x" at 0 : !ub
  %zero = ascend.alloc "zero" at 256 : !ub
  %bits = ascend.alloc "bits" at 512 : !bits
  %op = ascend.address %o[%c0] : !gm -> !gm
  ascend.duplicate %zero, %f0 count(%c64) : !ub, f32
  ascend.barrier v
  ascend.compare lt %bits, %bx, %zero count(%c64) : !bits, !ub, !ub
  ascend.barrier v
  ascend.select %bx, %bits, %zero, %zero count(%c8) : !ub, !bits, !ub, !ub
  ascend.barrier all
  ascend.copy_out %op, %bx rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}
}
