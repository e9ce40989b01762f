"""The form of ``report.json``, format 2, as types: what a reader may rely on, down to the last field.

Read by ``reading``, which refuses what does not fit, and by ``schema``, which publishes it. That the
kit's own reports fit is tested. Imports msgspec, which start-up must not.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from samplercheck.scene import MOST_PASSES, MOST_RANKS, MOST_SAMPLES, MOST_STEPS

__all__ = ["ReportFile"]

MOST = 100_000
"""More of anything is no report; lists within a failure are bounded far lower by who makes them."""

Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Seconds = Annotated[float, Meta(ge=0)]
Chance = Annotated[float, Meta(ge=0, le=1)]
Code = Annotated[str, Meta(pattern=r"^[A-Z]{2,8}[0-9]{3,4}$(?!\n)")]
CaseId = Annotated[str, Meta(pattern=r"^[a-z2-7]{8}$(?!\n)")]
OutcomeWord = Literal["not_applicable", "holds", "unknown", "broken"]
Lines = Annotated[list[str], Meta(max_length=MOST)]
Steps = Annotated[list[list[int]], Meta(max_length=MOST_STEPS)]
Numbers = Annotated[list[float], Meta(max_length=MOST_SAMPLES)]
Cell = Annotated[list[Count], Meta(min_length=3, max_length=3)]


class Part(msgspec.Struct, forbid_unknown_fields=True):
    """An object of the file: it has the fields of its class and no others."""


class CaseData(Part):
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


class ViolationData(Part):
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


class PassData(Part):
    """One pass of all ranks: rank, step, samples."""

    experiment: str
    label: str
    epoch: int | None
    ranks: Annotated[list[Steps], Meta(max_length=MOST_RANKS)]
    stopped: Count | None
    cut: bool
    ended: Annotated[list[str], Meta(max_length=MOST_RANKS)]


class SceneData(Part):
    """What the ranks did in the smallest case, for pictures."""

    length: Count
    world_size: Count
    passes: Annotated[list[PassData], Meta(max_length=MOST_PASSES)]
    marked: Annotated[list[Cell], Meta(max_length=MOST_SAMPLES)]
    observed: Numbers
    expected: Numbers
    token: str = ""


class FailureData(Part):
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
    mend: str
    also: Lines
    grid: Lines
    failing: Count
    tried: Count
    world: str
    violations: Annotated[list[ViolationData], Meta(max_length=MOST)]
    text: str
    scene: SceneData | None = None


class ResultData(Part):
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


class TriedData(Part):
    """One phase of the search."""

    phase: str
    scope: str
    cases: Count
    planned: Count


class SquareData(Part):
    """What became of the small cases of one place on the map."""

    length: Count
    world_size: Count
    batch_size: Count
    shuffle: bool
    drop_last: bool
    tried: Count
    broken: Count


class BaselineData(Part):
    """How the run stands beside known failures: pairs of law and case, and lines for people."""

    known: Annotated[list[Annotated[list[str], Meta(min_length=2, max_length=2)]], Meta(max_length=MOST)]
    stale: Lines
    undecided: Lines


class ReportFile(Part, kw_only=True):
    """The content of report.json: the outcomes of one run of samplercheck for one target."""

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
    map: Annotated[list[SquareData], Meta(max_length=MOST)] = []
    notes: Lines
    results: Annotated[list[ResultData], Meta(max_length=MOST)]
    seconds: Seconds
    baseline: BaselineData | UnsetType = UNSET
