"""Every mistake in a kernel is an error at its line, with a caret below what is wrong."""

import sys
import textwrap

import pytest

import attn
import attn.language as at
import kernel_text
from attn import compiler

# (body inside the grid of kernel_text.in_grid, message, what is underlined)
IN_GRID = {
    # Syntax
    "while": ("while x:\n    pass", "'while' is not supported in a kernel; write for ... in at.range(...)", "while x:"),
    "try": ("try:\n    pass\nfinally:\n    pass", "'try' is not supported in a kernel", "try:"),
    "with": ("with x:\n    pass", "'with' is not supported in a kernel", "with x:"),
    "import": ("import math", "'import' is not supported in a kernel", "import math"),
    "import from": ("from math import pi", "'import' is not supported in a kernel", "from math import pi"),
    "nested def": ("def f(): pass", "a function inside a kernel is not supported", "def f(): pass"),
    "class": ("class f: pass", "a class inside a kernel is not supported", "class f: pass"),
    "break": ("for n in at.range(3):\n    break", "'break' is not supported in a kernel", "break"),
    "continue": ("for n in at.range(3):\n    continue", "'continue' is not supported in a kernel", "continue"),
    "assert": ("assert x", "'assert' is not supported in a kernel", "assert x"),
    "raise": ("raise x", "'raise' is not supported in a kernel", "raise x"),
    "del": ("del x", "'del' is not supported in a kernel", "del x"),
    "annotated": ("y: int = 3", "an annotated assignment is not supported in a kernel", "y: int = 3"),
    "lambda": ("y = lambda: 0", "lambda is not supported in a kernel", "lambda: 0"),
    "comprehension": ("y = [n for n in x]", "a comprehension is not supported in a kernel", "[n for n in x]"),
    "list": ("y = [x, x]", "a list is not supported in a kernel", "[x, x]"),
    "dict": ("y = {}", "a dict is not supported in a kernel", "{}"),
    "f-string": ("y = f'{x}'", "an f-string is not supported in a kernel", "f'{x}'"),
    "walrus": ("y = (z := x)", "':=' is not supported in a kernel", "z := x"),
    "ellipsis": ("y = X[..., :]", "... is not supported in a kernel", "..."),
    "complex": ("y = x * 1j", "1j is not supported in a kernel", "1j"),
    "star argument": ("y = at.sum(*x)", "'*' takes several values apart, not a tile [BT, 256] of bf16", "*x"),
    "double star": ("y = at.sum(**x)", "'**' is not supported in a kernel", "x"),
    "early return": ("return Y", "a kernel returns once, at its end", "return Y"),
    "loop else": ("for n in at.range(3):\n    pass\nelse:\n    z = 0",
                  "'else' after a loop is not supported in a kernel", "z = 0"),
    "chained comparison": ("y = 1 if 0 < C < 5 else 2", "a chained comparison is not supported in a kernel; join two by '&' or 'and'",
        "0 < C < 5"),
    "membership": ("y = 1 if C in C else 2", "this comparison is not supported in a kernel", "C in C"),
    "power": ("y = x ** 2", "'**' takes numbers known at compile time, not a tile [BT, 256] of bf16; write x * x", "x ** 2"),
    "root": ("y = i ** -0.5", "'**' takes numbers known at compile time, not an integer; write at.rsqrt(x)", "i ** -0.5"),
    "runtime power": ("y = 2 ** i", "'**' takes numbers known at compile time, not an integer; write at.exp(y * at.log(x))",
                      "2 ** i"),
    "large power": ("y = x * 9 ** 9 ** 9", "the result of '**' is too large", "9 ** 9 ** 9"),
    "large power of a float": ("y = x * 9.0 ** 9 ** 9", "the result of '**' is too large", "9.0 ** 9 ** 9"),
    "power of zero": ("y = x * 0 ** -1", "division by zero", "0 ** -1"),
    "complex power": ("y = x * (-8) ** 0.5", "-8 ** 0.5 is a complex number", "(-8) ** 0.5"),
    "shift": ("y = i << 2", "this operator is not supported in a kernel", "i << 2"),
    "invert": ("y = ~i", "'~' takes masks, such as a < b, not an integer", "~i"),
    "unary plus": ("y = +i", "this operator is not supported in a kernel", "+i"),
    # Products
    "product of other sizes": ("y = x @ at.zeros((64, 8), at.bf16)",
                               "cannot multiply [BT, 256] by [64, 8]: 256 columns against 64 rows", "x @ at.zeros((64, 8), at.bf16)"),
    "product without T": ("y = x @ x", "cannot multiply [BT, 256] by [BT, 256]: 256 columns against BT rows; is '.T' missing?",
                          "x @ x"),
    "product of a transpose": ("y = x.T @ x.T", "cannot multiply [256, BT] by [256, BT]: BT columns against 256 rows", "x.T @ x.T"),
    "product of two types": ("y = x @ at.zeros((256, 8))", "a product takes operands of one type, not bf16 and f32: convert one with .to()",
                             "x @ at.zeros((256, 8))"),
    "product of i32": ("y = J[t].T @ J[t]", "a product takes f16, bf16, f32 or i8, not i32", "J[t].T @ J[t]"),
    "product of a number": ("y = x @ 2.0", "a product takes tiles, not the number 2.0", "x @ 2.0"),
    "product of four": ("y = at.dot(x, x, x, x)", "at.dot takes a, b, acc, and is given 4 arguments", "at.dot(x, x, x, x)"),
    "accumulator of another shape": ("y = at.dot(x, x.T, acc=x)", "this product is added to a tile [BT, BT] or a row [1, BT] of f32, not to "
                                     "a tile [BT, 256] of bf16", "at.dot(x, x.T, acc=x)"),
    "accumulator of integers": ("y = at.dot(x, x.T, acc=at.zeros((BT, BT), at.i32))",
                                "this product is added to a tile [BT, BT] or a row [1, BT] of f32, not to a tile [BT, BT] of i32",
                                "at.dot(x, x.T, acc=at.zeros((BT, BT), at.i32))"),
    "accumulator of a number": ("y = at.dot(x, x.T, acc=0.0)", "this product is added to a tile [BT, BT] or a row [1, BT] of f32, not to "
                                "the number 0.0", "at.dot(x, x.T, acc=0.0)"),
    "transpose in arithmetic": ("y = x.to(at.f32).T + 1.0", "'+' takes tiles and numbers, not the transpose of a tile [BT, 256] of f32, "
                                "which only '@' and at.dot take (of f16 and bf16 it is a tile)", "x.to(at.f32).T + 1.0"),
    "transpose stored": ("Y[t, :] = x.to(at.f32).T", "'Y' takes a tile or a number, not the transpose of a tile [BT, 256] of f32, which "
                         "only '@' and at.dot take (of f16 and bf16 it is a tile)", "Y[t, :]"),
    "transpose of another library": ("y = x.transpose(0, 1)", "a tile [BT, 256] of bf16 has no '.transpose'; did you mean '.T'?",
                                     "x.transpose"),
    "product of another library": ("y = at.matmul(x, x)", "attn.language has no word 'matmul'; did you mean at.dot?", "at.matmul"),
    "near miss of a product": ("y = at.dott(x, x)", "attn.language has no word 'dott'; did you mean at.dot?", "at.dott"),
    "f64": ("y = x.to(at.f64)", "attn.language has no word 'f64'; did you mean at.f32?", "at.f64"),
    "row of another size": ("y = at.full((BT, 256), x)", "at.full repeats a number or a row [1, 256] of f32, not a tile [BT, 256] of bf16",
                            "at.full((BT, 256), x)"),
    "i32 filled with a fraction": ("y = at.full((BT, 4), 0.5, at.i32)", "a tile of i32 is filled with an integer of 32 bits, not the number 0.5",
                                   "at.full((BT, 4), 0.5, at.i32)"),
    "columns of a window": ("y = X[t, at.tiles(8, 8).window(1)]", "the columns of a tile follow each other in memory, and only the last may be missing: "
                            "a span after .window, .clip(lo, hi) or .map, and a list, give rows", "X[t, at.tiles(8, 8).window(1)]"),
    "unused value": ("x + 1", "the value of this expression is not used", "x + 1"),
    # Names
    "unknown name": ("y = x + z", "unknown name 'z'", "z"),
    "near miss of a name": ("total = x\ny = x + totl", "unknown name 'totl'; did you mean 'total'?", "totl"),
    "print": ("print(x)", "Python's 'print' is not supported in a kernel; it is never executed: make the value an output to "
              "look at it", "print"),
    "length": ("y = len(x)", "Python's 'len' is not supported in a kernel; write the name of the dim", "len"),
    "python builtin": ("y = sorted(x)", "Python's 'sorted' is not supported in a kernel", "sorted"),
    "float of a tile": ("y = float(x)", "Python's 'float' is not supported in a kernel; write .to(at.f32)", "float"),
    "float of a word": ("y = x * float('many')", "the string 'many' is not a number that a float holds", "float('many')"),
    "python function": ("y = abs(x)", "Python's 'abs' is not supported in a kernel; write at.abs", "abs"),
    "python range": ("for n in range(3):\n    pass",
                     "a kernel loops over at.grid(...), at.range(...), at.each(...) or at.blocks(...); write at.range", "range(3)"),
    "foreign object": ("y = x + HELPER", "'HELPER' is neither a number nor a word of attn.language", "HELPER"),
    "foreign function": ("y = attn.dump(x)", "'attn.dump' is neither a number nor a word of attn.language", "attn.dump"),
    "function of another module": ("y = attn.sqrt(s)", "'attn.sqrt' is neither a number nor a word of attn.language; write at.sqrt",
                                   "attn.sqrt"),
    "word as a method": ("y = x.sum(1)", "a tile [BT, 256] of bf16 has no '.sum'; write at.sum", "x.sum"),
    "unknown word": ("y = at.hyperbolic(x)", "attn.language has no word 'hyperbolic'", "at.hyperbolic"),
    "near miss of a word": ("y = at.gridd(x)", "attn.language has no word 'gridd'; did you mean at.grid?", "at.gridd"),
    "planned word": ("y = at.tanh(x)", "at.tanh is not supported yet; write 1.0 - 2.0 / (at.exp(2.0 * x) + 1.0)", "at.tanh"),
    "planned word without a formula": ("y = at.hint(x)", "at.hint is not supported yet", "at.hint"),
    "word of others": ("y = at.square(x)", "attn.language has no word 'square'; write x * x", "at.square"),
    "word of another module": ("y = attn.square(x)",
                               "'attn.square' is neither a number nor a word of attn.language; write x * x", "attn.square"),
    "misplaced word": ("y = at.Auto(1, 2)", "at.Auto does not belong in the body of a kernel", "at.Auto"),
    "method of another library": (
        "y = x.float()", "a tile [BT, 256] of bf16 has no '.float'; did you mean '.to(at.f32)'?", "x.float"
    ),
    "axis of another library": ("y = at.max(x, 1, keepdim=True)", "at.max has no argument 'keepdim'; axes are kept",
        "at.max(x, 1, keepdim=True)"),
    "unknown attribute": ("y = X.shape", "the array 'X' has no '.shape'", "X.shape"),
    "planned attribute": ("y = x.reshape", "'.reshape' is not supported yet", "x.reshape"),
    "call of a value": ("y = x(3)", "only words of attn.language can be called, not a tile [BT, 256] of bf16", "x(3)"),
    "only in a loop": ("for n in at.range(3):\n    z = x + 1\ny = z + 1", "'z' is defined only inside the loop of line 10", "z"),
    "loop variable after": ("for n in at.range(3):\n    pass\ny = s + n", "'n' is defined only inside the loop of line 10", "n"),
    "assigned dim": ("T = 3", "'T' is a dimension and cannot be assigned", "T"),
    "second name of an array": ("Z = X", "the array 'X' cannot have a second name", "X"),
    "second name of a state": ("st = at.softmax_state(BT, D)\nsu = st", "a softmax state [BT, 256] cannot have a second name", "st"),
    "word as a value": ("y = at.exp", "at.exp cannot be assigned to a variable", "y"),
    "push as a value": ("st = at.softmax_state(BT, D)\ny = st.push(at.sum(x, 1), x, per_row=True)",
                        "a call without a value cannot be assigned to a variable", "y"),
    "too many values": ("a, b = x, x, x", "3 values are assigned to 2 names", "a, b = x, x, x"),
    "too few results": ("st = at.softmax_state(BT, D)\na, b, c = st.finish()",
                        "2 values are assigned to 3 names", "a, b, c = st.finish()"),
    "not apart": ("a, b = x", "a tile [BT, 256] of bf16 cannot be taken apart into 2 names", "a, b = x"),
    "assigned attribute": ("x.y = 3", "only names and parts of arrays can be assigned", "x.y"),
    # Calls
    "missing block": ("for k in at.range(at.tiles(D)):\n    pass",
                      "at.tiles needs a block size: at.tiles(n, bs)", "at.tiles(D)"),
    "missing argument": ("y = at.sum(x)", "at.sum needs 'axis'", "at.sum(x)"),
    "too many arguments": ("y = at.exp(x, x)", "at.exp takes x, and is given 2 arguments", "at.exp(x, x)"),
    "unknown argument": ("y = at.sum(x, axes=1)", "at.sum has no argument 'axes'; did you mean 'axis'?", "at.sum(x, axes=1)"),
    "argument twice": ("y = at.sum(x, x=1)", "at.sum is given 'x' twice", "at.sum(x, x=1)"),
    "grid as a value": ("y = at.grid(3)", "at.grid must be in a for statement: for ... in at.grid(...)", "at.grid(3)"),
    "range as a value": ("y = at.range(3)", "at.range must be in a for statement: for ... in at.range(...)", "at.range(3)"),
    # Shapes
    "broadcast": ("y = x + at.full((1, 64), 0.0)", "cannot broadcast [BT, 256] with [1, 64]", "x + at.full((1, 64), 0.0)"),
    "rank": ("y = X[t]", "'X' has 2 dimensions and is given 1 index; ':' takes one whole", "X[t]"),
    "rank too high": ("y = W[t, :]", "'W' has 1 dimensions and is given 2 indices", "W[t, :]"),
    "float index": ("y = X[s, :]", "an index must be an integer, not a float", "s"),
    "tile index": ("y = X[x, :]", "an index is an integer, a span or ':', not a tile [BT, 256] of bf16", "x"),
    "tiles as index": ("y = X[at.tiles(T, BT), :]",
                       "at.tiles is a run of spans: loop over it with at.grid or at.range", "at.tiles(T, BT)"),
    "outside": ("y = W[256]", "index 256 lies outside dimension 0 of 'W', which has 256", "256"),
    "negative": ("y = X[-1, :]", "index -1 lies outside dimension 0 of 'X'", "-1"),
    "slice too long": ("y = W[0:512]", "this takes 512 elements of dimension 0 of 'W', which has 256", "0:512"),
    "slice with step": ("y = W[0:64:2]", "a slice with a step is not supported; of rows, t.map(offset, step) takes every step-th", "0:64:2"),
    "open slice": ("y = W[i:]", "the size of a slice must be a positive number known at compile time: X[a:a + 64], or X[a:] for "
                   "a number a", "i:"),
    "open slice of nothing": ("y = W[256:]", "index 256 lies outside dimension 0 of 'W', which has 256", "256:"),
    "slice from the end": ("y = W[-8:]", "index -8 lies outside dimension 0 of 'W', which has 256; write 248:", "-8:"),
    "shape without a pair": ("y = at.zeros(BT, 8)", "at.zeros takes a shape of rows and columns: at.zeros((1, D))", "at.zeros(BT, 8)"),
    "unknown slice size": ("y = W[i:7]", "the size of a slice must be a positive number known at compile time: X[a:a + 64]", "i:7"),
    "span of another dim": ("y = W[t]", "the span runs over T, but dimension 0 of 'W' is 256", "t"),
    "store shape": ("Y[t, :] = at.sum(x, 1)", "this part of 'Y' is [BT, 256], the tile [BT, 1]", "Y[t, :]"),
    "store of a row as a column": (
        "Y[t, 0] = at.sum(x, 1).T", "this part of 'Y' is [BT, 1], the tile [1, BT]; is '.T' missing?", "Y[t, 0]"
    ),
    "store of a span": ("Y[t, :] = t", "'Y' takes a tile or a number, not a span; .shift(n) moves a span, .base is its first index, .idx the column of all of them", "Y[t, :]"),
    "store of two values": ("Y[t, :] = at.softmax(x)", "'Y' takes a tile or a number, not 2 values; give them names: a, b = ...", "Y[t, :]"),
    "arithmetic on a state": ("z = at.softmax_state(BT, 256)\ny = z * 2.0",
                              "'*' takes tiles and numbers, not a softmax state [BT, 256]; .finish() gives its rows and their log-sum-exps",
                              "z * 2.0"),
    "store of a row after an index": ("for n in at.range(at.tiles(256, 8)):\n    Y[t.base, n] = at.zeros((1, 4))",
                                       "this part of 'Y' is [8, 1], the tile [1, 4]; an index and a span are a column of 'Y', and "
                                       "Y[i:i + 1, k] is a row", "Y[t.base, n]"),
    "tile index store": ("x[0, 0] = 1.0", "only arrays can be stored to, not a tile [BT, 256] of bf16; tiles are never changed: write at.where or at.concat",
                         "x[0, 0]"),
    "part of a tile": ("y = x[0]", "a part of a tile is some of its rows and columns: x[a:b], x[:, c:d]", "x[0]"),
    "part with a step": ("y = x[0:4:2]", "a part of a tile is some of its rows and columns: x[a:b], x[:, c:d]", "x[0:4:2]"),
    "runtime part": ("y = x[0:i]", "the rows of a tile are counted by numbers known at compile time and sizes, not by an "
                     "integer", "i"),
    "part of no rows": ("y = x[1:1]", "rows 1 to 1 are not a part whose size is known at compile time", "x[1:1]"),
    "part between sizes": ("y = x[BT:4]", "rows BT to 4 are not a part whose size is known at compile time", "x[BT:4]"),
    "part outside": ("y = x[0:2]", "rows 0 to 2 may lie outside of a tile of BT rows", "x[0:2]"),
    "part after": ("y = x[0:BT + 1]", "rows 0 to BT + 1 may lie outside of a tile of BT rows", "x[0:BT + 1]"),
    "part of no columns": ("y = x[:, 7:7]", "columns 7 to 7 are not a part whose size is known at compile time", "x[:, 7:7]"),
    "part after the columns": ("y = x[:, 0:257]", "columns 0 to 257 may lie outside of a tile of 256 columns", "x[:, 0:257]"),
    "runtime columns": ("y = x[:, 0:i]", "the columns of a tile are counted by numbers known at compile time and sizes, not by "
                        "an integer", "i"),
    "part of three": ("y = x[:, :, :]", "a part of a tile is some of its rows and columns: x[a:b], x[:, c:d]", "x[:, :, :]"),
    "concat axis": ("y = at.concat(x, x, axis=2)", "at.concat joins rows (axis 0) or columns (axis 1), not axis 2",
                    "at.concat(x, x, axis=2)"),
    "concat of rows": ("y = at.concat(x, at.zeros((1, D)), axis=1)", "at.concat takes tiles of equal rows and type, not a tile "
                       "[BT, 256] of bf16 and a tile [1, 256] of f32", "at.concat(x, at.zeros((1, D)), axis=1)"),
    "concat of numbers": ("y = at.concat(x, 1.0)", "at.concat takes tiles, not the number 1.0", "at.concat(x, 1.0)"),
    "concat of columns": ("y = at.concat(x, at.zeros((1, 64)))", "at.concat takes tiles of equal columns and type, not a tile "
                          "[BT, 256] of bf16 and a tile [1, 64] of f32", "at.concat(x, at.zeros((1, 64)))"),
    "concat of sizes": ("y = at.concat(x, x)", "at.concat cannot add 'BT', a size that the compiler chooses, and 'BT', a size "
                        "that the compiler chooses", "at.concat(x, x)"),
    "concat too long": ("y = at.concat(x, at.zeros((65537, D), at.bf16))", "the number of rows must be at most 65536 more than "
                        "BT, not 65537", "at.concat(x, at.zeros((65537, D), at.bf16))"),
    "index of a number": ("y = s[0]", "a float cannot be indexed", "s[0]"),
    "axis": ("y = at.sum(x, 2)", "at.sum reduces rows (axis 0) or columns (axis 1), not axis 2", "at.sum(x, 2)"),
    "reduced number": ("y = at.sum(s, 1)", "at.sum takes a tile, not a float", "at.sum(s, 1)"),
    "mean over rows": ("y = at.mean(x, 0)", "at.mean over rows is not supported: how many are valid is known only when "
                       "the kernel runs", "at.mean(x, 0)"),
    "full shape": ("y = at.full(4, 0.0)", "at.full takes a shape of rows and columns: at.full((1, D), 0.0)", "at.full(4, 0.0)"),
    "full runtime": ("y = at.full((i, 4), 0.0)", "a tile dimension must be a number known at compile time, at.Const or at.Auto",
                     "at.full((i, 4), 0.0)"),
    "full zero": ("y = at.full((0, 4), 0.0)", "a tile dimension must be between 1 and 2147483647, not 0", "at.full((0, 4), 0.0)"),
    "state runtime": ("st = at.softmax_state(i, D)", "the number of rows must be a number known at compile time, at.Const or at.Auto",
                      "at.softmax_state(i, D)"),
    "block is a float": ("for k in at.range(at.tiles(D, 0.5)):\n    pass",
                         "the block size must be a number, not the number 0.5", "at.tiles(D, 0.5)"),
    "push shapes": ("st = at.softmax_state(BT, D)\nst.push(x, x, per_row=True)",
                    "a state [BT, 256] takes scores [m, 1] and values [m, d], not [BT, 256] and [BT, 256]",
                    "st.push(x, x, per_row=True)"),
    "push forgotten per_row": ("st = at.softmax_state(BT, D)\nst.push(at.sum(x, 1), x)",
                               "a state [BT, 256] takes scores [m, k] and values [k, d], not [BT, 1] and [BT, 256]; for a "
                               "value of its own in each row add per_row=True", "st.push(at.sum(x, 1), x)"),
    "push integers": ("st = at.softmax_state(BT, 8)\nst.push(at.exp(x), at.zeros((D, 8), at.i8))",
                      "push takes values of f16, bf16 or f32, not i8", "st.push(at.exp(x), at.zeros((D, 8), at.i8))"),
    "push number": ("st = at.softmax_state(BT, D)\nst.push(s, x)", "push takes scores as a tile, not a float", "st.push(s, x)"),
    "push arguments": ("st = at.softmax_state(BT, D)\nst.push(x)", ".push takes scores and values, and per_row and part", "st.push(x)"),
    "push per_row": ("st = at.softmax_state(BT, D)\nst.push(at.sum(x, 1), x, per_row=1)",
                     "per_row is True or False", "st.push(at.sum(x, 1), x, per_row=1)"),
    "push part": ("st = at.softmax_state(8, D)\nst.push(at.zeros((3, 1)), at.zeros((1, D)), part=0)",
                  "a state [8, 256] does not have parts of 3 rows: both must be numbers, the first a multiple of the second",
                  "st.push(at.zeros((3, 1)), at.zeros((1, D)), part=0)"),
    "push part of sizes": ("st = at.softmax_state(BT, D)\nst.push(x, at.zeros((D, D)), part=0)",
                           "a state [BT, 256] does not have parts of BT rows: both must be numbers, the first a multiple of the "
                           "second", "st.push(x, at.zeros((D, D)), part=0)"),
    "push part number": ("st = at.softmax_state(8, D)\nst.push(at.zeros((4, 1)), at.zeros((1, D)), part=2)",
                         "part must be a number from 0 to 1, or the variable of at.range(2), not the number 2",
                         "st.push(at.zeros((4, 1)), at.zeros((1, D)), part=2)"),
    "push part variable": ("st = at.softmax_state(8, D)\nfor n in at.range(3):\n    st.push(at.zeros((4, 1)), at.zeros((1, D)), part=n)",
                           "part must be a number from 0 to 1, or the variable of at.range(2), not an integer",
                           "st.push(at.zeros((4, 1)), at.zeros((1, D)), part=n)"),
    "finish arguments": ("st = at.softmax_state(BT, D)\no, l = st.finish(3)", ".finish takes no arguments", "st.finish(3)"),
    "nameless state": ("y = at.softmax_state(BT, D).finish()",
                       "a softmax state needs a name before '.finish'", "at.softmax_state(BT, D).finish()"),
    # Spans
    "clip without a bound": ("y = t.clip()", ".clip takes (lo, hi=)", "t.clip()"),
    "clip with a third": ("y = t.clip(1, 2, 3)", ".clip takes (lo, hi=)", "t.clip(1, 2, 3)"),
    "clip by name": ("y = t.clip(1, low=2)", ".clip takes (lo, hi=)", "t.clip(1, low=2)"),
    "clip at a float": ("y = t.clip(s)", "'lo' of .clip must be an integer, not a float", "t.clip(s)"),
    "runtime window": ("y = t.window(i)", "'left' of .window must be a number known at compile time, not an integer",
                       "t.window(i)"),
    "runtime end of a window": ("y = t.window(1, i)", "'right' of .window must be a number known at compile time, not an integer",
                                "t.window(1, i)"),
    "negative window": ("y = t.window(-1)", "'left' of .window is between 0 and 32768, not -1", "t.window(-1)"),
    "negative end of a window": ("y = t.window(1, -1)", "'right' of .window is between 0 and 65535, not -1", "t.window(1, -1)"),
    "window of a wide span": ("y = t.window(4).window(32768)", "'left' of .window is between 0 and 32764, not 32768",
                              "t.window(4).window(32768)"),
    "window beyond all spans": ("y = t.window(40000, 30000)", "'right' of .window is between 0 and 25536, not 30000",
                                "t.window(40000, 30000)"),
    "clip of a mapped span": ("y = t.map(1, 2).clip(3)", "'.clip' must be before '.map': it counts rows of the span",
                              "t.map(1, 2).clip(3)"),
    "unknown part of a span": ("y = t.length", "a span has no '.length'", "t.length"),
    "near miss of a part": ("y = t.windows(3)", "a span has no '.windows'; did you mean '.window'?", "t.windows"),
    "part of several spans": ("y = at.tiles(T, BT).base", "at.tiles, a run of spans has no '.base'", "at.tiles(T, BT).base"),
    # Bands
    "band of numbers": ("y = at.band_dot(x, 1.0)", "at.band_dot takes tiles, not the number 1.0", "at.band_dot(x, 1.0)"),
    "band of columns": ("y = at.band_dot(x, at.zeros((BT, 4)))", "at.band_dot takes tiles of equal columns, not a tile [BT, 256] of "
                        "f32 and a tile [BT, 4] of f32", "at.band_dot(x, at.zeros((BT, 4)))"),
    "fewer rows than a band": ("y = at.band_dot(at.zeros((BT + 1, D)), x)", "at.band_dot needs a number of taps, one or more, not 0",
                               "at.band_dot(at.zeros((BT + 1, D)), x)"),
    "no taps": ("y = at.band_dot(x, at.zeros((8, D)))", "at.band_dot needs a number of taps, known at compile time",
                 "at.band_dot(x, at.zeros((8, D)))"),
    "taps of a size": ("y = at.band_mix(at.zeros((4, BT)), x)", "at.band_mix needs a number of taps, known at compile time",
                        "at.band_mix(at.zeros((4, BT)), x)"),
    "window of a mix": ("y = at.band_mix(at.zeros((BT, 3)), x)", "at.band_mix needs a window of BT + 2 rows for BT rows and 3 taps, "
                        "not BT", "at.band_mix(at.zeros((BT, 3)), x)"),
    "rows of a spread": ("y = at.band_spread(at.zeros((4, 3)), x)", "at.band_spread takes weights and rows of equal rows, not a tile "
                         "[4, 3] of f32 and a tile [BT, 256] of f32", "at.band_spread(at.zeros((4, 3)), x)"),
    "window of a spread": ("y = at.band_spread(at.zeros((BT, 3)), x, x)", "at.band_spread needs a window of BT + 2 rows for BT rows "
                           "and 3 taps, not BT", "at.band_spread(at.zeros((BT, 3)), x, x)"),
    "mask of a span": ("y = at.mask(at.zeros((BT, 3)), t)", "at.mask takes a mask or the '.valid' of a window, not a span",
                       "at.mask(at.zeros((BT, 3)), t)"),
    "mask of no window": ("y = at.mask(at.zeros((BT, 1)), t.valid)", "at.mask takes a mask or the '.valid' of a window, not the rows of a "
                          "span that exist", "at.mask(at.zeros((BT, 1)), t.valid)"),
    "mask of another window": ("y = at.mask(at.zeros((BT, 3)), t.window(2).valid)", "at.mask needs a window of BT + 2 rows for BT rows "
                               "and 3 taps, not BT + 4", "at.mask(at.zeros((BT, 3)), t.window(2).valid)"),
    "softmax of a number": ("y = at.softmax(s)", "at.softmax takes tiles, not a float", "at.softmax(s)"),
    # Across the cores
    "phase in a loop": ("at.phase()", "at.phase must be between the grids of a kernel, not inside a loop", "at.phase()"),
    "accumulate to an array": ("at.accumulate(Y, x)", "at.accumulate adds to an at.scratch, not to the array 'Y'", "at.accumulate(Y, x)"),
    # Types
    "i32 arithmetic": ("y = J[t] + 1", "arithmetic on i32 tiles is not supported yet; write .to(at.f32)", "J[t] + 1"),
    "i8 cast": ("y = at.zeros((BT, 8), at.i8).to(at.f32)", "a cast from i8 to f32 is not supported yet",
                "at.zeros((BT, 8), at.i8).to(at.f32)"),
    "no dtype": ("y = x.to(32)", ".to takes one dtype, such as at.f32", "x.to(32)"),
    "full dtype": ("y = at.full((1, 1), 0.0, 32)", "a dtype such as at.f32 is expected, not the number 32",
                   "at.full((1, 1), 0.0, 32)"),
    "slope of each element": ("y = at.leaky_relu(x, x)", "the slope of at.leaky_relu must be a number, not a tile [BT, 256] of bf16",
                              "at.leaky_relu(x, x)"),
    # Masks
    "stored mask": ("Y[t, :] = x < 0", "'Y' takes a tile or a number, not a mask [BT, 256]; write at.where(mask, a, b)", "Y[t, :]"),
    "arithmetic on a mask": ("y = (x < 0) + 1", "'+' takes tiles and numbers, not a mask [BT, 256]; write at.where(mask, a, b)", "(x < 0) + 1"),
    "function of a mask": ("y = at.exp(x < 0)", "at.exp takes tiles and numbers, not a mask [BT, 256]; write at.where(mask, a, b)", "at.exp(x < 0)"),
    "and of a number": ("y = (x < 0) & 1", "'&' takes masks, such as a < b, not the number 1", "(x < 0) & 1"),
    "and of conditions": ("y = x < 0 and x > 1", "a condition must be known at compile time (at.Const), not a mask [BT, 256]; masks "
                          "are joined by '&', '|' and '~'", "x < 0"),
    "if of a mask": ("if x < 0:\n    pass", "a condition must be known at compile time (at.Const), not a mask [BT, 256]; masks "
                     "are joined by '&', '|' and '~'", "x < 0"),
    "where of a tile": ("y = at.where(x, x, 0.0)", "at.where takes masks, such as a < b, not a tile [BT, 256] of bf16",
                        "at.where(x, x, 0.0)"),
    "shapes of where": ("y = at.where(x < 0, at.zeros((BT, 3)), 0.0)", "cannot broadcast [BT, 256] with [BT, 3]",
                        "at.where(x < 0, at.zeros((BT, 3)), 0.0)"),
    "shape of a mask": ("y = at.mask(at.zeros((BT, 1)), x < 0)", "at.mask takes a mask for a tile [BT, 1] of f32, not a mask [BT, 256]",
                        "at.mask(at.zeros((BT, 1)), x < 0)"),
    "valid beside a mask": ("y = t.window(1).valid & (x < 0)", "the '.valid' of a window of BT + 2 rows goes with masks of its taps, not "
                            "with a mask [BT, 256]", "t.window(1).valid & (x < 0)"),
    "valid beside a number": ("y = t.window(1).valid & 1", "'&' takes masks, such as a < b, not the rows of a span that exist",
                              "t.window(1).valid & 1"),
    "comparison with a span": ("y = x < t", "a comparison takes tiles, positions and numbers, not a span; .shift(n) moves a span, .base is its first index, .idx the column of all of them", "x < t"),
    "comparison of integers turned over": ("y = J[t] == J[t].T",
        "a comparison takes tiles, positions and numbers, not the transpose of a tile [BT, 1] of i32, which only '@' and at.dot "
        "take (of f16 and bf16 it is a tile); write .to(at.f32).T", "J[t] == J[t].T"),
    "positions of a size": ("y = at.arange(i)", "the number of columns must be a number known at compile time, at.Const or at.Auto",
                            "at.arange(i)"),
    "turned sum of positions": ("y = (t.idx - at.arange(4)).T", "'.T' turns the positions of a span, before anything is added to "
                                "others", "(t.idx - at.arange(4)).T"),
    "stored positions": ("Y[t, :] = t.idx", "'Y' takes a tile or a number, not positions [BT, 1]", "Y[t, :]"),
    "attribute of positions": ("y = t.idx.shape", "positions [BT, 1] has no '.shape'", "t.idx.shape"),
    "carried mask": ("m = x < 0\nfor n in at.range(3):\n    m = x < n", "'m' is a mask [BT, 256] before the loop and cannot be "
                     "changed in it", "m"),
    "span arithmetic": ("y = t + 1", "'+' takes tiles and numbers, not a span; .shift(n) moves a span, .base is its first index, .idx the column of all of them", "t + 1"),
    "symbol as a condition": ("if BT:\n    pass", "a condition must be known at compile time (at.Const), not 'BT', a size that the "
                              "compiler chooses", "BT"),
    "product of sizes": ("y = at.full((BT * 2, 4), 0.0)", "a tile dimension must be a number known at compile time, at.Const or "
                         "at.Auto", "at.full((BT * 2, 4), 0.0)"),
    "mean over a size": ("y = at.mean(at.full((1, BT), 0.0), 1)", "at.mean over 'BT', a size that the compiler chooses, is not "
                         "supported", "at.mean(at.full((1, BT), 0.0), 1)"),
    "array arithmetic": ("y = X * 2", "'*' takes tiles and numbers, not the array 'X'; load what is needed of it, such as X[t, :]", "X * 2"),
    "array and tile": ("y = x * X", "'*' takes tiles and numbers, not the array 'X'; load what is needed of it, such as X[t, :]", "x * X"),
    "tile floor": ("y = x // 2", "'//' takes integers, not a tile [BT, 256] of bf16", "x // 2"),
    "float floor": ("y = s // 2", "'//' takes integers, not a float", "s // 2"),
    "constant floor": ("y = 1.5 // 2", "'//' takes integers, not 1.5 and 2", "1.5 // 2"),
    "division by zero": ("y = 1 / 0", "division by zero", "1 / 0"),
    "quotient by zero": ("y = i // 0", "division by zero", "i // 0"),
    "remainder by zero": ("y = i % 0", "division by zero", "i % 0"),
    "tiles of zero": ("y = at.cdiv(i, 0)", "division by zero", "at.cdiv(i, 0)"),
    "too large": ("y = x * 1e300", "1e+300 does not fit f32", "x * 1e300"),
    "too large for an index": (f"y = i + {10**20}", "100000000000000000000 does not fit 64 bits", f"i + {10**20}"),
    "far too large for an index": ("y = i + 10 ** 300", "an integer of 997 bits does not fit 64 bits", "i + 10 ** 300"),
    "far too large for a float": ("y = x * 10 ** 300", "an integer of 997 bits does not fit f32", "x * 10 ** 300"),
    "far too large for a kernel": ("y = x * (10 ** 300 * 10 ** 300)", "an integer of 1994 bits is too large for a kernel",
                                   "10 ** 300 * 10 ** 300"),
    "captured and far too large": ("y = x * HUGE", "an integer of 13288 bits is too large for a kernel", "HUGE"),
    "logarithm of zero": ("y = at.log(0)", "at.log has no finite value at 0", "at.log(0)"),
    "runtime condition": ("if i:\n    pass", "a condition must be known at compile time (at.Const), not an integer", "i"),
    "runtime comparison": ("y = 1 if i > 3 else 2",
                           "a condition known when the kernel runs must be all of the test of an 'if' statement: put one 'if' "
                           "inside another instead of 'and', 'or' and 'not'", "i > 3"),
    "runtime comparison of floats": ("if s > 3:\n    pass", "a comparison must be known at compile time (at.Const), not a float",
                                     "s > 3"),
    "joined conditions": ("if i > 3 and i < 5:\n    pass",
                          "a condition known when the kernel runs must be all of the test of an 'if' statement: put one 'if' "
                          "inside another instead of 'and', 'or' and 'not'", "i > 3"),
    "changed in an if": ("if i > 3:\n    x = x + 1", "'x' is defined before this 'if', whose condition is known when the kernel "
                         "runs, and cannot be changed in it: store what it is", "x"),
    "only in an if": ("if i > 3:\n    z = x + 1\ny = z + 1", "'z' is defined only inside the 'if' of line 10", "z"),
    # Integers from memory
    "tile of indices": ("for j in at.each(J[:]):\n    pass\ny = at.each(J[:])",
                        "at.each must be in a for statement: for ... in at.each(...)", "at.each(J[:])"),
    "each of a tile": ("for j in at.each(x):\n    pass", "at.each takes a part of an array, such as X[b, h]", "x"),
    "each of floats": ("for j in at.each(X[:, 0]):\n    pass", "at.each goes over integers of memory (at.u16, at.i32, at.i64), not "
                       "over bf16 of 'X'", "X[:, 0]"),
    "each of one": ("for j in at.each(J[0]):\n    pass", "at.each goes over one dimension of 'J': index the others by numbers",
                    "J[0]"),
    "each of too many": ("for j in at.each(J[0, :]):\n    pass", "'J' has 1 dimensions and is given 2 indices", "J[0, :]"),
    "each by a span": ("for j in at.each(J[t]):\n    pass", "an index of it must be an integer, not a span", "t"),
    "each without a list": ("for j in at.each(count=3):\n    pass", "at.each takes a list in memory, and count=, stages= and start=: "
                            "at.each(idx[b, :], count=n)", "at.each(count=3)"),
    "count of each": ("for j in at.each(J[:], count=s):\n    pass", "the count of at.each must be an integer, not a float",
                      "at.each(J[:], count=s)"),
    "blocks without a step": ("for j in at.blocks(J[:], 32, BT):\n    pass",
                              "at.blocks takes a list in memory, the size of blocks, that of spans, step=, and count=, stages=, start= "
                              "and limit=: at.blocks(idx[b, :], size, BN, step=128, count=n)", "at.blocks(J[:], 32, BT)"),
    "blocks of floats": ("for j in at.blocks(X[:, 0], 32, BT, step=8):\n    pass",
                         "at.blocks goes over integers of memory (at.u16, at.i32, at.i64), not over bf16 of 'X'", "X[:, 0]"),
    "step of blocks": ("for j in at.blocks(J[:], 32, BT, step=i):\n    pass",
                       "the step of at.blocks must be a positive number, not an integer", "at.blocks(J[:], 32, BT, step=i)"),
    "size of blocks": ("for j in at.blocks(J[:], s, BT, step=8):\n    pass", "the size of blocks must be an integer, not a float",
                       "at.blocks(J[:], s, BT, step=8)"),
    "blocks and steps": ("for j in at.blocks(J[:], 36, BT, step=8):\n    pass",
                         "blocks of 36 rows are not a multiple of the step of at.blocks, 8", "at.blocks(J[:], 36, BT, step=8)"),
    "limit of blocks": ("for j in at.blocks(J[:], 32, BT, step=8, limit=s):\n    pass",
                        "the limit of at.blocks must be an integer, not a float", "at.blocks(J[:], 32, BT, step=8, limit=s)"),
    "positions of blocks": ("for j in at.blocks(J[:], 32, BT, step=8):\n    y = j.idx",
                            "rows of several blocks have no '.idx': give at.blocks spans of a number of rows that divides its step",
                            "j.idx"),
    "part of blocks": ("for j in at.blocks(J[:], 32, BT, step=8):\n    y = X[j.clip(3), :]",
                       "rows of several blocks have no '.clip': give at.blocks spans of a number of rows that divides its step",
                       "j.clip(3)"),
    "split by zero": ("y = at.split(i, 0, 0)", "at.split needs at least one part, not 0", "at.split(i, 0, 0)"),
    "split of a float": ("y = at.split(s, 2, 0)", "'n' of at.split must be an integer, not a float", "at.split(s, 2, 0)"),
    "merge of tiles": ("y = at.lse_merge(x, x)", "at.lse_merge takes a part of an array, such as X[b, h]", "x"),
    "merge of one": ("y = at.lse_merge(X)", "at.lse_merge takes o and lse, parts of arrays such as po[b, h] and pl[b, h]",
                     "at.lse_merge(X)"),
    "merge of other dims": ("y = at.lse_merge(X[0], X[0])", "at.lse_merge takes o with parts, rows and columns left and lse with the "
                            "same parts and rows, not [256] and [256]", "at.lse_merge(X[0], X[0])"),
    "gather by a tile": ("y = at.gather(X, x)", "an index is an integer, a span or ':', not a tile [BT, 256] of bf16",
                         "at.gather(X, x)"),
    "gather of a tile": ("y = at.gather(x, J[t])", "at.gather takes an array and a column of rows, not a tile [BT, 256] of bf16 and "
                         "a tile [BT, 1] of i32", "at.gather(x, J[t])"),
    "gather by a number": ("y = at.gather(X, 3)", "at.gather takes an array and a column of rows, not the array 'X' and the number "
                           "3", "at.gather(X, 3)"),
    "rows by a mapped list": ("y = X[J[t.map(1, 2)], :]", "the rows of a list follow each other: its span cannot have a '.map'",
                              "J[t.map(1, 2)]"),
    "columns by a list": ("y = X[0:4, J[t]]", "the columns of a tile follow each other in memory, and only the last may be missing: a "
                          "span after .window, .clip(lo, hi) or .map, and a list, give rows", "X[0:4, J[t]]"),
    "rows by another tile": ("y = X[J[0:4], :]", "rows are taken by a column of at.i32 as it was loaded, idx[t], not by a tile [1, 4] of "
                              "i32 that was computed or carried", "J[0:4]"),
    "size of a slice": ("y = X[i:2 * i, 0]", "the size of a slice must be a positive number known at compile time: X[a:a + 64]",
                        "i:2 * i"),
    # Arrays
    "store to an input": ("X[t, :] = x", "'X' is an argument and cannot be written: make an output with at.empty", "X[t, :]"),
    "read of an output": ("y = Y[t, :]", "'Y' is an output and cannot be read before an at.phase() after it is written: keep the "
                       "tile in a variable", "Y[t, :]"),
    "in place": ("Y[t, :] += x", "an array cannot be changed in place; store the new value", "Y[t, :] += x"),
    "empty in a loop": ('Z = at.empty("T", at.f32)', "at.empty must be before the loops of a kernel", 'at.empty("T", at.f32)'),
    "store of every block": ("L[0] = 1.0", "this store does not depend on 't': several blocks of the grid would write the same "
                             "part of 'L'", "L[0]"),
    # Loops
    "loop over a list": ("for n in x:\n    pass", "a kernel loops over at.grid(...), at.range(...), at.each(...) or at.blocks(...)", "x"),
    "grid in a grid": ("for n in at.grid(3):\n    pass", "at.grid must be at the top of a kernel, not inside a loop",
                       "for n in at.grid(3):"),
    "stages": ("for n in at.range(3, stages=9):\n    pass", "stages must be a number from 1 to 8, not the number 9",
               "at.range(3, stages=9)"),
    "range end": ("for n in at.range(s):\n    pass", "an end of at.range must be an integer, not a float", "at.range(s)"),
    "range with tiles and end": ("for n in at.range(at.tiles(D, 64), 3):\n    pass",
                                 "at.range takes at.tiles alone", "at.range(at.tiles(D, 64), 3)"),
    "loop variable taken": ("for x in at.range(3):\n    pass",
                            "'x' is defined already; choose another name for the loop variable", "x"),
    "loop variable pair": ("for a, b in at.range(3):\n    pass", "the variable of a loop must be a name", "a, b"),
    "carried shape": ("a = at.full((BT, 1), 0.0)\nfor n in at.range(3):\n    a = a + x",
                      "'a' is a tile [BT, 1] of f32 before the loop and a tile [BT, 256] of f32 after an iteration", "a"),
    "carried dtype": ("a = at.full((BT, D), 0.0)\nfor n in at.range(3):\n    a = x",
                      "'a' is a tile [BT, 256] of f32 before the loop and a tile [BT, 256] of bf16 after an iteration", "a"),
    "carried number": ("a = 0.0\nfor n in at.range(3):\n    a = a + x",
                       "'a' is a float before the loop and a tile [BT, 256] of f32 after an iteration; begin with at.full(...)",
                       "a"),
    "carried kind": ("a = 0\nfor n in at.range(3):\n    a = a + 0.5",
                     "'a' is an integer before the loop and a float after an iteration", "a"),
    "carried span": ("a = t\nfor n in at.range(3):\n    a = x", "'a' is a span before the loop and cannot be changed in it", "a"),
}  # fmt: skip


@pytest.mark.parametrize("name", IN_GRID)
def test_in_grid(tmp_path, name):
    body, message, underlined = IN_GRID[name]
    kernel_text.expect_error(lambda: kernel_text.compile_in_grid(tmp_path, body), message, underlined)


# (what is before the grid, what is in it, message, what is underlined)
BEFORE_GRID = {
    "assigned array": ("X = 3", "", "'X' is an array and cannot be assigned; store with X[...] = ...", "X"),
    "assigned output": ("Y = 3", "", "'Y' is an array and cannot be assigned; store with Y[...] = ...", "Y"),
    "store": ("L[0] = 1.0", "", "a store must be inside at.grid: outside, every core would do it", "L[0]"),
    "changed in the grid": ("a = s", "a = a + x", "'a' is defined before at.grid and changed inside: its iterations do not "
                            "depend on each other", "a"),
    "state pushed in the grid": ("st = at.softmax_state(1, D)", "st.push(x, x)", "'st' is defined before at.grid and changed "
                                 "inside: its iterations do not depend on each other", "st"),
    "empty without dims": ("Z = at.empty(3, at.f32)", "",
                           'at.empty takes its dims as a string such as "T D", not the number 3', "at.empty(3, at.f32)"),
    "empty with an unknown dim": ('Z = at.empty("T K", at.f32)', "", "at.empty: 'K' is neither a dimension of an argument "
                                  "nor a positive number", 'at.empty("T K", at.f32)'),
    "empty without dtype": ('Z = at.empty("T", 4)', "", "a dtype such as at.f32 is expected, not the number 4",
                            'at.empty("T", 4)'),
    "empty under an old name": ('s = at.empty("T", at.f32)', "", "'s' is defined already; choose another name for the output", "s"),
    "empty unnamed": ('a = (at.empty("T", at.f32), 3)[0] + 1', "",
                      "'+' takes tiles and numbers, not at.empty, an array without a name", '(at.empty("T", at.f32), 3)[0] + 1'),
    "output with accents": ('é = at.empty("T", at.f32)', "", "the output 'é' needs a name of ASCII letters", "é"),
    "not returned": ('Z = at.empty("T", at.f32)', "", "the output 'Z' is not returned", "Z"),
    "second grid": ("for n in at.grid(3):\n    a = s + 1", "", "a second at.grid (the first is in line 8) needs at.phase() before it",
                    "for t in at.grid(at.tiles(T, BT)):"),
    "phase first": ("at.phase()", "", "at.phase must be between two grids: no at.grid is before it", "at.phase()"),
    "phase twice": ("for n in at.grid(3):\n    a = s\nat.phase()\nat.phase()", "",
                    "at.phase must be between two grids: no at.grid is before it", "at.phase()"),
    "phase and no array": ("y = at.phase()", "", "at.phase must be between two grids: no at.grid is before it", "at.phase()"),
    "empty_like of an output": ("Z = at.empty_like(Y)", "", "at.empty_like takes an argument of the kernel that is an array, not the "
                                "array 'Y'", "at.empty_like(Y)"),
    "empty_like of a number": ("Z = at.empty_like(s)", "", "at.empty_like takes an argument of the kernel that is an array, not a float",
                               "at.empty_like(s)"),
    "zeros of a number": ("z = at.zeros(4)", "", "at.zeros takes a shape of rows and columns: at.zeros((1, D))", "at.zeros(4)"),
    "is of numbers": ("z = 1 if s is i else 2", "", "'is' asks for None: x is None, x is not None", "s is i"),
    "scratch of two dims": ('G = at.scratch("3 D", at.f32)', "", 'at.scratch is a row of f32 for each core: at.scratch("D", at.f32)',
                            'at.scratch("3 D", at.f32)'),
    "scratch of another type": ('G = at.scratch("D", at.f16)', "", 'at.scratch is a row of f32 for each core: at.scratch("D", at.f32)',
                                'at.scratch("D", at.f16)'),
    "scratch of no dim": ('G = at.scratch("K", at.f32)', "", "at.scratch: 'K' is neither a dimension of an argument nor a positive "
                          "number", 'at.scratch("K", at.f32)'),
    "scratch with accents": ('é = at.scratch("D", at.f32)', "", "the workspace 'é' needs a name of ASCII letters", "é"),
    "scratch in a loop": ("", 'G = at.scratch("D", at.f32)', "at.scratch must be before the loops of a kernel", 'at.scratch("D", at.f32)'),
    "store to a scratch": ('G = at.scratch("D", at.f32)', "G[:] = x", "'G' is a workspace: add to it with at.accumulate", "G[:]"),
    "read before the phase": ('G = at.scratch("D", at.f32)', "at.accumulate(G, at.sum(x, 0))\ny = G[:]",
                              "'G' is read: its total is known after at.phase()", "G[:]"),
    "read before the sum": ('G = at.scratch("D", at.f32)', "y = G[:]", "'G' is read before at.accumulate: its total is known after "
                            "at.phase()", "G[:]"),
    "accumulate in a loop": ('G = at.scratch("D", at.f32)', "for n in at.range(3):\n    at.accumulate(G, at.sum(x, 0))",
                             "at.accumulate must be in at.grid, outside of other loops", "at.accumulate(G, at.sum(x, 0))"),
    "accumulate twice": ('G = at.scratch("D", at.f32)', "at.accumulate(G, at.sum(x, 0))\nat.accumulate(G, at.sum(x, 0))",
                         "'G' is accumulated already in line 11: add up before", "at.accumulate(G, at.sum(x, 0))"),
    "accumulate a tile": ('G = at.scratch("D", at.f32)', "at.accumulate(G, x)", "'G' takes a row [1, 256] of f32, not a tile [BT, 256] of "
                          "bf16", "at.accumulate(G, x)"),
    "no axis": ("for n in at.grid():\n    a = s + 1", "", "at.grid needs at least one axis", "at.grid()"),
    "axis of a kind": ("for n in at.grid(s):\n    a = s + 1", "", "an axis of at.grid must be an integer, not a float", "s"),
    "argument of grid": ("for n in at.grid(3, depth=2):\n    a = s + 1", "", "at.grid has no argument 'depth'", "2"),
    "number of axes": ("for a, b in at.grid(3):\n    c = s", "", "a grid of 1 axes gives 1 values, not 2", "a, b"),
    "base in a grid": ("for n in at.grid(at.tiles(T, BT, base=3)):\n    a = s", "",
                       "at.tiles with a base is not supported in at.grid", "at.tiles(T, BT, base=3)"),
}  # fmt: skip


@pytest.mark.parametrize("name", BEFORE_GRID)
def test_before_grid(tmp_path, name):
    before, body, message, underlined = BEFORE_GRID[name]
    kernel_text.expect_error(lambda: kernel_text.compile_in_grid(tmp_path, body, before), message, underlined)


# (definition, body, message, what is underlined)
WHOLE = {
    "no annotation": ("def k(X):", "return X", "the argument 'X' needs an annotation, such as at.Tensor[\"T D\"] or float", "X"),
    "annotation": ("def k(X: str):", "return X", "the argument 'X' must be annotated with at.Tensor[...], at.Tensors[...], float, "
                   "int, at.Const[...] or at.Auto(lo, hi)", "X: str"),
    "dim of what is None": ('def k(s: float, X: at.Tensor["T"] | None = None):', "y = s * T\nreturn None",
                            "the dimension T is not known: the arguments that have it are None", "T"),
    "star": ("def k(*X):", "return X", "a kernel takes a fixed number of arguments, no *args or **kwargs", "X"),
    "double star": ("def k(**X):", "return X", "a kernel takes a fixed number of arguments, no *args or **kwargs", "X"),
    "symbol in small letters": ("def k(bt: at.Auto(1, 4)):", "return bt",
                                "'bt' needs a name of capital letters, digits and underscores", "bt: at.Auto(1, 4)"),
    "argument with accents": ("def k(é: float):", "return é", "the argument 'é' needs a name of ASCII letters", "é: float"),
    "dim and argument": ('def k(T: int, X: at.Tensor["T"]):', "return X", "'T' is both an argument and a dimension",
                         'X: at.Tensor["T"]'),
    "kernel with accents": ("def ké(s: float):", "return s", "the kernel 'ké' needs a name of ASCII letters",
                            "def ké(s: float):"),
    "return in a loop": ('def k(X: at.Tensor["A"], BT: at.Auto(1, 4)):', """
                         Y = at.empty("A", at.f32)
                         for t in at.grid(at.tiles(A, BT)):
                             return Y""", "the kernel 'k' must end with 'return' and its outputs, after its loops", "return Y"),
    "no return": ("def k(s: float):", "pass", "the kernel 'k' must end with 'return' and its outputs", "def k(s: float):"),
    "empty return": ("def k(s: float):", "return", "a kernel returns its outputs, made with at.empty", "return"),
    "return of a number": ("def k(s: float):", "return s", "a kernel returns its outputs, made with at.empty", "s"),
    "return of an input": ('def k(X: at.Tensor["T"]):', "return X", "a kernel returns its outputs, made with at.empty", "X"),
    "returned twice": ('def k(X: at.Tensor["T"]):', 'Y = at.empty("T", at.f32)\nreturn Y, Y', "'Y' is returned twice", "Y"),
    "async": ("async def k(s: float):", "return s", "a kernel is a plain function, not an async one", "async def k(s: float):"),
    "three spans": ('def k(X: at.Tensor["A B C"], BT: at.Auto(1, 4)):', """
                    Y = at.empty("A", at.f32)
                    for t in at.grid(at.tiles(A, BT)):
                        x = X[t, :, :]
                    return Y""", "this selects 3 dimensions of 'X'; a tile has two: index the others by numbers", "X[t, :, :]"),
    "start of a merge": ('def k(s: float, P: at.Tensor["A 64 64"], L: at.Tensor["A 64"]):', """
                         Y = at.empty("A", at.f32)
                         for a in at.grid(A):
                             y = at.lse_merge(P[:], L[:], start=s)
                         return Y""", "the start of at.lse_merge must be an integer, not a float",
                         "at.lse_merge(P[:], L[:], start=s)"),
    "phase last": ('def k(X: at.Tensor["A"], BT: at.Auto(1, 4)):', """
                   Y = at.empty("A", at.f32)
                   for t in at.grid(at.tiles(A, BT)):
                       Y[t] = X[t]
                   at.phase()
                   return Y""", "at.phase must be between two grids: no at.grid follows it", "at.phase()"),
    "list whole": ('def k(X: at.Tensors["N", "A"], BT: at.Auto(1, 4)):', """
                   Y = at.empty("A", at.f32)
                   for t in at.grid(at.tiles(N, BT)):
                       x = X[0:2, :]
                   return Y""", "'X' is a list of tensors: its first index is a number or a span", "0:2"),
    "state outside its name": ("def k(s: float):", "st = (at.softmax_state(1, 4), s)\nst[0].push(s, s)\nreturn s",
                               "a softmax state needs a name before '.push'", "st[0].push(s, s)"),
    "too deep": ("def k(s: float):", f"y = {'-' * 900}s\nreturn y",
                 "an expression or a loop nest of this kernel is too deep", "def k(s: float):"),
}  # fmt: skip


@pytest.fixture
def usual_depth():
    """Python's own limit, which other tests may have raised in this process: torch.compile does."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    yield
    sys.setrecursionlimit(before)


@pytest.mark.parametrize("name", WHOLE)
def test_whole(tmp_path, name, usual_depth):
    head, body, message, underlined = WHOLE[name]
    body = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    kernel = kernel_text.define(tmp_path, f"@attn.kernel\n{head}\n{body}\n", "ké" if "ké" in head else "k")

    def compile_it():
        arrays = kernel.signature.of_kind("array")
        given = [p for p in arrays if not p.about.optional]
        return kernel.compile(**{p.name: at.spec("64 " * len(p.about.dims), at.f32) for p in given})

    kernel_text.expect_error(compile_it, message, underlined)


def test_columns_count_characters(tmp_path):
    """A caret stands below its character also after letters that take several bytes."""
    kernel_text.expect_error(lambda: kernel_text.compile_in_grid(tmp_path, "é = x + z"), "unknown name 'z'", "z")


def test_tabs_before_the_caret(tmp_path):
    text = "@attn.kernel\ndef k(s: float):\n\ty = s + z\n\treturn y\n"
    with pytest.raises(attn.CompileError) as caught:
        kernel_text.define(tmp_path, text).compile()
    assert str(caught.value).splitlines()[1:] == ["\ty = s + z", "\t        ^"]


def test_no_source(tmp_path):
    scope = {"attn": attn, "at": at}
    exec("@attn.kernel\ndef k(s: float):\n    return s\n", scope)
    with pytest.raises(attn.CompileError, match="the source of 'k' cannot be read: a kernel must be in a file"):
        scope["k"].compile()


def test_position_and_message(tmp_path):
    kernel = kernel_text.define(tmp_path, "@attn.kernel\ndef k(s: float):\n    return z\n")
    with pytest.raises(attn.CompileError) as caught:
        kernel.compile()
    assert caught.value.message == "unknown name 'z'"
    assert caught.value.position == (kernel.source.path, 6, 12)


def test_errors_of_the_native_module(tmp_path):
    """What the verifier or a pass says about an op is shown at the op's Python line."""
    kernel_text.define(tmp_path, "@attn.kernel\ndef k(s: float):\n    return z\n")
    path = next(tmp_path.glob("*.py"))
    text = f'''func.func @k() {{
      %c = arith.constant 1.0 : f32
      %x = tile.splat %c : f32 -> !tile.tile<4 x 4 x f32>
      %y = tile.reduce sum %x axis 1 : !tile.tile<4 x 4 x f32> -> !tile.tile<4 x 4 x f32> loc("y"("{path}":6:12))
      return
    }}'''
    with pytest.raises(attn.CompileError) as caught:
        compiler.parse(text, None)
    first, line, caret = str(caught.value).splitlines()[:3]
    assert first.startswith(f"{path}:6:12: error: 'tile.reduce' op gives")
    assert (line, caret) == ("    return z", "           ^")


def test_unknown_chip(tmp_path):
    with pytest.raises(attn.CompileError, match="^error: .*Ascend910B4"):
        kernel_text.compile_in_grid(tmp_path, "pass", soc="Ascend310")
