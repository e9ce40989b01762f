"""The form of ``report.json``, format 2, as types: what a reader may rely on, down to the last field.

By these fields ``Report`` and ``Scene`` write their data and read it again (``write``, ``read``);
``report_file.reading`` refuses what does not fit, and ``.ci/schemas`` publishes them. Where a value calls a
field by another name than the file, the field says so: ``msgspec.field(name=...)``. Imports msgspec.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

FORMAT = 2
MOST_RANKS = 16
MOST_STEPS = 64
MOST_PASSES = 8
MOST_SAMPLES = 2000
MOST = 100_000
"""More of anything is no report; lists within a failure are bounded far lower by who makes them."""

Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Seconds = Annotated[float, Meta(ge=0)]
Chance = Annotated[float, Meta(ge=0, le=1)]
Value = TypeVar("Value")
# "$" alone lets a line break follow, and JSON Schema, which the forms are published in, knows no "\Z".
Code = Annotated[str, Meta(pattern=r"^[A-Z]{2,8}[0-9]{3,4}$(?!\n)")]
CaseId = Annotated[str, Meta(pattern=r"^[a-z2-7]{8}$(?!\n)")]
GradeWord = Literal["harm", "strict"]
OutcomeWord = Literal["not_applicable", "holds", "unknown", "broken"]
Lines = Annotated[list[str], Meta(max_length=MOST)]
Steps = Annotated[list[list[int]], Meta(max_length=MOST_STEPS)]
Numbers = Annotated[list[float], Meta(max_length=MOST_SAMPLES)]
Cell = Annotated[list[Count], Meta(min_length=3, max_length=3)]


class ReportPart(msgspec.Struct, forbid_unknown_fields=True):
    """An object of the file: it has the fields of its class and no others."""


class CaseData(ReportPart):
    """One configuration, as ``Case.to_dict`` writes it."""

    format: Literal[1]
    length: Count
    world_size: Count
    batch_size: Count
    shuffle: bool
    drop_last: bool
    seed: Count
    epochs: Count
    stop: Count | None
    workers: Count
    resume_world_size: Count | None
    features: dict[str, list[int | float]]
    options: dict[str, bool | int | float | str | None]


class ViolationData(ReportPart):
    """One place where a law is broken, and what was seen there."""

    found: str
    rank: int | None
    epoch: int | None
    step: int | None
    indices: Annotated[list[int], Meta(max_length=MOST)]
    hint: str
    consequence: str
    chance: Chance
    advice: bool
    experiment: str
    detail: str
    grade: GradeWord = "harm"


class PassData(ReportPart):
    """One pass of all ranks: rank, step, samples."""

    experiment: str
    label: str
    epoch: int | None
    ranks: Annotated[list[Steps], Meta(max_length=MOST_RANKS)]
    stopped: Count | None
    cut: bool
    ended: Annotated[list[str], Meta(max_length=MOST_RANKS)]


class SceneData(ReportPart):
    """What the ranks did in the smallest case, for pictures."""

    length: Count
    world_size: Count
    passes: Annotated[list[PassData], Meta(max_length=MOST_PASSES)]
    marked: Annotated[list[Cell], Meta(max_length=MOST_SAMPLES)]
    observed: Numbers
    expected: Numbers
    token: str = ""


class FailureData(ReportPart):
    """A broken law's smallest case and the words that describe it."""

    case: CaseData
    id: CaseId
    token: str
    realistic_case: CaseData | None
    message: str
    hint: str
    region: str
    cause: str
    evidence: str
    fix: str = msgspec.field(name="mend")
    also: Lines
    grid: Lines
    failing: Count
    tried: Count
    world: str
    violations: Annotated[list[ViolationData], Meta(max_length=MOST)]
    text: str
    scene: SceneData | None = None
    follows: str = ""
    again: Lines = []
    shown: ViolationData | None = None
    remedies: Lines = []
    line: str = ""
    usual: str = ""


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


class TimingData(ReportPart):
    """What a phase took by the clock, or an experiment or a law in processor time."""

    kind: Literal["phase", "experiment", "law"]
    name: str
    seconds: Seconds
    calls: Count


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
