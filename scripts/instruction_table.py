"""Reads the table of instructions, Instructions.def, and the words of their kinds from TableGen."""

import re
from pathlib import Path
from typing import NamedTuple

IR = Path("include/attn/Dialect/Ascend/IR")
ROW = re.compile(r"^ATTN_(\w+)\((.*)\)$", re.MULTILINE)
ENUMS = {
    "UNARY_KIND": "UnaryKind",
    "BINARY_KIND": "BinaryKind",
    "SCALAR_KIND": "ScalarKind",
    "BITWISE_KIND": "BitwiseKind",
    "COMPARE_KIND": "CompareKind",
    "REDUCE_KIND": "ReduceKind",
}


class Kind(NamedTuple):
    """One kind of an instruction: a row of the table."""

    member: str
    word: str
    """As the IR spells it."""
    hivm: str
    family: str


class Instruction(NamedTuple):
    """An instruction of the table, with its kinds."""

    name: str
    group: str
    pipe: str
    kinds: list[Kind]
    elements: str
    calls: list[str]
    """In AscendC, one for each kind that has its own."""
    hivm: str
    family: str

    @property
    def mnemonic(self):
        return re.sub(r"(?<!^)(?=[A-Z])", "_", self.name).lower()


def words(root: Path, enum: str) -> dict[str, str]:
    """The words of an enum of the dialect, by member."""
    text = (root / IR / "AscendDialect.td").read_text()
    body = re.search(rf'Ascend_Enum<"{enum}".*?\]>;', text, re.DOTALL)
    assert body, f"AscendDialect.td has no enum {enum}"
    return dict(re.findall(r'I32EnumAttrCase<"(\w+)", \d+, "(\w+)">', body.group(0)))


def read_kinds(root: Path, rows: list) -> dict[str, list[Kind]]:
    """The kinds by the name of the column."""
    kinds: dict[str, list[Kind]] = {"None": []}
    for macro, enum in ENUMS.items():
        of = words(root, enum)
        own = [cells for kind, cells in rows if kind == macro]
        kinds[enum.removesuffix("Kind")] = [Kind(cells[0], of.get(cells[0], ""), cells[1], cells[2]) for cells in own]
    modes = words(root, "RoundMode")
    own = [cells for kind, cells in rows if kind == "ROUND_MODE"]
    kinds["Round"] = [Kind(cells[0], modes.get(cells[0], ""), cells[2], "") for cells in own]
    return kinds


def read(root: Path) -> list[Instruction]:
    """The instructions in the order of the table."""
    table = (root / IR / "Instructions.def").read_text()
    rows = [(macro, [cell.strip() for cell in cells.split(",")]) for macro, cells in ROW.findall(table)]
    kinds = read_kinds(root, rows)
    instructions = []
    for macro, cells in rows:
        if macro != "INSTRUCTION":
            continue
        name, group, pipe, named, elements, call, hivm, family = cells
        # What a comparison asks and the mode of a cast are arguments of their calls.
        own = [] if named in ("Compare", "Round") else kinds[named]
        calls = [] if group == "Composite" else [call + kind.member for kind in own] or [call]
        instructions.append(Instruction(name, group, pipe, kinds[named], elements, calls, hivm, family))
    return instructions
