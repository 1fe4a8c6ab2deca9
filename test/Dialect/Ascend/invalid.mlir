// RUN: attn-opt %s -verify-diagnostics -split-input-file


// expected-error@below {{a table lists arrays in gm, not 'memref<4xf32>'}}
func.func private @f(!ascend.table<memref<4xf32>>)

// -----

// expected-error@below {{'ascend.kernel' is a unit attribute of functions without results}}
func.func private @f() -> index attributes {ascend.kernel}

// -----

// expected-error@below {{'ascend.stages' is an i64 from 1 to 8 on an scf.for}}
func.func private @f() attributes {ascend.stages = 2 : i64}

// -----

// expected-error@below {{'ascend.parallel' is a unit attribute of scf.for}}
func.func private @f() attributes {ascend.parallel}

// -----

// expected-error@below {{'ascend.settled' is a unit attribute of scf.for}}
func.func private @f() attributes {ascend.settled}

// -----

// expected-error@below {{'ascend.apart' is an i64 of an instruction or of a loop around it, from 0 to 2147483647}}
func.func private @f() attributes {ascend.apart = 1 : i64}

// -----

func.func @f(%x: memref<64xf32, #ascend.space<ub>>, %n: index) {
  // expected-error@below {{'ascend.apart' is an i64 of an instruction or of a loop around it, from 0 to 2147483647}}
  ascend.unary exp %x, %x count(%n) {ascend.apart = -1 : i64} : memref<64xf32, #ascend.space<ub>>, memref<64xf32, #ascend.space<ub>>
  return
}

// -----

// expected-error@below {{unknown attribute 'ascend.colour'}}
func.func private @f() attributes {ascend.colour}

// -----

func.func @f(%x: memref<4xf32, #ascend.space<ub>>) {
  // expected-error@below {{asks for an array in gm, not 'memref<4xf32, #ascend.space<ub>>'}}
  %d = ascend.dim %x, 0 : memref<4xf32, #ascend.space<ub>>
  return
}

// -----

func.func @f(%x: !ascend.table<memref<4xf32, #ascend.space<gm>>>) {
  // expected-error@below {{asks for dimension 0 of '!ascend.table}}
  %d = ascend.stride %x, 0 : !ascend.table<memref<4xf32, #ascend.space<gm>>>
  return
}

// -----

func.func @f(%x: !ascend.table<memref<4xf32, #ascend.space<gm>>>, %i: index) {
  // expected-error@below {{gives 'memref<4xf32, #ascend.space<gm>>'}}
  %d = ascend.lookup %x[%i] : !ascend.table<memref<4xf32, #ascend.space<gm>>> -> memref<8xf32, #ascend.space<gm>>
  return
}

// -----

func.func @f(%x: memref<4x4xf32, #ascend.space<gm>>, %i: index) {
  // expected-error@below {{has 1 indices for 'memref<4x4xf32, #ascend.space<gm>>'}}
  %d = ascend.address %x[%i] : memref<4x4xf32, #ascend.space<gm>> -> memref<?xf32, #ascend.space<gm>>
  return
}

// -----

func.func @f(%x: memref<4xf32, #ascend.space<gm>>, %i: index) {
  // expected-error@below {{gives 'memref<?xf32, #ascend.space<gm>>', not 'memref<4xf32, #ascend.space<gm>>'}}
  %d = ascend.address %x[%i] : memref<4xf32, #ascend.space<gm>> -> memref<4xf32, #ascend.space<gm>>
  return
}

// -----

func.func @f(%x: memref<4xf32, #ascend.space<ub>>, %i: index) {
  // expected-error@below {{takes a memref in gm, not 'memref<4xf32, #ascend.space<ub>>'}}
  %d = ascend.address %x[%i] : memref<4xf32, #ascend.space<ub>> -> memref<?xf32, #ascend.space<ub>>
  return
}

// -----

func.func @f() {
  // expected-error@below {{makes a buffer in local memory, not 'memref<4xf32, #ascend.space<gm>>'}}
  %d = ascend.alloc "x" : memref<4xf32, #ascend.space<gm>>
  return
}

// -----

func.func @f() {
  // expected-error@below {{makes a buffer of one dimension, or of slots and one dimension}}
  %d = ascend.alloc "x" : memref<4xi0, #ascend.space<ub>>
  return
}

// -----

func.func @f() {
  // expected-error@below {{makes a buffer of one dimension, or of slots and one dimension}}
  %d = ascend.alloc "x" : memref<?xf32, #ascend.space<ub>>
  return
}

// -----

func.func @f() {
  // expected-error@below {{makes a buffer of an impossible size}}
  %d = ascend.alloc "x" : memref<2x4611686018427387904xf32, #ascend.space<ub>>
  return
}

// -----

func.func @f() {
  // expected-error@below {{has the address 33, not a multiple of 32}}
  %d = ascend.alloc "x" at 33 : memref<4xf32, #ascend.space<ub>>
  return
}

// -----

// Each memory has an alignment of its own.
func.func @f() {
  // expected-error@below {{has the address 544, not a multiple of 512}}
  %d = ascend.alloc "x" at 544 : memref<4xf32, #ascend.space<l0a>>
  return
}

// -----

func.func @f() {
  // expected-error@below {{has the address -32, not a multiple of 32}}
  %d = ascend.alloc "x" counted -32 : memref<4xf32, #ascend.space<ub>>
  return
}

// -----

func.func @f(%x: memref<4xf32, #ascend.space<gm>>, %i: index) {
  // expected-error@below {{takes a memref in local memory, not 'memref<4xf32, #ascend.space<gm>>'}}
  %d = ascend.slice %x[%i] : memref<4xf32, #ascend.space<gm>> -> memref<?xf32, #ascend.space<gm>>
  return
}

// -----

func.func @f(%x: memref<4xf32, #ascend.space<ub>>, %i: index) {
  // expected-error@below {{takes a buffer with slots, not 'memref<4xf32, #ascend.space<ub>>'}}
  %d = ascend.slot %x[%i] : memref<4xf32, #ascend.space<ub>> -> memref<4xf32, #ascend.space<ub>>
  return
}

// -----

func.func @f(%x: memref<2x4xf32, #ascend.space<ub>>, %i: index) {
  // expected-error@below {{gives 'memref<4xf32, #ascend.space<ub>>', not 'memref<8xf32, #ascend.space<ub>>'}}
  %d = ascend.slot %x[%i] : memref<2x4xf32, #ascend.space<ub>> -> memref<8xf32, #ascend.space<ub>>
  return
}

// -----

func.func @f(%x: memref<2x4xf32, #ascend.space<ub>>, %i: index) {
  // expected-error@below {{takes a buffer of one dimension, not 'memref<2x4xf32, #ascend.space<ub>>'}}
  %d = ascend.slice %x[%i] : memref<2x4xf32, #ascend.space<ub>> -> memref<?xf32, #ascend.space<ub>>
  return
}

// -----

func.func @f(%x: memref<512xf32, #ascend.space<ub>>, %y: memref<512xf32, #ascend.space<ub>>, %i: index) {
  // expected-error@below {{needs its place in an array as a one-dimensional memref in gm}}
  ascend.copy_in %x, %y rows(%i) length(%i) src_pitch(%i) dst_pitch 8 right_pad 0 : memref<512xf32, #ascend.space<ub>>, memref<512xf32, #ascend.space<ub>>
  return
}

// -----

func.func @f(%x: memref<512xf32, #ascend.space<ub>>, %y: memref<?xbf16, #ascend.space<gm>>, %i: index) {
  // expected-error@below {{mixes 'f32' and 'bf16'}}
  ascend.copy_in %x, %y rows(%i) length(%i) src_pitch(%i) dst_pitch 8 right_pad 0 : memref<512xf32, #ascend.space<ub>>, memref<?xbf16, #ascend.space<gm>>
  return
}

// -----

func.func @f(%x: memref<512xf32, #ascend.space<ub>>, %y: memref<?xf32, #ascend.space<gm>>, %i: index) {
  // expected-error@below {{has a pitch of 9 elements in ub, not whole 32-byte blocks}}
  ascend.copy_in %x, %y rows(%i) length(%i) src_pitch(%i) dst_pitch 9 right_pad 0 : memref<512xf32, #ascend.space<ub>>, memref<?xf32, #ascend.space<gm>>
  return
}

// -----

func.func @f(%x: memref<512xf32, #ascend.space<ub>>, %y: memref<?xf32, #ascend.space<gm>>, %i: index) {
  // expected-error@below {{pads by 9 elements; at most 32 bytes are possible}}
  ascend.copy_in %x, %y rows(%i) length(%i) src_pitch(%i) dst_pitch 8 right_pad 9 : memref<512xf32, #ascend.space<ub>>, memref<?xf32, #ascend.space<gm>>
  return
}

// -----

func.func @f(%x: memref<512xf32, #ascend.space<ub>>, %y: memref<?xf32, #ascend.space<gm>>, %i: index) {
  %n = arith.constant -1 : index
  // expected-error@below {{has -1 rows; 0 to 268435456 are possible}}
  ascend.copy_out %y, %x rows(%n) length(%i) dst_pitch(%i) src_pitch 8 : memref<?xf32, #ascend.space<gm>>, memref<512xf32, #ascend.space<ub>>
  return
}

// -----

func.func @f(%x: memref<512xf32, #ascend.space<ub>>, %y: memref<?xf32, #ascend.space<gm>>, %i: index) {
  %n = arith.constant 9223372036854775807 : index
  // expected-error@below {{has 9223372036854775807 elements in a row; 0 to 268435456 are possible}}
  ascend.copy_out %y, %x rows(%i) length(%n) dst_pitch(%i) src_pitch 8 : memref<?xf32, #ascend.space<gm>>, memref<512xf32, #ascend.space<ub>>
  return
}

// -----

func.func @f(%x: memref<512xbf16, #ascend.space<ub>>, %i: index) {
  // expected-error@below {{computes on f32 or f16, not 'bf16': the chip has no bf16 arithmetic, cast before}}
  ascend.unary exp %x, %x count(%i) : memref<512xbf16, #ascend.space<ub>>, memref<512xbf16, #ascend.space<ub>>
  return
}

// -----

func.func @f(%x: memref<512xf32, #ascend.space<ub>>) {
  %i = arith.constant -4 : index
  // expected-error@below {{has an impossible count of -4 elements}}
  ascend.unary exp %x, %x count(%i) : memref<512xf32, #ascend.space<ub>>, memref<512xf32, #ascend.space<ub>>
  return
}

// -----

func.func @f(%x: memref<512xf32, #ascend.space<ub>>, %i: index) {
  // expected-error@below {{has a mask without strides, or strides without a mask}}
  "ascend.unary"(%x, %x, %i) {kind = #ascend<unary_kind exp>, mask = 64 : i64} : (memref<512xf32, #ascend.space<ub>>, memref<512xf32, #ascend.space<ub>>, index) -> ()
  return
}

// -----

func.func @f(%x: memref<512xf32, #ascend.space<ub>>, %i: index) {
  // expected-error@below {{has mask 65; 1 to 64 lanes are possible}}
  ascend.unary exp %x, %x mask 65 repeat(%i) strides [1, 1, 8, 8] : memref<512xf32, #ascend.space<ub>>, memref<512xf32, #ascend.space<ub>>
  return
}

// -----

func.func @f(%x: memref<512xf32, #ascend.space<ub>>, %i: index) {
  // expected-error@below {{has 3 strides instead of 4}}
  ascend.unary exp %x, %x mask 64 repeat(%i) strides [1, 1, 8] : memref<512xf32, #ascend.space<ub>>, memref<512xf32, #ascend.space<ub>>
  return
}

// -----

func.func @f(%x: memref<512xf32, #ascend.space<ub>>, %i: index) {
  // expected-error@below {{has stride 256; 0 to 255 blocks are possible}}
  ascend.unary exp %x, %x mask 64 repeat(%i) strides [1, 1, 8, 256] : memref<512xf32, #ascend.space<ub>>, memref<512xf32, #ascend.space<ub>>
  return
}

// -----

func.func @f(%x: memref<512xf32, #ascend.space<ub>>, %i: index) {
  // expected-error@below {{has block stride 0 on its destination}}
  ascend.unary exp %x, %x mask 64 repeat(%i) strides [0, 1, 8, 8] : memref<512xf32, #ascend.space<ub>>, memref<512xf32, #ascend.space<ub>>
  return
}

// -----

func.func @f(%x: memref<512xf32, #ascend.space<ub>>) {
  %i = arith.constant 256 : index
  // expected-error@below {{has 256 repeats; at most 255 are possible}}
  ascend.unary exp %x, %x mask 64 repeat(%i) strides [1, 1, 8, 8] : memref<512xf32, #ascend.space<ub>>, memref<512xf32, #ascend.space<ub>>
  return
}

// -----

func.func @f(%x: memref<512xf32, #ascend.space<ub>>, %s: f16, %i: index) {
  // expected-error@below {{mixes 'f32' and a scalar of type 'f16'}}
  ascend.scalar adds %x, %x, %s count(%i) : memref<512xf32, #ascend.space<ub>>, memref<512xf32, #ascend.space<ub>>, f16
  return
}

// -----

func.func @f(%x: memref<512xf32, #ascend.space<ub>>, %s: f16, %i: index) {
  // expected-error@below {{mixes 'f32' and a scalar of type 'f16'}}
  ascend.duplicate %x, %s count(%i) : memref<512xf32, #ascend.space<ub>>, f16
  return
}

// -----

func.func @f(%x: memref<512xf16, #ascend.space<ub>>, %y: memref<512xbf16, #ascend.space<ub>>, %i: index) {
  // expected-error@below {{cannot turn 'f16' into 'bf16'}}
  ascend.cast rint %y, %x count(%i) : memref<512xbf16, #ascend.space<ub>>, memref<512xf16, #ascend.space<ub>>
  return
}

// -----

func.func @f(%x: memref<512xf32, #ascend.space<ub>>, %y: memref<512xbf16, #ascend.space<ub>>, %i: index) {
  // expected-error@below {{rounds by 'none' from 'f32' to 'bf16'; widening takes none, all else a mode}}
  ascend.cast none %y, %x count(%i) : memref<512xbf16, #ascend.space<ub>>, memref<512xf32, #ascend.space<ub>>
  return
}

// -----

func.func @f(%x: memref<512xf32, #ascend.space<ub>>, %y: memref<512xf32, #ascend.space<ub>>, %i: index) {
  // expected-error@below {{moves numbers of 2 bytes, not 'f32'}}
  ascend.transpose %x, %y repeat(%i) strides [1, 1, 16, 1] : memref<512xf32, #ascend.space<ub>>, memref<512xf32, #ascend.space<ub>>
  return
}

// -----

func.func @f(%x: memref<512xf16, #ascend.space<ub>>, %y: memref<512xf16, #ascend.space<ub>>, %i: index) {
  // expected-error@below {{needs four positive 16-bit strides: of rows of destination and source, and of their repeats}}
  ascend.transpose %x, %y repeat(%i) strides [1, 1, 0, 1] : memref<512xf16, #ascend.space<ub>>, memref<512xf16, #ascend.space<ub>>
  return
}

// -----

func.func @f(%x: memref<512xf16, #ascend.space<ub>>, %y: memref<512xbf16, #ascend.space<ub>>, %i: index) {
  // expected-error@below {{mixes 'f16' and 'bf16'}}
  ascend.transpose %x, %y repeat(%i) strides [1, 1, 16, 1] : memref<512xf16, #ascend.space<ub>>, memref<512xbf16, #ascend.space<ub>>
  return
}

// -----

func.func @f(%x: memref<512xf32, #ascend.space<ub>>, %y: memref<512xi32, #ascend.space<ub>>, %i: index) {
  // expected-error@below {{rounds by 'none' from 'i32' to 'f32'; widening takes none, all else a mode}}
  ascend.cast none %x, %y count(%i) : memref<512xf32, #ascend.space<ub>>, memref<512xi32, #ascend.space<ub>>
  return
}

// -----

func.func @f(%x: memref<512xf32, #ascend.space<ub>>, %i: index) {
  // expected-error@below {{needs two positive 16-bit strides: of blocks and of repeats}}
  ascend.brcb %x, %x repeat(%i) strides [1, 65536] : memref<512xf32, #ascend.space<ub>>, memref<512xf32, #ascend.space<ub>>
  return
}

// -----

func.func @f(%x: memref<512xf32, #ascend.space<ub>>, %i: index) {
  // expected-error@below {{has mask 0; 1 to 64 lanes are possible}}
  ascend.whole_reduce sum %x, %x mask 0 repeat(%i) strides [1, 1, 8] : memref<512xf32, #ascend.space<ub>>, memref<512xf32, #ascend.space<ub>>
  return
}

// -----

func.func @f(%x: memref<512xf32, #ascend.space<ub>>, %i: index) {
  // expected-error@below {{needs three strides}}
  ascend.block_reduce max %x, %x mask 64 repeat(%i) strides [0, 1, 8] : memref<512xf32, #ascend.space<ub>>, memref<512xf32, #ascend.space<ub>>
  return
}

// -----

func.func @f(%x: memref<512xf32, #ascend.space<ub>>, %y: memref<512xf16, #ascend.space<ub>>, %i: index) {
  // expected-error@below {{computes on f32, not 'f16'}}
  ascend.row_reduce sum %x, %y, %x rows(%i) cols 123 pitch 128 : memref<512xf32, #ascend.space<ub>>, memref<512xf16, #ascend.space<ub>>, memref<512xf32, #ascend.space<ub>>
  return
}

// -----

func.func @f(%x: memref<512xf32, #ascend.space<ub>>, %i: index) {
  // expected-error@below {{has rows of 123 elements at a pitch of 120; the pitch must hold them and be a multiple of 8}}
  ascend.col_binary mul %x, %x, %x rows(%i) cols 123 pitch 120 : memref<512xf32, #ascend.space<ub>>, memref<512xf32, #ascend.space<ub>>, memref<512xf32, #ascend.space<ub>>
  return
}

// -----

func.func @f() {
  // expected-error@below {{needs two different pipes}}
  ascend.set_flag v to v event 0
  return
}

// -----

func.func @f() {
  // expected-error@below {{has the negative event -1}}
  ascend.wait_flag v to mte2 event -1
  return
}

// -----

func.func @f(%i: index) {
  // expected-error@below {{has 9 slots; a slot needs 2 to 8 of them}}
  ascend.set_flag v to mte2 event 0 slot(%i) of 9
  return
}

// -----

func.func @f() {
  // expected-error@below {{cannot hold the scalar pipe}}
  ascend.barrier s
  return
}

// -----

// expected-error @+1 {{'ascend.kind' is the kernel_kind of a kernel}}
func.func @no_kernel() attributes {ascend.kind = #ascend.kernel_kind<cube>} {
  return
}

// -----

// expected-error @+1 {{'ascend.half_of' names the kernel of a mixed kernel's cube half}}
func.func @no_half() attributes {ascend.kernel, ascend.half_of = @other} {
  return
}

// -----

func.func @padded(%src: memref<64xf32, #ascend.space<gm>>, %dst: memref<64xf32, #ascend.space<l1>>, %n: index) {
  // expected-error @+1 {{pads in l1; only copies to ub do}}
  ascend.copy_in %dst, %src rows(%n) length(%n) src_pitch(%n) dst_pitch 64 right_pad 3 : memref<64xf32, #ascend.space<l1>>, memref<64xf32, #ascend.space<gm>>
  return
}

// -----

func.func @system_flag() {
  // expected-error @+1 {{uses flag 11; 0 to 10 are there for kernels}}
  ascend.cross_set mte3 flag 11
  return
}

// -----

func.func @negative_flag() {
  // expected-error @+1 {{uses flag -1; 0 to 10 are there for kernels}}
  ascend.cross_wait flag -1
  return
}

// -----

func.func @no_turns() {
  // expected-error @+1 {{has heard of a flag without its turns}}
  ascend.cross_wait flag 0 heard [1]
  return
}

// -----

func.func @turns_to_come() {
  // expected-error @+1 {{has heard of -2 turns before}}
  ascend.cross_wait flag 0 heard [1, -2]
  return
}

// -----

func.func @scalar_pipe() {
  // expected-error @+1 {{cannot be queued on pipe s}}
  ascend.cross_set s flag 0
  return
}

// -----

func.func @all_pipes() {
  // expected-error @+1 {{cannot be queued on pipe all}}
  ascend.cross_set all flag 0
  return
}
