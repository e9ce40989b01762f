"""How a call of ``run`` crosses to the child: as a request in words, or as a parcel.

The parent packs, the child unpacks. ``RunRequest`` is what the command line sends; ``sc.run`` with
``isolate=True`` sends whatever it was given.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, NoReturn

from samplercheck.errors import SamplerCheckError
from samplercheck.supervision.request import RunRequest, target_of

if TYPE_CHECKING:
    from samplercheck.laws.law import Law
    from samplercheck.trace import Trace
    from samplercheck.worlds._known import KnownFaults

__all__ = ["arguments_of", "known_faults", "law_of", "packed"]

OWN_LAWS = "own laws"
WORDS = ("consequence", "reads", "applies", "sees", "advice", "why", "fix", "intended")


def packed(call: dict[str, Any]) -> str:
    """Return a call's arguments, and the laws of the user's own, as text that travels."""
    from samplercheck.laws.own import own_laws
    from samplercheck.parcels import sealed
    from samplercheck.targets import as_target

    name = call["target"]
    if not isinstance(name, str):  # its name must be that of its own process
        target = as_target(name, call["contract"], call["axes"])
        call, name = {**call, "target": target}, target.name
    parcel = sealed(name, {**call, OWN_LAWS: own_laws()})
    return base64.b64encode(parcel).decode()


def arguments_of(job: dict[str, Any]) -> dict[str, Any]:
    """Return the keyword arguments of ``run`` for a job; imports the target."""
    return _unpacked(job["call"]) if "call" in job else _requested(RunRequest.from_dict(job["request"]))


def _requested(request: RunRequest) -> dict[str, Any]:
    from samplercheck.case import Case
    from samplercheck.store import Store

    return {
        "target": target_of(request.target, request.contract, request.axes),
        "profile": request.profile,
        "worlds": request.worlds or None,
        "select": request.select,
        "skip": request.skip,
        "seed": request.seed,
        "max_time": request.max_time,
        "max_cases": request.max_cases,
        "store": None if request.directory is None else Store(request.directory),
        "world_settings": request.world_settings,
        "cases": tuple(map(Case.parse, request.cases)),
    }


def _unpacked(text: str) -> dict[str, Any]:
    from samplercheck.parcels import opened

    arguments = opened(base64.b64decode(text))
    _register(arguments.pop(OWN_LAWS))
    return arguments


def _register(laws: tuple[Law, ...]) -> None:
    """Register the laws of the user's own that no module has registered by being imported here."""
    from samplercheck.laws.own import law, own_laws

    there = {one.code for one in own_laws()}
    for one in laws:
        if one.code not in there:
            words = {name: getattr(one, name) for name in WORDS}
            law(one.code, one.name, one.statement, **words)(one.judge)


def known_faults(known: list[dict[str, Any]], most: int | None) -> KnownFaults | None:
    """Return the cases that may not be run again, None where there are none."""
    from samplercheck.case import Case
    from samplercheck.record import Fault
    from samplercheck.worlds._known import KnownFaults

    if not known and most is None:
        return None
    answers: dict[Case, Fault | str] = {}
    for one in known:
        case = Case.parse(one["case"])
        if "unknown" in one:
            answers[case] = one["unknown"]
        else:
            answers[case] = Fault(**{**one["fault"], "traceback": tuple(one["fault"]["traceback"])})
    return KnownFaults(answers, most)


def law_of(result: dict[str, Any]) -> Law:
    """Return the law of a result; one that only the child knows is rebuilt without its judge."""
    from samplercheck.errors import LawError
    from samplercheck.laws.law import Law
    from samplercheck.laws.selection import find_law

    try:
        return find_law(result["code"])
    except LawError:
        words = {name: result[name] for name in ("code", "name", "statement", "consequence")}
        return Law(**words, judge=_judge_elsewhere)


def _judge_elsewhere(_: Trace) -> NoReturn:
    """Refuse to judge: the law's function has stayed in another process."""
    raise SamplerCheckError("This law is known only to the process that the report comes from.")
