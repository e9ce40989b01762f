"""Adapter: what to paste for a target with a parameter that the kit cannot bind.

Called by ``Binding`` when it refuses such a target. Imports nothing but the spelling of names.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from samplercheck.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["advice_on"]


def advice_on(
    name: str,
    parameters: Sequence[inspect.Parameter],
    unknown: Sequence[str],
    bound: Sequence[str],
    options: Sequence[str],
    known: Iterable[str],
) -> str:
    """Return what to do about the first ``unknown`` parameter of a target, with an adapter to paste.

    ``bound`` and ``options`` are the parameters that have values, ``known`` the names that get one.
    """
    short, first = name.rpartition(":")[2], unknown[0]
    taken = ", ".join([*sorted(bound), *options]) or "dataset"
    shown = [one for one in parameters if one.name in (*bound, *options, *unknown)]
    passed = [] if bound or options else ["dataset"]
    passed += [_passed(one, is_unknown=one.name in unknown) for one in shown]
    return (
        f"Parameter {first!r} of {name} has no default and is no name that the kit binds.\n"
        f"{did_you_mean(first, known)}\n"
        f"Either vary it, with axes={{{first!r}: [...]}} or --axis {first}=..., "
        "or paste an adapter:\n\n"
        f"    def build({taken}):\n"
        f"        return {short}({', '.join(passed)})\n"
    )


def _passed(parameter: inspect.Parameter, *, is_unknown: bool) -> str:
    """Return how the adapter passes one parameter; dots stand for what its author must say."""
    value = "..." if is_unknown else parameter.name
    return value if parameter.kind is inspect.Parameter.POSITIONAL_ONLY else f"{parameter.name}={value}"
