"""SC706: a state that was saved in another place is refused or rightly continued.

Judged by the engine where resuming in the same place is in order (docs/rules.md D9). Imports values, numpy
and the private modules of this package.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from samplercheck.laws import resumes_exactly
from samplercheck.laws._moves import Move, moves_of
from samplercheck.laws._resumes import was_resumed
from samplercheck.laws.law import Law, Scope, has_state
from samplercheck.values.contract import Contract
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.owed import compute_owed
from samplercheck.values.trace import Trace
from samplercheck.values.wording import limit_indices, name_samples, pluralise

EXPERIMENT = "foreign"
OF_RANK_0 = "rank"
"""How a trial is called in which all ranks load the state of rank 0."""
MOVED = 2
"""Passes of a run that went on: before its stop, and what came there."""
WHERE = "What the state says of the place that it was saved in, and what load_state_dict() asks of it."
COMMON = (
    "What the state holds: it should be what all ranks have in common, such as the epoch, its whole order "
    "and how many samples all of them have taken."
)
WORDS = {
    "length": "a dataset of {} samples",
    "batch_size": "batches of {} samples",
    "seed": "seed {}",
    OF_RANK_0: "all ranks, saved by rank 0",
}


def advises(contract: Contract) -> bool:
    """Whether nothing is promised, so that there need be nothing to see."""
    return contract.foreign_state == "any"


def applies(scope: Scope) -> bool:
    """Whether the target has a state, and epochs that end; a number of consumed samples knows no place."""
    return has_state(scope) and not scope.contract.endless


def sees(trace: Trace) -> bool:
    """Whether some state was loaded elsewhere, what an epoch holds is known, and resuming is in order."""
    is_known = trace.owed.total is not None and was_resumed(trace, EXPERIMENT)
    return is_known and all(one.advice for one in resumes_exactly.judge(trace))


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the first other place in which a state is continued wrongly, and nothing says so.

    Where the state of rank 0 is meant for all ranks, that comes first, and none may refuse it.
    """
    moves = sorted(moves_of(trace, EXPERIMENT, whole=MOVED), key=partial(_is_advice, trace.contract))
    for move in moves:
        if move.error is not None:
            if trace.contract.foreign_state == "rank_0" and move.way == OF_RANK_0:
                yield _refusal(move)
                return
        elif not (move.way == "world_size" and trace.contract.elastic):
            missing, again = _find_wrong(trace, move)
            if missing or again:
                yield _violation(trace, move, missing, again)
                return


def _is_advice(contract: Contract, move: Move) -> bool:
    """Whether nothing is promised of a state that is loaded in this other place."""
    promised = {"any": (), "rank_0": (OF_RANK_0,)}.get(contract.foreign_state, (move.way,))
    return move.way not in promised


def _refusal(move: Move) -> Violation:
    """Return that some rank refuses the state that is meant for all."""
    rank, error = move.error or (0, "")
    return Violation(
        found=f"the state that rank 0 saved after {pluralise(move.stop, 'step')} of epoch 0 cannot be loaded "
        f"by rank {rank}: {error}",
        rank=rank,
        epoch=0,
        step=move.stop,
        hint="What load_state_dict() asks of a state: that of rank 0 is the only one that is saved.",
        consequence="crashes",
        experiment=EXPERIMENT,
        evidence=Evidence(way=move.way, world_size=move.world, stops=(move.stop,)),
    )


def _find_wrong(trace: Trace, move: Move) -> tuple[list[int], list[int]]:
    """Return the samples that are missing, and those that come again, beyond what a tail may do.

    Samples that only a longer dataset has may come in this epoch or in the next. Nothing is told where ranks
    stopped apart, or padding had been yielded.
    """
    case, contract = trace.case, trace.contract
    changes = {move.way: getattr(case, move.way) + 1} if move.way in ("length", "batch_size", "seed") else {}
    there = compute_owed(case.but(world_size=move.world, **changes), contract, batched=trace.batched)
    if not move.is_plain(trace):
        return [], []
    missing, again = move.count_wrong(trace)
    may_lose, may_repeat = trace.owed.spare_with(there)
    if missing.sum() <= may_lose and again.sum() <= may_repeat:
        return [], []
    return list(np.flatnonzero(missing)), list(np.flatnonzero(again))


def _violation(trace: Trace, move: Move, missing: list[int], again: list[int]) -> Violation:
    there, advice = pluralise(move.world, "rank"), _is_advice(trace.contract, move)
    if move.way != "world_size":
        there = WORDS[move.way].format(getattr(trace.case, move.way, 0) + 1)
    parts = [("missing", missing), ("repeated", again)]
    wrong = " and ".join(f"{name_samples(samples)} {how}" for how, samples in parts if samples)
    here = pluralise(trace.case.world_size, "rank")
    return Violation(
        found=f"a state saved after {pluralise(move.stop, 'step')} of epoch 0 on {here} and loaded with "
        f"{there} is accepted silently: together {wrong}",
        epoch=0,
        step=move.stop,
        indices=limit_indices(missing or again),
        hint=COMMON if not advice and trace.contract.foreign_state == "rank_0" else WHERE,
        consequence="loses data" if missing else "repeats data",
        advice=advice,
        experiment=EXPERIMENT,
        evidence=Evidence(way=move.way, world_size=move.world, stops=(move.stop,)),
    )


LAW = Law(
    code="SC706",
    name="foreign-state",
    statement=(
        "A state that was saved in another place (another world size, rank, length, batch size or seed) is "
        "refused or rightly continued, never silently continued wrongly."
    ),
    fault="continues the state of another place wrongly",
    event="after loading the state of another place",
    consequence="loses data",
    judge=judge,
    compares=True,
    reads=("epochs", "again", "resumed", "foreign"),
    applies=applies,
    sees=sees,
    to_the_end=True,
    needs_simulation=True,
    on_sight=advises,
    why=(
        "Jobs are resumed with other nodes, another batch size or a dataset that has grown, and checkpoints "
        "of one rank are loaded on all. A position means something else there: samples are skipped or "
        "trained on twice, and no message says so."
    ),
    fix=(
        "Save the world size, the length, the batch size and the seed with the position, compare them in "
        "load_state_dict(), and raise an error where the position cannot be translated."
    ),
    intended=(
        'Under foreign_state="any", the default, this is advice and breaks no run. Where only rank 0 writes '
        'checkpoints, foreign_state="rank_0" promises that all ranks can load them, and nothing more.'
    ),
)
