"""Which loaders open a pass is seen wherever they are, and torch is left as it was."""

from __future__ import annotations

import multiprocessing
import random
import types

import pytest
import torch
from torch.utils.data import DataLoader
from torch.utils.data.dataloader import _BaseDataLoaderIter

import samplercheck as sc
from samplercheck.experiments._loader_workers import OpenedLoaders, with_workers
from samplercheck.worlds import open_world
from tests.sound.loaders import Moved

OPENING = _BaseDataLoaderIter.__init__


class Own(DataLoader):
    """A class derived from torch's."""


def test_every_loader_that_opens_a_pass_is_handed_out():
    plain, own = DataLoader([0, 1]), Own([2])
    with OpenedLoaders() as opened:
        assert [int(batch) for loader in (plain, own, plain) for batch in loader] == [0, 1, 2, 0, 1]
    assert opened == [plain, own, plain]
    list(plain)
    assert len(opened) == 3


def test_torch_is_put_back_whatever_happens():
    with pytest.raises(ValueError, match="mine"), OpenedLoaders():
        raise ValueError("mine")
    assert _BaseDataLoaderIter.__init__ is OPENING


class Drawing(Moved):
    """Draws on a global generator beside what its loader draws."""

    def __iter__(self):
        random.random()
        return super().__iter__()


def moved(build):
    """The generators that a target moved, and when."""
    binding = sc.target(build, "own", sc.Contract(epochs="fixed")).bind()
    with open_world("simulated") as world:
        trace = world.trace(binding, sc.Case(length=3, epochs=2), ("epochs",))
    assert not trace.faults
    return trace.of("epochs")[0].notes["moved"]


def test_the_draw_of_a_loader_is_its_own_affair_in_a_loader_of_ones_own_too():
    assert moved(lambda dataset: Moved(DataLoader(dataset))) == ()
    assert moved(lambda dataset: map(list, [*DataLoader(dataset)])) == ()


def test_what_else_is_drawn_is_told():
    assert moved(lambda dataset: Drawing(DataLoader(dataset))) == (("iterating", "random"),)


def test_without_a_loader_nothing_is_exempt():
    class Sampler:
        def __init__(self, length):
            self.length = length

        def __iter__(self):
            return iter(torch.randperm(self.length).tolist())

    assert moved(Sampler) == (("iterating", "torch"),)


class Worker:
    """A worker process; torch raises where it is waited for first, as it was ended by a signal."""

    def __init__(self):
        self.waits = 0

    def terminate(self):
        pass

    def join(self, _):
        self.waits += 1
        if self.waits == 1:
            raise RuntimeError("DataLoader worker (pid 7) is killed by signal: Terminated.")


def test_ending_workers_outlasts_what_torch_raises_because_they_end(monkeypatch):
    worker, present = Worker(), []
    monkeypatch.setattr(multiprocessing, "active_children", lambda: present)
    with with_workers(types.SimpleNamespace(stretch=1.0)) as end:
        present.append(worker)
        end()
    assert worker.waits >= 2
