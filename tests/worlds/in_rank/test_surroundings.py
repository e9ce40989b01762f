"""What launchers set for a rank: on one node, and in some simulated worlds on several."""

from __future__ import annotations

import os

import pytest

import samplercheck as sc
from samplercheck import Case
from samplercheck.worlds import open_world
from samplercheck.worlds.in_rank.surroundings import PLACE, Surroundings, node_size_of


@pytest.mark.parametrize(
    ("world_size", "node_size"),
    [(1, 1), (2, 2), (3, 1), (4, 2), (5, 5), (8, 8), (9, 9), (15, 15), (16, 8), (24, 8), (65, 65), (512, 8)],
)
def test_worlds_of_three_four_and_whole_eights_have_several_nodes(world_size: int, node_size: int) -> None:
    assert node_size_of(world_size) == node_size


def placed(case: Case) -> list[tuple[str | None, ...]]:
    """What each rank of a simulated world finds set."""
    found = []

    def target(length: int) -> list[int]:
        found.append(tuple(os.environ.get(name) for name in PLACE))
        return list(range(length))

    with open_world("simulated") as world:
        world.trace(sc.target(target).bind(), case, ("epochs",))
    return found


def test_the_ranks_of_two_nodes_are_counted_from_0_on_each() -> None:
    assert placed(Case(length=1, world_size=4)) == [
        ("0", "4", "0", "2", "0", "0"),
        ("1", "4", "1", "2", "0", "0"),
        ("2", "4", "0", "2", "1", "1"),
        ("3", "4", "1", "2", "1", "1"),
    ]
    assert [one[2:] for one in placed(Case(length=1, world_size=3))] == [
        ("0", "1", str(node), str(node)) for node in range(3)
    ]
    assert {one[2:] for one in placed(Case(length=1, world_size=5))} == {
        (str(rank), "5", "0", "0") for rank in range(5)
    }


def test_what_was_set_before_is_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NODE_RANK", "7")
    monkeypatch.delenv("LOCAL_WORLD_SIZE", raising=False)
    before = dict(os.environ)
    around = Surroundings()
    around.place(3, 4, 2)
    assert os.environ["NODE_RANK"] == "1"
    around.restore()
    assert dict(os.environ) == before
