"""Resumed runs beside the one that was not stopped: what was left, and what should come after.

Called by the laws of family 7. Imports values and the private modules of this package.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from samplercheck.laws._alike import is_determined
from samplercheck.laws._passes import RAISES, harm_of
from samplercheck.laws._resume_hints import AGAIN, CONSUMED, hint_at, name_error
from samplercheck.values.finding import Evidence, EvidenceKind, Violation
from samplercheck.values.record import Pass, Record, Trial
from samplercheck.values.trace import Trace
from samplercheck.values.wording import brief, join_numbers, limit_indices, steps_of

FEW = 4
LONGEST = 120


def was_resumed(trace: Trace, experiment: str) -> bool:
    """Whether some run was resumed, and what is built alike yields alike, so that runs can be compared."""
    return any(record.notes.get("trials") for record in trace.of(experiment)) and is_determined(trace)


def _may_be_padded(trace: Trace) -> bool:
    """Whether padding may end an epoch, before or after a resume; of draws whole rounds need none."""
    owed, case = trace.owed, trace.case
    if owed.tail != "pad" or trace.contract.coverage != "sampled" or trace.contract.batches == "variable":
        return owed.tail == "pad"
    unit = case.batch_size if trace.batched else owed.unit
    return any(owed.appearances % (places * unit) for places in (owed.places, case.resume_world_size or 1))


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
        """The epochs of the uninterrupted run, which come before those of the first trial."""
        return self.record.passes[: self.record.notes["trials"][0].first]

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
        """What was left of the epoch, or the next one where its end is a beginning."""
        if self.begins_next:
            return self.straight[self.trial.epoch + 1]
        return self.epoch.behind(self.steps_taken)

    @property
    def begins_next(self) -> bool:
        """Whether the run was stopped at an end from which the next epoch has to begin."""
        return self.trace.contract.at_end == "next" and self.is_at_the_end and self.epoch.steps > 0

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
        if self.trace.contract.is_one_walk:
            return self.walks_on(found, self.steps_taken) or (self.is_at_the_end and not found.steps)
        return self.is_due(found, self.rest) or may_be_next(self, found)

    def walks_on(self, found: Pass, steps: int) -> bool:
        """Whether a pass goes on behind so many steps of the walk, wherever it ends itself."""
        due = self.walk.behind(steps)
        both = min(found.steps, due.steps)
        return found.ahead(both).same_as(due.ahead(both)) and (both > 0 or not due.steps)

    @property
    def walk(self) -> Pass:
        """The walk that begins with the epoch in which the run was stopped."""
        return self.epoch.followed_by(*self.straight[self.trial.epoch + 1 :])

    def is_due(self, found: Pass, due: Pass) -> bool:
        """Whether a pass is the one that is due; a rest may be padded with samples of its own."""
        return found.same_as(due) or self._is_padded_again(found, due)

    def _is_padded_again(self, found: Pass, due: Pass) -> bool:
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
        return as_many and in_range and is_padding and _may_be_padded(self.trace)

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
        kind: EvidenceKind = "",
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
            hint=CONSUMED if counts_samples else self._hint(about, due, hint),
            consequence=RAISES if about is None else self._harm(about, due or self.rest),
            fault=name_error(error or self.trial.error) if about is None else "",
            advice=advice,
            experiment=self.experiment,
            evidence=Evidence(kind=kind, way=way or self.trial.way, stops=stops),
        )

    def _hint(self, about: Pass | None, due: Pass | None, hint: str) -> str:
        """Say where to look; a walk without an end is as long wherever it goes on, which tells nothing."""
        if about is not None and self.trace.contract.is_one_walk:
            return hint or AGAIN
        return hint_at(about, due or self.rest, self.epoch, hint)

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
    number, first = run.trial.epoch + run.begins_next, run.after[0]
    if run.trace.contract.is_one_walk:
        return run.walk.behind(run.steps_taken + first.steps).ahead(run.after[1].steps)
    if not run.is_due(first, run.rest):
        number += 1 if run.is_at_the_end else -1
    return run.straight[number + 1]


def words(one: Pass) -> str:
    """Say what a pass yielded; of batches, each by itself where they are few."""
    if one.sizes is None or one.steps > FEW:
        return brief(one.items) or "nothing"
    return ", ".join(str(batch.tolist()) for batch in one.batches()) or "nothing"


def say_due(due: Pass, *, at_next: bool = False) -> str:
    """Say what should have come: the rest of the epoch, or the next one if that was to begin there."""
    if not due.steps:
        return " where nothing was left"
    return f", not the next epoch: {words(due)}" if at_next else f", not the remaining {words(due)}"


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
