"""Recorder: keeps the ledger of one watched loader in one process: what was delivered, what came of it.

A batch waits until it is known what became of it: an optimizer step, the next batch, or the end of the pass.
Used by ``watch``; told of gradients and steps by ``taps``.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any
from weakref import finalize

import torch

from samplercheck import __version__
from samplercheck.training import stops
from samplercheck.training.job import key_of, name_host, name_launch, place_of_rank
from samplercheck.training.ledger_file import (
    BACKWARD,
    EVALUATED,
    LEFT,
    TRAINED,
    UNKNOWN,
    Header,
    Kind,
    LedgerWriter,
)
from samplercheck.training.taps import HEARD, flush_all, flush_in_time, listen


class Recorder:
    """The ledger of one loader in this process.

    ``traits`` are the fields of its header that say what the loader is. It ``wants_start`` until it was told
    of the weights before a step, and ``is_passing`` while a pass is under way.
    """

    def __init__(self, folder: Path, loader: str, *, exact: bool, traits: dict[str, Any]) -> None:
        self._folder, self._loader, self._exact, self._traits = folder, loader, exact, traits
        self._writer: LedgerWriter | None = None
        self._reset()

    def _reset(self) -> None:
        self._waiting: tuple[int, int, bytes, int, int] | None = None
        self._turn, self._step = 0, 0
        self.wants_start, self._is_trained_on, self.is_passing = True, False, False

    @property
    def place(self) -> tuple[int, int]:
        """The number of the current pass and of the batches delivered in it."""
        return self._turn, self._step

    def begin(self, epoch: int | None, steps: int | None) -> None:
        """Begin a pass: over which epoch, as the sampler says, and of how many steps, as the loader says."""
        writer = self._open()
        self._settle()
        self._turn, self._step, self.is_passing = self._turn + 1, 0, True
        said = UNKNOWN if steps is None else steps
        writer.add(Kind.TURN, self._turn, said, word=0 if epoch is None else epoch + 1)

    def deliver(self, ids: bytes) -> None:
        """Take note of a batch that is about to be handed out, whose ids have eight bytes each."""
        if self._waiting is not None:
            self._settle()
            flush_in_time()
        if stops.STOP is not None:
            stops.STOP.hear_batch(flush_all)
        flags = 0 if torch.is_grad_enabled() else EVALUATED
        self._waiting = (self._turn, self._step, ids, flags, HEARD.gradients)
        self._step += 1

    def end(self, turn: int, steps: int, *, is_whole: bool) -> None:
        """End a pass: the loader had no more, or it was left, maybe when the next one had begun."""
        if turn == self._turn:
            self._settle()
            self.is_passing = False
        if self._writer is not None:
            self._writer.add(Kind.END, turn, steps, flags=0 if is_whole else LEFT)
        self.flush()

    def mark(self, number: int) -> None:
        """Take note that the loader's state is taken, under this number."""
        self._open().add(Kind.MARK, self._turn, self._step, word=number)
        self.flush()

    def load(self, number: int) -> None:
        """Take note that the state of this number is loaded."""
        self._open().add(Kind.LOAD, self._turn, self._step, word=number)
        self.flush()

    def hear_start(self, weights: bytes) -> None:
        """The first step of an optimizer is about to come."""
        if self._writer is not None and self.wants_start:
            self.wants_start = False
            self._writer.add(Kind.START, self._turn, self._step, weights=weights)

    def hear_step(self, weights: bytes) -> None:
        """Note a step: the batch that waits was trained on; no ``weights`` if a device would wait."""
        if self._waiting is not None and self._writer is not None:  # as in settling, but for a call
            turn, step, ids, flags, gradients = self._waiting
            self._waiting, self._is_trained_on = None, True
            flags |= TRAINED if HEARD.gradients == gradients else TRAINED | BACKWARD
            self._writer.add_batch(turn, step, ids, flags, weights)
        elif self._is_trained_on and self._writer is not None:
            self._writer.add(Kind.STEP, self._turn, self._step, weights=weights)
            if not self.is_passing:  # of a trainer that takes batches ahead, the last
                self.flush()

    def hear_save(self, weights: bytes) -> None:
        """An optimizer's state was taken, as for a checkpoint."""
        if self._writer is not None:
            self._writer.add(Kind.SAVE, self._turn, self._step, weights=weights)
            self.flush()

    def flush(self) -> None:
        """Hand to the system what is known."""
        if self._writer is not None:
            self._writer.flush()

    def leave(self) -> None:
        """Leave the ledger to the parent of this process, which was forked off."""
        if self._writer is not None:
            self._writer.leave()
            self._writer = None
        self._reset()

    def _settle(self) -> None:
        """Write the batch that waits, which no step came of."""
        if self._waiting is None:
            return
        turn, step, ids, flags, gradients = self._waiting
        self._waiting = None
        if self._writer is not None:
            flags |= 0 if HEARD.gradients == gradients else BACKWARD
            self._writer.add_batch(turn, step, ids, flags, b"")

    def _open(self) -> LedgerWriter:
        """Return the writer of this process; one that was forked off begins a ledger of its own."""
        if self._writer is None:
            key, job = key_of(self._folder, make=True)
            rank, world = place_of_rank()
            now = time.time_ns()
            header = Header(
                job=job,
                loader=self._loader,
                launch=name_launch(),
                rank=rank,
                world=world,
                started=now,
                host=name_host(),
                pid=os.getpid(),
                parent=os.getppid(),
                exact=self._exact,
                version=__version__,
                **self._traits,
            )
            name = "".join(char if char.isalnum() or char in "-." else "_" for char in self._loader)
            path = self._folder / f"{name}.{rank:05d}.{now:x}.{os.getpid()}.ledger"
            self._writer = LedgerWriter(path, header, key)
            listen(self)
            finalize(self, self._writer.close)
        return self._writer
