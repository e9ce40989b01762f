"""One wrapper: what stands for the names in its text, and with which arguments it builds the target.

Made by ``write_wrapper``.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Iterator
from typing import Any

from samplercheck.explain.remedies import Remedy
from samplercheck.storage.templates import fill, sections
from samplercheck.storage.wrappers._target import Wrapped
from samplercheck.storage.wrappers._text import METHODS as TEXT
from samplercheck.storage.wrappers._text import PIECES as MORE
from samplercheck.values.owed import heeds_drop_last

WIDTH = 90
METHODS = tuple(sections(TEXT))
PIECES = {name: lines for name, _, lines in (*METHODS, *sections(MORE))}
OF_SHARES = (Remedy.DEALT, Remedy.CUT, Remedy.ORDERED, Remedy.SEEDED, Remedy.RESUMED, Remedy.EPOCH)
INSTEAD = {"rank": "0", "world_size": "1", "global_rank": "0", "replicas": "1", "consumed": "0"}


class Wrapper:
    """What fills in the text of a wrapper that is made of some remedies."""

    def __init__(self, target: Wrapped, remedies: Collection[Remedy]) -> None:
        self.target, self.remedies, self.contract = target, remedies, (contract := target.contract)
        self.rank, self.world, self.size = map(target.name_of, ("rank", "world_size", "batch_size"))
        self.shuffle, self.drop_last = map(target.name_of, ("shuffle", "drop_last"))
        self.deals, self.cuts, self.orders, self.is_seeded, self.is_resumed, self.adds_epoch = (
            one in remedies for one in OF_SHARES
        )
        self.is_guarded, self.is_counted = Remedy.GUARDED in remedies, Remedy.COUNTED in remedies
        self.is_resumed = self.is_resumed or self.is_counted
        self.asks_to_shuffle = contract.order == "auto" and bool(self.shuffle)
        self.may_shuffle = contract.order == "shuffled" or self.asks_to_shuffle
        self.advances, self.has_epoch = contract.epochs == "advance", contract.epochs != "fixed"
        self.is_held = Remedy.FRESH not in remedies and not (self.adds_epoch or self.is_resumed)
        self.is_plain = self.is_held and not (self.deals or self.is_seeded)
        self.keeps_epoch = self.has_epoch and (not self.is_held or self.is_seeded or self.orders)
        self.consumes = self.is_resumed and contract.resume == "consumed"
        has_state = self.is_resumed or (self.is_held and target.can("load_state_dict"))
        self.saves = has_state and not self.consumes
        self.is_elastic = self.is_resumed and contract.elastic and self.deals
        self.checks_place = bool(self.rank and self.world) and (self.deals or not self.is_held)
        self.finds_place = self.checks_place and target.binding.can_find_its_place
        self.length = self._find_length()
        self.total = "self.total" if self.length else "total"
        self.left, self.rest = "len(order)", "order"
        if self.is_elastic:
            self.left, self.rest = "(len(order) - done)", "order[done:]"
        self.keeps_tail, self.by_blocks = contract.tail == "keep", contract.layout == "contiguous"
        is_subset = contract.tail == "auto" and contract.coverage == "subset"
        self.drops_tail = contract.tail == "drop" or is_subset
        self.by_batch = contract.tail_unit == "batch" and bool(self.size) and not self._holds_batches
        drops_rounds = self.cuts and heeds_drop_last(contract) and bool(self.drop_last)
        self.by_round = self.by_batch or drops_rounds

    @property
    def walks_alone(self) -> bool:
        """Whether it takes nothing from the target: passes over the dataset are all that a walk has."""
        return self.contract.endless and self.orders

    @property
    def walk(self) -> str:
        """What all ranks take their parts of, where that has no end."""
        return "self.walk()" if self.walks_alone else "self.sampler"

    @property
    def saved_for(self) -> str:
        """The arguments with which alone its state may be loaded."""
        return ", ".join(self.target.saved_for)

    @property
    def _holds_batches(self) -> bool:
        """Whether what is dealt out are the target's own batches."""
        return self.target.batched and not self.cuts

    @property
    def head(self) -> str:
        """The parameters of a wrapper, which are those of the target."""
        plain = [one.replace(annotation=inspect.Parameter.empty) for one in self.target.parameters]
        return str(inspect.Signature(plain))[1:]

    def __getattr__(self, name: str) -> Any:
        if name in PIECES:
            return "\n".join(self.piece(name))
        raise AttributeError(name)

    def piece(self, name: str, **names: object) -> list[str]:
        """Return the lines of a piece."""
        return fill(PIECES[name], self, **names)

    def _find_length(self) -> str:
        """Return how many samples an epoch has before they are dealt out; empty where only a pass tells."""
        contract, target = self.contract, self.target
        if self.is_elastic or not (self.deals or contract.endless):
            return ""
        if contract.coverage != "once" or contract.tail == "keep" or self._holds_batches:
            return ""
        names = {one: target.name_of(one) for one in ("length", "dataset", "lengths", "labels")}
        found = next(((one, name) for one, name in names.items() if name), None)
        if found is None:
            return ""
        length = found[1] if found[0] == "length" else f"len({found[1]})"
        return f"{length} * {contract.repeats}" if contract.repeats > 1 else length

    @property
    def seed(self) -> str:
        """What an epoch is seeded with."""
        own = f"self.{self.target.name_of('seed')}" if self.target.has("seed") else ""
        turn = "lap" if self.contract.endless else "self.epoch" * self.has_epoch
        return " + ".join(filter(None, (own, turn))) or "0"

    @property
    def step(self) -> str:
        """How many samples all ranks yield by one item of each."""
        world = f"self.{self.world}" if self.world else "1"
        return f"{world} * self.{self.size}" if self.target.batched and self.size else world

    @property
    def count(self) -> str:
        """How many items a pass has."""
        if self.is_plain or self.is_counted:
            return "len(self.loader)" if self.is_counted else "len(self.sampler)"
        if not self.length:
            return f"len(self.share({'0' * self.is_elastic}))"
        share = f"self.total // self.{self.world}"
        return f"math.ceil({share} / self.{self.size})" if self.cuts else share

    @property
    def kept(self) -> list[str]:
        """The lines that keep those arguments which are needed later."""
        share = [] if self.is_plain or self.is_counted else self.piece("share")
        if self.contract.endless:
            share = [*(self.piece("walk") if self.walks_alone else ()), *self.piece("on")]
        used = "\n".join([*share, *self.total_of_all, self.count, self.step * self.is_elastic])
        own = {"sampler"} if self.is_held else set()  # what a wrapper calls the target's object
        names = [one.name for one in self.target.parameters if re.search(rf"self\.{one.name}\b", used)]
        copies = self.contract.replicas
        is_divided = copies > 1 and not self.target.binding.deals_by_place
        places = {self.rank, self.world} if is_divided else set()
        return [f"self.{one} = {one}{f' // {copies}' * (one in places)}" for one in names if one not in own]

    @property
    def total_of_all(self) -> list[str]:
        """The lines that say how many items all ranks yield together, where that is known before a pass."""
        known = self.length and not self.contract.endless
        return self.sum_up("self.total", self.length, self.drop_last) if known else []

    def sum_up(self, total: str, left: str, flag: str) -> list[str]:
        """Return the lines that say how many items all ranks yield together of those that are left."""
        done = "done + " * self.is_elastic
        padded = "unit" if self.by_batch else f"self.{self.world}"
        dropped = "unit" if self.by_round else f"self.{self.world}"
        return self.piece(
            "total",
            total=total,
            flag=flag,
            padded=f"{done}math.ceil({left} / {padded}) * {padded}",
            dropped=f"{done}{left} // {dropped} * {dropped}",
        )

    def call(self, head: str, *first: str) -> str:
        """Return the call that builds the target, in several lines where one would be too long."""
        arguments = [*first, *self._arguments()]
        text = f"{head}({', '.join(arguments)})"
        lines = [f"{head}(", *(f"    {one}," for one in arguments), ")"]
        return text if len(text) < WIDTH else "\n".join(lines)

    def _arguments(self) -> Iterator[str]:
        meanings = self.target.binding.parameters
        skipped = self.target.name_of("seed") if self.adds_epoch else ""
        is_named = False
        for one in self.target.parameters:
            meaning = meanings.get(one.name, "")
            value = one.name
            if Remedy.SHIELDED in self.remedies and one.name in self.target.inners:
                value = f"Shield({value})"
            if self.deals or meaning == "consumed":
                value = self._instead(meaning, value)
            if (self.cuts and meaning == "drop_last") or (self.orders and meaning == "shuffle"):
                value = "False"
            if one.name == skipped:
                is_named = True
                continue
            is_named = is_named or value != one.name or one.kind is one.KEYWORD_ONLY
            is_plain = one.kind is one.POSITIONAL_ONLY or not is_named
            yield value if is_plain else f"{one.name}={value}"

    def _instead(self, meaning: str, value: str) -> str:
        """Return what a single process gets; where ranks share a place, the first place is one."""
        shared = self.contract.replicas > 1 and not self.target.binding.deals_by_place
        if meaning == "world_size" and shared and not self.target.has("replicas"):
            return str(self.contract.replicas)
        return INSTEAD.get(meaning, value)

    def begin(self, sampler: str, epoch: str) -> list[str]:
        """Return the lines that start an epoch of a sampler."""
        if not self.contract.sets_epochs:
            return []
        passes_on = Remedy.FORWARD in self.remedies or (self.is_counted and not self.target.can("set_epoch"))
        held = self.target.held if passes_on else ()
        told = [sampler] * self.target.can("set_epoch") + [f"{sampler}.{name}" for name in held]
        return [f"{one}.set_epoch({epoch})" for one in told]

    @property
    def source(self) -> str:
        """What an epoch is taken from."""
        named = f"{self.target.name_of('seed')}={self.seed}" if self.adds_epoch else ""
        return "self.sampler" if self.is_held else "sampler" if self.is_begun else f"self.build({named})"

    @property
    def is_begun(self) -> bool:
        """Whether what is built again has to be told its epoch."""
        return not (self.is_held or self.adds_epoch) and bool(self.begin("sampler", "self.epoch"))

    @property
    def begin_inners(self) -> list[str]:
        """The lines that start an epoch of what is wrapped, which may be read while it is built."""
        inners = self.target.inners if self.contract.sets_epochs else ()
        told = "    self.{0}.set_epoch(self.epoch)"
        return [line.format(one) for one in inners for line in ('if hasattr(self.{0}, "set_epoch"):', told)]

    @property
    def order(self) -> list[str]:
        """The lines that take the order of an epoch, generators seeded before and put back behind them."""
        lines = self.piece("take")
        for generator in (self.target.moved or ("torch",)) if self.is_seeded else ():
            lines = self.piece("seeded", generator=generator, lines=lines)
        return lines
