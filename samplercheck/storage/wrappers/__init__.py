"""Wrappers: a small class of plain torch code around a target, made of remedies.

Called in the supervised child that has imported the target. The text is in ``_text``, what fills it in comes
from ``_wrapper``. What is written here is run before anybody sees it.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection

from samplercheck.explain.remedies import Remedy, recipes_for
from samplercheck.storage.templates import fill, holds
from samplercheck.storage.wrappers._target import Wrapped
from samplercheck.storage.wrappers._wrapper import METHODS, Wrapper
from samplercheck.values.wording import join_words

__all__ = ["Wrapped", "can_be_written", "choose_possible", "describe", "write_wrapper"]

WIDTH = 100
WORDS = {
    Remedy.FORWARD: "passes set_epoch on to what it holds",
    Remedy.FRESH: "builds it again for every pass",
    Remedy.EPOCH: "adds the epoch to its seed",
    Remedy.SEEDED: "seeds the generators that it draws from",
    Remedy.DEALT: "deals out the order of a single process",
    Remedy.ORDERED: "shuffles by itself",
    Remedy.CUT: "cuts each rank's batches from its share",
    Remedy.RESUMED: "keeps the epoch and the place in it",
    Remedy.SHIELDED: "shields what it wraps from being changed",
    Remedy.COUNTED: "counts what it delivers, and skips as much after loading",
    Remedy.GUARDED: "refuses a state that was saved elsewhere",
}
"""What the docstring of a wrapper says that it does."""
UNSHUFFLED = "puts the samples in the order of the dataset"
"""The same of one with an order of its own, where the contract promises no shuffle."""
IMPORTS = (
    {
        "math": "import math",
        "random": "import random",
        "partial": "from functools import partial",
        "count": "from itertools import count",
        "cycle": "from itertools import cycle",
        "islice": "from itertools import islice",
    },
    {
        "np": "import numpy as np",
        "torch": "import torch",
        "dist": "import torch.distributed as dist",
        "Sampler": "from torch.utils.data import Sampler",
    },
)


def can_be_written(target: Wrapped, remedies: Collection[Remedy]) -> bool:
    """Return whether a wrapper of these remedies makes sense for a target, as far as that is known of it."""
    r, contract = set(remedies), target.contract
    deals, unseen = Remedy.DEALT in r, target.example is None
    needs = {
        Remedy.FORWARD: bool(unseen or target.held) and contract.sets_epochs,
        Remedy.SHIELDED: bool(target.inners),
        Remedy.EPOCH: target.has("seed") and contract.epochs != "fixed",
        Remedy.ORDERED: not target.groups
        and contract.order != "free"
        and contract.coverage != "sampled"
        and deals == (contract.sharding == "ranks")
        and (Remedy.CUT in r) == target.batched,
        Remedy.DEALT: target.has("rank", "world_size") and contract.sharding == "ranks",
        Remedy.CUT: target.batched and target.has("batch_size") and not target.groups and deals,
        Remedy.COUNTED: target.is_loader and contract.epochs != "advance",
        Remedy.GUARDED: bool(target.saved_for) and target.can("load_state_dict"),
        Remedy.RESUMED: unseen or contract.resume == "consumed" or target.can("load_state_dict"),
    }
    if contract.endless and not _can_walk(target, r):
        return False
    if contract.epochs == "advance" and not r & {Remedy.EPOCH, Remedy.SEEDED, Remedy.ORDERED}:
        return False
    is_of_its_kind = target.is_sampler or (target.is_loader and Remedy.COUNTED in r)
    return is_of_its_kind and target.can_be_imported and all(needs.get(one, True) for one in r)


def _can_walk(target: Wrapped, remedies: set[Remedy]) -> bool:
    """Return whether a wrapper without an end can be made of these: it deals out a walk, or makes one."""
    if target.can("__len__") or remedies - {Remedy.DEALT, Remedy.ORDERED}:
        return False
    keeps_nothing = target.contract.epochs == "fixed" and not target.can("load_state_dict")
    return Remedy.ORDERED not in remedies or (keeps_nothing and bool(Wrapper(target, remedies).length))


def choose_possible(target: Wrapped, named: Collection[str]) -> tuple[str, ...]:
    """Return those of some remedies, by their names, that are part of a wrapper that can be written."""
    possible = {remedy for one in recipes_for(named) if can_be_written(target, one) for remedy in one}
    return tuple(one for one in named if Remedy(one) in possible)


def describe(target: Wrapped, remedies: Collection[Remedy]) -> str:
    """Say what a wrapper of these remedies does."""
    own = {} if Wrapper(target, remedies).may_shuffle else {Remedy.ORDERED: UNSHUFFLED}
    return join_words([text for one, text in (WORDS | own).items() if one in remedies])


def write_wrapper(target: Wrapped, remedies: Collection[Remedy]) -> tuple[str, str]:
    """Return the name of a wrapper and the text of its file."""
    wrapper = Wrapper(target, remedies)
    words = re.findall(r"[A-Za-z0-9]+", target.place.attribute.rpartition(".")[2])
    name = "Fixed" + "".join(word[0].upper() + word[1:] for word in words)
    does = describe(target, remedies)
    head = "Stands for" if wrapper.walks_alone else "Wraps"
    parts = [textwrap.fill(f'"""{head} {target.place.attribute}: {does}."""', WIDTH - 4)]
    parts += ["\n".join(fill(lines, wrapper)) for _, needs, lines in METHODS if holds(needs, wrapper)]
    body = "\n\n".join(textwrap.indent(part, "    ") for part in parts)
    code = f"class {name}{'' if wrapper.is_counted else '(Sampler)'}:\n{body}\n"
    blocks = [_import_used(one, code) for one in IMPORTS]
    own = "" if wrapper.walks_alone else f"from {target.place.importable} import {target.place.root}"
    shield = ["", "", *wrapper.piece("Shield"), ""] if Remedy.SHIELDED in remedies else []
    return name, "\n\n".join([*filter(None, (*blocks, own)), f"\n{code}"]) + "\n".join(shield)


def _import_used(lines: dict[str, str], code: str) -> str:
    """Return the imports of the words that a code uses, those of one module in one line."""
    used = [line for word, line in lines.items() if re.search(rf"(?<![.\w]){word}[.()]", code)]
    return re.sub(r"(from (\w+) import \w+)\nfrom \2 import (\w+)", r"\1, \3", "\n".join(used))
