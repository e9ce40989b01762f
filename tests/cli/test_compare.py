"""``compare`` says for each question whether two samplers differ, where, and ends with the verdict."""

from __future__ import annotations

from tests.support.command_line import a_target, call, is_screen


def test_a_target_is_like_itself() -> None:
    done = call("compare", a_target("sound"), a_target("sound"), "--cases", "30")
    assert done.exit_code == 0, done.output
    assert is_screen(done.output)
    assert "\nALIKE\n" in done.output
    assert "  order                 alike in 30 cases\n" in done.output
    assert "  state of OLD in NEW   not compared\n" in done.output


def test_a_difference_has_its_smallest_case_and_ends_with_1() -> None:
    done = call("compare", a_target("sound"), a_target("uneven"), "--cases", "30")
    assert done.exit_code == 1, done.output
    assert "\nDIFFERENT in lengths and coverage\n" in done.output
    assert "    smallest case       n=1,world=2,batch=1\n" in done.output
    assert "in epoch 0 NEW yields sample 0 less often than" in done.output


def test_one_name_needs_another_interpreter() -> None:
    done = call("compare", a_target("sound"))
    assert done.exit_code == 2
    assert "Only with --old-python is it OLD itself" in done.output + (done.stderr or "")
