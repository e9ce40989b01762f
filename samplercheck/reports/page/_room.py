"""Room: how much of a page is left for something. What does not fit in is counted, never dropped unsaid.

Used by the page. Standard library alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Room", "shortened"]

LONGEST = 1_200


class Room:
    """A number of bytes that is used up."""

    def __init__(self, size: int) -> None:
        self._left = size

    def takes(self, text: str) -> bool:
        """Whether the text fits in; if so its room is used up."""
        size = len(text.encode())
        fits = size <= self._left
        self._left -= size if fits else 0
        return fits

    def fill(self, texts: Iterable[str]) -> list[str]:
        """Return the texts up to the first that does not fit in."""
        kept: list[str] = []
        for text in texts:
            if not self.takes(text):
                break
            kept.append(text)
        return kept


def shortened(text: object, most: int = LONGEST) -> str:
    """Return a text of at most ``most`` letters, its middle left out, which is said."""
    told = str(text)
    if len(told) <= most:
        return told
    half = (most - 40) // 2
    return f"{told[:half]} [... {len(told) - 2 * half:,} letters left out ...] {told[len(told) - half :]}"
