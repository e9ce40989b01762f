"""Wrappers: a small class of plain torch code around a target, made of remedies.

Called in the supervised child that has imported the target. Here are head, how it is built, epochs, state,
length and passes; what it yields is in ``_share``. What is written here is run before anybody sees it.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Collection

from samplercheck.explain.remedies import Remedy
from samplercheck.storage.wrappers._share import Share
from samplercheck.storage.wrappers._target import Wrapped
from samplercheck.values.wording import join_words

__all__ = ["Wrapped", "can_be_written", "write_wrapper"]

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
}
"""What the docstring of a wrapper says that it does."""
UNSHUFFLED = "puts the samples in the order of the dataset"
"""The same of one with an order of its own, where the contract promises no shuffle."""
IMPORTS = (
    {
        "math": "import math",
        "random": "import random",
        "partial": "from functools import partial",
        "cycle": "from itertools import cycle, islice",
    },
    {
        "np": "import numpy as np",
        "torch": "import torch",
        "dist": "import torch.distributed as dist",
        "Sampler": "from torch.utils.data import Sampler",
    },
)
PLACED = "if {rank} is None:\n    {rank}, {world} = dist.get_rank(), dist.get_world_size()"
CHECKED = """if not 0 <= {rank} < {world}:
    raise ValueError(f"{rank} {{{rank}}} is not in 0..{{{world} - 1}}")"""
POSITIVE = 'if {size} < 1:\n    raise ValueError(f"{size} {{{size}}} is below 1")'
SET_EPOCH = """
def set_epoch(self, epoch):
    if epoch != self.epoch:
        self.epoch, self.start, self.done = epoch, 0, 0
"""
STATE = """
def state_dict(self):
    return {saved}

def load_state_dict(self, state):
    {loaded}
    self.start = self.done
"""
SHIELD = """
class Shield:
    \"\"\"Stands for a sampler: what it yields are copies, and what is set on it stays here.\"\"\"

    def __init__(self, behind):
        self.behind = behind

    def __getattr__(self, name):
        if name == "behind":  # while it is copied or unpickled
            raise AttributeError(name)
        return getattr(self.behind, name)

    def __iter__(self):
        for item in self.behind:
            yield list(item) if isinstance(item, list) else item

    def __len__(self):
        return len(self.behind)
"""
BEGIN = """
def begin(self):
    if self.done > self.start:  # an earlier pass has begun: this one is the next epoch
        self.epoch, self.start, self.done = self.epoch + 1, 0, 0
"""
RESUMED = """
def __iter__(self):
    {opened}
    return self.run()

def run(self):
    {begun}
    start, self.start = self.start, 0
    for {number}, item in enumerate({items}, {first}):
        {counted}
        yield item
"""


def can_be_written(target: Wrapped, remedies: Collection[Remedy]) -> bool:
    """Return whether a wrapper of these remedies makes sense for a target."""
    r, contract = set(remedies), target.contract
    deals = Remedy.DEALT in r
    needs = {
        Remedy.FORWARD: bool(target.held) and contract.sets_epochs,
        Remedy.SHIELDED: bool(target.inners),
        Remedy.EPOCH: target.has("seed") and contract.epochs != "fixed",
        Remedy.ORDERED: not target.groups
        and contract.order != "free"
        and contract.coverage != "sampled"
        and deals == (contract.sharding == "ranks")
        and (Remedy.CUT in r) == target.batched,
        Remedy.DEALT: target.has("rank", "world_size") and contract.sharding == "ranks",
        Remedy.CUT: target.batched and target.has("batch_size") and not target.groups and deals,
        Remedy.RESUMED: contract.resume == "consumed" or target.can("load_state_dict"),
    }
    if contract.epochs == "advance" and not r & {Remedy.EPOCH, Remedy.SEEDED, Remedy.ORDERED}:
        return False
    return target.is_sampler and target.can_be_imported and all(needs.get(one, True) for one in r)


def write_wrapper(target: Wrapped, remedies: Collection[Remedy]) -> tuple[str, str]:
    """Return the name of a wrapper and the text of its file."""
    writer = _Writer(target, remedies)
    return writer.name, writer.write()


class _Writer:
    """One wrapper."""

    def __init__(self, target: Wrapped, remedies: Collection[Remedy]) -> None:
        self.target, self.remedies = target, frozenset(remedies)
        self.contract, self.share = target.contract, Share(target, self.remedies)
        words = re.findall(r"[A-Za-z0-9]+", target.call.rpartition(".")[2])
        self.name = "Fixed" + "".join(word[0].upper() + word[1:] for word in words)
        self.is_resumed = Remedy.RESUMED in self.remedies
        self.consumes = self.is_resumed and self.contract.resume == "consumed"
        self.advances = self.contract.epochs == "advance"
        self.has_epoch = self.contract.epochs != "fixed"

    def write(self) -> str:
        """Return the text of the file."""
        target = self.target
        body = [self._docstring(), self._init(), self._set_epoch(), self._state(), self._share(), self._len()]
        body.append(self._iter())
        parts = [textwrap.indent(part.strip("\n"), "    ") for part in body if part]
        code = "\n".join([f"class {self.name}(Sampler):", "\n\n".join(parts), ""])
        blocks = ["\n".join(_import_used(one, code)) for one in IMPORTS]
        own = f"from {target.module} import {target.root}"
        text = "\n\n".join([*filter(None, blocks), own, f"\n{code}"])
        return f"{text}\n{SHIELD}" if Remedy.SHIELDED in self.remedies else text

    def _docstring(self) -> str:
        told = WORDS if self.share.may_shuffle else {**WORDS, Remedy.ORDERED: UNSHUFFLED}
        words = join_words([text for one, text in told.items() if one in self.remedies])
        return textwrap.fill(f'"""Wraps {self.target.call}: {words}."""', WIDTH - 4)

    def _init(self) -> str:
        """Return the constructor: what is refused, what is kept, and the sampler or how to build it."""
        plain = [one.replace(annotation=inspect.Parameter.empty) for one in self.target.parameters]
        head = str(inspect.Signature(plain))[1:]
        lines = [*self._checks(), *self.share.kept()]
        lines.append(self.share.held() if self.share.is_held else self.share.built())
        if self.has_epoch and (self.share.uses_epoch or not self.share.is_held):
            lines.append("self.epoch = 0")
        if self.consumes:
            lines += self._start_from_consumed()
        elif self.is_resumed:
            lines.append("self.start = self.done = 0")
        return f"def __init__(self, {head}:\n" + textwrap.indent("\n".join(lines), "    ")

    def _checks(self) -> list[str]:
        target = self.target
        rank, world, size = (target.name_of(one) for one in ("rank", "world_size", "batch_size"))
        lines = []
        if rank and world and (Remedy.DEALT in self.remedies or not self.share.is_held):
            if target.binding.can_find_its_place:
                lines.append(PLACED.format(rank=rank, world=world))
            lines.append(CHECKED.format(rank=rank, world=world))
        if size and not self.share.is_held:
            lines.append(POSITIVE.format(size=size))
        return lines

    def _start_from_consumed(self) -> list[str]:
        consumed = self.target.name_of("consumed")
        lines = [f"share = {self.share.count}"]
        lines += ["self.start = 0", f"if share:\n    done = {consumed} // ({self.share.step})"]
        where = "self.epoch, self.start" if self.has_epoch else "_, self.start"
        return [*lines, f"    {where} = divmod(done, share)", "self.done = self.start"]

    def _set_epoch(self) -> str:
        if not self.contract.sets_epochs or self.advances:
            return ""
        if self.is_resumed:
            return SET_EPOCH
        lines = ["self.epoch = epoch"] if self.share.uses_epoch or not self.share.is_held else []
        lines += self.share.tell("self.sampler", "epoch") if self.share.is_held else []
        return "def set_epoch(self, epoch):\n" + textwrap.indent("\n".join(lines or ["pass"]), "    ")

    def _state(self) -> str:
        if self.consumes:
            return ""
        if not self.is_resumed:
            if not self.target.can("load_state_dict") or not self.share.is_held:
                return ""
            return (
                "def state_dict(self):\n    return self.sampler.state_dict()\n\n"
                "def load_state_dict(self, state):\n    self.sampler.load_state_dict(state)"
            )
        if not self.has_epoch:
            return STATE.format(saved='{"done": self.done}', loaded='self.done = state["done"]')
        text = STATE.format(
            saved='{"epoch": self.epoch, "done": self.done}',
            loaded='self.epoch, self.done = state["epoch"], state["done"]',
        )
        return text + (BEGIN if self.advances else "")

    def _share(self) -> str:
        if self.share.is_plain:
            return ""
        what = "batches" if self.target.batched else "samples"
        done = ", done" if self.share.is_elastic else ""
        lines = [f'"""Return the {what} of this rank in the epoch."""', *self.share.lines()]
        return f"def share(self{done}):\n" + textwrap.indent("\n".join(lines), "    ")

    def _len(self) -> str:
        if not self.target.can("__len__"):
            return ""
        return f"def __len__(self):\n    return {self.share.count}"

    def _iter(self) -> str:
        if self.is_resumed:
            step = self.share.step
            elastic = self.share.is_elastic
            text = RESUMED.format(
                opened="self.begin()" if self.advances else "self.done = self.start",
                begun="self.begin()" if self.advances else "",
                number="number" if elastic else "self.done",
                items="self.share(start)" if elastic else "self.share()[start:]",
                first="1" if elastic else "start + 1",
                counted=f"self.done = start + number * {step}" if elastic else "",
            )
            return "\n".join(line for line in text.splitlines() if line.strip() or not line)
        items = "self.sampler" if self.share.is_plain else "self.share()"
        if self.advances:
            items = f"share, self.epoch = {items}, self.epoch + 1"
            return f"def __iter__(self):\n    {items}\n    yield from share"
        return f"def __iter__(self):\n    return iter({items})"


def _import_used(lines: dict[str, str], code: str) -> list[str]:
    return [line for word, line in lines.items() if re.search(rf"(?<![.\w]){word}[.()]", code)]
