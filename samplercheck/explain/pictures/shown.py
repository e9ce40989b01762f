"""One case as ``samplercheck show`` presents it: what was run, who got which sample, and what went wrong.

Called by the command line, which prints it or has it made a page. Pure: reads the trace and says what is
there, not what is right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from samplercheck.explain.pictures.table import Cells, Row, cells_of, draw, epoch_grid
from samplercheck.explain.scenes import scene_of_experiment
from samplercheck.explain.scenes.columns import pass_name, runs_of
from samplercheck.explain.scenes.trials import find_run, trials_of
from samplercheck.targets.features import feature
from samplercheck.values.choices import FEATURES
from samplercheck.values.layout import case_text, cut, last_frames, printable, row, wrap
from samplercheck.values.record import Fault
from samplercheck.values.scene import Scene
from samplercheck.values.trace import Epoch, Trace
from samplercheck.values.wording import brief, in_epoch, name_ranks

SCREEN = 80
TRACEBACK_LINES = 8
MOST_TROUBLES = 5
MOST_RANKS = 8
MOST_VALUES = 12
NOT_SHUFFLED = "not shuffled: built with shuffle=False; --shuffle draws the shuffled order"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What there is to say of one case, in lines of a terminal's width; ``scene`` is for pictures."""

    target: str
    facts: tuple[str, ...]
    epochs: tuple[tuple[str, tuple[str, ...]], ...]
    troubles: tuple[tuple[str, ...], ...]
    scene: Scene

    @property
    def lines(self) -> list[str]:
        """All of it, as the terminal shows it."""
        lines = [cut(printable(self.target), SCREEN), *self.facts]
        for heading, drawn in self.epochs:
            lines += ["", heading, *(f"    {line}" if line else "" for line in drawn)]
        for trouble in self.troubles:
            lines += ["", *trouble]
        return lines


def show_case(target: str, contract: str, trace: Trace, experiment: str, idle: Sequence[str]) -> Shown:
    """Return what one experiment of a case did; ``idle`` are the options that the target does not name."""
    epochs = tuple(_run(trace, experiment) or _epochs(trace, experiment))
    troubles = [*_strangers(trace, experiment), *_faults(trace.faults), *_deadlocks(trace)]
    if not epochs:
        why = f": the experiment {experiment!r} has nothing to do with this target in this case"
        words = f"nothing was recorded{'' if troubles else why}"
        troubles.insert(0, tuple(wrap(words, width=SCREEN)))
    return Shown(
        target=target,
        facts=tuple(_facts(contract, trace, idle)),
        epochs=epochs,
        troubles=tuple(troubles),
        scene=scene_of_experiment(trace, experiment),
    )


def _facts(contract: str, trace: Trace, idle: Sequence[str]) -> Iterator[str]:
    yield from wrap(case_text(trace.case.to_dict()), width=SCREEN)
    yield from wrap(_made_for_it(trace), width=SCREEN)
    if "shuffle" in trace.named and not trace.case.shuffle:
        yield NOT_SHUFFLED
    if contract != "Contract()":
        yield from wrap(printable(contract), width=SCREEN)
    if idle:
        yield from wrap(f"without effect: {', '.join(idle)}, which the target does not name", width=SCREEN)


def _made_for_it(trace: Trace) -> str:
    """Say which features were made for the target that the case does not say."""
    given = dict(trace.case.features)
    made = [name for name in FEATURES if name in trace.named and name not in given and trace.case.length]
    parts = [f"{name} {_list_values(feature(trace.case, name))}" for name in made]
    return f"with {', '.join(parts)}" if parts else ""


def _list_values(values: Sequence[float]) -> str:
    more = f" ... ({len(values)} in all)" if len(values) > MOST_VALUES else ""
    return f"[{' '.join(map(str, values[:MOST_VALUES]))}{more}]"


def _epochs(trace: Trace, experiment: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    seen: dict[tuple[str, ...], int] = {}
    for number in sorted({one.epoch for run in runs_of(trace, experiment) for one in run.passes}):
        heading = f"epoch {number}" if experiment == "epochs" else f"epoch {number}, experiment {experiment}"
        drawn, where = epoch_grid(trace, experiment, number), whereabouts(trace, experiment, number)
        lines = (*drawn, *([""] if drawn and where else []), *where)
        first = seen.setdefault(lines, number)
        yield heading, lines if first == number or not lines else (f"the same as epoch {first}",)


def _run(trace: Trace, experiment: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the passes of one run that was stopped and resumed; nothing where none was."""
    if not any(map(trials_of, trace.of(experiment))):
        return []
    shown = []
    for column in find_run(trace, None, experiment):
        rows = [Row(f"rank {rank}", cells_of(one)) for rank, one in enumerate(column.passes[:MOST_RANKS])]
        shown.append((column.label, draw(rows)))
    return shown


def whereabouts(trace: Trace, experiment: str, number: int) -> tuple[str, ...]:
    """Return for one epoch: sample by sample the ranks that got it, then what is missing or doubled."""
    lines: list[str] = []
    mine = [epoch for epoch in trace.epochs_of(experiment) if epoch.number == number and trace.case.length]
    several = len({epoch.ranks for epoch in mine}) < len(mine)
    for epoch in mine:
        if several:
            record = trace.of(experiment)[epoch.ranks[0]]
            place = next(at for at, one in enumerate(record.passes) if one is epoch.passes[0])
            lines.append(f"{pass_name(record, place)}:")
        label = "rank" if len(epoch.ranks) > 1 else f"rank {epoch.ranks[0]}"
        lines += draw([Row(label, _owners(epoch))], title="sample")
        lines.append(_counts(epoch))
    return tuple(lines)


def _owners(epoch: Epoch) -> Cells:
    """Return for each sample the ranks that got it, as often as they did, or how often the only rank did."""

    @cache
    def at(sample: int) -> str:
        times = [int((one.indices == sample).sum()) for one in epoch.passes]
        if len(times) == 1:
            return f"{times[0]}x"
        owners = zip(epoch.ranks, times, strict=True)
        return ",".join(str(rank) for rank, often in owners for _ in range(often)) or "-"

    return Cells(epoch.length, at)


def _counts(epoch: Epoch) -> str:
    """Say which samples are missing and which came more than once."""
    counts = epoch.counts
    missing, doubled = (counts == 0).nonzero()[0].tolist(), (counts > 1).nonzero()[0].tolist()
    parts = [f"missing: {brief(missing)}"] if missing else []
    parts += [f"more than once: {brief(doubled)}"] if doubled else []
    parts += [] if epoch.is_in_range else ["some indices are not in the dataset"]
    return "; ".join(parts) or "every sample once"


def _strangers(trace: Trace, experiment: str) -> Iterator[tuple[str, ...]]:
    """Say what was yielded that is no index, once for all ranks that yielded the like in an epoch."""
    alike: dict[str, list[int]] = {}
    for rank, record in enumerate(trace.of(experiment)):
        for one in record.passes:
            if one.strange:
                alike.setdefault(f"{in_epoch(one.epoch)}: {one.strange}", []).append(rank)
    yield from _first(
        wrap(printable(name_ranks(ranks) + what), width=SCREEN, most=4) for what, ranks in alike.items()
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


def _fault(text: str, frames: tuple[str, ...]) -> list[str]:
    last = last_frames("\n".join(frames), TRACEBACK_LINES, SCREEN)
    return [*wrap(printable(text), width=SCREEN, most=4), *last]


def _first(troubles: Iterable[list[str]]) -> Iterator[tuple[str, ...]]:
    """Yield the first few troubles and say how many more there are."""
    found = list(map(tuple, troubles))
    yield from found[:MOST_TROUBLES]
    if len(found) > MOST_TROUBLES:
        yield (f"... and {len(found) - MOST_TROUBLES} more like these",)


def _deadlocks(trace: Trace) -> Iterator[tuple[str, ...]]:
    for label, text in (("deadlock", trace.deadlock), ("not carried", trace.not_carried)):
        if text:
            yield tuple(row(label, printable(text), indent=0, column=13))
