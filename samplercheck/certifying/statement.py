"""The two statements of a certificate: from an examination to what is signed, and their digests.

The scope statement says what was tried and whether it would have been noticed; the test statement, which
any reader of in-toto understands, says "passed" and names the other by its digest. Pure; the moment is
handed in. Shapes say of its free words what no run of its profile can have written; they are asked where
torch must not be waited for. Standard library alone.
"""

from __future__ import annotations

import ast
import hashlib
import json
import keyword
import platform
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from samplercheck.certifying.form import SCOPE_TYPE, STATEMENT_TYPE, TEST_TYPE
from samplercheck.reports.standing import describe_advice
from samplercheck.search.profiles import Profile
from samplercheck.search.small_scope import SHORTEST_SCOPE
from samplercheck.targets.locate import Place
from samplercheck.values.contract import Contract
from samplercheck.values.errors import ContractError, InputError
from samplercheck.values.guarded import parse_python, read_guarded
from samplercheck.worlds import GROUPS

Plain = dict[str, Any]

TEST_FILE, SCOPE_FILE = "certificate.intoto.json", "certificate.scope.intoto.json"
FORMAT = 1
_GRID = re.compile(
    r"everything in length 0-(?P<longest>\d{1,6})( and [\d, -]+?)?, world (?P<world>[\d, -]+?)"
    r"(, batch (?P<batch>[\d, -]+?))?"
    r"(?P<shuffle>, shuffle)?(?P<drop>, drop_last)?(, seeds (?P<seed>[\d, ]+?))?, (\D.*, )?\d+ epochs(;.*)?"
)
LARGEST = 1_000_000
"""Bytes of a file that is parsed: of more a parser may take minutes."""
MAKES_NAMES = frozenset({"globals", "locals", "vars", "exec", "setattr"})


def as_text(statement: Plain) -> str:
    """Return the one text of a statement: sorted, indented by two, ASCII."""
    return json.dumps(statement, indent=2, sort_keys=True, allow_nan=False) + "\n"


def scope_statement(examined: Plain, made: datetime) -> Plain:
    """Return the statement with the kit's own predicate."""
    report = examined["report"]
    predicate = {
        "format": FORMAT,
        **{name: report[name] for name in ("target", "kind", "profile", "seed", "versions")},
        **{name: examined[name] for name in ("place", "contract", "changes", "axes", "drawn_axes", "tree")},
        **({"strict": True} if examined["strict"] else {}),
        **{name: report[name] for name in ("not_tried", "notes", "false_alarm_bound")},
        "made": made.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "environment": {"machine": platform.machine(), "system": platform.system()},
        "phases": [
            {name: phase[name] for name in ("phase", "scope", "cases", "judged")}
            for phase in examined["phases"]
        ],
        "laws": _laws(examined),
        "sensitivity": examined["sensitivity"],
        "result_digest": result_digest(examined),
    }
    statement = {
        "_type": STATEMENT_TYPE,
        "subject": [_subject(*source) for source in examined["sources"]],
        "predicateType": SCOPE_TYPE,
        "predicate": predicate,
    }
    predicate["digest"] = digest_of_scope(statement)
    return statement


def result_statement(scope: Plain) -> Plain:
    """Return in-toto's test result for a scope statement; it follows from it, down to the last byte."""
    laws = [law for law in scope["predicate"]["laws"] if law["outcome"] == "holds"]
    digest = hashlib.sha256(as_text(scope).encode()).hexdigest()
    version = scope["predicate"]["versions"]["samplercheck"]
    return {
        "_type": STATEMENT_TYPE,
        "subject": scope["subject"],
        "predicateType": TEST_TYPE,
        "predicate": {
            "result": "PASSED",
            "configuration": [
                {"name": SCOPE_FILE, "digest": {"sha256": digest}},
                {
                    "name": "samplercheck",
                    "uri": f"pkg:pypi/samplercheck@{version}",
                    "annotations": {"profile": scope["predicate"]["profile"]},
                },
            ],
            "passedTests": [_label(law) for law in laws if not law["advice"]],
            "warnedTests": [_label(law) for law in laws if law["advice"]],
            "failedTests": [],
        },
    }


def digest_of_scope(statement: Plain) -> str:
    """Return the digest of a scope statement without the one that it holds."""
    predicate = {name: value for name, value in statement["predicate"].items() if name != "digest"}
    return _digest({**statement, "predicate": predicate})


def result_digest(examined: Plain) -> str:
    """Return the digest of what every run of this target with these versions finds again."""
    report = examined["report"]
    again = [
        {name: phase[name] for name in ("phase", "scope", "cases", "judged")}
        for phase in examined["phases"]
        if phase["phase"] not in GROUPS
    ]
    outcomes = {result["code"]: result["outcome"] for result in report["results"]}
    return _digest({"phases": again, "outcomes": outcomes, "sensitivity": examined["sensitivity"]})


def _digest(plain: Plain) -> str:
    canonical = json.dumps(plain, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def _subject(name: str, sha256: str, installed: bool) -> Plain:  # noqa: FBT001  (one row of a list)
    home = "installed" if installed else "project"
    return {"name": name, "digest": {"sha256": sha256}, "annotations": {"home": home}}


def _laws(examined: Plain) -> list[Plain]:
    faults = examined["sensitivity"]["faults"]
    return [
        {
            **{name: result[name] for name in ("code", "name", "statement", "outcome", "judged", "reason")},
            "version": examined["versions_of_laws"][result["code"]],
            "advice": describe_advice(result),
            "planted": sum(fault["law"] == result["code"] for fault in faults),
            "caught": sum(fault["law"] == result["code"] in fault["seen_by"] for fault in faults),
        }
        for result in examined["report"]["results"]
    ]


def _label(law: Plain) -> str:
    return f"{law['code']}-{law['name']}"


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
