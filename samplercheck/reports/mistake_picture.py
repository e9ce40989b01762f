"""The picture in the block of a mistake: what was drawn of its case, or the end of a traceback.

Made for ``mistake_block``, from the plain data of a report. Pure, ASCII.
"""

from __future__ import annotations

import re

from samplercheck.reports.standing import Plain, detail_of
from samplercheck.values.layout import cut, last_frames, printable

MOST_TRACEBACK = 4
FRAME = re.compile(r"^Traceback|:\d+ in ", re.MULTILINE)


def draw(failure: Plain, most: int, width: int) -> list[str]:
    """Return the picture, of a long one the lines that are marked, or else the end of a traceback."""
    if not most:
        return []
    seen = detail_of(failure)
    if seen.strip() and (FRAME.search(seen) or not failure["grid"]):
        return last_frames(seen, min(most, MOST_TRACEBACK), width)
    lines = [printable(line) for line in failure["grid"]]
    shown = _shorten(lines, most)
    indent = " " * (4 if all(len(line) <= width - 4 for line in shown) else 2)
    return [f"{indent}{cut(line, width - len(indent))}" for line in shown]


def _shorten(lines: list[str], most: int) -> list[str]:
    """Leave lines out that are not marked, those at the end first; dots stand where some are missing."""
    if len(lines) <= most:
        return lines
    head = next((at for at, line in enumerate(lines) if line.lstrip().startswith("step")), 0)
    marked = [at for at, line in enumerate(lines) if "<-" in line and at > head]
    ends = [*marked[:1], *marked[-1:]]  # who waits comes first, and who left often last
    wanted = [*range(head + 1), *ends, *marked, *(at for at in range(len(lines)) if at > head)]
    ordered = list(dict.fromkeys(wanted))
    shown: list[str] = []
    for number in range(most - 1, head, -1):
        shown, before = [], -1
        for at in (*sorted(ordered[:number]), len(lines)):
            shown += [*(["..."] if at > before + 1 and shown[-1:] != ["..."] else []), *lines[at : at + 1]]
            before = at
        if len(shown) <= most:
            break
    return shown
