"""Patient cases: small ones with so many epochs that frequencies show.

Called by the engine, for the laws that are judged by statistics. No Hypothesis, no chance: the same
target and profile give the same cases.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from samplercheck.search.axes import Options, case_for
from samplercheck.search.chosen import thin_out
from samplercheck.targets.alone import OWN_PLACE
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.contract import Contract
from samplercheck.values.owed import MANY_SAMPLES

Features = dict[str, tuple[float, ...]]

DRAWN = ((4, 1), (9, 2))
"""Lengths and numbers of places where samples are drawn with replacement; labels share them evenly."""
SHUFFLED = ((7, 2), (26, 3))
"""The same where they are shuffled: orders enough to seldom come twice, and ranks with a tail."""
MANY, MOST = 48, 384
"""Up to so many epochs all are taken, up to so many the second in one case, and then the first alone."""
MOST_OPTIONS, HEAVIER, FEW = 3, 4, 4
WIDE, LONG_EPOCHS = 64, 24
"""Of so many long epochs those show that are shuffled as a whole, and not quite evenly."""


def patient_cases(binding: Binding, options: Options, epochs: int) -> tuple[Case, ...]:
    """Return the cases of this many epochs, the smallest first."""
    contract = binding.contract
    sizes: tuple[tuple[int, int], ...] = DRAWN if _is_weighed(contract) else SHUFFLED
    if sizes is SHUFFLED and epochs > MOST:
        sizes = SHUFFLED[:1]
    if _is_alone(binding):
        sizes = tuple((length, 1) for length, _ in sizes)
    drops = (False, True) if "drop_last" in binding.named else (False,)
    return tuple(
        case_for(binding, length, places, 2, drop_last=drop, epochs=epochs, features=features, options=option)
        for (length, places), drop, option in product(sizes, drops, thin_out(options, MOST_OPTIONS))
        if epochs <= MANY or (length, places) != SHUFFLED[1] or not drop
        for features in _features(binding, length)
    )


def long_cases(binding: Binding, options: Options) -> tuple[Case, ...]:
    """Return a case of so many samples that a shuffle of parts of them, or a bias, shows in its epochs."""
    if binding.contract.coverage == "sampled":
        return ()
    shuffled = patient_cases(binding, options, MANY)[:1]
    return tuple(case.but(length=MANY_SAMPLES, epochs=LONG_EPOCHS, features=()) for case in shuffled)


def wide_cases(binding: Binding, options: Options, epochs: int) -> tuple[Case, ...]:
    """Return a case of so many samples that a share of them which is nearly all leaves some out."""
    places = 1 if _is_alone(binding) else 2
    features = _features(binding, WIDE)[0]
    return (case_for(binding, WIDE, places, 2, epochs=epochs, features=features, options=options[0]),)


def cases_of_epochs(binding: Binding, options: Options, epochs: int) -> tuple[Case, ...]:
    """Return the same cases and, where there is a choice, those in order: for laws that judge any case."""
    shuffled = patient_cases(binding, options, epochs)
    plain = tuple(case.but(shuffle=False) for case in shuffled if case.shuffle)
    return tuple(sorted((*shuffled, *plain)))


def _is_alone(binding: Binding) -> bool:
    """Whether one rank says all: each goes through the whole, and none is told which one it is."""
    return binding.contract.sharding == "none" and not OWN_PLACE & binding.named


def _is_weighed(contract: Contract) -> bool:
    """Whether how often samples come may depend on features."""
    return contract.coverage == "sampled" or contract.promises_frequencies


def _features(binding: Binding, length: int) -> list[Features]:
    """Return features for which it is known how often each sample should be drawn.

    Weights say it. All others are alike for all samples, or labels of one size: what draws by them
    draws uniformly, and so does what does not. Where the contract has a distribution of its own, or none,
    they may be uneven as well: among classes of one size every power of their sizes draws alike.
    """
    if not _is_weighed(binding.contract):
        return [{}]
    within_reach = {name for name in _ALIKE if {name, "dataset"} & binding.named}
    alike, uneven = ({name: make[name](length) for name in within_reach} for make in (_ALIKE, _UNEVEN))
    may_be_uneven = callable(binding.contract.frequencies) or binding.contract.comes_in_time
    own = [uneven] if may_be_uneven and within_reach else []
    if "weights" not in binding.named:
        return [alike, *own]
    one_zero = tuple(float(i != length // 2) for i in range(length))
    return [alike, *own, {**alike, "weights": uneven["weights"]}, {**alike, "weights": one_zero}]


_RUNS = (1, 0, 0, 3, 0, 0, 0, 3, 3)
"""Labels of which the rarest comes first, and second in their order, and one is not used, as in a part of a
dataset; others come in runs of two lengths."""


def _uneven_labels(length: int) -> tuple[int, ...]:
    return _RUNS if length == len(_RUNS) else tuple(int(i < length // FEW) for i in range(length))


_ALIKE: dict[str, Callable[[int], tuple[float, ...]]] = {
    "labels": lambda length: tuple(i % (2 if length % 2 == 0 else 3) for i in range(length)),
    "lengths": lambda length: (1,) * length,
    "weights": lambda length: (1.0,) * length,
}
_UNEVEN: dict[str, Callable[[int], tuple[float, ...]]] = {
    "labels": _uneven_labels,
    "lengths": lambda length: tuple(range(1, length + 1)),
    # They rise, and shares that are dealt out in turn do not weigh the same.
    "weights": lambda length: tuple(float((i + 1) * (1 if i % 2 else HEAVIER)) for i in range(length)),
}
