"""Seat: what an experiment has in its rank: it builds the target, starts epochs and takes passes.

Runs inside a rank, in whichever world; every call into the target's code goes through here, under
the world's guard, so that an exception, a hang or an endless pass becomes a ``Fault`` that names
rank, epoch and step. Imports values alone, no world.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterator
from typing import Any

from samplercheck.experiments._ports import Ambient, Guard, Memory, Pace, Result
from samplercheck.experiments._reading import END, advance, append, consume, open_bare, open_pass
from samplercheck.experiments.loaders import HOME, Way, adjust, loaders_in, setters_of
from samplercheck.experiments.stopped import convert_error, stop_endless, why_no_length
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.contract import Contract
from samplercheck.values.limits import step_cap
from samplercheck.values.record import LONG, Length, Pass, Record
from samplercheck.values.stream import Stream


class Seat:
    """One rank's place in a world for one case.

    The world hands in the guard, which watches the time spent in the target's code, and the
    ambient generators. ``record`` is replaced for each experiment. ``in_step`` says that all ranks
    must do the same: there is a ``pace``, which keeps the ranks of a real group in step, or a ``memory``, as
    the target waits for the others in simulation. ``settled`` are the arguments that made a difference on a
    rank before; None where nothing is left out. Two ranks of a small world are resumed if it is ``by_two``.
    """

    def __init__(
        self,
        binding: Binding,
        case: Case,
        rank: int,
        *,
        guard: Guard,
        ambient: Ambient,
        pass_through: tuple[type[BaseException], ...] = (),
        pace: Pace | None = None,
        memory: Memory | None = None,
    ) -> None:
        self.binding = binding
        self.case = case
        self.rank = rank
        self.contract: Contract = binding.contract
        self.guard = guard
        self.ambient = ambient
        self.pass_through = pass_through
        self.in_step = pace is not None or memory is not None
        self.settled: set[str] | None = None
        self.asked: Collection[str] = ()  # the experiments of this case
        self.known: dict[str, Record] = {}  # the records of those that need not be run
        self.put: Callable[[int, int], None] | None = None  # makes this process a rank of another world
        self.pace, self._memory = pace, memory
        self.saved: list[Any] = []  # the states of the trial that is under way
        self.experiment = ""
        self.record = self.usual = Record()
        self.cap = step_cap(case, binding.contract)
        self._built_for, self.by_two = 0, False
        self.sets_epochs, self.starts_workers = binding.contract.sets_epochs, False
        self._may_load = "num_workers" not in binding.named  # so its loaders are to be given their workers
        self.phase = ""  # where the pass is that is being taken; a guard that must give up says so
        self.passing: Pass | None = None
        # A careful guard sees every step; what kills the process is then known to the step.
        self.stepping: Callable[[Iterator[Any]], Iterator[Any]] | None = getattr(guard, "stepping", None)

    def start(self, experiment: str) -> Record:
        """Begin a new experiment with an empty record."""
        self.usual = self.record if self.experiment == "epochs" else self.usual
        self.experiment, self.record = experiment, Record()
        return self.record

    def once(self, part: Callable[[], Result]) -> Result:
        """Do a part of an experiment; a rank that is run again does not repeat what has ended."""
        return part() if self._memory is None else self._memory.once(part)

    def build(self, **changes: Any) -> Any:
        """Return a new subject of this rank, some bound values changed (``seed=1``, ``rank=-1``)."""
        if self.contract.ambient_rng == "shared":
            self.ambient.share(self.case, watched="epoch" in changes)
        self._built_for = changes.get("epoch", 0)
        subject = self.within("build", None, self.binding.build, self.case, self.rank, changes)
        loaders = loaders_in(subject) if self._may_load else ()
        self.starts_workers = any(loader.num_workers for loader in loaders)
        if self.experiment == "epochs":  # what is built in this case later on is of the same kind
            self._may_load = bool(loaders)
        if loaders:
            return adjust(subject, Way.of(self.case.workers) if self.case.workers else HOME)
        return subject

    def begin(self, subject: Any, epoch: int) -> Any:
        """Start an epoch the way the contract says and return the subject to iterate."""
        if not self.sets_epochs:
            return subject
        for setter in setters_of(subject):
            self.within("set_epoch", epoch, setter, epoch)
        is_other = self.is_built_for_epochs(subject) and epoch != self._built_for
        return self.build(epoch=epoch) if is_other else subject

    def is_built_for_epochs(self, subject: Any) -> bool:
        """Whether what has no set_epoch of its own is built again for each epoch, which it is given."""
        return "epoch" in self.binding.named and not hasattr(subject, "set_epoch")

    def can_set_epoch(self, subject: Any) -> bool:
        """Whether there is a way to go to an epoch: set_epoch, an inner sampler's too, or building again."""
        return "epoch" in self.binding.named or bool(setters_of(subject))

    def run_epoch(self, subject: Any, epoch: int) -> Any:
        """Start an epoch, take its pass and return the subject to go on with."""
        setter = getattr(subject, "set_epoch", None) if self.sets_epochs and self.stepping is None else None
        if setter is None:
            subject = self.begin(subject, epoch)
        self.take(subject, epoch, setter=setter)
        return subject

    def take(
        self,
        subject: Any,
        epoch: int,
        *,
        limit: int | None = None,
        setter: Callable[[int], Any] | None = None,
    ) -> Pass:
        """Take one pass, or its first ``limit`` steps, into the record, set_epoch before it if given."""
        pass_ = self.passing = Pass(epoch, array("q"))
        self.phase = "iter" if setter is None else "set_epoch"
        self.guard.watch(self, self.phase, epoch, pass_)
        try:
            if setter is not None:
                setter(epoch)
                self.phase = "iter"
            iterator = open_bare(subject)
            self.phase = "next"
            if self.stepping is not None:
                iterator = self.stepping(iterator)
            consume(iterator, pass_, self.cap if limit is None else limit, subject)
        except BaseException as error:
            raise self.convert(error, self.phase, epoch, pass_) from None
        finally:
            self.guard.rest()
        if pass_.ending == "capped":
            if limit is None:
                self.check_ended(pass_)
            else:
                pass_.ending = "abandoned"
        self._save_room(pass_)
        self.record.passes.append(pass_)
        return pass_

    def open(self, subject: Any, epoch: int) -> tuple[Iterator[Any], Pass]:
        """Open an iterator that ``step`` advances, with an empty pass to fill."""
        pass_ = Pass(epoch, array("q"))
        self.record.passes.append(pass_)
        iterator = self.within("iter", epoch, open_pass, subject)
        return iterator if self.stepping is None else self.stepping(iterator), pass_

    def step(self, opened: tuple[Iterator[Any], Pass]) -> bool:
        """Advance an opened pass by one step; False at its end."""
        iterator, pass_ = opened
        if pass_.steps >= self.cap:
            return True  # a drain ends it, as it ends any pass at the cap
        item = self.within("next", pass_.epoch, next, iterator, END, step=pass_.steps)
        if item is END or pass_.strange:
            return False
        append(pass_, item)
        return not pass_.strange

    def drain(self, opened: tuple[Iterator[Any], Pass]) -> None:
        """Take what is left of an opened pass."""
        self._go_on(opened, consume, self.cap)
        self.check_ended(opened[1])
        self._save_room(opened[1])

    def advance(self, opened: tuple[Iterator[Any], Pass], steps: int) -> None:
        """Take so many steps of an opened pass and not one more; it stays open."""
        self._go_on(opened, advance, steps)
        opened[1].ending = "abandoned"

    def _go_on(self, opened: tuple[Iterator[Any], Pass], take: Callable[..., None], steps: int) -> None:
        iterator, pass_ = opened
        self.phase, self.passing = "next", pass_
        self.guard.watch(self, "next", pass_.epoch, pass_)
        try:
            take(iterator, pass_, steps)
        except BaseException as error:
            raise self.convert(error, "next", pass_.epoch, pass_.steps) from None
        finally:
            self.guard.rest()

    def ask_length(self, subject: Any, when: str, epoch: int) -> None:
        """Ask ``len()`` and record the answer; not every target has one."""
        self.guard.watch(self, "len", epoch, None)
        try:
            answer = Length(when, epoch, len(subject))
        except Exception as error:
            answer = Length(when, epoch, *why_no_length(subject, error))
        except BaseException as error:
            raise self.convert(error, "len", epoch) from None
        finally:
            self.guard.rest()
        self.record.lengths.append(answer)

    def attempt(self, action: Callable[..., Any], *arguments: Any) -> tuple[Any, Exception | None]:
        """Call something that may fail legally; return its result and its exception."""
        self.guard.watch(self, "build", None, None)
        try:
            return action(*arguments), None
        except Exception as error:
            return None, error
        except BaseException as error:
            raise self.convert(error, "build", None) from None
        finally:
            self.guard.rest()

    def within(
        self,
        phase: str,
        epoch: int | None,
        action: Callable[..., Any],
        *arguments: Any,
        step: int | None = None,
    ) -> Any:
        """Call the target's code; its error is raised as a fault in this phase."""
        self.guard.watch(self, phase, epoch, None)
        try:
            return action(*arguments)
        except BaseException as error:
            raise self.convert(error, phase, epoch, step) from None
        finally:
            self.guard.rest()

    def _save_room(self, pass_: Pass) -> None:
        """Narrow a long pass; if it repeats one, the usual of its epoch or the last, share its arrays."""
        if len(pass_.items) < LONG:
            return
        pass_.narrow()
        for one in (self.usual.pass_of(pass_.epoch), *self.record.passes[-1:]):
            if one is not None and one is not pass_ and pass_.same_as(one):
                pass_.share(one)
                return

    def check_ended(self, pass_: Pass | Stream) -> None:
        """End a pass that reached the cap: as it should for an endless target, else as a fault."""
        if pass_.ending == "capped" and not self.contract.endless:
            raise stop_endless(self, pass_)

    def convert(
        self, error: BaseException, phase: str, epoch: int | None, at: int | Pass | None = None
    ) -> BaseException:
        """Return what to raise instead of an error of the target's code: its fault, or what is none of it."""
        if isinstance(error, self.pass_through):
            return error
        self.guard.reraise(error)
        return convert_error(self, error, phase, epoch, at)
