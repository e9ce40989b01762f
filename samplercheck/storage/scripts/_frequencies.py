"""How often samples come, over many passes: the experiment and the two judges of scripts about it.

Copied into scripts as they stand, like the functions of ``_setup``. As in the laws, evidence is a bet against
what is promised: it counts once the stake has grown so much that luck is out of the question.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch

from samplercheck.storage.scripts._setup import Setup, samples

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
    shortest = min(len(samples(steps)) for steps in passes)
    return [samples(steps)[:shortest] for steps in passes]


def judge_weights(setup: Setup, ranks: list[Any]) -> Iterator[str]:
    """Yield the samples that are drawn more or less often than their weights say, or with weight 0."""
    expected = setup.promise["shares"]
    for share in setup.shares:
        together = zip(*[ranks[rank] for rank in share], strict=True)
        rows = [samples(list(passes)) for passes in together]
        if rows[0]:
            never = {sample for row in rows for sample in row if not expected[sample]}
            if never:
                yield f"samples of weight 0 are drawn: {sorted(never)}"
            drawn = [[row.count(sample) / len(row) for sample in range(len(expected))] for row in rows]
            for sample, part in find_unfair(drawn, expected, 1):
                yield f"sample {sample} should be {expected[sample]:.1%} of what is drawn and was {part:.1%}"


def judge_places(setup: Setup, ranks: list[Any]) -> Iterator[str]:
    """Yield the sample that comes more or less often than others at some place of a rank, or anywhere."""
    size = setup.case["length"]
    for share in setup.shares:
        together = zip(*[ranks[rank] for rank in share], strict=True)
        orders = {str(passes): passes for passes in together}  # an order that comes back says no more
        for number, rank in enumerate(share if len(orders) > 1 else ()):
            rows = [mark_places(passes[number], size) for passes in orders.values()]
            for column, part in find_unfair(rows, [1 / size] * len(rows[0]), setup.case["world_size"]):
                place, sample = divmod(column, size)
                where = f"at place {place}" if (place + 1) * size < len(rows[0]) else "anywhere"
                yield f"sample {sample} comes {where} of rank {rank} in {part:.1%}; fair is {1 / size:.1%}"


def mark_places(items: list[int], size: int) -> list[float]:
    """Return for each place and each sample whether it is there, and then how much of the whole it is."""
    there = [float(item == sample) for item in items for sample in range(size)]
    return there + [items.count(sample) / max(1, len(items)) for sample in range(size)]


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
