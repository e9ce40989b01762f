"""Ledgers of large jobs, made without training, of samples dealt out as by DistributedSampler.

The order of an epoch is i -> (a * i + b) modulo the length, so that none is ever held.
"""

from __future__ import annotations

import math

import numpy as np

from samplercheck.training.job import key_of
from samplercheck.training.ledger_file import BACKWARD, CELL, TRAINED, Header, Kind, LedgerWriter, checks_of
from samplercheck.values.fingerprint import add_up

AT_ONCE = 2**15


def write_job(folder, *, world, steps, epochs=1, batch=4, uneven=0, die=None):
    """Write the ledgers of a job of so many steps a rank; with ``die`` it is killed there and goes on.

    ``uneven`` samples fewer than are dealt out are there, so that so many are repeated.
    """
    key, job = key_of(folder, make=True)
    each = steps // epochs
    length = each * world * batch - uneven
    spans = [(0, steps)] if die is None else [(0, die), (die - die % 100, steps)]
    for number, (begin, end) in enumerate(spans):
        for rank in range(world):
            header = make_header(job, rank, world, length, batch, number)
            path = folder / f"train.{rank:05d}.{number}.1.ledger"
            LedgerWriter(path, header, key).close()
            with path.open("ab") as file:
                for cells in cells_of(rank, world, begin, end, each, batch, length, key):
                    cells["check"] = checks_of(cells)
                    file.write(cells.tobytes())


def make_header(job, rank, world, length, batch, attempt):
    """Return what each file says of itself."""
    return Header(
        job=job,
        loader="train",
        launch=str(attempt),
        rank=rank,
        world=world,
        started=attempt * 10**9 + rank,
        host="host",
        pid=rank,
        parent=1,
        ids="sampler",
        exact=False,
        length=length,
        batch_size=batch,
        drop_last=False,
        shuffled=True,
        coverage="once",
        sampler="DistributedSampler",
        workers=0,
        version="0",
    )


def weights_after(steps):
    """Return what stands for the weights after so many steps."""
    return (steps.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)


def cells_of(rank, world, begin, end, each, batch, length, key):
    """Yield the cells of a rank from one step of the job to another, some at once."""
    for turn, epoch in enumerate(range(begin // each, -(-end // each)), 1):
        first, last = max(begin, epoch * each), min(end, (epoch + 1) * each)
        yield one_cell(Kind.TURN, turn, each - (first - epoch * each), first=epoch + 1)
        if turn == 1:
            yield one_cell(Kind.START, turn, 0, weights=int(weights_after(np.array([begin - 1]))[0]))
        for at in range(first, last, AT_ONCE):
            steps = np.arange(at, min(at + AT_ONCE, last))
            cells = np.zeros(len(steps), CELL)
            cells["kind"], cells["flags"], cells["turn"] = Kind.BATCH, TRAINED | BACKWARD, turn
            cells["step"], cells["count"] = steps - first, batch
            cells["weights"] = weights_after(steps)
            places = ((steps - epoch * each)[:, None] * batch + np.arange(batch)) * world + rank
            ids = permute(places.reshape(-1), length, epoch)
            for name, sums in zip(
                ("first", "second", "order"), add_up(ids, cells["count"], key), strict=True
            ):
                cells[name] = sums
            saves = np.flatnonzero((steps + 1) % 100 == 0) + 1
            saved = np.zeros(len(saves), CELL)
            saved["kind"], saved["turn"], saved["weights"] = Kind.SAVE, turn, cells["weights"][saves - 1]
            yield np.insert(cells, saves, saved)
        if last == (epoch + 1) * each:
            yield one_cell(Kind.END, turn, last - first)


def permute(places, length, epoch):
    """Return which sample comes at each place of an epoch; places behind the end begin again."""
    factor = int(length * 0.618) + epoch
    while math.gcd(factor, length) != 1:
        factor += 1
    halves = [(places >> shift) & 0xFFFF for shift in (0, 16)]  # so that no product is too large
    high = halves[1] * factor % length * 65536 % length
    return (halves[0] * factor % length + high + epoch * 7919) % length


def one_cell(kind, turn, step, *, first=0, weights=0):
    """Return one cell that is no batch."""
    return np.array([(kind, 0, 0, turn, step, 0, first, 0, 0, weights)], CELL)
