"""Where the command line's tests find their targets, and how they call it."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from samplercheck.cli.main import samplercheck

ROOT = Path(__file__).parents[2]
FILE = ROOT / "tests" / "support" / "targets.py"


def a_target(name: str) -> str:
    """The text that names one of the targets, from any directory."""
    return f"{FILE}:{name}"


def call(*words: str) -> Result:
    """Call the command line in this process."""
    return CliRunner().invoke(samplercheck, list(words), prog_name="samplercheck", catch_exceptions=False)


def is_screen(text: str) -> bool:
    """Whether a text is ASCII in at most 80 columns."""
    return text.isascii() and all(len(line) <= 80 for line in text.split("\n"))
