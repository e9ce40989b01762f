"""SC1104 in short epochs: judged where equal orders can be no accident; else it is said that it is not."""

from __future__ import annotations

import gc
import random

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader

import samplercheck as sc
from samplercheck.laws.history import reshuffles
from samplercheck.values.deliveries import Window
from samplercheck.values.finding import Outcome
from tests.support.histories import HeldDeliveries, a_history


def history(orders, world=1, shuffled=True):
    """A history of epochs whose samples are dealt out to ranks one by one, the tail filled up."""
    length = len(orders[0])
    epochs = []
    for order in orders:
        dealt = np.array([*order, *order[: -length % world]])
        shares = (dealt[rank::world] for rank in range(world))
        words = [(np.ones_like(own), own.astype(np.uint64), own.astype(np.uint64)) for own in shares]
        epochs.append([HeldDeliveries(Window(*one)) for one in words])
    return a_history(epochs, length=length, shuffled=shuffled, sampler="DistributedSampler")


def shuffle(length, epochs, seed=0):
    draws = random.Random(seed)
    return [draws.sample(range(length), length) for _ in range(epochs)]


def judge(seen):
    """Return how many epochs are called repeated; None where the law sees nothing."""
    return len(list(reshuffles.judge(seen))) if reshuffles.sees(seen) else None


@pytest.mark.parametrize(
    ("length", "world", "epochs", "all_alike", "two_alike"),
    [
        (4, 1, 3, None, None),
        (8, 1, 2, None, None),  # 1 in 40,320
        (8, 1, 3, 2, 0),
        (8, 2, 5, 4, 0),
        (11, 1, 3, 2, 1),
        (12, 4, 3, 2, 1),  # 3 samples a rank, and 12 of all ranks
        (64, 2, 3, 2, 1),
    ],
)
def test_orders_are_compared_where_an_accident_is_out_of_the_question(
    length, world, epochs, all_alike, two_alike
):
    different = shuffle(length, epochs)
    assert judge(history([different[0]] * epochs, world)) == all_alike
    assert judge(history([*different[:-1], different[0]], world)) == two_alike
    assert judge(history(different, world)) in (0, None)


@pytest.mark.thorough
def test_sound_shuffles_are_never_blamed():
    draws, seen = random.Random(0), 0
    for seed in range(2000):
        orders = shuffle(draws.randint(1, 9), draws.randint(2, 12), seed)
        found = judge(history(orders, draws.choice([1, 2, 3])))
        assert not found, orders
        seen += found is not None
    assert seen > 500


def test_a_sampler_that_shuffles_in_its_own_way_needs_longer_epochs():
    different = shuffle(15, 3)
    assert judge(history([*different, different[0]], shuffled=None)) is None
    different = shuffle(16, 3)
    assert judge(history([*different, different[0]], shuffled=None)) == 1


@pytest.mark.thorough
@pytest.mark.parametrize(("length", "epochs", "said"), [(4, 2, True), (8, 3, False), (32, 2, False)])
def test_an_audit_says_where_epochs_are_too_short(tmp_path, length, epochs, said):
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    order = torch.Generator()
    loader = DataLoader(torch.arange(float(length)), batch_size=2, shuffle=True, generator=order)
    watched = sc.watch(loader, tmp_path, name="train")
    for _ in range(epochs):
        order.manual_seed(0)
        for batch in watched:
            model(batch.reshape(-1, 1)).sum().backward()
            optimizer.step()
    del watched
    gc.collect()
    report = sc.audit(tmp_path)
    words = f"SC1104 is not judged: {epochs} whole epochs of {length} samples come in one order by accident"
    assert any(note.startswith(words) for note in report.notes) is said
    outcome = {one.code: one.outcome for one in report.results}["SC1104"]
    assert outcome is (Outcome.NOT_APPLICABLE if said else Outcome.BROKEN)
