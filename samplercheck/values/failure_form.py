"""The form of one failure in ``report.json``, as types: its case, what was seen there, what is drawn.

A part of ``report_form``, which says how these are written and read. Imports msgspec
and cases.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from samplercheck.values.case import ID
from samplercheck.values.finding import Grade

MOST_RANKS = 16
MOST_STEPS = 64
MOST_PASSES = 8
MOST_SAMPLES = 2000
MOST = 100_000
"""More of anything is no report; lists within a failure are bounded far lower by who makes them."""

Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Chance = Annotated[float, Meta(ge=0, le=1)]
# "$" alone lets a line break follow, and JSON Schema, which the forms are published in, knows no "\Z".
Code = Annotated[str, Meta(pattern=r"^[A-Z]{2,8}[0-9]{3,4}$(?!\n)")]
CaseId = Annotated[str, Meta(pattern=rf"^{ID}$(?!\n)")]
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
    features: dict[str, list[int | float | str]]
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
    grade: Grade = "harm"
    fault: str = ""
    event: str = ""


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
    meant: str = ""
    inside: Count = 0
    alike: Count = 0
    workers: Count = 0
    other: str = ""
    longest: Count = 0
    larger: Count = 0
    larger_tried: Count = 0
    divided: Count = 0
