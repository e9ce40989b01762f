"""Families 1 and 2 in scripts: which samples an epoch holds, in how many steps, and what len() says.

Copied into scripts as they stand, like the functions of ``_bench``. An experiment runs in a rank; a
check takes what all ranks found and yields what is wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator  # noqa: TC003  (copied into scripts as it stands)
from typing import Any

from samplercheck.scripts._bench import Bench, samples, shares

__all__ = ["CHECKS"]


def epochs(bench: Bench, rank: int) -> Any:
    """Return the passes of all epochs of the case."""
    return bench.passes(rank, bench.case["epochs"])


def held(bench: Bench, ranks: list[Any]) -> Iterator[tuple[int, list[int], list[Any]]]:
    """Yield each epoch of each share: its number, its ranks and their passes."""
    for share in shares(bench):
        for epoch in range(len(ranks[share[0]])):
            yield epoch, share, [ranks[rank][epoch] for rank in share]


def counts(passes: list[Any]) -> Counter[Any]:
    """Return how often each sample came."""
    return Counter(one for steps in passes for one in samples(steps))


def strays(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """Every index is an integer of the dataset."""
    for epoch, share, passes in held(bench, ranks):
        for rank, steps in zip(share, passes, strict=True):
            wrong = [
                one
                for one in samples(steps)
                if not isinstance(one, int) or not 0 <= one < bench.case["length"]
            ]
            if wrong:
                yield f"epoch {epoch}: rank {rank} yields {wrong[:5]}, which are no indices of the dataset"


def missing(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """Every sample comes, but for what may be dropped."""
    promise = bench.promise
    for epoch, share, passes in held(bench, ranks):
        came = counts(passes)
        lost = [one for one in range(bench.case["length"]) if came[one] < promise["repeats"]]
        number = sum(promise["repeats"] - came[one] for one in lost)
        if number > promise["losable"]:
            yield f"epoch {epoch}: ranks {share} do not yield {lost[:5]}; {promise['losable']} may be dropped"


def drawn_alike(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """No rank draws in every epoch what another one draws."""
    drawn = [(rank, [samples(steps) for steps in ranks[rank]]) for rank in shares(bench)[0]]
    for place, (rank, passes) in enumerate(drawn):
        for other, its in drawn[:place]:
            if passes == its and any(one != passes[0] for one in passes):
                yield f"ranks {other} and {rank} draw the same in {len(passes)} epochs: at first {passes[0]}"


def doubled(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """No sample comes more often than padding allows; of endless passes, in less than the first lap."""
    promise = bench.promise
    if promise["drawn"]:
        yield from drawn_alike(bench, ranks)
        return
    begun, most = promise["begun"], promise["most"] or promise["repeats"]
    may = promise["padding"] if promise["most"] is None else 0
    for epoch, share, passes in held(bench, ranks):
        looked_at = passes if begun is None else [samples(one)[: 0 if epoch else begun] for one in passes]
        often = {one: number - most for one, number in counts(looked_at).items() if number > most}
        if sum(often.values()) > may:
            yield f"epoch {epoch}: ranks {share} yield {list(often)[:5]} more than {most} times"


def uneven(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """All ranks take as many steps, and as many samples where batches have one size."""
    promise = bench.promise
    keeps = promise["tail"] == "keep"
    for epoch, share, passes in held(bench, ranks):
        steps = [len(one) for one in passes]
        units = [-(-len(samples(one)) // (promise["unit"] if keeps else 1)) for one in passes]
        wrong = promise["batched"] and max(steps) - min(steps) > keeps
        wrong |= not promise["variable"] and max(units) - min(units) > keeps
        wrong |= keeps and promise["enough_for_all"] and not min(steps)
        if wrong:
            numbers = [len(samples(one)) for one in passes]
            yield f"epoch {epoch}: ranks {share} take {steps} steps with {numbers} samples"


def wasteful(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """An epoch holds as many samples as are owed: padded or cut no more than needed."""
    owed = bench.promise["total"]
    for epoch, share, passes in held(bench, ranks):
        total = sum(len(samples(one)) for one in passes)
        if total != owed:
            yield f"epoch {epoch}: ranks {share} yield {total} samples where {owed} are owed"


def many_epochs(bench: Bench, rank: int) -> Any:
    """Return the passes of so many epochs that luck is out of the question."""
    return bench.passes(rank, 48)


def never_seen(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """What one epoch drops another yields."""
    for share in shares(bench):
        seen = {one for rank in share for steps in ranks[rank] for one in samples(steps)}
        lost = sorted(set(range(bench.case["length"])) - seen)
        if lost:
            yield f"ranks {share} never yield {lost[:5]} in {len(ranks[share[0]])} epochs"


def miscounted(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """Each sample comes as often as promised, and its copies go to different ranks."""
    promise = bench.promise
    for epoch, share, passes in held(bench, ranks):
        came = counts(passes)
        less = sum(max(0, promise["repeats"] - came[one]) for one in range(bench.case["length"]))
        more = sum(max(0, number - promise["repeats"]) for number in came.values())
        if less > promise["losable"] or more > promise["padding"]:
            yield f"epoch {epoch}: {less} samples are missing and {more} too many"
        most = -(-promise["repeats"] // len(share))
        beyond = sum(max(0, number - most) for one in passes for number in counts([one]).values())
        if len(share) > 1 and promise["layout"] != "contiguous" and beyond > promise["padding"]:
            yield f"epoch {epoch}: copies stand on one rank: {passes}"


def asked_lengths(bench: Bench, rank: int) -> Any:
    """Return for each epoch what len() says before, again and after the pass, and the pass."""
    subject = bench.build(rank)
    found = [{"when": "built", "len": [length_of(subject)] * 3, "steps": None}]
    for epoch in range(min(4, bench.case["epochs"])):
        subject = bench.begin(rank, subject, epoch)
        before, again = length_of(subject), length_of(subject)
        steps = bench.take(subject)
        found.append({"when": f"epoch {epoch}", "len": [before, again, length_of(subject)], "steps": steps})
    return found


def length_of(subject: Any) -> Any:
    """Return len(), None where there is none, or the error."""
    try:
        return len(subject)
    except (TypeError, NotImplementedError):
        return None
    except Exception as error:  # noqa: BLE001  (shown to the user)
        return f"{type(error).__name__}: {error}"


def dishonest(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """len() is the number of steps of the pass."""
    advances = bench.promise["epochs"] == "advance"
    for rank, (built, *told) in enumerate(ranks):
        for number, one in enumerate(told):
            before, _, after = one["len"]
            said = [before, *([] if advances else [after]), *([] if number else built["len"][:1])]
            steps = len(one["steps"])
            wrong = [each for each in said if each is not None and each != steps]
            if wrong:
                yield f"{one['when']}: len() of rank {rank} says {wrong[0]}, the pass has {steps} steps"


def asked_and_not(bench: Bench, rank: int) -> Any:
    """Return what len() says around the passes, and the passes of an object that is not asked."""
    asked = asked_lengths(bench, rank)[1:]
    return {"asked": asked, "bare": bench.passes(rank, len(asked))}


def drifting(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """Asking len() changes nothing, and its answer stays."""
    advances = bench.promise["epochs"] == "advance"
    for rank, found in enumerate(ranks):
        for one, steps in zip(found["asked"], found["bare"], strict=True):
            before, again, after = one["len"]
            if again != before or (after != before and before is not None and not advances):
                yield f"{one['when']}: len() of rank {rank} is {before}, then {again}, after the pass {after}"
            if one["steps"] != steps:
                yield f"{one['when']}: rank {rank} yields {one['steps']} when asked, {steps} when not"


def unlike_reference(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """The length is that of torch's DistributedSampler, counted in what the target yields."""
    from torch.utils.data import DistributedSampler

    promise, size = bench.promise, bench.case["batch_size"]
    unit = size if promise["batched"] else promise["unit"]
    up = 0 if promise["tail"] == "drop" and promise["unit"] == size else unit - 1
    samples_of_all: Any = range(bench.case["length"])
    for rank, (_, *told) in enumerate(ranks):
        torchs: Any = DistributedSampler(
            samples_of_all, bench.case["world_size"], rank, drop_last=promise["tail"] == "drop"
        )
        theirs = len(torchs)
        due = theirs if unit == 1 else (theirs + up) // unit * (1 if promise["batched"] else unit)
        for one in told:
            if one["len"][0] not in (None, due):
                yield f"{one['when']}: len() of rank {rank} says {one['len'][0]}, torch's sampler {due}"


LENGTHS = (length_of,)
HELD = (held, counts)
CHECKS: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {
    "SC101": (epochs, strays, HELD),
    "SC102": (epochs, missing, HELD),
    "SC103": (epochs, doubled, (*HELD, drawn_alike)),
    "SC104": (epochs, uneven, HELD),
    "SC105": (epochs, wasteful, HELD),
    "SC106": (many_epochs, never_seen, ()),
    "SC107": (epochs, miscounted, HELD),
    "SC201": (asked_lengths, dishonest, LENGTHS),
    "SC202": (asked_and_not, drifting, (*LENGTHS, asked_lengths)),
    "SC203": (asked_lengths, unlike_reference, LENGTHS),
}
