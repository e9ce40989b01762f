"""How a call of ``run`` crosses to the child: as a request in words, or pickled with its closures.

The parent packs, the child unpacks. ``RunRequest`` is what the command line sends; ``sc.run`` with
``isolate=True`` sends whatever it was given.
"""

from __future__ import annotations

import base64
import pickle
from typing import TYPE_CHECKING, Any, NoReturn

from samplercheck.errors import SamplerCheckError, TargetError
from samplercheck.supervision.request import RunRequest, target_of

if TYPE_CHECKING:
    from samplercheck.laws._law import Law
    from samplercheck.trace import Trace
    from samplercheck.worlds._known import KnownFaults

__all__ = ["arguments_of", "known_faults", "law_of", "packed"]

WORDS = ("consequence", "reads", "applies", "sees", "advice", "why", "mend", "intended")


def packed(call: dict[str, Any]) -> str:
    """Return a call's arguments, and the laws of the user's own, as text that travels."""
    import cloudpickle

    from samplercheck.laws.own import own_laws
    from samplercheck.targets import as_target

    if not isinstance(call["target"], str):  # its name must be that of its own process
        call = {**call, "target": as_target(call["target"], call["contract"], call["axes"])}
    for name, value in {**call, "own_laws": own_laws()}.items():
        try:
            cloudpickle.dumps(value)
        except Exception as error:  # noqa: BLE001  (whatever a user's object raises when pickled)
            known_as = getattr(value, "name", None) or f"{value!r:.200}"
            raise TargetError(
                f"{name}={known_as} cannot be sent to a child process ({type(error).__name__}: {error}): "
                "run without isolate, or build what it holds inside the factory."
            ) from None
    data: bytes = cloudpickle.dumps((call, own_laws()))
    return base64.b64encode(data).decode()


def arguments_of(job: dict[str, Any]) -> dict[str, Any]:
    """Return the keyword arguments of ``run`` for a job; imports the target."""
    return _unpacked(job["call"]) if "call" in job else _requested(RunRequest.from_dict(job["request"]))


def _requested(request: RunRequest) -> dict[str, Any]:
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
    }


def _unpacked(text: str) -> dict[str, Any]:
    try:
        call, laws = pickle.loads(base64.b64decode(text))
    except Exception as error:  # noqa: BLE001  (whatever a user's module raises when imported)
        raise TargetError(
            f"The target cannot be rebuilt in a child process ({type(error).__name__}: {error}): "
            "define it in a module that the child can import, or run without isolate."
        ) from None
    _register(laws)
    arguments: dict[str, Any] = call
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
    from samplercheck.laws._law import Law
    from samplercheck.laws._selection import find_law

    try:
        return find_law(result["code"])
    except LawError:
        words = {name: result[name] for name in ("code", "name", "statement", "consequence")}
        return Law(**words, judge=_judge_elsewhere)


def _judge_elsewhere(_: Trace) -> NoReturn:
    """Refuse to judge: the law's function has stayed in another process."""
    raise SamplerCheckError("This law is known only to the process that the report comes from.")
