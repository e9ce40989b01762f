"""Tails: by how many samples a target pads or cuts what ranks cannot share evenly, if that number is wrong.

Asked while a run explains its broken laws. It is read off a few cases, each of which enters no ledger.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from samplercheck.engine._inquiry import Inquiry
from samplercheck.engine._regions import Where
from samplercheck.explain import change
from samplercheck.explain.causes import ABOVE_A_BORDER, OF_TAILS, PARTITION, Cause
from samplercheck.explain.lines import order_by_nearness
from samplercheck.explain.words import EXACT, NECESSARY, SUFFICIENT
from samplercheck.laws import complete
from samplercheck.search.chosen import thin_out
from samplercheck.values.case import Case
from samplercheck.values.trace import Trace
from samplercheck.values.wording import pluralise

MOST, FEW_CHUNKS = 12, 2
MOST_ROUNDED, FEWEST_ROUNDED = 8, 3
_CHUNKED = re.compile(rf"^{EXACT} (?:length >=? \d+ and )?length % (\d+) != 0")
WHERE = f"{NECESSARY} the order is cut to a multiple of world_size"
ROUNDS_LEFT = "length % (world_size * batch_size) != 0"
THE_END = "never yields the end of its order"
NUMBER = "It pads, but by the wrong number: "
BY_RANKS = "It pads to a multiple of all ranks, of which {replicas} share a place in the data: "
PAD = "Pad by -length % world_size samples: repeat the order where it has fewer."
LEN_TOO = " Let __len__ use the same number."
CHUNK = "The last, short chunk is never read: {lost} of {length} with {chunk}."
READ_ALL = "Read the last, short chunk too: math.ceil(length / {name}) chunks, not length // {name}."
MIXED = "What is left over is cut for some lengths ({}) and padded for others ({})."
ROUND_UP = "Pad, never cut: each rank gets math.ceil(total / world_size)."


class Tail(NamedTuple):
    """What is wrong with the number of samples by which a tail is padded or cut, and what to do.

    Where that was tried, also in which cases and, in few words, what is lost.
    """

    cause: str
    fix: str
    region: str = ""
    fault: str = ""


class _Counted(NamedTuple):
    """A case, the samples beyond the dataset that its epochs hold, and those that are needed."""

    case: Case
    padded: int
    needed: int

    @property
    def place(self) -> str:
        """The sizes of the case in words."""
        return f"length={self.case.length} on {self.case.world_size} ranks"

    def place_beside(self, other: _Counted) -> str:
        """The sizes of the case in words that tell it from another one."""
        in_batches = f", batch_size={self.case.batch_size}" if self.place == other.place else ""
        return self.place + in_batches


def count_tail(inquiry: Inquiry, cause: Cause | None, region: str) -> Tail | None:
    """Return what the numbers say of a tail; None where another cause says more, or they say nothing."""
    owes_a_number = inquiry.search.binding.contract.coverage == "once"
    is_about_it = owes_a_number and (cause is None or cause.change is change.whole_rounds)
    if inquiry.code not in PARTITION or not is_about_it or not inquiry.example.is_simulated:
        return None
    if found := _CHUNKED.search(region):
        tail = _count_chunks(inquiry, int(found[1]))
    else:
        tail = _count_rounds(inquiry)
        if tail and tail.fix == ROUND_UP and not region and _is_rounded_down(inquiry):
            tail = tail._replace(region=WHERE, fault=THE_END if inquiry.law is complete.LAW else "")
    has_len = hasattr(inquiry.search.binding.factory, "__len__")
    return tail._replace(fix=tail.fix + LEN_TOO) if tail and has_len else tail


def _count_chunks(inquiry: Inquiry, size: int) -> Tail | None:
    """Return that the last chunk of so many samples is never read, if one rank lacks as many as it has."""
    failing = [case for case in inquiry.failing if case.world_size == 1]
    counted = list(_count(inquiry, failing[:MOST]))
    if len(counted) < FEW_CHUNKS or any(-one.padded != one.case.length % size for one in counted):
        return None
    taken = inquiry.search.binding.signature.parameters.values()
    names = [one.name for one in taken if type(one.default) is int and one.default == size]
    name = names[0] if len(names) == 1 else ""
    case = counted[0].case
    chunk, lost = f"{name}={size}" if name else f"chunks of {size}", pluralise(case.length % size, "sample")
    return Tail(CHUNK.format(length=case.length, chunk=chunk, lost=lost), READ_ALL.format(name=name or size))


def _count_rounds(inquiry: Inquiry) -> Tail | None:
    """Return what is wrong with how many samples are padded or cut where ranks cannot share evenly."""
    if any(_is_plain(case) and not case.length % case.world_size for case in inquiry.failing):
        return None  # something else is wrong where nothing is left over
    even = [case for case in inquiry.holding if case.length % case.world_size == 0 and not case.drop_last]
    both = [[case for case in cases if _is_uneven(case)] for cases in (inquiry.failing, inquiry.holding)]
    near = (order_by_nearness(cases, inquiry.example.case)[:MOST] for cases in (*both, even))
    broken, sound, whole = (list(_count(inquiry, cases)) for cases in near)
    tail = _name(broken, sound, inquiry.search.binding.contract.replicas)
    # What is padded where nothing is missing goes by something else: parts of the dataset, perhaps.
    return None if tail and tail.fix == PAD and any(one.padded > 0 for one in whole) else tail


def name_rounds(inquiry: Inquiry, where: Where, cause: Cause | None) -> Where:
    """Return where a law fails, by the number that its cause goes by, if that is a round of batches.

    What suffices names another one; all failing cases have in common what the cause says.
    """
    if cause is not None and cause.change is change.weights_alike and not where.text:
        return replace(where, text=f"{NECESSARY} len(set(weights)) > 1")  # which no small case shows
    if cause is None or cause.change is not change.whole_batches or not where.text.startswith(SUFFICIENT):
        return where
    failing = inquiry.failing
    decided = [*failing, *inquiry.holding]
    inside = {case for case in decided if case.length % (case.world_size * case.batch_size)}
    if not inside.issuperset(failing):
        return where
    shared = {case for case in inside if case.world_size > 1}
    is_shared = shared.issuperset(failing) and shared != inside
    ranks = "world_size >= 2 and " if is_shared else ""
    text = f"{NECESSARY} {ranks}{ROUNDS_LEFT}"
    return replace(where, text=text, inside=len(shared if is_shared else inside))


def traits_of_region(where: Where) -> set[str]:
    """Return what is to be known of where a law fails for what is told of its cause."""
    always_left = where.text.startswith((EXACT, NECESSARY)) and ROUNDS_LEFT in where.text
    is_of_tails = always_left and " or " not in where.text
    is_above = where.text.startswith(f"{EXACT} max(len")
    return ({OF_TAILS} if is_of_tails else set()) | ({ABOVE_A_BORDER} if is_above else set())


def _is_plain(case: Case) -> bool:
    return all(len(set(values)) == 1 for _, values in case.features)


def _is_uneven(case: Case) -> bool:
    """Whether ranks cannot share a dataset evenly, of whose samples all are alike and none may be dropped."""
    is_left = case.length > case.world_size and case.length % case.world_size
    return bool(is_left) and _is_plain(case) and not case.drop_last


def _count(inquiry: Inquiry, cases: Sequence[Case]) -> Iterator[_Counted]:
    """Yield what cases hold whose epochs are all padded, or all cut, by one number."""
    for case in cases:
        trace = inquiry.run(case)
        padded = _padding_in(trace) if trace is not None else None
        if trace is not None and padded is not None:
            yield _Counted(case, padded, trace.owed.padding)


def _padding_in(trace: Trace) -> int | None:
    """Return by how many samples every epoch is padded, below 0 if cut; None where it does something else."""
    owed = trace.owed
    if not trace.is_whole or trace.is_streamed or owed.tail != "pad" or owed.unit != 1 or owed.repeats != 1:
        return None
    if trace.batched and trace.contract.batches == "variable":
        return None  # such an epoch is padded by whole batches, of any number of samples
    found = {epoch.total - owed.appearances for epoch in trace.epochs}
    if len(found) != 1 or any(len(epoch.ranks) != owed.places for epoch in trace.epochs):
        return None
    (padded,) = found
    whole = all(epoch.counts.min() == 1 if padded >= 0 else epoch.highest == 1 for epoch in trace.epochs)
    return padded if whole else None


def _name(broken: Sequence[_Counted], sound: Sequence[_Counted], replicas: int) -> Tail | None:
    wrong = [one for one in broken if one.padded > 0 and one.padded != one.needed]
    if wrong:
        first = wrong[0]
        is_less = first.padded < first.needed
        others = (one for one in wrong if (one.padded < one.needed) is not is_less)
        told = [_say(first), *(_say(one) for one in list(others)[:1])]
        of_ranks = replicas > 1 and all(one.padded == -one.case.length % one.case.world_size for one in wrong)
        say = BY_RANKS.format(replicas=replicas) if of_ranks else NUMBER
        return Tail(f"{say}{', '.join(told)}.", PAD)
    cut = next((one for one in broken if one.padded == -(one.case.length % one.case.world_size)), None)
    padded = next((one for one in sound if one.padded == one.needed), None)
    if cut is None or padded is None:
        return None
    return Tail(MIXED.format(cut.place_beside(padded), padded.place_beside(cut)), ROUND_UP)


def _say(one: _Counted) -> str:
    are = "is" if one.needed == 1 else "are"
    return f"{pluralise(one.padded, 'sample')} where {one.needed} {are} needed ({one.place})"


def _is_rounded_down(inquiry: Inquiry) -> bool:
    """Whether ranks together yield the total of one rank without its end in all failing cases tried."""
    failing = inquiry.failing
    chosen = thin_out(failing, MOST_ROUNDED)
    if len(chosen) < FEWEST_ROUNDED or any(case.world_size == 1 for case in failing):
        return False
    return all(_lacks_the_end(inquiry, case) for case in chosen)


def _lacks_the_end(inquiry: Inquiry, case: Case) -> bool:
    """Whether each epoch of all ranks is what one rank yields, cut down to a multiple of the ranks."""
    both = (case.but(world_size=1), case)
    traces = [inquiry.run(one) for one in both]
    told = [one for one in traces if one is not None and one.is_whole and not one.is_streamed]
    if len(told) < len(both):
        return False
    whole, shared = told
    orders = [one.items.tolist() for one in whole.of("epochs")[0].passes]
    dealt = [
        Counter(index for one in ranks for index in one.items)
        for ranks in zip(*(record.passes for record in shared.of("epochs")), strict=False)
    ]
    rest = [len(order) % case.world_size for order in orders]
    cut = [Counter(order[: len(order) - over]) for order, over in zip(orders, rest, strict=True)]
    return len(orders) == len(dealt) and all(rest) and cut == dealt
