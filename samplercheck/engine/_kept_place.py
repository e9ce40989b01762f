"""Kept place: targets that ask for their rank once in a process and go on with that answer.

In training a process is one rank, so that this is sound. Here one process stands for all ranks, and each would
be the first: no verdict about ranks would say anything of the target. Asked before a run, in copies of this
process, of targets that find their place themselves.
"""

from __future__ import annotations

import sys
import threading
from functools import partial

from samplercheck.engine._probe import case_of
from samplercheck.targets.alone import PLACE
from samplercheck.targets.binding import Binding
from samplercheck.targets.leftovers import Leftovers, list_filled_caches
from samplercheck.targets.splitters import unwrap
from samplercheck.values.case import Case, Options
from samplercheck.values.errors import TargetError
from samplercheck.worlds import open_world
from samplercheck.worlds.processes.spare import SpareProcess

LOOK = (12, 2, 2)
FIRST, LAST = 0, 1
KEPT = (
    "{name} asks for its place once in a process and keeps the answer{where}. Here the samplers of many ranks "
    "are built in one process, so that all would be the same rank. Let a function of yours forget the answer "
    "before it builds ({ways}), and check that function; or check it in a job: torchrun "
    "--nproc-per-node=2 -m samplercheck run TARGET --world attached."
)
WAYS = "get_rank.cache_clear(), or module.RANK = None, for what keeps it"
Yielded = tuple[list[bytes], tuple[str, ...]]
"""What each of some ranks yields, and what the target's module kept from that."""


def refuse_kept_place(binding: Binding, options: Options, *, is_child: bool) -> None:
    """Refuse a target whose ranks all yield what the first one in their process does, and else do not.

    A process of the user's that has threads is not copied; nor is any where copies are not safe.
    """
    if binding.named & PLACE or binding.contract.sharding != "ranks":
        return
    if not (is_child or threading.active_count() == 1):
        return
    case = case_of(binding, LOOK, options)
    with SpareProcess(partial(_take_in_turn, binding, case)) as spare:
        together = spare.ask((LAST, FIRST))
        alone = spare.ask((FIRST,)) if together is not None else None
    if together is None or alone is None:
        return
    (last, first), kept = together
    if first and first == last and alone[0] not in ([b""], [first]):
        names = " and ".join(kept)
        raise TargetError(
            KEPT.format(name=binding.name, where=f" ({names})" if names else "", ways=WAYS)
        )


def _take_in_turn(binding: Binding, case: Case, ranks: tuple[int, ...]) -> Yielded:
    """Return what ranks yield that run one after the other in this process; of a rank that fails nothing."""
    module = sys.modules.get(unwrap(binding.factory).__module__)
    states, taken = Leftovers(module), []
    with open_world("simulated") as world:
        for rank in ranks:
            world.only = frozenset({rank})
            trace = world.trace(binding, case, ("epochs",))
            passes = trace.of("epochs")[rank].passes if trace.is_whole else ()
            taken.append(b"|".join(one.items.tobytes() for one in passes if len(one.items)))
    return taken, (*list_filled_caches(module), *states.list_changed())
