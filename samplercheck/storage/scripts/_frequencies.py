"""How often samples come, over many passes: the experiment and the judges of scripts about it.

Copied into scripts as they stand, like the functions of ``_setup``. As in the laws, evidence is a bet against
what is promised: it counts once the stake has grown so much that luck is out of the question.
"""

from __future__ import annotations

import math
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any

import torch

from samplercheck.storage.scripts._passes import ENOUGH
from samplercheck.storage.scripts._setup import Setup, plain, samples

if TYPE_CHECKING:
    from collections.abc import Iterator


def take_many_draws(setup: Setup, rank: int) -> Any:
    """Return passes that are independent of each other: of other epochs, or else under other seeds."""
    number, seed = setup.case["epochs"], setup.case["seed"]
    if setup.promise["epochs"] != "fixed":
        passes = setup.passes(rank, number)
    else:
        seeds = [*range(seed + 1, seed + number), (seed + 104_729) % 2**31]
        passes = [setup.passes(rank, 1, seed=other)[0] for other in seeds]
    return [samples(steps) for steps in passes]


def take_once(together: list[Any]) -> list[Any]:
    """Return the passes of all ranks up to where they come again by a rule, as ``epoch % 10`` makes them."""
    ends = (len(together) - len(take_while_same(together, period)) for period in range(1, len(together)))
    return together[: min(ends, default=len(together))] if len(set(map(str, together))) > 1 else []


def take_while_same(together: list[Any], period: int) -> list[Any]:
    """Return the passes at the end that are those of a period before."""
    pairs = zip(reversed(together), reversed(together[:-period]), strict=False)
    return [one for one, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)]


def judge_weights(setup: Setup, ranks: list[Any]) -> Iterator[str]:
    """Yield the samples that are drawn more or less often than their weights say, or with weight 0."""
    expected = setup.promise["shares"]
    for share in setup.shares:
        together = take_once(list(zip(*[ranks[rank] for rank in share], strict=True)))
        rows = [samples(list(passes)) for passes in together]
        if any(rows):
            never = {sample for row in rows for sample in row if not expected[sample]}
            if never:
                yield f"samples of weight 0 are drawn: {sorted(never)}"
            for sample, part in find_unfair(count_shares(rows, expected), expected, 1):
                yield f"sample {sample} should be {expected[sample]:.1%} of what is drawn and was {part:.1%}"


def judge_places(setup: Setup, ranks: list[Any]) -> Iterator[str]:
    """Yield the sample that comes more or less often than others at some place of a rank, or anywhere."""
    size = setup.case["length"]
    for share in setup.shares:
        orders = take_once(list(zip(*[ranks[rank] for rank in share], strict=True)))
        for number, rank in enumerate(share if orders else ()):
            passes = [one[number] for one in orders]
            longest, fair = max(map(len, passes)), [1 / size] * size
            rows = [
                [*mark_places(one, size), *fair * (longest - len(one)), *whole]
                for one, whole in zip(passes, count_shares(passes, fair), strict=True)
            ]
            for column, part in find_unfair(rows, [1 / size] * len(rows[0]), setup.case["world_size"]):
                place, sample = divmod(column, size)
                where = f"at place {place}" if place < longest else "anywhere"
                yield f"sample {sample} comes {where} of rank {rank} in {part:.1%}; fair is {1 / size:.1%}"


def mark_places(items: list[int], size: int) -> list[float]:
    """Return for each place and each sample whether it is there."""
    return [float(item == sample) for item in items for sample in range(size)]


def count_shares(rows: list[list[int]], fair: list[float]) -> list[list[float]]:
    """Return how much of each pass every sample is, measured by a length that no pass exceeds."""
    longest = max(1, *map(len, rows))
    if len(set(map(len, rows))) > 1:
        longest = len(fair) * 2 ** max(0, math.ceil(math.log2(longest / len(fair))))
    return [
        [due + (row.count(sample) - due * len(row)) / longest for sample, due in enumerate(fair)]
        for row in rows
    ]


def find_unfair(rows: list[list[float]], fair: list[float], ranks: int) -> Iterator[tuple[int, float]]:
    """Yield the column that is furthest from what is fair, and its mean, if no luck explains it."""
    due = torch.tensor(fair, dtype=torch.float64)
    judged = ((due > 0) & (due < 1)).nonzero()[:, 0]
    if len(judged):
        table, due = torch.tensor(rows, dtype=torch.float64)[:, judged], due[judged]
        stakes = []
        for factor in (0.0, 0.25, 0.5, 0.7, 0.8, 0.9, 1.1, 1.2, 1.4, 2.0, 4.0, 8.0):
            slope = (torch.minimum(due * factor, (1 + due) / 2) - due) / (due * (1 - due))
            stakes.append((1 + slope * (table - due)).clamp(min=0).log().sum(dim=0))
        growth = torch.stack(stakes).logsumexp(dim=0) - math.log(len(stakes) * len(due) * ranks)
        best = int(growth.argmax())
        if float(growth[best]) > math.log(1e13):
            yield int(judged[best]), float(table[:, best].mean())


def walk_on(setup: Setup, rank: int) -> Any:
    """Return many laps of one pass."""
    subject = setup.begin(rank, setup.build(rank), 0)
    return samples(list(map(plain, islice(subject, (ENOUGH + 1) * (setup.promise["lap"] + 1)))))


def judge_laps(setup: Setup, ranks: list[Any]) -> Iterator[str]:
    """Yield that ranks walk one lap over and over, together where they take turns."""
    for share in setup.shares:
        own = [ranks[rank] for rank in share]
        layout = setup.promise["layout"] or {}
        in_turn = layout.get("name") == "strided" and not setup.promise["batched"]
        for walk in [[one for turn in zip(*own, strict=False) for one in turn]] if in_turn else own:
            most = len(walk) // ENOUGH
            laps = [size for size in range(1, most + 1) if walk[size:] == walk[:-size]]
            if not laps or len(set(walk)) == 1:
                return
    yield f"one lap of {laps[0]} samples comes {len(walk) // laps[0]} times over: {walk[: laps[0]]}"
