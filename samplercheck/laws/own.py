"""Laws of the user's own: the decorator ``samplercheck.law`` and the registry that it fills.

Called by the user's modules when they are imported; read by ``selection``. A registered law is run
like the kit's own. Imports the package's values and laws alone.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from samplercheck.laws import ALL_LAWS
from samplercheck.laws.law import Law, Scope, always
from samplercheck.values.errors import LawError, did_you_mean
from samplercheck.values.finding import Violation
from samplercheck.values.trace import Trace
from samplercheck.values.wording import EXPERIMENTS

Judge = Callable[[Trace], Iterable[Violation] | None]

__all__ = ["forget", "law", "own_laws"]

_CODE = re.compile(r"[A-Z]{2,8}\d{3,4}")
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
FIX = "yield one samplercheck.Violation(found=...) for each thing that is broken, or nothing."
SHORTEST = 4
READABLE = tuple(EXPERIMENTS)
"""The experiments that a law may read; a test compares the names with the experiments themselves."""
_registered: dict[str, tuple[Law, tuple[str, str]]] = {}


def law(  # noqa: PLR0913  (a law has many parts, all but three of them optional)
    code: str,
    name: str,
    statement: str,
    *,
    consequence: str = "",
    fault: str = "",
    reads: Sequence[str] = ("epochs",),
    applies: Callable[[Scope], bool] | None = None,
    sees: Callable[[Trace], bool] | None = None,
    advice: bool = False,
    why: str = "",
    fix: str = "",
    intended: str = "",
    mend: str = "",
) -> Callable[[Judge], Law]:
    """Make a law of a judging function and register it; the decorated name is the ``Law``.

    The function takes a ``Trace`` and yields a ``Violation`` for each thing that is broken::

        @samplercheck.law("MY001", "first-is-zero", "Rank 0 begins every epoch with sample 0.")
        def first_is_zero(trace):
            for epoch in trace.epochs:
                if epoch.total and epoch.passes[0].items[0] != 0:
                    yield samplercheck.Violation(found="...", rank=0, epoch=epoch.number)

    ``applies`` says for a target, and ``sees`` for one case, whether there is anything to judge;
    without them the law looks at every case. ``fault`` says in a few words what a target does that breaks it.
    ``reads`` names the experiments that it needs. ``mend`` is the former name of ``fix``.
    """
    if mend:
        message = f"Law {code} is given mend=...: write fix=... instead."
        warnings.warn(message, DeprecationWarning, stacklevel=2)
    read = _check_reads(code, reads)
    _check_words(code, name, statement)
    made = partial(
        Law,
        code=code,
        name=name,
        statement=statement,
        consequence=consequence,
        fault=fault,
        reads=read,
        applies=applies or always,
        sees=sees or always,
        advice=advice,
        why=why,
        fix=fix or mend,
        intended=intended,
    )
    return lambda function: _register(made(judge=_judging(function, code)), function)


def _register(made: Law, function: Judge) -> Law:
    """Enter a law that judges by this function."""
    code = made.code
    if not callable(function):
        raise LawError(f"Law {code} decorates {function!r}, which is no function: write it above a def.")
    origin = (getattr(function, "__module__", ""), getattr(function, "__qualname__", repr(function)))
    _check_free(code, made.name, origin)
    _registered[code] = (made, origin)
    return made


def own_laws() -> tuple[Law, ...]:
    """Return the registered laws in the order of their codes."""
    return tuple(_registered[code][0] for code in sorted(_registered))


def forget(code: str) -> None:
    """Take a law of one's own out of the registry."""
    if code not in _registered:
        raise LawError(f"Law {code!r} is not registered. {did_you_mean(code, _registered)}")
    del _registered[code]


def _check_words(code: str, name: str, statement: str) -> None:
    if not _CODE.fullmatch(str(code)):
        raise LawError(f"Law code {code!r} is not legal: use 2-8 capitals and 3-4 digits, like 'MY001'.")
    if code.startswith("SC"):
        raise LawError(
            f"Law code {code!r} is reserved, as all in SC are: use your own letters, like 'MY001'."
        )
    if not _NAME.fullmatch(str(name)):
        raise LawError(
            f"Law name {name!r} is not legal: use small letters and hyphens, like 'first-is-zero'."
        )
    if len(str(statement)) < SHORTEST or not str(statement).endswith("."):
        raise LawError(
            f"The statement {statement!r} of law {code} is no sentence that ends with a full stop: write "
            "one, like 'Rank 0 starts every epoch with sample 0.'"
        )


def _check_reads(code: str, reads: Sequence[str]) -> tuple[str, ...]:
    if isinstance(reads, str):
        raise LawError(f"Law {code} reads={reads!r} is a string: write reads=({reads!r},).")
    for experiment in reads:
        if experiment not in READABLE:
            guess = did_you_mean(str(experiment), READABLE)
            raise LawError(f"Law {code} reads {experiment!r}, which is no experiment. {guess}")
    if not reads:
        raise LawError(f"Law {code} reads no experiment: leave reads out, or name at least one.")
    return tuple(reads)


def _check_free(code: str, name: str, origin: tuple[str, str]) -> None:
    """Refuse a code or a name that is taken; the same function again is a reload."""
    known = _registered.get(code)
    if known is not None and known[1] != origin:
        raise LawError(f"Law code {code!r} is taken by {':'.join(known[1])}: give {origin[1]} another one.")
    for other in (*ALL_LAWS, *own_laws()):
        if other.name == name and other.code != code:
            raise LawError(f"Law name {name!r} is taken by {other.code}: give {code} another one.")


def _judging(function: Judge, code: str) -> Callable[[Trace], Iterable[Violation]]:
    """Let a judge return nothing, and refuse loudly what is no violation."""

    def judge(trace: Trace) -> list[Violation]:
        answer: Any = function(trace)
        if answer is None:
            return []
        if isinstance(answer, (Violation, str, bytes)) or not hasattr(answer, "__iter__"):
            raise LawError(f"Law {code} returned {answer!r}: {FIX}")
        found = list(answer)
        for one in found:
            if not isinstance(one, Violation):
                raise LawError(f"Law {code} yielded {one!r}: {FIX}")
        return found

    return judge
