"""Sides of a comparison: a target in this process, or in another interpreter, which answers with traces.

The other interpreter needs torch and numpy, and not this kit: it loads the kit's own source from here, by its
place and without a search path, so that nothing else of this environment gets into it.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from copy import copy
from pathlib import Path
from typing import IO, Any

from samplercheck.targets.binding import Binding
from samplercheck.targets.locate import KIT
from samplercheck.targets.target import target
from samplercheck.values.case import Case
from samplercheck.values.choices import MAY_BE_FUNCTIONS
from samplercheck.values.contract import Contract
from samplercheck.values.errors import SamplerCheckError, TargetError, WorldError
from samplercheck.values.trace import Trace

Saved = tuple[tuple[bytes, int, int], ...]

OPENER = """
import importlib.util, os, sys
name, folder = "samplercheck", sys.argv[1]
spec = importlib.util.spec_from_file_location(
    name, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
)
sys.modules[name] = module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
sys.path[:0] = sys.argv[2:]
from samplercheck.running.comparing.sides import serve
serve()
"""


class LocalSide:
    """A target in simulated ranks of this process."""

    def __init__(self, name: str, binding: Binding, world: Any) -> None:
        self.name, self.named = name, binding.varied
        self.words = f"{binding.name} ({versions()})"
        self.contract = binding.contract
        self._binding, self._world = binding, world
        self._begun: tuple[Any, ...] = ()

    def start(self, case: Case, experiments: Sequence[str], saved: Saved = ()) -> None:
        """Remember what is asked: one process does one thing after the other."""
        self._begun = case, experiments, saved

    def answer(self) -> Trace:
        """Carry out the case that was begun, and return its trace."""
        case, experiments, saved = self._begun
        binding = copy(self._binding)
        binding.saved = saved or None
        trace: Trace = self._world.trace(binding, case, tuple(experiments))
        return trace


class ProcessSide:
    """A target in simulated ranks of another interpreter; a context manager."""

    def __init__(self, name: str, python: str, place: str, like: Binding) -> None:
        self.name, self.words = name, place
        self.named: frozenset[str] = frozenset()
        self.contract = like.contract
        self._python, self._place, self._like = python, place, like
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> ProcessSide:
        command = [self._python, "-c", OPENER, KIT, str(Path.cwd())]
        unset = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
        environment = {name: value for name, value in os.environ.items() if name not in unset}
        try:
            self._process = subprocess.Popen(  # noqa: S603  (the interpreter that the user has named)
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**environment, "PYTHONHASHSEED": os.environ.get("PYTHONHASHSEED", "0")},
            )
        except OSError as error:
            raise TargetError(
                f"--old-python {self._python!r} cannot be started: {error.strerror}. Name the python of an "
                "environment, as in old/bin/python."
            ) from None
        fields = self.contract.to_dict()
        # What may hold functions, no experiment of a comparison reads.
        plain = {name: value for name, value in fields.items() if name not in MAY_BE_FUNCTIONS}
        try:
            _write(self._pipes()[0], (self._place, plain, tuple(self._like.axes)))
            self.named, self.words = self._receive()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            questions, answers = self._pipes()
            answers.close()
            with suppress(BrokenPipeError):  # a question that it has not read
                questions.close()

    def start(self, case: Case, experiments: Sequence[str], saved: Saved = ()) -> None:
        """Send a case to the other process."""
        _write(self._pipes()[0], (case, tuple(experiments), saved))

    def answer(self) -> Trace:
        """Wait for the trace of the case that was sent."""
        case, records, rest = self._receive()
        return Trace(case, self.contract, records, **rest)

    def _receive(self) -> Any:
        try:
            kind, content = pickle.load(self._pipes()[1])
        except (EOFError, OSError):
            code = self._process.wait() if self._process is not None else None
            raise WorldError(
                f"The process of {self._python} ended with status {code}: it needs torch and numpy, and "
                f"Python 3.10 or later; what it wrote stands above."
            ) from None
        if kind == "error":
            raise TargetError(f"In {self._python}: {content}")
        return content

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        return process.stdin, process.stdout


Side = LocalSide | ProcessSide
"""One of two sides: its name, the parameters that it names, what it is in words, and its contract."""


def trace_with(side: Side, case: Case, experiments: Sequence[str], saved: Saved = ()) -> Trace:
    """Let a side carry out a case, going on from states that were saved elsewhere if there are any."""
    side.start(case, experiments, saved)
    return side.answer()


def _write(pipe: IO[bytes], message: object) -> None:
    with suppress(BrokenPipeError):  # the answer that does not come says why
        pickle.dump(message, pipe, protocol=4)
        pipe.flush()


def versions() -> str:
    """Return the versions that decide what a sampler of torch does, in words."""
    import torch

    return f"torch {torch.__version__}, Python {sys.version.split()[0]}"


def serve() -> None:
    """Answer for one target, in the other interpreter, until the pipe is closed."""
    questions = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the target prints is not an answer
    try:
        place, fields, axes = pickle.load(questions)
        found = target(place)
        binding = Binding(found.factory, Contract(**fields), dict.fromkeys(axes, ()), found.name)
        from samplercheck.worlds.simulated import SimulatedWorld
    except (SamplerCheckError, ImportError) as error:
        _write(answers, ("error", str(error)))
        return
    with SimulatedWorld() as world:
        side = LocalSide("OLD", binding, world)
        _write(answers, ("told", (side.named, side.words)))
        while True:
            try:
                case, experiments, saved = pickle.load(questions)
            except EOFError:
                return
            trace = trace_with(side, case, experiments, saved)
            rest = {name: getattr(trace, name) for name in ("faults", "deadlock", "not_carried")}
            _write(answers, ("told", (case, trace.records, rest)))
