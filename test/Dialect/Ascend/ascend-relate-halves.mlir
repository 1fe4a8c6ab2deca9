// RUN: attn-opt %s --ascend-relate-halves -split-input-file -verify-diagnostics | FileCheck %s

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// As in attention: cube cores run two iterations ahead with flag 0, vector cores one iteration late with flag 2. Whoever
// waits for flag 2 hears of flag 1 of that iteration, which was raised a turn before; for flag 0, of three iterations before.
// CHECK-LABEL: func.func @attention(
// CHECK:   scf.for
// CHECK:     ascend.cross_wait flag 0 heard [1, 3]
// CHECK:   scf.for
// CHECK:     ascend.cross_wait flag 0 heard [1, 3]
// CHECK:     ascend.cross_wait flag 2 heard [1, 1]
// CHECK:   scf.for
// CHECK:     ascend.cross_wait flag 2 heard [1, 1]
func.func @attention(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %total = arith.maxsi %n, %c0 : index
  %ahead = arith.minsi %total, %c1 : index
  %rest = arith.subi %total, %ahead : index
  scf.for %i = %c0 to %ahead step %c1 {
    ascend.cross_wait flag 0
    ascend.cross_set mte3 flag 1
  }
  scf.for %i = %c0 to %rest step %c1 {
    ascend.cross_wait flag 0
    ascend.cross_set mte3 flag 1
    ascend.cross_wait flag 2
  }
  scf.for %i = %rest to %total step %c1 {
    ascend.cross_wait flag 2
  }
  return
}
// The weights of an iteration are made two turns after its scores were sent, of which two more may be under way.
// CHECK-LABEL: func.func @attention_cube(
// CHECK:     ascend.cross_wait flag 1 heard [0, 2, 2, 2]
// CHECK:     ascend.cross_wait flag 1 heard [0, 2, 2, 2]
func.func @attention_cube(%n: index)
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @attention} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %total = arith.maxsi %n, %c0 : index
  %ahead = arith.minsi %total, %c2 : index
  %rest = arith.subi %total, %ahead : index
  scf.for %i = %c0 to %ahead step %c1 {
    ascend.cross_set fix flag 0
  }
  scf.for %i = %c0 to %rest step %c1 {
    ascend.cross_set fix flag 0
    ascend.cross_wait flag 1
    ascend.cross_set fix flag 2
  }
  scf.for %i = %rest to %total step %c1 {
    ascend.cross_wait flag 1
    ascend.cross_set fix flag 2
  }
  return
}

// Of what was before a loop, and before it is come to again, its waits tell all. Flag 3 is raised outside of loops, and nothing is
// said of it.
// CHECK-LABEL: func.func @two_loops(
// CHECK: ascend.cross_wait flag 0 heard [1, 1, 5, -1]
// CHECK: ascend.cross_wait flag 4 heard [1, -1, 5, 0]
func.func @two_loops(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  ascend.cross_set mte3 flag 3
  scf.for %t = %c0 to %n step %c1 {
    scf.for %i = %c0 to %t step %c1 {
      ascend.cross_wait flag 0
      ascend.cross_set mte3 flag 1
    }
    scf.for %i = %c1 to %t step %c1 {
      ascend.cross_set mte3 flag 5
      ascend.cross_wait flag 4
    }
  }
  return
}
// CHECK-LABEL: func.func @two_loops_cube(
// CHECK: ascend.cross_wait flag 1 heard [0, 0, 4, -1]
// CHECK: ascend.cross_wait flag 5 heard [0, -1, 4, 1]
func.func @two_loops_cube(%n: index)
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @two_loops} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  ascend.cross_wait flag 3
  scf.for %t = %c0 to %n step %c1 {
    scf.for %i = %c0 to %t step %c1 {
      ascend.cross_set fix flag 0
      ascend.cross_wait flag 1
    }
    scf.for %i = %c1 to %t step %c1 {
      ascend.cross_wait flag 5
      ascend.cross_set fix flag 4
    }
  }
  return
}

// Whether both loops make as many trips is not known: nothing is said.
// CHECK-LABEL: func.func @unrelated(
// CHECK: ascend.cross_wait flag 0{{$}}
func.func @unrelated(%n: index, %m: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    ascend.cross_wait flag 0
    ascend.cross_set mte3 flag 1
  }
  return
}
func.func @unrelated_cube(%n: index, %m: index)
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @unrelated} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    ascend.cross_set fix flag 0
    ascend.cross_wait flag 1
  }
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// Where numbers are known, three loops of one distance are loops of their own: all of them run, and as often as they say. Five
// iterations, of which the cube core runs two ahead and vector cores none.
// CHECK-LABEL: func.func @numbers(
// CHECK-NOT: heard
func.func @numbers() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  scf.for %i = %c0 to %c5 step %c1 {
    ascend.cross_wait flag 0
    ascend.cross_set mte3 flag 1
  }
  return
}
func.func @numbers_cube()
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @numbers} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  scf.for %i = %c0 to %c2 step %c1 {
    ascend.cross_set fix flag 0
  }
  scf.for %i = %c0 to %c3 step %c1 {
    ascend.cross_set fix flag 0
    ascend.cross_wait flag 1
  }
  scf.for %i = %c3 to %c5 step %c1 {
    ascend.cross_wait flag 1
  }
  return
}

// Vector cores run two iterations late, and the cube core one ahead, so that two of its loops are gone.
// CHECK-LABEL: func.func @inlined(
// CHECK-NOT: heard
func.func @inlined() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  scf.for %i = %c0 to %c2 step %c1 {
    ascend.cross_wait flag 0
    ascend.cross_set mte3 flag 1
  }
  scf.for %i = %c0 to %c3 step %c1 {
    ascend.cross_wait flag 0
    ascend.cross_set mte3 flag 1
    ascend.cross_wait flag 2
  }
  scf.for %i = %c3 to %c5 step %c1 {
    ascend.cross_wait flag 2
  }
  return
}
func.func @inlined_cube()
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @inlined} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  ascend.cross_set fix flag 0
  scf.for %i = %c0 to %c4 step %c1 {
    ascend.cross_set fix flag 0
    ascend.cross_wait flag 1
    ascend.cross_set fix flag 2
  }
  ascend.cross_wait flag 1
  ascend.cross_set fix flag 2
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// The vector cores await four of five.
func.func @too_few() attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    ascend.cross_wait flag 0
  }
  return
}
func.func @too_few_cube()
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @too_few} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  scf.for %i = %c0 to %c5 step %c1 {
    // expected-error @+1 {{raises flag 0 more often than it is awaited, where loops have 0 trips}}
    ascend.cross_set fix flag 0
  }
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// Each side waits before it raises what the other waits for.
func.func @ring(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  // expected-note @+1 {{a vector core waits for flag 1 here}}
  ascend.cross_wait flag 1
  // expected-note @+1 {{a vector core raises flag 0 here, after that}}
  ascend.cross_set mte3 flag 0
  return
}
func.func @ring_cube(%n: index)
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @ring} {
  // expected-error @+1 {{deadlock: the cube core waits for flag 0 here, where loops have 0 trips}}
  ascend.cross_wait flag 0
  // expected-note @+1 {{the cube core raises flag 1 here, after that}}
  ascend.cross_set fix flag 1
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// The cube core runs no iteration ahead, and the vector cores ask for the next one before they tell of this one: from
// two trips on nothing goes on.
func.func @too_late(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ahead = arith.minsi %n, %c1 : index
  %rest = arith.subi %n, %ahead : index
  scf.for %i = %c0 to %ahead step %c1 {
    ascend.cross_wait flag 0
  }
  scf.for %i = %c0 to %rest step %c1 {
    // expected-note @+1 {{a vector core waits for flag 0 here}}
    ascend.cross_wait flag 0
    // expected-note @+1 {{a vector core raises flag 1 here, after that}}
    ascend.cross_set mte3 flag 1
  }
  scf.for %i = %rest to %n step %c1 {
    ascend.cross_set mte3 flag 1
  }
  return
}
func.func @too_late_cube(%n: index)
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @too_late} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-note @+1 {{the cube core raises flag 0 here, after that}}
    ascend.cross_set fix flag 0
    // expected-error @+1 {{deadlock: the cube core waits for flag 1 here, where loops have 2 trips}}
    ascend.cross_wait flag 1
  }
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @ended(%n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+1 {{deadlock: a vector core waits for flag 0 here, where loops have 1 trips}}
    ascend.cross_wait flag 0
  }
  return
}
func.func @ended_cube(%n: index)
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @ended} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    ascend.cross_set fix flag 1
  }
  // expected-note @+1 {{the cube core does not raise flag 0 any more}}
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @left(%n: i1) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  scf.if %n {
    // expected-error @+1 {{raises flag 0 more often than it is awaited, where loops have 0 trips}}
    ascend.cross_set mte3 flag 0
  }
  return
}
func.func @left_cube(%n: i1)
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @left} {
  scf.if %n {
  } else {
    ascend.cross_wait flag 0
  }
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// Cube cores run on: one iteration of each trip of the loop around is finished in the next one, after its first flag 0. What vector
// cores hear is the same, as each of their trips is finished when the next one begins.
// CHECK-LABEL: func.func @running(
// CHECK:     ascend.cross_wait flag 0 heard [1, 3]
// CHECK:     ascend.cross_wait flag 0 heard [1, 3]
// CHECK:     ascend.cross_wait flag 2 heard [1, 1]
// CHECK:     ascend.cross_wait flag 2 heard [1, 1]
func.func @running(%m: index, %n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %total = arith.maxsi %n, %c0 : index
  %ahead = arith.minsi %total, %c1 : index
  %rest = arith.subi %total, %ahead : index
  scf.for %around = %c0 to %m step %c1 {
    scf.for %i = %c0 to %ahead step %c1 {
      ascend.cross_wait flag 0
      ascend.cross_set mte3 flag 1
    }
    scf.for %i = %c0 to %rest step %c1 {
      ascend.cross_wait flag 0
      ascend.cross_set mte3 flag 1
      ascend.cross_wait flag 2
    }
    scf.for %i = %rest to %total step %c1 {
      ascend.cross_wait flag 2
    }
  }
  return
}
// Counted by sets: the last two of flag 0, and the last one of flag 2, of which the next comes after the wait.
// CHECK-LABEL: func.func @running_cube(
// CHECK-COUNT-4: ascend.cross_wait flag 1 heard [0, 2, 2, 1]
func.func @running_cube(%m: index, %n: index)
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @running} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %total = arith.maxsi %n, %c0 : index
  %left = scf.for %around = %c0 to %m step %c1 iter_args(%waiting = %c0) -> index {
    %one = arith.minsi %waiting, %c1 : index
    %both = arith.minsi %one, %total : index
    %before = arith.subi %waiting, %both : index
    %rest = arith.subi %total, %both : index
    %room = arith.subi %c2, %both : index
    %filled = arith.minsi %rest, %room : index
    %steady = arith.subi %rest, %filled : index
    %next = arith.addi %both, %filled : index
    scf.for %i = %c0 to %before step %c1 {
      ascend.cross_wait flag 1
      ascend.cross_set fix flag 2
    }
    scf.for %i = %c0 to %both step %c1 {
      ascend.cross_set fix flag 0
      ascend.cross_wait flag 1
      ascend.cross_set fix flag 2
    }
    scf.for %i = %c0 to %filled step %c1 {
      ascend.cross_set fix flag 0
    }
    scf.for %i = %c0 to %steady step %c1 {
      ascend.cross_set fix flag 0
      ascend.cross_wait flag 1
      ascend.cross_set fix flag 2
    }
    scf.yield %next : index
  }
  scf.for %i = %c0 to %left step %c1 {
    ascend.cross_wait flag 1
    ascend.cross_set fix flag 2
  }
  return
}
}

// -----

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// What waits is never finished.
func.func @left_waiting(%m: index, %n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %total = arith.maxsi %n, %c0 : index
  scf.for %around = %c0 to %m step %c1 {
    scf.for %i = %c0 to %total step %c1 {
      ascend.cross_wait flag 0
      ascend.cross_set mte3 flag 1 // expected-error {{raises flag 1 more often than it is awaited, where loops have 1 trips}}
    }
  }
  return
}
func.func @left_waiting_cube(%m: index, %n: index)
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @left_waiting} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %total = arith.maxsi %n, %c0 : index
  %left = scf.for %around = %c0 to %m step %c1 iter_args(%waiting = %c0) -> index {
    %one = arith.minsi %waiting, %c1 : index
    %both = arith.minsi %one, %total : index
    %before = arith.subi %waiting, %both : index
    %rest = arith.subi %total, %both : index
    %room = arith.subi %c2, %both : index
    %filled = arith.minsi %rest, %room : index
    %steady = arith.subi %rest, %filled : index
    %next = arith.addi %both, %filled : index
    scf.for %i = %c0 to %before step %c1 {
      ascend.cross_wait flag 1
    }
    scf.for %i = %c0 to %both step %c1 {
      ascend.cross_set fix flag 0
    }
    scf.for %i = %c0 to %filled step %c1 {
      ascend.cross_set fix flag 0
    }
    scf.for %i = %c0 to %steady step %c1 {
      ascend.cross_set fix flag 0
      ascend.cross_wait flag 1
    }
    scf.yield %next : index
  }
  scf.for %i = %c0 to %left step %c1 {
    ascend.cross_wait flag 1
  }
  return
}
}
