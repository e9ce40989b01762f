"""Drawing: Hypothesis as a generator of cases, by its public API, untouched by users' profiles.

Called by the large search. Hypothesis' own shrinking is left off: cases shrink on the kit's order.
"""

from __future__ import annotations

from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import seed as seeded
from hypothesis.configuration import set_hypothesis_home_dir, storage_directory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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

    with _home_elsewhere():
        each()


@contextmanager
def _home_elsewhere() -> Iterator[None]:
    """Keep what Hypothesis notes of loaded modules out of the working directory."""
    home: Any = storage_directory(intent_to_write=False)
    with TemporaryDirectory(prefix="samplercheck-") as folder:
        set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            set_hypothesis_home_dir(getattr(home, "path", home))
