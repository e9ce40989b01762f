"""Texts in sections: a heading in brackets, and the lines under it. And what scripts may have to define.

Read by the modules of text beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

VARYING = (
    "iter(lambda order=iter(self.sampler), sizes=itertools.cycle(({0} + 1, 1, {0})): "
    "list(itertools.islice(order, next(sizes))), [])"
)
BATCHES = """\
class Batches(BatchSampler):  # yields the same lists in every pass of an epoch
    batches = None

    def set_epoch(self, epoch):
        self.batches = self.sampler.set_epoch(epoch)

    def __iter__(self):
        self.batches = self.batches or list({})
        return iter(self.batches)
"""
INNER = """\
class Inner(SequentialSampler):
    epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch
"""
SHUFFLED = """
    def __iter__(self):
        order = random.Random(f"{0}/{{self.epoch}}").sample(range(len(self)), len(self))
        self.epoch += {1}
        yield from order
"""
INDICES = """\
def indices(item):  # the indices of a batch
    if isinstance(item, dict):
        return indices(next(item[name] for name in ("index", "idx", "id", *item) if name in item))
    return indices(item[0]) if isinstance(item, tuple) else torch.as_tensor(item).tolist()
"""

class Steps(NamedTuple):
    """The lines of a rank, for which ranks; of several ``result`` is put into ``into``, ``shown`` printed."""

    lines: str
    ranks: str
    into: str = ""
    shown: str = "taken"
    result: str = "taken"


def sections(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield the name, the rest of the heading and the lines of each section of a text."""
    for part in text.split("\n[")[1:]:
        head, _, lines = part.partition("\n")
        name, _, rest = head.partition("]")
        yield name, rest.strip(), lines


def read_steps(heading: str, lines: str) -> Steps:
    """Return the steps under a heading: ranks | into | shown | result."""
    ranks, *more = ("" if word == "-" else word for word in heading.split(" | "))
    if more == ["pairs"]:
        more = ["pairs", "first} and {second", "(first, second)"]
    return Steps(lines, ranks, *more)
