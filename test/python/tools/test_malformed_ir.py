"""attn-opt and attn-sim survive malformed input: mutated files of the suite, through every pass and pipeline, and on the
modelled chip.

Each mutant may be refused with a diagnostic, never with a crash, a hang or a sanitizer report. A run is reproducible:
ATTN_FUZZ_SEED and ATTN_FUZZ_COUNT (mutants per shard) choose it, and a failure prints the file and the command.
"""

import os
import random
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

from repository import ROOT
from sweeps import WHOLE

BIN = Path(os.environ.get("ATTN_BUILD_DIR", ROOT / "build")) / "bin"
ATTN_OPT = BIN / "attn-opt"
ATTN_SIM = BIN / "attn-sim"

SEED = int(os.environ.get("ATTN_FUZZ_SEED", "20240229"))
MUTANTS_PER_SHARD = int(os.environ.get("ATTN_FUZZ_COUNT", "40"))
SHARDS = 8 if WHOLE else 2

BATCH_SECONDS = 60
SINGLE_SECONDS = 10
MEMORY_BYTES = 4 << 30
SPLIT_MARKER = "// -----"
# MLIR's own pass follows a number that a loop carries and lowers one step after the other, to the least of 64 bits.
ENDLESS = {"--int-range-optimizations"}
TROUBLE = re.compile(r"AddressSanitizer|runtime error:|LLVM ERROR|PLEASE submit a bug report|Assertion .* failed")

TOKEN = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|[%@#!^]?[A-Za-z_$][\w$.]*|%\d+(?:#\d+)?|-?\d+(?:\.\d+(?:e[-+]?\d+)?)?|->|\s+|.'
)
NUMBER = re.compile(r"-?\d+")
NUMBERS = [
    "0",
    "-1",
    "1",
    "3",
    "255",
    "256",
    "4097",
    "2147483648",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "99999999999999999999999",
]
WORDS = {
    "f32": ["bf16", "f16", "f64", "i32", "i1", "index", "i0", "vector<4xf32>", "none"],
    "bf16": ["f32", "i0", "i24", "si8", "complex<f32>", "tensor<4xf32>"],
    "index": ["i32", "i64", "f32", "i1", "memref<4xf32>"],
    "ub": ["gm", "l1", "l0c"],
    "gm": ["ub", "l0a"],
    "v": ["s", "m", "mte2", "all"],
    "mte2": ["v", "mte3", "fix"],
}


def run(command, seconds):
    """The trouble a command is in, or None."""
    # A sanitizer reserves far more addresses than it uses. A command, since a function to run in the new process would have
    # all of this one copied.
    limit = [] if is_sanitized() else ["prlimit", f"--as={MEMORY_BYTES}"]
    try:
        result = subprocess.run(
            [*limit, *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        return f"no end after {seconds} s"
    errors = result.stderr.decode(errors="replace")
    if result.returncode < 0:
        return f"killed by signal {-result.returncode}\n{errors[-3000:]}"
    if TROUBLE.search(errors):
        return errors[-3000:]
    return None


@cache
def is_sanitized():
    return b"__asan_init" in ATTN_OPT.read_bytes()


@cache
def flag_sets():
    """What attn-opt is asked to do with each mutant: every pass, every pipeline, every emission."""
    text = subprocess.run([ATTN_OPT, "--help"], capture_output=True, text=True, check=True).stdout
    passes = text.split("Compiler passes to run", 1)[1].split("\n  --", 1)[0]
    names = re.findall(r"^ {6}(--[\w-]+) ", passes, re.MULTILINE)
    assert "--canonicalize" in names and "--attn-all" in names, names
    emissions = [[f"--emit={form}"] for form in ("tile", "linalg", "ascend", "ascendc", "hivm", "sidecar")]
    soc = "--soc=Ascend910B4:ub_bytes=8192"
    return (
        [[], ["--mlir-print-op-generic"], ["--allow-unregistered-dialect", "--verify-roundtrip"]]
        + [[name] for name in names if name not in ENDLESS]
        + emissions
        + [[*emission, soc] for emission in emissions]
    )


@cache
def corpus():
    """The chunks of all .mlir files of the suite, as written and in generic form."""
    files = sorted(path for path in (ROOT / "test").rglob("*.mlir"))
    chunks = [chunk.strip() for path in files for chunk in path.read_text().split(SPLIT_MARKER) if chunk.strip()]
    chunks = [re.sub(r"^// (RUN|CHECK).*\n?", "", chunk, flags=re.MULTILINE) for chunk in chunks]
    # Chunks that are not valid print nothing.
    printed = subprocess.run(
        [ATTN_OPT, "--mlir-print-op-generic", "--mlir-print-local-scope", "--split-input-file"],
        input=f"\n{SPLIT_MARKER}\n".join(chunks),
        capture_output=True,
        text=True,
    )
    generic = [chunk.strip() for chunk in printed.stdout.split(SPLIT_MARKER) if chunk.strip()]
    assert len(chunks) > 10 and generic
    return chunks + generic


#
# Mutations: each takes a random source and a text, and gives a text.
#


def on_tokens(change):
    def mutate(rng, text):
        tokens = TOKEN.findall(text)
        places = [index for index, token in enumerate(tokens) if not token.isspace()]
        if len(places) < 4:
            return text
        change(rng, tokens, places)
        return "".join(tokens)

    return mutate


@on_tokens
def delete_token(rng, tokens, places):
    tokens[rng.choice(places)] = ""


@on_tokens
def duplicate_token(rng, tokens, places):
    place = rng.choice(places)
    tokens[place] += " " + tokens[place]


@on_tokens
def swap_tokens(rng, tokens, places):
    first, second = rng.choice(places), rng.choice(places)
    tokens[first], tokens[second] = tokens[second], tokens[first]


@on_tokens
def change_number(rng, tokens, places):
    numbers = [place for place in places if NUMBER.fullmatch(tokens[place])]
    if numbers:
        tokens[rng.choice(numbers)] = rng.choice(NUMBERS)


@on_tokens
def change_word(rng, tokens, places):
    words = [place for place in places if tokens[place] in WORDS]
    if words:
        place = rng.choice(words)
        tokens[place] = rng.choice(WORDS[tokens[place]])


@on_tokens
def copy_token(rng, tokens, places):
    """One value, symbol or word where another stands."""
    kind = rng.choice("%@#!")
    alike = [place for place in places if tokens[place][0] == kind] or places
    tokens[rng.choice(alike)] = tokens[rng.choice(alike)]


def change_shape(rng, text):
    """A number inside `2x8192xf32` or `BT x 4096 x f32`."""
    places = list(re.finditer(r"(?<![\w.])\d+(?= ?x)", text))
    if not places:
        return text
    place = rng.choice(places)
    return text[: place.start()] + rng.choice([*NUMBERS, "?", "BT", "bt"]) + text[place.end() :]


def drop_operand(rng, text):
    places = list(re.finditer(r", ?%[\w#]+|%[\w#]+ ?,", text))
    if not places:
        return text
    place = rng.choice(places)
    return text[: place.start()] + text[place.end() :]


def drop_attribute(rng, text):
    places = list(re.finditer(r"[\w.]+ = [^,{}<>\[\]]+(?:, )?", text))
    if not places:
        return text
    place = rng.choice(places)
    return text[: place.start()] + text[place.end() :]


def on_lines(change):
    def mutate(rng, text):
        lines = text.split("\n")
        change(rng, lines)
        return "\n".join(lines)

    return mutate


@on_lines
def delete_line(rng, lines):
    del lines[rng.randrange(len(lines))]


@on_lines
def duplicate_line(rng, lines):
    lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))


@on_lines
def swap_lines(rng, lines):
    first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]


def truncate(rng, text):
    return text[: rng.randrange(len(text) + 1)]


def splice(rng, text):
    other = rng.choice(corpus()).split("\n")
    lines = text.split("\n")
    return "\n".join(lines[: rng.randrange(len(lines) + 1)] + other[rng.randrange(len(other)) :])


MUTATIONS = [
    delete_token,
    duplicate_token,
    swap_tokens,
    change_number,
    change_number,
    change_word,
    copy_token,
    copy_token,
    change_shape,
    change_shape,
    drop_operand,
    drop_attribute,
    delete_line,
    duplicate_line,
    swap_lines,
    truncate,
    splice,
]


def make_mutant(rng):
    text = rng.choice(corpus())
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        text = rng.choice(MUTATIONS)(rng, text)
    return text.replace(SPLIT_MARKER, "//")


@pytest.mark.parametrize("shard", range(SHARDS))
def test_mutants_are_refused_or_taken(shard, tmp_path):
    rng = random.Random(f"{SEED}/{shard}")
    mutants = [make_mutant(rng) for _ in range(MUTANTS_PER_SHARD)]
    batch = tmp_path / "batch.mlir"
    batch.write_text(f"\n{SPLIT_MARKER}\n".join(mutants))
    for flags in flag_sets():
        command = [str(ATTN_OPT), "--mlir-disable-threading", *flags]
        if run([*command, "--split-input-file", str(batch)], BATCH_SECONDS) is None:
            continue
        # Find the one that does it.
        for number, mutant in enumerate(mutants):
            single = tmp_path / f"mutant-{number}.mlir"
            single.write_text(mutant)
            trouble = run([*command, str(single)], SINGLE_SECONDS)
            if trouble is not None:
                pytest.fail(
                    f"{trouble}\nseed {SEED}, shard {shard}, mutant {number}: {' '.join(command)} {single}\n{mutant}",
                    pytrace=False,
                )
        pytest.fail(
            f"only the whole batch fails, seed {SEED}, shard {shard}: {' '.join(command)} {batch}", pytrace=False
        )


@cache
def runs():
    """The files that the suite runs on the modelled chip, chip IR and HIVM, with the flags of each run."""
    found = []
    for path in sorted((ROOT / "test" / "Simulator").rglob("*.mlir")):
        text = path.read_text()
        for line in re.findall(r"^// RUN: (?:not )?attn-sim %s(.*)$", text, re.MULTILINE):
            flags = re.findall(r" (--(?:kernel|arg|blocks|soc|timing-only|check-effects)\S*)", line)
            found.append((re.sub(r"^//.*\n", "", text, flags=re.MULTILINE), flags))
    assert any("hacc.entry" in text for text, _ in found) and any("ascend.kernel" in text for text, _ in found)
    return found


@pytest.mark.parametrize("shard", range(SHARDS))
def test_mutants_run_or_are_refused(shard, tmp_path):
    rng = random.Random(f"{SEED}/run/{shard}")
    for number in range(MUTANTS_PER_SHARD):
        text, flags = rng.choice(runs())
        for _ in range(rng.choice([1, 1, 2])):
            text = rng.choice(MUTATIONS)(rng, text)
        mutant = tmp_path / f"mutant-{number}.mlir"
        mutant.write_text(text)
        command = [str(ATTN_SIM), str(mutant), *flags, "--max-steps=20000"]
        trouble = run(command, SINGLE_SECONDS)
        if trouble is not None:
            pytest.fail(
                f"{trouble}\nseed {SEED}, shard {shard}, mutant {number}: {' '.join(command)}\n{text}", pytrace=False
            )
