"""Jobs: what a supervised child is asked to do, how that crosses to it, and how answers come back.

The parent packs, the child unpacks. A plan of the command line is plain data; one of ``sc.run`` with
``isolate=True`` is a parcel, with closures and the laws of the user's own.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from samplercheck.engine.plan import Plan
from samplercheck.values import errors
from samplercheck.values.errors import SamplerCheckError

if TYPE_CHECKING:
    from samplercheck.laws.law import Law
    from samplercheck.values.trace import Trace

Plain = dict[str, Any]
PackedPlan = Plain | str

OWN_LAWS = "own laws"
WORDS = ("consequence", "fault", "reads", "applies", "sees", "advice", "why", "fix", "intended")


class SearchJob(msgspec.Struct, frozen=True, kw_only=True):
    """Do something with plans, again where a child ends; ``known`` are the cases that are not run again.

    Unless one ``screens``, the experiments are run one by one: which of them ends a child is seen then.
    """

    plans: tuple[PackedPlan, ...]
    known: tuple[Plain, ...] = ()
    most_known: int | None = None
    screens: bool = True

    def plan_with(self, token: str) -> PackedPlan:
        """Return the plan that names a case, or else the first."""
        named = (plan for plan in self.plans if isinstance(plan, dict) and token in plan["cases"])
        return next(named, self.plans[0])


class RunJob(SearchJob, frozen=True, tag=True):
    """Carry out the plans, one after the other."""


class ExamineJob(SearchJob, frozen=True, kw_only=True, tag=True):
    """Return all that a certificate says of the target of the one plan."""

    allow_dirty: bool


class DraftJob(SearchJob, frozen=True, kw_only=True, tag=True):
    """Write the wrappers that may help the target of the one plan, of what causes of its failures name."""

    remedies: tuple[str, ...]


class LookJob(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Run one case that has ended its process before, and write down each step."""

    plan: PackedPlan
    case: str
    experiments: tuple[str, ...]


Job = RunJob | ExamineJob | DraftJob | LookJob
"""What crosses to the child, as JSON."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What became of one plan: its report and the digests of the target's source, or an error.

    ``source`` is that of the target's own file, ``code`` of all that it imports in its project as well.
    """

    report: Plain = field(default_factory=dict)
    source: str = ""
    code: str = ""
    error: SamplerCheckError | None = None

    def to_dict(self) -> Plain:
        """Return plain JSON data; of an error its public class and its text."""
        error = None if self.error is None else [public_name(self.error), str(self.error)]
        return {**vars(self), "error": error}

    @classmethod
    def from_dict(cls, data: Plain) -> Answer:
        """Return the answer that plain data describes."""
        error = None if data["error"] is None else error_from(*data["error"])
        return cls(**{**data, "error": error})


def public_name(error: SamplerCheckError) -> str:
    """Return the nearest class of an error that the parent knows."""
    return next(kind.__name__ for kind in type(error).__mro__ if hasattr(errors, kind.__name__))


def error_from(name: str, text: str) -> SamplerCheckError:
    """Return an error of another process."""
    error: SamplerCheckError = getattr(errors, name, SamplerCheckError)(text)
    return error


def pack_plan(plan: Plan) -> PackedPlan:
    """Return a plan as data that travels: plain where text names all of it, else a parcel."""
    if plan.changes and isinstance(plan.target, str):
        return plan.to_dict()
    from samplercheck.laws.own import own_laws
    from samplercheck.targets.parcel import seal

    if not isinstance(plan.target, str):  # its name must be that of its own process
        plan = plan.resolve()
    return base64.b64encode(seal(plan.name, {**vars(plan), OWN_LAWS: own_laws()})).decode()


def unpack_plan(packed: PackedPlan) -> Plan:
    """Return a plan that has travelled; a parcel imports the modules of what it holds."""
    if isinstance(packed, dict):
        return Plan.from_dict(packed)
    from samplercheck.targets.parcel import open_parcel

    things = open_parcel(base64.b64decode(packed))
    _register(things.pop(OWN_LAWS))
    return Plan(**things)


def _register(laws: tuple[Law, ...]) -> None:
    """Register the laws of the user's own that no module has registered by being imported here."""
    from samplercheck.laws.own import law, own_laws

    there = {known.code for known in own_laws()}
    for missing in laws:
        if missing.code not in there:
            words = {name: getattr(missing, name) for name in WORDS}
            law(missing.code, missing.name, missing.statement, **words)(missing.judge)


def law_of(result: Plain) -> Law:
    """Return the law of a result; one that only the child knows is rebuilt without its judge."""
    from samplercheck.laws.law import Law
    from samplercheck.laws.selection import find_law
    from samplercheck.values.errors import LawError

    try:
        return find_law(result["code"])
    except LawError:
        words = {name: result[name] for name in ("code", "name", "statement", "consequence")}
        return Law(**words, fault=result.get("fault", ""), judge=_judge_elsewhere)


def _judge_elsewhere(_: Trace) -> NoReturn:
    """Refuse to judge: the law's function has stayed in another process."""
    raise SamplerCheckError(
        "This law is known only to the process that the report comes from: import its module here, too."
    )
