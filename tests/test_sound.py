"""No law is broken, and none left undecided, by any of the sound samplers: a false alarm is the worst bug.

Run by pytest under the quick profile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import samplercheck as sc
from tests.sound.samplers import SOUND
from tests.sound.trainers import seen_batches
from tests.support.complaints import complaints

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("name", "factory", "promise", "axes"), [pytest.param(*one, id=one[0]) for one in SOUND]
)
def test_a_sound_sampler_keeps_every_law(
    name: str, factory: Callable[..., Any], promise: dict[str, Any], axes: dict[str, list[Any]]
) -> None:
    target = sc.target(factory, name=name, contract=sc.Contract(**promise), axes=axes)
    report = sc.run(target, profile="quick")
    assert complaints(report) == {}
    assert report.ok


def test_the_sound_samplers_have_names_of_their_own() -> None:
    names = [name for name, *_ in SOUND]
    assert len(set(names)) == len(names) >= 25


def test_a_wrapper_that_is_its_own_iterator_breaks_nothing_but_independence() -> None:
    report = sc.run(sc.target(seen_batches), profile="quick")
    assert complaints(report).keys() == {"SC502"}
