"""Audits of large jobs: memory does not grow with steps, and windows, parts and cuts change no outcome."""

from __future__ import annotations

import tracemalloc

import msgspec
import numpy as np
import pytest

import samplercheck as sc
from samplercheck.laws.history import trained_once
from samplercheck.training.audit import read_folder
from samplercheck.training.course import NEVER, Course
from samplercheck.training.job import key_of
from samplercheck.training.ledger_file import BACKWARD, CELL, MAGIC, TRAINED, Kind, LedgerWriter, checks_of
from samplercheck.values import deliveries
from samplercheck.values.deliveries import Window, find_unlike
from tests.support.histories import HeldDeliveries
from tests.support.large_ledgers import make_header, write_job
from tests.training.jobs import broken

MOST_GROWN = 2**20


def peak_of(folder, steps):
    folder.mkdir()
    write_job(folder, world=2, steps=steps)
    tracemalloc.start()
    try:
        report = sc.audit(folder)
        return report, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_steps(tmp_path):
    first, few = peak_of(tmp_path / "few", 100_000)
    second, many = peak_of(tmp_path / "many", 400_000)
    assert first.ok
    assert second.ok
    assert [one.outcome for one in first.results] == [one.outcome for one in second.results]
    assert many - few < MOST_GROWN, (few, many)


def test_a_job_that_was_killed_and_went_on_is_sound_however_long(tmp_path):
    write_job(tmp_path, world=2, steps=100_000, epochs=5, die=57_050)
    report = sc.audit(tmp_path)
    assert report.ok, str(report)
    assert {one.code: one.judged for one in report.results}["SC1102"] == 1
    assert "2 attempts, 2 ranks, 200000 steps that the model comes from" in report.tried[0].scope


def change(folder, rank, step, field, source=None):
    """Change one step of one rank, to another number or to what another step has."""
    [path] = folder.glob(f"train.{rank:05d}.0.*")
    content = bytearray(path.read_bytes())
    begin = len(MAGIC) + 4 + int.from_bytes(content[len(MAGIC) : len(MAGIC) + 4], "little")
    cells = np.frombuffer(content, CELL, offset=begin)
    batches = np.flatnonzero(cells["kind"] == Kind.BATCH)
    for name in ("first", "second", "order") if field == "sums" else (field,):
        cells[name][batches[step]] = 3 if source is None else cells[name][batches[source]]
    cells["check"] = checks_of(cells)
    path.write_bytes(content)


@pytest.mark.parametrize("held", [2**24, 1000])
def test_a_step_that_came_twice_is_found_in_parts_and_whole(tmp_path, monkeypatch, held):
    monkeypatch.setattr(trained_once, "MOST_HELD", held)
    write_job(tmp_path, world=2, steps=50_000, uneven=1)
    assert sc.audit(tmp_path).ok
    change(tmp_path, 1, 40_000, "sums", source=100)
    report = sc.audit(tmp_path)
    assert broken(report) == {"SC1101"}
    assert report.failures[0].failure.violation.found.endswith("steps that came twice, with 4 samples")


def write_exact(folder, epochs, length):
    """Write the ledger of one rank with ids, of epochs that are lists of samples in batches of two."""
    key, job = key_of(folder, make=True)
    header = msgspec.structs.replace(make_header(job, 0, 1, length, 2, 0), exact=True)
    writer = LedgerWriter(folder / "train.0.ledger", header, key)
    for turn, samples in enumerate(epochs, 1):
        batches = np.array_split(np.array(samples), len(samples) // 2)
        writer.add(Kind.TURN, turn, len(batches), word=turn)
        for step, ids in enumerate(batches):
            writer.add_batch(turn, step, ids.tobytes(), TRAINED | BACKWARD, b"")
        writer.add(Kind.END, turn, len(batches))
    writer.close()


@pytest.mark.parametrize(
    ("epochs", "length", "said"),
    [
        ([[3, 1, 0, 2]], 4, ""),
        ([[3, 1, 0, 3]], 4, "no 2 | 3 more than once"),
        ([[3, 1, 0, 2, 9, 9]], 4, "9 more than once"),
        ([[3, 1, 0, 2, -1, -1]], 4, "-1 more than once"),
        ([[3, 1, 0, 2], [3, 1, 0, 5]], None, ""),  # other samples from epoch to epoch
        ([[3, 1, 0, 2]], 2**62, f"{2**62 - 4} samples too few"),
    ],
)
def test_samples_are_counted_by_name_and_a_length_that_nothing_comes_near_is_only_said(
    tmp_path, epochs, length, said
):
    write_exact(tmp_path, epochs, length)
    report = sc.audit(tmp_path)
    found = [one.found for failure in report.failures for one in failure.failure.violations]
    assert " | ".join(one.partition(": ")[2] for one in found) == said


@pytest.mark.parametrize("held", [2**24, 64])
def test_one_step_again_and_again_is_counted_with_little_memory(monkeypatch, held):
    monkeypatch.setattr(trained_once, "MOST_HELD", held)
    same = np.zeros(200_000, np.uint64)
    taken = HeldDeliveries(Window(np.full(200_000, 3), same, same))

    class Epoch:
        stretches = (type("Stretch", (), {"taken": taken})(),)

    assert trained_once._count_twice(Epoch()) == 3 * 199_999


def test_a_size_that_differs_late_in_a_pass_is_found_with_its_step(tmp_path):
    write_job(tmp_path, world=3, steps=70_000)
    change(tmp_path, 2, 69_999, "count")
    report = sc.audit(tmp_path)
    assert broken(report) == {"SC1101", "SC1106"}
    assert "step 69999 of a pass has 4, 4 and 3 samples" in report.failures[1].failure.violation.found


def test_the_picture_of_many_passes_is_no_wider_than_others(tmp_path):
    write_job(tmp_path, world=1, steps=1000, epochs=100, die=500)
    change(tmp_path, 0, 300, "count")
    [failure, *_] = sc.audit(tmp_path).failures
    assert failure.code == "SC1101"
    assert max(map(len, failure.failure.grid)) < 100
    assert failure.failure.grid[-1] == "of 3 passes in a row one is drawn"


@pytest.mark.parametrize("windows", [(5, 5), (5, 3), (7, 64)])
def test_rows_are_compared_step_by_step_whatever_their_windows(monkeypatch, windows):
    monkeypatch.setattr(deliveries, "WINDOW", 128)
    base = np.arange(300, dtype=np.uint64)
    other = base.copy()
    other[250] = 9

    def row(orders, cut):
        return [HeldDeliveries(Window(part.astype(np.int64), part, part)) for part in np.split(orders, [cut])]

    rows = [row(base, windows[0]), row(other, windows[1])]
    assert find_unlike(rows, "orders") == (250, [250, 9])
    assert find_unlike([rows[0], rows[0], row(base[:40], 1)], "orders") is None
    assert find_unlike([rows[0], []], "orders") is None


def test_places_are_found_again_in_a_file_of_several_windows(tmp_path):
    write_job(tmp_path, world=1, steps=100_000, epochs=2)
    [ledger] = read_folder(tmp_path)["train"]
    course = Course(ledger)
    cells = ledger.cells
    assert len(cells) == ledger.outline.cells == 100_000 + 1000 + 5
    for high in (0, 1, 33_333, 50_000, 99_999, 100_000, NEVER):
        stretches = [course.stretch(0, turn, high) for turn in course.turns(high)]
        assert sum(len(one.taken) for one in stretches) == min(high, 100_000)
    assert (course.last_step_of(1), course.last_step_of(2)) == (50_000, 100_000)
    assert course.trained_in(2, 30_000).tolist() == [50_001, 80_001]


def test_passes_that_are_not_in_order_are_refused(tmp_path):
    write_job(tmp_path, world=1, steps=100, epochs=2)
    change(tmp_path, 0, 99, "turn", source=0)
    with pytest.raises(sc.SamplerCheckError, match="its passes are not in order"):
        sc.audit(tmp_path)
