"""What is read from the texts of scripts.

Texts have sections: steps, which ranks carry out (``Steps``), checks of what they took (``Recipe``), and
pieces of both, with a bare name. How their lines are read says ``storage/templates.py``.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from samplercheck.storage.scripts._epochs import EPOCHS
from samplercheck.storage.scripts._groups import GROUPS
from samplercheck.storage.scripts._orders import ORDERS
from samplercheck.storage.scripts._runs import RUNS
from samplercheck.storage.templates import sections

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


TEXTS = EPOCHS + ORDERS + RUNS + GROUPS
SECTIONS = tuple(sections(TEXTS))
STEPS = {name: _read_steps(heading, lines) for name, heading, lines in SECTIONS if heading}
PIECES = {name: lines for name, heading, lines in SECTIONS if name.isidentifier() and not heading}
WORDS = frozenset(re.findall(r"[A-Za-z_]\w*", TEXTS)) | {
    *MODULES.split(),
    *chain.from_iterable(NAMES.values()),
    *dir(builtins),
    "stream",
    "wrong",
}
"""Whatever a script may say or import itself: what is imported for it needs another name."""
RECIPES = dict(recipe for name, _, lines in SECTIONS if ":" in name for recipe in _read_recipes(name, lines))
