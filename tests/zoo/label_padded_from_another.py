"""A label that does not fill its batch is filled up with another label.

Cause: the padding of a group is taken from the head of the whole order.
Hides at: labels whose numbers the batch size divides.
"""
from samplercheck.values.batch_rules import homogeneous
from tests.sound.batches import OneLabelABatch

SLUG = "label_padded_from_another"
SOURCE = "our own; samplers that group by label, task or aspect ratio"
STORY = "Some batches mix two tasks, and the loss of one is computed on samples of the other."


class Mixes(OneLabelABatch):
    def share(self):
        rounds, ids = super().share(), list(range(len(self.labels)))
        for batch in rounds:
            again = {i for i in batch if batch.count(i) > 1}
            for at, i in enumerate(batch):
                if i in again and batch.index(i) != at:
                    batch[at] = ids[0]                # BUG: filled up with whatever comes first
        return rounds


def bug(labels, batch_size, rank, world_size):
    return Mixes(labels, batch_size, rank, world_size, shuffle=True)


def sound(labels, batch_size, rank, world_size):
    return OneLabelABatch(labels, batch_size, rank, world_size, shuffle=True)


CONTRACT = dict(order="free", tail_unit="group", batch_rule=homogeneous("labels"))
AXES = {}
EXPECT = {"SC604"}
ALSO = {"SC103", "SC105"}
SMALLEST = dict(length=2, world_size=1, batch_size=2)
