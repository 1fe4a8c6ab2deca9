// How a kernel is called, in the words that every stage keeps.
#ifndef ATTN_LAUNCH_IR_DIALECT
#define ATTN_LAUNCH_IR_DIALECT

include "mlir/IR/DialectBase.td"

def Launch_Dialect : Dialect {
  let name = "launch";
  let cppNamespace = "::attn::launch";
  let summary = "How a kernel is called: its arrays, its workspace and its grid";
  let description = [{
    Only attributes, on kernels and their arguments; every stage hands them on unchanged, so the JIT, the
    simulator and the emitted metadata read one description.

    | attribute | on | meaning |
    |---|---|---|
    | `launch.dims = ["T", 4096]` | array argument | its dimensions by name or number; equal names mean equal sizes, checked by the caller |
    | `launch.output` | array argument | made by the caller, returned by the kernel |
    | `launch.workspace` | array argument | workspace made by the caller; its dimensions may be what the launch decides, below |
    | `launch.limit = 40 : i64` | kernel | never launch more blocks than this |
    | `launch.grid_of = @kernel` | function | the host function that counts the tiles of that kernel's grid; same arguments, one index result |
    | `launch.after = @kernel` | kernel | a later phase of that kernel: launched after it, with the same arguments, workspaces and number of blocks |
    | `launch.sizes = {BT = 2 : i64}` | kernel | the block sizes the compiler chose |
    | `launch.signature = (memref<?xf32>, f32) -> ()` | function | an entry for the host, and the types of the arguments it reads from 64-bit words |

    A workspace may have a part for each block, group or core of the launch, by a dimension with one of these names:

    | dimension | size | a core's own part is at |
    |---|---|---|
    | `@blocks` | launched blocks | its block id |
    | `@groups` | groups of cores: the launched blocks of a mixed kernel, whose three cores share a part; other kernels have none | its block id |
    | `@cores` | cores of one kind, the more numerous one: twice the launched blocks in a mixed kernel, else as many as those | its core id |
  }];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
}

#endif // ATTN_LAUNCH_IR_DIALECT
