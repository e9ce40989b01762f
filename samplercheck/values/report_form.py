"""The form of ``report.json``, format 2, as types: what a reader may rely on, down to the last field.

By these fields ``Report`` and ``Scene`` write their data and read it again (``write``, ``read``);
``storage.report_reading`` refuses what does not fit, and ``.ci/schemas`` publishes them. Where a value
calls a field by another name than the file, the field says so: ``msgspec.field(name=...)``. Imports msgspec.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any, Literal, TypeVar

from msgspec import UNSET, Meta, UnsetType

from samplercheck.values.failure_form import (
    MOST,
    Chance,
    Code,
    Count,
    FailureData,
    Lines,
    ReportPart,
    ViolationData,
)
from samplercheck.values.site import LONGEST, PATTERN

FORMAT = 2
Seconds = Annotated[float, Meta(ge=0)]
Site = Annotated[str, Meta(pattern=PATTERN, max_length=LONGEST)]
Value = TypeVar("Value")
OutcomeWord = Literal["not_applicable", "holds", "unknown", "broken"]


class TallyData(ReportPart):
    """In how many cases of a shard a law was judged, or was not and why: what other shards are added to."""

    judged: Count
    tried: Count
    wide: Count
    wide_unjudged: Count
    reasons: dict[str, Count]
    unjudged: dict[str, Count]
    blockers: Lines
    cut: str
    on_sight: bool
    in_small_scope: bool


class ResultData(ReportPart):
    """What the run says of one law."""

    code: Code
    name: str
    statement: str
    consequence: str
    outcome: OutcomeWord
    reason: str
    skipped: str
    judged: Count
    broken: Count
    advice: ViolationData | None
    failure: FailureData | None
    advised: FailureData | None = None
    unjudged: Count = 0
    fault: str = ""
    event: str = ""
    tally: TallyData | None = None


class TriedData(ReportPart):
    """One phase of the search."""

    phase: str
    scope: str
    cases: Count
    planned: Count


class ScopeCellData(ReportPart):
    """What became of the small cases of one place on the map."""

    length: Count
    world_size: Count
    batch_size: Count
    shuffle: bool
    drop_last: bool
    tried: Count
    broken: Count
    laws: dict[Code, Count] = {}


class BaselineData(ReportPart):
    """How the run stands beside known failures: pairs of law and case, and lines for people."""

    known: Annotated[list[Annotated[list[str], Meta(min_length=2, max_length=2)]], Meta(max_length=MOST)]
    stale: Lines
    undecided: Lines


class ProposalData(ReportPart):
    """The contract that the target seems to keep: what it was seen to do, and which laws it settles."""

    contract: dict[str, bool | int | str]
    signs: Lines
    settled: Lines
    left: Lines
    doubted: Lines
    cases: Count
    words: str
    text: str
    found: dict[str, str] = {}
    hints: dict[str, str] = {}
    often: dict[str, str] = {}
    faults: dict[str, str] = {}
    harms: dict[str, str] = {}
    lines: dict[str, str] = {}
    follows: dict[str, str] = {}
    hides: Lines = []


class TimingData(ReportPart):
    """What a phase took by the clock, or an experiment or a law in processor time."""

    kind: Literal["phase", "experiment", "law"]
    name: str
    seconds: Seconds
    calls: Count


class ShardData(ReportPart):
    """Which parts of the cases a report is about, counted from 1, of how many."""

    of: Annotated[int, Meta(ge=1)]
    parts: Annotated[list[Annotated[int, Meta(ge=1)]], Meta(min_length=1, max_length=MOST)]


class ReportData(ReportPart, kw_only=True):
    """The outcomes of one run of samplercheck for one target."""

    format: Literal[2]
    target: str
    contract: str
    kind: str
    profile: str
    seed: int
    outcome: OutcomeWord
    ok: bool
    interrupted: bool
    false_alarm_bound: Chance
    versions: Annotated[dict[str, str], Meta(max_length=1_000)]
    tried: Annotated[list[TriedData], Meta(max_length=MOST)]
    not_tried: Lines
    map: Annotated[list[ScopeCellData], Meta(max_length=MOST)] = []
    notes: Lines
    results: Annotated[list[ResultData], Meta(max_length=MOST)]
    seconds: Seconds
    proposal: ProposalData | None = None
    where: str = ""
    timings: Annotated[list[TimingData], Meta(max_length=MOST)] = []
    shard: ShardData | None = None
    documentation: Site = ""


class ReportFile(ReportData, kw_only=True):
    """The content of report.json: the outcomes of one run of samplercheck for one target."""

    baseline: BaselineData | UnsetType = UNSET


def write(form: type[ReportPart], value: object, **given: Any) -> dict[str, Any]:
    """Return a value as plain JSON data: the fields of a form, its attributes where they are not given."""
    return {
        key: _as_lists(given[name] if name in given else getattr(value, name)) for key, name in _fields(form)
    }


def read(form: type[ReportPart], kind: type[Value], data: dict[str, Any], **given: Any) -> Value:
    """Return the value that ``data`` describes, the inverse of ``write``; what it lacks has its default."""
    wanted = {field.name for field in fields(kind)} - given.keys()  # type: ignore[arg-type]
    found = {name: _as_tuples(data[key]) for key, name in _fields(form) if name in wanted and key in data}
    return kind(**found, **given)


def _fields(form: type[ReportPart]) -> zip[tuple[str, str]]:
    """Return the fields of a form: how the file calls each, and how values do."""
    return zip(form.__struct_encode_fields__, form.__struct_fields__, strict=True)


def _as_lists(value: Any) -> Any:
    return list(map(_as_lists, value)) if isinstance(value, (list, tuple)) else value


def _as_tuples(value: Any) -> Any:
    return tuple(map(_as_tuples, value)) if isinstance(value, (list, tuple)) else value
