"""Resumed runs beside the one that was not stopped: what was left, and what should come after.

Called by the laws of family 7. Imports values and the private modules of this package.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from samplercheck.laws._alike import is_determined
from samplercheck.laws._passes import RAISES, harm_of
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.record import Pass, Record, Trial
from samplercheck.values.trace import Trace
from samplercheck.values.wording import brief, join_numbers, limit_indices, steps_of

FEW = 4
LONGEST = 120
AGAIN = (
    "Whether state_dict() holds all that decides what comes next, the epoch and the place in it, and "
    "load_state_dict() restores it."
)
FROM_THE_START = (
    "Where the place is lost, as it begins the epoch again: not in state_dict(), not set by "
    "load_state_dict(), or reset by set_epoch() or __iter__."
)
NOT_QUITE = (
    "What is counted, as it is in the right order and goes on at another place: items that were yielded, "
    "before the yield and not behind it."
)
OTHER_ORDER = (
    "What the order is made from, as it goes on in another one: the epoch, or the state of the generator, "
    "belongs in state_dict() and has to be restored by load_state_dict()."
)
RAISED = (
    "What raises there: state_dict() and load_state_dict() are to work at any step. If it is never resumed, "
    'declare resume="none".'
)
CONSUMED = (
    "How the epoch and the place in it are read from consumed, which counts on over all ranks and epochs; "
    "the first pass begins there, later ones at their beginning."
)

_RAISED = re.compile(r"(.+?) raised (\w+)")


def was_resumed(trace: Trace, experiment: str) -> bool:
    """Whether some run was resumed, and what is built alike yields alike, so that runs can be compared."""
    return any(record.notes.get("trials") for record in trace.of(experiment)) and is_determined(trace)


@dataclass(frozen=True, slots=True)
class Run:
    """One resumed run of a rank: the passes before its stops, and after the last one of them."""

    trace: Trace
    experiment: str
    rank: int
    record: Record
    trial: Trial
    before: tuple[Pass, ...]
    after: tuple[Pass, ...]

    @property
    def straight(self) -> list[Pass]:
        """The epochs of the uninterrupted run."""
        return self.record.passes

    @property
    def steps_taken(self) -> int:
        """How many steps of its epoch had been taken at the last stop."""
        return self.trial.stops[-1]

    @property
    def epoch(self) -> Pass:
        """The whole epoch in which the run was stopped."""
        return self.straight[self.trial.epoch]

    @property
    def rest(self) -> Pass:
        """What was left of the epoch."""
        return self.epoch.behind(self.steps_taken)

    @property
    def is_comparable(self) -> bool:
        """Whether the run went as the one that was not stopped, up to its stops."""
        start = 0
        for one in self.before:
            due = self.epoch.behind(start)
            if one.strange or one.items != due.items[: len(one.items)]:
                return False
            start += one.steps
        return not self.before or start == self.steps_taken

    def first_wrong(self) -> tuple[Pass, Pass] | None:
        """Return the first pass behind a stop that is not what was left there, with what was, or None."""
        start = 0
        for one, stop in zip(self.before, self.trial.stops, strict=False):
            rest = self.epoch.behind(start)
            if not self.is_due(one, rest.ahead(stop - start)):
                return one, rest
            start = stop
        return None if self.goes_on_rightly else (self.after[0], self.rest)

    @property
    def goes_on_rightly(self) -> bool:
        """Whether it went on where it was stopped; at an end, perhaps with the next epoch straight away."""
        found = self.after[0]
        return self.is_due(found, self.rest) or may_be_next(self, found)

    def is_due(self, found: Pass, due: Pass) -> bool:
        """Whether a pass is the one that is due; an elastic rest may be padded with samples of its own."""
        return found.same_as(due) or (self.trace.contract.elastic and self._is_padded_anew(found, due))

    def _is_padded_anew(self, found: Pass, due: Pass) -> bool:
        """Whether a pass differs from what is due at the end of the epoch alone, by what only padded it.

        That is what came before the last step, which no run may change, on any rank.
        """
        last, whole = found.steps - 1, self.straight[due.epoch]
        is_end = bool(due.items) and due.items == whole.items[-len(due.items) :]
        if not is_end or due.steps != found.steps or not found.ahead(last).same_as(due.ahead(last)):
            return False
        usual = [record.pass_of(due.epoch) for record in self.trace.of("epochs")]
        before = {index for one in usual if one is not None for index in one.ahead(whole.steps - 1).items}
        pairs = list(zip(due.at(last), found.at(last), strict=False))
        in_range = all(0 <= index < self.trace.case.length for index in found.at(last))
        is_padding = all(owed == came or owed in before for owed, came in pairs)
        as_many = len(due.items) == len(found.items)
        return as_many and in_range and is_padding and self.trace.owed.tail == "pad"

    @property
    def is_at_the_end(self) -> bool:
        """Whether nothing was left."""
        return self.steps_taken >= self.epoch.steps

    @property
    def goes_on(self) -> bool:
        """Whether nothing but its passes tells one epoch from the next, so that an end is a beginning."""
        contract = self.trace.contract
        return not contract.sets_epochs or contract.resume == "consumed"

    def violation(
        self,
        found: str,
        *,
        hint: str = "",
        advice: bool = False,
        about: Pass | None = None,
        due: Pass | None = None,
        kind: str = "",
        way: str = "",
        error: str = "",
    ) -> Violation:
        """Return a violation about this run; ``about`` is the pass that is wrong, if it came to one.

        ``due`` is what should have come instead, unless told what was left at the last stop. ``kind`` and
        ``way`` are those of its evidence. Where it came to no pass, the trial's ``error`` is named.

        ``hint`` speaks of states; where samples are counted there is none, and another takes its place.
        """
        stops, batched = self.trial.stops, self.epoch.sizes is not None
        after = join_numbers(stops) if len(stops) > 1 else str(stops[0])
        steps = steps_of(stops[-1], batched=batched).partition(" ")[2]
        counts_samples = self.trace.contract.resume == "consumed"
        return Violation(
            found=f"rank {self.rank}, stopped after {after} {steps} of epoch {self.trial.epoch}, {found}",
            rank=self.rank,
            epoch=self.trial.epoch,
            step=self.steps_taken,
            indices=limit_indices(about.items) if about is not None else (),
            hint=CONSUMED if counts_samples else self._hint(about, due or self.rest, hint),
            consequence=RAISES if about is None else self._harm(about, due or self.rest),
            fault=_name_error(error or self.trial.error) if about is None else "",
            advice=advice,
            experiment=self.experiment,
            evidence=Evidence(kind=kind, way=way or self.trial.way, stops=stops),
        )

    def _hint(self, found: Pass | None, due: Pass, hint: str) -> str:
        """Return where to look: the hint that was given, or else by what came where something was due."""
        if found is None or hint:
            return RAISED if found is None else hint
        items, whole = found.items, self.epoch.items
        if items == whole:
            return FROM_THE_START
        if items and items == whole[-len(items) :]:
            return NOT_QUITE
        return OTHER_ORDER if len(items) == len(due.items) else AGAIN

    def _harm(self, found: Pass, due: Pass) -> str:
        """Say what a pass does to the training; in the epoch of the stops there was something before it."""
        is_here = due.epoch == self.trial.epoch
        done = tuple(self.epoch.items[: -len(due.items) or None]) if is_here else ()
        for one, start, stop in zip(self.before, (0, *self.trial.stops), self.trial.stops, strict=False):
            if one is found:  # it was stopped again, so no more was asked of it
                due = due.ahead(stop - start)
        return harm_of(found.items, due.items, done)


def may_be_next(run: Run, found: Pass) -> bool:
    """Whether a pass that is not what was left may come all the same, because no set_epoch names its epoch.

    At an end the next epoch may come straight away; and at the beginning of a later epoch, if nothing
    was taken of it, the state may be that of the end before (docs/rules.md D2).
    """
    if not run.goes_on:
        return False
    if run.is_at_the_end:
        return found.same_as(run.straight[run.trial.epoch + 1])
    is_first = not run.steps_taken and run.trial.epoch > 0
    return is_first and not found.items and len(run.after) > 1 and run.after[1].same_as(run.epoch)


def due_next(run: Run) -> Pass:
    """Return the epoch that should follow the first pass after the resumption."""
    number, first = run.trial.epoch, run.after[0]
    if not run.is_due(first, run.rest):
        number += 1 if run.is_at_the_end else -1
    return run.straight[number + 1]


def words(one: Pass) -> str:
    """Say what a pass yielded; of batches, each by itself where they are few."""
    if one.sizes is None or one.steps > FEW:
        return brief(one.items) or "nothing"
    return ", ".join(str(batch.tolist()) for batch in one.batches()) or "nothing"


def _name_error(error: str) -> str:
    """Say in a few words what raised which exception in a run that could not be resumed."""
    raised = _RAISED.match(error)
    if raised is None:
        return "its state cannot be saved or loaded"
    who, what = raised.groups()
    return f"{who} raises {what}" if who.endswith(")") else f"raises {what} when it is resumed"


def say_why(error: str) -> str:
    """Say on one line that, and why, a run cannot be resumed."""
    return f"cannot be resumed: {' '.join(error.split())[:LONGEST]}"


def runs_of(trace: Trace, experiment: str, *ways: str, anyhow: bool = False) -> Iterator[Run]:
    """Yield the resumed runs of all ranks that went these ways and, up to their stops, as they should.

    ``anyhow`` asks for all of them.
    """
    for rank, record in enumerate(trace.of(experiment)):
        trials = record.notes.get("trials", ())
        for number, trial in enumerate(trials):
            if trial.way in ways:
                end = trials[number + 1].first if number + 1 < len(trials) else len(record.passes)
                passes = tuple(record.passes[trial.first : end])
                stops = len(trial.stops)
                run = Run(trace, experiment, rank, record, trial, passes[:stops], passes[stops:])
                if anyhow or run.is_comparable:
                    yield run
