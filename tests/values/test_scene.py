"""A scene is plain data within bounds, whatever was recorded."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from samplercheck.values.failure_form import MOST_PASSES, MOST_RANKS, MOST_SAMPLES, MOST_STEPS
from samplercheck.values.scene import Scene, SeenPass
from tests.support.strategies import scenes


def a_seen_pass(*ranks, **fields):
    """A pass of an epoch from the samples of each rank, one in each step."""
    steps = tuple(tuple((sample,) for sample in rank) for rank in ranks)
    return SeenPass(**{"experiment": "epochs", "label": "epoch 0", "epoch": 0, "ranks": steps, **fields})


def a_scene(*passes, **fields):
    """A scene of ten samples and two ranks."""
    return Scene(**{"length": 10, "world_size": 2, "passes": passes, **fields})


@settings(max_examples=40)
@given(scenes(st.text(max_size=5)), st.sampled_from([1, 30]))
def test_a_scene_is_bounded_once_and_survives_json(scene, often):
    passes = [replace(one, ranks=one.ranks * often) for one in scene.passes] * often
    bounded = replace(scene, passes=tuple(passes)).trim()
    assert len(bounded.passes) <= MOST_PASSES
    assert all(len(one.ranks) <= MOST_RANKS for one in bounded.passes)
    assert all(number < len(bounded.passes) and step < MOST_STEPS for number, _, step in bounded.marked)
    assert bounded.trim() == bounded
    assert Scene.from_dict(json.loads(json.dumps(bounded.to_dict()))) == bounded


def test_what_has_no_room_is_left_out_and_said_to_be():
    wide = a_seen_pass(*[[rank] for rank in range(20)])
    long = a_seen_pass(range(1000))
    full = replace(long, ranks=(((5,) * MOST_SAMPLES,), ((1,),)))
    first, second, third = a_scene(wide, long, full).trim().passes
    assert (len(first.ranks), first.cut) == (MOST_RANKS, True)
    assert (len(second.ranks[0]), second.cut) == (MOST_STEPS, True)
    assert (third.ranks, third.cut) == (((), ((1,),)), True)
    assert not a_scene(a_seen_pass([0], [1])).trim().passes[0].cut
