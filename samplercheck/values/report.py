"""Report: the outcomes of all laws for one target, what was tried and not, and the contract it seems to keep.

Made by the engine, read by users and rendered by ``reports``. Imports the values below it alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from samplercheck.values import report_form as form
from samplercheck.values.errors import LawBroken, StoreError
from samplercheck.values.finding import Outcome, worst
from samplercheck.values.law_result import LawResult
from samplercheck.values.scope_map import ScopeCell
from samplercheck.values.shard import Shard
from samplercheck.values.wording import join_words, pluralise

if TYPE_CHECKING:
    from samplercheck.laws.law import Law

SENTENCE = "Seems to {signs}: with --contract {words} {rest} (in {cases})."
ALL = "all hold"
REST = "all but {codes} hold"
HIDES = " It hides {codes}, broken for another reason, too: fix that first."


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Fields of a contract, and what the target was seen to do that speaks for them.

    Under it the laws ``settled`` are broken no more, and those ``left`` still are, or only now. Of the
    settled ones those ``doubted`` lose or repeat data, or let ranks wait: the contract allows it, and a bug
    may have written it. Those that it ``hides`` are left: it does not ask for them, and they are broken for
    another reason, too. Of those that break only now, or otherwise now, ``found`` says what was seen,
    ``often`` in how many cases, ``faults`` what is wrong and ``harms`` what it does to training where the law
    says otherwise, ``lines`` from which line of the target it comes, and ``hints`` where to look; what
    ``follows`` from another law that is left failed with it alone. It was judged by so many ``cases``.
    """

    contract: Mapping[str, Any]
    signs: tuple[str, ...]
    settled: tuple[str, ...]
    left: tuple[str, ...] = ()
    doubted: tuple[str, ...] = ()
    hides: tuple[str, ...] = ()
    cases: int = 0
    found: Mapping[str, str] = field(default_factory=dict)
    hints: Mapping[str, str] = field(default_factory=dict)
    often: Mapping[str, str] = field(default_factory=dict)
    faults: Mapping[str, str] = field(default_factory=dict)
    harms: Mapping[str, str] = field(default_factory=dict)
    lines: Mapping[str, str] = field(default_factory=dict)
    follows: Mapping[str, str] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """The contract as ``--contract`` takes it."""
        return as_option(self.contract)

    @property
    def text(self) -> str:
        """All of it as one or two sentences."""
        rest = REST.format(codes=join_words(self.left)) if self.left else ALL
        cases = pluralise(self.cases, "case")
        said = SENTENCE.format(signs=join_words(self.signs), words=self.words, rest=rest, cases=cases)
        said += HIDES.format(codes=join_words(self.hides)) if self.hides else ""
        return f"{said} {say_doubt(self.doubted)}" if self.doubted else said


def say_doubt(codes: Sequence[str]) -> str:
    """Say that broken laws are the bug where the contract that would excuse them is not meant."""
    return f"If not meant, {join_words(codes)} {'is' if len(codes) == 1 else 'are'} the bug."


def as_option(fields: Mapping[str, Any]) -> str:
    """Return fields of a contract as ``--contract`` takes them."""
    words = {name: str(value).lower() if isinstance(value, bool) else value for name, value in fields.items()}
    return ",".join(f"{name}={value}" for name, value in words.items())


__all__ = ["LawResult", "Report", "Timing", "Tried"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What one phase of the search did: which scope, how many cases, how many were left out.

    ``judged`` counts by law the cases in which it had something to look at; a report's file leaves it out.
    """

    phase: str
    scope: str
    cases: int
    planned: int
    seconds: float = field(default=0.0, compare=False)
    judged: Mapping[str, int] = field(default_factory=dict, compare=False)

    @property
    def is_complete(self) -> bool:
        """Whether nothing of the phase was cut."""
        return self.cases >= self.planned


class Timing(NamedTuple):
    """What one phase took by the clock, or one experiment or law in processor time; ``calls`` counts it.

    ``kind`` is "phase", whose calls are cases, "experiment", whose calls are ranks, or "law".
    """

    kind: str
    name: str
    seconds: float
    calls: int


@dataclass(frozen=True, kw_only=True, repr=False)
class Report:
    """The outcomes of one run of the target defined in the line ``where``; its text is what a terminal shows.

    Same target, profile, seed and versions give the same report but for ``seconds``. ``proposal`` is the
    contract that the target seems to keep where it breaks its own. ``timings`` are measured where asked for.
    ``shard`` says of which part of the cases it is; None of all. ``documentation`` is the address of the site
    that has a page for each law.
    """

    target: str
    contract: str
    kind: str
    profile: str
    seed: int
    results: tuple[LawResult, ...]
    tried: tuple[Tried, ...] = ()
    not_tried: tuple[str, ...] = ()
    map: tuple[ScopeCell, ...] = ()
    notes: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)
    interrupted: bool = False
    false_alarm_bound: float = 1e-6
    seconds: float = field(default=0.0, compare=False)
    proposal: Proposal | None = None
    where: str = ""
    timings: tuple[Timing, ...] = field(default=(), compare=False)
    shard: Shard | None = None
    documentation: str = ""

    @property
    def outcome(self) -> Outcome:
        """The worst outcome of any law."""
        return worst(result.outcome for result in self.results)

    @property
    def ok(self) -> bool:
        """Whether nothing is broken and nothing required is unknown."""
        return self.outcome is Outcome.HOLDS and not self.interrupted

    @property
    def failures(self) -> tuple[LawResult, ...]:
        """The results of the broken laws."""
        return tuple(result for result in self.results if result.outcome is Outcome.BROKEN)

    def raise_for_failures(self) -> None:
        """Raise ``LawBroken`` with the verdict and the failure blocks when a law is broken."""
        __tracebackhide__ = True  # pytest shows the line that has asked
        if self.failures:
            raise LawBroken(f"\n{self}")

    def count(self, outcome: Outcome) -> int:
        """Return the number of laws with this outcome, skipped ones left out."""
        return sum(result.outcome is outcome and not result.skipped for result in self.results)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data, the content of ``report.json``."""
        return form.write(
            form.ReportData,
            self,
            format=form.FORMAT,
            outcome=self.outcome.value,
            versions=dict(sorted(self.versions.items())),
            tried=[form.write(form.TriedData, phase) for phase in self.tried],
            map=[form.write(form.ScopeCellData, square) for square in self.map],
            results=[result.to_dict() for result in self.results],
            seconds=round(self.seconds, 3),
            proposal=self.proposal and form.write(form.ProposalData, self.proposal),
            timings=[form.write(form.TimingData, one) for one in self.timings],
            shard=self.shard and self.shard.to_dict(),
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any], law_of: Callable[[dict[str, Any]], Law]) -> Report:
        """Return the report that ``data`` describes, as ``to_dict`` does; ``law_of`` finds its laws."""
        if data["format"] != form.FORMAT:
            raise StoreError(
                f"Report format {data['format']!r} is not {form.FORMAT}: use the version that wrote it."
            )
        proposed = data.get("proposal")
        return form.read(
            form.ReportData,
            cls,
            data,
            results=tuple(LawResult.from_dict(result, law_of) for result in data["results"]),
            tried=tuple(form.read(form.TriedData, Tried, phase) for phase in data["tried"]),
            # Format 1 had no map.
            map=tuple(form.read(form.ScopeCellData, ScopeCell, cell) for cell in data.get("map", ())),
            versions=dict(data["versions"]),
            proposal=form.read(form.ProposalData, Proposal, proposed) if proposed else None,
            timings=tuple(Timing(**one) for one in data.get("timings", ())),
            shard=Shard.from_dict(data["shard"]) if data.get("shard") else None,
        )

    def save(self, directory: str | Path) -> Path:
        """Write ``report.json`` into ``directory``, atomically, and return its path."""
        from samplercheck.storage.report_file import save

        return save(self.to_dict(), directory)

    def __repr__(self) -> str:
        """Return the target and the verdict; the whole report is ``to_dict()``."""
        broken = ", ".join(result.code for result in self.failures)
        return f"<Report of {self.target}: {self.outcome.value}{f' ({broken})' if broken else ''}>"

    def __str__(self) -> str:
        """Return the verdict in at most seven lines, then what is broken and what was tried, in short."""
        from samplercheck.reports import as_text

        return as_text(self.to_dict())

    def _repr_html_(self) -> str:
        """Return what a notebook shows of it."""
        from samplercheck.reports import as_html

        return as_html(self.to_dict())
