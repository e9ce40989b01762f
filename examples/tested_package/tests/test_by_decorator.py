"""The first way: a decorator makes one test of each law."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shards.samplers import Strided, Unpadded, WholeBatches

import samplercheck as sc

if TYPE_CHECKING:
    from collections.abc import Callable

whole_batches = sc.target(WholeBatches, contract=sc.Contract(tail="drop", tail_unit="batch"))


@sc.parametrize_with_laws(Strided, whole_batches)
def test_sound(law: Callable[[], Any]) -> None:
    """Hold each law of the two sound samplers."""
    law()


@sc.parametrize_with_laws(Unpadded, select=["SC102", "SC104"])
def test_unpadded(law: Callable[[], Any]) -> None:
    """Show the bug: SC104 fails."""
    law()
