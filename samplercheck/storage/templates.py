"""Templates: texts of Python code with names to fill in, which scripts and wrappers are written from.

A text has sections under headings in brackets; how their lines are read says ``fill``. Imports jinja2.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from functools import cache
from typing import Any

from jinja2 import Environment, StrictUndefined
from jinja2.runtime import Context

HEADING = re.compile(r"^\[(SC[^]]+|\w+)\](.*)\n", re.MULTILINE)
CONDITION = re.compile(r"( *)([^?]+)\? ( *)(.*)")


class _Names(Context):
    """The names in a text, which are those of a ``filling``."""

    def resolve_or_missing(self, key: str) -> Any:
        """Return what a name stands for."""
        return self.parent[key] if key in self.parent else getattr(self.parent["filling"], key)


ENVIRONMENT = Environment(
    autoescape=False,  # noqa: S701  (Python is made, no page)
    finalize=lambda value: "\n".join(value) if isinstance(value, list) else value,
    undefined=StrictUndefined,
    variable_start_string="${",
    variable_end_string="}",
)
ENVIRONMENT.context_class = _Names
ENVIRONMENT.globals = {"int": int, "len": len, "max": max, "range": range}
_template, _expression = cache(ENVIRONMENT.from_string), cache(ENVIRONMENT.compile_expression)


def sections(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield what stands in brackets, the rest of the heading and the lines of each section of a text."""
    _, *parts = HEADING.split(text)
    for name, rest, lines in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        yield " ".join(name.split()), rest.strip(), lines


def fill(text: str, filling: object, **names: object) -> list[str]:
    """Return the lines of a text, with all names filled in: those of a filling, and others.

    A line may hold expressions, as ``${places * size}``, and begin with a condition: it is left out unless
    that holds, as ``later and not endless? ...``, or none of those right above it does: ``else? ...``,
    ``else later? ...``. The expressions are Jinja's; what stands for several lines is moved to the right as
    a whole. All other names are variables of what is written.
    """
    lines: list[str] = []
    asked, is_met, was_met = "", True, False
    for line in text.splitlines():
        found = CONDITION.fullmatch(line)
        if found and found[2] != asked:
            asked, was_met = found[2], found[2].startswith("else") and (is_met or was_met)
            is_met = not was_met and holds(asked.removeprefix("else"), filling, **names)
        if not found or is_met:
            kept = found[1] + found[3] + found[4] if found else line
            depth = " " * (len(kept) - len(kept.lstrip()))
            made = _template(kept.lstrip()).render(filling=filling, **names)
            lines += textwrap.indent(made, depth).splitlines() if line else [""]
    return lines


def holds(condition: str, filling: object, **names: object) -> bool:
    """Whether a condition holds; none always does."""
    return not condition or bool(_expression(condition)(filling=filling, **names))
