"""Explains artefacts: how a kernel is launched, what it was compiled for, and where its object came from."""

from __future__ import annotations

import sys
from pathlib import Path


def add_arguments(parser):
    """The options of the command."""
    parser.add_argument("artefact", nargs="+", help="a sidecar, its object, or a folder of them")


def run(arguments):
    """Prints each artefact; the exit code is 1 where one is not what its sidecar describes."""
    from ..sidecar import SidecarError, load

    problems = 0
    for number, path in enumerate(_find_sidecars(arguments.artefact)):
        try:
            sidecar = load(path)
            text = describe(sidecar)
            if sidecar.data["object"] is not None:
                sidecar.check_object(path.with_name(sidecar.data["object"]["file"]))
        except SidecarError as problem:
            print(f"error: {problem}", file=sys.stderr)
            problems += 1
            continue
        print(text if number == 0 else f"\n{text}")
    return 1 if problems else 0


def _find_sidecars(names):
    for name in names:
        path = Path(name)
        if not path.is_dir():
            yield path if path.suffix == ".json" else path.with_suffix(".json")
            continue
        found = sorted(path.glob("*.json"))
        if not found:
            raise ValueError(f"{name}: no sidecar (*.json) is there")
        yield from found


def describe(sidecar):
    """A sidecar as text."""
    data = sidecar.data
    lines = [f"kernel {sidecar.name}"]
    add = lines.append
    if data["call"]:
        add(f"  from          {data['call']['module']}.{data['call']['function']}{_show_call(data['call'])}")
    compiler, target = data["compiler"], data["target"]
    add(f"  compiled      for {target['soc']} ({target['arch']}), by {compiler['name']} {compiler['version']}")
    add(f"  runs on       {', '.join(target['accepts'])}")
    if data["sizes"]:
        add(f"  block sizes   {_show_pairs(data['sizes'])}")
    add(f"  source        {data['source']}")
    lines += _show_launches(data)
    lines += _show_parameters(data["parameters"])
    for route, about in data["routes"].items():
        lines += _show_arguments(route, about)
    lines += _show_object(data["object"])
    if data["predicted"]:
        given = _show_pairs(data["predicted"]["dims"])
        add(f"  predicted     {data['predicted']['microseconds']:.1f} us for {given}, by the chip model")
    return "\n".join(lines)


def _show_pairs(values: dict):
    return ", ".join(f"{name}={value}" for name, value in values.items())


def _show_call(call: dict):
    parts = [_show_pairs({**call["dims"], **call["constants"], **call["options"]})]
    parts += [f"{name}=None" for name in call["absent"]]
    given = ", ".join(part for part in parts if part)
    return f" with {given}" if given else ""


def _show_launches(data: dict):
    from ..sidecar.formulas import show

    grid = data["grid"]
    yield f"  grid          min({show(grid['tiles'])}, {grid['limit']}) blocks" + (
        ", all at once: they wait for each other" if grid["all_at_once"] else ""
    )
    for launch in data["launches"]:
        memory = launch["memory"]
        ratio = f" {':'.join(map(str, launch['ratio']))}" if launch["kind"] == "mix" else ""
        kind = f"{launch['kind']}{ratio}"
        taken = (
            f"{used} of {memory['bytes'][name]} bytes of {name.upper()}" for name, used in memory["bytes_used"].items()
        )
        used = f"{', '.join(taken)} in {memory['buffers']} buffers"
        yield f"  launch        {launch['symbol']} ({kind}), {used}"
    for workspace in data["workspaces"]:
        zeroed = ", zeroed" if workspace["zeroed"] else ""
        aligned = f"aligned to {workspace['alignment']}{zeroed}"
        yield f"  workspace     {workspace['parameter']}: {show(workspace['bytes'])} bytes, {aligned}"


def _show_parameters(parameters):
    yield "  parameters"
    for parameter in parameters:
        if parameter["kind"] == "scalar":
            yield f"    {parameter['name']}: {parameter['dtype']}"
            continue
        dims = ", ".join("?" if dim is None else str(dim) for dim in parameter["dims"])
        strides = ", ".join("-" if stride is None else str(stride) for stride in parameter["strides"])
        what = "a list of tensors, " if parameter["kind"] == "table" else ""
        role = "" if parameter["role"] == "input" else f", {parameter['role']}"
        yield f"    {parameter['name']}: {what}[{dims}] of {parameter['dtype']}, strides [{strides}]{role}"


def _show_arguments(route: str, about: dict):
    yield f"  arguments by {route}: {about['bytes']} bytes"
    for argument in about["arguments"]:
        where = "" if argument["axis"] is None else f" of {argument['of']}, dimension {argument['axis']}"
        yield f"    {argument['offset']:>4}  {argument['kind']:<9} {argument['dtype']:<4} {argument['name']}{where}"


def _show_object(about):
    if about is None:
        yield "  object        none"
        return
    yield f"  object        {about['file']} ({about['form']}), {about['hash']}"
    yield f"  made by       {about['toolchain']}"
    yield f"  command       {' '.join(about['command'])}"
