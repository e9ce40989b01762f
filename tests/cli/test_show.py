"""``show`` draws one case and judges nothing."""

from __future__ import annotations

import pytest

from samplercheck import Case
from tests.cli.places import a_target, call, is_screen


def test_the_picture_is_ranks_by_steps_and_samples_by_ranks() -> None:
    done = call("show", a_target("uneven"), "-n", "3", "-w", "2", "--epochs", "1")
    assert done.exit_code == 0
    assert done.output.split("\n")[1:] == [
        "length=3 world_size=2 batch_size=1 epochs=1",
        "",
        "epoch 0",
        "    step    0  1",
        "    rank 0  0  2",
        "    rank 1  1  -",
        "",
        "    sample  0  1  2",
        "    rank    0  1  0",
        "    every sample once",
        "",
    ]


def test_a_case_token_is_the_same_as_its_options() -> None:
    token = Case(length=5, world_size=3, epochs=2).token
    by_token = call("show", a_target("sound"), "--case", token)
    assert by_token.exit_code == 0
    assert by_token.output == call("show", a_target("sound"), "-n", "5", "-w", "3", "--epochs", "2").output


def test_a_token_and_options_together_are_refused() -> None:
    done = call("show", a_target("sound"), "--case", "n=1,world=1,batch=1", "-n", "3")
    assert done.exit_code == 2
    assert "--case says all of the case: leave length out" in done.output


def test_an_axis_has_its_first_value_unless_told() -> None:
    first = call("show", a_target("bucketed"), "-n", "6", "--epochs", "1").output
    other = call("show", a_target("bucketed"), "-n", "6", "--epochs", "1", "--axis", "bucket=4").output
    assert "bucket=1\nContract(tail='keep')" in first
    assert "bucket=4\nContract(tail='keep')" in other
    assert "rank 1  1  3  5" in first
    assert "rank 1  4  5  -  -" in other


def test_an_option_that_the_target_does_not_name_is_said_to_be_without_effect() -> None:
    done = call("show", a_target("sound"), "--shuffle", "-b", "2")
    assert done.exit_code == 0
    assert "without effect: batch_size, shuffle, which the target does not name" in done.output


def test_a_fault_is_shown_with_its_place_and_ends_with_1() -> None:
    done = call("show", a_target("raising"), "-n", "4", "-w", "2")
    assert done.exit_code == 1
    assert "rank 1: raised in build of experiment epochs: RuntimeError: no shard for this rank" in " ".join(
        done.output.split()
    )
    assert "targets.py:46 in raising: raise RuntimeError(" in done.output


def test_another_experiment_can_be_drawn() -> None:
    done = call("show", a_target("sound"), "-n", "2", "--experiment", "again")
    assert done.exit_code == 0
    grid = "    step           0\n    rank 0 pass 1  0\n    rank 0 pass 2  0\n"
    assert f"epoch 0, experiment again\n{grid}" in done.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-n", "-1"], "length=-1 is not legal"),
        (["--experiment", "agian"], "Did you mean 'again'"),
        (["--axis", "buket=1"], "Axis 'buket' is no parameter"),
        (["--contract", "tail=kep"], "Did you mean 'keep'"),
        (["--case", "n=1,wrld=2"], "Did you mean 'world'"),
    ],
)
def test_what_cannot_be_shown_is_usage_with_the_fix(words: list[str], said: str) -> None:
    done = call("show", a_target("sound"), *words)
    assert done.exit_code == 2
    assert said in done.output


def test_a_large_picture_fits_the_screen() -> None:
    done = call("show", a_target("sound"), "-n", "5000", "-w", "40", "--epochs", "1")
    assert done.exit_code == 0
    assert is_screen("\n".join(done.output.split("\n")[1:]))
