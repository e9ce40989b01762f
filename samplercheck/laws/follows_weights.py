"""Law SC1001: samples come as often as their weights, or the contract, say.

Judged by statistics over many epochs, or many seeds where all epochs are alike (see ``frequencies``).
Without ``weights`` the reference is uniform. Of a subset that takes the same samples again and again
it is plain what never comes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from samplercheck.laws._over_epochs import left_out_in_turn, may_tell, never_came
from samplercheck.laws._passes import ALWAYS
from samplercheck.laws._periods import draws_again
from samplercheck.laws.frequencies import (
    CERTAIN,
    are_drawn,
    drawn_passes,
    most_telling,
    never_drawn,
    shares_of,
    split_by_length,
    why_some_never_come,
)
from samplercheck.laws.law import GROUPING, Law, Scope, is_patient
from samplercheck.laws.shares import expected_shares, round_quotas
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.trace import Trace
from samplercheck.values.wording import brief, limit_indices

NOTHING = np.empty(0, dtype=np.int64)
HINT = "how weights become draws and drawn numbers become samples, and what is cut or padded afterwards"
NEVER = (
    "Look for a bound, a probability of 0, or a place that never moves on: here all should be equally likely"
)
EVENLY = "how samples are chosen, and what is cut or padded afterwards: here all should be equally likely"
MOST_PAIRED = 32
OF_LABEL = " of one label"
RATES = (
    "whether datasets are meant to come at rates of their own: then declare frequencies='eventually'; if "
    "not, how a dataset is chosen, and a sample of it"
)
FAVOURED = (
    "how samples are chosen, and what is cut or padded afterwards: here some are favoured. If that is meant, "
    'declare frequencies="eventually"'
)
FUNCTION = (
    "whether the function of the contract's frequencies says of each sample what it should: if so, how "
    "samples are chosen, and what is cut or padded afterwards"
)
OWN = "For draws by a distribution of your own declare frequencies=a function of (length, features)"


def applies(scope: Scope) -> bool:
    """Whether it is promised how often samples are drawn, in passes that are not all the same."""
    contract = scope.contract
    return contract.promises_frequencies and (contract.epochs != "fixed" or "seed" in scope.named)


def sees(trace: Trace) -> bool:
    """Whether two samples at least could be drawn, it is known how often, and draws differ."""
    drawn = (len(one.indices) for record in trace.of("draws") for one in record.passes)
    if callable(trace.contract.frequencies) and not any(drawn):
        return False  # the function may give 0 for all of them
    expected = expected_shares(trace) if trace.case.length > 1 else None
    if expected is None:
        return False
    if trace.contract.comes_in_time:
        return may_tell(trace)
    if trace.contract.coverage == "subset" and any(len(one.passes) > 1 for one in trace.of("draws")):
        return True
    # Of a draw that always comes nothing can be said, but whether it holds what has weight 0.
    return are_drawn(trace, expected) or (not expected.all() and any(map(len, _only_draws(trace))))


def _only_draws(trace: Trace, shares: Iterable[tuple[int, ...]] = ()) -> list[NDArray[np.int64]]:
    """Return the first draw of each share, all its ranks together."""
    records = trace.of("draws")
    return [
        np.concatenate([NOTHING, *(one.indices for rank in ranks for one in records[rank].passes[:1])])
        for ranks in shares or trace.shares
    ]


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield, for the first share of the data in which one is found, the sample that is furthest off."""
    expected = expected_shares(trace)
    assert expected is not None
    found = (_odd_in_share(trace, ranks, expected) for ranks in trace.shares)
    yield from islice(filter(None, found), 1)


def _odd_in_share(trace: Trace, ranks: tuple[int, ...], expected: NDArray[np.float64]) -> Violation | None:
    is_loose = trace.contract.comes_in_time
    left_out = never_came if is_loose else left_out_in_turn
    found = draws_again(trace, ranks) or left_out(trace, ranks, expected)
    if found is not None or is_loose:
        return found
    passes = drawn_passes(trace, ranks, expected)
    if not passes:
        only = _only_draws(trace, (ranks,))
        return _never_to_come(only, expected) if _is_in_range(only, trace.case.length) else None
    # Strays are the business of law in-range, and what is never drawn is no draw.
    if not any(map(len, passes)) or not _is_in_range(passes, trace.case.length):
        return None
    due = round_quotas(trace, passes, expected)
    return _never_to_come(passes, expected) or _off(trace, passes, due) or _ahead(passes, due)


def _groups_of(trace: Trace) -> list[tuple[str, NDArray[np.int64]]]:
    """Return samples that are counted together, and what their name ends in.

    Those of each label, of a target that reads labels: classes show what is done to them. Of many samples the
    halves of the dataset: of each single one little can be said, and what draws from its beginning leaves out
    the rest.
    """
    own, length = trace.case.features, trace.case.length
    labels = np.asarray(dict(own).get("labels", ()) if "labels" in trace.named else ())
    kinds = np.unique(labels) if len(labels) == length else NOTHING
    classes = [np.flatnonzero(labels == kind) for kind in kinds] if len(kinds) < len(labels) else []
    halves = np.array_split(np.arange(length), 2) if length > MOST_PAIRED else []
    return [*((OF_LABEL, one) for one in classes), *(("", one) for one in halves)]


def _is_in_range(passes: list[NDArray[np.int64]], length: int) -> bool:
    return all(not one.size or (one.min() >= 0 and one.max() < length) for one in passes)


def _never_to_come(passes: list[NDArray[np.int64]], expected: NDArray[np.float64]) -> Violation | None:
    """Say which sample of weight 0 came all the same: luck cannot explain that."""
    drawn = np.unique(np.concatenate(passes))
    wrong = drawn[expected[drawn] == 0]
    if not len(wrong):
        return None
    number = sum(bool((one == wrong[0]).any()) for one in passes)
    return Violation(
        found=f"sample {wrong[0]} has weight 0 and was drawn in {number} of {len(passes)} passes",
        indices=(wrong[0],),
        fault="draws samples whose weight is 0",
        event=f"{ALWAYS if number == len(passes) else 'in some epochs'} where a weight is 0",
        hint=(
            "whether what is drawn is an index of the dataset or a place in a rank's own list, and what "
            "becomes of weight 0 (a minimum, a smoothing, padding)"
        ),
        experiment="draws",
    )


def _off(trace: Trace, passes: list[NDArray[np.int64]], expected: NDArray[np.float64]) -> Violation | None:
    """Say which sample, or which samples of one label, come too often or too seldom."""
    groups = _groups_of(trace)
    shares, together = shares_of(passes, expected), [expected[group].sum() for _, group in groups]
    parts = [shares, *(shares[:, group].sum(axis=1, keepdims=True) for _, group in groups)]
    odd = most_telling(np.hstack(parts), np.append(expected, together), among=split_by_length(passes))
    if odd is None:
        return None
    group = odd.what[0] - len(expected)
    of_label, samples = groups[group] if group >= 0 else ("", np.array(odd.what))
    named = f"sample {odd.what[0]}" if group < 0 else f"samples {brief(samples)}{of_label}"
    by_weight = bool({"weights", "shares"} & trace.named) or callable(trace.contract.frequencies)
    often = "often" if odd.observed > odd.expected else "seldom"
    never, is_all = never_drawn(passes, expected), odd.observed in (0, 1)
    is_lost = len(never) > 0 or is_all  # if it is all that comes, the others never do
    fault = f"draws some samples{of_label} too {often}" if not by_weight else ""
    lacking = why_some_never_come(passes, expected, never)
    return Violation(
        found=(
            f"{named} should be {odd.expected:.1%} of what is drawn and {'was' if group < 0 else 'were'} "
            f"{odd.observed:.1%} over {len(passes)} passes"
            + (f"; sample {never[0]} never came" if lacking and not is_all else "")
        ),
        indices=limit_indices(samples.tolist()),
        fault=f"never draws some samples{of_label * is_all}" if is_lost else fault,
        event=ALWAYS if is_lost else "",
        consequence="loses data" if is_lost else "",
        hint=_where_to_look(trace, by_weight=by_weight, is_lost=is_lost, lacking=lacking),
        chance=odd.chance,
        experiment="draws",
    )


def _where_to_look(trace: Trace, *, by_weight: bool, is_lost: bool, lacking: str) -> str:
    """Say what decides how often samples come; datasets, labels and lengths may be meant to."""
    if callable(trace.contract.frequencies):
        return FUNCTION
    if by_weight or is_lost:
        return lacking if by_weight and lacking else f"{HINT if by_weight else NEVER}. {OWN}"
    if "datasets" in trace.named:
        return RATES
    return FAVOURED if GROUPING & trace.named else f"{EVENLY}. {OWN}"


def _ahead(passes: list[NDArray[np.int64]], expected: NDArray[np.float64]) -> Violation | None:
    """Say which sample comes in no pass less often than another one of the same share, and often more so.

    Both should differ by nothing on average, and by no more than both together come in a pass: of the passes
    that tell them apart, one in so many and one more at least has to speak for the other sample.
    """
    length = len(expected)
    if length > MOST_PAIRED:
        return None
    counts = np.stack([np.bincount(one, minlength=length) for one in passes])
    apart = counts[:, :, None] - counts[:, None, :]
    is_paired = np.isclose(expected[:, None], expected[None, :]) & (apart.min(axis=0) >= 0)
    often = (apart > 0).sum(axis=0) * is_paired
    first, other = (int(one) for one in np.unravel_index(int(often.argmax()), often.shape))
    most = int((counts[:, first] + counts[:, other]).max())
    chance = min(1.0, length * length * (most / (most + 1)) ** float(often[first, other]))
    if chance * CERTAIN > 1:
        return None
    return Violation(
        found=(
            f"sample {first} came more often than sample {other} in {often[first, other]} of {len(passes)} "
            "passes and in none less often, where both should come alike"
        ),
        indices=(first, other),
        fault="always prefers some samples",
        hint="what is repeated, filled up or cut: any sample of its kind has to be as likely as another",
        chance=chance,
        experiment="draws",
        evidence=Evidence(kind="ahead"),
    )


LAW = Law(
    code="SC1001",
    name="follows-weights",
    former="weights-hold",
    statement=(
        'Under `coverage="sampled"`, the frequencies follow the weights, and weight 0 is never drawn; of a '
        'subset they are those that the contract declares; what is to come "eventually" does.'
    ),
    fault="samples are not drawn by their weights",
    event="over many epochs",
    consequence="wrong gradients",
    judge=judge,
    reads=("draws",),
    applies=applies,
    sees=sees,
    wants=is_patient,
    to_the_end=True,
    picture="draws",
    why=(
        "Weights are there to balance classes or to leave samples out. When the draws do not follow them, "
        "the model is trained on another distribution than the one that was asked for, and nothing else "
        "shows it: lengths, batches and loss look as they should."
    ),
    fix=(
        "Hand the weights as they are to torch.multinomial or random.choices. Cut to the wanted length "
        "after shuffling or drawing, not before, and fill up with further draws instead of the first samples."
    ),
    intended=(
        "Where samples are drawn by a distribution of your own (a temperature, a cap, a class balance), "
        'declare frequencies=a function of (length, features), or frequencies="unjudged".'
    ),
)
