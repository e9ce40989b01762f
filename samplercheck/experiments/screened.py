"""One object that goes through what seven experiments do, and stands for them where all passes are as usual.

Run by simulated worlds in a rank, right behind ``epochs``. Nearly every sound target passes it in nearly all
cases, for less than half of the passes. Where anything differs, or is refused, the experiments are run one
by one, and what this one saw is forgotten.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import Any

from samplercheck.experiments._launch import another_launch
from samplercheck.experiments._reading import END, append, consume, open_bare, open_pass
from samplercheck.experiments.arguments import NO_PLACE
from samplercheck.experiments.passes import MOST_EPOCHS, TURNS, has_one_place
from samplercheck.experiments.pickled import copy_by_pickle
from samplercheck.experiments.seat import Seat
from samplercheck.experiments.stopped import Stopped, why_no_length
from samplercheck.values.limits import quarter_of
from samplercheck.values.record import Length, Pass, Record

NEEDED = frozenset({"jumps", "again", "interleaved", "abandoned"})
AT_FIRST, BETWEEN, AT_LAST = ("built", "before", "again", "after"), ("before",), ("before", "after")
"""When the length is asked for in the first epoch, in those that are passed by, and in the last one."""


def is_worth_it(seat: Seat) -> bool:
    """Whether the experiments that one object can go through are asked for, in a case that it can stand for.

    Passes have to be those of their epochs, whatever came before, and ranks must not wait for each other.
    """
    case, contract = seat.case, seat.contract
    repeats = contract.epochs in ("set_epoch", "fixed") and contract.ambient_rng == "independent"
    plain = seat.settled is not None and not (contract.endless or contract.is_one_walk or case.workers)
    return repeats and plain and case.epochs <= MOST_EPOCHS and NEEDED.issubset(seat.asked)


def screen(seat: Seat) -> None:
    """Let the seat know what the experiments would record, if every pass is as in the usual epochs.

    Raises what hung: there is no need to wait for that once more.
    """
    last = seat.case.epochs - 1 if seat.sets_epochs else 0
    at_first, at_last = seat.usual.pass_of(0), seat.usual.pass_of(last)
    if at_first is None or at_last is None or at_first.strange or at_last.strange:
        return
    trial = _Trial(seat, at_first, at_last, asks="lengths" in seat.asked, pickles="pickled" in seat.asked)
    unplaced = seat.binding.can_find_its_place and "unplaced" in seat.asked
    try:
        with another_launch():
            subject = seat.build(**(NO_PLACE if unplaced else {}))
            is_usual = seat.within("screened", None, trial.run, subject)
    except Stopped as stopped:
        if stopped.fault.kind == "deadline":
            raise
        return
    if is_usual:
        seat.known = {name: record for name, record in trial.records.items() if name in seat.asked}


class _UnlikeError(Exception):
    """Something was not as usual."""


@dataclass(slots=True)
class _Trial:
    """What one object goes through: a jump to the last epoch, by a copy, a jump back, and disturbance there.

    ``first`` and ``last`` are the usual passes of these epochs; answers of ``len()`` are kept by their epoch.
    """

    seat: Seat
    first: Pass
    last: Pass
    asks: bool
    pickles: bool
    given_up: Pass = field(init=False)
    has_one_place: bool = False
    answers: dict[int, tuple[Any, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.given_up = self.first.ahead(quarter_of(self.seat.case, self.seat.contract))
        if self.given_up.steps < self.first.steps:
            self.given_up.ending = "abandoned"

    def run(self, subject: Any) -> bool:
        """Whether all that the object yields is as usual."""
        try:
            self.jump(subject)
            self.disturb(subject)
            self.has_one_place = has_one_place(subject)
        except _UnlikeError:
            return False
        return True

    def jump(self, subject: Any) -> None:
        """Go to the last epoch, where a copy made by pickle has its pass."""
        self.ask(subject, 0)  # as it was built
        self.begin(subject, self.last.epoch)
        self.ask(subject, self.last.epoch)
        goer = copy_by_pickle(subject) if self.pickles else subject
        self.take(goer, self.last)
        self.ask(goer, self.last.epoch)
        for epoch in range(1, self.last.epoch if self.asks else 0):
            self.begin(subject, epoch)
            self.ask(subject, epoch)

    def disturb(self, subject: Any) -> None:
        """Go to the first epoch: a whole pass, one that is given up, and two in turns."""
        self.begin(subject, 0)
        self.ask(subject, 0)
        self.take(subject, self.first)
        self.ask(subject, 0)
        self.take(subject, self.given_up)
        self.interleave(subject)

    def begin(self, subject: Any, epoch: int) -> None:
        """Start an epoch; an object that is built again for it is another one."""
        if self.seat.begin(subject, epoch) is not subject:
            raise _UnlikeError

    def take(self, subject: Any, usual: Pass) -> None:
        """Take a pass that has to be as usual."""
        pass_ = Pass(usual.epoch, array("q"))
        limit = usual.steps if usual.ending == "abandoned" else self.seat.cap
        self.seat.guard.watch(self.seat, "iter", usual.epoch, pass_)
        consume(open_bare(subject), pass_, limit, subject)
        if not pass_.same_as(usual):
            raise _UnlikeError

    def interleave(self, subject: Any) -> None:
        """Take two passes of the first epoch in turns, then the rest of the second, and of the first."""
        opened = [(open_pass(subject), Pass(0, array("q"))) for _ in range(2)]
        unfinished = opened
        for _ in range(TURNS):
            unfinished = [one for one in unfinished if _advance(*one)]
        for iterator, pass_ in reversed(unfinished):
            self.seat.guard.watch(self.seat, "next", 0, pass_)
            consume(iterator, pass_, self.seat.cap)
        if not all(pass_.same_as(self.first) for _, pass_ in opened):
            raise _UnlikeError

    def ask(self, subject: Any, epoch: int) -> None:
        """Ask for the length, which has to stay the same in an epoch."""
        if not self.asks:
            return
        try:
            answer: tuple[Any, ...] = (len(subject),)
        except (TypeError, NotImplementedError) as error:
            answer = why_no_length(subject, error)
        if self.answers.setdefault(epoch, answer) != answer:
            raise _UnlikeError

    @property
    def records(self) -> dict[str, Record]:
        """What each experiment would have recorded."""
        first, last, usual = self.first, self.last, self.seat.usual
        can_jump = {"has_set_epoch": usual.notes["has_set_epoch"]}
        jumps = Record() if last is first else Record([last, first], notes=can_jump, as_usual=True)
        lengths = [
            Length(when, epoch, *answer)
            for epoch, answer in self.answers.items()
            for when in (AT_FIRST if not epoch else AT_LAST if epoch == last.epoch else BETWEEN)
        ]
        notes = {"has_one_place": self.has_one_place}
        return {
            "lengths": Record(usual.passes[: self.seat.case.epochs], lengths, as_usual=True),
            "jumps": jumps,
            "again": Record([first, first], as_usual=True),
            "interleaved": Record([first, first], notes=notes, as_usual=True),
            "abandoned": Record([self.given_up, first], as_usual=True),
            "pickled": Record([last, last], notes={"pickling": ""}, as_usual=True),
            "unplaced": Record([first], as_usual=True),
        }


def _advance(iterator: Any, pass_: Pass) -> bool:
    """Take one step; False at the end."""
    item = next(iterator, END)
    if item is not END:
        append(pass_, item)
    return item is not END
