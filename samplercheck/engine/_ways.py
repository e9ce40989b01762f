"""By what a failure of this run can be seen again: told from the provenance and from what the store has kept.

Called by ``carry_out``, for the blocks of failures.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from samplercheck.reports.again import Ways

if TYPE_CHECKING:
    from collections.abc import Mapping

    from samplercheck.case import Case
    from samplercheck.recording import Provenance
    from samplercheck.store import Store

__all__ = ["ways_of"]


def ways_of(
    case: Case, provenance: Provenance, store: Store | None, scripts: Mapping[Case, Path | None]
) -> Ways:
    """Return the ways for one case; ``scripts`` has those that were stored, each with its script or None."""
    known = Ways(place=provenance.place, contract=provenance.contract, is_whole=not provenance.lacking)
    if store is None or case not in scripts:
        return known
    file, script = _seen_from_here(store.failures / f"{case.id}.json"), scripts[case]
    return Ways(
        place=known.place,
        contract=known.contract,
        is_whole=known.is_whole,
        stored=case.id if store.is_nearest(Path.cwd()) else file,
        is_shared=store.is_shared(case.id),
        file=file,
        script=_seen_from_here(script) if script is not None else "",
    )


def _seen_from_here(path: Path) -> str:
    """Return a path as one writes it in the working directory."""
    try:
        return min(str(path), os.path.relpath(path), key=len)
    except ValueError:  # on another drive
        return str(path)
