"""Samplers of one process: targets that neither name a rank nor ask for one, and what they promise.

Asked where nobody gives a contract: the default is about ranks that share the data, which such a target
cannot do. Imports the values below it alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from samplercheck.targets.binding import Binding
from samplercheck.targets.names import names_behind
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
