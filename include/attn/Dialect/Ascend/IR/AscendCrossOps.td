// The flags between the cores of a group.
#ifndef ATTN_ASCEND_CROSS_OPS
#define ATTN_ASCEND_CROSS_OPS

include "attn/Dialect/Ascend/IR/AscendOpBase.td"

def Ascend_CrossSetOp : Ascend_Op<"cross_set"> {
  let summary = "Tells the other cores of the group that all earlier work of a pipe is done (`CrossCoreSetFlag`)";
  let description = [{
    For mixed kernels. A set of the cube core adds one to the flag's counter on each of its vector cores; a set of every vector core
    adds one to the counter on the cube core. It is queued on its pipe, after what was issued there before, and holds nothing.
    What the pipe has moved to GM is there for whoever has waited for the flag.

    A counter holds up to 15. Sets of one flag that lie on different pipes have no order unless something else gives them one.

    ```mlir
    ascend.cross_set fix flag 0
    ```
  }];
  let arguments = (ins Ascend_PipeAttr:$pipe, Ascend_IntAttr:$flag);
  let assemblyFormat = "$pipe `flag` $flag attr-dict";
  let hasVerifier = 1;
}

def Ascend_CrossWaitOp : Ascend_Op<"cross_wait"> {
  let summary = "Issues nothing more until the flag's counter is above zero, then takes one from it (`CrossCoreWaitFlag`)";
  let description = [{
    Holds the whole core; what its pipes have in their queues goes on. On a vector core it waits for a set of the cube core, on the
    cube core for one of each vector core. Every set must have been awaited when the kernel ends.

    Whoever raised the flag has waited for flags of this core before: what these told is done. `heard` says how far, as pairs of a flag
    and of turns, trips of the loop around counted over the loops that fill, go on and drain: all sets of that flag so many turns before
    this wait, or earlier, were awaited; with -1 those before the first of these loops. Where loops run on from trip to trip of the one around, not every trip of
    theirs has such a set: there it is all sets but the last so many. `ascend-relate-halves` writes it.

    ```mlir
    ascend.cross_wait flag 0
    ascend.cross_wait flag 2 heard [1, 1]
    ```
  }];
  let arguments = (ins Ascend_IntAttr:$flag, OptionalAttr<DenseI64ArrayAttr>:$heard);
  let assemblyFormat = "`flag` $flag (`heard` $heard^)? attr-dict";
  let hasVerifier = 1;
}

#endif // ATTN_ASCEND_CROSS_OPS
