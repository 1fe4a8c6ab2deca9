// The passes of Dialect/Ascend/Transforms.
#ifndef ATTN_DIALECT_ASCEND_TRANSFORMS_PASSES
#define ATTN_DIALECT_ASCEND_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def ExpandCompositesPass : Pass<"ascend-expand-composites", "::mlir::func::FuncOp"> {
  let summary = "Writes composite ops out as the calls of the chip";
  let description = [{
    Replaces `row_reduce`, `row_binary`, `row_mul_add` and `col_binary` by instructions within the limits of the chip
    (repeats, strides, masks). Of the forms that a composite allows, the one with the fewest instructions is taken, by the
    most rows that the buffers can hold:

    - a reduction folds every eight values to one by `block_reduce` until 64 are left in a row, then takes one
      `whole_reduce` over all rows; only the real elements of a row take part;
    - a column is spread by `brcb` to one block per row, then one instruction per row (long rows) or one per 64
      columns over all rows (short rows) applies it;
    - a row is applied per row in count form, or per 64 columns over all rows;
    - a product (`matmul`) becomes a loop of two stages over parts of k that fit its scratch: loads of both operands to L0A and L0B, in
      the form that brings their layout, and one `mmad`.

    Kernels with `ascend.keep_composites` stay as they are.

    Before:
    ```mlir
    ascend.row_reduce sum %d, %s, %t rows(%c2) cols 4096 pitch 4096 : ...
    ```
    After:
    ```mlir
    ascend.block_reduce sum %t, %s mask 64 repeat(%c128) strides [1, 1, 8] : ...
    ascend.block_reduce sum %t1, %t mask 64 repeat(%c16) strides [1, 1, 8] : ...
    ascend.whole_reduce sum %d, %t1 mask 64 repeat(%c2) strides [1, 1, 8] : ...
    ```
  }];
  let statistics = [Statistic<"expanded", "expanded", "Composites that were expanded">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def DropEmptyLoopsPass : Pass<"ascend-drop-empty-loops", "::mlir::func::FuncOp"> {
  let summary = "Removes loops that never run";
  let description = [{
    A loop that was split by its mask may have a part without any tile, which shows in the ranges of its bounds once sizes are
    numbers. What it would have carried is what it begins with.

    Before:
    ```mlir
    %tiles = arith.ceildivui %n, %c64 : index
    %least = arith.minsi %tiles, %c0 : index
    scf.for %i = %c0 to %least step %c1 {…}
    ```
    After: nothing of the loop.
  }];
  let statistics = [Statistic<"dropped", "dropped", "Loops that never run">];
}

def DoubleBufferPass : Pass<"ascend-double-buffer", "::mlir::func::FuncOp"> {
  let summary = "Gives the buffers between two pipes of a staged loop one slot per stage";
  let description = [{
    A buffer becomes a k-slot buffer when all its uses lie in the body of one loop with `ascend.stages = k`, when
    instructions of two pipes touch it, and when each iteration writes it before reading it. The slot of an
    iteration comes from a counter that runs on through the enclosing loops, so that slots keep alternating when the loop
    is entered again. A remark at the buffer says why one that meets a staged loop keeps a single slot.

    Before:
    ```mlir
    %v = ascend.alloc "v" : memref<4096xbf16, #ascend.space<ub>>
    scf.for %n = %c0 to %N step %c1 {
      ascend.copy_in %v, ...
      ascend.cast none %v32, %v ...
    } {ascend.stages = 2 : i64}
    ```
    After:
    ```mlir
    %v = ascend.alloc "v" : memref<2x4096xbf16, #ascend.space<ub>>
    scf.for %n = %c0 to %N step %c1 iter_args(%slot = %c0) -> (index) {
      %now = ascend.slot %v[%slot] : ...
      ascend.copy_in %now, ...
      ascend.cast none %v32, %now ...
      %more = arith.addi %slot, %c1 : index
      %next = arith.remui %more, %c2 : index
      scf.yield %next : index
    } {ascend.stages = 2 : i64}
    ```
  }];
  let statistics = [Statistic<"slotted", "slotted", "Buffers that got slots">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def PlanMemoryPass : Pass<"ascend-plan-memory", "::mlir::func::FuncOp"> {
  let summary = "Gives every buffer its address";
  let description = [{
    Each local memory is planned on its own. Buffers that are never alive together may share bytes. While there is room,
    a buffer between two pipes keeps its bytes for the whole loop around it, so that no reuse makes a pipe wait for
    another, and the two sources of an instruction lie in different bank groups; where there is room for some such
    buffers only, those that the kernel touches first. Where nothing fits that way, but every buffer of the memory has an
    address that was `counted` for it, those are taken. The plan is checked by code that did not make it. Buffers without
    uses disappear.

    When the buffers do not fit, the error names the memory and every buffer alive at its fullest place.

    Before:
    ```mlir
    %v32 = ascend.alloc "v32" : memref<4096xf32, #ascend.space<ub>>
    ```
    After:
    ```mlir
    %v32 = ascend.alloc "v32" at 16384 : memref<4096xf32, #ascend.space<ub>>
    ```
  }];
  let statistics = [Statistic<"bytes", "bytes", "Bytes of local memory in use">,
                    Statistic<"asCounted", "as-counted", "Memories planned as they were counted">];
}

def GroupLoadsPass : Pass<"ascend-group-loads", "::mlir::func::FuncOp"> {
  let summary = "Moves the loads of a loop together where there are too few event ids";
  let description = [{
    Where the loads in a loop's body need more ids than a pair of pipes has, one per slot, each moves up to the one before
    it, together with the arithmetic of its place. `ascend-insert-sync` can then let one event stand for several loads,
    instead of a barrier of all pipes. A load stays where it is when what it would pass touches its bytes (addresses are
    known), writes an array or waits for other blocks.
  }];
  let statistics = [Statistic<"moved", "moved", "Loads that were moved">];
}

def ShareBarriersPass : Pass<"ascend-share-barriers", "::mlir::func::FuncOp"> {
  let summary = "Puts vector instructions that wait for the same side by side";
  let description = [{
    Between two vector instructions of which one needs the other stands a barrier, and after it the vector unit starts again. So
    instructions without transfers, loops and conditions between them are brought into the order of their levels: first those
    that need none of the others, then those that need only these, and so on. What needs different things of one level shares a
    barrier. A run stays as it is where that takes as many barriers. Addresses are known: what lies in the bytes of another
    buffer keeps its order.

    ```mlir
    ascend.unary exp %a, %a count(%n)
    ascend.unary exp %b, %a count(%n)
    ascend.unary exp %c, %c count(%n)
    ascend.unary exp %d, %c count(%n)
    ```
    needs two barriers and becomes, with one,
    ```mlir
    ascend.unary exp %a, %a count(%n)
    ascend.unary exp %c, %c count(%n)
    ascend.unary exp %b, %a count(%n)
    ascend.unary exp %d, %c count(%n)
    ```
  }];
  let statistics = [Statistic<"saved", "saved", "Barriers that the order saves">];
}

def RelateHalvesPass : Pass<"ascend-relate-halves", "::mlir::ModuleOp"> {
  let summary = "Checks the flags between the halves of mixed kernels, and notes what each wait tells";
  let description = [{
    Both halves of a mixed kernel run the same loops as often, which their bounds say: computed by the same operations from the same
    arguments. So the flags of both are run against each other for a few numbers of trips. Where no core can go on, that is an error
    with who waits for what and where it would be raised; so is a flag that is raised more often than it is awaited.

    A wait tells more than that its flag was raised: before, the other core has waited for flags of this one. How many turns ago
    these were raised at the latest follows from the places of sets and waits within the loops of both halves, and is noted as `heard`.
    `ascend-insert-sync` then plans no flag that says the same inside the core. Nothing is noted where loops of the halves do not
    correspond.

    Before:
    ```mlir
    ascend.cross_set mte3 flag 1
    ascend.cross_wait flag 2
    ```
    After, where the cube core waits for flag 1 of an iteration before it raises flag 2 of that iteration, and vector cores run one
    iteration late with flag 2:
    ```mlir
    ascend.cross_set mte3 flag 1
    ascend.cross_wait flag 2 heard [1, 1]
    ```
  }];
}

def InsertSyncPass : Pass<"ascend-insert-sync", "::mlir::func::FuncOp"> {
  let summary = "Orders the pipes by flags and barriers";
  let description = [{
    Runs the kernel abstractly, loops unrolled a few trips, and finds for every instruction what it must not overtake: by
    the bytes of local memory that it touches (reuse of addresses included) and by its places in arrays. Where the order is not
    known already through earlier flags and barriers, it adds

    - a barrier before the consumer, within one pipe;
    - a flag from after the producer to before the consumer, between pipes, outside of loops that only one of them is in;
    - for a dependence on a later iteration, a flag that is raised before the loop, awaited and raised in every
      iteration, and awaited once more after the loop, so that it is balanced for any number of trips; one flag per slot
      for buffers with slots.

    Afterwards it removes what the rest implies: without any single flag or barrier of the result there is a race. When a
    pair of pipes has too few ids (`event_ids` of the chip), two of its events become one (raised after the later
    producer, awaited before the earlier consumer) where their order allows it, and as a last resort a full barrier
    replaces one; a remark says so, and what is then implied goes as well. The kernel ends with a barrier of all pipes.
    Events are virtual: `ascend-assign-events` gives them the chip's ids.

    Before:
    ```mlir
    scf.for ... iter_args(%slot = %c0) -> (index) {
      %now = ascend.slot %v[%slot] : ...
      ascend.copy_in %now, ...
      ascend.cast none %v32, %now ...
    }
    ```
    After:
    ```mlir
    ascend.set_flag v to mte2 virtual event 0 slot(%c0) of 2
    ascend.set_flag v to mte2 virtual event 0 slot(%c1) of 2
    scf.for ... iter_args(%slot = %c0) -> (index) {
      %now = ascend.slot %v[%slot] : ...
      ascend.wait_flag v to mte2 virtual event 0 slot(%slot) of 2
      ascend.copy_in %now, ...
      ascend.set_flag mte2 to v virtual event 0 slot(%slot) of 2
      ascend.wait_flag mte2 to v virtual event 0 slot(%slot) of 2
      ascend.barrier v
      ascend.cast none %v32, %now ...
      ascend.set_flag v to mte2 virtual event 0 slot(%slot) of 2
    }
    ascend.wait_flag v to mte2 virtual event 0 slot(%c0) of 2
    ascend.wait_flag v to mte2 virtual event 0 slot(%c1) of 2
    ascend.barrier all
    ```
  }];
  let statistics = [Statistic<"events", "events", "Events between pipes">,
                    Statistic<"barriers", "barriers", "Barriers, the one at the end not counted">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PrintDependencesPass : Pass<"ascend-print-dependences", "::mlir::func::FuncOp"> {
  let summary = "Says in remarks what each instruction must not overtake";
  let description = [{
    Shows what `ascend-insert-sync` starts from: for every instruction, by number in program order, the last ones of each
    pipe that touch the same bytes, in the same or an earlier iteration, when all loops run several times. It changes
    nothing.

    ```mlir
    ascend.copy_in %a, ...            // #0 on mte2 waits for #1 on v of an earlier iteration
    ascend.unary exp %b, %a ...       // #1 on v waits for #0 on mte2
    ```
  }];
}

def PrintRangesPass : Pass<"ascend-print-ranges", "::mlir::func::FuncOp"> {
  let summary = "Says in remarks what each index can be";
  let description = [{
    Shows the ranges that expansion, synchronisation and the check of AscendC texts take bounds and signs from: those of
    MLIR's integer range analysis, with index arithmetic that does not overflow. It changes nothing.

    ```mlir
    scf.for %i = %c0 to %n ...             // argument 0 is at least 0
    %rows = arith.minsi %left, %c64        // result 0 is at most 64
    ```
  }];
}

def AssignEventsPass : Pass<"ascend-assign-events", "::mlir::func::FuncOp"> {
  let summary = "Gives virtual events the chip's ids";
  let description = [{
    Every ordered pair of pipes has a few ids (`event_ids` of the chip). Two events share ids only where the source knows,
    whenever it raises one, that the target has passed its wait for the other; the slots of an event take neighbouring
    ids. `ascend-insert-sync` leaves no more events than the ids allow; more are an error.

    Before:
    ```mlir
    ascend.set_flag mte2 to v virtual event 7 slot(%slot) of 2
    ```
    After:
    ```mlir
    ascend.set_flag mte2 to v event 0 slot(%slot) of 2
    ```
  }];
  let statistics = [Statistic<"ids", "ids", "Ids in use, of all pairs of pipes">];
}

def SplitFarCopiesPass : Pass<"ascend-split-far-copies", "::mlir::func::FuncOp"> {
  let summary = "Moves rows one by one where a transfer does not reach the next";
  let description = [{
    A transfer steps over less than 4 GiB from the end of a row to the next one. A copy of rows whose distance is known at
    run time only goes into a loop: of one trip that moves all rows, where the transfer reaches, or else of a trip per row.
    Which of the two is one comparison, outside of loops. That is so for rows of a mapped span, which lie a multiple of a
    stride apart, and for rows of a dimension before the last but one, such as blocks of tokens. Rows of the last
    dimension but one lie that far apart only in views that callers refuse, and their copies stay as they are.

    It comes after synchronisation, which then plans for one instruction: rows of one copy touch no byte twice.

    Before:
    ```mlir
    %place = ascend.address %k[%b, %i, %c0] : ...
    ascend.copy_in %buffer, %place rows(%rows) length(%c64) src_pitch(%pitch) dst_pitch 64 right_pad 0 : ...
    ```
    After:
    ```mlir
    %gap = arith.subi %pitch, %c64 : index
    %near = arith.cmpi ule, %gap, %c2147483647 : index
    ...
    %trips = arith.select %near, %c1, %rows : index
    scf.for %row = %c0 to %trips step %c1 {
      %place = ascend.address %k[%b, %i + %row * %step, %c0] : ...
      %to = ascend.slice %buffer[%row * 64] : ...
      %moved = arith.select %near, %rows, %c1 : index
      ascend.copy_in %to, %place rows(%moved) length(%c64) src_pitch(%pitch) dst_pitch 64 right_pad 0 : ...
    }
    ```
  }];
  let statistics = [Statistic<"split", "split", "Copies that may go row by row">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def AscendVerifyPass : Pass<"ascend-verify", "::mlir::func::FuncOp"> {
  let summary = "Checks that a kernel is ready for the chip";
  let description = [{
    The gate at the end of the ascend stage: every buffer has an address inside its memory, every pipe is one of the core,
    every event has an id that the chip has, sets and waits are balanced on every path (a loop adds none, so any number of trips will do), no composite
    is left (but in kernels with `ascend.keep_composites`), only known ops are there, and the kernel ends with a barrier of all pipes. It changes nothing.

    ```mlir
    ascend.set_flag mte2 to v event 0
    ascend.wait_flag mte2 to v event 0
    ascend.barrier all
    return
    ```
  }];
}

#endif // ATTN_DIALECT_ASCEND_TRANSFORMS_PASSES
