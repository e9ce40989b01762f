"""Samplers with a contract of their own that nobody has declared: each as it should be, and with a bug.

Run under the default contract, as a new user runs them: that their bug shows at once is what is tested.
``forgets`` is the bug of most: the epoch does not reach the seed.
"""

from __future__ import annotations

import itertools
import zlib
from functools import partial

import torch


class Placed:
    """A rank's share of an order that a subclass makes."""

    def __init__(self, length, rank, world_size, *, forgets=False):
        if not 0 <= rank < world_size:
            raise ValueError("a rank lies within its world")
        self.length, self.rank, self.world_size, self.forgets = length, rank, world_size, forgets
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def generator(self, *more):
        named = repr((0 if self.forgets else self.epoch + 1, *more))
        return torch.Generator().manual_seed(zlib.crc32(named.encode()))

    def __iter__(self):
        return iter(self.share())

    def order(self):
        raise NotImplementedError

    def share(self):
        order = self.order()
        return order[self.rank :: self.world_size]

    def padded(self, order):
        total = -(-len(order) // self.world_size) * self.world_size
        return list(itertools.islice(itertools.cycle(order), total)) if order else []


class Weighted(Placed):
    """Draws as many samples as there are, by their weights, the same for all ranks, and deals them out."""

    def __init__(self, weights, rank, world_size, *, forgets=False):
        super().__init__(len(weights), rank, world_size, forgets=forgets)
        self.weights = torch.tensor(weights, dtype=torch.double)

    def order(self):
        total = -(-self.length // self.world_size) * self.world_size
        if not self.length:
            return []
        return torch.multinomial(self.weights, total, True, generator=self.generator()).tolist()


class Shuffled(Placed):
    """Shuffles, though nobody can ask for it."""

    def order(self):
        return self.padded(torch.randperm(self.length, generator=self.generator()).tolist())


class Uneven(Shuffled):
    """The same, but what does not divide goes to the first ranks, as in evaluation."""

    def padded(self, order):
        return order


class Chunked(Placed):
    """Every rank has a chunk of the dataset and shuffles that: ranks mix where the chunks change places."""

    def share(self):
        per_rank = -(-self.length // self.world_size)
        order = list(range(self.length))
        if not self.forgets:  # here it is the dealing that forgets the epoch
            order = torch.randperm(self.length, generator=self.generator()).tolist()
        order = self.padded(order)
        own = order[self.rank * per_rank : (self.rank + 1) * per_rank]
        inside = torch.Generator().manual_seed(self.epoch)
        return [own[place] for place in torch.randperm(len(own), generator=inside).tolist()]


class Grouped(Placed):
    """Shuffles inside each label and then the labels; what does not divide stays uneven."""

    def __init__(self, labels, rank, world_size, *, forgets=False):
        super().__init__(len(labels), rank, world_size, forgets=forgets)
        self.labels = labels

    def order(self):
        order = []
        for label in sorted(set(self.labels)):
            own = [index for index, other in enumerate(self.labels) if other == label]
            mixed = torch.randperm(len(own), generator=self.generator(label)).tolist()
            order += [own[place] for place in mixed]
        return order


class Balanced(Grouped):
    """Draws a label and then one of its samples, so that all labels come equally often."""

    def order(self):
        total = -(-self.length // self.world_size) * self.world_size
        generator, labels = self.generator(), sorted(set(self.labels))
        order = []
        for _ in range(total if labels else 0):
            label = labels[int(torch.randint(len(labels), (1,), generator=generator))]
            own = [index for index, other in enumerate(self.labels) if other == label]
            order.append(own[int(torch.randint(len(own), (1,), generator=generator))])
        return order


class Curriculum(Placed):
    """Easy samples first: sorted by their lengths, those of one length shuffled."""

    def __init__(self, lengths, rank, world_size, *, forgets=False):
        super().__init__(len(lengths), rank, world_size, forgets=forgets)
        self.lengths = lengths

    def order(self):
        mixed = torch.randperm(self.length, generator=self.generator()).tolist()
        return self.padded(sorted(mixed, key=lambda index: self.lengths[index]))


class Endless(Placed):
    """One shuffled round after the other, without an end; the bug forgets the last sample."""

    def __iter__(self):
        return itertools.islice(self.rounds(), self.rank, None, self.world_size)

    def rounds(self):
        for lap in itertools.count():
            if not self.length:
                return
            generator = torch.Generator().manual_seed(lap)
            last = max(1, self.length - 1) if self.forgets else self.length
            yield from torch.randperm(last, generator=generator).tolist()


class HungWhenEmpty(Endless):
    """The same, but an empty dataset keeps it searching, without a sample, round after round."""

    def rounds(self):
        for lap in itertools.count():
            yield from torch.randperm(self.length, generator=torch.Generator().manual_seed(lap)).tolist()


class WholeBatches(Placed):
    """Fills the last batch of every rank from the first samples; the bug counts samples, not batches."""

    def __init__(self, length, rank, world_size, batch_size, *, forgets=False):
        super().__init__(length, rank, world_size, forgets=forgets)
        self.batch_size = batch_size
        self.per_rank = -(-length // (batch_size * world_size)) * batch_size

    def __len__(self):
        return self.per_rank // (1 if self.forgets else self.batch_size)

    def __iter__(self):
        total = self.per_rank * self.world_size
        filled = list(itertools.islice(itertools.cycle(range(self.length)), total)) if total else []
        own = filled[self.rank :: self.world_size]
        return (own[at : at + self.batch_size] for at in range(0, len(own), self.batch_size))


class WholeRounds(Shuffled):
    """Leaves out what fills no round of whole batches."""

    def __init__(self, length, rank, world_size, batch_size, *, forgets=False):
        super().__init__(length, rank, world_size, forgets=forgets)
        self.batch_size = batch_size

    def padded(self, order):
        return order[: len(order) // (self.batch_size * self.world_size) * self.batch_size * self.world_size]

    def __iter__(self):
        own = self.share()
        return (own[at : at + self.batch_size] for at in range(0, len(own), self.batch_size))


class Halved(Shuffled):
    """Another half of the dataset in each epoch."""

    def padded(self, order):
        return order[: len(order) // 2 // self.world_size * self.world_size]


class Growing(Curriculum):
    """The shorter half and in each epoch some more (not so the bug); filled up for equal shares."""

    def order(self):
        shortest = sorted(range(self.length), key=lambda i: self.lengths[i])
        shortest = shortest[: self.length * min(10, 5 + (not self.forgets) * self.epoch) // 10]
        mixed = torch.randperm(len(shortest), generator=self.generator()).tolist()
        return self.padded([shortest[i] for i in mixed])


class Oversampled(Grouped):
    """Repeats samples until all labels are as large as the largest; drops what does not divide."""

    def order(self):
        kinds = sorted(set(self.labels))
        members = [[i for i, label in enumerate(self.labels) if label == one] for one in kinds]
        most = max(map(len, members), default=0)
        order = [i for own in members for i in itertools.islice(itertools.cycle(own), most)]
        mixed = torch.randperm(len(order), generator=self.generator()).tolist()
        return [order[i] for i in mixed[: len(mixed) // self.world_size * self.world_size]]


class Budgeted(Shuffled):
    """Batches of at most twelve tokens; drops the batches that the ranks cannot share evenly."""

    def __init__(self, lengths, rank, world_size, *, forgets=False):
        super().__init__(len(lengths), rank, world_size, forgets=forgets)
        self.lengths = lengths

    def padded(self, order):
        batches, used = [], 12
        for i in order:
            if used + self.lengths[i] > 12:
                batches, used = [*batches, []], 0
            batches[-1].append(i)
            used += self.lengths[i]
        return batches[: len(batches) // self.world_size * self.world_size]


class Longest(Placed):
    """An evaluation, the longest first, so that a lack of memory shows at once."""

    def __init__(self, lengths, rank, world_size, *, forgets=False):
        super().__init__(len(lengths), rank, world_size, forgets=forgets)
        self.lengths = lengths

    def order(self):
        order = sorted(range(self.length), key=lambda i: -self.lengths[i])
        return self.padded(order)


class WeightedByAnyGenerator(Weighted):
    """Draws with replacement on the generator that the whole process shares: its bug."""

    def generator(self, *more):
        return None if self.forgets else super().generator(*more)


class Laps(Placed):
    """Goes on without an end, ranks taking samples in turn; its bug gives each lap the seed of the first."""

    def __init__(self, length, rank, world_size, shuffle, *, forgets=False):
        super().__init__(length, rank, world_size, forgets=forgets)
        self.shuffle = shuffle

    def laps(self):
        for lap in itertools.count():
            seed = torch.Generator().manual_seed(0 if self.forgets else lap)
            yield from (
                torch.randperm(self.length, generator=seed).tolist() if self.shuffle else range(self.length)
            )

    def __iter__(self):
        if not self.length:
            return iter(())
        return itertools.islice(self.laps(), self.rank, None, self.world_size)


class LastChunk(Placed):
    """Shuffles, and drops what does not divide; its bug is that what fills no whole chunk never comes."""

    def __init__(self, length, rank, world_size, chunk_size=1024, *, forgets=False):
        super().__init__(length, rank, world_size)
        self.usable = length // chunk_size * chunk_size if forgets and length > chunk_size else length

    def share(self):
        order = torch.randperm(self.usable, generator=self.generator()).tolist()
        each = len(order) // self.world_size
        return order[self.rank * each : (self.rank + 1) * each]


class BalancedApart(Placed):
    """Each rank draws labels, and samples of them, by itself; its bug is that all ranks draw alike."""

    def __init__(self, labels, rank, world_size, *, forgets=False):
        super().__init__(len(labels), rank, world_size)
        self.labels, self.alike = labels, forgets

    def share(self):
        seed = self.generator(-1 if self.alike else self.rank)
        groups = [
            [i for i, one in enumerate(self.labels) if one == label] for label in sorted({*self.labels})
        ]

        def draw(most):
            return int(torch.randint(most, (), generator=seed))

        def pick(group):
            return group[draw(len(group))]

        return [pick(groups[draw(len(groups))]) for _ in range(-(-self.length // self.world_size))]


SAMPLERS = {
    "weighted": Weighted,
    "shuffled": Shuffled,
    "uneven": Uneven,
    "chunked": Chunked,
    "grouped": Grouped,
    "balanced": Balanced,
    "curriculum": Curriculum,
    "endless": Endless,
    "whole batches": WholeBatches,
    "whole rounds": WholeRounds,
    "halved": Halved,
    "growing": Growing,
    "oversampled": Oversampled,
    "budgeted": Budgeted,
    "laps": Laps,
    "last chunk": LastChunk,
    "balanced apart": BalancedApart,
}
"""As they should be, by their names."""

BUGS = {name: partial(made, forgets=True) for name, made in SAMPLERS.items()}
"""The same with their bugs."""
