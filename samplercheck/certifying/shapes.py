"""Shapes: what no run of a profile can have written into a certificate, by words and by numbers.

Asked by what a certificate is expected to say, which must not wait for torch. The functions yield what is
otherwise; what they cannot tell only a rerun can. Standard library alone.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterator, Mapping
from math import isclose
from pathlib import Path

from samplercheck.certifying.statement import Plain, result_digest
from samplercheck.search.profiles import Profile
from samplercheck.search.small_scope import SHORTEST_SCOPE
from samplercheck.targets.locate import Place
from samplercheck.values.case import Case
from samplercheck.values.contract import Contract
from samplercheck.values.errors import CaseError, ContractError, InputError
from samplercheck.values.guarded import parse_python, read_guarded
from samplercheck.values.limits import bound_false_alarms
from samplercheck.worlds import GROUPS

_SIZES = (
    r"length 0-(?P<longest>\d{1,6})( and [\d, -]+?)?, world (?P<world>[\d, -]+?)"
    r"(, batch (?P<batch>[\d, -]+?))?"
    r"(?P<shuffle>, shuffle)?(?P<drop>, drop_last)?(, seeds (?P<seed>[\d, ]+?))?, (\D.*, )?\d+ epochs"
)
_GRID = re.compile(rf"everything in {_SIZES}(; less than of a sampler, because a loader takes longer)?")
_N = r"\d[\d,]{0,19}"
_REACH = (
    rf"(nothing that fits the budget|length to (?P<length>{_N}), world to (?P<world>{_N}), both at once to "
    rf"world {_N} with length {_N}(, batch to {_N})?(, seeds (to {_N}|of \d\d bits))?)"
)
_NAMES_FUNCTION = re.compile(r"[^:]+:.")
_CODES = r"SC\d+(, SC\d+)*"
_WORKERS = rf"few cases with 1 to \d+ forked workers(, and 1 spawned)?, for {_CODES}; without workers "
_EPOCHS = rf"(?P<cases>\d{{1,9}}) cases? of {_N}"
_SHAPES = {
    "pairs": f"every pair of values of {_SIZES}",
    "workers": f"{_WORKERS}anywhere else",
    "epochs": rf"{_EPOCHS} epochs(, then epochs {_N}(, {_N})*)?",
    "frequencies": rf"{_EPOCHS}(( and|,) {_N})* epochs(?P<one> and one of {_N} samples)?, for {_CODES}",
    **dict.fromkeys(("frontier", "wide"), _REACH),
    **dict.fromkeys(("modest", "large"), f"drawn: {_REACH}"),
    **{
        name: rf"in {name}: every pair of values of length [\d-]+, world [\d-]+(, batch [\d-]+)?"
        r"(, shuffle)?(, drop_last)?(, seed)?(, \w+)*"
        for name in GROUPS
    },
}
"""What phases say that they tried; the small scope says its grid."""
KINDS = "samples", "batches", "splitter"
NOT_IN_ALL = "not judged in "
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


def differences_of_words(phase: Plain, reach: Mapping[str, Profile]) -> Iterator[str]:
    """Yield what no run says of a phase; ``reach`` has the profiles of those that say how far they went."""
    name = phase["phase"]
    if name == "small scope":
        return
    said = re.fullmatch(_SHAPES.get(name, ""), phase["scope"])
    if said is None:
        yield f"a scope that no phase {name!r} has"
        return
    told = said.groupdict()
    if name in ("epochs", "frequencies"):
        there = _number(told["cases"]) + bool(told.get("one"))
        if there != phase["cases"]:
            yield f"{phase['cases']:,} cases of {name} where its scope has {there:,}"
    if name in reach and told["length"]:
        most = reach[name]
        if _number(told["length"]) > most.large_length or _number(told["world"]) > most.large_world:
            yield f"{name} cases beyond those of its profile"


def _number(text: str) -> int:
    return int(text.replace(",", ""))


def differences_of_results(predicate: Plain) -> Iterator[str]:
    """Yield what is said of the whole and does not follow from what is said of phases and laws."""
    laws, phases = predicate["laws"], predicate["phases"]
    told = {"report": {"results": laws}, "phases": phases, "sensitivity": predicate["sensitivity"]}
    if predicate["result_digest"] != result_digest(told):
        yield "the digest of other results"
    if not isclose(predicate["false_alarm_bound"], bound_false_alarms(law["judged"] for law in laws)):
        yield "another bound on false alarms than that of so many verdicts"
    if predicate["kind"] not in KINDS:
        yield f"a target that yields {predicate['kind']!r}"
    for law in laws:
        if law["outcome"] == "holds" and law["reason"] and not law["reason"].startswith(NOT_IN_ALL):
            yield f"a reason why {law['code']} holds"
    for fault in predicate["sensitivity"]["faults"]:
        try:
            Case.parse(fault["case"])
        except CaseError:
            yield f"{fault['name']} seen in no case"
        if not fault["cases"]:
            yield f"{fault['name']} planted in no case"


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
    own = {name for name in ("batch_rule", "frequencies") if _NAMES_FUNCTION.match(str(said.get(name)))}
    try:
        Contract.of({name: value for name, value in said.items() if name not in own})
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
