"""What the hot path of a watched loop takes down: raw things, that are written in time and are what was."""

from __future__ import annotations

import copy
import gc
import itertools
import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from torch.utils.data import DataLoader, Dataset, Sampler

import samplercheck as sc
from samplercheck.training import taps
from samplercheck.training.ledger_file import MOST_ROWS, Kind
from samplercheck.training.ledger_reader import read_ledger


@pytest.fixture
def seldom(monkeypatch):
    """Ledgers are not written because of the time."""
    monkeypatch.setattr(taps, "FLUSHED_EACH", 1e9)


def read(folder):
    """Return the one ledger of a folder."""
    (path,) = folder.glob("*.ledger")
    return read_ledger(path)


def count_batches(folder):
    return read(folder).cells["kind"].tolist().count(Kind.BATCH)


class Loop:
    """Some steps of a watched loop, of which nothing is written yet."""

    def __init__(self, folder, steps=3, data=range(64)):
        self.model = torch.nn.Linear(1, 1)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01)
        self.batches = iter(sc.watch(DataLoader(data, batch_size=4), folder, exact=True))
        self.step(steps)

    def step(self, steps=1):
        for _ in range(steps):
            self.model(next(self.batches).float().reshape(-1, 1)).sum().backward()
            self.optimizer.step()
            self.optimizer.zero_grad()


def test_what_may_be_part_of_a_checkpoint_is_preceded_by_its_records(tmp_path, seldom):
    loop = Loop(tmp_path / "ledger")
    assert count_batches(tmp_path / "ledger") == 0
    torch.save(loop.model.state_dict(), tmp_path / "checkpoint.pt")
    assert count_batches(tmp_path / "ledger") == 3
    loop.step()
    loop.optimizer.state_dict()
    assert count_batches(tmp_path / "ledger") == 4


def test_records_are_written_when_it_is_time_by_whatever_loader_is_iterated(tmp_path, monkeypatch):
    loop = Loop(tmp_path / "ledger")
    monkeypatch.setattr(taps, "FLUSHED_EACH", 0.0)
    with torch.no_grad():
        for _ in sc.watch(DataLoader(range(4)), tmp_path / "other"):
            pass
    assert count_batches(tmp_path / "ledger") == 3
    assert loop.batches is not None


def test_so_many_records_wait_and_no_more(tmp_path, seldom):
    Loop(tmp_path, MOST_ROWS + 9, range(8 * MOST_ROWS)).step(0)
    assert count_batches(tmp_path) > MOST_ROWS - 9


@pytest.mark.thorough
def test_a_process_that_was_forked_off_leaves_the_ledger_to_its_parent(tmp_path, seldom):
    loop = Loop(tmp_path)
    child = os.fork()
    if not child:
        loop.step()
        del loop
        gc.collect()
        taps.flush_all()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert count_batches(tmp_path) == 0
    loop.step()
    del loop
    gc.collect()
    assert count_batches(tmp_path) == 4


class Flawed(Dataset):
    """Samples of which one cannot be read."""

    def __len__(self):
        return 24

    def __getitem__(self, index):
        if index == 5:
            raise OSError("no such image")
        return index


@pytest.mark.parametrize("workers", [0, 2])
def test_batches_behind_one_that_failed_are_known_by_their_own_samples(tmp_path, workers):
    batches, delivered = (
        iter(sc.watch(DataLoader(Flawed(), batch_size=4, num_workers=workers), tmp_path, exact=True)),
        [],
    )
    while True:
        try:
            delivered += next(batches).tolist()
        except OSError:
            continue
        except StopIteration:
            break
    assert delivered == [0, 1, 2, 3, *range(8, 24)]
    assert read(tmp_path).ids().tolist() == delivered


class Refilled(Sampler):
    """Hands out one and the same list each time, with other samples in it."""

    def __init__(self):
        self.indices = [0] * 4

    def __iter__(self):
        for begin in range(0, 16, 4):
            self.indices[:] = range(begin, begin + 4)
            yield self.indices


def test_a_list_that_a_sampler_fills_again_is_written_as_it_was(tmp_path):
    for _ in sc.watch(DataLoader(range(16), batch_sampler=Refilled()), tmp_path, exact=True):
        pass
    assert read(tmp_path).ids().tolist() == list(range(16))


@pytest.mark.filterwarnings("ignore:You are using `torch.load`:FutureWarning")  # torch, before 2.6
def test_an_optimizer_is_copied_and_saved_as_without_a_tap(tmp_path):
    loop = Loop(tmp_path)
    for other in (copy.deepcopy(loop.optimizer), pickle.loads(pickle.dumps(loop.optimizer))):
        assert other.state_dict() == loop.optimizer.state_dict()
        other.step()
    bearer = copy.deepcopy(vars(loop.optimizer)[taps.CHOSEN])
    assert not hasattr(bearer, "take")


@pytest.mark.thorough
def test_weights_are_known_where_they_are_moved(tmp_path):
    loop = Loop(tmp_path, 1)
    for one in loop.model.parameters():
        one.data = one.data.clone()
    loop.step()
    loop.model.weight.data = torch.ones(1, 2)[:, ::2]  # not contiguous
    loop.step(2)
    del loop
    gc.collect()
    cells = read(tmp_path).cells
    assert len(set(cells["weights"][cells["kind"] == Kind.BATCH].tolist()) - {0}) == 4


class Shard(torch.nn.Parameter):
    """A parameter of which this rank has a part, as of torch's DTensor."""

    def to_local(self):
        return self.as_subclass(torch.Tensor)[:1]

    def detach(self):
        return self

    def numpy(self, *, force=False):
        raise RuntimeError(".numpy() is not supported for tensor subclasses.")


def test_parameters_that_are_shared_out_are_known_by_the_part_that_is_here(tmp_path):
    shard, nothing = Shard(torch.zeros(2)), torch.nn.Parameter(torch.zeros(0))
    optimizer = torch.optim.SGD([nothing, shard], lr=1.0)
    for batch in sc.watch(DataLoader(range(8), batch_size=2), tmp_path):
        shard.grad = torch.ones(2) * batch.sum()
        optimizer.step()
    cells = read(tmp_path).cells
    assert len(set(cells["weights"][cells["kind"] == Kind.BATCH].tolist()) - {0}) == 4


def test_parameters_that_cannot_be_read_are_not_known_and_do_no_harm(tmp_path):
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.empty(2, device="meta"))], lr=1.0)
    for _ in sc.watch(DataLoader(range(8), batch_size=2), tmp_path):
        optimizer.step()
    cells = read(tmp_path).cells
    assert cells["weights"].tolist() == [0] * len(cells)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("workers", "more"),
    [
        (0, {}),
        (2, {}),
        (1, {"prefetch_factor": 4}),
        (2, {"persistent_workers": True, "prefetch_factor": 1}),
    ],
)
def test_what_is_written_is_what_was_delivered_whatever_is_taken_ahead(tmp_path, workers, more):
    loader = DataLoader(range(40), batch_size=3, shuffle=True, num_workers=workers, **more)
    watched, delivered = sc.watch(loader, tmp_path, exact=True), []
    for left_after in (99, 4, 99):  # the second pass is left with batches that were taken ahead
        for step, batch in enumerate(watched, 1):
            delivered += batch.tolist()
            if step == left_after:
                break
    gc.collect()
    assert read(tmp_path).ids().tolist() == delivered
    assert len(delivered) == 40 + 12 + 40


@pytest.mark.thorough
def test_records_are_in_the_file_within_a_second_while_a_job_trains(tmp_path):
    assert taps.FLUSHED_EACH < 1
    code = "import sys; from tests.training.test_taps import Loop; loop = Loop(sys.argv[1], 1, range(4000))\n"
    code += "while True: loop.step(); print(flush=True); import time; time.sleep(0.05)"
    root = str(Path(sc.__file__).parents[1])
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": root},
    ) as job:
        steps = [time.monotonic() for _ in itertools.islice(job.stdout, 40)]
        job.kill()
    killed = time.monotonic()
    settled = sum(one < killed - 1 for one in steps)
    assert 1 <= settled <= count_batches(tmp_path)
