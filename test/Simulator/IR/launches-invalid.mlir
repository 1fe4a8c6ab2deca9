// RUN: not attn-sim %s --arg=i64:0 2>&1 | FileCheck %s

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @first(%n: i64) attributes {ascend.kernel} {
  ascend.barrier all
  return
}
// CHECK: error: must take the arguments of 'first', which it follows
func.func @second(%x: f32) attributes {ascend.kernel, launch.after = @first} {
  ascend.barrier all
  return
}
}
