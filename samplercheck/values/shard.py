"""Shard: a part of the cases of a run, the same on every machine, so that several machines share them.

Read by the search, which tries the cases of its shard alone, and by what joins the reports of shards. Which
shard this machine has may stand in the variables of what started it. Standard library alone.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from samplercheck.values.errors import UsageError
from samplercheck.values.wording import pluralise

if TYPE_CHECKING:
    from samplercheck.values.case import Case

MOST = 100_000
HOW = 'write --shard 2/4 for the second of four, or "auto" where a job array says which one this is'
_TEXT = re.compile(r"(?:(\d{1,6})|(auto))/(\d{1,6})|auto")


class _Variables(NamedTuple):
    """The variables by which something that starts many jobs tells each which one it is.

    ``first`` is the number of the first job, or the variable that says it; by ``step`` they grow.
    """

    number: str
    total: str
    first: int | str
    step: str = ""


SOURCES = (
    _Variables(*(f"SLURM_ARRAY_TASK_{name}" for name in ("ID", "COUNT", "MIN", "STEP"))),
    _Variables("JOB_COMPLETION_INDEX", "", 0),
    _Variables("CI_NODE_INDEX", "CI_NODE_TOTAL", 1),
    _Variables("CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0),
    _Variables("BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", 0),
    _Variables("SYSTEM_JOBPOSITIONINPHASE", "SYSTEM_TOTALJOBSINPHASE", 1),
)
"""Of Slurm's arrays, Kubernetes' indexed jobs (which do not say of how many), GitLab, CircleCI, Buildkite and
Azure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """Some of ``of`` parts, counted from 1; a run has one, joined reports have several."""

    of: int
    parts: tuple[int, ...]

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing."""
        return len(self.parts) == self.of

    @property
    def missing(self) -> tuple[int, ...]:
        """The parts that are somewhere else."""
        return tuple(part for part in range(1, self.of + 1) if part not in self.parts)

    @property
    def text(self) -> str:
        """What it is called: "shard 2/4", "shards 1, 3 of 4"."""
        if len(self.parts) == 1:
            return f"shard {self.parts[0]}/{self.of}"
        return f"shards {', '.join(map(str, self.parts))} of {self.of}"

    def has(self, case: Case) -> bool:
        """Whether a case is among those of this part: that depends on the case alone."""
        if self.is_whole:
            return True
        digest = hashlib.sha256(case.canonical_json().encode()).digest()
        return int.from_bytes(digest[:8], "big") % self.of + 1 in self.parts

    def select(self, cases: Iterable[Case]) -> list[Case]:
        """Return the cases of this part in their order."""
        return [case for case in cases if self.has(case)]

    def describe(self, scope: str) -> str:
        """Say of which scope this is a part."""
        return scope if self.is_whole else f"{self.text} of: {scope}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data, the inverse of ``from_dict``."""
        return {"of": self.of, "parts": list(self.parts)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Shard:
        """Return the shard that plain data describes."""
        return cls(of=data["of"], parts=tuple(data["parts"]))


WHOLE = Shard(of=1, parts=(1,))


def is_shard(text: str) -> bool:
    """Whether a text has the form of a shard's name."""
    return _TEXT.fullmatch(text.strip()) is not None


def parse_shard(text: str, variables: Mapping[str, str]) -> Shard:
    """Return the shard that a text names: "2/4", "auto", or "auto/4" where variables say which one alone."""
    match = _TEXT.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"Shard {text!r} is none: {HOW}.")
    number, auto, count = match.groups()
    if number is not None:
        return _checked(int(number), int(count), f"Shard {text!r}")
    return _from_surroundings(variables, int(count) if auto else None)


def _from_surroundings(variables: Mapping[str, str], count: int | None) -> Shard:
    """Return the shard that the variables of a job array say."""
    there = [source for source in SOURCES if variables.get(source.number)]
    found = {source.number: _read(source, variables, count) for source in there}
    if not found:
        names = ", ".join(source.number for source in SOURCES)
        raise UsageError(f"--shard auto finds no number of a job: none of {names} is set. Else {HOW}.")
    if len(set(found.values())) > 1:
        told = " and ".join(f"{name} says {shard.text}" for name, shard in found.items())
        raise UsageError(f"--shard auto is ambiguous: {told}. Else {HOW}.")
    return next(iter(found.values()))


def _read(source: _Variables, variables: Mapping[str, str], count: int | None) -> Shard:
    """Return what the variables of one source say."""
    many = count if count is not None else _number(source.total, variables) if source.total else None
    if many is None:
        raise UsageError(
            f"{source.number} says which job this is, nothing says of how many: write --shard auto/4."
        )
    first = source.first if isinstance(source.first, int) else _number(source.first, variables)
    step = _number(source.step, variables) if variables.get(source.step) else 1
    place, rest = divmod(_number(source.number, variables) - first, max(1, step))
    if rest:
        raise UsageError(
            f"{source.number}={variables[source.number]} is no step of {step} from {first}: number "
            f"the jobs so, or {HOW}."
        )
    return _checked(place + 1, many, f"{source.number}={variables[source.number]}")


def _number(name: str, variables: Mapping[str, str]) -> int:
    text = variables.get(name, "")
    if not text.strip().isdecimal():
        raise UsageError(f"{name}={text!r} is no number, and --shard auto needs it: {HOW}.")
    return int(text)


def _checked(part: int, of: int, what: str) -> Shard:
    if not 1 <= of <= MOST:
        raise UsageError(f"{what} is none of 1 to {MOST:,} shards: {HOW}.")
    if not 1 <= part <= of:
        raise UsageError(
            f"{what} would be shard {part} of {of}: they are counted from 1 to {of}, without a gap; {HOW}."
        )
    return Shard(of=of, parts=(part,))


def describe_missing(shard: Shard) -> str:
    """Say which parts are missing."""
    missing = shard.missing
    named = ", ".join(map(str, missing))
    return f"{pluralise(len(missing), 'shard')} of {shard.of} missing ({named}): not all cases were looked at"
