"""First line: what was judged, and how many laws are broken, above the other rows of the headline.

Asked by the headline. Pure.
"""

from __future__ import annotations

import re

from samplercheck.reports.mistake_words import WITH_CONTRACT
from samplercheck.reports.naming import COLUMN
from samplercheck.reports.verdict import Verdict
from samplercheck.values.layout import cut, row

HEAD_LINES, LONGEST_WORD = 2, 20
IF_MEANT = re.compile(rf", (\d+ also|another|\d+ others) {WITH_CONTRACT}(?=\.)")
_MISTAKES = re.compile(r"^(\d+ mistakes?), ([^,]+) broken(, .+)?\.$")


def head_lines(verdict: Verdict, width: int) -> list[str]:
    """Return the target with the claim, in one line if they fit: the file goes first, which rows name."""
    room = width - COLUMN
    shorter = [_MISTAKES.sub(counts, verdict.claim) for counts in (r"\1 (\2\3).", r"\1 (\2).")]
    bare = verdict.claim.removeprefix("1 mistake, ")  # which is clear enough beside what may be meant
    is_other = IF_MEANT.search(verdict.claim) is not None
    without = [IF_MEANT.sub("", one) for one in (verdict.claim, bare)] if is_other else []
    claims = (verdict.claim, *([bare] if is_other else []), *without, *shorter)
    targets = _shorten_target(verdict.target) if verdict.mistakes else (verdict.target,)
    heads = (f"{target}: {claim}" for claim in claims for target in targets)
    if one := next((one for one in heads if len(one) <= room), ""):
        return row(verdict.word, one, **place(width))
    least = cut(verdict.target, HEAD_LINES * room - LONGEST_WORD)
    target = next((one for one in targets if len(one) <= room), least)
    head = row(verdict.word, target, **place(width), most=HEAD_LINES)
    return [*head, *row("", verdict.claim, **place(width), most=HEAD_LINES)]


def _shorten_target(target: str) -> tuple[str, ...]:
    """Return a target, then without the folders of its file, then without the file."""
    name, _, path = target.partition(" in ")
    bare = (name,) if path else ()
    return (target, f"{name} in .../{path.rpartition('/')[2]}", name) if "/" in path else (target, *bare)


def place(width: int) -> dict[str, int]:
    """Return where a row of the headline stands."""
    return {"indent": 0, "column": COLUMN, "width": width}
