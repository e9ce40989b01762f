"""Salted: whether the hashes of a process alone decide what a target yields, and by which line.

Asked while a run explains its broken laws, of those that compare fresh processes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from samplercheck.engine._explaining import Explanation
from samplercheck.engine._groups import Groups
from samplercheck.engine._page import Page
from samplercheck.engine._search import Search
from samplercheck.explain.lines import OwnCode
from samplercheck.explain.remedies import ORDERED
from samplercheck.values.trace import Trace
from samplercheck.values.wording import ASKS_FOR_HASH
from samplercheck.worlds import HomeWorld

SALT: dict[str, Any] = {
    "cause": "hash() of a text, or the order of a set of texts, decides: Python gives each process hashes of "
    "its own, and so each rank.",
    "evidence": "with PYTHONHASHSEED alike, two fresh processes yield the very same",
    "remedies": (ORDERED.value,),
}
"""What is said of a law where hashes alone make the difference."""
OF_HASHES = "For hash(text), use zlib.crc32(text.encode()).", "Sort what comes out of a set."


def explain_salted(
    search: Search, home: HomeWorld, groups: Groups, own: OwnCode | None, known: Mapping[str, Explanation]
) -> dict[str, Explanation]:
    """Return what is said of the laws that hold between fresh processes whose hashes are alike."""
    found = {}
    for page in search.ledger.broken:
        if "afresh" in page.kinds and _is_salted(search, groups, page):
            run = partial(home.trace, search.binding, page.witnesses[0].case, ("epochs",))
            line = own.telling_line("hashes", run) if own else ""
            fix = " ".join(OF_HASHES if line.endswith(ASKS_FOR_HASH) else OF_HASHES[::-1])
            one = known.get(page.law.code, Explanation())
            found[page.law.code] = replace(one, line=line, fix=fix, **SALT)
    return found


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
