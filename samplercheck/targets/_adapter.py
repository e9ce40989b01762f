"""Adapter: what to paste for a target with a parameter that the kit cannot bind.

Called by ``Binding`` when it refuses such a target. Imports nothing but the spelling of names.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence

from samplercheck.values.errors import did_you_mean


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
    named = [parameter for parameter in parameters if parameter.name in (*bound, *options, *unknown)]
    arguments = [] if bound or options else ["dataset"]
    arguments += [_format_argument(parameter, is_unknown=parameter.name in unknown) for parameter in named]
    return (
        f"Parameter {first!r} of {name} has no default, and the kit does not bind this name.\n"
        f"{did_you_mean(first, known)}\n"
        f"Either vary it, with axes={{{first!r}: [...]}} or --axis {first}=..., "
        "or paste an adapter:\n\n"
        f"    def build({taken}):\n"
        f"        return {short}({', '.join(arguments)})\n"
    )


def _format_argument(parameter: inspect.Parameter, *, is_unknown: bool) -> str:
    """Return how the adapter passes one parameter; dots stand for what its author must fill in."""
    value = "..." if is_unknown else parameter.name
    return value if parameter.kind is inspect.Parameter.POSITIONAL_ONLY else f"{parameter.name}={value}"
