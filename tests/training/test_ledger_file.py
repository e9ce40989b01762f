"""A file of a ledger: read as it was written, cut where it is torn, refused where it is none."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch.utils.data import DataLoader

import samplercheck as sc
from samplercheck import Outcome
from samplercheck.errors import SamplerCheckError
from samplercheck.training.ledger_file import CELL, Kind
from samplercheck.training.ledger_reader import read_ledger


def write(folder, *, exact, batches=3):
    """Write the ledger of one pass of three batches, and return its file."""
    for _ in sc.watch(DataLoader(range(4 * batches), batch_size=4), folder, exact=exact, name="one"):
        pass
    (path,) = folder.glob("*.ledger")
    return path


@pytest.mark.parametrize("exact", [True, False])
def test_a_ledger_says_what_was_delivered(tmp_path, exact):
    ledger = read_ledger(write(tmp_path, exact=exact))
    batches = ledger.cells[ledger.cells["kind"] == Kind.BATCH]
    assert batches["count"].tolist() == [4, 4, 4]
    assert ledger.cells["kind"].tolist().count(Kind.END) == 1
    assert ledger.ids().tolist() == (list(range(12)) if exact else [])
    assert (ledger.header.length, ledger.header.sampler) == (12, "SequentialSampler")


@pytest.mark.parametrize("exact", [True, False])
def test_a_file_cut_at_any_byte_of_its_end_is_read_up_to_there(tmp_path, exact):
    path = write(tmp_path, exact=exact)
    content, whole = path.read_bytes(), read_ledger(path)
    cells, ids = whole.cells, whole.ids()
    for lost in range(1, 4 * CELL.itemsize):
        path.write_bytes(content[:-lost])
        cut = read_ledger(path)
        assert len(cut.cells) < len(cells)
        assert np.array_equal(cut.cells, cells[: len(cut.cells)])
        assert np.array_equal(cut.ids(), ids[: len(cut.ids())])


@pytest.mark.parametrize("exact", [True, pytest.param(False, marks=pytest.mark.thorough)])
def test_a_file_cut_at_any_byte_of_its_last_two_records_is_audited_and_breaks_nothing(tmp_path, exact):
    path = write(tmp_path, exact=exact)
    content = path.read_bytes()
    for lost in range(2 * CELL.itemsize):
        path.write_bytes(content[: len(content) - lost])
        report = sc.audit(tmp_path)
        assert [one.code for one in report.results if one.outcome is Outcome.BROKEN] == [], lost


@pytest.mark.thorough
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 255)), min_size=1, max_size=4))
def test_a_file_that_anybody_changed_is_read_or_refused_in_a_sentence(tmp_path, changes):
    folder = tmp_path / "ledger"
    path = write(folder, exact=True) if not folder.exists() else next(folder.glob("*.ledger"))
    content = path.read_bytes()
    changed = bytearray(content)
    for place, value in changes:
        changed[place % len(changed)] = value
    path.write_bytes(changed)
    try:
        sc.audit(folder)
    except SamplerCheckError as error:
        assert str(error).endswith("."), error  # noqa: PT017  (either is fine: a report or this)
    finally:
        path.write_bytes(content)


def test_what_follows_a_torn_cell_is_cut(tmp_path):
    path = write(tmp_path, exact=False)
    content = bytearray(path.read_bytes())
    content[-2 * CELL.itemsize + 9] ^= 1
    path.write_bytes(content)
    assert len(read_ledger(path).cells) == 3


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "does not begin like one"),
        (b"\x80\x04\x95 a pickle", "does not begin like one"),
        (b"samplercheck ledger 1\n\n\xff\xff\xff\xff", "its header is cut, or too long"),
        (b"samplercheck ledger 1\n\n\x02\x00\x00\x00{}", "missing required field"),
        (b"samplercheck ledger 1\n\n\x02\x00\x00\x00[[", "Expected `object`"),
    ],
)
def test_what_is_no_ledger_is_refused(tmp_path, content, said):
    path = write(tmp_path, exact=False)
    path.write_bytes(content)
    with pytest.raises(SamplerCheckError, match=said):
        sc.audit(tmp_path)


def test_ledgers_of_another_job_or_twice_are_refused(tmp_path):
    path, other = write(tmp_path / "one", exact=False), write(tmp_path / "other", exact=False)
    shutil.copy(path, path.with_name("again.ledger"))
    with pytest.raises(SamplerCheckError, match="twice"):
        sc.audit(tmp_path / "one")
    path.with_name("again.ledger").unlink()
    shutil.copy(other, path.with_name("stranger.ledger"))
    with pytest.raises(SamplerCheckError, match="another job"):
        sc.audit(tmp_path / "one")


def test_a_ledger_of_a_rank_that_its_job_cannot_have_is_refused(tmp_path):
    path = write(tmp_path, exact=False)
    path.write_bytes(path.read_bytes().replace(b'"rank":0', b'"rank":1'))
    with pytest.raises(SamplerCheckError, match="rank 1 of 1"):
        sc.audit(tmp_path)


@pytest.mark.parametrize("what", ["missing", "empty"])
def test_a_folder_without_ledgers_is_refused(tmp_path, what):
    folder = tmp_path / what
    if what == "empty":
        folder.mkdir()
    with pytest.raises(SamplerCheckError, match="ledger"):
        sc.audit(folder)


def test_sums_are_those_of_the_key_and_tell_orders_apart(tmp_path):
    order = torch.randperm(12).tolist()
    for name, sampler in (("a", range(12)), ("b", order)):
        for _ in sc.watch(DataLoader(range(12), batch_size=12, sampler=sampler), tmp_path, name=name):
            pass
    a, b = (read_ledger(path).cells for path in sorted(tmp_path.glob("*.ledger")))
    batches = [one[one["kind"] == Kind.BATCH] for one in (a, b)]
    assert batches[0]["first"] == batches[1]["first"]
    assert batches[0]["second"] == batches[1]["second"]
    assert batches[0]["order"] != batches[1]["order"]
