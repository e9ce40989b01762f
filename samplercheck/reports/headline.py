"""Headline: the verdict on a run as at most seven lines of text; it says what breaks, where and what to do.

Shown above all else on a terminal, by pytest and by ``samplercheck fix``. Pure.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from samplercheck.reports.verdict import COLUMN, Verdict
from samplercheck.values.layout import cut, row

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_LINES = 7
HEAD_LINES, LONGEST_WORD = 2, 20


def verdict_lines(verdict: Verdict, *, width: int) -> list[str]:
    """Return the verdict as at most seven lines of text; what to do about it is in them, if only in part."""
    head = _head(verdict, width)
    room = MOST_LINES - len(head)
    lines: list[str] = []
    for one, most in _shorten(verdict):
        rows = [row(label, text, **_place(width), most=most.get(label)) for label, text in one.rows]
        lines = [line for lines in rows for line in lines]
        if len(lines) <= room:
            break
    return [*head, *lines[:room]]


def _shorten(verdict: Verdict) -> Iterator[tuple[Verdict, dict[str, int]]]:
    """Yield a verdict in fewer and fewer words, with the most lines that some rows may have.

    The cause gives way first, then other mistakes, and a line that says no more than where passes come from.
    What breaks, where and what to do stay to the end.
    """
    plain = replace(verdict, advice="")
    placed = replace(plain, line=verdict.place)
    short = replace(placed, cause="") if plain.remedy[1] else placed
    fewer = [replace(short, mistakes=mistakes) for mistakes in verdict.fewer]
    if verdict.is_aside:
        fewer += [replace(one, seems="") for one in fewer]
    last = replace(fewer[-1] if fewer else short, more="")
    meant = replace(last, seems=verdict.declares if last.seems else "")
    counted = replace(meant, when=verdict.seldom)
    for one in (verdict, plain, placed, short, *fewer, last):
        yield one, {}
    for one in (last, meant):
        yield one, {"and": 1}
    if verdict.is_vague:
        meant, counted = replace(meant, line=""), replace(counted, line="")
        yield meant, {"and": 1}
    yield counted, {"and": 1}
    label, bare = verdict.remedy[0], replace(counted, when="")
    yield counted, {label: 2, "and": 1}
    yield bare, {label: 2, "and": 1}
    yield bare, {label: 1, "and": 1}
    last_words = {label: 1, "and": 1, "if meant": 2, "training": 1, "even so": 1, "where": 1}
    yield bare, last_words
    yield replace(bare, mistakes=bare.mistakes[:1]), last_words  # the claim has counted the others


def _head(verdict: Verdict, width: int) -> list[str]:
    """Return the target with the claim, in one line if they fit; a far too long name loses its middle."""
    for claim in (verdict.claim, verdict.claim.removesuffix(f" {verdict.word.lower()}.")):
        one = f"{verdict.target}: {claim}"
        if len(one) <= width - COLUMN:
            return row(verdict.word, one, **_place(width))
    whole = row(verdict.word, f"{verdict.target}: {verdict.claim}", **_place(width))
    if len(verdict.target) > width - COLUMN and len(whole) <= HEAD_LINES:
        return whole
    target = cut(verdict.target, HEAD_LINES * (width - COLUMN) - LONGEST_WORD)
    head = row(verdict.word, target, **_place(width), most=HEAD_LINES)
    return [*head, *row("", verdict.claim, **_place(width), most=HEAD_LINES)]


def _place(width: int) -> dict[str, int]:
    return {"indent": 0, "column": COLUMN, "width": width}
