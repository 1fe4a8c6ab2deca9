// RUN: attn-opt %s -verify-diagnostics -jit-vectorize-rows=lanes=3

// expected-error @+1 {{lanes must be a power of two, and unroll positive}}
func.func @any() {
  return
}
