"""Axes: the values of a target's own options, enumerated from lists and drawn from strategies.

Called by the engine, and by what makes cases of a target. A Hypothesis strategy stands for many values: a
few of its examples enter the small scope and the report says how many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import product
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.errors import TargetError

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Options = tuple[tuple[tuple[str, Any], ...], ...]
"""Every combination of the values of a target's own options."""
DRAWN, FEW = 4, 4


def is_strategy(values: Any) -> bool:
    """Whether an axis is a Hypothesis strategy and not a list."""
    return hasattr(values, "flatmap")


def is_among(values: list[Any], value: Any) -> bool:
    """Whether a value is one of these; 1, 1.0 and True are three."""
    return any(value == own and type(value) is type(own) for own in values)


def combinations(axes: Mapping[str, Any], seed: int) -> Options:
    """Return every combination of the axes' values, as the options of cases in order of size."""
    names = sorted(axes)
    columns = [
        _draw_values(axes[name], name, seed) if is_strategy(axes[name]) else list(axes[name])
        for name in names
    ]
    found = {Case(length=0, options=tuple(zip(names, values, strict=True))) for values in product(*columns)}
    return tuple(case.options for case in sorted(found))


def batch_of(binding: Binding, asked: int, world_size: int) -> int:
    """Return the batch size of a case: the one that is asked for, or the target's own (docs/rules.md A1)."""
    return asked if "batch_size" in binding.varied else binding.own_batch.on(world_size)


def stretch(binding: Binding, length: int, batch: int) -> int:
    """Return as many samples for large batches of a target's own as these are for batches of a size."""
    own = binding.own_batch.size
    whole, more = divmod(length, batch)
    return length if own <= max(batch, FEW) or "batch_size" in binding.varied else whole * own + more


def case_for(binding: Binding, length: int, places: int, batch: int = 1, **others: Any) -> Case:
    """Return a case of so many places in the data, shuffled if it can be; what is not named is pinned."""
    world_size = places * binding.contract.replicas
    return Case(
        length=length,
        world_size=world_size,
        batch_size=batch_of(binding, batch, world_size),
        **{"shuffle": "shuffle" in binding.varied, **others},
    )


def _draw_values(strategy: Any, name: str, seed: int) -> list[Any]:
    """Return a few distinct values of a strategy, the same for the same seed."""
    values: list[Any] = []

    def keep(value: Any) -> None:
        if len(values) < DRAWN and not is_among(values, value):
            values.append(value)

    draw(strategy, keep, examples=DRAWN * 5, seed=seed)
    for value in values:
        if not isinstance(value, (bool, int, float, str, type(None))):
            raise TargetError(
                f"Axis {name} draws {value!r}: use a strategy of numbers, strings, bools or None."
            )
    return values


def draw(strategy: SearchStrategy[Any], use: Callable[[Any], None], *, examples: int, seed: int) -> None:
    """Hand ``examples`` values of a strategy to ``use``; the same seed gives the same values.

    Hypothesis' own shrinking is left off: cases shrink on the kit's order.
    """
    from hypothesis import HealthCheck, Phase, Verbosity, given, settings
    from hypothesis import seed as seeded

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
    from hypothesis.configuration import set_hypothesis_home_dir, storage_directory

    home: Any = storage_directory(intent_to_write=False)
    with TemporaryDirectory(prefix="samplercheck-") as folder:
        set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            set_hypothesis_home_dir(getattr(home, "path", home))
