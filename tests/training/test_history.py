"""What counts as trained on: loops of all kinds, in this process; none of them is sound and breaks a law."""

from __future__ import annotations

import gc
from weakref import ref

import pytest
import torch
from torch.utils.data import DataLoader, IterableDataset

import samplercheck as sc
from samplercheck.training import taps
from samplercheck.training.audit import read_folder
from samplercheck.training.ledger_file import Kind
from tests.training.jobs import broken

LENGTH, BATCH = 32, 4


class Loop:
    """A model that is trained on the batches that it is given."""

    def __init__(self):
        torch.manual_seed(0)
        self.model = torch.nn.Linear(1, 1)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01)

    def backward(self, batch):
        self.model(batch.float().reshape(-1, 1) / LENGTH).square().mean().backward()

    def step(self):
        self.optimizer.step()
        self.optimizer.zero_grad()

    def train(self, batch):
        self.backward(batch)
        self.step()


def watched(folder, data=None, **how):
    given = {name: how.pop(name) for name in ("ids", "name", "exact") if name in how}
    data = torch.arange(LENGTH) if data is None else data
    return sc.watch(DataLoader(data, batch_size=BATCH, **how), folder, **{"name": "train", **given})


def audit(folder, **asked):
    gc.collect()  # ledgers are closed with their loaders
    return sc.audit(folder, **asked)


@pytest.mark.thorough
def test_models_with_parameters_of_many_numbers_are_known_by_their_weights(tmp_path):
    loader = watched(tmp_path, shuffle=True)
    model = torch.nn.Sequential(torch.nn.Linear(1, 3), torch.nn.Linear(3, 2))
    optimizer = torch.optim.Adam(model.parameters())
    for batch in loader:
        model(batch.float().reshape(-1, 1)).square().mean().backward()
        optimizer.step()
    gc.collect()
    [ledger] = read_folder(tmp_path)["train"]
    weights = ledger.cells["weights"][ledger.cells["kind"] == Kind.BATCH]
    assert len(set(weights.tolist()) - {0}) == LENGTH // BATCH
    parameters = [ref(one) for one in model.parameters()]
    del model, optimizer
    gc.collect()
    assert not any(one() is not None for one in parameters)


@pytest.mark.thorough
@pytest.mark.parametrize("exact", [True, False])
def test_two_plain_epochs_hold(tmp_path, exact):
    loop, loader = Loop(), watched(tmp_path, shuffle=True, exact=exact)
    for _ in range(2):
        for batch in loader:
            loop.train(batch)
    report = audit(tmp_path)
    assert report.ok, str(report)


@pytest.mark.thorough
def test_a_trainer_that_takes_batches_one_ahead_is_sound(tmp_path):
    loop, loader = Loop(), watched(tmp_path, shuffle=True, exact=True)
    for _ in range(2):
        batches = iter(loader)
        current = next(batches)
        for following in batches:
            loop.train(current)
            current = following
        loop.train(current)
    report = audit(tmp_path)
    assert report.ok, str(report)


@pytest.mark.thorough
def test_a_pass_that_is_let_go_when_the_next_has_begun_ends_nothing_of_that(tmp_path):
    loop, loader = Loop(), watched(tmp_path, shuffle=True, exact=True)
    before = None
    for _ in range(3):
        current = iter(loader)
        first = next(current)
        before = current  # the pass before, not asked whether it has more, ends here
        loop.train(first)
        for _ in range(LENGTH // BATCH - 1):
            loop.train(next(current))
    del before, current
    report = audit(tmp_path)
    assert report.ok, str(report)
    assert [one.cases for one in report.tried] == [3]


@pytest.mark.thorough
def test_weights_are_known_where_gradients_are_computed_within_a_step(tmp_path):
    loop, loader = Loop(), watched(tmp_path, shuffle=True)
    for batch in loader:
        loop.optimizer.step(lambda batch=batch: loop.backward(batch))
    gc.collect()
    [ledger] = read_folder(tmp_path)["train"]
    assert (ledger.cells["weights"][ledger.cells["kind"] == Kind.BATCH] != 0).all()


@pytest.mark.thorough
def test_a_batch_amid_an_epoch_that_is_not_worth_a_step_counts_as_used(tmp_path):
    loop, loader = Loop(), watched(tmp_path, shuffle=True, exact=True)
    for number, batch in enumerate(loader):
        if number != 3:
            loop.train(batch)
    assert audit(tmp_path).ok


@pytest.mark.parametrize("leave", [pytest.param(False, marks=pytest.mark.thorough), True])
def test_validation_between_and_amid_epochs_is_left_out(tmp_path, leave):
    loop, loader = Loop(), watched(tmp_path, shuffle=True)
    validation = watched(tmp_path, name="validation")
    for _ in range(2):
        for number, batch in enumerate(loader):
            loop.train(batch)
            if number % 3 == 0:
                with torch.no_grad():
                    for _unused in validation:
                        if leave:
                            break
    report = audit(tmp_path)
    assert report.ok, str(report)
    assert report.target == "train"
    assert "validation: nothing was trained on, not judged" in report.notes


def test_an_audit_by_the_job_itself_reads_what_is_not_on_disk_yet(tmp_path, monkeypatch):
    monkeypatch.setattr(taps, "FLUSHED_EACH", 1e9)
    loop, loader = Loop(), watched(tmp_path)
    batches = iter(loader)
    for _ in range(3):
        loop.train(next(batches))
    (tried,) = sc.audit(tmp_path).tried
    assert "3 steps that the model comes from" in tried.scope


@pytest.mark.thorough
def test_a_peek_before_training_is_no_epoch(tmp_path):
    loop, loader = Loop(), watched(tmp_path, shuffle=True, exact=True)
    next(iter(loader))
    for batch in loader:
        loop.train(batch)
    report = audit(tmp_path)
    assert report.ok
    assert [one.cases for one in report.tried] == [1]


@pytest.mark.thorough
def test_epochs_that_are_left_early_are_not_judged(tmp_path):
    loop, loader = Loop(), watched(tmp_path, shuffle=True)
    for _ in range(3):
        for number, batch in enumerate(loader):
            loop.train(batch)
            if number == 4:
                break
    assert broken(audit(tmp_path)) == set()


def test_a_loader_that_always_comes_in_one_order_though_it_shuffles_is_found(tmp_path):
    loop, order = Loop(), torch.Generator()
    loader = watched(tmp_path, shuffle=True, generator=order)
    for _ in range(2):
        order.manual_seed(0)
        for batch in loader:
            loop.train(batch)
    assert broken(audit(tmp_path)) == {"SC1104"}


@pytest.mark.thorough
def test_a_sampler_that_loses_samples_is_found_where_the_length_is_told(tmp_path):
    loop, loader = Loop(), watched(tmp_path, sampler=list(range(LENGTH - BATCH)))
    for batch in loader:
        loop.train(batch)
    assert broken(audit(tmp_path)) == set()
    assert broken(audit(tmp_path, length=LENGTH)) == {"SC1101"}


class Stream(IterableDataset):
    def __init__(self, named):
        self.named = named

    def __iter__(self):
        return iter(
            [{"x": float(one), "id": f"sample {one}"} if self.named else one for one in range(LENGTH)]
        )


@pytest.mark.parametrize("ids", ["id", lambda batch: batch["id"], None])
def test_streams_are_known_by_what_is_said_or_by_content(tmp_path, ids):
    loop, loader = Loop(), watched(tmp_path, Stream(named=True), ids=ids, exact=True)
    for _ in range(2):
        for batch in loader:
            loop.train(batch["x"])
    report = audit(tmp_path, length=None)
    assert broken(report) == set()
    assert any("content" in note for note in report.notes) is (ids is None)


@pytest.mark.thorough
@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("ids", ["id", None])
def test_of_names_and_contents_a_length_says_how_many_there_are(tmp_path, ids, exact):
    loop, loader = Loop(), watched(tmp_path, Stream(named=True), ids=ids, exact=exact)
    for batch in loader:
        loop.train(batch["x"])
    assert broken(audit(tmp_path, length=LENGTH)) == set()
    assert broken(audit(tmp_path, length=LENGTH + 1, contract=sc.Contract(tail="keep"))) == {"SC1101"}


@pytest.mark.thorough
def test_a_job_without_an_optimizer_is_judged_by_delivery_and_told_so(tmp_path):
    for _ in watched(tmp_path, shuffle=True, exact=True):
        pass
    report = audit(tmp_path)
    assert report.ok
    assert report.notes == ("no optimizer stepped on a batch: what was delivered is judged",)


def test_a_key_that_no_batch_has_is_an_error(tmp_path):
    with pytest.raises(sc.SamplerCheckError, match=r"ids='name' is not in a batch, which holds x, id"):
        next(iter(watched(tmp_path, Stream(named=True), ids="name")))


def test_a_watched_loader_has_what_the_loader_has(tmp_path):
    loader = watched(tmp_path, shuffle=True)
    assert len(loader) == LENGTH // BATCH
    assert loader.batch_size == BATCH
    assert not hasattr(loader, "state_dict")


def test_samplers_and_batch_samplers_are_watched(tmp_path):
    sampler = torch.utils.data.RandomSampler(range(LENGTH))
    batches = torch.utils.data.BatchSampler(sampler, BATCH, drop_last=False)
    for name, one in (("samples", sampler), ("batches", batches)):
        for _ in sc.watch(one, tmp_path, exact=True, name=name):
            pass
    report = audit(tmp_path)
    assert report.ok
    assert report.target == "batches, samples"


@pytest.mark.filterwarnings("ignore:.*set_vital")
def test_a_stateful_loader_goes_on_by_its_own_state_with_a_mark(tmp_path):
    stateful = pytest.importorskip("torchdata.stateful_dataloader").StatefulDataLoader
    loop, data = Loop(), torch.arange(LENGTH)
    torch.manual_seed(1)

    def load():
        return sc.watch(stateful(data, batch_size=BATCH, shuffle=True), tmp_path, exact=True, name="train")

    loader = load()
    for number, batch in enumerate(loader):
        loop.train(batch)
        if number == 2:
            state, weights = loader.state_dict(), [one.clone() for one in loop.model.parameters()]
        if number == 4:
            break
    del loader
    again, resumed = load(), Loop()
    with torch.no_grad():
        for one, saved in zip(resumed.model.parameters(), weights, strict=True):
            one.copy_(saved)
    again.load_state_dict(state)
    for _ in range(2):
        for batch in again:
            resumed.train(batch)
    report = audit(tmp_path)
    assert report.ok, str(report)
    assert [one.cases for one in report.tried] == [2]
