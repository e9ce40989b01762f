"""What a subject is to a DataLoader, which loaders a pass opens, and how its workers start and end.

Used by the experiments ``epochs``, ``workers`` and ``pickled``, inside a rank. A loader of the user's own is
known by the torch loaders that it opens, or by batches that only a collate function makes. Imports no torch.
"""

from __future__ import annotations

import multiprocessing
import sys
import warnings
from array import array
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

from samplercheck.experiments._ports import Guard
from samplercheck.experiments._reading import append
from samplercheck.experiments._values import is_of_values
from samplercheck.experiments.loaders import (
    is_loader,
    is_of_torch,
    is_stream,
    loaders_in,
    roles_of,
    setters_of,
)
from samplercheck.experiments.seat import Seat
from samplercheck.targets.parcel import open_parcel, seal
from samplercheck.values.record import Pass

GIVEN = ("dataset", "collate_fn", "worker_init_fn")
"""What the workers of a loader get: under spawn it is pickled, and the loader is not."""
STRETCH, STRETCH_OF_SPAWNED = 2.0, 12.0
TRIES, SECONDS_TO_END = 2, 2.0
PREFETCHED = 2


class OpenedLoaders:
    """Lists each torch loader that starts a pass within it; entered for every case, so it is quick."""

    __slots__ = ("_kind", "_original")

    def __enter__(self) -> list[Any]:
        opened: list[Any] = []
        module = sys.modules.get("torch.utils.data.dataloader")
        # What torch, and whatever derives from it, iterates.
        self._kind = kind = getattr(module, "_BaseDataLoaderIter", None)
        if kind is not None:
            self._original = original = kind.__init__

            def note(iterator: Any, loader: Any) -> None:
                opened.append(loader)
                original(iterator, loader)

            kind.__init__ = note
        return opened

    def __exit__(self, *_: object) -> None:
        if self._kind is not None:
            self._kind.__init__ = self._original


def find_roles(seat: Seat) -> tuple[str, ...]:
    """Return the roles of a subject as its author builds it, with no workers where it takes a number."""
    changes = {"num_workers": 0} if "num_workers" in seat.binding.named else {}
    subject, _ = seat.attempt(seat.binding.build, seat.case, seat.rank, changes)
    if subject is None or is_of_torch(subject):
        return roles_of(subject)
    return roles_of(subject, loaders_of(seat, subject))


def loaders_of(seat: Seat, subject: Any) -> tuple[Any, ...] | None:
    """Return the torch loaders that a loader is, has open, or opens for its first step.

    None for what is no loader, and an empty tuple for one that does without torch's.
    """
    if is_of_torch(subject):
        return (subject,)
    if _needs_no_look(subject):
        return None
    looked, _ = seat.attempt(_look, subject, seat.sets_epochs)
    first, opened = looked or (None, ())
    opened = opened or _have_open(subject)
    named = "num_workers" in seat.binding.named
    loads = opened or is_loader(subject) or is_of_values(first) or (named and hasattr(first, "ndim"))
    return opened if loads else None


def _needs_no_look(subject: Any) -> bool:
    """Whether this is an object of torch's that is no loader."""
    data = sys.modules.get("torch.utils.data")
    return is_stream(subject) or (data is not None and isinstance(subject, data.Sampler))


def _look(subject: Any, sets_epochs: bool) -> tuple[Any, tuple[Any, ...]]:  # noqa: FBT001  (called by a seat)
    """Return the first step of a pass, and the torch loaders that it has opened."""
    for setter in setters_of(subject) if sets_epochs else ():
        setter(0)
    with OpenedLoaders() as opened:
        first = next(iter(subject), None)
    return first, tuple(opened)


def _have_open(subject: Any) -> tuple[Any, ...]:
    """Return the loaders of an object that keeps an iterator of one from pass to pass."""
    kind = getattr(sys.modules.get("torch.utils.data.dataloader"), "_BaseDataLoaderIter", ())
    held = getattr(subject, "__dict__", {}).values()
    return tuple(loaders_in(subject)) if any(isinstance(one, kind) for one in held) else ()


@contextmanager
def with_workers(guard: Guard, *, asked: bool = True) -> Iterator[Callable[[], None]]:
    """Allow workers the time they need to start, and end those that are still there afterwards.

    The function that is yielded ends them sooner: a loader that is let go waits seconds for a hung worker.
    They are all processes that were started meanwhile, whatever has become of their loaders. Where the kit
    ``asked`` for them, warnings about forking beside threads and about many workers say nothing about the
    target, and they are copies of this process as on Linux they were for all before Python 3.14.
    """
    before = set(multiprocessing.active_children())
    method = multiprocessing.get_start_method(allow_none=True)
    usual = multiprocessing.get_all_start_methods()[0]
    copies = asked and sys.platform == "linux" and (method or usual) == "forkserver"
    guard.stretch = STRETCH

    def end() -> None:
        for child in set(multiprocessing.active_children()) - before:
            with suppress(OSError, ValueError):
                child.terminate()
            for _ in range(TRIES):
                # torch raises in the middle of whatever runs when a worker of a loader that lives is ended.
                with suppress(OSError, ValueError, RuntimeError):
                    child.join(SECONDS_TO_END)
                    break

    try:
        # Entering it shows all warnings of the target again, so it is entered only where needed.
        with warnings.catch_warnings() if asked else nullcontext():
            if asked:
                warnings.filterwarnings("ignore", message=".*(multi-threaded|worker processes in total).*")
            if copies:
                multiprocessing.set_start_method("fork", force=True)
            yield end
    finally:
        if copies:
            multiprocessing.set_start_method(method, force=True)
        guard.stretch = 1.0
        end()


class Sealed:
    """Stands for an object that arrives in a worker as itself."""

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __reduce__(self) -> tuple[Any, ...]:
        return _unseal, (seal("What a worker is given", {"thing": self.thing}),)


def _unseal(parcel: bytes) -> Any:
    return open_parcel(parcel)["thing"]


@contextmanager
def spawn_workers(loader: Any, guard: Guard) -> Iterator[None]:
    """Let a torch loader start its workers as fresh interpreters, and allow them the time.

    They run no main module again. Dataset and functions travel as a target does, so that those of a test, a
    script or a file do as well; whether they pickle by themselves is the question of another experiment.
    """
    given, stretch = {name: vars(loader)[name] for name in GIVEN}, guard.stretch
    main = vars(sys.modules["__main__"])
    hidden: dict[str, Any] = {name: main.pop(name) for name in ("__file__", "__spec__") if name in main}
    main["__spec__"] = None
    vars(loader).update({name: Sealed(thing) for name, thing in given.items() if thing is not None})
    guard.stretch = STRETCH_OF_SPAWNED
    try:
        yield
    finally:
        guard.stretch = stretch
        vars(loader).update(given)
        main.update(hidden)


def goes_wrong(seat: Seat, of: list[int]) -> bool:
    """Whether workers have yielded other samples than there are without them, and not by their draws."""
    if seat.contract.coverage == "sampled" or 1 not in of:
        return False
    home, by_workers = (seat.record.passes[of.index(number)] for number in (0, 1))
    return sorted(home.items) != sorted(by_workers.items)


class Ahead:
    """Hands batches on, and reads each again when a loader with workers has asked for more of them."""

    def __init__(self, behind: Any, late: Pass) -> None:
        self.behind, self.late = behind, late

    def __iter__(self) -> Iterator[Any]:
        held: deque[Any] = deque()
        for batch in self.behind:
            held.append(batch)
            if len(held) > PREFETCHED:
                append(self.late, held.popleft())
            yield batch
        for batch in held:
            append(self.late, batch)


def ask_ahead(seat: Seat) -> bool:
    """Take a pass of a batch sampler and read what it yielded once more, as late as workers get it.

    They get the lists themselves, and a sampler that fills one again has by then changed it. No worker is
    started: whether it reads late enough to show that is luck. Return whether the target yields batches.
    """
    late = Pass(0, array("q"))
    seat.take(Ahead(seat.begin(seat.build(), 0), late), 0)
    if seat.record.passes[-1].sizes is None:
        seat.record.passes.clear()
        return False
    seat.record.passes.append(late)
    ways = ((0, None, False), (1, PREFETCHED, False))
    seat.record.notes.update(of=(0, 1), ways=ways, spawned=(), stopped={}, goes_on=False, ahead=True)
    return True
