"""How long something has stood still is added up from what is seen, not from a clock alone."""

from __future__ import annotations

import pytest

from samplercheck.worlds.processes.stillness import LONGEST_LOOK, Stillness


def test_time_adds_up_while_nothing_moves_and_begins_anew_with_each_move():
    stillness = Stillness()
    assert stillness.look("here", 0.1) == pytest.approx(0.1)
    assert stillness.look("here", 0.1) == pytest.approx(0.2)
    assert stillness.look("there", 0.1) == pytest.approx(0.1)


def test_who_was_asleep_raises_no_alarm():
    assert Stillness().look("here", 3_600.0) == LONGEST_LOOK


def test_who_is_excused_begins_anew():
    stillness = Stillness()
    stillness.look("here", 0.1)
    assert stillness.look("here", 0.1, excused=True) == pytest.approx(0.1)
    assert stillness.look("here", 0.1) == pytest.approx(0.2)


def test_nothing_seen_counts_unless_it_is_excused():
    stillness = Stillness()
    stillness.look(None, 0.1)
    assert stillness.look(None, 0.1) == pytest.approx(0.2)
