"""Import time: places that a module reads when it is imported, which is once for all ranks built here.

Asked before a run, of the module of a target and those of what it names. Standard library alone.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from samplercheck.targets.alone import ASKS, PLACE
from samplercheck.targets.names import names_behind
from samplercheck.targets.splitters import unwrap
from samplercheck.values.errors import TargetError

READS = frozenset({"environ", "getenv"})
VARIABLES = ("RANK", "WORLD_SIZE", "SLURM_PROCID", "SLURM_NTASKS")
QUESTIONS = ("get_rank", "get_world_size")
TOO_EARLY = (
    "{name} reads its place when its module is imported ({names}). Here the samplers of many ranks are built "
    "in one process, which has imported it once, so that all would be the same rank. Read the place in "
    "__init__ or __iter__, or check it in a job: torchrun --nproc-per-node=2 -m samplercheck run TARGET "
    "--world attached."
)


def refuse_early_place(factory: Any, named: frozenset[str], name: str) -> None:
    """Refuse a target that knows its place from the import of a module alone."""
    found = set() if named & PLACE else _early_names(unwrap(factory))
    names = (names_behind(factory) or set()) if found else set()
    used, own = sorted(found & names), {getattr(factory, "__name__", "")}
    if used and not (names & READS or any(map(ASKS.search, names - found - own))):
        raise TargetError(TOO_EARLY.format(name=name, names=", ".join(used)))


def _early_names(factory: Any) -> set[str]:
    """Return the names of modules' own variables that hold a place since the import."""
    known = getattr(factory, "__globals__", {})
    mentioned = [known.get(one) for one in names_behind(factory) or ()]
    modules = {getattr(one, "__module__", None) for one in (factory, *mentioned)}
    files = {getattr(sys.modules.get(str(one)), "__file__", None) for one in modules}
    files |= {_file_of(factory)}
    return {name for file in files if file and file.endswith(".py") for name in _assigned_in(Path(file))}


def _file_of(factory: Any) -> str | None:
    try:
        return inspect.getsourcefile(factory)
    except TypeError:
        return None


def _assigned_in(file: Path) -> Iterator[str]:
    """Yield what the statements of a module, outside of its functions, make from a place."""
    try:
        body = ast.parse(file.read_bytes()).body
    except (OSError, SyntaxError, ValueError):
        return
    for statement in body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value and _asks(statement.value):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            yield from (one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name))


def _asks(value: ast.expr) -> bool:
    """Whether an expression reads a place from the environment or the process group."""
    said = {one.value for one in ast.walk(value) if isinstance(one, ast.Constant)}
    called = {one.attr for one in ast.walk(value) if isinstance(one, ast.Attribute)}
    called |= {one.id for one in ast.walk(value) if isinstance(one, ast.Name)}
    reads = bool(called & READS and said.intersection(VARIABLES))
    return reads or bool(called.intersection(QUESTIONS))
