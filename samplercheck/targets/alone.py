"""Samplers of one process: targets that neither name a rank nor ask for one, and what they promise.

Asked where nobody gives a contract: the default is about ranks that share the data, which such a target
cannot do. Before a run the module of a target, and those of what it names, are asked for places that they
read when they are imported, which is once for all ranks built here. Imports the values below it alone.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from samplercheck.targets.binding import Binding
from samplercheck.targets.names import names_behind
from samplercheck.targets.splitters import unwrap
from samplercheck.values.contract import Contract
from samplercheck.values.errors import TargetError

NOTE = (
    "Judged as a sampler of one process, as it neither names a rank nor asks for one: where several train, "
    "each goes through all of it. --contract sharding=ranks demands a share for each."
)
OWN_PLACE = frozenset({"rank", "global_rank"})
"""Without one of these nobody takes a part; how many ranks there are may decide sizes alone."""
PLACE = OWN_PLACE | {"world_size", "replicas"}
ASKS = re.compile(
    r"(?<![a-z])("
    r"rank|(num|n|total)_?ranks|world_?size|replicas?|distrib(uted)?|process_?(group|index)|num_?processes"
    r"|accelerat(e|or)|partial_?state|horovod|xla|mpi4py|slurm"
    r")(?![a-z])|^(dist|hvd|mpi|mpu)$",
    re.IGNORECASE,
)
"""What whole words in names and short texts say, in code that asks for the place of its process."""
_CAPITALS = re.compile(r"(?<=[a-z])(?=[A-Z])")
LIKE_PLACES = re.compile(
    r"(num|n|total)_?(shard|node|part|partition|split|chunk|gpu|device|host|machine|peer)s"
    r"|(shard|node|part|partition|split|chunk|gpu|device|host|machine|peer)_?(id|idx|index|num|number)"
)
"""Names of parameters that say a place in other words, which the kit does not bind."""
READS = frozenset({"environ", "getenv"})
VARIABLES = ("RANK", "WORLD_SIZE", "SLURM_PROCID", "SLURM_NTASKS")
QUESTIONS = ("get_rank", "get_world_size")
TOO_EARLY = (
    "{name} reads its place when its module is imported ({names}). Here the samplers of many ranks are built "
    "in one process, which has imported it once, so that all would be the same rank. Read the place in "
    "__init__ or __iter__, or check it in a job: torchrun --nproc-per-node=2 -m samplercheck run TARGET "
    "--world attached."
)


def contract_of_one_process(factory: Callable[..., Any], axes: Any, name: str) -> Contract | None:
    """Return what a target promises that knows nothing of ranks; None for one that does, or may."""
    try:
        named = Binding(factory, Contract(), dict(axes), name).named
    except (TargetError, TypeError, ValueError):  # said where it is bound
        return None
    names = None if named & PLACE else names_behind(factory)
    if names is None or any(ASKS.search(_CAPITALS.sub("_", one)) for one in names):
        return None
    changes: dict[str, Any] = {"coverage": "sampled"} if "weights" in named else {}
    if "shuffle" in named:
        changes["order"] = "auto"
    if "set_epoch" in names or "epoch" in named:
        changes["epochs"] = "set_epoch"
    return Contract.single_process(**changes)


def is_alone(binding: Binding) -> bool:
    """Whether a target is of one process and is told no place, so that ranks make no difference to it."""
    return binding.contract.sharding == "none" and not binding.named & PLACE


def note_on_one_process(factory: Callable[..., Any], axes: Any, name: str) -> str:
    """Return what a report says of such a target, naming parameters that may be its place."""
    binding = Binding(factory, Contract(), dict(axes), name)
    left = [one for one in binding.signature.parameters if one not in axes and LIKE_PLACES.fullmatch(one)]
    if not left:
        return NOTE
    return (
        f"Judged as a sampler of one process, with {' and '.join(left)} at the default: if that is its "
        "place, pass rank and world_size there. --contract sharding=ranks demands a share for each."
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
