"""The large search: cases far beyond the small scope, drawn by Hypothesis.

Called by the engine. What is drawn depends on the target's names, the profile and the seed alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from samplercheck.search.drawing import draw
from samplercheck.search.strategies import cases

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypothesis.strategies import SearchStrategy

    from samplercheck.binding import Binding
    from samplercheck.case import Case
    from samplercheck.search.profiles import Profile

__all__ = ["draw_large_cases", "large_scope_text"]

LARGE_BATCH = 33


def draw_large_cases(
    binding: Binding, profile: Profile, seed: int, examples: int, use: Callable[[Case], None]
) -> None:
    """Hand ``examples`` large cases of a target to ``use``."""
    draw(_strategy(binding, profile), use, examples=examples, seed=seed)


def large_scope_text(profile: Profile) -> str:
    """The large scope in words."""
    return f"drawn: length to {profile.large_length:,}, world to {profile.large_world:,}, seeds to 2^63"


def _strategy(binding: Binding, profile: Profile) -> SearchStrategy[Case]:
    named, step = binding.named, binding.contract.replicas
    off = st.just(False)
    return cases(
        max_length=profile.large_length,
        max_world=profile.large_world,
        min_world=step,
        max_work=profile.large_work,
        world_step=step,
        max_batch=LARGE_BATCH if "batch_size" in named else 1,
        shuffle=st.booleans() if "shuffle" in named else off,
        drop_last=st.booleans() if "drop_last" in named else off,
        seeds=None if "seed" in named else st.just(0),
        axes=binding.axes,
    )
