"""The lines by which a wrapper finds what its rank yields: order, shuffle, tail, share, batches."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from samplercheck.explain.remedies import Remedy
from samplercheck.storage.wrappers._target import Wrapped
from samplercheck.values.owed import heeds_drop_last

WIDTH = 90
INSTEAD = {"rank": "0", "world_size": "1", "global_rank": "0", "replicas": "1", "consumed": "0"}
SEEDING = {
    "random": ("random.getstate()", "random.seed({seed})", "random.setstate(state)"),
    "numpy": ("np.random.get_state()", "np.random.seed({seed})", "np.random.set_state(state)"),
}


class Share:
    """What a rank yields in one epoch, as lines of a method ``share``."""

    def __init__(self, target: Wrapped, remedies: Collection[Remedy]) -> None:
        self.target, self.remedies, self.contract = target, remedies, target.contract
        fresh = {Remedy.FRESH, Remedy.EPOCH, Remedy.RESUMED}
        self.is_held = not fresh.intersection(remedies)
        self.deals, self.cuts = Remedy.DEALT in remedies, Remedy.CUT in remedies
        self.is_plain = self.is_held and not {Remedy.DEALT, Remedy.SEEDED}.intersection(remedies)
        self.is_elastic = Remedy.RESUMED in remedies and self.contract.elastic and self.deals
        self.uses_epoch = bool({Remedy.SEEDED, Remedy.ORDERED}.intersection(remedies))
        self.rank, self.world = (f"self.{target.name_of(one)}" for one in ("rank", "world_size"))
        self.size = f"self.{target.name_of('batch_size')}"
        self.length = self._find_length() if self.deals and not self.is_elastic else ""

    def _find_length(self) -> str:
        """Return how many samples an epoch has before they are dealt out; empty where only a pass tells."""
        contract, target = self.contract, self.target
        if contract.coverage != "once" or contract.tail == "keep" or (target.batched and not self.cuts):
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
        epoch = "self.epoch" if self.contract.epochs != "fixed" else ""
        return " + ".join(filter(None, (own, epoch))) or "0"

    @property
    def step(self) -> str:
        """How many samples all ranks yield by one item of each."""
        world = self.world if self.target.has("world_size") else "1"
        return f"{world} * {self.size}" if self.target.batched and self.target.has("batch_size") else world

    def kept(self) -> list[str]:
        """Return the lines that keep what is needed later: arguments, and how much all ranks yield."""
        total = self._total(self.length, "self.total") if self.length else []
        used = "\n".join([*self.lines(), *total, self.count, self.step * self.is_elastic])
        own = {"sampler"} if self.is_held else set()  # what a wrapper calls the target's object
        names = [one.name for one in self.target.parameters if re.search(rf"self\.{one.name}\b", used)]
        names = [name for name in names if name not in own]
        copies, places = self.contract.replicas, {self.rank[5:], self.world[5:]}
        divided = copies > 1 and not self.target.binding.deals_by_place
        values = [f"{one} // {copies}" if divided and one in places else one for one in names]
        kept = [f"self.{name} = {value}" for name, value in zip(names, values, strict=True)]
        return [*kept, *total]

    @property
    def count(self) -> str:
        """How many items a pass has."""
        if self.is_plain:
            return "len(self.sampler)"
        if not self.length:
            return f"len(self.share({'0' * self.is_elastic}))"
        share = f"self.total // {self.world}"
        return f"math.ceil({share} / {self.size})" if self.cuts else share

    def built(self) -> str:
        """Return the line that keeps how to build the sampler."""
        return _call("self.build = partial", [self.target.call, *self._arguments()])

    def held(self) -> str:
        """Return the line that builds the sampler."""
        return _call(f"self.sampler = {self.target.call}", list(self._arguments()))

    def _arguments(self) -> Iterator[str]:
        meanings = self.target.binding.parameters
        skipped = self.target.name_of("seed") if Remedy.EPOCH in self.remedies else ""
        is_named = False
        for one in self.target.parameters:
            meaning = meanings.get(one.name, "")
            value = one.name
            if Remedy.SHIELDED in self.remedies and one.name in self.target.inners:
                value = f"Shield({value})"
            if self.deals or meaning == "consumed":
                value = self._instead(meaning, value)
            if Remedy.CUT in self.remedies and meaning == "drop_last":
                value = "False"
            if Remedy.ORDERED in self.remedies and meaning == "shuffle":
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

    @property
    def is_asked_to_shuffle(self) -> bool:
        """Whether an argument says if samples are shuffled."""
        return self.contract.order == "auto" and self.target.has("shuffle")

    @property
    def may_shuffle(self) -> bool:
        """Whether a wrapper with an order of its own shuffles: always, or where that is asked for."""
        return self.contract.order == "shuffled" or self.is_asked_to_shuffle

    def tell(self, sampler: str, epoch: str) -> list[str]:
        """Return the lines that start an epoch of a sampler."""
        if not self.contract.sets_epochs:
            return []
        lines = [f"{sampler}.set_epoch({epoch})"] if self.target.can("set_epoch") else []
        if Remedy.FORWARD in self.remedies:
            lines += [f"{sampler}.{name}.set_epoch({epoch})" for name in self.target.held]
        return lines

    def lines(self) -> list[str]:
        """Return the lines of the method."""
        if self.is_plain:
            return []
        lines = self._take()
        if self.cuts:
            lines.append("order = [sample for batch in order for sample in batch]")
        if Remedy.ORDERED in self.remedies:
            lines += self._shuffle()
        if not self.deals:
            whole = lines.pop().removeprefix("order = ") if lines[-1].startswith("order = list(") else "order"
            return [*lines, f"return {whole}"]
        return [*lines, *self._deal()]

    def _take(self) -> list[str]:
        lines: list[str] = []
        sampler = "self.sampler"
        if not self.is_held:
            seed = self.target.name_of("seed")
            built = f"self.build({seed}={self.seed})" if Remedy.EPOCH in self.remedies else "self.build()"
            told = [] if Remedy.EPOCH in self.remedies else self.tell("sampler", "self.epoch")
            lines, sampler = ([f"sampler = {built}", *told], "sampler") if told else ([], built)
            lines = [*self._tell_inners(), *lines]
        lines.append(f"order = list({sampler})")
        return self._seed(lines) if Remedy.SEEDED in self.remedies else lines

    def _tell_inners(self) -> list[str]:
        """Return the lines that start an epoch of what is wrapped, which may be read while it is built."""
        if not self.contract.sets_epochs:
            return []
        told = [
            (f'if hasattr(self.{one}, "set_epoch"):', f"    self.{one}.set_epoch(self.epoch)")
            for one in self.target.inners
        ]
        return [line for lines in told for line in lines]

    def _seed(self, lines: list[str]) -> list[str]:
        """Return the lines with the process's generators seeded before and put back behind them."""
        moved = self.target.moved or ("torch",)
        for name in moved:
            inside = [f"    {line}" for line in lines]
            if name == "torch":
                seeded = f"    torch.default_generator.manual_seed({self.seed})"
                lines = ["with torch.random.fork_rng(devices=[]):", seeded, *inside]
            else:
                read, seed, write = SEEDING[name]
                lines = [f"state = {read}", seed.format(seed=self.seed), "try:", *inside]
                lines += ["finally:", f"    {write}"]
        return lines

    def _shuffle(self) -> list[str]:
        """Return the lines that put samples in the dataset's order, and shuffle where that is asked for."""
        shuffled = [
            f"generator = torch.Generator().manual_seed({self.seed})",
            "places = torch.randperm(len(order), generator=generator).tolist()",
            "order = [order[place] for place in places]",
        ]
        sort = "order.sort()" if self.contract.repeats > 1 else "order = sorted(set(order))"
        if self.is_asked_to_shuffle:
            shuffle = f"self.{self.target.name_of('shuffle')}"
            return [sort, f"if {shuffle}:", *(f"    {line}" for line in shuffled)]
        return [sort, *(shuffled if self.may_shuffle else [])]

    def _deal(self) -> list[str]:
        blocks, rank, world = self.contract.layout == "contiguous", self.rank, self.world
        total, done = ("self.total", "") if self.length else ("total", "done + " * self.is_elastic)
        lines: list[str] = []
        if self.contract.tail == "keep":
            order = "order[done:]" if self.is_elastic else "order"
            share = f"{order}[{rank}::{world}]"
            if blocks:
                lines.append(f"size = len(order) / {world}")
                share = f"order[round({rank} * size) : round(({rank} + 1) * size)]"
        else:
            left = "(len(order) - done)" if self.is_elastic else "len(order)"
            lines += [] if self.length else self._total(left, total, done)
            share = f"list(islice(cycle(order), {done}{rank}, {total}, {world}))"
            if blocks:
                lines.append(f"size = {total} // {world}")
                share = f"list(islice(cycle(order), {rank} * size, ({rank} + 1) * size))"
        if not self.cuts:
            return [*lines, f"return {share}"]
        cut = f"[share[at : at + {self.size}] for at in range(0, len(share), {self.size})]"
        return [*lines, f"share = {share}", f"return {cut}"]

    def _total(self, left: str, total: str, done: str = "") -> list[str]:
        """Return the lines that say how many items all ranks yield together."""
        contract, target, world = self.contract, self.target, self.world
        by_batch = contract.tail_unit == "batch" and (self.cuts or not target.batched)
        by_batch = by_batch and target.has("batch_size")
        whole = by_batch or (self.cuts and heeds_drop_last(contract) and target.has("drop_last"))
        unit = "unit" if by_batch else world
        pads = f"{total} = {done}math.ceil({left} / {unit}) * {unit}"
        unit = "unit" if whole else world
        drops = f"{total} = {done}{left} // {unit} * {unit}"
        head = [f"unit = {world} * {self.size}"] if whole else []
        name = target.name_of("drop_last") if target.has("drop_last") else ""
        name = name if total == "self.total" else f"self.{name}"
        if contract.tail == "drop" and whole and not by_batch:
            return [f"unit = {world} * ({self.size} if {name} else 1)", drops]
        if contract.tail == "drop" or (contract.tail == "auto" and contract.coverage == "subset"):
            return [*head, drops]
        if contract.tail == "auto" and target.has("drop_last"):
            return [*head, f"if {name}:", f"    {drops}", "else:", f"    {pads}"]
        return [*head, pads]


def _call(head: str, arguments: Sequence[str]) -> str:
    """Return a call, in several lines where one would be too long."""
    text = f"{head}({', '.join(arguments)})"
    return text if len(text) < WIDTH else "\n".join([f"{head}(", *(f"    {one}," for one in arguments), ")"])
