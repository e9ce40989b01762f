"""Numbers in words, for what laws say they found and what pictures show: long lists are shortened.

Called by judging functions where something is broken, and by reports. Standard library alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from samplercheck.values.record import Fault

HISTORY = "It depends on what ran before in this process"
"""How a cause begins where a case fails only behind others."""
SAME_PROCESS = "in the same process"
PASSES_FROM = "the rank yields this"
"""What a line does that says no more than where a pass is made."""
OPEN_AT_ONCE, PASSED_TWICE = "with two iterators open at once", "in a second pass of one epoch"
BROKEN_OFF = "after a break out of an epoch"
UNUSUAL = OPEN_AT_ONCE, PASSED_TWICE, BROKEN_OFF
"""What few trainings do."""
DRAWS_GLOBALLY, CHANGES_OWN = "this uses a global generator", "this changes self."
DEALS_OUT, YIELDED_ALIKE = "this deals out to the ranks", "each rank yields this"
YIELDED_BY_WORKERS, ASKS_FOR_WORKER = "each worker yields this", "this asks which worker it is"
MARKS_INNER = "this changes what is wrapped"
MAKES_SET, ASKS_FOR_HASH = "this makes a set", "this asks for a hash"
LOOPS = "The loop in which it was stopped: it makes no progress, and so never ends."
RUNS_ALONE = "it runs only in failing cases"
UNSEEDED = "a wrapped sampler that draws without a seed"
"""What no run tries: it is named where something is wrong with what wraps it."""
UNSEEDED_INNER = "a wrapped RandomSampler: if unseeded, ranks may lose samples"
"""The same with what may go wrong, in one line."""
LATER_PHASES = "all later phases"
"""How it begins that those phases were not tried."""
FEW = 6
MOST_SHOWN = 100
MOST_NAMED = 8
EXPERIMENTS = {
    "epochs": "",
    "lengths": "where len() is asked",
    "jumps": "out of order",
    "again": "by a second object",
    "interleaved": "with two iterators open",
    "beside": "beside another object",
    "abandoned": "with a break out of an epoch",
    "seeds": "",
    "knobs": "",
    "pickled": "after pickling",
    "unplaced": "with rank and world size from the group",
    "nonsense": "with invalid arguments",
    "reference": "of the reference",
    "wrapped": "around another sampler",
    "counted": "around another sampler, where len() is asked",
    "resumed": "with a stop and resume",
    "resumed_again": "with several resumes",
    "saved": "with its state saved and loaded",
    "elastic": "with a resume on another world size",
    "foreign": "with the state of another place",
    "in_step": "in step",
    "draws": "of many that are drawn",
    "workers": "",
    "delivered": "with a resumed DataLoader",
}
"""What experiments do, behind the name of an epoch or what a rank did; nothing where each pass says more.

In the order in which a rank runs them."""
CAPTIONS = {
    **EXPERIMENTS,
    "seeds": "under another seed",
    "knobs": "with another argument",
    "workers": "in a DataLoader",
}
"""The same above a picture, where the rows do not say it."""
STOPPED = {
    "resumed": "stopped at | and resumed",
    "resumed_again": "stopped at | and resumed, more than once",
    "saved": "stopped at |, its state saved and loaded",
    "elastic": "stopped at |, resumed on another world size",
    "foreign": "stopped at |, its state loaded in another place",
    "delivered": "a DataLoader stopped at | and resumed",
}
"""What was done in experiments whose runs are stopped, above a picture in which | is the stop."""
_PROSE = re.compile(r"[^\W\d_]+('[^\W\d_]+)?[,;:.!?]*(?=\s|\Z)")


def is_in_utf8(text: str) -> bool:
    """Whether a text can be written in UTF-8: it has no half of a letter."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def capitalise(text: str) -> str:
    """Return prose with a capital letter first; text that begins with a name, path or code stays as it is."""
    word = _PROSE.match(text)
    return text[:1].upper() + text[1:] if word and word[0].islower() else text


def uncapitalise(text: str) -> str:
    """Return prose that goes on within a sentence; what begins with a name or code stays as it is."""
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def brief(indices: Iterable[int], few: int = FEW) -> str:
    """Return the numbers joined by commas, a long list as ``3, 5, 7 ... (41 in all)``."""
    numbers = _sequence(indices)
    if len(numbers) <= few:
        return ", ".join([str(int(number)) for number in numbers])
    first = ", ".join([str(int(number)) for number in numbers[: few // 2]])
    return f"{first} ... ({len(numbers)} in all)"


def join_numbers(numbers: Sequence[int]) -> str:
    """Return the numbers as in a sentence: ``2, 2 and 1``; a long list like ``brief``."""
    if len(numbers) <= 1 or len(numbers) > FEW:
        return brief(numbers)
    return f"{brief(numbers[:-1])} and {int(numbers[-1])}"


def name_samples(indices: Iterable[int]) -> str:
    """Name samples by their indices: ``sample 2``, ``samples 2, 5 and 7``; a long list like ``brief``."""
    numbers = _sequence(indices)
    return f"sample{'' if len(numbers) == 1 else 's'} {join_numbers(numbers)}"


def join_words(words: Sequence[str], last: str = "and") -> str:
    """Return words as in a sentence: ``this, that and the other``."""
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def pluralise(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: ``1 item``, ``3 items``."""
    return f"1 {noun}" if number == 1 else f"{number} {plural or noun + 's'}"


def list_steps(stops: Sequence[int]) -> str:
    """Name the numbers of steps after which a run was stopped: ``2 and 4 steps``."""
    return f"{join_numbers(stops)} {pluralise(stops[-1], 'step').partition(' ')[2]}"


def steps_of(number: int, *, batched: bool) -> str:
    """Return a number of steps with the noun for what a target yields: ``1 item``, ``2 batches``."""
    return pluralise(number, "batch", "batches") if batched else pluralise(number, "item")


def owner(ranks: Sequence[int]) -> str:
    """Name who yields an epoch: ``rank 2`` where it is a single rank, else ``the ranks``."""
    return f"rank {ranks[0]}" if len(ranks) == 1 else "the ranks"


def name_ranks(ranks: Sequence[int]) -> str:
    """Name some ranks: ``rank 2``, ``ranks 0-3``, ``ranks 0, 2, 5``."""
    if len(ranks) == 1:
        return f"rank {ranks[0]}"
    if len(ranks) > 2 and list(ranks) == list(range(ranks[0], ranks[-1] + 1)):  # noqa: PLR2004  (two are named)
        return f"ranks {ranks[0]}-{ranks[-1]}"
    more = f" and {len(ranks) - MOST_NAMED} more" if len(ranks) > MOST_NAMED else ""
    return f"ranks {', '.join(map(str, ranks[:MOST_NAMED]))}{more}"


def describe_ranks(doings: Iterable[tuple[int, tuple[str, str]]]) -> str:
    """Say what each rank does, given what one does and what several do: ``ranks 1-3 have finished``."""
    alike: dict[tuple[str, str], list[int]] = {}
    for rank, does in doings:
        alike.setdefault(does, []).append(rank)
    return ", ".join(f"{name_ranks(ranks)} {does[len(ranks) > 1]}" for does, ranks in alike.items())


def describe_deadlock(ranks: Iterable[tuple[int, str, Fault | None]]) -> str:
    """Say what each rank does: "rank 0 waits in ..., ranks 1-3 have finished".

    A rank comes with what it waits in, or else with the fault that ended it, if there is one.
    """
    return describe_ranks((rank, _describe_wait(waits_in, fault)) for rank, waits_in, fault in ranks)


def _describe_wait(waits_in: str, fault: Fault | None) -> tuple[str, str]:
    """Say what one rank does, and the same for several."""
    if waits_in:
        return f"waits in {waits_in}", f"wait in {waits_in}"
    how = "finished"
    if fault is not None:
        how = f"raised {fault.error}" if fault.error else f"ended: {fault.message}"
    return f"has {how}", f"have {how}"


def ordinal(number: int) -> str:
    """Return a number as a place in an order: ``1st``, ``12th``."""
    teens = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def in_epoch(epoch: int | None, step: int | None = None) -> str:
    """Return what follows a place: ``, epoch 1, step 5``; unknown parts are left out."""
    return ("" if epoch is None else f", epoch {epoch}") + ("" if step is None else f", step {step}")


def limit_indices(indices: Iterable[int]) -> tuple[int, ...]:
    """Return the indices that a violation carries: all, or the first hundred."""
    return tuple([int(number) for number in _sequence(indices)[:MOST_SHOWN]])


def _sequence(indices: Iterable[int]) -> Sequence[int]:
    return indices if hasattr(indices, "__getitem__") else list(indices)  # type: ignore[return-value]  # asked for
