"""Salted: whether fresh processes yield something else because each has hashes of its own.

Asked at the end of a run, of a law that fresh processes alone break: one trial more thins the suspects.
"""

from __future__ import annotations

from typing import NamedTuple

from samplercheck.engine._groups import Groups
from samplercheck.engine._page import Page
from samplercheck.engine._search import Search
from samplercheck.values.trace import Trace

CAUSE = (
    "hash() of a text, or the order of a set of texts, decides: Python gives each process hashes of its own, "
    "and so each rank."
)
FIX = "Use zlib.crc32(text.encode()) in place of hash(text). Sort what comes out of a set."
EVIDENCE = "with PYTHONHASHSEED alike, two fresh processes yield the very same"


class Salt(NamedTuple):
    """What is said of a law where hashes alone make the difference."""

    cause: str = CAUSE
    evidence: str = EVIDENCE
    fix: str = FIX


def find_salted(search: Search, groups: Groups) -> dict[str, Salt]:
    """Return the laws that hold between fresh processes whose hashes are alike."""
    pages = [page for page in search.ledger.broken if "afresh" in page.kinds]
    return {page.law.code: Salt() for page in pages if _is_salted(search, groups, page)}


def _is_salted(search: Search, groups: Groups, page: Page) -> bool:
    """Whether other fresh processes yield what the first did, where nothing but their hashes is alike.

    Those list directories in another order, at another time, and have other numbers; a second time they have
    a past as well. Processes that differ from them in their hashes alone yield something else.
    """
    witness = page.example
    assert witness is not None
    case, twin = witness.case, witness.trace.twins.get("fresh")
    worlds = (alike := groups.fresh(lists_alike=False)), alike, groups.room_for(case)
    if twin is None or not twin.is_whole or None in worlds:
        return False
    first, second, other = (
        _passes(world.trace(search.binding, case, tuple(twin.records), search.kind))
        for world in worlds
        if world is not None
    )
    return first == second == _passes(twin) != other


def _passes(trace: Trace) -> list[tuple[bytes, object]]:
    """Return what all ranks yielded, nothing where one failed."""
    records = trace.of("epochs") if trace.is_whole else ()
    return [(one.items.tobytes(), one.sizes) for record in records for one in record.passes]
