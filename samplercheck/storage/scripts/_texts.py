"""What is read from the texts of scripts, and how their lines are filled in.

Texts have sections, under headings in brackets: steps, which ranks carry out (``Steps``), checks of what they
took (``Recipe``), and pieces of both, with a bare name. How lines are read says ``fill``.
"""

from __future__ import annotations

import builtins
import re
import textwrap
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

from jinja2 import Environment, StrictUndefined
from jinja2.runtime import Context

from samplercheck.storage.scripts._epochs import EPOCHS
from samplercheck.storage.scripts._orders import ORDERS
from samplercheck.storage.scripts._runs import RUNS
from samplercheck.values.owed import MANY_EPOCHS

MODULES = """
copy faulthandler importlib io itertools multiprocessing numpy os pickle random runpy sys
tempfile time torch types warnings
"""
NAMES = {
    "collections": ["Counter"],
    "itertools": ["accumulate", "chain", "pairwise"],
    "bisect": ["bisect_right"],
    "datetime": ["timedelta"],
    "torch.utils.data": ["BatchSampler", "SequentialSampler", "DataLoader", "DistributedSampler"],
}
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
ENVIRONMENT.globals = {"MANY_EPOCHS": MANY_EPOCHS, "int": int, "len": len, "max": max, "range": range}
_template, _expression = cache(ENVIRONMENT.from_string), cache(ENVIRONMENT.compile_expression)


class Steps(NamedTuple):
    """What a rank does, under ``[name] ranks | into | shown | result``; an experiment has steps of its name.

    They are for which ``ranks``; of several ``result`` is put into the list ``into``, and ``shown`` printed.
    Under ``pairs`` these are the passes ``first`` and ``second``.
    """

    lines: str
    ranks: str
    into: str = ""
    shown: str = "taken"
    result: str = "taken"


class Recipe(NamedTuple):
    """What shows a law broken, under ``[law if needs: steps]``: steps, a check, and what has to be known.

    A check has lines, ``if`` conditions, of which one is enough, and what to ``say``. A law that is shown in
    several ways has the word of one behind its code: experiment, way or kind of evidence, coverage, groups.
    """

    steps: str
    check: str = ""
    needs: str = ""


def _sections(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield what stands in brackets, the rest of the heading and the lines of each section of a text."""
    _, *parts = HEADING.split(text)
    for name, rest, lines in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        yield " ".join(name.split()), rest.strip(), lines


def _read_steps(heading: str, lines: str) -> Steps:
    ranks, *more = ("" if word == "-" else word for word in heading.split(" | "))
    if more == ["pairs"]:
        more = ["pairs", "first} and {second", "(first, second)"]
    return Steps(lines, ranks, *more)


def _read_recipes(heading: str, check: str) -> Iterator[tuple[str, Recipe]]:
    """Yield the laws of a heading, each with its way, and how they are shown."""
    for part in heading.split("; "):
        laws, _, steps = part.partition(": ")
        named, _, needs = laws.partition(" if ")
        yield from ((law, Recipe(steps, check, needs)) for law in named.split(", "))


SECTIONS = tuple(_sections(EPOCHS + ORDERS + RUNS))
STEPS = {name: _read_steps(heading, lines) for name, heading, lines in SECTIONS if heading}
PIECES = {name: lines for name, heading, lines in SECTIONS if name.isidentifier() and not heading}
WORDS = frozenset(re.findall(r"[A-Za-z_]\w*", EPOCHS + ORDERS + RUNS)) | {
    *MODULES.split(),
    *chain.from_iterable(NAMES.values()),
    *dir(builtins),
    "stream",
    "wrong",
}
"""Whatever a script may say or import itself: what is imported for it needs another name."""
RECIPES = dict(recipe for name, _, lines in SECTIONS if ":" in name for recipe in _read_recipes(name, lines))


def fill(text: str, filling: object, **names: object) -> list[str]:
    """Return the lines of a text, with all names filled in: those of a filling, and others.

    A line may hold expressions, as ``${places * size}``, and begin with a condition: it is left out unless
    that holds, as ``later and not endless? ...``, or none of those right above it does: ``else? ...``,
    ``else later? ...``. The expressions are Jinja's; what stands for several lines is moved to the right as
    a whole. All other names are variables of the script.
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
