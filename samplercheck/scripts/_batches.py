"""Family 6 in scripts: batches.

Copied into scripts as they stand, like the functions of ``_bench``.
"""

from __future__ import annotations

from collections.abc import Iterator  # noqa: TC003  (copied into scripts as it stands)
from typing import Any

from samplercheck.scripts._bench import Bench, load, samples
from samplercheck.scripts._given import feature
from samplercheck.scripts._partition import epochs, held

__all__ = ["CHECKS"]


def misfits(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """Batches are full, but for the short ones that the contract leaves."""
    size = bench.case["batch_size"]
    for epoch, share, passes in held(bench, ranks):
        for rank, steps in zip(share, passes, strict=True):
            sizes = [len(step) for step in steps]
            short = [step for step, one in enumerate(sizes) if 0 < one < size]
            few = short_ones(bench, steps)
            # Where nothing else is promised, only what comes last may be short.
            early = [step for step in short if step < len(sizes) - 1] if few is None else short[few:]
            if early or max(sizes, default=0) > size:
                yield f"epoch {epoch}: rank {rank} yields batches of {sizes} samples"


def short_ones(bench: Bench, steps: list[Any]) -> int | None:
    """Return how many batches of a pass may be short, wherever they stand; None: the last one."""
    lap: int | None = bench.promise["lap"]
    short: int | None = bench.promise["short"]
    return -(-len(samples(steps)) // lap) if lap else short


def empty(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """No batch is empty."""
    for epoch, share, passes in held(bench, ranks):
        for rank, steps in zip(share, passes, strict=True):
            if [] in steps:
                yield f"epoch {epoch}: rank {rank} yields an empty batch in step {steps.index([])}: {steps}"


def uneven_steps(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """At every step the ranks' batches have one size; a kept tail makes the last one as short as it is."""
    last = bench.promise["tail"] == "keep"
    for epoch, _, passes in held(bench, ranks):
        sizes = [[len(step) for step in steps] for steps in passes]
        for step in range(max(map(len, sizes))):
            together = [one[step] for one in sizes if step < len(one) - last]
            if len(set(together)) > 1:
                yield f"in step {step} of epoch {epoch} the ranks hold {together} samples"
                break


class Features(dict):  # type: ignore[type-arg]
    """What a batch rule may ask for: features of the samples, and the target's own options."""

    __getattr__ = dict.__getitem__


def unruly(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """Every batch keeps the contract's rule for batches."""
    given = {name: feature(bench.case, name) for name in ("labels", "lengths", "weights")}
    features, rule = Features(given, **bench.case["options"]), bench.promise["rule"]
    for epoch, share, passes in held(bench, ranks):
        for rank, steps in zip(share, passes, strict=True):
            for step in filter(None, steps):
                if not is_kept(rule, step, features):
                    about = [features[rule["feature"]][one] for one in step] if "feature" in rule else ""
                    yield f"epoch {epoch}: rank {rank} yields the batch {step} {about}"
                    break


def is_kept(rule: dict[str, Any], batch: list[int], features: Features) -> bool:
    """Whether a batch keeps a rule."""
    if "place" in rule:
        return bool(load(rule["place"])(batch, features))
    every = features[rule["feature"]]
    values = [every[one] for one in batch]
    if rule["name"] == "homogeneous":
        return len(set(values)) <= 1
    if rule["name"] == "at_least":
        return len(set(values)) >= rule["number"] or len(set(values)) in (len(batch), len(set(every)))
    most = features[rule["maximum"]] if isinstance(rule["maximum"], str) else rule["maximum"]
    used = len(values) * max(values) if rule["padded"] else sum(values)
    return bool(used <= most) or len(values) == 1


CHECKS: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {
    "SC601": (epochs, misfits, (held, short_ones)),
    "SC602": (epochs, empty, (held,)),
    "SC603": (epochs, uneven_steps, (held,)),
    "SC604": (epochs, unruly, (held, Features, is_kept)),
}
