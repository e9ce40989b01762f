"""Recorder: keeps the ledger of one watched loader in one process: what was delivered, what came of it.

A batch waits until it is known what became of it: an optimizer step, the next batch, or the end of the pass.
Used by ``watch``; told of gradients and steps by ``taps``.
"""

from __future__ import annotations

import os
import socket
import time
from typing import TYPE_CHECKING, Any
from weakref import finalize

import torch

from samplercheck import __version__
from samplercheck.training import stops, taps
from samplercheck.training.job import key_of, name_launch, place_of_rank
from samplercheck.training.ledger_file import (
    BACKWARD,
    EVALUATED,
    LEFT,
    LOAD,
    MARK,
    SAVE,
    START,
    STEP,
    TRAINED,
    TURN,
    Header,
    LedgerWriter,
)

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

FLUSHED_EACH = 0.1
"""Seconds after which records are on disk; whatever may be part of a checkpoint puts them there at once."""
UNKNOWN = 2**32 - 1


class Recorder:
    """The ledger of one loader in this process.

    ``traits`` are the fields of its header that say what the loader is.
    """

    def __init__(self, folder: Path, loader: str, *, exact: bool, traits: dict[str, Any]) -> None:
        self._folder, self._loader, self._exact, self._traits = folder, loader, exact, traits
        self._writer: LedgerWriter | None = None
        self._pid = 0
        self._reset()

    def _reset(self) -> None:
        self._waiting: tuple[int, int, NDArray[np.int64], int] | None = None
        self._has_gradients = False
        self._turn, self._step = 0, 0
        self.wants_start, self._is_trained_on, self._is_passing = True, False, False
        self._flushed = time.monotonic()

    @property
    def place(self) -> tuple[int, int]:
        """The number of the current pass and of the batches delivered in it."""
        return self._turn, self._step

    @property
    def is_passing(self) -> bool:
        """Whether a pass is under way."""
        return self._is_passing

    def begin(self, epoch: int | None, steps: int | None) -> None:
        """Begin a pass: over which epoch, as the sampler says, and of how many steps, as the loader says."""
        writer = self._open()
        self._settle()
        self._turn, self._step, self._is_passing = self._turn + 1, 0, True
        said = UNKNOWN if steps is None else steps
        writer.add(TURN, self._turn, said, word=0 if epoch is None else epoch + 1)

    def deliver(self, ids: NDArray[np.int64]) -> None:
        """Take note of a batch that is about to be handed out."""
        if self._waiting is not None:
            self._settle()
        stops.hear_batch(taps.flush_all)
        self._waiting = (self._turn, self._step, ids, 0 if torch.is_grad_enabled() else EVALUATED)
        self._has_gradients = False
        self._step += 1
        self._flush_in_time()

    def end(self, turn: int, steps: int, *, is_whole: bool) -> None:
        """End a pass: the loader had no more, or it was left, maybe when the next one had begun."""
        if turn == self._turn:
            self._settle()
            self._is_passing = False
        if self._writer is not None and os.getpid() == self._pid:
            self._writer.add_end(turn, steps, 0 if is_whole else LEFT)
        self.flush()

    def mark(self, number: int) -> None:
        """Take note that the loader's state is taken, under this number."""
        self._open().add(MARK, self._turn, self._step, word=number)
        self.flush()

    def load(self, number: int) -> None:
        """Take note that the state of this number is loaded."""
        self._open().add(LOAD, self._turn, self._step, word=number)
        self.flush()

    def hear_backward(self) -> None:
        """Gradients were computed."""
        self._has_gradients = True

    def hear_start(self, weights: int) -> None:
        """The first step is about to come."""
        if self._writer is not None and self.wants_start:
            self.wants_start = False
            self._writer.add(START, self._turn, self._step, weights=weights)

    def hear_step(self, weights: int) -> None:
        """An optimizer has stepped: the batch that waits was trained on."""
        if self._writer is None or os.getpid() != self._pid:
            return
        if self._waiting is not None:
            self._settle(TRAINED, weights)
            self._is_trained_on = True
        elif self._is_trained_on:
            self._writer.add(STEP, self._turn, self._step, weights=weights)
            if not self._is_passing:  # of a trainer that takes batches ahead, the last
                self.flush()
        self._flush_in_time()

    def hear_save(self, weights: int) -> None:
        """An optimizer's state was taken."""
        if self._writer is not None:
            self._writer.add(SAVE, self._turn, self._step, weights=weights)
            self.flush()

    def flush(self) -> None:
        """Hand to the system what is known."""
        self._flushed = time.monotonic()
        if self._writer is not None and os.getpid() == self._pid:
            self._writer.flush()

    def _flush_in_time(self) -> None:
        if time.monotonic() - self._flushed > FLUSHED_EACH:
            self.flush()

    def _settle(self, flags: int = 0, weights: int = 0) -> None:
        """Write the batch that waits, now that it is known what became of it."""
        one, self._waiting = self._waiting, None
        if one is None or self._writer is None:
            return
        turn, step, ids, before = one
        flags |= before | (BACKWARD if self._has_gradients else 0)
        self._writer.add_batch(turn, step, ids, flags, weights)

    def _open(self) -> LedgerWriter:
        """Return the writer of this process; one that was forked off begins a ledger of its own."""
        if self._writer is None or os.getpid() != self._pid:
            self._reset()
            key, job = key_of(self._folder, make=True)
            rank, world = place_of_rank()
            self._pid, now = os.getpid(), time.time_ns()
            header = Header(
                job=job,
                loader=self._loader,
                launch=name_launch(),
                rank=rank,
                world=world,
                started=now,
                host=socket.gethostname(),
                pid=self._pid,
                parent=os.getppid(),
                exact=self._exact,
                version=__version__,
                **self._traits,
            )
            name = "".join(char if char.isalnum() or char in "-." else "_" for char in self._loader)
            path = self._folder / f"{name}.{rank:05d}.{now:x}.{self._pid}.ledger"
            self._writer = LedgerWriter(path, header, key)
            taps.LISTENERS.add(self)
            taps.place_taps()
            finalize(self, self._writer.close)
        return self._writer
