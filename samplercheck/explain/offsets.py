"""Offsets: the changes of where an object that is resumed begins, and of the epochs in which it does so.

Listed with their meaning in ``causes``. Imports the stand-ins, and with them torch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from samplercheck.explain.change import otherwise_built, stand_before
from samplercheck.explain.stand_ins import with_epoch
from samplercheck.targets.binding import Binding
from samplercheck.targets.proxy import Proxy
from samplercheck.values.case import Case
from samplercheck.values.owed import compute_owed


class _Renewed(Proxy):
    """Another object, which was not resumed, takes its place after the first pass, and in other epochs."""

    def __init__(self, behind: Any, make: Callable[[], Any]) -> None:
        super().__init__(behind)
        self.make = make
        self.passes = 0
        self.restored: int | None = None

    def save(self) -> Any:
        """Save the epoch beside the state."""
        return {"epoch": self.epoch, "state": super().save()}

    def load(self, state: Any) -> None:
        """Keep in mind for which epoch the state is."""
        self.restored = state["epoch"]
        super().load(state["state"])

    def __iter__(self) -> Iterator[Any]:
        if self.passes or (self.epoch is not None and self.restored not in (None, self.epoch)):
            self.behind, self.restored = with_epoch(self.make(), self.epoch), None
        return self.count(iter(self.behind))

    def count(self, items: Iterator[Any]) -> Iterator[Any]:
        """Count the passes that have begun."""
        self.passes += 1
        yield from items


class _Unmoved(Proxy):
    """Is not told the epoch in which its state was saved once that is loaded: it is in that epoch."""

    def __init__(self, behind: Any) -> None:
        super().__init__(behind)
        self.restored: int | None = None

    def save(self) -> Any:
        """Save the epoch beside the state."""
        return {"epoch": self.epoch, "state": super().save()}

    def load(self, state: Any) -> None:
        """Keep in mind in which epoch the state was saved."""
        self.epoch = self.restored = state["epoch"]
        super().load(state["state"])

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


unmoved = otherwise_built("no set_epoch between loading and the resumed pass", stand_before(_Unmoved))
renewed = otherwise_built("another object in all passes but the resumed one", _renew)
of_its_epoch = otherwise_built("no samples consumed in epochs that are over", _of_its_epoch, "consumed")
