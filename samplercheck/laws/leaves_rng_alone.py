"""SC403: the process's random generators are none of a sampler's business.

Called by the engine for every case, empty datasets included. Reads which generators the ranks
found moved. May import values and the private modules of this package.
"""

from __future__ import annotations

from collections.abc import Iterator

from samplercheck.laws.law import Law
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.trace import Trace

AROUND = (
    "What is seeded or forked around a yield: training draws from that generator between two steps. Make the "
    "order, put the generator back, then yield."
)
EVENTS = {"inside": "", "saving": "when a state is saved and loaded"}
"""The ways that a script goes as well, and what comes before them."""
HINTS = {
    "random": "Calls of random's functions; random.Random(seed) leaves the global one alone.",
    "numpy": "Calls of numpy.random's functions; numpy.random.default_rng(seed) leaves the global one alone.",
    "torch": "Calls of torch's functions without generator=torch.Generator().manual_seed(seed).",
}


def sees(trace: Trace) -> bool:
    """Whether a rank moved a generator, as an empty epoch can, or all ranks know that they did not."""
    known = [record.notes.get("moved") for record in trace.of("epochs")]
    return any(known) or (bool(known) and None not in known)


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the first rank that moved a generator: building, iterating and saving, each for themselves.

    What is put back at the end of a pass, training finds moved all the same.
    """
    for rank, record in enumerate(trace.of("epochs")):
        moved = record.notes.get("moved")
        if not moved:
            continue
        for when in ("building", "iterating", "inside", "saving"):
            names = [name for moment, name in moved if moment == when]
            if names:
                yield _violation(trace, rank, when, names)
        return


def _violation(trace: Trace, rank: int, when: str, names: list[str]) -> Violation:
    generators = " and ".join(names)
    if when == "inside":
        found = f"while rank {rank} iterates, the global generator of {generators} is in another state"
    else:
        what = "saving and loading a state of" if when == "saving" else when
        found = f"{what} the target on rank {rank} moved the global generator of {generators}"
    return Violation(
        found=found,
        rank=rank,
        hint=AROUND if when == "inside" else " ".join(HINTS[name] for name in names if name in HINTS),
        fault="changes a global generator during a pass" if when == "inside" else "",
        event=EVENTS.get(when, ""),
        advice=trace.contract.ambient_rng == "shared",
        evidence=Evidence(kind="moved", argument=names[0], way=when if when in EVENTS else ""),
    )


LAW = Law(
    code="SC403",
    name="leaves-rng-alone",
    statement=(
        "Building, iterating, saving and loading neither reseed nor move the global generators of torch, "
        "numpy and random."
    ),
    fault="changes a global random generator",
    consequence="not reproducible",
    judge=judge,
    sees=sees,
    why=(
        "Augmentation, dropout and initialisation draw on the same global generators. A sampler that "
        "draws on them shifts all that comes after it; one that reseeds them makes every epoch draw the "
        "same augmentations again, and training gets worse without a word."
    ),
    fix=(
        "Give the sampler a generator of its own: torch.Generator().manual_seed(...), "
        "numpy.random.default_rng(...) or random.Random(...)."
    ),
    intended=(
        'With ambient_rng="shared" the sampler draws on the process\'s generators on purpose: the law '
        "then advises and breaks nothing."
    ),
)
