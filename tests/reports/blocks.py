"""Failure blocks made by hand, one for each thing that a block may have to say; each has a golden file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from samplercheck import Case, Contract
from samplercheck.explain.pictures.resumption import resumption
from samplercheck.laws.elastic import LAW as ELASTIC
from samplercheck.laws.epoch_after_resume import LAW as RESUMES_ONCE
from samplercheck.laws.resumes_exactly import LAW as RESUMES
from samplercheck.values.finding import Failure, Violation
from tests.support.handmade import EQUAL_STEPS, RESHUFFLES, RUNS, a_case, crash, kept, uneven
from tests.support.resumptions import a_run, a_trial, resumed

if TYPE_CHECKING:
    from samplercheck.laws.law import Law
    from samplercheck.reports.ways import Ways
    from samplercheck.values.trace import Trace

__all__ = ["BLOCKS"]

TAIL = "The tail that world_size does not divide is not dealt out as the contract says."
EXPLAINED = replace(
    uneven(),
    region="exactly when not drop_last and length % world_size != 0",
    cause=TAIL,
    evidence="with length a multiple of world_size, 40 of 40 hold",
    fix="Pad or cut the order to the next multiple of world_size first, then deal it out.",
    also=("SC102", "SC105"),
)
STILL = Failure(
    case=Case(length=2, shuffle=True),
    violation=Violation(found="rank 0 yielded 0, 1 in each of 3 epochs", rank=0, epoch=1),
    realistic_case=Case(length=2, world_size=2, shuffle=True),
    grid=("rank 0", "step     0  1", "epoch 0  0  1", "epoch 1  0  1   <- the same"),
    failing=55,
    tried=260,
    region="exactly when length >= 2 and seed == 0 and shuffle",
    cause="With seed 0 the epoch has no effect: 0 is multiplied, or taken for no seed at all.",
    evidence="with seed 1 instead of 0, 40 of 40 hold",
    fix="Add seed and epoch, or mix them with a hash, and test for None, not for truth.",
)


def stopped(law: Law, trace: Trace, **told: str) -> Failure:
    """The failure of a run that was stopped, drawn from its trace."""
    found = next(iter(law.judge(trace)))
    drawn = resumption(trace, found)
    return Failure(case=trace.case, violation=found, grid=drawn, failing=44, tried=65, **told)  # type: ignore[arg-type]  # words


LONG_EPOCH = list(range(100, 400))
REPLAYED = stopped(
    RESUMES,
    a_run(
        resumed(a_trial("plain", 0, (150,), LONG_EPOCH[:150], LONG_EPOCH[148:]), straight=[LONG_EPOCH] * 4),
        contract=Contract(),
        straight=[LONG_EPOCH] * 4,
        length=400,
    ),
    region="exactly when length >= 2",
    cause="Resuming between two epochs is right; inside an epoch it does not go on where it stopped.",
    evidence="with the state of the epoch's start saved, and what was yielded since then skipped, "
    "40 of 40 hold",
    fix="Save how many items of the epoch were yielded; make its order again and skip them.",
)
OFFSET = stopped(
    RESUMES_ONCE, a_run(resumed(a_trial("plain", 0, (1,), [0], [1, 2], [1, 0])), contract=Contract())
)
SKIPPED = stopped(
    ELASTIC,
    a_run(
        resumed(
            a_trial("elsewhere", 0, (1,), [0], [2], [2, 0], [2, 0]),
            a_trial("elsewhere", 0, (1,), [0], [3], [1, 2], [1, 2]),
            places=((2, 0), (2, 1)),
        ),
        experiment="elastic",
        contract=Contract(elastic=True),
        length=4,
    ),
)
FEATURES = a_case(length=40, features={"lengths": [1, 16, *[1] * 38]}, options={"budget": 6})
LONG = "ceil(length / world_size) % batch_size != 0 and length >= world_size * batch_size and shuffle"
WORDY = replace(
    crash(),
    violation=replace(
        crash().violation,
        found="rank 0 " + "raises an error that goes on and on " * 20,
        hint="Mend it here and there and everywhere. " * 20,
        detail="\n".join(f"  frame {number} of a long traceback" for number in range(30)),
    ),
    region=f"exactly when ({LONG}) or (not drop_last and {LONG})",
    cause="It depends on a great many things, " * 8,
    evidence="with everything else the same, 40 of 40 hold",
    grid=tuple(f"rank {rank}  {' '.join(str(rank + 9 * step) for step in range(8))}" for rank in range(9)),
    also=tuple(f"SC{number}" for number in range(101, 108)),
)

BLOCKS: dict[str, tuple[Law, Failure, Ways | None]] = {
    "block_broken": (EQUAL_STEPS, uneven(), None),
    "block_traceback": (RUNS, crash(), None),
    "block_explained": (EQUAL_STEPS, EXPLAINED, kept(EXPLAINED.case)),
    "block_strips": (RESHUFFLES, STILL, kept(STILL.case)),
    "block_region_alone": (EQUAL_STEPS, replace(EXPLAINED, cause="", evidence="", fix="", also=()), None),
    "block_at_least": (
        EQUAL_STEPS,
        replace(STILL, region="at least when shuffle and length >= 7", cause="", evidence="", fix=""),
        None,
    ),
    "block_in_every_case": (
        EQUAL_STEPS,
        replace(EXPLAINED, region="in every case", failing=195, also=()),
        kept(EXPLAINED.case, contract={"tail": "keep", "layout": "strided"}),
    ),
    "block_same_yield": (
        RESHUFFLES,
        replace(
            STILL,
            cause="The sampler ignores shuffle: with and without it the order is the same.",
            evidence="with shuffle flipped, 40 of 40 yield the very same",
            fix="Shuffle where the argument says so, and nowhere else.",
            also=("SC303", "SC309"),
        ),
        None,
    ),
    "block_resumed": (RESUMES, REPLAYED, kept(REPLAYED.case, contract={"resume": "state_dict"})),
    "block_next_epoch": (RESUMES_ONCE, OFFSET, kept(OFFSET.case, contract={"resume": "state_dict"})),
    "block_elastic": (ELASTIC, SKIPPED, None),
    "block_gloo": (EQUAL_STEPS, replace(uneven(), world="gloo", failing=0), kept(uneven().case)),
    "block_bare": (RUNS, Failure(case=Case(length=1), violation=Violation(found="it broke")), None),
    "block_features": (
        EQUAL_STEPS,
        replace(
            EXPLAINED,
            case=FEATURES,
            region="exactly when max(lengths) > budget",
            cause="It depends on the samples' lengths: the code does not handle some of them.",
            evidence="with every sample of length 1, 40 of 40 hold",
            fix="Give a sample that is over the budget a batch of its own.",
            also=(),
        ),
        kept(FEATURES),
    ),
    "block_crowded": (RUNS, WORDY, kept(WORDY.case, contract={"tail": "keep", "tail_unit": "batch"})),
    "block_not_ascii": (
        replace(EQUAL_STEPS, name="größe", statement="Alle Ränge sind gleich groß."),
        replace(
            EXPLAINED, shown=None, violation=replace(uneven().violation, found="rank 0 yields '\N{SNOWMAN}'")
        ),
        None,
    ),
}
