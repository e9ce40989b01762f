"""Worlds: the ranks that a case runs in. One file each, imported by ``open_world`` and not before."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from samplercheck.values.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from samplercheck.targets.binding import Binding
    from samplercheck.values.case import Case
    from samplercheck.values.trace import Trace

SIMULATED = "simulated"
WORLDS = {
    SIMULATED: "samplercheck.worlds.simulated:SimulatedWorld",
    "gloo": "samplercheck.worlds.gloo:GlooWorld",
    "nccl": "samplercheck.worlds.nccl:NcclWorld",
    "attached": "samplercheck.worlds.attached:AttachedWorld",
}
ATTACHED, OTHER_NAMES = "attached", {"torchrun": "attached"}
GROUPS = ("gloo", "nccl")
"""The worlds whose ranks are processes of their own in a real process group."""

Spare = Literal["none", "usual", "most"]
_OF_GROUPS = ("deadlines", "max_ranks", "memory", "method", "turn")
_SETTINGS = {
    SIMULATED: ("deadlines", "give_up", "black_box", "careful", "known", "screens"),
    "gloo": _OF_GROUPS,
    "nccl": _OF_GROUPS,
    "attached": ("deadlines", "gather"),
}


class World(Protocol):
    """Carries experiments to ranks; it holds no opinion on what they record.

    ``spare`` says which passes simulated ranks may leave out because they should be those of their usual
    epochs: none; the usual ones, for which another object or other ranks stand; or most, which are then taken
    on two ranks alone. Real ranks leave out none.
    """

    name: str

    def trace(
        self, binding: Binding, case: Case, experiments: Sequence[str], kind: str = "", spare: Spare = "usual"
    ) -> Trace:
        """Run the experiments in every rank of one case and return what they recorded."""
        ...


class HomeWorld(World, Protocol):
    """The world in this process, a context manager: open for a whole run, and the one that holds Ctrl-C.

    ``guard.interrupted`` tells the user's own Ctrl-C from one that a target raises. ``actions`` are what its
    ranks can carry out, by name, ``notes`` what a report has to say of it.
    """

    guard: Any
    notes: Sequence[str]
    actions: Mapping[str, Callable[[Any], None]]

    def __enter__(self) -> HomeWorld: ...

    def __exit__(self, *_: object) -> None: ...


class GroupWorld(World, Protocol):
    """A world of real process groups, a context manager.

    Known before it is entered: ``most_ranks``, the largest world that it carries here, and
    ``unavailable``, which says why it carries none; empty where it does. In a world that is
    unavailable neither ``prepare`` nor ``trace`` is called.
    """

    most_ranks: int
    unavailable: str

    def __enter__(self) -> GroupWorld: ...

    def __exit__(self, *_: object) -> None: ...

    def prepare(self, binding: Binding) -> None:
        """Begin to start processes, and send the target there; TargetError if it cannot travel."""
        ...

    def hurry(self, deadlines: Any) -> None:
        """Wait no longer than this for ranks from now on."""
        ...


@runtime_checkable
class SeparateWorld(GroupWorld, Protocol):
    """A world of process groups that leaves this process as it is: another thread may wait for its ranks."""

    def stop(self) -> None:
        """End the wait for ranks that another thread is in, and carry out nothing more."""
        ...


def open_world(name: str, **settings: Any) -> Any:
    """Return the world called ``name``, ready to be entered: a ``HomeWorld`` or a ``GroupWorld``."""
    module, _, attribute = WORLDS[check_world(name)].partition(":")
    return getattr(import_module(module), attribute)(**settings)


def open_simulation(settings: Mapping[str, Any] | None = None) -> HomeWorld:
    """Return the simulated world with those of a run's settings that it takes, ready to be entered."""
    opened: HomeWorld = open_world(SIMULATED, **settings_for(SIMULATED, settings or {}))
    return opened


def check_world(name: str) -> str:
    """Return the name of a world; one that does not exist is refused with the nearest that does."""
    name = OTHER_NAMES.get(name, name)
    if name not in WORLDS:
        raise UsageError(f"World {name!r} does not exist. {did_you_mean(name, WORLDS)}")
    return name


def settings_for(name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of a run's settings that the world called ``name`` takes."""
    known = {setting for settings_of_one in _SETTINGS.values() for setting in settings_of_one}
    for setting in settings:
        if setting not in known:
            raise UsageError(f"World setting {setting!r} does not exist. {did_you_mean(setting, known)}")
    return {setting: value for setting, value in settings.items() if setting in _SETTINGS[name]}
