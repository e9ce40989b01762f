"""SC504: a copy made by pickle is as good as the target.

Called by the engine for every case, empty datasets included. May import values and the private
modules of this package.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from samplercheck.laws._alike import (
    Setting,
    contrasts,
    is_determined,
    is_drawn_by_process,
    member_contrasts,
    nth_passes,
)
from samplercheck.laws._passes import harm_of
from samplercheck.laws.law import OF_ONE_EPOCH, Law, Scope
from samplercheck.values.finding import Violation
from samplercheck.values.trace import Trace

LONGEST, LONGEST_NAME = 100, 40
_OBJECT = re.compile(r"annot pickle '([^']+)' object")
_LOCAL = re.compile(r"local object (?:'([^']+)'|<function ([^ ]+)>)")  # the latter from Python 3.14 on
SETTING = Setting(
    "pickled",
    "from a copy made by pickle",
    "What a pickled copy lacks of all that the order is made from, such as the epoch: what __getstate__ "
    "leaves out and __setstate__ does not bring back, and what is on the class or in the module.",
)
NO_PICKLE = "What it holds: lambdas, local functions, generators, open handles; __getstate__ can drop them."
NO_END = (
    "A __getattr__ that reads an attribute which a new copy does not have yet, such as what it hands on to: "
    "let it raise AttributeError for that name. Or what it holds is nested very deep, as a chain of objects."
)


def sees(trace: Trace) -> bool:
    """Whether pickling was tried; an empty epoch is pickled too."""
    return any("pickling" in record.notes for record in trace.of("pickled"))


def applies(scope: Scope) -> bool:
    """Whether what is built stays for longer than an epoch."""
    return OF_ONE_EPOCH not in scope.traits


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield where copies fail or differ, which does no harm where nothing is spawned."""
    for found in _unlike_copies(trace):
        yield found if trace.contract.spawn else replace(found, grade="strict")


def _unlike_copies(trace: Trace) -> Iterator[Violation]:
    """Yield the first rank that cannot be pickled, or where the copies differ."""
    for rank, record in enumerate(trace.of("pickled")):
        error = record.notes.get("pickling")
        if error:
            is_strict = record.notes.get("no_workers")
            yield replace(_pickling_error(rank, error), grade="strict" if is_strict else "harm")
            return
    if "pickled" in trace.faithful:
        return
    found, expected = nth_passes(trace, "pickled", 0), nth_passes(trace, "pickled", 1)
    if not found or not is_determined(trace):
        return
    is_drawn = is_drawn_by_process(trace)
    unlike = (
        member_contrasts(trace, found, expected, SETTING) if is_drawn else contrasts(found, expected, SETTING)
    )
    harm = harm_of([item for one in found for item in one.items], [i for one in expected for i in one.items])
    yield from (
        replace(one, consequence=harm, fault="a pickled copy yields something else") for one in unlike
    )


def _pickling_error(rank: int, error: str) -> Violation:
    line = " ".join(error.split())
    short = line if len(line) <= LONGEST else f"{line[:LONGEST]} ..."
    return Violation(
        found=f"pickling the target of rank {rank} failed: {short}",
        rank=rank,
        hint=NO_END if "RecursionError" in line else NO_PICKLE,
        experiment="pickled",
        detail=error,
        fault=_name_held(line),
    )


def _name_held(line: str) -> str:
    """Say what is held that cannot be pickled, where the error names it."""
    kind, local = _OBJECT.search(line), _LOCAL.search(line)
    held = f"a {kind[1]}" if kind else (local[1] or local[2]) if local else ""
    return f"holds {held}, which pickle refuses" if 0 < len(held) <= LONGEST_NAME else ""


LAW = Law(
    code="SC504",
    name="pickles",
    statement=(
        "The target survives pickling, as DataLoader workers under spawn need, and then yields the same."
    ),
    fault="holds something that cannot be pickled",
    event="after pickling, as for a spawned process",
    consequence="crashes if pickled",
    judge=judge,
    applies=applies,
    compares=True,
    reads=("epochs", "pickled", "again"),
    sees=sees,
    whatever_promised=True,
    picture="orders",
    orders_of="pickled",
    why=(
        "A DataLoader pickles the dataset or stream for workers that are started by spawn or forkserver "
        "(macOS, Windows, Python 3.14); a sampler is pickled for ranks that are (Ray, "
        "torch.multiprocessing.spawn). A target that cannot be pickled crashes there and only there; one "
        "that loses its epoch or its seed on the way yields another order in the copy."
    ),
    fix=(
        "Hold plain settings (numbers, the dataset, a generator) and build everything else in __iter__; "
        "classes and functions live at the top level of a module."
    ),
    intended=(
        "Where ranks and workers are forked, or each rank builds its own sampler, declare "
        "`Contract(spawn=False)`: what is found is then advice, unless the run is strict."
    ),
)
