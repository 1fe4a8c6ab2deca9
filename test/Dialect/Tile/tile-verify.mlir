// RUN: attn-opt %s --tile-verify --allow-unregistered-dialect --split-input-file --verify-diagnostics

// A kernel that is ready.
module {
func.func @copy(%x: !tile.array<?x64xf32> {launch.dims = ["T", 64]}, %y: !tile.array<?x64xf32> {launch.dims = ["T", 64], launch.output},
                %s: f32) attributes {tile.kernel, launch.limit = 40 : i64} {
  %zero = arith.constant 0 : index
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  %t = tile.make_span %zero to %T : !tile.span<4>
  %v = tile.load %x[%t span, %zero:16] : (!tile.array<?x64xf32>, !tile.span<4>, index) -> !tile.tile<4 x 16 x f32>
  tile.store %v, %y[%t span, %zero:16] : (!tile.tile<4 x 16 x f32>, !tile.array<?x64xf32>, !tile.span<4>, index) -> ()
  %c = tile.load %x[%t span, %zero] : (!tile.array<?x64xf32>, !tile.span<4>, index) -> !tile.tile<4 x 1 x f32>
  return
}
func.func @copy_grid(%x: !tile.array<?x64xf32> {launch.dims = ["T", 64]}, %y: !tile.array<?x64xf32> {launch.dims = ["T", 64], launch.output},
                     %s: f32) -> index attributes {launch.grid_of = @copy} {
  %T = tile.dim %x, 0 : !tile.array<?x64xf32>
  return %T : index
}
}

// -----

// expected-error @+1 {{has unbound block sizes: tile-fit-tiles must run first}}
func.func @symbols() attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>}} {
  return
}

// -----

func.func @symbol(%s: f32) attributes {tile.kernel} {
  // expected-error @+1 {{has the unbound block size 'BT': tile-fit-tiles must run first}}
  %x = tile.splat %s : f32 -> !tile.tile<BT x 1 x f32>
  return
}

// -----

func.func @softmax() attributes {tile.kernel} {
  // expected-error @+1 {{has a softmax state, which must be lowered first by tile-decompose-softmax}}
  %x = tile.softmax_init : !tile.softmax_state<4 x 64>
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

func.func @strided(%x: !tile.array<64x?xf32> {launch.dims = [64, "T"]}, %n: index) attributes {tile.kernel} {
  // expected-error @+1 {{takes its columns from dimension 0; they must come from the last, which is contiguous}}
  %v = tile.load %x[:, %n] : (!tile.array<64x?xf32>, index) -> !tile.tile<1 x 64 x f32>
  return
}

// -----

// expected-error @+1 {{argument 0 needs 'launch.dims' with one entry per dimension}}
func.func @dims(%x: !tile.array<64x?xf32> {launch.dims = [64]}) attributes {tile.kernel} {
  return
}

// -----

// expected-error @+1 {{'launch.dims' of argument 0 says 32 : i64 where the type is}}
func.func @number(%x: !tile.array<64x?xf32> {launch.dims = [32, "T"]}) attributes {tile.kernel} {
  return
}

// -----

// expected-error @+1 {{argument 0 is described as an array, but is not one}}
func.func @scalar(%x: f32 {launch.output}) attributes {tile.kernel} {
  return
}

// -----

// expected-error @+1 {{needs 'launch.limit': tile-clamp-grid must run first}}
func.func @limit() attributes {tile.kernel} {
  return
}

// -----

// expected-error @+1 {{no function counts its tiles: tile-clamp-grid must run first}}
func.func @uncounted() attributes {tile.kernel, launch.limit = 1 : i64} {
  return
}

// -----

func.func @kernel(%s: f32) attributes {tile.kernel, launch.limit = 1 : i64} {
  return
}
// expected-error @+1 {{must take the arguments of 'kernel' and return one index}}
func.func @kernel_grid() -> index attributes {launch.grid_of = @kernel} {
  %one = arith.constant 1 : index
  return %one : index
}

// -----

func.func @kernel() attributes {tile.kernel, launch.limit = 1 : i64} {
  return
}
func.func private @first() -> index attributes {launch.grid_of = @kernel}
// expected-error @+1 {{is the second function that counts the tiles of 'kernel'}}
func.func private @second() -> index attributes {launch.grid_of = @kernel}

// -----

// expected-error @+1 {{a kernel must be one block, without branches}}
func.func @branches() attributes {tile.kernel} {
  "test.branch"()[^next] : () -> ()
^next:
  return
}

// -----

func.func @size() attributes {tile.kernel} {
  // expected-error @+1 {{has the unbound block size 'BT': tile-fit-tiles must run first}}
  %bt = tile.size BT + 2
  return
}

// -----

func.func @counted() attributes {tile.kernel, launch.limit = 1 : i64} {
  return
}
func.func @counted_grid() -> index attributes {launch.grid_of = @counted} {
  // expected-error @+1 {{has the unbound block size 'BT': tile-fit-tiles must run first}}
  %bt = tile.size BT
  return %bt : index
}

// -----

func.func @accumulate(%g: !tile.array<64xf32> {launch.dims = [64]},
                      %G: !tile.array<?x64xf32> {launch.dims = ["@blocks", 64], launch.workspace}) attributes {tile.kernel} {
  %row = tile.load %g[:] : (!tile.array<64xf32>) -> !tile.tile<1 x 64 x f32>
  // expected-error @+1 {{must be lowered first by tile-clamp-grid}}
  tile.accumulate %row, %G : !tile.tile<1 x 64 x f32>, !tile.array<?x64xf32>
  return
}

// -----

func.func @band(%x: !tile.array<8x16xf32> {launch.dims = [8, 16]}, %y: !tile.array<10x16xf32> {launch.dims = [10, 16]})
    attributes {tile.kernel} {
  %a = tile.load %x[:, :] : (!tile.array<8x16xf32>) -> !tile.tile<8 x 16 x f32>
  %b = tile.load %y[:, :] : (!tile.array<10x16xf32>) -> !tile.tile<10 x 16 x f32>
  // expected-error @+1 {{must be lowered first by tile-lower-band-gather}}
  %s = tile.band_dot %a, %b : !tile.tile<8 x 16 x f32>, !tile.tile<10 x 16 x f32> -> !tile.tile<8 x 3 x f32>
  return
}

// -----

// expected-error @+1 {{'launch.after' names 'nothing', which is not another kernel with the same arguments}}
func.func @later() attributes {tile.kernel, launch.limit = 1 : i64, launch.after = @nothing} {
  return
}

// -----

func.func @earlier(%x: f32) attributes {tile.kernel, launch.limit = 1 : i64} {
  return
}
func.func @earlier_grid(%x: f32) -> index attributes {launch.grid_of = @earlier} {
  %one = arith.constant 1 : index
  return %one : index
}
// expected-error @+1 {{'launch.after' names 'earlier', which is not another kernel with the same arguments}}
func.func @unlike() attributes {tile.kernel, launch.limit = 1 : i64, launch.after = @earlier} {
  return
}
