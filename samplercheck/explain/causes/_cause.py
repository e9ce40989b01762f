"""Cause: a change with what it means when a law that was broken holds with it.

Made by the other files of this package. Values alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from samplercheck.explain.change import Change
from samplercheck.explain.remedies import Remedy
from samplercheck.explain.tellings import Telling
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.contract import Contract

PARTITION = ("SC102", "SC103", "SC104", "SC105")
LENGTHS = ("SC201", "SC203")
ORDERS = ("SC301", "SC303", "SC304", "SC305", "SC306")
KEPT = ("SC304", "SC501", "SC502", "SC503")
BY_LUCK = (*KEPT, "SC302")
"""Laws that a shuffle of few samples keeps by luck, with some seeds."""
BY_ORDER = ("SC102", "SC103", "SC401")
"""Laws that ranks which shuffle by themselves keep by luck."""
DEALT = ("SC101", "SC107", "SC404", *PARTITION)
KEPT_HERE, SOMETHING = "{kept}", "one on the object for a position or a generator"
CHANGES = re.compile(r"; this changes (self\.\w+)$")
"""Which attribute a line changes, and what stands in a fix in its place where none is known."""
AT_ONCE = ", or seed and draw the whole order at once, as by list(super().__iter__())"
"""What is right as well of a generator, which a pass of the class above may read lazily."""
BATCHES = ("SC601", "SC602", "SC603", "SC604")
COMES_FROM: dict[str, tuple[Telling, ...]] = {
    **dict.fromkeys((*LENGTHS, "SC202"), ("len",)),
    **dict.fromkeys((*DEALT, *BATCHES), ("yields",)),
    "SC802": ("asks",),  # in this process: what workers run is not watched
    "SC301": ("once", "seeds", "orders"),
    **dict.fromkeys(("SC303", "SC401", "SC402"), ("seeds", "orders")),
    **dict.fromkeys(("SC305", "SC306", "SC1002"), ("orders", "seeds")),
    **dict.fromkeys(KEPT, ("keeps",)),
    "SC302": ("orders",),
    "SC403": ("draws",),
    "SC704": ("state",),
    "SC803": ("epoch",),
    "SC904": ("meets",),
    "SC804": ("state",),
}
"""What lines do from which that comes which breaks a law; the first that is found is told."""

CHAINED = "Join all passes to one endless order, and deal that out: islice(joined, rank, None, world_size)."
ON_NODES = dict.fromkeys(PARTITION, ("", "on several nodes"))
OF_ALL_NODES = (
    "Work out one number of samples for all ranks, such as ceil(length / world_size), and give each node as "
    "many as its ranks take together; a node is not the place to round."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """A change with what it means for some laws and how to fix it.

    ``matters`` asks for another thing than that the law holds: that the target yields the very same in all
    cases in which what is changed must make a difference, those that keep the law included.
    ``besides`` are changes that it includes, or that say more: where one of them alone makes the law hold,
    it says nothing.
    ``unless`` names laws: where one of them is broken, the change would say something else; so it would where
    none is broken of those that it shows ``along`` with. ``words`` has the
    sentence of a law for which there is more to say than for all, ``fixes`` the fix for a law, ``without``
    that for a target that lacks a method, ``having`` that for one with a trait. ``beside`` says what else is
    to be done where another law is broken for this cause as well; ``events`` has for a law such another one,
    or none, and after what a run then breaks it.
    ``meant`` says of a contract and names that what is changed is meant, or that the change tells too little,
    as of draws one epoch alone does.
    ``everywhere`` says that nearly each case that the change would change breaks the law.
    ``redraws`` says that another order comes with the change: the law has to hold under other seeds, too.
    It has to hold in ``longer`` cases as well, where small ones may be too small to fail.
    ``kind`` is that of the evidence which it explains, where it explains one kind alone.
    ``later`` are laws that it breaks only in passes after the first one.
    ``at`` says what the line does that is to be changed, where one can be found by that, of the laws in
    ``at_of`` alone if there are any; not so where what is seen of the target is ``elsewhere``.
    ``remedies`` may help, each by itself or with others, in a wrapper around the target.
    """

    laws: tuple[str, ...]
    change: Change
    sentence: str
    fix: str = ""
    matters: Callable[[Binding, Case], bool] | None = None
    besides: tuple[Change, ...] = ()
    unless: tuple[str, ...] = ()
    along: tuple[str, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    at: Telling | None = None
    at_of: tuple[str, ...] = ()
    elsewhere: str = ""
    later: tuple[str, ...] = ()
    meant: Callable[[Contract, AbstractSet[str]], bool] | None = None
    everywhere: bool = False
    redraws: bool = False
    longer: bool = False
    kind: str = ""
    words: Mapping[str, str] = field(default_factory=dict, hash=False)
    fixes: Mapping[str, str] = field(default_factory=dict, hash=False)
    without: Mapping[str, str] = field(default_factory=dict, hash=False)
    having: Mapping[str, str] = field(default_factory=dict, hash=False)
    beside: Mapping[str, str] = field(default_factory=dict, hash=False)
    events: Mapping[str, tuple[str, str]] = field(default_factory=dict, hash=False)

    def sentence_for(self, code: str) -> str:
        """Return what the change means for one of the laws."""
        return self.words.get(code, self.sentence)

    def event_for(self, code: str, also: Sequence[str]) -> str:
        """Return after what one of the laws is broken, with others for this cause; empty if it says so."""
        other, event = self.events.get(code, ("", ""))
        return event if not other or other in also else ""

    def place_for(self, code: str, kinds: AbstractSet[str]) -> Telling | None:
        """Return what the line does that is to be changed for a law, by the kinds of what was seen."""
        is_other = self.at_of and code not in self.at_of
        return None if is_other or (self.elsewhere and self.elsewhere in kinds) else self.at

    def fix_for(
        self, code: str, traits: AbstractSet[str] = frozenset(), also: Sequence[str] = (), line: str = ""
    ) -> str:
        """Return how one of the laws is to be kept by a target that has some traits, such as methods.

        ``also`` are the other laws that are broken for this cause. The ``line`` that decides it may name the
        attribute in which the object keeps what it should not.
        """
        named = CHANGES.search(line)
        special = [fix for trait, fix in self.having.items() if trait in traits]
        special += [fix for method, fix in self.without.items() if method not in traits]
        first = next(iter(special), self.fixes.get(code, self.fix))
        kept = named[1] if named else SOMETHING
        first = first.replace(KEPT_HERE, kept + AT_ONCE if "generator" in kept else kept)
        return " ".join([first, *(more for other, more in self.beside.items() if other in also)])
