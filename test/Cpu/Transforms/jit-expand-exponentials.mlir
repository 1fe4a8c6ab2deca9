// RUN: attn-opt %s -jit-expand-exponentials | FileCheck %s
// RUN: attn-opt %s -jit-expand-exponentials=scales=1 | FileCheck %s --check-prefixes=CHECK,SCALES

// Limits, the exponent from the bits of a rounded sum, a polynomial, two steps of scaling.
// CHECK-LABEL: func.func @exp
// CHECK-SAME:    %[[X:.*]]: vector<8xf32>
func.func @exp(%x: vector<8xf32>) -> vector<8xf32> {
  // CHECK-NOT: math.exp
  // CHECK:     %[[BELOW:.*]] = arith.cmpf olt, %[[X]], %{{.*}} : vector<8xf32>
  // CHECK:     arith.select %[[BELOW]]
  // CHECK:     arith.cmpf ogt
  // CHECK:     %[[SHIFTED:.*]] = math.fma
  // CHECK-COUNT-8: math.fma
  // CHECK:     %[[BITS:.*]] = arith.bitcast %[[SHIFTED]] : vector<8xf32> to vector<8xi32>
  // CHECK:     %[[N:.*]] = arith.subi %[[BITS]], %{{.*}} : vector<8xi32>
  // CHECK:     %[[HALF:.*]] = arith.shrsi %[[N]]
  // CHECK:     %[[REST:.*]] = arith.subi %[[N]], %[[HALF]]
  // CHECK-COUNT-2: arith.shli
  // CHECK:     %[[Y:.*]] = arith.mulf
  // CHECK:     return %[[Y]] : vector<8xf32>
  %y = math.exp %x : vector<8xf32>
  return %y : vector<8xf32>
}

// Sixteen are multiplied by a power of two in one instruction where there is one.
// SCALES-LABEL: func.func @exp_wide
// SCALES:     %[[SHIFTED:.*]] = math.fma
// SCALES:     %[[N:.*]] = arith.addf %[[SHIFTED]]
// SCALES:     %[[POWER:.*]] = arith.addf
// SCALES-NOT: arith.shli
// SCALES:     %[[Y:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"(%[[POWER]], %[[N]], %[[POWER]], %{{.*}}, %{{.*}})
// SCALES:     return %[[Y]] : vector<16xf32>
func.func @exp_wide(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.exp %x : vector<16xf32>
  return %y : vector<16xf32>
}

// A scalar goes the same way.
// CHECK-LABEL: func.func @log
// CHECK-SAME:    %[[X:.*]]: f32
func.func @log(%x: f32) -> f32 {
  // CHECK-NOT: math.log
  // CHECK:     %[[SMALL:.*]] = arith.cmpf olt, %[[X]]
  // CHECK:     %[[SCALED:.*]] = arith.mulf %[[X]]
  // CHECK:     arith.select %[[SMALL]], %[[SCALED]], %[[X]]
  // CHECK:     arith.sitofp %{{.*}} : i32 to f32
  // CHECK:     arith.cmpf oeq, %[[X]]
  // CHECK:     arith.cmpf oeq, %[[X]]
  // CHECK:     %[[NONE:.*]] = arith.cmpf ult, %[[X]]
  // CHECK:     %[[Y:.*]] = arith.select %[[NONE]]
  // CHECK:     return %[[Y]] : f32
  %y = math.log %x : f32
  return %y : f32
}

// Other types are left to the library.
// CHECK-LABEL: func.func @wide
// CHECK:         math.exp %{{.*}} : f64
func.func @wide(%x: f64) -> f64 {
  %y = math.exp %x : f64
  return %y : f64
}
