// RUN: attn-opt %s -jit-expand-narrow-floats | FileCheck %s
// RUN: attn-opt %s -jit-expand-narrow-floats=expand-f16 | FileCheck %s --check-prefix=F16

// CHECK-LABEL: func.func @widen
func.func @widen(%v: vector<8xbf16>) -> vector<8xf32> {
  // CHECK-NOT: arith.extf
  // CHECK: arith.extui %{{.*}} : vector<8xi16> to vector<8xi32>
  // CHECK: arith.shli
  %w = arith.extf %v : vector<8xbf16> to vector<8xf32>
  return %w : vector<8xf32>
}

// NaN stays NaN; anything else is rounded to nearest even.
// CHECK-LABEL: func.func @narrow
func.func @narrow(%v: vector<8xf32>) -> vector<8xbf16> {
  // CHECK-NOT: arith.truncf
  // CHECK: %[[NAN:.*]] = arith.cmpf une
  // CHECK: arith.select %[[NAN]]
  %w = arith.truncf %v : vector<8xf32> to vector<8xbf16>
  return %w : vector<8xbf16>
}

// CHECK-LABEL: func.func @half
// F16-LABEL: func.func @half
func.func @half(%v: vector<8xf16>, %s: f32) -> (vector<8xf32>, f16) {
  // CHECK: arith.extf
  // F16-NOT: arith.extf
  %w = arith.extf %v : vector<8xf16> to vector<8xf32>
  // CHECK: arith.truncf
  // F16-NOT: arith.truncf
  %n = arith.truncf %s : f32 to f16
  return %w, %n : vector<8xf32>, f16
}
