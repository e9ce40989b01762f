"""Shares: how much of what is drawn each sample should be, by the contract and the target's names.

Read by the laws on frequencies, by pictures of them and by the scripts. Imports features and values.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samplercheck.laws.keeps_batch_rule import SampleFeatures
from samplercheck.laws.law import UndecidedError
from samplercheck.targets.features import feature, part_weights_of, parts_of
from samplercheck.values.case import Case
from samplercheck.values.contract import Contract
from samplercheck.values.layout import cut, printable
from samplercheck.values.trace import Trace

FEW, LABELS = 9, 3
NEARLY, MOST_SHOWN = 1e-9, 60
FAILED = (
    "the function of the contract's frequencies {}: it takes (length, features) and returns a number of at "
    "least 0 for each sample, not all of them 0"
)


def expected_shares(trace: Trace) -> NDArray[np.float64] | None:
    """Return the share of the draws that each sample should have; None where that is not known."""
    return shares_in(trace.case, trace.contract, trace.named)


def are_uneven_by_design(contract: Contract, named: AbstractSet[str]) -> bool:
    """Whether a function of the contract favours some samples even where all have features alike."""
    if not callable(contract.frequencies):
        return False
    alike = {"labels": tuple(i % LABELS for i in range(FEW)), "lengths": (1,) * FEW, "weights": (1.0,) * FEW}
    try:
        shares = shares_in(Case(length=FEW, features=tuple(alike.items())), contract, named)
    except Exception:  # noqa: BLE001  (what a user's function raises, as without an axis, its cases tell)
        return False
    return shares is not None and bool(shares.min() < shares.max())


def shares_in(case: Case, contract: Contract, named: AbstractSet[str]) -> NDArray[np.float64] | None:
    """Return those shares for a case of a target whose parameters are bound to these names.

    What reads labels or lengths may draw by them, and what has the dataset may read its features:
    there nothing is expected but where they are alike for all samples, or in groups of one size.
    """
    if callable(contract.frequencies):
        return _ask(contract.frequencies, case)
    if contract.frequencies == "unjudged":
        return None
    if contract.frequencies == "uniform" or (contract.comes_in_time and not {"weights", "shares"} & named):
        return np.full(case.length, 1 / case.length)
    if {"weights", "shares"} & named:
        weights = np.asarray(_weights_of(case, named), dtype=np.float64)
        return weights / weights.sum() if weights.sum() > 0 else None
    own = dict(case.features)
    within_reach = [name for name in ("labels", "lengths", "weights") if {name, "dataset"} & named]
    if not all(name in own and _says_nothing(name, own[name]) for name in within_reach):
        return None
    return np.full(case.length, 1 / case.length)


def _ask(function: Callable[..., Any], case: Case) -> NDArray[np.float64]:
    """Return the share that a user's function gives each sample; nothing can be judged by what is none."""
    try:
        given = function(case.length, SampleFeatures(case))
        numbers: NDArray[np.float64] = np.asarray(given, dtype=np.float64)
        said = cut(printable(repr(given)), MOST_SHOWN)
    except (Exception, SystemExit) as error:
        raise UndecidedError(FAILED.format(f"failed ({type(error).__name__}: {error})")) from error
    is_whole = numbers.shape == (case.length,) and bool(np.isfinite(numbers).all())
    if is_whole and numbers.min() >= 0 and numbers.any():
        parts = numbers / numbers.max()  # whose sum is finite
        shares: NDArray[np.float64] = parts / parts.sum()
        return shares
    raise UndecidedError(FAILED.format(f"returned {said} for {case.length} samples"))


def _weights_of(case: Case, named: AbstractSet[str]) -> list[float]:
    """Return the weight of each sample; that of a dataset, where each has one, is shared by its samples."""
    if "shares" not in named:
        return feature(case, "weights")
    pairs = zip(parts_of(case), part_weights_of(case), strict=True)
    return [share / len(part) for part, share in pairs for _ in range(len(part))]


def round_quotas(
    trace: Trace, passes: list[NDArray[np.int64]], expected: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the shares that passes of whole samples can hold, of datasets that are mixed by their weights.

    Where each pass holds of each dataset what it is due, to one sample, that is a quota which was rounded:
    what a dataset got is then its share. Draws stray further.
    """
    if "shares" not in trace.named:
        return expected
    sizes = [len(part) for part in parts_of(trace.case)]
    parts = np.repeat(np.arange(len(sizes)), sizes)
    counts = np.stack([np.bincount(parts[one], minlength=len(sizes)) for one in passes])
    shares = np.bincount(parts, expected)
    if (np.abs(counts - counts.sum(axis=1, keepdims=True) * shares) > 1 + NEARLY).any():
        return expected
    rounded: NDArray[np.float64] = expected * (counts.sum(axis=0) / counts.sum() / shares)[parts]
    return rounded


def _says_nothing(name: str, values: tuple[object, ...]) -> bool:
    """Whether drawing by a feature is drawing uniformly: all alike, or labels with as many samples each."""
    return len(set(values)) == 1 or (name == "labels" and len(set(map(values.count, values))) == 1)
