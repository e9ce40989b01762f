"""Ranks that wait for one another forever are told apart from ranks that are merely slow."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from samplercheck.values.record import Fault
from samplercheck.worlds.groups.member import CERTAIN, DeadlockWatch, describe_disagreement
from samplercheck.worlds.groups.messages import Done

LONG = 10.0


@dataclass
class Notes:
    """What a rank's black box holds."""

    collectives: str = ""
    moves: tuple[int, ...] = (0,)
    patience: float = LONG


@dataclass
class Rank:
    """Stands in for a member of a group."""

    rank: int
    box: Notes = field(default_factory=Notes)
    done: Done | None = None


def waits(rank, count, *, group="0", members=(0, 1), name="all_reduce"):
    talk = {
        "waits": {"name": name, "group": group, "members": list(members), "count": count, "where": "epoch 0"},
        "counts": {group: count},
    }
    return Rank(rank, Notes(json.dumps(talk)))


def works(rank, **counts):
    return Rank(rank, Notes(json.dumps({"counts": counts})))


def has_finished(rank, *, fault=None, **said) -> Any:
    return Rank(rank, done=Done(counts=said, fault=fault))


def told_after(seconds, *members):
    watch = DeadlockWatch(members)
    assert watch.look(100.0) == ""
    return watch.look(100.0 + seconds)


def test_a_rank_that_waits_for_one_that_has_finished_never_goes_on():
    assert told_after(2 * CERTAIN, waits(1, 1), has_finished(0)) == (
        "rank 0 has finished, rank 1 waits in all_reduce (epoch 0)"
    )


def test_ranks_in_different_groups_wait_for_ever():
    assert told_after(2 * CERTAIN, waits(0, 1, group="a"), waits(1, 1, group="b", name="barrier")) == (
        "rank 0 waits in all_reduce (epoch 0), rank 1 waits in barrier (epoch 0)"
    )


def test_a_rank_that_has_raised_is_named_with_its_error():
    fault = Fault(experiment="epochs", kind="raised", phase="next", rank=0, error="ValueError")
    assert told_after(2 * CERTAIN, has_finished(0, fault=fault), waits(1, 1)).startswith(
        "rank 0 has raised ValueError, rank 1 waits"
    )


@pytest.mark.parametrize(
    "members",
    [
        pytest.param([waits(0, 1), waits(1, 1)], id="all have come"),
        pytest.param([waits(0, 1), works(1)], id="one still works"),
        pytest.param([waits(0, 1), Rank(1)], id="one has said nothing yet"),
        pytest.param([waits(0, 1), has_finished(1, **{"0": 1})], id="the other was here and has left"),
        pytest.param(
            [waits(0, 1), waits(1, 1, group="b", members=[1, 2]), waits(2, 1, group="b", members=[1, 2])],
            id="a smaller group goes on first",
        ),
    ],
)
def test_who_may_still_go_on_is_waited_for(members):
    assert told_after(2 * CERTAIN, *members) == ""


def test_nothing_is_said_too_early():
    assert told_after(CERTAIN / 2, waits(1, 1), has_finished(0)) == ""


def test_every_move_begins_the_wait_again():
    hopeless = waits(1, 1)
    watch = DeadlockWatch([has_finished(0), hopeless])
    watch.look(100.0)
    hopeless.box.moves = (1,)
    assert watch.look(100.0 + 2 * CERTAIN) == ""
    assert watch.look(100.0 + 4 * CERTAIN) != ""


def test_all_in_one_collective_for_too_long_wait_for_ever():
    assert told_after(LONG + 1, waits(0, 1), waits(1, 1)) == "ranks 0, 1 wait in all_reduce (epoch 0)"


def test_notes_that_are_just_being_written_mean_nothing():
    assert told_after(2 * CERTAIN, has_finished(0), Rank(1, Notes('{"waits": {"na'))) == ""


def test_ranks_that_have_said_different_numbers_of_things_disagree():
    assert describe_disagreement([has_finished(0, a=2), has_finished(1, a=1)]) == (
        "rank 0 has finished after 2 collectives, rank 1 has finished after 1 collective"
    )
    assert describe_disagreement([has_finished(0, a=2), has_finished(1, a=2)]) == ""


def test_members_of_groups_of_their_own_may_say_more_than_others():
    owner: Any = Rank(0, done=Done(counts={"a": 1}, spoiled=True))
    assert describe_disagreement([owner, has_finished(1)]) == ""
