"""A loader's state as of when its sampler had handed out no more than the loader has delivered."""

from __future__ import annotations

from collections import deque

from torch.utils.data import DataLoader, SequentialSampler

from samplercheck import Case, Contract
from samplercheck.binding import Binding
from samplercheck.explain.loaded import drawn_as_delivered

AHEAD = 2


class Counting(SequentialSampler):
    """Counts what it hands out."""

    drawn = 0

    def __iter__(self):
        for self.drawn, place in enumerate(super().__iter__(), 1):
            yield place


class Prefetching(DataLoader):
    """Asks for two samples ahead, as one that has workers does; its state is the sampler's."""

    sampler: Counting

    def __iter__(self):
        held = deque()
        for place in self._index_sampler:
            held.append(self.dataset[place])
            if len(held) > AHEAD:
                yield held.popleft()
        yield from held

    def state_dict(self):
        return {"drawn": self.sampler.drawn}


class Delivered(Prefetching):
    """Its state is of what it has yielded."""

    done = 0

    def __iter__(self):
        for self.done, sample in enumerate(super().__iter__(), 1):
            yield sample

    def state_dict(self):
        return {"done": self.done}


def states(kind):
    """The state after each sample, with the change and without it."""

    def factory(dataset):
        return kind(dataset, batch_size=None, sampler=Counting(dataset))

    binding = Binding(factory, Contract(), {}, "loader")
    loaders = [one.build(Case(length=5), 0, {}) for one in (binding, drawn_as_delivered.binding(binding))]
    return [[(sample, *loader.state_dict().values()) for sample in loader] for loader in loaders]


def test_a_state_that_counts_what_was_drawn_counts_what_was_delivered():
    assert states(Prefetching) == [
        [(0, 3), (1, 4), (2, 5), (3, 5), (4, 5)],
        [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)],
    ]


def test_a_state_that_counts_what_was_delivered_is_behind():
    assert states(Delivered) == [
        [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)],
        [(0, 0), (1, 0), (2, 0), (3, 1), (4, 2)],
    ]


def test_what_is_no_loader_is_left_as_it_is():
    binding = Binding(lambda length: range(length), Contract(), {}, "range")  # noqa: PLW0108  (range has no signature)
    assert drawn_as_delivered.binding(binding).build(Case(length=3), 0, {}) == range(3)
