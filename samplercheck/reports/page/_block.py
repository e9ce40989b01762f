"""What the block of a failure tells that no field of a report does: training, and how to see it again.

Used by the page. Pure. The block is text that the kit has made, with one line for each thing it says.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Way", "training_of", "ways_of"]

TRAINING = "  In training: "
COLUMN = 22
WAYS = {
    "again": "again",
    "on another machine": "on another machine",
    "without this kit": "without this kit",
    "see it": "see it drawn",
    "more": "more about this law",
}


class Way(NamedTuple):
    """A labelled command."""

    label: str
    command: str


def training_of(block: str) -> str:
    """Return the sentences on what happens in training; empty where the block had no room for them."""
    for section in _sections(block)[1:2]:
        starts = [number for number, line in enumerate(section) if line.startswith(TRAINING)]
        if starts:
            lines = " ".join(line.strip() for line in section[starts[-1] :])
            return lines.removeprefix(TRAINING.strip()).strip()
    return ""


def ways_of(block: str) -> list[Way]:
    """Return the commands that the last section of the block shows, each with its label."""
    ways: list[Way] = []
    for line in (_sections(block) or [[]])[-1]:
        label, text = line[:COLUMN].strip(), line[COLUMN:]
        if label in WAYS:
            ways.append(Way(WAYS[label], text))
        elif not label and ways and ways[-1].command.endswith("\\"):
            ways[-1] = Way(ways[-1].label, f"{ways[-1].command}\n{text}")
        else:
            return []  # no commands, or a block of another version
    return ways


def _sections(block: str) -> list[list[str]]:
    """Return the parts of a block between empty lines, its rules left out."""
    lines = [line for line in block.splitlines() if not (line and set(line) == {"-"})]
    parts = "\n".join(lines).split("\n\n")
    return [part.splitlines() for part in parts if part]
