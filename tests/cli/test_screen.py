"""Colour and progress: only where they are welcome, and never instead of words."""

from __future__ import annotations

import io
import re
import sys

import pytest

from samplercheck.cli.screen import columns, open_progress, show, takes_colour
from samplercheck.reports.brief import brief
from samplercheck.search.profiles import FORECAST, IMPORT, Progress
from tests.reports.screens import SCREENS
from tests.support.handmade import golden


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def a_terminal(monkeypatch: pytest.MonkeyPatch, name: str) -> Terminal:
    """A terminal in the place of a stream, in an environment that takes colour."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    stream = Terminal()
    monkeypatch.setattr(sys, name, stream)
    return stream


def test_a_terminal_gets_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = a_terminal(monkeypatch, "stdout")
    show("BROKEN  SC104 [0 2] [bold]", colour=True)
    said = terminal.getvalue()
    assert "\x1b[1;31mBROKEN\x1b[0m" in said
    assert "[0 2] [bold]" in said


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", SCREENS)
def test_the_first_screen_in_colour_is_the_golden_one(
    name: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = a_terminal(monkeypatch, "stdout")
    text = brief(SCREENS[name], width=width)
    show(text, colour=True)
    assert terminal.getvalue().rstrip("\n") == golden(f"screen_{name}_{width}_colour")
    assert re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue()).rstrip("\n") == text


def test_the_screen_is_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    assert columns() == 100
    monkeypatch.setenv("COLUMNS", "1000")
    assert columns() == 120
    monkeypatch.setenv("COLUMNS", "0")
    assert columns() == 80


def test_no_color_means_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = a_terminal(monkeypatch, "stdout")
    show("BROKEN", colour=False)
    monkeypatch.setenv("NO_COLOR", "1")
    show("BROKEN", colour=True)
    assert terminal.getvalue() == "BROKEN\nBROKEN\n"


@pytest.mark.parametrize("name", ["NO_COLOR", "TERM"])
def test_the_environment_can_refuse_colour(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert takes_colour(wanted=True, stream=Terminal())
    assert not takes_colour(wanted=False, stream=Terminal())
    assert not takes_colour(wanted=True, stream=io.StringIO())
    monkeypatch.setenv(name, "dumb")
    assert not takes_colour(wanted=True, stream=Terminal())


def test_without_a_terminal_each_phase_is_one_line_at_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    with open_progress(colour=True) as progress:
        progress(Progress("small scope", 64, 1_560))
        progress(Progress("small scope", 1_560, 1_560))
        assert capsys.readouterr().err == ""
        progress(Progress("large", 64, 200))
        assert capsys.readouterr().err == "small scope: 1,560 of 1,560 cases\n"
    assert capsys.readouterr() == ("", "large: 64 of 200 cases\n")


def test_of_what_takes_long_a_line_says_of_which_law_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("samplercheck.cli.screen.SILENCE", 0.0)
    with open_progress(colour=False) as progress:
        progress(Progress("explain", 0, 1, about="SC104 (1 of 2 laws)"))
        progress(Progress("explain", 532, 532))
    said = "explain: SC104 (1 of 2 laws)\nexplain: 532 of 532 cases\n"
    assert capsys.readouterr().err == said


def test_a_forecast_is_one_line_before_the_phases(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_progress(colour=True) as progress:
        progress(Progress(FORECAST, 0, 22_500, 233.0))
        assert capsys.readouterr().err == "about 4 minutes for 22,500 cases\n"
        progress(Progress(FORECAST, 0, 900, 12.0))
        assert capsys.readouterr().err == "less than a minute for 900 cases\n"
    assert capsys.readouterr() == ("", "")
    stream = a_terminal(monkeypatch, "stderr")
    with open_progress(colour=True) as progress:
        progress(Progress(FORECAST, 0, 22_500, 61.0))
    assert "about 1 minute for 22,500 cases" in stream.getvalue()


def test_on_a_terminal_progress_is_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = a_terminal(monkeypatch, "stderr")
    with open_progress(colour=True) as progress:
        progress(Progress("small scope", 100, 100))
    assert "small scope" in stream.getvalue()
    assert "100/100" in stream.getvalue()


def test_a_long_import_is_said_at_once_with_what_to_do(capsys):
    with open_progress(colour=False) as progress:
        progress(Progress(IMPORT, 0, 0, 20.4))
        said = capsys.readouterr().err
    assert said.startswith("The import of the target has taken 20 s so far.")
    assert said.rstrip().endswith('belongs under if __name__ == "__main__":')
    assert max(map(len, said.splitlines())) <= 80
