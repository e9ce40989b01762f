"""Two hosts with a network between them: torchrun 2 x 2, a rank that is killed, a link that is cut."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.engines.hosts import TwoHosts, await_end, why_not
from tests.engines.launched import BROKEN, DIES, SOUND, findings, marks, simulated

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = marks
WAITS = "tests.support.job_targets:waits"
DEADLINE = 60
"""Seconds to the clean end where a link is cut: 15 of silence, 30 in a collective, and the ending."""


@pytest.fixture
def hosts() -> Iterator[TwoHosts]:
    if why := why_not():
        pytest.skip(why)
    with TwoHosts() as opened:
        yield opened


@pytest.mark.parametrize(("target", "code"), [(SOUND, 0), (BROKEN, 1)])
def test_ranks_of_two_hosts_judge_as_simulation_does(
    hosts: TwoHosts, tmp_path: Path, target: str, code: int
) -> None:
    one, two = await_end(tmp_path, hosts.start(tmp_path, target))
    assert (one.code, two.code) == (code, code), one.words + two.words
    assert findings(one.report) == (simulated() if code else {})
    assert two.report is None


def test_a_rank_that_is_killed_on_the_other_host_is_named(hosts: TwoHosts, tmp_path: Path) -> None:
    one, two = await_end(tmp_path, hosts.start(tmp_path, DIES))
    assert (one.code, two.code) == (1, 1)
    (note,) = one.lost
    assert note.startswith("rank 2 of the job (")


def test_a_link_that_is_cut_ends_both_hosts_within_the_deadline(hosts: TwoHosts, tmp_path: Path) -> None:
    started = hosts.start(tmp_path, WAITS)
    while not (tmp_path / "two" / "waits-2").exists():
        assert all(launcher.poll() is None for launcher in started)
        time.sleep(0.1)
    hosts.cut()
    one, two = await_end(tmp_path, started)
    assert (one.code, two.code) == (1, 1)
    assert max(one.seconds, two.seconds) < DEADLINE
    assert [note.split(" (")[0] for note in one.lost] == ["rank 2 of the job", "rank 3 of the job"]
    assert all(" was lost: silent for " in note for note in one.lost)
    assert "The first rank of the job has ended" in " ".join(two.words.split())
    assert "a fault of samplercheck itself" not in one.words + two.words
