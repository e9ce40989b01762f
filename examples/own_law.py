"""Your own law: rank 0 starts every unshuffled epoch with sample 0.

Run it with ``python examples/own_law.py``. The law takes part in every later run of the process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import samplercheck as sc

if TYPE_CHECKING:
    from collections.abc import Iterator


@sc.law("MY001", "starts-at-zero", "Rank 0 starts every unshuffled epoch with sample 0.")
def starts_at_zero(trace: sc.Trace) -> Iterator[sc.Violation]:
    """Read the first index of rank 0 in every epoch."""
    if trace.case.shuffle or not trace.case.length:
        return
    for epoch in trace.epochs:
        first = epoch.passes[0].indices[:1]
        if len(first) and first[0] != 0:
            found = f"epoch {epoch.number} starts with {first[0]}"
            yield sc.Violation(found=found, epoch=epoch.number, rank=0, step=0)


def forwards(dataset: Any, rank: int, world_size: int) -> list[int]:
    """Deal out the samples in turn."""
    return list(range(rank, len(dataset), world_size))


def backwards(dataset: Any, rank: int, world_size: int) -> list[int]:
    """Deal out the samples in turn, the last one first."""
    return forwards(dataset, rank, world_size)[::-1]


def main() -> None:
    """Judge both targets by the law alone."""
    for target, expected in ((forwards, sc.Outcome.HOLDS), (backwards, sc.Outcome.BROKEN)):
        report = sc.run(target, profile="quick", contract=sc.Contract.evaluation(), select=["MY001"])
        print(f"{report.target}: MY001 {report.outcome.value}")
        for result in report.results:
            if result.failure is not None:
                print(f"    in the case {result.failure.shown_case.token}: {result.failure.message}")
        if report.outcome is not expected:
            raise SystemExit(f"{report.target} should have been {expected.value}.")


if __name__ == "__main__":
    main()
