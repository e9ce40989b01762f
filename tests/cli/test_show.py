"""``show`` draws one case and judges nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from samplercheck import Case
from tests.support.command_line import a_target, call, is_screen

if TYPE_CHECKING:
    from pathlib import Path


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


def test_an_epoch_like_one_before_is_not_drawn_again() -> None:
    done = call("show", a_target("uneven"), "-n", "3", "-w", "2", "--epochs", "3")
    assert done.output.count("rank 0  0  2") == 1
    assert done.output.endswith("epoch 1\n    the same as epoch 0\n\nepoch 2\n    the same as epoch 0\n")


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


def test_what_was_made_for_the_target_is_said(tmp_path: Path) -> None:
    path = tmp_path / "packs.py"
    path.write_text("def packs(lengths, rank, world_size, shuffle=False): return [len(lengths) - 1][rank:]\n")
    told = call("show", f"{path}:packs", "-n", "3", "-w", "1").output
    assert re.search(r"^with lengths \[\d+ \d+ \d+\]\nnot shuffled: .*; --shuffle draws", told, re.MULTILINE)
    token = Case(length=3, shuffle=True, features={"lengths": [1, 2, 3]}).token  # type: ignore[arg-type]  # a mapping
    given = call("show", f"{path}:packs", "--case", token).output
    assert "\nwith " not in given
    assert "not shuffled" not in given


def test_a_fault_is_shown_with_its_place_and_ends_with_1() -> None:
    done = call("show", a_target("raising"), "-n", "4", "-w", "2")
    assert done.exit_code == 1
    assert "rank 1: raised in build of experiment epochs: RuntimeError: no shard for this rank" in " ".join(
        done.output.split()
    )
    assert "targets.py:46 in raising: raise RuntimeError(" in done.output


def test_what_a_rank_yielded_before_it_failed_is_drawn_and_what_is_no_index_is_told() -> None:
    done = call("show", a_target("BreaksOff"), "-n", "6", "-w", "3", "--epochs", "2")
    assert done.exit_code == 1
    lines = done.output.split("\n")
    assert "    rank 1  1  -   <- raised KeyError" in lines
    assert "    rank 1  1  4" in lines
    assert "rank 2, epoch 1: item 1 is no integer index" in " ".join(lines)
    assert "rank 1: raised in next of experiment epochs, epoch 1, step 1: KeyError:" in " ".join(lines)


def test_ranks_that_fail_alike_are_told_once() -> None:
    done = call("show", a_target("raising"), "-n", "4", "-w", "8", "--epochs", "1")
    assert done.output.count("no shard for this rank") == 1
    assert "ranks 1-7: raised in build" in done.output


def test_an_endless_pass_is_drawn_as_far_as_it_was_taken() -> None:
    done = call("show", a_target("Endless"), "-n", "4", "-w", "2", "--epochs", "1")
    assert done.exit_code == 1
    assert "<- did not end" in done.output
    assert "ranks 0, 1: endless in next of experiment epochs, epoch 0, step 96: still" in done.output
    declared = call("show", a_target("Endless"), "-n", "4", "-w", "2", "--contract", "endless=True")
    assert declared.exit_code == 0
    assert "    rank 1  1  3  1  3  1  3   <- goes on" in declared.output


def test_batches_stand_in_brackets() -> None:
    done = call("show", a_target("in_batches"), "-n", "6", "-w", "2", "-b", "2", "--epochs", "1")
    assert "    rank 1  [1 3]  [5]\n" in done.output
    assert "every sample once" in done.output


def test_of_resumed_runs_one_is_told_on_all_ranks() -> None:
    done = call("show", a_target("Resumable"), "-n", "6", "-w", "2", "--experiment", "resumed")
    assert done.exit_code == 0
    headings = [line for line in done.output.split("\n") if line.startswith("epoch")]
    assert headings == [
        "epoch 0, not stopped",
        "epoch 1, not stopped",
        "epoch 0, stopped after 1 step",
        "epoch 0, resumed after 1 step",
        "epoch 1, after the resumed one",
    ]
    assert (
        "epoch 0, resumed after 1 step\n    step    0  1\n    rank 0  2  4\n    rank 1  3  5\n" in done.output
    )


def test_an_experiment_that_finds_nothing_to_do_says_so() -> None:
    done = call("show", a_target("sound"), "-n", "2", "--experiment", "resumed")
    assert done.exit_code == 0
    assert "nothing was recorded: the experiment 'resumed' has nothing to do" in done.output


def test_a_page_has_the_same_with_pictures(tmp_path: Path) -> None:
    page = tmp_path / "new" / "page.html"
    words = ("show", a_target("BreaksOff"), "-n", "6", "-w", "3", "--epochs", "2")
    done = call(*words, "--html", str(page))
    assert done.exit_code == 1
    assert call(*words).output in done.output
    html = page.read_text(encoding="utf-8")
    assert html.count("<svg") == 2
    assert "raised KeyError" in html
    assert "<b>no such shard</b>" not in html
    assert "&lt;b&gt;no such shard&lt;/b&gt;" in html


def test_a_page_that_cannot_be_written_is_usage_with_its_reason(tmp_path: Path) -> None:
    done = call("show", a_target("sound"), "-n", "2", "--html", str(tmp_path))
    assert done.exit_code == 2
    assert "The page cannot be written to" in done.output


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
        (["--axis", "buket=1"], "Axis 'buket' is not a parameter"),
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
