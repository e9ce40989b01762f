"""Progress: how far one phase of the search has come.

Made by the engine, shown by the command line; crosses from the supervised child as plain values.
Imports the standard library alone.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Progress"]


@dataclass(frozen=True, slots=True)
class Progress:
    """The phase ("stored", "small scope", "large"), the cases done and the cases planned.

    ``done`` equals ``planned`` at the end of a phase that was not cut.
    """

    phase: str
    done: int
    planned: int
