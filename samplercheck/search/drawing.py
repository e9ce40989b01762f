"""Drawing: Hypothesis as a generator of cases, by its public API, untouched by users' profiles.

Called by the large search. Hypothesis' own shrinking is left off: cases shrink on the kit's order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import seed as seeded

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypothesis.strategies import SearchStrategy

__all__ = ["draw"]


def draw(strategy: SearchStrategy[Any], use: Callable[[Any], None], *, examples: int, seed: int) -> None:
    """Hand ``examples`` values of a strategy to ``use``; the same seed gives the same values."""

    @seeded(seed)
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        derandomize=False,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        print_blob=False,
    )
    @given(value=strategy)
    def each(value: Any) -> None:
        use(value)

    each()
