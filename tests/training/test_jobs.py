"""Real jobs, killed and started again: sound scripts break no law, each planted fault the right one."""

from __future__ import annotations

import pytest

from samplercheck.values.finding import Outcome
from tests.training.jobs import broken, run, run_killed

ONCE, GOES_ON, WHOLE, RESHUFFLED = "SC1101", "SC1102", "SC1103", "SC1104"


@pytest.mark.thorough
@pytest.mark.parametrize("way", ["skip", "state"])
@pytest.mark.parametrize("workers", [0, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("exact", [True, False])
def test_a_sound_script_that_was_killed_twice_breaks_no_law(tmp_path, way, workers, exact):
    words = ["--way", way, "--workers", workers, *(["--exact"] if exact else [])]
    report = run_killed(tmp_path, *words, die=[17, 23])
    assert broken(report) == set(), str(report)
    judged = {result.code for result in report.results if result.outcome is Outcome.HOLDS}
    assert judged == {ONCE, GOES_ON, WHOLE, RESHUFFLED}


@pytest.mark.parametrize(
    ("fault", "words", "law"),
    [
        ("epoch-set-back", [], {ONCE, GOES_ON}),
        ("offset-in-later-epochs", [], {ONCE, WHOLE}),
        ("loader-not-saved", [], {ONCE, GOES_ON}),
        pytest.param(
            *("counted-by-sampler", ["--way", "state", "--workers", 2], {ONCE, GOES_ON}),
            marks=pytest.mark.slow,
        ),
        ("order-from-global-rng", [], {ONCE, GOES_ON}),
        ("batch-in-flight", [], {ONCE, GOES_ON}),
    ],
)
@pytest.mark.parametrize("exact", [pytest.param(True, marks=pytest.mark.thorough), False])
def test_a_planted_fault_is_found(tmp_path, fault, words, law, exact):
    words = ["--fault", fault, *words, *(["--exact"] if exact else [])]
    assert broken(run_killed(tmp_path, *words, die=[17])) == law


def test_a_job_that_is_killed_twice_in_one_epoch_breaks_no_law(tmp_path):
    """What the second attempt skips and what it trains on are together more steps than the epoch has."""
    words = ["--way", "skip", "--length", 49, "--every", 2]
    assert broken(run_killed(tmp_path, *words, die=[10, 12])) == set()


def test_an_undisturbed_job_holds_and_has_nothing_to_say_of_resumptions(tmp_path):
    report = run_killed(tmp_path, die=[])
    outcomes = {result.code: result.outcome for result in report.results}
    assert outcomes[ONCE] is outcomes[RESHUFFLED] is Outcome.HOLDS
    assert outcomes[GOES_ON] is outcomes[WHOLE] is Outcome.NOT_APPLICABLE


def test_gradients_may_be_accumulated(tmp_path):
    assert broken(run_killed(tmp_path, "--accumulate", 2, "--every", 4, die=[17])) == set()


def test_a_job_that_is_started_again_from_the_beginning_is_sound(tmp_path):
    assert broken(run_killed(tmp_path, "--every", 1000, die=[5, 17])) == set()


@pytest.mark.gloo
@pytest.mark.parametrize("way", ["skip", "state"])
def test_two_ranks_that_were_killed_and_go_on_break_no_law(tmp_path, way):
    assert broken(run_killed(tmp_path, "--way", way, "--exact", world=2, die=[10])) == set()


@pytest.mark.gloo
def test_a_state_of_rank_0_on_all_ranks_is_found(tmp_path):
    report = run_killed(
        tmp_path, "--way", "state", "--fault", "state-of-rank-0", "--exact", world=2, die=[11]
    )
    assert ONCE in broken(report)


@pytest.mark.gloo
@pytest.mark.parametrize("fault", ["", "other-world"])
def test_another_number_of_ranks_is_sound_where_the_place_is_counted_in_samples(tmp_path, fault):
    words = ["--fault", fault] if fault else []
    report = run_killed(tmp_path, *words, "--exact", "--every", 4, world=2, then=1, die=[11])
    assert broken(report) == ({ONCE} if fault else set()), str(report)


@pytest.mark.gloo
def test_a_run_of_two_ranks_ends(tmp_path):
    assert run(tmp_path, "--epochs", 1, world=2) == [0, 0]
