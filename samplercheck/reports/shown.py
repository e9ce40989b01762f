"""One case as ``samplercheck show`` tells it: what was run, who got which sample, and what went wrong.

Called by the command line, which prints it or has it made a page. Pure: reads the trace and judges
nothing. Imports values alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from samplercheck.reports.picture import epoch_grid
from samplercheck.reports.scenes import scene_of_experiment, told_run
from samplercheck.reports.table import Cells, Row, draw
from samplercheck.reports.text import case_text, cut, frame, printable, row, wrapped
from samplercheck.reports.whereabouts import whereabouts
from samplercheck.words import in_epoch, name_ranks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from samplercheck.record import Fault
    from samplercheck.trace import Trace

__all__ = ["Shown", "shown"]

SCREEN = 80
TRACEBACK_LINES = 8
MOST_TROUBLES = 5
MOST_RANKS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What there is to tell of one case, in lines of a terminal's width; ``scene`` is for pictures."""

    target: str
    facts: tuple[str, ...]
    epochs: tuple[tuple[str, tuple[str, ...]], ...]
    troubles: tuple[tuple[str, ...], ...]
    scene: dict[str, Any]

    @property
    def lines(self) -> list[str]:
        """All of it, as the terminal shows it."""
        lines = [cut(printable(self.target), SCREEN), *self.facts]
        for heading, drawn in self.epochs:
            lines += ["", heading, *(f"    {line}" if line else "" for line in drawn)]
        for trouble in self.troubles:
            lines += ["", *trouble]
        return lines


def shown(target: str, contract: str, trace: Trace, experiment: str, idle: Sequence[str]) -> Shown:
    """Tell of one experiment of a case; ``idle`` are the options that the target does not name."""
    epochs = tuple(_run(trace, experiment) or _epochs(trace, experiment))
    troubles = [*_strangers(trace, experiment), *_faults(trace.faults), *_standstills(trace)]
    if not epochs and not troubles:
        troubles.append(tuple(wrapped(f"nothing was recorded: {_why_not(experiment)}", width=SCREEN)))
    elif not epochs:
        troubles.insert(0, ("nothing was recorded",))
    return Shown(
        target=target,
        facts=tuple(_facts(contract, trace, idle)),
        epochs=epochs,
        troubles=tuple(troubles),
        scene=scene_of_experiment(trace, experiment).to_dict(),
    )


def _why_not(experiment: str) -> str:
    return f"the experiment {experiment!r} has nothing to do with this target in this case"


def _facts(contract: str, trace: Trace, idle: Sequence[str]) -> Iterator[str]:
    yield from wrapped(case_text(trace.case.to_dict()), width=SCREEN)
    if contract != "Contract()":
        yield from wrapped(printable(contract), width=SCREEN)
    if idle:
        yield from wrapped(f"without effect: {', '.join(idle)}, which the target does not name", width=SCREEN)


def _epochs(trace: Trace, experiment: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    taken = [one.epoch for record in trace.of(experiment) for one in record.passes]
    begun = [
        one.begun.epoch for one in trace.faults if one.experiment == experiment and one.begun is not None
    ]
    for number in sorted({*taken, *begun}):
        heading = f"epoch {number}" if experiment == "epochs" else f"epoch {number}, experiment {experiment}"
        drawn, where = epoch_grid(trace, experiment, number), whereabouts(trace, experiment, number)
        yield heading, (*drawn, *([""] if drawn and where else []), *where)


def _run(trace: Trace, experiment: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the passes of one run that was stopped and resumed; nothing where none was."""
    if not any(record.notes.get("trials") for record in trace.of(experiment)):
        return []
    return [
        (
            column.label,
            draw(
                [Row(rank, f"rank {rank}", Cells(one)) for rank, one in enumerate(column.passes)][:MOST_RANKS]
            ),
        )
        for column in told_run(trace, experiment)
    ]


def _strangers(trace: Trace, experiment: str) -> Iterator[tuple[str, ...]]:
    """Say what was yielded that is no index, once for all ranks that yielded the like in an epoch."""
    alike: dict[tuple[int, str], list[int]] = {}
    for rank, record in enumerate(trace.of(experiment)):
        for one in record.passes:
            if one.strange:
                alike.setdefault((one.epoch, one.strange), []).append(rank)
    told = ((ranks, f"{in_epoch(epoch)}: {strange}") for (epoch, strange), ranks in alike.items())
    yield from _first(
        tuple(wrapped(printable(name_ranks(ranks) + what), width=SCREEN, most=4)) for ranks, what in told
    )


def _faults(faults: Sequence[Fault]) -> Iterator[tuple[str, ...]]:
    """Say what kept the ranks from going on, once for all ranks that met the same."""
    alike: dict[tuple[str, tuple[str, ...]], list[int]] = {}
    for fault in faults:
        where = in_epoch(fault.epoch, fault.step)
        what = ": ".join(part for part in (fault.error, fault.message) if part)
        text = f": {fault.kind} in {fault.phase} of experiment {fault.experiment}{where}: {what}"
        alike.setdefault((" ".join(text.split()), fault.traceback), []).append(fault.rank)
    yield from _first(_fault(name_ranks(ranks) + text, frames) for (text, frames), ranks in alike.items())


def _fault(text: str, frames: tuple[str, ...]) -> tuple[str, ...]:
    lines = [line for entry in frames for line in entry.splitlines() if line.strip()]
    told = [f"    {frame(line, SCREEN - 4)}" for line in lines[-TRACEBACK_LINES:]]
    return (*wrapped(printable(text), width=SCREEN, most=4), *told)


def _first(troubles: Iterator[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """Yield the first few troubles and say how many more there are."""
    found = list(troubles)
    yield from found[:MOST_TROUBLES]
    if len(found) > MOST_TROUBLES:
        yield (f"... and {len(found) - MOST_TROUBLES} more like these",)


def _standstills(trace: Trace) -> Iterator[tuple[str, ...]]:
    for label, text in (("deadlock", trace.deadlock), ("not carried", trace.not_carried)):
        if text:
            yield tuple(row(label, printable(text), indent=0, column=13))
