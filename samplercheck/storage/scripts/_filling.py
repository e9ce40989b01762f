"""From steps and checks as text to lines for one violation: the names are filled in, conditions decided.

Called by ``script_of``. A name is one of the values, or a method of the words in brackets behind it.
"""

from __future__ import annotations

import ast
import re
import textwrap
from typing import Any

from samplercheck.laws.law import Scope
from samplercheck.storage.scripts._case_text import CaseText
from samplercheck.storage.scripts._steps import PIECES
from samplercheck.storage.scripts._values import VALUES
from samplercheck.targets.features import feature, groups_of
from samplercheck.targets.provenance import Provenance, place_of
from samplercheck.values.batch_rules import READY, at_least, homogeneous
from samplercheck.values.case import Case
from samplercheck.values.finding import Violation

LAUNCHES = {
    r"\btime\.time\(": "time.time = lambda: 1e9  # a later launch has another time",
    r"\btime_ns\(": "time.time_ns = lambda: 10**18  # a later launch has another time",
    r"\bgetpid\(": "os.getpid = lambda: 1  # a later launch has another process",
}
OFFERS: dict[str, tuple[int, ...]] = {"rank": (-1,), "world_size": (0, -1), "batch_size": (0, -1)}
NEAR_EPOCHS, MANY = (10, 7, 4), 48
CONDITION = re.compile(r"( *)(not )?([a-z_]+)\? ( *)(.*)")


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
        self.keeps, self.fixed = int(owed.tail == "keep"), contract.batches == "fixed" or not self.batched
        self.advances, self.moves = contract.advances, contract.epochs != "fixed"
        self.later = bool(seen.epoch)
        kind = seen.evidence.kind
        self.recurs, self.next, self.says = (kind == one for one in ("recurs", "next", "said"))
        # Where generators are shared, it was compared to the index if a step is named.
        alone = contract.ambient_rng == "independent" or seen.step is not None
        self.exact = alone and not contract.advances
        # Of a wrapper: its order is lost, an epoch does not come through, or the sampler inside is changed.
        self.ordered, self.keeps_epoch = bool(seen.indices), seen.epoch is not None and not seen.indices
        self.changes = not self.ordered and not self.keeps_epoch

    def __getattr__(self, name: str) -> Any:
        if name in PIECES:
            return "\n".join(self.fill(PIECES[name]))
        if name not in VALUES:
            raise AttributeError(name)
        return VALUES[name](self)

    def fill(self, text: str) -> list[str]:
        """Return the lines of a text in which all names are filled in and all conditions hold."""
        lines: list[str] = []
        for line in text.splitlines():
            kept = line
            while found := CONDITION.fullmatch(kept):
                indent, without, name, more, rest = found.groups()
                kept = indent + more + rest if bool(getattr(self, name)) != bool(without) else ""
            if kept.strip():
                depth = " " * (len(kept) - len(kept.lstrip()))
                lines += textwrap.indent(self._expand(kept.strip()), depth).splitlines()
        return lines

    def _expand(self, text: str) -> str:
        """Return text whose names are replaced, the last first: it may be in brackets behind another."""
        while (start := text.rfind("$")) >= 0:
            name = re.match(r"\w+", text[start + 1 :])
            assert name is not None, text
            end = start + 1 + name.end()
            value, words = getattr(self, name[0]), ""
            if callable(value):
                if text[end : end + 1] == "(":
                    words, end = _in_brackets(text[end:]), end + len(_in_brackets(text[end:])) + 2
                given, named = _read_arguments(words)
                value = value(*given, **named)
            value = "\n".join(value) if isinstance(value, list) else value
            text = f"{text[:start]}{value}{text[end:]}"
        return text

    def choose_ranks(self, which: str) -> None:
        """Set the ranks that carry out some steps."""
        share, rank, size = self.share_of(self.seen.rank), self.rank_value, self.contract.replicas
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

    def epochs_of(self, which: str) -> tuple[int, ...]:
        """Return the epochs of a walk: ``until`` that of the violation, all of the ``course``, and others."""
        visits = self.visits
        if which == "jumps":
            far = [epoch for epoch in visits[self.case.epochs :] if epoch in (self.epoch, 100, 1000)]
            order = (*far[::-1], *(NEAR_EPOCHS if far else ()), self.case.epochs - 1, 0)
            return order[: order.index(self.epoch) + 1] if self.epoch in order else order
        if which in ("until", "zero"):
            last = self.epoch if which == "until" else 0
            return visits[: visits.index(last) + 1] if last in visits else visits[:1]
        if which == "course" and self.recurs:
            return tuple(epoch for epoch in visits if epoch < 2**31)
        turns = self.case.epochs if self.argument == "shuffle" and self.moves else 1
        number = {"course": self.case.epochs, "many": MANY, "turns": turns, "whole": self.whole_epochs}
        few = min(self.case.epochs, 3) if self.moves else 1
        return tuple(range(number.get(which, self.loaded_epochs if which == "loaded" else few)))

    def walk(self, into: str, which: str, read: str = "") -> str:
        """Return lines that build an object and take epochs in order; the last pass is kept."""
        return "\n".join([*self.seed(), self.unseeded(into, which, read)])

    def unseeded(self, into: str, which: str, read: str = "") -> str:
        """Return the same lines, in whatever state the generators are."""
        epochs, taken = self.epochs_of(which), f"{into} = {read or self.read()}"
        only = len(epochs) == 1
        after = [*self.begin(str(epochs[0])), taken] if only else self._loop(epochs, taken)
        return "\n".join([self.build(), *after])

    def collect(self, into: str, which: str) -> str:
        """Return lines that build an object and keep the passes of epochs in a list."""
        return "\n".join([*self.seed(), self.build(), self.collected(into, which)])

    def collected(self, into: str, which: str) -> str:
        """Return the same lines for an object that is there."""
        loop = self._loop(self.epochs_of(which), f"{into}.append({self.read()})")
        return "\n".join([f"{into} = []", *loop])

    def _loop(self, epochs: tuple[int, ...], line: str) -> list[str]:
        begin = self.begin("epoch")
        number = f"range({len(epochs)})" if epochs == tuple(range(len(epochs))) else str(epochs)
        inside = textwrap.indent("\n".join([*begin, line]), "    ")
        return [f"for {'epoch' if begin else '_'} in {number}:", inside]

    def define(self, piece: str) -> str:
        """Let a piece stand above all others in the file, and nothing here."""
        self.helpers[piece] = "\n".join([*self.fill(PIECES[piece]), ""])
        return ""

    def each(self, times: int) -> str:
        """Return an expression of all samples, each so many times."""
        return f"Counter(range({self.n}))" if times == 1 else f"Counter([*range({self.n})] * {times})"

    def per_group(self, counter: str) -> str:
        """Return an expression that sums a counter of samples over the samples of each label or dataset."""
        counter = self._expand(f"${counter}") if counter in VALUES else counter
        groups = groups_of(self.case, self.named) if "datasets" in self.named else self.list_of("labels")
        return f"Counter({groups}[sample] for sample in {counter}.elements())"

    def size_of(self, passes: str) -> str:
        """Return what is compared of an epoch after a resumed one: where generators are shared its length."""
        scope = Scope(contract=self.contract, named=frozenset(self.named), traits=frozenset(self.traits))
        return f"len({passes})" if scope.may_draw_by_process else passes

    @property
    def launch(self) -> str:
        """The lines that change what another launch changes, if the target asks for it."""
        return "\n".join(line for pattern, line in LAUNCHES.items() if self.mentions(pattern))

    @property
    def shorter(self) -> str:
        """The lines that build another object of half the length, in its first epoch."""
        other = self.of(self.case.but(length=self.n // 2 + 1, features=()))
        return "\n".join([other.build("other"), *other.begin("0", "other")])

    @property
    def turned(self) -> str:
        """The lines that build an object with an argument changed."""
        other = {"batch_size": self.case.other_batch_size}
        value = other.get(self.argument, not getattr(self.case, self.argument))
        return self.build(**{self.argument: repr(value)})

    @property
    def offers(self) -> str:
        """Return a loop over values that cannot be."""
        sound = {"rank": 0, "world_size": self.world, "batch_size": self.size}
        names = [name for name in OFFERS if name in self.named]
        offers = [{**sound, name: value} for name in names for value in (*OFFERS[name], self.world)[:2]]
        values = ", ".join(str(tuple(offer[name] for name in names)) for offer in offers)
        return f"for {', '.join(names)}{',' * (len(names) == 1)} in ({values}):"

    @property
    def offered(self) -> str:
        """The line that builds with these values."""
        return self.build(**{name: name for name in OFFERS})

    def consumed(self, done: str) -> str:
        """How many samples all ranks have yielded since training began, as a script counts them."""
        taken = f"len({self.flat(done)}) * {self.places}"
        whole = f"len({self.flat('whole[0]')}) * {self.places}" if self.total is None else str(self.total)
        before = f"{self.epoch} * {whole} + " if self.later else ""
        is_known = not self.endless and (self.total is not None or done == "done")
        return f"{before}min({taken}, {whole})" if is_known else taken

    @property
    def watched(self) -> str:
        """A sampler to wrap that can be looked at."""
        return self.inner(self.wrapped, {}, is_watched=True)

    @property
    def rule_values(self) -> str:
        """The lines that say what the rule for batches looks at."""
        rule: Any = self.contract.batch_rule
        if type(rule) in READY:
            return f"values = {self.list_of(rule.feature)}"
        module, _, name = place_of(rule).rpartition(":")
        features = ", ".join(f'"{one}": {self.list_of(one)}' for one in ("labels", "lengths", "weights"))
        plain = "".join(f', "{key}": {value!r}' for key, value in self.case.options)
        return f"from {module} import {name} as rule\nfeatures = {{{features}{plain}}}"

    @property
    def against_rule(self) -> str:
        """The condition that a batch is against that rule."""
        rule: Any = self.contract.batch_rule
        if type(rule) not in READY:
            return "not rule(batch, features)"
        held, number = "{values[one] for one in batch}", "len({values[one] for one in batch})"
        if isinstance(rule, homogeneous):
            return f"{number} > 1"
        if isinstance(rule, at_least):
            values = len(set(feature(self.case, rule.feature)))
            return f"{number} < min(len(batch), {min(rule.number, values)})"
        most = dict(self.case.options)[rule.maximum] if isinstance(rule.maximum, str) else rule.maximum
        used = f"len(batch) * max({held})" if rule.padded else "sum(values[one] for one in batch)"
        return f"len(batch) > 1 and {used} > {most}"


def _in_brackets(text: str) -> str:
    """Return what stands in the brackets at the beginning of a text."""
    depth = 0
    for at, sign in enumerate(text):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if not depth:
            return text[1:at]
    return text[1:]


def _read_arguments(words: str) -> tuple[list[str], dict[str, str]]:
    """Return the expressions in brackets as they are written there, and those that have names."""
    source = f"call({words})"
    call: Any = ast.parse(source, mode="eval").body
    given = [source[one.col_offset : one.end_col_offset] for one in call.args]
    return given, {one.arg: source[one.value.col_offset : one.value.end_col_offset] for one in call.keywords}
