"""Resumed: the changes of what an object keeps in its state and does with it, one habit at a time.

Listed with their meaning in ``causes``. Imports the stand-ins, and with them torch.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from samplercheck.experiments.states import copy_state, is_same
from samplercheck.explain.change import Rebuild, otherwise_built, stand_before, stand_before_new
from samplercheck.explain.stand_ins import with_epoch
from samplercheck.targets.binding import Binding
from samplercheck.targets.proxy import Proxy
from samplercheck.values.case import Case

END = object()
PLACES = ("rank", "world", "world_size", "num_replicas", "shard", "num_shards", "dp_rank", "dp_size")


class _OneAhead(Proxy):
    """Every item is asked for one step ahead."""

    def __iter__(self) -> Iterator[Any]:
        items = iter(self.behind)
        held = next(items, END)
        while held is not END:
            following = next(items, END)
            yield held
            held = following


class _Stateful(Proxy):
    """Its state is a dictionary of its own, beside the one of the object behind it."""

    def __init__(self, make: Callable[[], Any]) -> None:
        super().__init__(make())
        self.make = make
        self.begun = self.taken = self.skipped = 0
        self.opened = False

    def go_to(self, epoch: int) -> None:
        """Put the object into an epoch; nothing is taken of it yet."""
        if epoch != self.epoch:
            self.taken = self.skipped = 0
        super().go_to(epoch)

    def __iter__(self) -> Iterator[Any]:
        self.opened = True
        return self.count(iter(self.behind))

    def count(self, items: Iterator[Any]) -> Iterator[Any]:
        """Count the passes and, in each, the items."""
        self.opened, self.begun = False, self.begun + 1
        self.taken, self.skipped = self.skipped, 0
        for item in items:
            self.taken += 1
            yield item

    def state_dict(self) -> dict[str, Any]:
        """Return what is kept."""
        return {"behind": self.behind.state_dict(), **self.extra_state()}

    def extra_state(self) -> dict[str, Any]:
        """Return what is kept beside the state of the object."""
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a state."""
        self.behind.load_state_dict(state["behind"])


class _EpochBeside(_Stateful):
    """Is in its epoch again before it loads a state."""

    def __iter__(self) -> Iterator[Any]:
        before = copy_state(self.behind.state_dict())
        items = super().__iter__()
        # Where opening a pass changes nothing, the state is that of the end before.
        self.opened = not is_same(self.behind.state_dict(), before)
        return items

    def extra_state(self) -> dict[str, Any]:
        return {"epoch": self.epoch, "before": self.begun if self.opened else max(0, self.begun - 1)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        if state["epoch"] is not None:
            self.go_to(state["epoch"])
        for _ in range(0 if state["epoch"] is not None else state["before"]):
            list(self)
        super().load_state_dict(state)


class _Uninterrupted(_Stateful):
    """Once it has been resumed, it saves the state of an uninterrupted run at the same place."""

    was_loaded = False

    def extra_state(self) -> dict[str, Any]:
        return {"taken": self.skipped if self.opened else self.taken}

    def state_dict(self) -> dict[str, Any]:
        if not self.was_loaded:
            return super().state_dict()
        other, extra_state = with_epoch(self.make(), self.epoch), self.extra_state()
        opened = iter(other)
        list(islice(opened, extra_state["taken"]))
        return {"behind": other.state_dict(), **extra_state}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        self.was_loaded, self.skipped = True, state["taken"]


class _Kept(_Stateful):
    """Until an item is taken, it saves the state that it was loaded from."""

    held: Any = None

    def count(self, items: Iterator[Any]) -> Iterator[Any]:
        self.held = None
        return super().count(items)

    def state_dict(self) -> dict[str, Any]:
        return super().state_dict() if self.held is None else copy.deepcopy(self.held)

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.held = copy.deepcopy(state)
        super().load_state_dict(state)


class _Skipping(_Uninterrupted):
    """Begins its epoch again and leaves out what was done; where no epochs are set, behind as many passes."""

    before = 0

    def state_dict(self) -> dict[str, Any]:
        return {"epoch": self.epoch, "before": self.before, **self.extra_state()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.behind, self.epoch = with_epoch(self.make(), state["epoch"]), state["epoch"]
        self.skipped, self.before = state["taken"], state["before"]
        for _ in range(self.before if self.epoch is None else 0):
            list(self.behind)

    def __iter__(self) -> Iterator[Any]:
        self.opened = True
        return self.count(islice(iter(self.behind), self.skipped, None))

    def count(self, items: Iterator[Any]) -> Iterator[Any]:
        """Count the items, and the pass once it is over."""
        yield from super().count(items)
        self.taken, self.before = 0, self.before + 1


class _OnlyRead(_Stateful):
    """Lets a copy of the object say its state."""

    def state_dict(self) -> dict[str, Any]:
        return {"behind": copy.deepcopy(self.behind).state_dict()}


class _Plain(_Stateful):
    """Holds no numbers of numpy in its state."""

    def state_dict(self) -> dict[str, Any]:
        return {"behind": _plain(self.behind.state_dict())}


class _ClassKept(_Stateful):
    """Keeps the variables of the object's class in its state as well."""

    def extra_state(self) -> dict[str, Any]:
        return {"class": copy.deepcopy(_variables(self.behind))}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        for name, value in state["class"].items():
            setattr(type(self.behind), name, copy.deepcopy(value))
        super().load_state_dict(state)


class _InItsPlace(_Stateful):
    """Has its own rank and world size again after loading."""

    def load_state_dict(self, state: dict[str, Any]) -> None:
        mine = {name: value for name, value in vars(self.behind).items() if name.strip("_") in PLACES}
        super().load_state_dict(state)
        vars(self.behind).update(mine)


class _Refusing(Proxy):
    """Refuses a state that was saved in another place than its own."""

    def __init__(self, behind: Any, place: list[Any]) -> None:
        super().__init__(behind)
        self.own_place = place

    def state_dict(self) -> dict[str, Any]:
        return {"behind": self.behind.state_dict(), "place": self.own_place}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        if state["place"] != self.own_place:
            raise ValueError(state["place"])
        self.behind.load_state_dict(state["behind"])


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {_plain(name): _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(_plain, value))
    return value.tolist() if type(value).__module__ == "numpy" else value


def _variables(subject: Any) -> dict[str, Any]:
    """Return the variables of an object's class that no name tells to be Python's."""
    kinds = (bool, int, float, str, list, dict)
    owned = vars(type(subject)).items()
    return {name: value for name, value in owned if isinstance(value, kinds) and not name.startswith("__")}


def _refuse(binding: Binding, case: Case, rank: int, turned: dict[str, Any]) -> Any:
    place = [turned.get("rank", rank), turned.get("world_size", case.world_size), case.length]
    return _Refusing(binding.build(case, rank, turned), [*place, case.batch_size, case.seed])


def _where_set(*, sets: bool) -> Rebuild:
    """Put the epochs before in front of a state: of targets that set_epoch leads to one, or of all others."""

    def rebuild(binding: Binding, case: Case, rank: int, turned: dict[str, Any]) -> Any:
        if binding.contract.sets_epochs is not sets:
            return binding.build(case, rank, turned)
        return _EpochBeside(lambda: binding.build(case, rank, turned))

    return rebuild


asked_ahead = otherwise_built("every item asked for one step ahead", stand_before(_OneAhead))
epoch_beside = otherwise_built("the epoch brought back before loading", _where_set(sets=True))
passes_before = otherwise_built("the passes before it taken again before loading", _where_set(sets=False))
uninterrupted = otherwise_built(
    "a state of an uninterrupted run for every later one", stand_before_new(_Uninterrupted)
)
skipped_to = otherwise_built(
    "the epoch started again, and what was yielded before skipped", stand_before_new(_Skipping)
)
kept_until_taken = otherwise_built(
    "state_dict() giving the loaded state back until an item is taken", stand_before_new(_Kept)
)
only_read = otherwise_built("a copy asked for its state", stand_before_new(_OnlyRead))
made_plain = otherwise_built("plain numbers for numpy's in the state", stand_before_new(_Plain))
class_kept = otherwise_built("the variables of its class in the state", stand_before_new(_ClassKept))
in_its_place = otherwise_built(
    "its own rank and world size put back after loading", stand_before_new(_InItsPlace)
)
refusing = otherwise_built("states of other places refused", _refuse)
