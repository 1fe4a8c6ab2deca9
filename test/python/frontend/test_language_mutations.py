"""Mutated kernels: each gives a CompileError, or tile IR that the verifier takes; never another exception."""

import random
import re
import textwrap

import pytest

import attn
import attn.language as at
import kernel_text

SEED = 20
COUNT = 300

KERNELS = [
    """
    @attn.kernel
    def k(V: at.Tensor["N T D"], w: at.Tensor["D"], e: float, C: at.Const[int], i: int, BT: at.Auto(1, 64)):
        h, l = at.empty("T D", V.dtype), at.empty("T", at.f32)
        u = w[:].to(at.f32) * C
        for t in at.grid(at.tiles(T, BT)):
            st = at.softmax_state(BT, D)
            for n in at.range(N, stages=2):
                v = V[n, t, :].to(at.f32)
                r = at.rsqrt(at.mean(v * v, 1) + e)
                st.push(r * at.sum(v * u, 1), v, per_row=True)
            h[t, :], l[t] = st.finish()
        return h, l
    """,
    """
    @attn.kernel
    def k(V: at.Tensors["N", "T D"], w: at.Tensor["D", at.f32], e: float, C: at.Const[int], i: int, BT: at.Auto(1, 64)):
        h = at.empty("T D", at.bf16)
        for a, t in at.grid(at.cdiv(i, 2), at.tiles(T, BT), stages=2):
            g, m, q = at.full((BT, D), 0.0), 0.0, 1
            for n in at.range(a % 2, N - i // 2):
                for p in at.range(at.tiles(T, 8, base=2, limit=T)):
                    g += at.max(V[n, p, :], 0) * at.exp(-w[0:16] if C == 2 else e)
                    m, q = at.maximum(m, e), q + 1
            h[t.clip(T - a), :] = g / (m + q) - at.abs(w[i:i + 16] * T)
        return h
    """,
    """
    @attn.kernel
    def k(V: at.Tensor["N T D"], w: at.Tensor["D"], e: float, C: at.Const[int], i: int, BT: at.Auto(1, 64)):
        h, l = at.empty_like(V), at.empty("N T", at.f32)
        for n, c, t in at.grid(N, i, at.tiles(at.cdiv(T, i), BT)):
            k = t.clip(at.cdiv(T - c, i)).window(C)
            p, s = at.softmax(at.mask(e * at.band_dot(V[n, t, :], V[n, k, :]), k.valid))
            h[n, t.map(c, i), :], l[n, t.map(c, i)] = at.band_mix(p, V[n, k.map(0, 1), :]), s
        return h, l
    """,
    """
    @attn.kernel
    def k(V: at.Tensors["N", "T D"], w: at.Tensor["D"] | None, e: float, C: at.Const[int], i: int, BT: at.Auto(1, 64)):
        h, o = at.empty_like(V), at.empty("D", at.f32) if w is not None else None
        G, n = at.scratch("D", at.f32), at.tiles(4, 4, limit=N)
        for t, u in at.grid(T, 1 if C else T):
            h[n, t, :] = V[n, u, :] if False else V[n, i, :] * T
        at.phase()
        for r in at.grid(at.tiles(T, BT)):
            x, z = at.zeros((2 * C, D)), r.shift(-C).clip(i, T).count
            for q in at.range(at.tiles(r.count + BT, BT, base=r.base - C)):
                y = at.band_spread(at.full((BT, 2 * C + 1), z), V[0, q.clip(0, T), :], at.concat(x, at.zeros((BT, D))))
                x = y[BT:BT + 2 * C]
            at.accumulate(G, at.sum(x, 0))
        at.phase()
        for c in at.grid(at.tiles(D, 8)):
            o[c] = G[c] * w[c]
        return h, o
    """,
]

WORDS = (
    "T D N BT C e i t v x 0 1 -1 2.5 : , ( ) [ ] + - * / // % == at.f32 at.sum at.exp at.tiles at.full st n None True h V "
    "is .clip .window .shift .map .base .count .valid at.concat at.band_mix at.mask at.softmax at.phase() G k"
).split()


def mutate(text: str, randomly: random.Random):
    """Replaces, removes, doubles or exchanges a few tokens of the body."""
    head, body = text.split(":\n", 1)
    tokens = re.findall(r"[ ]+|\n|[\w.]+|[^\w\s]", body)
    places = [place for place, token in enumerate(tokens) if token.strip()]
    for _ in range(randomly.randint(1, 3)):
        place, kind = randomly.choice(places), randomly.randrange(4)
        if kind == 0:
            tokens[place] = randomly.choice(WORDS)
        elif kind == 1:
            tokens[place] = ""
        elif kind == 2:
            tokens[place] += " " + tokens[place]
        else:
            other = randomly.choice(places)
            tokens[place], tokens[other] = tokens[other], tokens[place]
    return head + ":\n" + "".join(tokens)


def is_python(text: str):
    """Whether Python itself takes a text."""
    try:
        compile(text, "mutant", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def mutants():
    """Mutated kernels that are still Python, without end."""
    randomly = random.Random(SEED)
    while True:
        text = mutate(textwrap.dedent(randomly.choice(KERNELS)), randomly)
        if is_python(text):
            yield text


def outcome(tmp_path, text: str):
    """What becomes of a kernel: 'compiled' or the message of its error."""
    kernel = kernel_text.define(tmp_path, text)
    table = "Tensors" in text
    try:
        artefact = kernel.prepare(V=at.spec("8 32 16", at.bf16, table), w=at.spec("16", at.f32), C=2)
    except attn.CompileError as error:
        assert error.position[1] > 0
        return error.message
    artefact.module("source")
    return "compiled"


def test_the_kernels_themselves_compile(tmp_path):
    for text in KERNELS:
        assert outcome(tmp_path, text) == "compiled"


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_mutants(tmp_path):
    outcomes = []
    for text, _ in zip(mutants(), range(COUNT)):
        try:
            outcomes.append(outcome(tmp_path, text))
        except Exception as error:
            raise AssertionError(f"{type(error).__name__}: {error}\n{text}") from error
    assert "compiled" in outcomes and len(set(outcomes)) > COUNT // 10
