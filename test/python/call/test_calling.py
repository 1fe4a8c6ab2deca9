"""What a call checks on the host, and what it hands to the native runtimes."""

import re
import weakref

import pytest
import torch

import attn
import attn.language as at
import kernel_text
from attn import _core, _host
from attn.call import planning
from kernels_dsl.attn_res import attn_res_fwd


class FakeProgram:
    """Stands for a compiled program: keeps the arguments it is run with."""

    def __init__(self, text):
        self.text = text
        self.runs = []

    def prepare(self, arguments):
        return FakeLaunch(self, arguments)


class FakeLaunch:
    def __init__(self, program, arguments):
        self._program, self._arguments = program, arguments

    def run(self, addresses, floats, threads):
        addresses, floats = iter(addresses), iter(floats)
        self._program.runs.append([self._replace(argument, addresses, floats) for argument in self._arguments])

    @staticmethod
    def _replace(argument, addresses, floats):
        if isinstance(argument, tuple):
            return next(addresses), *argument[1:]
        return next(floats) if isinstance(argument, float) else argument


@pytest.fixture
def programs(monkeypatch):
    """The programs that calls compile, in order."""
    made = []

    def load_it(description, code):
        made.append(FakeProgram(code))
        return made[-1]

    monkeypatch.setenv("ATTN_CACHE", "0")
    monkeypatch.setattr(_core, "jit_compile", lambda module, optimize: ('{"checks": []}', module.text()))
    monkeypatch.setattr(_host, "Kernel", load_it)
    attn_res_fwd.forget()
    yield made
    attn_res_fwd.forget()


def inputs(blocks=3, tokens=5, width=64, dtype=torch.float32):
    return (
        torch.zeros(blocks, tokens, width, dtype=dtype),
        torch.zeros(width, dtype=dtype),
        torch.zeros(width, dtype=dtype),
    )


def test_outputs_are_made_and_returned(programs):
    h, lse, sc, rs = attn_res_fwd(*inputs(dtype=torch.bfloat16), 1e-6)
    assert (h.shape, h.dtype) == ((5, 64), torch.bfloat16)
    assert (lse.shape, lse.dtype) == ((5,), torch.float32)
    assert sc.shape == rs.shape == (5, 3)
    assert '#machine.target<"host">' in programs[0].text
    assert programs[0].runs[0][4] == (h.data_ptr(), (5, 64), (64, 1))


def test_arguments_in_the_order_of_the_ir(programs):
    values, w_query, w_norm = inputs()
    view = values.transpose(0, 1).contiguous().transpose(0, 1)[:, 1:]
    attn_res_fwd(view, wn=w_norm, wq=w_query, eps=1)
    arguments = programs[0].runs[0]
    assert arguments[0] == (view.data_ptr(), (3, 4, 64), (64, 192, 1))
    assert arguments[1] == (w_query.data_ptr(), (64,), (1,))
    assert arguments[3] == 1.0 and isinstance(arguments[3], float)


def test_one_program_serves_every_runtime_size(programs):
    attn_res_fwd(*inputs(blocks=3, tokens=5), 1e-6)
    attn_res_fwd(*inputs(blocks=9, tokens=2), 1e-5)
    assert len(programs) == 1 and len(programs[0].runs) == 2
    attn_res_fwd(*inputs(width=128), 1e-6)
    attn_res_fwd(*inputs(dtype=torch.float16), 1e-6)
    attn_res_fwd(*inputs(), 1e-6, BT=4)
    assert len(programs) == 4


def test_a_list_goes_as_a_table(programs):
    values, w_query, w_norm = inputs()
    blocks = [block.clone() for block in values]
    attn_res_fwd(blocks, w_query, w_norm, 1e-6)
    assert programs[0].runs[0][0] == ([block.data_ptr() for block in blocks], (3, 5, 64), (0, 64, 1))
    specs = dict(V=at.spec("3 ? 64", at.f32, table=True), wq=at.spec("64", at.f32), wn=at.spec("64", at.f32))
    assert "!tile.array<?x?x64xf32, table>" in attn_res_fwd.compile(**specs).ir("source")


def test_no_tokens(programs):
    h, _, _, rs = attn_res_fwd(*inputs(tokens=0), 1e-6)
    assert h.shape == (0, 64) and rs.shape == (0, 3)


def test_a_single_output_is_no_tuple(tmp_path, programs):
    kernel = kernel_text.define(tmp_path, """
        @attn.kernel
        def k(X: at.Tensor["T D"], s: float = 2.5, C: at.Const[float] = 3, BT: at.Auto(1, 64) = None):
            Y = at.empty("T D", X.dtype)
            for t in at.grid(at.tiles(T, BT)):
                Y[t, :] = X[t, :] * s * C
            return Y
    """)  # fmt: skip
    assert kernel(torch.zeros(3, 16)).shape == (3, 16)
    assert programs[0].runs[0][1] == 2.5


@pytest.mark.parametrize("change, error, message", [
    (dict(V=torch.zeros(3, 64)), ValueError, "V: 3 dimensions (N T D) are expected, not the shape [3, 64]"),
    (dict(wq=torch.zeros(32)), ValueError, "wq: dimension 0 (D) is 32, which does not equal D = 64 of V"),
    (dict(V=torch.zeros(3, 5, 0), wq=torch.zeros(0), wn=torch.zeros(0)), ValueError, "dimension D must be between 1 and 2147483647, not 0"),
    (dict(V=torch.zeros(3, 64, 5).transpose(1, 2)), ValueError,
     "V: the last dimension must be contiguous, but the strides are (320, 1, 5)"),
    (dict(V=torch.zeros(3, 5, 64)._neg_view()), ValueError, "V: a view that negates other memory: call on V.resolve_neg()"),
    (dict(V=torch.zeros(3, 5, 64).to_sparse()), TypeError, "V: a tensor with strides is expected, not one of torch.sparse_coo"),
    (dict(V=torch.zeros(3, 5, 64, dtype=torch.float64)), TypeError,
     "V: torch.float64 is not supported; known: torch.float32, torch.float16, torch.bfloat16, torch.int8, torch.int32, "
     "torch.int64, torch.uint16"),
    (dict(V=torch.zeros(3, 5, 64, device="meta")), ValueError, "V: a tensor on the CPU or an NPU is expected, not on meta"),
    (dict(V=3), TypeError, "V: a tensor is expected, not int"),
    (dict(V=[]), ValueError, "V: the list of tensors is empty"),
    (dict(V=[torch.zeros(5, 64), torch.zeros(4, 64)]), ValueError, "V[1] differs from V[0]: shape (4, 64), strides (64, 1), "
     "torch.float32 against shape (5, 64), strides (64, 1), torch.float32"),
    (dict(V=[torch.zeros(5, 64), 3]), TypeError, "V[1]: a tensor is expected, not int"),
    (dict(eps="small"), TypeError, "eps: float is expected, not 'small'"),
    (dict(eps=True), TypeError, "eps: float is expected, not True"),
    (dict(BT=65), ValueError, "BT: 65 lies outside 1 to 64"),
    (dict(BT=2.0), TypeError, "BT: an integer is expected, not 2.0"),
    (dict(BT=10**300), ValueError, "BT: an integer of 997 bits lies outside 1 to 64"),
    (dict(eps=10**400), ValueError, "eps: an integer of 1329 bits does not fit f32"),
    (dict(NMAX=2**63), ValueError, "NMAX: 9223372036854775808 does not fit 64 bits"),
    (dict(NMAX=10**5000), ValueError, "NMAX: an integer of 16610 bits does not fit 64 bits"),
    (dict(strips="x"), ValueError, "strips: a multiple of 64 up to 2147483647, or 0 for the compiler's choice, is expected, not 'x'"),
    (dict(strips=10**12), ValueError,
     "strips: a multiple of 64 up to 2147483647, or 0 for the compiler's choice, is expected, not 1000000000000"),
    (dict(strips=100), ValueError, "strips: a multiple of 64 up to 2147483647, or 0 for the compiler's choice, is expected, not 100"),
    (dict(strips=True), ValueError, "strips: a multiple of 64 up to 2147483647, or 0 for the compiler's choice, is expected, not True"),
    (dict(lanes=12), ValueError, "lanes: 4 or 8 or 16 is expected, not 12"),
    (dict(composites="often"), ValueError, "composites: True or False is expected, not 'often'"),
    (dict(softmax=3), ValueError, "softmax: a word is expected, not 3"),
    (dict(preload=-1), ValueError, "preload: a number up to 14 is expected, not -1"),
    (dict(part=1.5), ValueError, "part: a multiple of 16 up to 1024 is expected, not 1.5"),
    (dict(part=8), ValueError, "part: a multiple of 16 up to 1024 is expected, not 8"),
    (dict(strip_rows=3), ValueError, "strip_rows: a multiple of 8 up to 1024 is expected, not 3"),
    (dict(preload=1, lag=2), ValueError, "lag: at most the preload, 1, is expected, not 2"),
    (dict(kernel_form="old"), ValueError, "kernel_form: 'attribute' or 'task-type' is expected, not 'old'"),
    (dict(strip=64), TypeError, "'strip' is neither an argument of the kernel nor an option of the compiler (band, bounds, composites, "
     "kernel_form, lag, lanes, order, part, phases, preload, run_on, slots, softmax, source_comments, strip_rows, strips); did you mean 'strips' or 'strip_rows'?"),
    (dict(colour=3), TypeError, "'colour' is neither an argument of the kernel nor an option of the compiler (band, bounds, composites, "
     "kernel_form, lag, lanes, order, part, phases, preload, run_on, slots, softmax, source_comments, strip_rows, strips)"),
])  # fmt: skip
def test_wrong_arguments(programs, change, error, message):
    V, wq, wn = inputs()
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        attn_res_fwd(**{**dict(V=V, wq=wq, wn=wn, eps=1e-6), **change})
    assert not programs


def test_wrong_number_of_arguments(programs):
    V, wq, wn = inputs()
    for arguments, keywords, message in [
        ((V, wq), {}, "wn: a tensor is expected, not nothing"),
        ((V, wq, wn), {}, "attn_res_fwd needs the number 'eps'"),
        ((V, wq, wn, 1e-6, "streaming", 8, False, 4), {},
         "attn_res_fwd takes 7 arguments (V, wq, wn, eps, form, NMAX, round_key), not 8"),
        ((V, wq, wn, 1e-6), {"V": V}, "attn_res_fwd is given 'V' twice"),
    ]:  # fmt: skip
        with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
            attn_res_fwd(*arguments, **keywords)


TYPED = """
    @attn.kernel
    def k(X: at.Tensors["N", "T 16", at.f16], n: int, C: at.Const[int], BT: at.Auto(1, 64)):
        Y = at.empty("T 16", at.f16)
        for t in at.grid(at.tiles(T, BT)):
            Y[t, :] = X[n, t, :] * C
        return Y
"""


@pytest.mark.parametrize("change, error, message", [
    (dict(X=torch.zeros(2, 3, 16, dtype=torch.float16)), TypeError, "X: a list of tensors is expected"),
    (dict(X=[torch.zeros(3, 16)]), TypeError, "X: dtype f16 is expected, not f32"),
    (dict(X=[torch.zeros(3, 8, dtype=torch.float16)]), ValueError, "X: dimension 2 must be 16, not 8"),
    (dict(n=1.0), TypeError, "n: int is expected, not 1.0"),
    (dict(n=2**63), ValueError, "n: 9223372036854775808 does not fit 64 bits"),
    (dict(n=-(10**5000)), ValueError, "n: an integer of 16610 bits does not fit 64 bits"),
    (dict(C=None), TypeError, "C: a constant of type int is expected, not None"),
])  # fmt: skip
def test_typed_arguments(tmp_path, programs, change, error, message):
    kernel = kernel_text.define(tmp_path, TYPED)
    arguments = dict(X=[torch.zeros(3, 16, dtype=torch.float16)], n=0, C=2)
    assert kernel(**arguments).shape == (3, 16)
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        kernel(**{**arguments, **change})
    with pytest.raises(TypeError, match="^k needs the constant 'C'$"):
        kernel(arguments["X"], 0)


def test_specs_are_checked():
    weight = at.spec("64", at.f32)
    line = attn_res_fwd.signature.specialised["D"]
    for change, error, message in [
        (dict(V=at.spec("? ? ?", at.f32), wq=at.spec("?", at.f32), wn=at.spec("?", at.f32)), ValueError,
         f"dimension D is a dimension of tiles (line {line}): give its number, not '?'"),
        (dict(wn=at.spec("32", at.f32)), ValueError, "wn: dimension 0 (D) is 32, which does not equal D = 64 of V"),
        (dict(wn=None), TypeError, 'wn: a spec such as at.spec("? 4096", at.bf16) is expected; it is missing'),
        (dict(wn=3), TypeError, 'wn: a spec such as at.spec("? 4096", at.bf16) is expected; it is 3'),
        (dict(wn=torch.zeros(64)), TypeError,
         'wn: a spec such as at.spec("? 4096", at.bf16) is expected; it is of type Tensor'),
        (dict(V=at.spec("? 64", at.f32)), ValueError, "V: 3 dimensions (N T D) are expected, not the shape [?, 64]"),
    ]:  # fmt: skip
        specs = {**dict(V=at.spec("? ? 64", at.f32), wq=weight, wn=weight), **change}
        with pytest.raises(error, match=f"^{re.escape(message)}$"):
            attn_res_fwd.compile(**specs)


def test_a_number_of_one_spec_serves_the_others():
    any_size = at.spec("?", at.f32)
    text = attn_res_fwd.compile(V=at.spec("8 ? 64", at.f32), wq=any_size, wn=any_size).ir("source")
    assert "!tile.array<?x?x64xf32>" in text and "!tile.array<64xf32>" in text


@pytest.fixture
def simulations(monkeypatch):
    """The calls of the modelled chip: (arguments, timing_only)."""
    calls = []
    run = _core.simulate

    def record(module, arguments, timing_only, **options):
        calls.append((arguments, timing_only))
        return run(module, arguments, timing_only=timing_only, **options)

    monkeypatch.setattr(_core, "simulate", record)
    return calls


def test_simulation_gives_outputs_and_a_report(simulations):
    run = attn.simulate(attn_res_fwd, *inputs(), 1e-6, soc="910B4")
    assert run.report.hazards == [] and run.report.time_us > 0 and run.outputs[0].shape == (5, 64)
    arguments, timing_only = simulations[0]
    assert len(arguments) == 8 and not timing_only


def test_timing_needs_no_tensors(simulations):
    weight = at.spec("64", at.bf16)
    run = attn.simulate(attn_res_fwd, at.spec("8 4 64", at.bf16), weight, weight, 1e-6, timing_only=True)
    assert run.outputs is None and run.report.time_us > 0
    arguments, timing_only = simulations[0]
    assert timing_only and arguments[0] == (0, (8, 4, 64), (256, 64, 1)) and arguments[4] == (0, (4, 64), (64, 1))
    attn.simulate(attn_res_fwd, at.spec("2 4 64", at.bf16, table=True), weight, weight, 1e-6, timing_only=True)
    assert simulations[1][0][0] == ([0, 0], (2, 4, 64), (0, 64, 1))
    with pytest.raises(ValueError, match="a number is needed for every dimension"):
        attn.simulate(attn_res_fwd, at.spec("? 4 64", at.bf16), weight, weight, 1e-6, timing_only=True)


# Outputs in the form of an argument, and outputs of the caller


LIKE = """
    @attn.kernel
    def k(V: at.Tensor["N T D"], B: at.Tensor["T D"] | None = None, sums: at.Const[bool] = False, BT: at.Auto(1, 64) = None):
        W = at.empty_like(V)
        S = at.empty("T", at.f32) if sums else None
        for n, t in at.grid(N, at.tiles(T, BT)):
            v = V[n, t, :] * 2 if B is None else V[n, t, :] + B[t, :]
            W[n, t, :] = v
        return W, S
"""


@pytest.fixture
def like(tmp_path):
    return kernel_text.define(tmp_path, LIKE)


def test_a_list_gives_a_list(like):
    blocks = [torch.randn(7, 24) for _ in range(3)]
    doubled, sums = like(blocks)
    assert isinstance(doubled, list) and sums is None
    assert all(torch.equal(given * 2, made) for given, made in zip(blocks, doubled, strict=True))
    simulated = attn.simulate(like, blocks)
    assert simulated.report.hazards == [] and all(map(torch.equal, simulated.outputs[0], doubled))


def test_outputs_take_the_memory_order(like):
    for given in (
        torch.randn(5, 3, 24).transpose(0, 1),
        torch.randn(3, 9, 24)[:, ::2],
        torch.randn(1, 5, 24).expand(3, 5, 24),
    ):
        doubled, _ = like(given)
        assert torch.equal(doubled, given * 2) and doubled.stride() == torch.empty_like(given).stride()
        assert torch.equal(attn.simulate(like, given).outputs[0], doubled)


def test_rows_that_overlap(like):
    sliding = torch.randn(60).as_strided((3, 5, 16), (20, 1, 1))
    doubled, _ = like(sliding)
    assert torch.equal(doubled, sliding * 2) and doubled.stride(-1) == 1
    assert torch.equal(attn.simulate(like, sliding).outputs[0], doubled)


def test_optional_arrays(like, programs):
    V, B = torch.zeros(2, 3, 16), torch.zeros(3, 16)
    like(V)
    like(V, None)
    like(V, B)
    assert [len(arguments) for program in programs for arguments in program.runs] == [2, 2, 3]
    assert len(programs) == 2


def test_outputs_of_the_caller(like):
    V = torch.randn(2, 5, 16)
    mine = torch.full((2, 5, 32), 7.0)[:, :, 8:24]
    doubled, sums = like.run({"V": V}, outputs={"W": mine}, BT=2)
    assert doubled is mine and sums is None and torch.equal(mine, V * 2)
    blocks, made = list(V), [torch.zeros(5, 16) for _ in range(2)]
    assert like.run({"V": blocks}, {"W": made})[0] is made and torch.equal(made[1], V[1] * 2)
    other = torch.zeros(2, 5, 16)
    assert attn.simulate(like, V, outputs={"W": other}).outputs[0] is other and torch.equal(other, V * 2)


@pytest.mark.parametrize("outputs, error, message", [
    (dict(Z=torch.zeros(2, 5, 16)), TypeError, "k has no output 'Z'"),
    (dict(S=torch.zeros(5)), TypeError, "k has no output 'S'"),
    (dict(W=torch.zeros(2, 4, 16)), ValueError, "W: an array [2, 5, 16] of f32 is expected, not an array [2, 4, 16] of f32"),
    (dict(W=torch.zeros(2, 5, 16).half()), ValueError, "W: an array [2, 5, 16] of f32 is expected, not an array [2, 5, 16] of f16"),
    (dict(W=[torch.zeros(5, 16)] * 2), ValueError, "W: an array [2, 5, 16] of f32 is expected, not a list [2, 5, 16] of f32"),
    (dict(W=torch.zeros(2, 16, 5).mT), ValueError, "W: the last dimension must be contiguous, but the strides are (80, 1, 5)"),
    (dict(W=torch.zeros(2, 1, 16).expand(2, 5, 16)), ValueError, "W: elements of an output share memory; the strides are (16, 0, 1)"),
])  # fmt: skip
def test_wrong_outputs(like, outputs, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        like.run({"V": torch.zeros(2, 5, 16)}, outputs)


def test_outputs_that_share_memory(like):
    memory = torch.zeros(4, 5, 32)
    V = memory[0:2, :, 0:16]
    for output, other in [
        (V, "V"),
        (memory[0:2, :, 8:24], "V"),
        (memory[1:3, :, 0:16], "V"),
        (memory.view(-1)[8 : 8 + 160].view(2, 5, 16), "V"),
    ]:
        message = f"^W: the output shares memory with '{other}'; give it memory of its own$"
        for call in (lambda: like.run({"V": V}, {"W": output}), lambda: attn.simulate(like, V, outputs={"W": output})):
            with pytest.raises(ValueError, match=message):
                call()
    blocks = [torch.zeros(5, 16) for _ in range(2)]
    with pytest.raises(ValueError, match="^W: the output shares memory with 'V'; give it memory of its own$"):
        like.run({"V": blocks}, {"W": [torch.zeros(5, 16), blocks[0]]})


def test_outputs_beside_inputs_in_one_array(like):
    """Columns of the same rows, other rows, every second row: parts of an array that have no element in common."""
    memory = torch.randn(8, 10, 64)
    for V, W in [
        (memory[0:2, 0:5, 0:16], memory[0:2, 0:5, 16:32]),
        (memory[0:2, 0:5, 16:32], memory[0:2, 0:5, 0:16]),
        (memory[0:2, 0:5, 0:16], memory[0:2, 5:10, 0:16]),
        (memory[0:2, 0::2, 0:16], memory[0:2, 1::2, 0:16]),
        (memory[0:4:2, 0:5, 0:16], memory[1:5:2, 0:5, 0:16]),
        (memory[0:2, 0:5, 0:16], memory[2:4, 0:5, 0:16]),
        (memory[0:2, 0:5, 0:16].transpose(0, 1).contiguous().transpose(0, 1), memory[0:2, 0:5, 0:16]),
    ]:
        assert like.run({"V": V}, {"W": W})[0] is W and torch.equal(W, V * 2)


def test_two_outputs_in_one_place():
    V, wq, wn = inputs(blocks=3, tokens=5)
    memory = torch.zeros(5, 3)
    with pytest.raises(ValueError, match="^rs: the output shares memory with 'sc'; give it memory of its own$"):
        attn_res_fwd.run(dict(V=V, wq=wq, wn=wn, eps=1e-6), {"sc": memory, "rs": memory})


def test_gradients_are_not_lost_silently(like):
    V = torch.randn(2, 5, 16)
    doubled, _ = like(V)
    V.requires_grad_()
    message = "^" + re.escape(
        "V: the tensor requires grad, and kernels compute no gradients: call on V.detach() or under torch.no_grad(), or "
        "use an operator of attn.ops"
    )
    for call in (lambda: like(V), lambda: like(list(V)), lambda: attn.simulate(like, V), lambda: attn.verify(like, V)):
        with pytest.raises(ValueError, match=message):
            call()
    with torch.no_grad():
        assert torch.equal(like(V)[0], doubled)
    assert torch.equal(like(V.detach())[0], doubled)
    with pytest.raises(ValueError, match=message):
        like(V)


def test_expanded_arguments():
    """A stride of 0 is read in place, or copied where the chip cannot step from row to row."""
    weights = torch.randn(64), torch.randn(64)
    for shape in ((1, 21, 64), (3, 1, 64), (1, 1, 64)):
        values = torch.randn(shape).expand(3, 21, 64)
        for made, expected in zip(
            attn_res_fwd(values, *weights, 1e-6), attn_res_fwd(values.contiguous(), *weights, 1e-6)
        ):
            assert torch.equal(made, expected)
        runs = [attn.simulate(attn_res_fwd, given, *weights, 1e-6) for given in (values, values.contiguous())]
        assert runs[0].report.hazards == [] and all(map(torch.equal, runs[0].outputs, runs[1].outputs))


def test_timing_of_a_list(like, simulations):
    attn.simulate(like, at.spec("2 4 64", at.bf16, table=True), timing_only=True)
    assert simulations[0][0][1] == ([0, 0], (2, 4, 64), (0, 64, 1))


# Calls of one form are checked and planned once


FORMS = """
    FACTOR = 3.0

    @attn.kernel
    def k(X: at.Tensor["T D"], B: at.Tensor["D"] | None, s: float, n: int, C: at.Const[float] = 1.0, BT: at.Auto(1, 64) = None):
        Y = at.empty_like(X)
        for t in at.grid(at.tiles(T, BT)):
            Y[t, :] = X[t, :] * s * C * FACTOR
        return Y
"""


@pytest.fixture
def counted(tmp_path, monkeypatch):
    """A kernel, and the calls of it that were checked."""
    checked = []
    check = planning.check_arguments

    def count(*arguments):
        checked.append(1)
        return check(*arguments)

    monkeypatch.setattr(planning, "check_arguments", count)
    return kernel_text.define(tmp_path, FORMS), checked


def test_calls_that_differ_in_values_only_are_checked_once(counted):
    kernel, checked = counted
    results = []
    for s in (2.0, -0.5, float("inf")):
        X = torch.randn(5, 16)
        results.append((kernel(X, None, s, 1), X * s * 3))
    assert len(checked) == 1 and all(result.equal(expected) for result, expected in results)
    assert len({result.data_ptr() for result, _ in results}) == 3


@pytest.mark.parametrize("name, change", [
    ("shape", dict(X=torch.ones(6, 16))),
    ("strides", dict(X=torch.ones(5, 32)[:, :16])),
    ("memory order", dict(X=torch.ones(5, 1).expand(5, 16).contiguous()[:, :1])),
    ("dtype", dict(X=torch.ones(5, 16, dtype=torch.float16))),
    ("integer", dict(n=2)),
    ("type of a number", dict(s=2)),
    ("array that may be None", dict(B=torch.ones(16))),
    ("constant", dict(C=2.0)),
    ("sign of a constant", dict(C=-0.0)),
    ("block size", dict(BT=2)),
    ("option", dict(strips=64)),
])  # fmt: skip
def test_calls_of_other_forms_are_checked_anew(counted, name, change):
    kernel, checked = counted
    before = dict(X=torch.ones(5, 16), B=None, s=2.0, n=1, C=0.0 if name == "sign of a constant" else 1.0)
    kernel(**before)
    changed = {**before, **change}
    for count in (2, 2):
        result = kernel(**changed)
        assert len(checked) == count
        expected = changed["X"] * changed["s"] * changed["C"] * 3
        assert result.equal(expected) and result.signbit().equal(expected.signbit())
        assert result.stride() == torch.empty_like(changed["X"]).stride()


def test_captured_numbers_are_part_of_a_form(counted):
    kernel, checked = counted
    X = torch.ones(5, 16)
    assert kernel(X, None, 1.0, 1).equal(X * 3)
    kernel._function.__globals__["FACTOR"] = 4.0
    assert kernel(X, None, 1.0, 1).equal(X * 4) and len(checked) == 2


def test_given_outputs_are_part_of_a_form(counted):
    kernel, checked = counted
    arguments = dict(X=torch.ones(5, 16), B=None, s=2.0, n=1)
    for _ in range(2):
        Y = torch.zeros(5, 16)
        assert kernel.run(arguments, {"Y": Y}) is Y and Y.equal(torch.full((5, 16), 6.0))
    assert len(checked) == 1
    with pytest.raises(ValueError, match=r"Y: elements of an output share memory; the strides are \(0, 1\)"):
        kernel.run(arguments, {"Y": torch.zeros(16).expand(5, 16)})
    assert kernel.run(arguments).equal(Y)


def test_wrong_calls_stay_wrong(counted):
    kernel, _ = counted
    kernel(torch.ones(5, 16), None, 2.0, 1)
    for _ in range(2):
        with pytest.raises(TypeError, match="s: float is expected, not True"):
            kernel(torch.ones(5, 16), None, True, 1)
        with pytest.raises(TypeError, match="n: int is expected, not 1.0"):
            kernel(torch.ones(5, 16), None, 2.0, 1.0)
        with pytest.raises(ValueError, match="X: a tensor on the CPU or an NPU is expected, not on meta"):
            kernel(torch.ones(5, 16, device="meta"), None, 2.0, 1)


def test_plans_keep_no_tensors_and_are_bounded(counted, monkeypatch):
    kernel, _ = counted
    X = torch.ones(5, 16)
    alive = weakref.ref(X), weakref.ref(kernel(X, None, 2.0, 1))
    del X
    assert [reference() for reference in alive] == [None, None]
    monkeypatch.setattr(planning, "_MOST_PLANS", 3)
    for rows in range(1, 9):
        kernel(torch.ones(rows, 16), None, 2.0, 1)
    assert len(kernel._calls._plans) <= 3


def test_defaults_of_numbers(tmp_path):
    kernel = kernel_text.define(tmp_path, """
        @attn.kernel
        def k(X: at.Tensor["T D"], s: float = 2, BT: at.Auto(1, 64) = None):
            Y = at.empty("T D", X.dtype)
            for t in at.grid(at.tiles(T, BT)):
                Y[t, :] = X[t, :] * s
            return Y
    """)  # fmt: skip
    X = torch.ones(3, 16)
    for _ in range(2):
        assert kernel(X).equal(2 * X) and kernel(X, 5).equal(5 * X) and kernel(X, s=0.5).equal(X / 2)


@pytest.mark.parametrize("stage", ["tile", "jit", "chip"])
def test_stages_that_do_not_run_on_the_chip(stage):
    with pytest.raises(ValueError, match=f"unknown stage '{stage}'; known: ascend, ascendc, hivm"):
        attn.simulate(attn_res_fwd, *inputs(), 1e-6, stage=stage)


def test_whether_kernels_are_optimised_is_a_setting(monkeypatch):
    """It is asked at each call, and both give the same values."""
    asked = []
    compile_it = _core.jit_compile
    monkeypatch.setattr(
        _core, "jit_compile", lambda module, optimize: asked.append(optimize) or compile_it(module, optimize=optimize)
    )
    monkeypatch.setenv("ATTN_CACHE", "0")
    attn_res_fwd.forget()
    results = []
    for optimize in (False, True, False):
        monkeypatch.setattr(attn.config, "optimize_cpu", optimize)
        results.append(attn_res_fwd(*(torch.ones_like(x) for x in inputs()), 1e-6))
    assert asked == [False, True]
    for outputs in results[1:]:
        for output, first in zip(outputs, results[0]):
            torch.testing.assert_close(output, first)
