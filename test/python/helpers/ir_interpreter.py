"""Follows loops and index arithmetic of MLIR text, as this project prints it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

NAME = r"%[\w.$-]+(?:#\d+)?"
_OPENS = re.compile(r"^(?!module|func\.func).*\{$")


@dataclass
class Statement:
    text: str
    results: list
    blocks: list = field(default_factory=list)


def parse_functions(text: str):
    """The functions of a text by name: their arguments (name, text) and their statements."""
    functions, lines = {}, iter(re.sub(r"(?m)^\s*//.*$", "", text).splitlines())
    for line in lines:
        head = re.match(r"\s*func\.func @(\w+)\((.*)\)(?: -> \S+)? attributes \{.*\} \{$", line)
        if head:
            functions[head[1]] = (_parse_arguments(head[2]), _parse_block(lines))
    return functions


def split(text: str, separator: str = ","):
    """Splits at separators outside all brackets."""
    depth, parts = 0, [""]
    for character in text.replace("->", "\0"):
        depth += (character in "<([{") - (character in ">)]}")
        if character == separator and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip().replace("\0", "->") for part in parts if part.strip()]


def _parse_arguments(text: str):
    return [tuple(part.split(": ", 1)) for part in split(text)]


def _parse_block(lines):
    statements = []
    for line in lines:
        line = re.sub(r"\s+", " ", line.strip())
        if line == "} else {":
            statements.append("else")
            continue
        if line.startswith("}"):
            return statements
        if line in ("", "return"):
            continue
        match = re.match(rf"({NAME}(?::\d+)?(?:, {NAME})*) = (.*)", line)
        results = [name.split(":")[0] for name in match[1].split(", ")] if match else []
        statement = Statement(match[2] if match else line, results)
        if _OPENS.match(line):
            inside = _parse_block(lines)
            parts = [[]]
            for item in inside:
                if item == "else":
                    parts.append([])
                else:
                    parts[-1].append(item)
            statement.blocks = parts
        statements.append(statement)
    return statements


def operand_names(text: str):
    return re.findall(NAME, text)


_BINARY = {
    "addi": lambda a, b: a + b, "subi": lambda a, b: a - b, "muli": lambda a, b: a * b, "minsi": min, "maxsi": max,
    "minui": min, "maxui": max, "divui": lambda a, b: a // b, "divsi": lambda a, b: int(a / b),
    "remui": lambda a, b: a % b, "remsi": lambda a, b: a - int(a / b) * b, "floordivsi": lambda a, b: a // b,
    "ceildivsi": lambda a, b: -(-a // b), "ceildivui": lambda a, b: -(-a // b), "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b, "xori": lambda a, b: a ^ b,
}  # fmt: skip
_COMPARE = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "slt": lambda a, b: a < b, "sle": lambda a, b: a <= b,
    "sgt": lambda a, b: a > b, "sge": lambda a, b: a >= b, "ult": lambda a, b: a < b, "ule": lambda a, b: a <= b,
    "ugt": lambda a, b: a > b, "uge": lambda a, b: a >= b,
}  # fmt: skip


class Interpreter:
    """Follows one function. Subclasses say what the ops of their text are."""

    def __init__(self, sizes: dict, block: int, blocks: int):
        self.sizes, self.block, self.blocks = sizes, block, blocks
        self.values, self.trace, self.arrays = {}, [], []

    def run(self, arguments, statements):
        for name, text in arguments:
            self.bind_argument(name, text)
        self.run_block(statements)
        return self.trace

    def size(self, name: str):
        """A size or integer of a kernel, which both texts know under the same name."""
        return self.sizes.get(name, 2 + sum(map(ord, name)) % 3)

    @staticmethod
    def stride_of(array: int, dimension: int):
        """Distinct numbers: a stride that is mistaken for another is seen."""
        return 1000 + 370 * array + 37 * dimension

    def run_block(self, statements):
        for statement in statements:
            if statement.text.startswith("scf.yield"):
                return [self.values[name] for name in operand_names(statement.text)]
            self.run_statement(statement)
        return []

    def run_statement(self, statement):
        text = statement.text
        name = text.split(" ", 1)[0]
        if name == "scf.for":
            self.run_for(statement)
        elif name == "scf.if":
            condition = self.values[operand_names(text)[0]]
            chosen = statement.blocks[0] if condition else (statement.blocks[1:] or [[]])[0]
            self.bind_results(statement, self.run_block(chosen))
        elif name.startswith("arith."):
            self.values[statement.results[0]] = self.compute(name.removeprefix("arith."), text)
        else:
            result = self.run_op(name, text)
            if statement.results:
                self.values[statement.results[0]] = result

    def run_for(self, statement):
        head = re.match(
            rf"scf\.for ({NAME}) = ({NAME}) to ({NAME}) step ({NAME})(?: iter_args\((.*?)\))?", statement.text
        )
        low, high, step = (self.values[head[number]] for number in (2, 3, 4))
        pairs = re.findall(rf"({NAME}) = ({NAME})", head[5] or "")
        carried = [self.values[init] for _, init in pairs]
        for index in range(low, high, step):
            self.values[head[1]] = index
            self.values.update(zip((argument for argument, _ in pairs), carried))
            carried = self.run_block(statement.blocks[0])
        self.bind_results(statement, carried)

    def bind_results(self, statement, values):
        """Several results have one name and numbers."""
        for number, value in enumerate(values):
            name = statement.results[0]
            self.values[f"{name}#{number}" if len(values) > 1 else name] = value

    def compute(self, name: str, text: str):
        """A scalar. Floats are the text of what computes them."""
        operands = [self.values[operand] for operand in operand_names(text.split(" : ", maxsplit=1)[0])]
        if name == "constant":
            literal = text.split(" ", 1)[1].split(" : ", maxsplit=1)[0]
            if literal in ("true", "false"):
                return literal == "true"
            return int(literal) if re.fullmatch(r"-?\d+", literal) else literal
        if name == "cmpi":
            return _COMPARE[re.match(r"arith\.cmpi (\w+)", text)[1]](*operands)
        if name == "select":
            return operands[1] if operands[0] else operands[2]
        if name in ("index_cast", "index_castui", "extsi", "extui", "trunci"):
            return operands[0]
        if name in ("negf", "sitofp"):
            return f"{name}({operands[0]})"
        if name.endswith("f"):
            return f"{name}({', '.join(map(str, operands))})"
        return _BINARY[name](*operands)

    def note(self, *event):
        self.trace.append(event)
