"""SC402: what is built alike yields alike.

Called by the engine for every case. Compares a second object, which met other random generators
on its way, with the first, and fresh processes with these, where there are some. May import values
and the private modules of this package.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from samplercheck.laws._alike import Setting, contrasts, has_moved, nth_passes, yields_something
from samplercheck.laws.law import Law
from samplercheck.laws.twins import twin_of, unlike_fresh
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.trace import Trace

SETTING = Setting(
    "again",
    "when built again",
    "What decides on the order besides the arguments and (seed, epoch): a global generator, a clock, what "
    "stays in the process, a set of objects (each hashes by its address), threads that end now in one order "
    "and now in another.",
)

UNLIKE, ELSEWHERE = "another process yields another order", "after a restart, and on other ranks"
BY_RANK = "each process, so each rank, has another order"


def sees(trace: Trace) -> bool:
    """Whether one of the two objects yielded something, here or in a fresh process."""
    fresh = twin_of(trace, "fresh")
    if fresh is not None and (fresh.has_steps or trace.has_steps):
        return True
    if "again" in trace.faithful:
        return trace.has_steps
    first, second = nth_passes(trace, "epochs", 0), nth_passes(trace, "again", 0)
    return bool(first and second) and yields_something(first, second)


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the ranks whose second object differs; where none does, those that fresh processes contradict.

    Each rank is a process: where they share an order that differs by process, samples are lost and repeated.
    """
    here = list(_differences(trace))
    shares = trace.contract.sharding == "ranks" and trace.contract.coverage != "sampled"
    harm = "loses data" if shares else ""
    fresh = () if here else unlike_fresh(trace)
    fault, seen = BY_RANK if shares else UNLIKE, Evidence(kind="afresh")
    told = [replace(one, fault=fault, event=ELSEWHERE, consequence=harm, evidence=seen) for one in fresh]
    return iter(here or told)


def _differences(trace: Trace) -> Iterator[Violation]:
    """Yield the ranks whose second object differs; with "advance" in its second epoch too.

    Two random orders of few samples agree now and then. Where the target was seen to use global
    generators, objects of other experiments that were built alike are compared as well.
    """
    if trace.faithful.issuperset(("again", "lengths", "jumps")):
        return
    epochs = (0, 1) if trace.contract.epochs == "advance" else (0,)
    for epoch in epochs:
        expected, found = nth_passes(trace, "epochs", epoch), nth_passes(trace, "again", epoch)
        broken = list(contrasts(found, expected, SETTING)) if expected else []
        if broken:
            yield from broken
            return
    if trace.contract.ambient_rng == "independent" and has_moved(trace):
        expected = nth_passes(trace, "epochs", 0)
        for experiment in ("lengths", "jumps"):
            firsts = [record.pass_of(0) for record in trace.of(experiment)]
            found = [one for one in firsts if one is not None]
            if len(found) == len(expected):  # what has no set_epoch jumps to no epoch
                yield from contrasts(found, expected, replace(SETTING, experiment=experiment))


LAW = Law(
    code="SC402",
    name="deterministic",
    statement=(
        "Two targets built alike yield alike, in this process and in a fresh one with another hash seed, in "
        "which directories are listed in another order."
    ),
    fault="a target built again gives another order",
    event="after it is built again, as in a restart",
    consequence="not reproducible",
    judge=judge,
    reads=("epochs", "again", "lengths", "jumps"),
    sees=sees,
    runs_alone=True,
    needs_fresh=True,
    picture="orders",
    orders_of="again",
    twin="fresh",
    why=(
        "A run that is started again with the same seed trains on other data, so no result can be "
        "repeated and no resumed run continues where it stopped. On several ranks each process also "
        "deals out an order of its own."
    ),
    fix=(
        "Draw from a generator that the sampler owns (torch.Generator().manual_seed(seed + epoch)) and "
        "from nothing else: no global generator, no clock, no hash of a string, no order of a set or of a "
        "directory that was not sorted."
    ),
    intended=(
        "A sampler that draws on the process's generators, which the training script seeds, declares "
        'ambient_rng="shared".'
    ),
)
