"""SC901: a real process group yields what simulation yields.

Called by the engine for cases that were carried out in a world of process groups and in simulation.
May import values and the private modules of this package.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from samplercheck.laws._alike import Setting, is_determined
from samplercheck.laws.law import Law, Scope
from samplercheck.laws.twins import apart, differences, is_reproduced, twin_of
from samplercheck.values.finding import Violation
from samplercheck.values.trace import Trace

# A reference is not what is tested; what was run in step has no twin of its own.
NO_TWIN = frozenset({"reference", "in_step"})
# Ranks that wait for each other stop elsewhere, have no workers and cannot take the part of others, and in
# simulation some ranks alone are stopped: their own laws judge these.
OTHERWISE_DONE = frozenset(
    {"resumed", "resumed_again", "saved", "elastic", "foreign", "workers", "delivered"}
)
HINT = "What the order is made from besides the arguments: what the process or its group happens to be."
SETTING = Setting("", "in simulation", HINT)
IN_STEP = Setting("in_step", "in simulation, without a collective at every step", HINT)


def applies(scope: Scope) -> bool:
    """Whether a world of process groups takes part in the run."""
    return "groups" in scope.traits


def sees(trace: Trace) -> bool:
    """Whether simulation carried the same case out, and carrying it out again yields the same."""
    twin = twin_of(trace, "simulated")
    if twin is None or not (trace.has_steps or twin.has_steps):
        return False
    return is_determined(twin) and is_reproduced(trace)


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield what ranks of the first experiment that differs yield or announce otherwise."""
    twin = trace.twins["simulated"]
    experiments = [name for name in trace.records if name not in NO_TWIN | OTHERWISE_DONE]
    found = list(differences(trace, twin, experiments, SETTING))
    yield from found
    if not found and _is_whole_in_step(trace):
        # In step the epochs are taken alone; after many of them simulation goes on to far ones.
        usual = [replace(one, passes=one.passes[: trace.case.epochs]) for one in twin.of("epochs")]
        yield from apart(trace.of("in_step"), usual, IN_STEP)


def _is_whole_in_step(trace: Trace) -> bool:
    """Whether the ranks were run in step, to the end; where they were not even, SC902 says so."""
    records = trace.of("in_step")
    return bool(records) and all(record.passes and "uneven" not in record.notes for record in records)


LAW = Law(
    code="SC901",
    name="group-agrees",
    statement="In a real process group every rank yields what it yields in simulation.",
    fault="yields something else in a real group",
    consequence="not reproducible",
    judge=judge,
    compares=True,
    reads=("epochs", "lengths", "again", "unplaced", "in_step"),
    applies=applies,
    sees=sees,
    needs_fresh=True,
    needs_groups=True,
    picture="beside",
    twin="simulated",
    follows=("SC402", "SC401"),
    why=(
        "What passes in one process, as in a notebook or in unit tests, tells nothing of a training job "
        "when the order depends on the process: on a cache that all ranks of one process share, on a "
        "variable that the launcher sets, on the backend of the group. Such a sampler deals out data in "
        "training that no test has looked at."
    ),
    fix=(
        "Compute everything from length, rank, world size, seed and epoch. Put all of them into the keys "
        "of caches, and keep nothing in module globals or class attributes that ranks could share."
    ),
)
