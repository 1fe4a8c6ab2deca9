// RUN: attn-opt %s --soc=Ascend910B4 --convert-tile-to-ascend --verify-diagnostics --split-input-file

// expected-error @+1 {{has unbound block sizes: tile-fit-tiles must run first}}
func.func @symbols() attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>}} {
  return
}

// -----

func.func @unbound(%s: f32) attributes {tile.kernel} {
  // expected-error @+1 {{has '!tile.tile<BT x 1 x f32>', which has an unbound block size: tile-fit-tiles must run first}}
  %0 = tile.splat %s : f32 -> !tile.tile<BT x 1 x f32>
  return
}

// -----

func.func @unbound_span(%i: index) attributes {tile.kernel} {
  // expected-error @+1 {{has an unbound block size: tile-fit-tiles must run first}}
  %0 = tile.make_span %i to %i : !tile.span<BT>
  return
}

// -----

func.func @unbound_range(%i: index) attributes {tile.kernel} {
  // expected-error @+1 {{has an unbound block size: tile-fit-tiles must run first}}
  tile.range %t = %i to %i by BT {
  }
  return
}

// -----

func.func @huge(%s: f32) attributes {tile.kernel} {
  // expected-error @+1 {{which no memory holds}}
  %0 = tile.splat %s : f32 -> !tile.tile<268435456 x 268435456 x f32>
  return
}

// -----

func.func @softmax() attributes {tile.kernel} {
  // expected-error @+1 {{has a softmax state, which must be lowered first by tile-decompose-softmax}}
  %0 = tile.softmax_init : !tile.softmax_state<2 x 64>
  return
}

// -----

func.func @grid(%n: index) attributes {tile.kernel} {
  // expected-error @+1 {{must be lowered first by tile-clamp-grid}}
  tile.grid (%i) in (%n) {
  }
  return
}

// -----

// expected-error @+1 {{uses tiles, but is neither a kernel nor counts the tiles of one}}
func.func @other(%x: !tile.array<?xf32>) {
  return
}

// -----

// expected-error @+1 {{counts tiles on the host and cannot compute with them}}
func.func @count(%x: !tile.array<16xf32>) -> index attributes {launch.grid_of = @kernel} {
  %c = arith.constant 1 : index
  %a = tile.load %x[:] : (!tile.array<16xf32>) -> !tile.tile<1 x 16 x f32>
  return %c : index
}

// -----

// expected-error @+1 {{takes or returns tiles; only arrays and scalars cross its border}}
func.func @border(%t: !tile.span<8>) -> index attributes {launch.grid_of = @kernel} {
  %c = arith.constant 1 : index
  return %c : index
}

// -----

// expected-error @+1 {{a kernel must be one block, without branches}}
func.func private @declared(!tile.array<16xf32>) attributes {tile.kernel}

// -----

func.func private @callee()
func.func @call() attributes {tile.kernel} {
  // expected-error @+1 {{has no form on the chip}}
  call @callee() : () -> ()
  return
}

// -----

func.func @region(%c: i1) attributes {tile.kernel} {
  // expected-error @+1 {{cannot be in a kernel: loops are tile.grid and tile.range}}
  scf.if %c {
  }
  return
}

// -----

func.func @carried_array(%x: !tile.array<16xf32>, %n: index) attributes {tile.kernel} {
  // expected-error @+1 {{carries '!tile.array<16xf32>', which has no form on the chip}}
  %r = tile.range %i = %n to %n iter(%y = %x : !tile.array<16xf32>) {
    tile.yield %y : !tile.array<16xf32>
  }
  return
}

// -----

func.func @load_columns_apart(%x: !tile.array<16x?xf32>, %n: index) attributes {tile.kernel} {
  // expected-error @+1 {{takes its columns from a dimension that is not contiguous}}
  %a = tile.load %x[:, %n] : (!tile.array<16x?xf32>, index) -> !tile.tile<1 x 16 x f32>
  return
}

// -----

func.func @store_columns_apart(%x: !tile.array<16x?xf32>, %n: index, %s: f32) attributes {tile.kernel} {
  %a = tile.splat %s : f32 -> !tile.tile<1 x 16 x f32>
  // expected-error @+1 {{puts its columns to a dimension that is not contiguous}}
  tile.store %a, %x[:, %n] : (!tile.tile<1 x 16 x f32>, !tile.array<16x?xf32>, index) -> ()
  return
}

// -----

func.func @columns_of_bytes(%x: !tile.array<16x?xi8>, %n: index) attributes {tile.kernel} {
  %t = tile.make_span %n to %n : !tile.span<32>
  // expected-error @+1 {{cannot fill missing columns of 'i8'}}
  %a = tile.load %x[:, %t span] : (!tile.array<16x?xi8>, !tile.span<32>) -> !tile.tile<16 x 32 x i8>
  return
}

// -----

func.func @one_column_or_none(%x: !tile.array<16x?xf32>, %n: index) attributes {tile.kernel} {
  %t = tile.make_span %n to %n : !tile.span<1>
  // expected-error @+1 {{gathers the one column of a span that may be empty}}
  %a = tile.load %x[:, %t span] : (!tile.array<16x?xf32>, !tile.span<1>) -> !tile.tile<16 x 1 x f32>
  return
}

// -----

func.func @turned_tile(%x: !tile.array<16x32xf32>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<16x32xf32>) -> !tile.tile<16 x 32 x f32>
  // expected-error @+1 {{cannot turn '!tile.tile<16 x 32 x f32>' into '!tile.tile<32 x 16 x f32>' on the chip: rows and columns of f32 can, and tiles of f16 and bf16 of which both sides are multiples of 16}}
  %b = tile.transpose %a : !tile.tile<16 x 32 x f32> -> !tile.tile<32 x 16 x f32>
  return
}

// -----

func.func @turned_part(%x: !tile.array<16x40xf16>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<16x40xf16>) -> !tile.tile<16 x 40 x f16>
  // expected-error @+1 {{cannot turn '!tile.tile<16 x 40 x f16>' into '!tile.tile<40 x 16 x f16>' on the chip}}
  %b = tile.transpose %a : !tile.tile<16 x 40 x f16> -> !tile.tile<40 x 16 x f16>
  return
}

// -----

func.func @gather_integers(%x: !tile.array<?x8xi32>, %n: index) attributes {tile.kernel} {
  %t = tile.make_span %n to %n : !tile.span<8>
  // expected-error @+1 {{cannot gather a column of 'i32'}}
  %a = tile.load %x[%t span, %n] : (!tile.array<?x8xi32>, !tile.span<8>, index) -> !tile.tile<8 x 1 x i32>
  return
}

// -----

func.func @spread_integers(%x: !tile.array<?xf32>, %y: !tile.array<?x1xi32>, %n: index) attributes {tile.kernel, ascend.keep_composites} {
  %t = tile.make_span %n to %n : !tile.span<8>
  %a = tile.load %x[%t span] : (!tile.array<?xf32>, !tile.span<8>) -> !tile.tile<8 x 1 x f32>
  %b = tile.cast %a : !tile.tile<8 x 1 x f32> -> !tile.tile<8 x 1 x i32>
  // expected-error @+1 {{cannot store a column of 'i32' to rows of an array in HIVM, which spreads floats only}}
  tile.store %b, %y[%t span, :] : (!tile.tile<8 x 1 x i32>, !tile.array<?x1xi32>, !tile.span<8>) -> ()
  return
}

// -----

func.func @cast_narrow(%x: !tile.array<16xf16>) attributes {tile.kernel} {
  %a = tile.load %x[:] : (!tile.array<16xf16>) -> !tile.tile<1 x 16 x f16>
  // expected-error @+1 {{cannot turn 'f16' into 'bf16' on the chip in one step; go through f32}}
  %b = tile.cast %a : !tile.tile<1 x 16 x f16> -> !tile.tile<1 x 16 x bf16>
  return
}

// -----

func.func @cast_of_integers(%x: !tile.array<8x64xi32>, %y: !tile.array<8x64xi8>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<8x64xi32>) -> !tile.tile<8 x 64 x i32>
  // expected-error @+1 {{cannot turn 'i32' into 'i8' on vector cores, which turn i32 into f32 and back; on their way out of L0C sums become i8, and sums of i8 f16, multiplied once at most, by a positive number with 10 bits after its first}}
  %b = tile.cast %a : !tile.tile<8 x 64 x i32> -> !tile.tile<8 x 64 x i8>
  tile.store %b, %y[:, :] : (!tile.tile<8 x 64 x i8>, !tile.array<8x64xi8>) -> ()
  return
}

// -----

func.func @extract_unaligned(%x: !tile.array<64xf32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %k = arith.constant 4 : index
  %a = tile.load %x[:] : (!tile.array<64xf32>) -> !tile.tile<1 x 64 x f32>
  // expected-error @+1 {{on the chip a part of a tile begins at a known multiple of 32 bytes, and has whole 32-byte blocks or reaches the end, unlike [1, 16] of [1, 64] in 'f32'; load it from the array by itself, such as X[t, 3:5]}}
  %b = tile.extract %a[%zero, %k] : !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 16 x f32>
  return
}

// -----

func.func @insert_anywhere(%x: !tile.array<64xf32>, %k: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %a = tile.load %x[:] : (!tile.array<64xf32>) -> !tile.tile<1 x 64 x f32>
  %b = tile.load %x[%k:16] : (!tile.array<64xf32>, index) -> !tile.tile<1 x 16 x f32>
  // expected-error @+1 {{unlike [1, 16] of [1, 64] in 'f32'; store it to the array by itself, such as Y[t, 3:5] = x}}
  %c = tile.insert %b, %a[%zero, %k] : !tile.tile<1 x 16 x f32> into !tile.tile<1 x 64 x f32>
  return
}

// -----

func.func @column_of_rows(%x: !tile.array<8x64xf32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %a = tile.load %x[:, :] : (!tile.array<8x64xf32>) -> !tile.tile<8 x 64 x f32>
  // expected-error @+1 {{unlike [8, 1] of [8, 64] in 'f32'}}
  %b = tile.extract %a[%zero, %zero] transposed : !tile.tile<8 x 64 x f32> -> !tile.tile<1 x 8 x f32>
  return
}

// -----

func.func @unaligned_integers(%x: !tile.array<?xi32>, %k: index) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %t = tile.make_span %zero to %k : !tile.span<32>
  %a = tile.load %x[%t span] : (!tile.array<?xi32>, !tile.span<32>) -> !tile.tile<32 x 1 x i32>
  // expected-error @+1 {{unlike [8, 1] of [32, 1] in 'i32'}}
  %b = tile.extract %a[%k, %zero] : !tile.tile<32 x 1 x i32> -> !tile.tile<8 x 1 x i32>
  return
}

// -----

func.func @fill_integers(%x: !tile.array<?x8xi8>, %n: index) attributes {tile.kernel} {
  %t = tile.make_span %n to %n from %n : !tile.span<8, filled>
  // expected-error @+1 {{cannot fill missing rows of 'i8'}}
  %a = tile.load %x[%t span, :] : (!tile.array<?x8xi8>, !tile.span<8, filled>) -> !tile.tile<8 x 8 x i8>
  return
}

// -----

func.func @unbound_size() attributes {tile.kernel} {
  // expected-error @+1 {{is an unbound block size: tile-fit-tiles must run first}}
  %0 = tile.size BT
  return
}

// -----

func.func @band(%x: !tile.array<8x16xf32>, %y: !tile.array<10x16xf32>) attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<8x16xf32>) -> !tile.tile<8 x 16 x f32>
  %b = tile.load %y[:, :] : (!tile.array<10x16xf32>) -> !tile.tile<10 x 16 x f32>
  // expected-error @+1 {{must be lowered first by tile-lower-band-gather}}
  %s = tile.band_dot %a, %b : !tile.tile<8 x 16 x f32>, !tile.tile<10 x 16 x f32> -> !tile.tile<8 x 3 x f32>
  return
}

// -----

func.func @mask(%n: index) attributes {tile.kernel} {
  %t = tile.make_span %n to %n from %n : !tile.span<10, filled>
  // expected-error @+1 {{must be lowered first by tile-lower-band-gather}}
  %m = tile.band_mask %t : !tile.span<10, filled> -> !tile.tile<8 x 3 x f32>
  return
}
