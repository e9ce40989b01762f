"""Shapes: whether what a certificate says by free words could have been written by a run of its profile.

Asked by ``checks``, which must not wait for torch, and runs no code: a file of Python is read as text. The
functions yield what cannot be, in words.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from samplercheck.certifying.statement import Plain
from samplercheck.search.profiles import Profile
from samplercheck.search.small_scope import SHORTEST_SCOPE
from samplercheck.targets.locate import Place
from samplercheck.values.contract import Contract
from samplercheck.values.errors import ContractError, InputError
from samplercheck.values.guarded import parse_python, read_guarded

_GRID = re.compile(
    r"everything in length 0-(?P<longest>\d{1,6})( and [\d, -]+?)?, world (?P<world>[\d, -]+?)"
    r"(, batch (?P<batch>[\d, -]+?))?"
    r"(?P<shuffle>, shuffle)?(?P<drop>, drop_last)?(, seeds (?P<seed>[\d, ]+?))?, (\D.*, )?\d+ epochs(;.*)?"
)
LARGEST = 1_000_000
"""Bytes of a file that is parsed: of more a parser may take minutes."""
MAKES_NAMES = frozenset({"globals", "locals", "vars", "exec", "setattr"})


def differences_of_small_scope(phase: Plain, kinds: tuple[Profile, ...]) -> Iterator[str]:
    """Yield where the small scope is not the grid that its text says, or that grid none of its profile."""
    grid = _GRID.fullmatch(phase["scope"])
    if grid is None:
        yield "a small scope that says no grid"
        return
    longest, world = int(grid["longest"]), _count(grid["world"])
    if not any(SHORTEST_SCOPE <= longest <= kind.longest and world == kind.widest for kind in kinds):
        yield "the small scope of another profile"
    few = (longest + 1) * world * _count(grid["batch"]) * _count(grid["seed"])
    few *= 2 ** (bool(grid["shuffle"]) + bool(grid["drop"]))
    if phase["cases"] < few:
        yield f"{phase['cases']:,} cases in a small scope of {few:,} or more"


def _count(text: str | None) -> int:
    """Return how many numbers a text names, as ``1-8`` or ``1, 2, 4``."""
    first, dash, last = (text or "").partition("-")
    if dash and first.isdecimal() and last.isdecimal():
        return int(last[:6]) - int(first[:6]) + 1
    return len((text or "0").split(", "))


def differences_of_counts(phases: list[Plain]) -> Iterator[str]:
    """Yield the phases in which a law has judged more cases than there were."""
    for phase in phases:
        if max(phase["judged"].values(), default=0) > phase["cases"]:
            yield f"more judged than the {phase['cases']:,} cases of {phase['phase']}"


def differences_of_contract(said: Plain) -> Iterator[str]:
    """Yield why these are no fields of a contract; of what is named by its function nothing else is known."""
    try:
        Contract.of(
            {name: value for name, value in said.items() if name not in ("batch_rule", "frequencies")}
        )
    except ContractError as error:
        yield str(error)


def differences_of_axes(axes: Mapping[str, object], drawn: list[str]) -> Iterator[str]:
    """Yield axes whose names no parameter can have."""
    for name in (*axes, *drawn):
        if not name.isidentifier() or keyword.iskeyword(name):
            yield f"{name!r} is no name of a parameter"


def differences_of_place(place: str, paths: list[Path]) -> Iterator[str]:
    """Yield that no file of a target's module has its name in it; one that is imported by a star may be."""
    root = Place.of(place).root
    if paths and not any(_may_define(path, root) for path in paths):
        yield f"{root} is not defined there"


def _may_define(path: Path, name: str) -> bool:
    """Whether a file binds a name, makes some, or imports unsaid ones; a file too large may do anything."""
    try:
        content = read_guarded(path, "source file", LARGEST)
    except InputError:
        return True
    try:
        tree = parse_python(content, path, "source file")
    except InputError:
        return False
    return any(_binds(node, name) for node in ast.walk(tree))


def _binds(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.alias):
        return (node.asname or node.name.partition(".")[0]) in (name, "*")
    if isinstance(node, ast.Name):
        return (node.id == name and isinstance(node.ctx, ast.Store)) or node.id in MAKES_NAMES
    return getattr(node, "name", None) in (name, "__getattr__")
