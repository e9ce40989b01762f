"""Called: what a rank does where a user's own test asks for it: it calls a function and keeps the result.

Runs inside a rank, like an experiment; no law reads it. Imports values alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from samplercheck.experiments.seat import Seat
from samplercheck.targets.parcel import open_parcel, seal


class Call:
    """A function with its arguments; as a factory it names nothing that the kit binds."""

    def __init__(
        self, function: Callable[..., Any], arguments: tuple[Any, ...], named: Mapping[str, Any]
    ) -> None:
        self.function = function
        self.arguments = arguments
        self.named = named

    def __call__(self) -> Any:
        """Call the function."""
        return self.function(*self.arguments, **self.named)


class Returned:
    """A result, which travels like a target, and not before it has to."""

    def __init__(self, name: str, value: Any) -> None:
        self._name = name
        self.value = value

    def __reduce__(self) -> tuple[Any, ...]:
        return _receive, (self._name, seal(self._name, {"value": self.value}))


def _receive(name: str, parcel: bytes) -> Returned:
    return Returned(name, open_parcel(parcel)["value"])


def run(seat: Seat) -> None:
    """Call the function, and keep what it returns."""
    returned = seat.within("call", None, seat.binding.factory)
    seat.record.notes["returned"] = Returned(f"What rank {seat.rank} returned", returned)
