"""Special cases: few and well chosen, for what no scope meets: statistics, workers, a target's own numbers.

Called by the engine for the laws that are about these, and beside the frontier. No Hypothesis, no chance: the
same target and profile give the same cases.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

from samplercheck.experiments.loaders import SPAWNED_FROM
from samplercheck.search.axes import Options, case_for, stretch
from samplercheck.search.chosen import thin_out
from samplercheck.search.numbers import SMALL, all_numbers, own_numbers
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
UNTIL_ALL_CAME = 3_072
"""After so many epochs it is out of the question that what comes in one of fifty has not come by luck; and a
slight bias of draws shows."""
SURELY = 1_728
"""After so many epochs none of the samples of a wide case that come in one of fifty has not come by luck."""
MANY, MOST = 48, 384
"""Up to so many epochs all are taken, up to so many the second in one case, and then the first alone."""
MOST_OPTIONS, HEAVIER, FEW = 3, 4, 4
WIDE, LONG_EPOCHS = 64, 24
"""Of so many long epochs those show that are shuffled as a whole, and not quite evenly."""
SIZES = ((1, 1, 1, 2), (3, 1, 1, 1), (8, 1, 1, 1), (3, 2, 1, 2), (8, 2, 1, 2), (7, 2, 2, 2))
"""Length, places, batch size and workers: fewer samples than workers, a few batches for one worker and enough
that its epochs are not alike by luck, and two ranks of two workers each with too few samples for all, with as
many for each, with what does not divide."""
TOO_FEW = SIZES[3]
"""What stays as it is where the others are stretched to large batches."""
OF_A_STREAM = ((6, 1, 4, 2), (6, 2, 1, 2))
"""Two workers of the only rank have three samples each, and the loader makes batches of four; two ranks each
have three samples, which their two workers cannot share evenly, whether a tail is padded or dropped."""
OF_DRAWS = ((64, 1, 1, 2), (64, 2, 1, 2))
"""Two workers that draw with replacement draw 32 samples each, those of two ranks 16 each: enough that they
cannot be equal by luck."""
OF_PASSES = (32, 1, 1, 1)
"""As many that no order comes twice by luck where the process's generator may be drawn on."""
SPAWNED = (7, 1, 2, SPAWNED_FROM)
"""The one case with a spawned worker, which costs seconds."""
OF_A_SAMPLER = ((8, 1, 1, 1), (8, 1, 2, 1))
"""A sampler stays in the main process: it meets workers only as somebody who asks ahead. Eight samples have
two labels, without which one that balances labels yields nothing; what makes pairs has no batch of one."""
LONGEST_DRAWN, MOST_DRAWN, OF_HALVES = 256, 3, 64  # epochs, after which no half has not come by luck
MOST_WORKERS = 8
MOST_CHOSEN = 8


def patient_cases(binding: Binding, options: Options, epochs: int) -> tuple[Case, ...]:
    """Return small cases of this many epochs, in which frequencies show, the smallest first."""
    contract = binding.contract
    sizes: tuple[tuple[int, int], ...] = DRAWN if _is_weighed(contract) else SHUFFLED
    if sizes is SHUFFLED and epochs > MOST:
        sizes = SHUFFLED[:1]
    sizes = tuple(sorted({*sizes, *_just_beyond_subsets(binding)}))
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
    """Return the same cases and, where there is a choice, those in order: for laws that judge any case.

    One has no tail: padding would bring again what a rank has left out.
    """
    shuffled = patient_cases(binding, options, epochs)
    places = shuffled[0].world_size // binding.contract.replicas
    whole = [one.but(length=one.length + -one.length % places) for one in shuffled[:1] if not one.features]
    both = dict.fromkeys((*shuffled, *whole))
    return tuple(sorted((*both, *(case.but(shuffle=False) for case in both if case.shuffle))))


def _is_alone(binding: Binding) -> bool:
    """Whether one rank says all: each goes through the whole, and none is told which one it is."""
    return binding.contract.sharding == "none" and not OWN_PLACE & binding.named


def _is_weighed(contract: Contract) -> bool:
    """Whether how often samples come may depend on features."""
    return contract.coverage == "sampled" or contract.promises_frequencies


def _just_beyond_subsets(binding: Binding) -> list[tuple[int, int]]:
    """Return lengths of which all samples but one are chosen: a chance that is a little off shows there."""
    if binding.contract.coverage != "subset" or "labels" in binding.named:
        return []
    chosen = [one for one in own_numbers(binding).values() if 1 < one <= MOST_CHOSEN]
    return [(one + 1, 1) for one in sorted(chosen)[:1]]


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


def cases_with_workers(
    binding: Binding, options: Options, *, loads: bool, streams: bool = False, spawns: bool = False
) -> tuple[Case, ...]:
    """Return the cases, the smallest first; the last once more with the last combination of options.

    They are few, because starting workers takes as long as many small cases. ``loads`` says that the target
    is a loader or a stream, ``streams`` that workers share its samples out, ``spawns`` asks for a spawned
    worker.
    """
    rows = [(size, options[0]) for size in (SIZES if loads else OF_A_SAMPLER)]
    if streams:
        is_drawn = binding.contract.coverage == "sampled"
        rows += [(size, options[0]) for size in (OF_DRAWS if is_drawn else OF_A_STREAM)]
        few = [one for one in own_numbers(binding).values() if 1 < one < MOST_WORKERS]
        rows += [((2 * (min(few) + 1), 1, 1, min(few) + 1), options[0])] if few else []
        if binding.contract.advances and binding.contract.ambient_rng == "shared":
            rows.append((OF_PASSES, options[0]))
    if loads and len(options) > 1:
        rows.append((SIZES[-1], options[-1]))
    if loads and spawns:
        rows.append((SPAWNED, options[0]))
    sizes = [((stretch(binding, size[0], size[2]), *size[1:]), option) for size, option in rows]
    sizes += [(TOO_FEW, options[0])] if loads else []
    cases = (
        case_for(binding, length, places, batch, epochs=2, stop=1, workers=workers, options=option)
        for (length, places, batch, workers), option in sizes
    )
    return tuple(dict.fromkeys(cases))


def cases_of_one_label(binding: Binding, options: Options) -> tuple[Case, ...]:
    """Return a case with a worker whose samples are all of one label, for what yields nothing of several."""
    if "labels" not in binding.named:
        return ()
    length, places, batch, workers = OF_A_SAMPLER[0]
    given: dict[str, Any] = {"features": (("labels", (0,) * length),), "options": options[0]}
    return (case_for(binding, length, places, batch, epochs=2, stop=1, workers=workers, **given),)


def drawn_beyond_numbers(binding: Binding, options: Options) -> tuple[Case, ...]:
    """Return cases of many epochs, of more than twice as many samples as a number in a target's code.

    Who draws from so many at most never draws the other half of them.
    """
    if not _is_weighed(binding.contract):
        return ()
    lengths = [2 * (one + 1) for one in sorted(all_numbers(binding)) if SMALL < one <= LONGEST_DRAWN]
    [case] = wide_cases(binding, options, OF_HALVES)
    few = thin_out(lengths, MOST_DRAWN)
    return tuple(case.but(length=length, features=_features(binding, length)[0]) for length in few)
