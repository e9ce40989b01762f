"""Which picture shows a law: the one table of law codes among pictures and scenes.

Laws that are not named here are shown by the epoch, or by the stopped run, that their violation names.
"""

from __future__ import annotations

from typing import NamedTuple

ORDERS_ALIKE = "orders that must be alike"
ORDERS_APART = "orders that must differ"
MEMBERS_APART = "members that must differ"
WHOLE_PASSES = "passes that must be alike"
TOTALS = "totals"
COUNTS_OF_A_PLACE = "counts of a place"


class Picture(NamedTuple):
    """How a law is shown: ``compared`` is the experiment whose orders are shown, ``twin`` another world."""

    name: str = ""
    compared: str = ""
    twin: str = ""

    @property
    def compares_passes(self) -> bool:
        """Whether passes are held against each other, in text or in pictures."""
        return self.name in (ORDERS_ALIKE, ORDERS_APART, MEMBERS_APART, WHOLE_PASSES)


PICTURES = {
    "SC106": Picture(TOTALS),
    "SC301": Picture(ORDERS_APART, "epochs"),
    "SC303": Picture(ORDERS_APART, "seeds"),
    "SC304": Picture(ORDERS_ALIKE, "jumps"),
    "SC305": Picture(MEMBERS_APART, "epochs"),
    "SC307": Picture(ORDERS_ALIKE, "reference"),
    "SC402": Picture(ORDERS_ALIKE, "again", twin="fresh"),
    "SC501": Picture(ORDERS_ALIKE, "again"),
    "SC502": Picture(ORDERS_ALIKE, "interleaved"),
    "SC503": Picture(ORDERS_ALIKE, "abandoned"),
    "SC504": Picture(ORDERS_ALIKE, "pickled"),
    "SC801": Picture(WHOLE_PASSES),
    "SC803": Picture(WHOLE_PASSES),
    "SC901": Picture(WHOLE_PASSES, twin="simulated"),
    "SC903": Picture(ORDERS_ALIKE, "unplaced"),
    "SC1002": Picture(COUNTS_OF_A_PLACE),
}


def picture_of(code: str) -> Picture:
    """Return how a law is shown; the nameless picture for one that is not in the table."""
    return PICTURES.get(code, Picture())
