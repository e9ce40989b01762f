"""What texts may ask of one violation in one case, beside the numbers and conditions of ``_values.py``.

Made by ``script_of``. A name of a text is an attribute here, a value or a piece of text.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from samplercheck.experiments.arguments import impossible_values
from samplercheck.experiments.passes import NEAR_EPOCHS
from samplercheck.laws.law import Scope
from samplercheck.storage.scripts._case_text import CaseText
from samplercheck.storage.scripts._texts import PIECES
from samplercheck.storage.scripts._values import VALUES
from samplercheck.storage.templates import fill
from samplercheck.targets.features import groups_of
from samplercheck.targets.provenance import Provenance
from samplercheck.values.case import Case
from samplercheck.values.finding import Violation


class Filling(CaseText):
    """What fills in the text about one violation in one case."""

    def __init__(
        self, provenance: Provenance, case: Case, seen: Violation, *, in_groups: bool = False
    ) -> None:
        super().__init__(provenance, case, in_groups=in_groups)
        owed, contract = self.owed, self.contract
        self.seen, self.ranks = seen, (seen.rank or 0,)
        self.epoch, self.rank_value, self.argument = seen.epoch or 0, seen.rank or 0, seen.evidence.argument
        self.n, self.size, self.world = case.length, case.batch_size, case.world_size
        self.total, self.places, self.repeats = owed.total, owed.places, owed.repeats
        self.padding, self.losable, self.appearances = owed.padding, owed.losable, owed.appearances
        self.drops, self.shuffled, self.endless = owed.tail == "drop", owed.is_shuffled, contract.endless
        self.pads, self.keeps = owed.tail == "pad", int(owed.tail == "keep")
        self.fixed = contract.batches == "fixed" or not self.batched
        self.advances, self.moves = contract.advances, contract.epochs != "fixed"
        self.later = bool(seen.epoch)
        kind = seen.evidence.kind
        self.recurs, self.next, self.says = (kind == one for one in ("recurs", "next", "said"))
        self.in_two_laps = kind == "goes on"
        # Where generators are shared, it was compared to the index if a step is named.
        alone = contract.ambient_rng == "independent" or seen.step is not None
        self.exact = alone and not contract.advances
        # Of a wrapper: its order is lost, an epoch does not come through, or the sampler inside is changed.
        self.ordered, self.keeps_epoch = bool(seen.indices), seen.epoch is not None and not seen.indices
        self.changes = not self.ordered and not self.keeps_epoch

    def __getattr__(self, name: str) -> Any:
        if name in PIECES:
            return "\n".join(fill(PIECES[name], self))
        if name not in VALUES:
            raise AttributeError(name)
        return VALUES[name](self)

    def choose_ranks(self, which: str) -> None:
        """Set the ranks that carry out some steps."""
        rank, size = self.rank_value, self.contract.replicas
        share = (rank,) if self.contract.sharding == "none" else tuple(range(0, self.places * size, size))
        self.ranks = {
            "one": (rank,),
            "loops": (),
            "share": share,
            "alike": (rank,) if self.alike else share,
            "world": tuple(range(self.world)),
            "replicas": tuple(range(rank // size * size, rank // size * size + size)),
            "wrapped": share if self.ordered else (rank,),
            "joined": share if self.seen.rank is None else (rank,),
        }[which]

    @property
    def jumps(self) -> tuple[int, ...]:
        """The epochs that lead to that of the violation, from far ones back to the first."""
        far = [epoch for epoch in self.visits[self.case.epochs :] if epoch in (self.epoch, 100, 1000)]
        order = (*far[::-1], *(NEAR_EPOCHS if far else ()), self.case.epochs - 1, 0)
        return order[: order.index(self.epoch) + 1] if self.epoch in order else order

    @property
    def place_words(self) -> str:
        """The place that a violation is about; of batches it is any in the same one."""
        return f"{'in the batch of' if self.batched else 'at'} place {self.seen.step}"

    def at_place(self, taken: str) -> str:
        """Return an expression of the samples of a pass at the place, or in the batch, that is meant."""
        step = self.seen.step
        if step is None:
            return self.flat(taken)
        if not self.batched:
            return f"{taken}[{step} : {step + 1}]"
        ends = f"accumulate(map(len, {taken}))"
        return f"next((batch for batch, end in zip({taken}, {ends}) if end > {step}), ())"

    def walk(self, into: str, epochs: Sequence[int], read: str = "", *, seed: str = "") -> list[str]:
        """Return lines that build an object and take epochs in order; the last pass is kept."""
        taken = f"{into} = {read or self.read()}"
        passes = [*self.begin(epochs[0]), taken] if len(epochs) == 1 else self._loop(epochs, taken)
        return [*self.seed(seed), self.build(), *passes]

    def collect(self, into: str, epochs: Sequence[int]) -> list[str]:
        """Return lines that build an object and keep the passes of epochs in a list."""
        return [*self.seed(), self.build(), *self.collected(into, epochs)]

    def collected(self, into: str, epochs: Sequence[int]) -> list[str]:
        """Return the same lines for an object that is there."""
        return [f"{into} = []", *self._loop(epochs, f"{into}.append({self.read()})")]

    def _loop(self, epochs: Sequence[int], line: str) -> list[str]:
        begin = self.begin("epoch")
        number = f"range({len(epochs)})" if tuple(epochs) == tuple(range(len(epochs))) else str(epochs)
        inside = textwrap.indent("\n".join([*begin, line]), "    ")
        return [f"for {'epoch' if begin else '_'} in {number}:", inside]

    def each(self, times: int) -> str:
        """Return an expression of all samples, each so many times."""
        return f"Counter(range({self.n}))" if times == 1 else f"Counter([*range({self.n})] * {times})"

    def per_group(self, counter: str) -> str:
        """Return an expression that sums a counter of samples over the samples of each label or dataset."""
        groups = groups_of(self.case, self.named) if "datasets" in self.named else self.list_of("labels")
        return f"Counter({groups}[sample] for sample in {counter}.elements())"

    def size_of(self, passes: str) -> str:
        """Return what is compared of an epoch after a resumed one: where generators are shared its length."""
        scope = Scope(contract=self.contract, named=frozenset(self.named), traits=frozenset(self.traits))
        return f"len({passes})" if scope.may_draw_by_process else passes

    @property
    def offers(self) -> str:
        """Return a loop over values that cannot be."""
        names, sound = self.placed, {"rank": 0, "world_size": self.world, "batch_size": self.size}
        offers = [{**sound, name: value} for name, value in impossible_values(self.case) if name in names]
        values = ", ".join(str(tuple(offer[name] for name in names)) for offer in offers)
        return f"for {', '.join(names)}{',' * (len(names) == 1)} in ({values}):"

    def consumed(self, done: str) -> str:
        """How many samples all ranks have yielded since training began, as a script counts them."""
        taken = f"len({self.flat(done)}) * {self.places}"
        whole = f"len({self.flat('whole[0]')}) * {self.places}" if self.total is None else str(self.total)
        before = f"{self.epoch} * {whole} + " if self.later else ""
        is_known = not self.endless and (self.total is not None or done == "done")
        return f"{before}min({taken}, {whole})" if is_known else taken
