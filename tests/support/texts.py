"""What texts of the project say is printed, to be compared with what is."""

from __future__ import annotations

import ast
import re
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

SAYS = "samplercheck says of it:\n\n"


def block_in_text(path: Path) -> str:
    """Return the block that a script says in its text that it prints, as it stands on the screen."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")), clean=False) or ""
    _, said, block = text.partition(SAYS)
    assert said, f"{path} does not say what is printed"
    lines = [line.rstrip() for line in textwrap.dedent(block).splitlines()]
    return "\n".join(lines).strip("\n") + "\n"


def without_counts(text: str) -> str:
    """Return a text in one line without counts of cases: fewer are judged where a machine takes longer.

    Where all small ones are, they are called so.
    """
    return re.sub(r"\d[\d,]* of \d[\d,]*( small(?= cases))?", "some of some", " ".join(text.split()))
