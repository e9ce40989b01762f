"""Borders: the changes of what becomes of a state where a batch or an epoch ends.

Some save it only there, and what was taken since is left out of the pass that it goes on with: so it is told
whether a target is resumed rightly at borders, and only there. Others keep it from counting in epochs that it
is not of. Listed with their meaning in ``causes``. Imports the stand-ins, and with them torch.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from samplercheck.explain.change import Rebuild, otherwise_built, stand_before
from samplercheck.explain.stand_ins import size_of, with_epoch
from samplercheck.targets.binding import Binding
from samplercheck.targets.proxy import Proxy
from samplercheck.values.case import Case
from samplercheck.values.owed import compute_owed


class _SavedAtBorders(Proxy):
    """Saves the state of the last border and, beside it, how many items have been taken since.

    A border is where a pass begins and, of single samples, behind ``every`` items; without a number, where
    it ends.
    """

    def __init__(self, behind: Any, every: int | None) -> None:
        super().__init__(behind)
        self.every = every
        self.border: Any = None
        self.since = 0
        self.was_loaded = False

    def go_to(self, epoch: int) -> None:
        """Put the object into an epoch; in another one than it was, nothing is left out."""
        if epoch != self.epoch:
            self._forget()
        super().go_to(epoch)

    def __iter__(self) -> Iterator[Any]:
        return self.count(iter(self.behind))

    def count(self, items: Iterator[Any]) -> Iterator[Any]:
        """Leave out what was taken since the border that was loaded, and note every border on the way."""
        due = self.since if self.was_loaded else 0
        if not self.was_loaded:
            self._note()
        self.was_loaded = False
        for item in items:
            if due:
                due -= 1
                continue
            self.since += 1
            if self.every and (self.since >= self.every or size_of(item) is not None):
                self._note()
            yield item
        if self.every is None:  # a last batch that is short leaves no border behind
            self._forget()

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the last border; that is now where none has been passed."""
        border = self.behind.state_dict() if self.border is None else self.border
        return {"border": border, "since": self.since, "epoch": self.epoch}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go back to a border; the next pass leaves out what had been taken since."""
        self.behind.load_state_dict(copy.deepcopy(state["border"]))
        self.border, self.since, self.epoch = state["border"], state["since"], state["epoch"]
        self.was_loaded = True

    def _note(self) -> None:
        self.border, self.since = copy.deepcopy(self.behind.state_dict()), 0

    def _forget(self) -> None:
        self.border, self.since, self.was_loaded = None, 0, False


class _LeavingOut(Proxy):
    """Leaves so many samples out of its first pass."""

    def __init__(self, behind: Any, samples: int) -> None:
        super().__init__(behind)
        self.samples = samples

    def __iter__(self) -> Iterator[Any]:
        due, self.samples = self.samples, 0
        for item in self.behind:
            if due > 0:
                due -= size_of(item) or 1
            else:
                yield item


def _at_borders(*, of_batches: bool) -> Rebuild:
    """Move what is saved, or told as consumed, back to the last border."""

    def rebuild(binding: Binding, case: Case, rank: int, turned: dict[str, Any]) -> Any:
        every = case.batch_size if of_batches else None
        if "consumed" in turned:
            since, places = _since_border(binding, case, turned["consumed"], every)
            subject = binding.build(case, rank, {**turned, "consumed": turned["consumed"] - since})
            return _LeavingOut(subject, since // places)
        subject = binding.build(case, rank, turned)
        return _SavedAtBorders(subject, every) if hasattr(subject, "state_dict") else subject

    return rebuild


def _since_border(binding: Binding, case: Case, consumed: int, every: int | None) -> tuple[int, int]:
    """Return how many samples all ranks have consumed since the last border, and by how many that was."""
    owed = compute_owed(case, binding.contract, batched=False)
    in_epoch = consumed % owed.total if owed.total else consumed
    return in_epoch % (owed.places * every) if every else in_epoch, owed.places


class _SavedWithEpoch(Proxy):
    """Saves its epoch beside its state, and keeps in mind for which epoch the loaded state is."""

    restored: int | None = None

    def save(self) -> Any:
        """Save the epoch beside the state."""
        return {"epoch": self.epoch, "state": super().save()}

    def load(self, state: Any) -> None:
        """Load the state, and keep its epoch in mind."""
        self.restored = state["epoch"]
        super().load(state["state"])


class _Renewed(_SavedWithEpoch):
    """Another object, which was not resumed, takes its place after the first pass, and in other epochs."""

    def __init__(self, behind: Any, make: Callable[[], Any]) -> None:
        super().__init__(behind)
        self.make = make
        self.passes = 0

    def __iter__(self) -> Iterator[Any]:
        if self.passes or (self.epoch is not None and self.restored not in (None, self.epoch)):
            self.behind, self.restored = with_epoch(self.make(), self.epoch), None
        return self.count(iter(self.behind))

    def count(self, items: Iterator[Any]) -> Iterator[Any]:
        """Count the passes that have begun."""
        self.passes += 1
        yield from items


class _Counted(Proxy):
    """Leaves out a pass that is the resumed epoch once more, from its beginning."""

    rest: list[Any] | None = None
    """What came in the first pass after loading; None where nothing was loaded, or that is long ago."""
    is_loaded = False

    def load(self, state: Any) -> None:
        """Load the state, and note the next pass."""
        super().load(state)
        self.is_loaded = True

    def __iter__(self) -> Iterator[Any]:
        is_rest, self.is_loaded = self.is_loaded, False
        before, self.rest = self.rest, [] if is_rest else None
        if before:
            items = list(self.behind)
            is_again = items[-len(before) :] == before and len(before) < len(items)
            yield from list(self.behind) if is_again else items
            return
        rest = self.rest
        for item in self.behind:  # not read ahead: a state that is saved in the pass tells its place
            if rest is not None:
                rest.append(item)
            yield item


class _Unmoved(_SavedWithEpoch):
    """Is not told the epoch in which its state was saved once that is loaded: it is in that epoch."""

    def load(self, state: Any) -> None:
        """Load the state, and be in its epoch."""
        self.epoch = state["epoch"]
        super().load(state)

    def go_to(self, epoch: int) -> None:
        """Go to another epoch."""
        if epoch != self.restored:
            super().go_to(epoch)
        self.restored = None


def _of_its_epoch(binding: Binding, case: Case, rank: int, turned: dict[str, Any]) -> Any:
    total = compute_owed(case, binding.contract, batched=False).total
    if not total or "consumed" not in turned:
        return binding.build(case, rank, turned)
    return binding.build(case, rank, {**turned, "consumed": turned["consumed"] % total})


def _renew(binding: Binding, case: Case, rank: int, turned: dict[str, Any]) -> Any:
    if binding.contract.epochs == "advance":  # another object would begin with the first epoch again
        return binding.build(case, rank, turned)
    unset = {name: value for name, value in turned.items() if name not in ("consumed", "epoch")}
    return _Renewed(binding.build(case, rank, turned), lambda: binding.build(case, rank, unset))


on_batch_borders = otherwise_built(
    "the state of the last whole batch saved and the rest left out",
    _at_borders(of_batches=True),
    "batch_size",
)
at_ends = otherwise_built(
    "the state of the epoch's start saved, and what was yielded since then skipped",
    _at_borders(of_batches=False),
)
unmoved = otherwise_built("no set_epoch between loading and the resumed pass", stand_before(_Unmoved))
renewed = otherwise_built("another object in all passes but the resumed one", _renew)
of_its_epoch = otherwise_built("no samples consumed in epochs that are over", _of_its_epoch, "consumed")
counted = otherwise_built("a resumed epoch that comes once more left out", stand_before(_Counted))
