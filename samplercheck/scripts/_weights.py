"""Family 10 in scripts: how often samples come, over many passes.

Copied into scripts as they stand, like the functions of ``_bench``. As in the laws, evidence is a wager
against what is promised: it counts once the stake has grown so much that luck is out of the question.
"""

from __future__ import annotations

import math
from collections.abc import Iterator  # noqa: TC003  (copied into scripts as it stands)
from typing import Any

import torch

from samplercheck.scripts._bench import Bench, samples, shares

__all__ = ["CHECKS"]


def draws(bench: Bench, rank: int) -> Any:
    """Return many passes that are independent of each other: of other epochs, or else under other seeds."""
    number, seed = bench.case["epochs"], bench.case["seed"]
    if bench.promise["epochs"] != "fixed":
        return [samples(steps) for steps in bench.passes(rank, number)]
    seeds = [seed + 1 + one for one in range(number - 1)] + [(seed + 104_729) % 2**31]
    return [samples(bench.passes(rank, 1, seed=one)[0]) for one in seeds]


def columns(bench: Bench, ranks: list[Any]) -> Iterator[list[list[list[int]]]]:
    """Yield the passes of each share, rank by rank, with the places alone that all passes have."""
    for share in shares(bench):
        shortest = [min(map(len, ranks[rank])) for rank in share]
        yield [[one[:most] for one in ranks[rank]] for rank, most in zip(share, shortest, strict=True)]


def unfair(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """Samples drawn with replacement come as often as their weights say, and weight 0 never."""
    expected = bench.promise["shares"]
    for passes in columns(bench, ranks):
        rows = [[one for places in row for one in places] for row in zip(*passes, strict=True)]
        if not rows[0]:
            continue
        never = sorted({one for row in rows for one in row if not expected[one]})
        if never:
            yield f"samples of weight 0 are drawn: {never}"
        drawn = [[row.count(one) / len(row) for one in range(len(expected))] for row in rows]
        odd = loudest(drawn, expected, 1)
        if odd is not None:
            what, share = odd
            yield f"sample {what} should be {expected[what]:.1%} of what is drawn and was {share:.1%}"


def lopsided(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """With shuffling, every sample is equally likely at every place and on every rank."""
    size = bench.case["length"]
    for passes in columns(bench, ranks):
        seen = {str(row): row for row in zip(*passes, strict=True)}  # an order that comes back says no more
        for rank in range(len(passes)) if len(seen) > 1 else ():
            rows = [at_places(row[rank], size) for row in seen.values()]
            odd = loudest(rows, [1 / size] * len(rows[0]), bench.case["world_size"])
            if odd is not None:
                place, sample = divmod(odd[0], size)
                where = f"at place {place}" if (place + 1) * size < len(rows[0]) else "anywhere"
                yield f"sample {sample} comes {where} of rank {rank} in {odd[1]:.1%}; fair is {1 / size:.1%}"


def at_places(items: list[int], size: int) -> list[float]:
    """Return for each place and each sample whether it is there, and then how much of the whole it is."""
    there = [float(item == one) for item in items for one in range(size)]
    return there + [items.count(one) / max(1, len(items)) for one in range(size)]


def loudest(rows: list[list[float]], fair: list[float], among: int) -> tuple[int, float] | None:
    """Return which column is furthest from what is fair, and its mean, if no luck explains it."""
    table, due = torch.tensor(rows, dtype=torch.float64), torch.tensor(fair, dtype=torch.float64)
    judged = ((due > 0) & (due < 1)).nonzero()[:, 0]
    if not len(judged):
        return None
    table, due = table[:, judged], due[judged]
    stakes = []
    for factor in (0.0, 0.25, 0.5, 0.7, 0.8, 0.9, 1.1, 1.2, 1.4, 2.0, 4.0, 8.0):
        slope = (torch.minimum(due * factor, (1 + due) / 2) - due) / (due * (1 - due))
        stakes.append((1 + slope * (table - due)).clamp(min=0).log().sum(dim=0))
    growth = torch.stack(stakes).logsumexp(dim=0) - math.log(len(stakes))
    best = int(growth.argmax())
    is_certain = float(growth[best]) - math.log(len(growth) * among) > math.log(1e13)
    return (int(judged[best]), float(table[:, best].mean())) if is_certain else None


CHECKS: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {
    "SC1001": (draws, unfair, (columns, loudest)),
    "SC1002": (draws, lopsided, (columns, at_places, loudest)),
}
